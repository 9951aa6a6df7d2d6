"""How fast a step of training is beside a plain loop of PyTorch: both learn from the same batches
in memory, on one thread, in turns, and their time of the CPU is compared.

    python trainer/measure/speed.py GAMES... --width 64
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from nnue_trainer import Batch, Description, Network, sparse
from nnue_trainer.processes import Processes
from nnue_trainer.run import Run
from nnue_trainer.stream import batches
from nnue_trainer.train import Training

SPEC = Path(__file__).parents[2] / "examples" / "loops" / "768x64.toml"
CPU = torch.device("cpu")


class Plain(torch.nn.Module):
    """The same network as one would write it: squares of clipped sums, and one output."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.rows = torch.nn.Parameter((torch.rand(768, width) - 0.5) / 5)
        self.biases = torch.nn.Parameter(torch.full((width,), 0.25))
        self.out = torch.nn.Linear(2 * width, 1)

    def forward(self, batch: Batch) -> Tensor:
        """`[n]`: values, in which 1.0 is 1.0."""
        # PyTorch's own gradient of the sums takes several times as long.
        sums = sparse.sum_rows(batch.sets[0], self.rows) + self.biases
        first, second = sums.clamp(0, 1).square().split(batch.n)
        values: Tensor = self.out(torch.cat([first, second], dim=1))[:, 0]
        return values


def plain_step(width: int) -> Callable[[Batch], object]:
    """A step of the plain loop."""
    network = Plain(width)
    optimiser = torch.optim.AdamW(network.parameters(), lr=0.001)

    def step(batch: Batch) -> None:
        points = torch.sigmoid(batch.score / 400)
        loss = ((torch.sigmoid(network(batch)) - points).abs() ** 2.5).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def main(argv: Sequence[str]) -> None:
    """Measures, and prints a line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", nargs="+", metavar="GAMES")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args(argv)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "network.toml"
        spec.write_text(SPEC.read_text().replace("width = 64", f"width = {given.width}"))
        description = Description.of_spec(spec)
        read = batches(spec, given.data, "--batch-size", 8192, "--limit", 8 * 8192)
        known = list(read)
    network = Network(description, mode="fake")
    run = Run(spec=str(spec), out="measure", positions=10**12)
    training = Training(run, network, Processes(0, 1, CPU), [])

    def seconds(step: Callable[[Batch], object]) -> float:
        start = time.process_time()
        for batch in known:
            # Both find the rows of the gradient themselves; in a run, another thread does it.
            batch.sets[0].bags_of_rows = None
            step(batch)
        return time.process_time() - start

    steps = (training.step, plain_step(given.width))
    rounds = [[seconds(step) for step in steps] for _ in range(given.rounds + 1)][1:]
    own, plain = (min(times) for times in zip(*rounds))
    ratios = sorted(first / second for first, second in rounds)
    count = sum(len(batch) for batch in known)
    print(
        f"{given.width} neurons: {count / own:,.0f} positions a second of a core, a plain loop "
        f"{count / plain:,.0f}; {ratios[len(ratios) // 2]:.2f} times its time in the middle of "
        f"{len(ratios)} rounds"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
