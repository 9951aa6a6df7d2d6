//! Pikafish's network against what the engine computed, as `goldens/README.md` describes it: rows,
//! sums, and the values of all stacks; positions from nothing, games also move by move. The levels
//! of this machine take turns; with `NNUE_GOLDENS=all`, each has all positions.

use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use flate2::read::GzDecoder;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::{Evaluation, Net};
use nnue_runtime::line::{FromViews, Views};
use nnue_runtime::{Accumulator, Architecture, Color, Evaluator, Level, Network, Output};
use nnue_test_support::games::xiangqi::{
    Board, Changes, OF_A_BUCKET, Piece, ROWS, SQUARES, THREAT_ROWS, Threat, seen, stack,
};
use nnue_test_support::games::{Game, missing};
use nnue_test_support::synthetic::xiangqi_net;
use sha2::{Digest, Sha256};

use crate::networks::{xiangqi, xiangqi_no_psqt};

/// The net file.
pub(crate) static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| xiangqi_net(true));

const SPEC: &str = include_str!("../../../specs/games/xiangqi.toml");

/// The interpreter with the file.
pub(crate) fn interpreted() -> Net {
    let network = analyse(&SourceFile::new("xiangqi", SPEC)).expect("a spec without errors");
    Net::from_bytes(&network, &FILE).expect("a file of this network")
}

/// What the engine has for a position.
struct Golden {
    fen: String,
    stack: usize,
    /// Of white and of black.
    views: [u32; 2],
    active: [Vec<u32>; 2],
    sums: [i64; 2],
    /// The sum of the bytes that the layers read.
    bytes: i64,
    /// For each stack.
    psqt: Vec<i32>,
    positional: Vec<i32>,
    value: i32,
}

impl Golden {
    /// The positions of a table.
    fn read(name: &str) -> Vec<Golden> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../goldens/xiangqi");
        let packed = std::fs::read(folder.join(name)).expect("a table");
        let mut text = String::new();
        let unpacked = GzDecoder::new(&packed[..]).read_to_string(&mut text);
        unpacked.expect("a table of text");
        text.lines().skip(1).map(Golden::of).collect()
    }

    fn of(line: &str) -> Golden {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().expect("a cell");
        let fen = cell().to_string();
        let stack = numbers(cell())[0];
        let mut of_player = || {
            let [bucket, mirrored]: [u32; 2] = [0, 1].map(|_| numbers(cell())[0]);
            let mut active: Vec<u32> = numbers(cell());
            // Features of pieces are numbered within their bucket, and follow the threats.
            let pieces = numbers(cell()).into_iter();
            active.extend(pieces.map(|row: u32| THREAT_ROWS + row - bucket * OF_A_BUCKET));
            (2 * bucket + mirrored, active, numbers(cell())[0])
        };
        let (white, black) = (of_player(), of_player());
        Golden {
            fen,
            stack,
            views: [white.0, black.0],
            active: [white.1, black.1],
            sums: [white.2, black.2],
            bytes: numbers(cell())[0],
            psqt: numbers(cell()),
            positional: numbers(cell()),
            value: numbers(cell())[0],
        }
    }

    fn board(&self) -> Board {
        Board::from_fen(&self.fen).unwrap_or_else(|| panic!("{}", self.fen))
    }

    fn active(&self) -> [&[u32]; 2] {
        self.active.each_ref().map(Vec::as_slice)
    }

    /// The value that follows from both parts.
    fn output(&self, stack: usize) -> Output {
        let (psqt, positional) = (self.psqt[stack], self.positional[stack]);
        let value = psqt / 16 + positional / 16;
        assert!(stack != self.stack || value == self.value, "{}", self.fen);
        Output {
            psqt,
            positional,
            value,
        }
    }
}

fn numbers<N: std::str::FromStr<Err: std::fmt::Debug>>(cell: &str) -> Vec<N> {
    let numbers = cell.split_whitespace();
    numbers.map(|number| number.parse().expect(cell)).collect()
}

