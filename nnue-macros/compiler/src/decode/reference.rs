//! Decodes references to layers and to parts of them: `fc_0`, `fc_0[15]`, `fc_0[..15]`, `-fc_0[31]`.

use std::num::IntErrorKind;

use super::table::{Value, one_or_more, report_empty, string};
use crate::diagnostics::{Diagnostics, Spanned, list};
use crate::spec::Reference;

/// Decodes a single reference or an array of references.
pub(super) fn references(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<Reference>>>> {
    let references = one_or_more(key, value, reference, diagnostics)?;
    if references.value.is_empty() {
        report_empty(key, value, diagnostics);
        return None;
    }
    Some(references)
}

fn reference(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Reference>> {
    let Spanned { value: text, span } = string(key, value, diagnostics)?;
    match parse(&text) {
        Ok(value) => Some(Spanned { value, span }),
        Err(problem) => {
            let examples = list(["fc_0", "fc_0[15]", "fc_0[..15]"]);
            diagnostics
                .error(span, format!("`{text}` {problem}"))
                .help(format!(
                    "a layer's output or a part of it is written {examples}"
                ));
            None
        }
    }
}

/// Parses a reference; the error completes the sentence "`text` ...".
fn parse(text: &str) -> Result<Reference, &'static str> {
    let (negative, rest) = match text.trim().strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.trim()),
    };
    let (name, range) = match rest.split_once('[') {
        None => (rest, (None, None)),
        Some((name, range)) => {
            let range = range.strip_suffix(']').ok_or("lacks the closing `]`")?;
            (name.trim_end(), parse_range(range)?)
        }
    };
    if name.is_empty() {
        return Err("names no layer");
    }
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err("is not a layer's name");
    }
    Ok(Reference {
        name: name.to_string(),
        range,
        negative,
    })
}

fn parse_range(text: &str) -> Result<(Option<usize>, Option<usize>), &'static str> {
    const TOO_LARGE: &str = "has an index that is too large";
    let number = |text: &str| {
        text.trim()
            .parse::<usize>()
            .map_err(|error| match error.kind() {
                IntErrorKind::PosOverflow => TOO_LARGE,
                _ => "has an index that is not a whole number",
            })
    };
    let bound = |text: &str| match text.trim() {
        "" => Ok(None),
        text => number(text).map(Some),
    };
    match text.split_once("..") {
        Some((start, end)) => Ok((bound(start)?, bound(end)?)),
        None => {
            let index = number(text)?;
            let end = index.checked_add(1).ok_or(TOO_LARGE)?;
            Ok((Some(index), Some(end)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_say_layer_range_and_sign() {
        let reference = |name: &str, range, negative| {
            Ok(Reference {
                name: name.to_string(),
                range,
                negative,
            })
        };
        assert_eq!(parse("fc_0"), reference("fc_0", (None, None), false));
        assert_eq!(
            parse("fc_0[..15]"),
            reference("fc_0", (None, Some(15)), false)
        );
        assert_eq!(
            parse("fc_0[3 .. 8]"),
            reference("fc_0", (Some(3), Some(8)), false)
        );
        assert_eq!(
            parse("fc_0[8..]"),
            reference("fc_0", (Some(8), None), false)
        );
        assert_eq!(
            parse("- fc_0[31]"),
            reference("fc_0", (Some(31), Some(32)), true)
        );
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        for text in [
            "",
            "-",
            "fc_0[",
            "fc_0[a]",
            "fc_0[1..b]",
            "a b",
            "[3]",
            "fc_0[18446744073709551615]",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
