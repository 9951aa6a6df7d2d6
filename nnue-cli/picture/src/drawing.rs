//! A network as a picture: a box for each operation, from the features to the value, and an arrow
//! for each tensor that an operation reads.

mod boxes;
mod places;
mod routes;
mod svg;

pub use self::svg::svg;

/// A part of the network.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// The name of its tensor in the spec and in `nnue check`.
    name: String,
    /// Whose view of the position it is of, where there is a part for each perspective.
    view: Option<&'static str>,
    column: Column,
    /// The shape, the type, the range, and what 1.0 is.
    facts: String,
    /// How it is computed. Feature sets have a line each.
    lines: Vec<String>,
    kind: Kind,
    /// The indices of the parts that it reads, all of them before it.
    reads: Vec<usize>,
}

/// Where a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// On the main line: from the features through the layers.
    Main,
    /// Beside it: what is computed of PSQT values alone.
    Psqt,
    /// Below both: what the network gives.
    Values,
}

/// What a part is, which its colour says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Features,
    Transformer,
    /// An operation of the layers, of which there are as many copies as stacks.
    Layer {
        is_affine: bool,
    },
    Output,
}
