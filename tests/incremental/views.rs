//! Networks whose custom sets have views: games like shogi, in which each king decides which rows its
//! player sees.

use std::collections::BTreeSet;

use fastrand::Rng;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::{Evaluation, Net};
use nnue_runtime::line::{FromViews, Views};
use nnue_runtime::{
    Accumulator, Architecture, Color, Evaluator, FeatureChanges, Level, Network, Output, Statistics,
};
use nnue_test_support::random_weights::{RandomWeights, Style};
use nnue_test_support::seed::seeded;
use nnue_tests::features::{shogi, views};

const SHOGI: &str = include_str!("../specs/features/shogi.toml");
const VIEWS: &str = include_str!("../specs/features/views.toml");

/// A compiled network, and the same weights for the interpreter.
fn random_net<A: Architecture>(spec: &str) -> (Network<A>, Net) {
    let network = analyse(&SourceFile::new(A::NAME, spec)).expect("a spec without errors");
    let weights = RandomWeights::draw(&network, Style::Small, 3);
    let file = weights.net_file();
    let net = Network::from_bytes(&file).expect("our own file");
    (net, weights.into_net(&file))
}

/// A game with the board, the kings and the hands of shogi. Other pieces move to any square: what
/// matters is only which features change.
#[derive(Clone)]
struct Game {
    /// The owner and the kind of the piece on a square: 0 is a pawn, 7 a king.
    squares: [Option<(Color, usize)>; 81],
    /// How many pieces white and black have in hand.
    hands: [[usize; KING]; 2],
    side_to_move: Color,
}

const PAWN: usize = 0;
const KING: usize = 7;

impl Game {
    fn start() -> Game {
        let mut game = Game {
            squares: [None; 81],
            hands: [[0; KING]; 2],
            side_to_move: Color::White,
        };
        for file in 0..9 {
            let kind = [1, 2, 3, 4, KING, 4, 3, 2, 1][file];
            for (rank, kind) in [(0, kind), (2, PAWN)] {
                game.squares[9 * rank + file] = Some((Color::White, kind));
                game.squares[80 - 9 * rank - file] = Some((Color::Black, kind));
            }
        }
        for (square, kind) in [(10, 5), (16, 6)] {
            game.squares[square] = Some((Color::White, kind));
            game.squares[80 - square] = Some((Color::Black, kind));
        }
        game
    }

    fn king(&self, color: Color) -> usize {
        let king = Some((color, KING));
        let square = self.squares.iter().position(|piece| *piece == king);
        square.expect("kings stay on the board")
    }

    /// Every third move is one of the king, every fourth is a drop if there is a piece in hand.
    fn play(&mut self, random: &mut Rng) {
        let own = self.side_to_move;
        let hand = &mut self.hands[own.index()];
        let in_hand: Vec<usize> = (0..KING).filter(|kind| hand[*kind] > 0).collect();
        let free: Vec<usize> = (0..81)
            .filter(|square| self.squares[*square].is_none())
            .collect();
        let to = free[random.usize(..free.len())];
        if !in_hand.is_empty() && random.usize(..4) == 0 {
            let kind = in_hand[random.usize(..in_hand.len())];
            hand[kind] -= 1;
            self.squares[to] = Some((own, kind));
        } else if random.usize(..3) == 0 {
            let from = self.king(own);
            let is_near = |to: &usize| {
                let files = (from % 9).abs_diff(to % 9);
                files.max((from / 9).abs_diff(to / 9)) == 1
            };
            let near: Vec<usize> = (0..81).filter(is_near).collect();
            self.move_piece(from, near[random.usize(..near.len())]);
        } else {
            let is_own = |square: &usize| matches!(self.squares[*square], Some((color, kind)) if color == own && kind != KING);
            let pieces: Vec<usize> = (0..81).filter(is_own).collect();
            if !pieces.is_empty() {
                let from = pieces[random.usize(..pieces.len())];
                let to = if random.bool() {
                    to
                } else {
                    random.usize(..81)
                };
                self.move_piece(from, to);
            }
        }
        self.side_to_move = !own;
    }

