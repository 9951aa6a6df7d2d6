//! Generated code checks itself: small networks in every run, and all networks of this test with the
//! feature `self-check`.

use nnue_test_support::differential::self_check;

/// Weights of 32 bits, in rows and in columns.
#[test]
fn longs() {
    self_check::<crate::longs::Net>();
}

/// Sums of `f32`, by which rows of weights are multiplied.
#[test]
fn float_rows() {
    self_check::<crate::float_rows::Net>();
}

/// Inputs that are skipped where they are zero.
#[test]
fn signed_inputs() {
    self_check::<crate::signed_inputs::Net>();
}

/// A check that finds nothing says what it has compared, and what it has not.
#[test]
fn what_is_not_proved_is_listed() {
    let checked = crate::longs::Net::self_check().expect("the code is right");
    assert!(checked.weights > 0 && checked.comparisons > checked.weights / 1000);
    let files = checked
        .unproved
        .iter()
        .filter(|part| part.contains("net files"));
    assert_eq!(files.count(), 1, "{:?}", checked.unproved);
}
