//! The documentation of generated items: what the network computes, and where a net file has its tensors.

use super::Program;
use crate::file::Section;
use crate::network::{DivideOf, Layer, Network, Op, Pooling, Slice, Source};

/// Of the type `Network`.
pub(super) fn network(program: &Program<'_>) -> Vec<String> {
    let network = program.network;
    let mut text = format!(
        "The weights of {}, laid out for one instruction set: {} bytes.\n\n```text\n{}```\n\n",
        network.name,
        program.layout.weights.size,
        diagram(network)
    );
    text += "Shifts round down, divisions towards zero. Sums stay within their range before biases are added.\n\n";
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

/// The network from features to value: its shape at a glance, then one line per operation.
pub(crate) fn diagram(network: &Network) -> String {
    let mut text = headline(network);
    let header = ["tensor", "shape", "type", "1.0 is", "range", "computed as"];
    let mut table = vec![header.map(str::to_string)];
    table.extend(transformer_rows(network));
    table.extend(network.layers.iter().map(|layer| layer_row(network, layer)));
    table.extend(output_rows(network));
    text += &aligned(&table);
    text += "\norder: the side to move's half first\n";
    if network.stacks.count > 1 {
        let by = selection(network).map_or("the caller's choice".to_string(), |by_pieces| {
            format!("by pieces, {by_pieces}")
        });
        text += &format!("bucket: {by}\n");
    }
    text
}

/// `SFNNv5: HalfKAv2_hm[22528] -> 1024 x 2 -> (16 -> 32 -> 1) x 8`.
fn headline(network: &Network) -> String {
    let widths: Vec<String> = network
        .layers
        .iter()
        .filter(|layer| matches!(layer.op, Op::Affine { .. }))
        .map(|layer| layer.output.len.to_string())
        .collect();
    let layers = match network.stacks.count {
        1 => widths.join(" -> "),
        count => format!("({}) x {count}", widths.join(" -> ")),
    };
    format!(
        "{}: {} -> {} x 2 -> {layers}\n\n",
        network.name,
        sets(network),
        network.transformer.width
    )
}

fn sets(network: &Network) -> String {
    let sets = network
        .features
        .iter()
        .map(|set| format!("{}[{}]", set.name, set.rows));
    sets.collect::<Vec<_>>().join(" + ")
}

/// A line of the diagram: tensor, shape, type, one, range, computed as.
type Row = [String; 6];

/// The column of the ones.
const ONES: usize = 3;

fn row(
    tensor: &str,
    shape: impl ToString,
    element: &str,
    one: u32,
    range: Option<(i64, i64)>,
    computed_as: String,
) -> Row {
    [
        tensor.to_string(),
        shape.to_string(),
        element.to_string(),
        one.to_string(),
        range.map_or(String::new(), |(low, high)| format!("{low}..={high}")),
        computed_as,
    ]
}

fn transformer_rows(network: &Network) -> Vec<Row> {
    let transformer = &network.transformer;
    let (width, one) = (transformer.width, transformer.one);
    let both = format!("2 x {width}");
    let mut rows = vec![row(
        "accumulator",
        &both,
        "i16",
        one,
        None,
        "biases + active features' rows".to_string(),
    )];
    if transformer.psqt > 0 {
        rows.push(row(
            "psqt sums",
            format!("2 x {}", transformer.psqt),
            "i32",
            network.output.one,
            None,
            "active features' PSQT rows".to_string(),
        ));
    }
    let clipped = format!("clamp(accumulator, 0, {one})");
    let computed_as = match transformer.pooling {
        Pooling::None => clipped,
        Pooling::Product => {
            let range = Some((0, i64::from(one)));
            rows.push(row("clipped", &both, "u8", one, range, clipped));
            let (half, shift) = (transformer.half(), transformer.shift);
            format!("clipped[j] * clipped[j + {half}] >> {shift}")
        }
    };
    let output = &transformer.output;
    rows.push(row(
        "transformer",
        output.len,
        &output.element.to_string(),
        output.one,
        Some(output.range),
        computed_as,
    ));
    rows
}

fn layer_row(network: &Network, layer: &Layer) -> Row {
    let inputs: Vec<String> = layer
        .inputs
        .iter()
        .map(|slice| network.describe(*slice))
        .collect();
    let inputs = inputs.join(" ++ ");
    let one = layer.output.one;
    let computed_as = match &layer.op {
        Op::Affine { weights, sparse } => {
            let sparse = if *sparse { ", sparse" } else { "" };
            format!("affine({inputs}), {weights}{sparse}")
        }
        Op::Crelu { shift } => format!("clamp(x >> {shift}, 0, {one}), x = {inputs}"),
        Op::SqrCrelu { shift } => format!("min(x * x >> {shift}, {one}), x = {inputs}"),
    };
    row(
        &layer.name,
        layer.output.len,
        &layer.output.element.to_string(),
        one,
        Some(layer.output.range),
        computed_as,
    )
}

fn output_rows(network: &Network) -> Vec<Row> {
    let output = &network.output;
    let scaled = |scale: (i64, i64)| match scale {
        (1, 1) => String::new(),
        (numerator, denominator) => format!(" * {numerator} / {denominator}"),
    };
    let mut sum = String::new();
    for (index, term) in output.terms.iter().enumerate() {
        sum += match (index, term.negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        sum += &network.describe(Slice {
            source: Source::Layer(term.layer),
            start: term.index,
            len: 1,
        });
        sum += &scaled(term.scale);
    }
    if output.scale != (1, 1) && output.terms.len() > 1 {
        sum = format!("({sum})");
    }
    sum += &scaled(output.scale);

    let (has_psqt, by) = (network.transformer.psqt > 0, output.divide);
    let value = match (has_psqt, output.divide_of) {
        (true, _) if by == 1 => "psqt + positional".to_string(),
        (true, DivideOf::Sum) => format!("(psqt + positional) / {by}"),
        (true, DivideOf::Each) => format!("psqt / {by} + positional / {by}"),
        (false, _) if by == 1 => "positional".to_string(),
        (false, _) => format!("positional / {by}"),
    };
    let mut rows = vec![row("positional", 1, "i32", output.one, None, sum)];
    if has_psqt {
        let psqt = "(own - opponent's psqt sum) / 2";
        rows.push(row("psqt", 1, "i32", output.one, None, psqt.to_string()));
    }
    let mut value_row = row("value", 1, "i32", 0, None, value);
    value_row[ONES] = match output.one % output.divide.unsigned_abs() {
        0 => (output.one / output.divide.unsigned_abs()).to_string(),
        _ => format!("{} / {by}", output.one),
    };
    rows.push(value_row);
    rows
}

/// Columns as wide as their widest entry; ones are numbers and end together.
fn aligned(table: &[Row]) -> String {
    let widths: [usize; 6] = std::array::from_fn(|column| {
        let lens = table.iter().map(|row| row[column].chars().count());
        lens.max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in table {
        let columns = row.iter().zip(widths).enumerate();
        let line: Vec<String> = columns
            .map(|(column, (entry, width))| match column {
                ONES => format!("{entry:>width$}"),
                _ => format!("{entry:<width$}"),
            })
            .collect();
        text += line.join("  ").trim_end();
        text += "\n";
    }
    text
}

/// Runs of numbers of pieces that share a bucket: `1-4: 0, 5-8: 1`; `None` when the caller selects.
fn selection(network: &Network) -> Option<String> {
    let table = network.stacks.by_pieces?;
    let mut runs: Vec<(usize, usize, u8)> = Vec::new();
    for (pieces, bucket) in table.into_iter().enumerate().skip(1) {
        match runs.last_mut() {
            Some((_, last, same)) if *same == bucket => *last = pieces,
            _ => runs.push((pieces, pieces, bucket)),
        }
    }
    let runs = runs
        .iter()
        .map(|(first, last, bucket)| match first == last {
            true => format!("{first}: {bucket}"),
            false => format!("{first}-{last}: {bucket}"),
        });
    Some(runs.collect::<Vec<_>>().join(", "))
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
            "transformer.psqt" => network.output.one.to_string(),
            _ => network.transformer.one.to_string(),
        };
    };
    let sums = layer.output.one;
    if part == "biases" {
        return sums.to_string();
    }
    let mut ones = layer
        .inputs
        .iter()
        .map(|slice| network.tensor(slice.source).one);
    match ones.next() {
        Some(first) if ones.all(|one| one == first) => match sums % first {
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
