//! Layers without weights: activations, sums and products of layers, divisions, normalisation.
//!
//! All levels share this code. It is inlined into kernels, where LLVM turns the loops into vectors
//! of the level. Functions of `f32` end in `_f32`. They use only operations whose results IEEE 754
//! determines, so that they give the same bits everywhere.

use crate::kernels::{LANES, sum_of_lanes};

/// The type of an activation's results: `u8`, `i16` or `i32`.
pub trait Activated: Copy + Default + 'static {
    /// The value as this type, which must hold it.
    fn of(value: i32) -> Self;
}

impl Activated for u8 {
    #[inline(always)]
    fn of(value: i32) -> u8 {
        value as u8
    }
}

impl Activated for i16 {
    #[inline(always)]
    fn of(value: i32) -> i16 {
        value as i16
    }
}

impl Activated for i32 {
    #[inline(always)]
    fn of(value: i32) -> i32 {
        value
    }
}

/// The sums in 16 bits, because vectors hold twice as many: larger sums become the largest of their
/// sign.
#[inline(always)]
fn saturated<const N: usize>(sums: &[i32; N]) -> [i16; N] {
    let mut words = [0; N];
    for (word, sum) in words.iter_mut().zip(sums) {
        *word = (*sum).clamp(i16::MIN.into(), i16::MAX.into()) as i16;
    }
    words
}

/// `min(x, limit)`, or any negative number for negative `x`. Instructions that make bytes of words
/// clip them to 127.
#[inline(always)]
fn clipped_word(word: i16, limit: u32) -> i32 {
    const BYTE: u32 = i8::MAX as u32;
    match limit {
        BYTE => i32::from(word.clamp(i8::MIN.into(), i8::MAX.into()) as i8),
        _ => word.min(limit as i16).into(),
    }
}

/// `clamp(x >> shift, 0, limit)`, where the shift rounds down. It is a `crelu` if `limit` is what
/// stands for 1.0.
#[inline(always)]
#[must_use]
pub fn relu<T: Activated, const N: usize>(sums: &[i32; N], shift: u32, limit: u32) -> [T; N] {
    // Values beyond 16 bits are clipped anyway.
    if shift < 16 && i32::from(i16::MAX) >> shift >= limit as i32 {
        elementwise(&saturated(sums), |sum: i16| {
            T::of(clipped_word(sum >> shift, limit).max(0))
        })
    } else {
        elementwise(sums, |sum| T::of((sum >> shift).clamp(0, limit as i32)))
    }
}

/// `clamp(x << shift, 0, limit)`, as if the shifted value had any number of bits; `shift` is at
/// most 16, and `limit` at most 2^30.
#[inline(always)]
#[must_use]
pub fn relu_left<T: Activated, const N: usize>(sums: &[i32; N], shift: u32, limit: u32) -> [T; N] {
    // Larger values reach the limit too, and are then small enough to be shifted.
    let reaches_limit = limit.div_ceil(1 << shift) as i32;
    elementwise(sums, |sum| {
        T::of((sum.clamp(0, reaches_limit) << shift).min(limit as i32))
    })
}

/// `min(x * x >> shift, limit)`, as if the product had any number of bits: square, then clip.
///
/// Sums beyond 16 bits are saturated first if that changes nothing, which is so if the square of
/// 32767 reaches `limit` after the shift. Then the product fits in 32 bits, and after a shift by 16
/// in 16, which is one instruction.
#[inline(always)]
#[must_use]
pub fn sqr_crelu<T: Activated, const N: usize>(sums: &[i32; N], shift: u32, limit: u32) -> [T; N] {
    const LIMIT: i32 = i16::MAX as i32;
    let saturates = (LIMIT * LIMIT) >> shift >= limit as i32;
    if saturates && shift >= 16 {
        elementwise(&saturated(sums), |sum: i16| {
            let square = ((i32::from(sum) * i32::from(sum)) >> 16) as i16;
            T::of(clipped_word(square >> (shift - 16), limit))
        })
    } else if saturates {
        elementwise(sums, |sum| {
            let sum = sum.clamp(-LIMIT, LIMIT);
            T::of(((sum * sum) >> shift).min(limit as i32))
        })
    } else {
        elementwise(sums, |sum| {
            let sum = i64::from(sum);
            T::of(((sum * sum) >> shift).min(i64::from(limit)) as i32)
        })
    }
}

