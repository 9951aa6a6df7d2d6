//! A whole spec, table by table.

use nnue_compiler::network::{Network, PSQT, Transformer, UNPOOLED};

use super::dice::Dice;
use super::layers::Graph;
use super::toml::Toml;
use super::{checked, features, file, like, transformer};

/// A file that any network can have.
const ANY_FILE: &str = "
[file]
format = \"stockfish\"
version = 0x7AF32F20
transformer_hash = 0
";

/// Layers that any transformer can have.
const ANY_LAYERS: &str = "
[[layer]]
name = \"fc\"
op = \"affine\"
outputs = 1
weights = \"i8\"
one = 2147483647

[output]
sum = \"fc\"
one = 2147483647
";

/// Draws a spec. If the compiler refuses a part of it, the error has its message and that part.
pub(super) fn draw(seed: u64, dice: &mut Dice) -> Result<String, (String, String)> {
    let mut head = Toml(format!("# Drawn by the zoo from seed {seed}.\n"));
    head.name("name", format_args!("Zoo {seed}"));
    let mut aside = dice.aside_for("like");
    if aside.once_in(40) {
        // If this draft is discarded, the next one must be another.
        dice.word();
        let text = head.0 + &like::draw(&mut aside).0;
        return checked(&text).map(|_| text);
    }
    let (features, many_rows) = features::draw(dice);
    let (stacks, count) = transformer::stacks(dice);
    let mut transformer = transformer::draw(dice, many_rows);
    let checked_transformer = check_transformer(&[&head, &features, &transformer])?;
    let has_psqt = checked_transformer.psqt_sums.is_some();
    // One stack has nothing to share.
    let has_one_stack = stacks.0.is_empty()
        || stacks.0.contains(
            "count = 1
",
        );
    let (graph, last) = Graph::draw(dice, checked_transformer, has_one_stack);
    let (layers, psqt) = graph.output(last);
    if psqt && dice.once_in(2) {
        let values = dice.pick(&[0, 1, count, count]);
        if !has_psqt {
            transformer.set("psqt", values);
        }
    }
    let body = |transformer: &Toml| join(&[&head, &features, transformer, &stacks, &layers]);
    let network = checked(&format!("{}{ANY_FILE}", body(&transformer)))?;
    let mut aside = dice.aside_for("neuron_order");
    let file = file::draw(dice, &network);
    let whole = |transformer: &Toml| format!("{}\n{}", body(transformer), file.0);
    let mut text = whole(&transformer);
    let network = checked(&text)?;
    if aside.once_in(6) {
        let order = neuron_order(&network, &mut aside);
        transformer.rows("neuron_order", &order, 25);
        text = whole(&transformer);
        checked(&text)?;
    }
    Ok(text)
}

/// An order of the transformer's outputs in which those that may change places do.
fn neuron_order(network: &Network, dice: &mut Dice) -> Vec<usize> {
    let classes = network.outputs().classes();
    let mut order: Vec<usize> = (0..classes.len()).collect();
    for class in 0..classes.len() {
        let places: Vec<usize> = (0..classes.len())
            .filter(|place| classes[*place] == class)
            .collect();
        let mut outputs = places.clone();
        dice.shuffle(&mut outputs);
        for (place, output) in places.into_iter().zip(outputs) {
            order[place] = output;
        }
    }
    order
}

/// The transformer as the compiler understands it, with layers that any can have.
fn check_transformer(parts: &[&Toml]) -> Result<Transformer, (String, String)> {
    let parts = join(parts);
    let sources = [UNPOOLED, PSQT].map(|name| (name, format!("\n{name} = ")));
    let sources = sources.iter().filter(|(_, key)| parts.contains(key));
    let sources: Vec<&str> = sources.map(|(name, _)| *name).collect();
    let unread = if sources.is_empty() {
        String::new()
    } else {
        format!("unread = {sources:?}\n")
    };
    let text = format!("{parts}{ANY_LAYERS}{unread}{ANY_FILE}");
    checked(&text).map(|network| network.transformer)
}

/// Tables, with a blank line between them.
fn join(parts: &[&Toml]) -> String {
    let texts = parts.iter().map(|part| part.0.as_str());
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    texts.join("\n")
}
