"""Averages of the weights that a training goes through: they are what is validated and exported."""

import copy
import math
from typing import Generic, Optional, TypeVar

import torch
from torch import Tensor, nn

Averaged = TypeVar("Averaged", bound=nn.Module)


class Average(nn.Module, Generic[Averaged]):
    """A copy of a network with the average of its weights.

    The average is exponential, and keeps `keep` of itself at each step; or, with `start`, the mean
    of all weights from this step on (stochastic weight averaging: "Averaging Weights Leads to Wider
    Optima and Better Generalization", Izmailov and others, 2018). Before that, and with neither, it
    is the weights themselves.
    """

    n_averaged: Tensor

    def __init__(self, network: Averaged, keep: float = 0.0, start: Optional[float] = None) -> None:
        super().__init__()
        self.module = copy.deepcopy(network)
        self.keep, self.start = keep, None if start is None else max(math.ceil(start), 1)
        # It stays on the CPU, where it can be read without waiting for a device.
        self.register_buffer("n_averaged", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def update(self, network: Averaged) -> None:
        """Follows a step."""
        kept = self._kept(int(self.n_averaged))
        for old, new in zip(self.module.parameters(), network.parameters()):
            if kept == 0:
                old.copy_(new)
            else:
                old.copy_(old * kept + new * (1 - kept))
        self.n_averaged += 1

    def _kept(self, steps: int) -> float:
        """What the average keeps of itself after so many steps."""
        if self.start is not None:
            # Of 1 + n weights, the n before.
            before = max(steps + 1 - self.start, 0)
            return before / (before + 1)
        return self.keep if steps else 0.0
