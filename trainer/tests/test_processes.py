import datetime
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from small_run import RUN, SmallBatch, batches, changed, training, weights
from torch import Tensor

from nnue_trainer.fields import RunError
from nnue_trainer.processes import Processes, processes
from nnue_trainer.progress import Watcher
from nnue_trainer.train import Training

SHARE = RUN.data.batch_size // 2
DISTRIBUTED = changed(RUN, loss={"activation": 0.1}, optimiser={"name": "muon"})


def start(folder: Path) -> list[tuple[Tensor, int]]:
    """The weights and positions of both processes, after a run."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    program = Path(__file__).with_name("distributed_run.py")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([*command, program, folder], check=True, env=environment, timeout=300)
    return [torch.load(folder / f"{rank}.pt") for rank in (0, 1)]


def both(first: SmallBatch, second: SmallBatch) -> Any:
    return SmallBatch(
        *(torch.cat(pair) for pair in zip(vars(first).values(), vars(second).values()))
    )


def test_two_processes_learn_what_one_does_from_both_their_batches(tmp_path: Path) -> None:
    (first, positions), (second, _) = start(tmp_path)
    assert torch.equal(first, second) and positions == RUN.positions

    alone = training(DISTRIBUTED, seed=5)
    pairs = zip(batches(RUN.seed, SHARE), batches(RUN.seed + 1, SHARE))
    (tmp_path / "alone").mkdir()
    alone.go((both(*pair) for pair in pairs), tmp_path / "alone", Watcher())
    # Sums of two halves are rounded otherwise than sums of all.
    assert torch.allclose(weights(alone.network), first, atol=1e-4)


@pytest.mark.parametrize("nets_every", [0, 96])
def test_all_processes_do_what_was_deferred_after_the_same_steps(
    nets_every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled: list[int] = []
    monkeypatch.setattr(Training, "_settle", lambda own: settled.append(own.steps))

    def steps_of(rank: int) -> list[int]:
        settled.clear()
        own = training(changed(RUN, nets_every=nets_every), Processes(rank, 1, torch.device("cpu")))
        folder = tmp_path / str(rank)
        folder.mkdir()
        own.go(batches(1), folder, Watcher(), (lambda _: None) if rank == 0 else None)
        return list(settled)

    first = steps_of(0)
    assert len(first) >= RUN.reports and steps_of(1) == first


def test_a_device_that_is_not_there_is_an_error() -> None:
    # No machine has both.
    missing = "mps" if torch.cuda.is_available() else "cuda"
    with (
        pytest.raises(RunError, match=f"device `{missing}` is not there: this torch has cpu"),
        processes(missing),
    ):
        pass


def test_more_processes_than_gpus_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("LOCAL_RANK", "2")
    with (
        pytest.raises(RunError, match="process 2 of this machine has no GPU: there are 2"),
        processes("cuda"),
    ):
        pass


def test_processes_wait_for_hours_of_work_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    joined: list[datetime.timedelta] = []
    monkeypatch.setattr(
        torch.distributed, "init_process_group", lambda _, timeout: joined.append(timeout)
    )
    monkeypatch.setattr(torch.distributed, "destroy_process_group", lambda: None)
    monkeypatch.setenv("WORLD_SIZE", "2")
    with processes("cpu") as ours:
        assert ours.count == 2
    assert joined == [datetime.timedelta(days=7)]


def test_without_torchrun_there_is_one_process() -> None:
    with processes("cpu") as alone:
        assert (alone.rank, alone.count, alone.is_first) == (0, 1, True)
        assert float(alone.mean(torch.tensor(3.0))) == 3.0