/// `min(x * x >> shift, limit)`, where the square wraps around in 32 bits and may be negative.
#[inline(always)]
#[must_use]
pub fn sqr_crelu_i32<T: Activated, const N: usize>(
    sums: &[i32; N],
    shift: u32,
    limit: u32,
) -> [T; N] {
    elementwise(sums, |sum| {
        T::of((sum.wrapping_mul(sum) >> shift).min(limit as i32))
    })
}

/// `(clamp(x, 0, limit) * clamp(x, 0, limit) + summand) >> shift`, where the product is exact:
/// clip, then square. The `summand` is at most 2^30.
#[inline(always)]
#[must_use]
pub fn screlu<T: Activated, const N: usize>(
    sums: &[i32; N],
    summand: u32,
    shift: u32,
    limit: u32,
) -> [T; N] {
    const LARGEST_ROOT: u32 = 46340;
    if limit <= LARGEST_ROOT {
        elementwise(sums, |sum| {
            let root = sum.clamp(0, limit as i32) as u32;
            T::of(((root * root + summand) >> shift) as i32)
        })
    } else {
        elementwise(sums, |sum| {
            let root = u64::from(sum.clamp(0, limit as i32) as u32);
            T::of(((root * root + u64::from(summand)) >> shift) as i32)
        })
    }
}

/// A sigmoid made of two parabolas, of `x >> shift`: `y = (127 - min(|x|, 127))^2 >> 8`, then `y`
/// for negative `x` and `126 - y` for the others.
#[inline(always)]
#[must_use]
pub fn quantmoid4<T: Activated, const N: usize>(sums: &[i32; N], shift: u32) -> [T; N] {
    elementwise(sums, |sum| {
        let x = (sum >> shift).clamp(-127, 127);
        let root = 127 - x.abs();
        let below = (root * root) >> 8;
        T::of(if x < 0 { below } else { 126 - below })
    })
}

/// `x / by`, rounded towards zero.
#[inline(always)]
#[must_use]
pub fn divide_truncating<const N: usize>(sums: &[i32; N], by: i32) -> [i32; N] {
    elementwise(sums, |sum| sum.wrapping_div(by))
}

/// `x / by`, rounded down; `by` is positive.
#[inline(always)]
#[must_use]
pub fn divide_rounding_down<const N: usize>(sums: &[i32; N], by: i32) -> [i32; N] {
    match by.count_ones() {
        1 => elementwise(sums, |sum| sum >> by.trailing_zeros()),
        _ => elementwise(sums, |sum| sum.wrapping_div_euclid(by)),
    }
}

/// `x + bias`, wrapping.
#[inline(always)]
#[must_use]
pub fn add_biases<const N: usize>(sums: &[i32; N], biases: &[i32; N]) -> [i32; N] {
    let mut totals = *sums;
    for (total, bias) in totals.iter_mut().zip(biases) {
        *total = total.wrapping_add(*bias);
    }
    totals
}

/// Adds values to sums of 64 bits.
#[inline(always)]
pub fn add<const N: usize>(sums: &mut [i64; N], values: &[impl Copy + Into<i64>; N]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = sum.wrapping_add((*value).into());
    }
}

/// Adds `x * numerator / denominator`, rounded towards zero. All values share one fraction, or each
/// has its own.
#[inline(always)]
pub fn add_scaled<const N: usize>(
    sums: &mut [i64; N],
    values: &[impl Copy + Into<i64>; N],
    numerators: &[i64],
    denominators: &[i64],
) {
    let factors = numerators.iter().zip(denominators).cycle();
    for ((sum, value), (numerator, denominator)) in sums.iter_mut().zip(values).zip(factors) {
        let scaled = (*value)
            .into()
            .wrapping_mul(*numerator)
            .wrapping_div(*denominator);
        *sum = sum.wrapping_add(scaled);
    }
}

