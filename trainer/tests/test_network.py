"""What a network tells besides its values."""

import re
from pathlib import Path

import pytest
import torch
from random_batch import random_batch
from support import REPOSITORY_SPECS, description, small_specs, trained

from nnue_trainer import Network, arithmetic
from nnue_trainer.schema import given

SPECS = small_specs()


def test_a_seed_makes_the_same_network() -> None:
    spec = SPECS["sfnnv5"]
    one, same, other = (Network(description(spec), seed=seed) for seed in (7, 7, 8))
    for a, b in zip(one.parameters(), same.parameters()):
        assert torch.equal(a, b)
    assert not torch.equal(one.transformer.sets[0].weights, other.transformer.sets[0].weights)


def test_the_state_has_everything() -> None:
    spec = SPECS["factorised"]
    network, other = trained(spec), Network(description(spec), seed=9)
    other.load_state_dict(network.state_dict())
    batch = random_batch(description(spec), 10)
    assert network.outputs(batch).tolist() == other.outputs(batch).tolist()


def test_modes_are_named() -> None:
    network = Network(description(SPECS["bullet_simple"]))
    with pytest.raises(ValueError, match="allowed are float, fake, exact"):
        network.mode = "int8"


def test_fake_and_float_differ_by_rounding_alone() -> None:
    spec = SPECS["bullet_simple"]
    network = trained(spec)
    batch = random_batch(description(spec), 100)
    floats = network(batch)
    network.mode = "fake"
    difference = (network(batch) - floats).detach().abs()
    assert 0 < float(difference.mean()) < 0.1 * float(floats.abs().mean()) + 5


def test_gradients_of_fake_are_those_of_float() -> None:
    spec = SPECS["sfnnv5"]
    network = trained(spec)
    batch = random_batch(description(spec), 200)
    gradients = []
    for mode in ("float", "fake"):
        network.mode = mode
        network.zero_grad()
        network(batch).mean().backward()
        gradients.append(given(network.transformer.sets[0].weights.grad).flatten().clone())
    of_float, of_fake = gradients
    similar = torch.nn.functional.cosine_similarity(of_float, of_fake, dim=0)
    assert float(similar) > 0.9


def test_statistics_are_those_of_the_transformers_output() -> None:
    spec = SPECS["sfnnv5"]
    network = trained(spec)
    network.mode, network.observe = "fake", True
    batch = random_batch(description(spec), 20)
    network(batch)
    values, _ = network.transformer(batch, arithmetic.ARITHMETIC["fake"])
    outputs = values["transformer"]
    blocks = outputs.reshape(20, -1, 4)
    zero = (blocks == 0).all(dim=2).float().mean()
    assert 0 < network.statistics["zero_blocks"] < 1
    assert network.statistics["zero_blocks"] == pytest.approx(float(zero))
    assert network.statistics["activation_mean"] == pytest.approx(
        float(outputs.mean()) / 127, rel=1e-5
    )
    network.zero_grad()
    assert network.activation_mean is not None
    network.activation_mean.backward()
    assert float(given(network.transformer.biases.grad).abs().sum()) > 0


def test_win_draw_and_loss_have_one_value_that_trains() -> None:
    spec = REPOSITORY_SPECS / "vocabulary" / "residual.toml"
    network = trained(spec)
    batch = random_batch(description(spec), 10)
    logits = network.win_draw_loss(batch)
    assert logits.shape == (10, 3)
    win, draw, _ = logits.softmax(dim=1).unbind(dim=1)
    expected = win + draw / 2
    value = network(batch)
    torch.testing.assert_close(
        torch.sigmoid(value / network.units_one), expected, atol=1e-5, rtol=1e-4
    )
    value.sum().backward()
    with pytest.raises(ValueError, match="has one output"):
        Network(description(SPECS["bullet_simple"])).win_draw_loss(
            random_batch(description(SPECS["bullet_simple"]), 1)
        )


def test_virtual_rows_learn_what_buckets_have_in_common() -> None:
    spec = SPECS["sfnnv5"]
    with_virtual, without = (
        Network(description(spec), factorise=choice) for choice in (True, False)
    )
    batch = random_batch(description(spec), 10)
    # They begin at zero.
    assert with_virtual(batch).tolist() == without(batch).tolist()
    with_virtual(batch).sum().backward()
    rows = with_virtual.transformer.sets[0]
    # The gradient of a virtual row is that of all its real ones.
    gradient = torch.zeros(rows.virtual_rows + 1, rows.weights.shape[1])
    gradient.index_add_(0, rows.sums[:, 0], given(rows.weights.grad))
    virtual = given(rows.virtual)
    torch.testing.assert_close(virtual.grad, gradient[:-1])
    assert float(given(virtual.grad).abs().sum()) > 0
    assert without.transformer.sets[0].virtual is None


def test_layers_without_biases_share_none(tmp_path: Path) -> None:
    text = SPECS["factorised_all"].read_text()
    text = text.replace("factorised = true", 'factorised = true\nbiases = "none"')
    spec = tmp_path / "spec.toml"
    spec.write_text(re.sub('.*"l1f?b".*\n', "", text))
    network = Network(description(spec))
    network(random_batch(description(spec), 10)).sum().backward()
    # `DistributedDataParallel` refuses parameters that are no part of a pass.
    assert [name for name, parameter in network.named_parameters() if parameter.grad is None] == []


def test_values_are_the_side_to_moves_where_a_network_evaluates_for_white() -> None:
    spec = SPECS["white_first"]
    network = trained(spec)
    batch = random_batch(description(spec), 20)
    for_white = network.outputs(batch)[:, 0]
    expected = [x if white else -x for x, white in zip(for_white.tolist(), batch.white.tolist())]
    assert network(batch).tolist() == expected
    assert 0 < int(batch.white.sum()) < 20
