//! The values of options of `nnue match`.

use std::time::Duration;

use nnue_tools::matches::{DrawRule, Limit, Model, WinRule};

/// The kinds of Elo that a test can be about.
pub(super) const MODELS: [(&str, Model); 2] = [
    ("normalised", Model::Normalised),
    ("logistic", Model::Logistic),
];

pub(super) fn even(text: &str) -> Result<u32, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (2..=1_000_000).contains(number));
    number
        .filter(|number: &u32| number.is_multiple_of(2))
        .ok_or_else(|| "expected an even number from 2 to 1000000".into())
}

pub(super) fn time_control(text: &str) -> Result<Limit, String> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    let seconds = |text: &str| {
        let seconds = text.parse::<f64>().ok()?;
        let duration = Duration::try_from_secs_f64(seconds).ok()?;
        // Nobody waits longer than a day, and a day is far from an overflow.
        (duration <= Duration::from_secs(86_400)).then_some(duration)
    };
    match (seconds(base), seconds(increment)) {
        (Some(base), Some(increment)) if !base.is_zero() => Ok(Limit::Clock { base, increment }),
        _ => Err("expected seconds and an increment, such as 8+0.08".into()),
    }
}

pub(super) fn uci_option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !text.contains(['\n', '\r']) => {
            Ok((name.trim().into(), value.trim().into()))
        }
        _ => Err("expected a name and a value, such as Hash=64".into()),
    }
}

pub(super) fn hypotheses(text: &str) -> Result<(f64, f64), String> {
    let elo = |text: &str| {
        text.trim()
            .parse::<f64>()
            .ok()
            .filter(|elo| elo.abs() <= 1000.0)
    };
    match text
        .split_once(',')
        .map(|(elo0, elo1)| (elo(elo0), elo(elo1)))
    {
        Some((Some(elo0), Some(elo1))) if elo0 < elo1 => Ok((elo0, elo1)),
        _ => Err("expected two numbers from -1000 to 1000, the smaller first, such as 0,5".into()),
    }
}

pub(super) fn error_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok();
    rate.filter(|rate| (0.0001..=0.4).contains(rate))
        .ok_or_else(|| "expected a probability from 0.0001 to 0.4".into())
}

/// Reads `N` whole numbers from 1 to 30000.
fn numbers<const N: usize>(text: &str) -> Option<[u16; N]> {
    let numbers = text.split(',').map(|number| number.trim().parse().ok());
    let numbers: Option<Vec<u16>> = numbers.collect();
    let numbers: [u16; N] = numbers?.try_into().ok()?;
    let allowed = 1..=30_000;
    numbers
        .iter()
        .all(|number| allowed.contains(number))
        .then_some(numbers)
}

pub(super) fn draw_rule(text: &str) -> Result<DrawRule, String> {
    match numbers(text) {
        Some([from, moves, centipawns]) => Ok(DrawRule {
            from,
            moves,
            centipawns: centipawns.into(),
        }),
        None => Err("expected three numbers from 1 to 30000, such as 40,8,10".into()),
    }
}

pub(super) fn win_rule(text: &str) -> Result<WinRule, String> {
    match numbers(text) {
        Some([moves, centipawns]) => Ok(WinRule {
            moves,
            centipawns: centipawns.into(),
        }),
        None => Err("expected two numbers from 1 to 30000, such as 4,800".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_have_increments_or_not() {
        let clock = |base, increment| {
            let [base, increment] = [base, increment].map(Duration::from_millis);
            Ok(Limit::Clock { base, increment })
        };
        assert_eq!(time_control("8+0.08"), clock(8_000, 80));
        assert_eq!(time_control("0.5"), clock(500, 0));
        for wrong in ["", "0+1", "-1", "1+-1", "x", "8+", "nan", "1e300", "1+1+1"] {
            assert!(time_control(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_may_have_what_separates_names_from_them() {
        let option = uci_option("Debug Log File=a=b").unwrap();
        assert_eq!(option, ("Debug Log File".into(), "a=b".into()));
        for wrong in ["Hash", "=1", "a=b\nquit"] {
            assert!(uci_option(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused() {
        assert_eq!(hypotheses("-5,0"), Ok((-5.0, 0.0)));
        for wrong in ["5", "5,0", "0,nan", "0,9999", "0,5,10"] {
            assert!(hypotheses(wrong).is_err(), "{wrong}");
        }
        for wrong in ["0", "1", "3", "-2", "1000002", ""] {
            assert!(even(wrong).is_err(), "{wrong}");
        }
        for wrong in ["40,8", "40,8,0", "40,8,10,1", "a,b,c"] {
            assert!(draw_rule(wrong).is_err(), "{wrong}");
        }
        for wrong in ["0", "0.5", "nan", "1e-9"] {
            assert!(error_rate(wrong).is_err(), "{wrong}");
        }
    }
}
