//! What the functions do, and what they refuse.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};
use std::thread;

use nnue_capi::{CMove, COutput, CPosition, Status};
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_runtime::{Board, Color, Delta, Level, Piece, Position, Role, Square};
use nnue_test_support::net_file::random_net_file;

use crate::exported::*;
use crate::net;

type Network = net::Network;
type Evaluator = nnue_capi::Evaluator<net::Net>;

/// A net file.
fn file() -> Vec<u8> {
    let spec = include_str!("../../../specs/bullet/simple.toml");
    let network = analyse(&SourceFile::new("simple", spec)).expect("a spec without errors");
    random_net_file(&network, 5)
}

fn text(pointer: *const c_char) -> &'static str {
    assert!(!pointer.is_null());
    // SAFETY: it is a text of the library, which a test reads before the next error.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().expect("UTF-8")
}

fn error() -> &'static str {
    // SAFETY: the function takes no pointer.
    text(unsafe { last_error() })
}

#[track_caller]
fn assert_refused(status: Status, expected: Status, words: &str) {
    assert_eq!(status, expected);
    assert!(error().contains(words), "{}", error());
}

fn loaded() -> *mut Network {
    let (file, mut network) = (file(), null_mut());
    // SAFETY: all pointers are valid.
    let status = unsafe { network_from_bytes(file.as_ptr(), file.len(), null(), &mut network) };
    assert_eq!(status, Status::OK);
    network
}

fn started(network: *const Network, board: &Board) -> *mut Evaluator {
    let mut evaluator = null_mut();
    // SAFETY: all pointers are valid.
    let status = unsafe { evaluator_new(network, &of_board(board), &mut evaluator) };
    assert_eq!(status, Status::OK, "{}", error());
    evaluator
}

pub(crate) fn of_board(board: &Board) -> CPosition {
    CPosition {
        pieces: Piece::ALL.map(|piece| board.pieces(piece).0),
        side_to_move: board.side_to_move().index() as i32,
    }
}

/// The move as the header's functions make it.
pub(crate) fn of_delta(delta: &Delta) -> CMove {
    let list = |pieces: nnue_runtime::PieceChanges| {
        let entries = pieces.map(|(piece, square)| {
            let king = match piece.role {
                Role::King => 1 << 14 << piece.color.index(),
                _ => 0,
            };
            square.index() as u64 | (piece.index() as u64 + 1) << 8 | king
        });
        let shifted = entries
            .enumerate()
            .map(|(place, entry)| entry << (16 * place));
        shifted.sum()
    };
    CMove {
        removed: list(delta.removed()),
        added: list(delta.added()),
    }
}

fn evaluated(evaluator: *mut Evaluator) -> COutput {
    let mut output = COutput {
        psqt: 0,
        positional: 0,
        value: 0,
    };
    // SAFETY: all pointers are valid.
    let status = unsafe { evaluator_evaluate(evaluator, &mut output) };
    assert_eq!(status, Status::OK);
    let mut of_bucket = COutput { value: 1, ..output };
    // SAFETY: the same.
    let status = unsafe { evaluator_evaluate_bucket(evaluator, 0, &mut of_bucket) };
    assert_eq!((status, of_bucket), (Status::OK, output));
    output
}

const KNIGHT: Piece = Piece::new(Color::White, Role::Knight);

