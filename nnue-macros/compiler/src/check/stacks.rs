//! Checks how many stacks there are, and how a position's stack is chosen.

use std::ops::RangeInclusive;

use super::value::{check_buckets, in_range};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::Stacks;
use crate::spec::{self, Select, formula};

/// The numbers of stacks that a network can have.
pub(crate) const STACKS: RangeInclusive<i64> = 1..=65536;

/// The largest number of stacks where the number of pieces selects the stack: there are 32 such
/// numbers, and a bucket in their table is a byte. PSQT values of each stack are part of every
/// accumulator, so the same limit holds for them.
pub(super) const MOST_SELECTED: i64 = 256;

pub(super) fn check(
    stacks: Option<&spec::Stacks>,
    diagnostics: &mut Diagnostics,
) -> Option<Stacks> {
    let Some(stacks) = stacks else {
        return Some(Stacks {
            count: 1,
            by_pieces: Some([0; 33]),
        });
    };
    let count = check_count(stacks, diagnostics);
    let by_pieces = match &stacks.select {
        Select::Only => Some([0; 33]),
        Select::Caller => None,
        Select::Pieces(text) => Some(check_formula(text, count, diagnostics)?),
        Select::Table(entries) => Some(check_table(entries, count, diagnostics)?),
    };
    let count = count?;
    Some(Stacks { count, by_pieces })
}

fn check_count(stacks: &spec::Stacks, diagnostics: &mut Diagnostics) -> Option<usize> {
    let count = in_range("count", &stacks.count, STACKS, diagnostics)? as usize;
    if stacks.select != Select::Caller && stacks.count.value > MOST_SELECTED {
        let message = format!("`count` is {count}, allowed are 1 to {MOST_SELECTED}");
        diagnostics
            .error(stacks.count.span, message)
            .label("the number of pieces selects one of them")
            .help("of more stacks only the engine can choose one: `select = { by = \"caller\" }`");
        return None;
    }
    Some(count)
}

fn check_formula(
    text: &Spanned<String>,
    count: Option<usize>,
    diagnostics: &mut Diagnostics,
) -> Option<[u8; 33]> {
    let formula = match formula::parse(&text.value) {
        Ok(formula) => formula,
        Err(problem) => {
            diagnostics
                .error(text.span, format!("the formula {problem}"))
                .help("`n` is the number of pieces, as in `(n - 1) / 4`");
            return None;
        }
    };
    let count = count?;
    let mut by_pieces = [0; 33];
    for (n, bucket) in by_pieces.iter_mut().enumerate() {
        // There is no position without pieces; the value of the formula for it does not matter.
        let value = formula
            .evaluate(n as i64)
            .or(if n == 0 { Some(0) } else { None });
        match value.and_then(|value| usize::try_from(value).ok()) {
            Some(value) if value < count => *bucket = value as u8,
            _ if n == 0 => *bucket = 0,
            _ => {
                let found = value.map_or("has no value".to_string(), |value| format!("is {value}"));
                let message = format!(
                    "the formula {found} for n = {n}, allowed are 0 to {}",
                    count - 1
                );
                diagnostics
                    .error(text.span, message)
                    .help("it must select a stack for every number of pieces from 1 to 32");
                return None;
            }
        }
    }
    Some(by_pieces)
}

fn check_table(
    entries: &Spanned<Vec<Spanned<i64>>>,
    count: Option<usize>,
    diagnostics: &mut Diagnostics,
) -> Option<[u8; 33]> {
    let found = entries.value.len();
    if found != 33 {
        let message = format!("`table` has {found} entries, expected 33");
        diagnostics
            .error(entries.span, message)
            .label("one for 0, 1, ... 32 pieces");
    }
    let largest = count? as i64 - 1;
    check_buckets("table", &entries.value, largest, diagnostics)?
        .try_into()
        .ok()
}
