//! A net of Pikafish's shape (July 2026) that follows from a text: the engine read the same file
//! when it computed `goldens/xiangqi`, so its content can never change.

use nnue_interpreter::dummy::net_file::{LEB128_MAGIC, push_leb128};

use super::shake::shake_256;
use crate::nets::sha256_prefix;

const THREATS: usize = 45_547;
const PIECES: usize = 16_536;
const WIDTH: usize = 1024;
const STACKS: usize = 16;

const VERSION: u32 = 0x6A44_8AFA;
const TRANSFORMER: u32 = 0x23F4_7EB0;
const STACK: u32 = 0x6333_7116;

/// The net file. Without PSQT, everything else in it is the same.
///
/// # Panics
///
/// If the file with PSQT differs in any bit from the file that the engine read.
#[must_use]
pub fn xiangqi_net(has_psqt: bool) -> Vec<u8> {
    let mut file = Vec::new();
    let description = b"dummy net, weights are pseudorandom";
    for word in [VERSION, TRANSFORMER ^ STACK, description.len() as u32] {
        push_word(&mut file, word);
    }
    file.extend(description);
    push_word(&mut file, TRANSFORMER);
    let biases = words("biases", WIDTH).map(|word| ((word * 401) >> 16) - 100);
    let biases = biases
        .enumerate()
        .map(|(i, value)| value * if i % 53 == 0 { 10 } else { 1 });
    push_block(&mut file, biases);
    for (set, rows, shift, divisor) in [("threat", THREATS, 10, 64), ("piece", PIECES, 9, 8)] {
        let mut weights = bytes(&format!("{set}s"), rows * WIDTH);
        for (row, weights) in weights.chunks_exact_mut(WIDTH).enumerate() {
            if row % 64 != 17 {
                quieten(weights, shift);
            }
        }
        push_bytes(&mut file, &weights);
        if has_psqt {
            let values = words(&format!("{set} psqt"), rows * STACKS);
            let values = values
                .map(|word| (word - 32_768).div_euclid(divisor))
                .enumerate();
            push_block(
                &mut file,
                values.map(|(i, value)| value * if i % 97 == 5 { 64 } else { 1 }),
            );
        }
    }
    for stack in 0..STACKS {
        push_word(&mut file, STACK);
        for (layer, inputs, outputs, largest_bias) in [
            ("fc_0", WIDTH, 32, 4000),
            ("fc_1", 64, 32, 2000),
            ("fc_2", 128, 1, 5000),
        ] {
            let name = format!("stack {stack}/{layer}");
            for word in words(&format!("{name}.biases"), outputs) {
                let bias = ((word * (2 * largest_bias + 1)) >> 16) - largest_bias;
                push_word(&mut file, bias.cast_unsigned());
            }
            let mut weights = bytes(&format!("{name}.weights"), inputs * outputs);
            for (output, weights) in weights.chunks_exact_mut(inputs).enumerate() {
                let is_loud = layer == "fc_2" || (output + stack) % 8 == 3;
                if !is_loud {
                    quieten(weights, 10);
                }
            }
            push_bytes(&mut file, &weights);
        }
    }
    if has_psqt {
        assert_eq!(
            (file.len(), &*sha256_prefix(&file)),
            (66_038_680, "873d266858a2")
        );
    }
    file
}

fn stream(name: &str, len: usize) -> Vec<u8> {
    shake_256(&format!("pikafish dummy 1/{name}"), len)
}

/// Numbers from 0 to 65535.
fn words(name: &str, count: usize) -> impl Iterator<Item = i32> + use<> {
    let bytes = stream(name, 2 * count);
    (0..count).map(move |i| u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]).into())
}

/// Numbers from -128 to 127, all alike.
fn bytes(name: &str, count: usize) -> Vec<i8> {
    let bytes = stream(name, count).into_iter();
    bytes.map(|byte| (i32::from(byte) - 128) as i8).collect()
}

/// Makes small values frequent.
fn quieten(weights: &mut [i8], shift: u32) {
    for weight in weights {
        let value = i32::from(*weight);
        *weight = ((value * value.abs()) >> shift) as i8;
    }
}

fn push_word(file: &mut Vec<u8>, word: u32) {
    file.extend(word.to_le_bytes());
}

fn push_bytes(file: &mut Vec<u8>, values: &[i8]) {
    file.extend(values.iter().map(|value| value.cast_unsigned()));
}

/// A block of LEB128: its words, the number of bytes, and the values.
fn push_block(file: &mut Vec<u8>, values: impl Iterator<Item = i32>) {
    file.extend(LEB128_MAGIC);
    let len = file.len();
    push_word(file, 0);
    values.for_each(|value| push_leb128(file, value));
    let bytes = (file.len() - len - 4) as u32;
    file[len..len + 4].copy_from_slice(&bytes.to_le_bytes());
}

#[test]
fn the_net_is_the_file_that_the_engine_read() {
    let [with, without] = [true, false].map(xiangqi_net);
    assert!(without.len() < with.len());
}
