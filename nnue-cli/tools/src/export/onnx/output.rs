//! From the last layers' values to the engine's units.

use nnue_compiler::network::{Head, Ratio, Slice, Source, Units};

use super::Export;
use super::graph::{Builder, Value};
use super::layers::{align, divide, sum};
use super::messages::DataType;

/// The outputs of the model, each with a number for each position.
pub(super) fn heads(export: &mut Export<'_>, psqt: Option<Value>) -> Result<Vec<Value>, String> {
    export.builder.part = "output".into();
    let network = export.net.network();
    let names: &[&str] = match network.output.heads.as_slice() {
        [_] => &[""],
        _ => &["win.", "draw.", "loss."],
    };
    let mut outputs = Vec::new();
    let heads = network.output.heads.iter().zip(names);
    for (head, name) in heads {
        let sum = sum_of(export, head);
        let builder = &mut export.builder;
        let value = match network.output.units {
            Units::Integer(ratio) => {
                let positional = builder.wrap(&sum, DataType::I32);
                in_units(builder, ratio, psqt.as_ref(), &positional)
            }
            Units::Wide(ratio) => scaled(builder, ratio, &sum),
            Units::Float { .. } => return Err("the output is f32, allowed are integers".into()),
        };
        outputs.push(named(builder, &value, &format!("{name}value")));
        outputs.push(named(builder, &sum, &format!("{name}positional")));
    }
    for further in &network.output.further {
        let sum = sum_of(export, &further.head);
        let builder = &mut export.builder;
        let value = match further.units {
            Units::Integer(ratio) => {
                let sum = builder.wrap(&sum, DataType::I32);
                scaled(builder, ratio, &sum)
            }
            Units::Wide(ratio) => scaled(builder, ratio, &sum),
            Units::Float { .. } => {
                let name = &further.name;
                return Err(format!("the head `{name}` is f32, allowed are integers"));
            }
        };
        outputs.push(named(builder, &value, &format!("heads.{}", further.name)));
    }
    if let Some(psqt) = psqt {
        outputs.push(named(&mut export.builder, &psqt, "psqt"));
    }
    Ok(outputs)
}

/// The lower 32 bits of a value, as an output of the model.
fn named(builder: &mut Builder, x: &Value, name: &str) -> Value {
    let output = builder.cast(x, DataType::I32);
    builder.rename(output, name)
}

/// The sum of a head's terms, each aligned before the sum, which is aligned too. Sums have 64 bits,
/// and a number for each position.
fn sum_of(export: &mut Export<'_>, head: &Head) -> Value {
    let terms = head.terms.iter().map(|term| {
        let x = export.slice(Slice {
            source: Source::Layer(term.layer),
            start: term.index,
            len: 1,
        });
        let builder = &mut export.builder;
        let x = align(builder, &x, &term.align);
        if term.negative {
            let zero = builder.number(0);
            builder.subtract(&zero, &x)
        } else {
            x
        }
    });
    let terms = terms.collect();
    let builder = &mut export.builder;
    let sum = sum(builder, terms);
    let sum = align(builder, &sum, &head.align);
    builder.reshape(&sum, &[-1])
}

/// The value in the engine's units. Sums of both parts wrap around in 32 bits.
fn in_units(
    builder: &mut Builder,
    ratio: Ratio,
    psqt: Option<&Value>,
    positional: &Value,
) -> Value {
    let Some(psqt) = psqt else {
        return scaled(builder, ratio, positional);
    };
    if ratio.each {
        let [psqt, positional] = [psqt, positional].map(|part| scaled(builder, ratio, part));
        return builder.add(&psqt, &positional);
    }
    let sum = builder.add(psqt, positional);
    let sum = builder.wrap(&sum, DataType::I32);
    scaled(builder, ratio, &sum)
}

/// `x * numerator / denominator` in 64 bits.
fn scaled(builder: &mut Builder, ratio: Ratio, x: &Value) -> Value {
    let x = match ratio.numerator {
        1 => x.clone(),
        numerator => {
            let numerator = builder.number(numerator);
            builder.multiply(x, &numerator)
        }
    };
    divide(builder, &x, ratio.denominator, ratio.rounding)
}
