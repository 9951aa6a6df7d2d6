//! Evaluations in comments: their forms and units.

use nnue_compiler::format::foreign;

/// The score of a mate on the board, in centipawns.
const MATE: f32 = 32000.0;

/// The command in comments that has an evaluation.
const EVAL: &str = "[%eval ";

/// The unit of evaluations that are whole numbers. Those with a decimal point are pawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalUnit {
    /// Pawns.
    Pawns,
    /// Hundredths of a pawn, as ChessBase writes them.
    Centipawns,
}

impl EvalUnit {
    /// All units.
    pub const ALL: [EvalUnit; 2] = [EvalUnit::Pawns, EvalUnit::Centipawns];

    /// The name of the unit in arguments.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EvalUnit::Pawns => "pawns",
            EvalUnit::Centipawns => "centipawns",
        }
    }

    fn centipawns(self) -> f32 {
        match self {
            EvalUnit::Pawns => 100.0,
            EvalUnit::Centipawns => 1.0,
        }
    }
}

/// The known unit of a file's evaluations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Units {
    /// The user's choice.
    pub(crate) given: Option<EvalUnit>,
    /// The unit that the first of the `[%eval ...]` in the file tell.
    pub(crate) found: Option<EvalUnit>,
}

/// The unit that the `[%eval ...]` at the start of a file tell: pawns if one of them has a decimal
/// point, and otherwise hundredths; nothing if all are 0 or mates. With it comes the first that is
/// a whole number.
pub(crate) fn unit_of(start: &[u8]) -> Option<(EvalUnit, Option<String>)> {
    let text = String::from_utf8_lossy(start);
    let (mut has_point, mut whole) = (false, None);
    for (place, _) in text.match_indices(EVAL) {
        let behind = &text[place + EVAL.len()..];
        match written(eval(behind)) {
            Some(Written::Point(_)) => has_point = true,
            Some(Written::Whole(number)) if number != 0.0 && whole.is_none() => {
                let end = behind.find(']').map_or(behind.len(), |end| end + 1);
                whole = Some(format!("{EVAL}{}", &behind[..end]));
            }
            _ => {}
        }
    }
    if has_point {
        Some((EvalUnit::Pawns, whole))
    } else {
        whole.map(|first| (EvalUnit::Centipawns, Some(first)))
    }
}

/// The first comment at the start of a file that may have an evaluation, if none has a form that is
/// read.
pub(crate) fn unknown_comment(start: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(start);
    let units = Units {
        given: Some(EvalUnit::Pawns),
        found: None,
    };
    let mut unknown = None;
    for comment in text.split('{').skip(1) {
        let comment = comment.split('}').next().unwrap_or_default().trim();
        match of_comment(comment, units) {
            Ok(None) if unknown.is_none() && has_hundredths(comment) => unknown = Some(comment),
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => return None,
        }
    }
    unknown.map(String::from)
}

/// Whether a comment without a command has a number with two digits behind its point, as evaluations
/// have.
fn has_hundredths(comment: &str) -> bool {
    let is_between = |letter: char| letter.is_whitespace() || ",;:=()/".contains(letter);
    let mut words = comment.split(is_between);
    let is_number = |word: &str| {
        let is_point = matches!(written(word), Some(Written::Point(_)));
        is_point && word.len() >= 3 && word.as_bytes()[word.len() - 3] == b'.'
    };
    !comment.starts_with("[%") && words.any(is_number)
}

/// The evaluation of a comment.
#[derive(Debug, PartialEq)]
pub(super) enum Evaluation {
    /// The centipawns for white, of the position after the move before.
    After(f32),
    /// The centipawns for the player that made the move before, of the position before it.
    Before(f32),
}

