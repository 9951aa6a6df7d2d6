//! Affine layers: where their inputs come from, and the order of their weights.
//!
//! A kernel reads its inputs and its weights from the first to the last byte, so the order of the
//! weights in memory is the order in which the kernel needs them: [`Form`] names the orders. The
//! inputs are not always ready in one piece. They may be parts of several tensors, and a tensor may
//! have gaps in memory, because whatever computed it wrote whole vectors. So each input has a
//! *slot*, its place in the layer's input in memory, and weights lie by slots. The weights of gaps
//! are zero, so whatever a gap holds adds nothing to the sums. This costs a few products and saves
//! the kernel every special case.

use nnue_format::Segment;

use super::columns::Columns;
use super::layer::LayerLayout;
use super::structs::{Builder, Field};
use super::units::{BLOCK, OUTPUT_UNIT, ROW_UNIT};
use crate::network::{
    self, Element, FEWEST_SPARSE_OUTPUTS, Layer, Network, Pooling, Shards, Source, SparseBy, Sums,
    WeightType,
};

/// Rows of signs are padded to a multiple of this many bits: a vector of the widest instruction
/// set. Signs are packed into words of 64 bits.
const BIT_UNIT: usize = 512;

/// The smallest number of outputs of a layer that is computed in blocks. Layers with fewer outputs
/// are computed row by row.
pub const FEWEST_BLOCKED_OUTPUTS: usize = 8;

const _: () = assert!(
    FEWEST_SPARSE_OUTPUTS >= FEWEST_BLOCKED_OUTPUTS,
    "only the weights of blocked layers can be skipped"
);

/// An affine layer, and where its inputs and weights lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine<'n> {
    /// The index of the layer in the network.
    pub index: usize,
    /// The checked layer: its name, inputs and output.
    pub layer: &'n Layer,
    /// The operation that the layer computes.
    pub op: &'n network::Affine,
    /// The form in which the layer reads its inputs.
    pub input: Input,
    /// The tensor that already lies in memory as this layer reads it, if there is any. Otherwise
    /// [`Self::parts`] are copied.
    pub in_place: Option<Source>,
    /// The parts that make up the layer's input.
    pub parts: Vec<Part>,
    /// The slots of the inputs.
    pub segments: Vec<Segment>,
    /// The number of slots: the values of the input in memory, gaps included.
    pub slots: usize,
    /// The number of outputs in memory: a multiple of 16 where outputs are the lanes of vectors.
    pub outputs: usize,
    /// The order of the weights in memory.
    pub form: Form,
    /// The fields of a stack that hold the layer's weights.
    pub fields: Fields,
}

/// The form in which a layer reads its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Bytes of type `u8`.
    Bytes,
    /// Words of type `i16`.
    Words,
    /// `i16` values that kernels square while they multiply: 16 bits would not hold the square.
    Roots,
    /// Values of type `u16`. Kernels read their bits as those of `i16`.
    Unsigned,
    /// Integers of type `i32`.
    Longs,
    /// Floating point of type `f32`.
    Floats,
    /// Signs: a bit for each value, set for negative values.
    Signs,
}

/// The fields of a stack that hold the weights of an affine layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Fields {
    /// A bias for each output.
    pub biases: Field,
    /// The weights, in the order of [`Affine::form`].
    pub weights: Field,
    /// A factor for each output, if the layer has [`network::Layer::factors`].
    pub factors: Option<Field>,
    /// The runs of outputs that each input reaches, for [`Form::OutputBlocks`].
    pub blocks: Option<Field>,
}

/// The order of weights in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `[outputs][slots]`: for layers with few outputs. Each output is a horizontal sum.
    Rows,
    /// `[slots / 4][outputs][4]`: for bytes and many outputs. A dot product of vectors adds up four
    /// products in each lane. So a block of four inputs, repeated over a vector, meets the weights
    /// of as many outputs as the vector has lanes, and nothing has to be added up across lanes.
    Blocks,
    /// `[slots][outputs]`: for values that are wider than words and many outputs, or mostly zero.
    /// An input, repeated over a vector, meets the weights of as many outputs as the vector has
    /// lanes.
    Columns,
    /// `[slots][n][16]`: each input meets the weights of `n` runs of 16 outputs.
    OutputBlocks(usize),
    /// `[outputs][common + shard]`: for bytes; each output reads a part of them. Each output is a
    /// horizontal sum.
    Shards(Shards),
    /// `[outputs][slots / 64]`: a bit for each weight, set for -1. A product of signs is an
    /// exclusive or.
    Bits,
}

impl Form {
    /// The lengths of the weights' axes in memory, outermost first, and their description.
    fn shape(self, slots: usize, outputs: usize) -> (Vec<usize>, &'static str) {
        match self {
            Form::Rows => (vec![outputs, slots], "`[outputs][inputs]`"),
            Form::Blocks => (
                vec![slots / BLOCK, outputs * BLOCK],
                "`[inputs / 4][outputs * 4]`",
            ),
            Form::Columns => (vec![slots, outputs], "`[inputs][outputs]`"),
            Form::OutputBlocks(blocks) => {
                (vec![slots, blocks * OUTPUT_UNIT], "`[inputs][blocks * 16]`")
            }
            Form::Shards(shards) => (
                vec![outputs, shards.common + shards.shard(slots)],
                "`[outputs][common inputs and those of a shard]`",
            ),
            Form::Bits => (
                vec![outputs, slots / 64],
                "`[outputs][inputs / 64]`, a bit each",
            ),
        }
    }
}

