"""Networks begin with the weights of files, and are the networks of these files."""

from pathlib import Path

import pytest
import torch
from small_run import RUN, Silent, changed, training, weights
from small_run import batches as small_batches
from support import REPOSITORY_SPECS, batches, description, exact, positions, small_specs, trained
from support import write_net as written

from nnue_trainer import Network, start, tensor_file
from nnue_trainer.fields import RunError

SPECS = small_specs()
RUST_TESTS = REPOSITORY_SPECS.parent / "tests"
OTHERS = (
    "specs/features/factorised_bytes.toml",
    "specs/features/float_truncated.toml",
    "specs/layers/factorised_stacks.toml",
)


@pytest.mark.parametrize("name", [*SPECS, *OTHERS])
def test_a_net_file_gives_the_network_that_wrote_it(name: str, tmp_path: Path) -> None:
    spec = SPECS.get(name) or RUST_TESTS / name
    own = trained(spec)
    net = written(own, spec, tmp_path)
    other = Network(description(spec), seed=77)
    start.load(other, net)
    again = tmp_path / "again"
    again.mkdir()
    assert written(other, spec, again).read_bytes() == net.read_bytes()
    fens = positions()[:50]
    found = exact(other, batches(spec, fens, tmp_path))
    assert found == exact(own, batches(spec, fens, tmp_path))
    assert found != exact(Network(description(spec), seed=77), batches(spec, fens, tmp_path))


@pytest.mark.parametrize("name", ["bullet_simple", "sfnnv5", "sfnnv9"])
def test_floats_give_the_numbers_before_they_were_rounded(name: str, tmp_path: Path) -> None:
    spec = SPECS.get(name) or REPOSITORY_SPECS / f"{name}.toml"
    own = trained(spec)
    floats = tmp_path / "network.floats"
    tensor_file.write_floats(own, floats)
    other = Network(description(spec), seed=77)
    start.load(other, floats)
    again = tmp_path / "again.floats"
    tensor_file.write_floats(other, again)
    first, second = (
        torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.float32)
        for path in (floats, again)
    )
    assert torch.allclose(first, second, atol=1e-6)
    # They are not the rounded ones.
    net = written(own, spec, tmp_path)
    start.load(other, net)
    tensor_file.write_floats(other, again)
    rounded = torch.frombuffer(bytearray(again.read_bytes()), dtype=torch.float32)
    assert not torch.allclose(first, rounded, atol=1e-6)


def test_a_file_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    spec = SPECS["sfnnv5"]
    net = written(trained(spec), spec, tmp_path)
    content = net.read_bytes()
    network = Network(description(spec))
    for wrong, message in (
        (content[:-9], "it ends after"),
        (b"\0" * 12 + content[12:], "it begins with the version 0"),
        (content[:5], "it ends after 5 bytes"),
    ):
        net.write_bytes(wrong)
        with pytest.raises(RunError, match=message):
            start.load(network, net)
    with pytest.raises(RunError, match="cannot start with"):
        start.load(network, tmp_path / "none.nnue")


def test_a_checkpoint_gives_its_averaged_weights(tmp_path: Path) -> None:
    first = training(changed(RUN, average=0.9))
    first.go(small_batches(1), tmp_path, Silent())
    path = tmp_path / "checkpoint.safetensors"
    second = training(seed=5)
    start.load(second.network, path)
    assert torch.equal(weights(second.network), weights(first.averaged))
    assert not torch.equal(weights(second.network), weights(first.network))
    # Another run, with other data, goes on from there: nothing of the first is read again.
    other = training(changed(RUN, start=str(path), optimiser={"name": "nadam"}), seed=5)
    assert other.settings["start"] == start.digest(path) and other.steps == 0
    with pytest.raises(RunError, match="it has no such tensor where the network has"):
        start.load(trained(SPECS["sfnnv5"]), path)
