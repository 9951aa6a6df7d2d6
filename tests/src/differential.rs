//! Compiled networks against the reference evaluator: the same weights, positions and games, every bucket and level.

use std::collections::BTreeSet;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::file::Role;
use nnue_compiler::network;
use nnue_runtime::{
    Accumulator, Architecture, Board, Color, Delta, Evaluator, Level, Network, Output, Position,
    SelectedByPieces, Wdl,
};

use crate::golden::golden_positions;
use crate::net_file::{Weight, net_file_of};
use crate::random::Xorshift;
use crate::reference::{Accumulators, Evaluation, Reference, Style, Values, Weights};

/// What a network says of a position, head by head.
pub trait Heads: PartialEq {
    /// One, or win, draw and loss.
    fn heads(&self) -> Vec<Evaluation>;
}

impl Heads for Output {
    fn heads(&self) -> Vec<Evaluation> {
        vec![Evaluation {
            psqt: self.psqt,
            positional: self.positional,
            value: self.value,
        }]
    }
}

impl Heads for Wdl {
    fn heads(&self) -> Vec<Evaluation> {
        [self.win, self.draw, self.loss]
            .iter()
            .flat_map(Heads::heads)
            .collect()
    }
}

/// Compares a compiled network with the reference, and its choice of buckets with the spec's.
///
/// # Panics
///
/// At the first difference.
pub fn check<A: SelectedByPieces<Output: Heads>>(spec: &str) {
    let network = checked_network(spec);
    let by_pieces = network
        .stacks
        .by_pieces
        .expect("buckets follow from the pieces");
    for (pieces, bucket) in by_pieces.iter().enumerate().skip(1) {
        assert_eq!(
            Network::<A>::bucket(pieces),
            usize::from(*bucket),
            "{pieces} pieces"
        );
    }
    compare::<A>(&network);
}

/// [`check`] for networks whose caller says which bucket.
///
/// # Panics
///
/// At the first difference.
pub fn check_by_caller<A: Architecture<Output: Heads>>(spec: &str) {
    compare::<A>(&checked_network(spec));
}

fn checked_network(spec: &str) -> network::Network {
    analyse(&SourceFile::new("spec", spec)).unwrap_or_else(|errors| panic!("{errors}"))
}

fn compare<A: Architecture<Output: Heads>>(network: &network::Network) {
    let positions = positions();
    let games = games();
    let mut levels = Vec::new();
    for (seed, style) in (1..).zip(Style::ALL) {
        let weights = Weights::random(network, style, seed);
        let reference = Reference::new(network, &weights);
        let place = format!("{} with {style:?} weights", network.name);
        let file = net_file_of(network, "", |weight| value(network, &weights, weight));
        let mut net =
            Network::<A>::from_bytes(&file).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert!(
            net.to_bytes() == file,
            "{place}: written otherwise than read"
        );
        let positions: Vec<_> = positions
            .iter()
            .map(|position| Expected::of(&reference, network, position.clone()))
            .collect();
        let games: Vec<_> = games
            .iter()
            .map(|game| game.expected(&reference, network))
            .collect();
        if style == Style::Small {
            assert_telling(network, &positions);
        }
        levels.clear();
        for level in Level::available() {
            net = net.with_level(level);
            let place = format!("{place} at {level}");
            positions
                .iter()
                .for_each(|expected| refreshed(&net, expected, &place));
            games.iter().for_each(|game| played(&net, game, &place));
            levels.push(level.name());
        }
    }
    println!("{}: equal at {}", network.name, levels.join(", "));
}

/// The value of a net file's weight.
fn value(network: &network::Network, weights: &Weights, place: Weight<'_>) -> f64 {
    let Weight {
        stack, row, column, ..
    } = place;
    let layer = |index: usize| {
        let weights = weights.stacks[stack][index].as_ref();
        weights.unwrap_or_else(|| panic!("`{}` has no weights", place.tensor))
    };
    let of = |values: &Values, index: usize| match values {
        Values::Integers(values) => values[index] as f64,
        Values::Floats(values) => f64::from(values[index]),
    };
    match place.role {
        Role::Weights(copy) => {
            weights.transformers[copy].rows[row * network.transformer.width + column].into()
        }
        Role::Biases(copy) => weights.transformers[copy].biases[column].into(),
        Role::Psqt(copy) => {
            weights.transformers[copy].psqt[row * network.transformer.psqt + column].into()
        }
        Role::LayerWeights(index) => {
            let inputs = network.layers[index].input_len();
            of(&layer(index).weights, row * inputs + column)
        }
        Role::LayerBiases(index) => of(&layer(index).biases, column),
        Role::LayerAlpha(index) => layer(index).alpha[column].into(),
    }
}

/// A position and what the reference makes of it, bucket by bucket.
struct Expected {
    board: Board,
    accumulators: Accumulators,
    /// Whether neurons lie in the order of the spec.
    in_order: bool,
    buckets: Vec<Vec<Evaluation>>,
}

