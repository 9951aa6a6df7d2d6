//! The facts that a network's program tells when it has loaded the network.

use std::fmt;
use std::str::FromStr;

use nnue_runtime::__private::file::foreign;
use nnue_runtime::{Level, Output, Statistics};

/// Facts about a network, its net and its values over a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// The size of the weights in memory, in bytes.
    pub weights: u64,
    /// The size of an accumulator with both perspectives, in bytes.
    pub accumulator: u64,
    /// How many blocks of four inputs of the first layer are not all zero, on average over
    /// positions.
    pub blocks: f64,
    /// How many blocks of four inputs the first layer has.
    pub all_blocks: u64,
    /// The work of an evaluator along the trace.
    pub statistics: Statistics,
    /// The [`checksum`] of all values.
    pub checksum: u32,
    /// The instruction set that the program was built for.
    pub baseline: Level,
}

/// FNV-1a of all integers of all evaluations, in their order.
pub fn checksum(outputs: impl IntoIterator<Item = Output>) -> u32 {
    let numbers = outputs
        .into_iter()
        .flat_map(|output| [output.psqt, output.positional, output.value]);
    let bytes = numbers.flat_map(i32::to_le_bytes);
    bytes.fold(0x811C_9DC5, |sum, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

impl Facts {
    /// All counts, in the order in which they are written.
    fn counts(&mut self) -> [&mut u64; 8] {
        let statistics = &mut self.statistics;
        [
            &mut self.weights,
            &mut self.accumulator,
            &mut self.all_blocks,
            &mut statistics.updates,
            &mut statistics.updated_rows,
            &mut statistics.refreshes,
            &mut statistics.refreshed_rows,
            &mut statistics.misses,
        ]
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.blocks, self.checksum, self.baseline)?;
        let mut facts = *self;
        let mut counts = facts.counts().into_iter();
        counts.try_for_each(|count| write!(f, " {count}"))
    }
}

impl FromStr for Facts {
    type Err = String;

    fn from_str(line: &str) -> Result<Facts, String> {
        let facts = || {
            let mut words = line.split(' ');
            let mut facts = Facts {
                blocks: words.next()?.parse().ok()?,
                checksum: words.next()?.parse().ok()?,
                baseline: Level::by_name(words.next()?).ok()?,
                weights: 0,
                accumulator: 0,
                all_blocks: 0,
                statistics: Statistics::default(),
            };
            for count in facts.counts() {
                *count = words.next()?.parse().ok()?;
            }
            words.next().is_none().then_some(facts)
        };
        facts().ok_or_else(|| format!("found `{}`, expected facts about a network", foreign(line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        let mut statistics = Statistics::default();
        (statistics.updates, statistics.misses) = (1, u64::MAX);
        let facts = Facts {
            weights: 1 << 33,
            accumulator: 640,
            blocks: 0.1,
            all_blocks: 32,
            statistics,
            checksum: u32::MAX,
            baseline: Level::BASELINE,
        };
        assert_eq!(facts.to_string().parse(), Ok(facts));
        for wrong in [
            "".into(),
            "1 2 avx3 1 2 3 4 5 6 7 8".into(),
            format!("{facts} 9"),
        ] {
            assert!(wrong.parse::<Facts>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn checksums_are_fnv_1a_of_all_integers() {
        assert_eq!(checksum([]), 0x811C_9DC5);
        let output = |psqt, positional, value| Output {
            psqt,
            positional,
            value,
        };
        let sum = checksum([output(1, 2, 3), output(4, 5, 6)]);
        for other in [
            [output(4, 5, 6), output(1, 2, 3)],
            [output(1, 2, 3), output(4, 5, 7)],
            [output(1, 3, 2), output(4, 5, 6)],
        ] {
            assert_ne!(checksum(other), sum);
        }
    }
}
