//! Proofs about a loaded net's layers from its weights: bounds of their sums, and whether the
//! products that a faster kernel keeps in 16 bits always fit.
//!
//! The spec says how large inputs can be, and the weights say how large sums can become. Kernels
//! that are exact for all weights need no proof.

use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;

/// Which layers' weights in a stack are proved to let a faster kernel be exact: a bit per layer, set
/// by the loader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proved(u64);

const _: () = assert!(
    nnue_format::MAX_LAYERS <= u64::BITS as usize,
    "every layer has a bit"
);

impl Proved {
    /// Whether the layer of this index may take the faster kernel.
    #[inline]
    #[must_use]
    pub fn layer(self, index: u32) -> bool {
        self.0.checked_shr(index).is_some_and(|bits| bits & 1 != 0)
    }
}

/// The proofs about the stacks of a network, in a cache line of the network: behind a pointer it
/// cost 2 % of an evaluation. The last place is for all stacks from there on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProvedStacks([Proved; 8]);

impl ProvedStacks {
    /// Of no stacks, nothing is proved.
    pub(crate) fn of(stacks: &[Proved]) -> ProvedStacks {
        let mut places = [Proved::default(); 8];
        let last = places.len() - 1;
        for (place, proved) in places.iter_mut().enumerate() {
            // A bucket that does not exist has the last stack.
            let first = place.min(stacks.len().saturating_sub(1));
            let end = if place == last {
                stacks.len()
            } else {
                first + 1
            };
            let bits = stacks.get(first..end).unwrap_or_default().iter();
            *proved = Proved(
                bits.map(|Proved(bits)| bits)
                    .copied()
                    .reduce(|a, b| a & b)
                    .unwrap_or(0),
            );
        }
        ProvedStacks(places)
    }

    /// The proofs about the stack of a bucket.
    #[inline]
    pub(crate) fn bucket(&self, bucket: usize) -> Proved {
        self.0[bucket.min(7)]
    }
}

/// Bounds for one affine layer, over all stacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerProof {
    /// The layer's name in the spec.
    pub layer: &'static str,
    /// The layer's number among the network's layers.
    index: u32,
    /// No sum is below this, biases included.
    pub lowest: i64,
    /// No sum is above this, biases included.
    pub highest: i64,
    /// Bounds of the faster kernel's products, if the layer has a faster kernel that needs a proof.
    pub products: Option<Products>,
    /// How many stacks have the faster kernel, and how many the exact one.
    kernels: [usize; 2],
}

/// Bounds of what a faster kernel keeps in 16 bits: the sum of two products of bytes, or of two in
/// each of two blocks, or a root times a weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Products {
    /// No intermediate value is below this.
    pub lowest: i32,
    /// No intermediate value is above this.
    pub highest: i32,
}

impl LayerProof {
    /// How far the bounds are from the ends of 32 bits. It is negative if they are outside.
    #[must_use]
    pub fn margin(&self) -> i64 {
        (i64::from(i32::MAX) - self.highest).min(self.lowest - i64::from(i32::MIN))
    }

    fn include(&mut self, lowest: i64, highest: i64) {
        self.lowest = self.lowest.min(lowest);
        self.highest = self.highest.max(highest);
    }
}

impl Products {
    /// How far the bounds are from the ends of 16 bits. It is negative if they are outside; then
    /// the exact kernel is used, in stacks whose own bounds are.
    #[must_use]
    pub fn margin(&self) -> i32 {
        (i32::from(i16::MAX) - self.highest).min(self.lowest - i32::from(i16::MIN))
    }

    fn include(&mut self, value: i32) {
        self.lowest = self.lowest.min(value);
        self.highest = self.highest.max(value);
    }
}

impl fmt::Display for LayerProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "sums of `{}` within {} to {}: margin {}",
            self.layer,
            self.lowest,
            self.highest,
            self.margin()
        )?;
        if let Some(products) = &self.products {
            let margin = products.margin();
            write!(
                f,
                "; products within {} to {}: margin {margin}, ",
                products.lowest, products.highest
            )?;
            match self.kernels {
                [_, 0] => f.write_str("fast kernel")?,
                [0, _] => f.write_str("exact kernel")?,
                [fast, exact] => write!(f, "fast kernel in {fast} of {} stacks", fast + exact)?,
            }
        }
        Ok(())
    }
}

