"""The tensors of a network in files, as its description says.

There are two files of a network:

* `floats`: the tensors of the spec's file as `f32`, in its order and with its padding, and nothing
  else. `nnue quantise` makes integers of them.
* `own`: the spec's own file, in its types. It is needed where the spec's file has floating point
  that the loader quantises, and where `nnue quantise` does not know what stands for 1.0.
"""

import struct

import numpy as np
import torch

from .grid import LIMITS

_LEB128_MAGIC = b"COMPRESSED_LEB128"


def is_quantised_by_loader(description):
    """Whether the spec's file has floating point that becomes integers when it is loaded."""
    return any(tensor.quantise is not None for tensor in description.tensors)


def needs_own_file(description):
    """Whether `nnue quantise` cannot make the spec's file of `floats`: it has to be written as it
    is."""
    layers = {layer.name: layer for layer in description.layers}

    def has_no_one(tensor):
        if tensor.one is not None or tensor.element == "f32":
            return False
        layer = layers[tensor.layer]
        if layer.operation.kind != "affine" or layer.operation.weights == "binary":
            return tensor.role != "weights"
        to_float = layer.operation.to_float
        return to_float is None or to_float.scale is None

    factorised = any(features.virtual_sets for features in description.features)
    factorised = factorised or any(layer.factorised for layer in description.layers)
    return (
        is_quantised_by_loader(description)
        or factorised
        or any(has_no_one(tensor) for tensor in description.tensors)
    )


def write(network, path):
    """Writes the file that `nnue quantise` reads: `floats`, or the spec's own where that is
    quantised when it is loaded."""
    if is_quantised_by_loader(network.description):
        write_own(network, path)
    else:
        write_floats(network, path)


def write_floats(network, path):
    """Writes `floats`."""
    description, numbers = network.description, _Numbers(network)
    with open(path, "wb") as file:
        for tensor, stack in _tensors(description):
            _write_array(file, _arranged(tensor, numbers.of(tensor, stack)), "<f4")


