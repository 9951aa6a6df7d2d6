//! Checks the output: the terms of each sum, the integers that stand for 1.0 in them, and the way
//! to the engine's units.

use crate::diagnostics::{Diagnostics, Spanned, all};
use crate::network::{
    Align, Element, FurtherHead, Head, Layer, One, Output, PSQT, Ratio, Rounding, TRANSFORMER,
    Term, UNPOOLED, Units,
};
use crate::spec::{self, DivideOf, PsqtKey, Reference, Spec};

use super::alignment::Method;
use super::layers::{check_count, is_good_name, layer_named, resolve_range};
use super::squares;
use super::value::{ONES, check_length, check_scale, in_range, in_range_or, place, value_or};

/// Keywords of Rust, which cannot be names of fields.
const RUST: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The largest number of further heads: each of them is a field, and has code of its own.
const MAX_HEADS: usize = 64;

/// The name of the field with the evaluation in a network's outputs, where there are further heads.
pub(crate) const EVALUATION: &str = "evaluation";

/// Checks the output, or reports everything that is wrong with it and returns `None`.
pub(super) fn check(
    spec: &Spec,
    layers: &[Option<Layer>],
    diagnostics: &mut Diagnostics,
) -> Option<Output> {
    let output = HeadSums {
        spec,
        layers,
        references: &spec.output.heads,
        scaling: &spec.output.scaling,
        title: "`[output]`",
        psqt: match &spec.transformer.psqt {
            Some(PsqtKey::OfOutput(psqt)) => Some(psqt),
            Some(PsqtKey::OfLayers { .. }) | None => None,
        },
    };
    let output = output.check(diagnostics);
    if let Some(excess) = spec.heads.get(MAX_HEADS) {
        let found = spec.heads.len();
        let message = format!("there are {found} heads, allowed are at most {MAX_HEADS}");
        diagnostics.error(excess.span, message);
        return None;
    }
    check_names(&spec.heads, diagnostics);
    let further = all(spec.heads.iter().map(|head| {
        let sums = HeadSums {
            spec,
            layers,
            references: std::slice::from_ref(&head.sum),
            scaling: &head.scaling,
            title: "`[[head]]`",
            psqt: None,
        };
        let CheckedSums { heads, one, units } = sums.check(diagnostics)?;
        Some(FurtherHead {
            name: head.name.value.clone(),
            head: heads.into_iter().next()?,
            one,
            units,
        })
    }));
    let CheckedSums { heads, one, units } = output?;
    Some(Output {
        heads,
        one,
        units,
        further: further?,
    })
}

/// Reports names that no field can have, and names that are used twice.
fn check_names(heads: &[spec::Head], diagnostics: &mut Diagnostics) {
    for (index, head) in heads.iter().enumerate() {
        let name = &head.name;
        check_length(name, diagnostics);
        let problem = match name.value.as_str() {
            EVALUATION => Some("the evaluation itself has this name"),
            known if RUST.contains(&known) => Some("it is a word of Rust"),
            good if is_good_name(good) => None,
            _ => {
                Some("expected lowercase letters and digits, a letter first, joined by single `_`")
            }
        };
        if let Some(problem) = problem {
            let message = format!("`{}` cannot be the name of a head", name.value);
            diagnostics.error(name.span, message).label(problem);
        }
        let mut above = heads[..index].iter();
        if let Some(first) = above.find(|first| first.name.value == name.value) {
            diagnostics
                .error(name.span, format!("two heads are called `{}`", name.value))
                .related(first.name.span, "the first");
        }
    }
}

/// Sums of layers' outputs in the spec, and the keys that lead from them to the engine's units.
struct HeadSums<'a> {
    spec: &'a Spec,
    layers: &'a [Option<Layer>],
    references: &'a [Spanned<Vec<Spanned<Reference>>>],
    scaling: &'a spec::Scaling,
    /// The title of the table that has these keys.
    title: &'static str,
    /// The number of PSQT values that are added to the sums, if there are any.
    psqt: Option<&'a Spanned<i64>>,
}

/// The result of checking [`HeadSums`].
struct CheckedSums {
    heads: Vec<Head>,
    one: u32,
    units: Units,
}

