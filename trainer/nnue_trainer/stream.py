"""Batches from `nnue data batches`, which reads positions and finds their rows.

`docs` of the command say what it writes; nothing here looks at single positions.
"""

import os
import subprocess
from collections.abc import Generator, Iterator, Sequence
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt

from . import nnue
from .batch import Array, Batch

Path = str | os.PathLike[str]

MAGIC = b"nnuerows"
VERSION = 1


class BadStream(ValueError):
    """What was read is no stream of batches."""


class EndsEarly(BadStream):
    """The stream ends in the middle of a batch, or in its header."""


class Stream:
    """Reads a stream: iterates over its batches.

    `largest` is the largest number of positions in a batch, and `sets` has the number of rows and
    of perspectives of each set.
    """

    def __init__(self, file: BinaryIO) -> None:
        """Reads the header of a binary file."""
        self._file = file
        magic = self._bytes(len(MAGIC))
        if magic != MAGIC:
            raise BadStream(f"found {magic!r} where a stream of batches begins with {MAGIC!r}")
        version, self.largest, count = self._array(np.uint32, 3).tolist()
        if version != VERSION:
            raise BadStream(f"found version {version} of the stream, supported is {VERSION}")
        self.sets = [
            tuple(pair) for pair in self._array(np.uint32, 2 * count).reshape(-1, 2).tolist()
        ]

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        (n,) = self._array(np.uint32, 1).tolist()
        if n == 0:
            raise StopIteration
        if n > self.largest:
            raise BadStream(f"found a batch of {n} positions, the header allows {self.largest}")
        sets = [[self._rows(n) for _ in range(perspectives)] for _, perspectives in self.sets]
        stack, pieces, white = (self._array(np.uint8, n) for _ in range(3))
        score, result = (self._array(np.float32, n) for _ in range(2))
        return Batch.of_numpy(sets, stack, pieces, white, score, result)

    def _rows(self, n: int) -> tuple[Array, Array]:
        (count,) = self._array(np.uint32, 1).tolist()
        offsets = self._array(np.uint32, n + 1)
        return self._array(np.uint32, count), offsets

    def _array(self, element: npt.DTypeLike, count: int) -> Array:
        little_endian = np.dtype(element).newbyteorder("<")
        return np.frombuffer(self._bytes(count * little_endian.itemsize), dtype=little_endian)

    def _bytes(self, count: int) -> bytes:
        found = self._file.read(count)
        if len(found) != count:
            raise EndsEarly("the stream of batches ends in the middle of one")
        return found


def batches(
    spec: Path,
    files: Sequence[Path],
    *options: object,
    binary: Path | None = None,
) -> Generator[Batch, None, None]:
    """The batches that `nnue data batches SPEC FILE... OPTION...` writes; `binary` is the path of
    `nnue`.

    Raises `nnue.CommandFailed` if the command ends with an error, and `BadStream` if the stream is
    broken. The command ends when the iteration does.
    """
    arguments = [binary or nnue.find(), "data", "batches", spec, *files, *options]
    command = [str(argument) for argument in arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=1 << 20) as process:
        output = cast(BinaryIO, process.stdout)
        try:
            yield from Stream(output)
            # After the stream it may still write a file of positions.
            _check(process, command)
        except EndsEarly:
            # The command's own error, which it has written, says more. Of another stream, the
            # command may still be about to write the rest, and would not end.
            _check(process, command)
            raise
        finally:
            output.close()
            process.terminate()


def _check(process: "subprocess.Popen[bytes]", command: Sequence[str]) -> None:
    if process.wait() != 0:
        raise nnue.CommandFailed(f"`{' '.join(command)}` ended with {process.returncode}")
