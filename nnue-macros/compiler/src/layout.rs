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
mod columns;
mod elementwise;
mod file;
mod layer;
mod structs;
mod table;
mod units;

use nnue_format::Section;

use crate::network::file::Role;
use crate::network::{Element, Network, Op, Source};
use structs::Builder;

pub use affine::{Affine, FEWEST_BLOCKED_OUTPUTS, Fields, Form, Input, Part};
pub use columns::{ColumnRun, Columns};
pub use elementwise::Elementwise;
pub use file::file;
pub use layer::LayerLayout;
pub use structs::{Field, FieldElement, Struct};
pub use table::Table;
pub use units::{ALIGNMENT, BLOCK, OUTPUT_UNIT, TRANSFORMER_UNIT};

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
    /// The places of the fields of `weights` besides the tables.
    offsets: Offsets,
    /// The layers of the network, in their order.
    pub layers: Vec<LayerLayout<'n>>,
}

/// The offsets of fields, in bytes from the start of the weights.
#[derive(Clone, Debug, Default, PartialEq)]
struct Offsets {
    biases: usize,
    psqt: usize,
    stacks: usize,
    /// The tensors whose values are added to those of all stacks.
    summands: Vec<(Role, usize)>,
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
                Op::Elementwise(function) => {
                    let available = match layer.inputs[0].source {
                        Source::Layer(input) => layers[input].lanes(),
                        Source::Transformer | Source::Unpooled | Source::Psqt => 0,
                    };
                    LayerLayout::Elementwise(Elementwise::of(
                        network, index, layer, function, available, &mut stack,
                    ))
                }
            };
            layers.push(laid_out);
        }
        let half = half(network, &columns);
        let stack = stack.finish();
        let mut tables = Table::all(network, columns.width);
        let (weights, offsets) = weights(network, &columns, &mut tables, &half, &stack);
        Layout {
            network,
            columns,
            tables,
            half,
            stack,
            weights,
            offsets,
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
    tables: &mut [Table],
    half: &Struct,
    stack: &Struct,
) -> (Struct, Offsets) {
    let mut offsets = Offsets::default();
    let mut builder = Builder {
        half: half.size,
        stack: stack.size,
        ..Builder::default()
    };
    let (biases_shape, biases_doc) = if network.transformer.perspectives.separate {
        (
            vec![2],
            "white's and black's accumulator of an empty board: the biases",
        )
    } else {
        (vec![], "the accumulator of an empty board: the biases")
    };
    // A file that has nothing before the first rows has them at the same place as memory.
    for table in tables {
        let (element, shape) = (table.element, vec![table.all_rows(), columns.width]);
        let rows = builder.field(&table.name, element, shape, &table.doc(network));
        table.offset = rows.offset;
    }
    let biases = builder.field(
        "transformer_biases",
        FieldElement::Half,
        biases_shape,
        biases_doc,
    );
    offsets.biases = biases.offset;
    let psqt = network.transformer.psqt;
    if psqt > 0 {
        let psqt = builder.field(
            "transformer_psqt",
            Element::I32,
            vec![network.row_count(), psqt],
            "PSQT values of each feature",
        );
        offsets.psqt = psqt.offset;
    }
    let stacks = builder.field(
        "stacks",
        FieldElement::Stack,
        vec![network.stacks.count],
        "one per bucket",
    );
    offsets.stacks = stacks.offset;
    let tensors = network.file.sections.iter().filter_map(Section::as_tensor);
    for tensor in tensors.filter(|tensor| tensor.role.is_shared_summand()) {
        let doc = format!(
            "`{}` as the file has it: its values are in those of all stacks",
            tensor.name
        );
        let shape = tensor.shape[1..].to_vec();
        let name = tensor.name.replace('.', "_");
        let summands = builder.field(&name, tensor.stored.element, shape, &doc);
        offsets.summands.push((tensor.role, summands.offset));
    }
    (builder.finish(), offsets)
}
