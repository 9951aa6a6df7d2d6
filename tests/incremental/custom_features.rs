//! Networks whose features the engine tells: a game of Ataxx, and chess with features of the
//! engine's own.

use nnue_test_support::seed::seeded;
use std::collections::BTreeSet;

use cozy_chess::Board as Game;
use fastrand::Rng;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::{Evaluation, Net};
use nnue_runtime::line::{Features, PositionAndFeatures};
use nnue_runtime::{
    Accumulator, Architecture, Color, Delta, FeatureChanges, Level, Network, Piece, Position, Role,
    Square,
};
use nnue_test_support::net_file::{net_file, random_net_file};
use nnue_test_support::random_weights::{RandomWeights, Style};
use nnue_tests::{ataxx, features::mixed};

fn random_net<A: Architecture>(spec: &str) -> Network<A> {
    let network = analyse(&SourceFile::new(A::NAME, spec)).expect("a spec without errors");
    Network::from_bytes(&random_net_file(&network, 7)).expect("our own file")
}

/// Active features per perspective.
type Active = [Vec<u32>; 2];

fn slices(active: &Active) -> [&[u32]; 2] {
    [&active[0], &active[1]]
}

/// The features of one perspective that are added, and those that are removed.
fn difference(before: &[u32], after: &[u32]) -> [Vec<u32>; 2] {
    let missing = |from: &[u32], of: &[u32]| {
        let from: BTreeSet<&u32> = from.iter().collect();
        let missing = of.iter().filter(|feature| !from.contains(feature));
        missing.copied().collect()
    };
    [missing(before, after), missing(after, before)]
}

fn changes(lists: &[[Vec<u32>; 2]; 2]) -> [FeatureChanges<'_>; 2] {
    lists
        .each_ref()
        .map(|[added, removed]| FeatureChanges { added, removed })
}

/// Ataxx on seven by seven squares; `Some` is the owner of the stone on a square.
#[derive(Clone)]
struct Ataxx {
    squares: [Option<Color>; 49],
    side_to_move: Color,
}

impl Ataxx {
    fn start() -> Ataxx {
        let mut squares = [None; 49];
        [squares[0], squares[48]] = [Some(Color::Black); 2];
        [squares[6], squares[42]] = [Some(Color::White); 2];
        Ataxx {
            squares,
            side_to_move: Color::White,
        }
    }

    fn distance(from: usize, to: usize) -> usize {
        (from % 7).abs_diff(to % 7).max((from / 7).abs_diff(to / 7))
    }

    /// All moves, from a square to another: a step adds a stone, a jump moves one.
    fn moves(&self) -> Vec<(usize, usize)> {
        let own = (0..49).filter(|from| self.squares[*from] == Some(self.side_to_move));
        let empty: Vec<usize> = (0..49).filter(|to| self.squares[*to].is_none()).collect();
        let pairs = own.flat_map(|from| empty.iter().map(move |to| (from, *to)));
        pairs
            .filter(|&(from, to)| Ataxx::distance(from, to) <= 2)
            .collect()
    }

    fn play(&mut self, (from, to): (usize, usize)) {
        if Ataxx::distance(from, to) == 2 {
            self.squares[from] = None;
        }
        self.squares[to] = Some(self.side_to_move);
        for (square, stone) in self.squares.iter_mut().enumerate() {
            if stone.is_some() && Ataxx::distance(to, square) == 1 {
                *stone = Some(self.side_to_move);
            }
        }
        self.side_to_move = !self.side_to_move;
    }

    /// The numbers of `specs/games/ataxx.toml`.
    fn features(&self) -> Active {
        Color::ALL.map(|perspective| {
            let squares = self.squares.iter().enumerate();
            let feature = squares.map(|(square, stone)| match stone {
                Some(color) if *color == perspective => square,
                Some(_) => 49 + square,
                None => 98 + square,
            });
            feature.map(|feature| feature as u32).collect()
        })
    }
}

