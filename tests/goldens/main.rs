//! Every network against what the engine of its generation computed: all positions in all buckets,
//! and all lines, by update and by refresh, on every level of this machine.

mod features;
mod fetch_nets;

use cozy_chess::util::parse_uci_move;
use nnue_networks as networks;
use nnue_runtime::{
    Accumulator, Architecture, Board, Color, Delta, Level, Network, Output, Position,
    SelectedByPieces,
};
use nnue_test_support::goldens::{
    GoldenError, GoldenLinePly, GoldenPosition, Line, WrappedValue, golden_line_plies,
    golden_lines, golden_positions, wrapped_values,
};
use nnue_test_support::nets;
use nnue_test_support::synthetic::synthetic_net;

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

fn check_positions<A: SelectedByPieces<Output = Output>>(
    net: &Network<A>,
    goldens: &[GoldenPosition],
) {
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

/// Plays the lines. Each ply's accumulator is updated from the one before, and must equal a
/// refreshed one.
fn check_lines<A: SelectedByPieces<Output = Output>>(
    net: &Network<A>,
    lines: &[Line],
    plies: &[GoldenLinePly],
) {
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

fn check_goldens<A: SelectedByPieces<Output = Output>>(
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
    on_every_level(net, |net| {
        check_positions(net, positions);
        if let Some((lines, plies)) = &lines {
            check_lines(net, lines, plies);
        }
    });
}

fn well_formed<T>(goldens: Result<T, GoldenError>) -> T {
    goldens.unwrap_or_else(|error| panic!("{error}"))
}

/// The net of a generation that a test makes itself, compiled from the spec in one or more ways.
macro_rules! synthetic {
    ($($name:ident: $generation:literal => $($network:ident),+;)*) => { $(
        #[test]
        fn $name() {
            let file = synthetic_net($generation);
            let goldens = concat!("synthetic/", $generation);
            let positions = well_formed(golden_positions(goldens));
            $(check_goldens::<networks::$network::Net>(&file, &positions, Some(goldens));)+
        }
    )* };
}

synthetic! {
    synthetic_sfnnv1: "v1" => sfnnv1;
    synthetic_sfnnv2: "v2" => sfnnv2;
    synthetic_sfnnv3: "v3" => sfnnv3;
    synthetic_sfnnv4: "v4" => sfnnv4;
    synthetic_sfnnv5: "v5" => sfnnv5, sfnnv5_unrolled;
    synthetic_sfnnv6: "v6" => sfnnv6;
    synthetic_sfnnv7: "v7" => sfnnv7;
    synthetic_sfnnv8: "v8" => sfnnv8;
    synthetic_sfnnv9: "v9" => sfnnv9;
    synthetic_sfnnv10: "v10" => sfnnv10;
    synthetic_sfnnv11: "v11" => sfnnv11;
    synthetic_sfnnv12: "v12" => sfnnv12;
    synthetic_sfnnv13: "v13" => sfnnv13;
    synthetic_sfnnv14: "v14" => sfnnv14;
    synthetic_sfnnv14b: "v14b" => sfnnv14b;
    synthetic_sfnnv15: "v15" => sfnnv15;
    synthetic_sfnnv16: "v16" => sfnnv16;
    synthetic_small128: "small128" => small128, small128_unrolled;
}

#[test]
fn released_small128() {
    check_released::<networks::small128::Net>("nn-37f18f62d772", WITH_LINES);
}

/// Released nets that are too large to be part of the project.
macro_rules! released {
    ($($name:ident: $net:literal, $lines:ident => $network:ident;)*) => { $(
        #[test]
        #[ignore = concat!("needs ", $net, ": cargo run -p nnue-tests --bin fetch-nets -- --all")]
        fn $name() {
            check_released::<networks::$network::Net>($net, $lines);
        }
    )* };
}

/// Whether there are goldens of lines too.
const WITH_LINES: bool = true;
const POSITIONS_ONLY: bool = false;

released! {
    released_sfnnv1: "nn-82215d0fd0df", WITH_LINES => sfnnv1;
    released_sfnnv2: "nn-26abeed38351", POSITIONS_ONLY => sfnnv2;
    released_sfnnv3: "nn-13406b1dcbe0", POSITIONS_ONLY => sfnnv3;
    released_sfnnv4: "nn-6877cd24400e", POSITIONS_ONLY => sfnnv4;
    released_sfnnv5: "nn-ad9b42354671", WITH_LINES => sfnnv5;
    released_sfnnv6: "nn-5af11540bbfe", POSITIONS_ONLY => sfnnv6;
    released_sfnnv9: "nn-1c0000000000", WITH_LINES => sfnnv9;
    released_sfnnv10: "nn-c288c895ea92", POSITIONS_ONLY => sfnnv10;
    released_sfnnv16: "nn-1a298aa575a0", WITH_LINES => sfnnv16;
}

fn check_released<A: SelectedByPieces<Output = Output>>(name: &str, with_lines: bool) {
    let file = well_loaded(name);
    let goldens = format!("real/{name}");
    let mut positions = well_formed(golden_positions(&goldens));
    if name == "nn-1c0000000000" {
        unwrap_values(&mut positions, &well_formed(wrapped_values(&goldens)));
    }
    check_goldens::<A>(&file, &positions, with_lines.then_some(goldens.as_str()));
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

/// `Network::write` gives back every byte of a net file.
fn check_written<A: Architecture>(file: &[u8]) {
    let net = Network::<A>::from_bytes(file).unwrap_or_else(|error| panic!("{}: {error}", A::NAME));
    on_every_level(net, |net| {
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

#[test]
fn the_committed_net_is_written_as_it_was_read() {
    check_written::<networks::small128::Net>(&well_loaded("nn-37f18f62d772"));
}

#[test]
#[ignore = "needs all released nets: cargo run -p nnue-tests --bin fetch-nets -- --all"]
fn released_nets_are_written_as_they_were_read() {
    check_written::<networks::sfnnv1::Net>(&well_loaded("nn-82215d0fd0df"));
    check_written::<networks::sfnnv2::Net>(&well_loaded("nn-26abeed38351"));
    check_written::<networks::sfnnv3::Net>(&well_loaded("nn-13406b1dcbe0"));
    check_written::<networks::sfnnv4::Net>(&well_loaded("nn-6877cd24400e"));
    check_written::<networks::sfnnv5::Net>(&well_loaded("nn-ad9b42354671"));
    check_written::<networks::sfnnv6::Net>(&well_loaded("nn-5af11540bbfe"));
    check_written::<networks::sfnnv9::Net>(&well_loaded("nn-1c0000000000"));
    check_written::<networks::sfnnv10::Net>(&well_loaded("nn-c288c895ea92"));
    check_written::<networks::sfnnv16::Net>(&well_loaded("nn-1a298aa575a0"));
}
