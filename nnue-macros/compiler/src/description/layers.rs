//! The operations from active rows to the value, with their parameters.

use serde::{Deserialize, Serialize};

use super::Values;
use crate::network::{
    self, Network, Op, PSQT, Pooling, Source, TRANSFORMER, TransformerActivation, UNPOOLED,
};
use crate::operation::activation::rounded;
use crate::operation::{Activation, Elementwise};

/// The sparse first layer: for each perspective, `bias + sum of the active rows`, wrapping; then
/// the activation and the pooling.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Transformer {
    /// The number of neurons of each perspective.
    pub width: usize,
    /// The type of the accumulator: `i16`.
    pub accumulator: String,
    /// The integer that stands for 1.0 in the accumulator.
    pub one: u32,
    /// PSQT values of each feature; `null` where there are none.
    pub psqt: Option<Psqt>,
    /// The function that is applied to each value of the accumulator.
    pub activation: Function,
    /// The values of one perspective after the activation.
    pub activated: Values,
    /// How two of a perspective's activated values become a single value.
    pub pooling: Option<Pool>,
    /// Which views of the position the layers see.
    pub perspectives: Perspectives,
    /// The values that layers read as `transformer`.
    pub output: Values,
    /// The values that layers read as `unpooled`: the accumulator values of each perspective's last
    /// neurons.
    pub unpooled: Option<Values>,
    /// The value of a perspective that takes each place in memory, by its number in `output` and in
    /// files; `null` where values have the order of files. No value depends on it.
    pub neuron_order: Option<Vec<usize>>,
}

/// Values of features that are summed up in `i32` for each perspective.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Psqt {
    /// The number of values of a feature.
    pub values: usize,
    /// The integer that stands for 1.0 in the values.
    pub one: u32,
    /// The values that layers read as `psqt`; `null` where the stack's value is part of the output
    /// instead. In either case a value is half the difference of both perspectives' sums, rounded
    /// towards zero; in networks with one perspective, it is the sum.
    pub read_by_layers: Option<Values>,
}

/// A function of a single value `x`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Function {
    /// The name of the function: `none` in the transformer, or a name such as `relu`.
    pub name: String,
    /// The number of bits that are shifted out to the right; in `relu_left`, in from the right.
    pub shift: Option<u32>,
    /// The rounding of a shifted square: `floor` or `nearest`; `null` for other functions.
    pub rounding: Option<String>,
    /// The upper end of the range to which values are clamped.
    pub limit: Option<u32>,
    /// The formula of the function, in `x`.
    pub formula: String,
}

/// How two values `a` and `b` become a single value.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Pool {
    /// `product`: `a * b >> shift`; `average`: `(a + b + 1) >> 1`; `max`: the larger value.
    pub kind: String,
    /// The number of values in a block: the first half of each block is paired with the second.
    pub block: usize,
    /// The number of bits of a product that are shifted out to the right.
    pub shift: Option<u32>,
    /// The rounding of the shifted product: `floor` or `nearest`.
    pub rounding: Option<String>,
}

/// Which views of the position the layers see, and in which order.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Perspectives {
    /// The number of perspectives, 1 or 2.
    pub count: usize,
    /// The order of the perspectives: `stm-first`, `white-first` or `interleaved`.
    pub order: String,
    /// Whether white and black have biases and rows of their own.
    pub separate_weights: bool,
}

/// A layer of a stack.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Layer {
    /// The name of the layer. Other layers and tensors refer to it by this name.
    pub name: String,
    /// The values that the layer reads, one after the other. A `sum` adds its inputs value by
    /// value, and a `product` multiplies them value by value.
    pub inputs: Vec<Slice>,
    /// The operation of the layer, with its parameters.
    pub operation: Operation,
    /// The values that the layer computes.
    pub output: Values,
    /// Whether all stacks have the same tensors.
    pub shared: bool,
    /// Whether files have tensors that are added to those of each stack.
    pub factorised: bool,
}

/// A run of values.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Slice {
    /// The source of the values: `transformer`, `unpooled`, `psqt` or the name of a layer before.
    pub source: String,
    /// The index of the first value.
    pub start: usize,
    /// The number of values.
    pub len: usize,
}