/// Adds `x * multiplier >> shift`, rounded down. All values share one multiplier, or each has its
/// own.
#[inline(always)]
pub fn add_shifted<const N: usize>(
    sums: &mut [i64; N],
    values: &[impl Copy + Into<i64>; N],
    multipliers: &[i64],
    shift: u32,
) {
    for ((sum, value), multiplier) in sums.iter_mut().zip(values).zip(multipliers.iter().cycle()) {
        *sum = sum.wrapping_add((*value).into().wrapping_mul(*multiplier) >> shift);
    }
}

/// The lower 32 bits of sums of 64 bits.
#[inline(always)]
#[must_use]
pub fn wrapped<const N: usize>(sums: &[i64; N]) -> [i32; N] {
    let mut values = [0; N];
    for (value, sum) in values.iter_mut().zip(sums) {
        *value = *sum as i32;
    }
    values
}

/// `x as f32 * scale`: the integer becomes the nearest `f32`, which is exact up to 24 bits, and the
/// product is rounded.
#[inline(always)]
#[must_use]
pub fn float<const N: usize>(values: &[impl Copy + Into<i32>; N], scale: f32) -> [f32; N] {
    let mut converted = [0.0; N];
    for (converted, value) in converted.iter_mut().zip(values) {
        *converted = (*value).into() as f32 * scale;
    }
    converted
}

/// `x * one`, from `least` to `limit`: integers of 16 bits. The product is rounded to `f32`, and
/// then to the nearest integer; a half becomes the even one. NaN becomes `least`.
#[inline(always)]
#[must_use]
pub fn integer_nearest<T: Activated, const N: usize>(
    values: &[f32; N],
    one: f32,
    least: f32,
    limit: f32,
) -> [T; N] {
    // The sum has no bits for fractions, and its last bits are those of the integer.
    const NO_FRACTIONS: f32 = (3 << 22) as f32;
    elementwise(values, |x| {
        let sum = between(x * one, least, limit) + NO_FRACTIONS;
        T::of(sum.to_bits().wrapping_sub(NO_FRACTIONS.to_bits()) as i32)
    })
}

/// As [`integer_nearest`], but fractions are cut off.
#[inline(always)]
#[must_use]
pub fn integer_truncated<T: Activated, const N: usize>(
    values: &[f32; N],
    one: f32,
    least: f32,
    limit: f32,
) -> [T; N] {
    elementwise(values, |x| T::of(between(x * one, least, limit) as i32))
}

/// `clamp(x, least, limit)`; NaN becomes `least`.
#[inline(always)]
fn between(x: f32, least: f32, limit: f32) -> f32 {
    let x = if x > least { x } else { least };
    if x < limit { x } else { limit }
}

/// `clamp(x, 0, 1)`; NaN becomes 0.
#[inline(always)]
#[must_use]
pub fn crelu_f32<const N: usize>(values: &[f32; N]) -> [f32; N] {
    elementwise(values, clipped)
}

/// `clamp(x, 0, 1)` squared.
#[inline(always)]
#[must_use]
pub fn screlu_f32<const N: usize>(values: &[f32; N]) -> [f32; N] {
    elementwise(values, |x| clipped(x) * clipped(x))
}

/// `min(x * x, 1)`.
#[inline(always)]
#[must_use]
pub fn sqr_crelu_f32<const N: usize>(values: &[f32; N]) -> [f32; N] {
    elementwise(values, |x| clipped(x * x))
}

/// `max(x, 0)`; NaN becomes 0.
#[inline(always)]
#[must_use]
pub fn relu_f32<const N: usize>(values: &[f32; N]) -> [f32; N] {
    elementwise(values, |x| if x > 0.0 { x } else { 0.0 })
}

/// `(x * clamp(x + 3, 0, 6)) * (1 / 6)`, the last factor the nearest `f32` to a sixth. What is no
/// number stays none.
#[inline(always)]
#[must_use]
pub fn hard_swish_f32<const N: usize>(values: &[f32; N]) -> [f32; N] {
    elementwise(values, |x| {
        let gate = if x + 3.0 > 0.0 { x + 3.0 } else { 0.0 };
        let gate = if gate < 6.0 { gate } else { 6.0 };
        (x * gate) * (1.0 / 6.0)
    })
}

