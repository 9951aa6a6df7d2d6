//! The documentation of generated items: what the network computes, and where a net file has its
//! tensors.

use super::program::Program;
use crate::diagram::{diagram, fraction, further_rows, headline, outline, selection, sets};
use nnue_format::{Encoding, FieldForm, Format, Overflow, Quantise, START_LEN, Section, Tail};

use crate::layout;
use crate::network::file::{Role, Tensor};
use crate::network::{Element, Network};

/// The documentation of the type `Net`. It stands in for that of the user's module, on whose page
/// `Net` is the first item: on stable Rust, no macro can write an inner attribute.
pub(super) fn net(program: &Program<'_>) -> Vec<String> {
    let network = program.network;
    let mut text = format!(
        "{}: what the network computes, and what its net file holds.\n\n```text\n{}```\n\n",
        network.name,
        diagram(network)
    );
    text += "Shifts round down, divisions towards zero unless they say otherwise. Ranges leave biases aside.\n\n";
    text += "# Net file\n\n";
    text += &file(network);
    text += "\n# Code\n\n`nnue expand SPEC` prints the code that `nnue_net!` generates, `nnue plan SPEC` what decides about its speed.\n";
    lines(&text)
}

/// The documentation of the type `Network`: what an editor shows of the whole network.
pub(super) fn network(program: &Program<'_>) -> Vec<String> {
    let network = program.network;
    lines(&format!(
        "The weights of {}, laid out for one instruction set: {} bytes.\n\n```text\n{}```\n\n{} \
         [`Net`] has scales, ranges, and the tables of a file.",
        network.name,
        program.layout.weights.size,
        outline(network),
        file_in_brief(program),
    ))
}

/// The documentation of the type `Evaluator`.
pub(super) fn evaluator(network: &Network) -> Vec<String> {
    lines(&format!(
        "The evaluation of a position that follows a search; `N` is how the network is held: \
         `&Network`, `Arc<Network>`.\n\n{}",
        shape(network)
    ))
}

/// The documentation of the constant `WIDTH`.
pub(super) fn width(network: &Network) -> Vec<String> {
    lines(&format!(
        "Neurons of the transformer per perspective.\n\n{}",
        shape(network)
    ))
}

/// The shape of the network, for the items that show no more of it.
fn shape(network: &Network) -> String {
    format!("```text\n{}\n```\n", headline(network))
}

/// The documentation of the type `Accumulator`.
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

/// The documentation of the constant `FEATURES`.
pub(super) fn features(network: &Network) -> Vec<String> {
    lines(&format!(
        "Rows of the transformer, one per feature: `{}`.",
        sets(network)
    ))
}

/// The documentation of the constant `BUCKETS`.
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

/// The documentation of the values of further heads.
pub(super) fn heads(network: &Network) -> impl Iterator<Item = String> {
    let rows = further_rows(network).into_iter();
    rows.map(|[name, .., formula]| format!(" `{name}`: {formula}."))
}

/// A sentence that tells the network's files from others.
fn file_in_brief(program: &Program<'_>) -> String {
    let layout = layout::file(program.layout);
    let mut tensors = layout.tensors();
    let size = if tensors.all(|(_, tensor)| tensor.stored.encoding == Encoding::Raw) {
        let start = match layout.format {
            Format::Stockfish { .. } => START_LEN,
            Format::Sequence | Format::Named => 0,
        };
        let size = (start + layout.data_len()).next_multiple_of(layout.tail.multiple);
        format!("{size} bytes")
    } else {
        "a size that depends on the weights".to_string()
    };
    match layout.format {
        Format::Stockfish { version, hash } => format!(
            "Its net files have version {version:#010x}, network hash {hash:#010x} and, besides \
             the description, {size}."
        ),
        Format::Sequence => format!("Its net files have {size}."),
        Format::Named => "Its net files are lists of named tensors.".to_string(),
    }
}

