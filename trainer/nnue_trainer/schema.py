"""What `nnue describe SPEC` prints, schema 1, as tables whose fields are its keys.

`docs/describe.md` explains them. Keys that neither the trainer nor its tests read are left out.
"""

from typing import Annotated, Literal, TypeVar

from msgspec import Meta, Struct, field

T = TypeVar("T")

Size = Annotated[int, Meta(ge=0, lt=1 << 40)]
"""A number of things, a place among them, or a scale (what 1.0 is)."""
Fraction = tuple[Size, Size]
"""A numerator and a denominator."""
Rounding = Literal["truncate", "floor"]
ProductRounding = Literal["floor", "nearest"]
Element = Literal["i8", "u8", "i16", "u16", "i32", "i64", "f32"]


class Kind(Struct, tag_field="kind"):
    """A table whose key `kind` says which of several it is."""


class Values(Struct):
    """Values that layers can read."""

    len: Size
    element: Element
    ones: tuple[Size, ...]
    """One for all values, or one for each."""
    range: tuple[int, int] | None
    """The smallest and the largest value; `None` of `f32`."""


class Orientation(Struct):
    """How a perspective sees the board."""

    flip: tuple[Size, Size]
    mirror_files: tuple[Size, ...]


class OwnedRole(Struct, frozen=True):
    """A kind of a player's pieces."""

    owner: str
    role: str


class Material(Struct):
    """Pieces that choose rows besides the own king."""

    pieces: tuple[OwnedRole, ...]
    from_: tuple[Size, ...] | None = field(name="from")
    """From which numbers of pieces rows are others; `None` for the quadrant of the only piece."""
    rows: tuple[Size, ...]
    """The rows to skip for each value."""


class PieceSquare(Kind, tag="piece-square"):
    """A row for each piece on the board."""

    orientation: Orientation
    planes: Size
    king_rows: tuple[Size, ...]
    materials: tuple[Material, ...]
    piece_rows: tuple[tuple[Size | None, ...], ...]
    """`[perspectives][pieces]`, white's before black's in both."""
    threatened_rows: tuple[tuple[Size, ...], ...] | None
    """`[perspectives][colours]`."""


class Victim(Struct):
    """A piece that an `Attacker` can attack."""

    owner: str
    role: str
    first_row: Size
    slot: Size
    only_from_later_square: bool


class Attacker(Struct):
    """A piece that attacks others."""

    owner: str
    role: str
    squares: tuple[Size, ...]
    victims: tuple[Victim, ...]


class Threats(Kind, tag="threats"):
    """A row for each piece that attacks another one."""

    orientation: Orientation
    pushes: bool
    attackers: tuple[Attacker, ...]


class PawnPairs(Kind, tag="pawn-pairs"):
    """A row for each two pawns that stand near each other."""

    orientation: Orientation
    file_distance: Size


class Clock(Kind, tag="clock"):
    """A row for each step of the half-move clock."""

    first: Size
    step: Size
    steps: Size
    king_rows: tuple[tuple[Size, ...], ...]
    """`[perspectives][squares]`, white's before black's."""


class Custom(Kind, tag="custom"):
    """Rows of which the engine tells which are active."""


Family = PieceSquare | Threats | PawnPairs | Clock | Custom


class FeatureSet(Struct):
    """A feature set."""

    name: str
    first_row: Size
    """Counted through the rows of all sets."""
    rows: Size
    max_active: Size
    element: Literal["i8", "i16"]
    shift: Size
    virtual_sets: tuple[Literal["pieces", "king", "relative-pieces"], ...]
    virtual_rows: Size
    round_each: bool
    family: Family


class Function(Struct):
    """A function of one value."""

    name: str
    shift: int | None
    rounding: ProductRounding | None
    limit: Size | None


class Psqt(Struct):
    """Values of features that are summed up beside the accumulator."""

    values: Size
    one: Size
    read_by_layers: Values | None