impl HeadSums<'_> {
    fn check(&self, diagnostics: &mut Diagnostics) -> Option<CheckedSums> {
        let heads = self.references.iter();
        let heads = all(heads.map(|head| summands(head, self.spec, self.layers, diagnostics)));
        let Some(heads) = heads else {
            // The terms decide which keys are allowed. For integers, the keys have these ranges.
            let one = self.scaling.alignment.one.as_ref();
            one.map(|one| in_range("one", one, ONES, diagnostics));
            let multiply = self.scaling.multiply.as_ref();
            multiply.map(|multiply| in_range("multiply", multiply, ONES, diagnostics));
            let divide = self.scaling.divide.as_ref();
            divide.map(|divide| in_range("divide", &divide.by, ONES, diagnostics));
            return None;
        };
        let is_float = |summand: &Summand| summand.element == Element::F32;
        let summands: Vec<&Summand> = heads.iter().flatten().collect();
        if summands.iter().all(|summand| is_float(summand)) {
            return self.float(&heads, diagnostics);
        }
        if let Some(float) = summands.iter().find(|summand| is_float(summand)) {
            let message = format!(
                "`{}` is `f32`, but other terms are integers",
                float.reference.value.name
            );
            diagnostics
                .error(float.reference.span, message)
                .help("a layer with `op = \"float\"` makes `f32` of integers");
            return None;
        }
        self.integer(&heads, diagnostics)
    }

    fn float(
        &self,
        heads: &[Vec<Summand<'_>>],
        diagnostics: &mut Diagnostics,
    ) -> Option<CheckedSums> {
        let scaling = self.scaling;
        let multiply = place("multiply", &scaling.multiply);
        let divide = scaling.divide.as_ref().map(|key| ("divide", key.by.span));
        let rounding = place("rounding", &scaling.rounding);
        let units = multiply.into_iter().chain(divide).chain(rounding);
        let mut fits = true;
        for (key, span) in scaling.alignment.keys().chain(units) {
            let message = format!("`{key}` is only for integers, but the output is `f32`");
            diagnostics
                .error(span, message)
                .help("`scale` says what 1.0 is in the engine's units");
            fits = false;
        }
        if let Some(psqt) = self.psqt
            && psqt.value != 0
        {
            diagnostics
                .error(psqt.span, "`psqt` is not allowed with an output of `f32`")
                .help("PSQT values are integers in the output's units: end with integer layers, or let a layer with `op = \"float\"` read them: `psqt = { values = 1, one = ... }`");
            fits = false;
        }
        let factor = match &scaling.scale {
            Some(scale) => check_scale(scale, diagnostics)?,
            None => 1.0,
        };
        let head = |summands: &Vec<Summand<'_>>| Head {
            terms: summands
                .iter()
                .map(|summand| summand.term(Align::None))
                .collect(),
            align: Align::None,
        };
        fits.then(|| CheckedSums {
            heads: heads.iter().map(head).collect(),
            one: 1,
            units: Units::Float { factor },
        })
    }

    fn integer(
        &self,
        heads: &[Vec<Summand<'_>>],
        diagnostics: &mut Diagnostics,
    ) -> Option<CheckedSums> {
        let span = self.references.first()?.span;
        let alignment = &self.scaling.alignment;
        let of_term = heads.iter().flatten().next().map(|summand| summand.one);
        let method = Method::check(alignment, None, of_term, (span, self.title), diagnostics);
        let units = units(self.scaling, diagnostics);
        let method = method?;
        let mut summands = heads.iter().flatten();
        let wide = summands.find(|summand| summand.element == Element::I64);
        if let Some(wide) = wide {
            self.check_wide(wide, diagnostics)?;
        }
        let heads = all(heads
            .iter()
            .zip(self.references)
            .map(|(summands, references)| {
                if !method.is_aligned() {
                    self.check_ones(summands, &method, diagnostics)?;
                }
                let head = aligned(summands, &method, diagnostics)?;
                match wide {
                    Some(_) => check_not_aligned(summands, &head, &method, diagnostics)?,
                    None => check_reach(references, &head, diagnostics)?,
                }
                Some(head)
            }));
        let ratio = units?(method.one);
        Some(CheckedSums {
            heads: heads?,
            one: method.one,
            units: match wide {
                Some(_) => Units::Wide(ratio),
                None => Units::Integer(ratio),
            },
        })
    }

    /// Reports terms that no alignment brings to the right size: a `divide` is missing or left over
    /// in their layer, or all of them have the same `one`, which then is that of the sum.
    fn check_ones(
        &self,
        summands: &[Summand<'_>],
        method: &Method,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let first = summands.first()?;
        let all_same = summands.iter().all(|summand| summand.one == first.one);
        for summand in summands {
            if summand.one == method.one {
                continue;
            }
            let name = summand.reference.value.name.as_str();
            let layer = &self.spec.layers[summand.layer];
            let checked = self.layers[summand.layer].as_ref()?;
            let of_divide = squares::advice(layer, checked, summand.one, method.one);
            let help = match of_divide {
                Some(advice) => advice,
                None if all_same => format!(
                    "nothing has to be aligned here: write `one = {}`, or correct that of `{name}`",
                    summand.one
                ),
                None => continue,
            };
            let term = (summand.reference.span, name);
            method
                .report_different(&[summand.one], term, diagnostics)
                .help(help);
            return None;
        }
        Some(())
    }

    /// Reports values of 32 bits that would be added to a sum of 64 bits.
    fn check_wide(&self, wide: &Summand<'_>, diagnostics: &mut Diagnostics) -> Option<()> {
        let name = &wide.reference.value.name;
        if let Some(psqt) = self.psqt
            && psqt.value != 0
        {
            let message = format!("`psqt` is not allowed with the sums of 64 bits of `{name}`");
            diagnostics
                .error(psqt.span, message)
                .related(wide.reference.span, "sums of 64 bits")
                .help("PSQT values are added in 32 bits: end with `sums = \"i32\"`, or remove it");
            return None;
        }
        Some(())
    }
}

/// A term that is not yet aligned.
struct Summand<'a> {
    reference: &'a Spanned<Reference>,
    layer: usize,
    index: usize,
    one: u32,
    element: Element,
}

