"""Sums of active rows on CUDA, in Triton.

A program sums a part of the neurons of one bag in registers, so that the sums are written once. Its
gradient adds the bag's to each of its rows.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from .batch import Rows

LARGEST_BLOCK = 512


@triton.jit
def _sum_kernel(rows, begins, ends, table, sums, width, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    neurons = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = neurons < width
    begin = tl.load(begins + bag)
    end = tl.load(ends + bag)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for index in range(begin, end):
        row = tl.load(rows + index).to(tl.int64)
        total += tl.load(table + row * width + neurons, mask=inside, other=0.0)
    tl.store(sums + bag.to(tl.int64) * width + neurons, total, mask=inside)


@triton.jit
def _gradient_kernel(rows, begins, ends, gradient, sums, width, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    neurons = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = neurons < width
    begin = tl.load(begins + bag)
    end = tl.load(ends + bag)
    own = tl.load(sums + bag.to(tl.int64) * width + neurons, mask=inside, other=0.0)
    for index in range(begin, end):
        row = tl.load(rows + index).to(tl.int64)
        tl.atomic_add(gradient + row * width + neurons, own, mask=inside)


class _SumRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: Tensor, begins: Tensor) -> Tensor:
        # A tensor of a number would be a copy, which waits for the device.
        ends = torch.nn.functional.pad(begins[1:], (0, 1), value=rows.numel())
        sums = table.new_empty(begins.numel(), table.shape[1])
        _launch(_sum_kernel, rows, begins, ends, table.contiguous(), sums)
        ctx.save_for_backward(rows, begins, ends)
        ctx.shape = table.shape
        return sums

    @staticmethod
    def backward(ctx: Any, sums: Tensor) -> tuple[Tensor, None, None]:
        rows, begins, ends = ctx.saved_tensors
        gradient = sums.new_zeros(ctx.shape)
        _launch(_gradient_kernel, rows, begins, ends, gradient, sums.contiguous())
        return gradient, None, None


def _launch(
    kernel: Any, rows: Tensor, begins: Tensor, ends: Tensor, table: Tensor, sums: Tensor
) -> None:
    bags, width = sums.shape
    if sums.numel() == 0:
        return
    block = min(LARGEST_BLOCK, triton.next_power_of_2(width))
    kernel[(bags, triton.cdiv(width, block))](rows, begins, ends, table, sums, width, BLOCK=block)


def sum_rows(rows: Rows, table: Tensor) -> Tensor:
    """As `sparse.sum_rows`. The order of additions of a gradient is left open, so that it can
    differ in its last bits from one pass to the next."""
    sums: Tensor = _SumRows.apply(table, rows.rows, rows.offsets)
    return sums
