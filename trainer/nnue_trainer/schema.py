"""What `nnue describe SPEC` prints, schema 1, as dataclasses whose fields are its keys.

`docs/describe.md` explains them. Their limits, which `form` checks, are those of specs, or of the
integers that a key has. Objects with a `kind` are the dataclass of this `kind`.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Optional, TypeVar, Union

from nnue_trainer.form import Count, Filled, Whole

T = TypeVar("T")

I64 = Annotated[int, Whole(-(1 << 63), (1 << 63) - 1)]
U64 = Annotated[int, Whole(0, (1 << 64) - 1)]
U32 = Annotated[int, Whole(0, (1 << 32) - 1)]
Byte = Annotated[int, Whole(0, 255)]
FileOfBoard = Annotated[int, Whole(0, 7)]
Square = Annotated[int, Whole(0, 63)]
Row = Annotated[int, Whole(0, (1 << 24) - 1)]
One = Annotated[int, Whole(1, (1 << 31) - 1)]
"""The integer that stands for 1.0."""
Fraction = Annotated[tuple[Annotated[int, Whole(1, (1 << 64) - 1)], ...], Count(2)]
"""A numerator and a denominator."""
Length = Annotated[int, Whole(1, 1 << 16)]
Index = Annotated[int, Whole(0, 1 << 16)]
Shift = Annotated[int, Whole(-62, 62)]
Rounding = Literal["truncate", "floor"]
Element = Literal["i8", "u8", "i16", "u16", "i32", "i64", "f32"]


@dataclass(frozen=True)
class Values:
    """Values that layers can read."""

    len: Length
    element: Element
    ones: Annotated[tuple[One, ...], Filled()]
    """One for all values, or one for each."""
    range: Optional[Annotated[tuple[I64, ...], Count(2)]]
    """The smallest and the largest value; `None` of `f32`."""


@dataclass(frozen=True)
class Orientation:
    """How a perspective sees the board."""

    flip: Annotated[tuple[Square, ...], Count(2)]
    mirror_files: tuple[FileOfBoard, ...]


@dataclass(frozen=True)
class PieceSquare:
    """A row for each piece on the board."""

    kind: ClassVar[str] = "piece-square"
    orientation: Orientation
    planes: Annotated[int, Whole(1, 16)]
    king_buckets: Annotated[tuple[Byte, ...], Count(64)]
    king_rows: Annotated[tuple[Row, ...], Count(64)]
    queen_rows: Annotated[tuple[Row, ...], Count(6)]
    piece_rows: Annotated[tuple[Annotated[tuple[Optional[Row], ...], Count(12)], ...], Count(2)]
    """`[perspectives][pieces]`, white's before black's in both."""
    threatened_rows: Optional[Annotated[tuple[Annotated[tuple[Row, ...], Count(2)], ...], Count(2)]]
    """`[perspectives][colours]`."""


@dataclass(frozen=True)
class Victim:
    """A piece that an `Attacker` can attack."""

    owner: str
    role: str
    first_row: Row
    slot: Byte
    only_from_later_square: bool


@dataclass(frozen=True)
class Attacker:
    """A piece that attacks others."""

    owner: str
    role: str
    squares: Annotated[tuple[Row, ...], Count(64)]
    victims: tuple[Victim, ...]


@dataclass(frozen=True)
class Threats:
    """A row for each piece that attacks another one."""

    kind: ClassVar[str] = "threats"
    orientation: Orientation
    pushes: bool
    attackers: tuple[Attacker, ...]


@dataclass(frozen=True)
class PawnPairs:
    """A row for each two pawns that stand near each other."""

    kind: ClassVar[str] = "pawn-pairs"
    orientation: Orientation
    file_distance: FileOfBoard


@dataclass(frozen=True)
class Custom:
    """Rows of which the engine tells which are active."""

    kind: ClassVar[str] = "custom"
    views: Annotated[int, Whole(1, 8192)]


Family = Union[PieceSquare, Threats, PawnPairs, Custom]


@dataclass(frozen=True)
class FeatureSet:
    """A feature set."""

    name: str
    first_row: Row
    """Counted through the rows of all sets."""
    rows: Annotated[int, Whole(1, 1 << 24)]
    max_active: Annotated[int, Whole(1, 4096)]
    element: Literal["i8", "i16"]
    shift: Annotated[int, Whole(0, 15)]
    virtual_sets: tuple[Literal["pieces", "king", "relative-pieces"], ...]
    virtual_rows: Row
    round_each: bool
    family: Family


@dataclass(frozen=True)
class Function:
    """A function of one value."""

    name: str
    shift: Optional[Shift]
    limit: Optional[One]
    formula: str


@dataclass(frozen=True)
class Psqt:
    """Values of features that are summed up beside the accumulator."""

    values: Annotated[int, Whole(1, 256)]
    one: One
    read_by_layers: Optional[Values]


@dataclass(frozen=True)
class Pooling:
    """How two activated values become one."""

    kind: str
    block: Annotated[int, Whole(2, 1 << 14)]
    """Of so many values, the first half is paired with the second."""
    shift: Optional[Shift]
    rounding: Optional[str]


@dataclass(frozen=True)
class Perspectives:
    """Which views of a position the layers see."""

    count: Annotated[int, Whole(1, 2)]
    order: str
    separate_weights: bool


@dataclass(frozen=True)
class Transformer:
    """The sparse first layer."""

    width: Annotated[int, Whole(1, 1 << 14)]
    """Neurons of each perspective."""
    accumulator: str
    one: Annotated[int, Whole(1, (1 << 15) - 1)]
    psqt: Optional[Psqt]
    activation: Function
    activated: Values
    pooling: Optional[Pooling]
    perspectives: Perspectives
    output: Values
    unpooled: Optional[Values]
    neuron_order: Optional[tuple[Row, ...]]
    """Where values lie in memory. No file and no value depends on it."""


@dataclass(frozen=True)
class Buckets:
    """The stacks of layers."""

    count: Annotated[int, Whole(1, 1 << 16)]
    by_pieces: Optional[Annotated[tuple[Byte, ...], Count(33)]]
    """The stack of positions with 0, 1, ... 32 pieces; `None` where the engine chooses it."""


@dataclass(frozen=True)
class Unaligned:
    """Values stay as they are."""

    kind: ClassVar[str] = "none"


@dataclass(frozen=True)
class ExactAlign:
    """`x * numerator / denominator`, rounded towards zero."""

    kind: ClassVar[str] = "exact"
    factors: Annotated[tuple[Fraction, ...], Filled()]
    """One for all values, or one for each."""


@dataclass(frozen=True)
class ShiftAlign:
    """`x * multiplier >> shift`."""

    kind: ClassVar[str] = "shift"
    multipliers: Annotated[tuple[U32, ...], Filled()]
    """One for all values, or one for each."""
    shift: Shift


Align = Union[Unaligned, ExactAlign, ShiftAlign]
"""How values of one fixed point become those of another."""


@dataclass(frozen=True)
class Divide:
    """A division of integers."""

    by: One
    rounding: Rounding


@dataclass(frozen=True)
class ToFloat:
    """`fma(sum as f32, scale, bias[o])`."""

    scale: Optional[float]
    """`None` where the file has one for each output."""


@dataclass(frozen=True)
class Scales:
    """`sum * alpha[o] * beta >> shift`, where `alpha` is a tensor of the file."""

    shift: Shift
    inputs: bool
    """Whether `beta` is the mean of the inputs' magnitudes; otherwise it is 1."""