/// `x * x`.
#[inline(always)]
#[must_use]
pub fn sqr_f32<const N: usize>(values: &[f32; N]) -> [f32; N] {
    elementwise(values, |x| x * x)
}

/// `max(x, 0)` squared; NaN becomes 0.
#[inline(always)]
#[must_use]
pub fn sqr_relu_f32<const N: usize>(values: &[f32; N]) -> [f32; N] {
    elementwise(values, |x| if x > 0.0 { x * x } else { 0.0 })
}

/// `min(x, 0)` squared; NaN becomes 0.
#[inline(always)]
#[must_use]
pub fn sqr_negative_f32<const N: usize>(values: &[f32; N]) -> [f32; N] {
    elementwise(values, |x| if x < 0.0 { x * x } else { 0.0 })
}

/// `1 / (1 + exp(-x))`. Where the exact value is at least 2^-100, it is within 3 units in the last
/// place of it.
#[inline(always)]
#[must_use]
pub fn sigmoid_f32<const N: usize>(values: &[f32; N]) -> [f32; N] {
    elementwise(values, |x| 1.0 / (1.0 + exp(-x)))
}

/// `(a * b + summand) >> shift`, in 64 bits; the lower 32 remain. A narrower type must hold the
/// result.
#[inline(always)]
#[must_use]
pub fn product<T: Activated, const N: usize>(
    a: &[impl Copy + Into<i64>; N],
    b: &[impl Copy + Into<i64>; N],
    summand: u32,
    shift: u32,
) -> [T; N] {
    let mut products = [T::default(); N];
    for ((product, a), b) in products.iter_mut().zip(a).zip(b) {
        let exact = (*a).into().wrapping_mul((*b).into());
        *product = T::of((exact.wrapping_add(summand.into()) >> shift) as i32);
    }
    products
}

/// Values of fewer than 32 bits, as activations read them.
#[inline(always)]
#[must_use]
pub fn widened<const N: usize>(values: &[impl Copy + Into<i32>; N]) -> [i32; N] {
    let mut sums = [0; N];
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = (*value).into();
    }
    sums
}

/// `a * b`, rounded once.
#[inline(always)]
#[must_use]
pub fn product_f32<const N: usize>(a: &[f32; N], b: &[f32; N]) -> [f32; N] {
    let mut products = *a;
    for (product, b) in products.iter_mut().zip(b) {
        *product *= b;
    }
    products
}

/// `x * (1 / sqrt(mean + epsilon)) * gain`, where `mean` is that of the squares of all values: lane
/// `l` of 16 adds the squares of the values `l`, `l + 16`, ... by `fma`, and then the lanes are
/// added as those of an affine layer are. `gain` gives the factor of the value of an index.
#[inline(always)]
#[must_use]
pub fn rms_norm_f32<const N: usize>(
    values: &[f32; N],
    epsilon: f32,
    fma: impl Fn(f32, f32, f32) -> f32,
    sqrt: impl Fn(f32) -> f32,
    gain: impl Fn(usize) -> f32,
) -> [f32; N] {
    let mut lanes = [0.0; LANES];
    for round in values.chunks(LANES) {
        for (lane, x) in lanes.iter_mut().zip(round) {
            *lane = fma(*x, *x, *lane);
        }
    }
    let mean = sum_of_lanes(lanes) / N as f32;
    let factor = 1.0 / sqrt(mean + epsilon);
    core::array::from_fn(|index| values[index] * factor * gain(index))
}

/// The terms added from the first to the last.
#[inline(always)]
#[must_use]
pub fn sum_f32<const N: usize>(terms: &[&[f32; N]]) -> [f32; N] {
    let [first, rest @ ..] = terms else {
        return [0.0; N];
    };
    let mut sums = **first;
    for term in rest {
        for (sum, value) in sums.iter_mut().zip(*term) {
            *sum += value;
        }
    }
    sums
}

