"""Where batches come from: `nnue data batches` as a process beside the training."""

import contextlib
import queue
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from nnue_trainer import stream
from nnue_trainer.batch import Batch
from nnue_trainer.run import Run

T = TypeVar("T")


@dataclass
class HeldOut:
    """Positions that the network is not trained on, the same for all runs on the same data."""

    batches: list[Batch]
    positions: list[str]
    """Their FENs, in the order of the batches."""


class FileSource:
    """The positions of a run's files."""

    def __init__(self, run: Run, binary: str, threads: int) -> None:
        """`binary` is the path of `nnue`, which gets so many `threads`."""
        self.run, self.binary, self.threads = run, binary, threads

    def training(
        self, seed: int, prepared: Callable[[Batch], Batch]
    ) -> Generator[Batch, None, None]:
        """Endless batches to train on, each as `prepared` returns it in a thread beside the
        training. The same seed gives the same ones."""
        options = ["--seed", seed, "--endless", *self._split("--hold-out")]
        return ahead(_each(self._batches(self.run.data.files, options), prepared))

    def held_out(self) -> HeldOut:
        """The positions that `training` does not have."""
        data = self.run.data
        with tempfile.TemporaryDirectory() as folder:
            listed = Path(folder) / "positions.txt"
            options: list[object] = ["--limit", data.validation_positions, "--positions", listed]
            options += self._split("--held-out")
            batches = list(self._batches(data.validation or data.files, options))
            positions = listed.read_text(encoding="utf-8").splitlines()
        return HeldOut(batches, positions)

    def of(self, positions: Iterable[str]) -> list[Batch]:
        """The batches of FENs, in their order."""
        with tempfile.TemporaryDirectory() as folder:
            listed = Path(folder) / "positions.txt"
            listed.write_text("".join(f"{position}\n" for position in positions), encoding="utf-8")
            return list(stream.batches(self.run.spec, [listed], "--in-order", binary=self.binary))

    def _split(self, option: str) -> list[str]:
        return [] if self.run.data.validation else [option, self.run.data.hold_out]

    def _batches(
        self, files: Sequence[str], options: Iterable[object]
    ) -> Generator[Batch, None, None]:
        data = self.run.data
        options = ["--batch-size", data.batch_size, *data.options, *options]
        if not any(option.split("=")[0] == "--threads" for option in data.options):
            options += ["--threads", self.threads]
        return stream.batches(self.run.spec, files, *options, binary=self.binary)


def _each(
    batches: Generator[Batch, None, None], change: Callable[[Batch], Batch]
) -> Generator[Batch, None, None]:
    with contextlib.closing(batches):
        for batch in batches:
            yield change(batch)


def ahead(batches: Generator[T, None, None], count: int = 4) -> Generator[T, None, None]:
    """The same batches, of which a thread reads up to `count` before they are asked for."""
    waiting: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue(count)
    ended = threading.Event()

    def offer(item: tuple[T | None, BaseException | None]) -> None:
        while not ended.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return
            except queue.Full:
                pass

    def read() -> None:
        try:
            for batch in batches:
                offer((batch, None))
                if ended.is_set():
                    break
            offer((None, None))
        except BaseException as error:
            offer((None, error))
        finally:
            batches.close()

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        while True:
            batch, error = waiting.get()
            if error is not None:
                raise error
            if batch is None:
                return
            yield batch
    finally:
        ended.set()
        thread.join()
