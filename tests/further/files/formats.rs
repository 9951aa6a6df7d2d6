//! Formats of net files: a network is the same whatever the format of its file, bullet's files give
//! what bullet's example code computes from them, and a wrong file is refused with a likely cause.

use std::collections::BTreeSet;

use fastrand::Rng;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::{Element, Section};
use nnue_compiler::network::file::Role;
use nnue_further_tests::bullet::{input_buckets, multi_layer, output_buckets, simple};
use nnue_further_tests::formats;
use nnue_runtime::line::FromPosition;
use nnue_runtime::{
    Accumulator, Architecture, Board, Color, Level, Network, Output, Piece, Position,
    SelectedByPieces, Warning,
};
use nnue_test_support::goldens::golden_positions;
use nnue_test_support::net_file::{Weight, net_file_of, random_net_file, verify};

macro_rules! spec {
    ($path:expr) => {
        analyse(&SourceFile::new($path, include_str!($path)))
            .unwrap_or_else(|errors| panic!("{errors}"))
    };
}

fn positions() -> Vec<Board> {
    let goldens = golden_positions("synthetic/v5").unwrap_or_else(|error| panic!("{error}"));
    let boards = goldens.iter().step_by(13).map(|golden| {
        Board::from_fen(&golden.fen).unwrap_or_else(|error| panic!("{}: {error}", golden.fen))
    });
    boards.collect()
}

/// Small random weights that follow from the place in the network, not from the one in the file.
fn value(weight: Weight<'_>) -> f64 {
    let tensor = weight.tensor.bytes().fold(7u64, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(byte.into())
    });
    let place = (weight.stack * 100_000 + weight.row) * 100_000 + weight.column;
    let mut random = Rng::with_seed(tensor ^ place as u64);
    let mut below = |size: usize| random.usize(..2 * size + 1) as f64 - size as f64;
    match (weight.tensor, weight.role) {
        (_, Role::Weights(_) | Role::Biases(_)) => below(100),
        ("fc_0.biases", _) => below(3000),
        ("fc_1.biases", _) => below(30_000),
        ("fc_2.weights" | "fc_3.weights" | "fc_2.biases" | "fc_3.biases", _) => {
            below(1000) / 1000.0 + 0.25
        }
        ("fc_1.weights", _) => below(2000),
        _ => below(127),
    }
}

/// The evaluations of a file's network, which must be the same on every level.
fn evaluations<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
    file: &[u8],
) -> Vec<Output> {
    let mut net = Network::<A>::from_bytes(file).unwrap_or_else(|error| panic!("{error}"));
    let mut common = None;
    for level in Level::available() {
        net = net.with_level(level);
        let found: Vec<Output> = positions()
            .iter()
            .map(|position| net.evaluate(&Accumulator::new(&net, position), position))
            .collect();
        let expected = common.get_or_insert_with(|| found.clone());
        assert_eq!(found, *expected, "{} at {level}", A::NAME);
    }
    common.unwrap()
}

/// Checks that a file is written as it was read: byte for byte, unless floating point became
/// integers; then as another file of the same network.
fn check_round_trip<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
    file: &[u8],
    lossless: bool,
) {
    let mut net = Network::<A>::from_bytes(file).unwrap();
    let first = net.level();
    for level in Level::available().chain([first]) {
        net = net.with_level(level);
        let written = net.to_bytes();
        if lossless {
            assert!(written == file, "{} at {level}: other bytes", A::NAME);
        }
        let again = Network::<A>::from_bytes(&written).unwrap();
        assert!(again.to_bytes() == written, "{} at {level}", A::NAME);
    }
    assert_eq!(
        evaluations::<A>(&net.to_bytes()),
        evaluations::<A>(file),
        "{}",
        A::NAME
    );
}

