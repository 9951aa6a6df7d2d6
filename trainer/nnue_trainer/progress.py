"""What a run says of itself while it goes on, on standard error."""

import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from nnue_trainer.train import Report, Training

TITLES = ("positions", "of the run", "training", "validation", "rate", "zero blocks", "positions/s")
WIDTHS = (14, 11, 11, 11, 10, 12, 12)


class Watcher:
    """Who is told how a training goes on. This one says nothing."""

    def step(self, training: "Training") -> None:
        """A step has been made."""

    def report(self, training: "Training", report: "Report") -> None:
        """A report has been made."""

    def close(self) -> None:
        """The run is over, or interrupted."""


class Progress(Watcher):
    """A table with a row for each report, and on a terminal a line that changes every second."""

    def __init__(self, out: TextIO | None = None) -> None:
        self.out = out or sys.stderr
        self.is_terminal = self.out.isatty()
        self.shown = time.monotonic()
        self.positions: int | None = None
        self.warned: set[str] = set()
        self._line(_row(TITLES))

    def step(self, training: "Training") -> None:
        """A step has been made."""
        now = time.monotonic()
        if not self.is_terminal or now - self.shown < 1:
            return
        speed = (training.positions - (self.positions or 0)) / (now - self.shown)
        if self.positions is not None:
            row = (
                f"{training.positions:,}",
                f"{training.share:.1%}",
                "",
                "",
                "",
                "",
                f"{speed:,.0f}",
            )
            self.out.write(f"\r{_row(row)}")
            self.out.flush()
        self.shown, self.positions = now, training.positions

    def report(self, training: "Training", report: "Report") -> None:
        """A report has been made."""
        self._line(
            _row(
                (
                    f"{report.positions:,}",
                    f"{training.share:.1%}",
                    f"{report.train_loss:.6f}",
                    f"{report.validation_loss:.6f}",
                    f"{report.rate:.3g}",
                    f"{report.zero_blocks:.1%}",
                    f"{report.positions_per_second:,.0f}",
                )
            )
        )
        # Once is enough: what holds at the end is in the summary.
        for kind, warning in training.advice.items():
            if kind not in self.warned:
                self._line(f"warning: {warning}")
            self.warned.add(kind)

    def _line(self, text: str) -> None:
        # The row replaces the line that changes.
        start = "\r" if self.is_terminal else ""
        self.out.write(f"{start}{text}\n")
        self.out.flush()
        self.shown, self.positions = time.monotonic(), None


def _row(values: Iterable[str]) -> str:
    return "".join(value.rjust(width) for value, width in zip(values, WIDTHS))
