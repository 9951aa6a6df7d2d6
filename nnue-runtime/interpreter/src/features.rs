//! The rows of the transformer that are active. The rows of all sets follow each other in the order
//! of the spec.

mod clock;
mod orientation;
mod pawn_pairs;
mod piece_square;
mod threats;

use core::fmt;

use nnue_compiler::feature_set::{Family, FeatureSet};
use nnue_compiler::network::Network;
use nnue_runtime::{Color, Position};

pub(crate) use piece_square::virtual_rows::Sum;

/// The rows that are active for white, and the rows that are active for black.
pub type ActiveRows = [Vec<usize>; 2];

/// A feature that no custom set of the network has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UnknownFeature {
    /// The number that the caller gave, from 0.
    pub found: u32,
    /// The number of features of all custom sets of the network.
    pub features: usize,
}

impl fmt::Display for UnknownFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownFeature { found, features } = self;
        match features {
            0 => write!(
                f,
                "found feature {found}, but the network has no custom sets"
            ),
            _ => write!(
                f,
                "there is no feature {found}, allowed are 0 to {}",
                features - 1
            ),
        }
    }
}

nnue_format::debug_is_message!(UnknownFeature);

impl std::error::Error for UnknownFeature {}

/// The rows of the transformer that a position makes active, except for the rows of custom sets.
/// Rows by the half-move clock are those of [`Position::halfmove_clock`]. Rows are counted from 0
/// through all sets of the spec.
#[must_use]
pub fn active_rows(network: &Network, position: &impl Position) -> ActiveRows {
    Color::ALL.map(|perspective| of_position(network, position, perspective))
}

/// The rows that a position makes active for a perspective.
fn of_position(network: &Network, position: &impl Position, perspective: Color) -> Vec<usize> {
    let mut active = Vec::new();
    let mut first = 0;
    for set in &network.features {
        let rows = match &set.family {
            Family::PieceSquare(parameters) => {
                piece_square::active(parameters, position, perspective)
            }
            Family::Threats(parameters) => threats::active(parameters, position, perspective),
            Family::PawnPairs(parameters) => pawn_pairs::active(parameters, position, perspective),
            Family::Clock(parameters) => clock::active(parameters, position, perspective),
            Family::Custom(_) => Vec::new(),
        };
        active.extend(rows.into_iter().map(|row| first + row));
        first += set.rows;
    }
    active
}

/// All rows of a set that have virtual rows.
pub(crate) fn sums(set: &FeatureSet) -> Vec<Sum> {
    match (&set.family, &set.factors) {
        (Family::PieceSquare(parameters), Some(factors)) => {
            piece_square::virtual_rows::sums(parameters, &factors.sets)
        }
        _ => Vec::new(),
    }
}

/// The rows of features of custom sets: of the features that are active for white, and of those
/// that are active for black, where white and black have these views. Numbers beyond the last view
/// stand for the last.
///
/// # Errors
///
/// [`UnknownFeature`] if the number of a feature is too large.
pub fn custom_rows(
    network: &Network,
    views: [u32; 2],
    features: [&[u32]; 2],
) -> Result<ActiveRows, UnknownFeature> {
    let rows = |perspective: usize| -> Result<Vec<usize>, UnknownFeature> {
        let rows = features[perspective].iter();
        rows.map(|feature| of_custom(network, views[perspective], *feature))
            .collect()
    };
    Ok([rows(0)?, rows(1)?])
}

/// The row of a custom feature in a view. Features are numbered through all custom sets of a
/// network.
fn of_custom(network: &Network, view: u32, feature: u32) -> Result<usize, UnknownFeature> {
    // The numbers of features and rows before the set.
    let (mut features, mut rows) = (0, 0);
    for set in &network.features {
        if set.is_supplied() {
            let number = feature as usize - features;
            let of_a_block = set.rows / set.blocks();
            if number < of_a_block {
                let view = (view as usize).min(set.views() - 1);
                let block = view * set.blocks() / set.views();
                return Ok(rows + block * of_a_block + number);
            }
            features += of_a_block;
        }
        rows += set.rows;
    }
    Err(UnknownFeature {
        found: feature,
        features,
    })
}
