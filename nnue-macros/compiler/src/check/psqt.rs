//! Checks how many PSQT values each feature has, and where their sums go.

use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::{Element, One, Tensor};
use crate::spec::{PsqtKey, Spec};

use super::stacks::{MOST_SELECTED, STACKS};
use super::value::{ONES, in_range};

/// The number of PSQT values of each feature, and the tensor of their sums if layers read it.
pub(super) fn check(spec: &Spec, diagnostics: &mut Diagnostics) -> Option<(usize, Option<Tensor>)> {
    match &spec.transformer.psqt {
        None => Some((0, None)),
        Some(PsqtKey::OfOutput(psqt)) => {
            of_output(spec, psqt, diagnostics).map(|psqt| (psqt, None))
        }
        Some(PsqtKey::OfLayers { values, one }) => {
            let values = in_range("values", values, 1..=MOST_SELECTED, diagnostics);
            let one = in_range("one", one, ONES, diagnostics)?;
            let len = values? as usize;
            let sums = Tensor {
                len,
                element: Element::I32,
                one: One::Tensor(one),
                range: (i64::from(i32::MIN), i64::from(i32::MAX)),
            };
            Some((len, Some(sums)))
        }
    }
}

fn of_output(spec: &Spec, psqt: &Spanned<i64>, diagnostics: &mut Diagnostics) -> Option<usize> {
    let count = spec.stacks.as_ref().map(|stacks| &stacks.count);
    let stacks = count.map_or(1, |count| count.value);
    if !STACKS.contains(&stacks) {
        // The number of stacks is wrong, which was reported: `psqt` cannot be compared with it.
        return None;
    }
    let for_each = stacks <= MOST_SELECTED;
    let is_allowed = [0, 1].contains(&psqt.value) || for_each && psqt.value == stacks;
    if !is_allowed {
        let allowed = match stacks {
            2..=MOST_SELECTED => format!("0, 1 or {stacks}"),
            _ => "0 or 1".to_string(),
        };
        let more = if for_each { ", or one per stack" } else { "" };
        let message = format!("`psqt` is {}, allowed are {allowed}", psqt.value);
        let error = diagnostics
            .error(psqt.span, message)
            .label(format!("none, one for all stacks{more}"));
        match count {
            Some(count) => error.related(count.span, format!("the number of stacks is {stacks}")),
            None => error.help("without `[stacks]` there is one stack"),
        };
        return None;
    }
    usize::try_from(psqt.value).ok()
}
