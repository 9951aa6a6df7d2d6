//! Weights with which a network is as fast as a trained network.
//!
//! The time of an evaluation depends on the weights in a single way: layers skip blocks of four
//! inputs that are all zero. So rows are random, and the biases of the transformer are chosen on
//! real positions so that each neuron is active in a given share of them.

use nnue_compiler::feature_set::FeatureSet;
use nnue_compiler::network::file::Role;
use nnue_compiler::network::{Network, Pooling, TransformerActivation};
use nnue_runtime::{Board, Color};

use crate::active_rows;
use crate::dummy::net_file::nearest_net_file_of;

/// The number of neurons of a block, which a layer skips if they are all zero.
const BLOCK: usize = 4;

/// A net file for a network. `density` is the share of blocks of four inputs of the first layer
/// that are not zero, from 0 to 1, on average over these positions.
#[must_use]
pub fn trained(network: &Network, density: f64, positions: &[Board]) -> Vec<u8> {
    let rows = Rows::of(network);
    let biases = Biases::of(network, &rows, density, positions);
    let tensor = |role: Role| match role {
        Role::LayerWeights(layer) | Role::LayerBiases(layer) => 1 + 2 * layer as u64,
        Role::SharedWeights(layer) | Role::SharedBiases(layer) => 2 + 2 * layer as u64,
        _ => 0,
    };
    nearest_net_file_of(network, |weight| {
        let (row, column) = (weight.row, weight.column);
        let place = [weight.stack as u64, row as u64, column as u64];
        let noise = |salt: u64| noise(tensor(weight.role) << 8 | salt, place);
        match weight.role {
            Role::Weights(first) => rows.weight(first + row, column),
            Role::Biases(copy) => biases.of[copy][column],
            Role::Psqt(_) => (2000.0 * noise(1)).round(),
            Role::LayerWeights(_) | Role::SharedWeights(_) => (30.0 * noise(2)).round(),
            Role::LayerBiases(_) | Role::SharedBiases(_) => (500.0 * noise(3)).round(),
            Role::LayerFactors(_) => 16.0,
        }
    })
}

/// A number from -1 to 1, more often near 0, which depends only on the arguments.
fn noise(salt: u64, place: [u64; 3]) -> f64 {
    let mixed = place.into_iter().fold(salt, |state, number| {
        // SplitMix64.
        let mut z = (state ^ number).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    });
    let (first, second) = ((mixed >> 32) as u32, mixed as u32);
    (f64::from(first) + f64::from(second)) / f64::from(u32::MAX) - 1.0
}

/// The rows of the transformer.
struct Rows {
    /// The largest size of the weights, for each row in memory.
    sizes: Vec<f64>,
}

impl Rows {
    /// Sizes of weights with which the sums of the active rows spread over the range in which
    /// activations are not constant.
    fn of(network: &Network) -> Rows {
        let active: usize = network.features.iter().map(|set| set.max_active).sum();
        let size = reach(network) / (active.max(3) as f64 / 3.0).sqrt();
        let copies = network.transformer.perspectives.copies();
        let of_sets = |rows: fn(&FeatureSet) -> usize| {
            let sizes = network.features.iter().flat_map(move |set| {
                let size = (size / f64::from(1 << set.shift)).clamp(1.0, 60.0);
                std::iter::repeat_n(size, rows(set))
            });
            sizes.collect::<Vec<f64>>().repeat(copies)
        };
        let mut sizes = of_sets(|set| set.rows);
        // Virtual rows are added to other rows, so they are zero.
        let virtuals = of_sets(|set| set.virtual_rows());
        sizes.extend(virtuals.iter().map(|_| 0.0));
        Rows { sizes }
    }

    fn weight(&self, row: usize, neuron: usize) -> f64 {
        let size = self.sizes.get(row).copied().unwrap_or(0.0);
        (size * noise(0, [0, row as u64, neuron as u64])).round()
    }
}

