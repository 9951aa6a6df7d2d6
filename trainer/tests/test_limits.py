"""After `clip`, weights are what their types hold, and no sum leaves its type."""

import json
from pathlib import Path

import pytest
import torch
from random_batch import random_batch
from support import REPOSITORY_SPECS, affine, description, small_specs, write_net

from nnue_trainer import Network, nnue
from nnue_trainer.arithmetic import ARITHMETIC
from nnue_trainer.transformer import Transformer

SPECS = small_specs()
RUST_TESTS = REPOSITORY_SPECS.parent / "tests"


def zoo_with(line: str) -> list[str]:
    """The networks of the zoo whose specs have a line that starts so, and whose files have nothing
    else than the network: the zoo is drawn anew at times, and its numbers then stand for other
    networks."""
    found = sorted(RUST_TESTS.glob("zoo/specs/*.toml"))
    texts = {spec: spec.read_text() for spec in found}
    found = [spec for spec, text in texts.items() if f"\n{line}" in text and "kept = " not in text]
    assert found, line
    return [str(spec.relative_to(RUST_TESTS)) for spec in found]


@torch.no_grad()
def wild(spec: Path) -> Network:
    """A network whose parameters are far beyond all limits, which it then keeps."""
    network = Network(description(spec))
    random = torch.Generator().manual_seed(5)
    for parameter in network.parameters():
        parameter.add_(1000 * torch.randn(parameter.shape, generator=random))
    network.clip()
    return network


@pytest.mark.parametrize(
    "name", ["bullet_simple", "sfnnv5", "sfnnv16", "channels", "separate", "factorised_all"]
)
def test_nothing_wraps_around_however_wild_the_weights_were(name: str, tmp_path: Path) -> None:
    spec = SPECS[name]
    network = wild(spec).double()
    batch = random_batch(description(spec), 50)
    network.mode = "exact"
    exact = network.outputs(batch).tolist()
    # This mode has no types that sums could leave.
    network.mode = "fake"
    assert network.outputs(batch).tolist() == exact


def proofs(spec: Path, net: Path) -> tuple[int, list[int]]:
    """What a net's weights prove: the margins of the accumulator and of the layers' sums."""
    found = json.loads(nnue.run("info", net, "--spec", spec, "--json"))["network"]
    return found["accumulator"]["margin"], [layer["margin"] for layer in found["layers"]]


@pytest.mark.parametrize(
    "name",
    [
        "specs/features/factorised_bytes.toml",
        "specs/features/factorised_queens.toml",
        "specs/features/float_truncated.toml",
        "specs/layers/factorised.toml",
        "specs/layers/factorised_stacks.toml",
        "specs/perspectives/separate.toml",
        *zoo_with("factorised = "),
    ],
)
def test_sums_of_integers_fit_their_types_however_wild_their_parts_were(
    name: str, tmp_path: Path
) -> None:
    """Loaders refuse sums that do not. All active rows together fit too."""
    spec = RUST_TESTS / name
    network = wild(spec)
    proofs(spec, write_net(network, tmp_path))
    exact, transformer = ARITHMETIC["exact"], network.transformer
    for copy, biases in enumerate(exact.parameter(transformer.bias_grid, transformer.biases)):
        for sign in (1, -1):
            most = (sign * biases).clamp(min=0)
            for own in transformer.sets:
                rows = own.integers(exact).unflatten(0, (own.copies, -1))[copy] << own.shift
                largest = (sign * rows).sort(dim=0).values[-own.features.max_active :]
                most = most + largest.clamp(min=0).sum(dim=0)
            assert 31000 < int(most.max()) <= 32767


@pytest.mark.parametrize("name", ["bullet_simple", "sfnnv5", "sfnnv1", "sfnnv16"])
def test_the_loader_proves_what_clip_keeps(name: str, tmp_path: Path) -> None:
    net = write_net(wild(SPECS[name]), tmp_path)
    accumulator, layers = proofs(SPECS[name], net)
    assert accumulator >= 0
    assert layers and min(layers) >= 0


