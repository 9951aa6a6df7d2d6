"""A checked network as `nnue describe SPEC` prints it.

`docs/describe.md` of the project explains the keys, which are attributes of the dataclasses of
`schema` here: `null` is `None`.
"""

import json
import math
import os
from collections.abc import Mapping
from typing import Optional, Union

from . import nnue, schema
from .fields import shown
from .form import Misfit, read_document

SCHEMA = 1
HINT = "`nnue` and the trainer must be of the same version of the project"


class BadDescription(ValueError):
    """What was read is no description of a network that this trainer understands."""


class Description:
    """A network of which everything is known but the values of its weights."""

    def __init__(self, text: str) -> None:
        """Of the JSON that `nnue describe` prints.

        Raises `BadDescription` if it is something else, or of another schema.
        """
        content = _read(text)
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
    def of_spec(
        cls, spec: Union[str, os.PathLike[str]], binary: Optional[str] = None
    ) -> "Description":
        """The description of a spec: a TOML file, or the name of one that `nnue` knows.

        `binary` is the path of `nnue`. Raises `nnue.CommandFailed` if it refuses the spec.
        """
        return cls(nnue.run("describe", spec, binary=binary))

    @property
    def rows(self) -> int:
        """The number of rows of all sets, without virtual ones."""
        return sum(features.rows for features in self.features)

    @property
    def copies(self) -> int:
        """How many tables of rows there are: 2 where white and black have their own."""
        return 2 if self.transformer.perspectives.separate_weights else 1

    def tensor(
        self, role: str, layer: Optional[str] = None, row: Optional[int] = None
    ) -> schema.Tensor:
        """The tensor with this role, of a layer or of one of the transformer's rows.

        Raises `Misfit` where files have none.
        """
        tensor = self.tensor_if_any(role, layer, row)
        if tensor is None:
            owner = (
                f" of {shown(layer)}"
                if layer
                else f" of the row {row:,}"
                if row is not None
                else ""
            )
            raise Misfit(f"there is no tensor `{role}`{owner}")
        return tensor

    def tensor_if_any(
        self, role: str, layer: Optional[str] = None, row: Optional[int] = None
    ) -> Optional[schema.Tensor]:
        """As `tensor`, but `None` where files have none."""
        for tensor in self.tensors:
            if tensor.role != role or tensor.layer != layer:
                continue
            if row is None:
                return tensor
            first = tensor.first_row
            if first is not None and first <= row < first + len_of(tensor, "feature"):
                return tensor
        return None

    def values(self, source: str) -> schema.Values:
        """What a layer can read: `transformer`, `unpooled`, `psqt` or the output of a layer.

        Raises `Misfit` where the network has no such values.
        """
        of_layers = {layer.name: layer.output for layer in self.layers}
        values = {**of_layers, **self._values_beside_layers()}.get(source)
        if values is None:
            raise Misfit(f"{shown(source)} is read, which is not there")
        return values

    def _values_beside_layers(self) -> dict[str, schema.Values]:
        psqt = self.transformer.psqt
        named = {
            "transformer": self.transformer.output,
            "unpooled": self.transformer.unpooled,
            "psqt": psqt.read_by_layers if psqt else None,
        }
        return {name: values for name, values in named.items() if values is not None}

    def _check_references(self) -> None:
        """Raises `Misfit` where something names or counts what is not there."""
        layers = {layer.name: layer.output.len for layer in self.layers}
        for tensor in self.tensors:
            if tensor.layer is not None and tensor.layer not in layers:
                raise Misfit(
                    f"the tensor {shown(tensor.name)} is of {shown(tensor.layer)}, which is no "
                    "layer"
                )
        readable = {name: values.len for name, values in self._values_beside_layers().items()}
        for layer in self.layers:
            for part in layer.inputs:
                _check_part(
                    readable, part.source, part.start, part.len, f"`inputs` of `{layer.name}`"
                )
            if isinstance(layer.operation, schema.Affine):
                self.tensor("weights", layer.name)
                if layer.operation.biases:
                    self.tensor("biases", layer.name)
            readable[layer.name] = layer.output.len
        for head in self.output.heads:
            for term in head.terms:
                _check_part(layers, term.layer, term.index, 1, "a term of the output")
        self.tensor("transformer-biases")
        for features in self.features:
            self.tensor("transformer-weights", row=features.first_row)
            if self.transformer.psqt is not None:
                self.tensor("psqt", row=features.first_row)
            if isinstance(features.family, schema.PieceSquare):
                _check_rows(features, features.family)
        tensors = {tensor.name for tensor in self.tensors}
        for sections in (self.file.sections, *(group.sections for group in self.file.stack_groups)):
            for section in sections:
                content = section.content
                if isinstance(content, schema.TensorOfFile) and content.name not in tensors:
                    raise Misfit(f"the file has {shown(content.name)}, which is no tensor")


def _check_part(lens: Mapping[str, int], source: str, start: int, count: int, where: str) -> None:
    if source not in lens:
        raise Misfit(f"{where} reads {shown(source)}, which is not there")
    if start + count > lens[source]:
        end, most = start + count, lens[source]
        raise Misfit(
            f"{where} reads the values {start:,} to {end:,} of {shown(source)}, which has {most:,}"
        )


def _check_rows(features: schema.FeatureSet, family: schema.PieceSquare) -> None:
    """Raises `Misfit` if a row of a `piece-square` set is not its own."""
    planes = [row for rows in (*family.piece_rows, *(family.threatened_rows or ())) for row in rows]
    last = max((row for row in planes if row is not None), default=0) + 63
    last += max(family.king_rows) + max(family.queen_rows)
    if last >= features.rows:
        raise Misfit(
            f"{shown(features.name)} has {features.rows:,} rows, and a feature with the row "
            f"{last:,}"
        )


def _read(text: str) -> schema.Document:
    """The text's JSON.

    Raises `BadDescription` unless all in it is of the type that it must be.
    """
    try:
        document = json.loads(text)
    except RecursionError as error:
        raise BadDescription(
            f"`nnue describe` printed JSON that is nested too deeply: {HINT}"
        ) from error
    except ValueError as error:  # of numbers of many digits too, which Python does not read
        raise BadDescription(
            f"`nnue describe` printed {shown(text)}, which is no JSON: {HINT}"
        ) from error
    if isinstance(document, dict) and document.get("schema") != SCHEMA:
        found = shown(document.get("schema"))
        raise BadDescription(
            f"`nnue describe` printed schema {found}, supported is {SCHEMA}: {HINT}"
        )
    try:
        return read_document(schema.Document, document, "the description")
    except Misfit as error:
        raise _not_understood(error) from error


def _not_understood(error: Misfit) -> BadDescription:
    return BadDescription(
        f"`nnue describe` printed what this trainer does not understand, {error}: {HINT}"
    )


def len_of(tensor: schema.Tensor, name: str) -> int:
    """The length of a tensor's axis, which may be in blocks: `name / 4` and `name % 4`."""
    parts = [axis.len for axis in tensor.axes if axis.axis.split(" ")[0] == name]
    return math.prod(parts)
