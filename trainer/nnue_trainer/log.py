"""Reports of a run for other programs: JSON lines, and TensorBoard."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from nnue_trainer.fields import RunError
from nnue_trainer.progress import Watcher

if TYPE_CHECKING:
    from nnue_trainer.train import Report, Training

JSON_LINES = "log.jsonl"
TENSORBOARD = "tensorboard"


class JsonLines(Watcher):
    """`log.jsonl`: a line for each report, with the keys of `reports` in `summary.json`."""

    def __init__(self, folder: Path, before: Sequence["Report"]) -> None:
        """Begins the file, with the reports from `before` an interruption."""
        self.file: TextIO = open(folder / JSON_LINES, "w", encoding="utf-8")  # noqa: SIM115, until it is closed
        for report in before:
            self._write(report)

    def report(self, training: "Training", report: "Report") -> None:
        """A report has been made."""
        self._write(report)

    def _write(self, report: "Report") -> None:
        self.file.write(msgspec.json.encode(report).decode() + "\n")
        self.file.flush()

    def close(self) -> None:
        """The run is over."""
        self.file.close()


class TensorBoard(Watcher):
    """`tensorboard/`: a curve for each number of the reports, by positions."""

    def __init__(self, folder: Path, before: Sequence["Report"]) -> None:
        """Raises `RunError` if there is no TensorBoard."""
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise RunError(
                "`logs` of the run has 'tensorboard', which is not installed: "
                "`pip install tensorboard` does it"
            ) from error
        # What was written after the last checkpoint is written again.
        first = before[-1].positions + 1 if before else 0
        self.writer: Any = SummaryWriter(str(folder / TENSORBOARD), purge_step=first)

    def report(self, training: "Training", report: "Report") -> None:
        """A report has been made."""
        for name, value in msgspec.structs.asdict(report).items():
            if isinstance(value, (int, float)) and name != "positions":
                self.writer.add_scalar(name, value, report.positions)
        self.writer.flush()

    def close(self) -> None:
        """The run is over."""
        self.writer.close()


class Several(Watcher):
    """Some watchers as one."""

    def __init__(self, *watchers: Watcher) -> None:
        self.watchers = watchers

    def step(self, training: "Training") -> None:
        """A step has been made."""
        for watcher in self.watchers:
            watcher.step(training)

    def report(self, training: "Training", report: "Report") -> None:
        """A report has been made."""
        for watcher in self.watchers:
            watcher.report(training, report)

    def close(self) -> None:
        """The run is over, or interrupted."""
        for watcher in self.watchers:
            watcher.close()
