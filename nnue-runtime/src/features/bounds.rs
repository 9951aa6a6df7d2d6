//! How far the active rows of a feature set can take the sums of the neurons.

use alloc::vec::Vec;

/// Per neuron, what a set's rows add at least and at most.
pub(crate) struct Bounds {
    pub(crate) lowest: Vec<i32>,
    pub(crate) highest: Vec<i32>,
}

/// The smallest and the largest sum of at most `count` of the values.
pub(crate) fn extremes(values: &mut [i16], count: usize) -> (i32, i32) {
    let (len, count) = (values.len(), count.min(values.len()));
    if count == 0 {
        return (0, 0);
    }
    values.select_nth_unstable(count - 1);
    let lowest = values[..count].iter().map(|value| i32::from(*value).min(0));
    let lowest = lowest.sum();
    values.select_nth_unstable(len - count);
    let highest = values[len - count..].iter();
    let highest = highest.map(|value| i32::from(*value).max(0)).sum();
    (lowest, highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_take_the_best_and_no_more_than_allowed() {
        let values = [5, -7, 3, 0, -1, 8];
        let of = |count| extremes(&mut values.clone(), count);
        assert_eq!(of(0), (0, 0));
        assert_eq!(of(1), (-7, 8));
        assert_eq!(of(2), (-8, 13));
        // The third smallest is 0, the fourth largest too: features need not be active.
        assert_eq!(of(4), (-8, 16));
        assert_eq!(of(100), (-8, 16));
        assert_eq!(extremes(&mut [], 3), (0, 0));
    }
}
