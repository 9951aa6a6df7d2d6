//! Affine layers of other types than bytes: 16-bit, 32-bit and binary weights, squares, floating
//! point, sparse inputs.
//!
//! All levels share this code. It is inlined into kernels, where LLVM turns the loops into vectors
//! with the instructions of the level: products of 16 bits become `pmaddwd` or, with VNNI,
//! `vpdpwssd`; counting bits becomes table lookups or `vpopcntq`. Only the fused multiplication and
//! addition is an argument, because the scalar level has no instruction for it.
//!
//! Words of the transformer that one layer alone reads reach this file at the portable level only:
//! other levels multiply them in the registers in which they are activated.
//!
//! Integer sums are `i32` and wrap around, so the order of additions does not matter.
//! Floating-point sums have the order that each function states. Inputs in padding slots are
//! multiplied by weights of zero.

/// `y[o] = biases[o] + sum of weights[o][i] * x[i]`.
#[inline(always)]
#[must_use]
pub fn affine_i16<const INPUTS: usize, const OUTPUTS: usize>(
    inputs: &[i16; INPUTS],
    weights: &[[i16; INPUTS]; OUTPUTS],
    biases: &[i32; OUTPUTS],
) -> [i32; OUTPUTS] {
    rows(inputs, weights, biases, sum_of_products)
}

/// `y[o] = biases[o] + sum of weights[o][i] * x[i]`, for inputs in `0..=65535`, whose bits are read
/// without a sign.
#[inline(always)]
#[must_use]
pub fn affine_u16<const INPUTS: usize, const OUTPUTS: usize>(
    inputs: &[i16; INPUTS],
    weights: &[[i16; INPUTS]; OUTPUTS],
    biases: &[i32; OUTPUTS],
) -> [i32; OUTPUTS] {
    rows(inputs, weights, biases, sum_of_unsigned_products)
}

/// `y[o] = biases[o] + sum of weights[o][i] * roots[i]^2`, for roots in `0..=255`.
///
/// Exact if all products of a weight and the largest root, usually 255, fit in 16 bits. Then a root
/// times a weight is one instruction on 16-bit lanes, and the product times the root another.
#[inline(always)]
#[must_use]
pub fn affine_squares<const INPUTS: usize, const OUTPUTS: usize>(
    roots: &[i16; INPUTS],
    weights: &[[i16; INPUTS]; OUTPUTS],
    biases: &[i32; OUTPUTS],
) -> [i32; OUTPUTS] {
    rows(roots, weights, biases, sum_of_squares)
}

/// As [`affine_squares`], exact for all weights.
#[inline(always)]
#[must_use]
pub fn affine_squares_exact<const INPUTS: usize, const OUTPUTS: usize>(
    roots: &[i16; INPUTS],
    weights: &[[i16; INPUTS]; OUTPUTS],
    biases: &[i32; OUTPUTS],
) -> [i32; OUTPUTS] {
    rows(roots, weights, biases, sum_of_squares_exact)
}

/// `y[o] = biases[o] + sum of weights[o][i] * x[i]`, where products and sums wrap in 32 bits.
#[inline(always)]
#[must_use]
pub fn affine_i32_rows<const INPUTS: usize, const OUTPUTS: usize>(
    inputs: &[i32; INPUTS],
    weights: &[[i32; INPUTS]; OUTPUTS],
    biases: &[i32; OUTPUTS],
) -> [i32; OUTPUTS] {
    rows(inputs, weights, biases, sum_of_products_i32)
}

/// `y[o] = biases[o] + sum of weights[o][i] * x[i]`, where products are exact and sums wrap around
/// in 64 bits.
#[inline(always)]
#[must_use]
pub fn affine_i64_rows<const INPUTS: usize, const OUTPUTS: usize>(
    inputs: &[i32; INPUTS],
    weights: &[[i32; INPUTS]; OUTPUTS],
    biases: &[i32; OUTPUTS],
) -> [i64; OUTPUTS] {
    let mut sums = [0; OUTPUTS];
    for ((total, row), bias) in sums.iter_mut().zip(weights).zip(biases) {
        *total = sum_of_products_i64(inputs, row).wrapping_add(i64::from(*bias));
    }
    sums
}