#[test]
fn a_network_is_the_same_in_every_format() {
    let mut all = Vec::new();
    macro_rules! check {
        ($($net:ident $lossless:literal)*) => { $(
            let network = spec!(concat!("../../specs/formats/", stringify!($net), ".toml"));
            let file = net_file_of(&network, "", value);
            assert_eq!(verify(&network, &file), Ok(()));
            let found = evaluations::<formats::$net::Net>(&file);
            check_round_trip::<formats::$net::Net>(&file, $lossless);
            all.push((network.name, found));
        )* };
    }
    check! { stockfish true leb128 true quantised true listed false raw false weights false tensors false
    grouped true stacks true grouped_stacks true clamped false bare true
        header true kept true }
    for (name, found) in &all {
        assert_eq!(*found, all[0].1, "{name}");
    }
    let distinct: BTreeSet<i32> = all[0].1.iter().map(|output| output.value).collect();
    assert!(distinct.len() > 8, "{distinct:?}");
}

#[test]
fn files_that_end_early_or_go_on_are_refused_by_loader_and_compiler() {
    macro_rules! check {
        ($($net:ident)*) => { $(
            let network = spec!(concat!("../../specs/formats/", stringify!($net), ".toml"));
            let file = net_file_of(&network, "", value);
            let check = |file: &[u8]| {
                let loaded = Network::<formats::$net::Net>::from_bytes(file).is_ok();
                assert_eq!(verify(&network, file).is_ok(), loaded, "{}: {} bytes", network.name, file.len());
                loaded
            };
            assert!(check(&file));
            let last = (1..64).chain((64..700).step_by(13));
            for missing in last.chain([file.len() / 2, file.len() - 3, file.len()]) {
                assert!(!check(&file[..file.len() - missing]), "{}: {missing} missing", network.name);
            }
            assert!(!check(&[&file[..], b"b"].concat()));
            // If one byte changes, both must refuse the file or both accept it.
            let mut changed = file.clone();
            for index in (0..file.len()).step_by(file.len() / 250) {
                changed[index] ^= 0xFF;
                check(&changed);
                changed[index] ^= 0xFF;
            }
        )* };
    }
    check! { quantised listed raw weights tensors grouped stacks grouped_stacks clamped bare header kept
    times }
}

#[test]
fn integers_that_the_network_has_several_times_are_written_back() {
    let network = spec!("../../specs/formats/times.toml");
    let mut file = random_net_file(&network, 7);
    assert_eq!(verify(&network, &file), Ok(()));
    check_round_trip::<formats::times::Net>(&file, true);
    let last = file.len() - 4;
    file[last..].copy_from_slice(&i32::MAX.to_le_bytes());
    let refused = Network::<formats::times::Net>::from_bytes(&file).map(|_| ());
    let message = refused.expect_err("the product does not fit").to_string();
    let fault = "value 1 of `out.biases` is 2147483647, times 16 that is 34359738352, allowed are -2147483648 to 2147483647";
    assert!(message.starts_with(fault), "{message}");
}

/// A file of bullet's example, read as its documentation says.
struct Example<'a> {
    file: &'a [u8],
    hidden: usize,
    buckets: usize,
}

impl Example<'_> {
    fn i16(&self, index: usize) -> i32 {
        i16::from_le_bytes([self.file[2 * index], self.file[2 * index + 1]]).into()
    }

    /// The accumulator of a perspective.
    fn hidden(&self, board: &Board, perspective: Color) -> Vec<i32> {
        let biases = 768 * self.hidden;
        let mut sums: Vec<i32> = (0..self.hidden).map(|j| self.i16(biases + j)).collect();
        for piece in Piece::ALL {
            for square in board.pieces(piece) {
                let own = piece.color == perspective;
                let flip = if perspective == Color::White { 0 } else { 56 };
                let feature =
                    if own { 0 } else { 384 } + 64 * piece.role.index() + (square.index() ^ flip);
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum += self.i16(feature * self.hidden + j);
                }
            }
        }
        sums
    }

    /// What the example's inference computes.
    fn evaluate(&self, board: &Board) -> i32 {
        let bucket = (board.occupied().len() - 2) / 32usize.div_ceil(self.buckets);
        let us = self.hidden(board, board.side_to_move());
        let them = self.hidden(board, !board.side_to_move());
        let weights = 769 * self.hidden + bucket * 2 * self.hidden;
        let mut output = 0;
        for (j, x) in us.iter().chain(&them).enumerate() {
            let y = (*x).clamp(0, 255);
            output += y * y * self.i16(weights + j);
        }
        output /= 255;
        output += self.i16(769 * self.hidden + self.buckets * 2 * self.hidden + bucket);
        output * 400 / (255 * 64)
    }
}

