//! Networks against what the engines of their generations computed: all positions in all buckets,
//! and all lines, by update and by refresh. The levels of this machine take turns with positions and
//! lines; with `NNUE_GOLDENS=all`, each level has all of them.

use cozy_chess::util::parse_uci_move;
use nnue_runtime::line::FromPosition;
use nnue_runtime::{
    Accumulator, Architecture, Board, Color, Delta, Level, Network, Output, Position,
    SelectedByPieces,
};

use super::{
    GoldenError, GoldenLinePly, GoldenPosition, Line, WrappedValue, golden_line_plies,
    golden_lines, golden_positions, wrapped_values,
};
use crate::nets;
use crate::synthetic::synthetic_net;

/// Compares a network with the goldens of the net that is made for its generation.
///
/// # Panics
///
/// At the first value that differs, or if goldens cannot be read.
pub fn synthetic<A: SelectedByPieces<Line = FromPosition, Output = Output>>(generation: &str) {
    let goldens = format!("synthetic/{generation}");
    let positions = well_formed(golden_positions(&goldens));
    check_goldens::<A>(&synthetic_net(generation), &positions, Some(&goldens));
}

/// Which goldens a released net has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goldens {
    /// Those of positions.
    Positions,
    /// Those of positions and of lines.
    PositionsAndLines,
}

/// Which of the goldens a level is compared with.
#[derive(Clone, Copy)]
struct Share {
    first: usize,
    step: usize,
}

impl Share {
    const ALL: Share = Share { first: 0, step: 1 };

    fn has(self, index: usize) -> bool {
        index % self.step == self.first
    }
}

/// Runs a check on every level of this machine, each with its share, and prints which.
fn on_every_level<A: Architecture>(mut net: Network<A>, check: impl Fn(&Network<A>, Share)) {
    let is_all = std::env::var_os("NNUE_GOLDENS").is_some_and(|goldens| goldens == "all");
    let step = Level::available().count();
    for (first, level) in Level::available().enumerate() {
        net = net.with_level(level);
        check(
            &net,
            if is_all {
                Share::ALL
            } else {
                Share { first, step }
            },
        );
        println!("{} at {level}: equal", A::NAME);
    }
}

fn side(color: cozy_chess::Color) -> Color {
    color.into()
}

fn check_positions<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
    net: &Network<A>,
    goldens: &[GoldenPosition],
    share: Share,
) {
    assert!(goldens.len() > share.step);
    let mut accumulator = Accumulator::new(net, &Board::start());
    for golden in goldens[share.first..].iter().step_by(share.step) {
        let fen = &golden.fen;
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(board.side_to_move(), side(golden.stm), "{fen}");
        accumulator.refresh(net, &board);
        for (bucket, (psqt, positional)) in golden.psqt.iter().zip(&golden.positional).enumerate() {
            let output = net.evaluate_bucket(&accumulator, board.side_to_move(), bucket);
            assert_eq!(
                (output.psqt, output.positional),
                (*psqt, *positional),
                "{} at {}, bucket {bucket} of {fen}",
                A::NAME,
                net.level()
            );
        }
        let expected = Output {
            psqt: golden.psqt[golden.bucket],
            positional: golden.positional[golden.bucket],
            value: golden.engine,
        };
        assert_eq!(
            Network::<A>::bucket(board.occupied().len()),
            golden.bucket,
            "{fen}"
        );
        assert_eq!(
            net.evaluate(&accumulator, &board),
            expected,
            "{} at {}: {fen}",
            A::NAME,
            net.level()
        );
    }
}