/// The size that the sums of an accumulator shall have.
fn reach(network: &Network) -> f64 {
    match network.transformer.activation {
        TransformerActivation::Relu { shift, limit } => f64::from(limit) * f64::from(1 << shift),
        TransformerActivation::Crelu { limit } => f64::from(limit),
        TransformerActivation::None => 1000.0,
        TransformerActivation::Screlu { .. } | TransformerActivation::Quantmoid4 => {
            f64::from(network.transformer.one)
        }
    }
}

struct Biases {
    /// The biases as `[copy][neuron]`.
    of: Vec<Vec<f64>>,
}

impl Biases {
    fn of(network: &Network, rows: &Rows, density: f64, positions: &[Board]) -> Biases {
        let transformer = &network.transformer;
        let (width, real) = (transformer.width, network.feature_count());
        let copies = transformer.perspectives.copies();
        let mut sums = vec![Vec::new(); copies];
        for position in positions {
            let active = active_rows(network, position);
            for (perspective, active) in Color::ALL.into_iter().zip(active) {
                let copy = if copies == 1 { 0 } else { perspective.index() };
                let factor = |row: usize| f64::from(1 << shift_of(network, row));
                let active = active
                    .into_iter()
                    .map(|row| (copy * real + row, factor(row)));
                let active: Vec<(usize, f64)> = active.collect();
                let sum = |neuron| {
                    let active = active.iter();
                    active
                        .map(|(row, factor)| factor * rows.weight(*row, neuron))
                        .sum()
                };
                sums[copy].push((0..width).map(sum).collect::<Vec<f64>>());
            }
        }
        let calibrate = |sums: Vec<Vec<f64>>| {
            let mut biases = vec![0.0; width];
            if sums.is_empty() {
                return biases;
            }
            let calibration = Calibration {
                network,
                sums: &sums,
                density,
            };
            calibration.choose(&mut biases);
            biases
        };
        Biases {
            of: sums.into_iter().map(calibrate).collect(),
        }
    }
}

/// How far a row is shifted to the left when it is added.
fn shift_of(network: &Network, row: usize) -> u32 {
    let mut first = 0;
    for set in &network.features {
        first += set.rows;
        if row < first {
            return set.shift;
        }
    }
    0
}

/// The choice of the biases of a copy of the transformer.
struct Calibration<'n> {
    network: &'n Network,
    /// The sums of the active rows as `[sample][neuron]`, without biases.
    sums: &'n [Vec<f64>],
    density: f64,
}

impl Calibration<'_> {
    fn choose(&self, biases: &mut [f64]) {
        let transformer = &self.network.transformer;
        let least = least_active(transformer.activation);
        match transformer.pooling {
            Pooling::Product { shift, .. } => {
                let half = transformer.block / 2;
                let pooled = |neuron: &usize| {
                    neuron % transformer.block < half && neuron + half < transformer.width
                };
                let firsts: Vec<usize> = (0..transformer.width).filter(pooled).collect();
                // The second factor is nearly always far from zero.
                let large = (0.6 * reach(self.network)).round();
                for first in &firsts {
                    biases[first + half] = large;
                }
                let needed = |first: usize, sums: &[f64]| {
                    let second = (sums[first + half] + large).min(reach(self.network));
                    let factor = (f64::from(1 << shift) / second.max(1e-9)).ceil();
                    factor.max(least) - sums[first]
                };
                self.choose_blocks(&firsts, needed, biases);
            }
            Pooling::None | Pooling::Average | Pooling::Max => {
                let neurons: Vec<usize> = (0..transformer.width).collect();
                self.choose_blocks(&neurons, |neuron, sums| least - sums[neuron], biases);
            }
        }
    }

    /// Chooses the biases of neurons, four to a block. `needed` returns the least bias with which a
    /// neuron is active in a sample.
    fn choose_blocks(
        &self,
        neurons: &[usize],
        needed: impl Fn(usize, &[f64]) -> f64,
        biases: &mut [f64],
    ) {
        for (block, neurons) in neurons.chunks(BLOCK).enumerate() {
            // Blocks differ: some are active half as often as others.
            let density = self.density * (1.0 + 0.5 * noise(4, [0, 0, block as u64]));
            let needed = neurons.iter().map(|neuron| {
                let of_samples = self.sums.iter().map(|sums| needed(*neuron, sums));
                of_samples.collect::<Vec<f64>>()
            });
            let chosen = biases_of_block(&needed.collect::<Vec<_>>(), density);
            for (neuron, bias) in neurons.iter().zip(chosen) {
                biases[*neuron] = bias.clamp(-30_000.0, 30_000.0);
            }
        }
    }
}

