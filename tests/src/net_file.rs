//! Net files for any spec, with whatever weights a test wants.

use nnue_compiler::file::{FileElement, Format, Section, Tensor};
use nnue_compiler::network::{Encoding, Network};

use crate::generations::LEB128_MAGIC;
use crate::random::Xorshift;
use crate::synthetic::push_leb128;

/// A net file for a network.
///
/// `value` is asked for each value of each tensor: the tensor's name, as in `transformer.weights` or `fc_0.biases`,
/// and the value's index in the file's order. Every stack gets the same. Padding counts as values.
pub fn net_file(
    network: &Network,
    description: &str,
    value: impl Fn(&str, usize) -> i32,
) -> Vec<u8> {
    let mut file = Vec::new();
    if let Format::Stockfish(words) = network.file.format {
        for word in [words.version, words.hash(), description.len() as u32] {
            file.extend_from_slice(&word.to_le_bytes());
        }
        file.extend_from_slice(description.as_bytes());
    }
    for (_, section) in network.file.all_sections(network.stacks.count) {
        match section {
            Section::Hash { value, .. } => file.extend_from_slice(&value.to_le_bytes()),
            Section::Bytes(bytes) => file.extend_from_slice(bytes),
            Section::Skipped(len) => file.resize(file.len() + len, 0),
            Section::Align(to) => file.resize(file.len().next_multiple_of(*to), 0),
            Section::Tensor(tensor) => {
                if network.file.format == Format::Named {
                    file.extend_from_slice(tensor.id.as_bytes());
                    file.push(b'\n');
                    file.extend_from_slice(&(tensor.values() as u64).to_le_bytes());
                }
                push_tensor(&mut file, tensor, &value);
            }
        }
    }
    let tail: Vec<u8> = network.file.tail.bytes(file.len()).collect();
    file.extend_from_slice(&tail);
    file
}

fn push_tensor(file: &mut Vec<u8>, tensor: &Tensor, value: impl Fn(&str, usize) -> i32) {
    let values = (0..tensor.values()).map(|index| value(&tensor.name, index));
    match (tensor.encoding, tensor.element) {
        (Encoding::Leb128, _) => {
            let mut block = Vec::new();
            values.for_each(|value| push_leb128(&mut block, value));
            file.extend_from_slice(LEB128_MAGIC);
            file.extend_from_slice(&(block.len() as u32).to_le_bytes());
            file.extend_from_slice(&block);
        }
        (Encoding::Raw, FileElement::F32) => {
            let factor = tensor.quantise.map_or(1.0, |quantise| quantise.factor);
            values.for_each(|value| {
                file.extend_from_slice(&((f64::from(value) / factor) as f32).to_le_bytes());
            });
        }
        (Encoding::Raw, element) => {
            values.for_each(|value| file.extend_from_slice(&value.to_le_bytes()[..element.size()]));
        }
    }
}

/// A net file with random weights for a network, small enough that accumulators stay within 16 bits and large enough that
/// both ends of clipping are met.
pub fn random_net_file(network: &Network, seed: u64) -> Vec<u8> {
    net_file(network, "", |tensor, index| {
        let (low, high) = match tensor.rsplit_once('.') {
            Some((_, "psqt")) => (-20_000, 20_000),
            _ if tensor.starts_with("transformer") => (-100, 100),
            Some((_, "biases")) => (-10_000, 10_000),
            _ => (-128, 127),
        };
        // A sequence for each value: they are asked for in no order that the caller promises.
        let name = tensor.bytes().fold(seed, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        let start = (name ^ (index as u64 + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut random = Xorshift::new(start | 1);
        random.draw();
        low + random.below((high - low + 1) as usize) as i32
    })
}

#[cfg(test)]
mod tests {
    use nnue_compiler::analyse;
    use nnue_compiler::diagnostics::SourceFile;
    use nnue_compiler::file::verify::verify;

    use super::*;

    #[test]
    fn files_fit_their_spec_whatever_their_encoding() {
        for text in [
            include_str!("../../specs/sfnnv5.toml"),
            include_str!("../../specs/small128.toml"),
        ] {
            let network = analyse(&SourceFile::new("spec", text)).unwrap();
            let file = net_file(&network, "two words", |tensor, index| {
                tensor.len() as i32 - (index % 100) as i32
            });
            verify(&network, &file).unwrap();
        }
    }
}
