// Positions of chess as FEN, and what a move makes of them. Rules are not checked: any piece may go
// to any square.

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/**
 * @typedef {{ squares: string[], side: 'w' | 'b', rights: string, passant: string, halfmoves: number,
 *   moves: number }} Position `squares` has 64 letters from a1 to h8, empty strings for empty squares
 */

export const nameOf = (square) => 'abcdefgh'[square & 7] + ((square >> 3) + 1);

/** @returns {Position} what can be read of a FEN; the module says what is wrong with it */
export function positionOf(fen) {
  const [placement = '', side, rights, passant, halfmoves, moves] = fen.trim().split(/\s+/);
  const squares = Array(64).fill('');
  placement.split('/').slice(0, 8).forEach((rank, index) => {
    let file = 0;
    for (const letter of rank) {
      if (letter >= '1' && letter <= '8') file += Number(letter);
      else if (file < 8) squares[8 * (7 - index) + file++] = letter;
    }
  });
  return {
    squares,
    side: side === 'b' ? 'b' : 'w',
    rights: rights ?? '-',
    passant: passant ?? '-',
    halfmoves: Number(halfmoves) || 0,
    moves: Number(moves) || 1,
  };
}

/** @param {Position} position */
export function fenOf({ squares, side, rights, passant, halfmoves, moves }) {
  const ranks = [7, 6, 5, 4, 3, 2, 1, 0].map((rank) => squares.slice(8 * rank, 8 * rank + 8)
    .map((letter) => letter || '1').join('').replace(/1+/g, (empty) => empty.length));
  return `${ranks.join('/')} ${side} ${rights} ${passant} ${halfmoves} ${moves}`;
}

/** The position with another side to move. */
export function turned(position) {
  return { ...position, side: position.side === 'w' ? 'b' : 'w', passant: '-' };
}

/** The position with a piece put on a square, or taken off it. */
export function put(position, square, letter) {
  const squares = [...position.squares];
  squares[square] = letter;
  return withoutLostRights({ ...position, squares, passant: '-' });
}

/** The position after a piece was lifted and put elsewhere, or outside: nobody has moved. */
export function rearranged(position, from, to) {
  const lifted = put(position, from, '');
  return to === undefined ? lifted : put(lifted, to, position.squares[from]);
}

/**
 * The position after a move of the side whose turn it is, with the rook of castling, the pawn that
 * is taken in passing, and a queen for a pawn on the last rank. Nothing if another side's piece
 * stands there, or a piece of its own on the other square.
 */
export function moved(position, from, to) {
  const letter = position.squares[from];
  const taken = position.squares[to];
  if (sideOf(letter) !== position.side || (taken && sideOf(taken) === position.side)) return undefined;
  const squares = [...position.squares];
  const [kind, white] = [letter.toLowerCase(), position.side === 'w'];
  const distance = to - from;
  squares[from] = '';
  squares[to] = kind === 'p' && (to >> 3) % 7 === 0 ? (white ? 'Q' : 'q') : letter;
  let passant = '-';
  if (kind === 'k' && Math.abs(distance) === 2 && (from & 7) === 4) {
    const [rook, beside] = distance > 0 ? [from + 3, from + 1] : [from - 4, from - 1];
    [squares[beside], squares[rook]] = [squares[rook], ''];
  }
  if (kind === 'p' && nameOf(to) === position.passant) squares[to + (white ? -8 : 8)] = '';
  if (kind === 'p' && Math.abs(distance) === 16) {
    // Only where a pawn could take it, as most engines write it.
    const could = [to - 1, to + 1].some((square) => square >> 3 === to >> 3
      && squares[square] === (white ? 'p' : 'P'));
    if (could) passant = nameOf((from + to) / 2);
  }
  return withoutLostRights({
    squares,
    side: white ? 'b' : 'w',
    rights: position.rights,
    passant,
    halfmoves: kind === 'p' || taken ? 0 : position.halfmoves + 1,
    moves: position.moves + (white ? 0 : 1),
  });
}

function sideOf(letter) {
  if (!letter) return undefined;
  return letter === letter.toUpperCase() ? 'w' : 'b';
}

/** Rights to castle last while king and rook stand where they began. */
function withoutLostRights(position) {
  const begun = { K: [4, 7], Q: [4, 0], k: [60, 63], q: [60, 56] };
  const kept = [...position.rights].filter((right) => {
    const [king, rook] = begun[right] ?? [];
    if (king === undefined) return right !== '-';
    const white = right === right.toUpperCase();
    return position.squares[king] === (white ? 'K' : 'k') && position.squares[rook] === (white ? 'R' : 'r');
  });
  return { ...position, rights: kept.join('') || '-' };
}