def test_a_stack_that_fits_stays_as_it_is_when_another_does_not() -> None:
    layer = affine(Network(description(SPECS["factorised_all"])), "l1")
    assert layer.shared_weights is not None
    with torch.no_grad():
        layer.shared_weights.fill_(-90.0)
        layer.weights.fill_(90.5)
        layer.weights[0] = 300.0
        layer.clip()
    sums = layer.numbers()[0].sum(dim=2)[:, 0].tolist()
    inputs = layer.weights.shape[2]
    assert sums[1:] == pytest.approx([0.5 * inputs] * 7)
    # The largest integer of 32 bits, times what the layer divides by, of inputs at their largest.
    most = (2**31 - 1) / (65025 * float(layer.weight_grid.one))
    assert 0.99 * most < sums[0] < most


@pytest.mark.parametrize(
    "name",
    [
        "specs/layers/longs.toml",
        "specs/layers/psqt_of_layers.toml",
        "specs/perspectives/psqt_of_one.toml",
        *zoo_with('weights = "i32"'),
    ],
)
@torch.no_grad()
def test_inputs_for_which_rounding_is_too_much_turn_no_sign(name: str) -> None:
    network = wild(RUST_TESTS / name)
    before = [parameter.clone() for parameter in network.parameters()]
    network.clip()
    # Sums beyond their limit lower a few weights by less than a thousandth; a sign would be all.
    for old, new in zip(before, network.parameters()):
        torch.testing.assert_close(new, old, rtol=1e-3, atol=1e-3)


def test_numbers_that_are_rounded_up_each_fit_together() -> None:
    """In each row, the integers of four numbers are added: of some neurons, all four are above."""
    network = Network(description(SPECS["factorised_all"]))
    transformer = network.transformer
    (own,) = transformer.sets
    with torch.no_grad():
        transformer.biases.zero_()
        assert own.virtual is not None
        own.virtual.fill_(2.0)
        own.weights.copy_(torch.linspace(2.0, 2.02, 32).expand_as(own.weights))
        network.clip()
    largest = (
        own.integers(ARITHMETIC["exact"]).sort(dim=0).values[-own.features.max_active :].sum(dim=0)
    )
    assert 32000 < int(largest.max()) <= 32767


def test_without_it_the_loader_has_no_proof(tmp_path: Path) -> None:
    spec = SPECS["bullet_simple"]
    network = Network(description(spec))
    with torch.no_grad():
        network.transformer.sets[0].weights.fill_(128.0)
        affine(network, "l1").weights.fill_(512.0)
    accumulator, layers = proofs(spec, write_net(network, tmp_path))
    assert accumulator < 0 and min(layers) < 0


def test_the_integers_of_clipped_parameters_are_the_ends_of_their_types() -> None:
    network = wild(SPECS["sfnnv5"])
    layer = affine(network, "fc_0")
    weights, grid = layer.weights, layer.weight_grid
    integers = grid.exact(weights)
    assert (int(integers.min()), int(integers.max())) == (-128, 127)
    # They are there because of the parameters, not because rounding cuts them off.
    scaled = grid.scaled(weights.detach().double())
    assert float(scaled.min()) > -128.01 and float(scaled.max()) < 127.01


def test_clipping_twice_changes_nothing() -> None:
    for name in ("bullet_multi_layer", "factorised", "factorised_all", "wide_sums"):
        network = wild(SPECS[name])
        before = [parameter.detach().clone() for parameter in network.parameters()]
        network.clip()
        for old, new in zip(before, network.parameters()):
            torch.testing.assert_close(new.detach(), old, rtol=1e-4, atol=1e-4)


@torch.no_grad()
def largest_sums(transformer: Transformer) -> list[int]:
    """The furthest that accumulators can be from 0: for each neuron, of as many rows as can be
    active, those whose integers are the largest, as they are added."""
    biases = ARITHMETIC["exact"].parameter(transformer.bias_grid, transformer.biases)
    ends = []
    for sign in (1, -1):
        total = (sign * biases).clamp(min=0)
        for own in transformer.sets:
            rows = sign * own.integers(ARITHMETIC["exact"]).unflatten(0, (own.copies, -1))
            most = min(own.features.max_active, rows.shape[1])
            total = total + (rows.topk(most, dim=1).values.clamp(min=0).sum(dim=1) << own.shift)
        ends.append(int(total.max()))
    return ends


