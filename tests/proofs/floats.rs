//! Primitives of `f32`. Any NaN is as good as another.
//!
//! A root has one input of 32 bits: all are tried. A product that is added has three inputs, too
//! many to try. What levels do is one instruction, `fusedMultiplyAdd` of IEEE 754 by its
//! manufacturer's manual, and what `scalar` does is argued in its documentation: the product of two
//! `f32` is exact in `f64`, and a sum that is rounded to odd with 53 bits loses nothing that
//! rounding to 24 bits needs. Both are compared where this could be wrong, which is a sample.

use nnue_runtime::Level;

use crate::levels::{expected, found};
use crate::parallel;

fn is_same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn assert_roots(level: Level, of: &[f32]) {
    let [mut found, mut expected] = [(); 2].map(|()| vec![0.0; of.len()]);
    found::sqrt(level, of, &mut found);
    expected::sqrt(level, of, &mut expected);
    for (of, (found, expected)) in of.iter().zip(found.into_iter().zip(expected)) {
        assert!(
            is_same(found, expected),
            "sqrt_f32 of {of:e} of {level}: found {found:e}, expected {expected:e}"
        );
    }
}

/// `sqrt_f32` of every 2039th number.
pub(crate) fn some_roots(level: Level) {
    let of: Vec<f32> = (0..=u32::MAX).step_by(2039).map(f32::from_bits).collect();
    assert_roots(level, &of);
}

/// `sqrt_f32` of all numbers, in two steps, for what `scalar` does takes long: the level's is the
/// root in `f64` rounded to `f32`, which is the exact root rounded once, because 53 bits are more
/// than twice 24 and one; and so is that of `scalar`, which takes exponents apart. So it has all
/// numbers of two exponents that follow each other, all that are subnormal, and 2^14 of each other
/// exponent.
pub(crate) fn all_roots(level: Level) {
    const BITS: usize = 12;
    const COUNT: usize = 1 << BITS;
    let buffers = || [(); 2].map(|()| vec![0.0; COUNT]);
    parallel::for_each(1 << (32 - BITS), buffers, |[of, found], index| {
        for (number, of) in of.iter_mut().enumerate() {
            *of = f32::from_bits((index * COUNT + number) as u32);
        }
        found::sqrt(level, of, found);
        for (of, found) in of.iter().zip(found) {
            let root = f64::from(*of).sqrt() as f32;
            assert!(
                is_same(*found, root),
                "sqrt_f32 of {of:e} of {level}: found {found:e}, expected {root:e}"
            );
        }
    });
    let exponents = |exponents: std::ops::Range<u32>| exponents.start << 23..exponents.end << 23;
    let whole = [exponents(0..1), exponents(127..129)].into_iter().flatten();
    let others = exponents(0..256)
        .step_by(511)
        .chain(exponents(256..512).step_by(1 << 22));
    let of: Vec<f32> = whole.chain(others).map(f32::from_bits).collect();
    let parts: Vec<&[f32]> = of.chunks(COUNT).collect();
    parallel::for_each(
        parts.len(),
        || (),
        |(), part| assert_roots(level, parts[part]),
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
