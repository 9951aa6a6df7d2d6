"""What `nnue describe` may print, and a message for what it may not."""

import json

import pytest
from support import description, small_specs

from nnue_trainer.__main__ import main
from nnue_trainer.description import BadDescription, Description

SPECS = small_specs()
USUAL = description(SPECS["bullet_simple"]).text


@pytest.mark.parametrize("name", SPECS)
def test_what_is_printed_has_the_form(name):
    Description(description(SPECS[name]).text)


def places(value, place=()):
    """The way to each value of a document."""
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        # Items of a list of numbers are all alike.
        if not isinstance(value, list) or key == 0:
            yield from places(each, (*place, key))


def changed(text, place, change):
    """The document after `change(its owner, key)` at a place."""
    document = json.loads(text)
    owner = document
    for key in place[:-1]:
        owner = owner[key]
    change(owner, place[-1])
    return json.dumps(document)


def said_of(text):
    with pytest.raises(BadDescription) as error:
        Description(text)
    message = str(error.value)
    assert message.startswith("`nnue describe` printed ") and len(message) < 500 and message.isprintable()
    return message


@pytest.mark.parametrize("name", ["bullet_simple", "sfnnv5", "channels", "binary"])
def test_keys_that_are_missing_and_other_types_are_said(name):
    text = description(SPECS[name]).text
    for place in list(places(json.loads(text)))[1:]:
        if place[:2] == ("output", "further"):
            # Nothing is trained of these.
            continue
        if isinstance(place[-1], str):
            assert place[-1] in said_of(changed(text, place, lambda owner, key: owner.pop(key)))
        said_of(changed(text, place, other_type))


def other_type(owner, key):
    """Puts a table where there is none, and a number in the place of a table."""
    owner[key] = 3.5 if isinstance(owner[key], dict) else {"\x1b[2J" * 1000: 3}


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "which is no JSON"),
        ("Usage: nnue\x1b[2J\n" * 1000, "which is no JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("3", "the description is 3: a table is expected"),
        ("[]", "the description is a list: a table is expected"),
        ("{}", "schema nothing, supported is 1"),
        ('{"schema": 2}', "schema 2, supported is 1: `nnue` and the trainer must be of the same version"),
        ('{"schema": 1}', "`name` of the description is missing"),
    ],
)
def test_what_is_no_description_is_said(text, message):
    assert message in said_of(text)


def test_unknown_kinds_are_said_and_unknown_keys_are_ignored():
    kind = changed(USUAL, ("layers", 0, "operation", "kind"), lambda owner, key: owner.update(kind="fourier"))
    assert "`kind` of `operation` of an item of `layers` of the description is 'fourier'" in said_of(kind)
    Description(changed(USUAL, ("name",), lambda owner, key: owner.update(more=[3])))


def test_the_command_says_it_in_a_line(tmp_path, capsys):
    other = tmp_path / "nnue"
    other.write_text("#!/bin/sh\necho '{\"schema\": 7}'\n")
    other.chmod(0o755)
    (tmp_path / "games.txt").touch()
    run = tmp_path / "run.toml"
    run.write_text('spec = "sfnnv5"\n[data]\nfiles = ["games.txt"]\n')
    assert main([str(run), "--nnue", str(other)]) == 1
    assert capsys.readouterr().err.startswith("error: `nnue describe` printed schema 7, supported is 1")
