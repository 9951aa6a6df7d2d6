//! Random weights that reach the limits of a network's arithmetic as well as its usual values.

mod file;
mod layers;

use nnue_compiler::format::Element;
use nnue_compiler::network::file::{Role, Tensor};
use nnue_compiler::network::{Network, TransformerActivation};
use nnue_interpreter::{LayerWeights, Net, TransformerWeights, Weights};

use fastrand::Rng;

/// The sizes and signs of random weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Like weights of trainers: sums spread over the range in which activations are not constant.
    Small,
    /// As large as their types allow, in runs of one sign: products of bytes saturate in
    /// instructions that saturate, and sums of 16 and 32 bits wrap around.
    Extreme,
    /// Zeros only, biases included.
    Zero,
    /// Large weights of alternating sign: a product that is left out or added twice changes the
    /// result.
    Alternating,
}

impl Style {
    /// Every style, the usual ones first.
    pub const ALL: [Style; 4] = [
        Style::Small,
        Style::Extreme,
        Style::Zero,
        Style::Alternating,
    ];
}

/// The weights of a network as its net file has them.
#[derive(Clone, Debug)]
pub struct RandomWeights {
    /// All weights. Virtual rows are not added to the real ones.
    net: Net,
    /// The virtual rows of each copy of the transformer.
    virtual_rows: Vec<VirtualRows>,
    /// What all stacks share of each factorised layer. It is a part of the weights of `net`, which
    /// files have without it.
    shared: Vec<Option<LayerWeights>>,
}

/// Rows that a file has besides those of features.
#[derive(Clone, Debug)]
struct VirtualRows {
    /// Values `[row][neuron]`, one after the other.
    weights: Vec<i16>,
    /// Values `[row][bucket]`, one after the other.
    psqt: Vec<i32>,
}

impl RandomWeights {
    /// Weights that follow from the seed.
    ///
    /// The biases of layers are chosen so that each output, for one of a few random accumulators,
    /// is neither 0 nor at its limit after activation. Otherwise clipping would hide errors in the
    /// sums.
    #[must_use]
    pub fn draw(network: &Network, style: Style, seed: u64) -> RandomWeights {
        let mut draw = Draw {
            random: Rng::with_seed(seed),
            style,
        };
        let copies = 0..network.transformer.perspectives.copies();
        let (transformer, virtual_rows) =
            copies.map(|copy| draw.transformer(network, copy)).unzip();
        let mut stacks: Vec<Vec<Option<LayerWeights>>> = Vec::new();
        for _ in 0..network.stacks.count {
            let layers = network.layers.iter().enumerate();
            let layers = layers.map(|(index, layer)| match stacks.first() {
                Some(first) if layer.shared => first[index].clone(),
                _ => draw.layer(network, index),
            });
            let layers = layers.collect();
            stacks.push(layers);
        }
        let weights = Weights {
            transformer,
            stacks,
        };
        let mut net = net_of(network, weights);
        if style != Style::Zero {
            net = draw.centre(net);
        }
        let layers = network.layers.iter().enumerate();
        let shared = layers.map(|(index, layer)| {
            if layer.factorised {
                draw.summands(network, index)
            } else {
                None
            }
        });
        RandomWeights {
            shared: shared.collect(),
            net,
            virtual_rows,
        }
    }

    /// The network with these weights, virtual rows added to the real ones, and numbers for which
    /// the file has a quotient rounded to it.
    ///
    /// # Panics
    ///
    /// If the interpreter refuses the file of these weights.
    #[must_use]
    pub fn into_net(self, file: &[u8]) -> Net {
        let network = self.net.network();
        let is_factorised = network.layers.iter().any(|layer| layer.factorised);
        let is_divided = tensors(network)
            .any(|tensor| tensor.stored.divisor.is_some() || tensor.stored.times > 1);
        if network.virtual_row_count() == 0 && !is_factorised && !is_divided {
            return self.net;
        }
        let net = Net::from_bytes(network, file);
        net.unwrap_or_else(|error| panic!("{}: {error}", network.name))
    }
}

