//! Weights like those of trained networks: rows that change smoothly from square to square, rows
//! that no position makes active near zero, and layers whose evaluations follow material.

use std::f64::consts::TAU;

use fastrand::Rng;
use nnue_compiler::feature_set::Family;
use nnue_compiler::feature_set::piece_square::Parameters;
use nnue_compiler::network::file::Role as TensorRole;
use nnue_compiler::network::{Element, Layer, Network, Scale, Source, WeightType};
use nnue_interpreter::dummy::net_file::nearest_net_file_of;
use nnue_interpreter::{Accumulators, LayerWeights, Net, Trace, Values, active_rows};
use nnue_runtime::{Bitboard, Color, Piece, Position, Role, Square};

const VALUES: [f64; 6] = [1.0, 3.0, 3.0, 5.0, 9.0, 0.0];

/// How many positions the layers are fitted to.
const SAMPLES: usize = 120;

/// How often each of them is seen.
const EPOCHS: usize = 25;

/// A file of the network.
pub(crate) fn file(network: &Network, seed: u64) -> Vec<u8> {
    let mut random = Rng::with_seed(seed);
    let weights = Net::from_bytes(network, &nearest_net_file_of(network, |_| 0.0));
    let mut weights = weights.expect("a file of zeros loads").into_weights();
    let kinds = Kinds::of(network.transformer.width, &mut random);
    for (copy, perspective) in Color::ALL
        .into_iter()
        .enumerate()
        .take(weights.transformer.len())
    {
        let rows = &mut weights.transformer[copy];
        fill_rows(network, perspective, &kinds, &mut rows.rows, &mut random);
        let one = f64::from(network.transformer.one);
        for bias in &mut rows.biases {
            *bias = (0.3 * one * normal(&mut random) + 0.1 * one) as i16;
        }
    }
    let samples: Vec<Pieces> = (0..SAMPLES).map(|_| Pieces::random(&mut random)).collect();
    let net = Net::new(network, weights.clone()).expect("the weights fit");
    let accumulated = samples
        .iter()
        .map(|sample| net.accumulate(&net.active_rows(sample)));
    let accumulated: Vec<Accumulators> = accumulated.collect();
    for index in 0..network.layers.len() {
        let layer = &network.layers[index];
        if layer.affine().is_none() {
            continue;
        }
        let net = Net::new(network, weights.clone()).expect("the weights fit");
        let inputs = accumulated
            .iter()
            .zip(&samples)
            .map(|(accumulators, sample)| {
                inputs(layer, &net.trace(accumulators, sample.side_to_move, 0))
            });
        let inputs: Vec<Vec<f64>> = inputs.collect();
        let is_last = layer.output.len <= 3;
        let targets = is_last.then(|| samples.iter().map(Pieces::material).collect());
        // Stacks resemble each other.
        let made = Fitted::of(layer, &inputs, targets, &mut random);
        for stack in &mut weights.stacks {
            if let Some(numbers) = &mut stack[index] {
                made.store(layer, numbers, &mut random);
            }
        }
    }
    write(network, &weights)
}

fn write(network: &Network, weights: &nnue_interpreter::Weights) -> Vec<u8> {
    let (width, real) = (network.transformer.width, network.feature_count());
    let at = |values: &Values, index: usize| match values {
        Values::Integers(values) => values[index] as f64,
        Values::Floats(values) => values[index].into(),
    };
    nearest_net_file_of(network, |weight| {
        let of_layer = |layer: usize| {
            let numbers = weights.stacks[weight.stack][layer].as_ref();
            let inputs = network.layers[layer].input_len();
            (numbers.expect("layers with tensors have numbers"), inputs)
        };
        match weight.role {
            TensorRole::Weights(first) => {
                let row = first + weight.row;
                let copies = weights.transformer.len();
                match weights.transformer.get(row / real) {
                    Some(rows) if row < copies * real => {
                        rows.rows[row % real * width + weight.column].into()
                    }
                    // Virtual rows.
                    _ => 0.0,
                }
            }
            TensorRole::Biases(copy) => weights.transformer[copy].biases[weight.column].into(),
            TensorRole::Psqt(_) => 0.0,
            TensorRole::LayerWeights(layer) => {
                let (numbers, inputs) = of_layer(layer);
                at(&numbers.weights, weight.row * inputs + weight.column)
            }
            TensorRole::LayerBiases(layer) => at(&of_layer(layer).0.biases, weight.column),
            TensorRole::LayerFactors(layer) => at(&of_layer(layer).0.factors, weight.column),
            TensorRole::SharedWeights(_) | TensorRole::SharedBiases(_) => 0.0,
        }
    })
}

/// What each neuron makes of each kind of piece.
struct Kinds {
    /// `[neuron][kind]`, own pieces first.
    of: Vec<[Kind; 12]>,
}

