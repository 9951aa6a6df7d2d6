"""Which integers the numbers of a tensor become when a net is written.

A parameter is a number of the trainer, in which 1.0 is 1.0. A network of integers has it times its
`one`, rounded, and no further than its type allows. These functions compute the same integers as
`nnue quantise` does of the file that the parameters are written to: the product is one of 64 bits,
and halves are rounded away from zero.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from .schema import Tensor as TensorOfFile
from .schema import given
from .straight_through import straight_through

LIMITS = {
    "i8": (-128, 127),
    "i16": (-32768, 32767),
    "i32": (-(2**31), 2**31 - 1),
}


One = float | npt.NDArray[np.float64]
"""What stands for 1.0: a number, or an array that broadcasts with the parameter."""

Limits = tuple[float, float]
"""The smallest and the largest integer."""


class Grid:
    """The numbers that a tensor of the network can have.

    Of `f32`, `limits` is `None` and there are no integers, unless `divisor` says that the network
    has quotients of integers: by what they are divided, and the limits of these integers. `in_file`
    says whether files have the integers themselves, and not floating point that becomes integers
    when it is loaded. The network has the integers of files `times` times.
    """

    def __init__(
        self,
        one: One,
        limits: Limits | None,
        truncates: bool = False,
        divisor: tuple[float, Limits] | None = None,
        in_file: bool = False,
        times: int = 1,
    ) -> None:
        self.one = one
        self.limits = limits
        self.truncates = truncates
        self.divisor = divisor
        self.in_file = in_file
        self.times = times
        self._ones: dict[tuple[torch.dtype, torch.device], Tensor] = {}

    @classmethod
    def of(cls, tensor: TensorOfFile, element: str, one: One) -> "Grid":
        """That of a tensor of files, which the network has as `element`, with this one where the
        file does not say another factor."""
        if element == "f32":
            if tensor.element not in LIMITS:
                return cls(1.0, None)
            return cls(1.0, None, divisor=(given(tensor.divisor), LIMITS[tensor.element]))
        low, high = LIMITS[element]
        quantise = tensor.quantise
        stored = quantise.element if quantise else tensor.element
        if stored in LIMITS:
            least, most = (end * tensor.times for end in LIMITS[stored])
            low, high = max(low, least), min(high, most)
        if quantise:
            return cls(quantise.factor, (low, high), truncates=quantise.rounding == "truncate")
        return cls(one, (low, high), in_file=stored in LIMITS, times=tensor.times)

    @property
    def rounding(self) -> float:
        """How far an integer can be from its number, in its units."""
        return 1.0 if self.truncates else 0.5 * self.times

    def _one(self, like: Tensor) -> float | Tensor:
        if isinstance(self.one, np.ndarray):
            # A copy to a device waits for it, so that there is one for the whole training.
            key = (like.dtype, like.device)
            if key not in self._ones:
                self._ones[key] = torch.as_tensor(self.one, dtype=like.dtype, device=like.device)
            return self._ones[key]
        return self.one

    def scaled(self, parameter: Tensor) -> Tensor:
        """The parameter in the units of the integers, without rounding."""
        if self.limits is None:
            return parameter
        return parameter * self._one(parameter)

    def rounded(self, parameter: Tensor) -> Tensor:
        """The integers that the parameter becomes, or the `f32`, in the parameter's own type. In
        `f32` the product is rounded too, so that a number next to a half can become the other
        integer; in `f64` the integers are those of the file."""
        parameter = parameter.detach()
        if parameter.dtype != torch.float64:
            return self._rounded(parameter, torch.round)
        return self.exact(parameter)

    def exact(self, parameter: Tensor) -> Tensor:
        """The integers that a file has of the parameter, as `f64`; of floating point, the `f32`
        that it has."""
        return self._rounded(parameter.detach().float().double(), _half_away)

    def integers(self, parameter: Tensor) -> Tensor:
        """The integers of a file that has integers, as `f64`."""
        if self.limits is None:
            by, limits = given(self.divisor)
            return _half_away(parameter.detach().float().double() * by).clamp(*limits)
        return self.exact(parameter) / self.times

    def _rounded(self, parameter: Tensor, nearest: Callable[[Tensor], Tensor]) -> Tensor:
        if self.limits is None:
            if self.divisor is None:
                return parameter
            by, limits = self.divisor
            quotients = nearest(parameter * by).clamp(*limits) / by
            return quotients.float().to(parameter.dtype)
        product = parameter * self._one(parameter) / self.times
        integers = product.trunc() if self.truncates else nearest(product)
        low, high = self.limits
        return integers.clamp(-(-low // self.times), high // self.times) * self.times

    def clip(self, parameter: Tensor, limits: Limits | None = None) -> None:
        """Brings the parameter to the nearest numbers whose integers are within the limits: those
        of the type, or narrower ones."""
        if self.limits is None:
            if self.divisor is not None:
                by, (low, high) = self.divisor
                parameter.clamp_(low / by, high / by)
            return
        low, high = limits or self.limits
        one = self._one(parameter)
        if isinstance(one, torch.Tensor):
            torch.minimum(torch.maximum(parameter, low / one), high / one, out=parameter)
        else:
            parameter.clamp_(low / one, high / one)

    def saturated(self, parameter: Tensor) -> float | None:
        """The share of numbers whose integers are the ends of their type; `None` where there is no
        such type."""
        if self.limits is None:
            return None
        low, high = self.limits
        integers = self.rounded(parameter)
        return float(((integers <= low) | (integers >= high)).float().mean())


class Signs(Grid):
    """The grid of binary weights: 1, or -1 for negative numbers."""

    def __init__(self) -> None:
        super().__init__(1.0, (-1, 1))

    def scaled(self, parameter: Tensor) -> Tensor:
        return straight_through(self.rounded(parameter), parameter.clamp(-1, 1))

    def rounded(self, parameter: Tensor) -> Tensor:
        ones = torch.ones_like(parameter)
        return torch.where(parameter < 0, -ones, ones)

    def exact(self, parameter: Tensor) -> Tensor:
        return self.rounded(parameter.detach()).double()

    def saturated(self, parameter: Tensor) -> float | None:
        return None

    def clip(self, parameter: Tensor, limits: Limits | None = None) -> None:
        parameter.clamp_(-1, 1)


def _half_away(x: Tensor) -> Tensor:
    """The nearest integers; of two that are as near, the one further from zero."""
    whole = x.trunc()
    return whole + ((x - whole).abs() >= 0.5) * x.sign()
