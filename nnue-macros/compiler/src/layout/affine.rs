//! Affine layers: where their inputs come from, in which form their weights lie.

use super::{
    BLOCK, Columns, FEWEST_BLOCKED_OUTPUTS, FieldElement, LayerLayout, OUTPUT_UNIT, ROW_UNIT,
};
use crate::network::{
    self, Element, Layer, Network, PerspectivePart, Slice, Source, SparseBy, SumOrder, WeightType,
};

/// Signs are packed into words of this many bits; rows of them are padded to vectors of the widest instruction set.
const BIT_UNIT: usize = 512;

/// Inputs and weights of an affine layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    /// What is copied into the layer's input; a single part that is the whole of its source is read where it is.
    pub parts: Vec<Part>,
    /// In which slots the inputs are.
    pub segments: Vec<Segment>,
    /// Values of the input, gaps included.
    pub slots: usize,
    /// Of which type they are: `u8`, `i16` or `f32`; signs are made of whatever they are read from.
    pub input: Element,
    /// Whether the inputs are roots, to be squared.
    pub squares: bool,
    /// Outputs in memory: a multiple of 16 where outputs are the lanes of vectors.
    pub outputs: usize,
    /// How the weights lie.
    pub form: Form,
    /// Their type in memory.
    pub element: FieldElement,
}

/// How weights lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `[outputs][slots]`: one horizontal sum per output.
    Rows,
    /// `[slots / 4][outputs][4]`: four inputs, repeated over a vector, meet the weights of as many outputs as it has lanes.
    Blocks,
    /// `[slots][outputs]`: one input, repeated over a vector.
    Columns,
    /// `[slots][n][16]`: each input meets the weights of `n` runs of 16 outputs.
    OutputBlocks(usize),
    /// `[outputs][slots / 64]`: a bit per weight, set for -1.
    Bits,
}

/// A run of values that is copied into a layer's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Whose values.
    pub source: Source,
    /// The first of the source's values in memory.
    pub start: usize,
    /// How many are copied.
    pub lanes: usize,
    /// The first slot.
    pub slot: usize,
}

/// A run of inputs whose slots follow one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first input.
    pub input: usize,
    /// From one to the next; their slots follow one another all the same.
    pub step: usize,
    /// How many.
    pub len: usize,
    /// The slot of the first value of the region that the run is in.
    pub slot: usize,
    /// Where in that region the run starts.
    pub at: usize,
    /// Whether vector "pack" instructions made the region, which interleave groups of eight bytes.
    pub packed: bool,
}

impl Affine {
    pub(super) fn of(
        network: &Network,
        layer: &Layer,
        op: &network::Affine,
        columns: &Columns,
        layers: &[LayerLayout],
    ) -> Affine {
        let elements = layer
            .inputs
            .iter()
            .map(|slice| network.tensor(slice.source).element);
        let elements: Vec<Element> = elements.collect();
        let squares = elements.contains(&Element::U16);
        let input = match op.weights {
            WeightType::F32 => Element::F32,
            _ if elements.iter().all(|element| *element == Element::U8)
                && op.weights == WeightType::I8 =>
            {
                Element::U8
            }
            _ => Element::I16,
        };
        let (form, element) = form(layer, op, input);
        let alignment = match form {
            Form::Blocks => BLOCK,
            _ => 1,
        };
        let (mut parts, mut segments) = (Vec::new(), Vec::new());
        let (mut first_input, mut slot) = (0, 0);
        for slice in &layer.inputs {
            match slice.source {
                Source::Transformer => {
                    for perspective in 0..network.transformer.perspectives.count {
                        let PerspectivePart {
                            output: start,
                            len,
                            input,
                            step,
                        } = network.transformer.part(slice, perspective);
                        if len == 0 {
                            continue;
                        }
                        // The order within a region of bytes is the instruction set's, so all of it is read. Signs are of
                        // words, and those of what is no input would count, whatever their weights.
                        let (at, lanes) = match form {
                            Form::Bits => (0, len),
                            _ => (start, columns.half),
                        };
                        parts.push(Part {
                            source: slice.source,
                            start: perspective * columns.half + start - at,
                            lanes,
                            slot,
                        });
                        segments.push(Segment {
                            input: first_input + input,
                            step,
                            len,
                            slot,
                            at,
                            packed: network.transformer.output.element == Element::U8,
                        });
                        slot += lanes;
                    }
                }
                Source::Layer(index) => {
                    let lanes = match form {
                        Form::Bits => slice.len,
                        _ => lanes(network, slice, &layers[index]),
                    };
                    parts.push(Part {
                        source: slice.source,
                        start: slice.start,
                        lanes,
                        slot,
                    });
                    segments.push(Segment {
                        input: first_input,
                        step: 1,
                        len: slice.len,
                        slot,
                        at: 0,
                        packed: false,
                    });
                    slot += lanes.next_multiple_of(alignment);
                }
            }
            first_input += slice.len;
        }
        let outputs = layer.output.len;
        let (slots, outputs) = match form {
            Form::Blocks | Form::Columns | Form::OutputBlocks(_) => {
                (slot, outputs.next_multiple_of(OUTPUT_UNIT))
            }
            Form::Rows => (slot.next_multiple_of(ROW_UNIT), outputs),
            Form::Bits => (slot.next_multiple_of(BIT_UNIT), outputs),
        };
        Affine {
            parts: joined(parts),
            segments,
            slots,
            input,
            squares,
            outputs,
            form,
            element,
        }
    }

