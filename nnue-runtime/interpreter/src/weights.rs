//! Weights as plain tables, in the order of the spec.

use core::fmt;

use nnue_compiler::network::{Element, Layer, Network, WeightType};

/// Numbers of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers. Each fits the tensor's type, which is narrower.
    Integers(Vec<i64>),
    /// Floating point.
    Floats(Vec<f32>),
}

impl Values {
    /// How many values there are.
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

    /// The integers.
    ///
    /// # Panics
    ///
    /// If the values are floating point. Which they are, the network says: [`Element`].
    #[must_use]
    #[track_caller]
    pub fn integers(&self) -> &[i64] {
        match self {
            Values::Integers(values) => values,
            Values::Floats(_) => panic!("found floating point, expected integers"),
        }
    }

    /// The floating-point numbers.
    ///
    /// # Panics
    ///
    /// If the values are integers.
    #[must_use]
    #[track_caller]
    pub fn floats(&self) -> &[f32] {
        match self {
            Values::Floats(values) => values,
            Values::Integers(_) => panic!("found integers, expected floating point"),
        }
    }

    fn type_name(&self) -> &'static str {
        match self {
            Values::Integers(_) => INTEGERS,
            Values::Floats(_) => FLOATS,
        }
    }
}

const INTEGERS: &str = "integers";
const FLOATS: &str = "floating-point numbers";

/// All weights of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Those of the transformer: one table that both perspectives use, or white's and black's.
    pub transformer: Vec<TransformerWeights>,
    /// `[stack][layer]`: the weights of affine layers, `None` for all others.
    pub stacks: Vec<Vec<Option<AffineWeights>>>,
}

/// The weights of the transformer, virtual rows added to those that they are a part of.
#[derive(Clone, Debug, PartialEq)]
pub struct TransformerWeights {
    /// One per neuron.
    pub biases: Vec<i16>,
    /// `[feature][neuron]`, the features of all sets one after the other.
    pub rows: Vec<i16>,
    /// `[feature][PSQT value]`.
    pub psqt: Vec<i32>,
}

/// The weights of an affine layer.
#[derive(Clone, Debug, PartialEq)]
pub struct AffineWeights {
    /// One per output.
    pub biases: Values,
    /// `[output][input]`. Binary weights are -1 and 1.
    pub weights: Values,
    /// One factor per output in binary layers that have `scales`; empty in all others.
    pub alpha: Vec<i16>,
}

/// Weights that are not those of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongWeights {
    /// Which: `transformer.biases`, `stack 3 fc_0.weights`.
    pub tensor: String,
    /// What there is, as in `12 integers`.
    pub found: String,
    /// What the network has.
    pub expected: String,
}

impl fmt::Display for WrongWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrongWeights {
            tensor,
            found,
            expected,
        } = self;
        write!(f, "`{tensor}` has {found}, expected {expected}")
    }
}

impl std::error::Error for WrongWeights {}

impl Weights {
    /// Confirms that every table has the length and the type that the network says.
    pub(crate) fn check(&self, network: &Network) -> Result<(), WrongWeights> {
        let transformer = &network.transformer;
        let copies = transformer.perspectives.copies();
        count("transformer", self.transformer.len(), copies, "copies")?;
        for own in &self.transformer {
            let rows = network.feature_count();
            let lengths = [
                ("biases", own.biases.len(), transformer.width),
                ("weights", own.rows.len(), rows * transformer.width),
                ("psqt", own.psqt.len(), rows * transformer.psqt),
            ];
            for (name, found, expected) in lengths {
                count(&format!("transformer.{name}"), found, expected, INTEGERS)?;
            }
        }
        count("stacks", self.stacks.len(), network.stacks.count, "stacks")?;
        for (number, stack) in self.stacks.iter().enumerate() {
            let stack_name = format!("stack {number}");
            count(&stack_name, stack.len(), network.layers.len(), "layers")?;
            for (layer, weights) in network.layers.iter().zip(stack) {
                let name = format!("{stack_name} {}", layer.name);
                check_layer(&name, layer, weights.as_ref())?;
            }
        }
        Ok(())
    }
}

fn check_layer(
    name: &str,
    layer: &Layer,
    weights: Option<&AffineWeights>,
) -> Result<(), WrongWeights> {
    let (affine, weights) = match (layer.affine(), weights) {
        (Some(affine), Some(weights)) => (affine, weights),
        (None, None) => return Ok(()),
        (affine, weights) => {
            let says = |has: bool| if has { "weights" } else { "no weights" }.to_string();
            return Err(WrongWeights {
                tensor: name.to_string(),
                found: says(weights.is_some()),
                expected: says(affine.is_some()),
            });
        }
    };
    let outputs = layer.output.len;
    let weights_type = type_name(affine.weights == WeightType::F32);
    let biases_type = type_name(layer.output.element == Element::F32);
    let alpha = if affine.scales.is_some() { outputs } else { 0 };
    let (biases_name, weights_name) = (format!("{name}.biases"), format!("{name}.weights"));
    values(&biases_name, &weights.biases, outputs, biases_type)?;
    let expected = outputs * layer.input_len();
    values(&weights_name, &weights.weights, expected, weights_type)?;
    count(
        &format!("{name}.alpha"),
        weights.alpha.len(),
        alpha,
        INTEGERS,
    )
}

fn type_name(is_float: bool) -> &'static str {
    if is_float { FLOATS } else { INTEGERS }
}

fn values(
    tensor: &str,
    found: &Values,
    len: usize,
    expected: &'static str,
) -> Result<(), WrongWeights> {
    if (found.len(), found.type_name()) == (len, expected) {
        return Ok(());
    }
    Err(WrongWeights {
        tensor: tensor.to_string(),
        found: format!("{} {}", found.len(), found.type_name()),
        expected: format!("{len} {expected}"),
    })
}

fn count(tensor: &str, found: usize, expected: usize, what: &str) -> Result<(), WrongWeights> {
    if found == expected {
        return Ok(());
    }
    Err(WrongWeights {
        tensor: tensor.to_string(),
        found: format!("{found} {what}"),
        expected: format!("{expected} {what}"),
    })
}
