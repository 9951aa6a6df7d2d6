//! Checks the transformer: follows the values from the accumulators to what the layers read, and
//! computes the range of each step.

use crate::diagnostics::Diagnostics;
use crate::network::{
    Element, One, Pooling, ProductRounding, Tensor, Transformer, TransformerActivation,
};
use crate::spec::{self, Pairs, PairsKey, Spec};

use super::activation::{CLIPS_ONE, check_clips_one, least_limit};
use super::{in_range, in_range_or, perspectives, psqt, value_or};

/// The largest width: several times that of any network in `specs`.
const MAX_WIDTH: i64 = 16384;

/// The largest value that kernels handle as a byte, and the largest whose square they handle.
const LARGEST_BYTE: u32 = u8::MAX as u32;

/// Inputs up to this can be multiplied in bytes on every instruction set, whatever the weights.
const LARGEST_FAST_INPUT: u32 = 127;

/// Values between accumulator and output: what is 1.0, and the largest.
#[derive(Clone, Copy)]
struct Values {
    one: u32,
    largest: u32,
}

pub(super) fn check(spec: &Spec, diagnostics: &mut Diagnostics) -> Option<Transformer> {
    let transformer = &spec.transformer;
    let width = in_range("width", &transformer.width, 1..=MAX_WIDTH, diagnostics);
    let psqt = psqt::check(spec, diagnostics);
    let perspectives = perspectives::check(transformer, diagnostics);
    let one = check_one(transformer, diagnostics);
    let keys_fit = check_keys(transformer, diagnostics);
    let (one, width) = (one?, width? as usize);
    keys_fit.then_some(())?;
    let activation = activation(transformer, one, diagnostics)?;
    let activated = activated(activation, one);
    let pooling = pooling(transformer, activated, diagnostics)?;
    let unpooled = check_unpooled(transformer, width, diagnostics)?;
    check_even(transformer, pooling, unpooled, diagnostics);

    let pooled_neurons = width - unpooled;
    let block = check_block(transformer, pooled_neurons, diagnostics)?;
    let (half, pooled) = match pooling {
        Pooling::None => (width, activated),
        Pooling::Product { shift, rounding } => {
            (pooled_neurons / 2, product(activated, shift, rounding))
        }
        Pooling::Average | Pooling::Max => (pooled_neurons / 2, activated),
    };
    let perspectives = perspectives?;
    let (psqt, psqt_sums) = psqt?;
    let sums = Values { one, largest: one };
    let sums = tensor(
        TransformerActivation::None,
        sums,
        perspectives.count * unpooled,
    );
    Some(Transformer {
        width,
        one,
        psqt,
        psqt_sums,
        activation,
        activated: tensor(activation, activated, pooled_neurons),
        pooling,
        block,
        perspectives,
        output: tensor(activation, pooled, perspectives.count * half),
        unpooled: (unpooled > 0).then_some(sums),
    })
}

