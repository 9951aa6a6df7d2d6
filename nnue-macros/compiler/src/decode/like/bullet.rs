//! `like = "bullet"`: the spec of bullet's examples, as far as it follows from what a spec says.
//!
//! What is said of the transformer decides the scales behind it, and what is said of layers decides
//! how many there are. So the text is written for each spec, and completes it as that of a known
//! network does. A value that is wrong counts as not said here, and is reported when it is decoded.

use std::fmt::Write;

use toml::de::{DeTable, DeValue};

use super::has_ops;

/// What `like` has for the name.
pub(super) const NAME: &str = "bullet";

/// The trainer's QA and QB, if the spec does not say them.
const QA: i64 = 255;
const QB: i64 = 64;

/// The outputs of hidden layers: of the first one, and of those behind it.
const HIDDEN: [i64; 2] = [16, 32];

/// What the layers read.
#[derive(Clone, Copy, PartialEq)]
enum Values {
    /// Neurons, at most QA.
    Plain,
    /// Squares of neurons.
    Squares,
    /// Products of two neurons, of which some bits are dropped.
    Products { shift: u32 },
}

/// The spec that completes `spec`.
pub(super) fn text(spec: &DeTable<'_>) -> String {
    let transformer = |key| value(spec.get("transformer")?.get_ref(), key);
    let said = |key| transformer(key).and_then(DeValue::as_str);
    let qa = transformer("one").and_then(integer);
    let qa = qa.filter(|one| (1..=32767).contains(one)).unwrap_or(QA);
    let hidden = hidden_layers(spec);
    let (activation, pooling) = match (said("activation"), said("pooling")) {
        (Some(activation), pooling) => (activation, pooling),
        (None, Some("product")) => ("crelu", Some("product")),
        (None, None) if !hidden.is_empty() => ("crelu", Some("product")),
        (None, pooling) => ("screlu", pooling),
    };
    let values = match (activation, pooling) {
        (_, Some("product")) => {
            let shift = transformer("product_shift").and_then(integer);
            let shift = shift.and_then(|shift| u32::try_from(shift).ok());
            let fits = |shift: &u32| (qa * qa) >> shift <= 127;
            let shift = shift.or_else(|| (0..31).find(fits)).unwrap_or(0);
            Values::Products {
                shift: shift.min(31),
            }
        }
        ("screlu" | "sqr_relu", None | Some("none")) => Values::Squares,
        _ => Values::Plain,
    };
    let mut text = format!(
        "name = \"{NAME}\"\n\n[[features]]\nset = \"A\"\n\n\
         [transformer]\nwidth = 128\none = {qa}\nactivation = \"{activation}\"\n"
    );
    if pooling == Some("product") {
        text += "pooling = \"product\"\n";
    }
    let stacks = spec.get("stacks").map(|stacks| stacks.get_ref());
    let stacks = stacks.and_then(|stacks| value(stacks, "count"));
    let stacks = stacks.and_then(integer).unwrap_or(1);
    if stacks > 1 {
        let select = material_count(stacks);
        let _ = write!(
            text,
            "\n[stacks]\ncount = {stacks}\nselect = {{ pieces = \"{select}\" }}\n"
        );
    }
    let qb = weights_one(spec).unwrap_or(QB);
    text += &match hidden.len() {
        0 => one_layer(spec, [qa, qb], values),
        _ => layers(&hidden, [qa, qb], values),
    };
    text += "\n[file]\nformat = \"bullet\"\n";
    let file = spec.get("file").map(|file| file.get_ref());
    let kind = file.and_then(|file| value(file, "kind")?.as_str());
    if matches!(kind, None | Some("quantised")) {
        text += "transposed = true\n";
    }
    text
}

/// One layer of words, whose sums are divided by QA where their inputs are squares.
fn one_layer(spec: &DeTable<'_>, [qa, qb]: [i64; 2], values: Values) -> String {
    let inputs = match values {
        Values::Plain | Values::Squares => qa,
        Values::Products { shift } => match (qa * qa) >> shift {
            // 126 stands for 127.
            one if (one + 2) & (one + 1) == 0 && one > 0 => one + 1,
            one => one.max(1),
        },
    };
    let one = of_first_layer(spec, "one").unwrap_or(inputs * qb);
    let divide = match values {
        Values::Squares => format!("divide = {qa}\n"),
        _ => String::new(),
    };
    format!(
        "\n[[layer]]\nname = \"l1\"\nop = \"affine\"\noutputs = 1\nweights = \"i16\"\n\
         weights_one = {qb}\n{divide}\n[output]\nsum = \"l1\"\none = {one}\nscale = 400\n"
    )
}

