//! The layout: the place of every weight in memory, which is the same for all instruction sets.
//!
//! Each tensor starts on a cache line. The transformer's rows lie in [tables](Table), a table for
//! feature sets that follow each other and have the same element type and the same shift. They lie
//! as in the file, with two exceptions. The values that one perspective contributes to the layers
//! fill whole vectors, so other widths are padded with neurons that are always zero. And where
//! pooling does not pair the halves, the first neurons of all pairs lie in the first half of the
//! accumulator and the second neurons in the second half, so that a vector of first neurons meets a
//! vector of second neurons. The file `layout/affine.rs` says how the inputs and weights of affine
//! layers lie.

mod affine;
mod elementwise;
mod file;
mod table;

use nnue_format::Section;

use crate::network::file::{Axis, Tensor};
use crate::network::{
    Element, FEWEST_SPARSE_OUTPUTS, Layer, Network, OUTPUT_RUN, Op, Pooling, Slice, Source,
};

use elementwise::Run;

pub use affine::{Affine, Fields, Form, Input, Part};
pub use elementwise::Elementwise;
pub use file::file;
pub use table::Table;

/// The number of bytes at whose multiples tensors start.
pub const ALIGNMENT: usize = 64;

/// The number to a multiple of which the outputs of one perspective are padded: whole vectors of
/// bytes of the widest instruction set.
pub const TRANSFORMER_UNIT: usize = 64;

/// The number to a multiple of which the unpooled sums of a perspective are padded: whole vectors
/// of words of the widest instruction set.
const UNPOOLED_UNIT: usize = 32;

/// The number to a multiple of which a layer's outputs are padded, where they are the lanes of
/// vectors: whole vectors of the widest instruction set.
pub const OUTPUT_UNIT: usize = 16;

/// The number of weights to a multiple of which rows are padded: a horizontal sum takes this many
/// in a step.
const ROW_UNIT: usize = 32;

/// The smallest number of outputs of a layer that is computed in blocks. Layers with fewer outputs
/// are computed row by row.
pub const FEWEST_BLOCKED_OUTPUTS: usize = 8;

const _: () = assert!(
    FEWEST_SPARSE_OUTPUTS >= FEWEST_BLOCKED_OUTPUTS,
    "only the weights of blocked layers can be skipped"
);
const _: () = assert!(
    OUTPUT_RUN == OUTPUT_UNIT,
    "runs of outputs are whole vectors of every instruction set"
);

/// The number of inputs in a block, which a dot product of bytes takes at once.
pub const BLOCK: usize = 4;

/// The number of further entries at the end of the list of non-zero blocks, for the last store,
/// which writes beyond the list.
const LIST_SLACK: usize = 32;

/// The places of a network's weights in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout<'n> {
    /// The network that is laid out.
    pub network: &'n Network,
    /// The places of one perspective's neurons.
    pub columns: Columns,
    /// The transformer's rows, in the order of the feature sets.
    pub tables: Vec<Table>,
    /// The accumulator of one perspective. The biases are such an accumulator too.
    pub half: Struct,
    /// The weights of one stack.
    pub stack: Struct,
    /// The weights of the whole network.
    pub weights: Struct,
    /// The layers of the network, in their order.
    pub layers: Vec<LayerLayout<'n>>,
}

/// The places of a perspective's neurons in its accumulator and in the transformer's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The number of neurons in memory, padding included.
    pub width: usize,
    /// The number of outputs that one perspective contributes to the layers' input, padding
    /// included.
    pub half: usize,
    /// The number of outputs of all perspectives, padding included.
    pub outputs: usize,
    /// The number of neurons of one perspective that are not pooled, padding included. They are the
    /// last neurons.
    pub unpooled: usize,
    /// The places of the file's neurons in memory. All other neurons are padding.
    pub runs: Vec<ColumnRun>,
}

