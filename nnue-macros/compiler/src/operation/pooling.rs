//! The pooling of the transformer: two of a perspective's activated values become one value.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::neuron::{LARGEST_BYTE, LARGEST_FAST_INPUT, Values};
use crate::check::value::{in_range, value_or};
use crate::diagnostics::Diagnostics;
use crate::spec::{Transformer, named};

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
    /// What the shift of a product does with the bits that it shifts out.
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
        /// What the shift does with these bits.
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

/// The name of the pooling in the spec; [`Name::None`] if it gives none.
pub(crate) fn name(transformer: &Transformer) -> Name {
    value_or(&transformer.pooling, Name::None)
}

/// Checks the keys of the pooling, where the activated values are of this kind.
pub(crate) fn check(
    transformer: &Transformer,
    activated: Values,
    diagnostics: &mut Diagnostics,
) -> Option<Pooling> {
    let name = name(transformer);
    if name != Name::None && activated.largest > LARGEST_BYTE {
        let largest = activated.largest;
        let message = format!(
            "pooling `{name}` reads values up to {largest}, allowed are values up to {LARGEST_BYTE}"
        );
        diagnostics
            .error(transformer.pooling.as_ref()?.span, message)
            .related(transformer.activation.span, "these values")
            .help(match transformer.activation.value.has_limit() {
                true => "a smaller `limit` clips them there",
                false => "a larger `shift` makes them smaller",
            });
        return None;
    }
    Some(match name {
        Name::None => Pooling::None,
        Name::Product => products(transformer, activated, diagnostics)?,
        Name::Average => Pooling::Average,
        Name::Max => Pooling::Max,
    })
}

/// Checks the keys of the product of two activated values.
fn products(
    transformer: &Transformer,
    activated: Values,
    diagnostics: &mut Diagnostics,
) -> Option<Pooling> {
    let key = transformer.product_rounding.as_ref();
    let rounding = key.map_or(ProductRounding::Floor, |key| key.value);
    let shift = product_shift(transformer, activated, rounding, diagnostics)?;
    if let (Some(key), 0) = (key, shift) {
        diagnostics
            .error(key.span, "`product_rounding` needs a `product_shift`")
            .label("products are not shifted, so nothing is rounded");
        return None;
    }
    Some(Pooling::Product { shift, rounding })
}

fn product_shift(
    transformer: &Transformer,
    activated: Values,
    rounding: ProductRounding,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let largest_product = |shift| product(activated, shift, rounding).largest;
    let fitting = (0..16).find(|shift| largest_product(*shift) <= LARGEST_FAST_INPUT)?;
    let Some(shift) = &transformer.product_shift else {
        return Some(fitting);
    };
    let value = in_range("product_shift", shift, 0..=15, diagnostics)?;
    if largest_product(value) == 0 {
        let largest = activated.largest;
        let message =
            format!("product_shift {value} is too large: {largest} * {largest} >> {value} is 0");
        diagnostics
            .error(shift.span, message)
            .label(format!("{fitting} fits"))
            .related(
                transformer.one.span,
                format!("factors are at most {largest}"),
            );
        return None;
    }
    Some(value)
}

/// The products of such values, shifted. The shift may lose 1: 127 * 127 >> 7 is 126, and stands
/// for 127.
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
    /// The pooled values of such activated values.
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
            Pooling::Product { shift: 0, .. } => format!("{a} * {b}"),
            Pooling::Product { shift, rounding } => match rounding.summand(shift) {
                0 => format!("{a} * {b} >> {shift}"),
                summand => format!("({a} * {b} + {summand}) >> {shift}"),
            },
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
