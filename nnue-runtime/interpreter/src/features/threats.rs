//! The family of threats, by the formula of the language reference, one attack at a time:
//!
//! ```text
//! by victim: row = rows of the attackers before
//!                  + slot * (squares that the attacker reaches in all)
//!                  + (squares that it reaches from the squares before `from`) + rank
//! by square: row = rows of the attackers before
//!                  + victims * (squares that the attacker reaches from the squares before `from`)
//!                  + slot * (squares that it reaches from `from`) + rank
//! ```
//!
//! with squares as the perspective sees them. `slot` is the victim's number among the attacker's
//! victims, and `rank` is the number of squares before `to` that the attacker reaches from `from`.
//! All squares that are reached are those of an empty board.

use nnue_compiler::feature_set::piece_square::Flip;
use nnue_compiler::feature_set::threats::Parameters;
use nnue_runtime::{Color, Piece, Position, Role, Square};

use super::orientation::orientation;

/// A step from one square to the next: files to the right, and ranks towards the opponent.
type Step = (i32, i32);

const STRAIGHT: [Step; 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const DIAGONAL: [Step; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// A piece as a perspective sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ViewedPiece {
    role: Role,
    is_own: bool,
}

/// The rows that a position makes active for a perspective, counted from the set's first row.
pub(super) fn active(
    parameters: &Parameters,
    position: &impl Position,
    perspective: Color,
) -> Vec<usize> {
    let king = position.king(perspective);
    let turn = orientation(Flip::Vertical, parameters.mirror, perspective, king);
    let board = seen(position, perspective, turn);
    let numbering = Numbering::of(parameters);
    let mut rows = Vec::new();
    for from in 0..64 {
        let Some(attacker) = board[from] else {
            continue;
        };
        for to in attacked(parameters.rules.pushes, attacker, from, &board) {
            if let Some(victim) = board[to] {
                rows.extend(numbering.row(attacker, from, victim, to));
            }
        }
    }
    rows
}

/// All attacks of a position: the attacker, its victim, and the victim's square.
pub(super) fn attacks(position: &impl Position) -> Vec<(Piece, Piece, Square)> {
    let board = seen(position, Color::White, 0);
    let piece = |seen: ViewedPiece| {
        if seen.is_own {
            Piece::new(Color::White, seen.role)
        } else {
            Piece::new(Color::Black, seen.role)
        }
    };
    let mut attacks = Vec::new();
    for from in 0..64 {
        let Some(attacker) = board[from] else {
            continue;
        };
        for to in attacked(false, attacker, from, &board) {
            if let Some(victim) = board[to] {
                attacks.push((piece(attacker), piece(victim), Square::ALL[to]));
            }
        }
    }
    attacks
}

/// The pieces on all squares as a perspective sees them, exclusive-ored with `turn`.
fn seen(position: &impl Position, perspective: Color, turn: usize) -> [Option<ViewedPiece>; 64] {
    let mut board = [None; 64];
    for piece in Piece::ALL {
        for square in position.pieces(piece) {
            board[square.index() ^ turn] = Some(ViewedPiece {
                role: piece.role,
                is_own: piece.color == perspective,
            });
        }
    }
    board
}

/// The squares that a piece attacks, up to the first piece in each direction.
fn attacked(
    pushes: bool,
    attacker: ViewedPiece,
    from: usize,
    board: &[Option<ViewedPiece>; 64],
) -> Vec<usize> {
    let mut squares = Vec::new();
    for line in lines(attacker, from, pushes) {
        for to in line.squares {
            let Some(found) = board[to] else { continue };
            if !line.is_push || found.role == Role::Pawn {
                squares.push(to);
            }
            break;
        }
    }
    squares
}

/// Squares in one direction, the nearest first.
struct Ray {
    squares: Vec<usize>,
    /// Whether only pawns are threatened in this direction.
    is_push: bool,
}

/// The squares that a piece reaches on an empty board, in all directions.
fn lines(attacker: ViewedPiece, from: usize, pushes: bool) -> Vec<Ray> {
    let ahead = if attacker.is_own { 1 } else { -1 };
    let (steps, most): (Vec<Step>, usize) = match attacker.role {
        Role::Pawn if !(8..56).contains(&from) => (Vec::new(), 0),
        Role::Pawn => (vec![(-1, ahead), (1, ahead)], 1),
        Role::Knight => {
            let steps = [1, 2].into_iter().flat_map(|right: i32| {
                let up = 3 - right;
                [(right, up), (right, -up), (-right, up), (-right, -up)]
            });
            (steps.collect(), 1)
        }
        Role::Bishop => (DIAGONAL.to_vec(), 7),
        Role::Rook => (STRAIGHT.to_vec(), 7),
        Role::Queen => ([STRAIGHT, DIAGONAL].concat(), 7),
        Role::King => ([STRAIGHT, DIAGONAL].concat(), 1),
    };
    let line = |(right, up): Step, is_push| {
        let (file, rank) = (from as i32 % 8, from as i32 / 8);
        let squares = (1..=most as i32).map(|step| (file + step * right, rank + step * up));
        let inside =
            squares.take_while(|(file, rank)| (0..8).contains(file) && (0..8).contains(rank));
        Ray {
            squares: inside
                .map(|(file, rank)| (8 * rank + file) as usize)
                .collect(),
            is_push,
        }
    };
    let mut lines: Vec<Ray> = steps.into_iter().map(|step| line(step, false)).collect();
    if pushes && attacker.role == Role::Pawn && most > 0 {
        lines.push(line((0, ahead), true));
    }
    lines
}

/// The numbers of the rows of a set.
struct Numbering<'a> {
    parameters: &'a Parameters,
    attackers: Vec<Attacker>,
}