/// Finds the evaluation of a comment.
///
/// # Errors
///
/// The evaluation in a comment. The error is a message about an evaluation of an unknown form or
/// unit.
pub(super) fn of_comment(text: &str, units: Units) -> Result<Option<Evaluation>, String> {
    if let Some((_, behind)) = text.split_once(EVAL) {
        let eval = eval(behind);
        let written = written(eval).ok_or_else(|| {
            format!(
                "found the evaluation `{}`, expected pawns such as 0.35 or a mate such as #-3",
                foreign(eval)
            )
        })?;
        if let (Written::Point(_), None, Some(EvalUnit::Centipawns)) =
            (&written, units.given, units.found)
        {
            return Err(format!(
                "found the evaluation `{}` with a decimal point, and whole numbers before it: `--eval-unit` says what those count",
                foreign(eval)
            ));
        }
        let unit = units.given.or(units.found);
        return Ok(Some(Evaluation::After(written.centipawns(eval, unit)?)));
    }
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else {
        return Ok(None);
    };
    // The depth tells a score from other numbers: `+0.35/12 1.2s` as cutechess and fastchess write
    // it, `+0.35 12/18 583 363004` as OpenBench writes it, with two depths.
    let (eval, depth) = match (first.split_once('/'), words.next()) {
        (Some(parts), _) => parts,
        (None, Some(depths)) if depths.contains('/') => (first.trim_end_matches(','), depths),
        _ => return Ok(None),
    };
    // Behind the score a comma ends the depth, and in it is the decimal point of some countries.
    let eval = &*eval.replacen(',', ".", 1);
    let depth = depth.split(',').next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !depth.split('/').all(is_number) {
        return Ok(None);
    }
    Ok(match written(eval) {
        None => None,
        // `1/2` and `12/05/2020` are no scores.
        Some(Written::Whole(_)) if !eval.starts_with(['+', '-']) => None,
        Some(written) => Some(Evaluation::Before(written.centipawns(eval, units.given)?)),
    })
}

/// The text of an evaluation, without the depth that may follow.
fn eval(behind: &str) -> &str {
    behind.split([']', ',']).next().unwrap_or_default().trim()
}

/// An evaluation as it is written.
enum Written {
    /// Pawns, with a decimal point.
    Point(f32),
    /// A number without a decimal point.
    Whole(f32),
    /// The centipawns of a mate.
    Mate(f32),
}

impl Written {
    fn centipawns(self, text: &str, unit: Option<EvalUnit>) -> Result<f32, String> {
        match (self, unit) {
            (Written::Mate(centipawns), _) => Ok(centipawns),
            (Written::Point(pawns), _) => Ok((100.0 * pawns).round()),
            (Written::Whole(number), Some(unit)) => Ok(unit.centipawns() * number),
            (Written::Whole(0.0), None) => Ok(0.0),
            (Written::Whole(_), None) => Err(format!(
                "found the evaluation `{}` without a decimal point: `--eval-unit` says whether it counts pawns or centipawns",
                foreign(text)
            )),
        }
    }
}

