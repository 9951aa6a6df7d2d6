//! Random games with unmakes, null moves, castling (Chess960 too), en passant and promotions.

use crate::seed::seeded;
use cozy_chess::{Board as Game, Move};
use fastrand::Rng;
use nnue_interpreter::Net;
use nnue_runtime::line::StartsAt;
use nnue_runtime::{
    Accumulator, Board, Delta, Evaluator, Network, Output, Position, SelectedByPieces,
};

/// Counts of what happened in the games, so that the test cannot pass without the interesting
/// cases.
#[derive(Default, Debug)]
struct Seen {
    evaluations: usize,
    siblings: usize,
    unmakes: usize,
    nulls: usize,
    king_moves: usize,
    /// Kings that crossed the middle, where sets mirror the board.
    mirrorings: usize,
    castlings: usize,
    captures_en_passant: usize,
    promotions: usize,
    /// Moves that give a player the first queen, or take the last.
    queens: usize,
}

impl Seen {
    fn assert_more_than(&self, least: usize) {
        let Seen {
            evaluations,
            siblings,
            unmakes,
            nulls,
            king_moves,
            mirrorings,
            castlings,
            captures_en_passant,
            promotions,
            queens,
        } = *self;
        let counts = [
            evaluations,
            siblings,
            unmakes,
            nulls,
            king_moves,
            mirrorings,
            castlings,
            captures_en_passant,
            promotions,
            queens,
        ];
        assert!(counts.iter().all(|count| *count > least), "{self:?}");
    }
}

/// One in this number of evaluations is compared with the interpreter, which takes a hundred times
/// as long as a refresh, but shares no code with it. It is prime, so that all levels have their
/// turn.
const INTERPRETED: usize = 127;

/// Positions with as many attacks as there can be, with the fewest pieces, and with long exchanges.
const EXTREME_STARTS: [&str; 7] = [
    "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
    "nnnnknnn/nnnnnnnn/8/8/8/8/NNNNNNNN/NNNNKNNN w - - 0 1",
    "rrrrkbbb/bbbbrrrr/8/8/8/8/BBBBRRRR/RRRRKBBB w - - 0 1",
    "8/8/8/3k4/8/3K4/8/8 w - - 0 1",
    "8/k1PPPPPP/8/8/8/8/pppppp1K/8 w - - 0 1",
    "rnbqkbnr/8/8/pppppppp/PPPPPPPP/8/8/RNBQKBNR w KQkq - 0 1",
    "4k3/8/8/8/8/8/PPPPPPPP/QQQQKQQQ w - - 0 1",
];

/// Lines that follow games and boards: with the half-move clock, where the network sees it.
pub trait Played: StartsAt<Game> + StartsAt<Board> {}

impl<L: StartsAt<Game> + StartsAt<Board>> Played for L {}

/// Evaluators of one network on several levels, which follow the same game.
struct Followers<'a, A: SelectedByPieces<Line: Played>> {
    nets: &'a [Network<A>],
    reference: &'a Net,
    evaluators: Vec<Evaluator<A, &'a Network<A>>>,
    /// Sums that are computed from nothing, by each level in turn.
    refreshed: Accumulator<A>,
    evaluations: usize,
}

impl<'a, A: SelectedByPieces<Line: Played, Output = Output>> Followers<'a, A> {
    fn new(nets: &'a [Network<A>], reference: &'a Net) -> Followers<'a, A> {
        let start = Board::start();
        Followers {
            nets,
            reference,
            evaluators: nets.iter().map(|net| Evaluator::new(net, &start)).collect(),
            refreshed: Accumulator::new(&nets[0], &start),
            evaluations: 0,
        }
    }

    fn each(&mut self, mut act: impl FnMut(&mut Evaluator<A, &'a Network<A>>)) {
        for evaluator in &mut self.evaluators {
            act(evaluator);
        }
    }

    /// Asserts that every level evaluates a position as a refresh does.
    fn check(&mut self, game: &Game) {
        let net = &self.nets[self.evaluations % self.nets.len()];
        self.evaluations += 1;
        self.refreshed.refresh(net, game);
        let expected = net.evaluate(&self.refreshed, game);
        if self.evaluations.is_multiple_of(INTERPRETED) {
            let bucket = Network::<A>::bucket(game.occupied().len() as usize);
            let interpreted = self.reference.evaluate(game, bucket);
            let level = net.level();
            assert_eq!(
                interpreted,
                expected.into(),
                "{} at {level}: {game}",
                A::NAME
            );
        }
        let bucket = Network::<A>::bucket(game.occupied().len() as usize);
        let side = Position::side_to_move(game);
        let passed = net.evaluate_bucket(&self.refreshed, !side, bucket);
        for evaluator in &mut self.evaluators {
            let place = format!("{} at {}: {game}", A::NAME, evaluator.network().level());
            let known = evaluator.peek();
            assert!(known.is_none_or(|known| known == expected), "{place}");
            // What else an evaluator can be asked comes first in turns.
            match self.evaluations % 5 {
                0 => evaluator.prepare(),
                1 => assert_eq!(evaluator.accumulator(), self.refreshed.view(), "{place}"),
                2 => assert_eq!(evaluator.bucket(), bucket, "{place}"),
                3 => assert_eq!(evaluator.evaluate_for(!side), passed, "{place}"),
                _ => assert_eq!(evaluator.evaluate(), expected, "{place}"),
            }
            if self.evaluations % 5 != 2 {
                assert_eq!(evaluator.peek(), Some(expected), "{place}");
            }
            assert_eq!(evaluator.evaluate(), expected, "{place}");
            assert_eq!(evaluator.peek(), Some(expected), "{place}");
            if self.evaluations.is_multiple_of(7) {
                evaluator.push_null();
                match <A::Line as StartsAt<Game>>::clock(game) {
                    None => assert_eq!(evaluator.peek(), Some(passed), "{place}"),
                    // The null move has counted.
                    Some(_) => evaluator.take_clock_of(game),
                }
                assert_eq!(evaluator.evaluate(), passed, "{place}");
                evaluator.pop();
            }
            assert_eq!(evaluator.side_to_move(), side, "{place}");
        }
    }
}

