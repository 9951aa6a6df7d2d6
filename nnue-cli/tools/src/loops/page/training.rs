//! The trainer's report of a run, as a part of a page.

use serde_json::Value;

use crate::loops::Training;
use crate::picture::markup::{Markup, tag, text};
use crate::picture::page::values;

/// A warning about the run, if something is wrong.
#[must_use]
pub fn warning(training: &Training) -> Option<String> {
    let times = training.overfitting()?;
    Some(format!(
        "the loss on positions that the net has not seen is {} times that on those it learns from: \
         there is too little data, so more `games` of `[selfplay]` or more files help more than \
         longer training",
        number(times)
    ))
}

/// The part of the page about the training.
pub(super) fn html(training: &Training) -> Markup {
    // A line needs at least two points.
    let reports = training.summary["reports"].as_array();
    let is_line = reports.is_some_and(|reports| reports.len() > 1);
    let warning = warning(training).map(|warning| {
        let warned = tag("strong", "Warning:");
        tag("p", [warned, text(format!(" {warning}."))])
    });
    let curves = match &training.curves {
        Ok(curves) if is_line => Markup::raw(curves),
        Err(reason) if is_line => tag("p", format!("There are no curves: {reason}.")),
        _ => {
            let parts = [
                text("There are no curves of fewer than two reports: "),
                tag("code", "reports"),
                text(" in the run file says how many the trainer makes."),
            ];
            tag("p", parts)
        }
    };
    let settings = training.summary["settings"].as_object();
    let settings = settings.into_iter().flatten();
    let settings =
        settings.filter_map(|(key, value)| Some(format!("{key} = {}\n", setting(value)?)));
    let all = "All settings of the trainer, with those that the run file leaves out";
    let details = [
        tag("summary", all),
        tag("pre", settings.collect::<String>()),
    ];
    Markup::from([
        warning.unwrap_or_default(),
        curves,
        values("training", facts(training)),
        tag("details", details),
    ])
}

/// The results of the run, the most interesting first.
fn facts(training: &Training) -> Vec<(&'static str, String)> {
    let count = |place: &str| training.number(place).map(number);
    let word = |key: &str| training.summary[key].as_str().map(String::from);
    let cost = |how: &str| {
        let [mean, most] = ["mean", "most"]
            .map(|which| count(&format!("/rounding_cost/{how}/{which}_centipawns")));
        Some(format!(
            "{} centipawns on average, at most {}",
            mean?, most?
        ))
    };
    let speed = training.number("/positions_per_second");
    let zero_blocks = training.number("/zero_blocks");
    let facts = [
        (
            "positions trained on, counted as often as seen",
            count("/positions"),
        ),
        (
            "time of training",
            training.number("/seconds").map(duration),
        ),
        ("positions a second", speed.map(f64::round).map(number)),
        (
            "loss on positions that the net learns from",
            count("/train_loss"),
        ),
        (
            "loss on positions that it has not seen",
            count("/validation_loss"),
        ),
        (
            "the same loss of the net file, in integers",
            count("/validation_loss_of_integers"),
        ),
        (
            "positions that it has not seen",
            count("/validation_positions"),
        ),
        ("what rounding in training leaves out", cost("fake")),
        ("what rounding costs a net in floating point", cost("float")),
        (
            "blocks of four neurons that are all zero",
            zero_blocks.map(|share| number(100.0 * share) + " %"),
        ),
        ("weights and biases", count("/parameters")),
        ("device", word("device")),
        ("torch", word("torch")),
    ];
    let known = facts.into_iter();
    known
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// A setting as it is in a run file; `None` for a setting without a value.
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

/// All digits of a number, without zeros at its end.
fn exact(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && size < 1e-4 => format!("{value:e}"),
        _ => format!("{value}"),
    }
}

/// Four digits of a number. A large number has all digits before the point, in groups of three.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() || value.abs() < 1e-4 {
        return if value == 0.0 {
            "0".into()
        } else {
            format!("{value:.3e}")
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
            "positions_per_second": 1999.6,
            "train_loss": train_loss,
            "validation_loss": 0.002,
            "validation_loss_of_integers": 0.0021,
            "validation_positions": 50_000,
            "parameters": 98_689,
            "device": "cpu",
            "torch": "2.9",
            "zero_blocks": 0.123,
            "rounding_cost": { "fake": { "mean_centipawns": 0.0, "most_centipawns": 0.0 } },
            "settings": { "optimiser.epsilon": 1e-8, "loss.value_scale": null, "seed": 1,
                "loss.lambda": [1.0, 0.75], "mode": "fake" },
            "reports": vec![serde_json::json!({}); reports],
        });
        let curves = Ok("<svg></svg>".into());
        Training { summary, curves }
    }

    #[test]
    fn people_read_words_and_units() {
        let page = html(&training(0.0018, 2)).into_string();
        for part in [
            "<th>positions trained on, counted as often as seen</th><td>2,400,256</td>",
            "<td>2 min 5 s</td>",
            "<td>2,000</td>",
            "<td>0.0018</td>",
            "<td>0.002</td>",
            "<td>0.0021</td>",
            "<td>50,000</td>",
            "<td>98,689</td>",
            "<td>cpu</td>",
            "<td>2.9</td>",
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
        let page = html(&training(0.0018, 1)).into_string();
        assert!(
            !page.contains("<svg") && page.contains("fewer than two reports"),
            "{page}"
        );
    }

    #[test]
    fn curves_that_are_missing_are_missed_with_the_reason() {
        let mut training = training(0.0018, 2);
        training.curves = Err("cannot read <curves.svg>".into());
        let page = html(&training).into_string();
        let missed = "<p>There are no curves: cannot read &lt;curves.svg&gt;.</p>";
        assert!(page.contains(missed), "{page}");
    }

    #[test]
    fn too_little_data_is_a_warning() {
        assert_eq!(warning(&training(0.0014, 2)), None);
        let warning = warning(&training(0.001, 2)).unwrap();
        assert!(warning.contains("is 2 times that"), "{warning}");
        let page = html(&training(0.001, 2)).into_string();
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