class Pooling(Struct):
    """How two activated values become one."""

    kind: str
    block: Size
    """Of so many values, the first half is paired with the second."""
    shift: int | None
    rounding: ProductRounding | None


class Perspectives(Struct):
    """Which views of a position the layers see."""

    count: Size
    order: str
    separate_weights: bool


class Transformer(Struct):
    """The sparse first layer."""

    width: Size
    """Neurons of each perspective."""
    one: Size
    psqt: Psqt | None
    activation: Function
    pooling: Pooling | None
    perspectives: Perspectives
    output: Values
    unpooled: Values | None


class Buckets(Struct):
    """The stacks of layers."""

    count: Size
    by_pieces: tuple[Size, ...] | None
    """The stack of positions with 0, 1, ... 32 pieces; `None` where the engine chooses it."""


class Unaligned(Kind, tag="none"):
    """Values stay as they are."""


class ExactAlign(Kind, tag="exact"):
    """`x * numerator / denominator`, rounded towards zero."""

    factors: tuple[Fraction, ...]
    """One for all values, or one for each."""


class ShiftAlign(Kind, tag="shift"):
    """`x * multiplier >> shift`."""

    multipliers: tuple[Size, ...]
    """One for all values, or one for each."""
    shift: int


Align = Unaligned | ExactAlign | ShiftAlign
"""How values of one fixed point become those of another."""


class Divide(Struct):
    """A division of integers."""

    by: Size
    rounding: Rounding


class ToFloat(Struct):
    """`fma(sum as f32, scale, bias[o])`."""

    scale: float | None
    """`None` where the file has one for each output."""


class Scales(Struct):
    """`sum * alpha[o] * beta >> shift`, where `alpha` is a tensor of the file."""

    shift: int
    inputs: bool
    """Whether `beta` is the mean of the inputs' magnitudes; otherwise it is 1."""


class Shards(Struct):
    """The inputs that each output reads: the first ones, and one of equal parts of the others."""

    common: int
    count: Size


class Affine(Kind, tag="affine"):
    """`bias[o] + (sum of weight[o][i] * x[i]) / divide`."""

    weights: Literal["i8", "i16", "i32", "f32", "binary"]
    weights_one: Fraction | None
    biases: bool
    divide: Divide | None
    to_float: ToFloat | None
    sums: str
    scales: Scales | None
    output_blocks: Size | None
    shards: Shards | None


class Activations(Kind, tag="activations"):
    """The results of all inputs by the first function, then those by the second, and so on."""

    functions: tuple[Function, ...]


class Sum(Kind, tag="sum"):
    """`sum of the inputs' [i]`, each aligned."""

    aligns: tuple[Align, ...]


class Product(Kind, tag="product"):
    """`a[i] * b[i] >> shift`."""

    shift: int
    rounding: ProductRounding


class RmsNorm(Kind, tag="rms-norm"):
    """`x[i] * (1 / sqrt(mean of x * x + epsilon)) * gain[i]`."""

    epsilon: float
    gain: str | None


class Float(Kind, tag="float"):
    """`x[i] as f32 * scale`."""

    scale: float


class Integer(Kind, tag="integer"):
    """`x[i] * one`, clamped and rounded."""

    one: Size
    least: int
    limit: Size
    rounding: Literal["nearest", "truncate"]


Operation = Affine | Activations | Sum | Product | RmsNorm | Float | Integer


class Input(Struct):
    """A run of values that a layer reads."""

    source: str
    """`transformer`, `unpooled`, `psqt` or the name of a layer before."""
    start: Size
    len: Size


class Layer(Struct):
    """A layer of a stack."""

    name: str
    inputs: tuple[Input, ...]
    operation: Operation
    output: Values
    shared: bool
    factorised: bool


class Term(Struct):
    """A summand of a head."""

    layer: str
    index: Size
    negative: bool
    align: Align


class Head(Struct):
    """What is summed up to one number."""

    terms: tuple[Term, ...]
    align: Align


