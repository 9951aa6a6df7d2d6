"""Checkpoints: the state of a run in a file, from which it goes on as if it had never stopped.

A checkpoint is a file of safetensors: tensors, and a text, which is JSON here. Unlike a pickle,
which `torch.save` writes, nothing in it can be executed, so that a checkpoint from somebody else
does no harm.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from nnue_trainer.fields import RunError, shown

VERSION = 5
NAME = "checkpoint.safetensors"


@dataclass(frozen=True)
class Checkpoint:
    """What a file has: nothing of it but its settings has been compared with the run."""

    path: Path
    tensors: dict[str, Tensor]
    """By their names, on the CPU."""
    progress: object
    """What is no tensor, as JSON gives it."""

    def unfit(self, why: object) -> RunError:
        """The error that says why a run cannot go on from it."""
        return _unreadable(self.path, why)


class _Contents(msgspec.Struct):
    """The text of a checkpoint."""

    version: object = None
    settings: object = None
    progress: object = None


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a file such that nobody ever sees a part of it: `write` gets the path of another
    one."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(unfinished)
        # A rename may reach the disk before what is in the file does.
        with open(unfinished, "rb") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def save(
    path: Path, settings: Mapping[str, Any], tensors: dict[str, Tensor], progress: object
) -> None:
    """Writes the state of a run with these `settings`: tensors by their names, and as `progress`
    what else is needed, of types that JSON has."""
    contents = {"version": VERSION, "settings": settings, "progress": progress}
    text = msgspec.json.encode(contents).decode()
    write_whole(path, lambda unfinished: save_file(tensors, unfinished, metadata={"run": text}))


def load(path: Path, settings: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint that was saved of a run with the same settings.

    Raises `RunError` for any other file.
    """
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            text = (file.metadata() or {}).get("run", "")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no dict
    except Exception as error:  # safetensors and torch have many ways to say that a file is no good
        raise _unreadable(path, error) from error
    try:
        contents = msgspec.json.decode(text, type=_Contents)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unreadable(path, "it has no text of a run") from error
    if contents.version != VERSION:
        raise _unreadable(
            path, f"its version is {shown(contents.version)}, and this trainer reads {VERSION}"
        )
    _compare(path, contents.settings, settings)
    return Checkpoint(path, tensors, contents.progress)


def _compare(path: Path, saved: object, settings: Mapping[str, Any]) -> None:
    """Raises an error if the `saved` settings are not these."""
    if not isinstance(saved, dict):
        raise _unreadable(path, f"its settings are {shown(saved)}")
    # As they are after they have been saved: tuples are lists.
    settings = msgspec.json.decode(msgspec.json.encode(settings))
    for key in sorted({*saved, *settings}):
        if saved.get(key) != settings.get(key):
            name = key if key in settings else shown(key)
            raise RunError(
                f"`{path}` is of another run, with {name} {shown(saved.get(key))} and not "
                f"{shown(settings.get(key))}; `--restart` begins without it, `--out` takes another "
                "folder, and without this file a single stage begins anew"
            )


def _unreadable(path: Path, why: object) -> RunError:
    return RunError(f"cannot read the checkpoint `{path}`: {why}; `--restart` begins without it")
