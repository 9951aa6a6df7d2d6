//! Weights as plain tables, in the order of the spec.

/// Numbers of one type. Integers are wider than any tensor of theirs, so that no type of the compiler's is needed.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers of any type.
    Integers(Vec<i64>),
    /// Floating point.
    Floats(Vec<f32>),
}

impl Values {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Values::Integers(values) => values.len(),
            Values::Floats(values) => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Integers.
    ///
    /// # Panics
    ///
    /// If they are floating point, which the checked graph rules out wherever this is asked.
    #[must_use]
    pub fn integers(&self) -> &[i64] {
        match self {
            Values::Integers(values) => values,
            Values::Floats(_) => panic!("found floating point, expected integers"),
        }
    }

    /// Floating point.
    ///
    /// # Panics
    ///
    /// If they are integers.
    #[must_use]
    pub fn floats(&self) -> &[f32] {
        match self {
            Values::Floats(values) => values,
            Values::Integers(_) => panic!("found integers, expected floating point"),
        }
    }
}

/// All weights of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The sparse first layer's: those of both perspectives, or white's and black's.
    pub transformer: Vec<TransformerWeights>,
    /// Per stack, per layer of the network: those of affine layers, `None` for others.
    pub stacks: Vec<Vec<Option<AffineWeights>>>,
}

/// The weights of the transformer, as a file has them: rows are not coalesced.
#[derive(Clone, Debug, PartialEq)]
pub struct TransformerWeights {
    /// One per neuron.
    pub biases: Vec<i16>,
    /// `[feature][neuron]`, then the same of virtual features.
    pub rows: Vec<i16>,
    /// `[feature][bucket]`, then the same of virtual features.
    pub psqt: Vec<i32>,
}

/// The weights of an affine layer.
#[derive(Clone, Debug, PartialEq)]
pub struct AffineWeights {
    /// One per output.
    pub biases: Values,
    /// `[output][input]`; binary ones are -1 and 1.
    pub weights: Values,
    /// One factor per output, of binary layers that have them.
    pub alpha: Vec<i16>,
}
