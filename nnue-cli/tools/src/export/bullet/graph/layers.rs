//! The layers of a stack.

use nnue_compiler::network::file::Role;
use nnue_compiler::network::{Affine, Element, Gain, Layer, Op, Slice};
use nnue_compiler::operation::{
    Activation, Elementwise, Float, Integer, OpName, Product, Quantmoid4, Relu, ReluLeft, RmsNorm,
    Screlu, SqrCrelu, SqrCreluI32,
};

use super::{Graph, INDENT, clamped, concatenated, local, quantmoid4, times};
use crate::export::bullet::multiplier::literal;

/// The name of the layer's operation, if this module cannot write it.
pub(in crate::export::bullet) fn unknown_operation(layer: &Layer) -> Option<&'static str> {
    match &layer.op {
        Op::Affine(_) => None,
        Op::Elementwise(Elementwise::Activations(functions)) => {
            let mut functions = functions.iter();
            let unknown = functions.find(|function| activated(**function, "x", 1.0, 1.0).is_none());
            unknown.map(Activation::name)
        }
        Op::Elementwise(
            Elementwise::Sum(_)
            | Elementwise::Product(_)
            | Elementwise::RmsNorm(_)
            | Elementwise::Float(_)
            | Elementwise::Integer(_),
        ) => None,
        Op::Elementwise(other) => Some(other.word()),
    }
}

/// The operations of [`unknown_operation`] are refused before anything is written.
fn refused<T>(name: &str) -> T {
    unreachable!("a network with `{name}` was refused")
}

pub(super) fn write(graph: &mut Graph<'_>, index: usize, layer: &Layer) {
    let stack = if graph.network.stacks.count > 1 && !layer.shared {
        ".select(stack)"
    } else {
        ""
    };
    match &layer.op {
        Op::Affine(op) => affine(graph, index, layer, op, stack),
        Op::Elementwise(function) => elementwise(graph, index, layer, function, stack),
    }
}

fn affine(graph: &mut Graph<'_>, index: usize, layer: &Layer, op: &Affine, stack: &str) {
    let (name, inputs) = (local(&layer.name), layer.input_len());
    let outputs = match stack {
        "" => layer.output.len.to_string(),
        _ => of_all_stacks(layer.output.len),
    };
    let parameters = graph.parameters;
    let biases = |role| if op.biases { parameters.id(role) } else { "" };
    graph.comment(&format!(
        "{}: {} values to {}.",
        layer.name, inputs, layer.output.len
    ));
    let ids = [
        parameters.id(Role::LayerWeights(index)),
        biases(Role::LayerBiases(index)),
    ];
    graph.define_affine(&name, ids, &inputs.to_string(), &outputs, inputs);
    let apply = if op.biases { "forward" } else { "matmul" };
    let slices: Vec<String> = layer
        .inputs
        .iter()
        .map(|slice| graph.slice(*slice))
        .collect();
    let x = concatenated(&slices);
    let mut value = format!("{name}.{apply}({x}){stack}");
    if layer.factorised {
        let ids = [
            parameters.id(Role::SharedWeights(index)),
            biases(Role::SharedBiases(index)),
        ];
        let outputs = layer.output.len.to_string();
        graph.define_affine("shared_", ids, &inputs.to_string(), &outputs, inputs);
        value += &format!(" + shared_.{apply}({x})");
    }
    graph.define(&name, &value);
}

fn elementwise(
    graph: &mut Graph<'_>,
    index: usize,
    layer: &Layer,
    function: &Elementwise,
    stack: &str,
) {
    let name = local(&layer.name);
    let out_one = one_of(graph, layer, None);
    let inputs: Vec<String> = layer
        .inputs
        .iter()
        .map(|slice| graph.slice(*slice))
        .collect();
    let ones: Vec<f64> = layer
        .inputs
        .iter()
        .map(|slice| one_of(graph, layer, Some(*slice)))
        .collect();
    match function {
        Elementwise::Activations(functions) => {
            let formulas: Vec<String> = functions
                .iter()
                .map(|function| function.formula())
                .collect();
            graph.comment(&format!(
                "{}: {} of the engine.",
                layer.name,
                formulas.join(" and ")
            ));
            // An operand that is used several times is a variable, so that it is computed once.
            let mut x = inputs[0].clone();
            if x.contains('(') {
                graph.define("x_", &x);
                x = "x_".into();
            }
            let results = functions.iter().map(|function| {
                let activated = activated(*function, &x, ones[0], out_one);
                activated.unwrap_or_else(|| refused(function.name()))
            });
            let all = concatenated(&results.collect::<Vec<_>>());
            graph.define(&name, &all);
        }
        Elementwise::Sum(_) => {
            graph.comment(&format!("{}: a sum.", layer.name));
            graph.define(&name, &inputs.join(" + "));
        }
        Elementwise::Product(Product { shift, .. }) => {
            graph.comment(&format!("{}: a product, value by value.", layer.name));
            let factor = ones[0] * ones[1] / (f64::from(*shift).exp2() * out_one);
            graph.define(&name, &times(factor, &inputs.join(" * ")));
        }
        Elementwise::Float(Float { scale }) => {
            graph.comment(&format!("{}: integers as floating point.", layer.name));
            graph.define(&name, &times(f64::from(*scale) * ones[0], &inputs[0]));
        }
        Elementwise::Integer(Integer { least, limit, .. }) => {
            graph.comment(&format!("{}: floating point as integers.", layer.name));
            let (least, limit) = (f64::from(*least) / out_one, f64::from(*limit) / out_one);
            let clamped = match least {
                0.0 => clamped(&inputs[0], limit),
                least => {
                    let shifted = format!("{} + {}", inputs[0], literal(-least));
                    format!("{} - {}", clamped(&shifted, limit - least), literal(-least))
                }
            };
            graph.define(&name, &clamped);
        }
        Elementwise::RmsNorm(RmsNorm { epsilon, gain }) => {
            let len = layer.output.len;
            graph.comment(&format!(
                "{}: values over the root of their mean square.",
                layer.name
            ));
            graph.define("x_", &concatenated(&inputs));
            let mean = literal(1.0 / len as f64);
            graph.define("mean_", &format!("{mean} * (x_ * x_).reduce_sum_rows()"));
            let epsilon = literal(f64::from(*epsilon));
            graph.define("root_", &format!("(mean_ + {epsilon}).abs_pow(-0.5)"));
            let normed = format!("x_ * root_.repeat({len}).reshape(({len}, 1))");
            let Some(gain) = gain else {
                return graph.define(&name, &normed);
            };
            graph.define("x_", &normed);
            gains(graph, index, layer, *gain, stack);
            graph.define(&name, "x_ * gain_");
        }
        other => refused(other.word()),
    }
}

