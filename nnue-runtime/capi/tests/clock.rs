//! Networks that see the half-move clock: a position alone does not start a line.

use std::ptr::{null, null_mut};

use nnue_capi::header::Header;
use nnue_capi::{COutput, Status};
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_runtime::{Accumulator, Board, Color, Delta, Piece, Position, Role, Square};
use nnue_test_support::net_file::random_net_file;

use crate::calls::{of_board, of_delta};
use crate::clocked::*;
use crate::clocked_net;

type Evaluator = nnue_capi::Evaluator<clocked_net::Net>;

fn evaluated(evaluator: *mut Evaluator) -> [i32; 3] {
    let mut output = COutput {
        psqt: 0,
        positional: 0,
        value: 0,
    };
    // SAFETY: all pointers are valid.
    let status = unsafe { evaluator_evaluate(evaluator, &mut output) };
    assert_eq!(status, Status::OK);
    [output.psqt, output.positional, output.value]
}

#[test]
fn the_clock_is_told_and_follows_moves() {
    let spec = include_str!("../../../tests/specs/features/clock.toml");
    let network = analyse(&SourceFile::new("clock", spec)).expect("a spec without errors");
    let file = random_net_file(&network, 5);
    let net = clocked_net::Network::from_bytes(&file).expect("a net file");
    let expected = |board: &Board| {
        let output = net.evaluate(&Accumulator::new(&net, board), board);
        [output.psqt, output.positional, output.value]
    };
    let mut board = Board::from_fen("4k3/8/8/8/8/8/4P3/R3K3 w - - 7 30").expect("a position");
    let (mut network, mut evaluator) = (null_mut(), null_mut());
    // SAFETY: all pointers are valid.
    let status = unsafe { network_from_bytes(file.as_ptr(), file.len(), null(), &mut network) };
    assert_eq!(status, Status::OK);
    // SAFETY: the same.
    let status = unsafe { evaluator_new(network, &of_board(&board), 7, &mut evaluator) };
    assert_eq!(status, Status::OK);
    let mut seen = vec![expected(&board)];
    assert_eq!(evaluated(evaluator), seen[0]);

    let rook = Piece::new(Color::White, Role::Rook);
    let delta = Delta::quiet(rook, Square::A1, Square::A8);
    board.apply(&delta).expect("the rook was there");
    assert_eq!(board.halfmove_clock(), 8);
    // SAFETY: the evaluator is valid.
    let status = unsafe { evaluator_push_called(evaluator, of_delta(&delta)) };
    assert_eq!(status, Status::OK);
    for clock in [8, 1, 300] {
        board.set_halfmove_clock(u8::try_from(clock).unwrap_or(u8::MAX));
        // SAFETY: the evaluator is valid.
        let status = unsafe { evaluator_set_halfmove_clock(evaluator, clock) };
        assert_eq!(status, Status::OK);
        seen.push(expected(&board));
        assert_eq!(evaluated(evaluator), seen[seen.len() - 1], "{clock}");
    }
    board.set_halfmove_clock(20);
    // SAFETY: all pointers are valid.
    let status = unsafe { evaluator_reset(evaluator, &of_board(&board), 20) };
    assert_eq!(status, Status::OK);
    assert_eq!(evaluated(evaluator), expected(&board));
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 4, "clocks make a difference");
    // SAFETY: both are valid, and not used any more.
    unsafe {
        evaluator_free(evaluator);
        network_free(network);
    }
}

#[test]
fn the_header_asks_for_the_clock_where_a_network_sees_it() {
    let text = |clock| {
        let header = Header {
            network: "Clock",
            prefix: "net",
            embedded: false,
            by_pieces: true,
            clock,
            wdl: false,
            white_first: false,
        };
        header.text()
    };
    let (with, without) = (text(true), text(false));
    assert_eq!(
        with.matches("const nnue_position *position, uint32_t halfmove_clock")
            .count(),
        2
    );
    assert!(with.contains("nnue_status net_evaluator_set_halfmove_clock("));
    assert!(!without.contains("clock"), "{without}");
    assert!(!with.contains('@') && !without.contains('@'));
}
