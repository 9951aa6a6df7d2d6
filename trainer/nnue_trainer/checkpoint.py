"""Checkpoints: the state of a run in a file, from which it goes on as if it had never stopped."""

import os
from pathlib import Path

import torch

from nnue_trainer.fields import RunError

VERSION = 1


def write_whole(path, write):
    """Writes a file such that nobody ever sees a part of it: `write` gets the path of another one."""
    path = Path(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def save(path, settings, state):
    """Writes the `state` of a run with these `settings`."""
    contents = {"version": VERSION, "settings": settings, **state}
    write_whole(path, lambda unfinished: torch.save(contents, unfinished))


def load(path, settings):
    """The state that was saved of a run with the same settings, on the CPU."""
    try:
        contents = torch.load(path, map_location="cpu")
    except Exception as error:  # torch says in many ways that a file is none of its own
        raise RunError(f"cannot read the checkpoint `{path}`: {error}; `--restart` begins without it") from error
    if contents.get("version") != VERSION:
        raise RunError(
            f"`{path}` has version {contents.get('version')} of checkpoints, this trainer reads {VERSION}; "
            "`--restart` begins without it"
        )
    saved = contents["settings"]
    different = sorted(key for key in {*saved, *settings} if saved.get(key) != settings.get(key))
    if different:
        first = different[0]
        raise RunError(
            f"`{path}` is of another run, with {first} {saved.get(first)!r} and not {settings.get(first)!r}; "
            "`--restart` begins without it, `--out` takes another folder"
        )
    return contents
