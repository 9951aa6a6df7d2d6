//! Compiled networks against the interpreter: the same weights, positions and games, every bucket
//! and level.

mod cases;

use std::collections::BTreeSet;

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::feature_set::FeatureSet;
use nnue_compiler::format::Element;
use nnue_compiler::network;
use nnue_compiler::network::file::Tensor;
use nnue_compiler::{analyse, file_layout};
use nnue_interpreter::{Accumulators, ActiveRows, Evaluation, Net};
use nnue_runtime::line::{self, FromBoth, FromFeatures, FromViews, StartsAt};
use nnue_runtime::neurons::Neurons;
use nnue_runtime::{
    Accumulator, Architecture, Board, Color, Evaluated, Evaluator, HeadValue, Level, Network,
    Position, SelectedByPieces,
};

use crate::random_weights::{RandomWeights, Style};
use cases::{Features, Game, features, games, positions};
use fastrand::Rng;

/// Compares a compiled network with the interpreter, and its choice of buckets with the spec's.
///
/// # Panics
///
/// At the first difference.
pub fn check<
    A: SelectedByPieces<Line: StartsAt<Board>, Output: Evaluated<Evaluation: Into<Evaluation>>>,
>(
    spec: &str,
) {
    let network = checked_network(spec);
    let by_pieces = network.stacks.by_pieces;
    let by_pieces = by_pieces.expect("buckets follow from the pieces");
    for (pieces, bucket) in by_pieces.iter().enumerate().skip(1) {
        let found = Network::<A>::bucket(pieces);
        assert_eq!(found, usize::from(*bucket), "{pieces} pieces");
    }
    compare::<A>(&network);
}

/// Checks that the code of a network has each weight where it belongs.
///
/// # Panics
///
/// At the first value that is wrong.
pub fn self_check<A: nnue_wiring::Probed>() {
    if let Err(mismatch) = nnue_wiring::check::<A>() {
        panic!("{mismatch}");
    }
}

/// [`check`] for networks whose caller says which bucket.
///
/// # Panics
///
/// At the first difference.
pub fn check_by_caller<
    A: Architecture<Line: StartsAt<Board>, Output: Evaluated<Evaluation: Into<Evaluation>>>,
>(
    spec: &str,
) {
    compare::<A>(&checked_network(spec));
}

/// [`check`] for networks whose active features the engine tells.
///
/// # Panics
///
/// At the first difference.
pub fn check_custom<
    A: Architecture<Line = FromFeatures, Output: Evaluated<Evaluation: Into<Evaluation>>>,
>(
    spec: &str,
) {
    check_supplied(spec, supplied::<A>);
}

/// [`check`] for networks whose active features and views the engine tells.
///
/// # Panics
///
/// At the first difference.
pub fn check_views<
    A: Architecture<Line = FromViews, Output: Evaluated<Evaluation: Into<Evaluation>>>,
>(
    spec: &str,
) {
    check_supplied(spec, seen::<A>);
}

/// Compares the features that the engine tells, by a function that is given the network, the line,
/// what is expected along it and the place that messages name.
fn check_supplied<A: Architecture<Output: Evaluated<Evaluation: Into<Evaluation>>>>(
    spec: &str,
    compare: impl Fn(&Network<A>, &[Features], &[Expected], &str),
) {
    let network = checked_network(spec);
    let line = features(&network);
    with_all_weights::<A>(&network, |reference, subject| {
        let expected = |features: &Features| {
            let accumulators = told_accumulators(reference, features);
            Expected::of(reference, &accumulators, features.side_to_move)
        };
        let expected: Vec<_> = line.iter().map(expected).collect();
        subject.on_every_level(|net, place| compare(net, &line, &expected, place))
    });
}

/// [`check`] for networks in which the engine tells some of the active features, and others follow
/// from the position.
///
/// # Panics
///
/// At the first difference.
pub fn check_mixed<
    A: Architecture<Line = FromBoth, Output: Evaluated<Evaluation: Into<Evaluation>>>,
