//! The evaluator against fresh refreshes: along random games with unmakes, null moves, castling
//! (Chess960 too), en passant and promotions, evaluated at random.

mod custom_features;

use cozy_chess::{Board as Game, Move};
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_networks::{sfnnv1, sfnnv2, sfnnv5, sfnnv10, sfnnv16, small128};
use nnue_runtime::{
    Accumulator, Architecture, Board, BoardError, Delta, Evaluator, Level, Network, Piece,
    Position, Role, SelectedByPieces, Square, Statistics,
};
use nnue_test_support::net_file::random_net_file;
use nnue_test_support::random::Xorshift;
use nnue_test_support::synthetic::synthetic_net;

/// Counts of what happened in the games, so that the test cannot pass without the interesting
/// cases.
#[derive(Default, Debug)]
struct Seen {
    evaluations: usize,
    siblings: usize,
    unmakes: usize,
    nulls: usize,
    king_moves: usize,
    castlings: usize,
    captures_en_passant: usize,
    promotions: usize,
}

/// Plays random plies from standard and Chess960 starts; every evaluation must equal a refresh's.
fn check_random_play<A: SelectedByPieces>(
    net: &Network<A>,
    plies: usize,
    seed: u64,
    seen: &mut Seen,
) {
    let mut random = Xorshift::new(seed);
    let mut accumulator = Accumulator::new(net, &Board::start());
    let mut evaluator = Evaluator::new(net, &Board::start());
    let mut made = 0;
    while made < plies {
        let start = if random.below(2) == 0 {
            Game::startpos()
        } else {
            Game::double_chess960_startpos(random.below(960) as u32, random.below(960) as u32)
        };
        evaluator.reset(&start);
        let mut line = vec![start];
        for _ in 0..random.below(400) {
            let game = line[line.len() - 1].clone();
            match random.below(10) {
                0 if line.len() > 1 => {
                    for _ in 0..=random.below(5) {
                        if line.len() > 1 {
                            line.pop();
                            evaluator.pop();
                            seen.unmakes += 1;
                        }
                    }
                }
                1 if game.null_move().is_some() => {
                    line.extend(game.null_move());
                    evaluator.push_null();
                    seen.nulls += 1;
                }
                _ => {
                    let Some(chosen) = choose(&game, &mut random) else {
                        break;
                    };
                    note(&game, chosen, seen);
                    let delta = Delta::from_cozy(&game, chosen);
                    // An evaluator computes several moves at once only if it did not evaluate after
                    // each.
                    if random.below(8) == 0 {
                        evaluator
                            .try_push(&delta)
                            .expect("legal moves fit the position");
                    } else {
                        evaluator.push(&delta);
                    }
                    let mut after = game;
                    after.play(chosen);
                    line.push(after);
                    made += 1;
                }
            }
            let game = &line[line.len() - 1];
            assert_eq!(evaluator.ply(), line.len() - 1);
            if random.below(3) == 0 {
                accumulator.refresh(net, game);
                let expected = net.evaluate(&accumulator, game);
                assert_eq!(
                    evaluator.evaluate(),
                    expected,
                    "{} at {}: {game}",
                    A::NAME,
                    net.level()
                );
                seen.evaluations += 1;
            }
            // Two siblings whose parent was never evaluated: the second one makes the evaluator
            // compute it.
            if random.below(6) == 0 {
                for _ in 0..3 {
                    let Some(chosen) = choose(game, &mut random) else {
                        break;
                    };
                    let mut after = game.clone();
                    after.play(chosen);
                    evaluator.push(&Delta::from_cozy(game, chosen));
                    accumulator.refresh(net, &after);
                    let expected = net.evaluate(&accumulator, &after);
                    assert_eq!(
                        evaluator.evaluate(),
                        expected,
                        "{} at {}: {after}",
                        A::NAME,
                        net.level()
                    );
                    evaluator.pop();
                    seen.siblings += 1;
                }
            }
        }
    }
}