/// So many values, of the smallest type that holds them.
fn tensor(activation: TransformerActivation, values: Values, len: usize) -> Tensor {
    let (element, range) = match activation {
        TransformerActivation::None => (Element::I16, (i64::from(i16::MIN), i64::from(i16::MAX))),
        _ => (element(values.largest), (0, i64::from(values.largest))),
    };
    Tensor {
        len,
        element,
        one: One::Tensor(values.one),
        range,
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

fn check_one(transformer: &spec::Transformer, diagnostics: &mut Diagnostics) -> Option<u32> {
    use spec::TransformerActivation as Name;
    let pooled = pooling_name(transformer) != spec::Pooling::None;
    let largest = match transformer.activation.value {
        Name::None => i16::MAX as i64,
        // What is pooled must be a byte: a `crelu` is clipped at its one, unless it has a limit.
        Name::Crelu if pooled && transformer.limit.is_none() => i64::from(LARGEST_BYTE),
        Name::Crelu | Name::Relu => i16::MAX as i64,
        Name::Screlu => i64::from(LARGEST_BYTE),
        Name::Quantmoid4 => i64::from(LARGEST_FAST_INPUT),
    };
    let one = in_range("one", &transformer.one, 1..=largest, diagnostics)?;
    if transformer.activation.value == Name::Quantmoid4 && one != LARGEST_FAST_INPUT {
        let message = format!("`one` is {one}, expected 127");
        diagnostics
            .error(transformer.one.span, message)
            .label("`quantmoid4` is made for it");
        return None;
    }
    Some(one)
}

fn pooling_name(transformer: &spec::Transformer) -> spec::Pooling {
    value_or(&transformer.pooling, spec::Pooling::None)
}

/// Whether all keys belong to the activation and the pooling.
fn check_keys(transformer: &spec::Transformer, diagnostics: &mut Diagnostics) -> bool {
    use spec::TransformerActivation as Name;
    let activation = transformer.activation.value;
    let pooling = pooling_name(transformer);
    let is_pooled = pooling != spec::Pooling::None;
    let owners = [
        (
            spec::place("shift", &transformer.shift),
            matches!(activation, Name::Screlu | Name::Relu),
            "`activation = \"screlu\"` or `\"relu\"`",
            "products are shifted by `product_shift`",
        ),
        (
            spec::place("limit", &transformer.limit),
            matches!(activation, Name::Crelu | Name::Relu),
            "`activation = \"crelu\"` or `\"relu\"`",
            "the other activations are clipped at their one: remove it",
        ),
        (
            spec::place("clips_one", &transformer.clips_one),
            matches!(activation, Name::Crelu | Name::Relu),
            "`activation = \"crelu\"` or `\"relu\"`",
            "the other activations are clipped at their one: remove it",
        ),
        (
            spec::place("product_shift", &transformer.product_shift),
            pooling == spec::Pooling::Product,
            "`pooling = \"product\"`",
            "remove it, or say which pooling is meant",
        ),
        (
            spec::place("product_rounding", &transformer.product_rounding),
            pooling == spec::Pooling::Product,
            "`pooling = \"product\"`",
            "remove it, or say which pooling is meant",
        ),
        (
            transformer
                .pairs
                .as_ref()
                .map(|pairs| ("pairs", pairs.span())),
            is_pooled,
            "a `pooling`",
            "remove it, or say which pooling is meant",
        ),
        (
            spec::place("unpooled", &transformer.unpooled),
            is_pooled,
            "a `pooling`",
            "without one, no neuron is pooled: remove it",
        ),
        (
            spec::place("pooling", &transformer.pooling),
            !is_pooled || activation != Name::None,
            "activated values",
            "say which activation is meant: `activation = \"crelu\"`",
        ),
    ];
    let mut fit = true;
    for (key, is_right, owner, help) in owners {
        if let (Some((key, span)), false) = (key, is_right) {
            diagnostics
                .error(span, format!("`{key}` needs {owner}"))
                .help(help);
            fit = false;
        }
    }
    fit
}

fn activation(
    transformer: &spec::Transformer,
    one: u32,
    diagnostics: &mut Diagnostics,
) -> Option<TransformerActivation> {
    use spec::TransformerActivation as Name;
    let shift = transformer.shift.as_ref();
    let shift = in_range_or("shift", shift, 0..=15, 0, diagnostics)?;
    Some(match transformer.activation.value {
        Name::None => TransformerActivation::None,
        Name::Crelu => TransformerActivation::Crelu {
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
            TransformerActivation::Screlu { shift }
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
            TransformerActivation::Relu { shift, limit }
        }
        Name::Quantmoid4 => TransformerActivation::Quantmoid4,
    })
}

/// The largest value of an activation, where 1.0 is `before` in its input and `after` in its
/// output. `largest` is allowed at most.
fn limit(
    transformer: &spec::Transformer,
    (largest, default): (i64, u32),
    (before, after): (u32, u32),
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let said = transformer.limit.as_ref();
    let limit = in_range_or("limit", said, 1..=largest, default, diagnostics)?;
    let least = least_limit(after);
    let clips_one = transformer.clips_one.as_ref();
    check_clips_one(clips_one, limit < least, diagnostics)?;
    if limit >= least || clips_one.is_some() {
        return Some(limit);
    }
    let span = said.map_or(transformer.activation.span, |limit| limit.span);
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

fn activated(activation: TransformerActivation, one: u32) -> Values {
    match activation {
        TransformerActivation::None => Values { one, largest: one },
        TransformerActivation::Crelu { limit } => Values {
            one,
            largest: limit,
        },
        TransformerActivation::Screlu { shift } => {
            product(Values { one, largest: one }, shift, ProductRounding::Floor)
        }
        TransformerActivation::Relu { shift, limit } => Values {
            one: one >> shift,
            largest: limit,
        },
        TransformerActivation::Quantmoid4 => Values {
            one: 127,
            largest: 126,
        },
    }
}

/// Products may lose one to the shift: 127 * 127 >> 7 is 126, and stands for 127.
fn product(values: Values, shift: u32, rounding: ProductRounding) -> Values {
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

fn pooling(
    transformer: &spec::Transformer,
    activated: Values,
    diagnostics: &mut Diagnostics,
) -> Option<Pooling> {
    let name = pooling_name(transformer);
    if name != spec::Pooling::None && activated.largest > LARGEST_BYTE {
        let largest = activated.largest;
        let message = format!(
            "pooling `{name}` reads values up to {largest}, allowed are values up to {LARGEST_BYTE}"
        );
        diagnostics
            .error(transformer.pooling.as_ref()?.span, message)
            .related(transformer.activation.span, "these values")
            .help(match transformer.activation.value {
                spec::TransformerActivation::Crelu | spec::TransformerActivation::Relu => {
                    "a smaller `limit` clips them there"
                }
                _ => "a larger `shift` makes them smaller",
            });
        return None;
    }
    Some(match name {
        spec::Pooling::None => Pooling::None,
        spec::Pooling::Product => products(transformer, activated, diagnostics)?,
        spec::Pooling::Average => Pooling::Average,
        spec::Pooling::Max => Pooling::Max,
    })
}

/// How two activated values are multiplied.
fn products(
    transformer: &spec::Transformer,
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
    transformer: &spec::Transformer,
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

/// How many of a perspective's neurons are not pooled.
fn check_unpooled(
    transformer: &spec::Transformer,
    width: usize,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let Some(unpooled) = &transformer.unpooled else {
        return Some(0);
    };
    // Two neurons at least are pooled.
    if width < 3 {
        let message = format!("`unpooled` is {}, but width is {width}", unpooled.value);
        diagnostics
            .error(unpooled.span, message)
            .help("two neurons at least are pooled");
        return None;
    }
    let most = width as i64 - 2;
    in_range("unpooled", unpooled, 1..=most, diagnostics).map(|unpooled| unpooled as usize)
}

/// Reports neurons that cannot be halved. No error of a layer follows from it, so layers are
/// checked all the same.
fn check_even(
    transformer: &spec::Transformer,
    pooling: Pooling,
    unpooled: usize,
    diagnostics: &mut Diagnostics,
) {
    let width = &transformer.width;
    let pooled = width.value - unpooled as i64;
    if let Some(unpooled) = &transformer.unpooled
        && pooled % 2 != 0
    {
        let message = format!(
            "{pooled} of {} neurons are pooled, expected an even number",
            width.value
        );
        diagnostics
            .error(unpooled.span, message)
            .related(width.span, "the width")
            .help("pooling makes one value of two");
        return;
    }
    if pooling != Pooling::None && pooled % 2 != 0 {
        diagnostics
            .error(width.span, format!("width {} is odd", width.value))
            .label(format!(
                "{} or {} would fit",
                width.value - 1,
                width.value + 1
            ))
            .help("pooling makes one value of two");
    }
}

/// How many neurons make a block whose halves are pooled.
fn check_block(
    transformer: &spec::Transformer,
    pooled: usize,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let block = match &transformer.pairs {
        None => return Some(pooled),
        Some(PairsKey::Named(pairs)) => {
            return Some(match pairs.value {
                Pairs::Halves => pooled,
                Pairs::Neighbours => 2,
            });
        }
        Some(PairsKey::Blocks(block)) => block,
    };
    let len = in_range("block", block, 2..=MAX_WIDTH, diagnostics)? as usize;
    if !len.is_multiple_of(2) || !pooled.is_multiple_of(len) {
        let message =
            format!("`block` is {len}, expected an even number that divides {pooled} neurons");
        let error = diagnostics.error(block.span, message);
        error.related(transformer.width.span, "the width");
        return None;
    }
    Some(len)
}
