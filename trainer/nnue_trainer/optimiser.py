"""Optimisers: AdamW of torch, and Muon."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from nnue_trainer.fields import RunError, choice, number
from nnue_trainer.muon import Muon


@dataclass(frozen=True)
class Optimiser:
    """The table `[optimiser]` of a run file."""

    name: str = choice("adamw", "muon")
    beta1: float = number(0.9, low=0, below=1)
    beta2: float = number(0.999, low=0, below=1)
    epsilon: float = number(1e-8, above=0)
    momentum: float = number(0.95, low=0, below=1)
    """What `muon` keeps of the direction of its matrices at each step."""
    weight_decay: float = number(0.0, low=0)
    """The part of each weight that a step with a rate of 1 would take away."""

    def over(
        self, network: nn.Module, rate: float, matrices: Sequence[Tensor] = ()
    ) -> torch.optim.Optimizer:
        """An optimiser of the network's parameters, of which `matrices` are for Muon.

        Raises `RunError` if Muon is asked for and the network has no matrices.
        """
        betas = (self.beta1, self.beta2)
        if self.name == "adamw":
            return torch.optim.AdamW(
                network.parameters(), rate, betas, self.epsilon, self.weight_decay
            )
        if not matrices:
            raise RunError(
                "`name` of [optimiser] is 'muon', which is for layers with several inputs and "
                "outputs that all see the same inputs: this network has none behind its transformer"
            )
        chosen = {id(matrix) for matrix in matrices}
        others = [each for each in network.parameters() if id(each) not in chosen]
        return Muon(matrices, others, rate, betas, self.epsilon, self.weight_decay, self.momentum)
