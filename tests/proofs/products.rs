//! Sums of products: of words in pairs ([`pairs_of_words`]), of bytes in fours ([`fours_of_bytes`])
//! and of rows ([`rows`]).
//!
//! A sum of products modulo 2^32 is linear in each factor, so that it follows from each product
//! alone, with zeros in all other places, if nothing saturates on the way. Where levels add products
//! in 16 bits before they add them in 32, it is always the first and the second product of a lane,
//! and the third and the fourth. So there are four parts:
//!
//! * each product alone: all inputs with all weights, in each place of each lane;
//! * all pairs that are added in 16 bits: all inputs up to the largest for which levels agree with
//!   all weights, for the first two products and for the last two;
//! * all four products at their limits, in every lane;
//! * the sum to which they are added: its limits, where it wraps around, with each of the above.

use nnue_runtime::Level;

use crate::levels::{LONGEST_ROW, ROWS, expected, found};
use crate::parallel;

/// Sums that wrap around, and others.
const SUMS: [i32; 7] = [0, i32::MAX, i32::MIN, -1, 0x7FFF_8000, 12_345, -98_765_432];

/// Weights at which something may change.
const WEIGHTS: [i8; 6] = [-128, -127, -1, 0, 1, 127];

/// Inputs at which something may change, and the largest for which `dot` or `dot_wide` is exact.
fn inputs(is_wide: bool) -> (&'static [u8], u8) {
    if is_wide {
        (&[0, 1, 127, 128, 129, 255], 255)
    } else {
        (&[0, 1, 64, 127], 127)
    }
}

fn sums(count: usize) -> Vec<i32> {
    SUMS.into_iter().cycle().take(count).collect()
}

/// Blocks of weights, and the sums to which their products are added.
struct Lanes {
    level: Level,
    is_wide: bool,
    sums: Vec<i32>,
    found: Vec<i32>,
    expected: Vec<i32>,
}

impl Lanes {
    fn new(level: Level, is_wide: bool, count: usize) -> Self {
        let [found, expected] = [(); 2].map(|()| vec![0; count]);
        Lanes {
            level,
            is_wide,
            sums: sums(count),
            found,
            expected,
        }
    }

    fn assert_same(&mut self, block: &[u8; 4], weights: &[i8]) {
        let Lanes {
            level,
            is_wide,
            sums,
            found,
            expected,
        } = self;
        found::dot(*level, *is_wide, sums, block, weights, found);
        expected::dot(*level, *is_wide, sums, block, weights, expected);
        if let Some(at) = (0..sums.len()).find(|at| found[*at] != expected[*at]) {
            let name = if *is_wide { "dot_wide" } else { "dot" };
            let weights = &weights[4 * at..][..4];
            panic!(
                "{name} of {}, {block:?} and {weights:?} in lane {at} of {level}: found {}, expected {}",
                sums[at], found[at], expected[at]
            );
        }
    }
}

/// `dot` or `dot_wide`, with `splat_block`, `load_i8`, `dots` and `sum_dots`: each product alone, and
/// all four at their limits.
pub(crate) fn fours_of_bytes(level: Level, is_wide: bool) {
    let (limits, largest) = inputs(is_wide);
    let mut random = fastrand::Rng::with_seed(6);

    // Each lane has each weight, for sixteen lanes take them one after another. What the other
    // weights are is of no importance, for their inputs are zeros.
    let mut lanes = Lanes::new(level, is_wide, 256 * 16);
    for place in 0..4 {
        let mut weights: Vec<i8> = (0..4 * 256 * 16).map(|_| random.i8(..)).collect();
        for (lane, weights) in weights.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            weights[place] = (lane / 16 + lane % 16) as i8;
        }
        for input in 0..=largest {
            let mut block = [0; 4];
            block[place] = input;
            lanes.assert_same(&block, &weights);
        }
    }

    let fours = fours(&WEIGHTS);
    let fours = fours.iter().flat_map(|four| [*four; 16]);
    let weights: Vec<i8> = fours.flatten().collect();
    let mut lanes = Lanes::new(level, is_wide, weights.len() / 4);
    for block in self::fours(limits) {
        lanes.assert_same(&block, &weights);
    }
}

/// Pairs of inputs and weights of two blocks, whose sums of products are the limits of 16 bits.
const LIMITS_OF_TWO: [[[(u8, i8); 2]; 2]; 2] = [
    [[(127, 127), (127, 127)], [(127, 4), (1, 1)]],
    [[(127, -128), (127, -128)], [(127, -2), (2, -1)]],
];

