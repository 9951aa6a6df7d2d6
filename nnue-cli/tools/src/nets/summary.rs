//! A checked network as text: its operations, its file, and the memory that it needs.

use std::fmt::Write;

use nnue_compiler::diagram;
use nnue_compiler::format::{Format, Section};
use nnue_compiler::layout::Layout;
use nnue_compiler::network::Network;
use nnue_compiler::network::file::{File, Tensor};
use serde::Serialize;

/// The memory that a network needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// The size of all weights, in bytes.
    pub weights: usize,
    /// The size of an accumulator with both perspectives, in bytes.
    pub accumulator: usize,
}

impl Memory {
    /// The memory that a network needs.
    #[must_use]
    pub fn of(network: &Network) -> Memory {
        let layout = Layout::of(network);
        Memory {
            weights: layout.weights.size,
            accumulator: 2 * layout.half.size,
        }
    }
}

/// The [diagram](diagram()) of a network, and below it lines about its file and its memory.
#[must_use]
pub fn summary(network: &Network) -> String {
    let memory = Memory::of(network);
    format!(
        "{}file: {}\nmemory: weights {} bytes, accumulator {} bytes\n",
        diagram(network),
        file(network),
        memory.weights,
        memory.accumulator
    )
}

/// What files of a network have besides the values of its weights: the hashes of Stockfish's format,
/// or the order of the tensors.
#[must_use]
pub fn file(network: &Network) -> String {
    match network.file.format {
        Format::Stockfish { version, hash } => {
            let mut text = format!("version {version:#010x}, network hash {hash:#010x}");
            for section in network.file.sections_once() {
                if let Section::Hash { name, expected } = section {
                    let name = if *name == "hash" { "stack hash" } else { name };
                    // Writing to a string cannot fail.
                    let _ = write!(text, ", {name} {expected:#010x}");
                }
            }
            text
        }
        Format::Named => format!("in any order {}", order(network)),
        _ => order(network),
    }
}

/// The tensors of the file, each with its type and the order of its axes, which the file's length
/// does not tell.
fn order(network: &Network) -> String {
    let list = |sections: &[Section<Tensor>]| {
        let tensors = sections.iter().filter_map(Section::as_tensor);
        let tensors = tensors.map(|tensor| {
            format!(
                "{} {}{}",
                tensor.name,
                tensor.stored.element,
                tensor.axis_order()
            )
        });
        tensors.collect::<Vec<_>>().join(", ")
    };
    let File {
        sections,
        stack_groups,
        ..
    } = &network.file;
    let groups = stack_groups.iter().map(|group| {
        let count = network.stacks.count;
        format!("then for each of {count} stacks {}", list(group))
    });
    let all = [list(sections)].into_iter().chain(groups);
    all.collect::<Vec<_>>().join("; ")
}
