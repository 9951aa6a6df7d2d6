//! Parts of arrays whose lengths are known while compiling. Kernels read and write memory through
//! these functions.
//!
//! The functions check their indices. In kernels, indices are constants or counters of loops with
//! constant bounds, so the compiler removes the checks; a test of the machine code confirms it.

/// A value that starts on a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Aligned<T>(pub T);

/// The `index`-th run of `N` elements.
///
/// Panics beyond the last run. The compiler removes the check where the caller's loop has constant
/// bounds.
#[inline(always)]
#[must_use]
pub fn chunk<T, const N: usize>(of: &[T], index: usize) -> &[T; N] {
    &of.as_chunks().0[index]
}

/// The `index`-th run of `N` elements, to be changed.
///
/// Panics beyond the last run. The compiler removes the check where the caller's loop has constant
/// bounds.
#[inline(always)]
#[must_use]
pub fn chunk_mut<T, const N: usize>(of: &mut [T], index: usize) -> &mut [T; N] {
    &mut of.as_chunks_mut().0[index]
}

/// `N` elements from `start` on.
///
/// Panics if there are fewer. The compiler removes the check where `start` is a constant.
#[inline(always)]
#[must_use]
pub fn run<T, const N: usize>(of: &[T], start: usize) -> &[T; N] {
    chunk(&of[start..], 0)
}

/// The same value, about which the optimiser knows nothing.
#[inline(always)]
#[must_use]
pub fn hidden<T>(value: &T) -> &T {
    core::hint::black_box(value)
}

/// Copies `values` to the elements from `start` on.
///
/// Panics if they do not fit. The compiler removes the check where `start` is a constant.
#[inline(always)]
pub fn place<T: Copy>(into: &mut [T], start: usize, values: &[T]) {
    into[start..start + values.len()].copy_from_slice(values);
}

/// Copies `values` to every `step`-th element from `start` on, as far as there are any.
#[inline(always)]
pub fn place_every<T: Copy>(into: &mut [T], start: usize, step: usize, values: &[T]) {
    for (place, value) in into.iter_mut().skip(start).step_by(step).zip(values) {
        *place = *value;
    }
}

/// Copies `values` to the elements from `start` on, widened to their type.
///
/// Panics if they do not fit. The compiler removes the check where `start` is a constant.
#[inline(always)]
pub fn place_wide<N: Copy, W: From<N>>(into: &mut [W], start: usize, values: &[N]) {
    for (wide, value) in into[start..start + values.len()].iter_mut().zip(values) {
        *wide = W::from(*value);
    }
}

/// Sets the bit `start + i` for each value `i` that is negative. A word has 64 bits.
///
/// Panics if they do not fit. The compiler removes the check where `start` is a constant.
#[inline(always)]
pub fn place_signs<T: Copy + Into<i32>>(into: &mut [u64], start: usize, values: &[T]) {
    for (index, value) in values.iter().enumerate() {
        let bit = start + index;
        into[bit / 64] |= u64::from((*value).into() < 0) << (bit % 64);
    }
}

/// The row of a table; the last one for indices beyond it.
///
/// Indices come from tables that the compiler of specs made, so they are never beyond it. To take
/// the minimum is one instruction, where a check would be a branch and code for a panic.
#[inline(always)]
#[must_use]
pub fn row<T, const N: usize>(table: &[T; N], index: u32) -> &T {
    const { assert!(N > 0, "a table without rows") };
    &table[(index as usize).min(N - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_beyond_the_last_are_the_last() {
        let table = ["a", "b", "c"];
        let found = [0, 1, 2, 3, u32::MAX].map(|index| *row(&table, index));
        assert_eq!(found, ["a", "b", "c", "c", "c"]);
    }

    #[test]
    fn runs_begin_anywhere() {
        let mut numbers = [0, 1, 2, 3, 4];
        assert_eq!(run(&numbers, 3), &[3, 4]);
        place(&mut numbers, 3, &[8, 9]);
        assert_eq!(numbers, [0, 1, 2, 8, 9]);
        place_wide(&mut numbers, 1, &[-3i16, 4]);
        assert_eq!(numbers, [0, -3, 4, 8, 9]);
        place_every(&mut numbers, 1, 2, &[6, 7, 5]);
        assert_eq!(numbers, [0, 6, 4, 7, 9]);
    }
}
