//! Checks activations: which values they can read, and which integer then stands for 1.0.

use nnue_format::Element;

use super::{
    CheckedParameters, DefaultLimit, DefaultOne, IntegerForm, Keys, ShiftedValue, USUAL_ONE,
};
use crate::check::fixed_point::{
    CLIPS_ONE, LARGEST_RESULT, Operand, Shift, ShiftedNumber, check_amount, check_clips_one,
    check_shift, least_limit, shifted,
};
use crate::check::reader::{Header, Input, Reader};
use crate::check::value::in_range;
use crate::diagnostics::{Diagnostics, Spanned, all};
use crate::network::UNPOOLED;
use crate::network::tensor::{One, Source, Tensor};
use crate::operation::pooling::{ProductRounding, rounding};
use crate::operation::{Activation, Elementwise, OpName};

impl Keys {
    pub(in crate::operation) fn check(
        &self,
        reader: &Reader<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Elementwise, Tensor)> {
        let input = reader.only_input(diagnostics)?;
        let layer = reader.layer;
        let (activations, output) = match input.tensor.element {
            Element::F32 => {
                let functions = self.functions.iter();
                let activations =
                    all(functions.map(|function| float(layer, function.value, diagnostics)))?;
                reader.refuse_keys_of_integers(self.of_integers(), diagnostics)?;
                let len = activations.len() * input.slice.len;
                (activations, Tensor::float(len))
            }
            Element::I32 | Element::I16 | Element::U8 if has_sums(input) => {
                let from = reader.shared_one(input, diagnostics)?;
                integers(layer, self, input.slice.len, from, diagnostics)?
            }
            _ => {
                refuse_input(layer, input, diagnostics);
                return None;
            }
        };
        Some((Elementwise::Activations(activations), output))
    }
}

/// Whether an activation of integers can read these values: what layers compute without clipping
/// it. Products may be narrower than 32 bits.
fn has_sums(input: &Input<'_>) -> bool {
    input.tensor.element == Element::I32 || input.of_product
}

/// Reports values that are neither sums of an affine layer nor `f32`.
fn refuse_input(layer: Header<'_>, input: &Input<'_>, diagnostics: &mut Diagnostics) {
    let help = match input.slice.source {
        Source::Transformer => "the transformer's neurons have `activation` in `[transformer]`",
        Source::Unpooled => "a layer with `op = \"float\"` makes `f32` of them",
        Source::Psqt | Source::Layer(_) => {
            "name the affine layer in `input`: two activations can read the same one"
        }
    };
    let values = match input.name {
        UNPOOLED => format!("the transformer's sums `{UNPOOLED}`"),
        name => format!("the activations of `{name}`"),
    };
    let name = layer.name;
    let message = format!("`{name}` reads {values}, expected sums of an affine layer");
    diagnostics.error(input.span, message).help(help);
}

/// Checks an activation of floating point.
fn float(layer: Header<'_>, function: OpName, diagnostics: &mut Diagnostics) -> Option<Activation> {
    if function.has_floats() {
        return Some(Activation::Float(function));
    }
    let names = listed(OpName::all_with_floats());
    diagnostics
        .error(layer.span, format!("`{function}` needs integers"))
        .help(format!("`f32` has {names}"));
    None
}

