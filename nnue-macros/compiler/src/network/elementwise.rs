//! Layers that compute value by value. What each does, how the table of a network writes it, and
//! which functions of the runtime do it stand together, so that a new one is added in one place.

use super::{Activation, Align, Element, Gain};

/// What a layer computes for each value of its output, value by value.
#[derive(Clone, Debug, PartialEq)]
pub enum Elementwise {
    /// Functions of one value each. The results of all values by the first function come before
    /// those by the second, and so on.
    Activations(Vec<Activation>),
    /// `y[i] = sum of the inputs' [i]`, each aligned. In `i64`, then `i32` with wrap-around; `f32`
    /// inputs are added from the first to the last and have [`Align::None`].
    Sum {
        /// What brings each input to the one of the sum, in the order of the inputs.
        aligns: Vec<Align>,
    },
    /// `y[i] = a[i] * b[i] >> shift` of two inputs. In `i64`, then `i32` with wrap-around; `f32` is
    /// rounded once, and `shift` is 0.
    Product {
        /// Bits that are shifted out to the right.
        shift: u32,
    },
    /// `y[i] = x[i] * (1 / sqrt(mean + epsilon)) * gain[i]` of `f32`, where `mean` is that of the
    /// squares of all values, added as [`super::Sums::Lanes`] does. Each operation is rounded.
    RmsNorm {
        /// A positive number.
        epsilon: f32,
        /// What the gains are, if there are any; otherwise they are 1.
        gain: Option<Gain>,
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
            Elementwise::Activations(functions) => {
                let functions = functions.iter().map(|function| function.formula());
                let functions: Vec<String> = functions.collect();
                format!("{}, x = {}", functions.join(" ++ "), inputs.join(" ++ "))
            }
            Elementwise::Sum { aligns } => {
                let terms = inputs.iter().zip(aligns);
                let terms: Vec<_> = terms.map(|(input, align)| align.formula(input)).collect();
                terms.join(" + ")
            }
            Elementwise::Product { shift: 0 } => inputs.join(" * "),
            Elementwise::Product { shift } => format!("{} >> {shift}", inputs.join(" * ")),
            Elementwise::RmsNorm { epsilon, gain } => {
                let gain = match gain {
                    None => "",
                    Some(Gain::Gamma) => " * gamma",
                    Some(Gain::OneMore) => " * (1 + gamma)",
                };
                let x = inputs.join(" ++ ");
                format!("x * (1 / sqrt(mean(x * x) + {epsilon:e})){gain}, x = {x}")
            }
            Elementwise::Float { scale } => format!("{} * {scale:e}", inputs.join(" ++ ")),
        }
    }

    /// The functions in the runtime's `activation.rs` that compute it, for outputs of this type.
    pub fn calls(&self, output: Element) -> Calls {
        match self {
            Elementwise::Activations(functions) => Calls::Joined(
                functions
                    .iter()
                    .map(|function| {
                        let (name, numbers) = function.call();
                        (name, numbers.into_iter().map(Argument::Integer).collect())
                    })
                    .collect(),
            ),
            Elementwise::Sum { .. } if output == Element::F32 => Calls::OfList("sum_f32"),
            Elementwise::Sum { aligns } => {
                Calls::OfTerms(aligns.iter().map(Align::call_that_adds).collect())
            }
            Elementwise::Product { .. } if output == Element::F32 => {
                Calls::Joined(vec![("product_f32", vec![])])
            }
            Elementwise::Product { shift } => {
                Calls::Joined(vec![("product", vec![Argument::Integer(*shift)])])
            }
            Elementwise::RmsNorm { epsilon, gain } => {
                let arguments = vec![
                    Argument::Float(*epsilon),
                    Argument::Fma,
                    Argument::Sqrt,
                    Argument::Gain(*gain),
                ];
                Calls::Joined(vec![("rms_norm_f32", arguments)])
            }
            Elementwise::Float { scale } => {
                Calls::Joined(vec![("float", vec![Argument::Float(*scale)])])
            }
        }
    }
}

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

impl Align {
    /// The function of the runtime that adds a term to sums.
    fn call_that_adds(&self) -> Call {
        match self {
            Align::None => ("add", vec![]),
            Align::Exact(factors) => {
                let (numerators, denominators) = factors.iter().copied().unzip();
                let factors = [numerators, denominators].map(Argument::Integers);
                ("add_scaled", factors.into())
            }
            Align::Shift { multipliers, shift } => {
                let multipliers = Argument::Integers(multipliers.clone());
                ("add_shifted", vec![multipliers, Argument::Integer(*shift)])
            }
        }
    }

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
