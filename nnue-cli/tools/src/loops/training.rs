//! The trainer's report of a run.

use std::path::Path;

use nnue_compiler::format::foreign;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::loops::error::Error;

/// The ratio of the validation loss to the training loss that shows too little data.
const FAR: f64 = 1.5;

/// The most bytes of a file of the trainer.
const LONGEST: u64 = 1 << 24;

/// The trainer's `summary.json`. A missing number is `None`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// The number of positions in training; repeated positions count each time.
    pub positions: Option<f64>,
    /// The time of training in seconds.
    pub seconds: Option<f64>,
    /// How many positions were trained on in a second.
    pub positions_per_second: Option<f64>,
    /// The loss on the positions of the training.
    pub train_loss: Option<f64>,
    /// The loss on the positions for validation, which the net has not seen.
    pub validation_loss: Option<f64>,
    /// The loss on the positions for validation of the net file, in integers.
    pub validation_loss_of_integers: Option<f64>,
    /// The number of positions that the net has not seen.
    pub validation_positions: Option<f64>,
    /// The share of blocks of four neurons that are all zero, 0 to 1.
    pub zero_blocks: Option<f64>,
    /// The differences between the values of the integers and of the trainer.
    pub rounding_cost: RoundingCost,
    /// How many weights and biases the net has.
    pub parameters: Option<f64>,
    /// The device of the training, such as `cpu`.
    pub device: Option<String>,
    /// The version of torch.
    pub torch: Option<String>,
    /// All settings of the trainer, with those that the run file leaves out.
    pub settings: Map<String, Value>,
    /// The trainer's reports during the run, in the order of time.
    pub reports: Vec<Value>,
}

/// The differences between the values of the net file in integers and those of the trainer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RoundingCost {
    /// The difference of the trainer's values with simulated rounding from those of the integers.
    pub fake: Option<Cost>,
    /// The difference of the trainer's values without rounding from those of the integers.
    pub float: Option<Cost>,
}

/// The differences of values over positions, in centipawns.
#[derive(Debug, Deserialize)]
pub struct Cost {
    /// The mean difference.
    pub mean_centipawns: f64,
    /// The largest difference.
    pub most_centipawns: f64,
}

/// A finished run of the trainer.
#[derive(Debug)]
pub struct Training {
    /// The numbers of the run.
    pub summary: Summary,
    /// The curves of the run as SVG, or why there are none.
    pub curves: Result<String, String>,
}

impl Training {
    /// Reads `summary.json` and `curves.svg` in the trainer's folder.
    ///
    /// # Errors
    ///
    /// [`Error::File`] and [`Error::Json`] for an unusable summary.
    pub fn read(folder: &Path) -> Result<Training, Error> {
        let path = folder.join("summary.json");
        let summary = serde_json::from_slice(&crate::files::own::read(&path, LONGEST)?);
        let summary = summary.map_err(|error| Error::Json {
            origin: format!("`{}`", foreign(path.display())),
            error,
        })?;
        // The trainer draws the curves as XML without a declaration.
        let path = folder.join("curves.svg");
        let curves = match crate::files::own::read(&path, LONGEST).map(String::from_utf8) {
            Ok(Ok(curves)) => Ok(curves),
            Ok(Err(_)) => Err(format!("`{}` is not UTF-8 text", foreign(path.display()))),
            Err(error) => Err(error.to_string()),
        };
        Ok(Training { summary, curves })
    }

    /// The ratio of the validation loss to the training loss, if it is so large that there was too
    /// little data.
    #[must_use]
    pub fn overfitting(&self) -> Option<f64> {
        let Summary {
            train_loss,
            validation_loss,
            ..
        } = self.summary;
        let (train, validation) = (train_loss?, validation_loss?);
        (validation > FAR * train).then(|| validation / train)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_that_cannot_be_read_are_missed_with_the_reason() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let curves = folder.path().join("curves.svg");
        std::fs::create_dir_all(&curves).unwrap();
        let summary = folder.path().join("summary.json");
        std::fs::write(summary, "{\"reports\": [1, 2]}").unwrap();
        let missed = || Training::read(folder.path()).unwrap().curves.unwrap_err();
        assert!(
            missed().starts_with("cannot read") && missed().contains("found a folder"),
            "{}",
            missed()
        );
        std::fs::remove_dir(&curves).unwrap();
        // The file is longer than anything that the trainer draws.
        let file = std::fs::File::create(&curves).unwrap();
        file.set_len(LONGEST + 1).unwrap();
        assert!(
            missed().contains("it has more than 16777216 bytes"),
            "{}",
            missed()
        );
    }

    #[test]
    fn a_validation_far_from_training_is_overfitting() {
        let overfitting = |train_loss| {
            let summary = Summary {
                train_loss: Some(train_loss),
                validation_loss: Some(0.002),
                ..Summary::default()
            };
            let curves = Ok(String::new());
            Training { summary, curves }.overfitting()
        };
        assert_eq!(overfitting(0.0014), None);
        assert_eq!(overfitting(0.001), Some(2.0));
    }
}