/// A layer of bytes, and behind it layers of floating point.
fn layers(hidden: &[i64], [qa, qb]: [i64; 2], values: Values) -> String {
    let scale = match values {
        Values::Plain => format!("1 / ({qa} * {qb})"),
        Values::Squares => format!("1 / ({qa} * {qa} * {qb})"),
        Values::Products { shift } => format!("{} / ({qa} * {qa} * {qb})", 1u64 << shift),
    };
    let mut text = String::new();
    for (index, outputs) in hidden.iter().chain([&1]).enumerate() {
        let number = index + 1;
        let types = match index {
            0 => format!("weights = \"i8\"\nbiases = \"f32\"\nscale = \"{scale}\"\n"),
            _ => "weights = \"f32\"\n".into(),
        };
        // Most products are zero.
        let is_sparse = index == 0 && *outputs >= 8 && matches!(values, Values::Products { .. });
        let sparse = if is_sparse { "sparse = true\n" } else { "" };
        let _ = write!(
            text,
            "\n[[layer]]\nname = \"l{number}\"\nop = \"affine\"\noutputs = {outputs}\n{types}{sparse}"
        );
        if index < hidden.len() {
            let _ = write!(text, "\n[[layer]]\nname = \"a{number}\"\nop = \"screlu\"\n");
        }
    }
    let last = hidden.len() + 1;
    text + &format!("\n[output]\nsum = \"l{last}\"\nscale = 400\n")
}

/// Removes the `weights_one` of a layer whose sums become floating point: the text has it in
/// `scale`.
pub(super) fn remove_what_the_text_has(spec: &mut DeTable<'_>) {
    if hidden_layers(spec).is_empty() || weights_one(spec).is_none() {
        return;
    }
    let layers = spec.get_mut("layer").map(|layers| layers.get_mut());
    if let Some(DeValue::Array(layers)) = layers {
        for layer in layers.iter_mut() {
            let is_first = value(layer.get_ref(), "name").and_then(DeValue::as_str) == Some("l1");
            if let (DeValue::Table(layer), true) = (layer.get_mut(), is_first) {
                layer.remove("weights_one");
            }
        }
    }
}

/// QB, if the spec says it.
fn weights_one(spec: &DeTable<'_>) -> Option<i64> {
    let one = of_first_layer(spec, "weights_one");
    one.filter(|one| (1..=32767).contains(one))
}

/// A number that the spec says of the first layer.
fn of_first_layer(spec: &DeTable<'_>, key: &str) -> Option<i64> {
    let (_, layer) = changes(spec).find(|(name, _)| *name == "l1")?;
    integer(value(layer, key)?)
}

/// The outputs of the hidden layers, which are there if the spec says how many they are.
fn hidden_layers(spec: &DeTable<'_>) -> Vec<i64> {
    const MOST: usize = 8;
    let mut outputs = Vec::new();
    for (name, layer) in changes(spec) {
        let number = name
            .strip_prefix('l')
            .and_then(|number| number.parse().ok());
        let number: usize = number.unwrap_or(0);
        let said = value(layer, "outputs").and_then(integer);
        let Some(said) = said.filter(|said| *said > 1 && (1..=MOST).contains(&number)) else {
            continue;
        };
        while outputs.len() < number {
            outputs.push(HIDDEN[outputs.len().min(1)]);
        }
        outputs[number - 1] = said;
    }
    outputs
}

/// The layers that a spec changes, each with its name; none if it defines them anew.
fn changes<'s>(spec: &'s DeTable<'_>) -> impl Iterator<Item = (&'s str, &'s DeValue<'s>)> {
    let layers = spec.get("layer").filter(|layers| !has_ops(layers));
    let layers = layers.and_then(|layers| layers.get_ref().as_array());
    let layers = layers.into_iter().flatten().map(|layer| layer.get_ref());
    layers.filter_map(|layer| Some((value(layer, "name")?.as_str()?, layer)))
}

fn value<'v>(table: &'v DeValue<'_>, key: &str) -> Option<&'v DeValue<'v>> {
    table.as_table()?.get(key).map(|value| value.get_ref())
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// The formula of bullet's `MaterialCount`, as `stacks.select` has it: as many pieces for each
/// stack.
#[must_use]
pub fn material_count(stacks: i64) -> String {
    match (32 + stacks.clamp(1, 32) - 1) / stacks.clamp(1, 32) {
        // A formula holds for a single piece too, which is no position.
        1 => "max(n - 2, 0)".into(),
        each => format!("(n - 2) / {each}"),
    }
}
