//! All rows of engines' feature sets, in front of small transformers.

use crate::{Subject, plies};

/// Compiles a spec, and its tests with it.
macro_rules! engines {
    ($($(#[$doc:meta])* $engine:ident: $path:literal;)*) => { $(
        mod $engine {
            nnue_runtime::nnue_net!($path);
        }

        $(#[$doc])*
        ///
        /// Random play, and kings that cross every border.
        ///
        /// # Panics
        ///
        /// If an evaluation on some level differs from a refresh's.
        pub fn $engine() {
            let subject = Subject::<$engine::Net>::of(include_str!(concat!("../", $path)));
            subject.check_random_play(plies());
            subject.check_king_walks();
        }
    )* };
}

engines! {
    /// Threats and pieces.
    sfnnv10: "../specs/engines/sfnnv10.toml";
    /// Threats, pawn pairs and pieces, which are mirrored to two sides.
    sfnnv16: "../specs/engines/sfnnv16.toml";
    /// Threats, and pieces with ten buckets.
    reckless: "../specs/engines/reckless.toml";
    /// Pawn pairs and threats, and pieces with sixteen buckets and one plane of kings.
    viridithas: "../specs/engines/viridithas.toml";
}
