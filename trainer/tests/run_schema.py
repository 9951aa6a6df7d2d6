"""The trainer's part of the JSON Schema of run files, from the types that they are read into."""

import ast
import inspect
import itertools
import textwrap
from typing import Any

from msgspec import inspect as forms

from nnue_trainer.run import OF_ALL_STAGES, Run

PAGE = "https://github.com/nnue-compiler/nnue-compiler/blob/main/docs/training.md"

SECTIONS = {
    "loss": "the-loss",
    "schedule": "learning-rates-and-optimisers",
    "optimiser": "learning-rates-and-optimisers",
    "watch": "which-net-is-the-best",
    "stage": "stages",
}
"""The sections of the tables that have one; the others are in that of the run file."""

BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}


def run_schema() -> dict[str, Any]:
    """The schema of a run file, without the keys of the loop."""
    run = _table(forms.type_info(Run), "")
    # A number is that of the whole run.
    both = run["properties"]["loss"]["properties"]["lambda"]
    pair = {key: both.pop(key) for key in ("type", "items", "minItems", "maxItems")}
    both["anyOf"] = [pair["items"], pair]
    own = {key: form for key, form in run["properties"].items() if key not in OF_ALL_STAGES}
    stage = {"type": "object", "properties": own, "additionalProperties": False}
    said = "A stage of the training; it has all that the run says, and other values of these keys."
    run["properties"]["stage"] = {
        "description": _with_link(said, "stage"),
        "type": "array",
        "items": stage,
    }
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "Training run", **run}


def _table(form: Any, section: str) -> dict[str, Any]:
    said = _documentation(form.cls)
    properties = {}
    for field in form.fields:
        key = field.encode_name
        inner = section or key
        if isinstance(field.type, forms.StructType):
            properties[key] = _table(field.type, inner)
            continue
        assert field.name in said, f"{form.cls.__name__}.{field.name} has no documentation"
        properties[key] = {"description": _with_link(said[field.name], inner), **_form(field.type)}
        if not field.required and field.default not in (None, ""):
            properties[key]["default"] = field.default
    required = [field.encode_name for field in form.fields if field.required]
    table = {"type": "object", "properties": properties, "additionalProperties": False}
    if section:
        table["description"] = _with_link(inspect.getdoc(form.cls) or "", section)
    return table | ({"required": required} if required else {})


def _form(form: Any) -> dict[str, Any]:
    """The schema of a value."""
    if isinstance(form, forms.UnionType):
        (form,) = (each for each in form.types if not isinstance(each, forms.NoneType))
    bounds = {
        BOUNDS[name]: getattr(form, name)
        for name in BOUNDS
        if getattr(form, name, None) is not None
    }
    if isinstance(form, forms.IntType):
        return {"type": "integer", **bounds}
    if isinstance(form, forms.FloatType):
        return {"type": "number", **bounds}
    if isinstance(form, forms.BoolType):
        return {"type": "boolean"}
    if isinstance(form, forms.StrType):
        return {"type": "string"}
    if isinstance(form, forms.LiteralType):
        return {"type": "string", "enum": list(form.values)}
    assert isinstance(form, forms.VarTupleType), form
    lengths = {"minItems": form.min_length, "maxItems": form.max_length}
    lengths = {name: length for name, length in lengths.items() if length is not None}
    return {"type": "array", "items": _form(form.item_type), **lengths}


def _documentation(table: type) -> dict[str, str]:
    """What stands below the fields of a table."""
    body = ast.parse(textwrap.dedent(inspect.getsource(table))).body[0].body  # type: ignore[attr-defined]
    said = {}
    for field, below in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            text = ast.literal_eval(below.value)
            said[field.target.id] = " ".join(text.split())  # type: ignore[union-attr]
    return said


def _with_link(sentence: str, section: str) -> str:
    return f"{sentence}\n\n[Reference]({PAGE}#{SECTIONS.get(section, 'the-run-file')})"
