//! `nnue trainer`: programs for bullet, and why there are none.

use nnue_compiler::description::Description;
use nnue_compiler::format::Format;
use nnue_compiler::network::Network;
use nnue_interpreter::active_rows;
use nnue_runtime::{Board as Position, Color, Piece, Position as _, Role};
use nnue_test_support::net_file::random_net_file;
use nnue_tools::export::bullet::inputs::{Set, board::Board};
use nnue_tools::export::bullet::{Reason, program};

use crate::bullet::{POSITIONS, networks, rotates, unpacked};
use crate::golden;
use crate::networks::network;
use crate::program::{output, refusal};

/// What bullet cannot train of the specs that come with the project.
fn expected(spec: &str) -> Vec<Reason> {
    let custom = |set: &str| Reason::CustomSet(set.into());
    let of = |key: &str, set: &str| Reason::Colours(format!("`{key}` of {set}"));
    let layer = String::from;
    match spec {
        "vocabulary/output_blocks" => vec![Reason::OutputBlocks(layer("fc_0"))],
        "vocabulary/binary" => vec![Reason::Binary(layer("fc_0")), Reason::Binary(layer("fc_2"))],
        "engines/devre" | "engines/devre_august" => vec![Reason::Scales(layer("l1"))],
        "engines/casanchess" => vec![Reason::FurtherHead("drawishness".into())],
        "engines/integral" => vec![Reason::Clock("Clock".into())],
        "engines/starzix" => vec![
            of("flip = \"none\"", "`A`"),
            of("piece_order = \"white-first\"", "`A`"),
            of("weights = \"separate\"", "the transformer"),
        ],
        "engines/minic" => vec![
            of("flip = \"none\"", "`KingBuckets`"),
            of("weights = \"separate\"", "the transformer"),
            Reason::Caller,
            Reason::FurtherHead("log_variance".into()),
        ],
        "engines/velvet" => vec![custom("Side to move")],
        "games/shogi_kp" => vec![custom("K"), custom("P")],
        "games/crazyhouse" => vec![custom("HalfKAv2 with pockets")],
        "games/shogi_sfnn" => vec![custom("HalfKA2 of shogi"), Reason::Caller],
        "games/shogi_sfnn_k3k3" => vec![custom("HalfKA_hm2 of shogi"), Reason::Caller],
        "games/shogi_sfnn_progress" => vec![
            custom("HalfKA2 of shogi"),
            Reason::Caller,
            Reason::Kept("progress.bias".into()),
            Reason::Kept("progress.weights".into()),
        ],
        "games/shogi_sfnn_shards" => vec![
            custom("K"),
            custom("A2"),
            Reason::Caller,
            Reason::Shards(layer("fc_0")),
        ],
        "games/xiangqi" | "games/xiangqi_no_psqt" => vec![
            custom("Threats of xiangqi"),
            custom("HalfKAv2_hm of xiangqi"),
            Reason::Caller,
        ],
        "games/ataxx" => vec![custom("Ataxx squares")],
        _ => Vec::new(),
    }
}

#[test]
fn each_spec_has_a_program_or_its_reasons() {
    for (name, network) in networks("specs") {
        let found = program(&network);
        let reasons = found.as_ref().err().cloned().unwrap_or_default();
        assert_eq!(reasons, expected(&name), "{name}");
        if let Ok(program) = found {
            assert_program(&name, &program.text);
        }
    }
}

/// The specs of the tests have what no known network has.
#[test]
fn programs_of_the_tests_specs_are_rust() {
    let programs = networks("tests/specs").filter_map(|(name, network)| {
        let program = program(&network).ok()?;
        assert_program(&name, &program.text);
        Some(program)
    });
    assert!(programs.count() > 50, "most of them can be trained");
}

/// The reasons that no known network has.
#[test]
fn other_reasons_are_those_of_the_tests_specs() {
    let networks: Vec<_> = networks("tests/specs").collect();
    let reasons = |name: &str| {
        let (_, network) = networks
            .iter()
            .find(|(own, _)| own == name)
            .expect("it is a spec");
        program(network).expect_err("bullet cannot train it")
    };
    assert_eq!(reasons("perspectives/interleaved"), [Reason::Interleaved]);
    let virtual_rows = Reason::VirtualRows("KingBuckets".into());
    assert_eq!(reasons("features/float_sum"), [virtual_rows]);
    let buckets = Reason::Buckets("KingBuckets".into());
    assert_eq!(reasons("features/materials")[0], buckets);

    let skip = std::fs::read_to_string("../specs/bullet/skip.toml").expect("it is there");
    let pooling = "pooling = \"product\"\n";
    let neighbours = skip.replace(pooling, &format!("{pooling}pairs = \"neighbours\"\n"));
    let network = network(&neighbours);
    let reasons = program(&network).expect_err("bullet cannot train it");
    assert_eq!(reasons, [Reason::PairsOfWeights]);
}

fn assert_program(name: &str, text: &str) {
    if let Err(error) = syn::parse_file(text) {
        panic!("{name}: {error}\n{text}");
    }
    let long = text
        .lines()
        .find(|line| !line.starts_with("//") && line.chars().count() > 160);
    assert_eq!(long, None, "{name}");
}

/// The saved file has as many bytes as the spec's, unless that is compressed.
#[test]
fn what_is_saved_has_the_length_of_the_file() {
    for folder in ["specs", "tests/specs"] {
        for (name, network) in networks(folder) {
            if let Ok(program) = program(&network) {
                assert_eq!(program.file_len, file_len(&network), "{name}");
            }
        }
    }
}

