"""What each key of a run file is worth: trains a small network once for each setting and seed on
the same data, and writes a table of the losses on held-out games, and of matches between nets.

    python trainer/measure/keys.py GAMES... --out table.md --engine ENGINE

The loss is always that of the default `[loss]`, whatever a setting trains with, so that settings
can be compared. All settings of a seed see the same positions in the same order. In matches, the
net of a setting plays the defaults' net; both are of the first seed.
"""

import argparse
import dataclasses
import json
import multiprocessing
import platform
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import torch

from nnue_trainer import Batch, Description, Network, nnue
from nnue_trainer.loss import Loss
from nnue_trainer.processes import Processes
from nnue_trainer.run import Data, Run
from nnue_trainer.schedule import Schedule
from nnue_trainer.source import FileSource
from nnue_trainer.train import Training

HERE = Path(__file__).parent
CPU = torch.device("cpu")

SETTINGS: dict[str, dict[str, Any]] = {
    "the defaults": {},
    '`mode = "float"`': {"mode": "float"},
    "`rate = 0.0003`": {"schedule": {"rate": 0.0003}},
    "`rate = 0.003`": {"schedule": {"rate": 0.003}},
    "`rate = 0.01`": {"schedule": {"rate": 0.01}},
    '`kind = "step"`': {"schedule": {"kind": "step"}},
    '`kind = "constant"`': {"schedule": {"kind": "constant"}},
    "`warm_up = 0.05`": {"schedule": {"warm_up": 0.05}},
    "`muon`": {"optimiser": {"name": "muon"}},
    "`weight_decay = 0.1`": {"optimiser": {"weight_decay": 0.1}},
    "`exponent = 2.5`": {"loss": {"exponent": 2.5}},
    "`lambda = 0.9`": {"loss": {"lambda": (0.9, 0.9)}},
}


@dataclasses.dataclass(frozen=True)
class Work:
    """What all trainings of a seed have in common. Processes inherit it, for to send them batches
    would take longer than a training."""

    run: Run
    description: Description
    batches: Sequence[Batch]
    held_out: Sequence[Batch]
    nets: Path
    """The folder of net files, which are named by the places of their settings in `SETTINGS`."""


