"""Nets of all specs of the repository are written, and compute what the trainer does: with few
neurons, so that none needs gigabytes."""

import re
from pathlib import Path

import pytest
from support import batches, description, positions, trained
from test_every_spec import few_neurons

from nnue_trainer import export, nnue
from nnue_trainer.__main__ import trainable
from nnue_trainer.fields import RunError

ROOT = Path(__file__).parents[2]
FOLDERS = ("specs", "tests/specs", "tests/zoo/specs", "trainer/tests/specs")
SPECS = sorted(spec for folder in FOLDERS for spec in (ROOT / folder).glob("**/*.toml"))
COUNT = 30


def narrowed(path, folder):
    """The spec with few neurons, or as it is, where its parts need more. What leaves the stack to
    the engine chooses it by pieces."""
    text = path.read_text()
    stacks = re.search(r"^count *= *(\d+)", text, re.MULTILINE)
    each = -(-32 // int(stacks[1])) if stacks else 1
    text = text.replace('select = { by = "caller" }', f'select = {{ pieces = "(n - 1) / {each}" }}')
    spec = folder / "spec.toml"
    spec.write_text(few_neurons(text))
    try:
        nnue.run("check", spec)
    except nnue.CommandFailed:
        spec.write_text(text)
    return spec


@pytest.mark.parametrize("path", SPECS, ids=lambda path: str(path.relative_to(ROOT)))
def test_its_net_computes_what_the_trainer_does(path, tmp_path):
    spec, net, golden = narrowed(path, tmp_path), tmp_path / "net", tmp_path / "golden"
    network = trained(spec)
    export.write_net(network, spec, net)
    if any(features.family.kind == "custom" for features in description(spec).features):
        # No position says what is active, but the file is one of the spec.
        nnue.run("info", net, "--spec", spec)
        with pytest.raises(RunError, match="the engine tells which"):
            trainable(description(spec))
        return
    fens = positions()[:COUNT]
    export.write_golden(network, fens, batches(spec, fens, tmp_path), golden)
    export.prove(net, spec, golden)


def test_all_specs_are_found():
    assert len(SPECS) > 200
