//! The layers of a stack.

use nnue_compiler::network::{
    Affine, Align, Divide, Element, Layer, Op, Rounding, Sums, WeightType,
};
use nnue_compiler::operation::{
    Activation, Elementwise, Product, Quantmoid4, Relu, ReluLeft, Screlu, SqrCrelu, SqrCreluI32,
    Sum,
};
use nnue_interpreter::{LayerWeights, Net, Values};

use super::Export;
use super::graph::{Builder, Value};
use super::messages::DataType;
use super::transformer::{quantmoid4, shifted};

/// Computes the layer of this index from the tensors before it.
pub(super) fn compute(export: &mut Export<'_>, index: usize) -> Result<Value, String> {
    let layer = &export.net.network().layers[index];
    let name = &layer.name;
    export.builder.part.clone_from(name);
    let reads_floats = layer.inputs.iter().any(|slice| {
        let tensor = export.net.network().tensor(slice.source);
        tensor.element == Element::F32
    });
    let op = match &layer.op {
        Op::Affine(_) => "affine",
        Op::Elementwise(function) => function.word(),
    };
    if layer.output.element == Element::F32 || reads_floats {
        return Err(format!(
            "`{name}`, op `{op}`, is computed in f32, allowed are integers"
        ));
    }
    let inputs: Vec<Value> = layer
        .inputs
        .iter()
        .map(|slice| export.slice(*slice))
        .collect();
    let output = match &layer.op {
        Op::Affine(op) => affine(export, index, layer, op, &inputs),
        Op::Elementwise(function) => {
            let builder = &mut export.builder;
            match function {
                Elementwise::Activations(functions) => {
                    let results = functions.iter();
                    let results = results.map(|function| {
                        let result = activate(builder, *function, &inputs[0]);
                        result.ok_or_else(|| unknown(name, function.name()))
                    });
                    let results = results.collect::<Result<Vec<_>, _>>()?;
                    builder.concatenate(&results)
                }
                Elementwise::Sum(Sum { aligns }) => {
                    let terms = inputs.iter().zip(aligns);
                    let terms: Vec<_> = terms.map(|(x, own)| align(builder, x, own)).collect();
                    let sum = sum(builder, terms);
                    builder.wrap(&sum, DataType::I32)
                }
                Elementwise::Product(Product { shift, rounding }) => {
                    let product = builder.multiply(&inputs[0], &inputs[1]);
                    let product = shifted(builder, &product, *shift, *rounding);
                    builder.wrap(&product, DataType::I32)
                }
                other => return Err(unknown(name, other.word())),
            }
        }
    };
    Ok(export.builder.rename(output, &format!("{name}.output")))
}

/// The message for a network with an operation that has no model.
fn unknown(layer: &str, operation: &str) -> String {
    format!("`{layer}` has the operation `{operation}`, which has no translation to ONNX")
}

/// The sum of the terms, at least one.
pub(super) fn sum(builder: &mut Builder, terms: Vec<Value>) -> Value {
    let sum = terms
        .into_iter()
        .reduce(|sum, term| builder.add(&sum, &term));
    sum.unwrap_or_else(|| unreachable!("every sum has a term"))
}

/// A function of every value; `None` if this module does not know the function.
fn activate(builder: &mut Builder, function: Activation, x: &Value) -> Option<Value> {
    Some(match function {
        Activation::Relu(Relu { shift, limit }) => {
            let shifted = builder.shift_right(x, shift);
            builder.clip(&shifted, 0, limit.into())
        }
        Activation::ReluLeft(ReluLeft { shift, limit }) => {
            let factor = builder.number(1 << shift);
            let shifted = builder.multiply(x, &factor);
            builder.clip(&shifted, 0, limit.into())
        }
        Activation::SqrCrelu(SqrCrelu { shift, limit }) => {
            let square = builder.multiply(x, x);
            let shifted = builder.shift_right(&square, shift);
            builder.at_most(&shifted, limit.into())
        }
        Activation::SqrCreluI32(SqrCreluI32 { shift, limit }) => {
            let square = builder.multiply(x, x);
            let square = builder.wrap(&square, DataType::I32);
            let shifted = builder.shift_right(&square, shift);
            builder.at_most(&shifted, limit.into())
        }
        Activation::Screlu(Screlu {
            shift,
            rounding,
            limit,
        }) => {
            let clipped = builder.clip(x, 0, limit.into());
            let square = builder.multiply(&clipped, &clipped);
            shifted(builder, &square, shift, rounding)
        }
        Activation::Quantmoid4(Quantmoid4 { shift }) => {
            let shifted = builder.shift_right(x, shift);
            quantmoid4(builder, &shifted)
        }
        _ => return None,
    })
}

/// The numbers of a layer's tables. Each position uses the table of its own stack.
fn table(
    export: &mut Export<'_>,
    index: usize,
    part: &str,
    shape: &[usize],
    element: DataType,
    values: impl Fn(&LayerWeights) -> Vec<i64>,
) -> Value {
    let net: &Net = export.net;
    let layer = &net.network().layers[index];
    let stack = export.stack().filter(|_| !layer.shared);
    let used = if stack.is_some() {
        net.network().stacks.count
    } else {
        1
    };
    let stacks = net.weights().stacks.iter().take(used);
    let values = stacks.flat_map(|stack| stack[index].as_ref().map(&values).unwrap_or_default());
    let name = format!("{}.{part}", layer.name);
    let builder = &mut export.builder;
    let own = match stack {
        None => builder.weights(name, shape, element, values),
        Some(stack) => {
            let shape = [&[used], shape].concat();
            let table = builder.weights(name, &shape, element, values);
            builder.operator("Gather", &[&table, &stack], &[("axis", 0)])
        }
    };
    builder.cast(&own, DataType::I64)
}

