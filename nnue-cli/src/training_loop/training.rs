//! What the trainer says of a run, for people.

use std::fmt::Write;
use std::path::Path;

use nnue_compiler::format::foreign;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Failure;
use crate::xml::escaped;

/// So many times the loss of training is a loss of validation that tells of too little data.
const FAR: f64 = 1.5;

/// The most bytes that are read of a file of the trainer.
const LONGEST: u64 = 1 << 24;

/// What of the trainer's `summary.json` is shown. What it lacks is left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Summary {
    positions: Option<f64>,
    seconds: Option<f64>,
    positions_per_second: Option<f64>,
    train_loss: Option<f64>,
    validation_loss: Option<f64>,
    validation_loss_of_integers: Option<f64>,
    validation_positions: Option<f64>,
    zero_blocks: Option<f64>,
    rounding_cost: RoundingCost,
    parameters: Option<f64>,
    device: Option<String>,
    torch: Option<String>,
    settings: Map<String, Value>,
    reports: Vec<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RoundingCost {
    fake: Option<Cost>,
    float: Option<Cost>,
}

#[derive(Debug, Deserialize)]
struct Cost {
    mean_centipawns: f64,
    most_centipawns: f64,
}

/// A run of the trainer that is over.
pub(super) struct Training {
    summary: Summary,
    /// Its curves, as SVG, or why there are none.
    curves: Result<String, String>,
}

impl Training {
    /// Reads `summary.json` and `curves.svg` in the trainer's folder.
    pub(super) fn read(folder: &Path) -> Result<Training, Failure> {
        let path = folder.join("summary.json");
        let summary =
            serde_json::from_slice(&nnue_files::read(&path, LONGEST)?).map_err(|error| {
                Failure::Work(format!("`{}`: {}", foreign(path.display()), foreign(error)))
            })?;
        // The trainer draws it as XML without a declaration.
        let path = folder.join("curves.svg");
        let curves = match nnue_files::read(&path, LONGEST).map(String::from_utf8) {
            Ok(Ok(curves)) => Ok(curves),
            Ok(Err(_)) => Err(format!("`{}` is not UTF-8 text", foreign(path.display()))),
            Err(error) => Err(error.to_string()),
        };
        Ok(Training { summary, curves })
    }

    /// What is wrong with the run, if something is.
    pub(super) fn warning(&self) -> Option<String> {
        let Summary {
            train_loss: Some(train),
            validation_loss: Some(validation),
            ..
        } = self.summary
        else {
            return None;
        };
        (validation > FAR * train).then(|| {
            format!(
                "the loss on positions that the net has not seen is {} times that on those it \
                 learns from: there is too little data, so more `games` of `[selfplay]` or more \
                 files help more than longer training",
                number(validation / train)
            )
        })
    }

    /// The part of a page.
    pub(super) fn html(&self) -> String {
        let mut part = String::new();
        if let Some(warning) = self.warning() {
            let _ = writeln!(
                part,
                "<p><strong>Warning:</strong> {}.</p>",
                escaped(&warning)
            );
        }
        // Through fewer points there is no line.
        match &self.curves {
            Ok(curves) if self.summary.reports.len() > 1 => part += curves,
            Err(reason) if self.summary.reports.len() > 1 => {
                let _ = writeln!(part, "<p>There are no curves: {}.</p>", escaped(reason));
            }
            _ => {
                part += "<p>There are no curves of fewer than two reports: <code>reports</code> in \
                         the run file says how many the trainer makes.</p>\n";
            }
        }
        part += "<table id=\"training\">\n";
        for (name, value) in self.facts() {
            let _ = writeln!(part, "<tr><th>{name}</th><td>{}</td></tr>", escaped(&value));
        }
        part += "</table>\n<details>\n<summary>All settings of the trainer, with those that the \
                 run file leaves out</summary>\n<pre>";
        for (key, value) in &self.summary.settings {
            if let Some(value) = setting(value) {
                let _ = writeln!(part, "{} = {}", escaped(key), escaped(&value));
            }
        }
        part + "</pre>\n</details>\n"
    }

    /// What the run found, in the order of interest.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let summary = &self.summary;
        let cost = |cost: &Option<Cost>| {
            let Cost {
                mean_centipawns: mean,
                most_centipawns: most,
            } = cost.as_ref()?;
            let [mean, most] = [mean, most].map(|cost| number(*cost));
            Some(format!("{mean} centipawns on average, at most {most}"))
        };
        let number = |value: Option<f64>| value.map(number);
        let facts = [
            (
                "positions trained on, counted as often as seen",
                number(summary.positions),
            ),
            ("time of training", summary.seconds.map(duration)),
            (
                "positions a second",
                number(summary.positions_per_second.map(f64::round)),
            ),
            (
                "loss on positions that the net learns from",
                number(summary.train_loss),
            ),
            (
                "loss on positions that it has not seen",
                number(summary.validation_loss),
            ),
            (
                "the same loss of the net file, in integers",
                number(summary.validation_loss_of_integers),
            ),
            (
                "positions that it has not seen",
                number(summary.validation_positions),
            ),
            (
                "what rounding in training leaves out",
                cost(&summary.rounding_cost.fake),
            ),
            (
                "what rounding costs a net in floating point",
                cost(&summary.rounding_cost.float),
            ),
            (
                "blocks of four neurons that are all zero",
                number(summary.zero_blocks.map(|share| 100.0 * share)).map(|share| share + " %"),
            ),
            ("weights and biases", number(summary.parameters)),
            ("device", summary.device.clone()),
            ("torch", summary.torch.clone()),
        ];
        let known = facts.into_iter();
        known
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}

