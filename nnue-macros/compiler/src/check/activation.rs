//! Checks activations: which values they can read, and which integer then stands for 1.0. A shift
//! that does not fit the ones is the most common mistake in a spec and makes a net play badly
//! without any other sign, so it is an error.

use crate::diagnostics::{Diagnostics, Span, Spanned, all};
use crate::network::{Activation, Element, One, Source, Tensor, UNPOOLED};
use crate::spec::{self, OpName};

use super::in_range;
use super::layers::Reader;

/// What 1.0 is in activations, unless the spec says otherwise: seven bits, so that no instruction
/// set's byte products can saturate.
const ACTIVATION_ONE: u32 = 127;

/// The largest value of an activation. What stands for 1.0 may be exceeded by one part in 64, and
/// 32 bits hold that too.
pub(super) const LARGEST_ACTIVATION: i64 = 1 << 30;

/// How far values are shifted to the right at most, and to the left.
const MOST_RIGHT: i32 = 31;
const MOST_LEFT: i32 = 16;

/// Checks the activations of a layer; `None` if one of them, or what they read, is wrong.
pub(super) fn check(
    reader: &Reader<'_>,
    keys: &spec::Elementwise,
    diagnostics: &mut Diagnostics,
) -> Option<(Vec<Activation>, Tensor)> {
    let (input, tensor) = reader.only_input(diagnostics)?;
    let layer = reader.layer;
    match tensor.element {
        Element::F32 => {
            let functions = keys.functions.iter();
            let activations =
                all(functions.map(|function| float(layer, function.value, diagnostics)))?;
            let len = activations.len() * input.len;
            Some((activations, Tensor::float(len)))
        }
        Element::I32 => {
            let from = reader.shared_one(0, diagnostics)?;
            integers(layer, keys, input.len, from, diagnostics)
        }
        _ => {
            let name = reader.name();
            let help = match input.source {
                Source::Transformer => {
                    "the transformer's neurons have `activation` in `[transformer]`"
                }
                Source::Unpooled => "a layer with `op = \"float\"` makes `f32` of them",
                Source::Psqt | Source::Layer(_) => {
                    "name the affine layer in `input`: two activations can read the same one"
                }
            };
            let input = reader.input_name(0);
            let values = match input {
                UNPOOLED => format!("the transformer's sums `{UNPOOLED}`"),
                _ => format!("the activations of `{input}`"),
            };
            let message = format!("`{name}` reads {values}, expected sums of an affine layer");
            diagnostics.error(reader.input_span(0), message).help(help);
            None
        }
    }
}

/// An activation of floating point.
fn float(
    layer: &spec::Layer,
    function: OpName,
    diagnostics: &mut Diagnostics,
) -> Option<Activation> {
    match function {
        OpName::Crelu => Some(Activation::FloatCrelu),
        OpName::Screlu => Some(Activation::FloatScrelu),
        OpName::SqrCrelu => Some(Activation::FloatSqrCrelu),
        OpName::Relu => Some(Activation::FloatRelu),
        OpName::Sigmoid => Some(Activation::FloatSigmoid),
        OpName::HardSwish => Some(Activation::FloatHardSwish),
        OpName::Sqr => Some(Activation::FloatSqr),
        OpName::SqrRelu => Some(Activation::FloatSqrRelu),
        OpName::SqrNegative => Some(Activation::FloatSqrNegative),
        _ => {
            diagnostics
                .error(layer.span, format!("`{function}` needs integers"))
                .help(
                    "`f32` has `crelu`, `sqr_crelu`, `screlu`, `relu`, `sigmoid`, `hard_swish`, `sqr`, `sqr_relu` and `sqr_negative`",
                );
            None
        }
    }
}