/// `dot_two`: products of two blocks. Levels add the first and the second of both blocks, and the
/// third and the fourth, in 16 bits. Each product alone; and all eight at their limits, as far as
/// those sums fit.
pub(crate) fn two_blocks(level: Level) {
    let assert_same = |blocks: &[[u8; 4]; 2], weights: &[Vec<i8>; 2]| {
        let sums = sums(weights[0].len() / 4);
        let [mut found, mut expected] = [(); 2].map(|()| vec![0; sums.len()]);
        found::dot_two(level, &sums, blocks, weights, &mut found);
        expected::dot_two(level, &sums, blocks, weights, &mut expected);
        if let Some(at) = (0..sums.len()).find(|at| found[*at] != expected[*at]) {
            let weights = [0, 1].map(|block: usize| &weights[block][4 * at..][..4]);
            panic!(
                "dot_two of {}, {blocks:?} and {weights:?} in lane {at} of {level}: found {}, expected {}",
                sums[at], found[at], expected[at]
            );
        }
    };
    let mut random = fastrand::Rng::with_seed(10);
    for place in 0..8 {
        // Each lane has each weight, as in `fours_of_bytes`.
        let any = |_| random.i8(..);
        let first: Vec<i8> = (0..4 * 256 * 16).map(any).collect();
        let mut weights = [first.clone(), first];
        for (lane, weights) in weights[place / 4].chunks_exact_mut(4).enumerate() {
            weights[place % 4] = (lane / 16 + lane % 16) as i8;
        }
        for input in 0..=127 {
            let mut blocks = [[0; 4]; 2];
            blocks[place / 4][place % 4] = input;
            assert_same(&blocks, &weights);
        }
    }
    for limit in LIMITS_OF_TWO {
        for (first, place) in [(0, 0), (0, 2), (1, 0), (1, 2)] {
            let (mut blocks, mut weights) = ([[0; 4]; 2], [[0; 4]; 2]);
            for (pair, block) in limit.iter().zip([first, 1 - first]) {
                for (index, (input, weight)) in pair.iter().enumerate() {
                    blocks[block][place + index] = *input;
                    weights[block][place + index] = *weight;
                }
            }
            assert_same(&blocks, &weights.map(|weights| weights.repeat(16)));
        }
    }
    let (limits, _) = inputs(false);
    for _ in 0..1 << 12 {
        let mut any = |of: &[u8]| of[random.usize(..of.len())];
        let blocks = [[(); 4]; 2].map(|block| block.map(|()| any(limits)));
        let mut weights = [(); 2].map(|()| vec![0; 4 * 64]);
        for at in (0..4 * 64).step_by(2) {
            let pairs = [[(); 2]; 2].map(|pair| pair.map(|()| WEIGHTS[random.usize(..6)]));
            let product = |block: usize, place: usize| {
                i32::from(blocks[block][at % 4 + place]) * i32::from(pairs[block][place])
            };
            let sum = product(0, 0) + product(0, 1) + product(1, 0) + product(1, 1);
            for (weights, pair) in weights.iter_mut().zip(pairs) {
                weights[at..][..2].copy_from_slice(&pair);
            }
            if i16::try_from(sum).is_err() {
                weights[1][at..][..2].fill(0);
            }
        }
        assert_same(&blocks, &weights);
    }
}

/// All four values of some.
fn fours<T: Copy>(of: &[T]) -> Vec<[T; 4]> {
    let count = of.len();
    let at = |index: usize| of[index % count];
    let all = 0..count.pow(4);
    all.map(|index| [1, count, count.pow(2), count.pow(3)].map(|power| at(index / power)))
        .collect()
}

/// All pairs of products that may be added in 16 bits. What is expected is the sum of what `scalar`
/// makes of each product alone.
pub(crate) fn all_pairs_of_bytes(level: Level, is_wide: bool) {
    let (_, largest) = inputs(is_wide);
    let sums = sums(256);
    // Of an input, its products with all weights.
    let products: Vec<Vec<i32>> = (0..=largest)
        .map(|input| {
            let weights: Vec<i8> = (-128..=127).flat_map(|weight| [weight, 0, 0, 0]).collect();
            let mut products = vec![0; 256];
            expected::dot(
                level,
                is_wide,
                &[0; 256],
                &[input, 0, 0, 0],
                &weights,
                &mut products,
            );
            products
        })
        .collect();
    for place in [0, 2] {
        // For each first weight, all second ones, in lanes that follow each other.
        let mut random = fastrand::Rng::with_seed(7);
        let weights = (-128..=127).map(|first| {
            let mut weights: Vec<i8> = (0..4 * 256).map(|_| random.i8(..)).collect();
            for (second, weights) in (-128..=127).zip(weights.as_chunks_mut::<4>().0) {
                weights[place..][..2].copy_from_slice(&[first, second]);
            }
            weights
        });
        let weights: Vec<Vec<i8>> = weights.collect();
        let buffers = || [(); 2].map(|()| vec![0; 256]);
        parallel::for_each(products.len(), buffers, |[found, expected], first| {
            for second in 0..products.len() {
                let mut block = [0; 4];
                block[place..][..2].copy_from_slice(&[first as u8, second as u8]);
                for (weights, product) in weights.iter().zip(&products[first]) {
                    found::dot(level, is_wide, &sums, &block, weights, found);
                    for (lane, expected) in expected.iter_mut().enumerate() {
                        let both = product + products[second][lane];
                        *expected = sums[lane].wrapping_add(both);
                    }
                    if found != expected {
                        Lanes::new(level, is_wide, 256).assert_same(&block, weights);
                        panic!(
                            "`scalar` makes another sum of {block:?} and {weights:?} than of each"
                        );
                    }
                }
            }
        });
    }
}

