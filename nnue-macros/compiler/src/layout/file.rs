//! The layout of net files: what a file must contain, and where each of its tensors lies in memory.

use nnue_format::{
    Coalesced, CoalescedSet, Element, Encoding, Extent, FileLayout, Form, Format, Paired, Placed,
    Section, Segment, Stacks,
};

use super::{Affine, ColumnRun, Field, FieldElement, LayerLayout, Layout};
use crate::feature_set::FeatureSet;
use crate::network::file::{Axis, Role, Tensor};
use crate::network::{Network, Source};

/// The layout of a network's files, which the loader follows.
pub fn file(layout: &Layout<'_>) -> FileLayout {
    let network = layout.network;
    let sections = |sections: &[Section<Tensor>]| {
        let sections = sections.iter();
        let placed = sections.map(|section| section.map(|tensor| place(layout, tensor)));
        placed.collect::<Vec<_>>().into()
    };
    let file = &network.file;
    FileLayout {
        name: network.name.clone().into(),
        format: file.format,
        sections: sections(&file.sections),
        stacks: match file.stack_groups.as_slice() {
            [] => Stacks::NONE,
            groups => Stacks {
                count: network.stacks.count,
                stride: layout.stack.size,
                groups: groups.iter().map(|group| sections(group)).collect(),
            },
        },
        tail: file.tail,
        extents: extents(network).into(),
        coalesced: coalesced(layout).into(),
        paired: paired(layout).into(),
    }
}

/// A tensor of the file, with its place in memory.
fn place(layout: &Layout<'_>, tensor: &Tensor) -> nnue_format::Tensor {
    let mut placed = match tensor.role {
        Role::Weights(row) => weights_of_rows(layout, tensor, row),
        Role::Biases(copy) => biases_of_copy(layout, copy),
        Role::Psqt(row) => psqt_of_rows(layout, tensor, row),
        Role::LayerWeights(layer) => weights(layout, affine(layout, layer)),
        Role::LayerBiases(layer) => {
            let biases = &affine(layout, layer).fields.biases;
            outputs(layout, layer, Some(biases))
        }
        Role::LayerFactors(layer) => outputs(layout, layer, layout.layers[layer].factors()),
        Role::SharedWeights(_) | Role::SharedBiases(_) => as_in_file(layout, tensor),
    };
    let (mut shape, mut stored) = (tensor.shape, tensor.stored);
    let layer = tensor.role.layer();
    if layer.is_some_and(|layer| layout.network.layers[layer].shared) {
        // The file has the values once, and each stack has a copy of them in memory.
        shape[0] = layout.network.stacks.count;
    }
    if tensor.role.is_shared_summand() {
        // Only sums are quantised, and not their summands.
        stored.quantise = None;
    }
    // Where there is only one bucket or one row, the distance to the next is given as 0.
    for (stride, len) in stored.strides.iter_mut().zip(&shape[..2]) {
        *stride *= usize::from(*len > 1);
    }
    placed.places = places(layout.network, tensor.role, shape[2]).into();
    if shape[0] > 1 {
        placed.stride = layout.stack.size;
    }
    nnue_format::Tensor {
        role: tensor.role,
        name: tensor.name.clone(),
        id: tensor.id.clone(),
        shape,
        stored,
        placed,
    }
}

/// The places that the columns of a tensor take in the order of the spec; none where the spec has no
/// order, or where columns do not belong to outputs of the transformer.
fn places(network: &Network, tensor: Role, columns: usize) -> Vec<usize> {
    let order = &network.transformer.neuron_order;
    if order.is_empty() {
        return Vec::new();
    }
    let moves = network.outputs().moves(tensor, order);
    if moves.is_empty() {
        return Vec::new();
    }
    let mut places: Vec<usize> = (0..columns).collect();
    for (from, to) in moves {
        places[from] = to;
    }
    places
}

/// The place of rows of the transformer's weights, from row `first` on.
fn weights_of_rows(layout: &Layout<'_>, tensor: &Tensor, first: usize) -> Placed {
    let (table, row) = layout.row(first);
    let (element, width) = (table.element, layout.columns.width);
    let offset = table.offset + row * width * element.size();
    neurons(
        layout,
        Placed::rows(element, offset, [tensor.shape[1], width]),
    )
}

/// The biases of a copy of the transformer's weights. They have the form of an accumulator: PSQT
/// sums follow the neurons.
fn biases_of_copy(layout: &Layout<'_>, copy: usize) -> Placed {
    let offset = layout.offsets.biases + copy * layout.half.size;
    neurons(
        layout,
        Placed::rows(Element::I16, offset, [1, layout.columns.width]),
    )
}

/// The place of rows whose columns are neurons, with their order in memory.
fn neurons(layout: &Layout<'_>, rows: Placed) -> Placed {
    let segments = if layout.columns.as_in_file() {
        Vec::new()
    } else {
        layout.columns.runs.iter().map(segment_of_run).collect()
    };
    Placed {
        segments: segments.into(),
        ..rows
    }
}