/// `clamp(x, 0, 1)`. All comparisons with NaN are false, so it becomes 0 on every level.
#[inline(always)]
fn clipped(x: f32) -> f32 {
    let x = if x > 0.0 { x } else { 0.0 };
    if x < 1.0 { x } else { 1.0 }
}

/// `exp(x)`, made of nothing but sums and products. `x` is clamped to where the result is a normal
/// number.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const LOG2_E: f32 = core::f32::consts::LOG2_E;
    // ln 2 in two parts. The first has few digits, so that its product with a small integer is
    // exact.
    const LN_2_HIGH: f32 = 355.0 / 512.0;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    // A number that is so large that adding it rounds to an integer. Subtracting it again is exact.
    const ROUND: f32 = 12_582_912.0;

    let x = if x > -87.0 { x } else { -87.0 };
    let x = if x < 87.0 { x } else { 87.0 };
    let power = (x * LOG2_E + ROUND) - ROUND;
    let rest = x - power * LN_2_HIGH - power * LN_2_LOW;
    // Taylor's polynomial. `rest` is at most 0.35 in size, so the first term that is left out is
    // below 3e-8 of the result.
    let mut series = 1.0 / 5040.0;
    for coefficient in [
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        series = series * rest + coefficient;
    }
    let scale = f32::from_bits(((power as i32 + 127) << 23) as u32);
    series * scale
}

