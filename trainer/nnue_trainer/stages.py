"""A run in stages: each is a training of its own, with the weights of the one before."""

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nnue_trainer.checkpoint import NAME, write_whole
from nnue_trainer.fields import RunError
from nnue_trainer.processes import Processes
from nnue_trainer.run import Run

LEFT = ("network.nnue", "network.floats", "golden.txt", "curves.svg")
"""Files of the last stage that are the run's."""


def begin_anew(runs: Sequence[Run], ours: Processes) -> None:
    """Removes the checkpoints of all stages. Otherwise one that this run has not yet replaced when
    it is interrupted would be gone on from.

    Raises `RunError` if the run starts with one of them.
    """
    saved = [Path(run.out) / NAME for run in runs]
    first = runs[0].start
    if first is not None and Path(first).resolve() in [path.resolve() for path in saved]:
        raise RunError(
            f"`start` of the run is `{first}`, which `--restart` removes: a copy elsewhere can be "
            "started with"
        )
    if ours.is_first:
        for path in saved:
            path.unlink(missing_ok=True)
    ours.wait()


def train_all(
    runs: Sequence[Run], ours: Processes, train: Callable[[Run], dict[str, Any] | None]
) -> dict[str, Any] | None:
    """Does the stages of a run, each by `train`, and returns the summary of the whole in the first
    of several processes. Of a run without stages there is one."""
    if len(runs) == 1:
        return train(runs[0])
    summaries = []
    for number, run in enumerate(runs, start=1):
        if ours.is_first:
            print(f"stage {number} of {len(runs)}: {run.positions:,} positions", file=sys.stderr)
        summary = train(run)
        # The next stage starts with what the first process has written.
        ours.wait()
        if summary is not None:
            summaries.append(summary)
    return _finish(runs, summaries) if ours.is_first else None


def _finish(runs: Sequence[Run], summaries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    last = Path(runs[-1].out)
    folder = last.parent
    for name in LEFT:
        write_whole(folder / name, partial(shutil.copyfile, last / name))
    keys = ("positions", "seconds", "train_loss", "validation_loss", "strength", "warnings")
    summary = {
        **summaries[-1],
        "positions": sum(each["positions"] for each in summaries),
        "seconds": sum(each["seconds"] for each in summaries),
        "warnings": list(dict.fromkeys(text for each in summaries for text in each["warnings"])),
        "stages": [
            {"folder": Path(run.out).name, **{key: each[key] for key in keys}}
            for run, each in zip(runs, summaries)
        ],
    }
    text = json.dumps(summary, indent=2) + "\n"
    write_whole(folder / "summary.json", lambda path: path.write_text(text, encoding="utf-8"))
    return summary
