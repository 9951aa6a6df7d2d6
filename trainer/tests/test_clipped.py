"""The functions with gradients of their own have the values and gradients of the formulas, bit by
bit."""

import pytest
import torch
from torch import Tensor

from nnue_trainer import clipped
from nnue_trainer.arithmetic import ARITHMETIC
from nnue_trainer.straight_through import straight_through

LIMIT, SHIFT, BLOCK = 255, 9, 8


def inputs(dtype: torch.dtype) -> Tensor:
    """Integers and others, below 0, above the limit, and at both."""
    random = torch.Generator().manual_seed(3)
    x = torch.rand(2, 50, 16, generator=random, dtype=dtype) * 500 - 120
    x[0] = x[0].round()
    x[1, 0, :8] = torch.tensor([0, -0.0, LIMIT, LIMIT + 1e-4, LIMIT - 1e-4, -1e-30, 1e-30, 1e9])
    return x.requires_grad_()


def shifted(product: Tensor, rounding: str | None) -> Tensor:
    quotient = product * 2.0**-SHIFT
    if rounding is None:
        return quotient
    added = quotient + 0.5 if rounding == clipped.NEAREST else quotient
    return straight_through(added.floor(), quotient)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("rounding", [None, clipped.FLOOR, clipped.NEAREST])
@pytest.mark.parametrize("kind", ["square", "products"])
def test_values_and_gradients_are_those_of_single_steps(
    dtype: torch.dtype, rounding: str | None, kind: str
) -> None:
    fused, single = inputs(dtype), inputs(dtype)
    # Versions of torch differ in the gradient of `clamp` at its limits.
    c = torch.where((single >= 0) & (single <= LIMIT), single, single.detach().clamp(0, LIMIT))
    if kind == "square":
        found = clipped.square(fused, LIMIT, 2.0**-SHIFT, rounding)
        expected = shifted(c * c, rounding)
    else:
        found = clipped.products(fused, BLOCK, LIMIT, 2.0**-SHIFT, rounding)
        blocks = c.unflatten(2, (-1, 2, BLOCK // 2))
        expected = shifted(blocks[:, :, :, 0] * blocks[:, :, :, 1], rounding).flatten(2)
    assert torch.equal(found, expected)
    weights = torch.rand(found.shape, generator=torch.Generator().manual_seed(4), dtype=dtype)
    (found * weights).sum().backward()
    (expected * weights).sum().backward()
    assert fused.grad is not None and single.grad is not None
    assert torch.equal(fused.grad, single.grad)
    assert bool((fused.grad != 0).any()) and bool((fused.grad == 0).any())


def test_all_modes_compute_the_same_of_integers() -> None:
    x = inputs(torch.float64).detach().round()
    exact = ARITHMETIC["exact"]
    fake = ARITHMETIC["fake"]
    integers = x.long()
    for is_nearest in (False, True):
        squares = fake.clipped_square(x, LIMIT, SHIFT, is_nearest).long()
        assert torch.equal(squares, exact.clipped_square(integers, LIMIT, SHIFT, is_nearest))
        found = fake.clipped_products(x, BLOCK, LIMIT, SHIFT, is_nearest).long()
        expected = exact.clipped_products(integers, BLOCK, LIMIT, SHIFT, is_nearest)
        assert torch.equal(found, expected)


def test_floating_point_becomes_integers_as_the_language_says() -> None:
    x = torch.tensor([-2.0, -0.375, -0.25, 0.375, 0.625, 1.1, 3.0, float("nan"), float("inf")])
    for is_nearest, expected in (
        (True, [-8, -2, -1, 2, 2, 4, 10, -8, 10]),
        (False, [-8, -1, -1, 1, 2, 4, 10, -8, 10]),
    ):
        for name, dtype in (("exact", torch.float32), ("fake", torch.float64)):
            found = ARITHMETIC[name].integers(x.to(dtype), 4, (-8, 10), is_nearest)
            assert found.tolist() == expected
