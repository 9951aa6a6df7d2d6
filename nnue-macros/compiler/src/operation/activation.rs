//! Activations: functions of single values. A layer can have several.

mod check;

use nnue_format::Element;

use super::pooling::ProductRounding;
use super::{Activation, Argument, Calls, OpName, Operation};
use crate::check::fixed_point::LARGEST_RESULT;
pub(super) use crate::check::fixed_point::MOST_LEFT;
use crate::check::value::place;
use crate::decode::table::{Table, boolean, integer, integers_or_one, keys, named};
use crate::diagnostics::{Diagnostics, Span, Spanned};
use crate::spec::documented::documented;
use crate::spec::named::Named;

pub(super) use check::element;

/// The integer that stands for 1.0 in the results of activations, unless the spec gives another. It
/// has seven bits, so that no instruction set's byte products can saturate.
pub(super) const USUAL_ONE: u32 = 127;

/// An activation of the language.
pub(super) struct Definition {
    /// The word of the activation in a spec.
    pub(super) name: &'static str,
    /// The form for sums of integers, if there is any.
    pub(super) integers: Option<IntegerForm>,
    /// The form for `f32`, if there is any.
    pub(super) floats: Option<FloatForm>,
}

/// The form of an activation for integers: how `shift`, `one` and `limit` are checked, and which
/// function they give.
pub(super) struct IntegerForm {
    /// The number that is shifted to the right.
    pub(super) shifts: ShiftedValue,
    /// How many bits this number can be shifted to the left instead, at most.
    pub(super) most_left: i32,
    /// The integer that stands for 1.0 in the results, unless the spec gives it.
    pub(super) one: DefaultOne,
    /// The largest result, unless the spec gives it.
    pub(super) limit: DefaultLimit,
    /// Whether a spec can say how the shift rounds.
    pub(super) rounds: bool,
    /// Makes the function with its parameters, and the smallest and the largest result that it can
    /// have.
    pub(super) function: fn(&CheckedParameters) -> (Activation, (i64, i64)),
}

/// The number that an activation of integers shifts. If the values that the activation reads are
/// multiplied by a factor, this decides how the shift must change so that all results stay the
/// same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftedValue {
    /// The value is shifted: the shift grows by the binary logarithm of the factor.
    Value,
    /// The square of the value is shifted: the shift grows by twice the binary logarithm of the
    /// factor.
    Square,
    /// The square of the value is shifted, and it wraps around in 32 bits. Which squares wrap
    /// around depends on the factor, so no shift gives the same results.
    WrappedSquare,
}

/// The integer that stands for 1.0 in the results of an activation, where the spec does not give
/// it.
pub(super) enum DefaultOne {
    /// [`USUAL_ONE`].
    Usual,
    /// The `one` of the values that the activation reads, shifted as these values are.
    Shifted,
    /// [`USUAL_ONE`], and a spec cannot give another integer.
    Fixed,
}

/// The largest result of an activation, where the spec does not give it.
pub(super) enum DefaultLimit {
    /// The integer that stands for 1.0 in the results.
    One,
    /// [`USUAL_ONE`], whichever integer stands for 1.0.
    Usual,
    /// The largest result of the function itself, and a spec cannot give another limit.
    OfFunction,
}

/// The checked parameters of an activation of integers.
pub(super) struct CheckedParameters {
    /// The integer that stands for 1.0 in the values that the activation reads.
    pub(super) from: u32,
    /// The number of bits of the shift to the right; to the left if it is negative.
    pub(super) shift: i32,
    /// The largest result. It has no meaning for [`DefaultLimit::OfFunction`].
    pub(super) limit: u32,
    /// How the shift rounds, for functions with [`IntegerForm::rounds`].
    pub(super) rounding: ProductRounding,
}

/// The form of an activation for `f32`, which has no parameters.
pub(super) struct FloatForm {
    /// The name of the function in the runtime's `activation.rs`.
    pub(super) function: &'static str,
    /// The formula of a value `x`.
    pub(super) formula: &'static str,
}

/// A function of the runtime with its parameters. The methods are documented at [`Activation`].
pub(super) trait Function {
    fn name(&self) -> &'static str;

    /// The parameters in the order in which the runtime's function takes them.
    fn parameters(&self) -> Vec<(&'static str, u32)>;

    fn formula(&self) -> String;
}

impl Function for FloatForm {
    fn name(&self) -> &'static str {
        self.function
    }

    fn parameters(&self) -> Vec<(&'static str, u32)> {
        Vec::new()
    }

    fn formula(&self) -> String {
        self.formula.to_string()
    }
}

/// The form for `f32` of the activation with this name.
pub(super) fn float_form(name: OpName) -> &'static FloatForm {
    let definition = name.activation();
    match definition.and_then(|definition| definition.floats.as_ref()) {
        Some(floats) => floats,
        None => unreachable!("the check refuses `{name}` of `f32`"),
    }
}

