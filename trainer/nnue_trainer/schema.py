"""The form of what `nnue describe SPEC --json` prints, schema 1: all keys of the types of
`nnue-cli/src/description.rs`, which has their meaning."""

from nnue_trainer.form import Items, Kinds, Optional

VALUES = {"len": int, "element": str, "ones": [int], "range": Optional(Items(2, int))}

ORIENTATION = {"flip": Items(2, int), "mirror_files": [int]}
VICTIM = {"owner": str, "role": str, "first_row": int, "slot": int, "only_from_later_square": bool}
ATTACKER = {"owner": str, "role": str, "squares": Items(64, int), "victims": [VICTIM]}
FAMILY = Kinds(
    {
        "piece-square": {
            "orientation": ORIENTATION,
            "planes": int,
            "king_buckets": [int],
            "king_rows": Items(64, int),
            "queen_rows": [int],
            "piece_rows": Items(2, Items(12, Optional(int))),
            "threatened_rows": Optional(Items(2, Items(2, int))),
        },
        "threats": {"orientation": ORIENTATION, "pushes": bool, "attackers": [ATTACKER]},
        "pawn-pairs": {"orientation": ORIENTATION, "file_distance": int},
        "custom": {},
    }
)
FEATURES = {
    "name": str,
    "first_row": int,
    "rows": int,
    "max_active": int,
    "element": str,
    "shift": int,
    "virtual_sets": [str],
    "virtual_rows": int,
    "round_each": bool,
    "family": FAMILY,
}

FUNCTION = {"name": str, "shift": Optional(int), "limit": Optional(int), "formula": str}
TRANSFORMER = {
    "width": int,
    "accumulator": str,
    "one": int,
    "psqt": Optional({"values": int, "one": int, "read_by_layers": Optional(VALUES)}),
    "activation": FUNCTION,
    "activated": VALUES,
    "pooling": Optional({"kind": str, "block": int, "shift": Optional(int), "rounding": Optional(str)}),
    "perspectives": {"count": int, "order": str, "separate_weights": bool},
    "output": VALUES,
    "unpooled": Optional(VALUES),
}

ALIGN = Kinds(
    {
        "none": {},
        "exact": {"factors": [Items(2, int)]},
        "shift": {"multipliers": [int], "shift": int},
    }
)
OPERATION = Kinds(
    {
        "affine": {
            "weights": str,
            "weights_one": Optional(Items(2, int)),
            "biases": bool,
            "divide": Optional({"by": int, "rounding": str}),
            "to_float": Optional({"scale": Optional(float)}),
            "sums": str,
            "scales": Optional({"shift": int, "inputs": bool}),
            "output_blocks": Optional(int),
        },
        "activations": {"functions": [FUNCTION]},
        "sum": {"aligns": [ALIGN]},
        "product": {"shift": int},
        "rms-norm": {"epsilon": float, "gain": Optional(str)},
        "float": {"scale": float},
    }
)
LAYER = {
    "name": str,
    "inputs": [{"source": str, "start": int, "len": int}],
    "operation": OPERATION,
    "output": VALUES,
    "shared": bool,
    "factorised": bool,
}

HEAD = {"terms": [{"layer": str, "index": int, "negative": bool, "align": ALIGN}], "align": ALIGN}
UNITS = Kinds(
    {
        "integer": {"numerator": int, "denominator": int, "rounding": str, "each": bool, "wide": bool},
        "float": {"factor": float},
    }
)

TENSOR = {
    "name": str,
    "id": Optional(str),
    "role": str,
    "layer": Optional(str),
    "first_row": Optional(int),
    "element": str,
    "axes": [{"axis": str, "len": int}],
    "padded": int,
    "values": int,
    "per_stack": bool,
    "encoding": str,
    "quantise": Optional({"factor": float, "rounding": str, "overflow": str, "element": str}),
    "divisor": Optional(float),
    "one": Optional(Items(2, int)),
}
CONTENT = Kinds(
    {
        "hash": {"name": str, "expected": int},
        "bytes": {"name": str, "expected": [int]},
        "skipped": {"name": str},
        "align": {"multiple": int},
        "tensor": {"name": str},
    }
)
SECTIONS = [{"content": CONTENT, "offset": Optional(int), "size": Optional(int)}]
FILE = {
    "format": Kinds({"stockfish": {"version": int, "hash": int}, "sequence": {}, "named": {}}),
    "sections": SECTIONS,
    "stack_groups": [{"stride": Optional(int), "sections": SECTIONS}],
    "tail": Optional({"bytes": [int], "multiple": int}),
    "size": Optional(int),
}

DESCRIPTION = {
    "name": str,
    "features": [FEATURES],
    "transformer": TRANSFORMER,
    "buckets": {"count": int, "by_pieces": Optional([int])},
    "layers": [LAYER],
    "output": {"heads": [HEAD], "one": int, "units": UNITS},
    "tensors": [TENSOR],
    "file": FILE,
}