/// The sum of each row, plus its bias. `sum` must be a function that is always inlined: a closure
/// may not be, and would then be compiled without the level's instructions.
#[inline(always)]
fn rows<I: ?Sized, W, const OUTPUTS: usize>(
    inputs: &I,
    weights: &[W; OUTPUTS],
    biases: &[i32; OUTPUTS],
    sum: impl Fn(&I, &W) -> i32,
) -> [i32; OUTPUTS] {
    let mut sums = *biases;
    for (total, row) in sums.iter_mut().zip(weights) {
        *total = total.wrapping_add(sum(inputs, row));
    }
    sums
}

#[inline(always)]
fn sum_of_products<const N: usize>(inputs: &[i16; N], weights: &[i16; N]) -> i32 {
    let mut sum = 0i32;
    for (x, w) in inputs.iter().zip(weights) {
        sum = sum.wrapping_add(i32::from(*x) * i32::from(*w));
    }
    sum
}

/// The sum of products of inputs without a sign. Instructions that add products of 16 bits take
/// factors with a sign: half of an input fits in them, and the bit that is left is multiplied
/// apart.
#[inline(always)]
fn sum_of_unsigned_products<const N: usize>(inputs: &[i16; N], weights: &[i16; N]) -> i32 {
    let (mut halves, mut rest) = (0i32, 0i32);
    for (x, w) in inputs.iter().zip(weights) {
        let (half, bit) = ((*x as u16 >> 1) as i16, *x & 1);
        halves = halves.wrapping_add(i32::from(half) * i32::from(*w));
        rest = rest.wrapping_add(i32::from(bit) * i32::from(*w));
    }
    halves.wrapping_mul(2).wrapping_add(rest)
}

#[inline(always)]
fn sum_of_products_i32<const N: usize>(inputs: &[i32; N], weights: &[i32; N]) -> i32 {
    let mut sum = 0i32;
    for (x, w) in inputs.iter().zip(weights) {
        sum = sum.wrapping_add(x.wrapping_mul(*w));
    }
    sum
}

#[inline(always)]
fn sum_of_products_i64<const N: usize>(inputs: &[i32; N], weights: &[i32; N]) -> i64 {
    let mut sum = 0i64;
    for (x, w) in inputs.iter().zip(weights) {
        sum = sum.wrapping_add(i64::from(*x) * i64::from(*w));
    }
    sum
}

#[inline(always)]
fn sum_of_squares<const N: usize>(roots: &[i16; N], weights: &[i16; N]) -> i32 {
    let mut sum = 0i32;
    for (x, w) in roots.iter().zip(weights) {
        sum = sum.wrapping_add(i32::from(x.wrapping_mul(*w)) * i32::from(*x));
    }
    sum
}

#[inline(always)]
fn sum_of_squares_exact<const N: usize>(roots: &[i16; N], weights: &[i16; N]) -> i32 {
    let mut sum = 0i32;
    for (x, w) in roots.iter().zip(weights) {
        let product = i32::from(*x) * i32::from(*w);
        sum = sum.wrapping_add(product.wrapping_mul(i32::from(*x)));
    }
    sum
}

#[inline(always)]
fn different_bits<const N: usize>(a: &[u64; N], b: &[u64; N]) -> i32 {
    let mut sum = 0;
    for (a, b) in a.iter().zip(b) {
        sum += u64::from((a ^ b).count_ones());
    }
    sum as i32
}

/// The numbers of the inputs that are not zero, in ascending order, and how many there are. The
/// rest of the list means nothing.
#[inline(always)]
#[must_use]
pub fn nonzero_inputs<T: Copy + Into<i32>, const INPUTS: usize>(
    inputs: &[T; INPUTS],
) -> ([u16; INPUTS], usize) {
    let mut numbers = [0; INPUTS];
    let mut found = 0;
    for (number, input) in inputs.iter().enumerate() {
        // Every number is written, and a number of a zero is written over by the next: a branch
        // would often be mispredicted.
        numbers[found.min(INPUTS - 1)] = number as u16;
        found += usize::from((*input).into() != 0);
    }
    (numbers, found)
}