/// Neurons that are `step` apart in the file and follow one another in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnRun {
    /// The number of the first neuron in the file.
    pub file: usize,
    /// The distance from one neuron to the next in the file.
    pub step: usize,
    /// The number of the first neuron in memory.
    pub memory: usize,
    /// The number of neurons.
    pub len: usize,
}

impl Columns {
    fn of(network: &Network) -> Columns {
        let transformer = &network.transformer;
        let len = transformer.half();
        // A single perspective fills as many vectors as two would.
        let unit = TRANSFORMER_UNIT * 2 / transformer.perspectives.count;
        let half = len.next_multiple_of(unit);
        let run = |file, step, memory| ColumnRun {
            file,
            step,
            memory,
            len,
        };
        let (pooled, mut runs) = match (transformer.pooling, transformer.block) {
            (Pooling::None, _) => (half, vec![run(0, 1, 0)]),
            (_, 2) => (2 * half, vec![run(0, 2, 0), run(1, 2, half)]),
            (_, block) => {
                let of_blocks = |half_of_block: usize, memory: usize| {
                    (0..2 * len).step_by(block).map(move |first| ColumnRun {
                        len: block / 2,
                        ..run(first + half_of_block * block / 2, 1, memory + first / 2)
                    })
                };
                (
                    2 * half,
                    of_blocks(0, 0).chain(of_blocks(1, half)).collect(),
                )
            }
        };
        let unpooled = transformer.unpooled_half();
        if unpooled > 0 {
            runs.push(ColumnRun {
                len: unpooled,
                ..run(2 * len, 1, pooled)
            });
        }
        let unpooled = unpooled.next_multiple_of(UNPOOLED_UNIT);
        Columns {
            width: pooled + unpooled,
            half,
            outputs: transformer.perspectives.count * half,
            unpooled,
            runs: joined(runs),
        }
    }

    /// The number of values in memory, for one perspective, of a tensor that the transformer
    /// computes.
    pub fn half_of(&self, source: Source) -> usize {
        match source {
            Source::Unpooled => self.unpooled,
            _ => self.half,
        }
    }

    /// The number of blocks of four outputs.
    pub fn blocks(&self) -> usize {
        self.outputs / BLOCK
    }

    /// The length of the list of non-zero blocks: it has room for the numbers of all blocks, and
    /// for the last store, which writes beyond them.
    pub fn list_capacity(&self) -> usize {
        self.blocks() + LIST_SLACK
    }

    /// Whether neurons in memory have the order of the file, without padding.
    pub fn as_in_file(&self) -> bool {
        matches!(self.runs.as_slice(), [ColumnRun { step: 1, len, .. }] if *len == self.width)
    }
}

/// Joins runs that follow one another both in the file and in memory.
fn joined(runs: Vec<ColumnRun>) -> Vec<ColumnRun> {
    let mut joined: Vec<ColumnRun> = Vec::new();
    for run in runs {
        match joined.last_mut() {
            Some(last)
                if (last.step, run.step) == (1, 1)
                    && last.file + last.len == run.file
                    && last.memory + last.len == run.memory =>
            {
                last.len += run.len;
            }
            _ => joined.push(run),
        }
    }
    joined
}

/// A `repr(C)` struct without implicit padding.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// The fields in the order of memory.
    pub fields: Vec<Field>,
    /// The number of bytes, a multiple of [`ALIGNMENT`].
    pub size: usize,
}

/// An array in a [`Struct`], followed by padding up to the next multiple of [`ALIGNMENT`].
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name of the field in the generated struct.
    pub name: String,
    /// The type of the array's elements.
    pub element: FieldElement,
    /// The lengths of the array's axes, outermost first.
    pub shape: Vec<usize>,
    /// The number of bytes from the start of the struct.
    pub offset: usize,
    /// The number of bytes of the array.
    pub size: usize,
    /// The number of bytes of padding behind the array.
    pub padding: usize,
    /// The documentation of the field in the generated struct.
    pub doc: String,
}

