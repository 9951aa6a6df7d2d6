//! The list of the tensors that bullet saves, in the order of the spec's file.

mod arrangement;

use nnue_compiler::format::{Element, Encoding, Format, Section};
use nnue_compiler::network::Network;
use nnue_compiler::network::file::{Role, Tensor};

use self::arrangement::Arrangement;
use super::multiplier::{Multiplier, is_one, literal};
use super::parameters::{Factor, Parameters, Rows, pairs_in_blocks};

/// The function that lists the saved tensors, and facts about the file.
pub(super) struct Saved {
    /// The text of the function.
    pub(super) function: String,
    /// The length of the file in bytes; `None` if bullet writes it in a form of its own.
    pub(super) len: Option<usize>,
    /// Whether bullet's padding at the end of the file has to be cut off.
    pub(super) is_cut: bool,
    /// The tensors that are compressed in the spec's file, but not in that of the trainer.
    pub(super) compressed: Vec<String>,
}

/// bullet pads its files to a multiple of this.
const PADDED: usize = 64;

/// An entry of the list, and its length in the file.
struct Entry {
    comment: String,
    /// The call that makes the entry, then the methods that are called on it.
    calls: Vec<String>,
    len: usize,
}

pub(super) fn saved(parameters: &Parameters<'_>) -> Saved {
    let network = parameters.network;
    let file = &network.file;
    let mut once = Vec::new();
    if let Format::Stockfish { version, hash } = file.format {
        once.push(word("version", version));
        once.push(word("hash of the network", hash));
        once.push(word("length of the description, which is empty", 0));
    }
    let mut len = once.iter().map(|entry| entry.len).sum();
    for section in &file.sections {
        let entry = entry(parameters, section, false, &[len]);
        len += entry.as_ref().map_or(0, |entry| entry.len);
        once.extend(entry);
    }
    let groups: Vec<Vec<Entry>> = file
        .stack_groups
        .iter()
        .map(|group| stack_group(parameters, group, &mut len))
        .collect();
    let multiple = file.tail.multiple;
    let rest = len.next_multiple_of(multiple) - len;
    // bullet pads all its files in this way.
    let is_bullets = multiple == PADDED && file.tail.text == b"bullet";
    let mut end = Vec::new();
    if !is_bullets && rest > 0 {
        let tail: Vec<u8> = file.tail.text.iter().copied().cycle().take(rest).collect();
        end.push(bytes("what the file ends with", &tail));
    }
    let len = len + rest;
    let compressed = file
        .tensors()
        .filter(|tensor| tensor.stored.encoding != Encoding::Raw);
    Saved {
        function: function(network, &once, &groups, &end),
        len: (file.format != Format::Named).then_some(len),
        is_cut: file.format != Format::Named && len % PADDED > 0,
        compressed: compressed.map(|tensor| tensor.name.to_string()).collect(),
    }
}

/// The entries of a stack's sections, whose first stack begins at `len`. The length of all stacks
/// is added to `len`.
fn stack_group(
    parameters: &Parameters<'_>,
    group: &[Section<Tensor>],
    len: &mut usize,
) -> Vec<Entry> {
    let stacks = parameters.network.stacks.count;
    // The offsets at which each section begins, stack by stack.
    let mut begins = vec![Vec::new(); group.len()];
    for _ in 0..stacks {
        for (section, begins) in group.iter().zip(&mut begins) {
            begins.push(*len);
            let own = entry(parameters, section, true, &[*len]);
            *len += own.map_or(0, |entry| entry.len);
        }
    }
    let entries = group.iter().zip(&begins);
    entries
        .filter_map(|(section, begins)| entry(parameters, section, true, begins))
        .collect()
}

/// The entry of a section that begins at these offsets, stack by stack; `None` if it is empty.
fn entry(
    parameters: &Parameters<'_>,
    section: &Section<Tensor>,
    of_a_stack: bool,
    begins: &[usize],
) -> Option<Entry> {
    let entry = match section {
        Section::Hash { name, expected } => word(name, *expected),
        Section::Bytes { name, expected, .. } => bytes(name, expected),
        Section::Skipped { name, len } => bytes(name, &vec![0; *len]),
        // There is no program for files that have such numbers.
        Section::Kept { .. } => return None,
        Section::Align(multiple) => {
            let rests = begins
                .iter()
                .map(|begin| begin.next_multiple_of(*multiple) - begin);
            zeros(&rests.collect::<Vec<_>>())
        }
        Section::Tensor(tensor) => saved_tensor(parameters, tensor, of_a_stack),
    };
    // An alignment may be empty in the first stack, but not in others.
    let is_align = matches!(section, Section::Align(_));
    let is_empty = entry.calls.is_empty() || entry.len == 0 && !is_align;
    (!is_empty).then_some(entry)
}

fn word(name: &str, word: u32) -> Entry {
    Entry {
        comment: name.into(),
        calls: vec![format!(
            "SavedFormat::custom({word:#010X}u32.to_le_bytes())"
        )],
        len: 4,
    }
}

fn bytes(name: &str, bytes: &[u8]) -> Entry {
    let text = match (bytes, bytes.iter().all(u8::is_ascii_graphic)) {
        (bytes, _) if bytes.iter().all(|byte| *byte == 0) => format!("[0u8; {}]", bytes.len()),
        (bytes, true) => format!("*b{:?}", String::from_utf8_lossy(bytes)),
        (bytes, false) => {
            let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04X}u8")).collect();
            format!("[{}]", bytes.join(", "))
        }
    };
    Entry {
        comment: name.into(),
        calls: vec![format!("SavedFormat::custom({text})")],
        len: bytes.len(),
    }
}

