//! Primitives of `f32`. Any NaN is as good as another.
//!
//! A root has one input of 32 bits, of which all are tried. A product that is added has three: no
//! proof by trying. What levels do is one instruction, `fusedMultiplyAdd` of IEEE 754 by its
//! manufacturer's manual, and what `scalar` does is argued in its documentation: the product of two
//! `f32` is exact in `f64`, and a sum that is rounded to odd with 53 bits loses nothing that
//! rounding to 24 bits needs. Both are compared where this could be wrong, which is a sample.

use nnue_runtime::Level;

use crate::levels::{expected, found};
use crate::parallel;

fn is_same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn assert_roots(level: Level, of: &[f32], found: &mut [f32], expected: &mut [f32]) {
    found::sqrt(level, of, found);
    expected::sqrt(level, of, expected);
    for (of, (found, expected)) in of.iter().zip(found.iter().zip(expected)) {
        assert!(
            is_same(*found, *expected),
            "sqrt_f32 of {of:e} of {level}: found {found:e}, expected {expected:e}"
        );
    }
}

/// `sqrt_f32` of every 2039th number.
pub(crate) fn some_roots(level: Level) {
    let of: Vec<f32> = (0..=u32::MAX).step_by(2039).map(f32::from_bits).collect();
    assert_roots(
        level,
        &of,
        &mut vec![0.0; of.len()],
        &mut vec![0.0; of.len()],
    );
}

/// `sqrt_f32` of all numbers.
pub(crate) fn all_roots(level: Level) {
    const COUNT: usize = 1 << 12;
    let buffers = || [(); 3].map(|()| vec![0.0; COUNT]);
    parallel::for_each(
        (1 << 32) / COUNT,
        buffers,
        |[of, found, expected], index| {
            for (bits, of) in (index * COUNT..).zip(of.iter_mut()) {
                *of = f32::from_bits(bits as u32);
            }
            assert_roots(level, of, found, expected);
        },
    );
}

/// `a * b + c` of the level and of `scalar`, and as the standard library has it.
fn assert_fma(level: Level, terms: &[[f32; 3]]) {
    let [a, b, c] = [0, 1, 2].map(|term| terms.iter().map(|terms| terms[term]).collect::<Vec<_>>());
    let [mut found, mut expected] = [(); 2].map(|()| vec![0.0; a.len()]);
    found::fma(level, &a, &b, &c, &mut found);
    expected::fma(level, &a, &b, &c, &mut expected);
    for ([a, b, c], (found, expected)) in terms.iter().zip(found.into_iter().zip(expected)) {
        assert!(
            is_same(found, expected) && is_same(found, a.mul_add(*b, *c)),
            "fma_f32 of {a:e}, {b:e} and {c:e} of {level}: found {found:e}, expected {expected:e}"
        );
    }
}

/// `fma_f32` of all edges.
pub(crate) fn fma_of_edges(level: Level) {
    let edges = [
        0.0,
        1.0,
        3.0,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        f32::from_bits(0x007F_FFFF),
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
        f32::EPSILON,
        f32::EPSILON / 2.0,
        1.0 + f32::EPSILON,
        1.0 - f32::EPSILON / 2.0,
        16_777_215.0,
        16_777_216.0,
        1e-20,
        1e20,
    ];
    let edges = edges.map(|edge| [edge, -edge]).concat();
    let thirds = |a: f32, b: f32| edges.iter().map(move |c| [a, b, *c]);
    let seconds = |a: f32| edges.iter().flat_map(move |b| thirds(a, *b));
    assert_fma(
        level,
        &edges.iter().flat_map(|a| seconds(*a)).collect::<Vec<_>>(),
    );
    sample(level, 0, 1 << 14);
}

/// `fma_f32` of 2^26 numbers at random, a quarter of them as they come, and of others sums that
/// cancel, that lie near a tie, or that are of similar size.
pub(crate) fn fma_at_random(level: Level) {
    parallel::for_each(
        1 << 10,
        || (),
        |(), seed| sample(level, seed as u64, 1 << 14),
    );
}

fn sample(level: Level, seed: u64, count: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let terms = (0..count).flat_map(|_| {
        let [a, b, c] = [(); 3].map(|()| f32::from_bits(random.u32(..)));
        let mut near =
            |x: f32| f32::from_bits((x.to_bits() & 0xFF80_0000) | random.u32(..) & 0x7F_FFFF);
        let product = a * b;
        [
            [a, b, c],
            [a, b, -product],
            [a, b, product * (f32::EPSILON / 2.0)],
            [a, b, near(-product)],
        ]
    });
    assert_fma(level, &terms.collect::<Vec<_>>());
}