/// The operation of a layer.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Operation {
    /// `bias[o] + (sum of weight[o][i] * x[i]) / divide`.
    Affine {
        /// The type of the weights; `binary` for -1 and 1, which take inputs by their sign.
        weights: String,
        /// The fraction that stands for 1.0 in integer weights: numerator and denominator, in
        /// lowest terms.
        weights_one: Option<[u64; 2]>,
        /// Whether there are biases.
        biases: bool,
        /// The division of the sum of products before the bias is added.
        divide: Option<Divide>,
        /// The conversion of the sums to floating point before the bias is added.
        to_float: Option<ToFloat>,
        /// The order in which products of `f32` are added, by its word in specs; for integers, the
        /// bits of the sum.
        sums: String,
        /// The factors of binary sums.
        scales: Option<Scales>,
        /// The number of runs of 16 outputs that each input reaches; `null` where it reaches all
        /// outputs.
        output_blocks: Option<usize>,
        /// The inputs that each output reads; `null` where it reads all of them.
        shards: Option<Shards>,
    },
    /// Activations: the results of the first function for all inputs, then those of the second
    /// function, and so on.
    Activations {
        /// The functions, in the order of their results.
        functions: Vec<Function>,
    },
    /// The sum of value `i` of all inputs, each aligned.
    Sum {
        /// The alignment of each input to the `one` of the sum.
        aligns: Vec<Align>,
    },
    /// `a[i] * b[i] >> shift`.
    Product {
        /// The number of bits that are shifted out to the right.
        shift: u32,
        /// The rounding of the shifted product: `floor` or `nearest`.
        rounding: String,
    },
    /// `x[i] * (1 / sqrt(mean of x * x + epsilon)) * gain[i]`.
    RmsNorm {
        /// The summand under the root.
        epsilon: f32,
        /// The factor `gain`: `gamma` or `1 + gamma`, where `gamma` is a tensor of the file; `null`
        /// if it is 1.
        gain: Option<String>,
    },
    /// `x[i] as f32 * scale`.
    Float {
        /// The factor of all values.
        scale: f32,
    },
    /// `x[i] * one`, clamped and rounded; NaN becomes `least`.
    Integer {
        /// The factor of all values, and the integer that stands for 1.0.
        one: u32,
        /// The smallest result.
        least: i32,
        /// The largest result.
        limit: u32,
        /// The rounding of products: `nearest`, with halves to the even integer, or `truncate`.
        rounding: String,
    },
}

/// A division of integers.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Divide {
    /// The divisor.
    pub by: i32,
    /// The rounding of the quotient: `truncate` or `floor`.
    pub rounding: String,
}

/// `fma(sum as f32, scale, bias[o])`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ToFloat {
    /// The scale of all outputs; `null` where the file's tensor `scales` has a scale for each
    /// output.
    pub scale: Option<f32>,
}

/// Equal groups of outputs. A group reads the first inputs and one of equal parts of the others.
/// All other weights are 0.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Shards {
    /// The number of inputs that all outputs read.
    pub common: usize,
    /// The number of groups, and of parts.
    pub count: usize,
}

/// `sum * alpha[o] * beta >> shift`, where `alpha` is a tensor of the file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Scales {
    /// The number of bits that are shifted out to the right.
    pub shift: u32,
    /// Whether `beta` is the mean of the inputs' magnitudes; otherwise it is 1.
    pub inputs: bool,
}

/// How a term of one fixed point is brought to another, in 64 bits.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Align {
    /// The term stays as it is.
    None,
    /// `x * numerator / denominator`, rounded towards zero.
    Exact {
        /// The numerator and denominator for all values, or a pair for each value.
        factors: Vec<(i64, i64)>,
    },
    /// `x * multiplier >> shift`.
    Shift {
        /// The multiplier for all values, or a multiplier for each value.
        multipliers: Vec<i64>,
        /// The number of bits that are shifted out to the right.
        shift: u32,
    },
}

/// The conversion of the layers' outputs to the engine's units.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Output {
    /// The heads of the evaluation: a single head, or win, draw and loss.
    pub heads: Vec<Head>,
    /// The integer that stands for 1.0 in every head's sum.
    pub one: u32,
    /// The conversion of the sum, with the PSQT part, to the engine's units.
    pub units: Units,
    /// The values that the network computes besides its evaluation.
    pub further: Vec<FurtherHead>,
}

/// A sum of layers' outputs.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Head {
    /// The summands.
    pub terms: Vec<Term>,
    /// The alignment of the sum.
    pub align: Align,
}