#[test]
fn bullets_examples_evaluate_as_their_code_does() {
    fn check<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
        network: &nnue_compiler::network::Network,
        buckets: usize,
    ) {
        let file = random_net_file(network, 3);
        let example = Example {
            file: &file,
            hidden: network.transformer.width,
            buckets,
        };
        let expected: Vec<i32> = positions()
            .iter()
            .map(|board| example.evaluate(board))
            .collect();
        let found: Vec<i32> = evaluations::<A>(&file)
            .iter()
            .map(|output| output.value)
            .collect();
        assert_eq!(found, expected, "{}", A::NAME);
        check_round_trip::<A>(&file, true);
    }
    check::<simple::Net>(&spec!("../../../specs/bullet/simple.toml"), 1);
    check::<output_buckets::Net>(&spec!("../../../specs/bullet/output_buckets.toml"), 8);
}

#[test]
fn larger_examples_come_back_byte_for_byte() {
    fn check<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
        network: &nnue_compiler::network::Network,
    ) {
        let file = random_net_file(network, 5);
        assert_eq!(verify(network, &file), Ok(()));
        check_round_trip::<A>(&file, true);
    }
    check::<input_buckets::Net>(&spec!("../../../specs/bullet/input_buckets.toml"));
    check::<multi_layer::Net>(&spec!("../../../specs/bullet/multi_layer.toml"));
}

fn refusal<A: Architecture>(file: &[u8]) -> String {
    Network::<A>::from_bytes(file).unwrap_err().to_string()
}

/// Pads a file as bullet does.
fn padded(mut file: Vec<u8>) -> Vec<u8> {
    let tail = b"bullet".iter().copied().cycle();
    let missing = file.len().next_multiple_of(64) - file.len();
    file.extend(tail.take(missing));
    file
}

