//! Makes a [`Network`] of a [`Spec`]: checks shapes, the integers that stand for 1.0, ranges and
//! references. All mistakes are reported in one go, and no later stage can fail. What depends on a
//! mistake is not checked, because a further error would only repeat the cause.

pub(crate) mod alignment;
mod features;
mod file;
pub(crate) mod fixed_point;
mod layers;
mod output;
mod perspectives;
mod psqt;
pub(crate) mod reader;
mod transformer;
mod unread;
pub(crate) mod value;

pub(crate) use output::EVALUATION;

use std::ops::RangeInclusive;

use crate::diagnostics::{Diagnostics, Spanned, all};
use crate::network::{Network, Stacks};
use crate::spec::{self, Select, Spec, formula};
use value::{check_buckets, check_length, in_range, in_range_or, in_wide_range, value_or};

/// Checks a spec, or reports everything that is wrong with it and returns `None`.
pub fn check(spec: &Spec, diagnostics: &mut Diagnostics) -> Option<Network> {
    let name = check_name(&spec.name, diagnostics);
    let features = features::check(spec, diagnostics);
    let stacks = check_stacks(spec.stacks.as_ref(), diagnostics);
    let transformer = transformer::check(spec, diagnostics);
    let layers = layers::check(spec, transformer.as_ref(), diagnostics);
    let output = output::check(spec, &layers, diagnostics);
    let layers = all(layers.into_iter());
    if let (Some(transformer), Some(layers), Some(output)) = (&transformer, &layers, &output) {
        unread::check(spec, transformer, layers, output, diagnostics);
    }
    let parts = file::Parts {
        features: features.as_deref(),
        transformer: transformer.as_ref(),
        stacks: stacks.as_ref(),
        layers: layers.as_deref(),
        output: output.as_ref(),
    };
    let file = file::check(&spec.file, parts, diagnostics);
    Some(Network {
        name: name?,
        features: features?,
        transformer: transformer?,
        stacks: stacks?,
        layers: layers?,
        output: output?,
        file: file?,
    })
}

fn check_name(name: &Spanned<String>, diagnostics: &mut Diagnostics) -> Option<String> {
    if name.value.trim().is_empty() {
        let message = "`name` is empty, expected what the network is called";
        diagnostics.error(name.span, message);
        return None;
    }
    check_length(name, diagnostics)?;
    Some(name.value.clone())
}

/// The integers that can stand for 1.0 in sums.
pub(crate) const ONES: RangeInclusive<i64> = 1..=i32::MAX as i64;

/// The numbers of stacks that a network can have.
const STACKS: RangeInclusive<i64> = 1..=65536;

/// The largest number of stacks where the number of pieces selects the stack: there are 32 such
/// numbers, and a bucket in their table is a byte. PSQT values of each stack are part of every
/// accumulator, so the same limit holds for them.
const MOST_SELECTED: i64 = 256;

fn check_stacks(stacks: Option<&spec::Stacks>, diagnostics: &mut Diagnostics) -> Option<Stacks> {
    let Some(stacks) = stacks else {
        return Some(Stacks {
            count: 1,
            by_pieces: Some([0; 33]),
        });
    };
    let count = check_stack_count(stacks, diagnostics);
    let by_pieces = match &stacks.select {
        Select::Only => Some([0; 33]),
        Select::Caller => None,
        Select::Pieces(text) => Some(check_formula(text, count, diagnostics)?),
        Select::Table(entries) => Some(check_table(entries, count, diagnostics)?),
    };
    let count = count?;
    Some(Stacks { count, by_pieces })
}

fn check_stack_count(stacks: &spec::Stacks, diagnostics: &mut Diagnostics) -> Option<usize> {
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
                .help("`n` is the number of pieces: write `(n - 1) / 4`");
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