/// A summand of a head.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Term {
    /// The name of the layer whose output the summand is.
    pub layer: String,
    /// The index of the value in the layer's output.
    pub index: usize,
    /// Whether the summand is subtracted.
    pub negative: bool,
    /// The alignment of the summand to the `one` of the sum.
    pub align: Align,
}

/// A value that the network computes besides its evaluation.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FurtherHead {
    /// The name of the further value.
    pub name: String,
    /// The sum from which the value is computed.
    pub head: Head,
    /// The integer that stands for 1.0 in the sum.
    pub one: u32,
    /// The conversion of the sum to the value.
    pub units: Units,
}

/// The conversion of a head's sum to the engine's units.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Units {
    /// `x * numerator / denominator` in 64 bits.
    Integer {
        /// The factor of the sum.
        numerator: i64,
        /// The divisor of the product.
        denominator: i64,
        /// The rounding of the quotient: `truncate` or `floor`.
        rounding: String,
        /// Whether the PSQT part and the sum are scaled before they are added.
        each: bool,
        /// Whether the sum has 64 bits; otherwise it is cut to 32 before it is scaled.
        wide: bool,
    },
    /// `(x * factor) as i32`, truncated and saturated.
    Float {
        /// The factor of the sum.
        factor: f32,
    },
}

impl Transformer {
    pub(super) fn of(network: &Network) -> Transformer {
        let transformer = &network.transformer;
        let perspectives = &transformer.perspectives;
        Transformer {
            width: transformer.width,
            accumulator: "i16".to_string(),
            one: transformer.one,
            psqt: (transformer.psqt > 0).then(|| Psqt {
                values: transformer.psqt,
                one: network.psqt_one(),
                read_by_layers: transformer.psqt_sums.as_ref().map(Values::of),
            }),
            activation: of_transformer(transformer.activation, transformer.one),
            activated: Values::of(&transformer.activated),
            pooling: pool(transformer),
            perspectives: Perspectives {
                count: perspectives.count,
                order: perspectives.order.to_string(),
                separate_weights: perspectives.separate,
            },
            output: Values::of(&transformer.output),
            unpooled: transformer.unpooled.as_ref().map(Values::of),
            neuron_order: Some(transformer.neuron_order.clone()).filter(|order| !order.is_empty()),
        }
    }
}

fn of_transformer(activation: TransformerActivation, one: u32) -> Function {
    let function = |name: &str, shift, limit, formula: String| Function {
        name: name.to_string(),
        shift,
        rounding: None,
        limit,
        formula,
    };
    match activation {
        TransformerActivation::None => function("none", None, None, "x".to_string()),
        TransformerActivation::Crelu { limit } => {
            function("crelu", None, Some(limit), format!("clamp(x, 0, {limit})"))
        }
        TransformerActivation::Screlu { shift, rounding } => {
            let formula = rounded(&format!("clamp(x, 0, {one}) squared"), shift, rounding);
            Function {
                rounding: Some(rounding.to_string()),
                ..function("screlu", Some(shift), Some(one), formula)
            }
        }
        TransformerActivation::Relu { shift, limit } => {
            let formula = format!("clamp(x >> {shift}, 0, {limit})");
            function("relu", Some(shift), Some(limit), formula)
        }
        TransformerActivation::Quantmoid4 => {
            function("quantmoid4", None, None, "quantmoid4(x)".to_string())
        }
    }
}

fn pool(transformer: &network::Transformer) -> Option<Pool> {
    let (kind, shift, rounding) = match transformer.pooling {
        Pooling::None => return None,
        Pooling::Product { shift, rounding } => {
            ("product", Some(shift), Some(rounding.to_string()))
        }
        Pooling::Average => ("average", None, None),
        Pooling::Max => ("max", None, None),
    };
    Some(Pool {
        kind: kind.to_string(),
        block: transformer.block,
        shift,
        rounding,
    })
}

impl Layer {
    pub(super) fn of(network: &Network, layer: &network::Layer) -> Layer {
        let slice = |slice: &network::Slice| Slice {
            source: match slice.source {
                Source::Transformer => TRANSFORMER.to_string(),
                Source::Unpooled => UNPOOLED.to_string(),
                Source::Psqt => PSQT.to_string(),
                Source::Layer(index) => network.layers[index].name.clone(),
            },
            start: slice.start,
            len: slice.len,
        };
        Layer {
            name: layer.name.clone(),
            inputs: layer.inputs.iter().map(slice).collect(),
            operation: Operation::of(layer),
            output: Values::of(&layer.output),
            shared: layer.shared,
            factorised: layer.factorised,
        }
    }
}