fn net_of(network: &Network, weights: Weights) -> Net {
    let net = Net::new(network, weights);
    net.unwrap_or_else(|error| panic!("{}: {error}", network.name))
}

struct Draw {
    random: Rng,
    style: Style,
}

/// The numbers that are allowed.
#[derive(Clone, Copy)]
struct Range {
    low: i64,
    high: i64,
}

impl Range {
    /// All numbers of a signed type with `bits` bits.
    fn bits(bits: u32) -> Range {
        let limit = 1i64 << (bits - 1);
        Range {
            low: -limit,
            high: limit - 1,
        }
    }

    /// The values that a row of the transformer can have, so that its sums with virtual rows always
    /// fit.
    fn of_row(network: &Network, copy: usize, row: usize, role: fn(usize) -> Role) -> Range {
        let features = network.feature_count();
        let in_memory = match row.checked_sub(features) {
            None => copy * features + row,
            Some(row) => network.first_virtual_row(copy) + row,
        };
        let found = tensors(network).find(|tensor| match (tensor.role, role(0)) {
            (Role::Weights(first), Role::Weights(_)) | (Role::Psqt(first), Role::Psqt(_)) => {
                (first..first + tensor.shape[1]).contains(&in_memory)
            }
            _ => false,
        });
        let Some(tensor) = found else {
            panic!("files of `{}` have no row {row}", network.name);
        };
        let factors = network
            .features
            .iter()
            .filter_map(|set| set.factors.as_ref());
        let summands = factors.map(|factors| 1 + factors.sets.len()).max();
        let Range { low, high } = Range::of_tensor(tensor);
        let summands = summands.unwrap_or(1) as i64;
        Range {
            low: low / summands,
            high: high / summands,
        }
    }

    /// The values that a tensor can have by its type in the network's files.
    fn of(network: &Network, role: Role) -> Range {
        match tensors(network).find(|tensor| tensor.role == role) {
            Some(tensor) => Range::of_tensor(tensor),
            None => panic!("files of `{}` have no {role:?}", network.name),
        }
    }

    fn of_tensor(tensor: &Tensor) -> Range {
        let Range { low, high } = Range::of_type(tensor.stored.element);
        let held = tensor.stored.quantise.map(|quantise| quantise.element);
        let held = held.map_or(Range::bits(32), Range::of_type);
        Range {
            low: held.clamp(low),
            high: held.clamp(high),
        }
    }

    fn of_type(element: Element) -> Range {
        match element.limits() {
            Some((low, high)) => Range {
                low: low.into(),
                high: high.into(),
            },
            // Numbers of `f32` have 24 bits; dividing by a factor and multiplying again may cost
            // two.
            None => Range::bits(22),
        }
    }

    /// The values that tensors of a layer can have so that every sum and difference of two fits the
    /// type.
    fn of_layer(network: &Network, index: usize, role: fn(usize) -> Role) -> Range {
        let Range { low, high } = Range::of(network, role(index));
        let summands = if network.layers[index].factorised {
            2
        } else {
            1
        };
        Range {
            low: low / summands,
            high: high / summands,
        }
    }

    fn clamp(self, value: i64) -> i64 {
        value.clamp(self.low, self.high)
    }
}

/// The tensors of a network's files.
fn tensors(network: &Network) -> impl Iterator<Item = &Tensor> {
    network.file.tensors()
}

impl Draw {
    /// A whole number within `size` of 0.
    fn near_zero(&mut self, size: f64, range: Range) -> i64 {
        let size = size.clamp(1.0, 1e12) as i64;
        let number = self.random.usize(..2 * size as usize + 1) as i64 - size;
        range.clamp(number)
    }

    fn either(&mut self, range: Range) -> i64 {
        match self.random.usize(..2) {
            0 => range.low,
            _ => range.high,
        }
    }

