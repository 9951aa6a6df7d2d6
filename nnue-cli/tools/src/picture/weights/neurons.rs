//! Facts about neurons of the transformer: their weights by piece and square, and their activity.

use nnue_compiler::feature_set::piece_square::{FirstSquare, Parameters, PieceOrder};
use nnue_compiler::feature_set::{Family, FeatureSet};
use nnue_compiler::format::PieceSquare;
use nnue_interpreter::Net;
use nnue_runtime::Board;

/// The kinds of pieces in the order of the feature sets' tables.
const KINDS: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

/// A neuron, and its activity over positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neuron {
    /// The index of the neuron in the transformer.
    pub number: usize,
    /// The standard deviation of the neuron's activated value over the views of positions, as a
    /// number in which 1.0 is 1.
    pub deviation: f64,
    /// The share of views in which the neuron's sum is positive.
    pub active: f64,
}

/// The weights of neurons for pieces on squares.
pub(super) struct Boards {
    /// The name of the feature set.
    pub(super) set: String,
    /// How many king buckets the set has.
    pub(super) buckets: usize,
    /// The player and the kind of each plane's pieces, in two words.
    pub(super) planes: Vec<[&'static str; 2]>,
    /// The mean weights over all buckets as `[neuron][plane][square]`, with squares from a1 = 0 to
    /// h8 = 63.
    means: Vec<f64>,
}

impl Boards {
    /// The weights of the first set that has a row for each piece and square; `None` without such a
    /// set.
    pub(super) fn of(net: &Net) -> Option<Boards> {
        let network = net.network();
        let mut first_row = 0;
        for set in &network.features {
            if let Family::PieceSquare(parameters) = &set.family {
                return Some(Boards::of_set(net, set, parameters, first_row));
            }
            first_row += set.rows;
        }
        None
    }

    fn of_set(net: &Net, set: &FeatureSet, parameters: &Parameters, first_row: usize) -> Boards {
        let width = net.network().transformer.width;
        let planes = parameters.planes.count() as usize;
        let offset = parameters.offset as usize;
        let bucket_len = offset + 64 * planes;
        let buckets = set.rows / bucket_len;
        let mut means = vec![0.0; width * planes * 64];
        // There are two tables if white and black have separate weights.
        let tables = &net.weights().transformer;
        let share = 1.0 / (buckets * tables.len()) as f64;
        for table in tables {
            for bucket in 0..buckets {
                for place in 0..64 * planes {
                    let row = first_row + bucket * bucket_len + offset + place;
                    let (plane, square) = (place / 64, square(parameters, place % 64));
                    let weights = &table.rows[row * width..][..width];
                    for (neuron, weight) in weights.iter().enumerate() {
                        let at = (neuron * planes + plane) * 64 + square;
                        means[at] += f64::from(*weight) * share;
                    }
                }
            }
        }
        Boards {
            set: set.name.clone(),
            buckets,
            planes: planes_of(parameters),
            means,
        }
    }

    /// The mean weights of a neuron as `[plane][square]`.
    pub(super) fn of_neuron(&self, neuron: usize) -> &[f64] {
        let len = self.planes.len() * 64;
        &self.means[neuron * len..][..len]
    }
}

/// The square that belongs to a place in a plane.
fn square(parameters: &Parameters, place: usize) -> usize {
    match parameters.first_square {
        FirstSquare::A1 => place,
        FirstSquare::A8 => place ^ 56,
        FirstSquare::H1 => place ^ 7,
        FirstSquare::H8 => 63 - place,
    }
}

/// The player and the kind of each plane's pieces, from white's view.
fn planes_of(parameters: &Parameters) -> Vec<[&'static str; 2]> {
    let players = match parameters.piece_order {
        PieceOrder::WhiteFirst => ["white", "black"],
        PieceOrder::ByColour | PieceOrder::Interleaved | PieceOrder::OpponentFirst => {
            ["own", "opponent"]
        }
    };
    let tables = parameters.tables();
    let mut planes = vec![["", ""]; parameters.planes.count() as usize];
    let mut name = |row: u32, player: &'static str, kind: &'static str| {
        if row == PieceSquare::NO_PLANE {
            return;
        }
        let [whose, kinds] = &mut planes[((row - parameters.offset) / 64) as usize];
        // A plane may be for the kings of both players.
        *whose = if whose.is_empty() { player } else { "either" };
        *kinds = kind;
    };
    for (piece, row) in tables.planes[0][1..=12].iter().enumerate() {
        name(*row, players[piece / 6], KINDS[piece % 6]);
    }
    for (row, player) in tables.threatened[0].into_iter().zip(players) {
        name(row, player, "attacked");
    }
    planes
}

/// The activity of each neuron over all views of these positions, in the order of the neurons.
pub(super) fn neurons(net: &Net, positions: &[Board]) -> Vec<Neuron> {
    let transformer = &net.network().transformer;
    let mut totals = vec![Total::default(); transformer.width];
    let mut views = 0;
    for position in positions {
        for accumulator in net.accumulate(&net.active_rows(position)) {
            views += 1;
            let activated = net.activated(&accumulator);
            let sums = accumulator.values.iter().copied().map(i64::from);
            let values = activated.iter().copied();
            let values = values.chain(sums.clone().skip(activated.len()));
            for ((total, sum), value) in totals.iter_mut().zip(sums).zip(values) {
                total.positive += u64::from(sum > 0);
                total.values += i128::from(value);
                total.squares += i128::from(value).pow(2);
            }
        }
    }
    let neurons = totals.into_iter().enumerate().map(|(number, total)| {
        let unpooled = number.checked_sub(transformer.activated.len);
        let one = match (unpooled, &transformer.unpooled) {
            (Some(index), Some(sums)) => sums.one.at(index),
            _ => transformer.activated.one.at(number),
        };
        Neuron {
            number,
            deviation: total.deviation(views) / f64::from(one),
            active: total.positive as f64 / views.max(1) as f64,
        }
    });
    neurons.collect()
}

/// The counts of a neuron. They are integers, because differences of large squares are small.
#[derive(Clone, Copy, Default)]
struct Total {
    /// The number of views in which the sum of the neuron is positive.
    positive: u64,
    /// The sum of the neuron's activated values.
    values: i128,
    /// The sum of the squares of these values.
    squares: i128,
}

impl Total {
    /// The standard deviation of the values.
    fn deviation(&self, views: u64) -> f64 {
        let count = i128::from(views.max(1));
        let scaled = count * self.squares - self.values.pow(2);
        (scaled as f64).sqrt() / count as f64
    }
}
