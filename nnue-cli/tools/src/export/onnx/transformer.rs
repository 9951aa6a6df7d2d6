//! The transformer: from the numbers of active rows to the inputs of the layers and the PSQT sums.

use nnue_compiler::network::{
    Network, Order, Pooling, ProductRounding, Transformer, TransformerActivation,
};
use nnue_interpreter::Net;

use super::graph::{Builder, Value};
use super::messages::DataType;
use super::{ROWS, STACK};

/// The results of the transformer, each with an axis of positions and an axis of values.
pub(super) struct Sums {
    pub(super) output: Value,
    pub(super) unpooled: Option<Value>,
    /// The PSQT sums that layers read.
    pub(super) psqt_of_layers: Option<Value>,
    /// The PSQT part of the evaluation: one number for each position, without an axis of values.
    pub(super) psqt: Option<Value>,
}

pub(super) fn sums(net: &Net, builder: &mut Builder) -> Result<Sums, String> {
    let network = net.network();
    let transformer = &network.transformer;
    if transformer.perspectives.separate {
        return Err(
            "the transformer has weights of white and of black, allowed are those of both".into(),
        );
    }
    builder.part = "transformer".into();
    let accumulators = accumulators(net, builder);
    let pooled = transformer.width - transformer.unpooled_half();
    let mut output = accumulators.clone();
    let mut unpooled = None;
    if pooled < transformer.width {
        let sums = builder.slice(&accumulators, 3, pooled, transformer.width - pooled);
        unpooled = Some(together(
            transformer,
            builder,
            &sums,
            transformer.unpooled_half(),
        ));
        output = builder.slice(&accumulators, 3, 0, pooled);
    }
    let output = activate(transformer, builder, &output);
    let output = pool(transformer, builder, &output);
    let output = together(transformer, builder, &output, transformer.half());
    let output = builder.rename(output, "transformer.output");
    builder.part = "psqt".into();
    let psqt = (transformer.psqt > 0).then(|| psqt(net, builder));
    let (psqt_of_layers, psqt) = match &transformer.psqt_sums {
        Some(_) => (psqt, None),
        None => (None, psqt.map(|sums| of_stack(network, builder, &sums))),
    };
    Ok(Sums {
        output,
        unpooled,
        psqt_of_layers,
        psqt,
    })
}

/// The accumulators. Their axes are positions, perspectives and neurons.
///
/// The accumulators wrap around in 16 bits, so the lower 16 bits of a shifted row are enough.
fn accumulators(net: &Net, builder: &mut Builder) -> Value {
    let network = net.network();
    let width = network.transformer.width;
    let weights = &net.weights().transformer[0];
    let shifts = network.features.iter();
    let shifts = shifts.flat_map(|set| std::iter::repeat_n(set.shift, set.rows));
    let rows = weights.rows.chunks_exact(width).zip(shifts);
    let rows = rows.flat_map(|(row, shift)| row.iter().map(move |x| i64::from(*x) << shift));
    let sums = sum_of_rows(
        builder,
        "transformer.weights",
        [network.feature_count() + 1, width],
        DataType::I16,
        rows,
    );
    let biases = weights.biases.iter().map(|bias| i64::from(*bias));
    let name = "transformer.biases".to_string();
    let biases = builder.weights(name, &[width], DataType::I16, biases);
    let biases = builder.cast(&biases, DataType::I64);
    let sums = builder.add(&sums, &biases);
    let accumulators = builder.wrap(&sums, DataType::I16);
    builder.rename(accumulators, "accumulators")
}

/// The sums of the active rows of a table. Their axes are positions, perspectives and columns. The
/// last row of the table is zero.
fn sum_of_rows(
    builder: &mut Builder,
    name: &str,
    [rows, columns]: [usize; 2],
    element: DataType,
    values: impl Iterator<Item = i64>,
) -> Value {
    let values = values.chain(std::iter::repeat_n(0, columns));
    let table = builder.weights(name.into(), &[rows, columns], element, values);
    let active = builder.operator("Gather", &[&table, &Value(ROWS.into())], &[("axis", 0)]);
    let active = builder.cast(&active, DataType::I64);
    let axis = builder.numbers(&[2]);
    builder.operator("ReduceSum", &[&active, &axis], &[("keepdims", 0)])
}

fn activate(transformer: &Transformer, builder: &mut Builder, x: &Value) -> Value {
    match transformer.activation {
        TransformerActivation::None => x.clone(),
        TransformerActivation::Crelu { limit } => builder.clip(x, 0, limit.into()),
        TransformerActivation::Screlu { shift, rounding } => {
            let clipped = builder.clip(x, 0, transformer.one.into());
            let square = builder.multiply(&clipped, &clipped);
            shifted(builder, &square, shift, rounding)
        }
        TransformerActivation::Relu { shift, limit } => {
            let shifted = builder.shift_right(x, shift);
            builder.clip(&shifted, 0, limit.into())
        }
        TransformerActivation::Quantmoid4 => quantmoid4(builder, x),
    }
}

