"""The weights of a layer as optimisers look at them."""

from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor


@dataclass(frozen=True)
class Matrix:
    """What sums of products are computed with."""

    weights: Tensor
    """`[..., outputs, inputs]`."""
    reached: Optional[Tensor] = None
    """`[outputs, inputs]`: 1 where an input reaches an output, else 0; `None` if all do."""

    @property
    def has_directions(self) -> bool:
        """Whether an orthogonal matrix says more of a step than its length. Of a single row or
        column it does not, and between outputs that see different inputs nothing is orthogonal."""
        return self.reached is None and min(self.weights.shape[-2:]) > 1

    @torch.no_grad()
    def centralise(self) -> None:
        """Gives the gradient of each output a mean of 0 over the inputs that reach it. Of a single
        input nothing would be left of it."""
        gradient = self.weights.grad
        if gradient is None:
            return
        if self.reached is not None:
            inputs = self.reached.sum(dim=-1, keepdim=True)
            mean = (gradient * self.reached).sum(dim=-1, keepdim=True) / inputs.clamp(min=1)
            gradient.sub_(mean * self.reached * (inputs > 1))
        elif gradient.shape[-1] > 1:
            gradient.sub_(gradient.mean(dim=-1, keepdim=True))