def write_own(network, path):
    """Writes the spec's own file.

    Raises `ValueError` where that needs what only the project's own tools write.
    """
    description, numbers = network.description, _Numbers(network)
    tensors = {tensor.name: tensor for tensor in description.tensors}
    with open(path, "wb") as file:
        form = description.file.format
        if form.kind == "stockfish":
            file.write(struct.pack("<III", form.version, form.hash, 0))
        groups = [(description.file.sections, [None])]
        stacks = range(description.buckets.count)
        groups += [(group.sections, stacks) for group in description.file.stack_groups]
        for sections, of_stacks in groups:
            for stack in of_stacks:
                for section in sections:
                    _write_section(file, section, form.kind, tensors, numbers, stack)
        tail = description.file.tail
        if tail is not None:
            missing = -file.tell() % tail.multiple
            file.write((bytes(tail.bytes) * (missing // len(tail.bytes) + 1))[:missing])


def _write_section(file, section, form, tensors, numbers, stack):
    content = section.content
    if content.kind == "hash":
        file.write(struct.pack("<I", content.expected))
    elif content.kind == "bytes":
        file.write(bytes(content.expected))
    elif content.kind == "skipped":
        file.write(bytes(section.size))
    elif content.kind == "align":
        file.write(bytes(-file.tell() % content.multiple))
    elif content.kind == "tensor":
        tensor = tensors[content.name]
        values = numbers.of(tensor, stack)
        if tensor.element != "f32":
            values = numbers.integers(tensor, values, stack)
        values = _arranged(tensor, values)
        if form == "named":
            file.write(tensor.id.encode() + b"\n" + struct.pack("<Q", values.size))
        element = {"f32": "<f4"}.get(tensor.element, f"<{tensor.element[0]}{_size(tensor.element)}")
        if tensor.encoding == "raw":
            _write_array(file, values, element)
        else:
            packed = _leb128(values)
            if tensor.encoding == "leb128":
                file.write(_LEB128_MAGIC + struct.pack("<I", len(packed)))
            file.write(packed)
    else:
        raise ValueError(f"found a section of the kind `{content.kind}`, which is not known")


def _size(element):
    return int(element[1:]) // 8


def _write_array(file, values, element):
    file.write(np.ascontiguousarray(values, dtype=element).tobytes())


def _leb128(values):
    """Signed LEB128, each number in its shortest form."""
    numbers = values.reshape(-1).astype(np.int64)
    lens = np.ones(len(numbers), dtype=np.int64)
    for count in range(1, 10):
        bits = 7 * count - 1
        lens += (numbers < -(1 << bits)) | (numbers >= 1 << bits) if bits < 63 else 0
    ends = np.cumsum(lens)
    packed = np.empty(ends[-1] if len(ends) else 0, dtype=np.uint8)
    for index in range(int(lens.max(initial=0))):
        has = lens > index
        byte = (numbers[has] >> (7 * index)) & 0x7F
        more = np.where(lens[has] > index + 1, 0x80, 0)
        packed[(ends - lens)[has] + index] = byte | more
    return packed.tobytes()


def _tensors(description):
    """The tensors of a file in its order, each with its stack: `None` where it comes once."""
    tensors = {tensor.name: tensor for tensor in description.tensors}
    for section in description.file.sections:
        if section.content.kind == "tensor":
            yield tensors[section.content.name], None
    for group in description.file.stack_groups:
        for stack in range(description.buckets.count):
            for section in group.sections:
                if section.content.kind == "tensor":
                    yield tensors[section.content.name], stack


class _Numbers:
    """The numbers of a network's tensors."""

    def __init__(self, network):
        self.network = network
        self.description = network.description
        self.transformer = network.transformer
        self.layers = network.layers

    def of(self, tensor, stack):
        """The numbers of a tensor, in `f32`, with the axes `feature, neuron`, `stack, output,
        input` or a part of these. With a stack, those of this one."""
        found = self._of(tensor)
        if stack is not None:
            found = found[stack if len(found) > 1 else 0]
        return found.detach().cpu().float().numpy()

    def _of(self, tensor):
        if tensor.role == "transformer-weights":
            return self._rows(tensor, self.transformer.sets)
        if tensor.role == "psqt":
            return self._rows(tensor, self.transformer.psqt)
        if tensor.role == "transformer-biases":
            return self.transformer.biases[0]
        if tensor.role == "black-transformer-biases":
            return self.transformer.biases[1]
        layer = self.layers[tensor.layer]
        if tensor.role == "factors":
            return layer.factors
        if tensor.role == "shared-weights":
            return layer.shared_weights
        if tensor.role == "shared-biases":
            return layer.shared_biases
        if tensor.role == "biases":
            return layer.biases
        if layer.reached is not None:
            return layer.weights * layer.reached
        return layer.weights

    def _rows(self, tensor, sets):
        """Rows are counted through white's and black's of all sets, then through virtual ones."""
        in_file = lambda own: bool(own.features.virtual_sets)
        real = [own.weights if in_file(own) else own.coalesced() for own in sets]
        tables = [
            table.unflatten(0, (own.copies, -1))[copy]
            for copy in range(self.description.copies)
            for own, table in zip(sets, real)
        ]
        tables += [
            own.virtual.unflatten(0, (own.copies, -1))[copy]
            for copy in range(self.description.copies)
            for own in sets
            if in_file(own)
        ]
        first, rows, wanted = 0, next(a.len for a in tensor.axes if a.axis == "feature"), []
        for table in tables:
            begin = max(tensor.first_row - first, 0)
            end = min(tensor.first_row + rows - first, len(table))
            if begin < end:
                wanted.append(table[begin:end])
            first += len(table)
        return torch.cat(wanted)

    def integers(self, tensor, values, stack):
        """What the file has of these numbers as integers."""
        grid = self._grid(tensor)
        if grid.limits is None:
            if tensor.divisor not in (None, 1.0):
                values = np.rint(values.astype(np.float64) * tensor.divisor)
            return np.clip(values, *LIMITS[tensor.element])
        one = grid.one if hasattr(grid, "one") else None
        if isinstance(one, np.ndarray) and stack is None and values.ndim > one.ndim:
            one = one[None]
        if one is None:
            return np.where(values < 0, -1, 1)
        exact = values.astype(np.float64) * one
        whole = np.trunc(exact)
        if not grid.truncates:
            whole += np.sign(exact) * (np.abs(exact - whole) >= 0.5)
        return np.clip(whole, *grid.limits)

    def _grid(self, tensor):
        if tensor.role == "transformer-weights":
            return self._grid_of_row(tensor, self.transformer.sets)
        if tensor.role == "psqt":
            return self._grid_of_row(tensor, self.transformer.psqt)
        if tensor.role.endswith("transformer-biases"):
            return self.transformer.bias_grid
        layer = self.layers[tensor.layer]
        if tensor.role == "factors":
            return layer.factor_grid
        return layer.bias_grid if tensor.role.endswith("biases") else layer.weight_grid

    def _grid_of_row(self, tensor, sets):
        row = tensor.first_row % self.description.rows
        return next(
            own.grid
            for own in sets
            if own.features.first_row <= row < own.features.first_row + own.features.rows
        )


def _arranged(tensor, values):
    """The numbers in the order of the file, with its padding."""
    axes = [axis.axis for axis in tensor.axes]
    canonical = [name for name in ("stack", "output", "input") if name in axes or f"{name} / 4" in axes]
    if "neuron" in axes or "feature" in axes:
        canonical = [name for name in ("feature", "neuron", "stack") if name in axes]
    if "input / 4" in axes:
        values = values.reshape(*values.shape[:-1], -1, 4)
        canonical[-1:] = ["input / 4", "input % 4"]
    lens = dict(zip(canonical, values.shape))
    for axis in tensor.axes:
        if lens.get(axis.axis) != axis.len:
            raise ValueError(
                f"found {lens} numbers of `{tensor.name}`, whose axis `{axis.axis}` has {axis.len}"
            )
    values = values.transpose([canonical.index(name) for name in axes])
    padding = tensor.padded - values.shape[-1]
    if padding:
        values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, padding)])
    return values