/// The smallest type that holds all weights.
fn element(weights: WeightType) -> DataType {
    match weights {
        WeightType::Binary | WeightType::I8 => DataType::I8,
        WeightType::I16 => DataType::I16,
        WeightType::I32 => DataType::I32,
        WeightType::F32 => unreachable!("layers of f32 were refused"),
    }
}

fn integers(values: &Values) -> &[i64] {
    match values {
        Values::Integers(values) => values,
        Values::Floats(_) => unreachable!("layers of f32 were refused"),
    }
}

fn affine(
    export: &mut Export<'_>,
    index: usize,
    layer: &Layer,
    op: &Affine,
    inputs: &[Value],
) -> Value {
    let (rows, columns) = (layer.output.len, layer.input_len());
    let inputs = export.builder.concatenate(inputs);
    let transposed = |weights: &LayerWeights| {
        let weights = integers(&weights.weights);
        let columns_of = |input| (0..rows).map(move |output| weights[output * columns + input]);
        (0..columns).flat_map(columns_of).collect()
    };
    let matrix = table(
        export,
        index,
        "weights",
        &[columns, rows],
        element(op.weights),
        transposed,
    );
    let has_stacks = export.stack().is_some() && !layer.shared;
    let builder = &mut export.builder;
    let factors = match op.weights {
        WeightType::Binary => {
            let (minus, plus) = (builder.number(-1), builder.number(1));
            builder.by_sign(&inputs, &minus, &plus)
        }
        _ => inputs.clone(),
    };
    // Each position has its own matrix, so its inputs are a row that is multiplied by this matrix.
    let mut sums = if has_stacks {
        let row = builder.reshape(&factors, &[-1, 1, columns as i64]);
        let sums = builder.operator("MatMul", &[&row, &matrix], &[]);
        builder.reshape(&sums, &[-1, rows as i64])
    } else {
        builder.operator("MatMul", &[&factors, &matrix], &[])
    };
    let is_wide = op.sums == Sums::I64;
    let wrap = |builder: &mut Builder, x: Value| {
        if is_wide {
            x
        } else {
            builder.wrap(&x, DataType::I32)
        }
    };
    if !op.starts_at_biases() {
        sums = wrap(builder, sums);
    }
    if let Some(scales) = op.scales {
        let alpha = |weights: &LayerWeights| integers(&weights.factors).to_vec();
        let alpha = table(export, index, "alpha", &[rows], DataType::I16, alpha);
        let builder = &mut export.builder;
        sums = builder.multiply(&sums, &alpha);
        if scales.inputs {
            let beta = mean_size(builder, &inputs, columns);
            sums = builder.multiply(&sums, &beta);
        }
        sums = builder.shift_right(&sums, scales.shift);
        sums = wrap(builder, sums);
    }
    if let Some(Divide { by, rounding }) = op.divide {
        sums = divide(&mut export.builder, &sums, by.into(), rounding);
    }
    if op.biases {
        let biases = |weights: &LayerWeights| integers(&weights.biases).to_vec();
        let element = if is_wide {
            DataType::I64
        } else {
            DataType::I32
        };
        let biases = table(export, index, "biases", &[rows], element, biases);
        sums = export.builder.add(&sums, &biases);
    }
    wrap(&mut export.builder, sums)
}

/// The mean of the absolute values of the inputs, rounded down.
fn mean_size(builder: &mut Builder, inputs: &Value, count: usize) -> Value {
    let sizes = builder.operator("Abs", &[inputs], &[]);
    let axis = builder.numbers(&[1]);
    let sum = builder.operator("ReduceSum", &[&sizes, &axis], &[("keepdims", 1)]);
    let count = builder.number(count as i64);
    builder.divide(&sum, &count)
}

pub(super) fn divide(builder: &mut Builder, x: &Value, by: i64, rounding: Rounding) -> Value {
    if by == 1 {
        return x.clone();
    }
    let by = builder.number(by);
    match rounding {
        Rounding::Truncate => builder.divide(x, &by),
        Rounding::Floor => builder.divide_down(x, &by),
    }
}

/// Values, multiplied or divided so that 1.0 is another integer.
pub(super) fn align(builder: &mut Builder, x: &Value, align: &Align) -> Value {
    let factors = |builder: &mut Builder, factors: &[i64]| match factors {
        [shared] => builder.number(*shared),
        own => builder.numbers(own),
    };
    match align {
        Align::None => x.clone(),
        Align::Exact(fractions) => {
            let (numerators, denominators): (Vec<i64>, Vec<i64>) =
                fractions.iter().copied().unzip();
            let numerators = factors(builder, &numerators);
            let product = builder.multiply(x, &numerators);
            let denominators = factors(builder, &denominators);
            builder.divide(&product, &denominators)
        }
        Align::Shift { multipliers, shift } => {
            let multipliers = factors(builder, multipliers);
            let product = builder.multiply(x, &multipliers);
            builder.shift_right(&product, *shift)
        }
    }
}