/// Reads `0.35`, `-12`, or a mate such as `M5`, `-M5`, `#5` and `#-5`.
fn written(text: &str) -> Option<Written> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((sign, moves)) = text.split_once(['M', '#']) {
        let unsigned = moves.strip_prefix(['-', '+']).unwrap_or(moves);
        if !matches!(sign, "" | "+" | "-") || !digits(unsigned) {
            return None;
        }
        let score = MATE - f32::from(unsigned.parse::<u16>().ok()?);
        let is_lost = sign == "-" || moves.starts_with('-');
        return Some(Written::Mate(if is_lost { -score } else { score }));
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (pawns, hundredths) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    if !digits(pawns) || !digits(hundredths) {
        return None;
    }
    let number: f32 = text
        .parse()
        .ok()
        .filter(|number: &f32| number.is_finite())?;
    Some(if unsigned.contains('.') {
        Written::Point(number)
    } else {
        Written::Whole(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Units = Units {
        given: None,
        found: None,
    };

    fn given(unit: EvalUnit) -> Units {
        Units {
            given: Some(unit),
            found: None,
        }
    }

    #[test]
    fn forms_of_comments() {
        use Evaluation::{After, Before};

        for (text, evaluation) in [
            ("+0.35/12 1.2s", Some(Before(35.0))),
            ("-0.20/11, 0.9s, n=1234", Some(Before(-20.0))),
            ("+M5/20 1s", Some(Before(31995.0))),
            ("0.00/12/24", Some(Before(0.0))),
            ("+0,35/12 1,2s", Some(Before(35.0))),
            ("-1,20/12, 0.9s", Some(Before(-120.0))),
            ("+0.35/12,1.2s", Some(Before(35.0))),
            // OpenBench.
            ("+0.57 17/28 583 363004", Some(Before(57.0))),
            ("-M11 20/30 90 180", Some(Before(-31989.0))),
            ("[%eval 0.17] [%clk 0:10:00]", Some(After(17.0))),
            ("[%eval 0.17,21]", Some(After(17.0))),
            ("[%eval #-3]", Some(After(-31997.0))),
            ("[%eval -M1]", Some(After(-31999.0))),
            ("[%eval 0]", Some(After(0.0))),
            ("book", None),
            ("", None),
            ("1/2-1/2 by agreement", None),
            ("12/05/2020", None),
            ("12 17/28", None),
            ("0.35 pawns", None),
            ("+0.35/x", None),
        ] {
            assert_eq!(of_comment(text, NOTHING), Ok(evaluation), "{text}");
        }
    }

    /// The unit of whole numbers is told, or asked for.
    #[test]
    fn whole_numbers_have_the_unit_that_is_known() {
        for text in ["[%eval 25,18]", "+25/18"] {
            let asked = of_comment(text, NOTHING).unwrap_err();
            assert!(asked.contains("`--eval-unit` says"), "{asked}");
            for (unit, centipawns) in [(EvalUnit::Pawns, 2500.0), (EvalUnit::Centipawns, 25.0)] {
                let found = of_comment(text, given(unit)).unwrap().unwrap();
                let (Evaluation::After(score) | Evaluation::Before(score)) = found;
                assert_eq!(score, centipawns, "{text}");
            }
        }
        // A decimal point says pawns, whatever whole numbers are.
        let found = of_comment("+0.35/9", given(EvalUnit::Centipawns));
        assert_eq!(found, Ok(Some(Evaluation::Before(35.0))));
    }

    #[test]
    fn a_file_may_say_its_unit() {
        let unit = |text: &str| unit_of(text.as_bytes());
        let first = Some("[%eval 25,18]".to_string());
        let centipawns = Some((EvalUnit::Centipawns, first));
        assert_eq!(unit("1. d4 {[%eval 25,18]} d5 {[%eval 30,20]}"), centipawns);
        assert_eq!(unit("{[%eval 0]} {[%eval #3]}"), None);
        assert_eq!(unit("{[%eval 0.2]}"), Some((EvalUnit::Pawns, None)));
        for both in ["{[%eval 1]} {[%eval 0.2]}", "{[%eval 0.2]} {[%eval 1]}"] {
            let first = Some("[%eval 1]".to_string());
            assert_eq!(unit(both), Some((EvalUnit::Pawns, first)));
        }
        let found = Units {
            given: None,
            found: Some(EvalUnit::Centipawns),
        };
        assert_eq!(
            of_comment("[%eval -12]", found),
            Ok(Some(Evaluation::After(-12.0)))
        );
        assert!(
            of_comment("[%eval 0.35]", found)
                .unwrap_err()
                .contains("whole numbers before")
        );
    }

    #[test]
    fn comments_that_may_have_evaluations_are_found() {
        let unknown = |text: &str| unknown_comment(text.as_bytes());
        let tcec = "d=28, mt=1250, wv=0.35, pv=e4 e5";
        assert_eq!(
            unknown(&format!("1. e4 {{book}} {{{tcec}}}")),
            Some(tcec.into())
        );
        assert_eq!(unknown("{(e7e5) +0.30 12}"), Some("(e7e5) +0.30 12".into()));
        for text in [
            "{+0.35/12 1.25}",
            "{wv=0.35} {+0.35/12}",
            "{[%emt 0.05]}",
            "{0.052s} {book} {1. e4 is best}",
            "",
        ] {
            assert_eq!(unknown(text), None, "{text}");
        }
    }

    #[test]
    fn evaluations_that_nobody_understands_are_named() {
        for text in [
            "x",
            "",
            "inf",
            "1e5",
            "M",
            "#x",
            "0.3.5",
            "+-1",
            "9".repeat(99).as_str(),
        ] {
            let wrong = of_comment(&format!("[%eval {text}]"), NOTHING).unwrap_err();
            assert!(
                wrong.starts_with(&format!("found the evaluation `{text}`")),
                "{wrong}"
            );
        }
    }
}
