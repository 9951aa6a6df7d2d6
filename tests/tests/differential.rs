//! Specs of all kinds against the reference evaluator, on every level of this machine.

use nnue_tests::differential::{check, check_by_caller};
use nnue_tests::networks;

/// Compiles a spec and compares it with the reference; `by_caller` where the engine says which bucket.
macro_rules! differential {
    ($($net:ident: $path:literal $(, $check:ident)?;)*) => { $(
        mod $net {
            nnue_runtime::nnue_net!($path);
        }

        #[test]
        fn $net() {
            let spec = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
            differential!(@check $net, spec $(, $check)?);
        }
    )* };
    (@check $net:ident, $spec:ident) => { check::<$net::Net>($spec) };
    (@check $net:ident, $spec:ident, by_caller) => { check_by_caller::<$net::Net>($spec) };
}

differential! {
    average: "specs/layers/average.toml", by_caller;
    heads: "specs/layers/heads.toml";
    quantmoid: "specs/layers/quantmoid.toml";
    screlu: "specs/layers/screlu.toml";
    words: "specs/layers/words.toml";

    a8: "../specs/seed/a8.toml";
    halfkp4: "../specs/seed/halfkp4.toml";
    halfkav2_psqt: "../specs/seed/halfkav2_psqt.toml";
    halfkav2_buckets: "../specs/seed/halfkav2_buckets.toml";

    hobbes: "../specs/engines/hobbes.toml";
    berserk: "../specs/engines/berserk.toml";
    viridithas14: "../specs/engines/viridithas14.toml";

    pooling_average: "../specs/vocabulary/average.toml";
    pooling_max: "../specs/vocabulary/max.toml";
    quantmoid4: "../specs/vocabulary/quantmoid4.toml";
    wide_bytes: "../specs/vocabulary/wide_bytes.toml";
    sparse_inputs: "../specs/vocabulary/sparse_inputs.toml";
    sparse_words: "../specs/vocabulary/sparse_words.toml";
    output_blocks: "../specs/vocabulary/output_blocks.toml";
    binary: "../specs/vocabulary/binary.toml";
    residual: "../specs/vocabulary/residual.toml";
    floating: "../specs/vocabulary/floating.toml";
    width_96: "../specs/vocabulary/width_96.toml";
    width_1568: "../specs/vocabulary/width_1568.toml";
}

/// The same for networks that other tests need too.
macro_rules! compiled {
    ($($test:ident: $net:path = $path:literal;)*) => { $(
        #[test]
        fn $test() {
            use $net as net;
            check::<net::Net>(include_str!($path));
        }
    )* };
}

compiled! {
    feature_set_a: networks::features::a = "../specs/features/a.toml";
    king_buckets: networks::features::king_buckets = "../specs/features/king_buckets.toml";
    rotated: networks::features::rotated = "../specs/features/rotated.toml";
    summed: networks::features::summed = "../specs/features/summed.toml";
    sfnnv1: networks::sfnnv1 = "../../specs/sfnnv1.toml";
    sfnnv5: networks::sfnnv5 = "../../specs/sfnnv5.toml";
    sfnnv5_unrolled: networks::sfnnv5_unrolled = "../../specs/sfnnv5.toml";
    small128: networks::small128 = "../../specs/small128.toml";
}
