//! Weights as plain tables, in the order of the spec.

use core::fmt;

use nnue_compiler::network::{Element, Layer, Network, WeightType};

/// Numbers of the same type.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers. Each fits in the tensor's type, which may be narrower.
    Integers(Vec<i64>),
    /// Floating-point numbers, where the tensor's type is `f32`.
    Floats(Vec<f32>),
}

impl Values {
    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Values::Integers(values) => values.len(),
            Values::Floats(values) => values.len(),
        }
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of a tensor of integers.
    ///
    /// # Panics
    ///
    /// If the values are floating point. The type of a tensor in the network says which they are:
    /// see [`Element`].
    #[must_use]
    #[track_caller]
    pub fn integers(&self) -> &[i64] {
        match self {
            Values::Integers(values) => values,
            Values::Floats(_) => panic!("found floating point, expected integers"),
        }
    }

    /// The values of a tensor of floating point.
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

    /// The values of all parts, one part after the other. All parts have the same type.
    ///
    /// # Panics
    ///
    /// If the parts have different types.
    #[track_caller]
    pub(crate) fn joined(parts: Vec<Values>) -> Values {
        match parts.first() {
            Some(Values::Floats(_)) => {
                Values::Floats(parts.iter().flat_map(Values::floats).copied().collect())
            }
            _ => Values::Integers(parts.iter().flat_map(Values::integers).copied().collect()),
        }
    }

    fn shape(&self) -> Shape {
        match self {
            Values::Integers(values) => Shape::Integers(values.len()),
            Values::Floats(values) => Shape::Floats(values.len()),
        }
    }
}

/// All weights of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The weights of the transformer: a single table that both perspectives use, or white's and
    /// black's tables.
    pub transformer: Vec<TransformerWeights>,
    /// `[stack][layer]`: the numbers of layers; `None` for layers without numbers in files.
    pub stacks: Vec<Vec<Option<LayerWeights>>>,
}

/// The weights of the transformer, with virtual rows added to the real rows. The type parameters
/// are the types of biases, of weights and of PSQT values.
#[derive(Clone, Debug, PartialEq)]
pub struct TransformerWeights<B = i16, W = i16, P = i32> {
    /// `[neuron]`: the accumulator of an empty board.
    pub biases: Vec<B>,
    /// `[feature][neuron]`: the rows of the features of all sets, one set after the other.
    pub rows: Vec<W>,
    /// `[feature][PSQT value]`; empty for networks without PSQT values.
    pub psqt: Vec<P>,
}

/// The numbers of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerWeights {
    /// `[output]`: the numbers that are added to the sums of products; zeros in affine layers
    /// without biases, empty in layers that are not affine.
    pub biases: Values,
    /// `[output][input]`. Binary weights are -1 and 1. Empty in layers that are not affine.
    pub weights: Values,
    /// `[output]`: the factors of a layer that has [`Layer::factors`]; empty in all others.
    pub factors: Values,
}

/// Weights that do not fit the network.
#[derive(Clone, PartialEq, Eq)]
pub struct WrongWeights {
    /// The name of the table, as in `transformer.biases` or `stack 3 fc_0.weights`.
    pub tensor: String,
    /// The number and the type of the values that the table has.
    pub found: Shape,
    /// The number and the type of the values that the network needs.
    pub expected: Shape,
}

/// The number and the type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// There is no table.
    Nothing,
    /// Tables of weights, and their number: of perspectives, of stacks, or of the layers of a
    /// stack.
    Tables(usize),
    /// A table of integers, and their number.
    Integers(usize),
    /// A table of floating-point numbers, and their number.
    Floats(usize),
}