#[test]
fn a_search_is_followed() {
    let expected = net::Network::from_bytes(&file()).expect("a net file");
    let network = loaded();
    let mut board = Board::start();
    let evaluator = started(network, &board);
    // Its weights stay as long as there is an evaluator.
    // SAFETY: the network is not used any more.
    unsafe { network_free(network) };
    let value = |board: &Board| {
        let accumulator = net::Accumulator::new(&expected, board);
        expected.evaluate(&accumulator, board).value
    };
    assert_eq!(evaluated(evaluator).value, value(&board));
    let moves = [
        Delta::quiet(KNIGHT, Square::G1, Square::F3),
        Delta::null(),
        Delta::castling(Color::White, Square::E1, Square::G1, Square::H1, Square::F1),
    ];
    let cleared = Delta::from_changes(&[(Piece::new(Color::White, Role::Bishop), Square::F1)], &[]);
    let first = of_board(&board);
    for delta in [&[cleared.expect("a change")], &moves[..]].concat() {
        board.apply(&delta).expect("it fits");
        // SAFETY: the evaluator is valid.
        let status = unsafe { evaluator_push_checked(evaluator, of_delta(&delta)) };
        assert_eq!(status, Status::OK, "{}", error());
        assert_eq!(evaluated(evaluator).value, value(&board));
    }
    for _ in 0..4 {
        // SAFETY: the evaluator is valid.
        assert_eq!(unsafe { evaluator_pop_called(evaluator) }, Status::OK);
    }
    assert_eq!(evaluated(evaluator).value, value(&Board::start()));
    // SAFETY: the evaluator is valid.
    let status = unsafe { evaluator_pop_called(evaluator) };
    assert_refused(status, Status::MOVE, "no move to take back");
    // SAFETY: the evaluator is valid, and not used any more.
    unsafe {
        let delta = Delta::quiet(KNIGHT, Square::B1, Square::C3);
        assert_eq!(
            evaluator_push_called(evaluator, of_delta(&delta)),
            Status::OK
        );
        assert_eq!(evaluator_reset(evaluator, &first), Status::OK);
        assert_eq!(evaluated(evaluator).value, value(&Board::start()));
        evaluator_free(evaluator);
    }
}

#[test]
fn files_levels_and_names_are_told() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let path = CString::new(format!("{folder}/capi.bin")).expect("a path");
    let bytes = file();
    std::fs::write(path.to_str().expect("text"), &bytes).expect("the folder is writable");
    let mut levels = 0;
    // SAFETY: all pointers are valid.
    unsafe {
        assert_eq!((text(name()), buckets()), (net::NAME, 1));
        for (index, level) in Level::available().enumerate() {
            assert_eq!(text(level_name(index)), level.name());
            let mut network = null_mut();
            let status = network_open(path.as_ptr(), level_name(index), &mut network);
            assert_eq!(status, Status::OK);
            assert_eq!(text(network_level(network)), level.name());
            network_free(network);
            levels += 1;
        }
        assert!(level_name(levels).is_null() && level_name(usize::MAX).is_null());
        let mut network = null_mut();
        let status = network_open(path.as_ptr(), c"avx3".as_ptr(), &mut network);
        assert_refused(status, Status::LEVEL, "unknown level `avx3`");
        let status = network_open(c"no/such.nnue".as_ptr(), null(), &mut network);
        assert_refused(status, Status::NET_FILE, "cannot load `no/such.nnue`: ");
        let status = network_open(c"no/\xff".as_ptr(), null(), &mut network);
        assert_refused(status, Status::NET_FILE, "cannot load `no/");
        let status = network_from_bytes(bytes.as_ptr(), 100, null(), &mut network);
        assert_refused(status, Status::NET_FILE, "cannot load the net: ");
        assert!(network.is_null());
    }
}

