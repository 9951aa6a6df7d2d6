//! The choice between loops and straight-line code.

/// How much of a network is written out as straight-line code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unroll {
    /// Register tiles and small layers are straight-line code, and all else is loops. This is what
    /// measurements favour.
    #[default]
    Auto,
    /// Everything is straight-line code, at the price of code size and compile time.
    Full,
}
