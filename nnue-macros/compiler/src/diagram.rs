//! A network as text, from features to value: first its shape on a line, and then a line for each
//! operation.

use crate::network::{
    Affine, Align, Element, Head, Layer, Network, One, Op, Order, PSQT, Ratio, Rounding, Scale,
    Slice, Source, SparseBy, Sums, UNPOOLED, Units, WeightType,
};

/// The network as text, from the features to the value, with one line for each operation.
pub fn diagram(network: &Network) -> String {
    let mut text = headline(network) + "\n\n";
    let mut table = vec![HEADER.map(str::to_string)];
    table.extend(operations(network));
    text += &aligned(&table, Some(ONES));
    for set in &network.features {
        if let Some(table) = set.table() {
            text += &format!("\n{}\n", set.name);
            text += &aligned(&table, None);
        }
    }
    text += &format!("\norder: {}\n", order(network));
    if network.stacks.count > 1 {
        let by = selection(network).map_or("the caller's choice".to_string(), |by_pieces| {
            format!("by pieces, {by_pieces}")
        });
        text += &format!("bucket: {by}\n");
    }
    text
}

/// The shape of the network on a line, and its tensors without their scales and ranges: what an
/// editor has room for.
pub(crate) fn outline(network: &Network) -> String {
    let narrow = |[tensor, shape, element, _, _, formula]: Row| [tensor, shape, element, formula];
    let mut table = vec![narrow(HEADER.map(str::to_string))];
    table.extend(operations(network).into_iter().map(narrow));
    headline(network) + "\n\n" + &aligned(&table, None)
}

/// The lines of the table in [`diagram()`], from the accumulator to the value. Each line has the name
/// of a tensor, its shape, the type of its values, the integer that stands for 1.0, the range, and
/// the formula. A text that is not known is empty.
pub fn operations(network: &Network) -> Vec<[String; 6]> {
    let mut rows = transformer_rows(network);
    rows.extend(network.layers.iter().map(|layer| layer_row(network, layer)));
    rows.extend(output_rows(network));
    rows.extend(further_rows(network));
    rows
}

/// The shape of the network on a line, such as `SFNNv5: HalfKAv2_hm[22528] -> 1024 x 2 -> (16 -> 32
/// -> 1) x 8`.
pub(crate) fn headline(network: &Network) -> String {
    let widths: Vec<String> = network
        .layers
        .iter()
        .filter(|layer| layer.affine().is_some())
        .map(|layer| layer.output.len.to_string())
        .collect();
    let layers = match network.stacks.count {
        1 => widths.join(" -> "),
        count => format!("({}) x {count}", widths.join(" -> ")),
    };
    format!(
        "{}: {} -> {}{} -> {layers}",
        network.name,
        sets(network),
        network.transformer.width,
        match network.transformer.perspectives.count {
            1 => "",
            _ => " x 2",
        }
    )
}

/// The words that say how the perspectives are put together.
fn order(network: &Network) -> String {
    let perspectives = network.transformer.perspectives;
    let order = match (perspectives.count, perspectives.order) {
        (1, Order::WhiteFirst) => "white's perspective only",
        (1, _) => "the side to move's perspective only",
        (_, Order::StmFirst) => "the side to move's half first",
        (_, Order::WhiteFirst) => "white's half first",
        (_, Order::Interleaved) => "the side to move's values and the opponent's in turn",
    };
    if perspectives.separate {
        format!("{order}; white and black have weights of their own")
    } else {
        order.to_string()
    }
}

/// The shape of a tensor of the transformer: `2 x 256`, or `256` where there is a single
/// perspective.
fn per_perspective(network: &Network, len: usize) -> String {
    match network.transformer.perspectives.count {
        1 => len.to_string(),
        count => format!("{count} x {len}"),
    }
}

/// The names of the feature sets, with their numbers of rows.
pub(crate) fn sets(network: &Network) -> String {
    let sets = network.features.iter().map(|set| match set.virtual_rows() {
        0 => format!("{}[{}]", set.name, set.rows),
        rows => format!("{}[{} + {rows} virtual]", set.name, set.rows),
    });
    sets.collect::<Vec<_>>().join(" + ")
}

/// A line of the diagram: tensor, shape, type, the integer that stands for 1.0, range, formula.
type Row = [String; 6];