/// The activations of sums of which 1.0 is `from`, and the values that they make together.
fn integers(
    layer: &spec::Layer,
    keys: &spec::Elementwise,
    len: usize,
    from: u32,
    diagnostics: &mut Diagnostics,
) -> Option<(Vec<Activation>, Tensor)> {
    let shifts = one_for_each("shift", keys.shift.as_ref(), keys, diagnostics);
    let limits = one_for_each("limit", keys.limit.as_ref(), keys, diagnostics);
    let (shifts, limits) = (shifts?, limits?);
    let functions = keys.functions.iter().zip(shifts.iter().zip(&limits));
    let (activations, results): (Vec<_>, Vec<_>) =
        all(functions.map(|(function, (shift, limit))| {
            let activation = Said {
                layer,
                function: function.value,
                shift: *shift,
                one: keys.alignment.one.as_ref(),
                limit: *limit,
                clips_one: keys.clips_one.as_ref().is_some_and(|said| said.value),
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
            layer.name.value, other.value
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

/// The smallest type that holds the values of a range.
fn element((lowest, highest): (i64, i64)) -> Element {
    let holds = |low: i64, high: i64| low <= lowest && highest <= high;
    if holds(0, u8::MAX.into()) {
        Element::U8
    } else if holds(i16::MIN.into(), i16::MAX.into()) {
        Element::I16
    } else {
        Element::I32
    }
}

/// The value of a key for each function, where the spec gives one for all of them or one for each.
fn one_for_each<'s>(
    key: &str,
    said: Option<&'s Spanned<Vec<Spanned<i64>>>>,
    keys: &spec::Elementwise,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Option<&'s Spanned<i64>>>> {
    let functions = keys.functions.len();
    let Some(said) = said else {
        return Some(vec![None; functions]);
    };
    match said.value.as_slice() {
        [shared] => Some(vec![Some(shared); functions]),
        each if each.len() == functions => Some(each.iter().map(Some).collect()),
        entries => {
            let expected = match functions {
                1 => "1".to_string(),
                _ => format!("1 or {functions}"),
            };
            let message = format!("`{key}` has {} entries, expected {expected}", entries.len());
            let error = diagnostics.error(said.span, message);
            for function in &keys.functions {
                error.related(function.span, format!("`{}`", function.value));
            }
            None
        }
    }
}

/// What the spec says of one activation of integers.
struct Said<'s> {
    layer: &'s spec::Layer,
    function: OpName,
    shift: Option<&'s Spanned<i64>>,
    one: Option<&'s Spanned<i64>>,
    limit: Option<&'s Spanned<i64>>,
    /// Whether a limit below 1.0 is meant.
    clips_one: bool,
}

/// The values that an activation makes.
struct Results {
    one: u32,
    range: (i64, i64),
    /// Whether they are clipped below 1.0, by more than is allowed unsaid.
    clips_one: bool,
}

impl Said<'_> {
    /// Checks the activation of sums of which 1.0 is `from`.
    fn check(&self, from: u32, diagnostics: &mut Diagnostics) -> Option<(Activation, Results)> {
        let (layer, name) = (self.layer, &self.layer.name.value);
        let takes = match self.function {
            OpName::Crelu if self.limit.is_none() => Takes::ClippedValue,
            OpName::Crelu | OpName::Relu | OpName::Quantmoid4 => Takes::Value,
            OpName::SqrCrelu | OpName::SqrCreluI32 | OpName::Screlu => Takes::Square,
            function => return refuse_integers(layer, function, diagnostics),
        };
        let Some(said) = self.shift else {
            diagnostics
                .error(layer.span, format!("`{name}` needs `shift`"))
                .help("write how far its input is shifted to the right: `shift = 6`");
            return None;
        };
        let mut activation_range = |key, value: Option<&Spanned<i64>>| match value {
            Some(value) => in_range(key, value, 1..=LARGEST_ACTIVATION, diagnostics).map(Some),
            None => Some(None),
        };
        let one = activation_range("one", self.one);
        let limit = activation_range("limit", self.limit);
        let to_the_left = match self.function {
            OpName::Crelu | OpName::Relu => MOST_LEFT,
            _ => 0,
        };
        let amount = check_amount(said, to_the_left, diagnostics);
        let (one, limit, amount) = (one?, limit?, amount?);
        if let (OpName::Quantmoid4, Some(one)) = (self.function, self.one) {
            diagnostics
                .error(one.span, "`quantmoid4` has no `one`")
                .label("1.0 is 127 before and after it: remove it");
            return None;
        }
        let default_one = match self.function {
            OpName::Relu => {
                let one = shifted(from.into(), amount);
                one.clamp(1, LARGEST_ACTIVATION.unsigned_abs()) as u32
            }
            _ => ACTIVATION_ONE,
        };
        let one = one.unwrap_or(default_one);
        let square = u64::from(from) * u64::from(from);
        let input = Input {
            one: match takes {
                Takes::Square => square,
                Takes::Value | Takes::ClippedValue => from.into(),
            },
            formula: match takes {
                Takes::Square => format!("{from} * {from}"),
                Takes::Value | Takes::ClippedValue => from.to_string(),
            },
            label: format!("1.0 is {from} in the input of `{name}` and {one} in its output"),
        };
        let shift = Shift {
            amount,
            span: said.span,
        };
        check_shift(takes, &input, shift, one, diagnostics)?;
        let shift = amount.unsigned_abs();
        // Squares and sigmoids let 1.0 pass.
        let mut clipped_at = one;
        let mut limit_or = |default: u32| {
            let limit = limit.unwrap_or(default);
            clipped_at = limit;
            self.check_limit(limit, one, diagnostics).map(|()| limit)
        };
        let mut lowest = 0;
        let (activation, largest) = match self.function {
            OpName::Crelu | OpName::Relu => {
                let default = match self.function {
                    OpName::Crelu => one,
                    _ => ACTIVATION_ONE,
                };
                let limit = limit_or(default)?;
                let activation = match amount {
                    0.. => Activation::Relu { shift, limit },
                    _ => Activation::ReluLeft { shift, limit },
                };
                (activation, limit)
            }
            OpName::SqrCrelu => {
                let limit = limit_or(one)?;
                (Activation::SqrCrelu { shift, limit }, limit)
            }
            OpName::SqrCreluI32 => {
                let limit = limit_or(one)?;
                lowest = i64::from(i32::MIN >> shift);
                (Activation::SqrCreluI32 { shift, limit }, limit)
            }
            OpName::Screlu => {
                let largest = (u64::from(from) * u64::from(from)) >> shift;
                let limit = from;
                (Activation::Screlu { shift, limit }, largest as u32)
            }
            OpName::Quantmoid4 => (Activation::Quantmoid4 { shift }, 126),
            function => return refuse_integers(layer, function, diagnostics),
        };
        let range = (lowest, i64::from(largest));
        let clips_one = clipped_at < least_limit(one);
        let results = Results {
            one,
            range,
            clips_one,
        };
        Some((activation, results))
    }

    /// Whether the activation lets 1.0 pass, up to one part in 64: nets since SFNNv14b have 128 for
    /// 1.0 and clip at 127.
    fn check_limit(&self, limit: u32, one: u32, diagnostics: &mut Diagnostics) -> Option<()> {
        let least = least_limit(one);
        if limit >= least || self.clips_one {
            return Some(());
        }
        let name = &self.layer.name.value;
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

/// Refuses an activation that is made for floating point, or that nobody has described here.
fn refuse_integers<T>(
    layer: &spec::Layer,
    function: OpName,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    diagnostics
        .error(layer.span, format!("`{function}` needs `f32`"))
        .help("a layer with `op = \"float\"` makes `f32` of integers");
    None
}

/// What errors of a small limit say of the key that allows it.
pub(super) const CLIPS_ONE: &str = "`clips_one = true` says that it is meant";

/// Whether the spec says `clips_one` only where values are clipped below 1.0.
pub(super) fn check_clips_one(
    said: Option<&Spanned<bool>>,
    clips_one: bool,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let problem = match said {
        Some(said) if !said.value => "`clips_one` is false, expected true",
        Some(_) if !clips_one => "`clips_one` where 1.0 is not clipped",
        _ => return Some(()),
    };
    diagnostics
        .error(said?.span, problem)
        .help("it is for a `limit` below 63/64 of what 1.0 is: remove it");
    None
}

/// The smallest limit of values whose 1.0 is `one`.
pub(super) fn least_limit(one: u32) -> u32 {
    one - one / TOLERANCE
}

/// What is off by less than one part in so many is accepted where engines are off too.
const TOLERANCE: u32 = 64;

/// What is shifted.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Takes {
    Value,
    /// A value that is clipped at its one, because the spec gives no other limit.
    ClippedValue,
    /// A square, or another product.
    Square,
}

/// What is shifted: what 1.0 is in it, how that is computed, and what errors say of it.
pub(super) struct Input {
    pub(super) one: u64,
    pub(super) formula: String,
    pub(super) label: String,
}

/// How far values are shifted to the right, and where the spec says so. To the left if negative.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    pub(super) amount: i32,
    pub(super) span: Span,
}

/// A shift to the right, or as far as allowed to the left.
pub(super) fn check_amount(
    shift: &Spanned<i64>,
    to_the_left: i32,
    diagnostics: &mut Diagnostics,
) -> Option<i32> {
    let allowed = -to_the_left..=MOST_RIGHT;
    match i32::try_from(shift.value) {
        Ok(amount) if allowed.contains(&amount) => Some(amount),
        _ => {
            let message = format!(
                "`shift` is {}, allowed are {} to {MOST_RIGHT}",
                shift.value, -to_the_left
            );
            diagnostics.error(shift.span, message);
            None
        }
    }
}

/// What a shift makes of a number.
fn shifted(number: u64, amount: i32) -> u64 {
    match amount {
        0.. => number >> amount,
        _ => number << -amount,
    }
}

/// Whether a shift takes the sums' one to the activation's.
///
/// A value must do so exactly. A square may miss by one part in 64, as in known nets: 8128 * 8128
/// >> 19 is 126 and stands for 127.
pub(super) fn check_shift(
    takes: Takes,
    input: &Input,
    shift: Shift,
    to: u32,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let (from, formula, to_64) = (input.one, &input.formula, u64::from(to));
    let tolerance = match takes {
        Takes::Square => u64::from(TOLERANCE),
        Takes::Value | Takes::ClippedValue => u64::MAX,
    };
    let fits = |amount: i32| {
        // Both as they are before a shift to the right, or after one to the left.
        let reached = shifted(from, amount.min(0));
        let target = shifted(to_64, -amount.max(0));
        reached.abs_diff(target) <= target / tolerance
    };
    let Shift { amount, span } = shift;
    if fits(amount) {
        return Some(());
    }
    let value = from as f64 / f64::from(amount).exp2();
    let arrow = match amount {
        0.. => ">>",
        _ => "<<",
    };
    let message = format!(
        "shift {amount} contradicts the ones: {formula} {arrow} {} is {value}, expected {to}",
        amount.abs()
    );
    let error = diagnostics.error(span, message).label(&input.label);
    let to_the_left = match takes {
        Takes::Square => 0,
        Takes::Value | Takes::ClippedValue => MOST_LEFT,
    };
    let mut amounts = (0..=MOST_RIGHT).chain((-to_the_left..0).rev());
    if let Some(fitting) = amounts.find(|amount| fits(*amount)) {
        error.help(format!("shift {fitting} takes {formula} to {to}"));
        return None;
    }
    // A one just above what it is clipped at.
    let clipped = (0..=MOST_RIGHT)
        .map(|amount| (amount, from >> amount))
        .find(|(amount, one)| {
            one << amount == from && *one > to_64 && to_64 >= one - one / u64::from(TOLERANCE)
        });
    error.help(match (takes, clipped) {
        (Takes::Square, _) => format!("no shift takes {formula} to {to}: one of the ones is wrong"),
        (Takes::ClippedValue, Some((amount, one))) => format!(
            "shift {amount} takes {from} to {one}: if that is 1.0 and clipped at {to}, write `one = {one}` and `limit = {to}`"
        ),
        (Takes::Value, Some((amount, one))) => {
            format!("shift {amount} takes {from} to {one}: if that is 1.0, write `one = {one}`")
        }
        _ if amount < 0 => format!("no shift takes {from} to {to}: one of the ones is wrong"),
        _ => format!(
            "no shift takes {from} to {to}: one of the ones is wrong; shift {amount} takes {} to {to}",
            to_64 << amount
        ),
    });
    None
}
