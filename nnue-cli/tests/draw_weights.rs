//! `nnue draw --net`: the pixels of known weights.

use std::fs::File;
use std::io::BufReader;
use std::ops::Range;

use nnue_compiler::network::file::Role;
use nnue_test_support::net_file::net_file_of;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};

use crate::networks::network;
use crate::program::{output, refusal, scratch, scratch_path, text};

/// Lengths of the picture in pixels.
const GAP: usize = 6;
const SQUARE: usize = 7;
const STEP: usize = 62;
/// The left edges of boards and of bars.
const BOARDS: usize = 133;
const BARS: usize = 86;
const LINE: usize = 16;
const FACTS: usize = 112;
const HISTOGRAM: usize = 80;

const BACKGROUND: [u8; 3] = [232, 236, 240];
const WHITE: [u8; 3] = [255, 255, 255];
const RED: [u8; 3] = [255, 0, 0];
const ACTIVE: [u8; 3] = [45, 164, 78];
const INK: [u8; 3] = [36, 41, 47];
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

    /// Where a line of text begins, wherever every pixel of it is as it should be: nothing
    /// overlaps it.
    fn places(&self, line: &str) -> Vec<(usize, usize)> {
        self.places_at(line, 0..self.width)
    }

    /// Those that begin in one of these columns.
    fn places_at(&self, line: &str, columns: Range<usize>) -> Vec<(usize, usize)> {
        let mut wanted = glyphs(line);
        // What is not background is rare, so other places are left soon.
        wanted.sort_by_key(|(.., colour)| *colour == BACKGROUND);
        let tops = 0..self.height.saturating_sub(LINE);
        let places = tops.flat_map(|y| columns.clone().map(move |x| (x, y)));
        let is_there = |&(left, top): &(usize, usize)| {
            wanted.iter().all(|(x, y, colour)| {
                left + x < self.width && self.at(left + x, top + y) == *colour
            })
        };
        places.filter(is_there).collect()
    }

    /// Where a line of text begins, which stands at the left edge once.
    fn place(&self, line: &str) -> (usize, usize) {
        let places = self.places_at(line, GAP..GAP + 1);
        assert_eq!(places.len(), 1, "`{line}`: {places:?}");
        places[0]
    }

    /// The middle of a square of a neuron's board, planes and squares counted from 0; a1 is 0.
    fn square(&self, neuron: usize, plane: usize, square: usize) -> [u8; 3] {
        let (_, top) = self.place(&format!("neuron {neuron} "));
        let left = BOARDS + plane * STEP + square % 8 * SQUARE;
        self.at(
            left + SQUARE / 2,
            top + (7 - square / 8) * SQUARE + SQUARE / 2,
        )
    }

    /// The length of the bar that says how often a neuron is active.
    fn activity(&self, neuron: usize) -> usize {
        let (left, top) = self.place(&format!("neuron {neuron} "));
        let bar = (0..FACTS).map(|x| self.at(left + x, top + 3 * LINE + 4));
        bar.take_while(|colour| *colour == ACTIVE).count()
    }

    /// Below the bars of the histogram with this title.
    fn bottom(&self, title: &str) -> usize {
        let (_, top) = self.place(title);
        top + LINE + LINE / 2 + HISTOGRAM
    }

    /// The heights of the bars of the histogram with this title.
    fn bars(&self, title: &str) -> Vec<usize> {
        let bottom = self.bottom(title);
        let height = |bar: usize| {
            let column = (1..=HISTOGRAM).map(|up| self.at(BARS + 2 * bar, bottom - up));
            column.take_while(|colour| *colour == INK).count()
        };
        (0..256).map(height).collect()
    }
}

/// The pixels of a line of text.
fn glyphs(line: &str) -> Vec<(usize, usize, [u8; 3])> {
    let letters = line.chars().enumerate().map(|(place, letter)| {
        let glyph = get_raster(letter, FontWeight::Regular, RasterHeight::Size16);
        (place, glyph.expect("the font has it"))
    });
    let mut pixels = Vec::new();
    for (place, glyph) in letters {
        for (y, row) in glyph.rows().enumerate() {
            for (x, how_much) in row.iter().enumerate() {
                let colour = [0, 1, 2].map(|part| {
                    let [from, to] = [BACKGROUND, INK].map(|colour| u32::from(colour[part]));
                    let how_much = u32::from(*how_much);
                    ((from * (255 - how_much) + to * how_much) / 255) as u8
                });
                pixels.push((place * 7 + x, y, colour));
            }
        }
    }
    pixels
}

const SIMPLE: &str = include_str!("../../specs/bullet/simple.toml");

