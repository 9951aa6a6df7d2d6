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
    let numbers =
        { outputs.into_iter() }.flat_map(|output| [output.psqt, output.positional, output.value]);
    let bytes = numbers.flat_map(i32::to_le_bytes);
    bytes.fold(0x811C_9DC5, |sum, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Facts {
            weights,
            accumulator,
            blocks,
            all_blocks,
            statistics,
            checksum,
            baseline,
        } = self;
        write!(f, "{weights} {accumulator} {blocks} {all_blocks}")?;
        for count in [
            statistics.updates,
            statistics.updated_rows,
            statistics.refreshes,
            statistics.refreshed_rows,
            statistics.misses,
        ] {
            write!(f, " {count}")?;
        }
        write!(f, " {checksum} {baseline}")
    }
}

impl FromStr for Facts {
    type Err = String;

    fn from_str(line: &str) -> Result<Facts, String> {
        let facts = || {
            let words: Vec<&str> = line.split(' ').collect();
            let [
                weights,
                accumulator,
                blocks,
                all_blocks,
                counts @ ..,
                checksum,
                baseline,
            ] = &*words
            else {
                return None;
            };
            let counts = counts.iter().map(|word| word.parse().ok());
            let counts: Vec<u64> = counts.collect::<Option<_>>()?;
            let mut statistics = Statistics::default();
            [
                statistics.updates,
                statistics.updated_rows,
                statistics.refreshes,
                statistics.refreshed_rows,
                statistics.misses,
            ] = counts.try_into().ok()?;
            Some(Facts {
                weights: weights.parse().ok()?,
                accumulator: accumulator.parse().ok()?,
                blocks: blocks.parse().ok()?,
                all_blocks: all_blocks.parse().ok()?,
                statistics,
                checksum: checksum.parse().ok()?,
                baseline: Level::by_name(baseline).ok()?,
            })
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
        for wrong in ["", "1 2 3 4", "1 2 3 4 5 6 7 8 9 10 avx3"] {
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