/// A random legal move: often of the king, which changes its side's view, and often a special move
/// if there is one.
fn choose(game: &Game, random: &mut Xorshift) -> Option<Move> {
    let mut moves = Vec::new();
    game.generate_moves(|of_piece| {
        moves.extend(of_piece);
        false
    });
    let special: Vec<Move> = moves
        .iter()
        .copied()
        .filter(|mv| match game.piece_on(mv.from) {
            Some(cozy_chess::Piece::King) => {
                game.color_on(mv.to) == Some(game.side_to_move()) || random.below(20) == 0
            }
            Some(cozy_chess::Piece::Pawn) => mv.promotion.is_some() || is_en_passant(game, *mv),
            _ => false,
        })
        .collect();
    let pool = if special.is_empty() || random.below(3) == 0 {
        &moves
    } else {
        &special
    };
    (!pool.is_empty()).then(|| pool[random.below(pool.len())])
}

fn is_en_passant(game: &Game, mv: Move) -> bool {
    mv.from.file() != mv.to.file() && game.piece_on(mv.to).is_none()
}

fn note(game: &Game, mv: Move, seen: &mut Seen) {
    match game.piece_on(mv.from) {
        Some(cozy_chess::Piece::King) => {
            seen.king_moves += 1;
            seen.castlings += usize::from(game.color_on(mv.to) == Some(game.side_to_move()));
        }
        Some(cozy_chess::Piece::Pawn) => {
            seen.captures_en_passant += usize::from(is_en_passant(game, mv));
            seen.promotions += usize::from(mv.promotion.is_some());
        }
        _ => {}
    }
}

/// Plies per feature set, over all levels, unless `NNUE_PLIES` is set.
const PLIES: usize = 10_000;

fn plies() -> usize {
    match std::env::var("NNUE_PLIES") {
        Ok(number) => number.parse().expect("NNUE_PLIES is a number"),
        Err(_) => PLIES,
    }
}

fn check_feature_set<A: SelectedByPieces>(file: &[u8]) {
    let mut net = Network::<A>::from_bytes(file).expect("our own file");
    let levels: Vec<Level> = Level::available().collect();
    let mut seen = Seen::default();
    for (seed, level) in levels.iter().enumerate() {
        net = net.with_level(*level);
        let plies = plies().div_ceil(levels.len());
        check_random_play(&net, plies, 1 + seed as u64, &mut seen);
    }
    println!("{}: {seen:?}", A::NAME);
    let Seen {
        evaluations,
        siblings,
        unmakes,
        nulls,
        king_moves,
        castlings,
        captures_en_passant,
        promotions,
    } = seen;
    let least = [
        evaluations,
        siblings,
        unmakes,
        nulls,
        king_moves,
        castlings,
        captures_en_passant,
        promotions,
    ];
    assert!(least.iter().all(|count| *count > 10), "{seen:?}");
}

#[test]
fn half_kp() {
    check_feature_set::<sfnnv1::Net>(&synthetic_net("v1"));
}

#[test]
fn half_ka_v2() {
    check_feature_set::<sfnnv2::Net>(&synthetic_net("v2"));
}

#[test]
fn half_ka_v2_hm() {
    check_feature_set::<small128::Net>(&synthetic_net("small128"));
}

#[test]
fn threats_of_sfnnv10() {
    check_feature_set::<sfnnv10::Net>(&synthetic_net("v10"));
}

#[test]
fn threats_and_pawn_pairs_of_sfnnv16() {
    check_feature_set::<sfnnv16::Net>(&synthetic_net("v16"));
}

/// Random play with specs of a folder.
macro_rules! specs {
    ($folder:ident: $($net:ident)*) => {
        mod $folder {
            use super::*;

            $(
                #[test]
                fn $net() {
                    let spec = include_str!(concat!("../specs/", stringify!($folder), "/", stringify!($net), ".toml"));
                    let network = analyse(&SourceFile::new(stringify!($net), spec)).expect("a spec without errors");
                    let file = random_net_file(&network, 1);
                    check_feature_set::<nnue_networks::$folder::$net::Net>(&file);
                }
            )*
        }
    };
}

