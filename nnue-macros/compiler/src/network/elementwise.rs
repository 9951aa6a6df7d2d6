//! Layers that compute value by value: what each does, and how the table of a network writes it.

use super::{Activation, Align};

/// What a layer without weights computes for each value of its output.
#[derive(Clone, Debug, PartialEq)]
pub enum Elementwise {
    /// A function of one value.
    Activation(Activation),
    /// `y[i] = sum of the inputs' [i]`, each aligned. In `i64`, then `i32` with wrap-around; `f32`
    /// inputs are added from the first to the last and have [`Align::None`].
    Sum {
        /// What brings each input to the one of the sum, in the order of the inputs.
        aligns: Vec<Align>,
    },
    /// `y[i] = x[i] as f32 * scale`, rounded once.
    Float {
        /// The factor of every value.
        scale: f32,
    },
}

impl Elementwise {
    /// The formula, as the table of a network shows it, of inputs that are called so.
    pub fn formula(&self, inputs: &[String]) -> String {
        match self {
            Elementwise::Activation(function) => {
                format!("{}, x = {}", function.formula(), inputs.join(" ++ "))
            }
            Elementwise::Sum { aligns } => {
                let terms = inputs.iter().zip(aligns);
                let terms: Vec<_> = terms.map(|(input, align)| align.formula(input)).collect();
                terms.join(" + ")
            }
            Elementwise::Float { scale } => format!("{} * {scale:e}", inputs.join(" ++ ")),
        }
    }
}

impl Align {
    /// The formula of a term, as the table of a network shows it.
    pub fn formula(&self, term: &str) -> String {
        match self {
            Align::None => term.to_string(),
            Align::Exact(factors) => match factors.as_slice() {
                [(numerator, 1)] => format!("{term} * {numerator}"),
                [(1, denominator)] => format!("{term} / {denominator}"),
                [(numerator, denominator)] => format!("{term} * {numerator} / {denominator}"),
                _ => format!("{term} * a factor per value"),
            },
            Align::Shift { multipliers, shift } => match multipliers.as_slice() {
                [multiplier] => format!("({term} * {multiplier} >> {shift})"),
                _ => format!("({term} * a multiplier per value >> {shift})"),
            },
        }
    }
}
