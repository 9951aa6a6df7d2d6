//! Every network against what the engine of its generation computed: all positions in all buckets, and all lines, by
//! update and by refresh, on every level of this machine.

use cozy_chess::util::parse_uci_move;
use nnue_runtime::{
    Accumulator, Architecture, Board, Color, Delta, Level, Network, Output, Position,
    SelectedByPieces,
};
use nnue_tests::golden::{
    GoldenLinePly, GoldenPosition, Line, golden_line_plies, golden_lines, golden_positions,
};
use nnue_tests::nets;
use nnue_tests::networks::{sfnnv5, sfnnv5_unrolled, small128, small128_unrolled};
use nnue_tests::synthetic::synthetic_net;

/// Runs a check on every level of this machine, and prints which.
fn on_every_level<A: Architecture>(mut net: Network<A>, check: impl Fn(&Network<A>)) {
    for level in Level::available() {
        net = net.with_level(level);
        check(&net);
        println!("{} at {level}: equal", A::NAME);
    }
}

fn side(color: cozy_chess::Color) -> Color {
    color.into()
}

fn check_positions<A: SelectedByPieces>(net: &Network<A>, goldens: &[GoldenPosition]) {
    assert!(!goldens.is_empty());
    let mut accumulator = Accumulator::new(net, &Board::start());
    for golden in goldens {
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

/// Plays the lines: each ply's accumulator is updated from the one before and equal to a refreshed one.
fn check_lines<A: SelectedByPieces>(net: &Network<A>, lines: &[Line], plies: &[GoldenLinePly]) {
    let mut plies = plies.iter();
    for line in lines {
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

fn check_goldens<A: SelectedByPieces>(file: &[u8], goldens: &str) {
    let net = Network::<A>::from_bytes(file).unwrap_or_else(|error| panic!("{}: {error}", A::NAME));
    let positions = golden_positions(goldens).expect("goldens are well-formed");
    let plies = golden_line_plies(goldens).expect("goldens are well-formed");
    let folder = goldens.split('/').next().unwrap_or_default();
    let lines = golden_lines(folder).expect("lines are well-formed");
    on_every_level(net, |net| {
        check_positions(net, &positions);
        check_lines(net, &lines, &plies);
    });
}

#[test]
fn synthetic_sfnnv5() {
    let file = synthetic_net("v5");
    check_goldens::<sfnnv5::Net>(&file, "synthetic/v5");
    check_goldens::<sfnnv5_unrolled::Net>(&file, "synthetic/v5");
}

#[test]
fn synthetic_small128() {
    let file = synthetic_net("small128");
    check_goldens::<small128::Net>(&file, "synthetic/small128");
    check_goldens::<small128_unrolled::Net>(&file, "synthetic/small128");
}

#[test]
fn released_small128() {
    let file = nets::load("nn-37f18f62d772").expect("the net is part of the project");
    check_goldens::<small128::Net>(&file, "real/nn-37f18f62d772");
}

#[test]
#[ignore = "needs nn-ad9b42354671: cargo run -p nnue-tests --bin fetch-nets"]
fn released_sfnnv5() {
    let file = nets::load("nn-ad9b42354671").unwrap_or_else(|error| panic!("{error}"));
    check_goldens::<sfnnv5::Net>(&file, "real/nn-ad9b42354671");
}
