//! The evaluator against fresh refreshes: along random games, where kings walk over every border of
//! a view, and in lines that are unusual.

mod custom_features;
mod random_play;
mod views;

use nnue_runtime::{
    Accumulator, Architecture, Board, BoardError, Delta, Evaluator, Network, Piece, Position, Role,
    Square, Statistics,
};
use nnue_test_support::play::check_king_walks;
use nnue_test_support::synthetic::synthetic_net;
use nnue_tests::{sfnnv16, small128};

#[test]
fn kings_cross_every_line() {
    check_king_walks(&Network::<small128::Net>::embedded());
}

#[test]
fn kings_cross_every_line_among_threats() {
    let file = synthetic_net("v16");
    check_king_walks(&Network::<sfnnv16::Net>::from_bytes(&file).expect("our own file"));
}

/// A knight leaves its square and returns.
fn out_and_back() -> [Delta; 2] {
    let knight = Piece::new(nnue_runtime::Color::White, Role::Knight);
    [
        Delta::quiet(knight, Square::G1, Square::F3),
        Delta::quiet(knight, Square::F3, Square::G1),
    ]
}

#[test]
fn lines_deeper_than_the_memory_set_aside() {
    let net = Network::<small128::Net>::embedded();
    let mut evaluator = Evaluator::new(&net, &Board::start());
    let [out, back] = out_and_back();
    let expected = evaluator.evaluate();
    for _ in 0..1000 {
        evaluator.push(&out);
        evaluator.push(&back);
    }
    assert_eq!(evaluator.ply(), 2000);
    assert_eq!(evaluator.evaluate(), expected);
    for _ in 0..2005 {
        evaluator.pop();
    }
    assert_eq!((evaluator.ply(), evaluator.evaluate()), (0, expected));
}

/// No ply is evaluated, but one child of each is. A second child of the last ply makes the
/// evaluator compute its parent, but this must not go on to the parent's parent: the stack is too
/// small for one call per ply.
#[test]
fn parents_of_parents_are_not_asked_for() {
    const STACK: usize = 256 << 10;
    let thread = std::thread::Builder::new().stack_size(STACK);
    let line = thread.spawn(|| {
        let net = Network::<small128::Net>::embedded();
        let mut evaluator = Evaluator::new(&net, &Board::start());
        let [out, back] = out_and_back();
        let pawn = Piece::new(nnue_runtime::Color::Black, Role::Pawn);
        let child = Delta::quiet(pawn, Square::E7, Square::E5);
        for _ in 0..4000 {
            for delta in [&out, &back] {
                evaluator.push(delta);
                evaluator.push(&child);
                evaluator.evaluate();
                evaluator.pop();
            }
        }
        evaluator.push(&child);
        let mut board = Board::start();
        board.apply(&child).expect("a pawn on e7");
        board.set_side_to_move(evaluator.side_to_move());
        let accumulator = Accumulator::new(&net, &board);
        assert_eq!(evaluator.evaluate(), net.evaluate(&accumulator, &board));
    });
    line.expect("a thread").join().expect("no panic");
}

#[test]
fn a_delta_that_contradicts_the_position_is_refused() {
    let net = Network::<small128::Net>::embedded();
    let mut evaluator = Evaluator::new(&net, &Board::start());
    let before = evaluator.evaluate();
    let pawn = Piece::new(nnue_runtime::Color::White, Role::Pawn);
    let missing = evaluator.try_push(&Delta::quiet(pawn, Square::E4, Square::E5));
    assert!(
        matches!(missing, Err(BoardError::Missing { .. })),
        "{missing:?}"
    );
    let occupied = evaluator.try_push(&Delta::quiet(pawn, Square::E2, Square::D1));
    assert!(
        matches!(occupied, Err(BoardError::Occupied { .. })),
        "{occupied:?}"
    );
    // Each entry may fit the position, although all of them together do not.
    let (white, knight) = (nnue_runtime::Color::White, Role::Knight);
    let knight = Piece::new(white, knight);
    let twice = evaluator.try_push(&Delta::capture(
        knight,
        Square::G1,
        Square::F3,
        knight,
        Square::G1,
    ));
    assert!(
        matches!(twice, Err(BoardError::Missing { found: None, .. })),
        "{twice:?}"
    );
    let [king, rook] = [Square::E1, Square::H1];
    let both = evaluator.try_push(&Delta::castling(white, king, Square::H3, rook, Square::H3));
    assert!(matches!(both, Err(BoardError::Occupied { .. })), "{both:?}");
    let one_more = Delta::from_changes(&[], &[(pawn, Square::E4)]).expect("one square");
    assert_eq!((evaluator.ply(), evaluator.evaluate()), (0, before));
    // No game has a 33rd piece, but a board has room for it.
    assert_eq!(evaluator.try_push(&one_more), Ok(()));
    evaluator.pop();
    // If it is pushed all the same, evaluations are wrong, but nothing else happens.
    evaluator.push(&Delta::quiet(pawn, Square::E4, Square::E5));
    let _ = evaluator.evaluate();
    evaluator.reset(&Board::start());
    assert_eq!(evaluator.evaluate(), before);
}

