"""Networks of all specs of the repository are built, and learn: with few neurons."""

from pathlib import Path

import pytest
import torch
from narrow import narrowed
from random_batch import random_batch
from support import REPOSITORY_SPECS

from nnue_trainer import Description, Network
from nnue_trainer.schema import given

POSITIONS = 3

SPECS = sorted(REPOSITORY_SPECS.glob("**/*.toml"))


@pytest.fixture(params=SPECS, ids=lambda path: str(path.relative_to(REPOSITORY_SPECS)))
def description(request: pytest.FixtureRequest, tmp_path: Path) -> Description:
    return Description.of_spec(narrowed(request.param.read_text(), tmp_path / "spec.toml"))


def test_there_are_specs() -> None:
    assert len(SPECS) > 60


def test_every_parameter_learns_in_either_mode(description: Description) -> None:
    network = Network(description)
    batch = random_batch(description, POSITIONS)
    for mode in ("float", "fake"):
        network.mode = mode
        values = network(batch)
        assert values.shape == (POSITIONS,) and bool(values.isfinite().all())
        network.zero_grad()
        (values - 1000).square().sum().backward()
        read = read_layers(description)
        for name, parameter in network.named_parameters():
            parts = name.split(".")
            if parts[0] == "layers" and parts[1] not in read:
                continue  # further heads are no part of the evaluation
            assert parameter.grad is not None, name
            assert bool(parameter.grad.isfinite().all()), name
        assert any(
            int(given(own.weights.grad).count_nonzero()) > 0 for own in network.transformer.sets
        )


def test_fake_in_64_bits_is_exact(description: Description) -> None:
    network = Network(description, seed=3).double()
    batch = random_batch(description, POSITIONS)
    network.mode = "fake"
    fake = network.outputs(batch)
    network.mode = "exact"
    assert fake.tolist() == network.outputs(batch).tolist()
    assert torch.is_grad_enabled()


def read_layers(description: Description) -> set[str]:
    """The layers that the evaluation depends on."""
    read = {term.layer for head in description.output.heads for term in head.terms}
    for layer in reversed(description.layers):
        if layer.name in read:
            read |= {part.source for part in layer.inputs}
    return read