/// The names of its columns.
const HEADER: [&str; 6] = ["tensor", "shape", "type", "1.0 is", "range", "computed as"];

/// The column with the integers that stand for 1.0.
const ONES: usize = 3;

fn row(
    tensor: &str,
    shape: impl ToString,
    element: Element,
    one: &One,
    range: Option<(i64, i64)>,
    computed_as: String,
) -> Row {
    let is_float = element == Element::F32;
    let one = match one {
        _ if is_float => "1".to_string(),
        One::Tensor(one) => one.to_string(),
        One::Channels(ones) => {
            let lowest = ones.iter().min().copied().unwrap_or(0);
            format!("{lowest} to {}", ones.iter().max().copied().unwrap_or(0))
        }
    };
    let range = range.filter(|_| !is_float);
    [
        tensor.to_string(),
        shape.to_string(),
        element.to_string(),
        one,
        range.map_or(String::new(), |(low, high)| format!("{low}..={high}")),
        computed_as,
    ]
}

fn transformer_rows(network: &Network) -> Vec<Row> {
    let transformer = &network.transformer;
    let one = One::Tensor(transformer.one);
    let both = per_perspective(network, transformer.width);
    let mut rows = vec![row(
        "accumulator",
        &both,
        Element::I16,
        &one,
        None,
        accumulated(network),
    )];
    if transformer.psqt > 0 {
        rows.push(row(
            "psqt sums",
            per_perspective(network, transformer.psqt),
            Element::I32,
            &One::Tensor(network.psqt_one()),
            None,
            "active features' PSQT rows".to_string(),
        ));
    }
    let (activation, name) = transformer
        .activation
        .formula("accumulator", transformer.one);
    let half = transformer.half();
    let (a, b) = match transformer.block {
        2 => (format!("{name}[2 j]"), format!("{name}[2 j + 1]")),
        block => (format!("{name}[j]"), format!("{name}[j + {}]", block / 2)),
    };
    let in_blocks = match transformer.block {
        2 => String::new(),
        block if block == 2 * half => String::new(),
        block => format!(", in blocks of {block}"),
    };
    let pooled = transformer.pooling.formula(&a, &b);
    let output = &transformer.output;
    let computed_as = match pooled {
        None => activation,
        Some(pooled) => {
            let activated = &transformer.activated;
            rows.push(row(
                name,
                per_perspective(network, activated.len),
                activated.element,
                &activated.one,
                Some(activated.range),
                activation,
            ));
            pooled + &in_blocks
        }
    };
    rows.push(row(
        "transformer",
        output.len,
        output.element,
        &output.one,
        Some(output.range),
        computed_as,
    ));
    if let Some(sums) = &transformer.unpooled {
        let first = transformer.width - transformer.unpooled_half();
        rows.push(row(
            UNPOOLED,
            sums.len,
            sums.element,
            &sums.one,
            Some(sums.range),
            format!("accumulator[{first} + j]"),
        ));
    }
    if let Some(sums) = &transformer.psqt_sums {
        let one = &sums.one;
        rows.push(row(PSQT, sums.len, sums.element, one, None, psqt(network)));
    }
    rows
}

/// The formula of an accumulator.
fn accumulated(network: &Network) -> String {
    let shifted = network.features.iter().filter(|set| set.shift > 0);
    let shifted: Vec<String> = shifted
        .map(|set| format!("{} << {}", set.name, set.shift))
        .collect();
    match shifted.as_slice() {
        [] => "biases + active features' rows".to_string(),
        shifted => format!("biases + active features' rows ({})", shifted.join(", ")),
    }
}

fn layer_row(network: &Network, layer: &Layer) -> Row {
    let inputs: Vec<String> = layer
        .inputs
        .iter()
        .map(|slice| network.describe(*slice))
        .collect();
    let mut computed_as = match &layer.op {
        Op::Affine(op) => affine(network, layer, op, &inputs.join(" ++ ")),
        Op::Elementwise(function) => function.formula(&inputs),
    };
    if layer.shared {
        computed_as += ", shared by all stacks";
    }
    if layer.factorised {
        computed_as += ", added to what all stacks share";
    }
    row(
        &layer.name,
        layer.output.len,
        layer.output.element,
        &layer.output.one,
        Some(layer.output.range),
        computed_as,
    )
}

