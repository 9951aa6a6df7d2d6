//! The sparse first layer: rows, activation, pooling, PSQT values.

use nnue_compiler::network::file::Role;
use nnue_compiler::network::{Pooling, Transformer, TransformerActivation};

use super::{Graph, INDENT, clamped, quantmoid4, times};
use crate::export::bullet::parameters::{Rows, Run};

/// The number of active rows on which the size of the weights at the start of training depends.
const ACTIVE: usize = 32;

/// Writes the transformer. Returns whether there is a `psqt` that is a part of the output.
pub(super) fn write(graph: &mut Graph<'_>) -> bool {
    let network = graph.network;
    let transformer = &network.transformer;
    graph.comment(&format!(
        "The transformer: {} neurons for each perspective.",
        transformer.width
    ));
    weights(graph);
    let half = transformer.half();
    let (neurons, all) = match transformer.pooling {
        Pooling::None => ("", "l0.forward(input)"),
        _ => (", start, end", "l0.slice(start, end).forward(input)"),
    };
    let x = if needs_name(transformer.activation) {
        format!("{{ let x = {all}; {} }}", activated(transformer, "x"))
    } else {
        activated(transformer, all)
    };
    graph.line(format!("let neurons = |input{neurons}| {x};"));
    let of_perspective = match transformer.pooling {
        Pooling::None => "neurons",
        pooling => {
            graph.line("let pooled = |input| {");
            graph.line(format!("{INDENT}let a = neurons(input, 0, {half});"));
            graph.line(format!(
                "{INDENT}let b = neurons(input, {half}, {});",
                2 * half
            ));
            graph.line(format!("{INDENT}{}", pooled(transformer, pooling)));
            graph.line("};");
            "pooled"
        }
    };
    let both = |name: &str| match transformer.perspectives.count {
        1 => format!("{name}(stm)"),
        _ => format!("{name}(stm).concat({name}(ntm))"),
    };
    graph.define("transformer", &both(of_perspective));
    if transformer.unpooled.is_some() {
        let (start, end) = (2 * half, transformer.width);
        graph.line(format!(
            "let sums = |input| l0.slice({start}, {end}).forward(input);"
        ));
        graph.define("unpooled", &both("sums"));
    }
    psqt(graph)
}

/// Defines `l0`, the affine layer of the transformer.
fn weights(graph: &mut Graph<'_>) {
    let runs = graph.parameters.runs(Rows::Neurons);
    let biases = graph.parameters.id(Role::Biases(0));
    let [run] = &runs[..] else {
        matrix(graph, &runs, Rows::Neurons);
        graph.define(
            "bias",
            &format!("builder.new_weights({biases:?}, (WIDTH, 1), InitSettings::Zeroed)"),
        );
        return graph.define("l0", "Affine { weights: rows, bias }");
    };
    let mutable = if run.factor.is_some() { "mut l0" } else { "l0" };
    graph.define_affine(mutable, [&run.id, biases], "INPUTS", "WIDTH", ACTIVE);
    graph.line(format!("l0.init_with_effective_input_size({ACTIVE});"));
    if let Some(factor) = &run.factor {
        graph.line("// What all buckets have in common.");
        let (id, rows) = (&factor.id, factor.rows);
        graph.define(
            "l0f",
            &format!("builder.new_weights({id:?}, (WIDTH, {rows}), InitSettings::Zeroed)"),
        );
        graph.line(format!(
            "l0.weights = l0.weights + l0f.repeat({});",
            factor.buckets
        ));
    }
}

/// Defines `rows`: a matrix that has the columns of all runs.
fn matrix(graph: &mut Graph<'_>, runs: &[Run], rows: Rows) {
    let (height, init) = match rows {
        Rows::Neurons => {
            let stdev = (2.0 / ACTIVE as f64).sqrt();
            (
                "WIDTH".to_string(),
                format!("InitSettings::Normal {{ mean: 0.0, stdev: {stdev:?} }}"),
            )
        }
        Rows::Psqt => {
            let height = graph.network.transformer.psqt.to_string();
            (height, "InitSettings::Zeroed".to_string())
        }
    };
    for (number, run) in runs.iter().enumerate() {
        let name = if number == 0 { "rows" } else { "next" };
        let id = &run.id;
        graph.define(
            name,
            &format!(
                "builder.new_weights({id:?}, ({height}, {}), {init})",
                run.rows
            ),
        );
        if let Some(factor) = &run.factor {
            graph.line("// What all buckets have in common.");
            let (id, rows) = (&factor.id, factor.rows);
            graph.define(
                "common",
                &format!("builder.new_weights({id:?}, ({height}, {rows}), InitSettings::Zeroed)"),
            );
            graph.define(name, &format!("{name} + common.repeat({})", factor.buckets));
        }
        if number > 0 {
            graph.define("rows", "beside(rows, next)");
        }
    }
}

/// Whether the expression of the activation has its operand more than once.
fn needs_name(activation: TransformerActivation) -> bool {
    activation == TransformerActivation::Quantmoid4
}

fn activated(transformer: &Transformer, x: &str) -> String {
    let x_one = f64::from(transformer.one);
    let one = shared_one(&transformer.activated.one);
    match transformer.activation {
        TransformerActivation::None => x.into(),
        TransformerActivation::Crelu { limit } => clamped(x, f64::from(limit) / one),
        TransformerActivation::Relu { shift, limit } => {
            let factor = x_one / (f64::from(shift).exp2() * one);
            clamped(&times(factor, x), f64::from(limit) / one)
        }
        TransformerActivation::Screlu { shift, .. } => {
            let factor = x_one * x_one / (f64::from(shift).exp2() * one);
            times(factor, &format!("{x}.screlu()"))
        }
        TransformerActivation::Quantmoid4 => quantmoid4(x, one),
    }
}

/// The value that a pooling makes of the values `a` and `b`.
fn pooled(transformer: &Transformer, pooling: Pooling) -> String {
    let from = shared_one(&transformer.activated.one);
    let to = shared_one(&transformer.output.one);
    match pooling {
        Pooling::None => "a".into(),
        Pooling::Product { shift, .. } => {
            times(from * from / (f64::from(shift).exp2() * to), "a * b")
        }
        Pooling::Average => times(0.5 * from / to, "a + b"),
        Pooling::Max => times(from / to, "a + (b - a).relu()"),
    }
}

fn shared_one(one: &nnue_compiler::network::One) -> f64 {
    one.shared().map_or(1.0, f64::from)
}

/// Defines `psqt` if the network has PSQT values. Returns whether the output has them.
fn psqt(graph: &mut Graph<'_>) -> bool {
    let network = graph.network;
    let transformer = &network.transformer;
    if transformer.psqt == 0 {
        return false;
    }
    graph.comment("PSQT values, which do not pass through the layers above.");
    let runs = graph.parameters.runs(Rows::Psqt);
    matrix(graph, &runs, Rows::Psqt);
    let sums = match transformer.perspectives.count {
        1 => "rows.matmul(stm)",
        _ => "0.5 * (rows.matmul(stm) - rows.matmul(ntm))",
    };
    graph.define("psqt", sums);
    if transformer.psqt_of_output() > 1 {
        graph.define("psqt", "psqt.select(stack)");
    }
    transformer.psqt_of_output() > 0
}
