import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from small_run import RUN, batch, batches, changed, training

from nnue_trainer.advice import ENOUGH, Known, _data
from nnue_trainer.progress import Progress, Watcher
from nnue_trainer.run import Run
from nnue_trainer.train import Training


@dataclass
class BothLosses:
    train_loss: float
    validation_loss: float


@pytest.mark.parametrize(
    "ratios, of_run, is_warned",
    [
        ((1.0, 1.5, 1.4, 1.34), 20, True),
        ((1.5, 1.5, 1.1), 20, False),
        ((1.1, 1.5, 1.5), 20, False),
        ((1.5, 1.5), 20, False),
        ((1.5, 1.5), 2, True),
        ((1.19, 1.19, 1.19), 3, False),
        ((), 20, False),
    ],
)
def test_a_validation_that_stays_far_above_training_is_said(
    ratios: tuple[float, ...], of_run: int, is_warned: bool
) -> None:
    losses: Any = [BothLosses(0.002, 0.002 * ratio) for ratio in ratios]
    said = _data(Known(ENOUGH, 0, 0, 0.0, 0.0), losses, of_run)
    assert (said is not None) == is_warned
    if said:
        assert f"({ratios[-1] - 1:.0%} in the last report): there is too little data" in said


def learning_by_heart(held_out: int) -> Training:
    """A training in which what held-out positions are worth has nothing to do with what is
    learnt."""
    validation = batch(torch.Generator().manual_seed(1000), held_out)
    validation.score, validation.result = -validation.score, 1 - validation.result
    return alive(
        changed(RUN, positions=64_000, reports=8, schedule={"rate": 0.03}),
        validation,
    )


def alive(run: Run, validation: Any) -> Training:
    """A training with these held-out positions, whose neurons do not die."""
    own = training(run)
    with torch.no_grad():
        own.network.get_parameter("first.bias").fill_(0.5)
    return Training(own.run, own.network, own.processes, [validation])


def test_few_held_out_positions_do_not_tell_that_there_is_too_little_data(tmp_path: Path) -> None:
    known = batch(torch.Generator().manual_seed(7), 32)
    few = learning_by_heart(held_out=ENOUGH - 1)
    few.go(iter(lambda: known, None), tmp_path, Watcher())
    last = few.reports[-1]
    assert last.validation_loss > 2 * last.train_loss and few.warnings == []


def test_a_network_that_learns_a_few_positions_by_heart_is_warned_of(tmp_path: Path) -> None:
    few = learning_by_heart(held_out=ENOUGH)
    known = batch(torch.Generator().manual_seed(7), 32)
    out = io.StringIO()
    few.go(iter(lambda: known, None), tmp_path, Progress(out))
    assert out.getvalue().count("warning: the loss on held-out positions stays far above") == 1
    assert len(few.warnings) == 1
    assert "stays far above that of training" in (tmp_path / "curves.svg").read_text()


def test_enough_data_is_not_warned_of(tmp_path: Path) -> None:
    held_out = batch(torch.Generator().manual_seed(1000), ENOUGH)
    # With half of the values, no weight is as large as it may be.
    run = changed(RUN, positions=64_000, reports=8, loss={"value_scale": 50.0})
    enough = alive(run, held_out)
    enough.go(batches(1), tmp_path, Watcher())
    assert enough.warnings == [] and "far above" not in (tmp_path / "curves.svg").read_text()


def test_both_curves_have_the_targets_of_the_end_of_the_run(tmp_path: Path) -> None:
    # So slow that the network stays as it was: both losses are of the same values.
    run = changed(
        RUN,
        mode="float",
        positions=320,
        reports=1,
        schedule={"rate": 1e-12},
        loss={"lambda": (1.0, 0.0)},
    )
    compared = training(run)
    known = batch(torch.Generator().manual_seed(7), 32)
    compared.validation = [known]
    compared.go(iter(lambda: known, None), tmp_path, Watcher())
    (report,) = compared.reports
    assert report.train_loss == pytest.approx(report.validation_loss, rel=1e-5)
    assert "loss, with the targets of the end of the run" in (tmp_path / "curves.svg").read_text()