/// Applies a function to each value. It is a loop, which LLVM turns into vectors; `array::map`
/// sometimes remains a call.
#[inline(always)]
fn elementwise<S: Copy, T: Copy + Default, const N: usize>(
    sums: &[S; N],
    function: impl Fn(S) -> T,
) -> [T; N] {
    let mut values = [T::default(); N];
    for (value, sum) in values.iter_mut().zip(sums) {
        *value = function(*sum);
    }
    values
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::simd::scalar;

    const SUMS: [i32; 10] = [
        i32::MIN,
        -1_000_000,
        -8192,
        -65,
        -1,
        0,
        64,
        8127,
        8128,
        i32::MAX,
    ];

    #[test]
    fn relu_rounds_down_and_clips() {
        assert_eq!(
            relu::<u8, _>(&SUMS, 6, 127),
            [0u8, 0, 0, 0, 0, 0, 1, 126, 127, 127]
        );
        assert_eq!(
            relu::<i16, _>(&SUMS, 6, 32767),
            [0i16, 0, 0, 0, 0, 0, 1, 126, 127, 32767]
        );
    }

    #[test]
    fn shifts_to_the_left_are_exact_before_they_are_clipped() {
        for shift in 1..=16 {
            for limit in [1, 64, 127, 4096, 4100, 524_288, 1 << 30] {
                let exact = SUMS.map(|sum| {
                    let product = i64::from(sum) << shift;
                    product.clamp(0, i64::from(limit)) as i32
                });
                let found: [i32; _] = relu_left(&SUMS, shift, limit);
                assert_eq!(found, exact, "<< {shift}, {limit}");
            }
        }
    }

    #[test]
    fn squares_of_32_bits_wrap_before_they_are_clipped() {
        let sums = [-46341, 46341, 65536, 65537, -4096, 4097, 4000];
        // 46341 * 46341 is 2^31 + 4633, and 65537 * 65537 is 2^32 + 2^17 + 1.
        let wrapped = [
            -2_147_479_015,
            -2_147_479_015,
            0,
            131_073,
            1 << 24,
            1 << 24,
            16_000_000,
        ];
        let expected = wrapped.map(|square| square >> 6);
        assert_eq!(sqr_crelu_i32::<i32, _>(&sums, 6, 1 << 18), expected);
    }

    #[test]
    fn saturating_first_changes_nothing() {
        let exact = |of: fn(i128) -> i128, shift: u32, limit: u32| {
            SUMS.map(|sum| (of(sum.into()) >> shift).clamp(0, limit.into()) as i32)
        };
        for shift in 0..32 {
            for limit in [1, 126, 127, 128, 255, 32767, 1 << 18, 1 << 30] {
                let found: [[i32; _]; 2] =
                    [relu(&SUMS, shift, limit), sqr_crelu(&SUMS, shift, limit)];
                let exact = [exact(|x| x, shift, limit), exact(|x| x * x, shift, limit)];
                assert_eq!(found, exact, ">> {shift}, {limit}");
            }
        }
    }

    /// All sums of up to 16 bits and some beyond, from where on the results stay the same.
    #[test]
    fn saturated_sums_give_what_exact_ones_do() {
        let edges = [i32::MIN, i32::MIN + 1, i32::MAX - 1, i32::MAX];
        let sums: Vec<i32> = (-70_000..70_000).chain(edges).collect();
        let (sums, []) = sums.as_chunks::<4>() else {
            panic!("a multiple of 4");
        };
        for (square_shift, shift, limit) in [(19, 6, 127), (21, 7, 127), (16, 0, 255), (22, 7, 255)]
        {
            for sums in sums {
                let squares = sums.map(|sum| {
                    let square = i64::from(sum) * i64::from(sum);
                    (square >> square_shift).min(limit) as u8
                });
                assert_eq!(
                    sqr_crelu::<u8, _>(sums, square_shift, limit as u32),
                    squares,
                    "{sums:?} >> {square_shift}, {limit}"
                );
                let clipped = sums.map(|sum| (i64::from(sum) >> shift).clamp(0, limit) as u8);
                assert_eq!(
                    relu::<u8, _>(sums, shift, limit as u32),
                    clipped,
                    "{sums:?} >> {shift}, {limit}"
                );
            }
        }
    }

    #[test]
    fn clipping_first_makes_negative_sums_zero() {
        assert_eq!(
            screlu::<u8, _>(&SUMS, 0, 19, 8128),
            [0u8, 0, 0, 0, 0, 0, 0, 125, 126, 126]
        );
        assert_eq!(screlu::<i16, _>(&[i32::MAX], 0, 31, 1 << 20), [512i16]);
    }

    #[test]
    fn squares_and_products_round_to_the_nearest_and_halves_up() {
        let sums = [-9, 0, 11, 12, 16, 181, 256, 300];
        let squares = [0i16, 0, 0, 1, 1, 128, 256, 256];
        assert_eq!(screlu::<i16, _>(&sums, 128, 8, 256), squares);
        let most = [i32::MAX];
        assert_eq!(screlu::<i32, _>(&most, 1 << 30, 31, 46340), [1]);
        assert_eq!(screlu::<i32, _>(&most, 1 << 30, 31, 46341), [1]);
        assert_eq!(screlu::<i32, _>(&most, 1 << 30, 31, 1 << 20), [512]);
        let products: [i16; 4] = product(&[-3i16, 3, -1, 5], &[1u8, 1, 1, 1], 1, 1);
        assert_eq!(products, [-1, 2, 0, 3]);
    }

    #[test]
    fn floats_become_integers_as_they_say() {
        let values = [
            -2.0,
            -0.375,
            -0.25,
            0.25,
            0.375,
            0.625,
            1.1,
            3.0,
            9e9,
            f32::NAN,
        ];
        let nearest: [i16; 10] = integer_nearest(&values, 4.0, -8.0, 10.0);
        assert_eq!(nearest, [-8, -2, -1, 1, 2, 2, 4, 10, 10, -8]);
        let truncated: [i16; 10] = integer_truncated(&values, 4.0, -8.0, 10.0);
        assert_eq!(truncated, [-8, -1, -1, 1, 1, 2, 4, 10, 10, -8]);
        let values = [f32::NEG_INFINITY, f32::NAN, -0.0, 0.999, 2.0, f32::INFINITY];
        let bytes: [u8; 6] = integer_nearest(&values, 255.0, 0.0, 255.0);
        assert_eq!(bytes, [0, 0, 0, 255, 255, 255]);
        for integer in i16::MIN..=i16::MAX {
            for (fraction, nearest) in [(-0.25, 0), (0.0, 0), (0.25, 0)] {
                let value = f32::from(integer) + fraction;
                let found: [i32; 1] = integer_nearest(&[value], 1.0, -32768.0, 32767.0);
                assert_eq!(found, [i32::from(integer) + nearest]);
            }
        }
    }

    #[test]
    fn quantmoid4_is_a_sigmoid() {
        let sums = [i32::MIN, -127, -64, -1, 0, 1, 64, 127, i32::MAX];
        assert_eq!(
            quantmoid4::<u8, _>(&sums, 0),
            [0u8, 0, 15, 62, 63, 64, 111, 126, 126]
        );
    }

    #[test]
    fn divisions_round_as_they_say() {
        let sums = [-256, -255, -1, 0, 254, 255];
        assert_eq!(divide_truncating(&sums, 255), [-1, -1, 0, 0, 0, 1]);
        assert_eq!(divide_rounding_down(&sums, 255), [-2, -1, -1, 0, 0, 1]);
        assert_eq!(divide_rounding_down(&sums, 128), [-2, -2, -1, 0, 1, 1]);
        assert_eq!(divide_rounding_down(&sums, 1), sums);
    }

    #[test]
    fn alignment_is_per_tensor_or_per_value() {
        let mut sums = [1i64; 3];
        add_scaled(&mut sums, &[10i32, -10, 7], &[3], &[2]);
        assert_eq!(sums, [16, -14, 11]);
        add_scaled(&mut sums, &[10u8, 10, 10], &[1, 2, 3], &[1, 1, 4]);
        assert_eq!(sums, [26, 6, 18]);
        add_shifted(&mut sums, &[-1i32, 3, 4], &[1, 3, 5], 1);
        assert_eq!(sums, [25, 10, 28]);
        assert_eq!(wrapped(&[i64::from(i32::MAX) + 1, -5]), [i32::MIN, -5]);
    }

    #[test]
    fn products_have_64_bits_before_they_are_shifted() {
        let a = [i32::MIN, i32::MAX, -3, 255];
        let b = [i32::MIN, i32::MIN, 1, -1];
        let products: [i32; 4] = product(&a, &b, 0, 31);
        assert_eq!(products, [i32::MIN, i32::MIN + 1, -1, -1]);
        let products: [i32; 1] = product(&[200u8], &[-30_000i16], 0, 4);
        assert_eq!(products, [-375_000]);
    }

    #[test]
    fn products_are_as_narrow_as_their_results() {
        let bytes: [u8; 2] = product(&[127u8, 255], &[127u8, 255], 0, 8);
        assert_eq!(bytes, [63, 254]);
        let words: [i16; 2] = product(&[127u8, 3], &[-32_768i16, 5], 0, 7);
        assert_eq!(words, [-32_512, 0]);
        assert_eq!(widened(&words), [-32_512, 0]);
    }

    #[test]
    fn sigmoid_is_close_to_the_exact_one() {
        for step in -6000..6000 {
            let x = step as f32 / 100.0;
            let [found] = sigmoid_f32(&[x]);
            let exact = 1.0 / (1.0 + libm_exp(-f64::from(x)));
            let error = (f64::from(found) - exact).abs();
            assert!(
                error <= 3.0 * exact * f64::from(f32::EPSILON) / 2.0,
                "{x}: {found} {exact}"
            );
        }
        assert_eq!(sigmoid_f32(&[f32::INFINITY, 0.0]), [1.0, 0.5]);
        assert!(sigmoid_f32(&[f32::NEG_INFINITY])[0] < 1e-37);
    }

    #[test]
    fn normalised_values_have_a_mean_square_of_one() {
        fn norm<const N: usize>(values: &[f32; N], epsilon: f32) -> [f32; N] {
            rms_norm_f32(values, epsilon, scalar::fma_f32, scalar::sqrt_f32, |_| 1.0)
        }
        // The squares are 36 and 0 in turn.
        let values: [f32; 18] = core::array::from_fn(|index| [-6.0, 0.0][index % 2]);
        assert_eq!(norm(&values, 18.0), values.map(|x| x / 6.0));
        assert_eq!(norm(&[0.0; 20], 0.25), [0.0; 20]);
        // In lane 0, 2^-24 is added before 1, and lost; in lanes of their own they come together.
        let mut values = [0.0; 32];
        (values[0], values[1], values[9]) = (1.0, 1.0 / 4096.0, 1.0 / 4096.0);
        let together = norm(&values, f32::MIN_POSITIVE)[0];
        (values[1], values[16]) = (0.0, 1.0 / 4096.0);
        let apart = norm(&values, f32::MIN_POSITIVE)[0];
        assert!(together < apart, "{together} and {apart}");
    }

    /// A value times the inverse root is rounded before it is multiplied by the gain.
    #[test]
    fn normalised_values_are_multiplied_by_their_gains() {
        let values: [f32; 20] = core::array::from_fn(|index| [3.0, -3.0][index % 2]);
        let gain = |index: usize| index as f32 / 10.0 - 0.5;
        let normed = rms_norm_f32(&values, 1.0, scalar::fma_f32, scalar::sqrt_f32, gain);
        let factor = 1.0 / 10.0f32.sqrt();
        let expected: [f32; 20] =
            core::array::from_fn(|index| values[index] * factor * gain(index));
        assert_eq!(normed, expected);
        let other_order = core::array::from_fn(|index| values[index] * (factor * gain(index)));
        assert_ne!(normed, other_order);
    }

    /// Bits from `(x * clamp(x + 3, 0, 6)) * (1 / 6)` in `f32`, one operation after the other;
    /// where a product is divided at another place, the last bit of half of all values differs.
    #[test]
    fn hard_swish_is_exact_to_the_last_bit() {
        for (x, bits) in [
            (0.1f32, 0x3D53_A06E),
            (-0.1f32, 0xBD45_F92E),
            (0.7f32, 0x3EDD_036A),
            (1.0f32, 0x3F2A_AAAB),
            (-1.5f32, 0xBEC0_0000),
            (2.3f32, 0x4002_06D4),
            (-2.9f32, 0xBD45_F920),
            (5.0f32, 0x40A0_0000),
            (-4.0f32, 0x8000_0000),
            (0.375f32, 0x3E58_0000),
        ] {
            let [found] = hard_swish_f32(&[x]);
            assert_eq!(found.to_bits(), bits, "{x}: {found}");
        }
    }

    /// `exp` by its series, far beyond what `f32` shows.
    fn libm_exp(x: f64) -> f64 {
        let halvings = 12;
        let x = x / f64::from(1 << halvings);
        let (mut term, mut sum) = (1.0, 1.0);
        for n in 1..20 {
            term *= x / f64::from(n);
            sum += term;
        }
        (0..halvings).fold(sum, |power, _| power * power)
    }

    #[test]
    fn floats_are_clipped_and_what_is_no_number_is_zero() {
        let values = [f32::NAN, -1.0, -0.0, 0.25, 1.0, 7.0];
        assert_eq!(crelu_f32(&values), [0.0, 0.0, 0.0, 0.25, 1.0, 1.0]);
        assert_eq!(screlu_f32(&values), [0.0, 0.0, 0.0, 0.0625, 1.0, 1.0]);
        assert_eq!(sqr_crelu_f32(&values), [0.0, 1.0, 0.0, 0.0625, 1.0, 1.0]);
        assert_eq!(relu_f32(&values), [0.0, 0.0, 0.0, 0.25, 1.0, 7.0]);
        assert_eq!(
            sqr_f32(&values[1..].as_chunks::<5>().0[0]),
            [1.0, 0.0, 0.0625, 1.0, 49.0]
        );
        assert!(sqr_f32(&[f32::NAN])[0].is_nan());
        assert_eq!(sqr_relu_f32(&values), [0.0, 0.0, 0.0, 0.0625, 1.0, 49.0]);
        assert_eq!(sqr_negative_f32(&values), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(product_f32(&[3.0, -0.5], &[0.5, 4.0]), [1.5, -2.0]);
        assert_eq!(hard_swish_f32(&[-4.0, 0.0, 4.0]), [-0.0, 0.0, 4.0]);
        assert_eq!(sum_f32(&[&[1.0, 2.0], &[0.5, -2.0]]), [1.5, 0.0]);
        assert_eq!(float(&[-3i32, 127], 0.5), [-1.5, 63.5]);
    }
}