#[test]
fn ataxx_is_followed_along_random_games() {
    let mut net = random_net::<ataxx::Net>(include_str!("../../specs/games/ataxx.toml"));
    let mut random = seeded(49);
    let rounds = nnue_test_support::play::plies() / 1000;
    let (mut evaluations, mut taken_back, mut stones_turned) = (0, 0, 0);
    for level in Level::available() {
        net = net.with_level(level);
        let mut evaluator = ataxx::Evaluator::new(
            &net,
            Features(Color::White, slices(&Ataxx::start().features())),
        );
        for round in 0..rounds {
            // In some games many moves pass between evaluations, with more changes than features
            // can be active at once.
            let rarely = if round % 3 == 0 { 60 } else { 3 };
            let mut line = vec![Ataxx::start()];
            evaluator.reset(Features(Color::White, slices(&line[0].features())));
            let mut accumulator =
                Accumulator::new(&net, Features(Color::White, slices(&line[0].features())));
            for _ in 0..200 {
                let game = line[line.len() - 1].clone();
                let moves = game.moves();
                if moves.is_empty() {
                    break;
                }
                if random.usize(..4) == 0 && line.len() > 1 {
                    line.pop();
                    evaluator.pop();
                    taken_back += 1;
                    let active = line[line.len() - 1].features();
                    accumulator = Accumulator::new(&net, Features(Color::White, slices(&active)));
                } else {
                    let mut after = game.clone();
                    after.play(moves[random.usize(..moves.len())]);
                    let (before, active) = (game.features(), after.features());
                    let lists = [0, 1].map(|p| difference(&before[p], &active[p]));
                    stones_turned += usize::from(lists[0][0].len() > 2);
                    evaluator.push(changes(&lists));
                    let unchanged = accumulator.clone();
                    for perspective in Color::ALL {
                        let changes = changes(&lists)[perspective.index()];
                        accumulator.update_features(&net, &unchanged, perspective, changes);
                    }
                    line.push(after);
                }
                let game = &line[line.len() - 1];
                let fresh =
                    Accumulator::new(&net, Features(Color::White, slices(&game.features())));
                assert_eq!(accumulator, fresh);
                assert_eq!(evaluator.ply(), line.len() - 1);
                if random.usize(..rarely) == 0 {
                    let expected = net.evaluate_bucket(&fresh, game.side_to_move, 0);
                    assert_eq!(evaluator.accumulator(), fresh.view(), "at {level}");
                    assert_eq!(evaluator.peek_bucket(0), Some(expected), "at {level}");
                    let found = evaluator.evaluate_bucket(0);
                    assert_eq!(found, expected, "at {level}");
                    evaluations += 1;
                }
            }
        }
    }
    let least = 16 * rounds;
    assert!(evaluations > least && taken_back > least && stones_turned > least);
}

/// Features of our own for chess: on which files a side has pawns (own 0 to 7, opponent's 8 to 15),
/// and how many pieces there are (16 to 48).
fn chess_features(position: &impl Position) -> Active {
    Color::ALL.map(|perspective| {
        let mut active = Vec::new();
        for (first, color) in [(0, perspective), (8, !perspective)] {
            for file in 0..8 {
                let pawns = position.pieces(Piece::new(color, Role::Pawn));
                if pawns.into_iter().any(|square| square.file() == file) {
                    active.push(first + u32::from(file));
                }
            }
        }
        active.push(16 + position.occupied().len() as u32);
        active
    })
}

/// The rows of `tests/specs/features/mixed.toml`, computed from the documentation of the language.
fn mixed_rows(position: &impl Position, perspective: Color) -> Vec<usize> {
    let active = &chess_features(position)[perspective.index()];
    let mut rows: Vec<usize> = active
        .iter()
        .map(|feature| match feature {
            0..16 => *feature as usize,
            _ => 22528 + *feature as usize,
        })
        .collect();
    let king = position.king(perspective);
    let flip = if perspective == Color::White { 0 } else { 56 };
    let mirror = if king.file() < 4 { 7 } else { 0 };
    let seen = |square: Square| square.index() ^ flip ^ mirror;
    let bucket = 4 * (7 - seen(king) / 8) + 7 - seen(king) % 8;
    for piece in Piece::ALL {
        let plane = 2 * piece.role.index() + usize::from(piece.color != perspective);
        for square in position.pieces(piece) {
            rows.push(16 + 704 * bucket + 64 * plane.min(10) + seen(square));
        }
    }
    rows
}