/// An entry of zeros: the number of them for each stack, or once if all stacks have the same.
fn zeros(numbers: &[usize]) -> Entry {
    let first = numbers.first().copied().unwrap_or(0);
    let text = match numbers.iter().all(|number| *number == first) {
        true if first == 0 => None,
        true => Some(format!("[0u8; {first}]")),
        false => Some(format!("vec![0u8; {numbers:?}[stack]]")),
    };
    let calls = text.map(|text| format!("SavedFormat::custom({text})"));
    Entry {
        comment: "up to where the next tensor begins".into(),
        calls: calls.into_iter().collect(),
        len: first,
    }
}

fn saved_tensor(parameters: &Parameters<'_>, tensor: &Tensor, of_a_stack: bool) -> Entry {
    let network = parameters.network;
    let id = parameters.id(tensor.role);
    let mut calls = vec![format!("SavedFormat::id({id:?})")];
    let runs = [Rows::Neurons, Rows::Psqt].map(|rows| parameters.runs(rows));
    let run = runs.iter().flatten().find(|run| run.role == tensor.role);
    let factor = run.and_then(|run| run.factor.as_ref());
    if let Some(Factor { id, buckets, .. }) = factor.filter(|factor| !factor.is_in_file) {
        calls.push(format!(
            ".transform(|store, weights| merged(weights, store.get({id:?}).values.f32(), {buckets}))"
        ));
    }
    let arrangement = Arrangement::of(network, tensor, of_a_stack);
    // A file with names has bullet's own form: floating point, in bullet's order.
    if network.file.format != Format::Named {
        let (scaled, quantised) = quantise(network, tensor);
        calls.extend(paired(network, tensor));
        calls.extend(scaled);
        calls.extend(arrangement.calls());
        calls.extend(quantised);
    }
    Entry {
        comment: format!(
            "{}{}, {}",
            tensor.name,
            tensor.axis_order(),
            tensor.stored.element
        ),
        calls,
        len: arrangement.values() * tensor.stored.element.size(),
    }
}

/// The transform that pairs neurons within blocks, as the engine pools them. The graph pools the
/// first half of the neurons with the second half. `None` if both are the same.
fn paired(network: &Network, tensor: &Tensor) -> Option<String> {
    let transformer = &network.transformer;
    let has_neurons = matches!(tensor.role, Role::Weights(_) | Role::Biases(_));
    (has_neurons && pairs_in_blocks(network)).then(|| {
        let (pooled, block) = (2 * transformer.half(), transformer.block);
        format!(".transform(|_, weights| paired(weights, WIDTH, {pooled}, {block}))")
    })
}

/// The step that multiplies a tensor by its integer for 1.0: a transform if the factor is no whole
/// number, because bullet's own step takes no other factor. Then the conversion to integers, if the
/// file has integers.
fn quantise(network: &Network, tensor: &Tensor) -> (Option<String>, Vec<String>) {
    let Multiplier { of_file, .. } = Multiplier::of(network, tensor);
    let (kind, most) = match tensor.stored.element {
        Element::I8 => (Some("i8"), f64::from(i16::MAX)),
        Element::I16 => (Some("i16"), f64::from(i16::MAX)),
        Element::I32 => (Some("i32"), f64::from(i32::MAX)),
        // Files have no types except these and `f32`.
        _ => (None, 1.0),
    };
    let whole = match of_file[..] {
        [one] => {
            Some(one.round()).filter(|whole| (1.0..=most).contains(whole) && is_one(one / whole))
        }
        _ => None,
    };
    let scaled = whole.is_none().then(|| {
        let factors: Vec<String> = of_file.iter().map(|one| literal(*one)).collect();
        let factors = factors.join(", ");
        format!(".transform(|_, weights| scaled(weights, &[{factors}]))")
    });
    let whole = whole.unwrap_or(1.0);
    let kind = kind.map(|kind| vec![".round()".into(), format!(".quantise::<{kind}>({whole})")]);
    (scaled, kind.unwrap_or_default())
}

/// The text of the function.
fn function(network: &Network, once: &[Entry], groups: &[Vec<Entry>], end: &[Entry]) -> String {
    let list = |entries: &[Entry], indent: &str| -> String {
        let lines = entries.iter().map(|entry| lines(entry, indent));
        lines.collect::<String>()
    };
    let mut text = "fn saved_format() -> Vec<SavedFormat> {\n".to_string();
    if groups.is_empty() && end.is_empty() {
        return format!("{text}    vec![\n{}    ]\n}}\n", list(once, "        "));
    }
    text += &format!(
        "    let mut saved = vec![\n{}    ];\n",
        list(once, "        ")
    );
    for group in groups {
        text += &match network.stacks.count {
            1 => format!("    saved.extend([\n{}    ]);\n", list(group, "        ")),
            _ => format!(
                "    for stack in 0..STACKS {{\n        saved.extend([\n{}        ]);\n    }}\n",
                list(group, "            ")
            ),
        };
    }
    if !end.is_empty() {
        text += &format!("    saved.extend([\n{}    ]);\n", list(end, "        "));
    }
    text + "    saved\n}\n"
}

/// The lines of an entry in the list.
fn lines(entry: &Entry, indent: &str) -> String {
    let comment = if entry.comment.is_empty() {
        String::new()
    } else {
        format!("{indent}// {}\n", entry.comment)
    };
    let one_line = entry.calls.concat();
    let calls = if indent.len() + one_line.len() < 100 {
        one_line
    } else {
        entry.calls.join(&format!("\n{indent}    "))
    };
    format!("{comment}{indent}{calls},\n")
}
