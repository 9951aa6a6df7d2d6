"""Reads a JSON document into dataclasses, whose annotations say what each of its values must be:

* `str`, `bool`, `int`, or `float`, which integers are too,
* a dataclass: a table that has its fields as keys; keys that it does not have are allowed,
* a `Union` of dataclasses: a table whose key `kind` is the `kind` of one of them,
* `Optional[X]`: `X` or null,
* `tuple[X, ...]`: a list whose items are all `X`,
* `Literal["a", "b"]`: one of some words,
* `Annotated[X, limit]`: an `X` within a limit, which is a `Whole`, a `Count` or a `Filled`.
"""

import sys
from collections.abc import Sized
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from nnue_trainer.fields import shown

T = TypeVar("T")

NAMES = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
FINITE = sys.float_info.max


class Misfit(ValueError):
    """A document does not have its form: where, and what it has there."""


@dataclass(frozen=True)
class Whole:
    """A whole number from `low` to `high`, which are allowed."""

    low: int
    high: int

    def check(self, value: int, where: str) -> None:
        """Raises `Misfit` for other numbers."""
        expected = f"a whole number from {self.low:,} to {self.high:,}"
        _expect(self.low <= value <= self.high, value, where, expected)


@dataclass(frozen=True)
class Count:
    """A list of so many items."""

    count: int

    def check(self, value: Sized, where: str) -> None:
        """Raises `Misfit` for lists of another length."""
        if len(value) != self.count:
            raise Misfit(f"{where} has {len(value)} items: {self.count} are expected")


@dataclass(frozen=True)
class Filled:
    """A list that is not empty."""

    def check(self, value: Sized, where: str) -> None:
        """Raises `Misfit` for an empty list."""
        if not value:
            raise Misfit(f"{where} is an empty list: an item is expected")


def read_document(table: type[T], document: object, where: str) -> T:
    """The dataclass `table` of a JSON document, which messages call `where`.

    Raises `Misfit` if a value of the document is not what the annotations say.
    """
    result: T = _read(table, document, where)
    return result


def _read(form: Any, value: object, where: str) -> Any:
    origin, arguments = get_origin(form), get_args(form)
    if origin is Annotated:
        found = _read(arguments[0], value, where)
        for limit in arguments[1:]:
            limit.check(found, where)
        return found
    if origin is Literal:
        _expect(
            _read(str, value, where) in arguments, value, where, f"one of {', '.join(arguments)}"
        )
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise _misfit(value, where, "a list")
        return tuple(_read(arguments[0], item, f"an item of {where}") for item in value)
    if origin is Union:
        return _read_union(arguments, value, where)
    if is_dataclass(form):
        return _read_table(form, value, where)
    right = isinstance(value, (int, float) if form is float else form)
    # In Python, true is the number 1.
    right = right and (form is bool or not isinstance(value, bool))
    # JSON has none that are not finite, but Python reads them.
    if form is float and isinstance(value, (int, float)):
        right = right and -FINITE <= value <= FINITE
    _expect(right, value, where, NAMES[form])
    return value


def _read_union(forms: tuple[Any, ...], value: object, where: str) -> Any:
    if value is None and type(None) in forms:
        return None
    forms = tuple(form for form in forms if form is not type(None))
    if len(forms) == 1:
        return _read(forms[0], value, where)
    by_kind = {form.kind: form for form in forms}
    kind = _entry(_table(value, where), "kind", str, where)
    if kind not in by_kind:
        raise Misfit(f"`kind` of {where} is {shown(kind)}, which this trainer does not know")
    return _read_table(by_kind[kind], value, where)


def _read_table(table: Any, value: object, where: str) -> Any:
    values = _table(value, where)
    return table(**{key: _entry(values, key, form, where) for key, form in _forms(table).items()})


@cache
def _forms(table: Any) -> dict[str, Any]:
    """The form of each field of a dataclass."""
    hints = get_type_hints(table, include_extras=True)
    return {field.name: hints[field.name] for field in fields(table)}


def _table(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _misfit(value, where, "a table")
    return value


def _entry(table: dict[str, object], key: str, form: Any, where: str) -> Any:
    if key not in table:
        raise Misfit(f"`{key}` of {where} is missing")
    return _read(form, table[key], f"`{key}` of {where}")


def _expect(holds: bool, value: object, where: str, expected: str) -> None:
    if not holds:
        raise _misfit(value, where, expected)


def _misfit(value: object, where: str, expected: str) -> Misfit:
    return Misfit(f"{where} is {shown(value)}: {expected} is expected")
