//! Random games that an evaluator follows on each level.

use std::time::Instant;

use fastrand::Rng;
use nnue_runtime::line::{self, FromFeatures, FromViews};
use nnue_runtime::{
    Accumulator, Architecture, Color, Evaluator, FeatureChanges, Level, Network, Output,
};
use nnue_test_support::games::{Game, Seen, missing};
use nnue_test_support::seed::seeded;

/// Evaluations for each network, unless `NNUE_PLIES` says how many.
const EVALUATIONS: usize = 1_000;

/// The longest random game.
const LONGEST: usize = 300;

/// The value that plain loops compute of what is seen, for a player to move and a stack.
type Expected = Box<dyn Fn(&Seen, Color, usize) -> Output>;

/// A network with the same weights twice: compiled, and in plain loops.
pub(crate) struct Subject<A: Architecture, G> {
    nets: Vec<Network<A>>,
    features: fn(&G) -> Seen,
    stack: fn(&G) -> usize,
    expected: Expected,
}

impl<A: Architecture<Output = Output>, G: Game> Subject<A, G> {
    /// The compiled network of a net file on every level, and what plain loops make of it.
    pub(crate) fn of(
        file: &[u8],
        features: fn(&G) -> Seen,
        stack: fn(&G) -> usize,
        expected: impl Fn(&Seen, Color, usize) -> Output + 'static,
    ) -> Subject<A, G> {
        let net = Network::<A>::from_bytes(file).expect("a file of this network");
        assert!(net.to_bytes() == file, "written as it was read");
        Subject {
            nets: Level::available()
                .map(|level| net.clone().with_level(level))
                .collect(),
            features,
            stack,
            expected: Box::new(expected),
        }
    }
}

/// How an engine tells a network what is active, and what a move changes.
pub(crate) trait Telling<A: Architecture> {
    fn evaluator<'n>(net: &'n Network<A>, start: &Seen) -> Evaluator<A, &'n Network<A>>;
    fn reset(evaluator: &mut Evaluator<A, &Network<A>>, start: &Seen);
    fn push(evaluator: &mut Evaluator<A, &Network<A>>, step: &Step);
    fn fresh(net: &Network<A>, active: &Seen) -> Accumulator<A>;
}

/// What a move changes, per perspective.
pub(crate) struct Step {
    views: [u32; 2],
    changes: [[Vec<u32>; 2]; 2],
}

impl Step {
    fn between(before: &Seen, after: &Seen) -> Step {
        Step {
            views: after.0,
            changes: changes(&before.1, &after.1),
        }
    }
}

/// The features.
pub(crate) struct Features;

impl<A: Architecture<Line = FromFeatures>> Telling<A> for Features {
    fn evaluator<'n>(net: &'n Network<A>, start: &Seen) -> Evaluator<A, &'n Network<A>> {
        Evaluator::new(net, line::Features(Color::White, slices(start)))
    }

    fn reset(evaluator: &mut Evaluator<A, &Network<A>>, start: &Seen) {
        evaluator.reset(line::Features(Color::White, slices(start)));
    }

    fn push(evaluator: &mut Evaluator<A, &Network<A>>, step: &Step) {
        evaluator.push(lists(&step.changes));
    }

    fn fresh(net: &Network<A>, seen: &Seen) -> Accumulator<A> {
        Accumulator::new(net, line::Features(Color::White, slices(seen)))
    }
}

/// The view of each player, and the features in it.
pub(crate) struct Views;

impl<A: Architecture<Line = FromViews>> Telling<A> for Views {
    fn evaluator<'n>(net: &'n Network<A>, start: &Seen) -> Evaluator<A, &'n Network<A>> {
        Evaluator::new(net, line::Views(Color::White, start.0, slices(start)))
    }

    fn reset(evaluator: &mut Evaluator<A, &Network<A>>, start: &Seen) {
        evaluator.reset(line::Views(Color::White, start.0, slices(start)));
    }

    fn push(evaluator: &mut Evaluator<A, &Network<A>>, step: &Step) {
        evaluator.push((step.views, lists(&step.changes)));
    }

    fn fresh(net: &Network<A>, seen: &Seen) -> Accumulator<A> {
        Accumulator::new(net, line::Views(Color::White, seen.0, slices(seen)))
    }
}

fn slices(seen: &Seen) -> [&[u32]; 2] {
    seen.1.each_ref().map(Vec::as_slice)
}

/// Per perspective, the features that a move adds and those that it removes. A move of a king may
/// change all of them.
fn changes(before: &[Vec<u32>; 2], after: &[Vec<u32>; 2]) -> [[Vec<u32>; 2]; 2] {
    [0, 1].map(|color| {
        let (before, after) = (&before[color], &after[color]);
        [missing(before, after), missing(after, before)]
    })
}

fn lists(changes: &[[Vec<u32>; 2]; 2]) -> [FeatureChanges<'_>; 2] {
    changes
        .each_ref()
        .map(|[added, removed]| FeatureChanges { added, removed })
}

/// A move that random games choose. Kings move often, because that changes most.
fn choose<G: Game>(game: &G, random: &mut Rng) -> Option<G::Move> {
    let mut moves = game.moves();
    if random.usize(..4) == 0 {
        let of_king: Vec<_> = moves
            .iter()
            .copied()
            .filter(|chosen| game.is_of_king(*chosen))
            .collect();
        if !of_king.is_empty() {
            moves = of_king;
        }
    }
    (!moves.is_empty()).then(|| moves[random.usize(..moves.len())])
}