@dataclass(frozen=True)
class Shards:
    """The inputs that each output reads: the first ones, and one of equal parts of the others."""

    common: int
    count: Length


@dataclass(frozen=True)
class Affine:
    """`bias[o] + (sum of weight[o][i] * x[i]) / divide`."""

    kind: ClassVar[str] = "affine"
    weights: Literal["i8", "i16", "i32", "f32", "binary"]
    weights_one: Optional[Fraction]
    biases: bool
    divide: Optional[Divide]
    to_float: Optional[ToFloat]
    sums: str
    scales: Optional[Scales]
    output_blocks: Optional[Length]
    shards: Optional[Shards]


@dataclass(frozen=True)
class Activations:
    """The results of all inputs by the first function, then those by the second, and so on."""

    kind: ClassVar[str] = "activations"
    functions: Annotated[tuple[Function, ...], Filled()]


@dataclass(frozen=True)
class Sum:
    """`sum of the inputs' [i]`, each aligned."""

    kind: ClassVar[str] = "sum"
    aligns: tuple[Align, ...]


@dataclass(frozen=True)
class Product:
    """`a[i] * b[i] >> shift`."""

    kind: ClassVar[str] = "product"
    shift: Shift


@dataclass(frozen=True)
class RmsNorm:
    """`x[i] * (1 / sqrt(mean of x * x + epsilon)) * gain[i]`."""

    kind: ClassVar[str] = "rms-norm"
    epsilon: float
    gain: Optional[str]


@dataclass(frozen=True)
class Float:
    """`x[i] as f32 * scale`."""

    kind: ClassVar[str] = "float"
    scale: float


Operation = Union[Affine, Activations, Sum, Product, RmsNorm, Float]


@dataclass(frozen=True)
class Input:
    """A run of values that a layer reads."""

    source: str
    """`transformer`, `unpooled`, `psqt` or the name of a layer before."""
    start: Index
    len: Length


@dataclass(frozen=True)
class Layer:
    """A layer of a stack."""

    name: str
    inputs: Annotated[tuple[Input, ...], Filled()]
    operation: Operation
    output: Values
    shared: bool
    factorised: bool


@dataclass(frozen=True)
class Term:
    """A summand of a head."""

    layer: str
    index: Index
    negative: bool
    align: Align


@dataclass(frozen=True)
class Head:
    """What is summed up to one number."""

    terms: Annotated[tuple[Term, ...], Filled()]
    align: Align


