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
    /// The name of the part's tensor in the spec and in `nnue check`.
    name: String,
    /// The player whose view the part has, if there is a part for each perspective.
    view: Option<&'static str>,
    column: Column,
    /// The shape, the type and the range of the tensor, and its integer for 1.0.
    facts: String,
    /// The formula of the part. Several feature sets have a line each.
    lines: Vec<String>,
    kind: Kind,
    /// The indices of the parts that this part reads. All of them come before it.
    reads: Vec<usize>,
}

/// The column in which a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// The main column: from the features through the layers.
    Main,
    /// The column beside it, with operations on PSQT values alone.
    Psqt,
    /// The place below both columns, with the outputs of the network.
    Values,
}

/// The kind of a part, which has a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Features,
    Transformer,
    /// An operation of the layers. Each stack has a copy of it.
    Layer {
        is_affine: bool,
    },
    Output,
}