impl Activation {
    /// The name of the function in the runtime's `activation.rs` that computes the activation.
    pub fn name(&self) -> &'static str {
        self.function().name()
    }

    /// The arguments of the runtime's function after the values, each with its name.
    pub fn parameters(&self) -> Vec<(&'static str, u32)> {
        self.function().parameters()
    }

    /// The parameter with this name, if the function has such a parameter.
    pub fn parameter(&self, name: &str) -> Option<u32> {
        let parameters = self.parameters();
        let named = parameters.iter().find(|(own, _)| *own == name);
        named.map(|(_, value)| *value)
    }

    /// The formula of a value `x`, as the table of a network shows it.
    pub fn formula(&self) -> String {
        self.function().formula()
    }
}

impl OpName {
    /// Whether the operation is a function of single values. A layer can have several.
    pub fn is_activation(self) -> bool {
        self.activation().is_some()
    }

    /// Whether the operation is an activation with a form for `f32`.
    pub fn has_floats(self) -> bool {
        self.activation().is_some_and(|own| own.floats.is_some())
    }

    /// The number that the operation shifts, if it is an activation with a form for integers.
    pub fn shifted(self) -> Option<ShiftedValue> {
        let integers = self.activation()?.integers.as_ref()?;
        Some(integers.shifts)
    }

    /// Whether the operation is an activation whose largest result a spec can give.
    pub fn has_limit(self) -> bool {
        let integers = self.activation().and_then(|own| own.integers.as_ref());
        integers.is_some_and(|own| !matches!(own.limit, DefaultLimit::OfFunction))
    }

    /// Whether the operation is an activation of integers for which a spec can say how its shift
    /// rounds.
    pub fn has_rounding(self) -> bool {
        let integers = self.activation().and_then(|own| own.integers.as_ref());
        integers.is_some_and(|own| own.rounds)
    }

    /// The activations with a form for `f32`.
    fn all_with_floats() -> impl Iterator<Item = OpName> {
        let names = OpName::NAMES.iter().map(|(_, name)| *name);
        names.filter(|name| name.has_floats())
    }
}

impl Operation for Vec<Activation> {
    fn formula(&self, inputs: &[String]) -> String {
        let formulas: Vec<String> = self.iter().map(Activation::formula).collect();
        format!("{}, x = {}", formulas.join(" ++ "), inputs.join(" ++ "))
    }

    fn calls(&self, _: Element) -> Calls {
        let call = |activation: &Activation| {
            let arguments = activation.parameters().into_iter();
            let arguments = arguments.map(|(_, value)| Argument::Integer(value));
            (activation.name(), arguments.collect())
        };
        Calls::Joined(self.iter().map(call).collect())
    }
}

documented! {
    /// The keys of a layer of activations.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `op`: an activation, or several, whose results follow one another.
        pub functions: Vec<Spanned<OpName>>,
        /// `shift`: the bits that are shifted out to the right, or in to the left if it is negative; a
        /// single number for all functions, or a number for each function.
        #[within(-16..=31)]
        pub shift: Option<Spanned<Vec<Spanned<i64>>>>,
        /// `one`: the integer that stands for 1.0 in the results.
        #[within(1..=LARGEST_RESULT)]
        pub one: Option<Spanned<i64>>,
        /// `limit`: the largest result; a single number for all functions, or a number for each
        /// function.
        #[within(1..=LARGEST_RESULT)]
        pub limit: Option<Spanned<Vec<Spanned<i64>>>>,
        /// `clips_one = true`: the largest result of at least one function is below 1.0 on purpose.
        pub clips_one: Option<Spanned<bool>>,
        /// `rounding`: how the shift of the functions rounds that can round in several ways.
        #[default("floor")]
        pub rounding: Option<Spanned<ProductRounding>>,
    }
}

/// Decodes the keys that all of these functions have.
pub(super) fn decode(
    functions: Vec<Spanned<OpName>>,
    table: &mut Table<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Keys> {
    let rounds = functions.iter().any(|own| own.value.has_rounding());
    let limited = functions.iter().all(|function| function.value.has_limit());
    keys!(table, diagnostics, Keys {
           shift: integers_or_one,
           ;
           limit: if limited { table.optional_with("limit", integers_or_one, diagnostics)
    } else { Some(None)
    },
           clips_one: if limited { table.optional_with("clips_one", boolean, diagnostics)
    } else { Some(None)
    },
           rounding: if rounds { table.optional_with("rounding", named, diagnostics)
    } else { Some(None)
    },
           one: table.optional_with("one", integer, diagnostics),
           functions: Some(functions),
       })
}

impl Keys {
    /// The keys that are only for integers, each with its place.
    fn of_integers(&self) -> impl Iterator<Item = (&'static str, Span)> {
        let keys = [
            place("shift", &self.shift),
            place("one", &self.one),
            place("limit", &self.limit),
            place("rounding", &self.rounding),
        ];
        keys.into_iter().flatten()
    }
}

/// The formula of a product or a square after a shift that rounds so.
pub(crate) fn rounded(product: &str, shift: u32, rounding: ProductRounding) -> String {
    match rounding.summand(shift) {
        0 => shifted_right(product, shift),
        summand => format!("({product} + {summand}) >> {shift}"),
    }
}

/// The formula `value >> shift`, or `value` alone where the shift is 0.
pub(super) fn shifted_right(value: &str, shift: u32) -> String {
    match shift {
        0 => value.to_string(),
        _ => format!("{value} >> {shift}"),
    }
}