/// The names in backticks, as a sentence lists them.
fn listed(names: impl Iterator<Item = OpName>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Checks the activations of sums in which `from` stands for 1.0. Returns them with the values that
/// they make together.
fn integers(
    layer: Header<'_>,
    keys: &Keys,
    len: usize,
    from: u32,
    diagnostics: &mut Diagnostics,
) -> Option<(Vec<Activation>, Tensor)> {
    let shifts = value_for_each("shift", keys.shift.as_ref(), keys, diagnostics);
    let limits = value_for_each("limit", keys.limit.as_ref(), keys, diagnostics);
    let (shifts, limits) = (shifts?, limits?);
    let functions = keys.functions.iter().zip(shifts.iter().zip(&limits));
    let (activations, results): (Vec<_>, Vec<_>) =
        all(functions.map(|(function, (shift, limit))| {
            let function = function.value;
            let definition = function.activation();
            let Some(integers) = definition.and_then(|own| own.integers.as_ref()) else {
                diagnostics
                    .error(layer.span, format!("`{function}` needs `f32`"))
                    .help("a layer with `op = \"float\"` makes `f32` of integers");
                return None;
            };
            let activation = ActivationKeys {
                layer,
                function,
                integers,
                shift: *shift,
                one: keys.one.as_ref(),
                limit: *limit,
                rounding: &keys.rounding,
                clips_one: keys.clips_one.as_ref().is_some_and(|key| key.value),
            };
            activation.check(from, diagnostics)
        }))?
        .into_iter()
        .unzip();
    let first: &Results = results.first()?;
    if let Some(other) = results.iter().position(|other| other.one != first.one) {
        let [(first, first_one), (other, other_one)] =
            [0, other].map(|index| (&keys.functions[index], results[index].one));
        let message = format!(
            "`{}` has results with different ones: 1.0 is {other_one} in those of `{}`",
            layer.name, other.value
        );
        let related = format!("1.0 is {first_one} in those of `{}`", first.value);
        diagnostics
            .error(other.span, message)
            .related(first.span, related)
            .help("all functions of a layer need the same one: change `shift` or `one`");
        return None;
    }
    let clips_one = results.iter().any(|results| results.clips_one);
    check_clips_one(keys.clips_one.as_ref(), clips_one, diagnostics)?;
    let range = results.iter().fold(first.range, |all, results| {
        (all.0.min(results.range.0), all.1.max(results.range.1))
    });
    let output = Tensor {
        len: activations.len() * len,
        element: element(range),
        one: One::Tensor(first.one),
        range,
    };
    Some((activations, output))
}

/// The smallest type that holds all values of a range.
pub(in crate::operation) fn element((lowest, highest): (i64, i64)) -> Element {
    let holds = |low: i64, high: i64| low <= lowest && highest <= high;
    if holds(0, u8::MAX.into()) {
        Element::U8
    } else if holds(i16::MIN.into(), i16::MAX.into()) {
        Element::I16
    } else {
        Element::I32
    }
}

/// The value of a key for each function. The spec gives a single value for all functions, or a
/// value for each function.
fn value_for_each<'s>(
    key: &str,
    values: Option<&'s Spanned<Vec<Spanned<i64>>>>,
    keys: &Keys,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Option<&'s Spanned<i64>>>> {
    let functions = keys.functions.len();
    let Some(values) = values else {
        return Some(vec![None; functions]);
    };
    match values.value.as_slice() {
        [shared] => Some(vec![Some(shared); functions]),
        each if each.len() == functions => Some(each.iter().map(Some).collect()),
        entries => {
            let expected = match functions {
                1 => "1".to_string(),
                _ => format!("1 or {functions}"),
            };
            let message = format!("`{key}` has {} entries, expected {expected}", entries.len());
            let error = diagnostics.error(values.span, message);
            for function in &keys.functions {
                error.related(function.span, format!("`{}`", function.value));
            }
            None
        }
    }
}

/// The keys that the spec gives for a single activation of integers.
struct ActivationKeys<'s> {
    layer: Header<'s>,
    function: OpName,
    integers: &'static IntegerForm,
    shift: Option<&'s Spanned<i64>>,
    one: Option<&'s Spanned<i64>>,
    limit: Option<&'s Spanned<i64>>,
    rounding: &'s Option<Spanned<ProductRounding>>,
    /// Whether the spec allows a limit below 1.0.
    clips_one: bool,
}

/// The values that an activation computes.
struct Results {
    one: u32,
    range: (i64, i64),
    /// Whether the values are clipped so far below 1.0 that the spec must say `clips_one`.
    clips_one: bool,
}

