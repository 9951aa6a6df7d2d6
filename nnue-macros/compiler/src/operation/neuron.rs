//! The activations that the transformer applies to each value of an accumulator, before pooling.

use nnue_format::Element;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::activation::shifted_right;
use super::pooling::{self, ProductRounding};
use crate::check::fixed_point::{CLIPS_ONE, check_clips_one, least_limit};
use crate::check::value::{in_range, in_range_or};
use crate::diagnostics::Diagnostics;
use crate::network::{One, Tensor};
use crate::spec::{Named, Transformer, named};

/// The largest value that kernels handle as a byte. It is also the largest value whose square they
/// handle.
pub(crate) const LARGEST_BYTE: u32 = u8::MAX as u32;

/// The largest input that can be multiplied as a byte on every instruction set, whatever the
/// weights.
pub(crate) const LARGEST_FAST_INPUT: u32 = 127;

named! {
    /// The name of the activation that the transformer applies to each accumulator value.
    Name {
        /// The value `x` of the accumulator stays as it is.
        None = "none",
        /// `clamp(x, 0, limit)`, where `limit` is `one` unless the spec gives it.
        Crelu = "crelu",
        /// `clamp(x, 0, one)` squared, `>> shift`.
        Screlu = "screlu",
        /// `clamp(x >> shift, 0, limit)`.
        Relu = "relu",
        /// A sigmoid made of two parabolas.
        Quantmoid4 = "quantmoid4",
    }
}

/// The activation that the transformer applies to an accumulator value `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `x` stays as it is, an `i16`.
    None,
    /// `clamp(x, 0, limit)`, the clipped rectifier.
    Crelu {
        /// The largest result: the integer that stands for 1.0, unless the spec gives another.
        limit: u32,
    },
    /// `clamp(x, 0, one) * clamp(x, 0, one) >> shift`.
    Screlu {
        /// The number of bits that are shifted out to the right.
        shift: u32,
    },
    /// `clamp(x >> shift, 0, limit)`.
    Relu {
        /// The number of bits that are shifted out to the right.
        shift: u32,
        /// The largest result, at least 1.
        limit: u32,
    },
    /// A sigmoid made of two parabolas, from `i16` to `0..=126`: `y = (127 - min(|x|, 127))^2 >>
    /// 8`, then the result is `y` for negative `x` and `126 - y` for others.
    Quantmoid4,
}

/// The numbers that describe values on the way from the accumulator to the transformer's output.
#[derive(Clone, Copy)]
pub(crate) struct Values {
    /// The integer that stands for 1.0.
    pub(crate) one: u32,
    /// The largest value.
    pub(crate) largest: u32,
}

impl Name {
    /// Whether the key `shift` goes with the activation.
    pub(crate) fn has_shift(self) -> bool {
        matches!(self, Name::Screlu | Name::Relu)
    }

    /// Whether the key `limit` goes with the activation.
    pub(crate) fn has_limit(self) -> bool {
        matches!(self, Name::Crelu | Name::Relu)
    }

    /// The names of the activations for which `are` is true, as messages list them.
    pub(crate) fn all(are: fn(Name) -> bool) -> String {
        let names = Name::NAMES.iter().filter(|(_, name)| are(*name));
        let names: Vec<String> = names.map(|(name, _)| format!("\"{name}\"")).collect();
        format!("`activation = {}`", names.join("` or `"))
    }
}

/// Checks the integer that stands for 1.0 in the accumulator.
pub(crate) fn check_one(
    transformer: &Transformer,
    is_pooled: bool,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let activation = transformer.activation.value;
    let largest = match activation {
        Name::None => i16::MAX as i64,
        // Pooled values must be bytes. A `crelu` without a limit is clipped at its `one`.
        Name::Crelu if is_pooled && transformer.limit.is_none() => i64::from(LARGEST_BYTE),
        Name::Crelu | Name::Relu => i16::MAX as i64,
        Name::Screlu => i64::from(LARGEST_BYTE),
        Name::Quantmoid4 => i64::from(LARGEST_FAST_INPUT),
    };
    let one = in_range("one", &transformer.one, 1..=largest, diagnostics)?;
    if activation == Name::Quantmoid4 && one != LARGEST_FAST_INPUT {
        let message = format!("`one` is {one}, expected 127");
        diagnostics
            .error(transformer.one.span, message)
            .label("`quantmoid4` is made for it");
        return None;
    }
    Some(one)
}