>(
    spec: &str,
) {
    let network = checked_network(spec);
    let (games, line) = (games(), features(&network));
    with_all_weights::<A>(&network, |reference, subject| {
        let expected = |(board, features): (&Board, &Features)| {
            let accumulators = accumulators(reference, board, features.active());
            Expected::of(reference, &accumulators, board.side_to_move())
        };
        let of_games: Vec<Vec<_>> = games
            .iter()
            .map(|game| game.boards.iter().zip(&line).map(expected).collect())
            .collect();
        if subject.style == Style::Small {
            assert_telling(&network, of_games.iter().flatten());
        }
        subject.on_every_level(|net, place| {
            for (game, expected) in games.iter().zip(&of_games) {
                followed(net, game, &line, expected, place);
            }
        })
    });
}

/// Whether each layer of a network, with weights like those of trainers, has different values for
/// different positions. A layer whose values never change would hide every error before it.
#[must_use]
pub fn tells(network: &network::Network) -> bool {
    let weights = RandomWeights::draw(network, Style::Small, 1);
    let file = weights.net_file();
    let reference = weights.into_net(&file);
    let line = features(network);
    let sums: Vec<(Accumulators, Color)> = if network.features.iter().all(FeatureSet::is_supplied) {
        line.iter()
            .map(|line| (told_accumulators(&reference, line), line.side_to_move))
            .collect()
    } else {
        let boards = positions(9).into_iter().zip(line.iter().cycle());
        boards
            .map(|(board, features)| {
                let accumulators = accumulators(&reference, &board, features.active());
                (accumulators, board.side_to_move())
            })
            .collect()
    };
    let told = |what: &dyn Fn(&Accumulators, Color) -> String| {
        let told = sums
            .iter()
            .map(|(sums, side_to_move)| what(sums, *side_to_move));
        told.collect::<BTreeSet<_>>().len() >= TELLING
    };
    let layers = 0..network.layers.len();
    let positional = |sums: &Accumulators, side_to_move| {
        let outputs = reference.trace(sums, side_to_move, 0).evaluation.outputs();
        outputs[0].positional.to_string()
    };
    told(&positional)
        && layers.into_iter().all(|index| {
            told(&|sums, side_to_move| {
                let trace = reference.trace(sums, side_to_move, 0);
                format!("{:?}", trace.layers[index])
            })
        })
}

/// The accumulators of a position and of features that the engine tells.
fn accumulators(reference: &Net, board: &Board, active: [&[u32]; 2]) -> Accumulators {
    let mut rows = reference.active_rows(board);
    for (rows, told) in rows.iter_mut().zip(told_rows(reference, active)) {
        rows.extend(told);
    }
    reference.accumulate(&rows)
}

/// The accumulators of features that the engine tells.
fn told_accumulators(reference: &Net, features: &Features) -> Accumulators {
    let rows = reference.custom_rows_in_views(features.views, features.active());
    reference.accumulate(&rows.unwrap_or_else(|error| panic!("{error}")))
}

fn told_rows(reference: &Net, active: [&[u32]; 2]) -> ActiveRows {
    let rows = reference.custom_rows(active);
    rows.unwrap_or_else(|error| panic!("{error}"))
}

fn checked_network(spec: &str) -> network::Network {
    analyse(&SourceFile::new("spec", spec)).unwrap_or_else(|errors| panic!("{errors}"))
}

fn compare<
    A: Architecture<Line: StartsAt<Board>, Output: Evaluated<Evaluation: Into<Evaluation>>>,
