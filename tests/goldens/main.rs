//! Networks against what the engines of their generations computed. `tests/further/goldens` has the
//! other generations.

mod features;

use nnue_test_support::goldens::comparison::{Goldens, released, synthetic, written};
use nnue_tests::{sfnnv1, sfnnv5, sfnnv9, sfnnv16, small128};

#[test]
fn synthetic_sfnnv1() {
    synthetic::<sfnnv1::Net>("v1");
}

#[test]
fn synthetic_sfnnv5() {
    synthetic::<sfnnv5::Net>("v5");
}

#[test]
fn synthetic_sfnnv9() {
    synthetic::<sfnnv9::Net>("v9");
}

#[test]
fn synthetic_sfnnv16() {
    synthetic::<sfnnv16::Net>("v16");
}

#[test]
fn synthetic_small128() {
    synthetic::<small128::Net>("small128");
}

#[test]
fn released_small128() {
    released::<small128::Net>("nn-37f18f62d772", Goldens::PositionsAndLines);
}

#[test]
fn the_committed_net_is_written_as_it_was_read() {
    written::<small128::Net>("nn-37f18f62d772");
}
