//! The terms of the positional value, and their ones.

use crate::diagnostics::{Diagnostics, Spanned, list, nearest};
use crate::network::{DivideOf, Layer, Output, Term};
use crate::spec::{self, Align, Reference, Spec};

use super::in_range;
use super::layers::{TRANSFORMER, resolve_range};

/// Checks the output, or reports everything that is wrong with it and returns `None`.
pub(super) fn check(
    spec: &Spec,
    layers: &[Option<Layer>],
    diagnostics: &mut Diagnostics,
) -> Option<Output> {
    let output = &spec.output;
    let one = in_range("one", &output.one, 1..=i64::from(i32::MAX), diagnostics);
    let (divide, divide_of) = match &output.divide {
        Some(divide) => (
            in_range("divide", &divide.by, 1..=i64::from(i32::MAX), diagnostics),
            divide.of,
        ),
        None => (Some(1), DivideOf::Sum),
    };
    let summands: Vec<_> = output
        .sum
        .value
        .iter()
        .map(|reference| summand(reference, spec, layers, diagnostics))
        .collect();
    let summands = summands.into_iter().collect::<Option<Vec<_>>>()?;
    let (one, divide) = (one?, divide?);

    let (mut terms, ones): (Vec<Term>, Vec<u32>) = summands.into_iter().unzip();
    let mut scale = (1, 1);
    if let Some(different) = ones.iter().position(|term_one| *term_one != one) {
        if output.align.is_none() {
            report_different_ones(
                spec,
                one,
                &output.sum.value[different],
                ones[different],
                diagnostics,
            );
            return None;
        }
        match ones.as_slice() {
            // Terms of one kind are added first, so that only one division rounds.
            [first, rest @ ..] if rest.iter().all(|other| other == first) => {
                scale = reduced(one, *first);
            }
            _ => {
                for (term, term_one) in terms.iter_mut().zip(&ones) {
                    term.scale = reduced(one, *term_one);
                }
            }
        }
    }
    check_reach(output, &terms, scale, diagnostics)?;
    Some(Output {
        terms,
        scale,
        one,
        divide: divide as i32,
        divide_of,
    })
}

/// A term that is not yet aligned, and its one.
fn summand(
    reference: &Spanned<Reference>,
    spec: &Spec,
    layers: &[Option<Layer>],
    diagnostics: &mut Diagnostics,
) -> Option<(Term, u32)> {
    let Reference { name, negative, .. } = &reference.value;
    let is_affine = |layer: &&spec::Layer| matches!(layer.op, spec::Op::Affine { .. });
    let found = spec
        .layers
        .iter()
        .position(|layer| layer.name.value == *name);
    let Some(layer) = found.filter(|layer| is_affine(&&spec.layers[*layer])) else {
        let message = if found.is_some() || name == TRANSFORMER {
            format!("`{name}` is an activation, expected sums of an affine layer")
        } else {
            format!("there is no layer `{name}`")
        };
        let affine = spec.layers.iter().filter(is_affine);
        let known: Vec<&str> = affine.map(|layer| layer.name.value.as_str()).collect();
        let error = diagnostics
            .error(reference.span, message)
            .label(format!("allowed: {}", list(&known)));
        if let Some(near) = nearest(name, known) {
            error.help(format!("did you mean `{near}`?"));
        }
        return None;
    };
    let tensor = &layers[layer].as_ref()?.output;
    let (index, len) = resolve_range(reference, tensor, diagnostics)?;
    if len != 1 {
        diagnostics
            .error(
                reference.span,
                format!("`{name}` is a term of {len} values, expected one"),
            )
            .help(format!("name one of them: `{name}[{index}]`"));
        return None;
    }
    let term = Term {
        layer,
        index,
        negative: *negative,
        scale: (1, 1),
    };
    Some((term, tensor.one))
}

fn report_different_ones(
    spec: &Spec,
    one: u32,
    reference: &Spanned<Reference>,
    term_one: u32,
    diagnostics: &mut Diagnostics,
) {
    let factor = match reduced(one, term_one) {
        (numerator, 1) => numerator.to_string(),
        (numerator, denominator) => format!("{numerator}/{denominator}"),
    };
    let name = &reference.value.name;
    diagnostics
        .error(
            reference.span,
            format!(
                "summands of different ones: 1.0 is {term_one} in `{name}` and {one} in the sum"
            ),
        )
        .label(format!("the factor between is {factor}"))
        .related(spec.output.one.span, format!("{one} stands for 1.0"))
        .help(format!(
            "`align = \"{}\"` multiplies by {factor} in 64 bits and rounds towards zero",
            Align::Exact
        ));
}

/// Whether 64 bits hold the sum, whatever 32-bit values the terms have.
fn check_reach(
    output: &spec::Output,
    terms: &[Term],
    scale: (i64, i64),
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let numerators: i128 = terms.iter().map(|term| i128::from(term.scale.0)).sum();
    let reach = -i128::from(i32::MIN) * numerators * i128::from(scale.0);
    if reach > i128::from(i64::MAX) {
        diagnostics.error(
            output.sum.span,
            format!("the sum of these terms reaches {reach}, which does not fit in 64 bits"),
        );
        return None;
    }
    Some(())
}

/// `numerator / denominator` in lowest terms.
fn reduced(numerator: u32, denominator: u32) -> (i64, i64) {
    let (mut a, mut b) = (numerator, denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (i64::from(numerator / a), i64::from(denominator / a))
}
