//! The documentation of generated items: what the network computes, and where a net file has its tensors.

use super::Program;
use super::diagram::{diagram, selection, sets};
use crate::file::Section;
use crate::network::{Element, Layer, Network, One};

/// Of the type `Network`.
pub(super) fn network(program: &Program<'_>) -> Vec<String> {
    let network = program.network;
    let mut text = format!(
        "The weights of {}, laid out for one instruction set: {} bytes.\n\n```text\n{}```\n\n",
        network.name,
        program.layout.weights.size,
        diagram(network)
    );
    text += "Shifts round down, divisions towards zero unless they say otherwise. Ranges leave biases aside.\n\n";
    text += "# Net file\n\n";
    text += "Integers are little-endian; a shape's last axis is contiguous. `d` is where the description ends.\n\n";
    text += "| at | bytes | content | type | shape | 1.0 is |\n|---|---|---|---|---|---|\n";
    text += &format!(
        "| `0` | 4 | version: {:#010x} | `u32` | | |\n",
        network.file.version
    );
    text += &format!(
        "| `4` | 4 | hash of the network: {:#010x} | `u32` | | |\n",
        network.file.hash()
    );
    text += "| `8` | 4 | length of the description | `u32` | | |\n";
    text += "| `12` | | description | text | | |\n";
    let (transformer, stack) = program.sections();
    let stacks_start = rows(network, &transformer, "d", &mut text);
    text += &stacks(network, &stack, stacks_start);
    text += "\n| at | bytes | content | type | shape | 1.0 is |\n|---|---|---|---|---|---|\n";
    rows(network, &stack, "s", &mut text);
    lines(&text)
}

/// Of the type `Accumulator`.
pub(super) fn accumulator(program: &Program<'_>) -> Vec<String> {
    let network = program.network;
    let psqt = match network.transformer.psqt {
        0 => String::new(),
        psqt => format!(" and {psqt} PSQT sums (`i32`)"),
    };
    lines(&format!(
        "The accumulator of {}: for each perspective {} sums (`i16`, 1.0 is {}){psqt}, {} bytes in all.\n\n\
         It fits no other network.",
        network.name,
        network.transformer.width,
        network.transformer.one,
        2 * program.layout.half.size,
    ))
}

/// Of the constant `FEATURES`.
pub(super) fn features(network: &Network) -> Vec<String> {
    lines(&format!(
        "Rows of the transformer, one per feature: {}.",
        sets(network)
    ))
}

/// Of the constant `BUCKETS`.
pub(super) fn buckets(network: &Network) -> Vec<String> {
    let selection = match (network.stacks.count, selection(network)) {
        (1, _) => "every position uses the only one".to_string(),
        (_, Some(by_pieces)) => {
            format!("the one used depends on the number of pieces: {by_pieces}")
        }
        (_, None) => "the caller says which is used".to_string(),
    };
    lines(&format!("Layer stacks, one per bucket; {selection}."))
}

/// The sections as rows of a table; returns how many bytes they take, if that does not depend on the values.
fn rows(network: &Network, sections: &[Section], base: &str, text: &mut String) -> Option<usize> {
    let mut offset = Some(0);
    for section in sections {
        let at = offset.map_or("after the one above".to_string(), |offset| {
            format!("`{base} + {offset}`")
        });
        let len = section.file_len();
        let bytes = len.map_or("LEB128".to_string(), |len| len.to_string());
        *text += &match section {
            Section::Hash { name, value } => {
                format!("| {at} | {bytes} | hash of the {name}: {value:#010x} | `u32` | | |\n")
            }
            Section::Tensor {
                name,
                element,
                shape,
                ..
            } => format!(
                "| {at} | {bytes} | `{name}` | `{element}` | {} | {} |\n",
                describe_shape(network, name, shape),
                unit(network, name)
            ),
        };
        offset = offset.zip(len).map(|(offset, len)| offset + len);
    }
    offset
}

/// Where the stacks of a file are.
fn stacks(network: &Network, stack: &[Section], first: Option<usize>) -> String {
    let count = network.stacks.count;
    let size: usize = stack.iter().filter_map(Section::file_len).sum();
    match (count, first) {
        (1, Some(first)) => format!("\nThe stack follows at `s = d + {first}`:\n"),
        (1, None) => format!("\nThe stack is the file's last {size} bytes, from `s` on:\n"),
        (_, Some(first)) => {
            format!("\n{count} stacks follow, stack `i` at `s = d + {first} + {size} * i`:\n")
        }
        (_, None) => format!(
            "\n{count} stacks end the file, stack `i` at `s = end - {size} * ({count} - i)`:\n"
        ),
    }
}

/// The layer that a tensor of the file belongs to, and which of its tensors it is.
fn owner<'n>(network: &'n Network, tensor: &'n str) -> Option<(&'n Layer, &'n str)> {
    let (name, part) = tensor.split_once('.')?;
    let layer = network.layers.iter().find(|layer| layer.name == name)?;
    Some((layer, part))
}

/// `16 x 1024`, or `32 x (30 + 2 padding)`.
fn describe_shape(network: &Network, tensor: &str, shape: &[usize]) -> String {
    if let (Some((layer, "weights")), [outputs, padded]) = (owner(network, tensor), shape)
        && let padding @ 1.. = padded - layer.input_len()
    {
        return format!("{outputs} x ({} + {padding} padding)", layer.input_len());
    }
    let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
    axes.join(" x ")
}

/// The number that stands for 1.0 in a tensor of the file.
fn unit(network: &Network, tensor: &str) -> String {
    let Some((layer, part)) = owner(network, tensor) else {
        return match tensor {
            psqt if psqt.ends_with("psqt") => network.output.one.to_string(),
            _ => network.transformer.one.to_string(),
        };
    };
    if layer.output.element == Element::F32
        && layer
            .affine()
            .is_some_and(|affine| affine.to_float.is_none())
    {
        return "1".to_string();
    }
    let Some(sums) = layer.output.one.shared() else {
        return "each output's".to_string();
    };
    if part == "biases" {
        return sums.to_string();
    }
    let mut ones = layer.inputs.iter().map(|slice| {
        network
            .tensor(slice.source)
            .one
            .slice(slice.start, slice.len)
    });
    match ones.next() {
        Some(One::Tensor(first)) if ones.all(|one| one == One::Tensor(first)) => match sums % first
        {
            0 => (sums / first).to_string(),
            _ => format!("{sums} / {first}"),
        },
        // Each input has a unit of its own, and so has each column.
        _ => format!("{sums} / the input's"),
    }
}

/// One string per line, each with the space that follows `///`.
fn lines(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| match line {
            "" => String::new(),
            line => format!(" {line}"),
        })
        .collect()
}
