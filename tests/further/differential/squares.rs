//! Squares of clipped neurons times words, where roots and weights are extreme: the largest weight
//! whose product with a root fits in 16 bits, the first that does not, and the largest of all.

use nnue_further_tests::bullet::simple;
use nnue_runtime::{Accumulator, Board, Level, Network};

/// Neurons of a perspective.
const WIDTH: usize = 128;

/// The net file of weights that are the same for every position: rows of zeros.
fn net_file(biases: [i16; WIDTH], weights: [i16; 2 * WIDTH]) -> Vec<u8> {
    let rows = [[0; WIDTH]; 768];
    let words = rows.as_flattened().iter().chain(&biases).chain(&weights);
    let mut file: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    file.extend(0i16.to_le_bytes());
    let padding = file.len().next_multiple_of(64) - file.len();
    file.extend(b"bullet".iter().cycle().take(padding));
    file
}

/// Compares the evaluation on every level with a plain loop.
#[track_caller]
fn check(biases: [i16; WIDTH], weights: [i16; 2 * WIDTH]) {
    let roots = biases.map(|bias| i64::from(bias.clamp(0, 255)));
    let products = roots.iter().cycle().zip(weights);
    let sum: i64 = products
        .map(|(root, weight)| root * root * i64::from(weight))
        .sum();
    let positional = sum as i32 / 255;
    let mut net = Network::<simple::Net>::from_bytes(&net_file(biases, weights)).unwrap();
    for level in Level::available() {
        net = net.with_level(level);
        let accumulator = Accumulator::new(&net, &Board::start());
        let found = net.evaluate(&accumulator, &Board::start());
        assert_eq!(
            i64::from(found.value),
            i64::from(positional) * 400 / 16_320,
            "{level}"
        );
    }
}

#[test]
fn extreme_roots_and_weights_are_exact_on_every_level() {
    for bias in [i16::MIN, -1, 0, 1, 180, 181, 182, 254, 255, 256, i16::MAX] {
        for weight in [1, 127, 128, 129, 257, i16::MAX, -128, -129, -130, i16::MIN] {
            check([bias; WIDTH], [weight; 2 * WIDTH]);
        }
    }
}

/// Each input meets its own weight, whichever kernel the weights allow: all others are zero.
#[test]
fn each_input_meets_its_own_weight() {
    for scale in [1, 200] {
        for input in 0..2 * WIDTH {
            let mut weights = [0; 2 * WIDTH];
            weights[input] = scale * (input as i16 % 128 - 64);
            check(std::array::from_fn(|neuron| 2 * neuron as i16), weights);
        }
    }
}
