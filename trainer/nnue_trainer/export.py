"""Net files of trained networks, and positions that tell whether others evaluate them alike."""

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch

from . import nnue, tensor_file
from .batch import Batch
from .network import Network

AnyPath = str | os.PathLike[str]


def write_net(
    network: Network,
    spec: AnyPath,
    path: AnyPath,
    to: AnyPath | None = None,
    binary: str | None = None,
) -> None:
    """Writes the net file of a network, as its spec says: `nnue quantise` makes it of the floating
    point of `Network.write_tensors`.

    `to` is the spec of the file, where that is another one. A spec whose own file has floating
    point, virtual rows or other numbers that `nnue quantise` does not make integers of, has its own
    file written if there is no `to`.

    Raises `nnue.CommandFailed` if `nnue quantise` refuses.
    """
    if to is None and tensor_file.needs_own_file(network.description):
        tensor_file.write_own(network, path)
        return
    with tempfile.TemporaryDirectory() as folder:
        floats = Path(folder) / "network.floats"
        network.write_tensors(floats)
        options: list[object] = ["--to", to] if to else []
        # What is measured over positions is not read.
        one = Path(folder) / "position.fen"
        one.write_text("4k3/8/8/8/8/8/8/4K3 w - -\n")
        options += ["--fens", one]
        nnue.run("quantise", floats, path, "--spec", spec, *options, binary=binary)


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
