//! `nnue draw --net`: the pixels of known weights.

mod program;

use std::fs::File;
use std::io::BufReader;

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_compiler::network::file::Role;
use nnue_test_support::net_file::net_file_of;

use crate::program::{output, refusal, scratch, scratch_path, text};

/// Lengths of the picture in pixels.
const GAP: usize = 6;
const SQUARE: usize = 6;
const BOARD: usize = 48;
const ACTIVITY: usize = 100;
const HISTOGRAM: usize = 80;

const WHITE: [u8; 3] = [255, 255, 255];
const RED: [u8; 3] = [255, 0, 0];
const ACTIVE: [u8; 3] = [45, 164, 78];
const INK: [u8; 3] = [66, 74, 83];
const LIMIT: [u8; 3] = [207, 34, 46];

struct Pixels {
    width: usize,
    height: usize,
    values: Vec<u8>,
}

impl Pixels {
    fn read(path: &str) -> Pixels {
        let file = BufReader::new(File::open(path).expect("the picture was written"));
        let mut reader = png::Decoder::new(file).read_info().expect("it is a PNG");
        let mut values = vec![0; reader.output_buffer_size().expect("it has a size")];
        let info = reader.next_frame(&mut values).expect("it has pixels");
        assert_eq!(info.color_type, png::ColorType::Rgb);
        Pixels {
            width: info.width as usize,
            height: info.height as usize,
            values,
        }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "{x} {y}");
        let first = 3 * (y * self.width + x);
        [0, 1, 2].map(|part| self.values[first + part])
    }

    /// The middle of a square of a board, both counted from 0; a1 is 0.
    fn square(&self, neuron: usize, plane: usize, square: usize) -> [u8; 3] {
        let left = GAP + ACTIVITY + GAP + plane * (BOARD + GAP) + square % 8 * SQUARE;
        let top = GAP + neuron * (BOARD + GAP) + (7 - square / 8) * SQUARE;
        self.at(left + SQUARE / 2, top + SQUARE / 2)
    }

    /// The height of a histogram's bar.
    fn bar(&self, neurons: usize, histogram: usize, bar: usize) -> usize {
        let bottom = self.bottom(neurons, histogram);
        let column = (1..=HISTOGRAM).map(|up| self.at(GAP + 2 * bar, bottom - up));
        column.take_while(|colour| *colour == INK).count()
    }

    fn bottom(&self, neurons: usize, histogram: usize) -> usize {
        GAP + neurons * (BOARD + GAP) + histogram * (HISTOGRAM + GAP) + HISTOGRAM
    }
}

fn analyse(spec: &str) -> Network {
    let network = nnue_compiler::analyse(&SourceFile::new("spec", spec));
    network.unwrap_or_else(|errors| panic!("{errors}"))
}

const SIMPLE: &str = include_str!("../../specs/bullet/simple.toml");

