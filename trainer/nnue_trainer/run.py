"""The run file: all that a training run is, beside the spec of its network."""

import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from nnue_trainer.checkpoint import NAME as CHECKPOINT
from nnue_trainer.fields import (
    Natural,
    Positive,
    RunError,
    Share,
    Table,
    read_table,
    shown,
)
from nnue_trainer.loss import Loss
from nnue_trainer.optimiser import Optimiser
from nnue_trainer.schedule import Schedule
from nnue_trainer.schema import given
from nnue_trainer.watch import Watch

Mode = Literal["fake", "float"]

OF_THE_LOOP = ("engine", "selfplay", "match", "trainer", "current")
"""Keys of a run file that only `nnue loop` reads."""


SEEDS = 1 << 20
"""How far the seeds of stages are from each other: further than there are processes."""

OF_ALL_STAGES = ("spec", "out", "seed", "device", "threads", "start", "logs", "golden", "watch")
"""Keys of a run that its stages do not have."""

WITHOUT_EFFECT = ("out", "threads", "logs", "nets_every", "watch")
"""Keys that may be others when a run goes on. Threads change but the last digits of numbers."""


class Data(Table, frozen=True):
    """The table `[data]` of a run file."""

    files: tuple[str, ...] = ()
    """What is trained on."""
    validation: tuple[str, ...] = ()
    """What is only evaluated. Without it, `hold_out` of `files` is, in whole games."""
    hold_out: str = "1/20"
    """Without `validation`: the part of `files` that is only evaluated."""
    validation_positions: Annotated[int, Meta(ge=1, le=10_000_000)] = 50_000
    """How many of the held-out positions are evaluated."""
    batch_size: Annotated[int, Meta(ge=1, le=1 << 20)] = 8192
    """Positions of a batch, for each process."""
    options: tuple[str, ...] = ()
    """Further options of `nnue data batches`."""


class Run(Table, frozen=True):
    """A run file. Paths are relative to the folder that it is in, and absolute once it is read."""

    spec: str
    """A TOML file, or the name of a network that `nnue` knows."""
    out: str = ""
    """The folder for all that is written; without it, one beside the run file with its name."""
    start: str | None = None
    """A net of the spec or a checkpoint, whose weights are the first; without it they are
    random."""
    seed: Natural = 1
    """For the first weights and the order of positions."""
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    """Where torch computes; `auto` is CUDA, else MPS, else the CPU."""
    threads: Annotated[int, Meta(ge=1, le=4096)] | None = None
    """For torch and the process that makes batches together; by default one for each core."""
    mode: Mode = "fake"
    """Whether the forward pass rounds as the integers do."""
    float_first: Share = 0.0
    """The share of a `fake` run in which nothing is rounded yet."""
    positions: Positive = 100_000_000
    """How many positions are trained on, counted as often as they are seen."""
    reports: Annotated[int, Meta(ge=1, le=10_000)] = 20
    """How often in the run the network is validated and a checkpoint written."""
    nets_every: Natural = 0
    """After how many positions a net is kept; 0 is at each report."""
    compile: bool = False
    """Whether `torch.compile` makes one program of the network."""
    logs: tuple[Literal["json", "tensorboard"], ...] = ()
    """What is written of each report for other programs."""
    golden: Positive = 1000
    """How many positions with exact values are written beside the network."""
    data: Data = Data()
    loss: Loss = Loss()
    optimiser: Optimiser = Optimiser()
    schedule: Schedule = Schedule()
    watch: Watch = Watch()

    def changed(self, changes: dict[str, Any]) -> "Run":
        """The run with other values by their keys; a table replaces single keys of its own.

        Raises `RunError` if a value is not what its field allows.
        """
        return read_table(Run, _merged(msgspec.to_builtins(self), changes), "the run")

    def mode_at(self, share: float) -> Mode:
        """The mode of training when `share` of the run, from 0 to 1, is over."""
        return "float" if share < self.float_first else self.mode

    def settings(self) -> dict[str, Any]:
        """All that a run's numbers depend on, as plain values by the names of the keys."""
        settings: dict[str, Any] = {}
        for key, value in msgspec.to_builtins(self).items():
            if key in WITHOUT_EFFECT:
                continue
            if isinstance(value, dict):
                settings.update({f"{key}.{name}": each for name, each in value.items()})
            else:
                settings[key] = value
        return settings


def read_run(
    path: str | os.PathLike[str],
    out: str | None = None,
    data: Sequence[str] | None = None,
    device: str | None = None,
) -> Run:
    """The run of the file at `path`, in which the arguments replace what the file says.

    The arguments' paths are relative to the current folder. Raises `RunError` if the file cannot be
    read, says what no run can do, or has stages.
    """
    first, *others = read_runs(path, out, data, device)
    if others:
        raise RunError(f"{path}: the run has {1 + len(others)} stages")
    return first