/// `dot_row` or `dot_row_wide`: products of vectors as `dot` adds them, or `dot_wide`, so that it
/// remains to be seen that each input is multiplied by its own weight and counts once. For every
/// length, each place alone has the limits of inputs and weights, while the other inputs are zeros;
/// rows are at their limits as a whole; and the shortest rows have all products in each place.
pub(crate) fn rows(level: Level, is_wide: bool) {
    let assert_same = |length: usize, inputs: &[u8; LONGEST_ROW], weights: &[i8; LONGEST_ROW]| {
        let found = found::row(level, is_wide, length, inputs, weights);
        let expected = expected::row(level, is_wide, length, inputs, weights);
        assert!(
            found == expected,
            "a row of {:?} and {:?} of {level}: found {found}, expected {expected}",
            &inputs[..length],
            &weights[..length]
        );
    };
    let (limits, largest) = inputs(is_wide);
    let mut random = fastrand::Rng::with_seed(8);
    for length in ROWS {
        for place in 0..length {
            for input in limits {
                let mut inputs = [0; LONGEST_ROW];
                inputs[place] = *input;
                for weight in WEIGHTS {
                    let mut weights = [(); LONGEST_ROW].map(|()| random.i8(..));
                    weights[place] = weight;
                    assert_same(length, &inputs, &weights);
                }
            }
        }
        for weight in WEIGHTS {
            for input in limits {
                assert_same(length, &[*input; LONGEST_ROW], &[weight; LONGEST_ROW]);
            }
            for _ in 0..16 {
                let inputs = [(); LONGEST_ROW].map(|()| random.u8(..=largest));
                let weights = [(); LONGEST_ROW].map(|()| random.i8(..));
                assert_same(length, &inputs, &weights);
            }
        }
    }
    for place in 0..ROWS[0] {
        for input in 0..=largest {
            let mut inputs = [0; LONGEST_ROW];
            inputs[place] = input;
            for weight in -128..=127 {
                let mut weights = [-1; LONGEST_ROW];
                weights[place] = weight;
                assert_same(ROWS[0], &inputs, &weights);
            }
        }
    }
}

/// `madd_i16`: only the sum of all lanes is the same on all levels.
///
/// Each product of two words has 32 bits, and sums wrap around: nothing can saturate but the sum of
/// two products that are both 2^30, which must wrap around too. So each place alone is tested with
/// edges, all places together with edges in every combination of two of them, and
/// [`all_pairs_of_words`] has all products.
pub(crate) fn pairs_of_words(level: Level) {
    const EDGES: [i16; 9] = [i16::MIN, -32_767, -256, -1, 0, 1, 255, 256, i16::MAX];
    let mut random = fastrand::Rng::with_seed(9);
    for place in 0..64 {
        for edge in EDGES {
            for other in i16::MIN..=i16::MAX {
                if !EDGES.contains(&other) && other % 251 != 0 {
                    continue;
                }
                let mut a = [0; 64];
                let mut b = [(); 64].map(|()| random.i16(..));
                (a[place], b[place]) = (edge, other);
                assert_madd(level, &a, &b);
                (a, b) = (b, a);
                assert_madd(level, &a, &b);
            }
        }
    }
    for [first, second, third, fourth] in fours(&EDGES) {
        // Those of a lane are neighbours on some levels, and four apart on others.
        let neighbours = |a, b| std::array::from_fn(|index| if index % 2 == 0 { a } else { b });
        let apart = |a, b| std::array::from_fn(|index| if index % 8 < 4 { a } else { b });
        assert_madd(
            level,
            &neighbours(first, second),
            &neighbours(third, fourth),
        );
        assert_madd(level, &apart(first, second), &apart(third, fourth));
    }
}

/// All products of two words, each in one place, in sums of 64 of them.
pub(crate) fn all_pairs_of_words(level: Level) {
    parallel::for_each(
        1 << 16,
        || (),
        |(), first| {
            let a = [first as i16; 64];
            for start in (i16::MIN..=i16::MAX).step_by(64) {
                let b = std::array::from_fn(|lane| start + lane as i16);
                assert_madd(level, &a, &b);
            }
        },
    );
}

fn assert_madd(level: Level, a: &[i16; 64], b: &[i16; 64]) {
    let found = found::madd(level, &[i32::MAX; 16], a, b);
    let expected = expected::madd(level, &[i32::MAX; 16], a, b);
    assert!(
        found == expected,
        "madd_i16 of {a:?} and {b:?} of {level}: found {found}, expected {expected}"
    );
}
