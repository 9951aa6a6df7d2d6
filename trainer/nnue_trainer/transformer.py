"""The sparse first layer: from active rows to what the layers read."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

import torch
from torch import Generator, Tensor, nn

from . import initial, schema, sparse, virtual_rows
from .arithmetic import Arithmetic
from .batch import Batch, Rows
from .description import Description
from .grid import LIMITS, Grid, Limits
from .schema import given

LAG = 2
"""How many steps a GPU may be behind."""


class FeatureRows(nn.Module):
    """The rows of a feature set, with its virtual ones: `[copies * rows, width]`, white's before
    black's where these are separate."""

    sums: Tensor
    """`[rows, virtual sets]`: the virtual row that is added to each row; only with virtual sets."""

    def __init__(
        self,
        description: Description,
        features: schema.FeatureSet,
        width: int,
        grid: Grid,
        virtual_grid: Grid | None,
        virtual_sets: Sequence[str],
    ) -> None:
        """`virtual_grid` is that of virtual rows which files have; of others it is `None`, because
        files have the sums."""
        super().__init__()
        self.features, self.grid, self.copies = features, grid, description.copies
        self.shift = features.shift
        self.virtual_grid = virtual_grid
        # What a spec says of the rounding of sums is said of floating point. Of integers, a file
        # has one for each summand.
        self.rounds_each = virtual_grid is not None and (features.round_each or grid.in_file)
        self.weights = nn.Parameter(torch.zeros(self.copies * features.rows, width))
        self.virtual: nn.Parameter | None = None
        if virtual_sets:
            sums = torch.from_numpy(virtual_rows.sums(features, virtual_sets))
            self.virtual_rows = sum(virtual_rows.lens(features, virtual_sets))
            # A row of zeros stands behind the others, for rows that have no virtual ones.
            sums[sums < 0] = self.virtual_rows
            self.register_buffer("sums", sums, persistent=False)
            self.virtual = nn.Parameter(torch.zeros(self.copies * self.virtual_rows, width))

    def coalesced(self) -> Tensor:
        """`[copies * rows, width]`: the rows with their virtual ones, as numbers of the trainer.
        They are added as the loader of a factorised file does: in `f32`, one after the other."""
        total: Tensor = self.weights
        for summand in self._summands():
            total = total + summand
        return total

    def _summands(self) -> Iterator[Tensor]:
        if self.virtual is None:
            return
        tables = self.virtual.view(self.copies, self.virtual_rows, -1)
        tables = nn.functional.pad(tables, (0, 0, 0, 1))
        for index in range(self.sums.shape[1]):
            summand = tables[:, self.sums[:, index]]
            yield summand.reshape(self.weights.shape)

    def integers(self, arithmetic: Arithmetic) -> Tensor:
        """`[copies * rows, width]`: the rows as they are added to accumulators, but for the set's
        shift."""
        if not self.rounds_each:
            return arithmetic.parameter(self.grid, self.coalesced())
        total = arithmetic.parameter(self.grid, self.weights)
        for summand in self._summands():
            total = total + arithmetic.parameter(given(self.virtual_grid), summand)
        return total

    @property
    def rounding(self) -> float:
        """How far the integers of a row can be from its numbers, in their units."""
        if not self.rounds_each:
            return self.grid.rounding
        return self.grid.rounding + self.sums.shape[1] * given(self.virtual_grid).rounding

    @property
    def growth(self) -> float:
        """How many times as far from 0 as its number an integer can be: twice, unless it is
        truncated; and a little more, because `f32` rounds too."""
        grids = [self.grid, given(self.virtual_grid)] if self.rounds_each else [self.grid]
        return (1 if all(grid.truncates for grid in grids) else 2) * (1 + 2**-9)

    def summed(self) -> list[Tensor]:
        """What is rounded for itself and then added, in the units of integers: the rows with their
        virtual ones, or each of these."""
        if not self.rounds_each:
            return [self.grid.scaled(self.coalesced())]
        return [
            self.grid.scaled(self.weights),
            *map(given(self.virtual_grid).scaled, self._summands()),
        ]

    def clip(self, limits: Limits | None = None) -> Tensor:
        """Brings the sums of rows and virtual rows within limits of integers, and returns them,
        `[copies * rows, width]`, in the units of integers. Without `limits`, each integer fits its
        type, but no sum needs to."""
        if not self.rounds_each:
            return self._clip_sums(limits)
        # Each is an integer of its type before it is added, and the row's own still is one after it
        # has given way to the others: these together are as far from zero as the sum may be.
        virtual_grid = given(self.virtual_grid)
        low, high = limits or given(virtual_grid.limits)
        count = self.sums.shape[1]
        virtual_grid.clip(given(self.virtual), (low / count, high / count))
        self.grid.clip(self.weights)
        own = self.grid.scaled(self.weights)
        total = own
        for summand in self._summands():
            total = total + virtual_grid.scaled(summand)
        clipped = total.clamp(low, high)
        self.weights.add_((clipped - total) / float(self.grid.one))
        return clipped

    def _clip_sums(self, limits: Limits | None) -> Tensor:
        if self.virtual is None:
            self.grid.clip(self.weights, limits)
            return self.grid.scaled(self.weights)
        # Loaders keep the virtual rows of a file too.
        if self.virtual_grid is not None:
            self.virtual_grid.clip(self.virtual)
        # The rows' own part gives way.
        total = self.coalesced()
        clipped = total.clone()
        self.grid.clip(clipped, limits)
        self.weights.add_(clipped - total)
        return self.grid.scaled(clipped)