fn affine(network: &Network, layer: &Layer, op: &Affine, inputs: &str) -> String {
    let mut text = format!("affine({inputs}), {}", op.weights);
    if let Some(one) = layer.weights_one() {
        text += &format!(" with one {}", fraction(one));
    }
    if op.weights == WeightType::F32 {
        text += &format!(", sums by {}", op.sums);
    }
    if op.sums == Sums::I64 {
        text += ", sums in 64 bits";
    }
    if op.sparse.is_some() {
        let bytes = op.weights == WeightType::I8
            && layer
                .inputs
                .iter()
                .all(|slice| network.tensor(slice.source).element == Element::U8);
        text += match op.sparse_by(bytes) {
            Some(SparseBy::Inputs) => ", sparse by inputs",
            _ => ", sparse",
        };
    }
    if let Some(blocks) = op.output_blocks {
        text += &format!(", {blocks} runs of 16 outputs per input");
    }
    if let Some(shards) = op.shards {
        text += &match shards.common {
            0 => format!(", {} shards", shards.count),
            common => format!(", {} shards and {common} inputs in common", shards.count),
        };
    }
    if let Some(scales) = op.scales {
        let beta = if scales.inputs { " * beta" } else { "" };
        text += &format!(", sums * alpha{beta} >> {} before biases", scales.shift);
    }
    if let Some(divide) = op.divide {
        let rounding = match divide.rounding {
            Rounding::Truncate => "",
            Rounding::Floor => " rounded down",
        };
        text += &format!(", sums / {}{rounding} before biases", divide.by);
    }
    if !op.biases {
        text += ", no biases";
    }
    text += &match op.to_float {
        Some(Scale::Shared(scale)) => format!(", sums * {scale:e} in f32 before biases"),
        Some(Scale::OfFile) => ", sums * scales in f32 before biases".to_string(),
        None => String::new(),
    };
    text
}

