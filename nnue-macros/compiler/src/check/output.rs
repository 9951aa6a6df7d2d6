//! The terms of the positional value, and their ones.

use crate::diagnostics::{Diagnostics, Spanned, list, nearest};
use crate::network::{DivideOf, Element, Layer, Output, Term};
use crate::spec::{self, Align, Reference};

use super::in_range;
use super::layers::resolve_range;

/// Checks the output, or reports everything that is wrong with it and returns `None`.
pub(super) fn check(
    output: &spec::Output,
    layers: &[Layer],
    diagnostics: &mut Diagnostics,
) -> Option<Output> {
    let one = in_range("one", &output.one, 1..=i64::from(i32::MAX), diagnostics);
    let (divide, divide_of) = match &output.divide {
        Some(divide) => (
            in_range("divide", &divide.by, 1..=i64::from(i32::MAX), diagnostics),
            divide.of,
        ),
        None => (Some(1), DivideOf::Sum),
    };
    let terms: Vec<_> = output
        .sum
        .value
        .iter()
        .map(|reference| term(reference, layers, diagnostics))
        .collect();
    let (one, divide, mut terms) = (
        one?,
        divide?,
        terms.into_iter().collect::<Option<Vec<_>>>()?,
    );

    let ones: Vec<u32> = terms
        .iter()
        .map(|term| layers[term.layer].output.one)
        .collect();
    let mut scale = (1, 1);
    if ones.iter().any(|term_one| *term_one != one) {
        if output.align.is_none() {
            report_different_ones(output, one, &ones, layers, &terms, diagnostics);
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
    Some(Output {
        terms,
        scale,
        one,
        divide: divide as i32,
        divide_of,
    })
}

fn term(
    reference: &Spanned<Reference>,
    layers: &[Layer],
    diagnostics: &mut Diagnostics,
) -> Option<Term> {
    let Reference { name, negative, .. } = &reference.value;
    let sums = layers
        .iter()
        .filter(|layer| layer.output.element == Element::I32);
    let Some(layer) = layers.iter().position(|layer| layer.name == *name) else {
        let known: Vec<&str> = sums.map(|layer| layer.name.as_str()).collect();
        let error = diagnostics
            .error(reference.span, format!("there is no layer `{name}`"))
            .label(format!("allowed: {}", list(&known)));
        if let Some(near) = nearest(name, known) {
            error.help(format!("did you mean `{near}`?"));
        }
        return None;
    };
    let tensor = &layers[layer].output;
    if tensor.element != Element::I32 {
        let known = sums.map(|layer| layer.name.as_str());
        diagnostics
            .error(
                reference.span,
                format!("`{name}` is an activation, expected sums of an affine layer"),
            )
            .label(format!("allowed: {}", list(known)));
        return None;
    }
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
    Some(Term {
        layer,
        index,
        negative: *negative,
        scale: (1, 1),
    })
}

fn report_different_ones(
    output: &spec::Output,
    one: u32,
    ones: &[u32],
    layers: &[Layer],
    terms: &[Term],
    diagnostics: &mut Diagnostics,
) {
    let different = ones
        .iter()
        .position(|term_one| *term_one != one)
        .unwrap_or(0);
    let (term_one, term) = (ones[different], &terms[different]);
    let (numerator, denominator) = reduced(one, term_one);
    let name = &layers[term.layer].name;
    diagnostics
        .error(
            output.sum.value[different].span,
            format!("summands of different ones: 1.0 is {term_one} in `{name}` and {one} in the sum"),
        )
        .label(format!("the factor between is {numerator}/{denominator}"))
        .related(output.one.span, format!("{one} stands for 1.0"))
        .help(format!(
            "`align = \"{}\"` multiplies by {numerator}/{denominator} in 64 bits and rounds towards zero",
            Align::Exact
        ));
}

/// `numerator / denominator` in lowest terms.
fn reduced(numerator: u32, denominator: u32) -> (i64, i64) {
    let (mut a, mut b) = (numerator, denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (i64::from(numerator / a), i64::from(denominator / a))
}
