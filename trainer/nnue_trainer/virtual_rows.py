"""Which virtual rows are part of a real one, in sets that are factorised.

A virtual row stands for a part of what a real one means, such as a piece on a square whichever the
own king's bucket. `docs/spec-language.md` has the tables. Squares are those of the description: as
the perspective sees them.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from . import schema

Squares = npt.NDArray[np.int64]

KING = 5
OPPONENTS = 6
"""The number of the opponent's pawn among white's rows of pieces."""


def lens(features: schema.FeatureSet, virtual_sets: Sequence[str]) -> list[int]:
    """How many rows each virtual set has."""
    family = _PieceSquare.of(features)
    named = {
        "pieces": 64 * family.virtual_planes,
        "king": len(family.buckets),
        "relative-pieces": 225 * family.virtual_planes,
    }
    return [named[name] for name in virtual_sets]


def sums(features: schema.FeatureSet, virtual_sets: Sequence[str]) -> npt.NDArray[np.int64]:
    """`[rows, virtual sets]`: the virtual row that is added to each real one, counted from the
    first of all, or -1 for rows that have none."""
    family = _PieceSquare.of(features)
    first = np.concatenate([[0], np.cumsum(lens(features, virtual_sets))])
    table = np.full((features.rows, len(virtual_sets)), -1, dtype=np.int64)
    for number, (king_row, kings) in enumerate(family.buckets):
        for plane, virtual_plane, is_kings_own in family.planes:
            squares = np.arange(64)
            if is_kings_own is not None:
                squares = squares[np.isin(squares, kings) == is_kings_own]
            for skipped in family.skipped_rows:
                rows = king_row + skipped + plane + squares
                for index, name in enumerate(virtual_sets):
                    table[rows, index] = first[index] + _rows(
                        name, virtual_plane, squares, number, kings[0]
                    )
    return table


def suits(features: schema.FeatureSet) -> bool:
    """Whether virtual rows can learn what the buckets of a set have in common."""
    if not isinstance(features.family, schema.PieceSquare):
        return False
    family = _PieceSquare(features.family)
    return len(family.buckets) * len(family.skipped_rows) > 1 and family.is_told_apart


def skipped_rows(family: schema.PieceSquare) -> list[int]:
    """All numbers of rows that materials can skip together."""
    of_each = [set(material.rows) for material in family.materials]
    return sorted(sum(rows) for rows in product(*of_each))


def _rows(name: str, plane: int, squares: Squares, bucket: int, king: int) -> Squares:
    if name == "pieces":
        return 64 * plane + squares
    if name == "king":
        return np.full_like(squares, bucket)
    files = 7 + squares % 8 - king % 8
    ranks = 7 + squares // 8 - king // 8
    return 225 * plane + 15 * files + ranks


class _PieceSquare:
    """The tables of a set, as white's perspective sees it."""

    @classmethod
    def of(cls, features: schema.FeatureSet) -> "_PieceSquare":
        """Those of a set.

        Raises `ValueError` if it is of another family: none of these has virtual rows.
        """
        if not isinstance(features.family, schema.PieceSquare):
            raise ValueError(
                f"found virtual rows of `{features.name}`, which is no set of pieces on squares"
            )
        return cls(features.family)

    def __init__(self, family: schema.PieceSquare) -> None:
        mirrored = set(family.orientation.mirror_files)
        king_rows: dict[int, list[int]] = {}
        for square, king_row in enumerate(family.king_rows):
            if square % 8 not in mirrored:
                king_rows.setdefault(king_row, []).append(square)
        # In the order of the buckets: each skips as many rows as the one before, and some more.
        self.buckets = sorted(king_rows.items())
        self.skipped_rows = skipped_rows(family)
        rows = family.piece_rows[0]
        threatened = family.threatened_rows[0] if family.threatened_rows else []
        first = min([row for row in rows if row is not None] + list(threatened))

        def plane(row: int) -> int:
            return (row - first) // 64

        own, opponents = rows[KING], rows[OPPONENTS + KING]
        share = own is not None and own == opponents
        # With white's plane for either king, nothing tells which of them a row is.
        self.is_told_apart = not (
            share and family.piece_rows[1][KING] == own and _white_first(family)
        )
        # The king whose plane would come last uses the other's, and has the last virtual plane.
        last = OPPONENTS + KING if schema.given(rows[0]) < schema.given(rows[OPPONENTS]) else KING
        self.planes: list[tuple[int, int, bool | None]] = []
        """The first row of each plane, the number of its virtual plane, and whether it is for the
        square of the own king alone, or for all others alone."""
        for piece, row in enumerate(rows):
            if row is None:
                continue
            is_king = piece in (KING, OPPONENTS + KING)
            own_square = (piece == KING) if share and is_king else None
            virtual = 11 if share and piece == last else plane(row)
            self.planes.append((row, virtual, own_square))
        self.planes += [(row, plane(row), None) for row in threatened]
        self.virtual_planes = 1 + max(virtual for _, virtual, _ in self.planes)


def _white_first(family: schema.PieceSquare) -> bool:
    """Whether white's pieces come first for both perspectives."""
    return family.piece_rows[0] == family.piece_rows[1]
