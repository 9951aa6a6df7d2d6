"""What `torchrun` starts in `test_processes.py`: a training by several processes, which is
interrupted and goes on from its checkpoint."""

import atexit
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from small_run import batches, changed, interrupted, training, weights
from test_processes import DISTRIBUTED, SHARE

from nnue_trainer import checkpoint
from nnue_trainer.processes import processes
from nnue_trainer.progress import Watcher


def main(folder: Path) -> None:
    with processes("cpu") as ours:
        run = changed(DISTRIBUTED, data={"batch_size": SHARE})

        def source() -> Iterator[Any]:
            return batches(ours.seed(run.seed), SHARE)

        with contextlib.suppress(KeyboardInterrupt):
            # All networks begin with the weights of the first one.
            training(run, ours, seed=5 + ours.rank).go(interrupted(source(), 25), folder, Watcher())
        resumed = training(run, ours)
        resumed.restore(folder / checkpoint.NAME)
        resumed.go(source(), folder, Watcher())
        torch.save((weights(resumed.network), resumed.positions), folder / f"{ours.rank}.pt")


def threads() -> int:
    """How many threads this process has, those of torch included; 0 on systems without /proc."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.exists() else 0


def fail_if_threads_are_left(before: int) -> None:
    """Ends the process with an error if it has more threads than before. One that is left can abort
    the process while Python ends."""
    # The system lists a thread for a moment after its end.
    deadline = time.monotonic() + 10
    while threads() > before:
        if time.monotonic() > deadline:
            print(f"{threads()} threads at the end, and {before} before", file=sys.stderr)
            os._exit(1)
        time.sleep(0.1)


if __name__ == "__main__":
    # The first gradient starts threads that stay.
    torch.zeros((), requires_grad=True).backward()
    # What is registered first is done last.
    atexit.register(fail_if_threads_are_left, threads())
    main(Path(sys.argv[1]))