impl ActivationKeys<'_> {
    /// Checks the activation of sums in which `from` stands for 1.0.
    fn check(&self, from: u32, diagnostics: &mut Diagnostics) -> Option<(Activation, Results)> {
        let (integers, name) = (self.integers, self.layer.name);
        let Some(shift) = self.shift else {
            diagnostics
                .error(self.layer.span, format!("`{name}` needs `shift`"))
                .help("write how far its input is shifted to the right: `shift = 6`");
            return None;
        };
        let mut result = |key, value: Option<&Spanned<i64>>| match value {
            Some(value) => in_range(key, value, 1..=LARGEST_RESULT, diagnostics).map(Some),
            None => Some(None),
        };
        let one = result("one", self.one);
        let limit = result("limit", self.limit);
        let amount = check_amount(shift, integers.most_left, diagnostics);
        let (one, limit, amount) = (one?, limit?, amount?);
        let default_one = match integers.one {
            DefaultOne::Usual => USUAL_ONE,
            DefaultOne::Shifted => {
                let one = shifted(from.into(), amount);
                one.clamp(1, LARGEST_RESULT.unsigned_abs()) as u32
            }
            DefaultOne::Fixed => {
                self.refuse_one(diagnostics)?;
                USUAL_ONE
            }
        };
        let one = one.unwrap_or(default_one);
        self.check_shift(from, (amount, shift), one, diagnostics)?;
        let limit = match integers.limit {
            DefaultLimit::One => limit.unwrap_or(one),
            DefaultLimit::Usual => limit.unwrap_or(USUAL_ONE),
            // Functions with a limit of their own let 1.0 pass.
            DefaultLimit::OfFunction => one,
        };
        self.check_limit(limit, one, diagnostics)?;
        let rounding = match integers.rounds {
            true => rounding(self.rounding, amount.unsigned_abs(), diagnostics)?,
            false => ProductRounding::Floor,
        };
        let (activation, range) = (integers.function)(&CheckedParameters {
            from,
            shift: amount,
            limit,
            rounding,
        });
        let results = Results {
            one,
            range,
            clips_one: limit < least_limit(one),
        };
        Some((activation, results))
    }

    /// Reports `one` of a function whose `one` is fixed.
    fn refuse_one(&self, diagnostics: &mut Diagnostics) -> Option<()> {
        let Some(one) = self.one else {
            return Some(());
        };
        diagnostics
            .error(one.span, format!("`{}` has no `one`", self.function))
            .label(format!("1.0 is {USUAL_ONE} before and after it: remove it"));
        None
    }

    /// Checks that the shift fits: it must take the number that the function shifts, for the input
    /// `from`, to `one`.
    fn check_shift(
        &self,
        from: u32,
        (amount, key): (i32, &Spanned<i64>),
        one: u32,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let name = self.layer.name;
        let is_clipped = self.limit.is_none() && matches!(self.integers.limit, DefaultLimit::One);
        let square = u64::from(from) * u64::from(from);
        let (operand, shifted, formula) = match self.integers.shifts {
            ShiftedValue::Value if is_clipped => {
                (Operand::ClippedValue, from.into(), from.to_string())
            }
            ShiftedValue::Value => (Operand::Value, from.into(), from.to_string()),
            ShiftedValue::Square | ShiftedValue::WrappedSquare => {
                (Operand::Square, square, format!("{from} * {from}"))
            }
        };
        let input = ShiftedNumber {
            one: shifted,
            formula,
            label: format!("1.0 is {from} in the input of `{name}` and {one} in its output"),
        };
        let shift = Shift {
            amount,
            span: key.span,
        };
        check_shift(operand, &input, shift, one, diagnostics)
    }

    /// Checks that the activation lets 1.0 pass. It may clip up to one part in 64: in nets since
    /// SFNNv14b, 128 stands for 1.0 and results are clipped at 127.
    fn check_limit(&self, limit: u32, one: u32, diagnostics: &mut Diagnostics) -> Option<()> {
        let least = least_limit(one);
        if limit >= least || self.clips_one {
            return Some(());
        }
        let name = self.layer.name;
        let span = self.limit.or(self.shift).map(|key| key.span);
        let message = format!("`{name}` is clipped at {limit}, expected at least {least}");
        diagnostics
            .error(span.unwrap_or(self.layer.span), message)
            .label(format!("1.0 is {one} in its output"))
            .help(format!(
                "a larger `limit` lets 1.0 pass, and a larger `shift` makes it smaller; {CLIPS_ONE}"
            ));
        None
    }
}
