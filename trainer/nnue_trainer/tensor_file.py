"""The tensors of a network in files, as its description says.

There are two files of a network:

* the net: the spec's own file, in its types.
* `floats`: the tensors of this file as `f32`, in its order and with its padding, and nothing else.
  `nnue quantise` makes integers of them, unless the net itself has floating point that the loader
  quantises: then it is the net that `nnue quantise` reads.
"""

import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt
import torch

from . import schema
from .description import Description, len_of
from .grid import Grid
from .layers import Affine, RmsNorm
from .schema import given

if TYPE_CHECKING:
    from .network import Network
    from .transformer import FeatureRows

Array = npt.NDArray[Any]
Path = str | os.PathLike[str]
Part = tuple[Grid, torch.Tensor]
Arranged = tuple[Array, Sequence[str]]
"""Numbers and the names of their axes."""

LEB128_MAGIC = b"COMPRESSED_LEB128"


def write_floats(network: "Network", path: Path) -> None:
    """Writes the file that `nnue quantise` reads."""
    description, numbers = network.description, Numbers(network)
    if any(tensor.quantise is not None for tensor in description.tensors):
        write_net(network, path)
        return
    with open(path, "wb") as file:
        for tensor, stack in tensors_of(description):
            _write_array(file, _arranged(tensor, *numbers.of(tensor, stack)), "<f4")


