//! Numbers of a file that the network does not use: an engine reads them by their names, they are
//! written back, and they change no evaluation.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network as Checked;
use nnue_further_tests::formats::{kept, stockfish};
use nnue_runtime::file::Element;
use nnue_runtime::{Accumulator, Board, Level, Network};
use nnue_test_support::net_file::{random_net_file, verify};

fn checked(text: &str) -> Checked {
    analyse(&SourceFile::new("spec", text)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The spec's list before the stacks: a word, one number, 9 rows of 7, 5 bytes, 3 numbers.
const BEFORE_STACKS: usize = 4 + 4 + 9 * 7 * 2 + 5 + 3 * 4;

fn weight(index: usize) -> i16 {
    (index as i32 * 997 - 30_000) as i16
}

/// What stands before the stacks.
fn before_stacks() -> Vec<u8> {
    let mut bytes = 0x6F50_524F_u32.to_le_bytes().to_vec();
    bytes.extend((-70_000_i32).to_le_bytes());
    bytes.extend((0..63).flat_map(|index| weight(index).to_le_bytes()));
    bytes.extend(b"notes");
    bytes.extend([0.5_f32, -3.0, 1e9].into_iter().flat_map(f32::to_le_bytes));
    assert_eq!(bytes.len(), BEFORE_STACKS);
    bytes
}

/// A file of the network without these numbers, where they stand in files with them, and a file
/// with them and the same weights.
fn files() -> (Vec<u8>, usize, Vec<u8>) {
    let without = random_net_file(
        &checked(include_str!("../../specs/formats/stockfish.toml")),
        8,
    );
    // A header without a description, a word, and the transformer's 96 biases and 768 rows.
    let place = 12 + 4 + 2 * 96 * (1 + 768);
    let (transformer, stacks) = without.split_at(place);
    let with = [transformer, &before_stacks(), stacks].concat();
    (without, place, with)
}

#[test]
fn an_engine_reads_them_and_they_are_written_back() {
    let (.., file) = files();
    let mut net = Network::<kept::Net>::from_bytes(&file).unwrap_or_else(|error| panic!("{error}"));
    for level in Level::available() {
        net = net.with_level(level);
        let weights = net.tensor("progress.weights").expect("the spec has it");
        assert_eq!(weights.shape(), [1, 9, 7]);
        assert_eq!(weights.element(), Element::I16);
        let expected: Vec<f64> = (0..63).map(|index| f64::from(weight(index))).collect();
        assert_eq!(weights.values().collect::<Vec<_>>(), expected);
        assert_eq!(weights.get([0, 8, 6]), Some(f64::from(weight(62))));
        assert_eq!(weights.get([0, 9, 0]), None);
        let bias = net.tensor("progress.bias").expect("the spec has it");
        assert_eq!(
            (bias.shape(), bias.get([0, 0, 0])),
            ([1, 1, 1], Some(-70_000.0))
        );
        let scales = net.tensor("progress.scales").expect("the spec has it");
        assert_eq!(scales.values().collect::<Vec<_>>(), [0.5, -3.0, 1e9]);
        assert!(net.tensor("notes").is_none() && net.tensor("progress hash").is_none());
        assert!(net.to_bytes() == file, "{level}");
    }
}

#[test]
fn evaluations_are_those_of_the_network_without_them() {
    let (without, _, with) = files();
    let with = Network::<kept::Net>::from_bytes(&with).expect("it is a file of the network");
    let without = Network::<stockfish::Net>::from_bytes(&without).expect("so is this");
    let mut values = Vec::new();
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    ] {
        let board = Board::from_fen(fen).expect("it is right");
        let own = with.evaluate(&Accumulator::new(&with, &board), &board);
        let other = without.evaluate(&Accumulator::new(&without, &board), &board);
        assert_eq!(own, other, "{fen}");
        values.push(own.value);
    }
    values.dedup();
    assert!(values.len() > 1, "{values:?}");
}

#[test]
fn other_lengths_and_other_words_are_refused() {
    let text = include_str!("../../specs/formats/kept.toml");
    let (without, place, with) = files();
    let network = checked(text);
    assert_eq!(verify(&network, &with), Ok(()));
    let mut shorter = with.clone();
    shorter.drain(place + 8..place + 10);
    let mut longer = with.clone();
    longer.splice(place + 8..place + 8, [0, 0]);
    let mut other_word = with.clone();
    other_word[place] ^= 1;
    for (what, file) in [
        ("nothing", &without),
        ("a number too few", &shorter),
        ("a number too many", &longer),
        ("another word", &other_word),
    ] {
        let refused = Network::<kept::Net>::from_bytes(file).map(drop);
        assert!(
            refused.is_err() && verify(&network, file).is_err(),
            "{what}"
        );
    }
    // The spec's other lengths refuse the file as well.
    let narrow = text.replace("shape = [9, 7]", "shape = [9, 6]");
    assert!(verify(&checked(&narrow), &with).is_err());
}
