//! The documentation of generated items: what the network looks like, and where its tensors are.

use super::Program;
use crate::file::Section;
use crate::network::{DivideOf, Element, Network, Op, Pooling, Slice, Source};
use crate::spec::Encoding;

/// One string per line, each with the space that follows `///`.
fn lines(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!(" {line}")
            }
        })
        .collect()
}

/// Of the type `Network`.
pub(super) fn network(program: &Program<'_>) -> Vec<String> {
    let network = program.network;
    let mut text = format!(
        "The weights of {}, laid out for one instruction set.\n\n",
        network.name
    );
    text += "```text\n";
    text += &diagram(network);
    text += "```\n\n# Tensors\n\n";
    text += "| tensor | type | shape | stored | file offset |\n|---|---|---|---|---|\n";
    let (transformer, stack) = program.sections();
    // The description's length varies from file to file: offsets count from its end.
    let mut offset = Some(0);
    for section in &transformer {
        text += &row(section, &mut offset, "d");
    }
    text += &format!("\nThen, {} time(s):\n\n", network.stacks.count);
    text += "| tensor | type | shape | stored | offset in the stack |\n|---|---|---|---|---|\n";
    let mut offset = Some(0);
    for section in &stack {
        text += &row(section, &mut offset, "s");
    }
    text += &format!(
        "\nThe file starts with the words {:#010x} (version), {:#010x} (hash) and the length of the description \
         that follows; `d` is where the description ends, `s` where a stack starts. Integers are little-endian.\n\n\
         In memory: {} bytes.",
        network.file.version,
        network.file.hash(),
        program.layout.weights.size,
    );
    lines(&text)
}

fn row(section: &Section, offset: &mut Option<usize>, base: &str) -> String {
    let at = offset.map_or("after the one before".to_string(), |offset| {
        format!("`{base} + {offset}`")
    });
    *offset = offset
        .zip(section.file_len())
        .map(|(offset, len)| offset + len);
    match section {
        Section::Hash { name, value } => {
            format!("| hash of the {name} | `u32` | {value:#010x} | raw | {at} |\n")
        }
        Section::Tensor {
            name,
            element,
            shape,
            encoding,
            ..
        } => {
            let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
            let stored = match encoding {
                Encoding::Raw => "raw",
                Encoding::Leb128 => "LEB128",
            };
            format!(
                "| `{name}` | `{element}` | {} | {stored} | {at} |\n",
                shape.join(" x ")
            )
        }
    }
}

/// The network from features to value, one line per operation.
pub(crate) fn diagram(network: &Network) -> String {
    let sets: Vec<String> = network
        .features
        .iter()
        .map(|set| format!("{}[{}]", set.name, set.rows))
        .collect();
    let transformer = &network.transformer;
    let mut text = format!(
        "{}\n  -> accumulator  2 x {} i16   (1.0 is {})\n",
        sets.join(" + "),
        transformer.width,
        transformer.one
    );
    let pooling = match transformer.pooling {
        Pooling::None => "crelu".to_string(),
        Pooling::Product => format!("crelu, product of halves >> {}", transformer.shift),
    };
    text += &format!(
        "  -> transformer  {} u8        {pooling}; side to move first (0..={})\n",
        transformer.output.len, transformer.output.range.1
    );
    for layer in &network.layers {
        let inputs: Vec<String> = layer
            .inputs
            .iter()
            .map(|slice| network.describe(*slice))
            .collect();
        let operation = match &layer.op {
            Op::Affine { weights, sparse } => {
                format!("affine {weights}{}", if *sparse { ", sparse" } else { "" })
            }
            Op::Crelu { shift } => format!("crelu, >> {shift}"),
            Op::SqrCrelu { shift } => format!("square, >> {shift}, clipped"),
        };
        let unit = match layer.output.element {
            Element::I32 => format!("1.0 is {}", layer.output.one),
            Element::U8 => format!("0..={}", layer.output.range.1),
        };
        text += &format!(
            "  -> {:<12} {} {}  {operation} of {} ({unit})\n",
            layer.name,
            layer.output.len,
            layer.output.element,
            inputs.join(" ++ ")
        );
    }
    let terms: Vec<String> = network
        .output
        .terms
        .iter()
        .map(|term| {
            let slice = Slice {
                source: Source::Layer(term.layer),
                start: term.index,
                len: 1,
            };
            let (numerator, denominator) = term.scale;
            let scale = if term.scale == (1, 1) {
                String::new()
            } else {
                format!(" * {numerator} / {denominator}")
            };
            format!(
                "{}{}{scale}",
                if term.negative { "-" } else { "" },
                network.describe(slice)
            )
        })
        .collect();
    let (numerator, denominator) = network.output.scale;
    let scale = if numerator == denominator {
        String::new()
    } else {
        format!(" * {numerator} / {denominator}")
    };
    text += &format!(
        "  -> positional   ({}){scale} (1.0 is {})\n",
        terms.join(" + "),
        network.output.one
    );
    let value = match (network.output.divide_of, network.output.divide) {
        (_, 1) => "psqt + positional".to_string(),
        (DivideOf::Sum, by) => format!("(psqt + positional) / {by}"),
        (DivideOf::Each, by) => format!("psqt / {by} + positional / {by}"),
    };
    text += &format!("  -> value        {value}\n");
    text
}

/// Of the type `Accumulator`.
pub(super) fn accumulator(program: &Program<'_>) -> Vec<String> {
    let network = program.network;
    lines(&format!(
        "The accumulator of {}: for each perspective {} sums (`i16`) and {} PSQT sums (`i32`), {} bytes in all.\n\n\
         It fits no other network.",
        network.name,
        network.transformer.width,
        network.transformer.psqt,
        2 * program.layout.half.size,
    ))
}
