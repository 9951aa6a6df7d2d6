"""What the tests share: specs, positions, networks that look trained, and what `nnue` says."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import torch

from nnue_trainer import Batch, Description, Network, nnue, stream
from nnue_trainer.layers import Affine

TESTS = Path(__file__).parent
SPECS = TESTS / "specs"
REPOSITORY_SPECS = TESTS.parents[1] / "specs"


def small_specs() -> dict[str, Path]:
    """Specs of few neurons, by name."""
    return {path.stem: path for path in sorted(SPECS.glob("*.toml"))}


@lru_cache
def description(spec: Path) -> Description:
    return Description.of_spec(spec)


@lru_cache
def positions() -> tuple[str, ...]:
    """The FENs that are compared: as many as NNUE_POSITIONS says (300 without it) of the file that
    NNUE_GAMES names, or of the one beside the tests. What follows a FEN and ` | ` is ignored."""
    path = Path(os.environ.get("NNUE_GAMES") or TESTS / "data" / "positions.fen")
    count = int(os.environ.get("NNUE_POSITIONS") or 300)
    lines = [line.split("|")[0].strip() for line in path.read_text().splitlines()]
    fens = [line for line in lines if line and not line.startswith("#")]
    if len(fens) < count and "NNUE_POSITIONS" in os.environ:
        raise ValueError(f"NNUE_POSITIONS asks for {count} positions, {path} has {len(fens)}")
    # Spread over the file, with its last ones.
    step = max(len(fens) // count, 1)
    return tuple(fens[::-1][::step][:count][::-1])


def trained(spec: Path, seed: int = 1) -> Network:
    """A network whose weights are as different from each other as trained ones: no two stacks and
    no two rows are alike, and biases and virtual rows are not zero."""
    network = Network(description(spec), seed=seed)
    random = torch.Generator().manual_seed(seed + 1)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            size = parameter.abs().mean().clamp(min=0.02)
            noise = torch.randn(parameter.shape, generator=random)
            of_layer = name.startswith("layers")
            parameter.add_((1.5 if of_layer else 0.5) * size * noise)
        network.clip()
    return network


def affine(network: Network, name: str) -> Affine:
    """The layer of this name."""
    layer = network.layers[name]
    assert isinstance(layer, Affine)
    return layer


def write_net(network: Network, folder: Path) -> Path:
    path = Path(folder) / "network.nnue"
    network.write_net(path)
    return path


def write_fens(fens: Sequence[str], folder: Path) -> Path:
    path = Path(folder) / "positions.fen"
    path.write_text("".join(f"{fen}\n" for fen in fens))
    return path


def interpreted(net: Path, spec: Path, fens: Sequence[str], folder: Path) -> list[int]:
    """The values that `nnue` computes with a net file."""
    said = nnue.run(
        "eval", "--raw", "--fens", write_fens(fens, folder), "--net", net, "--spec", spec
    )
    lines = said.splitlines()[1:]
    return [int(line.split("\t")[-1]) for line in lines]


def batches(spec: Path, fens: Sequence[str], folder: Path) -> Iterator[Batch]:
    """The batches of `nnue data batches`, in the order of the FENs."""
    return stream.batches(spec, [write_fens(fens, folder)], "--in-order")


def exact(network: Network, batches: Iterable[Batch]) -> list[int]:
    """The values of the mode `exact`."""
    network.mode = "exact"
    return [value for batch in batches for value in network.outputs(batch)[:, 0].tolist()]
