import threading
import time
from collections.abc import Generator

import pytest

from nnue_trainer.source import ahead


def test_batches_keep_their_order() -> None:
    assert list(ahead(iter_of(100), 3)) == list(range(100))


def iter_of(
    count: int, closed: list[bool] | None = None, error: Exception | None = None
) -> Generator[int, None, None]:
    try:
        yield from range(count)
        if error:
            raise error
    finally:
        if closed is not None:
            closed.append(True)


def test_an_error_comes_after_the_batches_before_it() -> None:
    batches = ahead(iter_of(5, error=OSError("gone")))
    assert [next(batches) for _ in range(5)] == list(range(5))
    with pytest.raises(OSError, match="gone"):
        next(batches)


def test_whoever_stops_early_ends_the_source() -> None:
    closed: list[bool] = []
    before = threading.active_count()
    batches = ahead(iter_of(10**9, closed))
    assert next(batches) == 0
    batches.close()
    assert closed == [True] and threading.active_count() == before


def test_no_more_than_the_count_is_read_ahead() -> None:
    seen = []

    def counted() -> Generator[int, None, None]:
        for number in range(1000):
            seen.append(number)
            yield number

    batches = ahead(counted(), 3)
    next(batches)
    time.sleep(0.2)
    # One was taken, three wait, and one more is in the thread's hands.
    assert len(seen) <= 5
    batches.close()