impl Operation {
    fn of(layer: &network::Layer) -> Operation {
        match &layer.op {
            Op::Affine(affine) => Operation::Affine {
                weights: affine.weights.to_string(),
                weights_one: layer.weights_one().map(super::ones::lowest_terms),
                biases: affine.biases,
                divide: affine.divide.map(|divide| Divide {
                    by: divide.by,
                    rounding: divide.rounding.to_string(),
                }),
                to_float: affine.to_float.map(|scale| ToFloat {
                    scale: match scale {
                        network::Scale::Shared(scale) => Some(scale),
                        network::Scale::OfFile => None,
                    },
                }),
                sums: affine.sums.to_string(),
                scales: affine.scales.map(|scales| Scales {
                    shift: scales.shift,
                    inputs: scales.inputs,
                }),
                output_blocks: affine.output_blocks,
                shards: affine.shards.map(|shards| Shards {
                    common: shards.common,
                    count: shards.count,
                }),
            },
            Op::Elementwise(elementwise) => match elementwise {
                Elementwise::Activations(functions) => Operation::Activations {
                    functions: functions.iter().map(Function::of).collect(),
                },
                Elementwise::Sum(sum) => Operation::Sum {
                    aligns: sum.aligns.iter().map(Align::of).collect(),
                },
                Elementwise::Product(product) => Operation::Product {
                    shift: product.shift,
                    rounding: product.rounding.to_string(),
                },
                Elementwise::RmsNorm(norm) => Operation::RmsNorm {
                    epsilon: norm.epsilon,
                    gain: norm.gain.map(|gain| gain.to_string()),
                },
                Elementwise::Float(float) => Operation::Float { scale: float.scale },
                Elementwise::Integer(integer) => Operation::Integer {
                    one: integer.one,
                    least: integer.least,
                    limit: integer.limit,
                    rounding: integer.rounding.to_string(),
                },
            },
        }
    }
}

impl Function {
    fn of(activation: &Activation) -> Function {
        Function {
            name: activation.name().to_string(),
            shift: activation.parameter("shift"),
            rounding: match activation {
                Activation::Screlu(screlu) => Some(screlu.rounding.to_string()),
                _ => None,
            },
            limit: activation.parameter("limit"),
            formula: activation.formula(),
        }
    }
}

impl Align {
    fn of(align: &network::Align) -> Align {
        match align {
            network::Align::None => Align::None,
            network::Align::Exact(factors) => Align::Exact {
                factors: factors.clone(),
            },
            network::Align::Shift { multipliers, shift } => Align::Shift {
                multipliers: multipliers.clone(),
                shift: *shift,
            },
        }
    }
}

impl Output {
    pub(super) fn of(network: &Network) -> Output {
        let output = &network.output;
        let head = |head: &network::Head| Head {
            terms: head
                .terms
                .iter()
                .map(|term| Term {
                    layer: network.layers[term.layer].name.clone(),
                    index: term.index,
                    negative: term.negative,
                    align: Align::of(&term.align),
                })
                .collect(),
            align: Align::of(&head.align),
        };
        let further = output.further.iter().map(|further| FurtherHead {
            name: further.name.clone(),
            head: head(&further.head),
            one: further.one,
            units: Units::of(further.units),
        });
        Output {
            heads: output.heads.iter().map(head).collect(),
            one: output.one,
            units: Units::of(output.units),
            further: further.collect(),
        }
    }
}

impl Units {
    fn of(units: network::Units) -> Units {
        let integer = |ratio: network::Ratio, wide| Units::Integer {
            numerator: ratio.numerator,
            denominator: ratio.denominator,
            rounding: ratio.rounding.to_string(),
            each: ratio.each,
            wide,
        };
        match units {
            network::Units::Integer(ratio) => integer(ratio, false),
            network::Units::Wide(ratio) => integer(ratio, true),
            network::Units::Float { factor } => Units::Float { factor },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::operation::test_operation;

    use super::*;

    #[test]
    fn an_activation_has_its_name_and_its_parameters() {
        let (_, network) = test_operation::network();
        let layer = Layer::of(&network, &network.layers[1]);
        let function = Function {
            name: "test_operation".into(),
            shift: Some(6),
            rounding: None,
            limit: Some(127),
            formula: "min(|x| >> 6, 127)".into(),
        };
        let functions = vec![function];
        assert_eq!(layer.operation, Operation::Activations { functions });
    }
}