fn psqt_of_rows(layout: &Layout<'_>, tensor: &Tensor, first: usize) -> Placed {
    let psqt = layout.network.transformer.psqt;
    let offset = layout.offsets.psqt + first * psqt * Element::I32.size();
    Placed::rows(Element::I32, offset, [tensor.shape[1], psqt])
}

/// The affine layer with this index.
fn affine<'l, 'n>(layout: &'l Layout<'n>, layer: usize) -> &'l Affine<'n> {
    match &layout.layers[layer] {
        LayerLayout::Affine(affine) => affine,
        LayerLayout::Elementwise(_) => unreachable!("only affine layers have weights and biases"),
    }
}

/// The place of a field with a number for each output of a layer.
fn outputs(layout: &Layout<'_>, layer: usize, field: Option<&Field>) -> Placed {
    let (element, offset) = of_stack(layout, field);
    Placed::rows(element, offset, [1, layout.layers[layer].lanes()])
}

/// The place of a tensor that all stacks share, with the type that it has in the file.
fn as_in_file(layout: &Layout<'_>, tensor: &Tensor) -> Placed {
    let [_, rows, columns] = tensor.shape;
    let mut summands = layout.offsets.summands.iter();
    match summands.find(|(role, _)| *role == tensor.role) {
        Some((_, offset)) => Placed::rows(tensor.stored.element, *offset, [rows, columns]),
        None => unreachable!("`{}` is laid out where the file has it", tensor.name),
    }
}

/// The place of the weights of an affine layer.
fn weights(layout: &Layout<'_>, affine: &Affine<'_>) -> Placed {
    let (element, offset) = of_stack(layout, Some(&affine.fields.weights));
    let form = match affine.form {
        super::Form::Rows => Form::Rows,
        super::Form::Blocks => Form::Blocks,
        super::Form::Columns => Form::Columns,
        super::Form::OutputBlocks(runs) => Form::OutputBlocks {
            runs,
            ids: of_stack(layout, affine.fields.blocks.as_ref()).1,
        },
        super::Form::Shards(shards) => Form::Shards {
            common: shards.common,
            count: shards.count,
        },
        super::Form::Bits => Form::Bits,
    };
    Placed {
        segments: affine.segments.clone().into(),
        ..Placed::new(
            form,
            element,
            [offset, 0],
            [affine.outputs, affine.slots],
            &[],
        )
    }
}

/// The type of the elements of a stack's field, and the field's offset in bytes in the first stack.
fn of_stack(layout: &Layout<'_>, field: Option<&Field>) -> (Element, usize) {
    match field.map(|field| (field.element, field.offset)) {
        Some((FieldElement::Numbers(element), start)) => (element, layout.offsets.stacks + start),
        _ => unreachable!("a tensor of the file has a field of numbers"),
    }
}

/// The tables whose rows have two bytes in each word.
fn paired(layout: &Layout<'_>) -> Vec<Paired> {
    let tables = layout.tables.iter().filter(|table| table.paired);
    let paired = tables.map(|table| Paired {
        offset: table.offset,
        len: table.all_rows() * layout.columns.width,
    });
    paired.collect()
}

/// The values that are sums: rows of sets with their virtual rows, and tensors of stacks with the
/// tensors that all stacks share.
fn coalesced(layout: &Layout<'_>) -> Vec<Coalesced> {
    let sets = coalesced_sets(layout).into_iter().map(Coalesced::Set);
    let stacks = layout.offsets.summands.iter().filter_map(|(role, shared)| {
        let own = match *role {
            Role::SharedWeights(layer) => &affine(layout, layer).fields.weights,
            Role::SharedBiases(layer) => &affine(layout, layer).fields.biases,
            _ => return None,
        };
        Some(Coalesced::Stacks {
            own: of_stack(layout, Some(own)).1,
            shared: *shared,
        })
    });
    sets.chain(stacks).collect()
}

/// The rows of sets that are sums of their own values and of virtual rows.
fn coalesced_sets(layout: &Layout<'_>) -> Vec<CoalescedSet> {
    let network = layout.network;
    let psqt = network.transformer.psqt;
    let mut coalesced = Vec::new();
    for copy in 0..network.transformer.perspectives.copies() {
        let mut row = copy * network.feature_count();
        let mut virtual_row = network.first_virtual_row(copy);
        for set in &network.features {
            if let Some(factors) = &set.factors {
                let ((table, row_of_table), (_, virtual_row_of_table)) =
                    (layout.row(row), layout.row(virtual_row));
                coalesced.push(CoalescedSet {
                    element: table.element,
                    offset: table.offset,
                    columns: layout.columns.width,
                    row: row_of_table,
                    virtual_row: virtual_row_of_table,
                    factors: factors.clone(),
                });
                if psqt > 0 {
                    coalesced.push(CoalescedSet {
                        element: Element::I32,
                        offset: layout.offsets.psqt,
                        columns: psqt,
                        row,
                        virtual_row,
                        factors: factors.clone(),
                    });
                }
            }
            row += set.rows;
            virtual_row += set.virtual_rows();
        }
    }
    coalesced
}

fn segment_of_run(run: &ColumnRun) -> Segment {
    Segment::run(run.file, run.memory, run.len).every(run.step)
}