def main(argv: Sequence[str]) -> None:
    """Trains, plays, and writes the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", nargs="+", metavar="GAMES")
    parser.add_argument("--out", type=Path, required=True, help="where the table goes")
    parser.add_argument("--spec", default=str(HERE / "small.toml"))
    parser.add_argument("--positions", type=int, default=1_000_000, help="of each training")
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=0.001, help="where a setting has no other")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many train or play at a time")
    parser.add_argument("--only", help="settings that have this in their names, and the defaults")
    parser.add_argument("--engine", help="a UCI engine: the nets of the first seed play matches")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=5000)
    given = parser.parse_args(argv)
    torch.set_num_threads(1)
    binary = nnue.find()
    description = Description.of_spec(given.spec, binary)
    base = Run(
        spec=given.spec,
        out="measure",
        positions=given.positions,
        device="cpu",
        data=Data(
            files=tuple(given.data),
            batch_size=given.batch_size,
            validation_positions=14_000,
            options=("--buffer", "300000"),
        ),
        schedule=Schedule(rate=given.rate),
    )
    names = [
        name
        for name, changes in SETTINGS.items()
        if not given.only or given.only in name or not changes
    ]
    losses: dict[str, dict[int, float]] = {name: {} for name in names}
    elo: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(given.first_seed, given.first_seed + given.seeds):
            run = base.changed({"seed": seed})
            source = FileSource(run, binary, 1)
            held_out = source.held_out().batches
            batches = list(_first(source, run, Network(description)))
            work = Work(run, description, batches, held_out, Path(folder))
            with _processes(given.jobs, work) as processes:
                trainings = {processes.submit(_loss_of, name): name for name in names}
                for name, loss in _finished(trainings):
                    losses[name][seed] = loss
                    print(f"seed {seed}, {name}: {loss:.6f}", file=sys.stderr, flush=True)
                    # What is there so far is worth something if the rest is interrupted.
                    given.out.write_text(_table(losses, elo))
                if not given.engine or seed > given.first_seed:
                    continue
                settings = [name for name in names if SETTINGS[name]]
                matches = {processes.submit(_elo, name, given): name for name in settings}
                for name, found in _finished(matches):
                    elo[name] = found
                    print(f"{name}: {found}", file=sys.stderr, flush=True)
                    given.out.write_text(_table(losses, elo))


_work: Work
"""In a process of `_processes`."""


def _begin(work: Work) -> None:
    global _work
    _work = work
    torch.set_num_threads(1)


def _processes(jobs: int, work: Work) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("fork")
    return ProcessPoolExecutor(jobs, context, _begin, (work,))


def _finished(futures: Mapping["Future[Any]", str]) -> Iterator[tuple[str, Any]]:
    for future in as_completed(futures):
        yield futures[future], future.result()


def _first(source: FileSource, run: Run, network: Network) -> Iterator[Batch]:
    """The batches of a training."""
    steps = -(-run.positions // run.data.batch_size)
    endless = source.training(run.seed, lambda batch: network.prepared(batch, CPU))
    for _, batch in zip(range(steps), endless):
        yield batch
    endless.close()


def _loss_of(name: str) -> float:
    """Trains the network that a run with this setting would export, and writes its net file: the
    default loss of that file, in integers."""
    run = _work.run.changed(SETTINGS[name])
    network = Network(_work.description, mode=run.mode, seed=run.seed)
    training = Training(run, network, Processes(0, 1, CPU), _work.held_out)
    for batch in _work.batches:
        training.step(batch)
    network.write_net(_net(name))
    return _loss(network, _work.held_out)


@torch.no_grad()
def _loss(network: Network, held_out: Sequence[Batch]) -> float:
    network.mode = "exact"
    values = torch.cat([network(batch).double() for batch in held_out])
    score = torch.cat([batch.score for batch in held_out]).double()
    result = torch.cat([batch.result for batch in held_out]).double()
    return float(Loss()(values, score, result, 1.0))


def _net(name: str) -> Path:
    return _work.nets / f"{list(SETTINGS).index(name)}.nnue"


def _elo(name: str, given: argparse.Namespace) -> str:
    nets = [_net(name), _net("the defaults")]
    options = ["--engine", given.engine, "--games", given.games, "--nodes", given.nodes]
    said = nnue.run("match", *nets, *options, "--concurrency", 1, "--json")
    match = json.loads(said)
    # A net that wins or loses all games has no Elo.
    elo, low, high = (
        "?" if match[key] is None else f"{match[key]:+.0f}"
        for key in ("elo", "elo_low", "elo_high")
    )
    return f"{elo} [{low}, {high}]"


def _table(losses: Mapping[str, Mapping[int, float]], elo: Mapping[str, str]) -> str:
    """The settings that are done, those with the lowest losses first."""
    done = {name: list(found.values()) for name, found in losses.items() if found}
    default = statistics.mean(done.get("the defaults", [float("nan")]))
    lines = [
        f"{platform.machine()}, torch {torch.__version__}",
        "",
        "| setting | loss on held-out games | of each seed | against the defaults |"
        + (" Elo against them |" if elo else ""),
        "|---|---|---|---|" + ("---|" if elo else ""),
    ]
    for name, found in sorted(done.items(), key=lambda pair: statistics.mean(pair[1])):
        mean = statistics.mean(found)
        each = ", ".join(f"{loss:.6f}" for loss in found)
        line = f"| {name} | {mean:.6f} | {each} | {mean / default - 1:+.1%} |"
        lines.append(line + (f" {elo.get(name, '')} |" if elo else ""))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
