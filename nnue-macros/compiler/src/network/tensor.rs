//! The values that layers compute and read.

use nnue_format::Element;

/// A vector of values that one layer computes and others read.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The number of values, at least 1.
    pub len: usize,
    /// The type of each value.
    pub element: Element,
    /// The integer that stands for 1.0 in the values.
    pub one: One,
    /// The smallest and the largest value that can occur if all biases are 0. It has no meaning for
    /// `f32`.
    pub range: (i64, i64),
}

impl Tensor {
    /// A tensor of `f32` values.
    pub fn float(len: usize) -> Tensor {
        Tensor {
            len,
            element: Element::F32,
            one: One::Tensor(1),
            range: (0, 0),
        }
    }
}

/// The integer that stands for 1.0 in a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum One {
    /// The same integer for all values; 1 in `f32` tensors.
    Tensor(u32),
    /// An integer for each value. They are not all the same.
    Channels(Vec<u32>),
}

impl One {
    /// The `one` of `len` values from index `start` on.
    pub fn slice(&self, start: usize, len: usize) -> One {
        match self {
            One::Tensor(one) => One::Tensor(*one),
            One::Channels(ones) => One::of(ones[start..start + len].to_vec()),
        }
    }

    /// Makes a `One` of one integer for each value: [`One::Tensor`] if they are all the same.
    pub fn of(ones: Vec<u32>) -> One {
        match ones.as_slice() {
            [first, rest @ ..] if rest.iter().all(|one| one == first) => One::Tensor(*first),
            _ => One::Channels(ones),
        }
    }

    /// The integer that stands for 1.0 in the value at `index`.
    pub fn at(&self, index: usize) -> u32 {
        match self {
            One::Tensor(one) => *one,
            One::Channels(ones) => ones[index],
        }
    }

    /// The integer that stands for 1.0 in all values; `None` if it is not the same for all.
    pub fn shared(&self) -> Option<u32> {
        match self {
            One::Tensor(one) => Some(*one),
            One::Channels(_) => None,
        }
    }
}

/// A run of values of one tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The transformer or the layer that computes the values.
    pub source: Source,
    /// The index of the first value.
    pub start: usize,
    /// The number of values.
    pub len: usize,
}

/// The part of the network that computes a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The transformer, which all layers can read.
    Transformer,
    /// The sums of the transformer's neurons that are not pooled, which all layers can read. Only
    /// networks with [`Transformer::unpooled`](super::Transformer::unpooled) have them.
    Unpooled,
    /// The transformer's PSQT sums, which all layers can read. Only networks with
    /// [`Transformer::psqt_sums`](super::Transformer::psqt_sums) have them.
    Psqt,
    /// The layer with this index.
    Layer(usize),
}