/// Products or squares, shifted to the right.
pub(super) fn shifted(
    builder: &mut Builder,
    product: &Value,
    shift: u32,
    rounding: ProductRounding,
) -> Value {
    let product = match rounding {
        ProductRounding::Floor => product.clone(),
        ProductRounding::Nearest => {
            let half = builder.number(rounding.summand(shift).into());
            builder.add(product, &half)
        }
    };
    builder.shift_right(&product, shift)
}

/// A sigmoid made of two parabolas: `y = (127 - min(|x|, 127))^2 >> 8`, then `y` for negative `x`
/// and `126 - y` for all others.
pub(super) fn quantmoid4(builder: &mut Builder, x: &Value) -> Value {
    let size = builder.operator("Abs", &[x], &[]);
    let size = builder.at_most(&size, 127);
    let (root, most) = (builder.number(127), builder.number(126));
    let root = builder.subtract(&root, &size);
    let square = builder.multiply(&root, &root);
    let y = builder.shift_right(&square, 8);
    let positive = builder.subtract(&most, &y);
    builder.by_sign(x, &y, &positive)
}

/// The pooled values. Their axes are positions, perspectives and values.
fn pool(transformer: &Transformer, builder: &mut Builder, x: &Value) -> Value {
    if transformer.pooling == Pooling::None {
        return x.clone();
    }
    let perspectives = transformer.perspectives.count as i64;
    let block = transformer.block;
    let blocks = (2 * transformer.half() / block) as i64;
    let x = builder.reshape(x, &[-1, perspectives, blocks, block as i64]);
    let a = builder.slice(&x, 4, 0, block / 2);
    let b = builder.slice(&x, 4, block / 2, block / 2);
    let pooled = match transformer.pooling {
        Pooling::None => a,
        Pooling::Product { shift, rounding } => {
            let product = builder.multiply(&a, &b);
            shifted(builder, &product, shift, rounding)
        }
        Pooling::Average => {
            let (sum, one) = (builder.add(&a, &b), builder.number(1));
            let sum = builder.add(&sum, &one);
            builder.shift_right(&sum, 1)
        }
        Pooling::Max => builder.operator("Max", &[&a, &b], &[]),
    };
    builder.reshape(&pooled, &[-1, perspectives, transformer.half() as i64])
}

/// The values of all perspectives, `half` of each, in the order in which layers read them. Their
/// axes are positions and values.
fn together(transformer: &Transformer, builder: &mut Builder, x: &Value, half: usize) -> Value {
    let perspectives = transformer.perspectives;
    let interleaved;
    let x = match perspectives.order {
        Order::Interleaved => {
            interleaved = builder.transpose(x, &[0, 2, 1]);
            &interleaved
        }
        Order::StmFirst | Order::WhiteFirst => x,
    };
    builder.reshape(x, &[-1, (perspectives.count * half) as i64])
}

/// The PSQT sums. Their axes are positions and values. In a network with two perspectives, a sum is
/// half the difference between both, rounded towards zero.
fn psqt(net: &Net, builder: &mut Builder) -> Value {
    let network = net.network();
    let transformer = &network.transformer;
    let values = net.weights().transformer[0].psqt.iter();
    let sums = sum_of_rows(
        builder,
        "transformer.psqt",
        [network.feature_count() + 1, transformer.psqt],
        DataType::I32,
        values.map(|value| i64::from(*value)),
    );
    let sums = builder.wrap(&sums, DataType::I32);
    let count = transformer.psqt as i64;
    if transformer.perspectives.count == 1 {
        return builder.reshape(&sums, &[-1, count]);
    }
    let both = builder.reshape(&sums, &[-1, 2 * count]);
    let first = builder.slice(&both, 2, 0, transformer.psqt);
    let second = builder.slice(&both, 2, transformer.psqt, transformer.psqt);
    let difference = builder.subtract(&first, &second);
    let difference = builder.wrap(&difference, DataType::I32);
    let two = builder.number(2);
    builder.divide(&difference, &two)
}

/// The PSQT sum of each position's own stack.
fn of_stack(network: &Network, builder: &mut Builder, sums: &Value) -> Value {
    if network.transformer.psqt == 1 {
        return builder.reshape(sums, &[-1]);
    }
    let stack = builder.reshape(&Value(STACK.into()), &[-1, 1]);
    let own = builder.operator("GatherElements", &[sums, &stack], &[("axis", 1)]);
    builder.reshape(&own, &[-1])
}
