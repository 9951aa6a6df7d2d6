"""Networks begin with the weights of files, and are the networks of these files."""

import math
import struct
from pathlib import Path

import pytest
import torch
from narrow import narrowed
from small_run import RUN, changed, training, weights
from small_run import batches as small_batches
from support import REPOSITORY_SPECS, batches, description, exact, positions, small_specs, trained
from support import write_net as written

from nnue_trainer import Network, start
from nnue_trainer.fields import RunError
from nnue_trainer.progress import Watcher

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
    net = written(own, tmp_path)
    other = Network(description(spec), seed=77)
    start.load(other, net)
    again = tmp_path / "again"
    again.mkdir()
    assert written(other, again).read_bytes() == net.read_bytes()
    fens = positions()[:50]
    found = exact(other, batches(spec, fens, tmp_path))
    assert found == exact(own, batches(spec, fens, tmp_path))
    assert found != exact(Network(description(spec), seed=77), batches(spec, fens, tmp_path))


@pytest.mark.parametrize("name", ["bullet_simple", "sfnnv5", "sfnnv9"])
def test_floats_give_the_numbers_before_they_were_rounded(name: str, tmp_path: Path) -> None:
    spec = SPECS.get(name)
    if spec is None:
        text = (REPOSITORY_SPECS / f"{name}.toml").read_text()
        spec = narrowed(text, tmp_path / f"{name}.toml")
    own = trained(spec)
    floats = tmp_path / "network.floats"
    own.write_floats(floats)
    other = Network(description(spec), seed=77)
    start.load(other, floats)
    again = tmp_path / "again.floats"
    other.write_floats(again)
    first, second = (
        torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.float32)
        for path in (floats, again)
    )
    assert torch.allclose(first, second, atol=1e-6)
    # They are not the rounded ones.
    net = written(own, tmp_path)
    start.load(other, net)
    other.write_floats(again)
    rounded = torch.frombuffer(bytearray(again.read_bytes()), dtype=torch.float32)
    assert not torch.allclose(first, rounded, atol=1e-6)


def test_a_file_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    spec = SPECS["sfnnv5"]
    net = written(trained(spec), tmp_path)
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


def test_what_is_behind_the_tensors_is_padding_a_spec_or_wrong(tmp_path: Path) -> None:
    spec = SPECS["bullet_simple"]
    net = written(trained(spec), tmp_path)
    content = net.read_bytes()
    network = Network(description(spec))
    tail = description(spec).file.tail
    assert tail is not None and len(content) == 49_408
    unpadded = content[: 2 * (768 * 32 + 32 + 64 + 1)]
    assert content == unpadded + (bytes(tail.bytes) * 11)[:62]
    text = spec.read_bytes()
    behind = text + struct.pack("<I", len(text)) + b"NNUE spec v1"
    for right in (content, content + behind, unpadded):
        net.write_bytes(right)
        start.load(network, net)
        again = tmp_path / "again"
        again.mkdir(exist_ok=True)
        assert written(network, again).read_bytes() == content
    for wrong in (content + b"b", content[:-1] + b"?", content + bytes(64)):
        net.write_bytes(wrong)
        with pytest.raises(RunError, match="bytes more than the spec's tensors"):
            start.load(network, net)


def test_a_wider_net_without_a_header_is_refused(tmp_path: Path) -> None:
    spec = SPECS["bullet_simple"]
    text = spec.read_text()
    width = f"width = {description(spec).transformer.width}"
    assert width in text
    wide = tmp_path / "wide.toml"
    wide.write_text(text.replace(width, "width = 64"))
    net = written(trained(wide), tmp_path)
    with pytest.raises(RunError, match="bytes more than the spec's tensors"):
        start.load(Network(description(spec)), net)


def test_floats_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    spec = SPECS["bullet_simple"]
    floats = tmp_path / "network.floats"
    trained(spec).write_floats(floats)
    floats.write_bytes(floats.read_bytes()[:-4] + struct.pack("<f", math.nan))
    with pytest.raises(RunError, match="has numbers that are not finite"):
        start.load(Network(description(spec)), floats)


def test_a_checkpoint_gives_its_weights(tmp_path: Path) -> None:
    first = training()
    first.go(small_batches(1), tmp_path, Watcher())
    path = tmp_path / "checkpoint.safetensors"
    second = training(seed=5)
    start.load(second.network, path)
    assert torch.equal(weights(second.network), weights(first.network))
    # Another run, with other data, goes on from there: nothing of the first is read again.
    other = training(changed(RUN, start=str(path), optimiser={"name": "muon"}), seed=5)
    assert other.settings["start"] == start.digest(path) and other.steps == 0
    with pytest.raises(RunError, match="it has no such tensor where the network has"):
        start.load(trained(SPECS["sfnnv5"]), path)