@dataclass(frozen=True)
class IntegerUnits:
    """`x * numerator / denominator` in 64 bits."""

    kind: ClassVar[str] = "integer"
    numerator: One
    denominator: One
    rounding: Rounding
    each: bool
    """Whether the PSQT part and the sum are scaled each by itself, and then added."""
    wide: bool
    """Whether the sum has 64 bits; otherwise it is cut to 32 before it is scaled."""


@dataclass(frozen=True)
class FloatUnits:
    """`(x * factor) as i32`, truncated and saturated."""

    kind: ClassVar[str] = "float"
    factor: float


@dataclass(frozen=True)
class Output:
    """From the layers' outputs to the engine's units."""

    heads: Annotated[tuple[Head, ...], Filled()]
    """One, or three: win, draw and loss."""
    one: One
    units: Union[IntegerUnits, FloatUnits]


@dataclass(frozen=True)
class Axis:
    """An axis of a tensor: its name, which may be of blocks (`input / 4`, `input % 4`)."""

    axis: str
    len: Annotated[int, Whole(1, 1 << 32)]


@dataclass(frozen=True)
class Quantise:
    """How floating point of a file becomes integers."""

    factor: float
    rounding: str
    overflow: str
    element: str


@dataclass(frozen=True)
class Tensor:
    """A tensor of a net file."""

    name: str
    id: Optional[str]
    """What the file calls it; `None` where files have no names."""
    role: str
    layer: Optional[str]
    """The layer that it belongs to; `None` for the transformer."""
    first_row: Optional[U32]
    """Where rows begin: real ones of all sets, white's before black's where these are separate,
    then virtual ones."""
    element: str
    axes: tuple[Axis, ...]
    """Outermost first."""
    padded: U64
    """The length of the innermost axis with its padding."""
    values: U64
    per_stack: bool
    encoding: str
    quantise: Optional[Quantise]
    divisor: Optional[float]
    """What integers of the file are divided by to become floating point."""
    one: Optional[Fraction]


@dataclass(frozen=True)
class Hash:
    """A word that must have this value."""

    kind: ClassVar[str] = "hash"
    name: str
    expected: U32


@dataclass(frozen=True)
class Bytes:
    """Bytes that must be these."""

    kind: ClassVar[str] = "bytes"
    name: str
    expected: tuple[Byte, ...]


@dataclass(frozen=True)
class Skipped:
    """Bytes of any content."""

    kind: ClassVar[str] = "skipped"
    name: str


@dataclass(frozen=True)
class Kept:
    """Numbers that the network does not use: rows of columns."""

    kind: ClassVar[str] = "kept"
    name: str
    element: str
    shape: tuple[Length, ...]


@dataclass(frozen=True)
class Zeros:
    """Zeros up to the next multiple of a number, counted from the start of the file."""

    kind: ClassVar[str] = "align"
    multiple: Length


@dataclass(frozen=True)
class TensorOfFile:
    """The tensor of this name."""

    kind: ClassVar[str] = "tensor"
    name: str


@dataclass(frozen=True)
class Section:
    """A piece of a file."""

    content: Union[Hash, Bytes, Skipped, Kept, Zeros, TensorOfFile]
    offset: Optional[U64]
    """In bytes; `None` where that depends on values before it."""
    size: Optional[U64]
    """In bytes; `None` where that depends on the values."""


@dataclass(frozen=True)
class Stockfish:
    """A header of four words, then one section after the other."""

    kind: ClassVar[str] = "stockfish"
    version: U32
    hash: U32


@dataclass(frozen=True)
class Sequence:
    """One section after the other."""

    kind: ClassVar[str] = "sequence"


@dataclass(frozen=True)
class Named:
    """Tensors with their names before them."""

    kind: ClassVar[str] = "named"


@dataclass(frozen=True)
class StackGroup:
    """Sections that the file has once for each stack."""

    stride: Optional[U64]
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Tail:
    """What pads a file at its end: bytes, repeated up to the next multiple of a number."""

    bytes: Annotated[tuple[Byte, ...], Filled()]
    multiple: Length


@dataclass(frozen=True)
class File:
    """How a net file is arranged."""

    format: Union[Stockfish, Sequence, Named]
    sections: tuple[Section, ...]
    stack_groups: tuple[StackGroup, ...]
    tail: Optional[Tail]
    size: Optional[U64]


@dataclass(frozen=True)
class Document:
    """A network of which everything is known but the values of its weights."""

    name: str
    features: Annotated[tuple[FeatureSet, ...], Filled()]
    transformer: Transformer
    buckets: Buckets
    layers: tuple[Layer, ...]
    output: Output
    tensors: tuple[Tensor, ...]
    file: File


def given(value: Optional[T]) -> T:
    """A value that may be `None` in some descriptions, and is something in this one.

    Raises `ValueError` if it is `None`.
    """
    if value is None:
        raise ValueError("found null in the description, where a value is needed")
    return value
