//! How generated code computes a layer value by value: calls of the runtime.

use super::rms_norm::Gain;

/// How a layer is made of calls.
#[derive(Clone, Debug, PartialEq)]
pub enum Calls {
    /// The outputs are the results of these calls, one by one. Each takes all inputs first.
    Joined(Vec<Call>),
    /// The outputs are the result of a call of this function, which takes a list of all inputs.
    OfList(&'static str),
    /// There is a call for each input, which takes sums of 64 bits and the input first. The outputs
    /// are the lower 32 bits of the sums.
    OfTerms(Vec<Call>),
}

/// A function of the runtime, and its arguments after the values.
pub type Call = (&'static str, Vec<Argument>);

/// An argument that is no value of a layer.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A number of bits, or a limit.
    Integer(u32),
    /// The factor of a conversion to floating point, or a term.
    Float(f32),
    /// The level's primitive for `a * b + c` in `f32`.
    Fma,
    /// The level's primitive for square roots in `f32`.
    Sqrt,
    /// The gain of the value of an index, made of the layer's factors; 1 without any.
    Gain(Option<Gain>),
    /// One number for all values, or one for each.
    Integers(Vec<i64>),
}
