"""How fast a GPU sums active rows: PyTorch's `embedding_bag` against the kernel in Triton, forward
and backward, on random rows.

    python trainer/measure/rows.py
"""

import argparse
import importlib
import sys
import time

import torch

from nnue_trainer import sparse
from nnue_trainer.batch import Rows

SHAPES = {
    "SFNNv5: 22,528 rows of 1,024, 30 active": (22_528, 1_024, 30),
    "threats of SFNNv14: 60,720 rows of 1,024, 60 active": (60_720, 1_024, 60),
    "768 rows of 256, 30 active": (768, 256, 30),
}
"""Rows, their width, and how many are active in a bag."""


def milliseconds(function: sparse.SumRows, rows: Rows, table: torch.Tensor) -> float:
    """The median of a step forward and backward; the first steps compile."""
    times = []
    for _ in range(13):
        torch.cuda.synchronize()
        start = time.perf_counter()
        function(rows, table).sum().backward()
        torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - start))
        table.grad = None
    return sorted(times[3:])[5]


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=16_384, help="positions in a batch")
    batch = parser.parse_args().batch
    if not torch.cuda.is_available():
        sys.exit("expected CUDA")
    # Triton comes with PyTorch for CUDA alone.
    triton_rows = importlib.import_module("nnue_trainer.triton_rows")
    functions: dict[str, sparse.SumRows] = {
        "embedding_bag": sparse._by_pytorch,
        "Triton": triton_rows.sum_rows,
    }
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {batch} positions\n")
    print("| table | " + " | ".join(functions) + " |")
    print("|---|" + "---|" * len(functions))
    for name, (count, width, active) in SHAPES.items():
        torch.manual_seed(1)
        device = torch.device("cuda")
        # Rows of real positions are far from uniform: a few are active in most of them.
        skewed = (torch.rand(batch * active, device=device) ** 3 * count).to(torch.int32)
        offsets = torch.arange(batch, device=device, dtype=torch.int32) * active
        rows = Rows(skewed, offsets)
        table = torch.randn(count, width, device=device, requires_grad=True)
        taken = [milliseconds(function, rows, table) for function in functions.values()]
        print(f"| {name} | " + " | ".join(f"{time:.2f} ms" for time in taken) + " |", flush=True)


if __name__ == "__main__":
    main()