/// A run of values that is copied into a layer's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The tensor that has the values.
    pub source: Source,
    /// The index of the first value in the tensor's memory.
    pub start: usize,
    /// The number of values that are copied.
    pub lanes: usize,
    /// The slot of the first value.
    pub slot: usize,
}

impl<'n> Affine<'n> {
    pub(super) fn of(
        network: &Network,
        index: usize,
        layer: &'n Layer,
        op: &'n network::Affine,
        columns: &Columns,
        layers: &[LayerLayout<'_>],
        stack: &mut Builder,
    ) -> Affine<'n> {
        let input = input(network, layer, op);
        let (form, element) = form(layer, op, input);
        let GatheredInput {
            parts,
            segments,
            slots,
        } = gather(network, layer, form, columns, layers);
        let (slots, outputs) = match form {
            Form::Blocks | Form::Columns | Form::OutputBlocks(_) => {
                (slots, layer.output.len.next_multiple_of(OUTPUT_UNIT))
            }
            // Shards are whole vectors.
            Form::Rows | Form::Shards(_) => (slots.next_multiple_of(ROW_UNIT), layer.output.len),
            Form::Bits => (slots.next_multiple_of(BIT_UNIT), layer.output.len),
        };
        let lanes = |source| match source {
            Source::Transformer => columns.outputs,
            Source::Unpooled => network.transformer.perspectives.count * columns.unpooled,
            Source::Psqt => network.transformer.psqt,
            Source::Layer(index) => layers[index].lanes(),
        };
        let in_place = match parts.as_slice() {
            [part]
                if part.start == 0
                    && part.lanes == slots
                    && lanes(part.source) == slots
                    && reads_as_is(input, part.source, network.tensor(part.source).element) =>
            {
                Some(part.source)
            }
            _ => None,
        };
        Affine {
            index,
            layer,
            op,
            input,
            in_place,
            parts,
            segments,
            slots,
            outputs,
            form,
            fields: Fields::of(layer, op, form, element, (slots, outputs), stack),
        }
    }

    /// The number of blocks of four slots.
    pub fn blocks(&self) -> usize {
        self.slots / BLOCK
    }

    /// The number of words of 64 slots.
    pub fn words(&self) -> usize {
        self.slots / 64
    }
}

impl Fields {
    fn of(
        layer: &Layer,
        op: &network::Affine,
        form: Form,
        element: Element,
        (slots, outputs): (usize, usize),
        stack: &mut Builder,
    ) -> Fields {
        let name = &layer.name;
        let (element_of_biases, unit) = match layer.output.one.shared() {
            _ if layer.output.element == Element::F32 => (Element::F32, String::new()),
            Some(one) => (Element::I32, format!(", 1.0 is {one}")),
            None => (Element::I32, ", each with a 1.0 of its own".to_string()),
        };
        let mut field = |part: &str, element, shape, doc: &str| {
            stack.field(&format!("{name}_{part}"), element, shape, doc)
        };
        let count = |number: usize, noun: &str| match number {
            1 => format!("1 {noun}"),
            _ => format!("{number} {noun}s"),
        };
        let outputs_in_words = count(layer.output.len, "output");
        let biases_doc = if op.biases {
            format!("biases of `{name}`: {outputs_in_words}{unit}")
        } else {
            format!("zeros, for `{name}` has no biases: {outputs_in_words}{unit}")
        };
        let biases = field("biases", element_of_biases, vec![outputs], &biases_doc);
        let factors = layer.factors().map(|(part, element)| {
            let doc = format!("factors of the sums of `{name}`");
            field(part, element, vec![outputs], &doc)
        });
        let blocks = match form {
            Form::OutputBlocks(blocks) => {
                let doc =
                    format!("which runs of {OUTPUT_UNIT} outputs each input of `{name}` reaches");
                Some(field("blocks", Element::U16, vec![slots, blocks], &doc))
            }
            _ => None,
        };
        let (shape, order) = form.shape(slots, outputs);
        let inputs = count(layer.input_len(), "input");
        let doc = format!(
            "weights of `{name}`, {order}: {inputs} in {}",
            count(slots, "slot")
        );
        Fields {
            biases,
            weights: field("weights", element, shape, &doc),
            factors,
            blocks,
        }
    }
}

/// The form in which a layer reads its inputs. Bytes and words together are both read as words.
fn input(network: &Network, layer: &Layer, op: &network::Affine) -> Input {
    let mut elements = layer
        .inputs
        .iter()
        .map(|slice| network.tensor(slice.source).element);
    let is_wide = |element| matches!(element, Element::U16 | Element::I32);
    match op.weights {
        WeightType::Binary => Input::Signs,
        WeightType::F32 => Input::Floats,
        WeightType::I32 => Input::Longs,
        // If the transformer's values need all of 16 bits or more, squares are stored as their
        // roots.
        _ if elements.clone().any(is_wide) => match network.transformer.pooling {
            Pooling::None => Input::Roots,
            _ => Input::Unsigned,
        },
        WeightType::I8 if elements.all(|element| element == Element::U8) => Input::Bytes,
        WeightType::I8 | WeightType::I16 => Input::Words,
    }
}

