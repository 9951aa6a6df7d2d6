//! Networks against what the engines of their generations computed: those that `tests/goldens`
//! leaves out, and released nets.

mod engines;
mod fetch_nets;

use nnue_further_tests as further;
use nnue_test_support::goldens::comparison::Goldens::{Positions, PositionsAndLines};
use nnue_test_support::goldens::comparison::{released, synthetic, written};

/// The net of a generation that a test makes itself.
macro_rules! synthetic {
    ($($name:ident: $generation:literal;)*) => { $(
        #[test]
        fn $name() {
            synthetic::<further::$name::Net>($generation);
        }
    )* };
}

synthetic! {
    sfnnv2: "v2";
    sfnnv3: "v3";
    sfnnv4: "v4";
    sfnnv5_unrolled: "v5";
    sfnnv6: "v6";
    sfnnv7: "v7";
    sfnnv8: "v8";
    sfnnv10: "v10";
    sfnnv11: "v11";
    sfnnv12: "v12";
    sfnnv13: "v13";
    sfnnv14: "v14";
    sfnnv14b: "v14b";
    sfnnv15: "v15";
    sfnnv17: "v17";
    small128_unrolled: "small128";
}

/// Released nets, which are too large to be part of the project. They are also written back.
macro_rules! released {
    ($($name:ident: $net:literal, $goldens:ident => $network:path;)*) => { $(
        #[test]
        #[ignore = concat!("needs ", $net, ": cargo run -p nnue-further-tests --bin fetch-nets -- --all")]
        fn $name() {
            use $network as network;
            released::<network::Net>($net, $goldens);
            written::<network::Net>($net);
        }
    )* };
}

released! {
    released_sfnnv1: "nn-82215d0fd0df", PositionsAndLines => further::sfnnv1;
    released_sfnnv2: "nn-26abeed38351", Positions => further::sfnnv2;
    released_sfnnv3: "nn-13406b1dcbe0", Positions => further::sfnnv3;
    released_sfnnv4: "nn-6877cd24400e", Positions => further::sfnnv4;
    released_sfnnv5: "nn-ad9b42354671", PositionsAndLines => further::sfnnv5;
    released_sfnnv6: "nn-5af11540bbfe", Positions => further::sfnnv6;
    released_sfnnv9: "nn-1c0000000000", PositionsAndLines => further::sfnnv9;
    released_sfnnv10: "nn-c288c895ea92", Positions => further::sfnnv10;
    released_sfnnv16: "nn-1a298aa575a0", PositionsAndLines => further::sfnnv16;
}
