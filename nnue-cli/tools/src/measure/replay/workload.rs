//! A measured network and search, and the processor.

use std::fmt;

use serde::Serialize;

/// A network, a search, and the processor that evaluates it.
#[derive(Clone, Debug, Serialize)]
pub struct Workload {
    /// The name of the network.
    pub network: String,
    /// The name of the net file.
    pub file: String,
    /// The name of the processor, by [`processor`](crate::measure::processor::processor).
    pub processor: String,
    /// The instruction set that the program was built for.
    pub baseline: &'static str,
    /// How many moves the search makes.
    pub moves: usize,
    /// How many positions the search evaluates.
    pub evaluations: usize,
    /// How many root positions the search has.
    pub roots: usize,
    /// How often everything is measured.
    pub rounds: usize,
    /// The size of the engine's hash table in bytes; `None` without an engine.
    pub engine_table: Option<usize>,
}

impl Workload {
    /// The processor, and the instruction set that the program was built for.
    #[must_use]
    pub fn machine(&self) -> String {
        let processor = &self.processor;
        match self.baseline {
            "scalar" => format!("{processor}, built for any processor"),
            baseline => format!("{processor}, built for processors with {baseline}"),
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {}, {}, {}",
            count(self.moves, "move"),
            count(self.evaluations, "evaluation"),
            count(self.roots, "root"),
            count(self.rounds, "round"),
        )?;
        match self.engine_table {
            Some(bytes) => write!(f, ", an engine with a hash table of {}", size(bytes)),
            None => Ok(()),
        }
    }
}

/// A number of bytes in the form of `--engine`: in the largest unit of which it is a multiple.
fn size(bytes: usize) -> String {
    let units = [(30, "GB"), (20, "MB"), (10, "KB")];
    let unit = units
        .iter()
        .find(|(shift, _)| bytes.trailing_zeros() >= *shift);
    match unit {
        Some((shift, unit)) => format!("{} {unit}", bytes >> shift),
        None => format!("{bytes} B"),
    }
}

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// A number with a comma between groups of three digits.
#[must_use]
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_the_right() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(thousands),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
