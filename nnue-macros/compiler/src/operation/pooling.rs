//! How pairs of a perspective's activated values are brought together.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::neuron::{LARGEST_BYTE, LARGEST_FAST_INPUT, Values};
use crate::check::value::{in_range, value_or};
use crate::diagnostics::Diagnostics;
use crate::spec::{Transformer, named};

named! {
    /// How two of a perspective's values are brought together.
    Name {
        /// Every value goes on by itself.
        None = "none",
        /// `a * b >> product_shift`.
        Product = "product",
        /// `(a + b + 1) >> 1`.
        Average = "average",
        /// `max(a, b)`, the larger one.
        Max = "max",
    }
}

named! {
    /// What the shift of a product does with the bits that it shifts out.
    ProductRounding {
        /// The product is rounded down.
        Floor = "floor",
        /// The product is rounded to the nearest, halves up.
        Nearest = "nearest",
    }
}

/// How two activated values `a` and `b` of a perspective become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// Every value goes on by itself.
    None,
    /// `a * b >> shift`.
    Product {
        /// Bits that are shifted out to the right.
        shift: u32,
        /// What becomes of these bits.
        rounding: ProductRounding,
    },
    /// `(a + b + 1) >> 1`.
    Average,
    /// `max(a, b)`, the larger one.
    Max,
}

impl ProductRounding {
    /// What is added to a product before it is shifted.
    pub fn summand(self, shift: u32) -> u32 {
        match self {
            ProductRounding::Floor => 0,
            ProductRounding::Nearest => (1 << shift) >> 1,
        }
    }
}

/// The pooling that a spec says.
pub(crate) fn name(transformer: &Transformer) -> Name {
    value_or(&transformer.pooling, Name::None)
}

/// Checks the keys of the pooling of these activated values.
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

/// How two activated values are multiplied.
fn products(
    transformer: &Transformer,
    activated: Values,
    diagnostics: &mut Diagnostics,
) -> Option<Pooling> {
    let said = transformer.product_rounding.as_ref();
    let rounding = said.map_or(ProductRounding::Floor, |said| said.value);
    let shift = product_shift(transformer, activated, rounding, diagnostics)?;
    if let (Some(said), 0) = (said, shift) {
        diagnostics
            .error(said.span, "`product_rounding` needs a `product_shift`")
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

/// Products may lose one to the shift: 127 * 127 >> 7 is 126, and stands for 127.
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
    /// What it makes of activated values.
    pub(crate) fn values(self, activated: Values) -> Values {
        match self {
            Pooling::Product { shift, rounding } => product(activated, shift, rounding),
            Pooling::None | Pooling::Average | Pooling::Max => activated,
        }
    }

    /// The formula of two values that are called so; `None` if every value goes on by itself.
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

    /// Its value of the runtime's type of the same name, which is in the scope of `neurons`.
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