/// Whether a layer that reads all of a tensor can read it where it lies.
fn reads_as_is(input: Input, source: Source, element: Element) -> bool {
    match input {
        // The transformer writes its bytes in blocks of four, as kernels read them. Other layers do
        // not write them so.
        Input::Bytes => source == Source::Transformer,
        Input::Roots => true,
        Input::Words | Input::Unsigned => matches!(element, Element::I16 | Element::U16),
        Input::Longs => element == Element::I32,
        Input::Floats => element == Element::F32,
        Input::Signs => false,
    }
}

/// The order of a layer's weights in memory, and their type.
fn form(layer: &Layer, op: &network::Affine, input: Input) -> (Form, Element) {
    let many = layer.output.len >= FEWEST_BLOCKED_OUTPUTS;
    match input {
        Input::Signs => (Form::Bits, Element::U64),
        Input::Floats => {
            let form = match op.sums {
                Sums::Columns => Form::Columns,
                _ => Form::Rows,
            };
            (form, Element::F32)
        }
        Input::Longs => {
            let form = match op.sums {
                Sums::I32 if many => Form::Columns,
                _ => Form::Rows,
            };
            (form, Element::I32)
        }
        Input::Bytes | Input::Words | Input::Roots | Input::Unsigned => {
            let bytes = input == Input::Bytes;
            // Kernels that go through the inputs singly widen bytes on the way; other kernels
            // multiply words with words.
            let stay_bytes = op.weights == WeightType::I8 && (bytes || op.sparse.is_some());
            let element = if stay_bytes {
                Element::I8
            } else {
                Element::I16
            };
            let form = match (op.shards, op.sparse_by(bytes), op.output_blocks) {
                (Some(shards), ..) => Form::Shards(shards),
                (None, Some(SparseBy::Inputs), Some(blocks)) => Form::OutputBlocks(blocks),
                (None, Some(SparseBy::Inputs), None) => Form::Columns,
                _ if bytes && many => Form::Blocks,
                _ => Form::Rows,
            };
            (form, element)
        }
    }
}

/// A layer's input in memory.
struct GatheredInput {
    parts: Vec<Part>,
    segments: Vec<Segment>,
    slots: usize,
}

/// Gives a slot to every input of a layer.
fn gather(
    network: &Network,
    layer: &Layer,
    form: Form,
    columns: &Columns,
    layers: &[LayerLayout<'_>],
) -> GatheredInput {
    let alignment = match form {
        Form::Blocks => BLOCK,
        _ => 1,
    };
    let (mut parts, mut segments) = (Vec::new(), Vec::new());
    let mut slot = 0;
    for (first_input, slice) in layer.slices() {
        let half = columns.half_of(slice.source);
        for run in network.transformer_runs(first_input, slice) {
            // The order of bytes within a perspective's region is the instruction set's, so a layer
            // reads all of the region, even if only a part of it is its inputs. A layer of signs
            // reads its inputs alone: they are taken from words, which lie in order, and no sign is
            // zero, so no weight could undo the signs of other values.
            let (at, lanes) = match form {
                Form::Bits => (0, run.len),
                _ => (run.output, half),
            };
            parts.push(Part {
                source: slice.source,
                start: run.perspective * half + run.output - at,
                lanes,
                slot,
            });
            segments.push(Segment {
                input: run.input,
                step: run.step,
                len: run.len,
                slot,
                at,
                packed: network.tensor(slice.source).element == Element::U8,
            });
            slot += lanes;
        }
        if slice.source == Source::Psqt {
            parts.push(Part {
                source: slice.source,
                start: slice.start,
                lanes: slice.len,
                slot,
            });
            segments.push(Segment::run(first_input, slot, slice.len));
            slot += slice.len.next_multiple_of(alignment);
        }
        if let Source::Layer(index) = slice.source {
            let mut input = first_input;
            for run in layers[index].runs(slice) {
                let lanes = match form {
                    Form::Bits => run.len,
                    _ => run.lanes,
                };
                parts.push(Part {
                    source: slice.source,
                    start: run.start,
                    lanes,
                    slot,
                });
                segments.push(Segment::run(input, slot, run.len));
                slot += lanes.next_multiple_of(alignment);
                input += run.len;
            }
        }
    }
    GatheredInput {
        parts: joined(parts),
        segments,
        slots: slot,
    }
}

/// Joins parts that follow one another both in their source and in the input.
fn joined(parts: Vec<Part>) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last)
                if last.source == part.source
                    && last.start + last.lanes == part.start
                    && last.slot + last.lanes == part.slot =>
            {
                last.lanes += part.lanes;
            }
            _ => joined.push(part),
        }
    }
    joined
}
