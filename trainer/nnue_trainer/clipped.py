"""Clipped values and their products, each as one function with a gradient of its own: most of the
time of a small network is spent here, and autograd would go through memory twice as often.

Values are those of the same formulas step by step, bit by bit, and so are gradients: the factors
are powers of two.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

NEAREST, FLOOR = "nearest", "floor"
"""How products are rounded; without either, they are not."""


def square(x: Tensor, limit: float, factor: float, rounding: str | None) -> Tensor:
    """`c * c * factor` for each `c` of `x`, clipped from 0 to `limit`. The factor is a power of
    two, and the gradient is that without rounding."""
    result: Tensor = _Square.apply(x, limit, factor, rounding)
    return result


def products(x: Tensor, block: int, limit: float, factor: float, rounding: str | None) -> Tensor:
    """`[..., values / 2]` of `[..., values]`: of each `block` of values, clipped from 0 to `limit`,
    the first half times the second half times `factor`, a power of two."""
    result: Tensor = _Products.apply(x, block, limit, factor, rounding)
    return result


class _Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, limit: float, factor: float, rounding: str | None) -> Tensor:
        clipped = x.clamp(0, limit)
        ctx.save_for_backward(x, clipped)
        ctx.limit, ctx.factor = limit, factor
        return _rounded(clipped * clipped, factor, rounding)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, clipped = ctx.saved_tensors
        own = _within(gradient, x, ctx.limit)
        return own.mul_(clipped).mul_(2 * ctx.factor), None, None, None


class _Products(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, block: int, limit: float, factor: float, rounding: str | None
    ) -> Tensor:
        clipped = x.clamp(0, limit)
        ctx.save_for_backward(x, clipped)
        ctx.block, ctx.limit, ctx.factor = block, limit, factor
        first, second = _halves(clipped, block)
        return _rounded(first * second, factor, rounding).flatten(-2)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, clipped = ctx.saved_tensors
        gradient = gradient.unflatten(-1, (-1, ctx.block // 2)) * ctx.factor
        own = torch.empty_like(clipped)
        first, second = _halves(clipped, ctx.block)
        of_first, of_second = _halves(own, ctx.block)
        torch.mul(gradient, second, out=of_first)
        torch.mul(gradient, first, out=of_second)
        return _within(own, x, ctx.limit), None, None, None, None


def _halves(x: Tensor, block: int) -> tuple[Tensor, Tensor]:
    """Views of the first and the second half of each block: `[..., blocks, block / 2]`."""
    first, second = x.unflatten(-1, (-1, 2, block // 2)).unbind(-2)
    return first, second


def _rounded(product: Tensor, factor: float, rounding: str | None) -> Tensor:
    product.mul_(factor)
    if rounding == NEAREST:
        product.add_(0.5)
    return product if rounding is None else product.floor_()


def _within(gradient: Tensor, x: Tensor, limit: float) -> Tensor:
    """The gradient where `x` is from 0 to `limit`, both included, and 0 elsewhere."""
    element = {torch.float64: np.float64}.get(x.dtype, np.float32)
    above = float(np.nextafter(element(limit), element(np.inf)))
    below = float(np.nextafter(element(0), element(-np.inf)))
    result: Tensor = torch.ops.aten.hardtanh_backward(gradient, x, below, above)
    return result
