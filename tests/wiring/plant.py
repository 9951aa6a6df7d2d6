#!/usr/bin/env python3
"""Plants mistakes, one at a time, in what writes generated code and in the kernels of the runtime,
and shows that the crate nnue-wiring finds each of them.

    tests/wiring/plant.py SCRATCH [NUMBER...]

The folder SCRATCH gets a copy of the crates, which are compiled once, with all mistakes in them:
each is there beside what is right, and a variable of the environment chooses one. Then the code of
small networks is written for each mistake, and networks whose code has changed are compiled and run
until one of them finds the mistake.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import tomllib

PROJECT = Path(__file__).resolve().parents[2]

PLANTED = tomllib.loads((PROJECT / "tests/wiring/mistakes.toml").read_text())
SPECS, MISTAKES = PLANTED["specs"], PLANTED["mistake"]

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

# The program that writes the code.
WRITER = """
[package]
name = "nnue-writer"
version = "0.0.0"
edition = "2024"

[[bin]]
name = "nnue-writer"
path = "main.rs"

[dependencies]
nnue-compiler.workspace = true
quote.workspace = true
"""

# The program that runs it.
MAIN = """
mod net { include!("%s"); }
fn main() {
    match nnue_wiring::check::<net::Net>() {
        Ok(checked) => println!("{checked}"),
        Err(mismatch) => { println!("{mismatch}"); std::process::exit(1) }
    }
}
"""


class Copy:
    """A copy of the crates, with all mistakes."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder).resolve()
        self.project = self.folder / "project"
        parts = ["nnue-macros", "nnue-runtime", "nnue-cli/wiring", "specs"]
        for part in [*parts, "tests/specs", "tests/support"]:
            shutil.copytree(
                PROJECT / part,
                self.project / part,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns("target", "tests", "nets"),
            )
        manifest = (PROJECT / "Cargo.toml").read_text()
        manifest = re.sub(r"default-members = \[.*?\]\n", "", manifest, flags=re.DOTALL)
        start = manifest.index("members = [")
        end = manifest.index("]\n", start)
        members = [
            "nnue-macros",
            "nnue-macros/compiler",
            "nnue-runtime",
            "nnue-runtime/format",
            "nnue-runtime/interpreter",
            "nnue-runtime/memory",
            "nnue-cli/wiring",
            "tests/wiring",
        ]
        listed = "members = [" + ", ".join(f'"{member}"' for member in members)
        (self.project / "Cargo.toml").write_text(manifest[:start] + listed + manifest[end:])
        shutil.copy(PROJECT / "Cargo.lock", self.project / "Cargo.lock")
        writer = self.project / "tests/wiring"
        writer.mkdir(exist_ok=True)
        (writer / "Cargo.toml").write_text(WRITER)
        shutil.copy(PROJECT / "tests/wiring/writer.rs", writer / "main.rs")
        for number, mistake in enumerate(MISTAKES, 1):
            self.plant(number, mistake)
        for library in ["nnue-macros/compiler/src/lib.rs", "nnue-runtime/src/lib.rs"]:
            path = self.project / library
            path.write_text(path.read_text() + CHOICE)

    def plant(self, number: int, mistake: dict[str, str]) -> None:
        """Puts a mistake beside what is right."""
        is_expression = "expression" in mistake
        file, wrong = mistake["file"], mistake["wrong"]
        before, rest = mistake["expression" if is_expression else "tokens"].split("«")
        right, after = rest.split("»")
        after = after.split("@")[0]
        path = self.project / file
        source = path.read_text()
        place = source.find(before + right + after)
        if place < 0:
            sys.exit(f"{number}: `{before + right + after}` is not in {file}")
        start = place + len(before)
        if is_expression:
            both = f"(if crate::planted({number}) {{ {wrong} }} else {{ {right} }})"
        else:
            name = f"planted_{number}"
            both = f" {name}_right {right} {name}_wrong {wrong} {name}_end "
        path.write_text(source[:start] + both + source[start + len(right) :])

    def cargo(self, *arguments: str) -> None:
        """Builds."""
        subprocess.run(
            ["cargo", "build", "--quiet", *arguments],
            cwd=self.project,
            check=True,
            env={**os.environ, "RUSTFLAGS": "-A warnings"},
        )

    def build(self) -> None:
        """Compiles what writes the code, and what networks are linked with."""
        self.cargo("--package", "nnue-writer", "--config", "profile.dev.opt-level=0")
        packages = ["--package", "nnue-runtime", "--package", "nnue-wiring"]
        self.cargo(*packages, "--target-dir", "target/runtime")

    def generate(self, name: str, chosen: int) -> Path:
        """Writes the code of all networks with a mistake into a folder; 0 is none."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        program = self.project / "target/debug/nnue-writer"
        done = subprocess.run(
            [program, folder, *SPECS],
            cwd=self.project,
            capture_output=True,
            text=True,
            env={**os.environ, "PLANTED": str(chosen)},
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip()[-300:])
        for file in folder.iterdir():
            text = file.read_text()
            for number in range(len(MISTAKES), 0, -1):
                name = f"planted_{number}"
                both = rf"{name}_right(.*?){name}_wrong(.*?){name}_end"
                text = re.sub(both, r"\2" if number == chosen else r"\1", text)
            file.write_text(text)
        return folder

    def check(self, code: Path, chosen: int) -> str | None:
        """Compiles and runs the check of a network: what it says, or `None` if nothing is wrong."""
        main = self.folder / "main.rs"
        main.write_text(MAIN % code)
        built = self.project / "target/runtime/debug"
        done = subprocess.run(
            [
                "rustc",
                "--edition",
                "2024",
                "-C",
                "opt-level=2",
                "-A",
                "warnings",
                main,
                "-o",
                self.folder / "main",
                "--extern",
                f"nnue_runtime={built}/libnnue_runtime.rlib",
                "--extern",
                f"nnue_wiring={built}/libnnue_wiring.rlib",
                "-L",
                f"dependency={built}/deps",
            ],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            return "does not compile: " + done.stderr.strip()[:300]
        try:
            done = subprocess.run(
                [self.folder / "main"],
                capture_output=True,
                text=True,
                env={**os.environ, "PLANTED": str(chosen)},
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return None
        if done.returncode == 0:
            return None
        return (done.stdout + done.stderr).strip().splitlines()[0][:240]


def main() -> None:
    """Prints for each mistake what has found it, and exits with 1 if nothing has."""
    copy = Copy(sys.argv[1])
    chosen = [int(number) for number in sys.argv[2:]] or range(1, len(MISTAKES) + 1)
    copy.build()
    right = copy.generate("right", 0)
    names = [Path(spec).stem for spec in SPECS]
    found = 0
    for number in chosen:
        mistake = MISTAKES[number - 1]
        said, tried = None, []
        try:
            wrong = copy.generate("wrong", number)
            codes = [(name, wrong / f"{name}.rs", right / f"{name}.rs") for name in names]
            changed = [name for name, new, old in codes if new.read_text() != old.read_text()]
            for name in mistake.get("networks", changed)[:5]:
                tried.append(name)
                said = copy.check(wrong / f"{name}.rs", number)
                if said:
                    break
        except RuntimeError as error:
            said = f"does not compile: {error}"
        is_found = said is not None and not said.startswith("does not compile")
        found += is_found
        outcome = "found" if is_found else "NOT FOUND"
        print(f"{number}. {mistake['title']} ({', '.join(tried)}): {outcome}: {said}", flush=True)
    print(f"{found} of {len(chosen)} found")
    sys.exit(0 if found == len(chosen) else 1)


if __name__ == "__main__":
    main()
