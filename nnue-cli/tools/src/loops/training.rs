//! The trainer's report of a run.

use std::path::Path;

use nnue_compiler::format::foreign;
use serde_json::Value;

use crate::loops::error::Error;

/// The ratio of the validation loss to the training loss that shows too little data.
const FAR: f64 = 1.5;

/// The most bytes of a file of the trainer.
const LONGEST: u64 = 1 << 24;

/// A finished run of the trainer.
#[derive(Debug)]
pub struct Training {
    /// The trainer's `summary.json`, in which any number may be missing.
    pub(crate) summary: Value,
    /// The curves of the run as SVG, or why there are none.
    pub(crate) curves: Result<String, String>,
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

    /// A number of the summary, by the JSON pointer of its place.
    pub(crate) fn number(&self, place: &str) -> Option<f64> {
        self.summary.pointer(place)?.as_f64()
    }

    /// The ratio of the validation loss to the training loss, if it is so large that there was too
    /// little data.
    pub(crate) fn overfitting(&self) -> Option<f64> {
        let [train, validation] = ["/train_loss", "/validation_loss"].map(|loss| self.number(loss));
        let (train, validation) = (train?, validation?);
        (validation > FAR * train).then(|| validation / train)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        let overfitting = |train_loss: f64| {
            let summary = json!({ "train_loss": train_loss, "validation_loss": 0.002 });
            let curves = Ok(String::new());
            Training { summary, curves }.overfitting()
        };
        assert_eq!(overfitting(0.0014), None);
        assert_eq!(overfitting(0.001), Some(2.0));
    }
}
