//! Rows of the stream are those that the interpreter, the definition of the language, finds.

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::{Network, Order};
use nnue_runtime::{Board, Color, Position};
use nnue_tools::data::{Input, Options, RowMaker, SharedCounts, write_stream};

use super::stream::{Stream, read_stream};

/// Positions of openings, endgames, promotions, and of no game.
const POSITIONS: &str = include_str!("positions.txt");

fn network(path: &str) -> Network {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the spec is there");
    nnue_compiler::analyse(&SourceFile::new(&path, text)).expect("it is right")
}

fn stream(network: &Network, name: &str) -> Stream {
    let path = std::env::temp_dir().join(format!("nnue-data-{}-{name}", std::process::id()));
    std::fs::write(&path, POSITIONS).expect("a file");
    let input = Input::open(&path, None).expect("it is there");
    let options = Options {
        batch_size: 7,
        shuffle: None,
        ..Options::default()
    };
    let maker = RowMaker::new(network).expect("rows follow from positions");
    let mut bytes = Vec::new();
    let counts = SharedCounts::default();
    write_stream(vec![input], &options, &maker, &counts, &mut bytes, None).expect("a stream");
    std::fs::remove_file(path).expect("it was there");
    assert_eq!(counts.get().read, boards().len() as u64);
    read_stream(&bytes)
}

fn boards() -> Vec<Board> {
    let fens = POSITIONS.lines().filter(|line| !line.starts_with('#'));
    fens.map(|fen| Board::from_fen(fen).expect("a FEN"))
        .collect()
}

/// Compares a stream with the interpreter's rows.
fn check(path: &str) {
    let network = network(path);
    let stream = stream(&network, &path.replace('/', "-"));
    let perspectives = network.transformer.perspectives.count as u32;
    let sets = network
        .features
        .iter()
        .map(|set| (set.rows as u32, perspectives));
    assert_eq!(stream.sets, sets.collect::<Vec<_>>(), "{path}");
    let boards = boards();
    assert_eq!(stream.positions.len(), boards.len());
    for (found, board) in stream.positions.iter().zip(&boards) {
        let [white, black] = nnue_interpreter::active_rows(&network, board);
        let is_whites =
            perspectives == 1 && network.transformer.perspectives.order == Order::WhiteFirst;
        let (own, other) = match board.side_to_move() {
            Color::Black if !is_whites => (black, white),
            _ => (white, black),
        };
        for (index, all) in [own, other]
            .into_iter()
            .enumerate()
            .take(perspectives as usize)
        {
            let mut first = 0;
            for (set, of_set) in network.features.iter().enumerate() {
                let is_sets = |row: &&usize| (first..first + of_set.rows).contains(row);
                let mut expected: Vec<u32> = all
                    .iter()
                    .filter(is_sets)
                    .map(|row| (row - first) as u32)
                    .collect();
                let mut rows = found.active[set * perspectives as usize + index].clone();
                expected.sort_unstable();
                rows.sort_unstable();
                assert_eq!(rows, expected, "{path}, {}, {board}", of_set.name);
                first += of_set.rows;
            }
        }
        let pieces = board.occupied().len();
        let by_pieces = network.stacks.by_pieces;
        assert_eq!(found.stack, by_pieces.map_or(0, |table| table[pieces]));
        assert_eq!(usize::from(found.pieces), pieces);
        assert_eq!(found.white, u8::from(board.side_to_move() == Color::White));
        assert!(found.score.is_nan() && found.result.is_nan());
    }
}

#[test]
fn kings_and_pieces() {
    for path in [
        "specs/small128.toml",
        "specs/sfnnv1.toml",
        "specs/bullet/simple.toml",
    ] {
        check(path);
    }
}

#[test]
fn buckets_of_kings_and_queens_and_boards_that_are_turned() {
    for path in [
        "specs/bullet/multi_layer.toml",
        "specs/seed/halfkp4.toml",
        "specs/seed/a8.toml",
        "specs/engines/caissa.toml",
        "specs/engines/koivisto.toml",
    ] {
        check(path);
    }
}

#[test]
fn the_half_move_clock() {
    check("tests/specs/features/clock.toml");
    check("specs/engines/integral.toml");
}

#[test]
fn threats_and_pairs_of_pawns() {
    for path in [
        "specs/sfnnv10.toml",
        "specs/sfnnv16.toml",
        "specs/engines/k32q2.toml",
        "specs/engines/reckless.toml",
        "specs/engines/viridithas21.toml",
    ] {
        check(path);
    }
}

#[test]
fn threatened_pieces_and_planes_in_other_orders() {
    for path in [
        "specs/engines/blackmarlin.toml",
        "specs/engines/monty.toml",
        "specs/engines/starzix.toml",
        "tests/specs/features/materials.toml",
        "tests/specs/features/queens.toml",
        "tests/specs/features/threatened_and_pairs.toml",
    ] {
        check(path);
    }
}

/// One perspective, the side to move's or white's; and two with rows of their own.
#[test]
fn perspectives() {
    for path in [
        "one.toml",
        "white_only.toml",
        "separate.toml",
        "white_first.toml",
    ] {
        check(&format!("tests/specs/perspectives/{path}"));
    }
}