/// The names of all rows in the order of their numbers, as the engine's own tables have them.
#[test]
fn all_rows_have_the_numbers_of_the_engine() {
    let letters: Vec<(Piece, char)> = Piece::all().zip(Piece::LETTERS.chars()).collect();
    let mut threats = vec![String::new(); THREAT_ROWS as usize];
    for (attacker, a) in &letters {
        for from in 0..SQUARES {
            for (victim, v) in &letters {
                for to in 0..SQUARES {
                    let threat = Threat {
                        attacker: *attacker,
                        from,
                        victim: *victim,
                        to,
                    };
                    if let Some(row) = ROWS.of_threat(&threat) {
                        let name = &mut threats[row as usize];
                        writeln!(name, "{a}\t{from}\t{v}\t{to}\t{row}").expect("a string");
                    }
                }
            }
        }
    }
    let hash = |rows: String| {
        let hash = Sha256::digest(rows);
        hash.iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let text = String::from("attacker\tfrom\tvictim\tto\trow\n") + &threats.concat();
    assert_eq!(hash(text), "dd663d3915817461");
    let mut text = String::from("piece\tsquare\trow\n");
    for (piece, letter) in &letters {
        for square in 0..SQUARES {
            if let Some(row) = ROWS.of_piece(*piece, square) {
                writeln!(text, "{letter}\t{square}\t{row}").expect("a string");
            }
        }
    }
    assert_eq!(hash(text), "ca03d0032b18c00f");
}

fn all_goldens() -> impl Iterator<Item = Golden> {
    let tables = ["positions.tsv.gz", "games.tsv.gz"];
    tables.into_iter().flat_map(Golden::read)
}

fn sorted(mut active: [Vec<u32>; 2]) -> [Vec<u32>; 2] {
    active
        .iter_mut()
        .for_each(|features| features.sort_unstable());
    active
}

#[test]
fn features_are_those_of_the_engine() {
    let mut count = 0;
    for golden in all_goldens() {
        let board = golden.board();
        assert_eq!(stack(&board), golden.stack, "{}", golden.fen);
        let (views, active) = seen(&board);
        let found = (views, sorted(active));
        assert_eq!(found, (golden.views, golden.active), "{}", golden.fen);
        count += 1;
    }
    assert_eq!(count, 1100 + 1010);
}

#[test]
fn the_interpreter_gives_the_values_of_the_engine() {
    let net = interpreted();
    for golden in all_goldens() {
        let rows = net.custom_rows_in_views(golden.views, golden.active());
        let sums = net.accumulate(&rows.expect("rows of the network"));
        let of_player = sums
            .each_ref()
            .map(|sums| sums.values.iter().copied().map(i64::from));
        assert_eq!(
            of_player.map(Iterator::sum::<i64>),
            golden.sums,
            "{}",
            golden.fen
        );
        let side = golden.board().side_to_move();
        for stack in 0..16 {
            let trace = net.trace(&sums, side, stack);
            let expected = Evaluation::from(golden.output(stack));
            assert_eq!(trace.evaluation, expected, "stack {stack}: {}", golden.fen);
        }
    }
}

/// Runs a check with the network on each level, and how many levels there are, or 1 if each level
/// has all positions.
fn on_every_level<A: Architecture>(file: &[u8], check: impl Fn(&Network<A>, usize, usize)) {
    let mut net = Network::<A>::from_bytes(file).expect("a file of this network");
    assert!(net.to_bytes() == file, "written as it was read");
    let is_all = std::env::var_os("NNUE_GOLDENS").is_some_and(|goldens| goldens == "all");
    let levels = Level::available().count();
    for (turn, level) in Level::available().enumerate() {
        net = net.with_level(level);
        let (turn, turns) = if is_all { (0, 1) } else { (turn, levels) };
        check(&net, turn, turns);
    }
}

/// Compares all stacks with positions that are evaluated from nothing.
fn check_positions<A: Architecture<Line = FromViews, Output = Output>>(
    file: &[u8],
    expected: impl Fn(&Golden, usize) -> Output,
) {
    let goldens: Vec<Golden> = all_goldens().collect();
    on_every_level::<A>(file, |net, turn, turns| {
        let mut values = 0;
        for golden in goldens.iter().skip(turn).step_by(turns) {
            let side = golden.board().side_to_move();
            let fresh = Accumulator::new(net, Views(side, golden.views, golden.active()));
            for color in Color::ALL {
                let sum = fresh
                    .values(color)
                    .iter()
                    .copied()
                    .map(i64::from)
                    .sum::<i64>();
                assert_eq!(sum, golden.sums[color.index()], "{}", golden.fen);
            }
            let bytes = fresh.outputs(side).map(i64::from).sum::<i64>();
            assert_eq!(bytes, golden.bytes, "{}", golden.fen);
            for stack in 0..16 {
                assert_eq!(
                    net.evaluate_bucket(&fresh, side, stack),
                    expected(golden, stack),
                    "stack {stack} at {}: {}",
                    net.level(),
                    golden.fen
                );
                values += 1;
            }
        }
        println!("{} at {}: {values} values equal", A::NAME, net.level());
    });
}

#[test]
fn positions_have_the_values_of_the_engine() {
    check_positions::<xiangqi::Net>(&FILE, Golden::output);
}

/// The engine's positional values are those without PSQT.
#[test]
fn positions_have_the_positional_values_without_psqt() {
    check_positions::<xiangqi_no_psqt::Net>(&xiangqi_net(false), |golden, stack| {
        let positional = golden.positional[stack];
        Output {
            psqt: 0,
            positional,
            value: positional / 16,
        }
    });
}

/// Follows the games on every level, and takes them back. What a move changes is found from the
/// boards alone.
#[test]
fn games_are_followed() {
    let goldens = Golden::read("games.tsv.gz");
    let games = goldens.chunk_by(|_, next| next.board() != Board::start());
    let games: Vec<&[Golden]> = games.collect();
    assert_eq!(games.len(), 10);
    on_every_level::<xiangqi::Net>(&FILE, |net, _, _| {
        let check = |evaluator: &mut Evaluator<xiangqi::Net, &xiangqi::Network>,
                     golden: &Golden| {
            assert_eq!(
                evaluator.evaluate_bucket(golden.stack),
                golden.output(golden.stack),
                "{} at {}",
                golden.fen,
                net.level()
            );
        };
        let mut changes = Changes::default();
        for game in &games {
            let first = &game[0];
            let start = Views(Color::White, first.views, first.active());
            let mut evaluator = Evaluator::new(net, start);
            check(&mut evaluator, first);
            for [before, after] in game.windows(2).map(|pair| [&pair[0], &pair[1]]) {
                changes.find(&before.board(), &after.board());
                evaluator.push(changes.step());
                check(&mut evaluator, after);
                let fresh = Views(Color::White, after.views, after.active());
                assert!(evaluator.accumulator() == Accumulator::new(net, fresh).view());
            }
            for golden in game[..game.len() - 1].iter().rev() {
                evaluator.pop();
                check(&mut evaluator, golden);
            }
        }
        println!(
            "{} positions of games equal at {}",
            goldens.len(),
            net.level()
        );
    });
}

/// The changes of a move are no more than needed: what is in one list is not in the other, unless
/// the view is mirrored.
#[test]
fn changes_are_the_differences() {
    let goldens = Golden::read("games.tsv.gz");
    let mut changes = Changes::default();
    let mut mirrored = 0;
    for pair in goldens
        .windows(2)
        .filter(|pair| pair[1].board() != Board::start())
    {
        let [before, after] = pair else { continue };
        changes.find(&before.board(), &after.board());
        let (views, lists) = changes.step();
        assert_eq!(views, after.views, "{}", after.fen);
        for (p, list) in lists.into_iter().enumerate() {
            let [mut added, mut removed] = [list.added, list.removed].map(<[u32]>::to_vec);
            let [old, new] = [before, after].map(|golden| &golden.active[p][..]);
            let expected = if before.views[p] % 2 == after.views[p] % 2 {
                (missing(old, new), missing(new, old))
            } else {
                mirrored += 1;
                (new.to_vec(), old.to_vec())
            };
            added.sort_unstable();
            removed.sort_unstable();
            assert_eq!((added, removed), expected, "{}", after.fen);
        }
    }
    assert!(mirrored > 50, "{mirrored}");
}

/// How long it takes to find what a move changes; see `speed_along_random_games`.
#[test]
#[ignore = "it measures, and tests nothing"]
fn speed_of_changes() {
    let boards: Vec<Board> = Golden::read("games.tsv.gz")
        .iter()
        .map(Golden::board)
        .collect();
    let mut changes = Changes::default();
    let rounds = (0..200).map(|_| {
        let time = Instant::now();
        for pair in boards.windows(2) {
            changes.find(&pair[0], &pair[1]);
            std::hint::black_box(changes.step());
        }
        time.elapsed().as_nanos() / boards.len() as u128
    });
    println!("{:?} ns for the changes of a move", rounds.min());
}