def read_runs(
    path: str | os.PathLike[str],
    out: str | None = None,
    data: Sequence[str] | None = None,
    device: str | None = None,
) -> list[Run]:
    """The stages of the run of a file, each as a run, and with the arguments of `read_run`; of a
    file without stages, the run itself."""
    path = Path(path)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=_finite)
    except (OSError, ValueError) as error:
        raise RunError(f"cannot read `{path}`: {error}") from error
    try:
        return _stages(values, path, out, data, device)
    except RunError as error:
        raise RunError(f"{path}: {error}") from error


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"it has the number {text}, which is not finite")
    return number


def _stages(
    values: dict[str, Any],
    path: Path,
    out: str | None,
    data: Sequence[str] | None,
    device: str | None,
) -> list[Run]:
    def read(values: dict[str, Any], data: Sequence[str] | None, where: str) -> Run:
        own = {key: value for key, value in values.items() if key not in OF_THE_LOOP}
        loss = own.get("loss")
        if isinstance(loss, dict) and isinstance(loss.get("lambda"), (int, float)):
            # A number is that of the whole run.
            own["loss"] = {**loss, "lambda": [loss["lambda"]] * 2}
        return _completed(read_table(Run, own, where), path, out, data, device)

    if "stage" not in values:
        return [read(values, data, "the run")]
    stages = values.pop("stage")
    if not isinstance(stages, list) or not stages:
        raise RunError(f"[[stage]] is {shown(stages)}: tables are expected")
    runs: list[Run] = []
    for index, stage in enumerate(stages):
        where = f"stage {index + 1}"
        if not isinstance(stage, dict):
            raise RunError(f"{where} is {shown(stage)}: a table is expected")
        for key in stage:
            if key in OF_ALL_STAGES:
                raise RunError(f"`{key}` of {where} is one of the whole run, before [[stage]]")
        own_data = stage.get("data")
        names_files = isinstance(own_data, dict) and "files" in own_data
        run = read(_merged(values, stage), None if names_files else data, where)
        runs.append(
            replace(
                run,
                out=str(Path(run.out) / f"stage-{index + 1}"),
                # Otherwise each stage would see the same positions in the same order.
                seed=run.seed + SEEDS * index,
                start=str(Path(runs[-1].out) / CHECKPOINT) if runs else run.start,
            )
        )
    return runs


def _merged(values: dict[str, Any], stage: dict[str, Any]) -> dict[str, Any]:
    """The tables of a run, in which those of a stage replace single keys."""
    merged = dict(values)
    for key, value in stage.items():
        own = values.get(key)
        both_tables = isinstance(own, dict) and isinstance(value, dict)
        merged[key] = {**own, **value} if isinstance(own, dict) and both_tables else value
    return merged


def _completed(
    run: Run, path: Path, out: str | None, data: Sequence[str] | None, device: str | None
) -> Run:
    folder = path.resolve().parent

    def within(paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(str(folder / each) for each in paths)

    if run.float_first and run.mode == "float":
        raise RunError('`float_first` is for runs with `mode = "fake"`')
    start = None if run.start is None else folder / run.start
    if start is not None and not start.is_file():
        raise RunError(f"there is no file `{start}` to start with")
    watch = run.watch
    if watch.engine is not None:
        watch = replace(watch, engine=str(folder / watch.engine))
        if not Path(given(watch.engine)).is_file():
            raise RunError(f"there is no file `{watch.engine}`, the `engine` of [watch]")
        if (folder / watch.opponent).is_file():
            watch = replace(watch, opponent=str(folder / watch.opponent))
        elif watch.opponent.endswith(".nnue"):
            raise RunError(
                f"there is no file `{folder / watch.opponent}`, the `opponent` of [watch]"
            )
    files = (
        within(run.data.files)
        if data is None
        else tuple(str(Path(each).resolve()) for each in data)
    )
    if not files:
        raise RunError("there is nothing to train on: `files` of [data], or `--data`, names files")
    for file in (*files, *within(run.data.validation)):
        if not Path(file).is_file():
            raise RunError(f"there is no file `{file}` to train on")
    return replace(
        run,
        spec=str(folder / run.spec) if run.spec.endswith(".toml") else run.spec,
        out=str(Path(out).resolve() if out else folder / (run.out or path.stem)),
        start=None if start is None else str(start),
        device=device or run.device,
        watch=watch,
        data=replace(run.data, files=files, validation=within(run.data.validation)),
    )
