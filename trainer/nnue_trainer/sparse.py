"""Sums of the active rows of a table: the first layer.

`embedding_bag` of PyTorch is used, and on CUDA a kernel in Triton where that is at hand and was the
faster one when both were tried on the first batch.
"""

import time

import torch
from torch.nn.functional import embedding_bag

try:
    from . import triton_rows
except ImportError:
    # Triton is installed beside PyTorch where that can use it.
    triton_rows = None

_choices = {}
"""For each device and width, the function that was faster."""


def sum_rows(rows, table):
    """`[bags, width]`: for each bag, the sum of its rows of the table."""
    if triton_rows is None or table.device.type != "cuda" or table.dtype != torch.float32:
        return _by_pytorch(rows, table)
    key = (table.device, table.shape[1])
    if key not in _choices:
        _choices[key] = _faster(rows, table)
    return _choices[key](rows, table)


def _by_pytorch(rows, table):
    return embedding_bag(rows.rows, table, rows.offsets, mode="sum")


def _faster(rows, table):
    """Of both functions, the one that takes less time for these rows and their gradients."""

    def seconds(function):
        trial = table.detach().requires_grad_()
        for _ in range(3):  # the last one counts: the first compiles
            torch.cuda.synchronize(table.device)
            start = time.perf_counter()
            function(rows, trial).sum().backward()
            torch.cuda.synchronize(table.device)
            trial.grad = None
        return time.perf_counter() - start

    return min((_by_pytorch, triton_rows.sum_rows), key=seconds)
