"""What `torchrun` starts in `test_processes.py`: a training by several processes, which is
interrupted and goes on from its checkpoint."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from small_run import Silent, batches, changed, interrupted, training, weights
from test_processes import DISTRIBUTED, SHARE

from nnue_trainer import checkpoint
from nnue_trainer.processes import Processes, processes


def main(folder: Path) -> None:
    before = threads()
    with processes("cpu") as ours:
        train(folder, ours)
    # One that is left aborts the process if it happens to work while Python ends.
    assert threads() == before, f"{threads()} threads, of which {before} were there before"


def train(folder: Path, ours: Processes) -> None:
    run = changed(DISTRIBUTED, data={"batch_size": SHARE})

    def source() -> Iterator[Any]:
        return batches(ours.seed(run.seed), SHARE)

    with contextlib.suppress(KeyboardInterrupt):
        # All networks begin with the weights of the first one.
        training(run, ours, seed=5 + ours.rank).go(interrupted(source(), 25), folder, Silent())
    resumed = training(run, ours)
    resumed.restore(folder / checkpoint.NAME)
    resumed.go(source(), folder, Silent())
    torch.save((weights(resumed.network), resumed.positions), folder / f"{ours.rank}.pt")


def threads() -> int:
    """How many threads this process has, those of torch included; nought where only Linux tells."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.exists() else 0


if __name__ == "__main__":
    main(Path(sys.argv[1]))
