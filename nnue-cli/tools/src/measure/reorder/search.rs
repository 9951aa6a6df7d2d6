//! The search for an order: two outputs change places whenever more blocks are then zero.

use std::cmp::Reverse;

use nnue_runtime::neurons::BLOCK;

/// The most passes over all pairs of outputs. A few passes are usually enough to reach the point
/// where no exchange helps.
const PASSES: usize = 24;

/// When each output was not zero: one bit per observation of a perspective.
#[derive(Clone, Debug)]
pub struct Activity {
    /// The number of observations.
    seen: usize,
    /// For each output, one bit per observation, 64 in each word.
    times: Vec<Vec<u64>>,
}

impl Activity {
    /// An activity without observations, for perspectives with `outputs` outputs.
    #[must_use]
    pub fn new(outputs: usize) -> Activity {
        Activity {
            seen: 0,
            times: vec![Vec::new(); outputs],
        }
    }

    /// Adds whether each output of a perspective is not zero, or of several perspectives in turn.
    pub fn record(&mut self, outputs: &[bool]) {
        for half in outputs.chunks(self.times.len().max(1)) {
            let (word, bit) = (self.seen / 64, self.seen % 64);
            for (times, output) in self.times.iter_mut().zip(half) {
                times.resize(word + 1, 0);
                times[word] |= u64::from(*output) << bit;
            }
            self.seen += 1;
        }
    }

    /// The number of blocks that were not zero, over all observations, with the outputs in this
    /// order.
    #[must_use]
    pub fn blocks(&self, order: &[usize]) -> u64 {
        let blocks = order.chunks(BLOCK);
        blocks.map(|block| count(&self.any(block.iter()))).sum()
    }

    /// The observations in which at least one of `outputs` was not zero.
    fn any<'a>(&self, outputs: impl Iterator<Item = &'a usize>) -> Vec<u64> {
        let mut any = vec![0; self.seen.div_ceil(64)];
        for output in outputs {
            for (any, times) in any.iter_mut().zip(&self.times[*output]) {
                *any |= times;
            }
        }
        any
    }
}

fn count(times: &[u64]) -> u64 {
    times.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Counts the bits that are set in at least one of the lists.
fn count_either(a: &[u64], b: &[u64]) -> u64 {
    let words = a.iter().zip(b);
    words.map(|(a, b)| u64::from((a | b).count_ones())).sum()
}

/// Counts the bits that are set in both lists.
fn count_both(a: &[u64], b: &[u64]) -> u64 {
    let words = a.iter().zip(b);
    words.map(|(a, b)| u64::from((a & b).count_ones())).sum()
}

/// Finds an order of the outputs with few blocks that are not zero, at most as many as in the
/// present order, and returns the output of each place. Only outputs of the same class change
/// places. The result depends on the activity alone, not on the machine. Calls `progress` with the
/// share of the work that is done, or a little more.
#[must_use]
pub fn better_order(
    activity: &Activity,
    classes: &[usize],
    progress: &mut dyn FnMut(f64),
) -> Vec<usize> {
    let as_it_is: Vec<usize> = (0..activity.times.len()).collect();
    let mut search = Search::new(activity, grouped(activity, classes));
    for pass in 0..PASSES {
        let mut improved = false;
        for place in 0..search.order.len() {
            let done = pass * search.order.len() + place;
            progress(done as f64 / (PASSES * search.order.len()) as f64);
            improved |= search.improve(place, classes);
        }
        if !improved {
            break;
        }
    }
    if activity.blocks(&search.order) < activity.blocks(&as_it_is) {
        search.order
    } else {
        as_it_is
    }
}

/// Fills one block after the other. The first output of a block is the output that is most often
/// not zero; the next outputs are most often not zero together with those of the block. Single
/// exchanges would not find this order if whole groups of outputs have to move.
fn grouped(activity: &Activity, classes: &[usize]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..classes.len()).collect();
    let mut block = Vec::new();
    let mut order = Vec::new();
    for (place, class) in classes.iter().enumerate() {
        let is_first = place % BLOCK == 0;
        let shared = |output: usize| {
            let times = &activity.times[output];
            if is_first {
                count(times)
            } else {
                count_both(&block, times)
            }
        };
        let fitting = (0..left.len()).filter(|index| classes[left[*index]] == *class);
        let best = fitting.max_by_key(|index| (shared(left[*index]), Reverse(left[*index])));
        // Each class has as many places as outputs.
        let output = best.map_or(place, |index| left.swap_remove(index));
        order.push(output);
        block = activity.any(order[place / BLOCK * BLOCK..].iter());
    }
    order
}

