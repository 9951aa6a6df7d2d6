//! Both forms of each engine search the same nodes, and a wrong delta is found.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use cozy_chess::{Board, Move, Piece};
use nnue_ports::bench::bench;
use nnue_ports::engines::{FORMS, PATTERNS, run};
use nnue_ports::net::file;
use nnue_ports::net::simple::{Evaluator, Network};
use nnue_ports::{Evaluation, eager_stack};
use nnue_runtime::Delta;
use tempfile::TempDir;

fn net_file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("simple.bin");
    std::fs::write(&path, file()).expect("the folder is writable");
    (folder, path)
}

fn nodes(pattern: &str, form: &str, depth: i32, verify: bool) -> u64 {
    let (_folder, net) = net_file();
    let searched = run(pattern, form, &net, depth, verify);
    searched.expect("an engine").nodes
}

#[test]
fn all_engines_search_the_same_nodes() {
    let expected = nodes("eager_stack", "before", 4, false);
    assert!(expected > 10_000, "{expected}");
    for pattern in PATTERNS {
        for form in FORMS {
            let found = nodes(pattern, form, 4, false);
            assert_eq!(found, expected, "{pattern} {form}");
        }
    }
}

#[test]
fn all_evaluations_are_those_of_a_refresh() {
    let expected = nodes("eager_stack", "before", 2, false);
    for pattern in PATTERNS {
        for form in FORMS {
            let found = nodes(pattern, form, 2, true);
            assert_eq!(found, expected, "{pattern} {form}");
        }
    }
}

/// bullet's file is mapped as it is, and not loaded.
#[cfg(unix)]
#[test]
fn the_mapped_file_is_mapped() {
    let (_folder, net) = net_file();
    // SAFETY: the file is this test's own.
    let mapped = unsafe { nnue_ports::mapped_file::after::map(&net) }.expect("our own net");
    assert_eq!(mapped.storage(), nnue_runtime::Storage::Mapped);
}

#[test]
fn unknown_engines_are_refused() {
    let (_folder, net) = net_file();
    let error = run("eager_stack", "between", &net, 1, false).err();
    assert_eq!(
        error.expect("no such form").to_string(),
        "found the engine `eager_stack between`, expected one of eager_stack, observer, \
         mapped_file and one of before, after"
    );
}

/// An engine that forgets the rook when it castles.
struct Forgetful(Evaluator<Arc<Network>>);

impl Evaluation for Forgetful {
    fn reset(&mut self, board: &Board) {
        self.0.reset(board);
    }

    fn make(&mut self, before: &Board, mv: Option<Move>, _after: &Board) {
        let delta = mv.map_or(Delta::null(), |mv| {
            let delta = Delta::from_cozy(before, mv);
            let king = (delta.removed().zip(delta.added())).next();
            if before.colors(before.side_to_move()).has(mv.to) {
                let ((piece, from), (_, to)) = king.expect("castling moves a king");
                Delta::quiet(piece, from, to)
            } else {
                delta
            }
        });
        self.0.push(&delta);
    }

    fn unmake(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, _board: &Board) -> i32 {
        self.0.evaluate().value
    }
}

#[test]
fn a_wrong_delta_is_found_and_named() {
    let net = Arc::new(Network::from_bytes(&file()).expect("our own net"));
    let verified = || {
        bench(3, Some(&net), |board| {
            Forgetful(Evaluator::new(net.clone(), board))
        })
    };
    let panic = catch_unwind(AssertUnwindSafe(verified)).err();
    let panic = panic.expect("the rook is missed");
    let message = panic.downcast_ref::<String>().expect("a message");
    let (values, blamed) = message.split_once(": wrong since ").expect("a move");
    assert!(values.starts_with("found "), "{message}");
    let (mv, before) = blamed.split_once(" in ").expect("the board before it");
    let before: Board = before.trim_matches('`').parse().expect("a board");
    let mv: Move = mv.parse().expect("a move");
    assert_eq!(before.piece_on(mv.from), Some(Piece::King));
    assert!(before.colors(before.side_to_move()).has(mv.to), "{message}");
    assert!(before.is_legal(mv), "{message}");
}

#[test]
fn without_mistakes_nothing_is_found() {
    let net = Arc::new(Network::from_bytes(&file()).expect("our own net"));
    let engine = |board: &Board| eager_stack::after::Eval::new(net.clone(), board);
    let (checked, unchecked) = (bench(2, Some(&net), engine), bench(2, None, engine));
    assert_eq!(checked.nodes, unchecked.nodes);
}
