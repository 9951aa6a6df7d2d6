//! [`Spec`] to [`Network`]: shapes, ones, ranges, references. Everything that is wrong is reported;
//! after this stage nothing can fail. What depends on something wrong is not judged: the error would only repeat the
//! cause.

mod features;
mod formula;
mod layers;
mod output;

use std::ops::RangeInclusive;

use crate::diagnostics::{Diagnostics, Spanned};
use crate::file::File;
use crate::network::{Element, Network, Pooling, Stacks, Tensor, Transformer};
use crate::spec::{self, Select, Spec};

/// Checks a spec, or reports everything that is wrong with it and returns `None`.
pub fn check(spec: &Spec, diagnostics: &mut Diagnostics) -> Option<Network> {
    let name = check_name(&spec.name, diagnostics);
    let features = features::check(&spec.features, diagnostics);
    let stacks = check_stacks(spec.stacks.as_ref(), diagnostics);
    let transformer = check_transformer(spec, diagnostics);
    let layers = layers::check(spec, transformer.as_ref(), diagnostics);
    let output = output::check(spec, &layers, diagnostics);
    let layers = layers.into_iter().collect::<Option<Vec<_>>>();
    if let (Some(layers), Some(_)) = (&layers, &output) {
        layers::check_all_used(spec, layers, diagnostics);
    }
    let file = File::check(
        &spec.file,
        features.as_deref(),
        transformer.as_ref().map(|transformer| transformer.width),
        layers.as_deref(),
        diagnostics,
    );
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
        diagnostics.error(
            name.span,
            "`name` is empty, expected what the network is called",
        );
        return None;
    }
    Some(name.value.clone())
}

/// `value` as a number of the range; reports it otherwise.
fn in_range(
    key: &str,
    value: &Spanned<i64>,
    allowed: RangeInclusive<i64>,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    if allowed.contains(&value.value) {
        return u32::try_from(value.value).ok();
    }
    let (low, high) = (allowed.start(), allowed.end());
    diagnostics.error(
        value.span,
        format!("`{key}` is {}, allowed are {low} to {high}", value.value),
    );
    None
}

/// Widths up to this are compiled; none of the field's comes near.
const MAX_WIDTH: i64 = 16384;

/// What layers read must stay below 128, so that no instruction set's byte products can saturate.
const LARGEST_INPUT: u32 = 127;

fn check_transformer(spec: &Spec, diagnostics: &mut Diagnostics) -> Option<Transformer> {
    let transformer = &spec.transformer;
    let pooling = transformer
        .pooling
        .as_ref()
        .map_or(Pooling::None, |pooling| pooling.value);
    let largest_one = match pooling {
        Pooling::None => i64::from(LARGEST_INPUT),
        Pooling::Product => 255,
    };
    let one = in_range("one", &transformer.one, 1..=largest_one, diagnostics);
    let width = check_width(&transformer.width, pooling, diagnostics);
    let psqt = check_psqt(spec, diagnostics);
    let (one, width) = (one?, width?);

    let (shift, largest) = match pooling {
        Pooling::None => {
            if let Some(shift) = &transformer.shift {
                diagnostics
                    .error(shift.span, "`shift` belongs to `pooling = \"product\"`")
                    .help("remove it, or say which pooling is meant");
                return None;
            }
            (0, one)
        }
        Pooling::Product => {
            let shift = check_product_shift(transformer, one, diagnostics)?;
            (shift, (one * one) >> shift)
        }
    };
    let half = match pooling {
        Pooling::None => width,
        Pooling::Product => width / 2,
    };
    let output = Tensor {
        len: 2 * half,
        element: Element::U8,
        // A product of ones may lose one to the shift: 127 * 127 >> 7 is 126, and stands for 127.
        one: if (largest + 2).is_power_of_two() {
            largest + 1
        } else {
            largest
        },
        range: (0, i64::from(largest)),
    };
    Some(Transformer {
        width,
        one,
        psqt: psqt?,
        pooling,
        shift,
        output,
    })
}

/// The widest vector of bytes that a level packs at once: each perspective's outputs fill whole ones.
const OUTPUTS_PER_VECTOR: i64 = 64;

