"""A checked network as `nnue describe SPEC` prints it.

`docs/describe.md` of the project explains the keys, which are attributes of the tables of `schema`
here: `null` is `None`.
"""

import math
import os

import msgspec

from . import nnue, schema
from .fields import shortened, shown

SCHEMA = 1
HINT = "`nnue` and the trainer must be of the same version of the project"


class BadDescription(ValueError):
    """What was read is no description of a network that this trainer understands."""


class _Version(msgspec.Struct):
    """The one key that all versions have."""

    schema: object = None


class Description:
    """A network of which everything is known but the values of its weights."""

    def __init__(self, text: str) -> None:
        """Of the JSON that `nnue describe` prints.

        Raises `BadDescription` if it is something else, or of another schema. What the keys say is
        for `nnue` to check.
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

    @classmethod
    def of_spec(cls, spec: str | os.PathLike[str], binary: str | None = None) -> "Description":
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

    def tensor(self, role: str, layer: str | None = None, row: int | None = None) -> schema.Tensor:
        """The tensor with this role, of a layer or of one of the transformer's rows.

        Raises `ValueError` where files have none.
        """
        return schema.given(self.tensor_if_any(role, layer, row))

    def tensor_if_any(
        self, role: str, layer: str | None = None, row: int | None = None
    ) -> schema.Tensor | None:
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

    def stored_differently(self) -> tuple[str, str] | None:
        """White's and black's tensor of a role whose files have other numbers for the one than for
        the other; `None` if there are no such tensors. One grid rounds both."""
        by_name = {tensor.name: tensor for tensor in self.tensors}
        for name, tensor in by_name.items():
            other = by_name.get(name.replace(".white.", ".black."), tensor)
            if _numbers_of_file(tensor) != _numbers_of_file(other):
                return name, other.name
        return None

    def values(self, source: str) -> schema.Values:
        """What a layer can read: `transformer`, `unpooled`, `psqt` or the output of a layer.

        Raises `ValueError` where the network has no such values.
        """
        psqt = self.transformer.psqt
        values = {
            "transformer": self.transformer.output,
            "unpooled": self.transformer.unpooled,
            "psqt": psqt.read_by_layers if psqt else None,
            **{layer.name: layer.output for layer in self.layers},
        }
        return schema.given(values.get(source))


def _read(text: str) -> schema.Document:
    """The text's JSON.

    Raises `BadDescription` unless all in it is of the type that it must be.
    """
    try:
        found = msgspec.json.decode(text, type=_Version).schema
        if found != SCHEMA:
            raise BadDescription(
                f"`nnue describe` printed schema {shown(found)}, supported is {SCHEMA}: {HINT}"
            )
        return msgspec.json.decode(text, type=schema.Document)
    except msgspec.ValidationError as error:
        raise BadDescription(
            "`nnue describe` printed what this trainer does not understand, "
            f"{shortened(str(error), 200)}: {HINT}"
        ) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadDescription(
            f"`nnue describe` printed {shown(text)}, which is no JSON ({error}): {HINT}"
        ) from error


def _numbers_of_file(tensor: schema.Tensor) -> tuple[str, int, schema.Quantise | None]:
    return tensor.element, tensor.times, tensor.quantise


def len_of(tensor: schema.Tensor, name: str) -> int:
    """The length of a tensor's axis, which may be in blocks: `name / 4` and `name % 4`."""
    parts = [axis.len for axis in tensor.axes if axis.axis.split(" ")[0] == name]
    return math.prod(parts)
