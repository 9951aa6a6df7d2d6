//! How terms in which different integers stand for 1.0 are brought to the same fixed point.

/// How a term is brought from its fixed point to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Align {
    /// The term is in that fixed point already.
    None,
    /// `x * numerator / denominator` in `i64`, truncating. There is a single pair for all values,
    /// or a pair for each value.
    Exact(Vec<(i64, i64)>),
    /// `x * multiplier >> shift` in `i64`, rounding down.
    Shift {
        /// A single multiplier for all values, or a multiplier for each value; at most 2^31.
        multipliers: Vec<i64>,
        /// The number of bits that are shifted out to the right.
        shift: u32,
    },
}

impl Align {
    /// The formula of the aligned term, as the table of a network shows it.
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
