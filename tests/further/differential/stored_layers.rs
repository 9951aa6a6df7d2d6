//! What stacks share of a factorised layer, in files.

use nnue_compiler::network::file::Role;
use nnue_runtime::{Accumulator, Board, LoadError, Network};
use nnue_test_support::goldens::golden_positions;
use nnue_test_support::net_file::{Weight, net_file_of};

use crate::factorised_stacks::Net;
use crate::stored_rows::spec;

const SPEC: &str = include_str!("../../specs/layers/factorised_stacks.toml");

/// Weights whose sums fit in a byte, but no sum fits less what is shared of another input: inputs
/// of each perspective's first half have one sign, and those of the second half the other.
fn value(weight: Weight<'_>) -> f64 {
    let place = weight.row * 7 + weight.column * 13 + weight.stack;
    f64::from(match weight.role {
        Role::LayerWeights(0) | Role::SharedWeights(0) if weight.column % 32 < 16 => 60,
        Role::LayerWeights(0) | Role::SharedWeights(0) => -60,
        Role::LayerBiases(_) | Role::SharedBiases(_) => 100 * (place % 9) as i32,
        _ => (place % 61) as i32 - 20,
    })
}

/// Files have the weights of a stack less what is shared, so both move with their inputs.
#[test]
fn what_stacks_share_moves_with_the_neurons() {
    let file = net_file_of(&spec("factorised", SPEC), "", value);
    let net = Network::<Net>::from_bytes(&file).unwrap();
    assert!(net.to_bytes() == file, "written as it was read");
    let reversed: Vec<usize> = (0..32).rev().collect();
    let reordered = net.reordered(&reversed).unwrap().to_bytes();
    assert!(reordered != file);
    let reordered = Network::<Net>::from_bytes(&reordered).unwrap();
    for golden in golden_positions("synthetic/v5").unwrap().iter().take(50) {
        let board = Board::from_fen(&golden.fen).unwrap();
        let [before, after] = [&net, &reordered].map(|net| {
            let accumulator = Accumulator::new(net, &board);
            net.evaluate(&accumulator, &board)
        });
        assert_eq!(before, after, "{}", golden.fen);
    }
}

#[test]
fn a_sum_of_a_stack_that_does_not_fit_is_refused_with_its_place() {
    let file = net_file_of(&spec("factorised", SPEC), "", |weight| match weight.role {
        Role::LayerWeights(0) if (weight.stack, weight.row, weight.column) == (2, 3, 9) => 68.0,
        _ => value(weight),
    });
    let error = Network::<Net>::from_bytes(&file).unwrap_err();
    assert!(matches!(error, LoadError::Coalesced { .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        "row 3 of `stack 2 fc_0.weights` has 68 in column 9, to which the file adds 60: the sum is 128, \
         allowed are -128 to 127"
    );
}
