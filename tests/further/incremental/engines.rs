//! All rows of engines' feature sets, in front of small transformers: which rows are added and removed
//! does not depend on the width. `NNUE_PLIES` can ask for millions of plies, in a release build.

use nnue_test_support::play::{Subject, plies};

/// Random play, and kings that cross every border.
macro_rules! engines {
    ($($(#[$doc:meta])* $engine:ident: $path:literal;)*) => { $(
        mod $engine {
            nnue_runtime::nnue_net!($path);
        }

        #[test]
        $(#[$doc])*
        fn $engine() {
            let spec = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
            let subject = Subject::<$engine::Net>::of(spec);
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
    /// The same with rows of bytes, and other rows of pieces while the opponent has a queen.
    k32q2: "../specs/engines/k32q2.toml";
    /// Threats, and pieces with ten buckets.
    reckless: "../specs/engines/reckless.toml";
    /// Rows by the half-move clock, pawn pairs, threats, and pieces with twelve buckets.
    integral: "../specs/engines/integral.toml";
    /// Pawn pairs and threats, and pieces with sixteen buckets and one plane of kings.
    viridithas: "../specs/engines/viridithas.toml";
}
