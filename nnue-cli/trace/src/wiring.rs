//! The program that checks the code of a network, and what it writes.

use std::fmt;
use std::process::ExitCode;
use std::str::FromStr;

use nnue_runtime::self_check::{self, Checked, Mismatch};
use nnue_runtime::{Architecture, Level};

/// What the check of a network's code has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wiring {
    /// The instruction sets whose code was run.
    pub levels: Vec<String>,
    /// The layers behind the transformer.
    pub layers: u64,
    /// The weights, biases and factors that were told from one another.
    pub weights: u64,
    /// The comparisons with what the formulas of the spec give.
    pub comparisons: u64,
    /// What is not proved.
    pub unproved: Vec<String>,
    /// The first value that is wrong, if one is.
    pub mismatch: Option<String>,
}

/// Runs the whole program: it checks the code of a network, and writes what it has found.
pub fn check_wiring<A: Architecture>() -> ExitCode {
    print!("{}", Wiring::from(self_check::run::<A>()));
    ExitCode::SUCCESS
}

impl From<Result<Checked, Mismatch>> for Wiring {
    fn from(result: Result<Checked, Mismatch>) -> Wiring {
        match result {
            Ok(checked) => Wiring {
                levels: checked.levels.iter().map(Level::to_string).collect(),
                layers: checked.layers as u64,
                weights: checked.weights,
                comparisons: checked.comparisons,
                unproved: checked.unproved,
                mismatch: None,
            },
            Err(mismatch) => Wiring {
                mismatch: Some(mismatch.to_string()),
                ..Wiring::default()
            },
        }
    }
}

impl fmt::Display for Wiring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for level in &self.levels {
            writeln!(f, "level {level}")?;
        }
        writeln!(f, "layers {}", self.layers)?;
        writeln!(f, "weights {}", self.weights)?;
        writeln!(f, "comparisons {}", self.comparisons)?;
        for part in &self.unproved {
            writeln!(f, "unproved {part}")?;
        }
        match &self.mismatch {
            Some(mismatch) => writeln!(f, "mismatch {mismatch}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Wiring {
    type Err = String;

    fn from_str(text: &str) -> Result<Wiring, String> {
        let mut wiring = Wiring::default();
        for line in text.lines() {
            let unknown = || format!("found the line `{line}`, expected a fact of a check");
            let (key, value) = line.split_once(' ').ok_or_else(unknown)?;
            let number = || value.parse().map_err(|_| unknown());
            match key {
                "level" => wiring.levels.push(value.into()),
                "layers" => wiring.layers = number()?,
                "weights" => wiring.weights = number()?,
                "comparisons" => wiring.comparisons = number()?,
                "unproved" => wiring.unproved.push(value.into()),
                "mismatch" => wiring.mismatch = Some(value.into()),
                _ => return Err(unknown()),
            }
        }
        Ok(wiring)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        let wiring = Wiring {
            levels: vec!["scalar".into(), "avx2".into()],
            layers: 3,
            weights: 1 << 40,
            comparisons: 7,
            unproved: vec!["`a`: all values".into()],
            mismatch: Some("value 3 of `fc_0` is 1, expected 2".into()),
        };
        assert_eq!(wiring.to_string().parse(), Ok(wiring));
        for wrong in ["layers", "layers x", "words 3"] {
            assert!(wrong.parse::<Wiring>().is_err(), "{wrong}");
        }
    }
}
