"""A network of a few numbers and endless data for it, for tests of all that is around a network."""

import dataclasses
import itertools
from dataclasses import dataclass
from types import SimpleNamespace

import torch

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

    def to(self, device):
        return SmallBatch(self.inputs.to(device), self.score.to(device), self.result.to(device))


class SmallNetwork(torch.nn.Module):
    """As much of the interface of `Network` as a training uses."""

    def __init__(self, seed=0):
        super().__init__()
        self.description = SimpleNamespace(text="small")
        torch.manual_seed(seed)
        self.first = torch.nn.Linear(4, 8)
        self.second = torch.nn.Linear(8, 1)
        self.mode = "float"
        self.modes = []
        self.observe = False

    def forward(self, batch):
        self.modes.append(self.mode)
        hidden = torch.relu(self.first(batch.inputs))
        if self.observe:
            self.activation_mean = hidden.mean()
            self.statistics = {"zero_blocks": float((hidden == 0).float().mean())}
        values = 100 * self.second(hidden)[:, 0]
        if self.mode == "fake":
            values = values + (values.round() - values).detach()
        return values

    @torch.no_grad()
    def clip(self):
        for parameter in self.parameters():
            parameter.clamp_(-0.75, 0.75)


def batches(seed, size=32):
    """Endless batches, in which the score is a function of the inputs."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield batch(generator, size)


def batch(generator, size):
    inputs = torch.rand(size, 4, generator=generator)
    score = 100 * (inputs[:, 0] + inputs[:, 1] - inputs[:, 2])
    return SmallBatch(inputs, score, (score > 0).float())


def interrupted(source, count):
    """The first batches of a source, and then what a keyboard interrupt raises."""
    yield from itertools.islice(source, count)
    raise KeyboardInterrupt


def training(run=RUN, processes=ONE_PROCESS, seed=0):
    """A training of a small network."""
    validation = [batch(torch.Generator().manual_seed(1000), 200)]
    return Training(run, SmallNetwork(seed), processes, validation)


class Silent:
    """Progress that nobody sees."""

    def step(self, training):
        pass

    def report(self, training, report):
        pass


def weights(network):
    """All parameters in a row."""
    return torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


def changed(run, **changes):
    """The run with other values; `optimiser={...}` changes a table."""
    tables = {
        key: dataclasses.replace(getattr(run, key), **value)
        for key, value in changes.items()
        if isinstance(value, dict)
    }
    return dataclasses.replace(run, **{**changes, **tables})