/// Collects the proofs of a network's layers, stack by stack.
#[derive(Debug, Default)]
pub struct Proofs {
    layers: Vec<LayerProof>,
    stacks: Vec<Proved>,
}

/// The facts about an affine layer that a proof needs.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The layer's name in the spec.
    pub name: &'static str,
    /// The layer's number among the network's layers.
    pub index: u32,
    /// The smallest and the largest value of an input.
    pub inputs: RangeInclusive<i64>,
}

impl Proofs {
    /// Proofs of no layers.
    #[must_use]
    pub fn new() -> Proofs {
        Proofs::default()
    }

    /// The layers, in the order of the network.
    #[must_use]
    pub fn into_layers(self) -> Vec<LayerProof> {
        self.layers
    }

    /// The layers of each stack that may use their faster kernel.
    #[must_use]
    pub fn into_proved(self) -> Vec<Proved> {
        self.stacks
    }

    /// Begins the next stack, to which all that follows belongs.
    pub fn stack(&mut self) {
        self.stacks.push(Proved::default());
    }

    /// Bounds the sums of a layer. Each weight comes with the number of its output, in any order.
    pub fn sums<W: Into<i64>>(
        &mut self,
        layer: &Layer,
        biases: &[i32],
        weights: impl Iterator<Item = (usize, W)>,
    ) {
        let mut bounds: Vec<(i64, i64)> = biases
            .iter()
            .map(|bias| (i64::from(*bias), i64::from(*bias)))
            .collect();
        let (least, most) = (*layer.inputs.start(), *layer.inputs.end());
        for (output, weight) in weights {
            let Some((lowest, highest)) = bounds.get_mut(output) else {
                continue;
            };
            let weight = weight.into();
            let (a, b) = (weight.saturating_mul(least), weight.saturating_mul(most));
            *lowest = lowest.saturating_add(a.min(b));
            *highest = highest.saturating_add(a.max(b));
        }
        let proof = self.layer(layer);
        for (lowest, highest) in bounds {
            proof.include(lowest, highest);
        }
    }

    /// Bounds the sums of two neighbouring products of bytes, which AVX2 adds with saturation.
    pub fn pairs(&mut self, layer: &Layer, weights: &[i8]) {
        let largest = *layer.inputs.end() as i32;
        let pairs = weights.as_chunks::<2>().0.iter();
        self.products(
            layer,
            pairs.flat_map(|pair| [1, -1].map(|sign| sign * largest * weight_of(*pair, sign))),
        );
    }

    /// Bounds the sums of two neighbouring products of bytes, in each block together with those in
    /// the block that is half of all blocks behind it. The weights are `[slots / 4][outputs][4]`.
    pub fn halves<const ROW: usize, const BLOCKS: usize>(
        &mut self,
        layer: &Layer,
        weights: &[[i8; ROW]; BLOCKS],
    ) {
        let largest = *layer.inputs.end() as i32;
        let (first, second) = weights.split_at(BLOCKS / 2);
        let [first, second] = [first, second].map(|half| half.as_flattened().as_chunks().0);
        self.products(
            layer,
            first.iter().zip(second).flat_map(|(first, second)| {
                [1, -1].map(|sign| {
                    sign * largest * (weight_of(*first, sign) + weight_of(*second, sign))
                })
            }),
        );
    }

    /// Bounds the sums of two neighbouring products of bytes in any two blocks together. The
    /// weights are `[slots / 4][outputs][4]`.
    pub fn any_two<const ROW: usize, const BLOCKS: usize>(
        &mut self,
        layer: &Layer,
        weights: &[[i8; ROW]; BLOCKS],
    ) {
        let largest = *layer.inputs.end() as i32;
        let most = |pair: usize, sign: i32| {
            let [mut most, mut second] = [0; 2];
            for block in weights {
                let weight = weight_of(block.as_chunks().0[pair], sign);
                second = second.max(weight.min(most));
                most = most.max(weight);
            }
            sign * largest * (most + second)
        };
        self.products(
            layer,
            (0..ROW / 2).flat_map(|pair| [1, -1].map(|sign| most(pair, sign))),
        );
    }