/// The planes of `A` are the own pieces, then the opponent's.
#[test]
fn pixels_are_the_weights() {
    const E4: usize = 28;
    const A1: usize = 0;
    let weights = |role: Role, row: usize, column: usize| match (role, column) {
        // Neuron 5 sees own pawns on e4, and half as strongly and against them the opponent's kings
        // on a1. Only its sums are always positive.
        (Role::Weights(_), 5) if row == E4 => 100,
        (Role::Weights(_), 5) if row == 11 * 64 + A1 => -50,
        (Role::Biases(_), 5) => 1000,
        // Neuron 9 is never active, and all others have zeros.
        (Role::Biases(_), 9) => -1000,
        // The layer's weights have one value, and the smallest one.
        (Role::LayerWeights(_), 0) => -32768,
        (Role::LayerWeights(_), _) => 20000,
        _ => 0,
    };
    let file = net_file_of(&analyse(SIMPLE), "", |weight| {
        weights(weight.role, weight.row, weight.column).into()
    });
    let net = scratch("draw_weights.bin", &file);
    let path = text(&scratch_path("draw_weights.png"));
    let spec = "../specs/bullet/simple.toml";
    let said = output(&[
        "draw",
        spec,
        "--net",
        &net,
        "--out",
        &path,
        "--neurons",
        "2",
    ]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines,
        [
            &format!("`{path}`: bullet simple"),
            "neuron 5: active 100.0 %, 12 boards",
            "neuron 0: active 0.0 %, 12 boards",
            "transformer.weights of A: -50 to 100, allowed are -32768 to 32767",
            "transformer.biases: -1000 to 1000, allowed are -32768 to 32767",
            "l1.weights: -32768 to 20000, allowed are -32768 to 32767",
            "l1.biases: 0 to 0, allowed are -2147483648 to 2147483647",
        ]
    );

    let pixels = Pixels::read(&path);
    assert_eq!(pixels.width, 100 + 12 * 54 + 12);
    assert_eq!(pixels.height, 2 * 54 + 4 * 86 + 6);
    for plane in 0..12 {
        for square in 0..64 {
            let expected = match (plane, square) {
                (0, E4) => RED,
                (11, A1) => [128, 128, 255],
                _ => WHITE,
            };
            let found = pixels.square(0, plane, square);
            assert_eq!(found, expected, "plane {plane}, square {square}");
            assert_eq!(pixels.square(1, plane, square), WHITE);
        }
    }
    // One neuron is always active, the other one never.
    for x in [0, 50, 99] {
        assert_eq!(pixels.at(GAP + x, GAP + 20), ACTIVE);
        assert_eq!(pixels.at(GAP + x, GAP + BOARD + GAP + 20), WHITE);
    }

    // All but two of the transformer's weights are 0, which is a third of the way.
    let heights: Vec<usize> = (0..256).map(|bar| pixels.bar(2, 0, bar)).collect();
    let occurring: Vec<usize> = (0..256).filter(|bar| heights[*bar] > 0).collect();
    assert_eq!(occurring, [0, 85, 255]);
    assert_eq!(heights[85], HISTOGRAM);
    // ln 2 of ln 98304.
    assert_eq!([heights[0], heights[255]], [5, 5]);
    // The smallest weight of the layer is the type's, the largest one is near its limit.
    let bottom = pixels.bottom(2, 2);
    let heights: Vec<usize> = (0..256).map(|bar| pixels.bar(2, 2, bar)).collect();
    let occurring: Vec<usize> = (0..256).filter(|bar| heights[*bar] > 0).collect();
    // 52768 of 65535, in bars of which the last is number 255.
    assert_eq!(occurring, [0, 205]);
    for bar in [0, 255] {
        assert_eq!(pixels.at(GAP + 2 * bar, bottom - HISTOGRAM), LIMIT);
    }
    assert_eq!(pixels.at(GAP + 2 * 254, bottom - HISTOGRAM), WHITE);
}

/// The squares of planes that begin with another square than a1, and the mean of two buckets.
#[test]
fn boards_show_squares_wherever_a_plane_begins() {
    const C2: usize = 10;
    for (first, place) in [("a1", C2), ("a8", 50), ("h1", 13), ("h8", 53)] {
        let mut buckets = vec!["0"; 64];
        buckets[63] = "1";
        let set = format!(
            "set = \"KingBuckets\"\nsquares = \"{first}\"\nking_buckets = [{}]",
            buckets.join(", ")
        );
        let spec = SIMPLE.replacen("set = \"A\"", &set, 1);
        let file = net_file_of(&analyse(&spec), "", |weight| match weight.role {
            // 100 in one bucket, and in another plane 50 in both.
            Role::Weights(_) if weight.column == 7 && weight.row == 2 * 64 + place => 100.0,
            Role::Weights(_) if weight.column == 7 && weight.row % 768 == 4 * 64 + place => 100.0,
            Role::Biases(_) if weight.column == 7 => 1000.0,
            _ => 0.0,
        });
        let net = scratch(&format!("draw_{first}.bin"), &file);
        let spec = scratch(&format!("draw_{first}.toml"), spec.as_bytes());
        let path = text(&scratch_path(&format!("draw_{first}.png")));
        output(&[
            "draw",
            &spec,
            "--net",
            &net,
            "--out",
            &path,
            "--neurons",
            "1",
        ]);
        let pixels = Pixels::read(&path);
        for square in 0..64 {
            let expected = if square == C2 {
                [[255, 128, 128], RED]
            } else {
                [WHITE; 2]
            };
            let found = [2, 4].map(|plane| pixels.square(0, plane, square));
            assert_eq!(found, expected, "{first}, square {square}");
        }
    }
}

/// The neurons of a real net are in the order of their activity.
#[test]
fn neurons_are_sorted_by_activity() {
    let path = text(&scratch_path("draw_small128.png"));
    let net = "../examples/nets/nn-37f18f62d772.nnue";
    let spec = "../specs/small128.toml";
    let said = output(&[
        "draw",
        spec,
        "--net",
        net,
        "--out",
        &path,
        "--neurons",
        "1000",
    ]);
    let shares = said.lines().filter_map(|line| {
        let (_, share) = line.strip_prefix("neuron ")?.split_once(": active ")?;
        share.split_once(" %")?.0.parse::<f64>().ok()
    });
    let shares: Vec<f64> = shares.collect();
    assert_eq!(shares.len(), 128);
    assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    assert!(shares[0] > 90.0 && shares[127] < 50.0, "{shares:?}");
    let pixels = Pixels::read(&path);
    let length = |neuron: usize| {
        let y = GAP + neuron * (BOARD + GAP) + 10;
        (0..ACTIVITY)
            .take_while(|x| pixels.at(GAP + x, y) == ACTIVE)
            .count()
    };
    for (neuron, share) in shares.iter().enumerate() {
        assert!(
            (length(neuron) as f64 - share).abs() < 0.6,
            "{neuron}: {share}"
        );
    }
}

