//! The types of further heads, as a user's code sees them.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_runtime::{Board, Evaluated, HeadValue, Output};
use nnue_test_support::net_file::net_file;

use crate::further_heads as net;

#[test]
fn outputs_have_a_field_for_each_head() {
    let spec = include_str!("../../specs/layers/further_heads.toml");
    let network = analyse(&SourceFile::new("heads", spec)).expect("a spec without errors");
    // Only biases: each sum of a layer is its bias.
    let file = net_file(&network, "", |tensor, index| match tensor {
        "fc_0.biases" => (index as i32 + 1) * 1000,
        _ => 0,
    });
    let net = net::Network::from_bytes(&file).expect("our own file");
    let board = Board::start();
    let outputs: net::Outputs = net.evaluate(&net::Accumulator::new(&net, &board), &board);

    let evaluation: Output = outputs.evaluation;
    assert_eq!((evaluation.positional, evaluation.value), (6000, 375));
    // 1.0 is 8128 in the sum, and then 9600.
    let uncertainty: i32 = outputs.uncertainty;
    let sum = (5000 - 6000 + 7000 + 8000 - 9000) * 9600 / 8128;
    assert_eq!(uncertainty, (sum * 1000i32).div_euclid(9601));
    let mobility: f32 = outputs.mobility;
    let [a, b, c] = [10_000f32, 11_000.0, 12_000.0].map(|sum| sum * (1.0 / 8128.0) as f32);
    assert_eq!(mobility, (a - b + c) * 0.3);

    assert_eq!(net::Outputs::HEADS, ["uncertainty", "mobility"]);
    assert_eq!(outputs.evaluation(), evaluation);
    let found = [0, 1, 2].map(|index| outputs.head(index));
    let expected = [
        Some(HeadValue::Integer(uncertainty)),
        Some(HeadValue::Float(mobility)),
        None,
    ];
    assert_eq!(found, expected);
}