#[test]
fn evaluators_are_sent_to_threads_that_share_a_network() {
    let net = std::sync::Arc::new(Network::<small128::Net>::embedded());
    let expected = Evaluator::new(&*net, &Board::start()).evaluate();
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let mut evaluator = Evaluator::new(net.clone(), &Board::start());
            std::thread::spawn(move || evaluator.evaluate())
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), expected);
    }
}

/// Peeking computes nothing: it finds the accumulators of a ply as long as the line has that ply.
#[test]
fn only_what_is_computed_is_seen_by_reference() {
    let net = Network::<small128::Net>::embedded();
    let mut evaluator = Evaluator::new(&net, &Board::start());
    let [out, back] = out_and_back();
    assert_eq!((evaluator.peek(), evaluator.peek_bucket(0)), (None, None));
    let start = Some(evaluator.evaluate());
    let bucket = Network::<small128::Net>::bucket(32);
    assert_eq!(
        (evaluator.peek(), evaluator.peek_bucket(bucket)),
        (start, start)
    );
    evaluator.push(&out);
    assert_eq!((evaluator.bucket(), evaluator.peek()), (bucket, None));
    evaluator.push(&back);
    evaluator.prepare();
    assert_eq!(evaluator.peek(), start);
    evaluator.pop();
    let after = evaluator.evaluate_for(nnue_runtime::Color::White);
    evaluator.push(&back);
    evaluator.pop();
    evaluator.set_side_to_move(nnue_runtime::Color::White);
    assert_eq!(evaluator.peek(), Some(after));
    evaluator.pop();
    evaluator.set_side_to_move(nnue_runtime::Color::White);
    assert_eq!(evaluator.peek(), start);
    evaluator.reset(&Board::start());
    assert_eq!(evaluator.peek(), None);
}

/// Clones continue on their own.
#[test]
fn a_clone_is_independent() {
    let net = Network::<small128::Net>::embedded();
    let mut evaluator = Evaluator::new(&net, &Board::start());
    let pawn = Piece::new(nnue_runtime::Color::White, Role::Pawn);
    evaluator.push(&Delta::quiet(pawn, Square::E2, Square::E4));
    let mut clone = evaluator.clone();
    clone.pop();
    assert_eq!(
        clone.evaluate(),
        Evaluator::new(&net, &Board::start()).evaluate()
    );
    let mut board = Board::start();
    board
        .apply(&Delta::quiet(pawn, Square::E2, Square::E4))
        .expect("legal");
    assert_eq!(
        evaluator.evaluate(),
        net.evaluate(&Accumulator::new(&net, &board), &board)
    );
    let _: &dyn Position = &board;
    let _ = <small128::Net as Architecture>::NAME;
}

/// A bare king goes a step and back: white's view changes with its king, black's does not.
#[test]
fn the_work_is_counted() {
    let net = Network::<small128::Net>::embedded();
    let board: Board = "4k3/8/8/8/8/8/8/4K3 w".parse().expect("a FEN");
    let mut evaluator = Evaluator::counting(&net, &board);
    let value = evaluator.evaluate();
    let mut expected = Statistics::default();
    expected.refreshes += 2;
    expected.refreshed_rows += 4;
    expected.misses += 2;
    assert_eq!(evaluator.statistics(), expected);

    let king = Piece::new(nnue_runtime::Color::White, Role::King);
    evaluator.push(&Delta::quiet(king, Square::E1, Square::E2));
    evaluator.evaluate();
    // Evaluating the same ply again does not count as a second child.
    evaluator.evaluate();
    expected.refreshes += 1;
    expected.refreshed_rows += 2;
    expected.misses += 1;
    expected.updates += 1;
    expected.updated_rows += 2;
    assert_eq!(evaluator.statistics(), expected);

    // A move that is taken back before an evaluation costs nothing.
    evaluator.push_null();
    evaluator.push(&Delta::quiet(king, Square::E2, Square::D2));
    evaluator.pop();
    evaluator.pop();
    evaluator.push(&Delta::quiet(king, Square::E2, Square::E1));
    evaluator.push_null();
    evaluator.evaluate();
    // The cache still has white's accumulator of the first position.
    expected.refreshes += 1;
    expected.updates += 1;
    expected.updated_rows += 2;
    assert_eq!(evaluator.statistics(), expected);
    assert_eq!((expected.hits(), expected.rows()), (1, 10));

    evaluator.reset(&board);
    assert_eq!(evaluator.evaluate(), value);
    assert_eq!(evaluator.statistics().misses, 3);
}