    /// Moves a piece, unless an own piece or a king stands there.
    fn move_piece(&mut self, from: usize, to: usize) {
        match self.squares[to] {
            Some((color, kind)) if color == self.side_to_move || kind == KING => {}
            captured => {
                if let Some((_, kind)) = captured {
                    self.hands[self.side_to_move.index()][kind] += 1;
                }
                self.squares[to] = self.squares[from].take();
            }
        }
    }
}

/// A perspective's view, and the features that are active in it.
#[derive(Clone)]
struct Seen {
    view: u32,
    active: Vec<u32>,
}

/// The squares as a perspective sees them, with what stands there and whether it is its own.
fn pieces(game: &Game, perspective: Color) -> impl Iterator<Item = (usize, bool, usize)> {
    let squares = game.squares.iter().enumerate();
    squares.filter_map(move |(square, piece)| {
        let (color, kind) = (*piece)?;
        Some((seen(square, perspective), color == perspective, kind))
    })
}

fn seen(square: usize, perspective: Color) -> usize {
    match perspective {
        Color::White => square,
        Color::Black => 80 - square,
    }
}

/// The features of HalfKA2: a number for each piece in hand, planes of pieces on the board, and one
/// plane of both kings.
fn shogi_features(game: &Game, perspective: Color) -> Seen {
    const FIRST_IN_HAND: [usize; KING] = [0, 18, 22, 26, 30, 34, 36];
    let mut active = Vec::new();
    for (owner, color) in [perspective, !perspective].into_iter().enumerate() {
        for (kind, count) in game.hands[color.index()].into_iter().enumerate() {
            let first = 45 * owner + FIRST_IN_HAND[kind];
            active.extend((first..first + count).map(|feature| feature as u32));
        }
    }
    for (square, own, kind) in pieces(game, perspective) {
        let plane = if kind == KING {
            18
        } else {
            2 * kind + usize::from(!own)
        };
        active.push((90 + 81 * plane + square) as u32);
    }
    let view = seen(game.king(perspective), perspective);
    Seen {
        view: view as u32,
        active,
    }
}

/// The features of `tests/specs/features/views.toml`.
fn mirrored_features(game: &Game, perspective: Color) -> Seen {
    let king = seen(game.king(perspective), perspective);
    let is_mirrored = king % 9 > 4;
    let mirror = |square: usize| {
        if is_mirrored {
            square / 9 * 9 + 8 - square % 9
        } else {
            square
        }
    };
    let mut active = BTreeSet::new();
    for (square, own, kind) in pieces(game, perspective) {
        let square = mirror(square);
        let plane = 2 * kind + usize::from(!own);
        active.insert(81 * plane + square);
        if kind == PAWN {
            active.insert(16 * 81 + 38 + 9 * usize::from(!own) + square % 9);
        }
    }
    for (owner, color) in [perspective, !perspective].into_iter().enumerate() {
        let count: usize = game.hands[color.index()].iter().sum();
        active.insert(16 * 81 + 19 * owner + count.min(18));
    }
    let king = mirror(king);
    Seen {
        view: (2 * (king / 9 * 5 + king % 9) + usize::from(is_mirrored)) as u32,
        active: active.into_iter().map(|feature| feature as u32).collect(),
    }
}

type Features = fn(&Game, Color) -> Seen;

/// What both perspectives see.
fn both(features: Features, game: &Game) -> [Seen; 2] {
    Color::ALL.map(|perspective| features(game, perspective))
}

fn views_of(seen: &[Seen; 2]) -> [u32; 2] {
    seen.each_ref().map(|seen| seen.view)
}

fn active(seen: &[Seen; 2]) -> [&[u32]; 2] {
    seen.each_ref().map(|seen| &seen.active[..])
}

/// The features that are added and removed from one to the other.
fn differences(before: &[Seen; 2], after: &[Seen; 2]) -> [[Vec<u32>; 2]; 2] {
    let missing = |from: &[u32], of: &[u32]| {
        let missing = of.iter().filter(|feature| !from.contains(feature));
        missing.copied().collect()
    };
    [0, 1].map(|p| {
        let (before, after) = (&before[p].active, &after[p].active);
        [missing(before, after), missing(after, before)]
    })
}

