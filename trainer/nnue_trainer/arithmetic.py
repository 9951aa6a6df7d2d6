"""What the operations of the language compute in each of the three modes.

Layers are written once, in the operations of an `Arithmetic`: a `Float`, a `Fake` or an `Exact`.
Values of integer tensors are in the network's units in all of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import torch
from torch import Tensor

from . import clipped
from .grid import Grid
from .straight_through import straight_through

Factor = int | float | Tensor
"""One number for all values, or a tensor that broadcasts with them."""


class Arithmetic(ABC):
    """The operations of a mode, on tensors of any shape unless they say otherwise."""

    is_exact: ClassVar[bool] = False
    """Whether values are the integers themselves, as `int64`."""

    @abstractmethod
    def parameter(self, grid: Grid, parameter: Tensor) -> Tensor:
        """A parameter in the network's units."""

    @abstractmethod
    def shift_right(self, x: Tensor, shift: int) -> Tensor:
        """`x >> shift`, which rounds down."""

    @abstractmethod
    def shift_nearest(self, x: Tensor, shift: int) -> Tensor:
        """A shift to the right that rounds to the nearest, halves up."""

    @abstractmethod
    def shift_left(self, x: Tensor, shift: int) -> Tensor:
        """`x << shift`."""

    @abstractmethod
    def divide(self, x: Tensor, by: Factor, rounding: str) -> Tensor:
        """`x / by`, rounded towards zero (`truncate`) or down (`floor`)."""

    @abstractmethod
    def scale(
        self, x: Tensor, numerator: Factor, denominator: Factor, rounding: str = "truncate"
    ) -> Tensor:
        """`x * numerator / denominator`, rounded as by `divide`."""

    @abstractmethod
    def wrap(self, x: Tensor, bits: int) -> Tensor:
        """What remains of a sum in so many bits."""

    @abstractmethod
    def wrapped_square(self, x: Tensor) -> Tensor:
        """The square of `x` in 32 bits."""

    def shift_product(self, x: Tensor, shift: int, is_nearest: bool) -> Tensor:
        """A product or a square, shifted down or to the nearest."""
        shifted = self.shift_nearest if is_nearest else self.shift_right
        return shifted(x, shift)

    def clipped_square(self, x: Tensor, limit: int, shift: int, is_nearest: bool) -> Tensor:
        """`c * c` for each `c` of `x`, clipped to `0..=limit`, shifted down or to the nearest."""
        c = x.clamp(0, limit)
        return self.shift_product(c * c, shift, is_nearest)

    def clipped_products(
        self, x: Tensor, block: int, limit: int, shift: int, is_nearest: bool
    ) -> Tensor:
        """`[..., values / 2]` of `[..., values]`: of each `block` of values, clipped from 0 to
        `limit`, the first half times the second half, shifted down or to the nearest."""
        a, b = x.clamp(0, limit).unflatten(-1, (-1, 2, block // 2)).unbind(-2)
        return self.shift_product(a * b, shift, is_nearest).flatten(-2)

    @abstractmethod
    def matmul(self, x: Tensor, weights: Tensor) -> Tensor:
        """`[n, outputs]`: the sums of products of each row of `x` `[n, inputs]` and each row of
        `weights` `[outputs, inputs]`."""

    @abstractmethod
    def signs(self, x: Tensor, one: float) -> Tensor:
        """1, or -1 for negative values. The gradient is that of values from -one to one, and none
        beyond them."""

    @abstractmethod
    def f32(
        self, exact: Callable[..., Tensor], smooth: Callable[..., Tensor], *values: Tensor
    ) -> Tensor:
        """A function of `f32`: `exact` gives its bits, `smooth` has its gradient."""

    @abstractmethod
    def integers(self, x: Tensor, one: int, limits: tuple[int, int], is_nearest: bool) -> Tensor:
        """`x * one` of `f32`, within the limits, as the nearest integers, halves as even ones, or
        without fractions. What is no number becomes the smaller limit."""

    @abstractmethod
    def to_integer(self, x: Tensor) -> Tensor:
        """An `f32` as `i32`: truncated and saturated."""


class Float(Arithmetic):
    """Without rounding: a shift to the right is a division."""

    def parameter(self, grid: Grid, parameter: Tensor) -> Tensor:
        return grid.scaled(parameter)

    def shift_right(self, x: Tensor, shift: int) -> Tensor:
        return x if shift == 0 else x * 2.0**-shift

    def shift_nearest(self, x: Tensor, shift: int) -> Tensor:
        return self.shift_right(x, shift)

    def shift_left(self, x: Tensor, shift: int) -> Tensor:
        factor: int = 2**shift
        return x * factor

    def divide(self, x: Tensor, by: Factor, rounding: str) -> Tensor:
        return x / by

    def scale(
        self, x: Tensor, numerator: Factor, denominator: Factor, rounding: str = "truncate"
    ) -> Tensor:
        return x * (numerator / denominator)

    def wrap(self, x: Tensor, bits: int) -> Tensor:
        return x

    def wrapped_square(self, x: Tensor) -> Tensor:
        return x * x

    def clipped_square(self, x: Tensor, limit: int, shift: int, is_nearest: bool) -> Tensor:
        return clipped.square(x, limit, 2.0**-shift, None)

    def clipped_products(
        self, x: Tensor, block: int, limit: int, shift: int, is_nearest: bool
    ) -> Tensor:
        return clipped.products(x, block, limit, 2.0**-shift, None)

    def matmul(self, x: Tensor, weights: Tensor) -> Tensor:
        return torch.nn.functional.linear(x, weights)

    def signs(self, x: Tensor, one: float) -> Tensor:
        positive = torch.where(x < 0, -torch.ones_like(x), torch.ones_like(x))
        return straight_through(positive, (x / one).clamp(-1, 1))

    def f32(
        self, exact: Callable[..., Tensor], smooth: Callable[..., Tensor], *values: Tensor
    ) -> Tensor:
        return smooth(*values)

    def integers(self, x: Tensor, one: int, limits: tuple[int, int], is_nearest: bool) -> Tensor:
        return (x * one).clamp(*limits)

    def to_integer(self, x: Tensor) -> Tensor:
        return x


class Fake(Float):
    """The values of the integers, held as floating point, with the gradients of `Float`.

    Sums are taken to fit their types, which `Network.clip` sees to. In `f32`, integers beyond 2^24
    lose their last bits; in `f64`, none do.
    """

    def parameter(self, grid: Grid, parameter: Tensor) -> Tensor:
        return straight_through(grid.rounded(parameter), grid.scaled(parameter))

    def shift_right(self, x: Tensor, shift: int) -> Tensor:
        if shift == 0:
            return x
        quotient = x * 2.0**-shift
        return straight_through(quotient.floor(), quotient)

    def shift_nearest(self, x: Tensor, shift: int) -> Tensor:
        quotient = x * 2.0**-shift
        return straight_through((quotient + 0.5).floor(), quotient)

    def divide(self, x: Tensor, by: Factor, rounding: str) -> Tensor:
        return _rounded_quotient(x / by, rounding)

    def scale(
        self, x: Tensor, numerator: Factor, denominator: Factor, rounding: str = "truncate"
    ) -> Tensor:
        # The product first, because it is exact.
        return _rounded_quotient(x * numerator / denominator, rounding)

    def clipped_square(self, x: Tensor, limit: int, shift: int, is_nearest: bool) -> Tensor:
        rounding = clipped.NEAREST if is_nearest else clipped.FLOOR
        return clipped.square(x, limit, 2.0**-shift, rounding)

    def clipped_products(
        self, x: Tensor, block: int, limit: int, shift: int, is_nearest: bool
    ) -> Tensor:
        rounding = clipped.NEAREST if is_nearest else clipped.FLOOR
        return clipped.products(x, block, limit, 2.0**-shift, rounding)

    def wrapped_square(self, x: Tensor) -> Tensor:
        integers = x.detach().long()
        square = _wrap(integers * integers, 32)
        return straight_through(square.to(x.dtype), x * x)

    def f32(
        self, exact: Callable[..., Tensor], smooth: Callable[..., Tensor], *values: Tensor
    ) -> Tensor:
        y = smooth(*values)
        if y.dtype != torch.float64:
            return y
        bits = exact(*(value.detach().float() for value in values))
        return straight_through(bits.to(y.dtype), y)

    def integers(self, x: Tensor, one: int, limits: tuple[int, int], is_nearest: bool) -> Tensor:
        rounded = _integers_of_f32(x.detach(), one, limits, is_nearest).to(x.dtype)
        return straight_through(rounded, (x * one).clamp(*limits))

    def to_integer(self, x: Tensor) -> Tensor:
        return straight_through(x.trunc().clamp(-(2.0**31), 2.0**31 - 1), x)


class Exact(Arithmetic):
    """The integers themselves, as `int64`, and `f32` bit by bit."""

    is_exact = True

    def parameter(self, grid: Grid, parameter: Tensor) -> Tensor:
        numbers = grid.exact(parameter)
        return numbers.float() if grid.limits is None else numbers.long()

    def shift_right(self, x: Tensor, shift: int) -> Tensor:
        return x >> shift

    def shift_nearest(self, x: Tensor, shift: int) -> Tensor:
        return (x + (1 << shift >> 1)) >> shift

    def shift_left(self, x: Tensor, shift: int) -> Tensor:
        return x << shift

    def divide(self, x: Tensor, by: Factor, rounding: str) -> Tensor:
        mode = {"truncate": "trunc", "floor": "floor"}[rounding]
        return torch.div(x, by, rounding_mode=mode)

    def scale(
        self, x: Tensor, numerator: Factor, denominator: Factor, rounding: str = "truncate"
    ) -> Tensor:
        return self.divide(x * numerator, denominator, rounding)

    def wrap(self, x: Tensor, bits: int) -> Tensor:
        return _wrap(x, bits)

    def wrapped_square(self, x: Tensor) -> Tensor:
        return _wrap(x * x, 32)

    def matmul(self, x: Tensor, weights: Tensor) -> Tensor:
        if weights.numel() == 0 or x.numel() == 0:
            return x.new_zeros(x.shape[0], weights.shape[0])
        # Matrices of `f64` are multiplied many times as fast, and exactly up to 2^53.
        largest = int(x.abs().max()) * int(weights.abs().sum(dim=1).max())
        if largest < 2**53:
            return (x.double() @ weights.double().T).long()
        return x @ weights.T

    def signs(self, x: Tensor, one: float) -> Tensor:
        return torch.where(x < 0, -torch.ones_like(x), torch.ones_like(x))

    def f32(
        self, exact: Callable[..., Tensor], smooth: Callable[..., Tensor], *values: Tensor
    ) -> Tensor:
        return exact(*values)

    def integers(self, x: Tensor, one: int, limits: tuple[int, int], is_nearest: bool) -> Tensor:
        return _integers_of_f32(x, one, limits, is_nearest).long()

    def to_integer(self, x: Tensor) -> Tensor:
        # Of `f64`, every integer of 32 bits is one. What is no number becomes 0.
        return x.double().nan_to_num(0.0).trunc().clamp(-(2.0**31), 2.0**31 - 1).long()


ARITHMETIC: dict[str, Arithmetic] = {"float": Float(), "fake": Fake(), "exact": Exact()}
"""By the names of the modes."""


def _integers_of_f32(x: Tensor, one: int, limits: tuple[int, int], is_nearest: bool) -> Tensor:
    product = (x.float() * one).nan_to_num(limits[0]).clamp(*limits)
    return product.round() if is_nearest else product.trunc()


def _rounded_quotient(quotient: Tensor, rounding: str) -> Tensor:
    rounded = quotient.floor() if rounding == "floor" else quotient.trunc()
    return straight_through(rounded, quotient)


def _wrap(x: Tensor, bits: int) -> Tensor:
    half = 1 << (bits - 1)
    return ((x + half) & ((1 << bits) - 1)) - half
