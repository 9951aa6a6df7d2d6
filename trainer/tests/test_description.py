"""What `nnue describe` may print, and a message for what it may not."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import description, small_specs

from nnue_trainer.__main__ import built, main, trainable
from nnue_trainer.description import BadDescription, Description
from nnue_trainer.fields import RunError

Place = tuple[Any, ...]
"""Keys and indices, from the outermost on."""

Change = Callable[[Any, Any], object]

UNREAD = {
    "accumulator",
    "activated",
    "blocks",
    "formula",
    "further",
    "king_buckets",
    "neuron_order",
    "offset",
    "overflow",
    "per_stack",
    "stride",
    "views",
}
"""Keys that the trainer has no use for."""

SPECS = small_specs()
USUAL = description(SPECS["bullet_simple"]).text


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """The way to each value of a document."""
    yield place
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, each in items:
        # Items of a list of numbers are all alike.
        if not isinstance(value, list) or key == 0:
            yield from places(each, (*place, key))


def changed(text: str, place: Place, change: Change) -> str:
    """The document after `change(its owner, key)` at a place."""
    document = json.loads(text)
    owner = document
    for key in place[:-1]:
        owner = owner[key]
    change(owner, place[-1])
    return json.dumps(document)


def said_of(text: str) -> str:
    with pytest.raises(BadDescription) as error:
        Description(text)
    message = str(error.value)
    assert (
        message.startswith("`nnue describe` printed ")
        and len(message) < 500
        and message.isprintable()
    )
    return message


@pytest.mark.parametrize("name", ["bullet_simple", "sfnnv5", "channels", "binary"])
def test_keys_that_are_missing_and_other_types_are_said(name: str) -> None:
    text = description(SPECS[name]).text
    for place in list(places(json.loads(text)))[1:]:
        if UNREAD.intersection(place):
            continue
        if isinstance(place[-1], str):
            assert place[-1] in said_of(changed(text, place, lambda owner, key: owner.pop(key)))
        said_of(changed(text, place, other_type))


def other_type(owner: Any, key: Any) -> None:
    """Puts a table where there is none, and a number in the place of a table."""
    owner[key] = 3.5 if isinstance(owner[key], dict) else {"\x1b[2J" * 1000: 3}


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "which is no JSON"),
        ("Usage: nnue\x1b[2J\n" * 1000, "which is no JSON"),
        ('{"more": ' + "[" * 100_000, "which is no JSON (maximum recursion depth"),
        ("3", "Expected `object`, got `int`"),
        ("[]", "Expected `object`, got `array`"),
        ("{}", "schema nothing, supported is 1"),
        (
            '{"schema": 2}',
            "schema 2, supported is 1: `nnue` and the trainer must be of the same version",
        ),
        ('{"schema": 1, "name": ' + "9" * 6000 + "}", "out of range - at `$.name`"),
        ('{"schema": 1}', "missing required field `name`"),
    ],
)
def test_what_is_no_description_is_said(text: str, message: str) -> None:
    assert message in said_of(text)


def test_unknown_kinds_are_said_and_unknown_keys_are_ignored() -> None:
    kind = changed(
        USUAL, ("layers", 0, "operation", "kind"), lambda owner, key: owner.update(kind="fourier")
    )
    assert "Invalid value 'fourier' - at `$.layers[0].operation.kind`" in said_of(kind)
    Description(changed(USUAL, ("name",), lambda owner, key: owner.update(more=[3])))


@pytest.mark.parametrize(
    "place, value, message",
    [
        (("transformer", "width"), -5, "Expected `int` >= 0 - at `$.transformer.width`"),
        (("transformer", "width"), 10**15, "Expected `int` <= 1099511627775"),
        (("layers", 0, "operation", "weights"), "i9", "Invalid enum value 'i9' - at `$.layers[0]"),
        (("output", "units", "rounding"), "up", "Invalid enum value 'up'"),
        (("output", "units", "numerator"), 1.5, "Expected `int`, got `float`"),
    ],
)
def test_what_is_out_of_range_is_said(place: Place, value: Any, message: str) -> None:
    assert message in said_of(
        changed(USUAL, place, lambda owner, key: owner.__setitem__(key, value))
    )


@pytest.mark.parametrize(
    "place, value",
    [
        (("layers", 0, "inputs", 0, "source"), "l9"),
        (("layers", 0, "name"), "l9"),
        (("output", "heads", 0, "terms", 0, "layer"), "l9"),
        (("features", 0, "first_row"), 800),
        (("tensors", 0, "first_row"), None),
        (("tensors", 1, "role"), "weights"),
        (("tensors", 3, "layer"), "l9"),
    ],
)
def test_what_is_named_and_not_there_is_said(place: Place, value: Any) -> None:
    text = changed(USUAL, place, lambda owner, key: owner.__setitem__(key, value))
    with pytest.raises(BadDescription, match="cannot build the network that `nnue describe`"):
        built(Description(text))


NUMBERS = [-5, -1, 0, 7, 10_000, 1 << 62, 1 << 70, 1.5, 1e300, 1e400, float("nan")]
VALUES: list[object] = [*NUMBERS, None, "x", "", [], {}, True]


@pytest.mark.parametrize(
    "name", ["bullet_simple", "sfnnv5", "channels", "binary", "factorised_all"]
)
def test_whatever_is_changed_there_is_a_network_or_a_message(name: str) -> None:
    text = description(SPECS[name]).text
    every_place = list(places(json.loads(text)))[1:]
    random_change = random.Random(7)

    def change(owner: Any, key: Any) -> None:
        if random_change.random() < 0.25:
            del owner[key]
        else:
            owner[key] = random_change.choice(VALUES)

    refused = []
    for _ in range(150):
        try:
            built(trainable(Description(changed(text, random_change.choice(every_place), change))))
        except (BadDescription, RunError) as error:
            refused.append(str(error))
    assert all(len(message) < 500 and message.isprintable() for message in refused)
    assert len(refused) > 30


def test_an_activation_that_is_not_known_is_refused_by_name() -> None:
    text = description(SPECS["sfnnv5"]).text
    kinds = [layer["operation"]["kind"] for layer in json.loads(text)["layers"]]
    place = ("layers", kinds.index("activations"), "operation", "functions", 0, "name")
    unknown = changed(text, place, lambda owner, key: owner.update(name="test_operation"))
    message = "found the activation `test_operation`, which is not known"
    with pytest.raises(BadDescription, match=message):
        built(Description(unknown))


def test_what_fits_in_itself_but_not_together_is_said() -> None:
    zero = {"to_float": {"scale": 0}, "weights_one": None}
    kind = changed(USUAL, ("layers", 0, "operation"), lambda owner, key: owner[key].update(zero))
    with pytest.raises(BadDescription, match=r"cannot build the network .* ZeroDivisionError"):
        built(Description(kind))


@pytest.mark.parametrize(
    "script, message",
    [
        ("echo '{\"schema\": 7}'", "error: `nnue describe` printed schema 7, supported is 1"),
        ("printf '\\377\\376{}'", "describe sfnnv5` printed what is no UTF-8"),
        ("printf '\\377\\376 bad' >&2; exit 1", "describe sfnnv5` ended with 1: \ufffd\ufffd bad"),
    ],
)
def test_the_command_says_it_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], script: str, message: str
) -> None:
    other = tmp_path / "nnue"
    other.write_text(f"#!/bin/sh\n{script}\n")
    other.chmod(0o755)
    (tmp_path / "games.txt").touch()
    run = tmp_path / "run.toml"
    run.write_text('spec = "sfnnv5"\n[data]\nfiles = ["games.txt"]\n')
    assert main([str(run), "--nnue", str(other)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ") and message in said