/// Checks the keys of the activation, where `one` stands for 1.0 in the accumulator.
pub(crate) fn check(
    transformer: &Transformer,
    one: u32,
    diagnostics: &mut Diagnostics,
) -> Option<Activation> {
    let shift = transformer.shift.as_ref();
    let shift = in_range_or("shift", shift, 0..=15, 0, diagnostics)?;
    Some(match transformer.activation.value {
        Name::None => Activation::None,
        Name::Crelu => Activation::Crelu {
            limit: limit(
                transformer,
                (i64::from(i16::MAX), one),
                (one, one),
                diagnostics,
            )?,
        },
        Name::Screlu => {
            let largest = (one * one) >> shift;
            if largest == 0 {
                let message = format!("shift {shift} is too large: {one} * {one} >> {shift} is 0");
                diagnostics.error(transformer.shift.as_ref()?.span, message);
                return None;
            }
            Activation::Screlu { shift }
        }
        Name::Relu => {
            if one >> shift == 0 {
                let message = format!("shift {shift} is too large: {one} >> {shift} is 0");
                diagnostics.error(transformer.shift.as_ref()?.span, message);
                return None;
            }
            if !one.is_multiple_of(1 << shift) {
                let exact = f64::from(one) / f64::from(1 << shift);
                let fitting = one.trailing_zeros();
                let message = format!(
                    "shift {shift} contradicts the one: {one} >> {shift} is {exact}, expected a whole number"
                );
                diagnostics
                    .error(transformer.shift.as_ref()?.span, message)
                    .related(transformer.one.span, format!("{one} stands for 1.0"))
                    .help(format!("shift {fitting} takes {one} to {}", one >> fitting));
                return None;
            }
            let limits = (i64::from(i16::MAX), LARGEST_FAST_INPUT);
            let limit = limit(transformer, limits, (one, one >> shift), diagnostics)?;
            Activation::Relu { shift, limit }
        }
        Name::Quantmoid4 => Activation::Quantmoid4,
    })
}

/// Checks the largest value of an activation, where `before` stands for 1.0 in its input and
/// `after` in its output. `largest` is the largest value that is allowed.
fn limit(
    transformer: &Transformer,
    (largest, default): (i64, u32),
    (before, after): (u32, u32),
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let key = transformer.limit.as_ref();
    let limit = in_range_or("limit", key, 1..=largest, default, diagnostics)?;
    let least = least_limit(after);
    let clips_one = transformer.clips_one.as_ref();
    check_clips_one(clips_one, limit < least, diagnostics)?;
    if limit >= least || clips_one.is_some() {
        return Some(limit);
    }
    let span = key.map_or(transformer.activation.span, |limit| limit.span);
    let message = format!("values are clipped at {limit}, expected at least {least}");
    let error = diagnostics.error(span, message);
    if before == after {
        error
            .related(transformer.one.span, format!("{before} stands for 1.0"))
            .help(format!("a larger `limit` lets 1.0 pass; {CLIPS_ONE}"));
    } else {
        error
            .related(
                transformer.one.span,
                format!("1.0 is {before} before the shift and {after} after it"),
            )
            .help(format!(
                "a larger `limit` lets 1.0 pass, and a larger `shift` makes it smaller; {CLIPS_ONE}"
            ));
    }
    None
}

impl Activation {
    /// The activated values of an accumulator in which `one` stands for 1.0.
    pub(crate) fn values(self, one: u32) -> Values {
        match self {
            Activation::None => Values { one, largest: one },
            Activation::Crelu { limit } => Values {
                one,
                largest: limit,
            },
            Activation::Screlu { shift } => {
                pooling::product(Values { one, largest: one }, shift, ProductRounding::Floor)
            }
            Activation::Relu { shift, limit } => Values {
                one: one >> shift,
                largest: limit,
            },
            Activation::Quantmoid4 => Values {
                one: 127,
                largest: 126,
            },
        }
    }

    /// A tensor of `len` activated values, pooled or not, of the smallest type that holds them.
    pub(crate) fn tensor(self, values: Values, len: usize) -> Tensor {
        let (element, range) = match self {
            Activation::None => (Element::I16, (i64::from(i16::MIN), i64::from(i16::MAX))),
            _ => (element(values.largest), (0, i64::from(values.largest))),
        };
        Tensor {
            len,
            element,
            one: One::Tensor(values.one),
            range,
        }
    }

    /// The formula of the value with the name `x`, where `one` stands for 1.0 in the accumulator;
    /// and the name of the results in diagrams.
    pub(crate) fn formula(self, x: &str, one: u32) -> (String, &'static str) {
        match self {
            Activation::None => (x.to_string(), "accumulator"),
            Activation::Crelu { limit } => (format!("clamp({x}, 0, {limit})"), "clipped"),
            Activation::Screlu { shift } => {
                let squared = format!("clamp({x}, 0, {one}) squared");
                (shifted_right(&squared, shift), "squared")
            }
            Activation::Relu { shift, limit } => {
                (format!("clamp({x} >> {shift}, 0, {limit})"), "activated")
            }
            Activation::Quantmoid4 => (format!("quantmoid4({x})"), "activated"),
        }
    }

    /// An expression for the same activation as a value of the runtime's type
    /// `neurons::Activation`.
    pub(crate) fn constant(self, one: u32) -> TokenStream {
        let number = Literal::u32_unsuffixed;
        let activation = match self {
            Activation::None => quote!(None),
            Activation::Crelu { limit } => {
                let limit = number(limit);
                quote! { Crelu { limit: #limit } }
            }
            Activation::Screlu { shift } => {
                let [one, shift] = [one, shift].map(number);
                quote! { Screlu { one: #one, shift: #shift } }
            }
            Activation::Relu { shift, limit } => {
                let [shift, limit] = [shift, limit].map(number);
                quote! { Relu { shift: #shift, limit: #limit } }
            }
            Activation::Quantmoid4 => quote!(Quantmoid4),
        };
        quote! { neurons::Activation::#activation }
    }
}

/// The smallest type that holds values up to `largest`.
fn element(largest: u32) -> Element {
    match largest {
        0..=255 => Element::U8,
        256..=32767 => Element::I16,
        _ => Element::U16,
    }
}