/// `y[o] = biases[o] + sum of weights[i][o] * x[i]` over the inputs that are not zero, two at a
/// time.
#[inline(always)]
#[must_use]
pub fn affine_sparse_inputs<const INPUTS: usize, const OUTPUTS: usize>(
    inputs: &[impl Copy + Into<i32>; INPUTS],
    weights: &[[impl Copy + Into<i32>; OUTPUTS]; INPUTS],
    biases: &[i32; OUTPUTS],
) -> [i32; OUTPUTS] {
    let (numbers, found) = nonzero_inputs(inputs);
    let numbers = &numbers[..found.min(INPUTS)];
    let mut sums = *biases;
    let column = |number: u16| {
        // Numbers in the list are less than `INPUTS`, so the minimum changes nothing; it spares the
        // check of the index.
        let number = usize::from(number).min(INPUTS - 1);
        (inputs[number].into(), &weights[number])
    };
    let (pairs, rest) = numbers.as_chunks::<2>();
    for [first, second] in pairs {
        let ((x, first), (y, second)) = (column(*first), column(*second));
        for ((sum, a), b) in sums.iter_mut().zip(first).zip(second) {
            *sum = sum
                .wrapping_add(x * (*a).into())
                .wrapping_add(y * (*b).into());
        }
    }
    for number in rest {
        let (x, column) = column(*number);
        for (sum, weight) in sums.iter_mut().zip(column) {
            *sum = sum.wrapping_add(x * (*weight).into());
        }
    }
    sums
}

/// How many outputs share a block.
const BLOCK: usize = 16;

/// [`affine_sparse_inputs`] for weights that are mostly zero: each input reaches `N` runs of 16
/// outputs, whose numbers are in `blocks`.
#[inline(always)]
#[must_use]
pub fn affine_output_blocks<
    const INPUTS: usize,
    const OUTPUTS: usize,
    const N: usize,
    const WEIGHTS: usize,
>(
    inputs: &[impl Copy + Into<i32>; INPUTS],
    blocks: &[[u16; N]; INPUTS],
    weights: &[[impl Copy + Into<i32>; WEIGHTS]; INPUTS],
    biases: &[i32; OUTPUTS],
) -> [i32; OUTPUTS] {
    const { assert!(WEIGHTS == N * BLOCK && OUTPUTS.is_multiple_of(BLOCK)) };
    let (numbers, found) = nonzero_inputs(inputs);
    let mut sums = *biases;
    for number in &numbers[..found.min(INPUTS)] {
        let number = usize::from(*number).min(INPUTS - 1);
        let x: i32 = inputs[number].into();
        let runs = weights[number].as_chunks::<BLOCK>().0;
        for (block, run) in blocks[number].iter().zip(runs) {
            let block = usize::from(*block).min(OUTPUTS / BLOCK - 1);
            let sums: &mut [i32; BLOCK] = &mut sums.as_chunks_mut().0[block];
            for (sum, weight) in sums.iter_mut().zip(run) {
                *sum = sum.wrapping_add(x * (*weight).into());
            }
        }
    }
    sums
}

/// `y[o] = biases[o] + sum of signs`: 1 for each of the `inputs` that has the sign of its weight,
/// -1 for each of the others. A bit is set for a negative input or weight. Bits beyond the inputs
/// are 0 in both.
#[inline(always)]
#[must_use]
pub fn affine_binary<const WORDS: usize, const OUTPUTS: usize>(
    signs: &[u64; WORDS],
    weights: &[[u64; WORDS]; OUTPUTS],
    biases: &[i32; OUTPUTS],
    inputs: u32,
) -> [i32; OUTPUTS] {
    let mut sums = *biases;
    for (sum, row) in sums.iter_mut().zip(weights) {
        let different = different_bits(signs, row);
        *sum = sum.wrapping_add(inputs as i32 - 2 * different);
    }
    sums
}