/// The planes of `A` are the own pieces, then the opponent's. Of two positions, one has a white
/// pawn on e4.
#[test]
fn pixels_are_the_weights() {
    const E4: usize = 28;
    const A1: usize = 0;
    let weights = |role: Role, row: usize, column: usize| match (role, column) {
        // Neuron 5 sees own pawns on e4, and half as strongly and against them the opponent's kings
        // on a1. Neuron 9 sees the pawn half as strongly.
        (Role::Weights(_), 5) if row == E4 => 100,
        (Role::Weights(_), 5) if row == 11 * 64 + A1 => -50,
        (Role::Weights(_), 9) if row == E4 => 50,
        // Neuron 3 is always active, which tells nothing. All others have zeros.
        (Role::Biases(_), 3) => 1000,
        // The layer's weights have one value, and the smallest one.
        (Role::LayerWeights(_), 0) => -32768,
        (Role::LayerWeights(_), _) => 20000,
        _ => 0,
    };
    let file = net_file_of(&network(SIMPLE), "", |weight| {
        weights(weight.role, weight.row, weight.column).into()
    });
    let net = scratch("draw_weights.bin", &file);
    let path = text(&scratch_path("draw_weights.png"));
    let fens = "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\n";
    let fens = scratch("draw_weights.txt", fens.as_bytes());
    let spec = "../specs/bullet/simple.toml";
    let said = output(&[
        "draw",
        spec,
        "--net",
        &net,
        "--out",
        &path,
        "--neurons",
        "3",
        "--fens",
        &fens,
    ]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines,
        [
            &format!("`{path}`: bullet simple"),
            // One of four views sees (100 / 255)^2, the others 0: the deviation is sqrt(3) / 4 of it.
            "neuron 5: varies by 0.067, active 25.0 %, 12 boards",
            "neuron 9: varies by 0.017, active 25.0 %, 12 boards",
            "neuron 0: varies by 0.000, active 0.0 %, 12 boards",
            "transformer.weights of A: -50 to 100, allowed are -32768 to 32767",
            "transformer.biases: 0 to 1000, allowed are -32768 to 32767",
            "l1.weights: -32768 to 20000, allowed are -32768 to 32767",
            "l1.biases: 0 to 0, allowed are -2147483648 to 2147483647",
        ]
    );

    let pixels = Pixels::read(&path);
    for plane in 0..12 {
        for square in [E4, A1, 11, 36, 63] {
            let expected = match (plane, square) {
                (0, E4) => [RED, RED, WHITE],
                (11, A1) => [[128, 128, 255], WHITE, WHITE],
                _ => [WHITE; 3],
            };
            let found = [5, 9, 0].map(|neuron| pixels.square(neuron, plane, square));
            assert_eq!(found, expected, "plane {plane}, square {square}");
        }
    }
    assert_eq!([5, 9, 0].map(|neuron| pixels.activity(neuron)), [28, 28, 0]);
    assert_histograms(&pixels);
}

/// Confirms that the histograms of [`pixels_are_the_weights`] are right.
fn assert_histograms(pixels: &Pixels) {
    // All but three of the transformer's weights are 0, which is a third of the way.
    let title = "transformer.weights of A: 98304 values from -50 to 100, where 1.0 is 255";
    let heights = pixels.bars(title);
    let occurring: Vec<usize> = (0..256).filter(|bar| heights[*bar] > 0).collect();
    assert_eq!(occurring, [0, 85, 170, 255]);
    assert_eq!(heights[85], HISTOGRAM);
    // ln 2 of ln 98302.
    assert_eq!([heights[0], heights[170], heights[255]], [5; 3]);
    // The smallest weight of the layer is the type's, the largest one is near its limit.
    let title = "l1.weights: 256 values from -32768 to 20000, where 1.0 is 64";
    let heights = pixels.bars(title);
    let occurring: Vec<usize> = (0..256).filter(|bar| heights[*bar] > 0).collect();
    // 52768 of 65535; the last bar is number 255.
    assert_eq!(occurring, [0, 205]);
    let top = pixels.bottom(title) - HISTOGRAM;
    for bar in [0, 255] {
        assert_eq!(pixels.at(BARS + 2 * bar, top), LIMIT);
    }
    assert_eq!(pixels.at(BARS + 2 * 254, top), WHITE);
    // Its axes: the ends of the type, 0, and counts from none to the most.
    let (zero, below) = (BARS + 2 * 128 - 2, top + HISTOGRAM);
    for label in ["-32768", "32767"] {
        let mut places = pixels.places(label).into_iter();
        assert!(places.any(|(_, y)| y == below + LINE / 2), "{label}");
    }
    let zeros = pixels.places("0");
    assert!(
        zeros
            .iter()
            .any(|(x, y)| *y == below + LINE / 2 && x.abs_diff(zero) < 4)
    );
    assert!(zeros.contains(&(BARS - 4 - GAP - 7, below - LINE / 2)));
    assert!(
        pixels
            .places("255")
            .contains(&(BARS - 4 - GAP - 21, top - LINE / 2))
    );
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
        let file = net_file_of(&network(&spec), "", |weight| match weight.role {
            // 100 in one bucket, and in another plane 50 in both.
            Role::Weights(_) if weight.column == 7 && weight.row == 2 * 64 + place => 100.0,
            Role::Weights(_) if weight.column == 7 && weight.row % 768 == 4 * 64 + place => 100.0,
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
            let found = [2, 4].map(|plane| pixels.square(7, plane, square));
            assert_eq!(found, expected, "{first}, square {square}");
        }
    }
}

