"""Net files and files of floating point as the parameters of a network: the way back of
`tensor_file`."""

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from . import schema
from .description import Description
from .grid import Grid, Signs
from .schema import given
from .tensor_file import (
    LEB128_MAGIC,
    Array,
    Numbers,
    Path,
    axes_in_file,
    sections_of,
    stored_as,
    tensors_of,
)

if TYPE_CHECKING:
    from .layers import Affine
    from .network import Network
    from .transformer import FeatureRows


SPEC_BEHIND = b"NNUE spec v1"
"""What a file ends with that has the text of its spec behind the net, and the text's length before
this (`docs/net-files.md`)."""
LONGEST_SPEC = 1 << 20


class BadNet(ValueError):
    """A file does not have the tensors of the network."""


@torch.no_grad()
def read(network: "Network", path: Path) -> None:
    """Gives a network the weights of a file: of the spec's own, integers divided by their ones; or
    of one of `f32` alone, such as a run's `network.floats`.

    What training never leaves, weights beyond what `Network.clip` allows, comes within it. Raises
    `BadNet` if the file does not fit the network.
    """
    with open(path, "rb") as file:
        content = _without_spec(file.read())
    parameters = _Parameters(network)
    wanted = list(tensors_of(network.description))
    if len(content) == 4 * sum(_count(tensor) for tensor, _ in wanted):
        reader = _Reader(content)
        for tensor, stack in wanted:
            parameters.fill(tensor, stack, reader.numbers("<f4", _count(tensor)), True)
    else:
        _read_own(_Reader(content), network.description, parameters)
    network.clip()


def _read_own(reader: "_Reader", description: Description, parameters: "_Parameters") -> None:
    tensors = {tensor.name: tensor for tensor in description.tensors}
    form = description.file.format
    if isinstance(form, schema.Stockfish):
        version, _, count = struct.unpack("<III", reader.take(12))
        if version != form.version:
            raise BadNet(f"it begins with the version {version}, and the spec's is {form.version}")
        reader.take(count)
    for section, stack in sections_of(description):
        _read_section(reader, section, form, tensors, parameters, stack)
    reader.end(description.file.tail)


def _without_spec(content: bytes) -> bytes:
    """A net file without the spec that it may have behind the net."""
    end = len(content) - len(SPEC_BEHIND) - 4
    if end < 0 or not content.endswith(SPEC_BEHIND):
        return content
    (length,) = struct.unpack_from("<I", content, end)
    return content[: end - length] if length <= min(end, LONGEST_SPEC) else content


def _read_section(
    reader: "_Reader",
    section: schema.Section,
    form: object,
    tensors: dict[str, schema.Tensor],
    parameters: "_Parameters",
    stack: int | None,
) -> None:
    content = section.content
    if isinstance(content, schema.Hash):
        reader.expect(struct.pack("<I", content.expected), content.name)
    elif isinstance(content, schema.Bytes):
        reader.expect(bytes(content.expected), content.name)
    elif isinstance(content, (schema.Skipped, schema.Kept)):
        reader.take(given(section.size))
    elif isinstance(content, schema.Zeros):
        reader.take(-reader.at % content.multiple)
    else:
        tensor = tensors[content.name]
        count = _count(tensor)
        if isinstance(form, schema.Named):
            reader.expect(given(tensor.id).encode() + b"\n" + struct.pack("<Q", count), tensor.name)
        if tensor.encoding == "leb128":
            reader.expect(LEB128_MAGIC, tensor.name)
            reader.take(4)
        is_float = tensor.element == "f32"
        if tensor.encoding == "raw":
            values = reader.numbers(stored_as(tensor.element), count)
        else:
            values = reader.leb128(count, is_float)
        parameters.fill(tensor, stack, values, is_float)


def _count(tensor: schema.Tensor) -> int:
    """How many numbers a file has of a tensor, with its padding."""
    count = tensor.padded
    for axis in tensor.axes[:-1]:
        count *= axis.len
    return count


