"""Positions that tell whether others evaluate a trained network alike."""

import os
from collections.abc import Iterable, Sequence

import torch

from . import nnue
from .batch import Batch
from .network import Network

AnyPath = str | os.PathLike[str]


@torch.no_grad()
def write_golden(
    network: Network, fens: Sequence[str], batches: Iterable[Batch], path: AnyPath
) -> None:
    """Writes golden vectors: a line `FEN | value` for each position, or `FEN | win | draw | loss`,
    with the integers that engines must compute.

    `batches` has the positions of `fens` in their order. Raises `ValueError` if it has another
    number of positions.
    """
    mode, network.mode = network.mode, "exact"
    try:
        values = [values for batch in batches for values in network.outputs(batch).tolist()]
    finally:
        network.mode = mode
    if len(values) != len(fens):
        raise ValueError(f"found {len(values)} positions in the batches and {len(fens)} FENs")
    with open(path, "w") as file:
        said = "value" if len(network.description.output.heads) == 1 else "win | draw | loss"
        file.write(f"# {network.description.name}: FEN | {said}\n")
        for fen, own in zip(fens, values):
            file.write(" | ".join([fen, *map(str, own)]) + "\n")


def prove(net: AnyPath, spec: AnyPath, golden: AnyPath, binary: str | None = None) -> None:
    """Compares the golden values of a file with those that the interpreter computes of a net file.

    Raises `nnue.CommandFailed`, which names the first positions that differ.
    """
    nnue.run("verify", net, "--spec", spec, "--golden", golden, binary=binary)
