//! Where every weight lies in memory, the same for all instruction sets.
//!
//! Each tensor starts on a cache line. The transformer's rows lie as in the file, but for two things: what one perspective
//! contributes to the layers fills whole vectors, so widths that do not are padded with neurons that are always zero; and
//! where pooling brings neighbours together, they are moved apart to where halves would be. Affine layers' inputs may be
//! spread over *slots* with gaps, so that what computes them can write whole vectors: weights of gaps are zero.

mod affine;

use crate::network::{
    Element, FEWEST_SPARSE_OUTPUTS, Layer, Network, OUTPUT_RUN, Op, Pairs, Pooling, Source,
};

pub use affine::{Affine, Form, Part, Segment};

/// Tensors start at multiples of this.
pub const ALIGNMENT: usize = 64;

/// Outputs that one perspective contributes are padded to whole vectors of bytes of the widest instruction set.
pub const TRANSFORMER_UNIT: usize = 64;

/// Outputs of layers whose outputs are vectors are padded to whole ones of the widest instruction set.
pub const OUTPUT_UNIT: usize = 16;

/// Rows are padded to what a horizontal sum takes in one step.
const ROW_UNIT: usize = 32;

/// Layers with fewer outputs are computed row by row.
pub const FEWEST_BLOCKED_OUTPUTS: usize = 8;

const _: () = assert!(
    FEWEST_SPARSE_OUTPUTS >= FEWEST_BLOCKED_OUTPUTS,
    "only the weights of blocked layers can be skipped"
);
const _: () = assert!(
    OUTPUT_RUN == OUTPUT_UNIT,
    "runs of outputs are whole vectors of every instruction set"
);

/// Inputs that one dot product of bytes takes from a block.
pub const BLOCK: usize = 4;

/// The memory of a network's weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The neurons of one perspective.
    pub columns: Columns,
    /// One perspective's accumulator; the biases are one too.
    pub half: Struct,
    /// One stack.
    pub stack: Struct,
    /// Everything.
    pub weights: Struct,
    /// Per layer of the network: how its output, or its inputs and weights, are laid out.
    pub layers: Vec<LayerLayout>,
}

/// Where the neurons of a perspective lie in its accumulator and in the transformer's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Neurons in memory, padding included.
    pub width: usize,
    /// Outputs that one perspective contributes to the layers' input, padding included.
    pub half: usize,
    /// Where the file's neurons lie; the others are padding.
    pub runs: Vec<ColumnRun>,
}

/// Neurons of the file, `step` apart, that follow one another in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnRun {
    /// The first in the file.
    pub file: usize,
    /// From one to the next in the file.
    pub step: usize,
    /// The first in memory.
    pub memory: usize,
    /// How many.
    pub len: usize,
}

impl Columns {
    fn of(network: &Network) -> Columns {
        let transformer = &network.transformer;
        let len = transformer.half();
        // One perspective alone fills what two would.
        let unit = TRANSFORMER_UNIT * 2 / transformer.perspectives.count;
        let half = len.next_multiple_of(unit);
        let run = |file, step, memory| ColumnRun {
            file,
            step,
            memory,
            len,
        };
        let (width, runs) = match (transformer.pooling, transformer.pairs) {
            (Pooling::None, _) => (half, vec![run(0, 1, 0)]),
            (_, Pairs::Halves) if half == len => (
                2 * half,
                vec![ColumnRun {
                    len: 2 * len,
                    ..run(0, 1, 0)
                }],
            ),
            (_, Pairs::Halves) => (2 * half, vec![run(0, 1, 0), run(len, 1, half)]),
            (_, Pairs::Neighbours) => (2 * half, vec![run(0, 2, 0), run(1, 2, half)]),
        };
        Columns { width, half, runs }
    }

    /// Whether memory has the order of the file.
    pub fn as_in_file(&self) -> bool {
        matches!(self.runs.as_slice(), [ColumnRun { step: 1, len, .. }] if *len == self.width)
    }
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
    /// A 16-bit index.
    U16,
    /// A 32-bit integer.
    I32,
    /// 64 bits, each on its own.
    U64,
    /// Floating point.
    F32,
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
    /// Any other layer, which computes this many values: more than it has when its input is padded.
    Elementwise {
        /// Values.
        lanes: usize,
    },
}

impl LayerLayout {
    /// Values in memory.
    pub fn lanes(&self) -> usize {
        match self {
            LayerLayout::Affine(affine) => affine.outputs,
            LayerLayout::Elementwise { lanes } => *lanes,
        }
    }
}

