//! Where every weight lies in memory, the same for all instruction sets.
//!
//! Each tensor starts on a cache line. The transformer's rows lie as in the file. Affine weights are turned
//! into blocks of four inputs, so that four input bytes, repeated over a vector, meet the weights of as many
//! outputs as the vector has lanes; rows of layers with few outputs stay rows. Inputs may be spread over
//! *slots* with gaps, so that what computes them can write whole vectors: weights of gaps are zero.

use crate::network::{Element, Layer, Network, Op, Source};

/// Tensors start at multiples of this.
pub const ALIGNMENT: usize = 64;

/// Outputs of a blocked layer are padded to whole vectors of the widest instruction set.
const OUTPUT_UNIT: usize = 16;

/// Rows are padded to what a horizontal sum takes in one step.
const ROW_UNIT: usize = 32;

/// Layers with fewer outputs are computed row by row.
pub const FEWEST_BLOCKED_OUTPUTS: usize = 8;

/// Inputs that one dot product takes from a block.
pub const BLOCK: usize = 4;

/// The memory of a network's weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// One perspective's accumulator; the biases are one too.
    pub half: Struct,
    /// One stack.
    pub stack: Struct,
    /// Everything.
    pub weights: Struct,
    /// Per layer of the network: how its output, or its inputs and weights, are laid out.
    pub layers: Vec<LayerLayout>,
}

/// A `repr(C)` struct without implicit padding.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// In the order of memory.
    pub fields: Vec<Field>,
    /// Bytes, a multiple of [`ALIGNMENT`].
    pub size: usize,
}

/// An array in a [`Struct`], followed by padding up to the next multiple of [`ALIGNMENT`].
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What its elements are.
    pub element: FieldElement,
    /// The axes, outermost first.
    pub shape: Vec<usize>,
    /// Bytes from the start of the struct.
    pub offset: usize,
    /// Bytes of the array.
    pub size: usize,
    /// Bytes of padding after it.
    pub padding: usize,
    /// What the documentation says of it.
    pub doc: String,
}

/// The type of a field's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldElement {
    /// A signed byte.
    I8,
    /// A 16-bit integer.
    I16,
    /// A 32-bit integer.
    I32,
    /// [`Layout::half`].
    Half,
    /// [`Layout::stack`].
    Stack,
}

/// How a layer is laid out.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerLayout {
    /// An affine layer.
    Affine(Affine),
    /// An activation, which writes this many bytes: more than it has values when its input is padded.
    Activation {
        /// Bytes.
        lanes: usize,
    },
}

/// Inputs and weights of an affine layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    /// Where the inputs come from, and where they lie.
    pub parts: Vec<Part>,
    /// Bytes of the input, gaps included.
    pub slots: usize,
    /// Outputs in memory: a multiple of 16 when blocked.
    pub outputs: usize,
    /// Whether weights are `[slots / 4][outputs][4]`, else `[outputs][slots]`.
    pub blocked: bool,
}

/// A run of an affine layer's inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Whose values.
    pub source: Source,
    /// The first of the source's bytes.
    pub start: usize,
    /// How many inputs it has.
    pub inputs: usize,
    /// How many bytes are copied.
    pub lanes: usize,
    /// The first input.
    pub input: usize,
    /// The first slot.
    pub slot: usize,
}

impl Affine {
    /// Blocks of four slots.
    pub fn blocks(&self) -> usize {
        self.slots / BLOCK
    }
}

impl Layout {
    /// Lays a network out.
    pub fn of(network: &Network) -> Layout {
        let mut layers: Vec<LayerLayout> = Vec::new();
        for layer in &network.layers {
            let laid_out = match layer.op {
                Op::Affine { .. } => LayerLayout::Affine(affine(network, layer, &layers)),
                Op::Crelu { .. } | Op::SqrCrelu { .. } => LayerLayout::Activation {
                    lanes: activation_lanes(layer, &layers),
                },
            };
            layers.push(laid_out);
        }
        let half = half(network);
        let stack = stack(network, &layers);
        let weights = weights(network, &half, &stack);
        Layout {
            half,
            stack,
            weights,
            layers,
        }
    }

    /// The layout of an affine layer; `None` for activations.
    pub fn affine(&self, layer: usize) -> Option<&Affine> {
        match &self.layers[layer] {
            LayerLayout::Affine(affine) => Some(affine),
            LayerLayout::Activation { .. } => None,
        }
    }
}

