"""One process, or several that `torchrun` has started, each with its own share of every batch."""

import atexit
import datetime
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from nnue_trainer.fields import RunError

WAIT = datetime.timedelta(days=7)
"""How long a process waits for the others. The first one writes nets and plays matches while they
do, which takes longer than the minutes that torch waits by default."""


@dataclass(frozen=True)
class Processes:
    """The processes of a run, as one of them sees them."""

    rank: int
    count: int
    device: torch.device
    on_this_machine: int = 1
    """How many of them share its cores."""

    @property
    def is_first(self) -> bool:
        """Whether this process is the one that reports and writes files."""
        return self.rank == 0

    def shared(self, network: nn.Module) -> nn.Module:
        """A module that computes what `network` does, and whose gradients are the mean of all
        processes'."""
        if self.count == 1:
            return network
        return DistributedDataParallel(network, broadcast_buffers=False)

    def mean(self, value: Tensor) -> Tensor:
        """The mean of a tensor over all processes, which must all call this."""
        if self.count > 1:
            torch.distributed.all_reduce(value)
            value = value / self.count
        return value

    def wait(self) -> None:
        """Waits until all processes are here."""
        if self.count > 1:
            torch.distributed.barrier()

    def seed(self, seed: int) -> int:
        """A seed for this process's data."""
        return seed + self.rank


@contextmanager
def processes(device: str) -> Iterator[Processes]:
    """Joins the other processes, if `torchrun` has started several; `device` is that of the run
    file."""
    count = int(os.environ.get("WORLD_SIZE", 1))
    rank = int(os.environ.get("RANK", 0))
    local = int(os.environ.get("LOCAL_RANK", 0))
    chosen = _device(device, local)
    if count == 1:
        yield Processes(0, 1, chosen)
        return
    torch.distributed.init_process_group("nccl" if chosen.type == "cuda" else "gloo", timeout=WAIT)
    try:
        yield Processes(rank, count, chosen, int(os.environ.get("LOCAL_WORLD_SIZE", count)))
    finally:
        torch.distributed.destroy_process_group()
        # A shared module refers to itself, and holds the group's threads until it is collected; an
        # error holds the module. A thread that still runs when Python ends can abort the process.
        atexit.register(gc.collect)


def _device(name: str, local: int) -> torch.device:
    there = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    if name == "auto":
        name = next(each for each in ("cuda", "mps", "cpu") if there[each])
    if not there[name]:
        raise RunError(
            f"device `{name}` is not there: this torch has "
            f"{', '.join(each for each in there if there[each])}"
        )
    if name == "cuda":
        count = torch.cuda.device_count()
        if local >= count:
            raise RunError(f"process {local} of this machine has no GPU: there are {count}")
        torch.cuda.set_device(local)
        return torch.device("cuda", local)
    return torch.device(name)