>(
    network: &network::Network,
) {
    let (positions, games) = (positions(12), games());
    with_all_weights::<A>(network, |reference, subject| {
        let expected = |board: &Board| {
            let accumulators = accumulators(reference, board, [&[], &[]]);
            Expected::of(reference, &accumulators, board.side_to_move())
        };
        let of_positions: Vec<_> = positions.iter().map(expected).collect();
        let of_games: Vec<Vec<_>> = games
            .iter()
            .map(|game| game.boards.iter().map(expected).collect())
            .collect();
        if subject.style == Style::Small {
            let of_games = of_games.iter().flatten();
            assert_telling(network, of_positions.iter().chain(of_games));
        }
        subject.on_every_level(|net, place| {
            for (board, expected) in positions.iter().zip(&of_positions) {
                refreshed(net, board, expected, place);
            }
            for (game, expected) in games.iter().zip(&of_games) {
                played(net, game, expected, place);
                updated(net, game, expected, place);
            }
        })
    });
}

/// One style, which the network's name chooses, so that networks together have all styles that can
/// show more than zeros do; all styles if `NNUE_WEIGHTS` is `all`; the one that reaches the limits
/// of types if it is `extreme`.
fn styles(name: &str) -> Vec<Style> {
    let chosen = std::env::var("NNUE_WEIGHTS").unwrap_or_default();
    match &*chosen {
        "" => {
            let styles = [Style::Small, Style::Extreme, Style::Alternating];
            let sum: usize = name.bytes().map(usize::from).sum();
            vec![styles[sum % styles.len()]]
        }
        "all" => Style::ALL.to_vec(),
        "extreme" => vec![Style::Extreme],
        other => panic!("NNUE_WEIGHTS is `all`, `extreme` or not set, found `{other}`"),
    }
}

