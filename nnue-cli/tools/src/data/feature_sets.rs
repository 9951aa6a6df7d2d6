//! The feature sets of a network that is known only at run time, as compiled networks have them.

use nnue_compiler::feature_set;
use nnue_compiler::network::Network;
use nnue_runtime::__private::features::{Clock, Family, FeatureSet, PawnPairs};

/// The runtime's constants for the feature sets, in their order. The rows of each set are counted
/// from 0, as if the set were the only set.
#[must_use]
pub(crate) fn feature_sets(network: &Network) -> Vec<FeatureSet> {
    network.features.iter().map(constant).collect()
}

fn constant(set: &feature_set::FeatureSet) -> FeatureSet {
    FeatureSet {
        table: 0,
        first_row: [0, 0],
        rows: set.rows as u32,
        shift: set.shift,
        max_active: set.max_active,
        family: match &set.family {
            feature_set::Family::PieceSquare(parameters) => {
                Family::PieceSquare(parameters.tables())
            }
            feature_set::Family::Threats(parameters) => Family::Threats(parameters.tables()),
            feature_set::Family::PawnPairs(parameters) => Family::PawnPairs(PawnPairs {
                mirror_files: parameters.mirror.files(),
                file_distance: parameters.file_distance,
            }),
            feature_set::Family::Clock(parameters) => Family::Clock(Clock {
                first: parameters.first,
                step: parameters.step,
                steps: parameters.steps,
                king_rows: parameters.king_rows(),
            }),
            feature_set::Family::Custom(parameters) => Family::Custom {
                views: parameters.views as u32,
                blocks: parameters.blocks as u32,
            },
        },
    }
}
