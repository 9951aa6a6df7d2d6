import builtins
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from small_run import batches, interrupted, training

from nnue_trainer import checkpoint
from nnue_trainer.fields import RunError
from nnue_trainer.log import JsonLines, Several, TensorBoard


def test_each_report_is_a_line_also_after_an_interruption(tmp_path: Path) -> None:
    first = training()
    log = Several(JsonLines(tmp_path, []))
    with pytest.raises(KeyboardInterrupt):
        first.go(interrupted(batches(1), 35), tmp_path, log)
    log.close()
    path = tmp_path / "log.jsonl"
    assert len(path.read_text().splitlines()) == 3
    # A report that no checkpoint has is made again.
    path.write_text(path.read_text() + "{}\n")
    resumed = training()
    resumed.restore(tmp_path / checkpoint.NAME)
    log = Several(JsonLines(tmp_path, resumed.reports))
    resumed.go(batches(1), tmp_path, log)
    log.close()
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        msgspec.to_builtins(report) for report in resumed.reports
    ]


class Writer:
    """What TensorBoard's writer is told."""

    made: ClassVar["list[Writer]"] = []

    def __init__(self, folder: str, purge_step: int) -> None:
        self.folder, self.purge_step = folder, purge_step
        self.points: list[tuple[str, float, int]] = []
        self.made.append(self)

    def add_scalar(self, name: str, value: float, step: int) -> None:
        self.points.append((name, value, step))

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_tensorboard_gets_the_numbers_of_each_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = types.ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = Writer
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    done = training()
    done.go(batches(1), tmp_path, Several(TensorBoard(tmp_path, [])))
    (writer,) = Writer.made
    assert writer.folder == str(tmp_path / "tensorboard") and writer.purge_step == 0
    losses = [(value, step) for name, value, step in writer.points if name == "validation_loss"]
    assert losses == [(report.validation_loss, report.positions) for report in done.reports]
    TensorBoard(tmp_path, done.reports)
    assert Writer.made[-1].purge_step == 1281


def test_a_missing_tensorboard_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole: Callable[..., Any] = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if "tensorboard" in name:
            raise ImportError(name)
        return whole(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(RunError, match="not installed: `pip install tensorboard` does it"):
        TensorBoard(tmp_path, [])
