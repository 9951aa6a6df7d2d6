"""The run file: all that a training run is, beside the spec of its network."""

import dataclasses
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from nnue_trainer.checkpoint import NAME as CHECKPOINT
from nnue_trainer.fields import (
    RunError,
    choice,
    flag,
    number,
    read_table,
    share,
    shown,
    text,
    texts,
    words,
)
from nnue_trainer.loss import Loss
from nnue_trainer.optimiser import Optimiser
from nnue_trainer.schedule import Schedule
from nnue_trainer.schema import given
from nnue_trainer.watch import Watch

OF_THE_LOOP = ("engine", "selfplay", "match", "trainer", "current")
"""Keys of a run file that only `nnue loop` reads."""


SEEDS = 1 << 20
"""How far the seeds of stages are from each other: further than there are processes."""

OF_ALL_STAGES = ("spec", "out", "seed", "device", "threads", "start", "logs", "golden", "watch")
"""Keys of a run that its stages do not have."""

WITHOUT_EFFECT = ("out", "threads", "logs", "nets_every", "watch")
"""Keys that may be others when a run goes on. Threads change but the last digits of numbers."""


@dataclass(frozen=True)
class Data:
    """The table `[data]` of a run file."""

    files: tuple[str, ...] = texts()
    """What is trained on."""
    validation: tuple[str, ...] = texts()
    """What is only evaluated. Without it, `hold_out` of `files` is, in whole games."""
    hold_out: str = share("1/20")
    validation_positions: int = number(50_000, low=1, high=10_000_000, whole=True)
    """How many of the held-out positions are evaluated."""
    batch_size: int = number(8192, low=1, high=1 << 20, whole=True)
    """Positions of a batch, for each process."""
    options: tuple[str, ...] = texts()
    """Further options of `nnue data batches`."""


@dataclass(frozen=True)
class Run:
    """A run file. Paths are relative to the folder that it is in, and absolute once it is read."""

    spec: str = text(None)
    """A TOML file, or the name of a network that `nnue` knows."""
    out: str = text(None)
    """The folder for all that is written; without it, one beside the run file with its name."""
    start: Optional[str] = text(None)
    """A net of the spec or a checkpoint, whose weights are the first; without it they are
    random."""
    seed: int = number(1, low=0, high=(1 << 63) - 1, whole=True)
    device: str = choice("auto", "cpu", "cuda", "mps")
    threads: Optional[int] = number(None, low=1, high=4096, whole=True)
    """For torch and the process that makes batches together; by default one for each core."""
    mode: str = choice("fake", "float")
    """Whether the forward pass rounds as the integers do."""
    float_first: float = number(0.0, low=0, high=1)
    """The share of a `fake` run in which nothing is rounded yet."""
    positions: int = number(100_000_000, low=1, whole=True)
    """How many positions are trained on, counted as often as they are seen."""
    reports: int = number(20, low=1, high=10_000, whole=True)
    """How often in the run the network is validated and a checkpoint written."""
    nets_every: int = number(0, low=0, whole=True)
    """After how many positions a net is kept; 0 is at each report."""
    compile: bool = flag(False)
    """Whether `torch.compile` makes one program of the network."""
    logs: tuple[str, ...] = words("json", "tensorboard")
    """What is written of each report for other programs."""
    golden: int = number(1000, low=1, whole=True)
    """How many positions with exact values are written beside the network."""
    data: Data = Data()
    loss: Loss = Loss()
    optimiser: Optimiser = Optimiser()
    schedule: Schedule = Schedule()
    watch: Watch = Watch()

    def mode_at(self, share: float) -> str:
        """The mode of training when `share` of the run, from 0 to 1, is over."""
        return "float" if share < self.float_first else self.mode

    def settings(self) -> dict[str, Any]:
        """All that a run's numbers depend on, as plain values by the names of the keys."""
        settings: dict[str, Any] = {}
        for key, value in dataclasses.asdict(self).items():
            if key in WITHOUT_EFFECT:
                continue
            if isinstance(value, dict):
                settings.update({f"{key}.{name.rstrip('_')}": each for name, each in value.items()})
            else:
                settings[key] = value
        return settings


def read_run(
    path: Union[str, os.PathLike[str]],
    out: Optional[str] = None,
    data: Optional[Sequence[str]] = None,
    device: Optional[str] = None,
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
    path: Union[str, os.PathLike[str]],
    out: Optional[str] = None,
    data: Optional[Sequence[str]] = None,
    device: Optional[str] = None,
) -> list[Run]:
    """The stages of the run of a file, each as a run, and with the arguments of `read_run`; of a
    file without stages, the run itself."""
    path = Path(path)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RunError(f"cannot read `{path}`: {error}") from error
    try:
        return _stages(values, path, out, data, device)
    except RunError as error:
        raise RunError(f"{path}: {error}") from error


def _stages(
    values: dict[str, Any],
    path: Path,
    out: Optional[str],
    data: Optional[Sequence[str]],
    device: Optional[str],
) -> list[Run]:
    def read(values: dict[str, Any], data: Optional[Sequence[str]], where: str) -> Run:
        return _completed(
            read_table(Run, values, where, (*OF_THE_LOOP, "stage")), path, out, data, device
        )

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
            dataclasses.replace(
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
    run: Run, path: Path, out: Optional[str], data: Optional[Sequence[str]], device: Optional[str]
) -> Run:
    folder = path.resolve().parent

    def within(paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(str(folder / each) for each in paths)

    if run.spec is None:
        raise RunError("`spec` is missing: the TOML file of the network, or its name")
    if run.float_first and run.mode == "float":
        raise RunError('`float_first` is for runs with `mode = "fake"`')
    start = None if run.start is None else folder / run.start
    if start is not None and not start.is_file():
        raise RunError(f"there is no file `{start}` to start with")
    watch = run.watch
    if watch.games % 2:
        raise RunError(f"`games` of [watch] is {watch.games}: it must be even, with both colours")
    if watch.engine is not None:
        watch = dataclasses.replace(watch, engine=str(folder / watch.engine))
        if not Path(given(watch.engine)).is_file():
            raise RunError(f"there is no file `{watch.engine}`, the `engine` of [watch]")
        if (folder / watch.opponent).is_file():
            watch = dataclasses.replace(watch, opponent=str(folder / watch.opponent))
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
    return dataclasses.replace(
        run,
        spec=str(folder / run.spec) if run.spec.endswith(".toml") else run.spec,
        out=str(Path(out).resolve() if out else folder / (run.out or path.stem)),
        start=None if start is None else str(start),
        device=device or run.device,
        watch=watch,
        data=dataclasses.replace(run.data, files=files, validation=within(run.data.validation)),
    )
