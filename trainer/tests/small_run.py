"""A network of a few numbers and endless data for it, for tests of all that is around a network."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from nnue_trainer.loss import Loss
from nnue_trainer.processes import Processes
from nnue_trainer.run import Data, Run
from nnue_trainer.train import Training

ONE_PROCESS = Processes(0, 1, torch.device("cpu"))

RUN = Run(
    spec="small",
    out="small",
    positions=1280,
    reports=4,
    data=Data(batch_size=32),
    loss=Loss(score_scale=100.0, exponent=2.0),
)


@dataclass
class SmallBatch:
    """Positions that are four numbers each."""

    inputs: torch.Tensor
    score: torch.Tensor
    result: torch.Tensor

    def to(self, device: torch.device, non_blocking: bool = False) -> "SmallBatch":
        return SmallBatch(self.inputs.to(device), self.score.to(device), self.result.to(device))


@dataclass
class SmallDescription:
    """As much of the interface of `Description` as a training uses."""

    text: str = "small"


class SmallNetwork(torch.nn.Module):
    """As much of the interface of `Network` as a training uses."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self.description = SmallDescription()
        torch.manual_seed(seed)
        self.first = torch.nn.Linear(4, 8)
        self.second = torch.nn.Linear(8, 1)
        self.mode = "float"
        self.modes: list[str] = []
        self.observe = False

    def forward(self, batch: SmallBatch) -> Tensor:
        if torch.is_grad_enabled():
            self.modes.append(self.mode)
        hidden = torch.relu(self.first(batch.inputs))
        if self.observe:
            self.active = (hidden != 0).any(dim=0)
            self.activation_mean = hidden.mean()
            self.statistics = {"zero_blocks": float((hidden == 0).float().mean())}
        values: Tensor = 100 * self.second(hidden)[:, 0]
        if self.mode == "fake":
            values = values + (values.round() - values).detach()
        return values

    def saturated(self) -> dict[str, float]:
        return {"first": float((self.first.weight.detach().abs() == 0.75).float().mean())}

    def matrices(self) -> list[Tensor]:
        return [self.first.weight]

    @torch.no_grad()
    def clip(self) -> None:
        for parameter in self.parameters():
            parameter.clamp_(-0.75, 0.75)


def batches(seed: int, size: int = 32) -> Iterator[Any]:
    """Endless batches, in which the score is a function of the inputs."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield batch(generator, size)


def batch(generator: torch.Generator, size: int) -> Any:
    """A `SmallBatch`, which a training takes for a `Batch`."""
    inputs = torch.rand(size, 4, generator=generator)
    score = 100 * (inputs[:, 0] + inputs[:, 1] - inputs[:, 2])
    return SmallBatch(inputs, score, (score > 0).float())


def interrupted(source: Iterator[Any], count: int) -> Iterator[Any]:
    """The first batches of a source, and then what a keyboard interrupt raises."""
    yield from itertools.islice(source, count)
    raise KeyboardInterrupt


def training(run: Run = RUN, processes: Processes = ONE_PROCESS, seed: int = 0) -> Training:
    """A training of a small network."""
    validation = [batch(torch.Generator().manual_seed(1000), 200)]
    network: Any = SmallNetwork(seed)
    return Training(run, network, processes, validation)


def weights(network: torch.nn.Module) -> Tensor:
    """All parameters in a row."""
    return torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


def changed(run: Run, **changes: Any) -> Run:
    """The run with other values; `optimiser={...}` changes a table."""
    return run.changed(changes)
