"""Values of one formula with the gradients of another."""

from typing import Any

import torch
from torch import Tensor


class _StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, value: Tensor, smooth: Tensor) -> Tensor:
        return value

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor]:
        return None, gradient


def straight_through(value: Tensor, smooth: Tensor) -> Tensor:
    """`value`, whose gradient is that of `smooth`: both have the same shape and type."""
    result: Tensor = _StraightThrough.apply(value.detach(), smooth)
    return result