/// The tables of a net file's sections with their offsets.
fn file(network: &Network) -> String {
    const HEAD: &str =
        "| at | bytes | content | type | shape | 1.0 is |\n|---|---|---|---|---|---|\n";
    let file = &network.file;
    let mut text = "Numbers are little-endian; a shape's last axis is contiguous.".to_string();
    match file.format {
        Format::Stockfish { version, hash } => {
            text += &format!(" `d` is where the description ends.\n\n{HEAD}");
            text += &format!("| `0` | 4 | version: {:#010x} | `u32` | | |\n", version);
            text += &format!("| `4` | 4 | network hash: {:#010x} | `u32` | | |\n", hash);
            text += "| `8` | 4 | length of the description | `u32` | | |\n";
            text += "| `12` | | description | text | | |\n";
            let start = rows(network, &file.sections, Some("d"), &mut text);
            let start = start.map(|start| format!("d + {start}"));
            for group in &file.stack_groups {
                text += &stacks(network, group, start.clone(), true);
                text += &format!("\n{HEAD}");
                rows(network, group, Some("s"), &mut text);
            }
        }
        Format::Sequence => {
            text += &format!("\n\n{HEAD}");
            let mut start = rows(network, &file.sections, Some(""), &mut text);
            for (index, group) in file.stack_groups.iter().enumerate() {
                let is_last = index + 1 == file.stack_groups.len();
                let first = start.map(|start| start.to_string());
                text += &stacks(network, group, first, is_last);
                text += &format!("\n{HEAD}");
                let len = rows(network, group, Some("s"), &mut text);
                start = start
                    .zip(len)
                    .map(|(start, len)| start + network.stacks.count * len);
            }
        }
        Format::Named => {
            text += " Tensors may have any order; before each is its name, a line feed and the number of its values \
                     (`u64`).\n\n";
            text += HEAD;
            rows(network, &file.sections, None, &mut text);
        }
    }
    if file.tail.multiple > 1 {
        text += &format!(
            "\n`{}`, repeated, pads the file to a multiple of {} bytes.\n",
            file.tail.text.escape_ascii(),
            file.tail.multiple
        );
    }
    text
}

/// Writes the sections as rows of a table. Returns the number of their bytes, if it does not depend
/// on the values. Offsets are relative to `base`; without a base, sections may have any order.
fn rows(
    network: &Network,
    sections: &[Section<Tensor>],
    base: Option<&str>,
    text: &mut String,
) -> Option<usize> {
    let mut offset = base.map(|_| 0usize);
    for section in sections {
        let at = match (base, offset) {
            (Some(""), Some(offset)) => format!("`{offset}`"),
            (Some(base), Some(offset)) => format!("`{base} + {offset}`"),
            (Some(_), None) => "after the one above".to_string(),
            (None, _) => "anywhere".to_string(),
        };
        let len = match (section, offset) {
            (Section::Align(to), Some(offset)) if base == Some("") => {
                Some(offset.next_multiple_of(*to) - offset)
            }
            _ => section.byte_len(),
        };
        let bytes = match (section, len) {
            (_, Some(len)) => len.to_string(),
            (Section::Align(_), None) => String::new(),
            (_, None) => "LEB128".to_string(),
        };
        *text += &match section {
            Section::Hash { name, expected } => {
                format!("| {at} | {bytes} | {name}: {expected:#010x} | `u32` | | |\n")
            }
            Section::Bytes {
                name,
                form,
                expected,
            } => {
                let name = match &**name {
                    "" => String::new(),
                    name => format!("{name}: "),
                };
                let (value, kind) = field(*form, expected);
                format!("| {at} | {bytes} | {name}always {value} | {kind} | | |\n")
            }
            Section::Skipped { name, .. } => {
                let name = if name.is_empty() { "skipped" } else { name };
                format!("| {at} | {bytes} | {name} | | | |\n")
            }
            Section::Kept {
                name,
                element,
                shape,
            } => {
                let shape = match shape {
                    [1, columns] => columns.to_string(),
                    [rows, columns] => format!("{rows} x {columns}"),
                };
                format!("| {at} | {bytes} | `{name}`, for the engine | `{element}` | {shape} | |\n")
            }
            Section::Align(to) => {
                format!("| {at} | {bytes} | up to a multiple of {to} | | | |\n")
            }
            Section::Tensor(tensor) => {
                let id = match &*tensor.id {
                    "" => String::new(),
                    id => format!(" (`{id}`)"),
                };
                format!(
                    "| {at} | {bytes} | `{}`{id} | `{}` | {} | {} |\n",
                    tensor.name,
                    tensor.stored.element,
                    describe_shape(tensor),
                    unit(network, tensor)
                )
            }
        };
        offset = offset.zip(len).map(|(offset, len)| offset + len);
    }
    offset
}