/// The biases with which a block has an active neuron in about this share of the samples, and all
/// its neurons are active equally often. `needed[neuron][sample]` is the least bias with which a
/// neuron is active.
fn biases_of_block(needed: &[Vec<f64>], density: f64) -> Vec<f64> {
    let samples = needed.first().map_or(0, Vec::len);
    let sorted = needed.iter().map(|needed| {
        let mut sorted = needed.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    });
    let sorted: Vec<Vec<f64>> = sorted.collect();
    // The biases with which each neuron is active in `count` samples.
    let biases = |count: usize| -> Vec<f64> {
        let bias = |sorted: &Vec<f64>| match count.checked_sub(1) {
            Some(last) => sorted[last],
            None => sorted.first().map_or(0.0, |least| least - 1.0),
        };
        sorted.iter().map(bias).collect()
    };
    let share = |count: usize| {
        let biases = biases(count);
        let active = |sample: &usize| {
            let mut neurons = needed.iter().zip(&biases);
            neurons.any(|(needed, bias)| needed[*sample] <= *bias)
        };
        (0..samples).filter(active).count() as f64 / samples as f64
    };
    let counts: Vec<usize> = (0..samples).collect();
    let more = counts.partition_point(|count| share(*count) < density);
    let less = more.saturating_sub(1);
    let nearest = if density - share(less) < share(more) - density {
        less
    } else {
        more
    };
    biases(nearest)
}

/// The least accumulator value that is not zero after activation.
fn least_active(activation: TransformerActivation) -> f64 {
    match activation {
        TransformerActivation::Relu { shift, .. } => f64::from(1 << shift),
        TransformerActivation::Screlu { shift, rounding } => {
            let least = (1 << shift) - rounding.summand(shift);
            f64::from(least).sqrt().ceil()
        }
        TransformerActivation::None
        | TransformerActivation::Crelu { .. }
        | TransformerActivation::Quantmoid4 => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use nnue_compiler::analyse;
    use nnue_compiler::diagnostics::SourceFile;

    use super::*;
    use crate::{Net, Values};

    const FENS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "8/8/4k3/3q4/8/3Q4/4K3/8 b - - 0 1",
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9",
    ];

    #[test]
    fn blocks_are_as_active_as_they_should_be() {
        let positions = FENS.map(|fen| fen.parse::<Board>().expect("a FEN"));
        for (spec, density) in [
            (include_str!("../../../../specs/small128.toml"), 0.3),
            (include_str!("../../../../specs/sfnnv1.toml"), 0.5),
            (include_str!("../../../../specs/bullet/simple.toml"), 0.8),
        ] {
            let network = analyse(&SourceFile::new("spec", spec)).expect("a spec");
            let file = trained(&network, density, &positions);
            let net = Net::from_bytes(&network, &file).expect("a net file");
            let (mut active, mut all) = (0, 0);
            for position in &positions {
                let accumulators = net.accumulate(&net.active_rows(position));
                let trace = net.trace(&accumulators, Color::White, 0);
                let Values::Integers(outputs) = trace.transformer else {
                    panic!("integers");
                };
                for block in outputs.chunks(BLOCK) {
                    active += usize::from(block.iter().any(|value| *value != 0));
                    all += 1;
                }
            }
            let found = f64::from(active as u32) / f64::from(all as u32);
            assert!((found - density).abs() < 0.05, "{}: {found}", network.name);
        }
    }
}