specs! { features: a bytes factorised factorised_bytes float_each float_sum float_truncated from_a8 from_h half_ka half_kp king_buckets opponent_first rotated shifted shifted_words summed threats threats_by_square }

specs! { perspectives: white_first interleaved interleaved_parts separate one one_separate white_only }

#[test]
fn half_ka_v2_hm_with_tiles() {
    let net = Network::<sfnnv5::Net>::from_bytes(&synthetic_net("v5")).expect("our own file");
    for level in Level::available() {
        let net = net.clone().with_level(level);
        check_random_play(&net, 4_000, 99, &mut Seen::default());
    }
}

/// A king walks over every square, among other pieces, so that it crosses every border between two
/// views in both directions.
fn check_king_walks<A: SelectedByPieces>(net: &Network<A>) {
    let mut random = Xorshift::new(7);
    let mut evaluator = Evaluator::new(net, &Board::start());
    let mut empty = Board::start();
    for square in Square::ALL {
        empty = empty.without(square);
    }
    let mut crossings = 0;
    for color in nnue_runtime::Color::ALL {
        for from in Square::ALL {
            for to in Square::ALL {
                let distance = |a: Square, b: Square| {
                    let (files, ranks) = (a.file().abs_diff(b.file()), a.rank().abs_diff(b.rank()));
                    files.max(ranks)
                };
                let far =
                    |square: &&Square| [from, to].iter().all(|king| distance(*king, **square) > 1);
                let (true, Some(other)) = (distance(from, to) == 1, Square::ALL.iter().find(far))
                else {
                    continue;
                };
                let king = Piece::new(color, Role::King);
                let mut board = empty.clone();
                let kings = [(king, from), (Piece::new(!color, Role::King), *other)];
                let kings = Delta::from_changes(&[], &kings).expect("two pieces");
                board.apply(&kings).expect("empty squares");
                for _ in 0..random.below(16) {
                    let (square, piece) =
                        (Square::ALL[random.below(64)], Piece::ALL[random.below(12)]);
                    let is_free =
                        ![from, to, *other].contains(&square) && board.piece_at(square).is_none();
                    let can_stand = piece.role != Role::Pawn || (1..7).contains(&square.rank());
                    if is_free && can_stand && piece.role != Role::King {
                        let added = Delta::from_changes(&[], &[(piece, square)]);
                        board
                            .apply(&added.expect("one piece"))
                            .expect("an empty square");
                    }
                }
                evaluator.reset(&board);
                evaluator.evaluate();
                let delta = Delta::quiet(king, from, to);
                evaluator.push(&delta);
                board.apply(&delta).expect("the king was there");
                let expected = net.evaluate(&Accumulator::new(net, &board), &board);
                assert_eq!(
                    evaluator.evaluate(),
                    expected,
                    "{}: {color} king {from} to {to}",
                    A::NAME
                );
                crossings += 1;
            }
        }
    }
    assert!(crossings > 800);
}

#[test]
fn kings_cross_every_line() {
    check_king_walks(&Network::<small128::Net>::embedded());
}

#[test]
fn kings_cross_every_line_among_threats() {
    let file = |generation| synthetic_net(generation);
    check_king_walks(&Network::<sfnnv10::Net>::from_bytes(&file("v10")).expect("our own file"));
    check_king_walks(&Network::<sfnnv16::Net>::from_bytes(&file("v16")).expect("our own file"));
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
    let crowded = evaluator.try_push(&one_more);
    assert_eq!(crowded, Err(BoardError::Pieces { found: 33 }));
    assert_eq!((evaluator.ply(), evaluator.evaluate()), (0, before));
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
    let mut expected = Statistics {
        refreshes: 2,
        refreshed_rows: 4,
        misses: 2,
        ..Statistics::default()
    };
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
