//! The pooling of the transformer: two of a perspective's activated values become one value.

mod check;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::activation::rounded;
use super::neuron::Values;
use crate::diagnostics::{Diagnostics, Spanned};
use crate::spec::named::named;

pub(crate) use check::{check, name};

named! {
    /// The name of the way in which two of a perspective's values become one value.
    Name {
        /// No values are pooled.
        None = "none",
        /// `a * b >> product_shift`.
        Product = "product",
        /// `(a + b + 1) >> 1`.
        Average = "average",
        /// `max(a, b)`, the larger of both values.
        Max = "max",
    }
}

named! {
    /// How the shift of a product, or of a square, rounds.
    ProductRounding {
        /// The product is rounded down.
        Floor = "floor",
        /// The product is rounded to the nearest integer, and halves are rounded up.
        Nearest = "nearest",
    }
}

/// The way in which two activated values `a` and `b` of a perspective become one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// No values are pooled.
    None,
    /// `a * b >> shift`.
    Product {
        /// The number of bits that are shifted out to the right.
        shift: u32,
        /// How the shift rounds.
        rounding: ProductRounding,
    },
    /// `(a + b + 1) >> 1`.
    Average,
    /// `max(a, b)`, the larger of both values.
    Max,
}

impl ProductRounding {
    /// The integer that is added to a product before it is shifted.
    pub fn summand(self, shift: u32) -> u32 {
        match self {
            ProductRounding::Floor => 0,
            ProductRounding::Nearest => (1 << shift) >> 1,
        }
    }
}

/// The key `rounding` of squares and products that are shifted by `shift` bits. Reports it where
/// nothing is shifted.
pub(super) fn rounding(
    key: &Option<Spanned<ProductRounding>>,
    shift: u32,
    diagnostics: &mut Diagnostics,
) -> Option<ProductRounding> {
    let Some(key) = key else {
        return Some(ProductRounding::Floor);
    };
    if shift == 0 {
        diagnostics
            .error(key.span, "`rounding` needs a `shift`")
            .label("without one, nothing is rounded");
        return None;
    }
    Some(key.value)
}

/// The shifted products of two activated values. The shift may lose 1: 127 * 127 >> 7 is 126, and
/// stands for 127.
pub(super) fn product(values: Values, shift: u32, rounding: ProductRounding) -> Values {
    let summand = rounding.summand(shift);
    let one = (values.one * values.one + summand) >> shift;
    Values {
        one: if (one + 2).is_power_of_two() {
            one + 1
        } else {
            one.max(1)
        },
        largest: (values.largest * values.largest + summand) >> shift,
    }
}

impl Pooling {
    /// The values that pooling makes of activated values.
    pub(crate) fn values(self, activated: Values) -> Values {
        match self {
            Pooling::Product { shift, rounding } => product(activated, shift, rounding),
            Pooling::None | Pooling::Average | Pooling::Max => activated,
        }
    }

    /// The formula of the pooled values with the names `a` and `b`; `None` if no values are pooled.
    pub(crate) fn formula(self, a: &str, b: &str) -> Option<String> {
        Some(match self {
            Pooling::None => return None,
            Pooling::Product { shift, rounding } => rounded(&format!("{a} * {b}"), shift, rounding),
            Pooling::Average => format!("({a} + {b} + 1) >> 1"),
            Pooling::Max => format!("max({a}, {b})"),
        })
    }

    /// An expression for the same pooling as a value of the runtime's type `neurons::Pooling`.
    pub(crate) fn constant(self) -> TokenStream {
        let pooling = match self {
            Pooling::None => quote!(None),
            Pooling::Product { shift, rounding } => {
                let numbers = [shift, rounding.summand(shift)];
                let [shift, summand] = numbers.map(Literal::u32_unsuffixed);
                quote! { Product { summand: #summand, shift: #shift } }
            }
            Pooling::Average => quote!(Average),
            Pooling::Max => quote!(Max),
        };
        quote! { neurons::Pooling::#pooling }
    }
}