fn changes(lists: &[[Vec<u32>; 2]; 2]) -> [FeatureChanges<'_>; 2] {
    let lists = lists.each_ref();
    lists.map(|[added, removed]| FeatureChanges { added, removed })
}

/// Counts of what happened in the games, so that the test cannot pass without the interesting
/// cases.
#[derive(Default, Debug)]
struct Happened {
    evaluations: usize,
    unmakes: usize,
    nulls: usize,
    changed_views: usize,
    mirrored: usize,
    clones: usize,
}

/// Plays random games on every level, and compares the evaluator with fresh sums and with the
/// interpreter.
fn check_games<A: Architecture<Line = FromViews, Output = Output>>(
    spec: &str,
    features: Features,
) -> Happened {
    let (mut net, reference) = random_net::<A>(spec);
    let mut random = seeded(81);
    let mut happened = Happened::default();
    for level in Level::available() {
        net = net.with_level(level);
        let start = both(features, &Game::start());
        let mut evaluator =
            Evaluator::new(&net, Views(Color::White, views_of(&start), active(&start)));
        for round in 0..nnue_test_support::play::plies() / 1000 {
            // In some games many moves pass between evaluations.
            let rarely = if round % 3 == 0 { 40 } else { 2 };
            let mut line = vec![Game::start()];
            evaluator.reset(Views(Color::White, views_of(&start), active(&start)));
            for _ in 0..150 {
                let game = line[line.len() - 1].clone();
                match random.usize(..9) {
                    0 if line.len() > 1 => {
                        // Kings return to squares that they have left.
                        for _ in 0..random.usize(1..4).min(line.len() - 1) {
                            line.pop();
                            evaluator.pop();
                            happened.unmakes += 1;
                        }
                    }
                    1 => {
                        line.push(Game {
                            side_to_move: !game.side_to_move,
                            ..game
                        });
                        evaluator.push_null();
                        happened.nulls += 1;
                    }
                    _ => {
                        let mut after = game.clone();
                        after.play(&mut random);
                        let seen = [&game, &after].map(|game| both(features, game));
                        let lists = differences(&seen[0], &seen[1]);
                        evaluator.push((views_of(&seen[1]), changes(&lists)));
                        let changed = (0..2).filter(|p| seen[0][*p].view != seen[1][*p].view);
                        happened.changed_views += changed.count();
                        happened.mirrored +=
                            usize::from(lists.iter().any(|list| list[0].len() > 9));
                        line.push(after);
                    }
                }
                if random.usize(..40) == 0 {
                    evaluator = evaluator.clone();
                    happened.clones += 1;
                }
                if random.usize(..rarely) == 0 {
                    let game = &line[line.len() - 1];
                    check_evaluation(&net, &reference, &mut evaluator, game, features);
                    happened.evaluations += 1;
                }
            }
        }
    }
    happened
}

fn check_evaluation<A: Architecture<Line = FromViews, Output = Output>>(
    net: &Network<A>,
    reference: &Net,
    evaluator: &mut Evaluator<A, &Network<A>>,
    game: &Game,
    features: Features,
) {
    let level = net.level();
    let seen = both(features, game);
    let fresh = Accumulator::new(net, Views(Color::White, views_of(&seen), active(&seen)));
    let expected = net.evaluate_bucket(&fresh, game.side_to_move, 0);
    if let Some(known) = evaluator.peek_bucket(0) {
        assert_eq!(known, expected, "peek without preparing, at {level}");
    }
    evaluator.prepare();
    assert_eq!(evaluator.peek_bucket(0), Some(expected), "at {level}");
    assert_eq!(evaluator.accumulator(), fresh.view(), "at {level}");
    assert_eq!(evaluator.evaluate_bucket(0), expected, "at {level}");
    assert_eq!(evaluator.side_to_move(), game.side_to_move);
    let rows = reference.custom_rows_in_views(views_of(&seen), active(&seen));
    let rows = rows.expect("the features are those of the spec");
    let traced = reference.trace(&reference.accumulate(&rows), game.side_to_move, 0);
    assert_eq!(Evaluation::from(expected), traced.evaluation, "at {level}");
}