impl Expected {
    fn of(reference: &Reference<'_>, network: &network::Network, board: Board) -> Expected {
        let accumulators = reference.accumulators(&board);
        let buckets = (0..network.stacks.count)
            .map(|bucket| reference.evaluate(&accumulators, board.side_to_move(), bucket))
            .collect();
        Expected {
            board,
            accumulators,
            in_order: network.transformer.pairs == network::Pairs::Halves,
            buckets,
        }
    }
}

/// A test of weights that say the same of everything would find nothing.
fn assert_telling(network: &network::Network, positions: &[Expected]) {
    let said: BTreeSet<i32> = positions
        .iter()
        .flat_map(|position| &position.buckets)
        .flatten()
        .map(|evaluation| evaluation.positional)
        .collect();
    assert!(said.len() >= 8, "{} says only {said:?}", network.name);
}

fn refreshed<A: Architecture<Output: Heads>>(net: &Network<A>, expected: &Expected, place: &str) {
    let accumulator = Accumulator::new(net, &expected.board);
    // Others are padded, or their neighbours lie apart; what the layers make of them is compared all the same.
    let in_order = Color::ALL.map(|perspective| accumulator.values(perspective).len())
        == [expected.accumulators.values[0].len(); 2]
        && expected.in_order;
    for perspective in Color::ALL.into_iter().filter(|_| in_order) {
        assert_eq!(
            accumulator.values(perspective),
            expected.accumulators.values[perspective.index()],
            "{place}: accumulator of {perspective} in {}",
            expected.board
        );
    }
    for (bucket, heads) in expected.buckets.iter().enumerate() {
        let found = net.evaluate_bucket(&accumulator, expected.board.side_to_move(), bucket);
        assert_eq!(
            found.heads(),
            *heads,
            "{place}: bucket {bucket} in {}",
            expected.board
        );
    }
}

/// A game from a position.
struct Game {
    start: Board,
    deltas: Vec<Delta>,
}

/// A game and what the reference makes of the position after each move, and before the first.
struct ExpectedGame<'a> {
    deltas: &'a [Delta],
    plies: Vec<Expected>,
}

impl Game {
    fn expected<'a>(
        &'a self,
        reference: &Reference<'_>,
        network: &network::Network,
    ) -> ExpectedGame<'a> {
        let mut board = self.start.clone();
        let mut plies = vec![Expected::of(reference, network, board.clone())];
        for delta in &self.deltas {
            board.apply(delta).expect("a legal move");
            plies.push(Expected::of(reference, network, board.clone()));
        }
        ExpectedGame {
            deltas: &self.deltas,
            plies,
        }
    }
}

/// Plays a game and takes it back, with evaluations after some of the moves.
fn played<A: Architecture<Output: Heads>>(net: &Network<A>, game: &ExpectedGame<'_>, place: &str) {
    let mut evaluator = Evaluator::new(net, &game.plies[0].board);
    let compare = |evaluator: &mut Evaluator<A, &Network<A>>| {
        let ply = evaluator.ply();
        let expected = &game.plies[ply];
        let bucket = ply % expected.buckets.len();
        assert_eq!(
            evaluator.evaluate_bucket(bucket).heads(),
            expected.buckets[bucket],
            "{place}: along a game, bucket {bucket} in {}",
            expected.board
        );
    };
    for delta in game.deltas {
        evaluator.push(delta);
        if evaluator.ply() % 3 != 0 {
            compare(&mut evaluator);
        }
    }
    while evaluator.ply() > 0 {
        evaluator.pop();
        if evaluator.ply() % 2 == 0 {
            compare(&mut evaluator);
        }
    }
}

/// Positions of all phases: the goldens', thinned out.
fn positions() -> Vec<Board> {
    golden_fens()
        .iter()
        .step_by(9)
        .map(|fen| Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")))
        .collect()
}

fn golden_fens() -> Vec<String> {
    let goldens = golden_positions("synthetic/v5").unwrap_or_else(|error| panic!("{error}"));
    goldens.into_iter().map(|golden| golden.fen).collect()
}

/// Random games: from the start, and from some of the goldens, where kings go further.
fn games() -> Vec<Game> {
    let mut random = Xorshift::new(7);
    let fens = golden_fens();
    let others = fens.iter().skip(5).step_by(100);
    let starts = others.filter_map(|fen| cozy_chess::Board::from_fen(fen, false).ok());
    std::iter::once(cozy_chess::Board::startpos())
        .chain(starts)
        .map(|start| random_game(start, &mut random))
        .collect()
}

fn random_game(start: cozy_chess::Board, random: &mut Xorshift) -> Game {
    const PLIES: usize = 24;
    let mut board = start.clone();
    let mut deltas = Vec::new();
    while deltas.len() < PLIES {
        let mut moves = Vec::new();
        board.generate_moves(|of_piece| {
            moves.extend(of_piece);
            false
        });
        if moves.is_empty() {
            break;
        }
        let chosen = moves[random.below(moves.len())];
        deltas.push(Delta::from_cozy(&board, chosen));
        board.play(chosen);
    }
    Game {
        start: Board::of(&start).expect("pieces on squares of their own"),
        deltas,
    }
}
