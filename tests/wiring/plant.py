#!/usr/bin/env python3
"""Plants mistakes, one at a time, in what writes generated code and in the kernels of the runtime,
and shows that `Net::self_check()` finds each of them.

    tests/wiring/plant.py SCRATCH [NUMBER...]

The folder SCRATCH gets a copy of the crates, which are compiled once, with all mistakes in them:
each is there beside what is right, and a variable of the environment chooses one. Then the code of
small networks is written for each mistake, and networks whose code has changed are compiled and run
until one of them finds the mistake.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]

EMIT = "nnue-macros/compiler/src/emit/"
LAYOUT = "nnue-macros/compiler/src/layout/"
KERNELS = "nnue-runtime/src/kernels.rs"

# The networks, the quickest first.
SPECS = """
tests/specs/layers/rational_output.toml tests/specs/layers/one_buckets.toml
tests/specs/layers/dual.toml tests/specs/layers/longs.toml tests/specs/layers/float_rows.toml
tests/specs/layers/signed_inputs.toml tests/specs/layers/scales.toml
tests/specs/layers/further_heads.toml tests/specs/layers/shifted_squares.toml
tests/specs/layers/screlu.toml tests/specs/layers/unpooled_parts.toml specs/bullet/simple.toml
tests/specs/layers/products_without_sign.toml tests/specs/layers/squared_products.toml
tests/specs/perspectives/interleaved_sums.toml tests/specs/perspectives/squares_of_one.toml
tests/specs/perspectives/psqt_of_one.toml specs/vocabulary/max.toml specs/vocabulary/average.toml
specs/vocabulary/output_blocks.toml specs/vocabulary/sparse_inputs.toml
specs/vocabulary/residual.toml tests/specs/layers/rounded_products.toml
tests/specs/layers/gates.toml tests/specs/layers/binary_parts.toml
tests/specs/layers/psqt_of_layers.toml tests/specs/layers/uneven_rounds.toml
tests/specs/layers/wide_relu.toml tests/specs/tails/hobbes.toml tests/specs/layers/words.toml
tests/specs/layers/heads.toml tests/specs/features/bytes.toml tests/specs/features/shifted.toml
tests/specs/features/queens_and_threats.toml specs/small128.toml specs/vocabulary/width_1568.toml
""".split()

# For each mistake: its kind (an expression of Rust, or tokens within `quote!`), the file, the text
# with what is wrong between brackets, what takes its place, and the networks that are tried if it
# is not simply those whose code has changed.
EXPRESSION, TOKENS = "expression", "tokens"
MISTAKES = [
    ("all outputs take the weights of the first", TOKENS, EMIT + "affine.rs",
     "simd::#dot_row(inputs, &stack.#weights[«#output»])", "0"),
    ("all outputs take the bias of the first", TOKENS, EMIT + "affine.rs",
     "stack.#biases[«#output»].wrapping_add(#sum)", "0"),
    ("columns of weights in reverse", TOKENS, EMIT + "affine.rs",
     "let weights = &stack.#weights[«index»];", "#slots - 1 - index"),
    ("neighbouring inputs of 32 bits swapped", TOKENS, EMIT + "affine.rs",
     "simd::splat_i32(inputs[«index»])", "(index ^ 1).min(#slots - 1)"),
    ("all vectors of outputs start at the first biases", TOKENS, EMIT + "affine.rs",
     "simd::load_i32(chunk(&stack.#biases, «#vector»))", "0"),
    ("neighbouring blocks of inputs swapped", TOKENS, EMIT + "affine.rs",
     "&quote! { &#input[«#index»] },", "(#index) ^ 1"),
    ("all blocks take the weights of the first", TOKENS, EMIT + "affine.rs",
     "&quote! { &stack.#weights[«#index»] },", "0"),
    ("all vectors of outputs take the weights of the first", TOKENS, EMIT + "affine.rs",
     "simd::load_i8(chunk(weights, «#vectors»))", "#vectors * 0"),
    ("vectors of outputs in reverse", EXPRESSION, EMIT + "affine.rs",
     "(count(vector), sums.total(«vector»))", "sums.vectors - 1 - vector"),
    ("only the first of several sets of sums counts", EXPRESSION, EMIT + "affine.rs",
     "let names = (0..«self.sets»).map(|set| self.name(set, vector));", "1"),
    ("blocks behind the groups are all the first", TOKENS, EMIT + "affine.rs",
     "rest.block(«#index»).of(&stack.#weights)", "0"),
    ("blocks of a group take the weights of its first", TOKENS, EMIT + "affine.rs",
     "blocks[«#index»].of(&stack.#weights)", "0"),
    ("the first block behind a loop is left out", EXPRESSION, EMIT + "affine.rs",
     "(«first»..sums.blocks).map", "first + 1"),
    ("a loop over blocks begins with the second round", TOKENS, EMIT + "affine.rs",
     "for round in «0»..#rounds { #(#sets)* }", "1"),
    ("divisions round the other way", TOKENS, EMIT + "affine.rs",
     "quote! { «divide_truncating» }", "divide_rounding_down"),
    ("all outputs take the scale of the first", TOKENS, EMIT + "affine.rs",
     "stack.#scales[«output»]", "0 * output"),
    ("no biases for functions of the runtime", EXPRESSION, EMIT + "affine.rs",
     "true => «quote! { &stack.#biases }»,\n            false => {",
     "{ let outputs = count(affine.outputs); quote! { &[0; #outputs] } }", "words unpooled_parts rational_output"),
    ("the last value of each part is not copied", EXPRESSION, EMIT + "affine.rs",
     "[part.slot, part.start, «part.start + part.lanes»].map(count);\n        let place", "part.start + part.lanes - 1"),
    ("parts of the input begin one value late", EXPRESSION, EMIT + "affine.rs",
     "[part.slot, «part.start», @", "part.start + 1"),
    ("the mean magnitude counts an input too many", EXPRESSION, EMIT + "affine.rs",
     "«self.affine.layer.input_len() as i64»", "self.affine.layer.input_len() as i64 + 1"),
    ("scaled sums are shifted too far", EXPRESSION, EMIT + "affine.rs",
     "Literal::u32_unsuffixed(«scales.shift»)", "scales.shift + 1"),
    ("the exact kernel is taken for the fast one", TOKENS, EMIT + "affine.rs",
     "if «proved.layer(#layer)» { #fast }", "!proved.layer(#layer)"),
    ("the second perspective takes the weights of the first", EXPRESSION, EMIT + "affine/fused.rs",
     "index(«half * self.fused.vectors»)", "0"),
    ("fused outputs take the weights of the first", TOKENS, EMIT + "affine/fused.rs",
     "chunk(&stack.#weights[«#output»], #weights_at)", "0"),
    ("the top bit of an input counts for half", TOKENS, EMIT + "affine/fused.rs",
     "#tops << «16»", "15"),
    ("the last round of fused vectors is left out", EXPRESSION, EMIT + "affine/fused.rs",
     "count(«self.fused.vectors / side_by_side»)", "self.fused.vectors / side_by_side - 1"),
    ("fused outputs take the bias of the first", TOKENS, EMIT + "affine/fused.rs",
     "stack.#biases[«#output»].wrapping_add(#sum)", "0"),
    ("only the first set of fused sums counts", EXPRESSION, EMIT + "affine/fused.rs",
     "let sets = (0..«self.sets()»).map(|set| self.names(set, output));", "1"),
    ("a neuron is pooled with itself", TOKENS, EMIT + "transform.rs",
     "let second = chunk::<i16, #half>(&half.values, «1»);", "0"),
    ("words of both perspectives in the same place", EXPRESSION, EMIT + "transform.rs",
     "linear(1, &index, «half * vectors»)", "0"),
    ("negative words are not clipped", TOKENS, EMIT + "transform.rs",
     "simd::min_i16(«simd::max_i16(x, simd::splat_i16(0))», simd::splat_i16(#limit))", "x"),
    ("averages are rounded down", TOKENS, EMIT + "transform.rs",
     "simd::add_i16(simd::add_i16(a, b), simd::splat_i16(«1»))", "0"),
    ("the smaller value of a pair", TOKENS, EMIT + "transform.rs",
     "Pooling::Max => quote! { simd::«max_i16»(a, b) }", "min_i16"),
    ("vectors of a perspective in reverse", EXPRESSION, EMIT + "transform.rs",
     "(0..bytes.vectors).map(move |index| (half, count(«index»)))", "bytes.vectors - 1 - index"),
    ("blocks that are not zero are listed one further", EXPRESSION, EMIT + "transform.rs",
     "let first_block = count(«group * bytes.group * bytes.blocks»);", "group * bytes.group * bytes.blocks + 1"),
    ("blocks of the second perspective are listed as the first's", EXPRESSION, EMIT + "transform.rs",
     "let blocks_before = «perspective * bytes.vectors * bytes.blocks»;", "0"),
    ("both halves of a vector are the first", TOKENS, EMIT + "transform.rs",
     "activated(chunk(&half.values, «2 * index + 1»))", "2 * index"),
    ("the limit of a neuron is one less", EXPRESSION, EMIT + "transform.rs",
     "Some(Literal::i16_unsuffixed(«limit as i16»))", "limit as i16 - 1"),
    ("words are not shifted", TOKENS, EMIT + "transform.rs",
     "let x = «simd::shift_right_i16::<#shift>(x)»;", "x"),
    ("unpooled sums of both perspectives in the same place", EXPRESSION, EMIT + "propagate.rs",
     "let start = count(«index * columns.unpooled»);", "0"),
    ("unpooled sums are the first neurons", EXPRESSION, EMIT + "propagate.rs",
     "let first = count(«columns.width - columns.unpooled»);", "0"),
    ("PSQT sums that are read are rounded down", TOKENS, EMIT + "propagate.rs",
     "wrapping_sub(second.psqt[index]) «/ 2»", ">> 1"),
    ("terms are the first values of their layers", EXPRESSION, EMIT + "output.rs",
     "let index = count(«term.index»);\n        let value = if is_float", "0"),
    ("a term that is subtracted is added", TOKENS, EMIT + "output.rs",
     "(_, true) => quote! { «-» #value }", "+"),
    ("the first bucket's PSQT sum", TOKENS, EMIT + "output.rs",
     "_ => quote! {\n            buffer::row(&first.psqt, «bucket as u32»)", "0"),
    ("the value is rounded down", TOKENS, EMIT + "output.rs",
     "(1, _, Rounding::Truncate) => quote! { «#value / #d» }", "#value.div_euclid(#d)"),
    ("the last tile of an accumulator is left out", TOKENS, EMIT + "accumulate.rs",
     "for index in 1..«#tiles» {", "#tiles - 1"),
    ("all PSQT sums take the row's first value", TOKENS, EMIT + "accumulate/psqt.rs",
     "#name.#single(row[«#bucket»])", "0 * #bucket"),
    ("PSQT values of a table are those of the first", EXPRESSION, EMIT + "accumulate/table.rs",
     "psqt_offset: («table.first_row > 0»).then(|| {", "false"),
    ("moves add white's row to both perspectives", TOKENS, EMIT + "accumulate.rs",
     "[&added[«perspective»]],", "0"),
    ("moves remove white's row from both perspectives", TOKENS, EMIT + "accumulate.rs",
     "[#(&#removed[«perspective»]),*],", "0"),
    ("vectors of a row in reverse", EXPRESSION, EMIT + "accumulate/part.rs",
     "let index = count(«index»);\n                    let vector", "self.registers.len() - 1 - index"),
    ("rows are not shifted", TOKENS, EMIT + "accumulate/table.rs",
     "simd::shift_left_i16::<«#shift»>(simd::#load(#values))", "0"),
    ("the offset of paired rows is one less", TOKENS, EMIT + "accumulate/part.rs",
     "wrapping_mul(«128»)", "127"),
    ("rows that are removed are added", TOKENS, EMIT + "accumulate.rs",
     "for row in removed_rows { «#remove» }", "#add"),
    ("slices begin at the first value of their source", EXPRESSION, EMIT + "elementwise.rs",
     "count(«slice.start»));", "0"),
    ("words of both perspectives do not alternate", EXPRESSION, EMIT + "elementwise.rs",
     "let [input, step] = [run.input, «run.step»].map(count);", "1"),
    ("what `pack` shuffles is not undone", EXPRESSION, LAYOUT + "affine.rs",
     "packed: «network.tensor(slice.source).element == Element::U8»,", "false"),
    ("both perspectives are the first", EXPRESSION, LAYOUT + "affine.rs",
     "start: «run.perspective * half + run.output - at»,", "run.output - at"),
    ("weights of a slice one slot further", EXPRESSION, LAYOUT + "affine.rs",
     "segments.push(Segment::run(input, «slot», run.len));", "slot + 1"),
    ("single inputs: the last of an odd number is skipped", EXPRESSION, KERNELS,
     "for number in «rest» {", "&rest[rest.len()..]", "signed_inputs output_blocks sparse_inputs"),
    ("all runs of outputs are the first", EXPRESSION, KERNELS,
     "let block = usize::from(*block).min(«OUTPUTS / BLOCK - 1»);", "0", "output_blocks"),
    ("different signs count once", EXPRESSION, KERNELS,
     "sum.wrapping_add(«inputs as i32 - 2 * different»)", "inputs as i32 - different", "binary_parts"),
    ("the lowest bit of inputs without a sign is lost", EXPRESSION, KERNELS,
     "as i16, «*x & 1»)", "0", "products_without_sign squared_products"),
    ("lanes of `f32` lose their bias", EXPRESSION, KERNELS,
     "*output += «sum_of_lanes(lanes)»;", "sum_of_lanes(lanes) - *output", "dual scales"),
    ("lanes of `f32` are added in another order", EXPRESSION, KERNELS,
     "lanes[lane] += lanes[«lane + half»];", "2 * half - 1 - lane", "dual scales"),
    ("sums that become `f32` take the first bias", EXPRESSION, KERNELS,
     "scale(output), biases[«output»])", "0", "scales"),
    ("sums of 64 bits wrap in 32", EXPRESSION, KERNELS,
     "sum = sum.wrapping_add(«i64::from(*x) * i64::from(*w)»);", "i64::from(x.wrapping_mul(*w))", "hobbes"),
    ("functions of the runtime take the first row for all", EXPRESSION, KERNELS,
     "*total = total.wrapping_add(«sum(inputs, row)»);", "sum(inputs, &weights[0])", "dual words unpooled_parts"),
]

# A network that has no mistake to find takes longer than this: the next one is tried.
PATIENCE = 150

# What is appended to the crates that have mistakes.
CHOICE = """
pub(crate) fn planted(number: u32) -> bool {
    static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let chosen = || std::env::var("PLANTED").ok().and_then(|text| text.parse().ok());
    *CHOSEN.get_or_init(|| chosen().unwrap_or(0)) == number
}
"""

MAIN = """
mod net { include!("%s"); }
fn main() {
    match net::Net::self_check() {
        Ok(checked) => println!("{checked}"),
        Err(mismatch) => { println!("{mismatch}"); std::process::exit(1) }
    }
}
"""


class Copy:
    """A copy of the crates, with all mistakes."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.project = self.folder / "project"
        for part in ["nnue-macros", "nnue-runtime", "specs", "tests/specs", "tests/wiring"]:
            shutil.copytree(PROJECT / part, self.project / part, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("target", "tests", "nets"))
        manifest = (PROJECT / "Cargo.toml").read_text()
        start = manifest.index("members = [")
        end = manifest.index("]\n", start)
        members = ["nnue-macros", "nnue-macros/compiler", "nnue-runtime", "nnue-runtime/format",
                   "nnue-runtime/levels", "nnue-runtime/memory", "tests/wiring"]
        listed = "members = [" + ", ".join(f'"{member}"' for member in members)
        (self.project / "Cargo.toml").write_text(manifest[:start] + listed + manifest[end:])
        shutil.copy(PROJECT / "Cargo.lock", self.project / "Cargo.lock")
        for number, mistake in enumerate(MISTAKES, 1):
            self.plant(number, *mistake[1:5])
        for library in ["nnue-macros/compiler/src/lib.rs", "nnue-runtime/src/lib.rs"]:
            path = self.project / library
            path.write_text(path.read_text() + CHOICE)

    def plant(self, number, kind, file, text, wrong):
        before, rest = text.split("«")
        right, after = rest.split("»")
        # `@` stands for the mistake that was planted there before.
        after = after.split("@")[0]
        path = self.project / file
        source = path.read_text()
        place = source.find(before + right + after)
        if place < 0:
            sys.exit(f"{number}: `{before + right + after}` is not in {file}")
        start = place + len(before)
        if kind == EXPRESSION:
            both = f"(if crate::planted({number}) {{ {wrong} }} else {{ {right} }})"
        else:
            both = f" planted_{number}_right {right} planted_{number}_wrong {wrong} planted_{number}_end "
        path.write_text(source[:start] + both + source[start + len(right):])

    def cargo(self, *arguments):
        subprocess.run(["cargo", "build", "--quiet", *arguments], cwd=self.project, check=True,
                       env={**os.environ, "RUSTFLAGS": "-A warnings"})

    def build(self):
        self.cargo("--package", "nnue-wiring", "--config", "profile.dev.opt-level=0")
        self.cargo("--package", "nnue-runtime", "--no-default-features", "--features", "std",
                   "--target-dir", "target/runtime")

    def generate(self, name, chosen):
        """Writes the code of all networks with a mistake into a folder; 0 is none."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        program = self.project / "target/debug/nnue-wiring"
        done = subprocess.run([program, folder, *SPECS], cwd=self.project, capture_output=True,
                              text=True, env={**os.environ, "PLANTED": str(chosen)})
        if done.returncode:
            raise RuntimeError(done.stderr.strip()[-300:])
        for file in folder.iterdir():
            text = file.read_text()
            for number in range(len(MISTAKES), 0, -1):
                both = rf"planted_{number}_right(.*?)planted_{number}_wrong(.*?)planted_{number}_end"
                text = re.sub(both, r"\2" if number == chosen else r"\1", text)
            file.write_text(text)
        return folder

    def check(self, code, chosen):
        """Compiles and runs the check of a network: what it says, or `None` if nothing is wrong."""
        main = self.folder / "main.rs"
        main.write_text(MAIN % code)
        built = self.project / "target/runtime/debug"
        done = subprocess.run(
            ["rustc", "--edition", "2024", "-C", "opt-level=2", "-A", "warnings", main, "-o", self.folder / "main",
             "--extern", f"nnue_runtime={built}/libnnue_runtime.rlib", "-L", f"dependency={built}/deps"],
            capture_output=True, text=True)
        if done.returncode:
            return "does not compile: " + done.stderr.strip()[:300]
        try:
            done = subprocess.run([self.folder / "main"], capture_output=True, text=True,
                                  env={**os.environ, "PLANTED": str(chosen)}, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode == 0:
            return None
        return (done.stdout + done.stderr).strip().splitlines()[0][:240]


def main():
    copy = Copy(sys.argv[1])
    chosen = [int(number) for number in sys.argv[2:]] or range(1, len(MISTAKES) + 1)
    copy.build()
    right = copy.generate("right", 0)
    names = [pathlib.Path(spec).stem for spec in SPECS]
    found = 0
    for number in chosen:
        title, _, file, _, _, *users = MISTAKES[number - 1]
        said, tried = None, []
        try:
            wrong = copy.generate("wrong", number)
            has_changed = lambda name: (wrong / f"{name}.rs").read_text() != (right / f"{name}.rs").read_text()
            networks = users[0].split() if users else [name for name in names if has_changed(name)]
            for name in networks[:5]:
                tried.append(name)
                said = copy.check(wrong / f"{name}.rs", number)
                if said:
                    break
        except RuntimeError as error:
            said = f"does not compile: {error}"
        is_found = bool(said) and not said.startswith("does not compile")
        found += is_found
        outcome = "found" if is_found else "NOT FOUND"
        print(f"{number}. {title} ({', '.join(tried)}): {outcome}: {said}", flush=True)
    print(f"{found} of {len(chosen)} found")
    sys.exit(0 if found == len(chosen) else 1)


if __name__ == "__main__":
    main()