#[test]
fn kings_of_shogi_are_followed_along_random_games() {
    let happened = check_games::<shogi::Net>(SHOGI, shogi_features);
    let least = nnue_test_support::play::plies() / 1000;
    assert!(
        happened.evaluations > 15 * least
            && happened.unmakes > 10 * least
            && happened.nulls > 6 * least
            && happened.changed_views > 8 * least
            && happened.clones > least,
        "{happened:?}"
    );
}

#[test]
fn boards_that_views_mirror_are_followed_along_random_games() {
    let happened = check_games::<views::Net>(VIEWS, mirrored_features);
    let least = nnue_test_support::play::plies() / 1000;
    assert!(
        happened.evaluations > 15 * least
            && happened.changed_views > 8 * least
            && happened.mirrored > least,
        "{happened:?}"
    );
}

/// The sums of a perspective from the weights of the interpreter, by the documentation's formula.
#[test]
fn rows_are_those_of_the_view() {
    let (net, reference) = random_net::<shogi::Net>(SHOGI);
    let rows = &reference.weights().transformer[0].rows;
    let row = |row: usize| &rows[shogi::WIDTH * row..][..shogi::WIDTH];
    let sums = |view: u32, feature: u32| {
        let biases = Accumulator::new(&net, Views(Color::White, [0; 2], [&[]; 2]));
        let one = Accumulator::new(&net, Views(Color::White, [view; 2], [&[feature], &[]]));
        let values = one.values(Color::White).iter();
        let sums = values.zip(biases.values(Color::White));
        // Widths are padded with zeros.
        sums.map(|(sum, bias)| sum.wrapping_sub(*bias))
            .filter(|value| *value != 0)
            .collect::<BTreeSet<i16>>()
    };
    for (view, feature) in [(0, 0), (0, 1628), (1, 0), (80, 0), (80, 1628), (40, 7)] {
        let expected: BTreeSet<i16> = row((view * 1629 + feature) as usize)
            .iter()
            .copied()
            .filter(|value| *value != 0)
            .collect();
        assert_eq!(sums(view, feature), expected, "{feature} in view {view}");
    }
    // Views beyond the last are the last, and features beyond the last are none.
    assert_eq!(sums(81, 5), sums(80, 5));
    assert_eq!(sums(u32::MAX, 5), sums(80, 5));
    assert_eq!(sums(3, 1629), BTreeSet::new());
    let mut last = Evaluator::new(&net, Views(Color::White, [81, u32::MAX], [&[5]; 2]));
    assert_eq!(last.evaluate_bucket(0), fresh(&net, 80, &[5]));
    last.push(([0; 2], FeatureChanges::NONE));
    assert_eq!(last.evaluate_bucket(0), fresh(&net, 0, &[5]));
}

/// What an evaluation has cost.
fn cost(evaluator: &mut Evaluator<shogi::Net, &Network<shogi::Net>, Statistics>) -> Statistics {
    let before = evaluator.statistics();
    evaluator.evaluate_bucket(0);
    let after = evaluator.statistics();
    let mut spent = Statistics::default();
    spent.updates = after.updates - before.updates;
    spent.updated_rows = after.updated_rows - before.updated_rows;
    spent.refreshes = after.refreshes - before.refreshes;
    spent.refreshed_rows = after.refreshed_rows - before.refreshed_rows;
    spent.misses = after.misses - before.misses;
    spent
}

