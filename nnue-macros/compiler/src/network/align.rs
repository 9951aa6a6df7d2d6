//! How terms of different fixed points are brought together.

/// How a term of one fixed point is brought to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Align {
    /// The term is in that fixed point already.
    None,
    /// `x * numerator / denominator` in `i64`, truncating; one pair, or one per value.
    Exact(Vec<(i64, i64)>),
    /// `x * multiplier >> shift` in `i64`, rounding down; one multiplier, or one per value.
    Shift {
        /// One multiplier for all values, or one for each; at most 2^31.
        multipliers: Vec<i64>,
        /// Bits that are shifted out to the right.
        shift: u32,
    },
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
