"""What the operations of the language compute in each of the three modes.

Layers are written once, in the operations of a `Float`, a `Fake` or an `Exact`. Values of integer
tensors are in the network's units in all of them.
"""

import torch

from .straight_through import straight_through


class Float:
    """Without rounding: a shift to the right is a division."""

    is_exact = False
    """Whether values are the integers themselves, as `int64`."""

    def parameter(self, grid, parameter):
        """A parameter in the network's units."""
        return grid.scaled(parameter)

    def shift_right(self, x, shift):
        return x if shift == 0 else x * 2.0**-shift

    def shift_nearest(self, x, shift):
        """A shift to the right that rounds to the nearest, halves up."""
        return self.shift_right(x, shift)

    def shift_left(self, x, shift):
        return x * 2**shift

    def divide(self, x, by, rounding):
        """`x / by`, rounded towards zero (`truncate`) or down (`floor`)."""
        return x / by

    def scale(self, x, numerator, denominator, rounding="truncate"):
        """`x * numerator / denominator`."""
        return x * (numerator / denominator)

    def wrap(self, x, bits):
        """What remains of a sum in so many bits."""
        return x

    def wrapped_square(self, x):
        """The square of `x` in 32 bits."""
        return x * x

    def matmul(self, x, weights):
        """The sums of products of each row of `x` and each row of `weights`."""
        return torch.nn.functional.linear(x, weights)

    def signs(self, x, one):
        """1, or -1 for negative values. The gradient is that of values from -one to one, and none
        beyond them."""
        positive = torch.where(x < 0, -torch.ones_like(x), torch.ones_like(x))
        return straight_through(positive, (x / one).clamp(-1, 1))

    def f32(self, exact, smooth, *values):
        """A function of `f32`: `exact` gives its bits, `smooth` has its gradient."""
        return smooth(*values)

    def to_integer(self, x):
        """An `f32` as `i32`: truncated and saturated."""
        return x


class Fake(Float):
    """The values of the integers, held as floating point, with the gradients of `Float`.

    Sums are taken to fit their types, which `Network.clip` sees to. In `f32`, integers beyond 2^24
    lose their last bits; in `f64`, none do.
    """

    def parameter(self, grid, parameter):
        return straight_through(grid.rounded(parameter), grid.scaled(parameter))

    def shift_right(self, x, shift):
        if shift == 0:
            return x
        quotient = x * 2.0**-shift
        return straight_through(quotient.floor(), quotient)

    def shift_nearest(self, x, shift):
        quotient = x * 2.0**-shift
        return straight_through((quotient + 0.5).floor(), quotient)

    def divide(self, x, by, rounding):
        return _rounded_quotient(x / by, rounding)

    def scale(self, x, numerator, denominator, rounding="truncate"):
        # The product first, because it is exact.
        return _rounded_quotient(x * numerator / denominator, rounding)

    def wrapped_square(self, x):
        integers = x.detach().long()
        square = _wrap(integers * integers, 32)
        return straight_through(square.to(x.dtype), x * x)

    def f32(self, exact, smooth, *values):
        y = smooth(*values)
        if y.dtype != torch.float64:
            return y
        bits = exact(*(value.detach().float() for value in values))
        return straight_through(bits.to(y.dtype), y)

    def to_integer(self, x):
        return straight_through(x.trunc().clamp(-(2.0**31), 2.0**31 - 1), x)


class Exact:
    """The integers themselves, as `int64`, and `f32` bit by bit."""

    is_exact = True

    def parameter(self, grid, parameter):
        numbers = grid.exact(parameter)
        return numbers.float() if grid.limits is None else numbers.long()

    def shift_right(self, x, shift):
        return x >> shift

    def shift_nearest(self, x, shift):
        return (x + (1 << shift >> 1)) >> shift

    def shift_left(self, x, shift):
        return x << shift

    def divide(self, x, by, rounding):
        mode = {"truncate": "trunc", "floor": "floor"}[rounding]
        return torch.div(x, by, rounding_mode=mode)

    def scale(self, x, numerator, denominator, rounding="truncate"):
        return self.divide(x * numerator, denominator, rounding)

    def wrap(self, x, bits):
        return _wrap(x, bits)

    def wrapped_square(self, x):
        return _wrap(x * x, 32)

    def matmul(self, x, weights):
        if weights.numel() == 0 or x.numel() == 0:
            return x.new_zeros(x.shape[0], weights.shape[0])
        # Matrices of `f64` are multiplied many times as fast, and exactly up to 2^53.
        largest = int(x.abs().max()) * int(weights.abs().sum(dim=1).max())
        if largest < 2**53:
            return (x.double() @ weights.double().T).long()
        return x @ weights.T

    def signs(self, x, one):
        return torch.where(x < 0, -torch.ones_like(x), torch.ones_like(x))

    def f32(self, exact, smooth, *values):
        return exact(*values)

    def to_integer(self, x):
        # Of `f64`, every integer of 32 bits is one. What is no number becomes 0.
        return x.double().nan_to_num(0.0).trunc().clamp(-(2.0**31), 2.0**31 - 1).long()


ARITHMETIC = {"float": Float(), "fake": Fake(), "exact": Exact()}


def _rounded_quotient(quotient, rounding):
    rounded = quotient.floor() if rounding == "floor" else quotient.trunc()
    return straight_through(rounded, quotient)


def _wrap(x, bits):
    half = 1 << (bits - 1)
    return ((x + half) & ((1 << bits) - 1)) - half
