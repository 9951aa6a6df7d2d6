"""Sums of the active rows of a table: the first layer.

`embedding_bag` of PyTorch is used, and on CUDA a kernel in Triton where that is at hand and was the
faster one when both were tried on the first batch. On a CPU the gradient is computed the same way
as the sums: it is that of each row's positions, in the order of the rows. PyTorch's own gradient
takes several times as long.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from .batch import Rows

try:
    from . import triton_rows
except ImportError:
    # Triton is installed beside PyTorch where that can use it.
    triton_rows = None  # type: ignore[assignment]

SumRows = Callable[[Rows, Tensor], Tensor]

_choices: dict[tuple[torch.device, int], SumRows] = {}
"""For each device and width, the function that was faster."""


def _not_compiled(function: SumRows) -> SumRows:
    """The function, which `torch.compile` calls as it is. A program of its own for each number of
    rows that a batch has would be compiled, and the choice below be part of them."""
    compiler = getattr(torch, "compiler", None)  # since torch 2.1
    if compiler is None:
        return function
    result: SumRows = compiler.disable(function)
    return result


@_not_compiled
def sum_rows(rows: Rows, table: Tensor) -> Tensor:
    """`[bags, width]`: for each bag, the sum of its rows of the table `[rows, width]`."""
    if table.device.type == "cpu":
        sums: Tensor = _OnCpu.apply(table, rows)
        return sums
    if triton_rows is None or table.device.type != "cuda" or table.dtype != torch.float32:
        return _by_pytorch(rows, table)
    key = (table.device, table.shape[1])
    if key not in _choices:
        _choices[key] = _faster(rows, table)
    return _choices[key](rows, table)


def _by_pytorch(rows: Rows, table: Tensor) -> Tensor:
    return embedding_bag(rows.rows, table, rows.offsets, mode="sum")


class _OnCpu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: Rows) -> Tensor:
        ctx.rows, ctx.count = rows, len(table)
        return _by_pytorch(rows, table)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        if ctx.rows.bags_of_rows is None:
            prepare(ctx.rows, ctx.count)
        bags, offsets = ctx.rows.bags_of_rows
        return embedding_bag(bags, gradient.contiguous(), offsets, mode="sum"), None


def prepare(rows: Rows, count: int) -> None:
    """Finds what the gradient on a CPU needs to know of the rows of a table of `count`: another
    thread can do it before a step does."""
    rows.bags_of_rows = _bags_of_rows(rows, count)


def _bags_of_rows(rows: Rows, count: int) -> tuple[Tensor, Tensor]:
    """The bags of each of so many rows, one row after the other, and where those of each begin."""
    active, offsets = rows.rows.numpy(), rows.offsets.numpy()
    # NumPy sorts 16 bits in linear time.
    order = np.argsort((active & 0xFFFF).astype(np.uint16), kind="stable")
    if count > 1 << 16:
        high = (active >> 16).astype(np.uint16)
        order = order[np.argsort(high[order], kind="stable")]
    lens = np.diff(offsets, append=len(active))
    bags = np.repeat(np.arange(len(offsets), dtype=np.int32), lens)[order]
    of_rows = np.bincount(active, minlength=count)
    begins = (np.cumsum(of_rows) - of_rows).astype(np.int32)
    return torch.from_numpy(bags), torch.from_numpy(begins)


def _faster(rows: Rows, table: Tensor) -> SumRows:
    """Of both functions, the one that takes less time for these rows and their gradients."""

    def seconds(function: SumRows) -> float:
        trial = table.detach().requires_grad_()
        for _ in range(3):  # the last one counts: the first compiles
            torch.cuda.synchronize(table.device)
            start = time.perf_counter()
            function(rows, trial).sum().backward()
            torch.cuda.synchronize(table.device)
            trial.grad = None
        return time.perf_counter() - start

    return min((_by_pytorch, triton_rows.sum_rows), key=seconds)
