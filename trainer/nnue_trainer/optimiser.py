"""Optimisers: AdamW of torch, and Muon."""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from nnue_trainer.fields import Above0, AtLeast0, Below1, RunError, Table
from nnue_trainer.muon import Muon


class Optimiser(Table, frozen=True):
    """The table `[optimiser]` of a run file."""

    name: Literal["adamw", "muon"] = "adamw"
    """AdamW of torch, or Muon for the matrices of layers."""
    beta1: Below1 = 0.9
    """How much of the mean gradient AdamW keeps at each step."""
    beta2: Below1 = 0.999
    """How much of the mean squared gradient AdamW keeps at each step."""
    epsilon: Above0 = 1e-8
    """What AdamW adds to the root of the mean squared gradient."""
    momentum: Below1 = 0.95
    """What `muon` keeps of the direction of its matrices at each step."""
    weight_decay: AtLeast0 = 0.0
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
