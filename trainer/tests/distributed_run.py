"""What `torchrun` starts in `test_processes.py`: a training by several processes."""

import sys
from pathlib import Path

import torch
from small_run import Silent, batches, changed, training, weights

from nnue_trainer import checkpoint
from nnue_trainer.processes import processes
from test_processes import RUN, SHARE


def main(folder):
    with processes("cpu") as ours:
        run = changed(RUN, data={"batch_size": SHARE})
        # The networks of all processes begin with the weights of the first one.
        ours_alone = training(run, ours, seed=5 + ours.rank)
        begun = folder / "begun.pt"
        if begun.exists():
            ours_alone.restore(checkpoint.load(begun, run.settings()))
        ours_alone.go(batches(ours.seed(run.seed), SHARE), folder, Silent())
        torch.save((weights(ours_alone.network), ours_alone.positions), folder / f"{ours.rank}.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