impl Shape {
    fn of(len: usize, is_float: bool) -> Shape {
        if is_float {
            Shape::Floats(len)
        } else {
            Shape::Integers(len)
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Nothing => write!(f, "no weights"),
            Shape::Tables(1) => write!(f, "1 table"),
            Shape::Tables(len) => write!(f, "{len} tables"),
            Shape::Integers(len) => write!(f, "{len} integers"),
            Shape::Floats(len) => write!(f, "{len} floating-point numbers"),
        }
    }
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

nnue_format::debug_is_message!(WrongWeights);

impl std::error::Error for WrongWeights {}

impl Weights {
    /// Confirms that every table has the length and the type that the network says.
    pub(crate) fn check(&self, network: &Network) -> Result<(), WrongWeights> {
        let (transformer, rows) = (&network.transformer, network.feature_count());
        let copies = Shape::Tables(transformer.perspectives.copies());
        expect("transformer", Shape::Tables(self.transformer.len()), copies)?;
        for own in &self.transformer {
            for (name, found, expected) in [
                ("biases", own.biases.len(), transformer.width),
                ("weights", own.rows.len(), rows * transformer.width),
                ("psqt", own.psqt.len(), rows * transformer.psqt),
            ] {
                let [found, expected] = [found, expected].map(Shape::Integers);
                expect(&format!("transformer.{name}"), found, expected)?;
            }
        }
        let stacks = [self.stacks.len(), network.stacks.count].map(Shape::Tables);
        expect("stacks", stacks[0], stacks[1])?;
        for (number, stack) in self.stacks.iter().enumerate() {
            let name = format!("stack {number}");
            let layers = [stack.len(), network.layers.len()].map(Shape::Tables);
            expect(&name, layers[0], layers[1])?;
            for (layer, weights) in network.layers.iter().zip(stack) {
                check_layer(&format!("{name} {}", layer.name), layer, weights.as_ref())?;
            }
        }
        Ok(())
    }
}

fn check_layer(
    name: &str,
    layer: &Layer,
    weights: Option<&LayerWeights>,
) -> Result<(), WrongWeights> {
    let has_numbers = layer.affine().is_some() || layer.factors().is_some();
    let weights = match (has_numbers, weights) {
        (true, Some(weights)) => weights,
        (false, None) => return Ok(()),
        (false, Some(_)) => return expect(name, Shape::Tables(1), Shape::Nothing),
        (true, None) => return expect(name, Shape::Nothing, Shape::Tables(1)),
    };
    let outputs = layer.output.len;
    let nothing = Shape::Integers(0);
    let (biases, matrix) = match layer.affine() {
        Some(affine) => (
            Shape::of(outputs, layer.output.element == Element::F32),
            Shape::of(
                outputs * layer.input_len(),
                affine.weights == WeightType::F32,
            ),
        ),
        None => (nothing, nothing),
    };
    let (factors, of_factors) = match layer.factors() {
        Some((name, element)) => (name, Shape::of(outputs, element == Element::F32)),
        None => ("factors", nothing),
    };
    for (part, found, expected) in [
        ("biases", &weights.biases, biases),
        ("weights", &weights.weights, matrix),
        (factors, &weights.factors, of_factors),
    ] {
        expect(&format!("{name}.{part}"), found.shape(), expected)?;
    }
    Ok(())
}

fn expect(tensor: &str, found: Shape, expected: Shape) -> Result<(), WrongWeights> {
    if found == expected {
        return Ok(());
    }
    Err(WrongWeights {
        tensor: tensor.to_string(),
        found,
        expected,
    })
}

/// All weights of a network before they are rounded, in the units of the network's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct UnroundedWeights {
    /// The weights of the transformer: a single table that both perspectives use, or white's and
    /// black's tables. Rows are most of a network's weights, so they have the precision that
    /// trainers use.
    pub transformer: Vec<TransformerWeights<f64, f32, f64>>,
    /// `[stack][layer]`: the numbers of layers; `None` for layers without numbers in files.
    pub stacks: Vec<Vec<Option<UnroundedLayer>>>,
}

/// The numbers of a layer before they are rounded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnroundedLayer {
    /// `[output]`: the biases; zeros in affine layers without biases, empty in layers that are not
    /// affine.
    pub biases: Vec<f64>,
    /// `[output][input]`. Binary weights are -1 and 1. Empty in layers that are not affine.
    pub weights: Vec<f64>,
    /// `[output]`: the factors of layers that have factors; empty in all other layers.
    pub factors: Vec<f64>,
}
