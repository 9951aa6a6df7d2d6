//! Activations: functions of single values, of which a layer can have several.

mod check;

use nnue_format::Element;

use super::{Activation, Argument, Calls, OpName, Operation};
pub(super) use crate::check::fixed_point::MOST_LEFT;
use crate::decode::table::{Table, boolean, integer, integers_or_one, keys};
use crate::diagnostics::{Diagnostics, Span, Spanned};
use crate::spec::{Named, place};

/// What 1.0 is in the results of activations, unless the spec says otherwise: seven bits, so that no
/// instruction set's byte products can saturate.
pub(super) const USUAL_ONE: u32 = 127;

/// An activation of the language.
pub(super) struct Definition {
    /// The word that a spec has for it.
    pub(super) name: &'static str,
    /// What it is of sums of integers, if they can have it.
    pub(super) integers: Option<OfIntegers>,
    /// What it is of `f32`, if they can have it.
    pub(super) floats: Option<OfFloats>,
}

/// An activation of integers: how `shift`, `one` and `limit` are checked, and what they make.
pub(super) struct OfIntegers {
    /// What is shifted to the right.
    pub(super) shifts: Shifted,
    /// How far it can be shifted to the left instead.
    pub(super) most_left: i32,
    /// What 1.0 is in the results, unless the spec says it.
    pub(super) one: DefaultOne,
    /// The largest result, unless the spec says it.
    pub(super) limit: DefaultLimit,
    /// The function with its parameters, and the smallest and the largest result that it can have.
    pub(super) of: fn(&Checked) -> (Activation, (i64, i64)),
}

/// What an activation of integers shifts. It says how the shift follows where what the activation
/// reads is multiplied, and all results stay as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shifted {
    /// The value: the shift grows by the binary logarithm of the factor.
    Value,
    /// The square of the value: it grows by twice as much.
    Square,
    /// A square that wraps around in 32 bits. Which squares do depends on the factor: no shift makes
    /// the results what they were.
    WrappedSquare,
}

/// What 1.0 is in the results of an activation, where the spec does not say it.
pub(super) enum DefaultOne {
    /// [`USUAL_ONE`].
    Usual,
    /// What the shift makes of the one of the values.
    Shifted,
    /// [`USUAL_ONE`], and a spec cannot say another.
    Fixed,
}

/// The largest result of an activation, where the spec does not say it.
pub(super) enum DefaultLimit {
    /// What 1.0 is in the results.
    One,
    /// [`USUAL_ONE`], whatever 1.0 is.
    Usual,
    /// What follows from the function, and a spec cannot say another.
    OfFunction,
}

/// What the spec says of an activation of integers, found right.
pub(super) struct Checked {
    /// What 1.0 is in the values that it reads.
    pub(super) from: u32,
    /// How far is shifted to the right; to the left if it is negative.
    pub(super) shift: i32,
    /// The largest result. It has no meaning for [`DefaultLimit::OfFunction`].
    pub(super) limit: u32,
}

/// An activation of `f32`, which has no parameters.
pub(super) struct OfFloats {
    /// The function in the runtime's `activation.rs`.
    pub(super) function: &'static str,
    /// The formula of a value `x`.
    pub(super) formula: &'static str,
}

/// A function of the runtime with its parameters. The methods are those of [`Activation`].
pub(super) trait Function {
    fn name(&self) -> &'static str;

    /// In the order in which the runtime's function takes them.
    fn parameters(&self) -> Vec<(&'static str, u32)>;

    fn formula(&self) -> String;
}

impl Function for OfFloats {
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

/// The form of `f32` of the activation of this name.
pub(super) fn of_floats(name: OpName) -> &'static OfFloats {
    let definition = name.activation();
    match definition.and_then(|definition| definition.floats.as_ref()) {
        Some(floats) => floats,
        None => unreachable!("the check refuses `{name}` of `f32`"),
    }
}

impl Activation {
    /// The name of the function in the runtime's `activation.rs` that computes it.
    pub fn name(&self) -> &'static str {
        self.function().name()
    }

    /// The arguments of that function after the values, each with its name.
    pub fn parameters(&self) -> Vec<(&'static str, u32)> {
        self.function().parameters()
    }

    /// The parameter of this name, if the function has one.
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
    /// Whether it is a function of single values, of which a layer can have several.
    pub fn is_activation(self) -> bool {
        self.activation().is_some()
    }

    /// Whether it is an activation that `f32` can have.
    pub fn has_floats(self) -> bool {
        self.activation().is_some_and(|own| own.floats.is_some())
    }

    /// What it shifts, if it is an activation that integers can have.
    pub fn shifted(self) -> Option<Shifted> {
        let integers = self.activation()?.integers.as_ref()?;
        Some(integers.shifts)
    }

    /// Whether it is an activation whose largest result a spec can say.
    pub fn has_limit(self) -> bool {
        let integers = self.activation().and_then(|own| own.integers.as_ref());
        integers.is_some_and(|own| !matches!(own.limit, DefaultLimit::OfFunction))
    }

    /// The activations that `f32` can have.
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

/// The keys of a layer of activations.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    /// The value of `op`: one activation, or several, whose results follow one another.
    pub functions: Vec<Spanned<OpName>>,
    /// `shift`: the bits that are shifted out to the right, or in to the left if it is negative; of
    /// all functions or of each.
    pub shift: Option<Spanned<Vec<Spanned<i64>>>>,
    /// `one`: the integer that stands for 1.0 in the results.
    pub one: Option<Spanned<i64>>,
    /// `limit`: the largest value; of all functions or of each.
    pub limit: Option<Spanned<Vec<Spanned<i64>>>>,
    /// `clips_one = true`: a largest value below 1.0 is meant, of at least one of the functions.
    pub clips_one: Option<Spanned<bool>>,
}

/// Reads the keys that all of these functions have.
pub(super) fn decode(
    functions: Vec<Spanned<OpName>>,
    table: &mut Table<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Keys> {
    let limited = functions.iter().all(|function| function.value.has_limit());
    keys!(table, diagnostics, Keys {
        shift: integers_or_one,
        ;
        limit: match limited {
            true => table.optional_with("limit", integers_or_one, diagnostics),
            false => Some(None),
        },
        clips_one: match limited {
            true => table.optional_with("clips_one", boolean, diagnostics),
            false => Some(None),
        },
        one: table.optional_with("one", integer, diagnostics),
        functions: Some(functions),
    })
}

impl Keys {
    /// The keys that only integers have, each with its place.
    fn of_integers(&self) -> impl Iterator<Item = (&'static str, Span)> {
        let keys = [
            place("shift", &self.shift),
            place("one", &self.one),
            place("limit", &self.limit),
        ];
        keys.into_iter().flatten()
    }
}

/// `value >> shift`, for formulas.
pub(super) fn shifted_right(value: &str, shift: u32) -> String {
    match shift {
        0 => value.to_string(),
        _ => format!("{value} >> {shift}"),
    }
}
