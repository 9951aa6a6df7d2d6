"""Positions by their stacks of layers."""

from collections.abc import Callable

import torch
from torch import Tensor


class Stacks:
    """Positions in the order of their stacks."""

    def __init__(self, stack: Tensor, count: int, lens: list[int] | None = None) -> None:
        """`stack` `[n]` has the stack of each position, of so many stacks. `lens` says how many
        positions each has, where that is known: to count them waits for the device."""
        self.is_one = count == 1
        if self.is_one:
            return
        self.order = stack.argsort(stable=True)
        self.sorted = stack[self.order]
        self.lens = stack.bincount(minlength=count).tolist() if lens is None else lens

    def in_order(self, x: Tensor) -> Tensor:
        """Values of positions in the order of their stacks."""
        return x if self.is_one else x[self.order]

    def as_they_came(self, x: Tensor) -> Tensor:
        """Values in the order of their stacks as the positions came."""
        return x if self.is_one else x[self.order.argsort()]

    def each(self, function: Callable[..., Tensor], x: Tensor, *tables: Tensor) -> Tensor:
        """`[n, outputs]`: the function of each stack's rows of `x` `[n, inputs]` and its entries of
        the tables `[stacks, ...]`, one result after the other; a table with one entry is that of
        all stacks."""
        if self.is_one or all(len(table) == 1 for table in tables):
            return function(x, *(table[0] for table in tables))

        def entry(table: Tensor, stack: int) -> Tensor:
            return table[stack if len(table) > 1 else 0]

        parts = zip(range(len(self.lens)), x.split(self.lens))
        return torch.cat(
            [
                function(part, *(entry(table, stack) for table in tables))
                for stack, part in parts
                if len(part) > 0
            ]
        )

    def of_positions(self, table: Tensor) -> Tensor:
        """Of `[stacks, values]`, the entry of each position."""
        return table if len(table) == 1 else table[self.sorted]