impl Summand<'_> {
    fn term(&self, align: Align) -> Term {
        Term {
            layer: self.layer,
            index: self.index,
            negative: self.reference.value.negative,
            align,
        }
    }
}

/// Reports sums of 64 bits that would be aligned, which might leave 64 bits.
fn check_not_aligned(
    summands: &[Summand<'_>],
    head: &Head,
    method: &Method,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let aligns = head.terms.iter().map(|term| &term.align);
    let mut aligned = summands.iter().zip(aligns);
    let aligned = aligned.find(|(_, align)| {
        [*align, &head.align]
            .into_iter()
            .any(|align| *align != Align::None)
    });
    let Some((summand, _)) = aligned else {
        return Some(());
    };
    let name = &summand.reference.value.name;
    let message = format!(
        "1.0 is {} in `{name}`, expected {}: beside sums of 64 bits, no term is aligned",
        summand.one, method.one
    );
    diagnostics.error(summand.reference.span, message);
    None
}

fn aligned(
    summands: &[Summand<'_>],
    method: &Method,
    diagnostics: &mut Diagnostics,
) -> Option<Head> {
    let align = |summand: &Summand<'_>, diagnostics: &mut Diagnostics| {
        let reference = (
            summand.reference.span,
            summand.reference.value.name.as_str(),
        );
        method.align(&One::Tensor(summand.one), reference, diagnostics)
    };
    let same = summands
        .iter()
        .all(|summand| summand.one == summands[0].one);
    if same {
        // Terms that are aligned alike are added first, so that there is a single rounding
        // division.
        return Some(Head {
            terms: summands
                .iter()
                .map(|summand| summand.term(Align::None))
                .collect(),
            align: align(&summands[0], diagnostics)?,
        });
    }
    let terms = summands.iter().map(|summand| {
        let align = align(summand, diagnostics)?;
        Some(summand.term(align))
    });
    Some(Head {
        terms: all(terms)?,
        align: Align::None,
    })
}

/// How a sum becomes a value in the engine's units, as a function of the sum's `one`, which is not
/// known yet.
fn units(
    scaling: &spec::Scaling,
    diagnostics: &mut Diagnostics,
) -> Option<impl Fn(u32) -> Ratio + use<>> {
    let divide = scaling
        .divide
        .as_ref()
        .map(|divide| ("divide", divide.by.span));
    let fraction = divide.or(place("multiply", &scaling.multiply));
    if let (Some((key, span)), Some(scale)) = (fraction, &scaling.scale) {
        let message = format!("`{key}` and `scale` say the same in two ways");
        diagnostics
            .error(scale.span, message)
            .related(span, "here too")
            .help(
                "`scale` is what 1.0 is in the engine's units: the sum's one times `multiply`, divided by `divide`",
            );
        return None;
    }
    if let Some(rounding) = &scaling.rounding
        && scaling.divide.is_none()
        && scaling.scale.is_none()
    {
        diagnostics
            .error(rounding.span, "`rounding` needs `divide` or `scale`")
            .help("remove it, or say what the sum is divided by");
        return None;
    }
    let rounding = value_or(&scaling.rounding, Rounding::Truncate);
    let multiply = scaling.multiply.as_ref();
    let multiply = in_range_or("multiply", multiply, ONES, 1, diagnostics);
    let by = scaling.divide.as_ref().map(|divide| &divide.by);
    let by = i64::from(in_range_or("divide", by, ONES, 1, diagnostics)?);
    let multiply = i64::from(multiply?);
    let scale = match &scaling.scale {
        None => None,
        Some(scale) if scale.value.fract() == 0.0 && ONES.contains(&(scale.value as i64)) => {
            Some(scale.value as i64)
        }
        Some(scale) => {
            let message = format!(
                "`scale` is {}, allowed are whole numbers from 1 to 2147483647",
                scale.value
            );
            diagnostics.error(scale.span, message);
            return None;
        }
    };
    let each = matches!(&scaling.divide, Some(divide) if divide.of == DivideOf::Each);
    Some(move |one: u32| {
        let (numerator, denominator) =
            scale.map_or((multiply, by), |scale| (scale, i64::from(one)));
        Ratio {
            numerator,
            denominator,
            rounding,
            each,
        }
    })
}

fn summands<'a>(
    head: &'a Spanned<Vec<Spanned<Reference>>>,
    spec: &Spec,
    layers: &[Option<Layer>],
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Summand<'a>>> {
    check_count(head, diagnostics)?;
    all(head
        .value
        .iter()
        .map(|reference| summand(reference, spec, layers, diagnostics)))
}

