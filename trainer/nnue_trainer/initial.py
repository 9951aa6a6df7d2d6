"""Where training begins: random numbers that let every neuron learn.

Parameters are numbers in which 1.0 is 1.0, so that these are the usual ones of trainers.
"""

import math
from typing import TYPE_CHECKING

import torch
from torch import Generator, Tensor

from . import schema
from .virtual_rows import skipped_rows

if TYPE_CHECKING:
    from .layers import Affine
    from .transformer import FeatureRows, Transformer

ACCUMULATOR_DEVIATION = 0.3
"""How far accumulators are from their biases, with as many active features as games have."""

BIAS = 0.25
"""The middle of biases of the transformer: most neurons then begin within the limits of their
activation."""

USUAL_ACTIVE = 30

PAWN = 0.25
"""What a pawn is worth at first, where a network has PSQT values."""

USUAL_UNITS = 100
"""What 1.0 is in the engine's units, or more. Values begin that large."""

PIECES = [1.0, 3.2, 3.3, 5.0, 9.5, 0.0]
"""The values of a pawn to a king, in pawns."""


def uniform(parameter: Tensor, largest: float, generator: Generator) -> None:
    """Numbers from -largest to largest."""
    random = torch.rand(parameter.shape, generator=generator)
    parameter.data.copy_((2 * random - 1) * largest)


def of_transformer(transformer: "Transformer", generator: Generator) -> None:
    """Rows whose sums have the same deviation whatever the number of features; PSQT values that
    count material."""
    active = sum(min(own.features.max_active, USUAL_ACTIVE) for own in transformer.sets)
    largest = ACCUMULATOR_DEVIATION * math.sqrt(3 / active)
    for own in transformer.sets:
        uniform(own.weights, largest, generator)
    uniform(transformer.biases, BIAS, generator)
    transformer.biases.data += BIAS
    for own in transformer.psqt or ():
        own.weights.data.copy_(_material(own)[:, None].expand_as(own.weights))


def _material(own: "FeatureRows") -> Tensor:
    """`[copies * rows]`: what the piece of each row is worth to the perspective."""
    values = torch.zeros(own.copies, own.features.rows)
    family = own.features.family
    if not isinstance(family, schema.PieceSquare):
        return values.flatten()
    squares = torch.arange(64)
    for copy in range(own.copies):
        for piece, first in enumerate(family.piece_rows[copy]):
            if first is None:
                continue
            # White's perspective owns white's pieces, black's owns black's.
            own_piece = (piece < 6) == (copy == 0)
            value = PAWN * PIECES[piece % 6] * (1 if own_piece else -1)
            for king_row in set(family.king_rows):
                for skipped in skipped_rows(family):
                    values[copy, king_row + skipped + first + squares] = value
    return values.flatten()


def of_output(layer: "Affine", units_one: float) -> None:
    """Larger weights of a last layer whose 1.0 is few of the engine's units."""
    gain = max(USUAL_UNITS / units_one, 1.0)
    layer.weights.data *= gain
    if layer.biases is not None:
        layer.biases.data *= gain


def of_affine(layer: "Affine", generator: Generator) -> None:
    """Weights of either sign whose sums have the deviation of the inputs, as PyTorch's layers."""
    inputs = layer.weights.shape[2]
    largest = 1 / math.sqrt(inputs)
    # All stacks begin alike: so each of them profits from what the others learn at first.
    first = torch.empty(1, *layer.weights.shape[1:])
    uniform(first, 1.0 if layer.is_binary else largest, generator)
    layer.weights.data.copy_(first.expand_as(layer.weights))
    if layer.biases is not None:
        first = torch.empty(1, layer.biases.shape[1])
        uniform(first, largest, generator)
        layer.biases.data.copy_(first.expand_as(layer.biases))
