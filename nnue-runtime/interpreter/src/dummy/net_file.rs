//! Net files for any spec, in its format, with the weights that a test wants.

use nnue_compiler::format::{
    Element, Encoding, Format, LoadError, Overflow, Quantise, Rounding, Section,
};
use nnue_compiler::network::file::{Role, Tensor};
use nnue_compiler::network::{Network, OUTPUT_RUN};
use nnue_compiler::{explain, file_layout};

use fastrand::Rng;

/// The bytes at the start of a compressed tensor in Stockfish's files.
pub const LEB128_MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";

/// A value of a network's tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight<'a> {
    /// The tensor's name, as in `transformer.weights` or `fc_0.biases`.
    pub tensor: &'a str,
    /// The role of the tensor.
    pub role: Role,
    /// The stack of the tensor; 0 for tensors of the transformer.
    pub stack: usize,
    /// The row of the tensor: the feature, or the output of a layer; 0 for biases.
    pub row: usize,
    /// The column of the tensor: the neuron, the PSQT bucket, or the input of a layer. For biases,
    /// the neuron or the output.
    pub column: usize,
    /// The index of the value in the file's order of the tensor, padding included.
    pub index: usize,
}

/// The net file of values that depend only on the tensor's name and on the index in the file's
/// order of the tensor. In Stockfish's format every stack gets the same values. See
/// [`net_file_of`].
pub fn net_file(
    network: &Network,
    description: &str,
    value: impl Fn(&str, usize) -> i32,
) -> Vec<u8> {
    net_file_of(network, description, |weight| {
        value(weight.tensor, weight.index).into()
    })
}

