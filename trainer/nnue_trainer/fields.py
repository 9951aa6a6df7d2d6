"""Values of a run file: what is allowed in each, and what is said of others."""

import difflib
import re
from collections.abc import Collection, Iterable
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, inspect

Natural = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Positive = Annotated[int, Meta(ge=1, le=(1 << 63) - 1)]
AtLeast0 = Annotated[float, Meta(ge=0)]
Above0 = Annotated[float, Meta(gt=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Below1 = Annotated[float, Meta(ge=0, lt=1)]

WORDS = {
    "`int`": "a whole number",
    "`float`": "a number",
    "`str`": "text",
    "`bool`": "true or false",
    "`array`": "a list",
    "`object`": "a table",
    "Expected": "allowed is",
}
"""The words for types in messages, instead of msgspec's."""

SHOWN = 80
"""How many characters of a value a message has at most."""

T = TypeVar("T")


class RunError(Exception):
    """A run cannot be done as its file says. The message is for the file's author."""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a file, without other keys than its fields."""


def read_table(table: type[T], values: object, where: str) -> T:
    """The table with these values, which messages call `where`. A table in it is `[key]` there.

    Raises `RunError` if a value is not what its field allows.
    """
    try:
        return msgspec.convert(values, table)
    except msgspec.ValidationError as error:
        raise RunError(_explained(error, inspect.type_info(table), values, where)) from error


def _explained(error: msgspec.ValidationError, form: Any, value: Any, where: str) -> str:
    """What is wrong in a table of the type `form`: the place, what it has there, and what is
    allowed."""
    said, _, path = str(error).partition(" - at `$")
    name = where
    for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        if index:
            form, value, name = form.item_type, value[int(index)], f"an item of {name}"
        elif not isinstance(value, dict) or key not in value:
            # A key of the user's, whose name looks like a place.
            break
        else:
            form = next(field.type for field in form.fields if field.encode_name == key)
            value, name, where = value[key], f"`{key}` of {where}", f"[{key}]"
        if isinstance(form, inspect.UnionType):
            form = next(each for each in form.types if not isinstance(each, inspect.NoneType))
    if isinstance(form, inspect.StructType) and isinstance(value, dict):
        known = [field.encode_name for field in form.fields]
        unknown = next((key for key in value if key not in known), None)
        if unknown is None:
            return f"{said.removeprefix('Object missing required field ')} of {where} is missing"
        usual = re.fullmatch("[A-Za-z0-9_-]{1,40}", unknown)
        return (
            f"unknown key {f'`{unknown}`' if usual else shown(unknown)} in {where}"
            f"{_nearest(unknown, known)}: allowed are {_list(known)}"
        )
    if isinstance(form, inspect.LiteralType) and isinstance(value, str):
        allowed = _list(form.values)
        return f"{name} is {shown(value)}{_nearest(value, form.values)}: allowed are {allowed}"
    for theirs, ours in WORDS.items():
        said = said.replace(theirs, ours)
    return f"{name} is {shown(value)}: {said.partition(', got')[0]}"


def _nearest(word: str, words: Collection[Any]) -> str:
    """A question whether the nearest of `words` was meant, or nothing if none is near."""
    near = difflib.get_close_matches(word, words, n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""


def _list(words: Iterable[object]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def shown(value: object) -> str:
    """A value in a message: of lists and tables, what they are; of text, no more than a line, in
    which nothing is left that a terminal would obey."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    return shortened(str(value).lower() if isinstance(value, bool) else repr(value))


def shortened(text: str, most: int = SHOWN) -> str:
    """The text, or its beginning."""
    return text if len(text) <= most else text[: most - 3] + "..."