#[derive(Clone, Copy, Default)]
struct Kind {
    size: f64,
    slope: [f64; 2],
    amplitude: f64,
    phase: f64,
}

impl Kinds {
    fn of(width: usize, random: &mut Rng) -> Kinds {
        let of = (0..width).map(|_| {
            let sign = if random.bool() { 1.0 } else { -1.0 };
            std::array::from_fn(|kind| {
                let value = VALUES[kind % 6];
                let side = if kind < 6 { 1.0 } else { -1.0 };
                Kind {
                    size: 0.6 * sign * side * value / 4.0 + 0.3 * normal(random),
                    slope: [0.5 * normal(random), 0.5 * normal(random)],
                    amplitude: 0.6 * normal(random),
                    phase: TAU * random.f64(),
                }
            })
        });
        Kinds { of: of.collect() }
    }

    fn value(&self, neuron: usize, kind: usize, square: usize) -> f64 {
        let kind = &self.of[neuron][kind];
        let (file, rank) = ((square % 8) as f64, (square / 8) as f64);
        let angle = kind.slope[0] * file + kind.slope[1] * rank + kind.phase;
        kind.size + kind.amplitude * angle.cos()
    }
}

/// Gives rows that positions make active smooth values, and all others nearly none.
fn fill_rows(
    network: &Network,
    perspective: Color,
    kinds: &Kinds,
    rows: &mut [i16],
    random: &mut Rng,
) {
    let width = network.transformer.width;
    let one = f64::from(network.transformer.one);
    let mut first = 0;
    for set in &network.features {
        let limit = if set.element == Element::I8 {
            120.0
        } else {
            1000.0
        };
        let range = first * width..(first + set.rows) * width;
        let scale = f64::from(1u32 << set.shift);
        let most = match set.family {
            Family::PieceSquare(_) => 0.005 * one / scale,
            _ => 0.03 * one / scale,
        };
        let most = most.ceil().min(limit) as i16;
        for weight in &mut rows[range] {
            *weight = random.i16(-most..=most);
        }
        if let Family::PieceSquare(parameters) = &set.family {
            let mut only = network.clone();
            only.features = vec![set.clone()];
            let mut is_known = vec![false; set.rows];
            let mut buckets = Vec::new();
            for king in 0..64usize {
                let oriented = if perspective == Color::White {
                    king
                } else {
                    king ^ 56
                };
                let bucket = (parameters.king_buckets[king], king % 8 < 4);
                let is_first = !buckets.contains(&bucket);
                buckets.push(bucket);
                for queens in queens(parameters) {
                    probe(
                        &only,
                        perspective,
                        oriented,
                        &queens,
                        is_first,
                        |row, kind, square| {
                            if std::mem::replace(&mut is_known[row], true) {
                                return;
                            }
                            let own = &mut rows[(first + row) * width..][..width];
                            for (neuron, weight) in own.iter_mut().enumerate() {
                                let value =
                                    kinds.value(neuron, kind, square) + 0.15 * normal(random);
                                let value = 0.07 * one / scale * value;
                                *weight = value.round().clamp(-limit, limit) as i16;
                            }
                        },
                    );
                }
            }
        }
        first += set.rows;
    }
}

/// The opponent's queens with which all buckets for them are met.
fn queens(parameters: &Parameters) -> Vec<Vec<usize>> {
    match parameters.materials().count() {
        0 => vec![vec![]],
        _ => vec![vec![], vec![9], vec![14], vec![49], vec![54], vec![9, 54]],
    }
}