class IntegerUnits(Kind, tag="integer"):
    """`x * numerator / denominator` in 64 bits."""

    numerator: Size
    denominator: Size
    rounding: Rounding
    each: bool
    """Whether the PSQT part and the sum are scaled each by itself, and then added."""
    wide: bool
    """Whether the sum has 64 bits; otherwise it is cut to 32 before it is scaled."""


class FloatUnits(Kind, tag="float"):
    """`(x * factor) as i32`, truncated and saturated."""

    factor: float


class Output(Struct):
    """From the layers' outputs to the engine's units."""

    heads: tuple[Head, ...]
    """One, or three: win, draw and loss."""
    one: Size
    units: IntegerUnits | FloatUnits


class Axis(Struct):
    """An axis of a tensor: its name, which may be of blocks (`input / 4`, `input % 4`)."""

    axis: str
    len: Size


class Quantise(Struct):
    """How floating point of a file becomes integers."""

    factor: float
    rounding: str
    element: str


class Tensor(Struct):
    """A tensor of a net file."""

    name: str
    id: str | None
    """What the file calls it; `None` where files have no names."""
    role: str
    layer: str | None
    """The layer that it belongs to; `None` for the transformer."""
    first_row: Size | None
    """Where rows begin: real ones of all sets, white's before black's where these are separate,
    then virtual ones."""
    element: str
    axes: tuple[Axis, ...]
    """Outermost first."""
    padded: Size
    """The length of the innermost axis with its padding."""
    values: Size
    encoding: str
    quantise: Quantise | None
    divisor: float | None
    """What integers of the file are divided by to become floating point."""
    times: Size
    """How many times the network has the integers of the file."""
    one: Fraction | None


class Hash(Kind, tag="hash"):
    """A word that must have this value."""

    name: str
    expected: Size


class Bytes(Kind, tag="bytes"):
    """Bytes that must be these."""

    name: str
    expected: tuple[Size, ...]


class Skipped(Kind, tag="skipped"):
    """Bytes of any content."""

    name: str


class Kept(Kind, tag="kept"):
    """Numbers that the network does not use: rows of columns."""

    name: str
    element: str
    shape: tuple[Size, ...]


class Zeros(Kind, tag="align"):
    """Zeros up to the next multiple of a number, counted from the start of the file."""

    multiple: Size


class TensorOfFile(Kind, tag="tensor"):
    """The tensor of this name."""

    name: str


class Section(Struct):
    """A piece of a file."""

    content: Hash | Bytes | Skipped | Kept | Zeros | TensorOfFile
    size: Size | None
    """In bytes; `None` where that depends on the values."""


class Stockfish(Kind, tag="stockfish"):
    """A header of four words, then one section after the other."""

    version: Size
    hash: Size


class Sequence(Kind, tag="sequence"):
    """One section after the other."""


class Named(Kind, tag="named"):
    """Tensors with their names before them."""


class StackGroup(Struct):
    """Sections that the file has once for each stack."""

    sections: tuple[Section, ...]


class Tail(Struct):
    """What pads a file at its end: bytes, repeated up to the next multiple of a number."""

    bytes: tuple[Size, ...]
    multiple: Size


class File(Struct):
    """How a net file is arranged."""

    format: Stockfish | Sequence | Named
    sections: tuple[Section, ...]
    stack_groups: tuple[StackGroup, ...]
    tail: Tail | None
    size: Size | None


class Document(Struct):
    """A network of which everything is known but the values of its weights."""

    name: str
    features: tuple[FeatureSet, ...]
    transformer: Transformer
    buckets: Buckets
    layers: tuple[Layer, ...]
    output: Output
    tensors: tuple[Tensor, ...]
    file: File


def given(value: T | None) -> T:
    """A value that may be `None` in some descriptions, and is something in this one.

    Raises `ValueError` if it is `None`.
    """
    if value is None:
        raise ValueError("found null in the description, where a value is needed")
    return value