/// The rows of an attacker.
struct Attacker {
    piece: ViewedPiece,
    first_row: usize,
    /// The squares that the attacker reaches from each square, in their order.
    reached: Vec<Vec<usize>>,
    /// The number of these squares in all.
    all_reached: usize,
    victims: usize,
}

impl Numbering<'_> {
    fn of(parameters: &Parameters) -> Numbering<'_> {
        let mut numbering = Numbering {
            parameters,
            attackers: Vec::new(),
        };
        let mut first_row = 0;
        for piece in numbering.pieces() {
            let reached: Vec<Vec<usize>> = (0..64)
                .map(|from| {
                    let lines = lines(piece, from, parameters.rules.pushes);
                    let mut squares: Vec<usize> =
                        lines.into_iter().flat_map(|line| line.squares).collect();
                    squares.sort_unstable();
                    squares
                })
                .collect();
            let all_reached = reached.iter().map(Vec::len).sum();
            let victims = 2 * numbering.kinds(piece.role);
            numbering.attackers.push(Attacker {
                piece,
                first_row,
                reached,
                all_reached,
                victims,
            });
            first_row += victims * all_reached;
        }
        numbering
    }

    /// All pieces, in the order of attackers.
    fn pieces(&self) -> Vec<ViewedPiece> {
        let seen = |role, is_own| ViewedPiece { role, is_own };
        if self.parameters.rules.interleaved {
            let roles = Role::ALL.into_iter();
            roles
                .flat_map(|role| [seen(role, true), seen(role, false)])
                .collect()
        } else {
            let owners = [true, false].into_iter();
            owners
                .flat_map(|is_own| Role::ALL.map(|role| seen(role, is_own)))
                .collect()
        }
    }

    /// The number of kinds of victims of an attacker: 1 more than the largest number of a victim.
    fn kinds(&self, attacker: Role) -> usize {
        let numbers = Role::ALL
            .into_iter()
            .filter_map(|victim| self.number(attacker, victim));
        numbers.max().map_or(0, |largest| largest + 1)
    }

    fn number(&self, attacker: Role, victim: Role) -> Option<usize> {
        match self.parameters.rules.targets[attacker.index()][victim.index()] {
            u8::MAX => None,
            number => Some(number.into()),
        }
    }

    /// The row of an attack; `None` if it is no feature.
    fn row(
        &self,
        attacker: ViewedPiece,
        from: usize,
        victim: ViewedPiece,
        to: usize,
    ) -> Option<usize> {
        let rules = &self.parameters.rules;
        let number = self.number(attacker.role, victim.role)?;
        let answered = attacker.role == victim.role
            && (attacker.role != Role::Pawn || attacker.is_own != victim.is_own);
        if rules.mutual_once && answered && from < to {
            return None;
        }
        let opponents = usize::from(!victim.is_own);
        let slot = if rules.interleaved {
            2 * number + opponents
        } else {
            opponents * self.kinds(attacker.role) + number
        };
        let rows = self.attackers.iter().find(|rows| rows.piece == attacker)?;
        let before: usize = rows.reached[..from].iter().map(Vec::len).sum();
        let here = &rows.reached[from];
        let rank = here.iter().filter(|square| **square < to).count();
        Some(if rules.by_square {
            rows.first_row + rows.victims * before + slot * here.len() + rank
        } else {
            rows.first_row + slot * rows.all_reached + before + rank
        })
    }
}
