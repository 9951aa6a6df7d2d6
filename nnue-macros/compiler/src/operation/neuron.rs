//! The activations that the transformer applies to each value of an accumulator, before pooling.

mod check;

use nnue_format::Element;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::activation::rounded;
use super::pooling::{self, ProductRounding};
use crate::network::tensor::{One, Tensor};
use crate::spec::named::{Named, named};

pub(crate) use check::{check, check_one};

/// The largest value that kernels handle as a byte. It is also the largest value whose square
/// kernels handle.
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
        /// `max(x, 0)` squared.
        SqrRelu = "sqr_relu",
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
        /// How the shift rounds.
        rounding: ProductRounding,
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

    /// Whether the key `rounding` goes with the activation.
    pub(crate) fn has_rounding(self) -> bool {
        self == Name::Screlu
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

impl Activation {
    /// The activated values of an accumulator in which `one` stands for 1.0.
    pub(crate) fn values(self, one: u32) -> Values {
        match self {
            Activation::None => Values { one, largest: one },
            Activation::Crelu { limit } => Values {
                one,
                largest: limit,
            },
            Activation::Screlu { shift, rounding } => {
                pooling::product(Values { one, largest: one }, shift, rounding)
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
            Activation::Screlu { shift, rounding } => {
                let squared = format!("clamp({x}, 0, {one}) squared");
                (rounded(&squared, shift, rounding), "squared")
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
            Activation::Screlu { shift, rounding } => {
                let [one, summand, shift] = [one, rounding.summand(shift), shift].map(number);
                quote! { Screlu { one: #one, summand: #summand, shift: #shift } }
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
        32768..=65535 => Element::U16,
        _ => Element::I32,
    }
}