/// An order, and what it costs to change it.
struct Search<'a> {
    activity: &'a Activity,
    /// The output of each place.
    order: Vec<usize>,
    /// For each place, the observations in which another output of its block was not zero.
    others: Vec<Vec<u64>>,
    /// For each block, the number of observations in which it was not zero.
    counts: Vec<u64>,
}

impl Search<'_> {
    fn new(activity: &Activity, order: Vec<usize>) -> Search<'_> {
        let blocks = order.len().div_ceil(BLOCK);
        let mut search = Search {
            activity,
            others: vec![Vec::new(); order.len()],
            counts: vec![0; blocks],
            order,
        };
        for block in 0..blocks {
            search.changed(block);
        }
        search
    }

    /// Updates the counts of a block after an exchange.
    fn changed(&mut self, block: usize) {
        let first = block * BLOCK;
        let outputs = &self.order[first..self.order.len().min(first + BLOCK)];
        self.counts[block] = count(&self.activity.any(outputs.iter()));
        for index in 0..outputs.len() {
            let (before, behind) = (&outputs[..index], &outputs[index + 1..]);
            self.others[first + index] = self.activity.any(before.iter().chain(behind));
        }
    }

    /// Exchanges an output with the later output with which the gain is largest, if there is a
    /// gain.
    fn improve(&mut self, place: usize, classes: &[usize]) -> bool {
        let block = place / BLOCK;
        let times = &self.activity.times;
        let gain = |other: usize| {
            let before = self.counts[block] + self.counts[other / BLOCK];
            let here = count_either(&self.others[place], &times[self.order[other]]);
            // The count of the first block may already show that the exchange does not help.
            let left = before.checked_sub(here)?;
            let there = count_either(&self.others[other], &times[self.order[place]]);
            left.checked_sub(there).filter(|gain| *gain > 0)
        };
        let others = (block + 1) * BLOCK..self.order.len();
        let best = others
            .filter(|other| classes[*other] == classes[place])
            .filter_map(|other| Some((gain(other)?, Reverse(other))))
            .max();
        let Some((_, Reverse(other))) = best else {
            return false;
        };
        self.order.swap(place, other);
        self.changed(block);
        self.changed(other / BLOCK);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two groups of four outputs, each spread over both blocks. Each group is active at times at
    /// which the other is not.
    fn two_groups() -> Activity {
        let mut activity = Activity::new(8);
        for time in 0..100 {
            let outputs: Vec<bool> = (0..8).map(|output| output % 2 == time % 2).collect();
            activity.record(&outputs);
        }
        activity
    }

    #[test]
    fn outputs_that_are_active_together_come_together() {
        let activity = two_groups();
        let same: Vec<usize> = (0..8).collect();
        assert_eq!(activity.blocks(&same), 200);
        let order = better_order(&activity, &[0; 8], &mut |_| {});
        assert_eq!(activity.blocks(&order), 100);
        let mut outputs = order.clone();
        outputs.sort_unstable();
        assert_eq!(outputs, same);
        assert_eq!(better_order(&activity, &[0; 8], &mut |_| {}), order);
    }

    #[test]
    fn classes_keep_their_places() {
        let classes = [0, 0, 0, 0, 1, 1, 1, 1];
        let order = better_order(&two_groups(), &classes, &mut |_| {});
        // Whatever the order, each block has two outputs of each group.
        assert!(order.iter().copied().eq(0..8));
        let classes = [0, 1, 1, 1, 0, 1, 1, 1];
        let order = better_order(&two_groups(), &classes, &mut |_| {});
        assert!(
            [order[0], order[4]]
                .iter()
                .all(|output| [0, 4].contains(output))
        );
    }

    #[test]
    fn perspectives_are_recorded_one_after_the_other() {
        let mut activity = Activity::new(5);
        for _ in 0..40 {
            let active = [4, 5];
            let outputs: Vec<bool> = (0..10).map(|output| active.contains(&output)).collect();
            activity.record(&outputs);
        }
        assert_eq!(activity.blocks(&[0, 1, 2, 3, 4]), 80);
        assert_eq!(activity.blocks(&[0, 4, 1, 2, 3]), 80);
        assert_eq!(activity.blocks(&[1, 2, 3, 4, 0]), 80);
        let mut none = Activity::new(5);
        none.record(&[false; 10]);
        assert_eq!(none.blocks(&[0, 1, 2, 3, 4]), 0);
    }

    #[test]
    fn work_is_supplied_of_in_shares() {
        let mut told = Vec::new();
        let _ = better_order(&two_groups(), &[0; 8], &mut |done| told.push(done));
        assert!(told.is_sorted() && told.iter().all(|done| (0.0..1.0).contains(done)));
        assert!(told.len() >= 8);
    }
}
