//! Checks the transformer's pooling, and finds the shift of products.

use super::{Name, Pooling, ProductRounding, product};
use crate::check::value::{in_range, value_or};
use crate::diagnostics::Diagnostics;
use crate::operation::neuron::{LARGEST_BYTE, LARGEST_FAST_INPUT, Values};
use crate::spec::Transformer;

/// The name of the pooling in the spec; [`Name::None`] if it gives none.
pub(crate) fn name(transformer: &Transformer) -> Name {
    value_or(&transformer.pooling, Name::None)
}

/// Checks the keys of the pooling of `activated` values.
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
            .help(if transformer.activation.value.has_limit() {
                "a smaller `limit` clips them there"
            } else {
                "a larger `shift` makes them smaller"
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