/// Runs a check with weights of each style, and prints the levels that it went through.
fn with_all_weights<A: Architecture>(
    network: &network::Network,
    check: impl Fn(&Net, Subject<A>) -> Subject<A>,
) {
    // Tools make at run time what generated code has as a constant, also to find weights by.
    assert_eq!(*A::FILE, file_layout(network), "{}", network.name);
    for (seed, style) in (1..).zip(styles(&network.name)) {
        let weights = RandomWeights::draw(network, style, seed);
        let file = weights.net_file();
        let name = format!("{} with {style:?} weights", network.name);
        let net = Network::from_bytes(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let net = written_and_read(&net, &file, rounds(network), &name);
        // Weights that belong to several networks are read by all levels, each with layers of its
        // own.
        let net = match style {
            Style::Extreme => Network::shared(&file).expect("it loads elsewhere"),
            _ => net,
        };
        let subject = Subject {
            net,
            style,
            name,
            levels: Vec::new(),
        };
        let reference = weights.into_net(&file);
        let mut subject = check(&reference, subject);
        println!("{}: equal at {}", subject.name, subject.levels.join(", "));
        if matches!(style, Style::Small | Style::Alternating) {
            // Another order of the outputs must not change the network. Pairs of alternating
            // weights have small sums; in the new order, weights of the same sign can meet.
            subject.reorder();
            check(&reference, subject);
        }
    }
}

/// Writes the network's file, compares it with the one that was loaded, and loads it again.
fn written_and_read<A: Architecture>(
    net: &Network<A>,
    file: &[u8],
    rounds: bool,
    name: &str,
) -> Network<A> {
    let written = net.to_bytes();
    assert!(
        rounds || written == file,
        "{name}: written otherwise than read"
    );
    Network::from_bytes(&written).unwrap_or_else(|error| panic!("{name}, written: {error}"))
}

/// Whether the file has floating point where the network has integers, or sums: then other numbers
/// may be written that become the same.
fn rounds(network: &network::Network) -> bool {
    let has_float_sums =
        |tensor: &Tensor| tensor.stored.element == Element::F32 && tensor.role.is_shared_summand();
    network
        .file
        .tensors()
        .any(|tensor| tensor.stored.quantise.is_some() || has_float_sums(tensor))
}

/// The network under test.
struct Subject<A: Architecture> {
    net: Network<A>,
    style: Style,
    name: String,
    levels: Vec<&'static str>,
}

impl<A: Architecture> Subject<A> {
    /// Puts the outputs into another order.
    fn reorder(&mut self) {
        self.name += ", in another order,";
        let same: Vec<usize> = (0..A::NEURONS.outputs).collect();
        let before = self.net.to_bytes();
        let unchanged = reordered(&self.net, &same, &self.name).to_bytes();
        assert!(unchanged == before, "{}", self.name);
        let order = another_order(&A::NEURONS);
        let net = reordered(&self.net, &order, &self.name);
        let file = net.to_bytes();
        let is_another = order != same;
        assert_eq!(file != before, is_another, "{}: the same file", self.name);
        let read = Network::from_bytes(&file);
        let read = read.unwrap_or_else(|error| panic!("{}, written: {error}", self.name));
        // Both must work: a reordered network that is loaded from its file, and one that never was
        // in a file.
        self.net = if self.style == Style::Small {
            read
        } else {
            net
        };
    }

    fn on_every_level(mut self, check: impl Fn(&Network<A>, &str)) -> Subject<A> {
        for level in Level::available() {
            self.net = self.net.with_level(level);
            check(&self.net, &format!("{} at {level}", self.name));
            self.levels.push(level.name());
        }
        self
    }
}

fn reordered<A: Architecture>(net: &Network<A>, order: &[usize], name: &str) -> Network<A> {
    let net = net.reordered(order);
    net.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// An order in which every output has a new place, if there is another one that the same layers
/// read.
fn another_order(neurons: &Neurons) -> Vec<usize> {
    let mut random = Rng::with_seed(9);
    let classes = neurons.classes();
    let mut order: Vec<usize> = (0..classes.len()).collect();
    for place in (1..order.len()).rev() {
        // Only earlier places are chosen (Sattolo's algorithm), so that all outputs of a class form
        // one cycle.
        let alike = (0..place).filter(|other| classes[*other] == classes[place]);
        let alike: Vec<usize> = alike.collect();
        if !alike.is_empty() {
            order.swap(place, alike[random.usize(..alike.len())]);
        }
    }
    order
}

/// What the interpreter computes for a position: the transformer's output, and the evaluations of
/// buckets.
struct Expected {
    side_to_move: Color,
    /// Sorted, because networks may have their outputs in another order.
    transformer: Vec<i64>,
    /// With the number of each bucket.
    buckets: Vec<(usize, Outputs)>,
}

/// An evaluation, and the values of further heads. Every NaN is the same.
#[derive(Clone, Debug, PartialEq)]
struct Outputs {
    evaluation: Evaluation,
    heads: Vec<String>,
}

impl Outputs {
    fn new(evaluation: Evaluation, heads: impl Iterator<Item = HeadValue>) -> Outputs {
        let exact = |value| match value {
            HeadValue::Integer(value) => value.to_string(),
            HeadValue::Float(value) if value.is_nan() => "NaN".to_string(),
            HeadValue::Float(value) => format!("{value}: {:#x}", value.to_bits()),
        };
        Outputs {
            evaluation,
            heads: heads.map(exact).collect(),
        }
    }

    /// What a compiled network found.
    fn of<E: Evaluated<Evaluation: Into<Evaluation>>>(found: E) -> Outputs {
        let heads = (0..E::HEADS.len()).filter_map(|index| found.head(index));
        Outputs::new(found.evaluation().into(), heads)
    }
}

/// The buckets that are compared: all, or of very many the first, the last, and some whose numbers
/// need more than a byte.
fn buckets(stacks: usize) -> impl Iterator<Item = usize> {
    const ALL: usize = 16;
    let step = (stacks / ALL).max(1);
    let spread = (0..stacks).step_by(step).filter(move |_| stacks > ALL);
    let each = (0..stacks).filter(move |_| stacks <= ALL);
    each.chain(spread)
        .chain((stacks > ALL).then_some(stacks - 1))
}

impl Expected {
    fn of(reference: &Net, accumulators: &Accumulators, side_to_move: Color) -> Expected {
        let mut transformer = Vec::new();
        let buckets = buckets(reference.network().stacks.count).map(|bucket| {
            let trace = reference.trace(accumulators, side_to_move, bucket);
            transformer = trace.transformer.integers().to_vec();
            let outputs = Outputs::new(trace.evaluation, trace.heads.into_iter());
            (bucket, outputs)
        });
        Expected {
            side_to_move,
            buckets: buckets.collect(),
            transformer: sorted(transformer.into_iter()),
        }
    }
}

fn sorted(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut values: Vec<i64> = values.collect();
    values.sort_unstable();
    values
}

/// The number of different values that a network must have over all positions.
const TELLING: usize = 8;

/// Asserts that the values differ: a comparison of networks whose value is always the same would
/// find nothing.
fn assert_telling<'e>(network: &network::Network, positions: impl Iterator<Item = &'e Expected>) {
    let said: BTreeSet<i32> = positions
        .flat_map(|position| &position.buckets)
        .flat_map(|(_, outputs)| outputs.evaluation.outputs())
        .map(|output| output.positional)
        .collect();
    assert!(said.len() >= TELLING, "{} says only {said:?}", network.name);
}

/// Compares the evaluations of an accumulator with every bucket.
fn every_bucket<A: Architecture<Output: Evaluated<Evaluation: Into<Evaluation>>>>(
    net: &Network<A>,
    accumulator: &Accumulator<A>,
    expected: &Expected,
    place: impl Fn() -> String,
) {
    same_outputs(accumulator, expected, &place);
    for (bucket, evaluation) in &expected.buckets {
        let found = net.evaluate_bucket(accumulator, expected.side_to_move, *bucket);
        assert_eq!(
            Outputs::of(found),
            *evaluation,
            "{}: bucket {bucket}",
            place()
        );
    }
}

fn same_outputs<A: Architecture>(
    accumulator: &Accumulator<A>,
    expected: &Expected,
    place: impl Fn() -> String,
) {
    let outputs = accumulator.outputs(expected.side_to_move);
    let outputs = sorted(outputs.map(i64::from));
    assert!(outputs == expected.transformer, "{}: outputs", place());
}

fn refreshed<
    A: Architecture<Line: StartsAt<Board>, Output: Evaluated<Evaluation: Into<Evaluation>>>,
>(
    net: &Network<A>,
    board: &Board,
    expected: &Expected,
    place: &str,
) {
    let accumulator = Accumulator::new(net, board);
    every_bucket(net, &accumulator, expected, || format!("{place}: {board}"));
}

/// Compares the evaluation of one bucket, in the current position of a game.
fn along<A: Architecture<Output: Evaluated<Evaluation: Into<Evaluation>>>>(
    evaluator: &mut Evaluator<A, &Network<A>>,
    game: &Game,
    expected: &[Expected],
    place: &str,
) {
    let ply = evaluator.ply();
    let buckets = &expected[ply].buckets;
    let (bucket, evaluation) = &buckets[ply % buckets.len()];
    assert_eq!(
        Outputs::of(evaluator.evaluate_bucket(*bucket)),
        *evaluation,
        "{place}: bucket {bucket} along a game in {}",
        game.boards[ply]
    );
}

/// Takes back all moves of a game, with evaluations after some of them.
fn taken_back<A: Architecture<Output: Evaluated<Evaluation: Into<Evaluation>>>>(
    mut evaluator: Evaluator<A, &Network<A>>,
    game: &Game,
    expected: &[Expected],
    place: &str,
) {
    while evaluator.ply() > 0 {
        evaluator.pop();
        if evaluator.ply().is_multiple_of(2) {
            along(&mut evaluator, game, expected, place);
        }
    }
}

/// Plays a game and takes it back, with evaluations after some of the moves.
fn played<
    A: Architecture<Line: StartsAt<Board>, Output: Evaluated<Evaluation: Into<Evaluation>>>,
>(
    net: &Network<A>,
    game: &Game,
    expected: &[Expected],
    place: &str,
) {
    let mut evaluator = Evaluator::new(net, &game.boards[0]);
    for delta in &game.deltas {
        evaluator.push(delta);
        if evaluator.ply() % 3 != 0 {
            along(&mut evaluator, game, expected, place);
        }
    }
    taken_back(evaluator, game, expected, place);
}

/// Plays a game with accumulators alone, each made from the one before it.
fn updated<A: Architecture<Line: StartsAt<Board>>>(
    net: &Network<A>,
    game: &Game,
    expected: &[Expected],
    place: &str,
) {
    let mut accumulator = Accumulator::new(net, &game.boards[0]);
    let plies = game.deltas.iter().zip(&game.boards[1..]);
    for ((delta, after), expected) in plies.zip(&expected[1..]) {
        let before = accumulator.clone();
        accumulator.update(net, &before, delta, after);
        same_outputs(&accumulator, expected, || {
            format!("{place}: updated to {after}")
        });
    }
}

/// Compares features that the engine tells, both as a whole and as changes.
fn supplied<
    A: Architecture<Line = FromFeatures, Output: Evaluated<Evaluation: Into<Evaluation>>>,
>(
    net: &Network<A>,
    line: &[Features],
    expected: &[Expected],
    place: &str,
) {
    let mut evaluator = Evaluator::new(net, line::Features(line[0].side_to_move, line[0].active()));
    for (ply, (features, expected)) in line.iter().zip(expected).enumerate() {
        let accumulator = Accumulator::new(net, line::Features(Color::White, features.active()));
        every_bucket(net, &accumulator, expected, || {
            format!("{place}: line {ply}")
        });
        if ply > 0 {
            evaluator.push(features.changes());
        }
        if ply % 3 != 0 {
            let (bucket, evaluation) = &expected.buckets[ply % expected.buckets.len()];
            let found = evaluator.evaluate_bucket(*bucket);
            assert_eq!(
                Outputs::of(found),
                *evaluation,
                "{place}: bucket {bucket} along line {ply}"
            );
        }
    }
}

/// Compares features and views that the engine tells, both as a whole and as changes, and takes the
/// line back.
fn seen<A: Architecture<Line = FromViews, Output: Evaluated<Evaluation: Into<Evaluation>>>>(
    net: &Network<A>,
    line: &[Features],
    expected: &[Expected],
    place: &str,
) {
    let start = &line[0];
    let mut evaluator = Evaluator::new(
        net,
        line::Views(start.side_to_move, start.views, start.active()),
    );
    let mut accumulator =
        Accumulator::new(net, line::Views(Color::White, start.views, start.active()));
    let along = |evaluator: &mut Evaluator<A, &Network<A>>| {
        let ply = evaluator.ply();
        let buckets = &expected[ply].buckets;
        let (bucket, evaluation) = &buckets[ply % buckets.len()];
        assert_eq!(
            Outputs::of(evaluator.evaluate_bucket(*bucket)),
            *evaluation,
            "{place}: bucket {bucket} along line {ply}"
        );
    };
    for (ply, (features, expected)) in line.iter().zip(expected).enumerate() {
        let fresh = Accumulator::new(
            net,
            line::Views(Color::White, features.views, features.active()),
        );
        every_bucket(net, &fresh, expected, || format!("{place}: line {ply}"));
        if ply > 0 {
            evaluator.push((features.views, features.changes()));
            let before = accumulator.clone();
            for perspective in Color::ALL {
                let p = perspective.index();
                let view = features.views[p];
                if view == line[ply - 1].views[p] {
                    let changes = features.changes()[p];
                    accumulator.update_view(net, &before, perspective, view, changes);
                } else {
                    accumulator.refresh_view(net, perspective, view, features.active()[p]);
                }
            }
            same_outputs(&accumulator, expected, || {
                format!("{place}: updated along line {ply}")
            });
        }
        if ply % 3 != 0 {
            along(&mut evaluator);
        }
    }
    while evaluator.ply() > 0 {
        evaluator.pop();
        if evaluator.ply().is_multiple_of(2) {
            along(&mut evaluator);
        }
    }
}

/// Plays a game in which features that the engine tells come and go, and takes it back.
fn followed<A: Architecture<Line = FromBoth, Output: Evaluated<Evaluation: Into<Evaluation>>>>(
    net: &Network<A>,
    game: &Game,
    line: &[Features],
    expected: &[Expected],
    place: &str,
) {
    let start = (&game.boards[0], line[0].active());
    let mut evaluator = Evaluator::new(net, line::PositionAndFeatures(start.0, start.1));
    let mut accumulator = Accumulator::new(net, line::PositionAndFeatures(start.0, start.1));
    for (ply, (board, here)) in game.boards.iter().zip(expected).enumerate() {
        let fresh = Accumulator::new(net, line::PositionAndFeatures(board, line[ply].active()));
        every_bucket(net, &fresh, here, || format!("{place}: {board}"));
        if ply > 0 {
            let (delta, changes) = (&game.deltas[ply - 1], line[ply].changes());
            evaluator.push((delta, changes));
            let before = accumulator.clone();
            accumulator.update_with(net, &before, delta, board, changes);
            same_outputs(&accumulator, here, || {
                format!("{place}: updated to {board}")
            });
        }
        if ply % 3 != 0 {
            along(&mut evaluator, game, expected, place);
        }
    }
    taken_back(evaluator, game, expected, place);
}

/// Compiles specs, each into a module of its own, and compares them with the interpreter:
/// `name: "path", check;`, the path from the package's folder. Without a check, it is [`check`].
///
/// With the feature `self-check`, the code of each network also shows that each weight is where it
/// belongs.
#[macro_export]
macro_rules! differential {
    ($($(#[$ignored:meta])? $name:ident: $path:literal $(, $check:ident)?;)*) => { $(
        #[allow(unexpected_cfgs, reason = "not every package has the feature")]
        mod $name {
            #[cfg(not(feature = "self-check"))]
            ::nnue_runtime::nnue_net!($path);
            #[cfg(feature = "self-check")]
            ::nnue_runtime::nnue_net!($path, check = "wiring");

            #[cfg(feature = "self-check")]
            #[test]
            fn self_check() {
                $crate::differential::self_check::<Net>();
            }
        }

        #[test]
        $(#[$ignored])?
        fn $name() {
            let spec = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
            $crate::differential!(@check $name, spec $(, $check)?);
        }
    )* };
    (@check $name:ident, $spec:ident) => {
        $crate::differential::check::<$name::Net>($spec)
    };
    (@check $name:ident, $spec:ident, $check:ident) => {
        $crate::differential::$check::<$name::Net>($spec)
    };
}

/// [`differential`] for networks that are compiled elsewhere: `name: module = "path", check;`.
#[macro_export]
macro_rules! differential_of {
    ($($(#[$ignored:meta])? $name:ident: $net:path = $path:literal $(, $check:ident)?;)*) => {
        $(#[test]
        $(#[$ignored])?
        fn $name() {
            use $net as net;
            let spec = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
            $crate::differential!(@check net, spec $(, $check)?);
        })*

        #[cfg(feature = "self-check")]
        mod self_checks {
            #[allow(unused_imports, reason = "networks may be named by a full path")]
            use super::*;

            $(#[test]
            fn $name() {
                use $net as net;
                $crate::differential::self_check::<net::Net>();
            })*
        }
    };
}
