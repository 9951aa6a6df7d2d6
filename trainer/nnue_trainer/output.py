"""From the layers' last values to the engine's units."""

import torch

from .layers import align


def evaluate(output, layers, psqt, arithmetic):
    """`[n, heads]`: the one value, or those of win, draw and loss.

    `layers` has the layers' outputs by their names, `psqt` the PSQT part of the evaluation or
    `None`.
    """
    values = [_value(output, head, layers, psqt, arithmetic) for head in output.heads]
    return torch.stack(values, dim=1)


def units_one(output):
    """What 1.0 is in the engine's units."""
    units = output.units
    if units.kind == "float":
        return units.factor
    return output.one * units.numerator / units.denominator


def _value(output, head, layers, psqt, arithmetic):
    units = output.units
    if units.kind == "float":
        factor = float(torch.tensor(units.factor, dtype=torch.float32))
        scale = lambda sum: sum * factor
        return arithmetic.to_integer(
            arithmetic.f32(scale, scale, _sum_of_floats(head, layers, arithmetic))
        )
    positional = _sum_of_integers(head, layers, arithmetic)
    scaled = lambda x: arithmetic.wrap(
        arithmetic.scale(x, units.numerator, units.denominator, units.rounding), 32
    )
    if units.wide:
        return scaled(positional)
    positional = arithmetic.wrap(positional, 32)
    if psqt is None:
        return scaled(positional)
    if units.each:
        return arithmetic.wrap(scaled(psqt) + scaled(positional), 32)
    return scaled(arithmetic.wrap(psqt + positional, 32))


def _sum_of_integers(head, layers, arithmetic):
    total = 0
    for term in head.terms:
        x = align(layers[term.layer][:, term.index], term.align, arithmetic)
        total = total - x if term.negative else total + x
    return align(total, head.align, arithmetic)


def _sum_of_floats(head, layers, arithmetic):
    terms = [layers[term.layer][:, term.index] for term in head.terms]
    terms = [-x if term.negative else x for x, term in zip(terms, head.terms)]
    total = terms[0]
    for x in terms[1:]:
        total = arithmetic.f32(torch.add, torch.add, total, x)
    return total