/// How the length of a net file depends on the network's shape, where nothing but the length tells
/// files apart and nothing is padded.
fn extents(network: &Network) -> Vec<Extent> {
    let stacks = network.stacks.count;
    let sections = network.file.all_sections(stacks);
    let tensors: Vec<&Tensor> = sections
        .filter_map(|(_, section)| section.as_tensor())
        .collect();
    let is_compressed = |tensor: &&Tensor| tensor.stored.encoding != Encoding::Raw;
    let padded = |tensor: &&Tensor| {
        let innermost = tensor.axes().last().map_or(1, |(_, len)| *len);
        tensor.padded() > innermost
    };
    if network.file.format != Format::Sequence
        || tensors.iter().any(padded)
        || tensors.iter().any(is_compressed)
    {
        return Vec::new();
    }
    let has = |tensor: &Tensor, axis| tensor.axes().iter().any(|(own, _)| own.axis == axis);
    let bytes = |axis| total(tensors.iter().filter(|tensor| has(tensor, axis)));
    let inputs = tensors
        .iter()
        .map(|tensor| bytes_of_transformer(network, tensor));
    let neurons = bytes(Axis::Neuron) + inputs.sum::<usize>();
    let of_a_stack = network.file.stack_groups.iter().flatten();
    let of_a_stack: usize = of_a_stack.filter_map(Section::byte_len).sum();
    // The number of virtual rows does not depend on the number of real rows.
    let has_rows =
        |tensor: &&&Tensor| has(tensor, Axis::Feature) && !network.is_summand(tensor.role);
    let of_rows = total(tensors.iter().filter(has_rows));
    // Sets whose features follow from the position have rows for squares.
    let supplied = network.features.iter().any(FeatureSet::is_supplied);
    let rows = if supplied { 1 } else { 64 };
    [
        ("neurons", network.transformer.width, 16, neurons),
        ("features", network.feature_count(), rows, of_rows),
        (
            "stacks",
            stacks,
            1,
            bytes(Axis::Stack) + stacks * of_a_stack,
        ),
    ]
    .into_iter()
    // Where some neurons are pooled and others are not, no number of neurons follows from a number
    // of bytes.
    .filter(|(name, ..)| network.transformer.unpooled.is_none() || *name != "neurons")
    .filter(|(_, count, _, bytes)| bytes.is_multiple_of(*count))
    .map(|(name, count, unit, bytes)| Extent {
        name,
        count,
        unit: if count.is_multiple_of(unit) { unit } else { 1 },
        bytes: bytes / count,
    })
    .collect()
}

/// The number of bytes of tensors in the file.
fn total<'t>(tensors: impl Iterator<Item = &'t &'t Tensor>) -> usize {
    tensors.map(|tensor| tensor.stored.raw_len()).sum()
}

/// The number of bytes of a tensor that are weights of the transformer's output.
fn bytes_of_transformer(network: &Network, tensor: &Tensor) -> usize {
    let Some(layer) = tensor.role.matrix() else {
        return 0;
    };
    let inputs = network.layers[layer].inputs.iter();
    let inputs = inputs.filter(|slice| slice.source == Source::Transformer);
    let inputs: usize = inputs.map(|slice| slice.len).sum();
    tensor.stored.raw_len() / tensor.shape[2] * inputs
}

#[cfg(test)]
mod tests {
    use nnue_format::{Element, Section};

    use crate::diagnostics::SourceFile;
    use crate::{analyse, file_layout};

    /// Rows of bytes stay bytes beside the virtual rows of another set, so floating point becomes
    /// bytes too.
    #[test]
    fn numbers_become_what_memory_holds() {
        let text = r#"
            name = "Bytes beside virtual rows"
            [[features]]
            set = "HalfKP"
            factorised = ["K", "P"]
            [[features]]
            set = "A"
            element = "i8"
            [transformer]
            width = 64
            one = 127
            activation = "crelu"
            [[layer]]
            name = "fc_0"
            op = "affine"
            outputs = 1
            weights = "i8"
            one = 8128
            [output]
            sum = "fc_0"
            one = 8128
            [file]
            format = "tensors"
            tensors = [
                { tensor = "transformer.weights_0" },
                { tensor = "transformer.weights_1", type = "f32", one = 64 },
                { tensor = "transformer.virtual_weights" },
                { tensor = "transformer.biases" },
                { tensor = "fc_0.weights" },
                { tensor = "fc_0.biases" },
            ]
        "#;
        let network = analyse(&SourceFile::new("bytes.toml", text))
            .unwrap_or_else(|errors| panic!("{errors}"));
        let layout = file_layout(&network);
        let mut tensors = layout.sections.iter().filter_map(Section::as_tensor);
        let bytes = tensors.find(|tensor| tensor.name == "transformer.weights_1");
        let bytes = bytes.expect("the file has it");
        let quantised = bytes.stored.quantise.map(|quantise| quantise.element);
        assert_eq!(
            (quantised, bytes.placed.element),
            (Some(Element::I8), Element::I8)
        );
    }
}