/// Says which row each piece makes active, with the own king on a square.
fn probe(
    network: &Network,
    perspective: Color,
    king: usize,
    queens: &[usize],
    all_pieces: bool,
    mut say: impl FnMut(usize, usize, usize),
) {
    let own = Piece::new(perspective, Role::King);
    let other = Piece::new(!perspective, Role::King);
    let other_king = if king == 40 { 23 } else { 40 };
    let mut pieces = Pieces::kings(own, king, other, other_king);
    for queen in queens {
        if pieces.at(*queen).is_none() {
            pieces.put(Piece::new(!perspective, Role::Queen), *queen);
        }
    }
    let index = perspective.index();
    let base = active_rows(network, &pieces)[index].clone();
    let kind = |piece: Piece| 6 * usize::from(piece.color != perspective) + piece.role.index();
    let seen = |square: usize| {
        let up = if perspective == Color::White {
            square
        } else {
            square ^ 56
        };
        let king_up = if perspective == Color::White {
            king
        } else {
            king ^ 56
        };
        if king_up % 8 >= 4 { up ^ 7 } else { up }
    };
    // The own king's row is the one that changes with the king alone.
    let without = pieces.without(king);
    let elsewhere = {
        let mut moved = without;
        moved.put(own, king);
        moved
    };
    debug_assert_eq!(active_rows(network, &elsewhere)[index], base);
    for piece in Piece::ALL {
        for square in 0..64 {
            let is_pawn = piece.role == Role::Pawn;
            if is_pawn && !(8..56).contains(&square) {
                continue;
            }
            if piece.role == Role::King {
                continue;
            }
            if !all_pieces || pieces.at(square).is_some() {
                continue;
            }
            let mut with = pieces;
            with.put(piece, square);
            for row in &active_rows(network, &with)[index] {
                if !base.contains(row) && with.len() == base.len() + 1 {
                    say(*row, kind(piece), seen(square));
                }
            }
        }
    }
    // The opponent's king on all squares: what does not change is the own king's row.
    let mut common: Vec<usize> = base.clone();
    for square in 0..64 {
        if (square != king && !all_pieces && square > 8)
            || pieces.at(square).is_some() && square != other_king
        {
            continue;
        }
        let mut with = pieces.without(other_king);
        with.put(other, square);
        let rows = &active_rows(network, &with)[index];
        common.retain(|row| rows.contains(row));
        for row in rows {
            if !base.contains(row) || square == other_king {
                let is_own = !common.is_empty() && common.contains(row);
                if !is_own && all_pieces {
                    say(*row, kind(other), seen(square));
                }
            }
        }
    }
    for row in common {
        say(row, kind(own), seen(king));
    }
}

/// A position of any pieces.
#[derive(Clone, Copy)]
struct Pieces {
    squares: [Option<Piece>; 64],
    side_to_move: Color,
}

impl Pieces {
    fn kings(own: Piece, at: usize, other: Piece, other_at: usize) -> Pieces {
        let mut squares = [None; 64];
        squares[at] = Some(own);
        squares[other_at] = Some(other);
        Pieces {
            squares,
            side_to_move: Color::White,
        }
    }

    fn random(random: &mut Rng) -> Pieces {
        let squares = [None; 64];
        let side_to_move = if random.bool() {
            Color::White
        } else {
            Color::Black
        };
        let mut pieces = Pieces {
            squares,
            side_to_move,
        };
        let keep = 0.3 + 0.7 * random.f64();
        for (color, home) in Color::ALL.into_iter().zip([0, 40]) {
            pieces.put_somewhere(Piece::new(color, Role::King), home..home + 24, random);
            for (role, count) in Role::ALL.into_iter().zip([8, 2, 2, 2, 1, 0]) {
                for _ in 0..count {
                    if random.f64() < keep {
                        pieces.put_somewhere(Piece::new(color, role), 8..56, random);
                    }
                }
            }
        }
        pieces
    }

    fn put_somewhere(&mut self, piece: Piece, squares: std::ops::Range<usize>, random: &mut Rng) {
        for _ in 0..20 {
            let square = random.usize(squares.clone());
            if self.squares[square].is_none() {
                self.squares[square] = Some(piece);
                return;
            }
        }
    }

    fn put(&mut self, piece: Piece, square: usize) {
        self.squares[square] = Some(piece);
    }

    fn without(mut self, square: usize) -> Pieces {
        self.squares[square] = None;
        self
    }

    fn at(&self, square: usize) -> Option<Piece> {
        self.squares[square]
    }

    fn len(&self) -> usize {
        self.squares.iter().flatten().count()
    }

    fn material(&self) -> f64 {
        let pieces = self.squares.iter().flatten();
        let signed = pieces.map(|piece| {
            if piece.color == self.side_to_move {
                VALUES[piece.role.index()]
            } else {
                -VALUES[piece.role.index()]
            }
        });
        signed.sum()
    }
}

impl Position for Pieces {
    fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    fn pieces(&self, piece: Piece) -> Bitboard {
        let mut found = Bitboard::EMPTY;
        for (square, other) in Square::ALL.into_iter().zip(self.squares) {
            if other == Some(piece) {
                found.insert(square);
            }
        }
        found
    }
}

/// What a layer reads in a position.
fn inputs(layer: &Layer, trace: &Trace) -> Vec<f64> {
    let slices = layer.inputs.iter().flat_map(|slice| {
        let values = match slice.source {
            Source::Transformer => &trace.transformer,
            Source::Unpooled => &trace.unpooled,
            Source::Psqt => &trace.psqt,
            Source::Layer(index) => &trace.layers[index],
        };
        let range = slice.start..slice.start + slice.len;
        match values {
            Values::Integers(values) => values[range].iter().map(|value| *value as f64).collect(),
            Values::Floats(values) => {
                let values = values[range].iter().map(|value| f64::from(*value));
                values.collect::<Vec<f64>>()
            }
        }
    });
    slices.collect()
}