#[test]
fn wrong_files_are_refused_with_what_would_explain_them() {
    let network = spec!("../../../specs/bullet/simple.toml");
    let right = random_net_file(&network, 1);
    // The sizes of weights and biases in bytes.
    let (l0w, l0b, l1w, l1b) = (768 * 128 * 2usize, 128 * 2, 256 * 2, 2);
    let data = l0w + l0b + l1w + l1b;
    assert_eq!(right.len(), data.next_multiple_of(64));
    let simple = refusal::<simple::Net>;

    let without_l0b = [&right[..l0w], &right[l0w + l0b..data]].concat();
    assert_eq!(
        simple(&padded(without_l0b)),
        "the file has 197184 bytes, expected 197440 for bullet simple: \
         as if the layer of `l1.weights` read 128 values instead of 256, with `pooling`, or of one perspective, \
         or as if `transformer.biases` were missing, \
         or as if the values of `l1.weights` had 1 bytes each instead of 2"
    );
    let without_l1b = right[..data - l1b].to_vec();
    assert_eq!(
        simple(&padded(without_l1b)),
        "the file has 197376 bytes, expected 197440 for bullet simple: as if `l1.biases` were missing"
    );
    assert_eq!(
        simple(&right[..data]),
        "the file has 197378 bytes, expected 197440 for bullet simple: \
         as if the padding after the last tensor were missing, \
         or as if the spec said `tail = \"none\"` in `[file]`"
    );
    let zeros = [&right[..data], &vec![0; right.len() - data]].concat();
    assert_eq!(
        simple(&zeros),
        "the last tensor ends at offset 197378: expected 62 bytes of `bullet` to follow, found others: \
         as if the spec said `tail = \"zeros\"` in `[file]`"
    );
    let wider = padded(vec![1; 2 * (769 * 256 + 512 + 1)]);
    assert_eq!(
        simple(&wider),
        "the file has 394816 bytes, expected 197440 for bullet simple: as if there were 256 neurons instead of 128"
    );
    let bucketed = padded(vec![1; 2 * (7680 * 128 + 128 + 256 + 1)]);
    assert_eq!(
        simple(&bucketed),
        "the file has 1966912 bytes, expected 197440 for bullet simple: as if there were 7680 features instead of 768, in 10 king buckets instead of 1"
    );
    let raw = padded(vec![1; 2 * data]);
    assert_eq!(
        simple(&raw),
        "the file has 394816 bytes, expected 197440 for bullet simple: \
         as if all values were f32, as in bullet's `raw.bin`"
    );
    let bytes = padded(vec![1; data - l0w / 2]);
    assert_eq!(
        simple(&bytes),
        "the file has 99136 bytes, expected 197440 for bullet simple: \
         as if the values of `transformer.weights` had 1 bytes each instead of 2"
    );
    let stacks = padded(vec![1; 2 * (769 * 512 + 4 * 1024 + 4)]);
    assert_eq!(
        refusal::<output_buckets::Net>(&stacks),
        "the file has 795712 bytes, expected 803904 for bullet output buckets: \
         as if there were 4 stacks instead of 8"
    );
    let embedded = include_bytes!("../../../examples/nets/nn-37f18f62d772.nnue");
    assert!(
        simple(embedded).ends_with("for bullet simple: this is a net of small128"),
        "{}",
        simple(embedded)
    );
}

#[test]
fn reports_notice_weights_in_the_other_order() {
    let network = spec!("../../../specs/bullet/output_buckets.toml");
    // In trained networks, some neurons matter more than others.
    let trained = |weight: Weight<'_>| match weight.role {
        Role::LayerWeights(_) => {
            let neuron = weight.column.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 62;
            value(weight) * [0.05, 0.2, 0.6, 1.0][neuron]
        }
        _ => value(weight),
    };
    let right = net_file_of(&network, "", |weight| trained(weight).trunc());
    let warnings = |file: &[u8]| {
        let net = Network::<output_buckets::Net>::from_bytes(file).unwrap();
        let warnings = net.report().warnings;
        let transposed = warnings.into_iter().filter_map(|warning| match warning {
            Warning::LooksTransposed(place) => Some(place.to_string()),
            _ => None,
        });
        transposed.collect::<Vec<_>>()
    };
    assert_eq!(warnings(&right), [""; 0]);
    let mut transposed = right.clone();
    let weights = 2 * 769 * 512;
    for bucket in 0..8 {
        for input in 0..1024 {
            let from = weights + 2 * (1024 * bucket + input);
            let to = weights + 2 * (8 * input + bucket);
            transposed[to..to + 2].copy_from_slice(&right[from..from + 2]);
        }
    }
    assert_eq!(warnings(&transposed), ["l1.weights"]);
}

