"""Each warning is provoked by a run that deserves it, is printed once, and is in the report; a
healthy run has none. That of too little data has its tests beside it."""

import io
import itertools
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from small_run import RUN, SmallBatch, batch, batches, changed, training
from support import affine, description, small_specs

from nnue_trainer import Network
from nnue_trainer.progress import Progress
from nnue_trainer.run import Run
from nnue_trainer.train import Training

LONG = changed(RUN, positions=64_000, reports=8)
HELD_OUT = 2000


def held_out() -> Any:
    return batch(torch.Generator().manual_seed(1000), HELD_OUT)


def told(
    run: Run, folder: Path, change: Callable[[Training, Any], object] = lambda *_: None
) -> str:
    """What a run says, in which `change(training, held-out positions)` has come first."""
    trained = training(run)
    known = held_out()
    trained.validation = [known]
    with torch.no_grad():
        # Of few neurons, some would never be above 0.
        trained.network.get_parameter("first.bias").fill_(0.5)
    change(trained, known)
    # What is known of the data is found before the first step.
    again = Training(run, trained.network, trained.processes, trained.validation)
    out = io.StringIO()
    again.go(changed_like(known), folder, Progress(out))
    warned = [line for line in out.getvalue().splitlines() if line.startswith("warning: ")]
    # Some may have held for a while only; none is said twice.
    assert len(warned) >= len(again.warnings)
    assert len({re.sub("[0-9.]+", "", line)[:40] for line in warned}) == len(warned)
    for warning in again.warnings:
        start = warning.split("% ")[-1][:22]
        assert [start in line for line in warned].count(True) == 1
        # The picture has it too, in lines.
        assert start in (folder / "curves.svg").read_text()
    return "\n".join(again.warnings)


def changed_like(known: SmallBatch) -> Iterator[Any]:
    """Endless batches whose scores and results are as in the held-out positions."""
    for each in batches(1):
        if torch.isnan(known.result).all():
            each.result[:] = math.nan
        yield each


def test_a_healthy_run_says_nothing(tmp_path: Path) -> None:
    # Half of the values are enough, so that no weight is as large as it may be.
    healthy = changed(LONG, schedule={"rate": 0.005}, loss={"value_scale": 50.0})
    assert told(healthy, tmp_path) == ""


def test_scores_that_have_nothing_to_do_with_results_are_said(tmp_path: Path) -> None:
    def shuffle(_: Training, known: SmallBatch) -> None:
        known.result = known.result[torch.randperm(HELD_OUT)]

    said = told(LONG, tmp_path, shuffle)
    assert "scores say hardly anything of results (their correlation is " in said
    assert '"--white-scores"' in said
    # Who learns the results alone does not mind.
    assert "scores say" not in told(changed(LONG, loss={"lambda": (0.2, 0.2)}), tmp_path, shuffle)


def test_scores_that_are_not_used_though_they_are_good_are_said(tmp_path: Path) -> None:
    said = told(changed(LONG, loss={"lambda": (0.5, 0.0)}), tmp_path)
    assert "`lambda` of [loss] ends with 0, so that scores of the data are not learnt" in said
    assert "with `lambda = 0.7`" in said


def test_results_that_are_not_there_are_said(tmp_path: Path) -> None:
    def forget(_: Training, known: SmallBatch) -> None:
        known.result[:] = math.nan

    said = told(changed(LONG, loss={"lambda": (0.7, 0.7)}), tmp_path, forget)
    assert "no held-out position has a result, and `lambda` of [loss] ends with 0.7" in said
    assert "no held-out position" not in told(LONG, tmp_path, forget)


def test_a_rate_that_is_too_high_is_said(tmp_path: Path) -> None:
    def learnt(trained: Training, _: SmallBatch) -> None:
        first = training(changed(LONG, schedule={"rate": 0.01}))
        for each in itertools.islice(batches(5), 1500):
            first.step(each)
        trained.network.load_state_dict(first.network.state_dict())

    # It rises for long, so that the loss is low at first.
    run = changed(LONG, schedule={"rate": 3.0, "warm_up": 0.9, "kind": "constant"})
    said = told(run, tmp_path, learnt)
    assert "the loss of training rises (to " in said and "take a third of `rate`" in said


def test_a_network_that_learns_nothing_is_said(tmp_path: Path) -> None:
    def spoil(trained: Training, _: SmallBatch) -> None:
        with torch.no_grad():
            trained.network.get_parameter("second.weight").fill_(-0.3)

    said = told(changed(LONG, schedule={"rate": 1e-9}), tmp_path, spoil)
    assert "no better than an evaluation of 0 in all positions" in said
    assert "take a third of `rate`" in said


def test_dead_neurons_are_said(tmp_path: Path) -> None:
    def kill(trained: Training, _: SmallBatch) -> None:
        with torch.no_grad():
            trained.network.get_parameter("first.weight")[:2] = -0.5
            trained.network.get_parameter("first.bias")[:2] = -0.5

    said = told(changed(LONG, schedule={"rate": 0.01}), tmp_path, kill)
    assert "25% of the transformer's outputs are 0 in all held-out positions" in said
    assert "a `warm_up` of [schedule]" in said


def test_saturated_weights_are_said(tmp_path: Path) -> None:
    def stretch(trained: Training, known: SmallBatch) -> None:
        with torch.no_grad():
            trained.network.get_parameter("first.weight")[:4] = 0.75

    said = told(changed(LONG, schedule={"rate": 1e-6}), tmp_path, stretch)
    assert "% of the numbers of `first` are the largest or smallest of their type" in said
    assert "a smaller `one` in the spec" in said


def test_a_network_knows_its_saturated_weights_and_active_outputs() -> None:
    network = Network(description(small_specs()["sfnnv5"]), seed=1)
    name = next(iter(network.layers))
    before = network.saturated()[f"weights of {name}"]
    with torch.no_grad():
        weights = affine(network, name).weights
        weights[:, 0] = 1e3
        network.clip()
    share = 1 / weights.shape[1]
    assert before < 0.01
    assert network.saturated()[f"weights of {name}"] == pytest.approx(share, abs=0.01)