/// The numbers of an affine layer.
struct Fitted {
    weights: Vec<f64>,
    biases: Vec<f64>,
    factor: f64,
}

impl Fitted {
    /// Chooses them so that the outputs use their range or, in the last layer, follow the targets.
    fn of(
        layer: &Layer,
        inputs: &[Vec<f64>],
        targets: Option<Vec<f64>>,
        random: &mut Rng,
    ) -> Fitted {
        let affine = layer.affine().expect("an affine layer");
        let outputs = layer.output.len;
        let len = layer.input_len();
        let inputs_one = f64::from(affine.inputs_one.max(1));
        // What a sum of products is multiplied by, and what 1.0 is in weights.
        let by = affine.divide.map_or(1.0, |divide| f64::from(divide.by));
        let (factor, one) = match (affine.to_float, layer.weights_one()) {
            (Some(Scale::Shared(factor)), _) => (f64::from(factor), 64.0),
            (Some(Scale::OfFile), _) => (1.0 / (64.0 * inputs_one), 64.0),
            (None, Some((one, by_inputs))) => (1.0 / by, one as f64 / by_inputs as f64),
            (None, None) => (1.0 / by, 1.0),
        };
        let limit = match affine.weights {
            WeightType::I8 => 120.0,
            WeightType::I16 => 30_000.0,
            WeightType::I32 => 1e8,
            _ => 1e9,
        };
        let mut weights = Vec::with_capacity(outputs * len);
        let mut biases = Vec::with_capacity(outputs);
        for output in 0..outputs {
            let unit = f64::from(layer.output.one.at(output).max(1));
            let mut own: Vec<f64> = (0..len).map(|_| one * normal(random)).collect();
            let sum = |own: &[f64], inputs: &[f64]| -> f64 {
                factor * own.iter().zip(inputs).map(|(a, b)| a * b).sum::<f64>()
            };
            let mut bias = 0.0;
            match &targets {
                Some(targets) => {
                    own.iter_mut().for_each(|weight| *weight *= 0.02);
                    for _ in 0..EPOCHS {
                        for (inputs, target) in inputs.iter().zip(targets) {
                            let wanted = target * unit / 4.0;
                            let wanted = match outputs {
                                1 => wanted,
                                _ => wanted * (output as f64 - (outputs / 2) as f64),
                            };
                            let size: f64 = inputs.iter().map(|x| x * x).sum::<f64>().max(1e-9);
                            let missing = wanted - sum(&own, inputs) - bias;
                            for (weight, input) in own.iter_mut().zip(inputs) {
                                *weight += 0.3 * missing * input / (factor * size);
                                *weight = weight.clamp(-limit, limit);
                            }
                            bias += 0.01 * missing;
                        }
                    }
                }
                None => {
                    let sums: Vec<f64> = inputs.iter().map(|inputs| sum(&own, inputs)).collect();
                    let mean = sums.iter().sum::<f64>() / sums.len() as f64;
                    let squares = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>();
                    let spread = (squares / sums.len() as f64).sqrt();
                    let times = if spread > 0.0 {
                        0.3 * unit / spread
                    } else {
                        1.0
                    };
                    for weight in &mut own {
                        *weight = (*weight * times).clamp(-limit, limit);
                    }
                    let sums = inputs.iter().map(|inputs| sum(&own, inputs));
                    let mean = sums.sum::<f64>() / inputs.len() as f64;
                    bias = 0.45 * unit - mean;
                }
            }
            weights.extend(own);
            biases.push(bias);
        }
        Fitted {
            weights,
            biases,
            factor,
        }
    }

    fn store(&self, layer: &Layer, numbers: &mut LayerWeights, random: &mut Rng) {
        let is_binary = layer
            .affine()
            .is_some_and(|affine| affine.weights == WeightType::Binary);
        put(&mut numbers.weights, |index| {
            if is_binary {
                self.weights[index].signum()
            } else {
                self.weights[index] * (1.0 + 0.03 * normal(random))
            }
        });
        put(&mut numbers.biases, |index| self.biases[index]);
        put(&mut numbers.factors, |_| self.factor);
    }
}

fn put(values: &mut Values, mut value: impl FnMut(usize) -> f64) {
    match values {
        Values::Integers(values) => {
            for (index, number) in values.iter_mut().enumerate() {
                *number = value(index).round() as i64;
            }
        }
        Values::Floats(values) => {
            for (index, number) in values.iter_mut().enumerate() {
                *number = value(index) as f32;
            }
        }
    }
}

/// A number of about the normal distribution.
fn normal(random: &mut Rng) -> f64 {
    let sum: f64 = (0..4).map(|_| random.f64()).sum();
    (sum - 2.0) * 1.73
}