    /// Blocks of four slots.
    pub fn blocks(&self) -> usize {
        self.slots / BLOCK
    }

    /// The axes of the weights in memory, outermost first, and what they are.
    pub(super) fn weights_shape(&self) -> (Vec<usize>, &'static str) {
        let Affine { slots, outputs, .. } = *self;
        match self.form {
            Form::Rows => (vec![outputs, slots], "`[outputs][inputs]`"),
            Form::Blocks => (
                vec![slots / BLOCK, outputs * BLOCK],
                "`[inputs / 4][outputs * 4]`",
            ),
            Form::Columns => (vec![slots, outputs], "`[inputs][outputs]`"),
            Form::OutputBlocks(blocks) => {
                (vec![slots, blocks * OUTPUT_UNIT], "`[inputs][blocks * 16]`")
            }
            Form::Bits => (
                vec![outputs, slots / 64],
                "`[outputs][inputs / 64]`, a bit each",
            ),
        }
    }
}

/// How a layer's weights lie, and their type.
fn form(layer: &Layer, op: &network::Affine, input: Element) -> (Form, FieldElement) {
    let many = layer.output.len >= FEWEST_BLOCKED_OUTPUTS;
    match (op.weights, input) {
        (WeightType::Binary, _) => (Form::Bits, FieldElement::U64),
        (WeightType::F32, _) => {
            let form = match op.order {
                SumOrder::Columns => Form::Columns,
                SumOrder::Lanes => Form::Rows,
            };
            (form, FieldElement::F32)
        }
        (weights, input) => {
            let bytes = weights == WeightType::I8 && input == Element::U8;
            let element = if weights == WeightType::I8 && (bytes || op.sparse.is_some()) {
                FieldElement::I8
            } else {
                FieldElement::I16
            };
            let form = match (op.sparse_by(bytes), op.output_blocks) {
                (Some(SparseBy::Inputs), Some(blocks)) => Form::OutputBlocks(blocks),
                (Some(SparseBy::Inputs), None) => Form::Columns,
                _ if bytes && many => Form::Blocks,
                _ => Form::Rows,
            };
            (form, element)
        }
    }
}

/// How many values of a layer's memory are read for a slice: all of its lanes for the whole of it.
fn lanes(network: &Network, slice: &Slice, source: &LayerLayout) -> usize {
    let tensor = network.tensor(slice.source);
    let whole = slice.len == tensor.len;
    match source {
        // Zero weights do not undo everything in floating point: there, nothing is read that is not an input.
        LayerLayout::Elementwise { lanes } if whole && tensor.element != Element::F32 => *lanes,
        _ => slice.len,
    }
}

/// Parts that follow one another in their source and in the input become one.
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
