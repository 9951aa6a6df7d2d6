"""Sums of active rows."""

import pytest
import torch

from nnue_trainer import sparse
from nnue_trainer.batch import Rows


def case(device="cpu", bags=50, rows=100, width=96):
    random = torch.Generator().manual_seed(2)
    lens = torch.randint(0, 33, (bags,), generator=random)
    active = torch.randint(0, rows, (int(lens.sum()),), generator=random, dtype=torch.int32)
    offsets = (lens.cumsum(0) - lens).int()
    table = torch.randn(rows, width, generator=random)
    return Rows(active.to(device), offsets.to(device)), table.to(device)


def expected_sums(rows, table):
    ends = rows.offsets.tolist()[1:] + [len(rows.rows)]
    bags = zip(rows.offsets.tolist(), ends)
    return torch.stack([table[rows.rows[a:b].long()].sum(dim=0) for a, b in bags])


def check(function, rows, table):
    table.requires_grad_()
    found = function(rows, table)
    torch.testing.assert_close(found, expected_sums(rows, table))
    weights = torch.arange(found.numel(), device=found.device).view_as(found) / found.numel()
    (gradient,) = torch.autograd.grad((found * weights).sum(), table)
    (expected,) = torch.autograd.grad((expected_sums(rows, table) * weights).sum(), table)
    torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rows", [100, 200_000])
def test_sums_and_gradients_are_those_of_single_rows(rows):
    check(sparse.sum_rows, *case(rows=rows, width=16))


def test_there_need_be_no_active_rows():
    rows = Rows(torch.empty(0, dtype=torch.int32), torch.zeros(3, dtype=torch.int32))
    check(sparse.sum_rows, rows, torch.randn(5, 8))


@pytest.mark.skipif(
    sparse.triton_rows is None or not torch.cuda.is_available(),
    reason="THE TRITON KERNEL IS NOT TESTED: it needs a CUDA device and the package triton",
)
def test_the_kernel_for_cuda_has_the_same_sums_and_gradients():
    check(sparse.triton_rows.sum_rows, *case("cuda"))
    rows, table = case("cuda")
    assert sparse.sum_rows(rows, table).shape == (50, 96)