#[test]
fn features_of_the_engine_are_summed_with_those_of_the_position() {
    let spec = SourceFile::new("mixed.toml", include_str!("../specs/features/mixed.toml"));
    let network = analyse(&spec).expect("a spec without errors");
    let file = net_file(&network, "", |tensor, index| match tensor {
        "transformer.weights_0" => weight(index / mixed::WIDTH, index % mixed::WIDTH),
        "transformer.weights_1" => weight(16 + index / mixed::WIDTH, index % mixed::WIDTH),
        _ => 0,
    });
    let net = mixed::Network::from_bytes(&file).expect("our own file");
    let mut random = seeded(5);
    let mut king_moves = 0;
    for _ in 0..60 {
        let mut game = Game::startpos();
        let mut accumulator = Accumulator::new(
            &net,
            PositionAndFeatures(&game, slices(&chess_features(&game))),
        );
        for _ in 0..150 {
            let Some(chosen) = choose(&game, &mut random) else {
                break;
            };
            king_moves += usize::from(is_of_king(&game, &chosen));
            let delta = Delta::from_cozy(&game, chosen);
            let mut after = game.clone();
            after.play(chosen);
            let (before, active) = (chess_features(&game), chess_features(&after));
            let lists = [0, 1].map(|p| difference(&before[p], &active[p]));
            let unchanged = accumulator.clone();
            accumulator.update_with(&net, &unchanged, &delta, &after, changes(&lists));
            let fresh = Accumulator::new(&net, PositionAndFeatures(&after, slices(&active)));
            assert_eq!(accumulator, fresh, "{after}");
            game = after;
        }
        check_rows(&accumulator, &game);
    }
    assert!(king_moves > 300, "{king_moves}");
}

/// Counts of what happened in the games, so that the test cannot pass without the interesting
/// cases.
#[derive(Default, Debug)]
struct Seen {
    evaluations: usize,
    unmakes: usize,
    nulls: usize,
    king_moves: usize,
    crossings: usize,
}

#[test]
fn an_evaluator_follows_position_and_features_along_games() {
    let spec = SourceFile::new("mixed.toml", include_str!("../specs/features/mixed.toml"));
    let network = analyse(&spec).expect("a spec without errors");
    let weights = RandomWeights::draw(&network, Style::Small, 3);
    let file = weights.net_file();
    let reference = weights.into_net(&file);
    let mut net = mixed::Network::from_bytes(&file).expect("our own file");
    assert!(net.to_bytes() == file, "written as it was read");
    let mut random = seeded(17);
    for level in Level::available() {
        net = net.with_level(level);
        let mut seen = Seen::default();
        let start = Game::startpos();
        let features = chess_features(&start);
        let mut evaluator =
            mixed::Evaluator::new(&net, PositionAndFeatures(&start, slices(&features)));
        for round in 0..25 {
            // In some games many moves pass between evaluations.
            let rarely = if round % 3 == 0 { 40 } else { 2 };
            let mut line = vec![Game::startpos()];
            evaluator.reset(PositionAndFeatures(
                &line[0],
                slices(&chess_features(&line[0])),
            ));
            for _ in 0..150 {
                let game = line[line.len() - 1].clone();
                match random.usize(..9) {
                    0 if line.len() > 1 => {
                        line.pop();
                        evaluator.pop();
                        seen.unmakes += 1;
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
                        note(&game, chosen, &mut seen);
                        let delta = Delta::from_cozy(&game, chosen);
                        let mut after = game.clone();
                        after.play(chosen);
                        let (before, active) = (chess_features(&game), chess_features(&after));
                        let lists = [0, 1].map(|p| difference(&before[p], &active[p]));
                        if random.usize(..8) == 0 {
                            let pushed = evaluator.try_push((&delta, changes(&lists)));
                            pushed.expect("legal moves fit the position");
                        } else {
                            evaluator.push((&delta, changes(&lists)));
                        }
                        line.push(after);
                    }
                }
                if random.usize(..rarely) == 0 {
                    let game = &line[line.len() - 1];
                    check_evaluation(&net, &reference, &mut evaluator, game);
                    seen.evaluations += 1;
                }
            }
        }
        assert!(
            seen.evaluations > 800
                && seen.unmakes > 100
                && seen.nulls > 100
                && seen.king_moves > 300
                && seen.crossings > 50,
            "{seen:?} at {level}"
        );
    }
}

