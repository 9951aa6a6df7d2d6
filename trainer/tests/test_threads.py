import os
from collections.abc import Iterator
from itertools import pairwise

import pytest
from small_run import RUN, changed

from nnue_trainer import Batch, stream
from nnue_trainer.source import FileSource
from nnue_trainer.threads import Threads


@pytest.mark.parametrize(
    "budget, processes, on_cpu, torch_has, data_has",
    [
        (1, 1, True, 1, 1),
        (2, 1, True, 1, 1),
        (8, 1, True, 6, 2),
        (8, 1, False, 4, 4),
        (16, 4, True, 3, 1),
        (4000, 1, True, 3744, 256),
    ],
)
def test_both_have_their_part_of_the_budget(
    budget: int, processes: int, on_cpu: bool, torch_has: int, data_has: int
) -> None:
    assert Threads.divided(budget, processes, on_cpu) == Threads(torch_has, data_has)


def test_the_budget_is_the_cores_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(12)), raising=False)
    assert Threads.divided(None, 1, True) == Threads(torch=9, data=3)


@pytest.mark.parametrize(
    "own, expected", [((), ["3"]), (("--threads", "7"), ["7"]), (("--threads=7",), [])]
)
def test_the_command_gets_its_part_unless_the_run_file_says_more(
    monkeypatch: pytest.MonkeyPatch, own: tuple[str, ...], expected: list[str]
) -> None:
    seen: list[str] = []

    def batches(*arguments: object, **_: object) -> Iterator[Batch]:
        seen.extend(map(str, arguments))
        return iter(())

    monkeypatch.setattr(stream, "batches", batches)
    source = FileSource(changed(RUN, data={"files": ("games.txt",), "options": own}), "nnue", 3)
    assert list(source._batches(("games.txt",), [])) == []
    assert [after for option, after in pairwise(seen) if option == "--threads"] == expected
    assert "--threads=7" in seen or expected