/// The bytes of the network's file, if bullet saves it in the spec's form.
fn file_len(network: &Network) -> Option<usize> {
    let network = unpacked(network);
    match (Description::of(&network).file.size, network.file.format) {
        (_, Format::Named) => None,
        (Some(size), _) => Some(size),
        // Descriptions do not say how long files are that begin with one.
        (None, Format::Stockfish { .. }) => Some(stockfish_len(&network)),
        // Nor those in which stacks are aligned each in its own way.
        (None, Format::Sequence) => Some(random_net_file(&network, 1).len()),
    }
}

/// Stockfish's format with an empty description.
fn stockfish_len(network: &Network) -> usize {
    const HEADER: usize = 12;
    let sections = network.file.all_sections(network.stacks.count);
    let lens = sections.map(|(_, section)| section.byte_len().expect("nothing is compressed"));
    HEADER + lens.sum::<usize>()
}

/// What the text of the programs finds in a position is what the interpreter finds.
#[test]
fn programs_find_the_rows_of_every_set() {
    let mut compared = 0;
    for folder in ["specs", "tests/specs"] {
        for (name, network) in networks(folder) {
            if program(&network).is_err() {
                continue;
            }
            for fen in POSITIONS {
                let position = Position::from_fen(fen).expect("it is a position");
                let Some(found) = rows(&network, &position) else {
                    continue;
                };
                let [white, black] = active_rows(&network, &position).map(sorted);
                let expected = match position.side_to_move() {
                    Color::White => [white, black],
                    Color::Black => [black, white],
                };
                assert_eq!(found, expected, "{name}: {fen}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared} comparisons");
}

/// The rows of the side to move and of its opponent, as programs find them; `None` where they see
/// the mirror image of a position with black to move.
fn rows(network: &Network, position: &Position) -> Option<[Vec<usize>; 2]> {
    let side_to_move = position.side_to_move();
    if rotates(network) && side_to_move == Color::Black {
        return None;
    }
    let mut board = Board {
        pieces: [None; 64],
        is_opponents: false,
    };
    let flip = if side_to_move == Color::White { 0 } else { 56 };
    for piece in Piece::ALL {
        for square in position.pieces(piece) {
            let owner = usize::from(piece.color != side_to_move);
            board.pieces[square.index() ^ flip] = Some((owner, piece.role.index()));
        }
    }
    assert_eq!(Role::King.index(), 5, "as bullet numbers pieces");
    let boards = [board.of_opponent(), board];
    let [opponents, own] = boards.map(|board| {
        let mut first = 0;
        let mut all = Vec::new();
        for set in &network.features {
            let rows = Set::of(set)
                .expect("the engine tells no features")
                .rows(&board);
            all.extend(rows.into_iter().map(|row| first + row));
            first += set.rows;
        }
        sorted(all)
    });
    Some([own, opponents])
}

fn sorted(mut rows: Vec<usize>) -> Vec<usize> {
    rows.sort_unstable();
    rows
}

/// A simple network, several layers, a factoriser, Stockfish's layers with PSQT values, threats
/// with a tail of `f32`, rows of the trainer's own format, win, draw and loss.
#[test]
fn programs_are_what_was_reviewed() {
    let reviewed = [
        "bullet/simple",
        "bullet/multi_layer",
        "bullet/skip",
        "sfnnv5",
        "engines/plentychess",
        "engines/hobbes",
        "engines/monty",
    ];
    let networks: Vec<_> = networks("specs").collect();
    let differences = reviewed.iter().filter_map(|name| {
        let (_, network) = networks
            .iter()
            .find(|(own, _)| own == name)
            .expect("it is a spec");
        let program = program(network).unwrap_or_else(|reasons| panic!("{name}: {reasons:?}"));
        let file = format!("tests/goldens/bullet/{}.rs", name.replace('/', "_"));
        golden::compare(&golden::path(&file), &without_parts(program.text)).err()
    });
    let differences: Vec<String> = differences.collect();
    assert!(differences.is_empty(), "\n{}", differences.join("\n\n"));
}

/// A program in which a line stands for each file that it contains.
fn without_parts(mut text: String) -> String {
    for part in ["board", "piece_square", "threats", "pawn_pairs"] {
        let file = format!("tools/src/export/bullet/inputs/{part}.rs");
        let path = golden::path(&file);
        let part = std::fs::read_to_string(path).expect("it is there");
        let start = part
            .find("\n///")
            .expect("its first item has documentation");
        text = text.replace(&part[start..], &format!("\n// The text of `{file}`.\n"));
    }
    text
}

#[test]
fn the_command_prints_the_program() {
    let text = output(&["trainer", "../specs/bullet/simple.toml"]);
    let golden = golden::path("tests/goldens/bullet/bullet_simple.rs");
    assert_eq!(text, std::fs::read_to_string(golden).expect("it is there"));
}

#[test]
fn all_reasons_are_named_at_once() {
    let message = refusal(1, &["trainer", "../specs/engines/minic.toml"]);
    for words in [
        "bullet cannot train Minic:",
        "`flip = \"none\"` of `KingBuckets` tells white from black",
        "`weights = \"separate\"` of the transformer tells white from black",
        "the engine chooses the stack",
        "the head `log_variance` has no target",
    ] {
        assert!(message.contains(words), "no `{words}` in {message}");
    }
}