/// The content of a field, and its type.
fn field(form: FieldForm, bytes: &[u8]) -> (String, String) {
    match form {
        FieldForm::Bytes => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            (format!("`{hex}`"), String::new())
        }
        FieldForm::Number => {
            let digits = bytes.iter().rev();
            let number = digits.fold(0, |number, byte| number << 8 | u64::from(*byte));
            (number.to_string(), format!("`u{}`", 8 * bytes.len()))
        }
        FieldForm::Text => (format!("`{}`", bytes.escape_ascii()), "text".to_string()),
    }
}

/// The words that say where the stacks of a file are; the first is at `first`.
fn stacks(
    network: &Network,
    stack: &[Section<Tensor>],
    first: Option<String>,
    is_last: bool,
) -> String {
    let count = network.stacks.count;
    let size: Option<usize> = stack.iter().map(Section::byte_len).sum();
    // Where the file has a tail, the end of the file is not the end of the stacks.
    let ends = is_last && network.file.tail == Tail::NONE;
    let size = size.filter(|_| first.is_some() || ends);
    match (count, first, size) {
        (1, Some(first), _) => format!("\nThe stack follows at `s = {first}`:\n"),
        (_, Some(first), Some(size)) => {
            format!("\n{count} stacks follow, stack `i` at `s = {first} + {size} * i`:\n")
        }
        (1, None, Some(size)) => {
            format!("\nThe stack is the file's last {size} bytes, from `s` on:\n")
        }
        (_, None, Some(size)) => format!(
            "\n{count} stacks end the file, stack `i` at `s = end - {size} * ({count} - i)`:\n"
        ),
        (_, _, None) => format!("\n{count} stacks follow, each from some `s` on:\n"),
    }
}

/// The shape of a tensor, with its axes, such as `16 x 1024 (output, input)` or `32 x (30 + 2
/// padding) (output, input)`.
fn describe_shape(tensor: &Tensor) -> String {
    let lens: Vec<usize> = tensor.axes().iter().map(|(_, len)| *len).collect();
    let mut axes: Vec<String> = lens.iter().map(usize::to_string).collect();
    if let (Some(axis), Some(len)) = (axes.last_mut(), lens.last())
        && let padding @ 1.. = tensor.padded() - len
    {
        *axis = format!("({len} + {padding} padding)");
    }
    axes.join(" x ") + &tensor.axis_order()
}

/// The number that stands for 1.0 in a tensor of the file.
fn unit(network: &Network, tensor: &Tensor) -> String {
    match tensor.stored.times {
        1 => unit_in_network(network, tensor),
        times => format!(
            "{} when loaded, {times} times that of the file",
            unit_in_network(network, tensor)
        ),
    }
}

/// The number that stands for 1.0 in a tensor, but for the factor of its integers.
fn unit_in_network(network: &Network, tensor: &Tensor) -> String {
    if tensor.stored.element == Element::F32 {
        return match tensor.stored.quantise {
            None => "1".to_string(),
            Some(Quantise {
                factor, overflow, ..
            }) => match overflow {
                Overflow::Refuse => format!("1; {factor} when loaded"),
                Overflow::Clamp => format!("1; {factor} when loaded, clamped to the type"),
            },
        };
    }
    let Some(layer) = tensor.role.layer() else {
        return match tensor.role {
            Role::Psqt(_) => network.psqt_one().to_string(),
            _ => network.transformer.one.to_string(),
        };
    };
    let layer = &network.layers[layer];
    if let Some(divisor) = tensor.stored.divisor {
        return divisor.to_string();
    }
    if layer.output.element == Element::F32 {
        return "by the layer's `scale`".to_string();
    }
    let Some(sums) = layer.output.one.shared() else {
        return "each output's".to_string();
    };
    match tensor.role {
        Role::LayerBiases(_) => sums.to_string(),
        _ => layer.weights_one().map(fraction).unwrap_or_default(),
    }
}

/// The lines of a text, each with the space that follows `///`.
fn lines(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| match line {
            "" => String::new(),
            line => format!(" {line}"),
        })
        .collect()
}