impl Layout {
    /// Lays a network out.
    pub fn of(network: &Network) -> Layout {
        let columns = Columns::of(network);
        let mut layers: Vec<LayerLayout> = Vec::new();
        for layer in &network.layers {
            let laid_out = match &layer.op {
                Op::Affine(op) => {
                    LayerLayout::Affine(Affine::of(network, layer, op, &columns, &layers))
                }
                Op::Activation(_) => LayerLayout::Elementwise {
                    lanes: activation_lanes(layer, &layers),
                },
                Op::Sum { .. } | Op::Float { .. } => LayerLayout::Elementwise {
                    lanes: layer.output.len,
                },
            };
            layers.push(laid_out);
        }
        let half = half(network, &columns);
        let stack = stack(network, &layers);
        let weights = weights(network, &columns, &half, &stack);
        Layout {
            columns,
            half,
            stack,
            weights,
            layers,
        }
    }

    /// The layout of an affine layer; `None` for others.
    pub fn affine(&self, layer: usize) -> Option<&Affine> {
        match &self.layers[layer] {
            LayerLayout::Affine(affine) => Some(affine),
            LayerLayout::Elementwise { .. } => None,
        }
    }
}

/// An activation computes whole vectors when its input has the lanes to read.
fn activation_lanes(layer: &Layer, layers: &[LayerLayout]) -> usize {
    let slice = layer.inputs[0];
    let padded = slice.len.next_multiple_of(OUTPUT_UNIT);
    let available = match slice.source {
        Source::Layer(index) => layers[index].lanes(),
        Source::Transformer => 0,
    };
    if slice.start + padded <= available {
        padded
    } else {
        slice.len
    }
}

fn half(network: &Network, columns: &Columns) -> Struct {
    let mut builder = Builder::default();
    let width = columns.width;
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
        let LayerLayout::Affine(affine) = laid_out else {
            continue;
        };
        let name = &layer.name;
        let (outputs, inputs) = (layer.output.len, layer.input_len());
        let (biases, unit) = match layer.output.one.shared() {
            _ if layer.output.element == Element::F32 => (FieldElement::F32, String::new()),
            Some(one) => (FieldElement::I32, format!(", 1.0 is {one}")),
            None => (
                FieldElement::I32,
                ", each with a 1.0 of its own".to_string(),
            ),
        };
        builder.field(
            &format!("{name}_biases"),
            biases,
            vec![affine.outputs],
            &format!("biases of `{name}`: {outputs} outputs{unit}"),
        );
        if layer.affine().is_some_and(|op| op.scales.is_some()) {
            builder.field(
                &format!("{name}_alpha"),
                FieldElement::I16,
                vec![affine.outputs],
                &format!("factors of the sums of `{name}`"),
            );
        }
        if let Form::OutputBlocks(blocks) = affine.form {
            builder.field(
                &format!("{name}_blocks"),
                FieldElement::U16,
                vec![affine.slots, blocks],
                &format!("which runs of {OUTPUT_UNIT} outputs each input of `{name}` reaches"),
            );
        }
        let (shape, order) = affine.weights_shape();
        builder.field(
            &format!("{name}_weights"),
            affine.element,
            shape,
            &format!(
                "weights of `{name}`, {order}: {inputs} inputs in {} slots",
                affine.slots
            ),
        );
    }
    builder.finish()
}

fn weights(network: &Network, columns: &Columns, half: &Struct, stack: &Struct) -> Struct {
    let mut builder = Builder {
        half: half.size,
        stack: stack.size,
        ..Builder::default()
    };
    let (width, rows) = (columns.width, network.row_count());
    let (biases_shape, biases_doc, mut rows_doc) = match network.transformer.perspectives.separate {
        false => (
            vec![],
            "the accumulator of an empty board: the biases",
            "one row per feature".to_string(),
        ),
        true => (
            vec![2],
            "white's and black's accumulator of an empty board: the biases",
            "one row per feature, white's before black's".to_string(),
        ),
    };
    if network.virtual_row_count() > 0 {
        rows_doc += ", then the virtual rows, which are part of them";
    }
    builder.field(
        "transformer_biases",
        FieldElement::Half,
        biases_shape,
        biases_doc,
    );
    builder.field(
        "transformer_weights",
        FieldElement::I16,
        vec![rows, width],
        &rows_doc,
    );
    let psqt = network.transformer.psqt;
    if psqt > 0 {
        builder.field(
            "transformer_psqt",
            FieldElement::I32,
            vec![rows, psqt],
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
            FieldElement::I16 | FieldElement::U16 => 2,
            FieldElement::I32 | FieldElement::F32 => 4,
            FieldElement::U64 => 8,
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