/// `sum * alpha[o] * beta >> shift`, computed in `i64` and cut to `i32`; both wrap around.
#[inline(always)]
#[must_use]
pub fn scaled<const OUTPUTS: usize>(
    sums: &[i32; OUTPUTS],
    alpha: &[i16; OUTPUTS],
    beta: i64,
    shift: u32,
) -> [i32; OUTPUTS] {
    let mut scaled = *sums;
    for (sum, alpha) in scaled.iter_mut().zip(alpha) {
        let product = (i64::from(*sum) * i64::from(*alpha)).wrapping_mul(beta);
        *sum = (product >> shift) as i32;
    }
    scaled
}

/// The sum of the magnitudes of values.
#[inline(always)]
#[must_use]
pub fn magnitude<T: Copy + Into<i64>>(values: &[T]) -> i64 {
    values.iter().map(|value| (*value).into().abs()).sum()
}

/// `y[o] = biases[o]`, to which `weights[i][o] * x[i]` is added by `fma` for `i` from 0 to the
/// last.
#[inline(always)]
#[must_use]
pub fn affine_f32_columns<const INPUTS: usize, const OUTPUTS: usize>(
    inputs: &[f32; INPUTS],
    weights: &[[f32; OUTPUTS]; INPUTS],
    biases: &[f32; OUTPUTS],
    fma: impl Fn(f32, f32, f32) -> f32,
) -> [f32; OUTPUTS] {
    let mut sums = *biases;
    for (x, column) in inputs.iter().zip(weights) {
        for (sum, weight) in sums.iter_mut().zip(column) {
            *sum = fma(*x, *weight, *sum);
        }
    }
    sums
}

/// How many sums run side by side, whatever the size of a vector.
pub(crate) const LANES: usize = 16;

