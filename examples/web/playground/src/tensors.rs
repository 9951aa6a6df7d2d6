//! The tensors of a network's files.

use nnue_compiler::file_layout;
use nnue_compiler::format::{Encoding, Section};
use nnue_compiler::network::Network;
use nnue_compiler::network::file::Tensor;
use nnue_tools::nets::summary::summary;
use serde::Serialize;

/// The tensors of a network's files, and the network as `nnue check` prints it.
#[derive(Debug, Serialize)]
pub struct Tensors {
    /// The tensors, in the order of the file. Those that each stack has come once.
    pub tensors: Vec<Row>,
    /// What `nnue check` prints.
    pub text: String,
}

/// A tensor.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The name, as in `transformer.weights`.
    pub name: String,
    /// The lengths and the names of the axes, outermost first.
    pub shape: String,
    /// The type of the values, and how they are encoded.
    #[serde(rename = "type")]
    pub element: String,
    /// How many bytes the values take in a file that has them raw, those of all stacks together.
    pub bytes: usize,
    /// Where the values lie in memory, from the first byte of the weights.
    pub place: String,
}

impl Tensors {
    pub(crate) fn of(network: &Network) -> Tensors {
        let layout = file_layout(network);
        let once = layout.sections.iter();
        let once = once.chain(layout.stacks.groups.iter().flat_map(|group| group.iter()));
        let offsets = once.filter_map(|section| match section {
            Section::Tensor(tensor) => Some(tensor.placed.offset),
            _ => None,
        });
        let file = &network.file;
        let single = file.sections.iter().filter_map(Section::as_tensor);
        let repeated = file.stack_groups.iter().flatten();
        let repeated = repeated.filter_map(Section::as_tensor);
        let stacks = network.stacks.count;
        let tensors = single.map(|tensor| (tensor, 1));
        let tensors = tensors.chain(repeated.map(|tensor| (tensor, stacks)));
        Tensors {
            tensors: tensors
                .zip(offsets)
                .map(|((tensor, copies), offset)| Row::of(tensor, copies, offset))
                .collect(),
            text: summary(network),
        }
    }
}

impl Row {
    fn of(tensor: &Tensor, copies: usize, offset: usize) -> Row {
        let axes = tensor.axes();
        let axes = axes.iter().map(|(axis, len)| format!("{len} {axis}s"));
        let mut axes: Vec<String> = axes.collect();
        if copies > 1 {
            axes.insert(0, format!("{copies} stacks"));
        }
        let encoding = match tensor.stored.encoding {
            Encoding::Raw => String::new(),
            encoding => format!(", {encoding}"),
        };
        Row {
            name: tensor.name.to_string(),
            shape: axes.join(" x "),
            element: format!("{}{encoding}", tensor.stored.element),
            bytes: copies * tensor.stored.raw_len(),
            place: match copies {
                1 => format!("from byte {offset}"),
                _ => format!("from byte {offset}, in the first stack"),
            },
        }
    }
}
