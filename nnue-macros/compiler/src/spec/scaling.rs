//! How sums are brought to another `one`, or to the engine's units.

use super::documented::documented;
use super::named::named;
use crate::check::value::ONES;
use crate::diagnostics::Spanned;

documented! {
    /// The keys of `[output]` and `[[head]]` that lead from the terms to the engine's units.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Scaling {
        /// How terms in which other integers stand for 1.0 are brought to `one`.
        pub alignment: Alignment,
        /// `multiply`: the factor of the sum before the division.
        #[within(ONES)]
        #[default(1)]
        pub multiply: Option<Spanned<i64>>,
        /// `divide`: the divisor that takes the sum to the engine's units.
        #[within(ONES)]
        #[default(1)]
        pub divide: Option<OutputDivide>,
        /// `scale`: the number of the engine's units in 1.0, instead of `multiply` and `divide`.
        pub scale: Option<Spanned<f64>>,
        /// `rounding`: how the quotient is rounded.
        #[default("truncate")]
        pub rounding: Option<Spanned<Rounding>>,
    }
}

documented! {
    /// The key `divide`: `divide = 16` or `divide = { by = 16, of = "each" }`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct OutputDivide {
        /// `by`: the divisor, at least 1.
        #[within(ONES)]
        pub by: Spanned<i64>,
        /// `of`: whether the PSQT value and the positional value are divided together.
        pub of: DivideOf,
    }
}

documented! {
    /// The keys that say how values in which different integers stand for 1.0 are brought to the same
    /// `one`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Alignment {
        /// `one`: the integer that stands for 1.0 in the result.
        #[within(ONES)]
        pub one: Option<Spanned<i64>>,
        /// `align`: how values are brought to that `one`.
        pub align: Option<Spanned<Align>>,
        /// `bits`: how many bits the multiplier of `align = "shift"` has at most.
        #[within(1..=24)]
        #[default(8)]
        pub bits: Option<Spanned<i64>>,
        /// `error`: the largest relative error of a factor that is accepted.
        #[within(0..=1)]
        pub error: Option<Spanned<f64>>,
    }
}

named! {
    /// How a division rounds.
    Rounding {
        /// The quotient is rounded towards zero.
        Truncate = "truncate",
        /// The quotient is rounded down.
        Floor = "floor",
    }
}

named! {
    /// How values in which different integers stand for 1.0 are brought to the same `one`.
    Align {
        /// `x * one / from` in 64 bits, rounded towards zero, where `from` is the `one` of `x`.
        Exact = "exact",
        /// `x * multiplier >> shift`, where the multiplier has few bits.
        Shift = "shift",
    }
}

named! {
    /// Whether the output's division is applied to a sum or to its summands.
    DivideOf {
        /// `(psqt + positional) / by`.
        Sum = "sum",
        /// `psqt / by + positional / by`.
        Each = "each",
    }
}