/// The neurons of a real net are in the order in which they tell positions apart, and all that is
/// printed of them stands beside them.
#[test]
fn neurons_are_sorted_by_deviation_and_have_labels() {
    let path = text(&scratch_path("draw_small128.png"));
    let net = "../examples/nets/nn-37f18f62d772.nnue";
    let spec = "../specs/small128.toml";
    let arguments = ["draw", spec, "--net", net, "--out", &path, "--neurons"];
    let all = output(&[&arguments[..], &["1000"]].concat());
    let of = |said: &str| {
        let neurons = said.lines().filter_map(|line| {
            let (number, facts) = line.strip_prefix("neuron ")?.split_once(": varies by ")?;
            let (deviation, active) = facts.split_once(", active ")?;
            let (active, _) = active.split_once(" %")?;
            let number = number.parse::<usize>().ok()?;
            Some((
                number,
                deviation.parse::<f64>().ok()?,
                active.parse::<f64>().ok()?,
            ))
        });
        neurons.collect::<Vec<_>>()
    };
    let neurons = of(&all);
    assert_eq!(neurons.len(), 128);
    assert!(neurons.is_sorted_by(|a, b| a.1 >= b.1), "{neurons:?}");
    // Activated values are from 0 to 1. What is nearly always active tells little.
    assert!(neurons[0].1 > 0.3 && neurons[0].1 <= 0.5, "{neurons:?}");
    assert!(neurons[..8].iter().all(|own| own.2 < 90.0), "{neurons:?}");

    let few = of(&output(&[&arguments[..], &["4"]].concat()));
    assert_eq!(few, neurons[..4]);
    let pixels = Pixels::read(&path);
    for (number, deviation, active) in few {
        let (left, top) = pixels.place(&format!("neuron {number} "));
        for (line, label) in [
            (1, format!("varies by {deviation:.3}")),
            (2, format!("active {active:.1} %")),
        ] {
            let places = pixels.places(&label);
            assert!(
                places.contains(&(left, top + line * LINE)),
                "{label}: {places:?}"
            );
        }
        let length = active * FACTS as f64 / 100.0;
        assert!((pixels.activity(number) as f64 - length).abs() < 1.1);
        assert!(pixels.places("8").contains(&(BOARDS - 9, top)));
        assert!(
            pixels
                .places("1")
                .contains(&(BOARDS - 9, top + 8 * SQUARE - LINE))
        );
    }
    // How they were chosen, and whose piece of which kind each board is for.
    pixels.place("4 of the 128 neurons of the transformer: those whose activity varies most over");
    pixels.place("Boards: the weights of HalfKAv2_hm (means over 32 buckets of kings)");
    let heads = [
        ("own", 5),
        ("opponent", 5),
        ("either", 1),
        ("pawn", 2),
        ("knight", 2),
        ("bishop", 2),
        ("rook", 2),
        ("queen", 2),
        ("king", 1),
    ];
    let (_, first) = pixels.place(&format!("neuron {} ", neurons[0].0));
    for (word, count) in heads {
        let places = pixels.places(word).into_iter();
        let heads =
            places.filter(|(_, top)| *top + 2 * LINE + GAP == first || *top + LINE + GAP == first);
        assert_eq!(heads.count(), count, "{word}");
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

    let file = net_file_of(&network(SIMPLE), "", |_| 1.0);
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
    let file = net_file_of(&network(ataxx), "", |_| 0.0);
    let net = scratch("draw_ataxx.bin", &file);
    let path = text(&scratch_path("draw_ataxx.png"));
    let spec = "../specs/games/ataxx.toml";
    let said = output(&["draw", spec, "--net", &net, "--out", &path]);
    let lines: Vec<&str> = said.lines().collect();
    let expected = "no neurons: no feature set has a row for each piece and square";
    assert_eq!(lines[1], expected);
    assert!(lines[2].starts_with("transformer.weights of "), "{said}");
    let pixels = Pixels::read(&path);
    // All values are 0, in the middle.
    for line in &lines[2..] {
        let (name, _) = line.split_once(": ").expect("a tensor has a name");
        let heights = pixels.bars(&format!("{name}: "));
        let bars = (0..256).filter(|bar| heights[*bar] > 0);
        assert_eq!(bars.collect::<Vec<_>>(), [128], "{name}");
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