/// Adds sums that ran side by side: lanes `l` and `l + 8`, then of the eight results lanes `l` and
/// `l + 4`, and so on.
#[inline(always)]
pub(crate) fn sum_of_lanes(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// Adds eight sums: lanes `l` and `l + 4`, then neighbours of the four results, and both of these.
#[inline(always)]
fn sum_of_pairs(lanes: [f32; LANES / 2]) -> f32 {
    let quarter: [f32; LANES / 4] = core::array::from_fn(|lane| lanes[lane] + lanes[lane + 4]);
    (quarter[0] + quarter[1]) + (quarter[2] + quarter[3])
}

/// Lane `l` of 16 starts at 0, and `fma` adds the products of the inputs `l`, `l + 16`, ... to it.
#[inline(always)]
fn lanes_of<const INPUTS: usize>(
    inputs: &[f32; INPUTS],
    row: &[f32; INPUTS],
    fma: &impl Fn(f32, f32, f32) -> f32,
) -> [f32; LANES] {
    const { assert!(INPUTS.is_multiple_of(LANES), "rows are whole rounds") };
    let mut lanes = [0.0; LANES];
    let (inputs, row) = (inputs.as_chunks::<LANES>().0, row.as_chunks::<LANES>().0);
    for (inputs, weights) in inputs.iter().zip(row) {
        for ((lane, x), weight) in lanes.iter_mut().zip(inputs).zip(weights) {
            *lane = fma(*x, *weight, *lane);
        }
    }
    lanes
}

/// `y[o] = sum(row) + biases[o]`.
#[inline(always)]
fn add_rows<const INPUTS: usize, const OUTPUTS: usize>(
    weights: &[[f32; INPUTS]; OUTPUTS],
    biases: &[f32; OUTPUTS],
    sum: impl Fn(&[f32; INPUTS]) -> f32,
) -> [f32; OUTPUTS] {
    let mut outputs = *biases;
    for (output, row) in outputs.iter_mut().zip(weights) {
        *output += sum(row);
    }
    outputs
}

/// `y[o] = sum + biases[o]`: `sum_of_lanes` of the lanes that `lanes_of` makes.
#[inline(always)]
#[must_use]
pub fn affine_f32_lanes<const INPUTS: usize, const OUTPUTS: usize>(
    inputs: &[f32; INPUTS],
    weights: &[[f32; INPUTS]; OUTPUTS],
    biases: &[f32; OUTPUTS],
    fma: impl Fn(f32, f32, f32) -> f32,
) -> [f32; OUTPUTS] {
    add_rows(weights, biases, |row| {
        sum_of_lanes(lanes_of(inputs, row, &fma))
    })
}

/// `y[o] = sum + biases[o]`: as [`affine_f32_lanes`], but lanes `l` and `l + 8` are added first,
/// and then `sum_of_pairs` adds the results.
#[inline(always)]
#[must_use]
pub fn affine_f32_pairs<const INPUTS: usize, const OUTPUTS: usize>(
    inputs: &[f32; INPUTS],
    weights: &[[f32; INPUTS]; OUTPUTS],
    biases: &[f32; OUTPUTS],
    fma: impl Fn(f32, f32, f32) -> f32,
) -> [f32; OUTPUTS] {
    add_rows(weights, biases, |row| {
        let lanes = lanes_of(inputs, row, &fma);
        sum_of_pairs(core::array::from_fn(|lane| {
            lanes[lane] + lanes[lane + LANES / 2]
        }))
    })
}

/// `y[o] = sum + biases[o]`. Each product is rounded. Of runs of eight products, neighbours are
/// added, then neighbours of the results, and so on: a run without a neighbour is added to zeros.
/// Then `sum_of_pairs` adds the eight sums.
#[inline(always)]
#[must_use]
pub fn affine_f32_products<const INPUTS: usize, const OUTPUTS: usize>(
    inputs: &[f32; INPUTS],
    weights: &[[f32; INPUTS]; OUTPUTS],
    biases: &[f32; OUTPUTS],
) -> [f32; OUTPUTS] {
    const RUN: usize = LANES / 2;
    const { assert!(INPUTS.is_multiple_of(LANES), "rows are whole rounds") };
    add_rows(weights, biases, |row| {
        let mut sums = [0.0; INPUTS];
        for (product, (x, weight)) in sums.iter_mut().zip(inputs.iter().zip(row)) {
            *product = x * weight;
        }
        let mut runs = INPUTS / RUN;
        while runs > 1 {
            runs = runs.div_ceil(2);
            // Zeros follow the runs, so that the last one always has a neighbour.
            let mut halved = [0.0; INPUTS];
            let pairs = sums.as_chunks::<LANES>().0.iter().take(runs);
            for (run, pair) in halved.as_chunks_mut::<RUN>().0.iter_mut().zip(pairs) {
                *run = core::array::from_fn(|lane| pair[lane] + pair[lane + RUN]);
            }
            sums = halved;
        }
        sum_of_pairs(core::array::from_fn(|lane| sums[lane]))
    })
}

/// Makes floating point of integer sums: `fma(sum, scale, biases[o])`, where the sum becomes the
/// nearest `f32` first. `scale` gives the factor of the output of an index.
#[inline(always)]
#[must_use]
pub fn to_float<const OUTPUTS: usize>(
    sums: &[i32; OUTPUTS],
    scale: impl Fn(usize) -> f32,
    biases: &[f32; OUTPUTS],
    fma: impl Fn(f32, f32, f32) -> f32,
) -> [f32; OUTPUTS] {
    core::array::from_fn(|output| fma(sums[output] as f32, scale(output), biases[output]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::scalar;

    /// Numbers of both signs that differ from one another.
    fn numbers<const N: usize>(seed: i64) -> [i64; N] {
        core::array::from_fn(|index| (index as i64 * 7919 + seed * 104_729) % 65_536 - 32_768)
    }

    fn exact<const N: usize>(inputs: [i64; N], weights: [i64; N]) -> i32 {
        let sum: i64 = inputs.iter().zip(weights).map(|(x, w)| x * w).sum();
        sum as i32
    }

    #[test]
    fn sums_of_words_wrap() {
        let inputs = numbers::<64>(1);
        let weights = [numbers::<64>(2), numbers::<64>(3)];
        let words = |values: [i64; 64]| values.map(|value| value as i16);
        let found = affine_i16(&words(inputs), &weights.map(words), &[5, -5]);
        assert_eq!(
            found,
            [
                exact(inputs, weights[0]).wrapping_add(5),
                exact(inputs, weights[1]).wrapping_sub(5)
            ]
        );
        let extreme = affine_i16(&[i16::MIN; 32], &[[i16::MIN; 32]], &[0]);
        assert_eq!(extreme, [(32i64 << 30) as i32]);
    }

    #[test]
    fn inputs_without_a_sign_reach_65535() {
        let inputs = numbers::<64>(7).map(|number| number + 32_768);
        let weights = numbers::<64>(8);
        let words = |values: [i64; 64]| values.map(|value| value as i16);
        let found = affine_u16(&words(inputs), &[words(weights)], &[-5]);
        assert_eq!(found, [exact(inputs, weights).wrapping_sub(5)]);
        let largest = affine_u16(&[-1; 32], &[[i16::MIN; 32]], &[0]);
        assert_eq!(largest, [(-32i64 * 65_535 * 32_768) as i32]);
    }

    #[test]
    fn sums_of_32_bits_wrap_and_those_of_64_do_not() {
        let inputs: [i32; 32] = core::array::from_fn(|index| (index as i32 - 11) * 9_999_991);
        let weights: [[i32; 32]; 2] = core::array::from_fn(|row| {
            core::array::from_fn(|index| (index as i32 * 7 - 50 + row as i32) * 12_345_678)
        });
        let exact = weights.map(|row| {
            let products = inputs.iter().zip(row);
            products
                .map(|(x, w)| i128::from(*x) * i128::from(w))
                .sum::<i128>()
        });
        assert!(
            exact
                .iter()
                .all(|sum| i64::try_from(*sum).is_ok_and(|sum| sum > 1 << 40))
        );
        let narrow = exact.map(|sum| sum as i32);
        let expected = [narrow[0].wrapping_add(7), narrow[1].wrapping_sub(9)];
        assert_eq!(affine_i32_rows(&inputs, &weights, &[7, -9]), expected);
        let wide = affine_i64_rows(&inputs, &weights, &[7, -9]);
        assert_eq!(wide.map(i128::from), [exact[0] + 7, exact[1] - 9]);
        let extreme = affine_i64_rows(&[i32::MIN; 32], &[[i32::MIN; 32]], &[1]);
        assert_eq!(extreme, [(32i128 << 62) as i64 + 1]);
    }

    #[test]
    fn squares_are_exact_with_either_kernel() {
        let roots: [i64; 64] = numbers::<64>(4).map(|number| number & 255);
        let squares = roots.map(|root| root * root);
        let small = numbers::<64>(5).map(|weight| weight % 128);
        let large = numbers::<64>(6);
        let words = |values: [i64; 64]| values.map(|value| value as i16);
        assert_eq!(
            affine_squares(&words(roots), &[words(small)], &[3]),
            [exact(squares, small) + 3]
        );
        assert_eq!(
            affine_squares_exact(&words(roots), &[words(large)], &[0]),
            [exact(squares, large)]
        );
        assert_ne!(
            affine_squares(&words(roots), &[words(large)], &[0]),
            [exact(squares, large)]
        );
    }

    #[test]
    fn sparse_layers_skip_zeros_alone() {
        for density in [0, 1, 2, 5, 37] {
            let inputs: [u8; 37] = core::array::from_fn(|index| {
                if index * density % 37 < density {
                    200
                } else {
                    0
                }
            });
            let weights: [[i8; 32]; 37] = core::array::from_fn(|input| {
                core::array::from_fn(|output| (input * 31 + output * 17) as i8)
            });
            let biases: [i32; 32] = core::array::from_fn(|output| output as i32);
            let expected: [i32; 32] = core::array::from_fn(|output| {
                let products = (0..37)
                    .map(|input| i32::from(inputs[input]) * i32::from(weights[input][output]));
                products.sum::<i32>() + biases[output]
            });
            assert_eq!(affine_sparse_inputs(&inputs, &weights, &biases), expected);
            assert_eq!(
                affine_sparse_inputs(
                    &inputs.map(i16::from),
                    &weights.map(|row| row.map(i16::from)),
                    &biases
                ),
                expected
            );
        }
    }

    #[test]
    fn blocks_of_outputs_go_where_they_belong() {
        let inputs = [3u8, 0, 5];
        let blocks = [[2], [0], [0]];
        let weights = [[1i8; 16], [100; 16], [-2; 16]];
        let mut expected = [7; 48];
        expected[32..].fill(10);
        expected[..16].fill(-3);
        assert_eq!(
            affine_output_blocks(&inputs, &blocks, &weights, &[7; 48]),
            expected
        );
    }

    #[test]
    fn signs_count_agreements_minus_differences() {
        assert_eq!(
            affine_binary(&[0b1010], &[[0b1010], [0b0101], [0b1000]], &[0, 0, 10], 4),
            [4, -4, 12]
        );
    }

    #[test]
    fn binary_sums_get_back_their_size() {
        assert_eq!(magnitude(&[-3i16, 4, 0]), 7);
        assert_eq!(scaled(&[-4, 6], &[100, -1], 3, 3), [-150, -3]);
        assert_eq!(
            scaled(&[i32::MAX], &[i16::MAX], 1 << 31, 31),
            [((1i64 << 31) - 1).wrapping_mul(32767) as i32]
        );
    }

    #[test]
    fn floats_are_added_in_the_order_that_is_stated() {
        let fma = scalar::fma_f32;
        // 1e8 swallows 1 unless the ones come together first.
        let columns = affine_f32_columns(&[1e8, 1.0, -1e8], &[[1.0], [1.0], [1.0]], &[0.5], fma);
        assert_eq!(columns, [0.0]);
        let mut inputs = [0.0; 32];
        (inputs[0], inputs[1], inputs[16]) = (1e8, 1.0, -1e8);
        assert_eq!(affine_f32_lanes(&inputs, &[[1.0; 32]], &[0.5], fma), [1.5]);
        (inputs[16], inputs[9]) = (0.0, -1e8);
        // Lanes 1 and 9 meet first, and the one is lost.
        assert_eq!(affine_f32_lanes(&inputs, &[[1.0; 32]], &[0.5], fma), [0.5]);
        // `pairs` adds the lanes 0 and 2 last, `lanes` the lanes 0 and 1.
        inputs = [0.0; 32];
        (inputs[0], inputs[1], inputs[2]) = (1e8, 1.0, -1e8);
        assert_eq!(affine_f32_lanes(&inputs, &[[1.0; 32]], &[0.5], fma), [1.5]);
        assert_eq!(affine_f32_pairs(&inputs, &[[1.0; 32]], &[0.5], fma), [0.5]);
        // `products` adds the runs 0 and 1 before 2: of lane 0, the inputs 0 and 8 before 16.
        inputs = [0.0; 32];
        (inputs[0], inputs[8], inputs[16]) = (1e8, 1.0, -1e8);
        assert_eq!(affine_f32_products(&inputs, &[[1.0; 32]], &[0.5]), [0.5]);
        assert_eq!(affine_f32_pairs(&inputs, &[[1.0; 32]], &[0.5], fma), [1.5]);
        // Three runs of eight, and products that are rounded.
        let tenths: [f32; 48] = core::array::from_fn(|input| if input < 24 { 0.1 } else { 0.0 });
        let twice = 0.1f32 * 0.1 + 0.1 * 0.1;
        let lane = twice + 0.1f32 * 0.1;
        let half = lane + lane;
        let expected = (half + half) + (half + half);
        assert_eq!(affine_f32_products(&tenths, &[tenths], &[0.0]), [expected]);
        assert_eq!(
            to_float(
                &[3, i32::MAX],
                |output| [2.5, 0.5][output],
                &[0.25, 0.0],
                fma
            ),
            [7.75, 1_073_741_824.0]
        );
    }
}