/// Plays random plies from standard, Chess960 and extreme starts: a position is evaluated on each level
/// after every third ply or so, and three of the moves in every sixth. Every evaluation must equal
/// a refresh's.
pub(crate) fn check<A: SelectedByPieces<Line: Played, Output = Output>>(
    nets: &[Network<A>],
    reference: &Net,
    plies: usize,
) {
    let mut seen = Seen::default();
    let mut random = seeded(1);
    let mut followers = Followers::new(nets, reference);
    let mut made = 0;
    while made < plies {
        let start = match random.usize(..4) {
            0 => Game::startpos(),
            1 => {
                let [white, black] = [(); 2].map(|()| random.usize(..960) as u32);
                Game::double_chess960_startpos(white, black)
            }
            _ => {
                let extreme = EXTREME_STARTS[random.usize(..EXTREME_STARTS.len())];
                extreme.parse().expect("a FEN")
            }
        };
        followers.each(|evaluator| evaluator.reset(&start));
        let mut line = vec![start];
        for _ in 0..random.usize(..400) {
            let game = line[line.len() - 1].clone();
            match random.usize(..10) {
                0 if line.len() > 1 => {
                    for _ in 0..=random.usize(..5) {
                        if line.len() > 1 {
                            line.pop();
                            followers.each(Evaluator::pop);
                            seen.unmakes += 1;
                        }
                    }
                }
                1 if game.null_move().is_some() => {
                    line.extend(game.null_move());
                    followers.each(Evaluator::push_null);
                    seen.nulls += 1;
                }
                _ => {
                    let Some(chosen) = choose(&game, &mut random) else {
                        break;
                    };
                    note(&game, chosen, &mut seen);
                    let delta = Delta::from_cozy(&game, chosen);
                    // An evaluator computes several moves at once only if it did not evaluate after
                    // each.
                    if random.usize(..8) == 0 {
                        followers.each(|evaluator| {
                            evaluator
                                .try_push(&delta)
                                .expect("legal moves fit the position");
                        });
                    } else {
                        followers.each(|evaluator| evaluator.push(&delta));
                    }
                    let mut after = game.clone();
                    after.play(chosen);
                    seen.queens += usize::from(have_queens(&game) != have_queens(&after));
                    line.push(after);
                    made += 1;
                }
            }
            let game = &line[line.len() - 1];
            followers.each(|evaluator| assert_eq!(evaluator.ply(), line.len() - 1));
            if random.usize(..3) == 0 {
                followers.check(game);
                seen.evaluations += 1;
            }
            // Two siblings whose parent was never evaluated: the second one makes the evaluator
            // compute it.
            if random.usize(..6) == 0 {
                for _ in 0..3 {
                    let Some(chosen) = choose(game, &mut random) else {
                        break;
                    };
                    let mut after = game.clone();
                    after.play(chosen);
                    let delta = Delta::from_cozy(game, chosen);
                    followers.each(|evaluator| evaluator.push(&delta));
                    followers.check(&after);
                    followers.each(Evaluator::pop);
                    seen.siblings += 1;
                }
            }
        }
    }
    println!("{}: {seen:?}", A::NAME);
    seen.assert_more_than(plies / 2000);
}

/// A random legal move: often of the king, which changes its side's view, and often a special move
/// if there is one.
fn choose(game: &Game, random: &mut Rng) -> Option<Move> {
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
                game.color_on(mv.to) == Some(game.side_to_move()) || random.usize(..20) == 0
            }
            Some(cozy_chess::Piece::Pawn) => mv.promotion.is_some() || is_en_passant(game, *mv),
            _ => false,
        })
        .collect();
    let pool = if special.is_empty() || random.usize(..3) == 0 {
        &moves
    } else {
        &special
    };
    (!pool.is_empty()).then(|| pool[random.usize(..pool.len())])
}

/// Whether white has a queen, and whether black has.
fn have_queens(game: &Game) -> [bool; 2] {
    let queens = game.pieces(cozy_chess::Piece::Queen);
    cozy_chess::Color::ALL.map(|color| !(queens & game.colors(color)).is_empty())
}

fn is_en_passant(game: &Game, mv: Move) -> bool {
    mv.from.file() != mv.to.file() && game.piece_on(mv.to).is_none()
}

fn note(game: &Game, mv: Move, seen: &mut Seen) {
    match game.piece_on(mv.from) {
        Some(cozy_chess::Piece::King) => {
            let crosses = |square: cozy_chess::Square| square.file() >= cozy_chess::File::E;
            seen.king_moves += 1;
            seen.mirrorings += usize::from(crosses(mv.from) != crosses(mv.to));
            seen.castlings += usize::from(game.color_on(mv.to) == Some(game.side_to_move()));
        }
        Some(cozy_chess::Piece::Pawn) => {
            seen.captures_en_passant += usize::from(is_en_passant(game, mv));
            seen.promotions += usize::from(mv.promotion.is_some());
        }
        _ => {}
    }
}
