import math
from pathlib import Path
from typing import Any

import pytest
import torch
from small_run import RUN, SmallBatch, batches, changed, interrupted, training, weights

from nnue_trainer import checkpoint
from nnue_trainer.fields import RunError
from nnue_trainer.progress import Watcher
from nnue_trainer.run import Run
from nnue_trainer.schema import given
from nnue_trainer.train import Training


def trained(run: Run = RUN, *, folder: Path, seed: int = 0) -> Training:
    """A training that has gone through its run."""
    result = training(run, seed=seed)
    result.go(batches(run.seed), folder, Watcher())
    return result


def test_the_loss_falls_and_reports_say_so(tmp_path: Path) -> None:
    done = trained(changed(RUN, positions=12_800, schedule={"rate": 0.01}), folder=tmp_path)
    first, *_, last = done.reports
    assert len(done.reports) == 4 and done.positions == 12_800 == last.positions
    assert last.validation_loss < first.validation_loss / 2
    assert last.train_loss == pytest.approx(last.validation_loss, rel=0.5)
    assert 0 < last.zero_blocks < 1 and last.mode == "fake"
    # Steps are not slowed down by what validation looks at.
    assert not done.network.observe
    assert (tmp_path / "curves.svg").read_text().startswith("<svg")


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    first, again, other = (trained(changed(RUN, seed=seed), folder=tmp_path) for seed in (1, 1, 2))
    assert torch.equal(weights(first.network), weights(again.network))
    assert not torch.equal(weights(first.network), weights(other.network))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"float_first": 0.6, "schedule": {"kind": "step", "warm_up": 0.3}},
        {"loss": {"activation": 0.1, "lambda": (1.0, 0.2)}, "schedule": {"kind": "constant"}},
        {"optimiser": {"name": "muon", "weight_decay": 0.1}},
    ],
)
def test_an_interrupted_run_gives_the_same_numbers(tmp_path: Path, changes: dict[str, Any]) -> None:
    run = changed(RUN, **changes)
    whole = trained(run, folder=tmp_path)

    with pytest.raises(KeyboardInterrupt):
        training(run).go(interrupted(batches(run.seed), 25), tmp_path, Watcher())
    resumed = training(run, seed=99)
    resumed.restore(tmp_path / checkpoint.NAME)
    assert resumed.steps == 20
    resumed.go(batches(run.seed), tmp_path, Watcher())
    assert torch.equal(weights(whole.network), weights(resumed.network))
    exact = [
        (report.positions, report.train_loss, report.validation_loss) for report in whole.reports
    ]
    assert exact == [
        (report.positions, report.train_loss, report.validation_loss) for report in resumed.reports
    ]


@pytest.mark.parametrize("key", ["files", "validation"])
def test_a_run_does_not_go_on_with_data_that_has_changed(tmp_path: Path, key: str) -> None:
    same, other = tmp_path / "same.txt", tmp_path / "other.txt"
    same.write_text("x" * 70)
    other.write_text("x" * 80)
    run = changed(RUN, data={key: (str(same), str(other))})
    trained(run, folder=tmp_path)
    path = tmp_path / checkpoint.NAME
    training(run).restore(path)
    other.write_text("x" * 90)
    with pytest.raises(RunError) as error:
        training(run).restore(path)
    said = f"is of another run, with length of `{other}` in bytes 80 and not 90; `--restart`"
    assert said in str(error.value)


def test_weights_are_clipped_after_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    free = training(changed(RUN, schedule={"rate": 1.0}))
    monkeypatch.setattr(free.network, "clip", lambda: None)
    clipped = training(changed(RUN, schedule={"rate": 1.0}))
    batch = next(batches(1))
    free.step(batch)
    clipped.step(batch)
    assert weights(free.network).abs().max() > 0.75
    assert weights(clipped.network).abs().max() == 0.75


@pytest.mark.parametrize("nets_every", [0, 320])
def test_the_time_of_nets_and_their_matches_is_not_that_of_training(
    nets_every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("nnue_trainer.train.time.perf_counter", lambda: now[0])

    def slow_step(self: Training, batch: Any) -> torch.Tensor:
        now[0] += 1.0
        return step(self, batch)

    def write(_: Training) -> None:
        now[0] += 1000.0

    step = Training.step
    monkeypatch.setattr(Training, "step", slow_step)
    timed = training(changed(RUN, nets_every=nets_every))
    timed.go(batches(1), tmp_path, Watcher(), write)
    assert [report.seconds for report in timed.reports] == [10.0, 20.0, 30.0, 40.0]
    assert now[0] == 4040.0


def test_float_comes_first_and_fake_last(tmp_path: Path) -> None:
    done = trained(changed(RUN, float_first=0.5), folder=tmp_path)
    assert done.network.modes == ["float"] * 20 + ["fake"] * 20
    assert [report.mode for report in done.reports] == ["float", "float", "fake", "fake"]


def test_costly_activations_become_smaller(tmp_path: Path) -> None:
    def mean(activation: float) -> float:
        done = trained(
            changed(RUN, positions=6400, loss={"activation": activation}), folder=tmp_path
        )
        done.validate()
        return float(given(done.network.activation_mean))

    assert mean(0.3) < mean(0.0) / 2


def test_validation_is_the_mean_over_all_positions_of_which_something_is_known() -> None:
    validated = training()
    whole = next(batches(1, 300))
    whole.score[:150] = whole.result[:150] = math.nan
    whole.result[150:] = math.nan
    validated.validation = [whole]
    at_once, *_ = validated.validate()
    parts = zip(*(part.split([200, 100]) for part in vars(whole).values()))
    small: list[Any] = [SmallBatch(*part) for part in parts]
    validated.validation = small
    assert validated.validate()[0] == pytest.approx(at_once)


def test_a_loss_that_is_no_number_ends_the_run(tmp_path: Path) -> None:
    broken = training()
    with torch.no_grad():
        broken.network.get_parameter("second.bias").fill_(float("nan"))
    with pytest.raises(RunError, match="the loss is nan after 320 positions"):
        broken.go(batches(1), tmp_path, Watcher())
    assert not (tmp_path / checkpoint.NAME).exists()


def test_data_that_ends_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="the data ended"):
        training().go(iter([]), tmp_path, Watcher())