#[test]
fn null_pointers_are_refused() {
    let network = loaded();
    let position = of_board(&Board::start());
    let evaluator = started(network, &Board::start());
    let (mut network_made, mut evaluator_made) = (null_mut(), null_mut());
    let (bytes, mv) = (file(), of_delta(&Delta::null()));
    let (mut output, no_network) = (evaluated(evaluator), null_mut::<Network>());
    // SAFETY: all pointers are valid or null.
    unsafe {
        let refused = |status, name: &str| {
            let words = format!("`{name}` is a null pointer");
            assert_refused(status, Status::NULL_POINTER, &words);
        };
        refused(network_open(null(), null(), &mut network_made), "path");
        refused(network_open(c"x".as_ptr(), null(), null_mut()), "network");
        refused(
            network_from_bytes(null(), 0, null(), &mut network_made),
            "bytes",
        );
        let (start, len) = (bytes.as_ptr(), bytes.len());
        refused(
            network_from_bytes(start, len, null(), null_mut()),
            "network",
        );
        refused(
            evaluator_new(no_network, &position, &mut evaluator_made),
            "network",
        );
        refused(
            evaluator_new(network, null(), &mut evaluator_made),
            "position",
        );
        refused(evaluator_new(network, &position, null_mut()), "evaluator");
        refused(evaluator_reset(null_mut(), &position), "evaluator");
        refused(evaluator_reset(evaluator, null()), "position");
        refused(evaluator_push_called(null_mut(), mv), "evaluator");
        refused(evaluator_push_checked(null_mut(), mv), "evaluator");
        refused(evaluator_pop_called(null_mut()), "evaluator");
        refused(evaluator_evaluate(null_mut(), &mut output), "evaluator");
        refused(evaluator_evaluate(evaluator, null_mut()), "output");
        refused(
            evaluator_evaluate_bucket(null_mut(), 0, &mut output),
            "evaluator",
        );
        refused(
            evaluator_evaluate_bucket(evaluator, 0, null_mut()),
            "output",
        );
        assert!(network_level(null()).is_null());
        network_free(null_mut());
        evaluator_free(null_mut());
        network_free(network);
        evaluator_free(evaluator);
    }
}

#[test]
fn positions_moves_and_buckets_are_checked() {
    let network = loaded();
    let evaluator = started(network, &Board::start());
    let start = of_board(&Board::start());
    let changed = |change: &dyn Fn(&mut CPosition)| {
        let mut position = start;
        change(&mut position);
        // SAFETY: all pointers are valid.
        unsafe { evaluator_reset(evaluator, &position) }
    };
    let king = Piece::new(Color::White, Role::King).index();
    let refused = |change: &dyn Fn(&mut CPosition), words| {
        assert_refused(changed(change), Status::POSITION, words);
    };
    refused(
        &|position| position.pieces[0] |= 1 << 56,
        "several pieces on a8",
    );
    refused(
        &|position| position.pieces[king] = 0,
        "0 white and 1 black kings",
    );
    refused(&|position| position.side_to_move = 2, "the side to move 2");
    let wrong = CMove {
        removed: 0x80,
        added: 0,
    };
    let elsewhere = of_delta(&Delta::quiet(KNIGHT, Square::G2, Square::F3));
    let mut output = evaluated(evaluator);
    // SAFETY: all pointers are valid.
    unsafe {
        let words = "squares from 0 to 63";
        assert_refused(evaluator_push_called(evaluator, wrong), Status::MOVE, words);
        assert_refused(
            evaluator_push_checked(evaluator, wrong),
            Status::MOVE,
            words,
        );
        let status = evaluator_push_checked(evaluator, elsewhere);
        assert_refused(status, Status::MOVE, "found `P` on g2, expected `N`");
        let status = evaluator_evaluate_bucket(evaluator, 1, &mut output);
        assert_refused(status, Status::BUCKET, "found bucket 1, expected 0 to 0");
        // Nothing of all this has changed anything.
        assert_eq!(evaluated(evaluator), output);
        evaluator_free(evaluator);
        network_free(network);
    }
}

/// A network for all threads of C, as that has it: an address.
#[test]
fn threads_share_a_network_and_have_errors_of_their_own() {
    let network = loaded() as usize;
    let threads: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(move || {
                assert_eq!(error(), "");
                let evaluator = started(network as *const Network, &Board::start());
                let delta = of_delta(&Delta::quiet(KNIGHT, Square::B1, Square::C3));
                // SAFETY: the evaluator is this thread's.
                unsafe {
                    assert_eq!(evaluator_push_called(evaluator, delta), Status::OK);
                    let value = evaluated(evaluator).value;
                    assert_eq!(evaluator_pop_called(null_mut()), Status::NULL_POINTER);
                    assert!(error().contains("null pointer"));
                    evaluator_free(evaluator);
                    value
                }
            })
        })
        .collect();
    let values: Vec<i32> = threads
        .into_iter()
        .map(|thread| thread.join().expect("it ends well"))
        .collect();
    assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
    assert_eq!(error(), "");
    // SAFETY: no thread uses it any more.
    unsafe { network_free(network as *mut Network) };
}
