"""A budget of threads for both programs that work at the same time: torch, and the process that
makes batches. With as many threads as cores each, they would wait for each other."""

import os
from dataclasses import dataclass

MOST_OF_DATA = 256
"""What `nnue data batches --threads` allows."""


@dataclass(frozen=True)
class Threads:
    """The threads of one process of a run."""

    torch: int
    data: int
    """What `nnue data batches --threads` gets: so many read, and as many find rows."""

    @classmethod
    def divided(cls, budget: int | None, processes: int, on_cpu: bool) -> "Threads":
        """Of a `budget` for all `processes` on this machine. By default it is as many threads as
        there are cores that the trainer may use.

        A quarter makes batches; beside a GPU, which does the larger part of the other work, a half.
        """
        own = max((budget or _cores()) // processes, 1)
        data = min(max(own // (4 if on_cpu else 2), 1), MOST_OF_DATA)
        return cls(torch=max(own - data, 1), data=data)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows
        return os.cpu_count() or 1