    /// Bounds the products of a weight and the root of a squared input.
    pub fn roots(&mut self, layer: &Layer, largest_root: i32, weights: &[i16]) {
        let products = weights
            .iter()
            .map(|weight| largest_root * i32::from(*weight));
        self.products(layer, products);
    }

    /// Bounds values that the faster kernel keeps in 16 bits in the current stack, and decides which
    /// kernel the stack has.
    fn products(&mut self, layer: &Layer, values: impl Iterator<Item = i32>) {
        let mut products = Products::default();
        values.for_each(|value| products.include(value));
        let fits = products.margin() >= 0;
        if let Some(Proved(bits)) = self.stacks.last_mut() {
            *bits |= u64::from(fits) << layer.index;
        }
        let proof = self.layer(layer);
        proof.kernels[usize::from(!fits)] += 1;
        let all = proof.products.get_or_insert_default();
        all.include(products.lowest);
        all.include(products.highest);
    }

    /// The proof of a layer: what the stacks before have begun, or a new proof.
    fn layer(&mut self, layer: &Layer) -> &mut LayerProof {
        let known = self
            .layers
            .iter()
            .position(|proof| proof.index == layer.index);
        let place = known.unwrap_or_else(|| {
            self.layers.push(LayerProof {
                layer: layer.name,
                index: layer.index,
                lowest: 0,
                highest: 0,
                products: None,
                kernels: [0; 2],
            });
            self.layers.len() - 1
        });
        &mut self.layers[place]
    }
}

/// The size of the weights of a sign, together.
fn weight_of(pair: [i8; 2], sign: i32) -> i32 {
    let [a, b] = pair.map(|weight| (sign * i32::from(weight)).max(0));
    a + b
}

