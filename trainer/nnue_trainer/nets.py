"""The net files of a run: each is proven to compute what the trainer does."""

import copy
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from nnue_trainer import export, nnue
from nnue_trainer.checkpoint import write_whole
from nnue_trainer.fields import RunError
from nnue_trainer.network import Network
from nnue_trainer.run import Run
from nnue_trainer.source import FileSource
from nnue_trainer.train import Training


def name_of(positions: int) -> str:
    """The name of the net after so many positions."""
    return f"{positions:012}.nnue"


def kept_in(folder: Path) -> list[int]:
    """After how many positions the nets in a folder were kept, the first one first."""
    names = [path.stem for path in folder.glob("*.nnue")]
    return sorted(int(name) for name in names if name.isdigit())


class Nets:
    """Where a run writes nets, and the positions by which they are proven."""

    def __init__(
        self, run: Run, source: FileSource, positions: Sequence[str], folder: Path
    ) -> None:
        """`positions` has FENs, of which the first are the golden ones."""
        self.run, self.binary, self.folder = run, source.binary, folder
        self.positions = positions[: run.golden]
        self.batches = source.of(self.positions)

    def first(self, training: Training) -> None:
        """Writes the net of a training that has made no step, as `numbered` does. Nets of an
        earlier run are set aside as `nets.old`, because `nets` is the history of one run."""
        nets, old = self.folder / "nets", self.folder / "nets.old"
        if any(nets.glob("*.nnue")):
            if old.exists():
                shutil.rmtree(old)
            nets.rename(old)
        self.numbered(training)

    def numbered(self, training: Training) -> None:
        """Writes the net of a training as it stands to `nets`, under the number of positions that
        it has seen.

        Raises `RunError` if the net cannot be written, or does not compute what the trainer does.
        """
        nets = self.folder / "nets"
        nets.mkdir(exist_ok=True)
        self._write(training, nets / name_of(training.positions))

    def final(self, training: Training) -> None:
        """Writes `network.nnue` and `golden.txt`, and what `numbered` raises."""
        self._write(training, self.folder / "network.nnue", self.folder / "golden.txt")

    def _write(self, training: Training, path: Path, golden: Path | None = None) -> None:
        network = training.network
        if training.processes.device.type != "cpu":
            # The integers are computed in f64, which MPS has not.
            network = copy.deepcopy(network).cpu()
        with tempfile.TemporaryDirectory() as folder:
            vectors = Path(folder) / "golden.txt"
            try:
                export.write_golden(network, self.positions, self.batches, vectors)
                # A net that is not proven is never seen under its name.
                write_whole(path, lambda unproven: self._write_proven(network, unproven, vectors))
            except (nnue.CommandFailed, ValueError) as error:
                raise RunError(
                    f"the net after {training.positions:,} positions is not what the trainer "
                    f"computes, or cannot be written as the spec says: {error}"
                ) from error
            if golden is not None:
                text = vectors.read_text(encoding="utf-8")
                write_whole(
                    golden, lambda unfinished: unfinished.write_text(text, encoding="utf-8")
                )

    def _write_proven(self, network: Network, path: Path, vectors: Path) -> None:
        network.write_net(path)
        export.prove(path, self.run.spec, vectors, binary=self.binary)