/// A setting as a run file has it; nothing for one that is not set.
fn setting(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Number(value) => value.as_f64().map(exact),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().filter_map(setting).collect();
            Some(format!("[{}]", values.join(", ")))
        }
        value => Some(value.to_string()),
    }
}

/// All digits of a number, and no zeros that say nothing.
fn exact(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && size < 1e-4 => format!("{value:e}"),
        _ => format!("{value}"),
    }
}

/// Four digits of a number; of a large one all before the point, in groups of three.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() || value.abs() < 1e-4 {
        return match value == 0.0 {
            true => "0".into(),
            false => format!("{value:.3e}"),
        };
    }
    let digits = (3 - value.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        let left = whole.len() - index;
        if index > 0 && left.is_multiple_of(3) && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match rest.trim_end_matches('0') {
        "" => grouped,
        rest => format!("{grouped}.{rest}"),
    }
}

/// A time in seconds, in the units that people use.
fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn training(train_loss: f64, reports: usize) -> Training {
        let summary = serde_json::json!({
            "positions": 2_400_256,
            "seconds": 125.04,
            "train_loss": train_loss,
            "validation_loss": 0.002,
            "zero_blocks": 0.123,
            "rounding_cost": { "fake": { "mean_centipawns": 0.0, "most_centipawns": 0.0 } },
            "settings": { "optimiser.epsilon": 1e-8, "loss.value_scale": null, "seed": 1,
                "loss.lambda": [1.0, 0.75], "mode": "fake" },
            "reports": vec![serde_json::json!({}); reports],
        });
        Training {
            summary: serde_json::from_value(summary).unwrap(),
            curves: Ok("<svg></svg>".into()),
        }
    }

    #[test]
    fn people_read_words_and_units() {
        let page = training(0.0018, 2).html();
        for part in [
            "<th>positions trained on, counted as often as seen</th><td>2,400,256</td>",
            "<td>2 min 5 s</td>",
            "<td>12.3 %</td>",
            "<td>0 centipawns on average, at most 0</td>",
            "optimiser.epsilon = 1e-8\n",
            "loss.lambda = [1, 0.75]\n",
            "mode = &quot;fake&quot;\n",
            "seed = 1\n",
            "<svg>",
        ] {
            assert!(page.contains(part), "no `{part}` in {page}");
        }
        for part in ["null", "0.000000", "value_scale", "Warning"] {
            assert!(!page.contains(part), "`{part}` in {page}");
        }
    }

    #[test]
    fn one_report_is_no_curve() {
        let page = training(0.0018, 1).html();
        assert!(
            !page.contains("<svg") && page.contains("fewer than two reports"),
            "{page}"
        );
    }

    #[test]
    fn curves_that_cannot_be_read_are_missed_with_the_reason() {
        let folder = std::env::temp_dir().join(format!("nnue-curves-{}", std::process::id()));
        let curves = folder.join("curves.svg");
        std::fs::create_dir_all(&curves).unwrap();
        std::fs::write(folder.join("summary.json"), "{\"reports\": [1, 2]}").unwrap();
        let page = Training::read(&folder).unwrap().html();
        assert!(
            page.contains("There are no curves: cannot read") && page.contains("found a folder"),
            "{page}"
        );
        std::fs::remove_dir(&curves).unwrap();
        // Longer than anything that a trainer draws.
        let file = std::fs::File::create(&curves).unwrap();
        file.set_len(LONGEST + 1).unwrap();
        let page = Training::read(&folder).unwrap().html();
        assert!(page.contains("it has more than 16777216 bytes"), "{page}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn too_little_data_is_a_warning() {
        assert_eq!(training(0.0014, 2).warning(), None);
        let warning = training(0.001, 2).warning().unwrap();
        assert!(warning.contains("is 2 times that"), "{warning}");
        let page = training(0.001, 2).html();
        assert!(page.contains("<strong>Warning:</strong>"), "{page}");
    }

    #[test]
    fn numbers_have_as_many_digits_as_matter() {
        let numbers = [
            0.0,
            1e-8,
            0.001_933,
            0.123_456,
            12.5,
            1234.4,
            1_234_567.0,
            -4321.0,
        ];
        let texts = [
            "0",
            "1.000e-8",
            "0.001933",
            "0.1235",
            "12.5",
            "1,234",
            "1,234,567",
            "-4,321",
        ];
        assert_eq!(numbers.map(number), texts);
    }
}
