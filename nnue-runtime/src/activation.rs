//! Activations between affine layers: element by element, the same code on every level.
//!
//! They are inlined into kernels, where LLVM turns the loops into vectors of the level; there is nothing about them
//! that an instruction set could do differently.

/// `clamp(x >> shift, 0, one)`, the shift rounding down.
#[inline(always)]
#[must_use]
pub fn crelu<const N: usize>(sums: &[i32; N], shift: u32, one: u32) -> [u8; N] {
    elementwise(sums, |sum| (sum >> shift).clamp(0, one as i32) as u8)
}

/// `min(x * x >> shift, one)`, as if the product were exact.
///
/// Sums beyond 16 bits are saturated first, which changes nothing as long as the square of 32767 still exceeds `one`
/// after the shift: then the product fits in 32 bits.
#[inline(always)]
#[must_use]
pub fn sqr_crelu<const N: usize>(sums: &[i32; N], shift: u32, one: u32) -> [u8; N] {
    const LIMIT: i32 = i16::MAX as i32;
    if (LIMIT * LIMIT) >> shift >= one as i32 {
        elementwise(sums, |sum| {
            let sum = sum.clamp(-LIMIT, LIMIT);
            ((sum * sum) >> shift).min(one as i32) as u8
        })
    } else {
        elementwise(sums, |sum| {
            let sum = i64::from(sum);
            ((sum * sum) >> shift).min(i64::from(one)) as u8
        })
    }
}

/// A loop, which is turned into vectors; `array::map` is sometimes left as a call.
#[inline(always)]
fn elementwise<const N: usize>(sums: &[i32; N], function: impl Fn(i32) -> u8) -> [u8; N] {
    let mut values = [0; N];
    for (value, sum) in values.iter_mut().zip(sums) {
        *value = function(*sum);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn crelu_rounds_down_and_clips() {
        assert_eq!(crelu(&SUMS, 6, 127), [0, 0, 0, 0, 0, 0, 1, 126, 127, 127]);
    }

    #[test]
    fn saturating_first_does_not_change_squares() {
        let exact = |shift: u32, one: u32| {
            SUMS.map(|sum| {
                let square = i128::from(sum) * i128::from(sum);
                (square >> shift).min(i128::from(one)) as u8
            })
        };
        for shift in 0..32 {
            for one in [1, 126, 127, 255] {
                assert_eq!(
                    sqr_crelu(&SUMS, shift, one),
                    exact(shift, one),
                    ">> {shift}, {one}"
                );
            }
        }
    }
}