/// The net file of the values that `value` returns. It returns each value as the network has it
/// after the file is loaded. Padding is zero.
///
/// # Panics
///
/// If a value does not fit its type in the file.
pub fn net_file_of(
    network: &Network,
    description: &str,
    mut value: impl FnMut(Weight<'_>) -> f64,
) -> Vec<u8> {
    write(network, description, &mut value, |_| None)
}

/// The net file of the values that `value` returns, where the spec allows them, and otherwise of
/// the nearest values that it allows: values are within the limits of their types, also after
/// values of another tensor are added, and weights are zero for runs of outputs that their input
/// cannot reach.
#[must_use]
pub fn nearest_net_file_of(network: &Network, mut value: impl FnMut(Weight<'_>) -> f64) -> Vec<u8> {
    let mut reached = |weight: Weight<'_>| {
        if is_beyond_runs(network, weight) {
            0.0
        } else {
            value(weight)
        }
    };
    write(network, "", &mut reached, |tensor| {
        let quantised = tensor.stored.quantise.map(|quantise| quantise.element);
        let element = quantised.unwrap_or(tensor.stored.element);
        let (low, high) = element.limits()?;
        let summands = if is_summand(network, tensor) { 2 } else { 1 };
        Some((low / summands, high / summands))
    })
}

/// Whether a weight must be zero: it is in another shard, or in a run of outputs that its input does
/// not reach. Each input reaches the runs from its own number on.
fn is_beyond_runs(network: &Network, weight: Weight<'_>) -> bool {
    let (Role::LayerWeights(layer) | Role::SharedWeights(layer)) = weight.role else {
        return false;
    };
    let layer = &network.layers[layer];
    let Some(affine) = layer.affine() else {
        return false;
    };
    let shape = [layer.output.len, layer.input_len()];
    if let Some(shards) = affine.shards {
        return !shards.reads(shape, weight.row, weight.column);
    }
    affine.output_blocks.is_some_and(|blocks| {
        let runs = layer.output.len / OUTPUT_RUN;
        (weight.row / OUTPUT_RUN + runs - weight.column % runs) % runs >= blocks
    })
}

/// Writes the file of the values, each clamped to the limits of its tensor.
fn write(
    network: &Network,
    description: &str,
    value: &mut impl FnMut(Weight<'_>) -> f64,
    limits: impl Fn(&Tensor) -> Option<(i32, i32)>,
) -> Vec<u8> {
    let mut file = Vec::new();
    if let Format::Stockfish { version, hash } = network.file.format {
        for word in [version, hash, description.len() as u32] {
            file.extend_from_slice(&word.to_le_bytes());
        }
        file.extend_from_slice(description.as_bytes());
    }
    for (stack, section) in network.file.all_sections(network.stacks.count) {
        match section {
            Section::Hash { expected, .. } => file.extend_from_slice(&expected.to_le_bytes()),
            Section::Bytes { expected, .. } => file.extend_from_slice(expected),
            Section::Skipped { .. } | Section::Kept { .. } => {
                file.resize(file.len() + section.skipped_len(), 0)
            }
            Section::Align(to) => file.resize(file.len().next_multiple_of(*to), 0),
            Section::Tensor(tensor) => {
                if network.file.format == Format::Named {
                    file.extend_from_slice(tensor.id.as_bytes());
                    file.push(b'\n');
                    file.extend_from_slice(&(tensor.stored.values as u64).to_le_bytes());
                }
                let mut values = values(tensor, stack.unwrap_or(0), value);
                if let Some((low, high)) = limits(tensor) {
                    for value in &mut values {
                        *value = value.clamp(low.into(), high.into());
                    }
                }
                push(&mut file, tensor, &values, is_summand(network, tensor));
            }
        }
    }
    let tail: Vec<u8> = network.file.tail.bytes(file.len()).collect();
    file.extend_from_slice(&tail);
    file
}

/// Checks that a file fits the network, as the macro does while compiling.
///
/// # Errors
///
/// [`LoadError`] if it does not fit.
pub fn verify(network: &Network, file: &[u8]) -> Result<(), LoadError> {
    explain::check(&file_layout(network), file).map(drop)
}

/// The values of a tensor, in the order of the file.
fn values(tensor: &Tensor, stack: usize, value: &mut impl FnMut(Weight<'_>) -> f64) -> Vec<f64> {
    let mut values = vec![0.0; tensor.stored.values];
    for [bucket, row, column] in tensor.places() {
        let index = tensor.stored.index([bucket, row, column]);
        values[index] = value(Weight {
            tensor: &tensor.name,
            role: tensor.role,
            stack: stack + bucket,
            row,
            column,
            index,
        });
    }
    values
}

/// Whether values of a tensor are added to values of another tensor before they are rounded to
/// integers.
fn is_summand(network: &Network, tensor: &Tensor) -> bool {
    let sets = network.features.iter();
    let mut factors = sets.filter_map(|set| set.factors.as_ref());
    match tensor.role {
        Role::Weights(_) | Role::Psqt(_) => factors.any(|factors| !factors.round_each),
        Role::LayerFactors(_) | Role::Biases(_) => false,
        role => role
            .layer()
            .is_some_and(|layer| network.layers[layer].factorised),
    }
}

fn push(file: &mut Vec<u8>, tensor: &Tensor, values: &[f64], summand: bool) {
    let element = tensor.stored.element;
    let mut bytes = vec![0; values.len() * element.size()];
    let mut compressed = Vec::new();
    for (index, &value) in values.iter().enumerate() {
        let value = match &tensor.stored.quantise {
            Some(quantise) => {
                let value = if summand {
                    value
                } else {
                    beyond(quantise, value)
                };
                unquantised(quantise, value, summand)
            }
            None => integer_of(tensor, value),
        };
        assert!(
            element
                .limits()
                .is_none_or(|(low, high)| (low.into()..=high.into()).contains(&value)),
            "{value} does not fit in {element} of `{}`",
            tensor.name
        );
        element.write_little_endian(&mut bytes, index, value);
        match element {
            Element::F32 => push_unsigned_leb128(&mut compressed, (value as f32).to_bits()),
            _ => push_leb128(&mut compressed, value as i32),
        }
    }
    match tensor.stored.encoding {
        Encoding::Raw => file.extend_from_slice(&bytes),
        Encoding::Leb128 => {
            file.extend_from_slice(LEB128_MAGIC);
            file.extend_from_slice(&(compressed.len() as u32).to_le_bytes());
            file.extend_from_slice(&compressed);
        }
        Encoding::BareLeb128 => file.extend_from_slice(&compressed),
    }
}

/// Appends a number as signed LEB128.
pub fn push_leb128(file: &mut Vec<u8>, mut value: i32) {
    loop {
        let low = (value & 0x7F) as u8;
        value >>= 7;
        // The last byte's bit 6 is the sign, so the rest must agree with it.
        if value == if low & 0x40 == 0 { 0 } else { -1 } {
            file.push(low);
            return;
        }
        file.push(low | 0x80);
    }
}

fn push_unsigned_leb128(file: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        file.push(value as u8 | 0x80);
        value >>= 7;
    }
    file.push(value as u8);
}

/// The number in the file for a value that is not quantised while loading. If the file has an
/// integer for a value in floating point or for a multiple, this is a near integer that fits.
fn integer_of(tensor: &Tensor, value: f64) -> f64 {
    match (tensor.stored.divisor, tensor.stored.element.limits()) {
        (Some(divisor), Some((low, high))) => {
            (value * divisor).round().clamp(low.into(), high.into())
        }
        // Rounded towards zero, so that the multiple fits where the value does.
        _ if tensor.stored.times > 1 => (value / f64::from(tensor.stored.times)).trunc(),
        _ => value,
    }
}

/// A number whose clamped value is `value`, if `value` is a limit at which numbers are clamped.
fn beyond(quantise: &Quantise, value: f64) -> f64 {
    let limits = match quantise.overflow {
        Overflow::Refuse => None,
        Overflow::Clamp => quantise.element.limits(),
    };
    match limits {
        Some((low, high)) if value == f64::from(low) || value == f64::from(high) => 3.0 * value,
        _ => value,
    }
}

/// A number that is quantised to `value`. The numbers of two summands are such that their sum is
/// quantised to the sum of their values.
fn unquantised(quantise: &Quantise, value: f64, summand: bool) -> f64 {
    let middle = match quantise.rounding {
        Rounding::Truncate if summand => value,
        // The middle of the numbers that become `value`: rounded to `f32`, it still becomes
        // `value`.
        Rounding::Truncate => value + 0.5 * value.signum(),
        Rounding::Nearest => value,
    };
    let middle = if value == 0.0 { 0.0 } else { middle };
    middle / quantise.factor
}

/// A net file with random weights for any network. The weights are small enough that accumulators
/// stay within 16 bits, and large enough that activations reach both ends of their range.
pub fn random_net_file(network: &Network, seed: u64) -> Vec<u8> {
    let mut random = Rng::with_seed(seed);
    nearest_net_file_of(network, |weight| {
        let (low, high) = match weight.role {
            Role::Psqt(_) => (-20_000, 20_000),
            Role::Weights(_) | Role::Biases(_) => (-100, 100),
            Role::LayerBiases(_) | Role::SharedBiases(_) => (-10_000, 10_000),
            Role::LayerFactors(_) => (-128, 127),
            Role::LayerWeights(_) | Role::SharedWeights(_) => (-128, 127),
        };
        f64::from(low + random.usize(..(high - low + 1) as usize) as i32)
    })
}

#[cfg(test)]
mod tests {
    use nnue_compiler::analyse;
    use nnue_compiler::diagnostics::SourceFile;

    use super::*;

    #[test]
    fn files_fit_their_spec_whatever_their_encoding() {
        for text in [
            include_str!("../../../../specs/sfnnv5.toml"),
            include_str!("../../../../specs/small128.toml"),
        ] {
            let network = analyse(&SourceFile::new("spec", text)).unwrap();
            let file = net_file_of(&network, "two words", |weight| {
                (weight.tensor.len() as i32 - (weight.column % 100) as i32).into()
            });
            verify(&network, &file).unwrap();
        }
    }
}
