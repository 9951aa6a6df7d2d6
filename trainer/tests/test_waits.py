"""A step never asks a device for a number, for which it would have to wait: what asks is told by
the operations that PyTorch carries out, on a CPU too."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from random_batch import random_batch
from support import description, small_specs
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from nnue_trainer import Batch, Network
from nnue_trainer.loss import Loss
from nnue_trainer.network import Network as AnyNetwork
from nnue_trainer.transformer import LAG

SPECS = small_specs()
WAITS = ("aten._local_scalar_dense", "aten.nonzero", "aten.masked_select", "aten.unique")


class Asked(TorchDispatchMode):
    """Counts the operations that have to know a number of a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def __torch_dispatch__(
        self,
        function: Any,
        types: Sequence[Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        name = str(function)
        if name.startswith(WAITS):
            self.found.append(name)
        if name.startswith(("aten.index.", "aten.index_put")):
            masks = [each for each in args[1] if each is not None and each.dtype == torch.bool]
            self.found += [f"{name} by a mask"] * len(masks)
        if name.startswith("aten.repeat_interleave.Tensor") and not (kwargs or {}).get(
            "output_size"
        ):
            self.found.append(name)
        return function(*args, **(kwargs or {}))


def known(batch: Batch) -> Batch:
    batch.score = torch.full((batch.n,), 30.0)
    return batch


@pytest.mark.parametrize("name", SPECS)
def test_no_part_of_a_step_asks_for_a_number(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(description(SPECS[name]), mode="fake", seed=1)
    network.transformer.defers = network.observe = True
    batch = network.prepared(known(random_batch(description(SPECS[name]), 40)), torch.device("cpu"))
    loss = Loss(activation=0.1)
    # `tolist` reads memory, and no operation is told of it.
    monkeypatch.setattr(Tensor, "tolist", lambda _: pytest.fail("a step asks for a list"))
    with Asked() as asked:
        values = network(batch)
        cost = loss(values, batch.score, batch.result, 0.5)
        assert network.activation_mean is not None
        (cost + network.activation_mean).backward()
        network.clip()
    assert asked.found == []


def test_what_asks_is_noticed() -> None:
    x = torch.rand(3)
    for ask in (
        lambda: float(x[0]),
        lambda: bool((x > 0).any()),
        lambda: x.nonzero(),
        lambda: x[x > 0.5],
        lambda: x.repeat_interleave(torch.tensor([1, 2, 3])),
    ):
        with Asked() as asked:
            ask()
        assert asked.found


def largest_sum(network: AnyNetwork) -> float:
    transformer = network.transformer
    (own,) = transformer.sets
    rows = own.coalesced().sort(dim=0).values[-own.features.max_active :].sum(dim=0)
    return float((rows + transformer.biases.clamp(min=0)).max() * transformer.transformer.one)


@torch.no_grad()
def test_too_large_sums_become_smaller_some_steps_later() -> None:
    network = Network(description(SPECS["bullet_simple"]), seed=1)
    (own,) = network.transformer.sets
    own.weights.fill_(100.0)
    network.transformer.defers = True
    sums = []
    for _ in range(LAG + 1):
        network.clip()
        sums.append(largest_sum(network))
    assert min(sums[:LAG]) > 40_000 and sums[LAG] <= 32_767

    own.weights.fill_(100.0)
    network.transformer.defers = False
    network.clip()
    assert largest_sum(network) <= 32_767
    # Nothing is left to do that a run which goes on from here would not know of.
    assert network.transformer._answers == []