    fn transformer(&mut self, network: &Network, copy: usize) -> (TransformerWeights, VirtualRows) {
        let transformer = &network.transformer;
        let width = transformer.width;
        let rows = network.feature_count() + network.virtual_row_count();
        // The size that accumulators should have.
        let reach = match transformer.activation {
            TransformerActivation::Relu { shift, limit } => f64::from(limit << shift),
            TransformerActivation::Crelu { limit } => f64::from(limit),
            TransformerActivation::None => 10_000.0,
            _ => f64::from(transformer.one),
        };
        let size = spread(reach, max_active(network), 1.0);
        let range = Range::of(network, Role::Biases(copy));
        let biases = (0..width).map(|neuron| {
            let bias = match (self.style, neuron / 8 % 4) {
                (Style::Zero, _) => 0,
                // With small weights, the first neurons are at the limit, side by side.
                (Style::Extreme, 0) => 2 * reach as i64,
                _ => self.near_zero(reach / 2.0, range),
            };
            range.clamp(bias) as i16
        });
        let biases = biases.collect();
        let ranges: Vec<Range> = (0..rows)
            .map(|row| Range::of_row(network, copy, row, Role::Weights))
            .collect();
        let sizes: Vec<f64> = shifts(network)
            .map(|shift| size / f64::from(1 << shift))
            .collect();
        let weights = (0..rows * width).map(|index| {
            let (row, neuron) = (index / width, index % width);
            let (range, size) = (ranges[row], sizes[row]);
            let weight = match (self.style, neuron / 8 % 4) {
                (Style::Zero, _) => 0,
                (Style::Alternating, _) => alternating(row + neuron, size as i64 + 1),
                (Style::Extreme, 1) => i64::from(self.random.i16(..)),
                (Style::Extreme, 2) => self.either(range),
                _ => self.near_zero(size, range),
            };
            range.clamp(weight) as i16
        });
        let mut weights: Vec<i16> = weights.collect();
        let mut psqt = match transformer.psqt {
            0 => Vec::new(),
            count => self.psqt(rows * count, Range::of_row(network, copy, 0, Role::Psqt)),
        };
        let real = network.feature_count();
        let virtual_rows = VirtualRows {
            weights: weights.split_off(real * width),
            psqt: psqt.split_off(real * transformer.psqt),
        };
        let weights = TransformerWeights {
            biases,
            rows: weights,
            psqt,
        };
        (weights, virtual_rows)
    }

    fn psqt(&mut self, count: usize, range: Range) -> Vec<i32> {
        let values = (0..count).map(|index| {
            let value = match self.style {
                Style::Zero => 0,
                Style::Small => self.near_zero(20_000.0, range),
                Style::Extreme => i64::from(self.random.i32(..)),
                Style::Alternating => alternating(index, 1 << 20),
            };
            range.clamp(value) as i32
        });
        values.collect()
    }
}

/// How far each row is shifted when it is added to an accumulator, those of features before virtual
/// ones. Virtual rows are parts of rows that are all shifted alike.
fn shifts(network: &Network) -> impl Iterator<Item = u32> {
    let real = network.features.iter().map(|set| (set.rows, set.shift));
    let virtuals = network
        .features
        .iter()
        .map(|set| (set.virtual_rows(), set.shift));
    real.chain(virtuals)
        .flat_map(|(rows, shift)| std::iter::repeat_n(shift, rows))
}

/// The size of random weights with which a sum of `count` products with inputs of this size spreads
/// to `reach`.
fn spread(reach: f64, count: usize, inputs: f64) -> f64 {
    reach / (inputs * (count.max(3) as f64 / 3.0).sqrt())
}

/// Features of all sets that can be active at once.
fn max_active(network: &Network) -> usize {
    network.features.iter().map(|set| set.max_active).sum()
}

fn alternating(index: usize, size: i64) -> i64 {
    if index.is_multiple_of(2) { size } else { -size }
}