/// The file of a known network tells its spec, and positions may be the user's.
#[test]
fn files_of_known_networks_need_no_spec() {
    let net = "../examples/nets/nn-37f18f62d772.nnue";
    let [with, without] =
        ["draw_with.png", "draw_without.png"].map(|name| text(&scratch_path(name)));
    let fens = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
    let fens = scratch("draw_fens.txt", fens.as_bytes());
    let spec = "../specs/small128.toml";
    let with_spec = output(&["draw", spec, "--net", net, "--out", &with, "--fens", &fens]);
    let found = output(&["draw", "--net", net, "--out", &without, "--fens", &fens]);
    assert_eq!(with_spec.replace(&with, &without), found);
    let [with, without] = [with, without].map(|path| std::fs::read(path).expect("was written"));
    assert!(with == without);
    // Both perspectives see the same at the start of a game.
    let shares = found.lines().filter(|line| line.starts_with("neuron "));
    let is_whole = |line: &str| line.contains("active 100.0 %") || line.contains("active 0.0 %");
    assert_eq!(shares.filter(|line| is_whole(line)).count(), 32);

    let file = net_file_of(&analyse(SIMPLE), "", |_| 1.0);
    let simple = scratch("draw_unknown.bin", &file);
    let message = refusal(1, &["draw", "--net", &simple, "--out", "/nowhere/x.png"]);
    assert!(message.contains("name it with `--spec SPEC`"), "{message}");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let net = "../examples/nets/nn-37f18f62d772.nnue";
    let message = refusal(
        1,
        &[
            "draw",
            "../specs/sfnnv5.toml",
            "--net",
            net,
            "--out",
            "/nowhere/x.png",
        ],
    );
    assert!(
        message.contains("is not a net file for SFNNv5: "),
        "{message}"
    );
    let message = refusal(2, &["draw", "../specs/small128.toml", "--net", net]);
    assert!(message.contains("--out <FILE>"), "{message}");
    let message = refusal(2, &["draw", "../specs/small128.toml", "--neurons", "3"]);
    assert!(message.contains("--net <FILE>"), "{message}");
    let message = refusal(2, &["draw", "../specs/small128.toml", "--fens", "x.txt"]);
    assert!(
        message.contains("`--fens` is for the weights of a net"),
        "{message}"
    );
    let message = refusal(2, &["draw", "--out", "x.svg"]);
    assert!(message.contains("<SPEC>"), "{message}");
}

/// Of a network without pieces and squares there are histograms.
#[test]
fn another_game_has_histograms_only() {
    let ataxx = include_str!("../../specs/games/ataxx.toml");
    let file = net_file_of(&analyse(ataxx), "", |_| 0.0);
    let net = scratch("draw_ataxx.bin", &file);
    let path = text(&scratch_path("draw_ataxx.png"));
    let spec = "../specs/games/ataxx.toml";
    let said = output(&["draw", spec, "--net", &net, "--out", &path]);
    let lines: Vec<&str> = said.lines().collect();
    let expected = "no neurons: no feature set has a row for each piece and square";
    assert_eq!(lines[1], expected);
    assert!(lines[2].starts_with("transformer.weights of "), "{said}");
    let pixels = Pixels::read(&path);
    assert_eq!(pixels.height, (lines.len() - 2) * (HISTOGRAM + GAP) + GAP);
    // All values are 0, in the middle.
    for histogram in 0..lines.len() - 2 {
        let bars = (0..256).filter(|bar| pixels.bar(0, histogram, *bar) > 0);
        assert_eq!(bars.collect::<Vec<_>>(), [128]);
    }
}

#[test]
fn a_file_has_the_form_that_its_name_says() {
    let net = "../examples/nets/nn-37f18f62d772.nnue";
    for arguments in [
        &["draw", "small128", "--out", "/nowhere/a.png"][..],
        &["draw", "small128", "--out", "/nowhere/a.jpg"],
        &["draw", "--net", net, "--out", "/nowhere/a.svg"],
    ] {
        let message = refusal(2, arguments);
        assert!(message.contains("with `--net`, is a PNG"), "{message}");
    }
}
