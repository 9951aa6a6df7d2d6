"""From the layers' last values to the engine's units."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from . import schema
from .arithmetic import Arithmetic
from .layers import align


def evaluate(
    output: schema.Output,
    layers: Mapping[str, Tensor],
    psqt: Tensor | None,
    arithmetic: Arithmetic,
) -> Tensor:
    """`[n, heads]`: the one value, or those of win, draw and loss, in the engine's units.

    `layers` has the layers' outputs `[n, values]` by their names, `psqt` `[n]` the PSQT part of the
    evaluation or `None`.
    """
    values = [_value(output, head, layers, psqt, arithmetic) for head in output.heads]
    return torch.stack(values, dim=1)


def units_one(output: schema.Output) -> float:
    """What 1.0 is in the engine's units."""
    units = output.units
    if isinstance(units, schema.FloatUnits):
        return units.factor
    return output.one * units.numerator / units.denominator


def _value(
    output: schema.Output,
    head: schema.Head,
    layers: Mapping[str, Tensor],
    psqt: Tensor | None,
    arithmetic: Arithmetic,
) -> Tensor:
    units = output.units
    if isinstance(units, schema.FloatUnits):
        factor = float(np.float32(units.factor))
        total = _sum_of_floats(head, layers, arithmetic)
        scaled = arithmetic.f32(lambda x: x * factor, lambda x: x * factor, total)
        return arithmetic.to_integer(scaled)
    return _in_units(units, _sum_of_integers(head, layers, arithmetic), psqt, arithmetic)


def _in_units(
    units: schema.IntegerUnits, positional: Tensor, psqt: Tensor | None, arithmetic: Arithmetic
) -> Tensor:
    def scaled(x: Tensor) -> Tensor:
        quotient = arithmetic.scale(x, units.numerator, units.denominator, units.rounding)
        return arithmetic.wrap(quotient, 32)

    if units.wide:
        return scaled(positional)
    positional = arithmetic.wrap(positional, 32)
    if psqt is None:
        return scaled(positional)
    if units.each:
        return arithmetic.wrap(scaled(psqt) + scaled(positional), 32)
    return scaled(arithmetic.wrap(psqt + positional, 32))


def _sum_of_integers(
    head: schema.Head, layers: Mapping[str, Tensor], arithmetic: Arithmetic
) -> Tensor:
    terms = [
        align(layers[term.layer][:, term.index], term.align, arithmetic) for term in head.terms
    ]
    total, *others = (-x if term.negative else x for x, term in zip(terms, head.terms))
    for x in others:
        total = total + x
    return align(total, head.align, arithmetic)


def _sum_of_floats(
    head: schema.Head, layers: Mapping[str, Tensor], arithmetic: Arithmetic
) -> Tensor:
    terms = [layers[term.layer][:, term.index] for term in head.terms]
    total, *others = (-x if term.negative else x for x, term in zip(terms, head.terms))
    for x in others:
        total = arithmetic.f32(torch.add, torch.add, total, x)
    return total
