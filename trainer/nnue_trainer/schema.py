"""The form of what `nnue describe SPEC --json` prints, schema 1: all keys of the types of
`nnue-macros/compiler/src/description.rs`, which has their meaning. Limits are those of specs, or of
the integers that a key has."""

from nnue_trainer.form import Items, Kinds, Optional, Several, Whole, Words

I64 = Whole(-(1 << 63), (1 << 63) - 1)
U64 = Whole(0, (1 << 64) - 1)
U32 = Whole(0, (1 << 32) - 1)
BYTE = Whole(0, 255)
FILE_OF_BOARD = Whole(0, 7)
SQUARE = Whole(0, 63)
ROW = Whole(0, (1 << 24) - 1)
ONE = Whole(1, (1 << 31) - 1)
FRACTION = Items(2, Whole(1, (1 << 64) - 1))
LEN = Whole(1, 1 << 16)
SHIFT = Whole(-62, 62)
STACKS = Whole(1, 1 << 16)
ROUNDING = Words(("truncate", "floor"))

ELEMENT = Words(("i8", "u8", "i16", "u16", "i32", "i64", "f32"))
VALUES = {"len": LEN, "element": ELEMENT, "ones": Several(ONE), "range": Optional(Items(2, I64))}

ORIENTATION = {"flip": Items(2, SQUARE), "mirror_files": [FILE_OF_BOARD]}
VICTIM = {"owner": str, "role": str, "first_row": ROW, "slot": BYTE, "only_from_later_square": bool}
ATTACKER = {"owner": str, "role": str, "squares": Items(64, ROW), "victims": [VICTIM]}
FAMILY = Kinds(
    {
        "piece-square": {
            "orientation": ORIENTATION,
            "planes": Whole(1, 16),
            "king_buckets": Items(64, BYTE),
            "king_rows": Items(64, ROW),
            "queen_rows": Items(6, ROW),
            "piece_rows": Items(2, Items(12, Optional(ROW))),
            "threatened_rows": Optional(Items(2, Items(2, ROW))),
        },
        "threats": {"orientation": ORIENTATION, "pushes": bool, "attackers": [ATTACKER]},
        "pawn-pairs": {"orientation": ORIENTATION, "file_distance": FILE_OF_BOARD},
        "custom": {},
    }
)
FEATURES = {
    "name": str,
    "first_row": ROW,
    "rows": Whole(1, 1 << 24),
    "max_active": Whole(1, 4096),
    "element": Words(("i8", "i16")),
    "shift": Whole(0, 15),
    "virtual_sets": [Words(("pieces", "king", "relative-pieces"))],
    "virtual_rows": ROW,
    "round_each": bool,
    "family": FAMILY,
}

FUNCTION = {"name": str, "shift": Optional(SHIFT), "limit": Optional(ONE), "formula": str}
TRANSFORMER = {
    "width": Whole(1, 1 << 14),
    "accumulator": str,
    "one": Whole(1, (1 << 15) - 1),
    "psqt": Optional({"values": Whole(1, 256), "one": ONE, "read_by_layers": Optional(VALUES)}),
    "activation": FUNCTION,
    "activated": VALUES,
    "pooling": Optional(
        {"kind": str, "block": Whole(2, 1 << 14), "shift": Optional(SHIFT), "rounding": Optional(str)}
    ),
    "perspectives": {"count": Whole(1, 2), "order": str, "separate_weights": bool},
    "output": VALUES,
    "unpooled": Optional(VALUES),
}

ALIGN = Kinds(
    {
        "none": {},
        "exact": {"factors": Several(FRACTION)},
        "shift": {"multipliers": Several(U32), "shift": SHIFT},
    }
)
OPERATION = Kinds(
    {
        "affine": {
            "weights": Words(("i8", "i16", "i32", "f32", "binary")),
            "weights_one": Optional(FRACTION),
            "biases": bool,
            "divide": Optional({"by": ONE, "rounding": ROUNDING}),
            "to_float": Optional({"scale": Optional(float)}),
            "sums": str,
            "scales": Optional({"shift": SHIFT, "inputs": bool}),
            "output_blocks": Optional(LEN),
        },
        "activations": {"functions": Several(FUNCTION)},
        "sum": {"aligns": [ALIGN]},
        "product": {"shift": SHIFT},
        "rms-norm": {"epsilon": float, "gain": Optional(str)},
        "float": {"scale": float},
    }
)
LAYER = {
    "name": str,
    "inputs": Several({"source": str, "start": Whole(0, 1 << 16), "len": LEN}),
    "operation": OPERATION,
    "output": VALUES,
    "shared": bool,
    "factorised": bool,
}

TERM = {"layer": str, "index": Whole(0, 1 << 16), "negative": bool, "align": ALIGN}
HEAD = {"terms": Several(TERM), "align": ALIGN}
UNITS = Kinds(
    {
        "integer": {"numerator": ONE, "denominator": ONE, "rounding": ROUNDING, "each": bool, "wide": bool},
        "float": {"factor": float},
    }
)

TENSOR = {
    "name": str,
    "id": Optional(str),
    "role": str,
    "layer": Optional(str),
    "first_row": Optional(U32),
    "element": str,
    "axes": [{"axis": str, "len": Whole(1, 1 << 32)}],
    "padded": U64,
    "values": U64,
    "per_stack": bool,
    "encoding": str,
    "quantise": Optional({"factor": float, "rounding": str, "overflow": str, "element": str}),
    "divisor": Optional(float),
    "one": Optional(FRACTION),
}
CONTENT = Kinds(
    {
        "hash": {"name": str, "expected": U32},
        "bytes": {"name": str, "expected": [BYTE]},
        "skipped": {"name": str},
        "align": {"multiple": LEN},
        "tensor": {"name": str},
    }
)
SECTIONS = [{"content": CONTENT, "offset": Optional(U64), "size": Optional(U64)}]
FILE = {
    "format": Kinds({"stockfish": {"version": U32, "hash": U32}, "sequence": {}, "named": {}}),
    "sections": SECTIONS,
    "stack_groups": [{"stride": Optional(U64), "sections": SECTIONS}],
    "tail": Optional({"bytes": Several(BYTE), "multiple": LEN}),
    "size": Optional(U64),
}

DESCRIPTION = {
    "name": str,
    "features": Several(FEATURES),
    "transformer": TRANSFORMER,
    "buckets": {"count": STACKS, "by_pieces": Optional(Items(33, BYTE))},
    "layers": [LAYER],
    "output": {"heads": Several(HEAD), "one": ONE, "units": UNITS},
    "tensors": [TENSOR],
    "file": FILE,
}