/// Each of the weights `[outputs][slots]`, with the number of its output before it.
pub fn rows<W: Copy, const SLOTS: usize, const OUTPUTS: usize>(
    weights: &[[W; SLOTS]; OUTPUTS],
) -> impl Iterator<Item = (usize, W)> {
    let row = |(output, row): (usize, &'_ [W; SLOTS])| row.map(|weight| (output, weight));
    weights.iter().enumerate().flat_map(row)
}

/// Each of the weights `[slots / 4][outputs][4]`, with the number of its output before it.
pub fn blocks<W: Copy, const ROW: usize, const BLOCKS: usize>(
    weights: &[[W; ROW]; BLOCKS],
) -> impl Iterator<Item = (usize, W)> {
    let weights = weights.iter().flat_map(|row| row.iter().enumerate());
    weights.map(|(position, weight)| (position / 4, *weight))
}

/// Each of the weights `[slots][outputs]`, with the number of its output before it.
pub fn columns<W: Copy, const OUTPUTS: usize, const SLOTS: usize>(
    weights: &[[W; OUTPUTS]; SLOTS],
) -> impl Iterator<Item = (usize, W)> {
    weights
        .iter()
        .flat_map(|column| column.iter().copied().enumerate())
}

/// Each of the weights `[slots][n][16]`, with the number of its output before it. `numbers` says
/// which runs of 16 outputs each slot reaches.
pub fn output_blocks<W: Copy, const N: usize, const ROW: usize, const SLOTS: usize>(
    numbers: &[[u16; N]; SLOTS],
    weights: &[[W; ROW]; SLOTS],
) -> impl Iterator<Item = (usize, W)> {
    let inputs = numbers.iter().zip(weights);
    inputs.flat_map(|(numbers, row)| {
        let runs = numbers.iter().zip(row.as_chunks::<16>().0);
        runs.flat_map(|(number, run)| {
            let first = 16 * usize::from(*number);
            run.iter()
                .enumerate()
                .map(move |(lane, weight)| (first + lane, *weight))
        })
    })
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use super::*;

    const LAYER: Layer = Layer {
        name: "fc",
        index: 3,
        inputs: 0..=100,
    };

    #[test]
    fn nothing_is_proved_of_layers_that_have_no_bit() {
        let proved = Proved(1 | 1 << 63);
        let layers = [0, 1, 63, 64, u32::MAX].map(|layer| proved.layer(layer));
        assert_eq!(layers, [true, false, true, false, false]);
    }

    #[test]
    fn sums_are_bounded_over_all_outputs_and_stacks() {
        let mut proofs = Proofs::new();
        proofs.sums(&LAYER, &[5, -7], rows(&[[1i8, -2], [3, 4]]));
        proofs.sums(&LAYER, &[0, 0], columns(&[[-9i8, 0], [0, 0]]));
        let [proof] = <[LayerProof; 1]>::try_from(proofs.into_layers()).unwrap();
        assert_eq!((proof.lowest, proof.highest), (-900, 693));
        assert_eq!(proof.margin(), i64::from(i32::MAX) - 900 + 1);
        assert_eq!(proof.products, None);
    }

    #[test]
    fn sums_of_signed_inputs_are_bounded_by_either_end() {
        let layer = Layer {
            inputs: -100..=50,
            ..LAYER
        };
        for (weight, bounds) in [(3i8, (-300, 150)), (-3, (-150, 300))] {
            let mut proofs = Proofs::new();
            proofs.sums(&layer, &[0], rows(&[[weight]]));
            let [proof] = <[LayerProof; 1]>::try_from(proofs.into_layers()).unwrap();
            assert_eq!((proof.lowest, proof.highest), bounds, "{weight}");
        }
    }

    #[test]
    fn margins_end_at_either_end_of_32_bits() {
        for (bias, weight, margin) in [
            (i32::MAX - 400, 4i8, 0),
            (i32::MAX - 399, 4, -1),
            (i32::MIN + 400, -4, 0),
            (i32::MIN + 399, -4, -1),
        ] {
            let mut proofs = Proofs::new();
            proofs.sums(&LAYER, &[bias], rows(&[[weight]]));
            assert_eq!(proofs.into_layers()[0].margin(), margin, "{bias}");
        }
    }

    #[test]
    fn proofs_say_bounds_margins_and_which_kernel() {
        let said = |pair: [i8; 2]| {
            let mut proofs = Proofs::new();
            let layer = Layer {
                inputs: 0..=255,
                ..LAYER
            };
            proofs.sums(&layer, &[1000], rows(&[pair]));
            let sums = proofs.into_layers()[0].to_string();
            let mut proofs = Proofs::new();
            proofs.sums(&layer, &[1000], rows(&[pair]));
            proofs.pairs(&layer, &pair);
            let [proof] = <[LayerProof; 1]>::try_from(proofs.into_layers()).unwrap();
            (sums, proof.to_string())
        };
        let (sums, products) = said([127, -2]);
        let expected = "sums of `fc` within 0 to 33385: margin 2147450262";
        assert_eq!(sums, expected);
        assert_eq!(
            products,
            format!("{expected}; products within -510 to 32385: margin 382, fast kernel")
        );
        let (_, products) = said([-128, -1]);
        let end = "; products within -32895 to 0: margin -127, exact kernel";
        assert!(products.ends_with(end), "{products}");
    }

    #[test]
    fn all_forms_tell_outputs_apart() {
        let one_by_one = |weights: &mut dyn Iterator<Item = (usize, i8)>| {
            let mut sums = [0; 32];
            weights.for_each(|(output, weight)| sums[output] += i32::from(weight));
            sums
        };
        let mut block = [[0i8; 64]; 2];
        (block[0][4], block[1][7]) = (10, 1);
        assert_eq!(one_by_one(&mut blocks(&block))[1], 11);
        let mut runs = [[0i8; 16]; 2];
        (runs[0][2], runs[1][2]) = (10, 1);
        let sums = one_by_one(&mut output_blocks(&[[1], [0]], &runs));
        assert_eq!((sums[18], sums[2]), (10, 1));
    }

    #[test]
    fn pairs_decide_at_the_last_unit() {
        let layer = Layer {
            inputs: 0..=255,
            ..LAYER
        };
        for (pair, fits) in [
            ([127, 1], true),
            ([127, 2], false),
            ([-128, 0], true),
            ([-128, -1], false),
            ([127, -128], true),
        ] {
            let mut proofs = Proofs::new();
            proofs.stack();
            proofs.pairs(&layer, &[[0, 0], pair].concat());
            let [proved] = proofs.into_proved()[..] else {
                panic!("one stack");
            };
            assert_eq!(proved.layer(3), fits, "{pair:?}");
            assert!(!proved.layer(2));
        }
    }

    #[test]
    fn buckets_have_what_their_stacks_prove() {
        let buckets = |stacks: &[u64]| {
            let stacks: Vec<Proved> = stacks.iter().map(|bits| Proved(*bits)).collect();
            let proved = ProvedStacks::of(&stacks);
            [0, 1, 6, 7, 8, 1000].map(|bucket| proved.bucket(bucket).0)
        };
        assert_eq!(buckets(&[]), [0; 6]);
        assert_eq!(buckets(&[5]), [5; 6]);
        assert_eq!(buckets(&[1, 2]), [1, 2, 2, 2, 2, 2]);
        assert_eq!(buckets(&[1, 2, 0, 0, 0, 0, 4, 7]), [1, 2, 4, 7, 7, 7]);
        assert_eq!(buckets(&[1, 2, 0, 0, 0, 0, 4, 7, 6, 3]), [1, 2, 4, 2, 2, 2]);
    }

    #[test]
    fn each_stack_has_the_kernel_that_its_own_weights_prove() {
        let mut proofs = Proofs::new();
        for weight in [327, 328, -327] {
            proofs.stack();
            proofs.roots(&LAYER, 100, &[weight, 1]);
        }
        let said = proofs.layers[0].to_string();
        let end = "products within -32700 to 32800: margin -33, fast kernel in 2 of 3 stacks";
        assert!(said.ends_with(end), "{said}");
        let proved = proofs.into_proved();
        assert!(
            proved
                .iter()
                .map(|proved| proved.layer(3))
                .eq([true, false, true])
        );
    }

    #[test]
    fn pairs_of_two_blocks_decide_at_the_last_unit() {
        let layer = Layer {
            inputs: 0..=127,
            ..LAYER
        };
        // 127 times 258 fits in 16 bits, and so does 127 times -258. The weights are those of a
        // pair in blocks 0 to 3; the other pair of the output and the other output have others.
        for (pairs, halves_fit, any_two_fit) in [
            ([[127, 127], [0, 0], [4, 0], [0, 0]], true, true),
            ([[127, 127], [0, 0], [4, 1], [0, 0]], false, false),
            ([[0, 0], [-128, -128], [0, 0], [-2, 0]], true, true),
            ([[0, 0], [-128, -128], [0, 0], [-2, -1]], false, false),
            ([[127, 127], [4, 1], [0, 0], [0, 0]], true, false),
            ([[0, 0], [4, 1], [127, 127], [0, 0]], true, false),
            ([[0, 0], [0, 0], [-3, 0], [-128, -128]], true, false),
            ([[127, 127], [0, 0], [-128, -128], [-2, 0]], true, true),
            ([[100, 100], [100, 100], [29, 29], [29, 30]], false, false),
        ] {
            let weights = pairs.map(|[a, b]| [60, -60, -64, -64, a, b, 64, 0]);
            let decided = |prove: fn(&mut Proofs, &Layer, &[[i8; 8]; 4])| {
                let mut proofs = Proofs::new();
                proofs.stack();
                prove(&mut proofs, &layer, &weights);
                proofs.into_proved()[0].layer(3)
            };
            assert_eq!(decided(Proofs::halves), halves_fit, "{pairs:?}");
            assert_eq!(decided(Proofs::any_two), any_two_fit, "{pairs:?}");
        }
    }

    #[test]
    fn roots_decide_at_the_last_unit() {
        for (root, weight, fits) in [
            (255, 128, true),
            (255, 129, false),
            (255, -128, true),
            (255, -129, false),
            (128, 255, true),
            (128, 256, false),
            (128, -256, true),
            (128, -257, false),
        ] {
            let mut proofs = Proofs::new();
            proofs.stack();
            proofs.roots(&LAYER, root, &[0, weight]);
            assert_eq!(proofs.into_proved()[0].layer(3), fits, "{root} {weight}");
        }
    }
}