/// A random move. Kings move often, so that they cross the middle and change their bucket.
fn choose(game: &Game, random: &mut Rng) -> Option<cozy_chess::Move> {
    let mut moves = Vec::new();
    game.generate_moves(|of_piece| {
        moves.extend(of_piece);
        false
    });
    let king: Vec<_> = moves
        .iter()
        .filter(|mv| is_of_king(game, mv))
        .copied()
        .collect();
    let pool = if king.is_empty() || random.usize(..3) > 0 {
        &moves
    } else {
        &king
    };
    (!pool.is_empty()).then(|| pool[random.usize(..pool.len())])
}

fn is_of_king(game: &Game, mv: &cozy_chess::Move) -> bool {
    game.piece_on(mv.from) == Some(cozy_chess::Piece::King)
}

fn note(game: &Game, mv: cozy_chess::Move, seen: &mut Seen) {
    if is_of_king(game, &mv) {
        seen.king_moves += 1;
        let is_right_half = |square: cozy_chess::Square| square.file() as usize > 3;
        seen.crossings += usize::from(is_right_half(mv.from) != is_right_half(mv.to));
    }
}

/// Compares the evaluator with a full refresh and with the interpreter.
fn check_evaluation(
    net: &mixed::Network,
    reference: &Net,
    evaluator: &mut mixed::Evaluator<&mixed::Network>,
    game: &Game,
) {
    let fresh = Accumulator::new(
        net,
        PositionAndFeatures(game, slices(&chess_features(game))),
    );
    evaluator.prepare();
    let prepared = evaluator.peek_bucket(0);
    assert_eq!(evaluator.accumulator(), fresh.view());
    let found = evaluator.evaluate_bucket(0);
    let side_to_move = Position::side_to_move(game);
    assert_eq!(evaluator.side_to_move(), side_to_move);
    let expected = net.evaluate_bucket(&fresh, side_to_move, 0);
    assert_eq!(found, expected, "{game} at {}", net.level());
    assert_eq!(prepared, Some(expected), "{game} at {}", net.level());
    let passed = net.evaluate_bucket(&fresh, !side_to_move, 0);
    assert_eq!(evaluator.evaluate_bucket_for(!side_to_move, 0), passed);
    let rows = Color::ALL.map(|perspective| mixed_rows(game, perspective));
    let expected = reference.trace(&reference.accumulate(&rows), side_to_move, 0);
    let expected = expected.evaluation;
    assert_eq!(
        Evaluation::from(found),
        expected,
        "{game} at {}",
        net.level()
    );
}

/// Compares the accumulator with the sums over the rows that the documentation gives.
fn check_rows(accumulator: &Accumulator<mixed::Net>, game: &Game) {
    for perspective in Color::ALL {
        let mut sums = vec![0; mixed::WIDTH];
        for row in mixed_rows(game, perspective) {
            for (neuron, sum) in sums.iter_mut().enumerate() {
                *sum += weight(row, neuron) as i16;
            }
        }
        assert_eq!(accumulator.values(perspective), sums);
    }
}

fn weight(row: usize, neuron: usize) -> i32 {
    (((row as u64 * 2654435761 + neuron as u64 * 40503) >> 7) as i32).rem_euclid(101) - 50
}

/// Numbers that no feature has, and what is too much in a list, are left out: without a panic, and
/// without another feature in their place.
#[test]
fn wrong_features_are_left_out() {
    let net = random_net::<ataxx::Net>(include_str!("../../specs/games/ataxx.toml"));
    let empty = Accumulator::new(&net, Features(Color::White, [&[]; 2]));
    let unknown = Accumulator::new(&net, Features(Color::White, [&[147, u32::MAX], &[1 << 31]]));
    assert_eq!(unknown, empty);
    let many: Vec<u32> = (0..147).collect();
    let as_many_as_allowed =
        Accumulator::new(&net, Features(Color::White, [&many[..49], &many[..49]]));
    assert_eq!(
        Accumulator::new(&net, Features(Color::White, [&many, &many])),
        as_many_as_allowed
    );
    let mut updated = empty.clone();
    let changes = FeatureChanges {
        added: &many,
        removed: &[200],
    };
    updated.update_features(&net, &empty, Color::White, changes);
    assert_eq!(
        updated.values(Color::White),
        as_many_as_allowed.values(Color::White)
    );
}
