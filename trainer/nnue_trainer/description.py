"""A checked network as `nnue describe SPEC` prints it.

`docs/describe.md` of the project explains the keys, which are attributes here: `null` is `None`,
and objects with a `kind` have it as an attribute.
"""

import json
import math
from types import SimpleNamespace

from . import nnue
from .fields import shown
from .form import Misfit, check
from .schema import DESCRIPTION

SCHEMA = 1
HINT = "`nnue` and the trainer must be of the same version of the project"


class BadDescription(ValueError):
    """What was read is no description of a network that this trainer understands."""


class Description:
    """A network of which everything is known but the values of its weights."""

    def __init__(self, text):
        """Of the JSON that `nnue describe` prints.

        Raises `BadDescription` if it is something else, or of another schema.
        """
        _check(text)
        content = json.loads(text, object_hook=lambda keys: SimpleNamespace(**keys))
        self.text = text
        self.name = content.name
        self.features = content.features
        self.transformer = content.transformer
        self.buckets = content.buckets
        self.layers = content.layers
        self.output = content.output
        self.tensors = content.tensors
        self.file = content.file
        try:
            self._check_references()
        except Misfit as error:
            raise _not_understood(error) from error

    @classmethod
    def of_spec(cls, spec, binary=None):
        """The description of a spec: a TOML file, or the name of one that `nnue` knows."""
        return cls(nnue.run("describe", spec, binary=binary))

    @property
    def rows(self):
        """The rows of all sets, without virtual ones."""
        return sum(features.rows for features in self.features)

    @property
    def copies(self):
        """How many tables of rows there are: 2 where white and black have their own."""
        return 2 if self.transformer.perspectives.separate_weights else 1

    def tensor(self, role, layer=None, row=None):
        """The tensor with this role, of a layer or of one of the transformer's rows; `None` where
        files have none."""
        for tensor in self.tensors:
            if tensor.role != role or tensor.layer != layer:
                continue
            if row is None:
                return tensor
            first = tensor.first_row
            if first is not None and first <= row < first + len_of(tensor, "feature"):
                return tensor
        return None

    def values(self, source):
        """What a layer can read: `transformer`, `unpooled`, `psqt` or the output of a layer."""
        named = {
            "transformer": self.transformer.output,
            "unpooled": self.transformer.unpooled,
            "psqt": self.transformer.psqt and self.transformer.psqt.read_by_layers,
        }
        if source in named:
            return named[source]
        return next(layer.output for layer in self.layers if layer.name == source)

    def _check_references(self):
        """Raises `Misfit` where something names or counts what is not there."""
        layers = {layer.name: layer.output.len for layer in self.layers}
        for tensor in self.tensors:
            if tensor.layer is not None and tensor.layer not in layers:
                raise Misfit(f"the tensor {shown(tensor.name)} is of {shown(tensor.layer)}, which is no layer")
        readable = {"transformer": self.transformer.output.len}
        for name in ("unpooled", "psqt"):
            values = self.values(name)
            if values is not None:
                readable[name] = values.len
        for layer in self.layers:
            for slice in layer.inputs:
                _check_part(readable, slice.source, slice.start, slice.len, f"`inputs` of `{layer.name}`")
            if layer.operation.kind == "affine":
                self._check_tensor("weights", layer.name)
                if layer.operation.biases:
                    self._check_tensor("biases", layer.name)
            readable[layer.name] = layer.output.len
        for head in self.output.heads:
            for term in head.terms:
                _check_part(layers, term.layer, term.index, 1, "a term of the output")
        self._check_tensor("transformer-biases")
        for features in self.features:
            self._check_tensor("transformer-weights", row=features.first_row)
            if self.transformer.psqt is not None:
                self._check_tensor("psqt", row=features.first_row)
            if features.family.kind == "piece-square":
                _check_rows(features)
        tensors = {tensor.name for tensor in self.tensors}
        for sections in (self.file.sections, *(group.sections for group in self.file.stack_groups)):
            for section in sections:
                if section.content.kind == "tensor" and section.content.name not in tensors:
                    raise Misfit(f"the file has {shown(section.content.name)}, which is no tensor")

    def _check_tensor(self, role, layer=None, row=None):
        if self.tensor(role, layer, row) is None:
            owner = f" of {shown(layer)}" if layer else f" of the row {row:,}" if row is not None else ""
            raise Misfit(f"there is no tensor `{role}`{owner}")


def _check_part(lens, source, start, count, where):
    if source not in lens:
        raise Misfit(f"{where} reads {shown(source)}, which is not there")
    if start + count > lens[source]:
        end, most = start + count, lens[source]
        raise Misfit(f"{where} reads the values {start:,} to {end:,} of {shown(source)}, which has {most:,}")


def _check_rows(features):
    """Those of a `piece-square` set are all its own."""
    family = features.family
    planes = [row for rows in (*family.piece_rows, *(family.threatened_rows or [])) for row in rows]
    last = max((row for row in planes if row is not None), default=0) + 63
    last += max(family.king_rows) + max(family.queen_rows)
    if last >= features.rows:
        raise Misfit(f"{shown(features.name)} has {features.rows:,} rows, and a feature with the row {last:,}")


def _check(text):
    """Raises `BadDescription` unless the text is JSON in which all is of the type that it must be."""
    try:
        document = json.loads(text)
    except RecursionError as error:
        raise BadDescription(f"`nnue describe` printed JSON that is nested too deeply: {HINT}") from error
    except ValueError as error:  # of numbers of many digits too, which Python does not read
        raise BadDescription(f"`nnue describe` printed {shown(text)}, which is no JSON: {HINT}") from error
    schema = document.get("schema") if isinstance(document, dict) else None
    if isinstance(document, dict) and schema != SCHEMA:
        raise BadDescription(f"`nnue describe` printed schema {shown(schema)}, supported is {SCHEMA}: {HINT}")
    try:
        check(document, DESCRIPTION, "the description")
    except Misfit as error:
        raise _not_understood(error) from error


def _not_understood(error):
    return BadDescription(f"`nnue describe` printed what this trainer does not understand, {error}: {HINT}")


def len_of(tensor, name):
    """The length of a tensor's axis, which may be in blocks: `name / 4` and `name % 4`."""
    parts = [axis.len for axis in tensor.axes if axis.axis.split(" ")[0] == name]
    return math.prod(parts)
