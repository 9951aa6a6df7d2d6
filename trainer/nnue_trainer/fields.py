"""Values of a run file: what is allowed in each, and what is said of others."""

import dataclasses
import difflib
import math
import re
from collections.abc import Collection
from typing import Any, Callable, Optional, TypeVar, cast

T = TypeVar("T")

Read = Callable[[object, str], Any]
"""Reads a value, which messages call as the text says. Raises `RunError`."""


class RunError(Exception):
    """A run cannot be done as its file says. The message is for the file's author."""


REQUIRED = dataclasses.MISSING
"""The default of what must be said."""

SHOWN = 80
"""How many characters of a value a message has at most."""


def _field(default: Any, read: Read) -> Any:
    return dataclasses.field(default=default, metadata={"read": read})


def number(
    default: Any,
    low: Optional[float] = None,
    high: Optional[float] = None,
    above: Optional[float] = None,
    below: Optional[float] = None,
    whole: bool = False,
) -> Any:
    """A number, of which these are the limits: `low` and `high` are allowed, `above` and `below`
    are not."""

    def read(value: object, where: str) -> float:
        return _number(value, where, low, high, above, below, whole)

    return _field(default, read)


def optional_number() -> Any:
    """A number, or nothing."""

    def read(value: object, where: str) -> Optional[float]:
        return None if value is None else _number(value, where, None, None, None, None, False)

    return _field(REQUIRED, read)


def span(default: tuple[float, float], low: float, high: float) -> Any:
    """One number, or two: at the start of the run and at its end."""

    def read(value: object, where: str) -> tuple[float, ...]:
        values = value if isinstance(value, list) else [value, value]
        if len(values) != 2:
            raise RunError(
                f"{where} has {len(values)} numbers: it is one, or one for the start and one for "
                "the end"
            )
        return tuple(_number(each, where, low, high, None, None, False) for each in values)

    return _field(default, read)


def _number(
    value: object,
    where: str,
    low: Optional[float],
    high: Optional[float],
    above: Optional[float],
    below: Optional[float],
    whole: bool,
) -> float:
    wanted = "a whole number" if whole else "a number"
    right = isinstance(value, int) or (isinstance(value, float) and not whole)
    # In Python, true is the number 1.
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not right:
        raise RunError(f"{where} is {shown(value)}: {wanted} is expected")
    limits = []
    if low is not None:
        limits.append((value >= low, f"at least {low:,}"))
    if above is not None:
        limits.append((value > above, f"more than {above:,}"))
    if high is not None:
        limits.append((value <= high, f"at most {high:,}"))
    if below is not None:
        limits.append((value < below, f"less than {below:,}"))
    if not all(kept for kept, _ in limits) or not math.isfinite(value):
        allowed = " and ".join(words for _, words in limits) or "finite"
        raise RunError(f"{where} is {shown(value)}: it must be {allowed}")
    return value if whole else float(value)


def flag(default: Optional[bool]) -> Any:
    """True or false; `None` by default where it depends on something else."""

    def read(value: object, where: str) -> object:
        if not isinstance(value, bool):
            raise RunError(f"{where} is {shown(value)}: true or false is expected")
        return value

    return _field(default, read)


def choice(default: str, *others: str) -> Any:
    """One of some words."""
    return _field(default, _one_of((default, *others)))


def word(*words: str) -> Any:
    """One of some words, which must be said."""
    return _field(REQUIRED, _one_of(words))


def words(*allowed: str) -> Any:
    """A list of some words; empty by default."""
    one = _one_of(allowed)

    def read(value: object, where: str) -> tuple[str, ...]:
        return tuple(one(each, f"an item of {where}") for each in _items(value, where))

    return _field((), read)


def _one_of(words: Collection[str]) -> Read:
    def read(value: object, where: str) -> object:
        if value not in words:
            raise RunError(
                f"{where} is {shown(value)}{nearest(str(value), words)}: allowed are {_list(words)}"
            )
        return value

    return read


def share(default: str) -> Any:
    """Some of many, such as "1/20"."""

    def read(value: object, where: str) -> object:
        numbers = re.fullmatch("([0-9]+)/([0-9]+)", _text(value, where))
        if not numbers or not 0 < int(numbers[1]) < int(numbers[2]):
            raise RunError(f"{where} is {shown(value)}: expected is a part of all, such as '1/20'")
        return value

    return _field(default, read)


def text(default: Optional[str]) -> Any:
    """Any text."""
    return _field(default, _text)


def texts() -> Any:
    """A list of texts; empty by default."""

    def read(value: object, where: str) -> tuple[str, ...]:
        return tuple(_text(each, where) for each in _items(value, where))

    return _field((), read)


def tables(table: type[T]) -> Any:
    """A list of tables, which are dataclasses `table`."""

    def read(value: object, where: str) -> list[T]:
        return [read_table(table, each, f"a table of {where}") for each in _items(value, where)]

    return _field(REQUIRED, read)


def _items(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise RunError(f"{where} is {shown(value)}: a list is expected")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise RunError(f"{where} is {shown(value)}: text is expected")
    return value


def read_table(table: type[T], values: object, where: str, ignored: Collection[str] = ()) -> T:
    """The dataclass `table` with the `values` of a TOML table, which messages call `where`.

    A field `lambda_` is the key `lambda`. Fields whose type is a dataclass are tables.
    """
    if not isinstance(values, dict):
        raise RunError(f"{where} is {shown(values)}: a table is expected")
    fields = {field.name.rstrip("_"): field for field in dataclasses.fields(cast(Any, table))}
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        if key in fields:
            field = fields[key]
            if isinstance(field.type, type) and dataclasses.is_dataclass(field.type):
                arguments[field.name] = read_table(field.type, value, f"[{key}]")
            else:
                arguments[field.name] = field.metadata["read"](value, f"`{key}` of {where}")
        elif key not in ignored:
            known = (*fields, *ignored)
            raise RunError(
                f"unknown key {_key(key)} in {where}{nearest(key, known)}: allowed are "
                f"{_list(known)}"
            )
    for key, field in fields.items():
        if field.default is REQUIRED and key not in values:
            raise RunError(f"`{key}` of {where} is missing")
    return table(**arguments)


def nearest(word: str, words: Collection[str]) -> str:
    """A question whether the nearest of `words` was meant, or nothing if none is near."""
    near = difflib.get_close_matches(word, words, n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""


def _list(words: Collection[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _key(key: str) -> str:
    """A key in a message, which names a usual one as it is written."""
    return f"`{key}`" if re.fullmatch("[A-Za-z0-9_-]{1,40}", key) else shown(key)


def shown(value: object) -> str:
    """A value in a message: of lists and tables, what they are; of text, no more than a line, in
    which nothing is left that a terminal would obey."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
