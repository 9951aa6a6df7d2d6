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
            if row is None or tensor.first_row <= row < tensor.first_row + len_of(tensor, "feature"):
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


def _check(text):
    """Raises `BadDescription` unless the text is JSON in which all is of the type that it must be."""
    hint = "`nnue` and the trainer must be of the same version of the project"
    try:
        document = json.loads(text)
        schema = document.get("schema") if isinstance(document, dict) else None
        if isinstance(document, dict) and schema != SCHEMA:
            raise BadDescription(f"`nnue describe` printed schema {shown(schema)}, supported is {SCHEMA}: {hint}")
        check(document, DESCRIPTION, "the description")
    except Misfit as error:
        raise BadDescription(f"`nnue describe` printed what this trainer does not understand, {error}: {hint}") from error
    except RecursionError as error:
        raise BadDescription(f"`nnue describe` printed JSON that is nested too deeply: {hint}") from error
    except json.JSONDecodeError as error:
        raise BadDescription(f"`nnue describe` printed {shown(text)}, which is no JSON: {hint}") from error


def len_of(tensor, name):
    """The length of a tensor's axis, which may be in blocks: `name / 4` and `name % 4`."""
    parts = [axis.len for axis in tensor.axes if axis.axis.split(" ")[0] == name]
    return math.prod(parts)
