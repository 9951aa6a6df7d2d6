//! Activations: functions of one value. What each computes, how the table of a network writes it,
//! and which function of the runtime does it stand together, so that a new one is added in one
//! place.

#[cfg(doc)]
use super::TransformerActivation;

/// Elementwise functions. Integer ones make `u8`, `i16` or `i32`, `Float` ones `f32` from `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// `clamp(x >> shift, 0, limit)`, the shift rounding down. A `crelu` has its one for a limit.
    Relu {
        /// Bits that are shifted out to the right.
        shift: u32,
        /// The largest result, at least 1.
        limit: u32,
    },
    /// `clamp(x << shift, 0, limit)`, the product with a power of two exact.
    ReluLeft {
        /// Bits that are shifted in from the right, 1 to 16.
        shift: u32,
        /// The largest result, at least 1.
        limit: u32,
    },
    /// `min(x * x >> shift, limit)`, the product exact: square, then clip.
    SqrCrelu {
        /// Bits that are shifted out to the right.
        shift: u32,
        /// The largest result, at least 1.
        limit: u32,
    },
    /// The same with a square that wraps around in 32 bits, which makes some results negative.
    SqrCreluI32 {
        /// Bits that are shifted out to the right.
        shift: u32,
        /// The largest result, at least 1.
        limit: u32,
    },
    /// `clamp(x, 0, limit) * clamp(x, 0, limit) >> shift`, the product exact: clip, then square.
    Screlu {
        /// Bits that are shifted out to the right.
        shift: u32,
        /// The largest value before it is squared: the input's one.
        limit: u32,
    },
    /// [`TransformerActivation::Quantmoid4`] of `x >> shift`.
    Quantmoid4 {
        /// Bits that are shifted out to the right.
        shift: u32,
    },
    /// `clamp(x, 0, 1)`, the clipped rectifier.
    FloatCrelu,
    /// `clamp(x, 0, 1)` squared.
    FloatScrelu,
    /// `min(x * x, 1)`.
    FloatSqrCrelu,
    /// `max(x, 0)`, the rectifier.
    FloatRelu,
    /// `1 / (1 + exp(-x))`, as the runtime computes it.
    FloatSigmoid,
    /// `(x * clamp(x + 3, 0, 6)) * (1 / 6)`.
    FloatHardSwish,
    /// `x * x`.
    FloatSqr,
    /// `max(x, 0)` squared.
    FloatSqrRelu,
    /// `min(x, 0)` squared.
    FloatSqrNegative,
}

impl Activation {
    /// The formula of a value `x`, as the table of a network shows it.
    pub fn formula(self) -> String {
        let shifted = |value: &str, shift: u32| match shift {
            0 => value.to_string(),
            _ => format!("{value} >> {shift}"),
        };
        match self {
            Activation::Relu { shift, limit } => {
                format!("clamp({}, 0, {limit})", shifted("x", shift))
            }
            Activation::ReluLeft { shift, limit } => format!("clamp(x << {shift}, 0, {limit})"),
            Activation::SqrCrelu { shift, limit } => {
                format!("min({}, {limit})", shifted("x * x", shift))
            }
            Activation::SqrCreluI32 { shift, limit } => {
                format!("min({}, {limit})", shifted("(x * x in 32 bits)", shift))
            }
            Activation::Screlu { shift, limit } => {
                shifted(&format!("clamp(x, 0, {limit}) squared"), shift)
            }
            Activation::Quantmoid4 { shift } => format!("quantmoid4({})", shifted("x", shift)),
            Activation::FloatCrelu => "clamp(x, 0, 1)".to_string(),
            Activation::FloatScrelu => "clamp(x, 0, 1) squared".to_string(),
            Activation::FloatSqrCrelu => "min(x * x, 1)".to_string(),
            Activation::FloatRelu => "max(x, 0)".to_string(),
            Activation::FloatSigmoid => "1 / (1 + exp(-x))".to_string(),
            Activation::FloatSqr => "x * x".to_string(),
            Activation::FloatSqrRelu => "max(x, 0) squared".to_string(),
            Activation::FloatSqrNegative => "min(x, 0) squared".to_string(),
            Activation::FloatHardSwish => "(x * clamp(x + 3, 0, 6)) * (1 / 6)".to_string(),
        }
    }

    /// The function in the runtime's `activation.rs` that computes it, and its arguments after the
    /// values.
    pub fn call(self) -> (&'static str, Vec<u32>) {
        match self {
            Activation::Relu { shift, limit } => ("relu", vec![shift, limit]),
            Activation::ReluLeft { shift, limit } => ("relu_left", vec![shift, limit]),
            Activation::SqrCrelu { shift, limit } => ("sqr_crelu", vec![shift, limit]),
            Activation::SqrCreluI32 { shift, limit } => ("sqr_crelu_i32", vec![shift, limit]),
            Activation::Screlu { shift, limit } => ("screlu", vec![shift, limit]),
            Activation::Quantmoid4 { shift } => ("quantmoid4", vec![shift]),
            Activation::FloatCrelu => ("crelu_f32", vec![]),
            Activation::FloatScrelu => ("screlu_f32", vec![]),
            Activation::FloatSqrCrelu => ("sqr_crelu_f32", vec![]),
            Activation::FloatRelu => ("relu_f32", vec![]),
            Activation::FloatSigmoid => ("sigmoid_f32", vec![]),
            Activation::FloatSqr => ("sqr_f32", vec![]),
            Activation::FloatSqrRelu => ("sqr_relu_f32", vec![]),
            Activation::FloatSqrNegative => ("sqr_negative_f32", vec![]),
            Activation::FloatHardSwish => ("hard_swish_f32", vec![]),
        }
    }
}