/// The type of a field's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldElement {
    /// Numbers of this type.
    Numbers(Element),
    /// An accumulator of one perspective: [`Layout::half`].
    Half,
    /// The weights of one stack: [`Layout::stack`].
    Stack,
}

impl From<Element> for FieldElement {
    fn from(element: Element) -> FieldElement {
        FieldElement::Numbers(element)
    }
}

/// A layer of the network, and where its values and weights lie.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a network has some dozens of layers at most"
)]
pub enum LayerLayout<'n> {
    /// A layer that multiplies by a matrix.
    Affine(Affine<'n>),
    /// A layer that computes value by value.
    Elementwise(Elementwise<'n>),
}

impl<'n> LayerLayout<'n> {
    /// The checked layer: its name, inputs and output.
    pub fn layer(&self) -> &'n Layer {
        match self {
            LayerLayout::Affine(affine) => affine.layer,
            LayerLayout::Elementwise(elementwise) => elementwise.layer,
        }
    }

    /// The places in memory of a slice of the layer's output, from the first value to the last.
    fn runs(&self, slice: Slice) -> Vec<Run> {
        match self {
            LayerLayout::Affine(_) => vec![Run {
                start: slice.start,
                len: slice.len,
                lanes: slice.len,
            }],
            LayerLayout::Elementwise(elementwise) => elementwise.runs(slice),
        }
    }

    /// The field of a stack with the layer's factors, if the layer has any.
    fn factors(&self) -> Option<&Field> {
        match self {
            LayerLayout::Affine(affine) => affine.fields.factors.as_ref(),
            LayerLayout::Elementwise(elementwise) => elementwise.factors.as_ref(),
        }
    }

    /// The number of values of the layer's output in memory, padding included.
    pub fn lanes(&self) -> usize {
        match self {
            LayerLayout::Affine(affine) => affine.outputs,
            LayerLayout::Elementwise(elementwise) => elementwise.all_lanes(),
        }
    }
}

impl<'n> Layout<'n> {
    /// Lays a network out.
    pub fn of(network: &'n Network) -> Layout<'n> {
        let columns = Columns::of(network);
        let mut stack = Builder::default();
        let mut layers: Vec<LayerLayout<'n>> = Vec::new();
        for (index, layer) in network.layers.iter().enumerate() {
            let laid_out = match &layer.op {
                Op::Affine(op) => LayerLayout::Affine(Affine::of(
                    network, index, layer, op, &columns, &layers, &mut stack,
                )),
                Op::Elementwise(function) => LayerLayout::Elementwise(Elementwise::of(
                    network, index, layer, function, &layers, &mut stack,
                )),
            };
            layers.push(laid_out);
        }
        let half = half(network, &columns);
        let stack = stack.finish();
        let tables = Table::all(network, columns.width);
        let weights = weights(network, &columns, &tables, &half, &stack);
        Layout {
            network,
            columns,
            tables,
            half,
            stack,
            weights,
            layers,
        }
    }

    /// The table that has a row of the transformer, and the row's number in that table. Real rows
    /// are counted through all tables. The virtual rows, which are all in one table, follow the
    /// real rows of all tables.
    pub fn row(&self, row: usize) -> (&Table, usize) {
        let real_rows: usize = self.tables.iter().map(|table| table.rows).sum();
        let has_row = |table: &&Table| match row.checked_sub(real_rows) {
            Some(_) => table.virtual_rows > 0,
            None => row < table.first_row + table.rows,
        };
        let table = self.tables.iter().find(has_row).unwrap_or(&self.tables[0]);
        match row.checked_sub(real_rows) {
            Some(row) => (table, table.rows + row),
            None => (table, row - table.first_row),
        }
    }

    /// The largest number of rows of a table that can be listed at once.
    pub fn longest_list(&self) -> usize {
        let rows = |table: &Table| {
            let sets = self.network.features[table.sets.clone()].iter();
            sets.map(|set| set.list_len).sum()
        };
        self.tables.iter().map(rows).max().unwrap_or(0)
    }

    /// The affine layers, in the order of the network.
    pub fn affines(&self) -> impl Iterator<Item = &Affine<'n>> {
        self.layers.iter().filter_map(|layer| match layer {
            LayerLayout::Affine(affine) => Some(affine),
            LayerLayout::Elementwise(_) => None,
        })
    }
}

