//! Divisions, and alignment: integers in which different integers stand for 1.0 are brought to the
//! same fixed point.

use nnue_compiler::network::{Align, ProductRounding, Rounding};

/// `x / by`, where `by` is positive.
pub(crate) fn divide(x: i64, by: i64, rounding: Rounding) -> i64 {
    let towards_zero = x / by;
    match rounding {
        Rounding::Truncate => towards_zero,
        Rounding::Floor if x % by < 0 => towards_zero - 1,
        Rounding::Floor => towards_zero,
    }
}

/// `x / 2^shift`: rounded down, or to the nearest integer, halves up.
pub(crate) fn shifted(x: i64, shift: u32, rounding: ProductRounding) -> i64 {
    let floor = x >> shift;
    let rest = x - (floor << shift);
    match rounding {
        ProductRounding::Nearest if 2 * rest >= 1 << shift => floor + 1,
        _ => floor,
    }
}

/// Value number `index` of a tensor, brought to another `one`, the integer that stands for 1.0.
///
/// Products are computed in 64 bits and wrap around. [`Align::Exact`] rounds towards zero, and
/// [`Align::Shift`] rounds down.
pub(crate) fn align(x: i64, align: &Align, index: usize) -> i64 {
    match align {
        Align::None => x,
        Align::Exact(fractions) => {
            let (numerator, denominator) = *factor_of(fractions, index);
            x.wrapping_mul(numerator) / denominator
        }
        Align::Shift { multipliers, shift } => {
            x.wrapping_mul(*factor_of(multipliers, index)) >> shift
        }
    }
}

/// The factor of a value: all values of a tensor share a factor, or each value has its own.
fn factor_of<T>(factors: &[T], index: usize) -> &T {
    match factors {
        [shared] => shared,
        own => &own[index],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_round_as_they_say() {
        for (x, towards_zero, down) in [(-256, -1, -2), (-255, -1, -1), (-1, 0, -1), (255, 1, 1)] {
            assert_eq!(divide(x, 255, Rounding::Truncate), towards_zero, "{x}");
            assert_eq!(divide(x, 255, Rounding::Floor), down, "{x}");
        }
    }

    #[test]
    fn halves_are_rounded_up() {
        let nearest = [-3, -2, -1, 1, 2].map(|x| shifted(x, 1, ProductRounding::Nearest));
        assert_eq!(nearest, [-1, -1, 0, 1, 1]);
        let floor = [-3, -2, -1, 1, 2].map(|x| shifted(x, 1, ProductRounding::Floor));
        assert_eq!(floor, [-2, -1, -1, 0, 1]);
    }

    #[test]
    fn factors_are_shared_or_each_values_own() {
        let shared = Align::Exact(vec![(150, 127)]);
        assert_eq!(align(-127, &shared, 5), -150);
        assert_eq!(align(-1, &shared, 5), -1);
        let own = Align::Shift {
            multipliers: vec![1, 3],
            shift: 1,
        };
        assert_eq!([align(-1, &own, 0), align(-1, &own, 1)], [-1, -2]);
    }
}
