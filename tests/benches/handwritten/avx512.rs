//! The opponent in intrinsics of AVX-512.

use std::arch::x86_64::*;

crate::loops::loops!(Avx512, "avx512f,avx512bw", "avx512f", "avx512bw");

const LANES: usize = 32;
type Vector = __m512i;

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(from: &[i16], index: usize) -> Vector {
    let lanes: &[i16; LANES] = &from.as_chunks().0[index];
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(to: &mut [i16], index: usize, vector: Vector) {
    let lanes: &mut [i16; LANES] = &mut to.as_chunks_mut().0[index];
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_i16(a: Vector, b: Vector) -> Vector {
    _mm512_add_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sub_i16(a: Vector, b: Vector) -> Vector {
    _mm512_sub_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_i32(a: Vector, b: Vector) -> Vector {
    _mm512_add_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn mul_low(a: Vector, b: Vector) -> Vector {
    _mm512_mullo_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn mul_high(a: Vector, b: Vector) -> Vector {
    _mm512_mulhi_epi16(a, b)
}

/// -1 for each negative number, else 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn signs(vector: Vector) -> Vector {
    _mm512_srai_epi16::<15>(vector)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn madd(a: Vector, b: Vector) -> Vector {
    _mm512_madd_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn clipped(vector: Vector, one: i16) -> Vector {
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(one));
    _mm512_min_epi16(_mm512_max_epi16(vector, zero), one)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn zero() -> Vector {
    _mm512_setzero_si512()
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sum(vector: Vector) -> i32 {
    _mm512_reduce_add_epi32(vector)
}
