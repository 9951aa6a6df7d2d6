"""Nets of all specs of the repository are written, and compute what the trainer does: with few
neurons."""

import re
from pathlib import Path

import pytest
from narrow import narrowed
from support import batches, description, positions, trained

from nnue_trainer import Description, export, nnue, schema
from nnue_trainer.__main__ import trainable
from nnue_trainer.fields import RunError

ROOT = Path(__file__).parents[2]
FOLDERS = ("specs", "tests/specs", "tests/zoo/specs", "trainer/tests/specs")
SPECS = sorted(spec for folder in FOLDERS for spec in (ROOT / folder).glob("**/*.toml"))
COUNT = 30


def trainable_spec(path: Path, folder: Path) -> Path:
    """The spec with few neurons. What leaves the stack to the engine chooses it by pieces."""
    text = path.read_text()
    stacks = re.search(r"^count *= *(\d+)", text, re.MULTILINE)
    count = int(stacks[1]) if stacks else 1
    each = -(-32 // count)
    if count <= 256:
        text = text.replace(
            'select = { by = "caller" }', f'select = {{ pieces = "(n - 1) / {each}" }}'
        )
    return narrowed(text, folder / "spec.toml")


@pytest.mark.parametrize("path", SPECS, ids=lambda path: str(path.relative_to(ROOT)))
def test_its_net_computes_what_the_trainer_does(path: Path, tmp_path: Path) -> None:
    spec, net, golden = trainable_spec(path, tmp_path), tmp_path / "net", tmp_path / "golden"
    network = trained(spec)
    if keeps_numbers(description(spec)):
        # Nothing tells numbers that the network does not use.
        with pytest.raises(ValueError, match="the network does not use"):
            network.write_net(net)
        with pytest.raises(RunError):
            trainable(description(spec))
        return
    network.write_net(net)
    reason = refusal(description(spec))
    if reason:
        # No position says what is active, or which stack it has, but the file is one of the spec.
        nnue.run("info", net, "--spec", spec)
        with pytest.raises(RunError, match=reason):
            trainable(description(spec))
        return
    trainable(description(spec))
    fens = positions()[:COUNT]
    export.write_golden(network, fens, batches(spec, fens, tmp_path), golden)
    export.prove(net, spec, golden)


def keeps_numbers(description: Description) -> bool:
    return any(isinstance(section.content, schema.Kept) for section in description.file.sections)


def refusal(description: Description) -> str | None:
    """Why nothing trains a network by positions, if so."""
    if any(isinstance(features.family, schema.Custom) for features in description.features):
        return "the engine tells which"
    if description.stored_differently():
        return "for white and black"
    # Pieces select one of so many.
    return "leaves the choice of its [0-9]+ stacks" if description.buckets.count > 256 else None


def test_what_differs_is_named(tmp_path: Path) -> None:
    spec = ROOT / "trainer/tests/specs/bullet_simple.toml"
    net, golden = tmp_path / "net", tmp_path / "golden"
    fens = positions()[:COUNT]
    trained(spec).write_net(net)
    export.write_golden(trained(spec, seed=2), fens, batches(spec, fens, tmp_path), golden)
    with pytest.raises(nnue.CommandFailed, match=r"(?s)differences; the first are.*interpreted"):
        export.prove(net, spec, golden)


def test_all_specs_are_found() -> None:
    assert len(SPECS) > 200
