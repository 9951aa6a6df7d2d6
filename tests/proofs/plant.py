#!/usr/bin/env python3
"""Plants mistakes in the primitives of levels and shows that the proofs find each of them.

`python tests/proofs/plant.py` works on a copy of the sources in target/planted. A round has
mistakes in several primitives, for all of them are proved apart and a test says which are not as
`scalar`: what one mistake breaks, no other mistake of its round breaks too.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "target/planted/sources"
LEVELS = pathlib.Path("nnue-runtime/src/simd")

ROOT_BY_TABLES = "_mm_rcp_ss(_mm_rsqrt_ss(_mm_set_ss(x)))"
FUSED = "_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c))"
ROUNDED_TWICE = "_mm_add_ss(_mm_mul_ss(_mm_set_ss(a), _mm_set_ss(b)), _mm_set_ss(c))"

# Round, file, function or constant, what is replaced there, by what, and the proof that fails: it
# is called after the first primitive of its entry in the table.
PLANTED = [
    (1, "avx2", "load_i16_from_i8", "cvtepi8", "cvtepu8", "load_i16_from_i8"),
    (1, "avx2", "add_i16", "_add_", "_adds_", "add_i16"),
    (1, "avx2", "min_i16", "min_epi16", "min_epu16", "min_i16"),
    (1, "avx2", "max_i16", "max_epi16", "max_epi8", "max_i16"),
    (1, "avx2", "shift_right_i16", "srai", "srli", "shift_right_i16"),
    (1, "avx2", "mul_high_i16", "mulhi_epi16", "mulhi_epu16", "mul_high_i16"),
    (1, "avx2", "PACKED", "0, 2, 1, 3", "0, 1, 2, 3", "pack_u8"),
    (1, "avx2", "mul_i32", "mullo_epi32", "mul_epi32", "mul_i32"),
    (1, "avx2", "madd_i16", "(a, b)", "(b, b)", "madd_i16"),
    (1, "avx2", "dot", "(inputs, weights)", "(weights, inputs)", "dot"),
    (1, "avx2", "dot_two", "(inputs[1], weights[1])", "(inputs[1], weights[0])", "dot_two"),
    (1, "avx2", "dot_wide", "(0x7F)", "(-1)", "dot_wide"),
    (1, "avx2", "append_nonzero", "cmpeq_epi32", "cmpeq_epi8", "append_nonzero"),
    (1, "avx2", "bit_planes", "plane_of_bit!(3)", "plane_of_bit!(2)", "bit_planes"),
    (1, "avx2", "sums_of_bits", "0x0303_", "0x0203_", "sums_of_bits"),
    (1, "avx2", "append_rows", "<28>", "<27>", "append_rows"),
    (1, "avx2", "lowest_u64x8", "(zero, lanes[1])", "(zero, lanes[0])", "lowest_u64x8"),
    (1, "avx2", "and_not_u64x8", "(b[1], a[1])", "(a[1], b[1])", "and_not_u64x8"),
    (1, "avx2", "any_u64x8", "lanes[1]", "lanes[0]", "any_u64x8"),
    (1, "avx2", "rotate_left", "(64)", "(63)", "rotate_left_u64x8"),
    (1, "avx2", "sqrt_f32", "_mm_sqrt_ss(_mm_set_ss(x))", ROOT_BY_TABLES, "sqrt_f32"),
    (1, "avx512", "PACKED", "3, 7]", "7, 3]", "pack_u8"),
    (1, "avx512", "shift_left_i16", "(N)", "(N & 7)", "shift_left_i16"),
    (1, "avx512", "add_halves", "epi64::<1>", "epi64::<0>", "sum_i32"),
    (1, "avx512", "append_nonzero", "14, 15)", "14, 14)", "append_nonzero"),
    (1, "avx512", "bit_planes", "(-128)", "(127)", "bit_planes"),
    (1, "avx512", "write_squares", "0x3F3F", "0x3F1F", "write_squares"),
    (1, "avx512", "append_rows", "epi32(16)", "epi32(8)", "append_rows"),
    (1, "avx512icl", "madd_i16", "dpwssd_", "dpwssds_", "madd_i16"),
    (1, "avx512icl", "dot", "dpbusd_", "dpbusds_", "dot"),
    (1, "avx512icl", "LANES", "lane % 8 / 4", "lane % 4 / 2", "append_nonzero"),
    (1, "avxvnni", "madd_i16", "dpwssd_", "dpwssds_", "madd_i16"),
    (1, "avxvnni", "dot", "(sum, inputs", "(inputs, sum", "dot"),
    (2, "avx2", "mul_rounded_i16", "rs_epi16(a,", "i_epi16(add_i16(a, a),", "mul_rounded_i16"),
    (2, "avx2", "product_to_127", "(b[0], b[1])", "(b[1], b[0])", "product_to_127"),
    (2, "avx2", "product_to_255", "mulhi_epu16", "mulhi_epi16", "product_to_255"),
    (2, "avx2", "splat_block", "from_le_bytes", "from_be_bytes", "dot"),
    (2, "avx2", "sum_i32", "0b_10_11_00_01", "0b_10_11_00_00", "sum_i32"),
    (2, "avx2", "fma_f32", FUSED, ROUNDED_TWICE, "fma_f32"),
    (2, "avx2", "append_rows", "<28>(places)", "<28>(numbers)", "append_rows"),
    (2, "avx512", "product_to_127", "0xCA", "0xAC", "product_to_127"),
    (2, "avx512", "product_to_255", "SHIFT - 8", "SHIFT - 7", "product_to_255"),
    (2, "avx512", "dot_two", "add_i16(", "_mm512_adds_epi8(", "dot_two"),
    (2, "avx512", "dot_wide", "0x7F", "0x3F", "dot_wide"),
    (2, "avx512icl", "append_nonzero", "(first, second)", "(second, second)", "append_nonzero"),
]


def copy_sources() -> None:
    """Copies what is compiled. Files that are as old as before need not be compiled again."""
    listed = subprocess.run(
        ["git", "ls-files", "*.rs", "*.toml", "*.md", "*.lock", "*.nnue"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in listed.stdout.splitlines():
        place = COPY / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place)


def plant(file: str, item: str, old: str, new: str) -> None:
    """Replaces something in a function or constant of a level."""
    path = COPY / LEVELS / f"{file}.rs"
    lines = path.read_text().splitlines(keepends=True)
    is_item = re.compile(rf"(pub |pub\(super\) |)(fn {item}[(<]|const {item}:)")
    first = next(index for index, line in enumerate(lines) if is_item.match(line))
    last = first
    while not lines[last].startswith("}") and not (last == first and lines[last].endswith(";\n")):
        last += 1
    body = "".join(lines[first : last + 1])
    if old not in body:
        sys.exit(f"`{old}` is not in `{item}` of {path}")
    path.write_text("".join(lines[:first]) + body.replace(old, new) + "".join(lines[last + 1 :]))


def failing() -> set[str]:
    """Runs the proofs that take seconds; the levels and primitives that are not as `scalar`."""
    test = subprocess.run(
        ["cargo", "test", "-p", "nnue-proofs", "--test", "proofs", "--", "levels_are_as_scalar"],
        cwd=COPY,
        env={**os.environ, "CARGO_TARGET_DIR": str(COPY.parent / "target")},
        capture_output=True,
        text=True,
    )
    if "test result:" not in test.stdout:
        sys.exit(test.stderr)
    said = re.search("not as scalar: (.*)", test.stdout)
    return set(said[1].split(", ")) if said else set()


def main() -> None:
    """Goes through all rounds; the exit code is 1 if a mistake is missed."""
    missed = 0
    for number in sorted({planted[0] for planted in PLANTED}):
        copy_sources()
        own = [planted[1:] for planted in PLANTED if planted[0] == number]
        for file, item, old, new, _ in own:
            plant(file, item, old, new)
        found = failing()
        for file, item, old, new, proof in own:
            is_found = f"{file} {proof}" in found
            missed += not is_found
            said = "found " if is_found else "MISSED"
            print(f"{said}  {file} {item}: `{old}` became `{new}`", flush=True)
    print(f"{len(PLANTED) - missed} of {len(PLANTED)} found")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