#[test]
fn a_king_that_returns_costs_what_has_changed_since() {
    let (net, _) = random_net::<shogi::Net>(SHOGI);
    let start: Vec<u32> = (100..140).collect();
    let mut evaluator = Evaluator::counting(&net, Views(Color::White, [44, 44], [&start, &start]));
    let spent = cost(&mut evaluator);
    assert_eq!(
        (spent.refreshes, spent.misses, spent.refreshed_rows),
        (2, 2, 80)
    );
    // White's king steps aside: its player has not seen the board from there.
    let step = |from, to| FeatureChanges {
        added: to,
        removed: from,
    };
    evaluator.push(([45, 44], [step(&[100], &[150]), step(&[100], &[150])]));
    let spent = cost(&mut evaluator);
    assert_eq!(
        (spent.refreshes, spent.misses, spent.refreshed_rows),
        (1, 1, 40)
    );
    assert_eq!((spent.updates, spent.updated_rows), (1, 2));
    // A piece of black's moves, and the king goes back: one row of it and one of the piece differ
    // from what its player last saw from there.
    evaluator.push(([45, 44], [step(&[101], &[160]), step(&[101], &[160])]));
    evaluator.push(([44, 44], [step(&[150], &[100]), step(&[150], &[100])]));
    let spent = cost(&mut evaluator);
    assert_eq!(
        (spent.refreshes, spent.misses, spent.refreshed_rows),
        (1, 0, 2)
    );
    assert_eq!((spent.updates, spent.updated_rows), (1, 4));
    // The same after a reset, to the position that the cache knows of white's view alone.
    let now: Vec<u32> = (102..140).chain([100, 160]).collect();
    evaluator.reset(Views(Color::White, [44, 80], [&now, &now]));
    let spent = cost(&mut evaluator);
    assert_eq!(
        (spent.refreshes, spent.misses, spent.refreshed_rows),
        (2, 1, 40)
    );
}

/// The evaluation of these features in fresh sums.
fn fresh(net: &Network<shogi::Net>, view: u32, active: &[u32]) -> Output {
    let accumulator = Accumulator::new(net, Views(Color::White, [view; 2], [active; 2]));
    net.evaluate_bucket(&accumulator, Color::White, 0)
}

/// Whatever an engine tells wrongly, evaluations are right after a reset: the cache keeps no sums
/// of features that lists had no room for, or that were not there.
#[test]
fn what_was_told_wrongly_is_forgotten() {
    let (net, _) = random_net::<shogi::Net>(SHOGI);
    let right: Vec<u32> = (200..240).collect();
    let far: Vec<u32> = (1000..1040).collect();
    let many: Vec<u32> = (0..130).collect();
    let wrong = [
        FeatureChanges {
            added: &many,
            removed: &[],
        },
        FeatureChanges {
            added: &right,
            removed: &[],
        },
        FeatureChanges {
            added: &[],
            removed: &many,
        },
        FeatureChanges {
            added: &[5, 5, 6],
            removed: &[5, 700],
        },
        FeatureChanges {
            added: &[1629, 1700, u32::MAX],
            removed: &[1630, 1 << 31],
        },
    ];
    let mut evaluator = Evaluator::new(&net, Views(Color::White, [7; 2], [&right; 2]));
    for changes in wrong {
        for again in [false, true] {
            for view in [7, 8, 7] {
                evaluator.push(([view; 2], [changes; 2]));
                evaluator.evaluate_bucket(0);
            }
            if again {
                evaluator.reset(Views(Color::White, [8; 2], [&many; 2]));
                evaluator.evaluate_bucket(0);
            }
            for view in [8, 7] {
                for active in [&far, &right] {
                    evaluator.reset(Views(Color::White, [view; 2], [active; 2]));
                    let expected = fresh(&net, view, active);
                    assert_eq!(evaluator.evaluate_bucket(0), expected, "{changes:?}");
                }
            }
        }
    }
}

/// A feature that is both added and removed stays as it was, whichever way it is computed.
#[test]
fn features_in_both_lists_stay_as_they_are() {
    let (net, _) = random_net::<shogi::Net>(SHOGI);
    let active = [10, 20, 30];
    for feature in [20, 40] {
        for view in [3, 4] {
            let mut evaluator = Evaluator::new(&net, Views(Color::White, [3; 2], [&active; 2]));
            evaluator.evaluate_bucket(0);
            let both = FeatureChanges {
                added: &[feature],
                removed: &[feature],
            };
            evaluator.push(([view; 2], [both; 2]));
            let expected = fresh(&net, view, &active);
            assert_eq!(evaluator.evaluate_bucket(0), expected);
            assert_eq!(evaluator.side_to_move(), Color::Black);
        }
    }
}