fn affine(network: &Network, layer: &Layer, layers: &[LayerLayout]) -> Affine {
    let blocked = layer.output.len >= FEWEST_BLOCKED_OUTPUTS;
    let (mut parts, mut input, mut slot) = (Vec::new(), 0, 0);
    for slice in &layer.inputs {
        let whole = slice.len == network.tensor(slice.source).len;
        let lanes = match slice.source {
            Source::Layer(index) if whole => match layers[index] {
                LayerLayout::Activation { lanes } => lanes,
                LayerLayout::Affine(_) => slice.len,
            },
            _ => slice.len,
        };
        parts.push(Part {
            source: slice.source,
            start: slice.start,
            inputs: slice.len,
            lanes,
            input,
            slot,
        });
        input += slice.len;
        slot += lanes.next_multiple_of(BLOCK);
    }
    let (slots, outputs) = if blocked {
        (slot, layer.output.len.next_multiple_of(OUTPUT_UNIT))
    } else {
        (slot.next_multiple_of(ROW_UNIT), layer.output.len)
    };
    Affine {
        parts,
        slots,
        outputs,
        blocked,
    }
}

/// An activation computes whole vectors when its input has the lanes to read.
fn activation_lanes(layer: &Layer, layers: &[LayerLayout]) -> usize {
    let slice = layer.inputs[0];
    let padded = slice.len.next_multiple_of(OUTPUT_UNIT);
    let available = match slice.source {
        Source::Layer(index) => match &layers[index] {
            LayerLayout::Affine(affine) => affine.outputs,
            LayerLayout::Activation { lanes } => *lanes,
        },
        Source::Transformer => 0,
    };
    if slice.start + padded <= available {
        padded
    } else {
        slice.len
    }
}

fn half(network: &Network) -> Struct {
    let mut builder = Builder::default();
    let width = network.transformer.width;
    builder.field(
        "values",
        FieldElement::I16,
        vec![width],
        "one value per neuron",
    );
    let psqt = network.transformer.psqt;
    if psqt > 0 {
        builder.field(
            "psqt",
            FieldElement::I32,
            vec![psqt],
            "one PSQT sum per bucket",
        );
    }
    builder.finish()
}

fn stack(network: &Network, layers: &[LayerLayout]) -> Struct {
    let mut builder = Builder::default();
    for (layer, laid_out) in network.layers.iter().zip(layers) {
        let (LayerLayout::Affine(affine), Element::I32) = (laid_out, layer.output.element) else {
            continue;
        };
        let name = &layer.name;
        let (outputs, inputs) = (layer.output.len, layer.input_len());
        builder.field(
            &format!("{name}_biases"),
            FieldElement::I32,
            vec![affine.outputs],
            &format!(
                "biases of `{name}`: {outputs} outputs, 1.0 is {}",
                layer.output.one
            ),
        );
        let (shape, order) = if affine.blocked {
            (
                vec![affine.blocks(), affine.outputs * BLOCK],
                "`[inputs / 4][outputs * 4]`",
            )
        } else {
            (vec![affine.outputs, affine.slots], "`[outputs][inputs]`")
        };
        builder.field(
            &format!("{name}_weights"),
            FieldElement::I8,
            shape,
            &format!(
                "weights of `{name}`, {order}: {inputs} inputs in {} slots",
                affine.slots
            ),
        );
    }
    builder.finish()
}

fn weights(network: &Network, half: &Struct, stack: &Struct) -> Struct {
    let mut builder = Builder {
        half: half.size,
        stack: stack.size,
        ..Builder::default()
    };
    let (width, features) = (network.transformer.width, network.feature_count());
    builder.field(
        "transformer_biases",
        FieldElement::Half,
        vec![],
        "the accumulator of an empty board: the biases",
    );
    builder.field(
        "transformer_weights",
        FieldElement::I16,
        vec![features, width],
        "one row per feature",
    );
    let psqt = network.transformer.psqt;
    if psqt > 0 {
        builder.field(
            "transformer_psqt",
            FieldElement::I32,
            vec![features, psqt],
            "PSQT values of each feature, one per bucket",
        );
    }
    builder.field(
        "stacks",
        FieldElement::Stack,
        vec![network.stacks.count],
        "one per bucket",
    );
    builder.finish()
}

/// Places fields one after the other.
#[derive(Default)]
struct Builder {
    fields: Vec<Field>,
    offset: usize,
    half: usize,
    stack: usize,
}

impl Builder {
    fn field(&mut self, name: &str, element: FieldElement, shape: Vec<usize>, doc: &str) {
        let bytes = match element {
            FieldElement::I8 => 1,
            FieldElement::I16 => 2,
            FieldElement::I32 => 4,
            FieldElement::Half => self.half,
            FieldElement::Stack => self.stack,
        };
        let size = shape.iter().product::<usize>() * bytes;
        let padding = size.next_multiple_of(ALIGNMENT) - size;
        let (name, doc, offset) = (name.to_string(), doc.to_string(), self.offset);
        self.fields.push(Field {
            name,
            element,
            shape,
            offset,
            size,
            padding,
            doc,
        });
        self.offset += size + padding;
    }

    fn finish(self) -> Struct {
        Struct {
            fields: self.fields,
            size: self.offset,
        }
    }
}