fn summand<'a>(
    reference: &'a Spanned<Reference>,
    spec: &Spec,
    layers: &[Option<Layer>],
    diagnostics: &mut Diagnostics,
) -> Option<Summand<'a>> {
    let name = &reference.value.name;
    let Some(layer) = layer_named(spec, name) else {
        let message = if [TRANSFORMER, UNPOOLED, PSQT].contains(&name.as_str()) {
            format!("`{name}` cannot be a term of the sum")
        } else {
            format!("there is no layer `{name}`")
        };
        let known = spec.layers.iter().map(|layer| layer.name.value.as_str());
        diagnostics.unknown(reference.span, message, name, known);
        return None;
    };
    let tensor = &layers[layer].as_ref()?.output;
    let (index, len) = resolve_range(reference, tensor, diagnostics)?;
    if len != 1 {
        let message = format!("`{name}` is a term of {len} values, expected one");
        let one_of_them = format!("name one of them: `{name}[{index}]`");
        let is_last = layer + 1 == spec.layers.len() && len == tensor.len;
        let help = if is_last && spec.stacks.is_none() {
            format!(
                "if each position has one of {len} output buckets, these are stacks: write `outputs = 1`, and `count = {len}` under `[stacks]`; else {one_of_them}"
            )
        } else {
            one_of_them
        };
        diagnostics.error(reference.span, message).help(help);
        return None;
    }
    Some(Summand {
        reference,
        layer,
        index,
        one: tensor.one.at(index),
        element: tensor.element,
    })
}

/// Reports a sum that 64 bits may not hold, if the terms have extreme values of 32 bits.
fn check_reach(
    references: &Spanned<Vec<Spanned<Reference>>>,
    head: &Head,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let factor = |align: &Align| match align {
        Align::None => 1,
        Align::Exact(factors) => factors
            .iter()
            .map(|(numerator, _)| i128::from(*numerator))
            .max()
            .unwrap_or(1),
        Align::Shift { multipliers, .. } => multipliers
            .iter()
            .copied()
            .map(i128::from)
            .max()
            .unwrap_or(1),
    };
    let sum: i128 = head.terms.iter().map(|term| factor(&term.align)).sum();
    let reach = -i128::from(i32::MIN) * sum * factor(&head.align);
    if reach > i128::from(i64::MAX) {
        let message =
            format!("the sum of these terms reaches {reach}, which does not fit in 64 bits");
        diagnostics.error(references.span, message);
        return None;
    }
    Some(())
}