/// What happened in the games, so that the test cannot pass without the interesting cases.
#[derive(Debug, Default)]
struct Happened {
    evaluations: usize,
    taken_back: usize,
    king_moves: usize,
    changed_views: usize,
    stacks: std::collections::BTreeSet<usize>,
    values: std::collections::BTreeSet<i32>,
}

/// Follows random games with an evaluator on each level, with moves that are taken back and moves
/// that nobody evaluates between. Returns how many moves changed a view.
pub(crate) fn follow<T, A, G>(subject: &Subject<A, G>) -> usize
where
    T: Telling<A>,
    A: Architecture<Output = Output>,
    G: Game,
{
    let least = match std::env::var("NNUE_PLIES") {
        Ok(number) => number.parse().expect("NNUE_PLIES is a number"),
        Err(_) => EVALUATIONS,
    };
    let mut random = seeded(90);
    let mut happened = Happened::default();
    let start = (subject.features)(&G::start());
    let mut evaluators: Vec<_> = subject
        .nets
        .iter()
        .map(|net| T::evaluator(net, &start))
        .collect();
    while happened.evaluations < least {
        let mut line = vec![(G::start(), start.clone())];
        for evaluator in &mut evaluators {
            T::reset(evaluator, &start);
        }
        for _ in 0..LONGEST {
            let (game, before) = &line[line.len() - 1];
            if line.len() > 1 && random.usize(..6) == 0 {
                line.pop();
                evaluators.iter_mut().for_each(|evaluator| evaluator.pop());
                happened.taken_back += 1;
            } else {
                let Some(chosen) = choose(game, &mut random) else {
                    break;
                };
                happened.king_moves += usize::from(game.is_of_king(chosen));
                let mut after = game.clone();
                after.play(chosen);
                let active = (subject.features)(&after);
                let step = Step::between(before, &active);
                happened.changed_views += usize::from(before.0 != step.views);
                for evaluator in &mut evaluators {
                    T::push(evaluator, &step);
                }
                line.push((after, active));
            }
            if random.usize(..3) > 0 {
                let (game, active) = &line[line.len() - 1];
                check::<T, A, G>(subject, &mut evaluators, game, active, &mut happened);
            }
        }
    }
    let often = happened.evaluations / 20;
    assert!(
        happened.taken_back > often
            && happened.king_moves > often
            && happened.stacks.len() >= 3
            && happened.values.len() > often.min(500),
        "{happened:?}"
    );
    println!(
        "{}: {} evaluations on {} levels, {} moves of kings, {} stacks, {} values",
        A::NAME,
        happened.evaluations,
        evaluators.len(),
        happened.king_moves,
        happened.stacks.len(),
        happened.values.len(),
    );
    happened.changed_views
}

fn check<T, A, G>(
    subject: &Subject<A, G>,
    evaluators: &mut [Evaluator<A, &Network<A>>],
    game: &G,
    active: &Seen,
    happened: &mut Happened,
) where
    T: Telling<A>,
    A: Architecture<Output = Output>,
    G: Game,
{
    let (side, stack) = (game.side_to_move(), (subject.stack)(game));
    let expected = (subject.expected)(active, side, stack);
    // A refresh takes long, and accumulators are the same on every level: they take turns.
    let net = &subject.nets[happened.evaluations % subject.nets.len()];
    let fresh = T::fresh(net, active);
    let refreshed = net.evaluate_bucket(&fresh, side, stack);
    assert_eq!(refreshed, expected, "refreshed at {}", net.level());
    for (evaluator, net) in evaluators.iter_mut().zip(&subject.nets) {
        let level = net.level();
        assert_eq!(evaluator.side_to_move(), side);
        let followed = evaluator.evaluate_bucket(stack);
        assert_eq!(followed, expected, "followed at {level}");
        assert!(
            evaluator.accumulator() == fresh.view(),
            "followed at {level}: not what a refresh sums up"
        );
    }
    happened.evaluations += 1;
    happened.stacks.insert(stack);
    happened.values.insert(expected.value);
}

/// Prints how long an evaluation with its update takes on each level.
pub(crate) fn speed<T, A, G>(name: &str, subject: &Subject<A, G>)
where
    T: Telling<A>,
    A: Architecture<Output = Output>,
    G: Game,
{
    let mut random = seeded(91);
    let mut games = Vec::new();
    let mut plies = 0;
    while plies < 20_000 {
        let mut game = G::start();
        let start = (subject.features)(&game);
        let mut active = start.clone();
        let mut steps = Vec::new();
        while steps.len() < 150 {
            let moves = game.moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[random.usize(..moves.len())]);
            let after = (subject.features)(&game);
            steps.push((Step::between(&active, &after), (subject.stack)(&game)));
            active = after;
        }
        plies += steps.len();
        games.push((start, steps));
    }
    for net in &subject.nets {
        let mut evaluator = T::evaluator(net, &games[0].0);
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let time = Instant::now();
            for (start, steps) in &games {
                T::reset(&mut evaluator, start);
                for (step, stack) in steps {
                    T::push(&mut evaluator, step);
                    std::hint::black_box(evaluator.evaluate_bucket(*stack));
                }
            }
            best = best.min(time.elapsed().as_nanos() as f64 / plies as f64);
        }
        println!("{name}: {best:.0} ns per evaluation at {}", net.level());
    }
}