@pytest.mark.parametrize(
    "name", [name for name in SPECS if any(f.shift for f in description(SPECS[name]).features)]
)
@pytest.mark.parametrize("share", [0.35, 0.75, 1.5, 8.0])
@pytest.mark.parametrize("bias", [0.0, 0.4])
@pytest.mark.parametrize("sign", [1, -1])
@torch.no_grad()
def test_rows_that_are_shifted_fit_as_they_are_added(
    name: str, share: float, bias: float, sign: int
) -> None:
    """Of rows whose sum is `share` of 16 bits before the shift by 1, with and without biases."""
    network = Network(description(SPECS[name]))
    transformer = network.transformer
    transformer.biases.fill_(sign * bias * 32767 / float(transformer.bias_grid.one))
    for own in transformer.sets:
        assert own.shift in (0, 1)
        each = share * 32767 / own.features.max_active if own.shift else 0.0
        own.weights.fill_(sign * each / float(own.grid.one))
        assert own.virtual is None
    network.clip()
    above, below = largest_sums(transformer)
    far, other = (above, below) if sign > 0 else (below, above)
    assert 0.98 * min(2 * share + bias, 1) * 32767 < far <= 32767 and other == 0


def shifted(name: str, shift: int, folder: Path) -> Path:
    """The spec with another shift of its one set."""
    spec = folder / f"{name}.toml"
    spec.write_text(
        SPECS[name].read_text().replace("[[features]]\n", f"[[features]]\nshift = {shift}\n", 1)
    )
    return spec


@pytest.mark.parametrize("shift", range(16))
@pytest.mark.parametrize("sign", [1, -1])
@torch.no_grad()
def test_rows_that_fit_until_they_are_rounded_up_fit_then(
    shift: int, sign: int, tmp_path: Path
) -> None:
    spec = shifted("bullet_simple", shift, tmp_path)
    network = Network(description(spec))
    (own,) = network.transformer.sets
    network.transformer.biases.zero_()
    # So many of these numbers are below 2^15, but the integers are 2^15 together, or more.
    half_below = max((1024 >> shift) - 0.5, 0.5)
    own.weights.fill_(sign * half_below / float(own.grid.one))
    network.clip()
    above, below = largest_sums(network.transformer)
    far, other = (above, below) if sign > 0 else (below, above)
    assert far <= 32767 and other == 0
    # As much as the shift leaves, but for the rounding of each row.
    assert far >= 32767 - 2 * (32 << shift)
    assert not bool((sign * own.weights < 0).any())
    assert proofs(spec, write_net(network, tmp_path))[0] >= 0


@pytest.mark.parametrize("shift", [3, 9, 10, 11, 14, 15])
@pytest.mark.parametrize("name", ["bullet_simple", "factorised", "factorised_each"])
def test_no_shift_turns_the_sign_of_wild_weights(name: str, shift: int, tmp_path: Path) -> None:
    spec = shifted(name, shift, tmp_path)
    network = wild(spec)
    proofs(spec, write_net(network, tmp_path))
    before = [parameter.detach().clone() for parameter in network.transformer.parameters()]
    network.clip()
    for old, new in zip(before, network.transformer.parameters()):
        assert bool((old * new >= 0).all())
    assert max(largest_sums(network.transformer)) <= 32767


@pytest.mark.parametrize("rounding, number", [("nearest", 0.505), ("truncate", 1.01)])
@torch.no_grad()
def test_few_rows_may_be_as_large_as_a_large_shift_allows(
    rounding: str, number: float, tmp_path: Path
) -> None:
    """Of 32 active rows, 31 that are 1 fit: what becomes 0 takes no room."""
    spec = shifted("bullet_simple", 10, tmp_path)
    floats = '[{ tensor = "transformer", type = "f32" }, "layers"]'
    of_file = f'format = "tensors"\ntensors = {floats}\nrounding = "{rounding}"'
    spec.write_text(spec.read_text().replace('format = "bullet"', of_file))
    network = Network(description(spec))
    (own,) = network.transformer.sets
    network.transformer.biases.zero_()
    own.weights.zero_()
    own.weights[:31] = number / float(own.grid.one)
    network.clip()
    assert largest_sums(network.transformer)[0] == 31 << 10