fn check_width(
    width: &Spanned<i64>,
    pooling: Pooling,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let unit = match pooling {
        Pooling::None => OUTPUTS_PER_VECTOR,
        Pooling::Product => 2 * OUTPUTS_PER_VECTOR,
    };
    let fitting = in_range("width", width, unit..=MAX_WIDTH, diagnostics)?;
    if width.value % unit != 0 {
        let below = width.value / unit * unit;
        let above = below + unit;
        diagnostics
            .error(width.span, format!("width {} is not a multiple of {unit}", width.value))
            .label(format!("{below} or {above} would fit"))
            .help(format!(
                "with pooling `{pooling}` each perspective's outputs must fill whole vectors of {OUTPUTS_PER_VECTOR} bytes"
            ));
        return None;
    }
    Some(fitting as usize)
}

fn check_psqt(spec: &Spec, diagnostics: &mut Diagnostics) -> Option<usize> {
    let Some(psqt) = &spec.transformer.psqt else {
        return Some(0);
    };
    let count = spec.stacks.as_ref().map(|stacks| &stacks.count);
    let stacks = count.map_or(1, |count| count.value);
    if !STACKS.contains(&stacks) {
        // That was reported, and says nothing of this.
        return None;
    }
    if ![0, 1, stacks].contains(&psqt.value) {
        let allowed = match stacks {
            1 => "0 or 1".to_string(),
            _ => format!("0, 1 or {stacks}"),
        };
        let error = diagnostics
            .error(
                psqt.span,
                format!("`psqt` is {}, allowed are {allowed}", psqt.value),
            )
            .label("none, one for all stacks, or one per stack");
        match count {
            Some(count) => error.related(count.span, format!("the number of stacks is {stacks}")),
            None => error.help("without `[stacks]` there is one stack"),
        };
        return None;
    }
    usize::try_from(psqt.value).ok()
}

fn check_product_shift(
    transformer: &spec::Transformer,
    one: u32,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let fitting = (0..16).find(|shift| (one * one) >> shift <= LARGEST_INPUT)?;
    let Some(shift) = &transformer.shift else {
        return Some(fitting);
    };
    let value = in_range("shift", shift, 0..=15, diagnostics)?;
    let largest = (one * one) >> value;
    if largest > LARGEST_INPUT || largest == 0 {
        diagnostics
            .error(
                shift.span,
                format!("shift {value} contradicts the one: {one} * {one} >> {value} is {largest}, allowed are 1 to {LARGEST_INPUT}"),
            )
            .label(format!("{fitting} fits"))
            .related(transformer.one.span, format!("{one} stands for 1.0"));
        return None;
    }
    Some(value)
}

/// How many stacks there may be: a bucket is a byte.
const STACKS: RangeInclusive<i64> = 1..=256;

fn check_stacks(stacks: Option<&spec::Stacks>, diagnostics: &mut Diagnostics) -> Option<Stacks> {
    let Some(stacks) = stacks else {
        return Some(Stacks {
            count: 1,
            by_pieces: Some([0; 33]),
        });
    };
    let count = in_range("count", &stacks.count, STACKS, diagnostics).map(|count| count as usize);
    let by_pieces = match &stacks.select {
        Select::Only => Some([0; 33]),
        Select::Caller => None,
        Select::Pieces(text) => Some(check_formula(text, count, diagnostics)?),
        Select::Table(entries) => Some(check_table(entries, count, diagnostics)?),
    };
    let count = count?;
    Some(Stacks { count, by_pieces })
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
        // There is no position without pieces; whatever the formula says of it does not matter.
        let value = formula
            .evaluate(n as i64)
            .or(if n == 0 { Some(0) } else { None });
        match value.and_then(|value| usize::try_from(value).ok()) {
            Some(value) if value < count => *bucket = value as u8,
            _ if n == 0 => *bucket = 0,
            _ => {
                let found = value.map_or("has no value".to_string(), |value| format!("is {value}"));
                diagnostics
                    .error(
                        text.span,
                        format!(
                            "the formula {found} for n = {n}, allowed are 0 to {}",
                            count - 1
                        ),
                    )
                    .help("it must select a stack for 1 to 32 pieces");
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
        diagnostics
            .error(
                entries.span,
                format!("`table` has {found} entries, expected 33"),
            )
            .label("one for 0, 1, ... 32 pieces");
    }
    let largest = count? as i64 - 1;
    let buckets: Vec<_> = entries
        .value
        .iter()
        .enumerate()
        .map(|(pieces, entry)| {
            let key = format!("table[{pieces}]");
            in_range(&key, entry, 0..=largest, diagnostics).map(|bucket| bucket as u8)
        })
        .collect();
    let buckets = buckets.into_iter().collect::<Option<Vec<u8>>>()?;
    buckets.try_into().ok()
}
