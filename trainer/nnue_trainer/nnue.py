"""The command `nnue`: where it is, and how it is run."""

import os
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


class CommandFailed(RuntimeError):
    """`nnue` ended with an error: the command, and what it wrote about it."""


def find() -> str:
    """The path of `nnue`: the environment variable `NNUE`, else `nnue` on `PATH`, else what cargo
    built in the repository.

    Raises `FileNotFoundError` if there is none.
    """
    named = os.environ.get("NNUE")
    if named:
        if not os.access(named, os.X_OK):
            raise FileNotFoundError(f"the environment variable NNUE names no program: {named}")
        return named
    on_path = shutil.which("nnue")
    if on_path:
        return on_path
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    for profile in ("release", "debug"):
        built = target / profile / "nnue"
        if built.is_file():
            return str(built)
    raise FileNotFoundError(
        "there is no program `nnue`: name it in the environment variable NNUE, put it on PATH, or "
        "build it with `cargo build --release --bin nnue`"
    )


def run(*arguments: object, binary: str | None = None) -> str:
    """What `nnue`, whose path is `binary`, writes to its standard output, as text.

    Raises `CommandFailed` if it ends with an error, or writes no UTF-8.
    """
    command = [binary or find(), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, check=False)
    if result.returncode != 0:
        said = (result.stderr.strip() or result.stdout.strip()).decode(errors="replace")
        raise CommandFailed(f"`{' '.join(command)}` ended with {result.returncode}: {said}")
    try:
        return result.stdout.decode()
    except UnicodeDecodeError as error:
        raise CommandFailed(f"`{' '.join(command)}` printed what is no UTF-8: {error}") from error