class SetsOfRows(nn.ModuleList):
    """The rows of each feature set."""

    def __iter__(self) -> Iterator[FeatureRows]:
        return cast(Iterator[FeatureRows], super().__iter__())

    # Later versions of torch say that it takes slices too.
    def __getitem__(self, index: int) -> FeatureRows:  # type: ignore[override,unused-ignore]
        return cast(FeatureRows, super().__getitem__(index))


class Transformer(nn.Module):
    """For each perspective, `biases + sum of the active rows`, activated and pooled."""

    def __init__(self, description: Description, factorise: bool, generator: Generator) -> None:
        """`factorise` gives sets with several king buckets virtual rows that files do not have."""
        super().__init__()
        self.description = description
        self.transformer = description.transformer
        self.perspectives = self.transformer.perspectives
        width, psqt = self.transformer.width, self.transformer.psqt
        copies = description.copies
        one = self.transformer.one
        self.defers = False
        """Whether `clip` makes too large sums smaller only `LAG` calls later, so that it need not
        wait for a device. What is validated or written needs a `clip` that does not."""
        self._answers: list[tuple[Tensor, Any]] = []
        self.sets = SetsOfRows()
        self.psqt = SetsOfRows() if psqt else None
        virtual_row = copies * description.rows
        for features in description.features:
            virtual_sets: tuple[str, ...] = features.virtual_sets
            in_file = bool(virtual_sets)
            if not virtual_sets and factorise and virtual_rows.suits(features):
                virtual_sets = ("pieces",)

            first_rows = (features.first_row, virtual_row if in_file else None)
            # Rows that virtual ones are added to are words in memory.
            element = "i16" if in_file else features.element
            own_one = one / 2**features.shift
            grids = _grids(description, "transformer-weights", first_rows, element, own_one)
            self.sets.append(FeatureRows(description, features, width, *grids, virtual_sets))
            if psqt and self.psqt is not None:
                grids = _grids(description, "psqt", first_rows, "i32", psqt.one)
                own = FeatureRows(description, features, psqt.values, *grids, virtual_sets)
                own.shift = 0
                self.psqt.append(own)
            if in_file:
                virtual_row += features.virtual_rows
        tensor = description.tensor("transformer-biases")
        self.bias_grid = Grid.of(tensor, "i16", one)
        self.biases = nn.Parameter(torch.zeros(copies, width))
        unpooled = self.transformer.unpooled
        self.unpooled = unpooled.len // self.perspectives.count if unpooled else 0
        initial.of_transformer(self, generator)

    def forward(
        self, batch: Batch, arithmetic: Arithmetic
    ) -> tuple[dict[str, Tensor], Tensor | None]:
        """What layers can read, `[n, values]` by name, and the PSQT part of the evaluation, `[n]`:
        `None` where there is none."""
        accumulators = self._accumulators(batch, arithmetic)
        pooled = self.transformer.width - self.unpooled
        # A slice of all would cost a copy of the gradient.
        own = accumulators[..., :pooled] if self.unpooled else accumulators
        # Apart from the call below: `torch.compile` leaves its program here, and would compile anew
        # in each step for a method that waits to be called.
        pooled_neurons = self._activated_and_pooled(own, arithmetic)
        values = {"transformer": self._together(pooled_neurons)}
        if self.unpooled:
            values["unpooled"] = self._together(accumulators[..., pooled:])
        if self.psqt is None:
            return values, None
        sums = self._sums_of_psqt(self.psqt, batch, arithmetic)
        if given(self.transformer.psqt).read_by_layers:
            values["psqt"] = sums
            return values, None
        if sums.shape[1] == 1:
            return values, sums[:, 0]
        return values, sums.gather(1, batch.stack[:, None])[:, 0]

    def _accumulators(self, batch: Batch, arithmetic: Arithmetic) -> Tensor:
        """`[perspectives, n, width]`, in the order in which the layers see them."""
        sums = self._sums(self.sets, batch, arithmetic)
        biases = arithmetic.parameter(self.bias_grid, self.biases)
        return arithmetic.wrap(self._ordered(batch, sums + self._of_views(batch, biases)), 16)

    def _sums(self, sets: Iterable[FeatureRows], batch: Batch, arithmetic: Arithmetic) -> Tensor:
        """`[perspectives, n, width]`, the side to move first."""
        total: Tensor | None = None
        for own, active in zip(sets, batch.sets):
            table = own.integers(arithmetic)
            # Integers are added in `f64`, where their sums are exact.
            floats = table.double() if arithmetic.is_exact else table
            sums = sparse.sum_rows(self._rows_of_views(batch, active, own), floats)
            sums = sums.to(table.dtype)
            if own.shift:
                sums = arithmetic.shift_left(sums, own.shift)
            total = sums if total is None else total + sums
        return given(total).view(self.perspectives.count, batch.n, -1)

    def _colours(self, batch: Batch) -> Tensor:
        """`[perspectives, n]`: 0 where a view is white's, 1 where it is black's."""
        own = (~batch.white).long()
        if self.perspectives.count == 1 and self.perspectives.order == "white-first":
            own = torch.zeros_like(own)
        return torch.stack([own, 1 - own][: self.perspectives.count])

    def _of_views(self, batch: Batch, values: Tensor) -> Tensor:
        """Of `[copies, width]`, those of each view: `[perspectives, n, width]`, or `[width]` where
        all views have the same."""
        return values[0] if len(values) == 1 else values[self._colours(batch)]

    def _rows_of_views(self, batch: Batch, active: Rows, own: FeatureRows) -> Rows:
        """Rows of white's and black's tables, where these are separate."""
        if own.copies == 1:
            return active
        # Nothing here waits for a device: how many rows there are is known.
        count = len(active.rows)
        ends = nn.functional.pad(active.offsets[1:], (0, 1), value=count)
        colours = self._colours(batch).flatten()
        first = (colours * own.features.rows).repeat_interleave(
            (ends - active.offsets).long(), output_size=count
        )
        return Rows(active.rows + first.to(active.rows.dtype), active.offsets)

    def _ordered(self, batch: Batch, views: Tensor) -> Tensor:
        """Views `[perspectives, n, width]` in the order in which the layers see them."""
        if self.perspectives.order != "white-first" or len(views) == 1:
            return views
        first = torch.where(batch.white[:, None], views[0], views[1])
        second = torch.where(batch.white[:, None], views[1], views[0])
        return torch.stack([first, second])

    def _activated_and_pooled(self, x: Tensor, arithmetic: Arithmetic) -> Tensor:
        function, pooling = self.transformer.activation, self.transformer.pooling
        if pooling is None or function.name != "crelu" or pooling.kind != "product":
            return self._pool(self._activate(x, arithmetic), arithmetic)
        return arithmetic.clipped_products(
            x,
            pooling.block,
            given(function.limit),
            given(pooling.shift),
            pooling.rounding == "nearest",
        )

    def _activate(self, x: Tensor, arithmetic: Arithmetic) -> Tensor:
        function = self.transformer.activation
        if function.name == "none":
            return x
        if function.name == "crelu":
            return x.clamp(0, given(function.limit))
        if function.name == "screlu":
            nearest = function.rounding == "nearest"
            return arithmetic.clipped_square(
                x, self.transformer.one, given(function.shift), nearest
            )
        if function.name == "relu":
            return arithmetic.shift_right(x, given(function.shift)).clamp(0, given(function.limit))
        if function.name == "quantmoid4":
            return quantmoid4(x, arithmetic)
        raise ValueError(
            f"found the transformer's activation `{function.name}`, which is not known"
        )

    def _pool(self, x: Tensor, arithmetic: Arithmetic) -> Tensor:
        """`[perspectives, n, values]`, of `[perspectives, n, pooled neurons]`."""
        pooling = self.transformer.pooling
        if pooling is None:
            return x
        blocks = x.unflatten(2, (-1, 2, pooling.block // 2))
        a, b = blocks[:, :, :, 0], blocks[:, :, :, 1]
        if pooling.kind == "product":
            nearest = pooling.rounding == "nearest"
            pooled = arithmetic.shift_product(a * b, given(pooling.shift), nearest)
        elif pooling.kind == "average":
            pooled = arithmetic.shift_nearest(a + b, 1)
        elif pooling.kind == "max":
            pooled = torch.maximum(a, b)
        else:
            raise ValueError(f"found the pooling `{pooling.kind}`, which is not known")
        return pooled.flatten(2)

    def _together(self, views: Tensor) -> Tensor:
        """`[n, values]`, of `[perspectives, n, values of each]`."""
        if self.perspectives.order == "interleaved":
            return views.permute(1, 2, 0).flatten(1)
        return views.permute(1, 0, 2).flatten(1)

    def _sums_of_psqt(
        self, psqt: Iterable[FeatureRows], batch: Batch, arithmetic: Arithmetic
    ) -> Tensor:
        """`[n, values]`: half the difference of both perspectives' sums, or the sum of the one."""
        sums = self._ordered(batch, self._sums(psqt, batch, arithmetic))
        if len(sums) == 1:
            return arithmetic.wrap(sums[0], 32)
        return arithmetic.divide(arithmetic.wrap(sums[0] - sums[1], 32), 2, "truncate")

    def clip(self) -> None:
        """Rows and biases get integers that their types hold, and whose sums stay within 16 bits
        (of PSQT, 32) with as many active features as each set can have."""
        self.bias_grid.clip(self.biases)
        self._fit_accumulators([own.clip() for own in self.sets])
        most = sum(own.features.max_active for own in self.sets)
        for own in self.psqt or ():
            limit = LIMITS["i32"][1] // (2 * most)
            own.clip((-limit, limit))

    def _fit_accumulators(self, coalesced: list[Tensor]) -> None:
        """Neurons whose largest rows could leave 16 bits together are made smaller as a whole.
        `coalesced` has the rows of each set, with their virtual ones, in the units of integers.
        """
        biases = self.bias_grid.scaled(self.biases)
        tables = [table.unflatten(0, (own.copies, -1)) for own, table in zip(self.sets, coalesced)]
        scale = torch.ones_like(biases)
        # What integers add to the numbers, and a half for each feature because `f32` rounds too.
        slack = [(own.features.max_active << own.shift) * (own.rounding + 0.5) for own in self.sets]
        room: float = LIMITS["i16"][1]
        # Where shifts make that too much: an integer is a multiple of its number at most, because
        # small numbers become 0.
        by_growth = [each > room / 2 / len(self.sets) for each in slack]
        # A bias is rounded too, for which there is room in what sets add.
        room -= max(sum(each for each, grows in zip(slack, by_growth) if not grows), 1)
        factors = [
            (own.growth if each else 1) * (1 << own.shift)
            for own, each in zip(self.sets, by_growth)
        ]
        bounds: list[tuple[int, Tensor, Tensor, list[tuple[int, Tensor, float]]]] = []
        for sign in (1, -1):
            own_biases = (sign * biases).clamp(min=0)
            bound = own_biases
            sides: list[tuple[int, Tensor, float]] = []
            for own, table, factor, grows in zip(self.sets, tables, factors, by_growth):
                if grows:
                    # Of parts on either side of 0, one may become 0 and the other not.
                    parts = [
                        part.clamp(min=0) if sign > 0 else part.clamp(max=0)
                        for part in own.summed()
                    ]
                    table = sum(parts, torch.zeros_like(parts[0])).view_as(table)
                largest = table.amax(dim=1) if sign > 0 else -table.amin(dim=1)
                bound = bound + own.features.max_active * factor * largest.clamp(min=0)
                sides.append((own.features.max_active, table, factor))
            bounds.append((sign, own_biases, bound, sides))
        if self.defers:
            exceeded = torch.stack([(bound > room).any() for _, _, bound, _ in bounds]).any()
            if not self._was_exceeded(exceeded):
                return
        else:
            # What is done now need not be done later.
            self._answers.clear()
        for sign, own_biases, bound, sides in bounds:
            for copy in range(len(biases)):
                neurons = (bound[copy] > room).nonzero()[:, 0]
                if len(neurons) == 0:
                    continue
                # That many times the largest row is more than the largest rows together.
                exact = own_biases[copy, neurons]
                for most, table, factor in sides:
                    most = min(most, table.shape[1])
                    largest = (sign * table[copy][:, neurons]).topk(most, dim=0).values
                    exact = exact + factor * largest.clamp(min=0).sum(dim=0)
                fits = (room / exact).clamp(max=1)
                scale[copy, neurons] = torch.minimum(scale[copy, neurons], fits)
        if bool((scale < 1).any()):
            self.biases.mul_(scale)
            for own in self.sets:
                own.weights.view(own.copies, -1, own.weights.shape[1]).mul_(scale[:, None])
                if own.virtual is not None:
                    own.virtual.view(own.copies, -1, own.weights.shape[1]).mul_(scale[:, None])

    def _was_exceeded(self, exceeded: Tensor) -> bool:
        """Remembers whether a step has left too large sums, and says it of the step `LAG` before:
        the answer for that one is here without waiting."""
        event = None
        if exceeded.device.type == "cuda":
            answer = torch.empty((), dtype=torch.bool, pin_memory=True)
            answer.copy_(exceeded, non_blocking=True)
            event = torch.cuda.Event()
            event.record()
        else:
            answer = exceeded
        self._answers.append((answer, event))
        if len(self._answers) <= LAG:
            return False
        answer, event = self._answers.pop(0)
        if event is not None:
            event.synchronize()
        return bool(answer)


def _grids(
    description: Description, role: str, rows: tuple[int, int | None], element: str, one: float
) -> tuple[Grid, Grid | None]:
    """Those of a set's rows and of the virtual ones, by the first of either; `None` where files
    have no virtual ones."""

    def of_row(row: int) -> Grid:
        return Grid.of(description.tensor(role, row=row), element, one)

    first, first_virtual = rows
    return of_row(first), None if first_virtual is None else of_row(first_virtual)


def quantmoid4(x: Tensor, arithmetic: Arithmetic) -> Tensor:
    """A sigmoid made of two parabolas: `y = (127 - min(|x|, 127))^2 >> 8`, then `y` for negative
    `x` and `126 - y` for all others."""
    root = 127 - x.abs().clamp(max=127)
    y = arithmetic.shift_right(root * root, 8)
    return torch.where(x < 0, y, 126 - y)
