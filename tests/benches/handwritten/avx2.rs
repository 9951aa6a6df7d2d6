//! The opponent in intrinsics of AVX2.

use std::arch::x86_64::*;

crate::loops::loops!(Avx2, "avx2", "avx2");

const LANES: usize = 16;
type Vector = __m256i;

#[inline]
#[target_feature(enable = "avx2")]
fn load(from: &[i16], index: usize) -> Vector {
    let lanes: &[i16; LANES] = &from.as_chunks().0[index];
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(to: &mut [i16], index: usize, vector: Vector) {
    let lanes: &mut [i16; LANES] = &mut to.as_chunks_mut().0[index];
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_i16(a: Vector, b: Vector) -> Vector {
    _mm256_add_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn sub_i16(a: Vector, b: Vector) -> Vector {
    _mm256_sub_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_i32(a: Vector, b: Vector) -> Vector {
    _mm256_add_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn mul_low(a: Vector, b: Vector) -> Vector {
    _mm256_mullo_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn mul_high(a: Vector, b: Vector) -> Vector {
    _mm256_mulhi_epi16(a, b)
}

/// -1 for each negative number, else 0.
#[inline]
#[target_feature(enable = "avx2")]
fn signs(vector: Vector) -> Vector {
    _mm256_srai_epi16::<15>(vector)
}

#[inline]
#[target_feature(enable = "avx2")]
fn madd(a: Vector, b: Vector) -> Vector {
    _mm256_madd_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn clipped(vector: Vector, one: i16) -> Vector {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(one));
    _mm256_min_epi16(_mm256_max_epi16(vector, zero), one)
}

#[inline]
#[target_feature(enable = "avx2")]
fn zero() -> Vector {
    _mm256_setzero_si256()
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum(vector: Vector) -> i32 {
    let (low, high) = (
        _mm256_castsi256_si128(vector),
        _mm256_extracti128_si256::<1>(vector),
    );
    let fours = _mm_add_epi32(low, high);
    let twos = _mm_add_epi32(fours, _mm_unpackhi_epi64(fours, fours));
    _mm_cvtsi128_si32(_mm_add_epi32(twos, _mm_shuffle_epi32::<1>(twos)))
}
