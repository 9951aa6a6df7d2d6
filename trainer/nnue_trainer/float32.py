"""Functions of `f32` whose every bit the language says, on tensors of `float32`.

PyTorch has no multiplication and addition that are rounded together, and it adds in an order of its
own. The formulas are those of `docs/spec-language.md`.
"""

import numpy as np
import torch
from torch import Tensor, nn


def fma(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    """`x * y + z`, rounded once. The shapes broadcast."""
    # The product of two `f32` is an `f64`. The sum is rounded to odd: the error says in which
    # direction the exact sum lies, and an odd last bit keeps that for the rounding to `f32`.
    product = x.double() * y.double()
    addend = z.double()
    product, addend = torch.broadcast_tensors(product, addend)
    total = product + addend
    other = total - product
    error = (product - (total - other)) + (addend - other)
    bits = total.contiguous().view(torch.int64)
    towards_zero = (error > 0) != (total > 0)
    odd = torch.where(towards_zero, bits - 1, bits) | 1
    inexact = (error != 0) & torch.isfinite(total) & torch.isfinite(error)
    return torch.where(inexact, odd, bits).view(torch.float64).float()


def columns(x: Tensor, weights: Tensor, biases: Tensor) -> Tensor:
    """`[n, outputs]`, of `x` `[n, inputs]`, `weights` `[outputs, inputs]` and `biases` `[outputs]`:
    each bias, to which the products are added in the order of the inputs."""
    sums = biases.expand(x.shape[0], -1)
    for index in range(x.shape[1]):
        sums = fma(x[:, index : index + 1], weights[:, index], sums)
    return sums


def lanes(x: Tensor, weights: Tensor) -> Tensor:
    """`[n, outputs]`, of `x` `[n, inputs]` and `weights` `[outputs, inputs]`: sixteen sums, each of
    every sixteenth product, which are then added in pairs."""
    return _together(_sixteen(x, weights))


def pairs(x: Tensor, weights: Tensor) -> Tensor:
    """As `lanes` until four sums are left, of which neighbours are added."""
    return _neighbours(_sixteen(x, weights))


def products(x: Tensor, weights: Tensor) -> Tensor:
    """As `lanes`, of rounded products: neighbouring runs of eight are added until one is left, and
    its sums as by `pairs`. Zeros follow up to 32 times a power of two."""
    rounded = x[:, None, :] * weights
    runs = 4 << (-(-x.shape[1] // 32) - 1).bit_length()
    rounded = nn.functional.pad(rounded, (0, 8 * runs - x.shape[1])).unflatten(2, (runs, 8))
    while rounded.shape[2] > 1:
        rounded = rounded[:, :, 0::2] + rounded[:, :, 1::2]
    return _neighbours(list(rounded[:, :, 0].unbind(2)))


def _sixteen(x: Tensor, weights: Tensor) -> list[Tensor]:
    sums = [x.new_zeros(x.shape[0], weights.shape[0])] * 16
    for index in range(x.shape[1]):
        lane = index % 16
        sums[lane] = fma(x[:, index : index + 1], weights[:, index], sums[lane])
    return sums


def sum_of_squares(x: Tensor) -> Tensor:
    """`[n, 1]`, of `[n, inputs]`: the squares of all values of a row, added as by `lanes`."""
    sums = [x.new_zeros(x.shape[0], 1)] * 16
    for index in range(x.shape[1]):
        value = x[:, index : index + 1]
        sums[index % 16] = fma(value, value, sums[index % 16])
    return _together(sums)


def _together(sums: list[Tensor]) -> Tensor:
    return _halved(sums, 1)[0]


def _neighbours(sums: list[Tensor]) -> Tensor:
    a, b, c, d = _halved(sums, 4)
    return (a + b) + (c + d)


def _halved(sums: list[Tensor], few: int) -> list[Tensor]:
    while len(sums) > few:
        half = len(sums) // 2
        sums = [a + b for a, b in zip(sums[:half], sums[half:])]
    return sums


def sigmoid(x: Tensor) -> Tensor:
    """`1 / (1 + exp(-x))`, as the language computes it."""
    quotient: Tensor = 1.0 / (1.0 + _exp(-x))
    return quotient


def _exp(x: Tensor) -> Tensor:
    x = torch.where(x > -87.0, x, torch.full_like(x, -87.0))
    x = torch.where(x < 87.0, x, torch.full_like(x, 87.0))
    k = torch.round(x * _f32(1.4426950408889634))
    r = x - k * _f32(355.0 / 512.0) - k * _f32(-2.1219444e-4)
    factorials = [5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0]
    terms = [_f32(1.0 / factorial) for factorial in factorials]
    total = torch.full_like(x, terms[0])
    for term in terms[1:]:
        total = total * r + term
    # A power of two, by its exponent's bits.
    return total * ((k.int() + 127) << 23).view(torch.float32)


def _f32(number: float) -> float:
    """The nearest `f32`, because PyTorch multiplies tensors by the `f64` on some devices."""
    return float(np.float32(number))


def hard_swish(x: Tensor) -> Tensor:
    """`(x * clamp(x + 3, 0, 6)) * (1 / 6)`."""
    return (x * (x + 3.0).clamp(0.0, 6.0)) * _f32(1.0 / 6.0)


def rms_norm(x: Tensor, epsilon: float) -> Tensor:
    """`[n, inputs]`: `x * (1 / sqrt(mean + epsilon))`, where `mean` is that of `x * x` in a row."""
    mean = sum_of_squares(x) / _f32(float(x.shape[1]))
    # The root and the quotient of `f64` are rounded to those of `f32`: both are of numbers with
    # less than half of the digits.
    root = (mean + _f32(epsilon)).double().sqrt().float()
    factor: Tensor = 1.0 / root
    return x * factor