#[test]
fn values_that_do_not_fit_are_refused_by_loader_and_compiler() {
    let network = spec!("../../specs/formats/raw.toml");
    let file = net_file_of(&network, "", value);
    let mut offset = 0;
    let mut offsets = Vec::new();
    for tensor in network.file.sections.iter().filter_map(Section::as_tensor) {
        assert_eq!(tensor.stored.element, Element::F32);
        offsets.push((tensor.name.clone(), offset));
        offset += tensor.stored.raw_len();
    }
    let patched = |tensor: &str, number: f32| {
        let (_, offset) = offsets.iter().find(|(name, _)| name == tensor).unwrap();
        let mut file = file.clone();
        file[*offset..offset + 4].copy_from_slice(&number.to_le_bytes());
        file
    };
    for (tensor, number, fits) in [
        ("transformer.weights", 128.4, true),
        ("transformer.weights", 128.6, false),
        ("fc_0.weights", 1.99, true),
        ("fc_0.weights", 2.0, false),
        ("fc_0.weights", -2.01, true),
        ("fc_0.weights", -2.02, false),
        ("fc_0.weights", f32::NAN, false),
        ("fc_3.weights", f32::INFINITY, false),
        ("fc_3.weights", 1e30, true),
    ] {
        let file = patched(tensor, number);
        let loaded = Network::<formats::raw::Net>::from_bytes(&file);
        assert_eq!(loaded.is_ok(), fits, "{tensor}: {number}");
        assert_eq!(verify(&network, &file).is_ok(), fits, "{tensor}: {number}");
    }
    assert_eq!(
        refusal::<formats::raw::Net>(&patched("fc_0.weights", 2.0)),
        "value 0 of `fc_0.weights` is 2, times 64 that is 128, allowed are -128 to 127"
    );
}

#[test]
fn values_that_do_not_fit_are_clamped_where_the_spec_says_so() {
    let network = spec!("../../specs/formats/clamped.toml");
    let small = |weight: Weight<'_>| (value(weight) / 4.0).trunc();
    let file = net_file_of(&network, "", small);
    let sections = network.file.sections.iter();
    let tensors = sections.filter_map(Section::as_tensor);
    let before = tensors.take_while(|tensor| tensor.name != "fc_0.weights");
    let weights: usize = before.map(|tensor| tensor.stored.raw_len()).sum();
    let biases = file.len() - 2 * 10 * 4;
    let patched = |numbers: &[(usize, f32)]| {
        let mut file = file.clone();
        for (offset, number) in numbers {
            file[*offset..offset + 4].copy_from_slice(&number.to_le_bytes());
        }
        file
    };
    let load = |file: &[u8]| {
        assert_eq!(verify(&network, file), Ok(()));
        Network::<formats::clamped::Net>::from_bytes(file).unwrap()
    };
    let clamped = |net: &Network<formats::clamped::Net>| {
        let warnings = net
            .report()
            .warnings
            .into_iter()
            .filter_map(|warning| match warning {
                Warning::Clamped(..) => Some(warning.to_string()),
                _ => None,
            });
        warnings.collect::<Vec<_>>()
    };
    let fitting = load(&patched(&[(weights, 127.0 / 64.0), (weights + 8, -2.0)]));
    let beyond = load(&patched(&[(weights, 1e30), (weights + 8, -2.1)]));
    assert_eq!(clamped(&fitting), [""; 0]);
    assert_eq!(
        clamped(&beyond),
        ["2 values of `fc_0.weights` did not fit and became the nearest that do"]
    );
    assert!(fitting.to_bytes() == beyond.to_bytes());
    for (offset, number) in [
        (weights, f32::INFINITY),
        (weights, f32::NAN),
        (biases, 1e30),
    ] {
        let file = patched(&[(offset, number)]);
        assert!(verify(&network, &file).is_err(), "{number}");
        assert!(
            Network::<formats::clamped::Net>::from_bytes(&file).is_err(),
            "{number}"
        );
    }
}

