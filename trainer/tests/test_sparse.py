"""Sums of active rows."""

from importlib.util import find_spec

import pytest
import torch
from torch import Tensor

from nnue_trainer import sparse
from nnue_trainer.batch import Rows


def case(
    device: str = "cpu", bags: int = 50, rows: int = 100, width: int = 96
) -> tuple[Rows, Tensor]:
    random = torch.Generator().manual_seed(2)
    lens = torch.randint(0, 33, (bags,), generator=random)
    active = torch.randint(0, rows, (int(lens.sum()),), generator=random, dtype=torch.int32)
    offsets = (lens.cumsum(0) - lens).int()
    table = torch.randn(rows, width, generator=random)
    return Rows(active.to(device), offsets.to(device)), table.to(device)


def expected_sums(rows: Rows, table: Tensor) -> Tensor:
    ends = [*rows.offsets.tolist()[1:], len(rows.rows)]
    bags = zip(rows.offsets.tolist(), ends)
    return torch.stack([table[rows.rows[a:b].long()].sum(dim=0) for a, b in bags])


def check(function: sparse.SumRows, rows: Rows, table: Tensor) -> None:
    table.requires_grad_()
    found = function(rows, table)
    torch.testing.assert_close(found, expected_sums(rows, table))
    weights = torch.arange(found.numel(), device=found.device).view_as(found) / found.numel()
    (gradient,) = torch.autograd.grad((found * weights).sum(), table)
    (expected,) = torch.autograd.grad((expected_sums(rows, table) * weights).sum(), table)
    torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rows", [100, 200_000])
def test_sums_and_gradients_are_those_of_single_rows(rows: int) -> None:
    check(sparse.sum_rows, *case(rows=rows, width=16))


def test_there_need_be_no_active_rows() -> None:
    rows = Rows(torch.empty(0, dtype=torch.int32), torch.zeros(3, dtype=torch.int32))
    check(sparse.sum_rows, rows, torch.randn(5, 8))


@pytest.mark.skipif(
    find_spec("triton") is None or not torch.cuda.is_available(),
    reason="THE TRITON KERNEL IS NOT TESTED: it needs a CUDA device and the package triton",
)
def test_the_kernel_for_cuda_has_the_same_sums_and_gradients() -> None:
    from nnue_trainer import triton_rows

    check(triton_rows.sum_rows, *case("cuda"))
    rows, table = case("cuda")
    assert sparse.sum_rows(rows, table).shape == (50, 96)
