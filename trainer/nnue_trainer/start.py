"""What a run starts with, if not with random weights: a net, its floating point, or a checkpoint of
any run of the same network."""

import hashlib
from pathlib import Path

import torch
from safetensors import safe_open

from nnue_trainer import tensor_reader
from nnue_trainer.fields import RunError
from nnue_trainer.network import Network

WEIGHTS = "network."


def digest(path: Path) -> str:
    """What a checkpoint remembers of the file that its run started with."""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            found.update(part)
    return found.hexdigest()


def load(network: Network, path: Path) -> None:
    """Gives a network the weights of a file.

    Raises `RunError` if the file does not fit the network.
    """
    try:
        if path.suffix == ".safetensors":
            _of_checkpoint(network, path)
        else:
            tensor_reader.read(network, path)
    except (OSError, ValueError) as error:
        raise RunError(
            f"cannot start with `{path}`: {error}; what can be is a net file of the spec, its "
            "`network.floats`, and a checkpoint of the same network"
        ) from error


@torch.no_grad()
def _of_checkpoint(network: Network, path: Path) -> None:
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            tensors = {
                name[len(WEIGHTS) :]: file.get_tensor(name)
                for name in file.keys()  # noqa: SIM118, it is no dict
                if name.startswith(WEIGHTS)
            }
    except Exception as error:  # safetensors and torch have many ways to say that a file is no good
        raise ValueError(error) from error
    for name, parameter in network.named_parameters():
        found = tensors.get(name)
        if found is None or found.shape != parameter.shape:
            has = "no such tensor" if found is None else f"numbers {list(found.shape)}"
            raise ValueError(
                f"it has {has} where the network has {list(parameter.shape)}: `{name}`"
            )
        if not bool(found.isfinite().all()):
            raise ValueError(f"its tensor `{name}` has numbers that are not finite")
        parameter.copy_(found)
    network.clip()
