"""What the values of a JSON document must be: a form is

* a type: `str`, `bool`, `int`, or `float`, which integers are too,
* a table of forms by their keys; keys that it does not have are allowed,
* a list with one form, which all items of the document's list have,
* a `Whole` number, `Words`, or `Optional`, `Items`, `Several` or `Kinds` of those.
"""

import sys
from dataclasses import dataclass

from nnue_trainer.fields import shown

NAMES = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
FINITE = sys.float_info.max


class Misfit(ValueError):
    """A document does not have its form: where, and what it has there."""


@dataclass(frozen=True)
class Optional:
    """The form, or null."""

    form: object


@dataclass(frozen=True)
class Whole:
    """A whole number within limits, which are allowed."""

    low: int
    high: int


@dataclass(frozen=True)
class Words:
    """One of some words."""

    words: tuple


@dataclass(frozen=True)
class Items:
    """A list of so many items of a form."""

    count: int
    form: object


@dataclass(frozen=True)
class Several:
    """A list of a form that is not empty."""

    form: object


@dataclass(frozen=True)
class Kinds:
    """A table whose key `kind` says which of these forms it has."""

    forms: dict


def check(value, form, where):
    """Raises `Misfit` unless the value, which messages call `where`, has the form."""
    if isinstance(form, Optional):
        if value is not None:
            check(value, form.form, where)
    elif isinstance(form, dict):
        _expect(isinstance(value, dict), value, where, "a table")
        for key, own in form.items():
            if key not in value:
                raise Misfit(f"`{key}` of {where} is missing")
            check(value[key], own, f"`{key}` of {where}")
    elif isinstance(form, Kinds):
        check(value, {"kind": str}, where)
        if value["kind"] not in form.forms:
            raise Misfit(f"`kind` of {where} is {shown(value['kind'])}, which this trainer does not know")
        check(value, form.forms[value["kind"]], where)
    elif isinstance(form, Items):
        check(value, [form.form], where)
        if len(value) != form.count:
            raise Misfit(f"{where} has {len(value)} items: {form.count} are expected")
    elif isinstance(form, Several):
        check(value, [form.form], where)
        if not value:
            raise Misfit(f"{where} is an empty list: an item is expected")
    elif isinstance(form, Whole):
        check(value, int, where)
        expected = f"a whole number from {form.low:,} to {form.high:,}"
        _expect(form.low <= value <= form.high, value, where, expected)
    elif isinstance(form, Words):
        check(value, str, where)
        _expect(value in form.words, value, where, f"one of {', '.join(form.words)}")
    elif isinstance(form, list):
        _expect(isinstance(value, list), value, where, "a list")
        for item in value:
            check(item, form[0], f"an item of {where}")
    else:
        right = isinstance(value, (int, float) if form is float else form)
        # In Python, true is the number 1.
        right = right and (form is bool or not isinstance(value, bool))
        # JSON has none that are not finite, but Python reads them.
        _expect(right and (form is not float or -FINITE <= value <= FINITE), value, where, NAMES[form])


def _expect(holds, value, where, expected):
    if not holds:
        raise Misfit(f"{where} is {shown(value)}: {expected} is expected")