/// Defines `gain_`: the factors of a normalisation.
fn gains(graph: &mut Graph<'_>, index: usize, layer: &Layer, gain: Gain, stack: &str) {
    let id = graph.parameters.id(Role::LayerFactors(index));
    let len = match stack {
        "" => layer.output.len.to_string(),
        _ => of_all_stacks(layer.output.len),
    };
    let (init, more) = match gain {
        Gain::Gamma => ("InitSettings::Normal { mean: 1.0, stdev: 0.0 }", ""),
        Gain::OneMore => ("InitSettings::Zeroed", "1.0 + "),
    };
    graph.line(format!("let gain_ = {more}builder"));
    graph.line(format!(
        "{INDENT}.new_weights({id:?}, ({len}, 1), {init}){stack};"
    ));
}

/// The number of outputs of all stacks, as an expression.
fn of_all_stacks(outputs: usize) -> String {
    match outputs {
        1 => "STACKS".into(),
        _ => format!("STACKS * {outputs}"),
    }
}

/// The integer for 1.0 in a layer's output, or in the slice that a layer reads, if all of these
/// values have the same integer. Sums may read values with different integers, and do not call this
/// function.
fn one_of(graph: &Graph<'_>, layer: &Layer, slice: Option<Slice>) -> f64 {
    let (element, one) = match slice {
        None => (layer.output.element, layer.output.one.clone()),
        Some(slice) => {
            let tensor = graph.network.tensor(slice.source);
            (tensor.element, tensor.one.slice(slice.start, slice.len))
        }
    };
    match (element, one.shared()) {
        (Element::F32, _) | (_, None) => 1.0,
        (_, Some(one)) => f64::from(one),
    }
}

/// The expression for a function of `x`. `x_one` and `one` are the integers for 1.0 in `x` and in
/// the result. `None` if this module does not know the function.
fn activated(function: Activation, x: &str, x_one: f64, one: f64) -> Option<String> {
    let power = |shift: u32| f64::from(shift).exp2();
    let square = |shift| x_one * x_one / (power(shift) * one);
    Some(match function {
        Activation::Relu(Relu { shift, limit }) => {
            let x = times(x_one / (power(shift) * one), x);
            clamped(&x, f64::from(limit) / one)
        }
        Activation::ReluLeft(ReluLeft { shift, limit }) => clamped(
            &times(x_one * power(shift) / one, x),
            f64::from(limit) / one,
        ),
        Activation::SqrCrelu(SqrCrelu { shift, limit })
        | Activation::SqrCreluI32(SqrCreluI32 { shift, limit }) => clamped(
            &times(square(shift), &format!("{x} * {x}")),
            f64::from(limit) / one,
        ),
        Activation::Screlu(Screlu { shift, .. }) => times(square(shift), &format!("{x}.screlu()")),
        Activation::Quantmoid4(Quantmoid4 { .. }) => quantmoid4(x, one),
        Activation::Float(OpName::Crelu) => format!("{x}.crelu()"),
        Activation::Float(OpName::Screlu) => format!("{x}.screlu()"),
        Activation::Float(OpName::SqrCrelu) => format!("({x} * {x}).crelu()"),
        Activation::Float(OpName::Relu) => format!("{x}.relu()"),
        Activation::Float(OpName::Sigmoid) => format!("{x}.sigmoid()"),
        Activation::Float(OpName::HardSwish) => {
            format!("{x} * ({} * {x} + 0.5).crelu()", literal(1.0 / 6.0))
        }
        Activation::Float(OpName::Sqr) => format!("{x} * {x}"),
        Activation::Float(OpName::SqrRelu) => format!("{x}.sqrrelu()"),
        Activation::Float(OpName::SqrNegative) => format!("(-{x}).sqrrelu()"),
        _ => return None,
    })
}