def write_net(network: "Network", path: Path) -> None:
    """Writes the net file.

    Raises `ValueError` if it has numbers that the network does not use.
    """
    description, numbers = network.description, Numbers(network)
    tensors = {tensor.name: tensor for tensor in description.tensors}
    with open(path, "wb") as file:
        form = description.file.format
        if isinstance(form, schema.Stockfish):
            file.write(struct.pack("<III", form.version, form.hash, 0))
        for section, stack in sections_of(description):
            _write_section(file, section, form, tensors, numbers, stack)
        tail = description.file.tail
        if tail is not None:
            missing = -file.tell() % tail.multiple
            file.write((bytes(tail.bytes) * (missing // len(tail.bytes) + 1))[:missing])


def _write_section(
    file: BinaryIO,
    section: schema.Section,
    form: object,
    tensors: Mapping[str, schema.Tensor],
    numbers: "Numbers",
    stack: int | None,
) -> None:
    content = section.content
    if isinstance(content, schema.Hash):
        file.write(struct.pack("<I", content.expected))
    elif isinstance(content, schema.Bytes):
        file.write(bytes(content.expected))
    elif isinstance(content, schema.Skipped):
        file.write(bytes(given(section.size)))
    elif isinstance(content, schema.Kept):
        raise ValueError(
            f"the network does not use `{content.name}` of its file, so training tells no values "
            "for it"
        )
    elif isinstance(content, schema.Zeros):
        file.write(bytes(-file.tell() % content.multiple))
    else:
        tensor = tensors[content.name]
        find = numbers.of if tensor.element == "f32" else numbers.integers
        values = _arranged(tensor, *find(tensor, stack))
        if isinstance(form, schema.Named):
            file.write(given(tensor.id).encode() + b"\n" + struct.pack("<Q", values.size))
        if tensor.encoding == "raw":
            _write_array(file, values, stored_as(tensor.element))
        else:
            packed = _leb128(values)
            if tensor.encoding == "leb128":
                file.write(LEB128_MAGIC + struct.pack("<I", len(packed)))
            file.write(packed)


def stored_as(element: str) -> str:
    """What numpy calls an element of a file."""
    return f"<{element[0]}{int(element[1:]) // 8}"


def _write_array(file: BinaryIO, values: Array, element: str) -> None:
    file.write(np.ascontiguousarray(values, dtype=element).tobytes())


def _leb128(values: Array) -> bytes:
    """LEB128, each number in its shortest form: integers have a sign; of `f32`, the number that its
    bits are has none."""
    has_sign = values.dtype != np.float32
    numbers = values.reshape(-1)
    numbers = (numbers if has_sign else np.ascontiguousarray(numbers).view(np.uint32)).astype(
        np.int64
    )
    lens = np.ones(len(numbers), dtype=np.int64)
    for count in range(1, 9):
        low, high = (-(1 << 7 * count - 1), 1 << 7 * count - 1) if has_sign else (0, 1 << 7 * count)
        lens += (numbers < low) | (numbers >= high)
    ends = np.cumsum(lens)
    packed = np.empty(ends[-1] if len(ends) else 0, dtype=np.uint8)
    for index in range(int(lens.max(initial=0))):
        has = lens > index
        byte = (numbers[has] >> (7 * index)) & 0x7F
        more = np.where(lens[has] > index + 1, 0x80, 0)
        packed[(ends - lens)[has] + index] = byte | more
    return packed.tobytes()


def sections_of(description: Description) -> Iterator[tuple[schema.Section, int | None]]:
    """The sections of a file in its order, each with its stack: `None` where it comes once."""
    for section in description.file.sections:
        yield section, None
    for group in description.file.stack_groups:
        for stack in range(description.buckets.count):
            for section in group.sections:
                yield section, stack


def tensors_of(description: Description) -> Iterator[tuple[schema.Tensor, int | None]]:
    """The tensors of a file in its order, each with its stack: `None` where it comes once."""
    tensors = {tensor.name: tensor for tensor in description.tensors}
    for section, stack in sections_of(description):
        if isinstance(section.content, schema.TensorOfFile):
            yield tensors[section.content.name], stack


class Numbers:
    """The numbers of a network's tensors."""

    def __init__(self, network: "Network") -> None:
        self.network = network
        self.description = network.description
        self.transformer = network.transformer
        self.layers = network.layers
        self.found: dict[str, tuple[list[Part], list[str]]] = {}

    def of(self, tensor: schema.Tensor, stack: int | None) -> Arranged:
        """The numbers of a tensor, in `f32`, and the names of their axes. With a stack, those of
        this one."""
        parts, axes = self._of_stack(tensor, stack)
        return np.concatenate([_array(numbers) for _, numbers in parts]), axes

    def integers(self, tensor: schema.Tensor, stack: int | None) -> Arranged:
        """What the file has of these numbers as integers, and the names of their axes."""
        parts, axes = self._of_stack(tensor, stack)
        integers = [grid.integers(numbers).cpu().numpy() for grid, numbers in parts]
        return np.concatenate(integers), axes

    def _of_stack(
        self, tensor: schema.Tensor, stack: int | None
    ) -> tuple[list[Part], Sequence[str]]:
        # A network may have hundreds of stacks: the numbers of all are made once.
        if tensor.name not in self.found:
            self.found[tensor.name] = self.parts(tensor)
        parts, axes = self.found[tensor.name]
        if stack is None or axes[0] != "stack":
            return parts, axes
        own = [(grid, numbers[stack if len(numbers) > 1 else 0]) for grid, numbers in parts]
        return own, axes[1:]

    def parts(self, tensor: schema.Tensor) -> tuple[list[Part], list[str]]:
        """Pairs of a grid and numbers that become integers by it, which follow one another in the
        first axis, and the names of the axes."""
        role = tensor.role
        if role == "transformer-weights":
            return self._rows(tensor, self.transformer.sets), ["feature", "neuron"]
        if role == "psqt":
            return self._rows(tensor, given(self.transformer.psqt)), ["feature", "stack"]
        if role.endswith("transformer-biases"):
            copy = int(role.startswith("black"))
            return [(self.transformer.bias_grid, self.transformer.biases[copy])], ["neuron"]
        layer = self.layers[given(tensor.layer)]
        if role == "factors" and isinstance(layer, (Affine, RmsNorm)):
            return [(layer.factor_grid, given(layer.factors))], ["stack", "output"]
        if not isinstance(layer, Affine):
            raise ValueError(f"found the tensor `{tensor.name}` of a layer that has none")
        if role == "biases":
            return [(layer.bias_grid, given(layer.biases))], ["stack", "output"]
        if role == "shared-biases":
            return [(layer.bias_grid, given(layer.shared_biases))], ["output"]
        if role == "shared-weights":
            return [(layer.weight_grid, given(layer.shared_weights))], ["output", "input"]
        return [(layer.weight_grid, self.weights(layer))], ["stack", "output", "input"]

    def table(self, own: "FeatureRows") -> torch.Tensor:
        """The rows that files have of a set whose virtual rows they do not have."""
        return own.coalesced()

    def weights(self, layer: Affine) -> torch.Tensor:
        """The weights that files have of a layer."""
        return layer.weights if layer.reached is None else layer.weights * layer.reached

    def _rows(self, tensor: schema.Tensor, sets: Iterable["FeatureRows"]) -> list[Part]:
        """Rows are counted through white's and black's of all sets, then through virtual ones."""
        copies = range(self.description.copies)

        def of_copy(own: "FeatureRows", table: torch.Tensor, copy: int) -> torch.Tensor:
            of_copies: torch.Tensor = table.unflatten(0, (own.copies, -1))
            return of_copies[copy]

        in_file = [own for own in sets if own.virtual_grid is not None]
        real = [own.weights if own in in_file else self.table(own) for own in sets]
        tables = [
            (own.grid, of_copy(own, table, copy))
            for copy in copies
            for own, table in zip(sets, real)
        ]
        tables += [
            (given(own.virtual_grid), of_copy(own, given(own.virtual), copy))
            for copy in copies
            for own in in_file
        ]
        first, first_wanted = 0, given(tensor.first_row)
        end_of_wanted = first_wanted + len_of(tensor, "feature")
        wanted = []
        for grid, table in tables:
            begin = max(first_wanted - first, 0)
            end = min(end_of_wanted - first, len(table))
            if begin < end:
                wanted.append((grid, table[begin:end]))
            first += len(table)
        return wanted


def _array(numbers: torch.Tensor) -> Array:
    array: Array = numbers.detach().cpu().float().numpy()
    return array


def _arranged(tensor: schema.Tensor, values: Array, names: Sequence[str]) -> Array:
    """Numbers with these axes in the order of the file, with its padding. Axes of length 1 may be
    left out of files, and each can be in blocks: `input / 4` and `input % 4`."""
    in_file = [axis.axis for axis in tensor.axes]
    left_out = [index for index, name in enumerate(names) if not _parts_of(name, in_file)]
    found = dict(zip(names, values.shape))
    if any(values.shape[index] != 1 for index in left_out):
        raise ValueError(f"found {found} numbers of `{tensor.name}`, whose axes are {in_file}")
    shape: list[int] = []
    axes = axes_in_file(names, in_file)
    for name, count in found.items():
        parts = _parts_of(name, in_file)
        if parts == [name]:
            shape.append(count)
        elif parts:
            block = int(parts[0].rpartition(" ")[2])
            shape += [count // block, block]
    if dict(zip(axes, shape)) != {axis.axis: axis.len for axis in tensor.axes}:
        raise ValueError(
            f"found {found} numbers of `{tensor.name}`, whose axes have "
            f"{ {axis.axis: axis.len for axis in tensor.axes} }"
        )
    values = values.reshape(shape).transpose([axes.index(name) for name in in_file])
    padding = tensor.padded - (values.shape[-1] if values.ndim else 1)
    if padding:
        values = np.atleast_1d(values)
        values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, padding)])
    return values


def axes_in_file(names: Iterable[str], in_file: Sequence[str]) -> list[str]:
    """The axes of a file that make up these ones, in the order of these."""
    return [part for name in names for part in _parts_of(name, in_file)]


def _parts_of(name: str, in_file: Sequence[str]) -> list[str]:
    """Which axes of a file make up an axis: itself, its blocks and the places in them, or none."""
    if name in in_file:
        return [name]
    blocks = [axis for axis in in_file if axis.startswith(f"{name} / ")]
    return [part for axis in blocks for part in (axis, axis.replace("/", "%"))]
