"""The stream of batches: its rows are those that the documentation says, and broken ones are
refused."""

import io
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from active_rows import batch as documented
from support import batches, description, positions, small_specs, write_fens

from nnue_trainer import Batch, nnue, stream
from nnue_trainer.batch import Rows

SPECS = small_specs()
COUNT = 100


def sorted_bags(rows: Rows) -> list[list[int]]:
    ends = [*rows.offsets.tolist()[1:], len(rows.rows)]
    return [sorted(rows.rows[a:b].tolist()) for a, b in zip(rows.offsets.tolist(), ends)]


@pytest.mark.parametrize("name", SPECS)
def test_rows_are_those_of_the_documentation(name: str, tmp_path: Path) -> None:
    fens = positions()[:COUNT]
    (found,) = batches(SPECS[name], fens, tmp_path)
    expected = documented(description(SPECS[name]), fens)
    for one, other in zip(found.sets, expected.sets):
        assert sorted_bags(one) == sorted_bags(other)
    for field in ("stack", "pieces", "white"):
        assert getattr(found, field).tolist() == getattr(expected, field).tolist()
    assert bool(found.score.isnan().all()) and bool(found.result.isnan().all())


def test_scores_and_results_are_the_side_to_moves(tmp_path: Path) -> None:
    fens = [
        "8/8/8/4k3/8/8/3PK3/8 b - - 0 1 | -120 | 1.0",
        "8/8/8/4k3/8/8/3PK3/8 w - - 0 1 | 120 | 1.0",
    ]
    (found,) = batches(SPECS["bullet_simple"], fens, tmp_path)
    assert found.score.tolist() == [-120.0, 120.0]
    assert found.result.tolist() == [0.0, 1.0]


def test_several_batches_have_the_same_positions_as_one(tmp_path: Path) -> None:
    fens, spec = positions()[:COUNT], SPECS["sfnnv5"]
    (whole,) = batches(spec, fens, tmp_path)
    path = write_fens(fens, tmp_path)
    parts = list(stream.batches(spec, [path], "--in-order", "--batch-size", 30))
    assert [len(part) for part in parts] == [30, 30, 30, 10]
    assert torch.cat([part.pieces for part in parts]).tolist() == whole.pieces.tolist()

    def perspective(part: Batch) -> list[list[int]]:
        return sorted_bags(part.sets[0])[: part.n]

    assert [bag for part in parts for bag in perspective(part)] == perspective(whole)


def test_the_error_of_the_command_is_told(tmp_path: Path) -> None:
    with pytest.raises(nnue.CommandFailed):
        list(stream.batches(SPECS["bullet_simple"], [tmp_path / "no such file"]))


def small_stream(magic: bytes = stream.MAGIC, version: int = 1, n: int = 2) -> bytes:
    header = magic + struct.pack("<5I", version, 8, 1, 768, 1)
    rows = struct.pack("<I", 3) + np.array([0, 1, 3, 5, 6, 7], "<u4").tobytes()
    numbers = bytes([0, 1, 30, 31, 1, 0]) + np.array([10, np.nan, 0.5, 1.0], "<f4").tobytes()
    return header + struct.pack("<I", n) + rows + numbers + struct.pack("<I", 0)


def test_a_stream_is_read_to_its_end() -> None:
    (batch,) = stream.Stream(io.BytesIO(small_stream()))
    assert (batch.n, batch.stack.tolist(), batch.pieces.tolist()) == (2, [0, 1], [30, 31])
    assert batch.white.tolist() == [True, False]
    assert sorted_bags(batch.sets[0]) == [[5], [6, 7]]
    assert (batch.score[0].item(), batch.result.tolist()) == (10.0, [0.5, 1.0])


@pytest.mark.parametrize(
    "content, message",
    [
        (small_stream(magic=b"nnuedata"), "begins with"),
        (small_stream(version=9), "found version 9"),
        (small_stream(n=9), "allows 8"),
        (small_stream()[:-7], "ends in the middle"),
        (b"", "ends in the middle"),
    ],
)
def test_broken_streams_are_refused(content: bytes, message: str) -> None:
    with pytest.raises(stream.BadStream, match=message):
        list(stream.Stream(io.BytesIO(content)))


@pytest.mark.parametrize(
    "content, message",
    [(small_stream(version=9), "found version 9"), (small_stream(n=9), "allows 8")],
)
def test_a_command_that_goes_on_writing_is_ended(
    content: bytes, message: str, tmp_path: Path
) -> None:
    start = tmp_path / "start"
    start.write_bytes(content)
    command = tmp_path / "command"
    command.write_text(f"#!/bin/sh\nexec cat '{start}' /dev/zero\n")
    command.chmod(0o755)
    with pytest.raises(stream.BadStream, match=message):
        list(stream.batches("spec", ["file"], binary=command))


def test_batches_move_between_devices() -> None:
    (batch,) = stream.Stream(io.BytesIO(small_stream()))
    moved = batch.to("cpu")
    assert moved.sets[0].rows.tolist() == batch.sets[0].rows.tolist()