fn half(network: &Network, columns: &Columns) -> Struct {
    let mut builder = Builder::default();
    let width = columns.width;
    builder.field("values", Element::I16, vec![width], "one value per neuron");
    let psqt = network.transformer.psqt;
    if psqt > 0 {
        builder.field("psqt", Element::I32, vec![psqt], "PSQT sums");
    }
    builder.finish()
}

fn weights(
    network: &Network,
    columns: &Columns,
    tables: &[Table],
    half: &Struct,
    stack: &Struct,
) -> Struct {
    let mut builder = Builder {
        half: half.size,
        stack: stack.size,
        ..Builder::default()
    };
    let (biases_shape, biases_doc) = match network.transformer.perspectives.separate {
        false => (vec![], "the accumulator of an empty board: the biases"),
        true => (
            vec![2],
            "white's and black's accumulator of an empty board: the biases",
        ),
    };
    // A file that has nothing before the first rows has them at the same place as memory.
    for table in tables {
        let (element, shape) = (table.element, vec![table.all_rows(), columns.width]);
        builder.field(&table.name, element, shape, &table.doc(network));
    }
    builder.field(
        "transformer_biases",
        FieldElement::Half,
        biases_shape,
        biases_doc,
    );
    let psqt = network.transformer.psqt;
    if psqt > 0 {
        builder.field(
            "transformer_psqt",
            Element::I32,
            vec![network.row_count(), psqt],
            "PSQT values of each feature",
        );
    }
    builder.field(
        "stacks",
        FieldElement::Stack,
        vec![network.stacks.count],
        "one per bucket",
    );
    let tensors = network.file.sections.iter().filter_map(Section::as_tensor);
    for tensor in tensors.filter(|tensor| tensor.role.is_shared_summand()) {
        let shape = [Axis::Output, Axis::Input].map(|axis| tensor.len(axis));
        let doc = format!(
            "`{}` as the file has it: its values are in those of all stacks",
            tensor.name
        );
        builder.field(&summand(tensor), tensor.element, shape.into(), &doc);
    }
    builder.finish()
}

/// The name of the field for a tensor whose values are added to those of all stacks.
fn summand(tensor: &Tensor) -> String {
    tensor.name.replace('.', "_")
}

/// Builds a struct by placing fields one after the other.
#[derive(Default)]
struct Builder {
    fields: Vec<Field>,
    offset: usize,
    half: usize,
    stack: usize,
}

impl Builder {
    /// Adds an array and returns where it lies.
    fn field(
        &mut self,
        name: &str,
        element: impl Into<FieldElement>,
        shape: Vec<usize>,
        doc: &str,
    ) -> Field {
        let element = element.into();
        let bytes = match element {
            FieldElement::Numbers(element) => element.size(),
            FieldElement::Half => self.half,
            FieldElement::Stack => self.stack,
        };
        let size = shape.iter().product::<usize>() * bytes;
        let padding = size.next_multiple_of(ALIGNMENT) - size;
        let (name, doc, offset) = (name.to_string(), doc.to_string(), self.offset);
        let field = Field {
            name,
            element,
            shape,
            offset,
            size,
            padding,
            doc,
        };
        self.fields.push(field.clone());
        self.offset += size + padding;
        field
    }

    fn finish(self) -> Struct {
        Struct {
            fields: self.fields,
            size: self.offset,
        }
    }
}
