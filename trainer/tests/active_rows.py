"""The active rows of positions, by the rules of `docs/describe.md`: one position at a time, and
independent of the engine's code."""

from collections.abc import Collection, Sequence

import numpy as np

from nnue_trainer import Batch, Description, schema

PIECES = "PNBRQKpnbrqk"
ROLES = ["pawn", "knight", "bishop", "rook", "queen", "king"]
DIRECTIONS = {
    "knight": [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)],
    "bishop": [(1, 1), (1, -1), (-1, 1), (-1, -1)],
    "rook": [(1, 0), (-1, 0), (0, 1), (0, -1)],
}
DIRECTIONS["queen"] = DIRECTIONS["king"] = DIRECTIONS["bishop"] + DIRECTIONS["rook"]


def batch(description: Description, fens: Sequence[str]) -> Batch:
    """The batch of some FENs."""
    boards = [_board(fen) for fen in fens]
    perspectives = description.transformer.perspectives
    count = perspectives.count
    only_whites = count == 1 and perspectives.order == "white-first"

    def is_whites(white: bool, opponent: int) -> bool:
        return only_whites or white != bool(opponent)

    sets = []
    for features in description.features:
        of_set = []
        for opponent in range(count):
            rows = [
                _rows(features.family, board, is_whites(white, opponent), clock)
                for board, white, clock in boards
            ]
            offsets = np.concatenate([[0], np.cumsum([len(own) for own in rows])])
            of_set.append(
                (np.concatenate([np.array(own, dtype=np.int64) for own in rows]), offsets)
            )
        sets.append(of_set)
    pieces = [len(board) for board, _, _ in boards]
    by_pieces = description.buckets.by_pieces
    stack = [by_pieces[min(n, 32)] if by_pieces else 0 for n in pieces]
    unknown = np.full(len(fens), np.nan)
    whites = [white for _, white, _ in boards]
    return Batch.of_numpy(sets, stack, pieces, whites, unknown, unknown)


def _board(fen: str) -> tuple[dict[int, int], bool, int]:
    """Pieces, 0 to 11, by their squares; whether white is to move; and the half-move clock."""
    placement, side, *others = fen.split()
    board = {}
    for rank, row in zip(range(7, -1, -1), placement.split("/")):
        file = 0
        for sign in row:
            if sign.isdigit():
                file += int(sign)
            else:
                board[8 * rank + file] = PIECES.index(sign)
                file += 1
    clock = min(int(others[2]), 255) if len(others) > 2 else 0
    return board, side == "w", clock


def _rows(family: schema.Family, board: dict[int, int], white: bool, clock: int) -> list[int]:
    """The rows that are active for white's or for black's perspective."""
    assert not isinstance(family, schema.Custom), "an engine has these rows"
    own_king = next(square for square, piece in board.items() if piece == (5 if white else 11))
    if isinstance(family, schema.Clock):
        if clock < family.first:
            return []
        step = min((clock - family.first) // family.step, family.steps - 1)
        return [family.king_rows[0 if white else 1][own_king] + step]
    orientation = family.orientation
    turn = orientation.flip[0 if white else 1]
    if (own_king ^ turn) % 8 in orientation.mirror_files:
        turn ^= 7
    seen = {square ^ turn: piece for square, piece in board.items()}
    if isinstance(family, schema.PieceSquare):
        return _piece_square(family, seen, own_king ^ turn, white)
    as_own = {square: (piece < 6) == white for square, piece in seen.items()}
    roles = {square: ROLES[piece % 6] for square, piece in seen.items()}
    if isinstance(family, schema.Threats):
        return _threats(family, as_own, roles)
    return _pawn_pairs(family, as_own, roles)


def _piece_square(
    family: schema.PieceSquare, seen: dict[int, int], king: int, white: bool
) -> list[int]:
    first = family.king_rows[king]
    for material in family.materials:
        first += material.rows[_value(material, seen, white)]
    rows = family.piece_rows[0 if white else 1]
    of_pieces = [(rows[piece], square) for square, piece in seen.items()]
    active = [first + row + square for row, square in of_pieces if row is not None]
    assert family.threatened_rows is None, "no spec of these tests has threatened planes"
    return active


def _value(material: schema.Material, seen: dict[int, int], white: bool) -> int:
    """The value of a material."""

    def counts(piece: int) -> bool:
        owner = "own" if (piece < 6) == white else "opponent"
        return schema.OwnedRole(owner, ROLES[piece % 6]) in material.pieces

    squares = [square for square, piece in seen.items() if counts(piece)]
    if material.from_ is not None:
        return sum(number <= len(squares) for number in material.from_)
    if len(squares) == 1:
        return 1 + (squares[0] % 8 >= 4) + 2 * (squares[0] // 8 >= 4)
    return 5 if squares else 0


def _reached(
    owner_is_own: bool, role: str, square: int, occupied: Collection[int], pushes: bool
) -> list[int]:
    """The squares that a piece attacks; those of an empty board without `occupied`."""
    file, rank = square % 8, square // 8

    def on_board(file: int, rank: int) -> bool:
        return 0 <= file < 8 and 0 <= rank < 8

    if role == "pawn":
        if rank in (0, 7):
            return []
        ahead = rank + (1 if owner_is_own else -1)
        files = [file - 1, file + 1] + ([file] if pushes else [])
        return [8 * ahead + other for other in files if on_board(other, ahead)]
    reached = []
    for right, up in DIRECTIONS[role]:
        other = (file + right, rank + up)
        while on_board(*other):
            reached.append(8 * other[1] + other[0])
            if role in ("knight", "king") or reached[-1] in occupied:
                break
            other = (other[0] + right, other[1] + up)
    return reached


def _threats(family: schema.Threats, as_own: dict[int, bool], roles: dict[int, str]) -> list[int]:
    attackers = {(attacker.owner, attacker.role): attacker for attacker in family.attackers}

    def owner(square: int) -> str:
        return "own" if as_own[square] else "opponent"

    active = []
    for start, role in roles.items():
        attacker = attackers.get((owner(start), role))
        if attacker is None:
            continue
        reached = _reached(as_own[start], role, start, (), family.pushes)
        for end in _reached(as_own[start], role, start, roles, family.pushes):
            if end not in roles:
                continue
            is_push = role == "pawn" and end % 8 == start % 8
            if is_push and roles[end] != "pawn":
                continue
            for victim in attacker.victims:
                if (victim.owner, victim.role) != (owner(end), roles[end]):
                    continue
                if victim.only_from_later_square and start < end:
                    continue
                before = sum(other < end for other in reached)
                active.append(
                    victim.first_row + attacker.squares[start] + victim.slot * len(reached) + before
                )
    return active


def _pawn_pairs(
    family: schema.PawnPairs, as_own: dict[int, bool], roles: dict[int, str]
) -> list[int]:
    pawns = [square for square, role in roles.items() if role == "pawn" and 8 <= square < 56]

    def number(square: int) -> int:
        return square - 8 if as_own[square] else square + 40

    active = []
    for index, one in enumerate(pawns):
        for other in pawns[:index]:
            if abs(one % 8 - other % 8) <= family.file_distance:
                high, low = max(number(one), number(other)), min(number(one), number(other))
                active.append(high * (high - 1) // 2 + low)
    return active
