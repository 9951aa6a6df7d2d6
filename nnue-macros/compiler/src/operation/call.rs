//! The calls of the runtime in generated code that compute a layer value by value.

use super::rms_norm::Gain;

/// The calls that compute a layer, and how the outputs follow from them.
#[derive(Clone, Debug, PartialEq)]
pub enum Calls {
    /// Each call computes as many outputs as there are inputs, and the results follow one another.
    /// All inputs are the first arguments of each call.
    Joined(Vec<Call>),
    /// A call of this function computes all outputs. Its argument is a list of all inputs.
    OfList(&'static str),
    /// There is a call for each input, whose first arguments are sums of 64 bits and the input. The
    /// outputs are the lower 32 bits of the sums.
    OfTerms(Vec<Call>),
}

/// The name of a function of the runtime, and its arguments after the values.
pub type Call = (&'static str, Vec<Argument>);

/// An argument of a call that is not a value of a layer.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// An integer: a number of bits, or a limit.
    Integer(u32),
    /// A number in floating point: the factor of a conversion, or a term.
    Float(f32),
    /// The level's primitive for `a * b + c` in `f32`.
    Fma,
    /// The level's primitive for square roots in `f32`.
    Sqrt,
    /// A function from the index of a value to the gain of the value, which is made of the layer's
    /// factors. `None` stands for gains of 1.
    Gain(Option<Gain>),
    /// Integers: a single number for all values, or a number for each value.
    Integers(Vec<i64>),
}