#[test]
fn compressed_tensors_of_lists_are_refused_with_the_place_that_is_wrong() {
    let network = spec!("../../specs/formats/bare.toml");
    let file = net_file_of(&network, "", value);
    let refusal = |file: &[u8]| {
        let message = refusal::<formats::bare::Net>(file);
        assert_eq!(verify(&network, file).unwrap_err().to_string(), message);
        message
    };
    assert_eq!(
        refusal(&file[..70_000]).split(':').next(),
        Some("the file ends in `transformer.weights`")
    );
    assert_eq!(
        refusal(&file[..70]),
        format!(
            "the file ends in `transformer.weights`: found {} LEB128 values at offset 0, expected 73728",
            file[..70].iter().filter(|byte| **byte < 0x80).count()
        )
    );
    // A value of two bytes that would fit in one.
    let wide = (0..)
        .find(|index| (file[*index] >= 0x80) && file[*index + 1] < 0x80)
        .unwrap();
    let index = file[..wide].iter().filter(|byte| **byte < 0x80).count();
    let mut overlong = file.clone();
    overlong[wide..wide + 2].copy_from_slice(&[0x80, 0x00]);
    assert_eq!(
        refusal(&overlong),
        format!(
            "value {index} of `transformer.weights` at offset {wide} is not in its shortest LEB128 \
             form, expected at most 3 bytes and none without effect"
        )
    );
    let block = [b"COMPRESSED_LEB128", &file[..]].concat();
    assert_eq!(
        refusal(&block),
        "`transformer.weights` at offset 0 is a LEB128 block, expected LEB128 values without its header \
         because `encoding` is \"bare-leb128\""
    );
    // A value more moves all that follow.
    let shifted = [&[5], &file[..]].concat();
    assert!(
        refusal(&shifted).contains("`fc_1.weights`")
            && refusal(&shifted).contains("COMPRESSED_LEB128"),
        "{}",
        refusal(&shifted)
    );
}

#[test]
fn fields_of_a_header_are_checked_one_by_one_and_free_ones_come_back() {
    let network = spec!("../../specs/formats/header.toml");
    let mut file = net_file_of(&network, "", value);
    file[17..30].copy_from_slice(b"a name at all");
    check_round_trip::<formats::header::Net>(&file, true);
    let marks = file.windows(2).rposition(|two| *two == *"»".as_bytes());
    let stack = marks.unwrap();
    for (offset, bytes, message) in [
        (
            0,
            &b"CNFB"[..],
            "`magic` at offset 0 is \"CNFB\", expected \"CBNF\"",
        ),
        (4, &[2, 1], "`version` at offset 4 is 258, expected 1"),
        (6, &[0x0F], "`flags` at offset 6 is 15, expected 14"),
        (9, &[0], "`architecture` at offset 9 is 0, expected 2"),
        (
            10,
            &[0xFE],
            "`activation` at offset 10 is `fe`, expected `01`",
        ),
        (
            11,
            &[0x60, 0x60],
            "`neurons` at offset 11 is 24672, expected 96",
        ),
        (13, &[5], "`input buckets` at offset 13 is 5, expected 1"),
        (14, &[8], "`output buckets` at offset 14 is 8, expected 2"),
        (
            71,
            &[0xFF],
            "`checksum` at offset 64 is 18384614414850182639, expected 81985529216486895",
        ),
        (
            75,
            &[0],
            "`count` at offset 72 is 16777215, expected 4294967295",
        ),
        (stack, b"??", "`stack 1 stack` at offset"),
    ] {
        let mut file = file.clone();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        let found = refusal::<formats::header::Net>(&file);
        assert!(found.starts_with(message), "{found}, expected {message}");
        assert_eq!(verify(&network, &file).unwrap_err().to_string(), found);
    }
    // A field says more than the length does; the length says more than where the file ends.
    let mut longer = [&file[..], &[0; 7]].concat();
    assert!(refusal::<formats::header::Net>(&longer).contains("bytes, expected"));
    assert!(refusal::<formats::header::Net>(&longer[..2]).contains("has 2 bytes, expected"));
    longer[14] = 8;
    assert_eq!(
        refusal::<formats::header::Net>(&longer),
        "`output buckets` at offset 14 is 8, expected 2"
    );
}