/// Plays the lines. Each ply's accumulator is updated from the one before, and must equal a
/// refreshed one.
fn check_lines<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
    net: &Network<A>,
    lines: &[Line],
    plies: &[GoldenLinePly],
    share: Share,
) {
    let mut plies = plies.iter();
    for (index, line) in lines.iter().enumerate() {
        if !share.has(index) {
            // A golden for each position of the line.
            plies
                .by_ref()
                .nth(line.moves.len())
                .expect("plies of each line");
            continue;
        }
        let mut game = cozy_chess::Board::from_fen(&line.fen, false).expect("lines start legally");
        let mut accumulator = Accumulator::new(net, &game);
        for ply in 0..=line.moves.len() {
            if ply > 0 {
                let uci = &line.moves[ply - 1];
                let played = parse_uci_move(&game, uci).expect("lines are legal");
                let delta = Delta::from_cozy(&game, played);
                game.play(played);
                let before = accumulator.clone();
                accumulator.update(net, &before, &delta, &game);
            }
            assert!(
                accumulator == Accumulator::new(net, &game),
                "{} at {}: update and refresh differ in {game}",
                A::NAME,
                net.level()
            );
            let golden = plies.next().expect("a golden for each ply");
            assert_eq!((golden.line, golden.ply), (line.number, ply));
            let output = net.evaluate(&accumulator, &game);
            assert_eq!(
                (output.psqt, output.positional, output.value),
                (golden.psqt, golden.positional, golden.engine),
                "{} at {}: {}",
                A::NAME,
                net.level(),
                golden.fen
            );
        }
    }
    assert!(plies.next().is_none(), "plies without a line");
}

fn check_goldens<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
    file: &[u8],
    positions: &[GoldenPosition],
    lines: Option<&str>,
) {
    let net = Network::<A>::from_bytes(file).unwrap_or_else(|error| panic!("{}: {error}", A::NAME));
    let lines = lines.map(|goldens| {
        let folder = goldens.split('/').next().unwrap_or_default();
        (
            well_formed(golden_lines(folder)),
            well_formed(golden_line_plies(goldens)),
        )
    });
    on_every_level(net, |net, share| {
        check_positions(net, positions, share);
        if let Some((lines, plies)) = &lines {
            check_lines(net, lines, plies, share);
        }
    });
}

fn well_formed<T>(goldens: Result<T, GoldenError>) -> T {
    goldens.unwrap_or_else(|error| panic!("{error}"))
}

/// Compares a network with the goldens of a released net.
///
/// # Panics
///
/// At the first value that differs, if the net is not there, or if goldens cannot be read.
pub fn released<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
    name: &str,
    has: Goldens,
) {
    let file = well_loaded(name);
    let goldens = format!("real/{name}");
    let mut positions = well_formed(golden_positions(&goldens));
    if name == "nn-1c0000000000" {
        unwrap_values(&mut positions, &well_formed(wrapped_values(&goldens)));
    }
    let has_lines = has == Goldens::PositionsAndLines;
    check_goldens::<A>(&file, &positions, has_lines.then_some(goldens.as_str()));
}

fn well_loaded(name: &str) -> Vec<u8> {
    nets::load(name).unwrap_or_else(|error| panic!("{error}"))
}

/// Replaces values that wrapped around in the original engine by the exact ones.
fn unwrap_values(positions: &mut [GoldenPosition], wrapped: &[WrappedValue]) {
    assert!(!wrapped.is_empty());
    for value in wrapped {
        let golden = positions
            .iter_mut()
            .find(|golden| golden.fen == value.fen)
            .unwrap_or_else(|| panic!("no golden for {}", value.fen));
        assert_eq!(
            golden.positional[value.bucket], value.positional,
            "{}",
            value.fen
        );
        golden.positional[value.bucket] = value.exact;
        if golden.bucket == value.bucket {
            golden.engine = golden.psqt[value.bucket] / 16 + value.exact / 16;
        }
    }
}

/// Asserts that `Network::write` gives back every byte of a released net's file.
///
/// # Panics
///
/// If a byte differs, or if the net is not there.
pub fn written<A: Architecture>(name: &str) {
    let file = &*well_loaded(name);
    let net = Network::<A>::from_bytes(file).unwrap_or_else(|error| panic!("{}: {error}", A::NAME));
    on_every_level(net, |net, _| {
        let mut written = Vec::with_capacity(file.len());
        net.write(&mut written).expect("memory takes everything");
        assert!(
            written == file,
            "{} at {}: written otherwise than read",
            A::NAME,
            net.level()
        );
    });
}
