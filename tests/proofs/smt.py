"""A second opinion on the primitives: z3 proves what the comments of levels claim about arithmetic.

`pip install z3-solver`, then `python tests/proofs/smt.py`. What is here is written from the
comments and the manuals, not from the tests beside it. Lanes are bit vectors; what an instruction
does to one of them is a function of this file.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import z3

# z3 has no types that would help: operators of its lanes are made while it runs.
Word = Any
failed: list[str] = []


def says(name: str, claim: Any, expected: Any) -> None:
    """Whether the opposite of a claim can be: `unsat` is a proof, `sat` a counterexample."""
    solver = z3.Solver()
    solver.add(z3.Not(claim))
    started = time.monotonic()
    found = solver.check()
    seconds = time.monotonic() - started
    is_right = found == expected
    if not is_right:
        failed.append(name)
    what = {"unsat": "proved", "sat": "counterexample"}.get(str(found), str(found))
    model = f", {solver.model()}" if found == z3.sat else ""
    print(f"{'' if is_right else 'WRONG: '}{what:14} {seconds:6.2f} s  {name}{model}", flush=True)


def proved(name: str, claim: Any) -> None:
    """A claim that always holds."""
    says(name, claim, z3.unsat)


def refuted(name: str, claim: Any) -> None:
    """A claim that does not hold, just outside of one that does."""
    says(name, claim, z3.sat)


def signed(lane: Word, bits: int) -> Word:
    """A lane with a sign, in more bits."""
    return z3.SignExt(bits - lane.size(), lane)


def unsigned(lane: Word, bits: int) -> Word:
    """A lane without a sign, in more bits."""
    return z3.ZeroExt(bits - lane.size(), lane)


def clamp(lane: Word, low: int, high: int) -> Word:
    """A lane with a sign between two limits."""
    return z3.If(lane < low, z3.BitVecVal(low, lane.size()), z3.If(lane > high, high, lane))


def saturated(lane: Word, low: int, high: int, bits: int) -> Word:
    """What instructions that narrow or add with saturation leave of a number."""
    return z3.Extract(bits - 1, 0, clamp(lane, low, high))


def maddubs(a: Word, b: Word) -> Word:
    """`vpmaddubsw`: two bytes without a sign by two with one, the sum saturated to 16 bits."""
    products = [
        unsigned(z3.Extract(high, high - 7, a), 32) * signed(z3.Extract(high, high - 7, b), 32)
        for high in (7, 15)
    ]
    return saturated(products[0] + products[1], -(1 << 15), (1 << 15) - 1, 16)


def mul_low(a: Word, b: Word) -> Word:
    """`vpmullw`."""
    return a * b


def mul_high_unsigned(a: Word, b: Word) -> Word:
    """`vpmulhuw`."""
    return z3.Extract(31, 16, unsigned(a, 32) * unsigned(b, 32))


def products_of_bytes() -> None:
    """`product_to_127` and `product_to_255`, of the bytes that packing has left."""
    bytes_of_a, bytes_of_b = z3.BitVecs("a0 a1", 8), z3.BitVecs("b0 b1", 8)
    a, b = (z3.Concat(high, low) for low, high in (bytes_of_a, bytes_of_b))
    even = z3.BitVecVal(0x00FF, 16)

    def expected(shift: int) -> Word:
        low, high = (
            z3.Extract(7, 0, z3.LShR(unsigned(a, 32) * unsigned(b, 32), shift))
            for a, b in zip(bytes_of_a, bytes_of_b)
        )
        return z3.Concat(high, low)

    small = z3.And([byte <= 127 for byte in map(unsigned_16, bytes_of_a + bytes_of_b)])
    for shift in range(6, 9):
        low = z3.LShR(maddubs(a & even, b), shift)
        high = maddubs(a & ~even, b) << (8 - shift)
        is_same = low | (high & ~even)
        proved(f"product_to_127::<{shift}> of avx2", z3.Implies(small, is_same == expected(shift)))
    for shift in range(8, 16):
        low = z3.LShR(mul_low(a & even, b & even), shift)
        high = mul_high_unsigned(a & ~even, z3.LShR(b & ~even, shift - 8))
        is_same = low | (high & ~even)
        proved(f"product_to_255::<{shift}> of avx2", is_same == expected(shift))


def unsigned_16(byte: Word) -> Word:
    """A byte in 16 bits, where comparisons, which have a sign, are those of bytes without one."""
    return unsigned(byte, 16)


def packing() -> None:
    """The limits that packing leaves."""
    word = z3.BitVec("word", 16)
    packed = saturated(word, -128, 127, 8)
    proved(
        "packing with a sign, and no less than zero, is a clamp to 0..=127",
        unsigned(z3.If(packed < 0, z3.BitVecVal(0, 8), packed), 16) == clamp(word, 0, 127),
    )
    # `smull` and `sqshrun` of bytes that packing has left. The first is no less than zero, and the
    # second may be: then zero is what is left.
    first, second = z3.BitVecs("first second", 8)
    product = signed(first, 16) * signed(second, 16)
    is_below = z3.And(first >= 0, second < 0)
    proved("product_to_127 of neon, a factor below zero", z3.Implies(is_below, product <= 0))
    is_product = z3.And(product >= 0, product <= 127 * 127)
    for shift in range(6, 9):
        claim = z3.Implies(is_product, clamp(product >> shift, 0, 255) == product >> shift)
        proved(f"product_to_127::<{shift}> of neon, both factors at least zero", claim)


def sums_of_products() -> None:
    """`dot` and `dot_wide`, two products at a time."""
    inputs, weights = z3.BitVecs("x y", 8), z3.BitVecs("u v", 8)
    a, b = (z3.Concat(high, low) for low, high in (inputs, weights))
    zero = z3.BitVecVal(0, 32)
    exact = sum((unsigned(x, 32) * signed(w, 32) for x, w in zip(inputs, weights)), zero)
    found = signed(maddubs(a, b), 32)

    def up_to(limit: int) -> Any:
        return z3.And([unsigned_16(x) <= limit for x in inputs])

    # 128 is the largest that two weights of -128 do not bring beyond 16 bits.
    proved("dot of avx2, inputs up to 127", z3.Implies(up_to(127), found == exact))
    proved("vpmaddubsw, inputs up to 128", z3.Implies(up_to(128), found == exact))
    refuted("vpmaddubsw, inputs up to 129", z3.Implies(up_to(129), found == exact))
    refuted("vpmaddubsw, inputs up to 255", found == exact)

    # Of inputs without the highest bit that is `dot`, and this is the rest.
    high = signed(maddubs(a & 0x8080, b), 32)
    exact_high = sum(
        (unsigned(x & 0x80, 32) * signed(w, 32) for x, w in zip(inputs, weights)), zero
    )
    proved("dot_wide of avx2, the highest bits of all inputs", high == exact_high)

    x, w = inputs[0], weights[0]
    product = unsigned(x, 32) * signed(w, 32)
    halves = unsigned(x & 0x7F, 32) * signed(w, 32) + unsigned(x & 0x80, 32) * signed(w, 32)
    proved("dot_wide of avx2, both parts of an input", halves == product)
    is_small = unsigned_16(x) <= 127
    same = z3.Implies(is_small, signed(x, 16) == unsigned(x, 16))
    proved("dot of neondot: inputs up to 127 are the same with a sign", same)
    refuted(
        "dot of neondot, inputs up to 128",
        z3.Implies(up_to(128), signed(x, 32) * signed(w, 32) == product),
    )
    three = signed(x ^ 0x80, 32) * signed(w, 32) + 64 * signed(w, 32) + 64 * signed(w, 32)
    proved("dot_wide of neondot, all inputs", three == product)
    proved(
        "dot_wide of neon: products have 16 bits",
        signed(unsigned(x, 16) * signed(w, 16), 32) == product,
    )
    both = z3.Concat(weights[1], weights[0])
    proved("dot_wide of relaxed: weights of even bytes", (both << 8) >> 8 == signed(weights[0], 16))
    proved("dot_wide of relaxed: weights of odd bytes", both >> 8 == signed(weights[1], 16))


def products_of_words() -> None:
    """`mul_high_i16` and `mul_rounded_i16`, by instructions that double and saturate.

    A product of two words is at least -(2^30 - 2^15) and at most 2^30 - 2^15, but for that of both
    of the least, which is 2^30. More about it is not needed.
    """
    product = z3.BitVec("product", 64)
    most_but_one = (1 << 30) - (1 << 15)
    least, most = -(1 << 15), (1 << 15) - 1
    is_agreed = z3.And(product >= -most_but_one, product <= most_but_one)
    is_product = z3.Or(is_agreed, product == 1 << 30)
    high = z3.Extract(31, 16, product)

    without_shift = saturated((2 * product) >> 16, least, most, 16) >> 1
    proved("mul_high_i16::<0> of neon", z3.Implies(is_agreed, without_shift == high))
    refuted(
        "mul_high_i16::<0> of neon, both the least", z3.Implies(is_product, without_shift == high)
    )
    # Of the half of the shifted factor, whose product is half as large.
    half = z3.BitVec("half", 64)
    is_half = z3.And(is_product, 2 * half == product)
    shifted = saturated((2 * half) >> 16, least, most, 16)
    proved("mul_high_i16 of neon, with a shift", z3.Implies(is_half, shifted == high))

    rounded = z3.Extract(15, 0, (product + (1 << 14)) >> 15)
    found = saturated((2 * product + (1 << 15)) >> 16, least, most, 16)
    proved("mul_rounded_i16 of neon", z3.Implies(is_agreed, found == rounded))
    refuted("mul_rounded_i16 of neon, both the least", z3.Implies(is_product, found == rounded))


def quantmoid4() -> None:
    """`quantmoid4_i16`, of words, against the formula of the activation."""
    x = z3.BitVec("x", 16)
    negative = x >> 15
    clamped = clamp(x, -127, 127)
    distance = z3.If(clamped > -clamped, clamped, -clamped)
    root = 127 - distance
    below = (root * root) >> 8
    above = 126 - below
    found = above + negative * (above - below)
    wide = signed(x, 32)
    magnitude = z3.If(wide < 0, -wide, wide)
    wide_root = 127 - z3.If(magnitude > 127, z3.BitVecVal(127, 32), magnitude)
    square = (wide_root * wide_root) >> 8
    expected = z3.If(wide < 0, square, 126 - square)
    proved("quantmoid4_i16", signed(found, 32) == expected)


def bits() -> None:
    """What `scalar` does with eight bytes in a word of 64 bits."""
    eight = z3.BitVec("eight", 64)
    low_bits = eight & 0x0101_0101_0101_0101
    gathered = z3.LShR(low_bits * 0x0102_0408_1020_4080, 56)
    bit = [unsigned(z3.Extract(8 * byte, 8 * byte, eight), 64) << byte for byte in range(8)]
    expected = bit[0]
    for one in bit[1:]:
        expected = expected | one
    proved("bit_planes of scalar gathers the low bits of eight bytes", gathered == expected)

    byte = z3.BitVec("byte", 8)
    spread = unsigned(byte, 64) * 0x0101_0101_0101_0101 & z3.BitVecVal(0x8040_2010_0804_0201, 64)
    reached = z3.LShR(spread + 0x7F7F_7F7F_7F7F_7F7F, 7)
    ones = reached & 0x0101_0101_0101_0101
    each = [
        z3.Extract(8 * at + 7, 8 * at, ones) == unsigned(z3.Extract(at, at, byte), 8)
        for at in range(8)
    ]
    proved("sums_of_bits of scalar spreads the bits of a byte", z3.And(each))

    lane, by = z3.BitVecs("lane by", 64)
    rotated = (lane << by) | z3.LShR(lane, 64 - by)
    limit = z3.ULT(by, 64)
    proved(
        "rotate_left_u64x8 of avx2, up to 63 bits",
        z3.Implies(limit, rotated == z3.RotateLeft(lane, by)),
    )
    refuted("rotate_left_u64x8 of avx2, any number of bits", rotated == z3.RotateLeft(lane, by))


CLAIMS: list[Callable[[], None]] = [
    packing,
    products_of_bytes,
    sums_of_products,
    products_of_words,
    quantmoid4,
    bits,
]
for claims in CLAIMS:
    claims()
if failed:
    sys.exit(f"not as claimed: {', '.join(failed)}")