fn head(network: &Network, head: &Head) -> String {
    let mut sum = String::new();
    for (index, term) in head.terms.iter().enumerate() {
        sum += match (index, term.negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        let name = network.describe(Slice {
            source: Source::Layer(term.layer),
            start: term.index,
            len: 1,
        });
        sum += &term.align.formula(&name);
    }
    if head.align != Align::None && head.terms.len() > 1 {
        sum = format!("({sum})");
    }
    head.align.formula(&sum)
}

/// The formula that makes a single value of both perspectives' PSQT sums.
fn psqt(network: &Network) -> String {
    let perspectives = network.transformer.perspectives;
    let psqt = match (perspectives.count, perspectives.order) {
        (1, _) => "the psqt sum",
        (_, Order::WhiteFirst) => "(white's - black's psqt sum) / 2",
        _ => "(own - opponent's psqt sum) / 2",
    };
    psqt.to_string()
}

fn output_rows(network: &Network) -> Vec<Row> {
    let output = &network.output;
    let has_psqt = network.transformer.psqt_of_output() > 0;
    let one = One::Tensor(output.one);
    let names: &[&str] = match output.heads.len() {
        1 => &[""],
        _ => &["win", "draw", "loss"],
    };
    let mut rows = Vec::new();
    if has_psqt {
        rows.push(row(PSQT, 1, Element::I32, &one, None, psqt(network)));
    }
    for (name, head_) in names.iter().zip(&output.heads) {
        let named = |what: &str| match *name {
            "" => what.to_string(),
            name => format!("{name}.{what}"),
        };
        let sum = head(network, head_);
        let ratio = match output.units {
            Units::Integer(ratio) | Units::Wide(ratio) => ratio,
            Units::Float { factor } => {
                let value = format!("{sum} * {factor}, truncated");
                rows.push(row(&named("value"), 1, Element::I32, &one, None, value));
                continue;
            }
        };
        let positional = named("positional");
        let (positional_as, value_as) = match output.units {
            Units::Wide(_) => {
                let value = value(&format!("({sum})"), has_psqt, ratio);
                (
                    format!("{sum}, the lower 32 bits"),
                    format!("{value} in 64 bits"),
                )
            }
            _ => (sum, value(&positional, has_psqt, ratio)),
        };
        let mut value_row = row(&named("value"), 1, Element::I32, &one, None, value_as);
        value_row[ONES] = unit(output.one, ratio);
        let at = rows.len() - usize::from(has_psqt && *name == names[0]);
        rows.insert(
            at,
            row(&positional, 1, Element::I32, &one, None, positional_as),
        );
        rows.push(value_row);
    }
    rows
}

/// The lines for the values of further heads.
pub(crate) fn further_rows(network: &Network) -> Vec<Row> {
    let further = network.output.further.iter();
    let rows = further.map(|further| {
        let sum = head(network, &further.head);
        match further.units {
            Units::Integer(ratio) | Units::Wide(ratio) => {
                let sum = if ratio.numerator.max(ratio.denominator) > 1 && sum.contains(' ') {
                    format!("({sum})")
                } else {
                    sum
                };
                let value = value(&sum, false, ratio);
                let mut row = row(&further.name, 1, Element::I32, &One::Tensor(1), None, value);
                row[ONES] = unit(further.one, ratio);
                row
            }
            Units::Float { factor } => {
                let sum = if further.head.terms.len() > 1 {
                    format!("({sum})")
                } else {
                    sum
                };
                let value = format!("{sum} * {factor}");
                row(&further.name, 1, Element::F32, &One::Tensor(1), None, value)
            }
        }
    });
    rows.collect()
}

/// The number of the engine's units in 1.0.
fn unit(one: u32, ratio: Ratio) -> String {
    let scaled = i64::from(one) * ratio.numerator;
    fraction((scaled.unsigned_abs(), ratio.denominator.unsigned_abs()))
}

/// A quotient as text: `4` where it is whole, else a fraction such as `7 / 2`.
pub(crate) fn fraction((numerator, denominator): (u64, u64)) -> String {
    match numerator % denominator {
        0 => (numerator / denominator).to_string(),
        _ => format!("{numerator} / {denominator}"),
    }
}

fn value(positional: &str, has_psqt: bool, ratio: Ratio) -> String {
    let factor = match (ratio.numerator, ratio.denominator) {
        (1, 1) => String::new(),
        (1, denominator) => format!(" / {denominator}"),
        (numerator, 1) => format!(" * {numerator}"),
        (numerator, denominator) => format!(" * {numerator} / {denominator}"),
    };
    let rounded = match ratio.rounding {
        Rounding::Truncate => "",
        Rounding::Floor => ", rounded down",
    };
    match (has_psqt, ratio.each) {
        (true, _) if factor.is_empty() => format!("psqt + {positional}"),
        (true, false) => format!("(psqt + {positional}){factor}{rounded}"),
        (true, true) => format!("psqt{factor} + {positional}{factor}{rounded}"),
        (false, _) => format!("{positional}{factor}{rounded}"),
    }
}

/// The table as text, with its columns aligned to the left, except for `right`.
fn aligned<const COLUMNS: usize>(table: &[[String; COLUMNS]], right: Option<usize>) -> String {
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        let lens = table.iter().map(|row| row[column].chars().count());
        lens.max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in table {
        let columns = row.iter().zip(widths).enumerate();
        let line: Vec<String> = columns
            .map(|(column, (entry, width))| {
                if Some(column) == right {
                    format!("{entry:>width$}")
                } else {
                    format!("{entry:<width$}")
                }
            })
            .collect();
        text += line.join("  ").trim_end();
        text += "\n";
    }
    text
}

/// The runs of numbers of pieces that share a bucket, as in: `1-4: 0, 5-8: 1`; `None` when the
/// caller selects.
pub(crate) fn selection(network: &Network) -> Option<String> {
    let table = network.stacks.by_pieces?;
    let mut runs: Vec<(usize, usize, u8)> = Vec::new();
    for (pieces, bucket) in table.into_iter().enumerate().skip(1) {
        match runs.last_mut() {
            Some((_, last, same)) if *same == bucket => *last = pieces,
            _ => runs.push((pieces, pieces, bucket)),
        }
    }
    let runs = runs.iter().map(|(first, last, bucket)| {
        if first == last {
            format!("{first}: {bucket}")
        } else {
            format!("{first}-{last}: {bucket}")
        }
    });
    Some(runs.collect::<Vec<_>>().join(", "))
}