class _Reader:
    """The bytes of a file, one part after the other."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def take(self, count: int) -> bytes:
        taken = self.content[self.at : self.at + count]
        if len(taken) != count:
            raise BadNet(f"it ends after {len(self.content):,} bytes, before the spec's tensors do")
        self.at += count
        return taken

    def expect(self, expected: bytes, name: str) -> None:
        if self.take(len(expected)) != expected:
            raise BadNet(f"where the spec has `{name}`, it has something else")

    def end(self, tail: schema.Tail | None) -> None:
        """What is left may only be what pads the file."""
        rest = self.content[self.at :]
        padding = b""
        if tail is not None:
            missing = -self.at % tail.multiple
            padding = (bytes(tail.bytes) * (missing // len(tail.bytes) + 1))[:missing]
        if rest not in (b"", padding):
            raise BadNet(f"it has {len(rest):,} bytes more than the spec's tensors")

    def numbers(self, element: str, count: int) -> Array:
        return np.frombuffer(self.take(count * np.dtype(element).itemsize), dtype=element)

    def leb128(self, count: int, is_float: bool) -> Array:
        """So many numbers of LEB128: integers with a sign, or the bits of `f32`."""
        rest = np.frombuffer(self.content, dtype=np.uint8)[self.at :]
        ends = np.flatnonzero(rest < 0x80)[:count] + 1
        if len(ends) != count:
            raise BadNet(f"it has {len(ends):,} numbers of a tensor of {count:,}")
        begins = np.concatenate([[0], ends[:-1]]) if count else ends
        lens = ends - begins
        if lens.max(initial=0) > 9:
            raise BadNet("it has a number of more than 64 bits")
        values = np.zeros(count, dtype=np.int64)
        for index in range(int(lens.max(initial=0))):
            has = lens > index
            values[has] |= (rest[begins[has] + index].astype(np.int64) & 0x7F) << (7 * index)
        self.at += int(ends[-1]) if count else 0
        if is_float:
            return values.astype(np.uint32).view(np.float32)
        negative = (rest[ends - 1] & 0x40) != 0 if count else np.zeros(0, dtype=bool)
        values[negative] -= np.left_shift(1, 7 * lens[negative], dtype=np.int64)
        return values


class _Parameters(Numbers):
    """The parameters that hold a network's tensors."""

    def __init__(self, network: "Network") -> None:
        super().__init__(network)
        for own in (*self.transformer.sets, *(self.transformer.psqt or ())):
            if own.virtual is not None:
                # Of rows that a file has, it has the sums with the virtual ones.
                own.virtual.zero_()

    def table(self, own: "FeatureRows") -> torch.Tensor:
        return own.weights

    def weights(self, layer: "Affine") -> torch.Tensor:
        return layer.weights

    def fill(self, tensor: schema.Tensor, stack: int | None, values: Array, is_float: bool) -> None:
        """Gives the parameters of a tensor the numbers of a file: floating point, or integers."""
        parts, names = self.parts(tensor)
        begin = 0
        shape = [sum(len(own) for _, own in parts), *parts[0][1].shape[1:]]
        has_stack = stack is not None and names[0] == "stack"
        if has_stack:
            shape, names = shape[1:], names[1:]
        arranged = _rearranged(tensor, values, names, shape)
        for grid, own in parts:
            if has_stack:
                own = own[stack if len(own) > 1 else 0]
                part = arranged
            else:
                part = arranged[begin : begin + len(own)]
                begin += len(own)
            numbers = part if is_float else _numbers(grid, part, tensor)
            if not np.isfinite(numbers).all():
                raise BadNet(f"its tensor `{tensor.name}` has numbers that are not finite")
            own.copy_(torch.from_numpy(np.array(numbers, dtype=np.float32)))


def _numbers(grid: Grid, integers: Array, tensor: schema.Tensor) -> Array:
    """Numbers that become these integers."""
    if isinstance(grid, Signs):
        return integers
    exact = integers.astype(np.float64)
    numbers: Any = exact / (given(tensor.divisor) if grid.limits is None else grid.one)
    result: Array = numbers
    return result


def _rearranged(
    tensor: schema.Tensor, values: Array, names: Sequence[str], shape: Sequence[int]
) -> Array:
    """The numbers of a file, without its padding, with these axes and this shape."""
    in_file = [axis.axis for axis in tensor.axes]
    axes = axes_in_file(names, in_file)
    lens = [axis.len for axis in tensor.axes]
    if lens:
        values = values.reshape([*lens[:-1], tensor.padded])[..., : lens[-1]]
    else:
        values = values[:1].reshape(())
    return values.transpose([in_file.index(name) for name in axes]).reshape(shape)
