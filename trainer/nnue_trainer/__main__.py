"""The command `nnue-train`."""

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from nnue_trainer import __version__, checkpoint, nnue, schema, start
from nnue_trainer.batch import Batch
from nnue_trainer.description import BadDescription, Description
from nnue_trainer.fields import RunError, shown
from nnue_trainer.log import JsonLines, Several, TensorBoard
from nnue_trainer.nets import Nets
from nnue_trainer.network import Network
from nnue_trainer.processes import Processes, processes
from nnue_trainer.progress import Progress, Watcher
from nnue_trainer.result import finish
from nnue_trainer.run import Run, read_runs
from nnue_trainer.source import FileSource
from nnue_trainer.stages import begin_anew, train_all
from nnue_trainer.stream import BadStream
from nnue_trainer.strength import Matches
from nnue_trainer.threads import Threads
from nnue_trainer.train import Training

EPILOG = """\
In DIR it leaves network.nnue, nets/ (the nets of the start and of each report, or as often as
`nets_every` says), golden.txt (positions with the net's values, for `nnue verify`),
network.floats (the weights, for `nnue quantise`), curves.svg, summary.json, which is also
printed without settings and reports, and checkpoint.safetensors, from which the same command
goes on after an interruption.

Several GPUs: torchrun --nproc_per_node=gpu -m nnue_trainer RUN.toml
"""


def arguments() -> argparse.ArgumentParser:
    """The command line's language."""
    parser = argparse.ArgumentParser(
        prog="nnue-train",
        description="Train the network of a spec, as a run file says (docs/training.md).",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", metavar="RUN.toml", help="the run file")
    parser.add_argument(
        "--out", metavar="DIR", help="the folder to write to, instead of that of the run file"
    )
    parser.add_argument(
        "--data",
        metavar="FILE",
        nargs="+",
        help="train on these files instead of those of the run file",
    )
    parser.add_argument(
        "--nnue",
        metavar="PATH",
        help="the command `nnue`; by default the environment's NNUE, or the one on PATH",
    )
    parser.add_argument(
        "--device", choices=["auto", "cpu", "cuda", "mps"], help="instead of that of the run file"
    )
    parser.add_argument(
        "--restart", action="store_true", help="begin anew, even if DIR has a checkpoint"
    )
    parser.add_argument("--version", action="version", version=f"nnue-train {__version__}")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command, and returns its exit status."""
    given = arguments().parse_args(argv)
    try:
        runs = read_runs(given.run, given.out, given.data, given.device)
        binary = given.nnue or nnue.find()
        with processes(runs[0].device) as ours:
            if given.restart:
                begin_anew(runs, ours)
            summary = train_all(runs, ours, lambda run: train(run, binary, ours))
    except (RunError, BadDescription, BadStream, nnue.CommandFailed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        same = "the same command without `--restart`" if given.restart else "the same command"
        print(f"\ninterrupted: {same} goes on from the last checkpoint", file=sys.stderr)
        return 130
    if summary is not None:
        short = {key: value for key, value in summary.items() if key not in ("settings", "reports")}
        print(json.dumps(short, indent=2))
    return 0


def train(run: Run, binary: str, ours: Processes) -> dict[str, Any] | None:
    """Does the run, and returns its summary, in the first of several processes."""
    # What is random in torch may depend on it, though nothing here is after the first weights.
    torch.manual_seed(run.seed)
    threads = Threads.divided(run.threads, ours.on_this_machine, ours.device.type == "cpu")
    torch.set_num_threads(threads.torch)
    network = built(
        trainable(Description.of_spec(run.spec, binary)), mode=run.mode_at(0.0), seed=run.seed
    )
    if run.start is not None:
        start.load(network, Path(run.start))
    folder = Path(run.out)
    folder.mkdir(parents=True, exist_ok=True)
    source = FileSource(run, binary, threads.data)
    held_out = source.held_out() if ours.is_first else None
    training = Training(run, network, ours, held_out.batches if held_out else [])
    saved = folder / checkpoint.NAME
    if saved.exists():
        training.restore(saved)
    if ours.is_first and training.steps:
        print(f"going on from {training.positions:,} positions", file=sys.stderr)
    nets = None if held_out is None else Nets(run, source, held_out.positions, folder)
    if nets is not None and not training.steps:
        # What cannot be written is found before hours of training.
        nets.first(training)

    def prepared(batch: Batch) -> Batch:
        return network.prepared(batch, ours.device)

    matches = Matches(run, binary, folder, training.matches)
    if nets is not None and training.steps:
        # Those that the run was interrupted in, or that could not be played.
        training.watch(matches.play, folder)
    if not training.is_over:
        with (
            contextlib.closing(watcher(run, training, folder)) as progress,
            contextlib.closing(source.training(ours.seed(run.seed), prepared)) as batches,
        ):
            training.go(batches, folder, progress, nets.numbered if nets else None, matches.play)
    return None if nets is None else finish(run, training, nets, folder)


def watcher(run: Run, training: Training, folder: Path) -> Watcher:
    """Who is told of the run's progress."""
    if not training.processes.is_first:
        return Watcher()
    logs: dict[str, Callable[..., Watcher]] = {"json": JsonLines, "tensorboard": TensorBoard}
    return Several(
        Progress(),
        *(log(folder, training.reports) for name, log in logs.items() if name in run.logs),
    )


def trainable(description: Description) -> Description:
    """The description of a network that positions alone can train.

    Raises `RunError` if what a position gives is known to an engine alone, or if files have tensors
    that training cannot round.
    """
    for features in description.features:
        if isinstance(features.family, schema.Custom):
            raise RunError(
                f"`{description.name}` has the custom feature set `{features.name}`: the engine "
                "tells which of its features are active, and a file of positions does not"
            )
    if description.buckets.by_pieces is None:
        raise RunError(
            f"`{description.name}` leaves the choice of its {description.buckets.count} stacks to "
            "the engine, and a file of positions does not say it: `select` by pieces can be trained"
        )
    for section in description.file.sections:
        if isinstance(section.content, schema.Kept):
            raise RunError(
                f"`{description.name}` does not use `{section.content.name}` of its file: training "
                "tells no values for it"
            )
    if different := description.stored_differently():
        raise RunError(
            f"the file of `{description.name}` has other numbers in `{different[1]}` than in "
            f"`{different[0]}`: the trainer needs the same `type`, `one`, `times`, `rounding` and "
            "`overflow` for white and black"
        )
    return description


def built(description: Description, **options: Any) -> Network:
    """The network of a description.

    Raises `BadDescription` if its parts do not fit each other.
    """
    try:
        return Network(description, **options)
    except MemoryError:
        raise
    except Exception as error:  # numpy and torch have many ways to say that numbers do not fit
        raise BadDescription(
            f"cannot build the network that `nnue describe` printed: {type(error).__name__}, "
            f"{shown(str(error))}"
        ) from error


if __name__ == "__main__":
    sys.exit(main())
