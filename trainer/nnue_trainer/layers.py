"""The layers of a stack: one module for each kind of operation.

`layer(inputs, arithmetic, stacks)` computes the layer's output, `[n, values]`, of positions that
are sorted by their stacks. `inputs` has a tensor `[n, values]` for each input of the description.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import torch
from torch import Generator, Tensor, nn

from . import float32, initial, schema
from .arithmetic import Arithmetic
from .description import Description
from .grid import LIMITS, Grid, Limits, One, Signs
from .schema import given
from .stacks import Stacks
from .transformer import quantmoid4


class Layer(nn.Module):
    """What a layer of a stack does."""

    def matrices(self) -> list[nn.Parameter]:
        """Weights `[..., outputs, inputs]` whose steps may have orthogonal directions. Between
        outputs that see different inputs, and in a single row or column, nothing is orthogonal."""
        return []

    def clip(self) -> None:
        """Brings parameters to the nearest numbers whose integers their types hold, and that keep
        the sums within theirs."""


class Affine(Layer):
    """`bias[o] + (sum of weight[o][i] * x[i]) / divide`."""

    reached: Tensor | None

    def __init__(
        self,
        description: Description,
        layer: schema.Layer,
        operation: schema.Affine,
        generator: Generator,
    ) -> None:
        super().__init__()
        self.layer, self.operation = layer, operation
        self.is_float = operation.weights == "f32"
        self.is_binary = operation.weights == "binary"
        self.is_wide = operation.sums == "i64"
        self.input_ranges = _ranges(description, layer)
        self._ranges: dict[tuple[torch.dtype, torch.device], tuple[Tensor, Tensor, float]] = {}
        # Of inputs with different ones, layers read but the signs.
        self.input_ones = [max(description.values(part.source).ones) for part in layer.inputs]
        stacks = 1 if layer.shared else description.buckets.count
        inputs = sum(part.len for part in layer.inputs)
        outputs = layer.output.len
        self.weights = nn.Parameter(torch.zeros(stacks, outputs, inputs))
        # What stacks share is in files as their own weights are.
        self.weight_grid = self._weight_grid(description.tensor("weights", layer.name))
        self.biases: nn.Parameter | None = None
        if operation.biases:
            self.biases = nn.Parameter(torch.zeros(stacks, outputs))
            element = "f32" if layer.output.element == "f32" else "i32"
            self.bias_grid = Grid.of(
                description.tensor("biases", layer.name), element, _ones(layer.output.ones)
            )
        self.factors: nn.Parameter | None = None
        factors = description.tensor_if_any("factors", layer.name)
        if factors is not None:
            self.factors = nn.Parameter(torch.ones(stacks, outputs))
            if operation.scales is None:
                self.factor_grid = Grid.of(factors, "f32", 1.0)
            else:
                self.factor_grid = Grid.of(factors, "i16", float(1 << operation.scales.shift))
        self.shared_weights: nn.Parameter | None = None
        self.shared_biases: nn.Parameter | None = None
        if layer.factorised:
            self.shared_weights = nn.Parameter(torch.zeros(outputs, inputs))
            if operation.biases:
                self.shared_biases = nn.Parameter(torch.zeros(outputs))
        self.register_buffer("reached", self._reached(), persistent=False)
        initial.of_affine(self, generator)
        if self.reached is not None:
            self.weights.data *= self.reached
        if self.factors is not None:
            self.factors.data.fill_(self._first_factor(inputs))

    def _weight_grid(self, tensor: schema.Tensor) -> Grid:
        operation = self.operation
        if self.is_float:
            return Grid.of(tensor, "f32", 1.0)
        if self.is_binary:
            return Signs()
        one: One
        if operation.weights_one is not None:
            numerator, denominator = operation.weights_one
            one = numerator / denominator
        elif operation.to_float is not None and operation.to_float.scale is not None:
            scale = float(np.float32(operation.to_float.scale))
            one = 1.0 / (scale * self.input_ones[0])
        elif operation.to_float is not None:
            # The scales follow: nothing else says what 1.0 is.
            one = 64.0
        else:
            by = operation.divide.by if operation.divide else 1
            one = (
                np.array(self.layer.output.ones, dtype=np.float64)[:, None]
                * by
                / self.input_ones[0]
            )
        return Grid.of(tensor, operation.weights, one)

    def _first_factor(self, inputs: int) -> float:
        """Factors with which outputs begin as those of other layers."""
        to_float = self.operation.to_float
        if self.operation.scales is None:
            # Sums of signs are about as large as the root of their number.
            one = (
                inputs**0.5 if self.is_binary else float(self.weight_grid.one) * self.input_ones[0]
            )
            return 1.0 / one
        one = max(self.layer.output.ones) if to_float is None else 1.0 / given(to_float.scale)
        size = max(self.input_ones) / 4 if self.operation.scales.inputs else 1.0
        return float(one / (size * inputs**0.5))

    def _reached(self) -> Tensor | None:
        """`[outputs, inputs]`: which outputs each input reaches; `None` if it is all of them. Runs
        of 16 outputs are spread evenly; shards are where the spec has them."""
        _, outputs, inputs = self.weights.shape
        shards = self.operation.shards
        if shards is not None:
            shard = (inputs - shards.common) // shards.count
            columns = torch.arange(inputs)
            own = torch.arange(outputs).div(outputs // shards.count, rounding_mode="floor")
            of_shard = (columns - shards.common).div(shard, rounding_mode="floor")
            return ((columns < shards.common) | (of_shard == own[:, None])).float()
        runs = self.operation.output_blocks
        if runs is None:
            return None
        reached = torch.zeros(outputs // 16, inputs)
        columns = torch.arange(inputs)
        for index in range(runs):
            reached[(columns * runs + index) % (outputs // 16), columns] = 1.0
        return reached.repeat_interleave(16, dim=0)

    def matrices(self) -> list[nn.Parameter]:
        if self.reached is not None or min(self.weights.shape[1:]) == 1:
            return []
        return [self.weights, *([] if self.shared_weights is None else [self.shared_weights])]

    def numbers(self) -> tuple[Tensor, Tensor | None]:
        """Weights `[stacks, outputs, inputs]` and biases `[stacks, outputs]` as numbers of the
        trainer, with what stacks share."""
        weights = self._reaching()
        biases: Tensor | None = self.biases
        if self.shared_weights is not None:
            weights = weights + self.shared_weights
        if biases is not None and self.shared_biases is not None:
            biases = biases + self.shared_biases
        return weights, biases

    def _reaching(self) -> Tensor:
        """The stacks' own weights, of which those that reach no output are zero."""
        return self.weights if self.reached is None else self.weights * self.reached

    def _integers(
        self, arithmetic: Arithmetic, grid: Grid, own: Tensor, shared: Tensor | None
    ) -> Tensor:
        """The network's numbers. What stacks share is added before it is rounded, unless a file has
        both as integers."""
        if shared is None:
            return arithmetic.parameter(grid, own)
        if grid.in_file:
            return arithmetic.parameter(grid, own) + arithmetic.parameter(grid, shared)
        return arithmetic.parameter(grid, own + shared)

    def _rounding(self, grid: Grid) -> float:
        """How far the integers of such a sum can be from its numbers, in their units."""
        return (2 if grid.in_file and self.shared_weights is not None else 1) * grid.rounding

    def forward(self, inputs: list[Tensor], arithmetic: Arithmetic, stacks: Stacks) -> Tensor:
        weights = self._integers(
            arithmetic, self.weight_grid, self._reaching(), self.shared_weights
        )
        if self.biases is None:
            shape = (1, self.layer.output.len)
            biases = weights.new_zeros(shape, dtype=None if self.is_float else weights.dtype)
            if arithmetic.is_exact and self.layer.output.element == "f32":
                biases = biases.float()
        else:
            biases = self._integers(arithmetic, self.bias_grid, self.biases, self.shared_biases)
        if self.is_float:
            return self._floats(torch.cat(inputs, dim=1), weights, biases, arithmetic, stacks)
        if self.is_binary:
            signs = [arithmetic.signs(x, one) for x, one in zip(inputs, self.input_ones)]
            sums = stacks.each(arithmetic.matmul, torch.cat(signs, dim=1), weights)
        else:
            sums = stacks.each(arithmetic.matmul, torch.cat(inputs, dim=1), weights)
        biases = stacks.of_positions(biases)
        if self.is_wide:
            return sums + biases
        sums = self._scaled(arithmetic.wrap(sums, 32), inputs, arithmetic, stacks)
        divide = self.operation.divide
        if divide is not None:
            sums = arithmetic.divide(sums, divide.by, divide.rounding)
        if self.operation.to_float is None:
            return arithmetic.wrap(sums + biases, 32)
        scale = self.operation.to_float.scale
        if scale is None:
            scales = stacks.of_positions(
                arithmetic.parameter(self.factor_grid, given(self.factors))
            )
        else:
            scales = torch.full_like(biases, float(np.float32(scale)))
        return arithmetic.f32(
            lambda sums, scales, biases: float32.fma(sums.float(), scales, biases),
            lambda sums, scales, biases: sums * scales + biases,
            sums,
            scales,
            biases,
        )

    def _floats(
        self, x: Tensor, weights: Tensor, biases: Tensor, arithmetic: Arithmetic, stacks: Stacks
    ) -> Tensor:
        def exact(x: Tensor, weights: Tensor, biases: Tensor) -> Tensor:
            of_rows = {"lanes": float32.lanes, "pairs": float32.pairs, "products": float32.products}
            if self.operation.sums in of_rows:
                return of_rows[self.operation.sums](x, weights) + biases
            return float32.columns(x, weights, biases)

        def linear(*of_stack: Tensor) -> Tensor:
            return arithmetic.f32(exact, nn.functional.linear, *of_stack)

        return stacks.each(linear, x, weights, biases)

    def _scaled(
        self, sums: Tensor, inputs: list[Tensor], arithmetic: Arithmetic, stacks: Stacks
    ) -> Tensor:
        """Binary sums with the size that they had before signs were taken."""
        scales = self.operation.scales
        if scales is None:
            return sums
        factors = stacks.of_positions(arithmetic.parameter(self.factor_grid, given(self.factors)))
        product = sums * factors
        if scales.inputs:
            size = torch.cat(inputs, dim=1).abs()
            product = product * arithmetic.divide(
                size.sum(dim=1, keepdim=True), size.shape[1], "floor"
            )
        return arithmetic.wrap(arithmetic.shift_right(product, scales.shift), 32)

    def clip(self) -> None:
        _clip_sum(self.weight_grid, self.weights, self.shared_weights, self.weight_grid.limits)
        if self.reached is not None:
            self.weights.mul_(self.reached)
        if self.biases is not None:
            _clip_sum(self.bias_grid, self.biases, self.shared_biases, self._limits_of_biases())
        if self.is_float or self.is_wide:
            return
        if self.factors is not None:
            self.factor_grid.clip(self.factors)
        if not self.is_binary:
            self._fit_sums()

    def _limits_of_biases(self) -> Limits | None:
        if self.bias_grid.limits is None or self.is_wide:
            return self.bias_grid.limits
        # As far as the sums go, so that what reads the outputs has room for both; and no further
        # than half of the range, because the other half is the sums'.
        most = max(*map(abs, given(self.layer.output.range)), 4 * max(self.layer.output.ones))
        most = min(most, LIMITS["i32"][1] // 2)
        low, high = self.bias_grid.limits
        return max(low, -most), min(high, most)

    def _fit_sums(self) -> None:
        """Outputs whose sums could leave 32 bits with some inputs get smaller weights."""
        room: float = LIMITS["i32"][1]
        if self.operation.divide is None and self.operation.to_float is None:
            room //= 2
        low, high, largest = self._ranges_of_inputs()
        if largest * -given(self.weight_grid.limits)[0] <= room:
            return
        numbers = self.numbers()[0]
        weights = self.weight_grid.scaled(numbers)
        above = torch.maximum(weights * low, weights * high).sum(dim=2)
        below = torch.minimum(weights * low, weights * high).sum(dim=2)
        room *= 0.999
        # Rounding adds to the weight of each input; but no integer is more than twice its number.
        # Where two are rounded and then added, these can cancel each other, and only none is sure
        # to fit.
        is_one = self._rounding(self.weight_grid) == self.weight_grid.rounding
        room = max(room - largest * self._rounding(self.weight_grid), room / 2 if is_one else 0.0)
        scale = (room / torch.maximum(above, -below).clamp(min=1)).clamp(max=1)
        # What stacks share stays, because other stacks may have room for it.
        self.weights.add_(numbers * (scale[:, :, None] - 1))

    def _ranges_of_inputs(self) -> tuple[Tensor, Tensor, float]:
        """The smallest and the largest value of each input, where the weights are, and the sum of
        the values that are the furthest from 0."""
        key = (self.weights.dtype, self.weights.device)
        if key not in self._ranges:
            # Once, because to copy them or to ask for the sum waits for a device.
            low, high = given(self.input_ranges).to(self.weights.dtype)
            # Only squares that wrap around are far below zero. A network that does so is no use.
            low = torch.maximum(low, -high)
            largest = float(torch.maximum(low.abs(), high.abs()).double().sum())
            self._ranges[key] = (low.to(self.weights), high.to(self.weights), largest)
        return self._ranges[key]


class Activations(Layer):
    """The results of all inputs by the first function, then those by the second, and so on."""

    def __init__(
        self,
        description: Description,
        layer: schema.Layer,
        operation: schema.Activations,
        generator: Generator,
    ) -> None:
        super().__init__()
        self.functions = operation.functions
        for function in self.functions:
            if function.name not in _INTEGERS and function.name not in _FLOATS:
                raise ValueError(f"found the activation `{function.name}`, which is not known")

    def forward(self, inputs: list[Tensor], arithmetic: Arithmetic, stacks: Stacks) -> Tensor:
        return torch.cat(
            [_activate(function, inputs[0], arithmetic) for function in self.functions], dim=1
        )


class Sum(Layer):
    """`sum of the inputs' [i]`, each aligned."""

    def __init__(
        self,
        description: Description,
        layer: schema.Layer,
        operation: schema.Sum,
        generator: Generator,
    ) -> None:
        super().__init__()
        self.aligns = operation.aligns
        self.is_float = layer.output.element == "f32"

    def forward(self, inputs: list[Tensor], arithmetic: Arithmetic, stacks: Stacks) -> Tensor:
        if self.is_float:
            return arithmetic.f32(_add, _add, *inputs)
        terms = [align(x, own, arithmetic) for x, own in zip(inputs, self.aligns)]
        return arithmetic.wrap(_add(*terms), 32)


class Product(Layer):
    """`a[i] * b[i] >> shift`."""

    def __init__(
        self,
        description: Description,
        layer: schema.Layer,
        operation: schema.Product,
        generator: Generator,
    ) -> None:
        super().__init__()
        self.shift = operation.shift
        self.is_nearest = operation.rounding == "nearest"
        self.is_float = layer.output.element == "f32"

    def forward(self, inputs: list[Tensor], arithmetic: Arithmetic, stacks: Stacks) -> Tensor:
        if self.is_float:
            return arithmetic.f32(torch.mul, torch.mul, *inputs)
        a, b = inputs
        return arithmetic.wrap(arithmetic.shift_product(a * b, self.shift, self.is_nearest), 32)


class RmsNorm(Layer):
    """`x[i] * (1 / sqrt(mean of x * x + epsilon)) * gain[i]`."""

    def __init__(
        self,
        description: Description,
        layer: schema.Layer,
        operation: schema.RmsNorm,
        generator: Generator,
    ) -> None:
        super().__init__()
        self.epsilon = operation.epsilon
        self.gain = operation.gain
        self.factors: nn.Parameter | None = None
        if self.gain is not None:
            stacks = 1 if layer.shared else description.buckets.count
            first = 0.0 if self.gain == "1 + gamma" else 1.0
            self.factors = nn.Parameter(torch.full((stacks, layer.output.len), first))
            tensor = description.tensor("factors", layer.name)
            self.factor_grid = Grid.of(tensor, "f32", 1.0)

    def forward(self, inputs: list[Tensor], arithmetic: Arithmetic, stacks: Stacks) -> Tensor:
        normed = arithmetic.f32(
            lambda x: float32.rms_norm(x, self.epsilon),
            lambda x: x * (x.square().mean(dim=1, keepdim=True) + self.epsilon).rsqrt(),
            inputs[0],
        )
        if self.factors is None:
            return normed
        gain = stacks.of_positions(arithmetic.parameter(self.factor_grid, self.factors))
        if self.gain == "1 + gamma":
            gain = arithmetic.f32(lambda gamma: gamma + 1.0, lambda gamma: gamma + 1.0, gain)
        return arithmetic.f32(torch.mul, torch.mul, normed, gain.expand_as(normed))

    def clip(self) -> None:
        if self.factors is not None:
            self.factor_grid.clip(self.factors)


class ToFloat(Layer):
    """`x[i] as f32 * scale`."""

    def __init__(
        self,
        description: Description,
        layer: schema.Layer,
        operation: schema.Float,
        generator: Generator,
    ) -> None:
        super().__init__()
        self.scale = float(np.float32(operation.scale))

    def forward(self, inputs: list[Tensor], arithmetic: Arithmetic, stacks: Stacks) -> Tensor:
        return arithmetic.f32(lambda x: x.float() * self.scale, lambda x: x * self.scale, inputs[0])


class ToInteger(Layer):
    """`x[i] * one`, clamped and rounded."""

    def __init__(
        self,
        description: Description,
        layer: schema.Layer,
        operation: schema.Integer,
        generator: Generator,
    ) -> None:
        super().__init__()
        self.operation = operation

    def forward(self, inputs: list[Tensor], arithmetic: Arithmetic, stacks: Stacks) -> Tensor:
        own = self.operation
        limits = (own.least, own.limit)
        return arithmetic.integers(inputs[0], own.one, limits, own.rounding == "nearest")


KINDS: dict[type[schema.Kind], Callable[..., Layer]] = {
    schema.Affine: Affine,
    schema.Activations: Activations,
    schema.Sum: Sum,
    schema.Product: Product,
    schema.RmsNorm: RmsNorm,
    schema.Float: ToFloat,
    schema.Integer: ToInteger,
}


def _clip_sum(grid: Grid, own: Tensor, shared: Tensor | None, limits: Limits | None) -> None:
    """Brings parameters, with what stacks share, within limits of integers. A stack's own part
    gives way."""
    if shared is None:
        grid.clip(own, limits)
        return
    if grid.in_file:
        # Each is an integer of the type, and so is their sum, each rounded up.
        grid.clip(shared, limits)
        grid.clip(own, limits)
        low, high = given(limits)
        slack = 2 * grid.rounding
        limits = (low * (1 - 2**-20) + slack, high * (1 - 2**-20) - slack)
    total = own + shared
    clipped = total.clone()
    grid.clip(clipped, limits)
    own += clipped - total


def align(x: Tensor, align: schema.Align, arithmetic: Arithmetic) -> Tensor:
    """Values `[n]` or `[n, values]` of one fixed point in another."""
    if isinstance(align, schema.Unaligned):
        return x
    if isinstance(align, schema.ExactAlign):
        numerators, denominators = zip(*align.factors)
        return arithmetic.scale(x, _factors(numerators, x), _factors(denominators, x))
    return arithmetic.shift_right(x * _factors(align.multipliers, x), align.shift)


def _factors(numbers: Sequence[int], like: Tensor) -> int | Tensor:
    """One factor for all values, or one for each."""
    if len(numbers) == 1:
        return numbers[0]
    return _factors_on(tuple(numbers), like.dtype, like.device)


@lru_cache(maxsize=1024)
def _factors_on(numbers: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    # A copy to a device waits for it, so that there is one for the whole training.
    return torch.tensor(numbers, dtype=dtype, device=device)


def _add(first: Tensor, *others: Tensor) -> Tensor:
    """From the first to the last."""
    total = first
    for term in others:
        total = total + term
    return total


def _ones(ones: Sequence[int]) -> One:
    """A one for all values, or one for each, as an array."""
    return float(ones[0]) if len(ones) == 1 else np.array(ones, dtype=np.float64)


def _ranges(description: Description, layer: schema.Layer) -> Tensor | None:
    """`[2, inputs]`: the smallest and the largest value of each input; `None` of `f32`."""
    ranges = []
    for part in layer.inputs:
        ends = description.values(part.source).range
        if ends is None:
            return None
        ranges.append(torch.tensor(ends, dtype=torch.float64)[:, None].expand(2, part.len))
    return torch.cat(ranges, dim=1)


def _clamped(function: schema.Function, x: Tensor, arithmetic: Arithmetic) -> Tensor:
    return arithmetic.shift_right(x, given(function.shift)).clamp(0, given(function.limit))


def _clamped_left(function: schema.Function, x: Tensor, arithmetic: Arithmetic) -> Tensor:
    return arithmetic.shift_left(x, given(function.shift)).clamp(0, given(function.limit))


def _square(function: schema.Function, x: Tensor, arithmetic: Arithmetic) -> Tensor:
    # What is beyond the limit has squares beyond it, which stay exact so.
    most = float((given(function.limit) + 1) << given(function.shift)) ** 0.5 + 1
    x = x.clamp(-int(most) - 1, int(most) + 1)
    return arithmetic.shift_right(x * x, given(function.shift)).clamp(max=given(function.limit))


def _wrapped_square(function: schema.Function, x: Tensor, arithmetic: Arithmetic) -> Tensor:
    square = arithmetic.wrapped_square(x)
    return arithmetic.shift_right(square, given(function.shift)).clamp(max=given(function.limit))


def _clamped_square(function: schema.Function, x: Tensor, arithmetic: Arithmetic) -> Tensor:
    clipped = x.clamp(0, given(function.limit))
    nearest = function.rounding == "nearest"
    return arithmetic.shift_product(clipped * clipped, given(function.shift), nearest)


def _quantmoid4(function: schema.Function, x: Tensor, arithmetic: Arithmetic) -> Tensor:
    return quantmoid4(arithmetic.shift_right(x, given(function.shift)), arithmetic)


_INTEGERS: dict[str, Callable[[schema.Function, Tensor, Arithmetic], Tensor]] = {
    "relu": _clamped,
    "relu_left": _clamped_left,
    "sqr_crelu": _square,
    "sqr_crelu_i32": _wrapped_square,
    "screlu": _clamped_square,
    "quantmoid4": _quantmoid4,
}


def _clipped(x: Tensor) -> Tensor:
    """What is no number becomes 0."""
    return torch.where(x > 0, x, torch.zeros_like(x)).clamp(max=1.0)


def _positive(x: Tensor) -> Tensor:
    return torch.where(x > 0, x, torch.zeros_like(x))


def _negative(x: Tensor) -> Tensor:
    return torch.where(x < 0, x, torch.zeros_like(x))


_FLOATS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]] = {
    "crelu_f32": (_clipped, _clipped),
    "screlu_f32": (lambda x: _clipped(x) * _clipped(x),) * 2,
    "sqr_crelu_f32": (lambda x: _clipped(x * x),) * 2,
    "relu_f32": (_positive, _positive),
    "sigmoid_f32": (float32.sigmoid, torch.sigmoid),
    "sqr_f32": (lambda x: x * x,) * 2,
    "sqr_relu_f32": (lambda x: _positive(x) * _positive(x),) * 2,
    "sqr_negative_f32": (lambda x: _negative(x) * _negative(x),) * 2,
    "hard_swish_f32": (float32.hard_swish, lambda x: x * (x + 3).clamp(0, 6) / 6),
}
"""The function whose bits the language says, and the one that has the gradient."""


def _activate(function: schema.Function, x: Tensor, arithmetic: Arithmetic) -> Tensor:
    if function.name in _INTEGERS:
        return _INTEGERS[function.name](function, x, arithmetic)
    return arithmetic.f32(*_FLOATS[function.name], x)
