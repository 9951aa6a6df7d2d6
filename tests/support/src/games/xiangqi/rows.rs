//! The numbers of the rows, for pieces on squares as the player of a perspective sees them: white's
//! are the own ones.

use std::array::from_fn;
use std::sync::LazyLock;

use nnue_runtime::Color;

use super::attacks::{TABLES, home};
use super::board::{Kind, Piece, SQUARES, Square, Squares, each, just};

/// The rows of threats.
pub const THREAT_ROWS: u32 = 45_547;
/// The rows of pieces, in 24 buckets.
pub const PIECE_ROWS: u32 = 24 * OF_A_BUCKET;
/// The rows of pieces in a bucket.
pub const OF_A_BUCKET: u32 = 689;

/// Which pieces each piece threatens, in the order of their numbers. Other attacks have no rows.
const VICTIMS: [&str; Piece::COUNT] = [
    "RACPNBKracpnb",
    "RACNrcpn",
    "RACPNBKracpnb",
    "CPNBacpnb",
    "RACPNBKracpnb",
    "RCPNBKrcpn",
    "",
    "RACPNBracpnbk",
    "RCPNracnk",
    "RACPNBracpnbk",
    "ACPNBcpnb",
    "RACPNBracpnbk",
    "RCPNrcpnbk",
    "CPNacnb",
];

/// A piece that attacks another, of either player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threat {
    /// The piece that attacks.
    pub attacker: Piece,
    /// Where it stands.
    pub from: Square,
    /// The piece that is attacked.
    pub victim: Piece,
    /// Where that stands.
    pub to: Square,
}

/// The numbers of all rows.
pub struct Rows {
    /// For each piece and square.
    pieces: [[Option<u16>; SQUARES]; Piece::COUNT],
    /// For each attacker, square and victim: the first row, and the squares of victims that have
    /// rows from there on.
    threats: Vec<[[(u16, Squares); Piece::COUNT]; SQUARES]>,
}

/// The numbers of all rows.
pub static ROWS: LazyLock<Rows> = LazyLock::new(Rows::new);

/// Where a player sees a piece. The own king is never on the right: the board is mirrored then.
fn seen_home(piece: Piece) -> Squares {
    let is_own_king = piece.kind == Kind::King && piece.color == Color::White;
    each(home(piece))
        .filter(|square| !(is_own_king && square % 9 > 4))
        .fold(0, |all, square| all | just(square))
}

/// Where a piece threatens another from a square on some board.
fn victims(attacker: Piece, from: Square, victim: Piece) -> Squares {
    let letter = |piece: Piece| Piece::LETTERS.as_bytes()[piece.number()] as char;
    if !VICTIMS[attacker.number()].contains(letter(victim)) {
        return 0;
    }
    let reached = TABLES.reach(attacker, from) & seen_home(victim);
    // Two pieces of a kind that attack each other are one threat. Not so knights: something may
    // stand in the way of only one.
    let is_one = attacker.kind == victim.kind && attacker.kind != Kind::Knight;
    let counts_back =
        |to: &Square| is_one && from < *to && TABLES.reach(victim, *to) & just(from) != 0;
    let back = each(reached).filter(counts_back);
    reached & !back.fold(0, |all, square| all | just(square))
}

impl Rows {
    fn new() -> Rows {
        let mut next = 0;
        let mut pieces = [[None; SQUARES]; Piece::COUNT];
        for piece in Piece::all() {
            for square in each(seen_home(piece)) {
                pieces[piece.number()][square] = Some(next);
                next += 1;
            }
        }
        assert_eq!(u32::from(next), OF_A_BUCKET, "rows of a bucket");
        let mut next = 0;
        let pieces_seen: Vec<Piece> = Piece::all().collect();
        let threats = pieces_seen.iter().map(|attacker| {
            from_fn(|from| {
                from_fn(|victim| {
                    let to = match seen_home(*attacker) & just(from) {
                        0 => 0,
                        _ => victims(*attacker, from, pieces_seen[victim]),
                    };
                    let first = next;
                    next += to.count_ones() as u16;
                    (first, to)
                })
            })
        });
        let threats = threats.collect();
        assert_eq!(u32::from(next), THREAT_ROWS, "rows of threats");
        Rows { pieces, threats }
    }

    /// The row of a piece, counted within a bucket; `None` where it cannot stand.
    #[must_use]
    pub fn of_piece(&self, piece: Piece, square: Square) -> Option<u32> {
        self.pieces[piece.number()][square].map(u32::from)
    }

    /// The row of a threat, if it has one.
    #[must_use]
    pub fn of_threat(&self, threat: &Threat) -> Option<u32> {
        let of_attacker = &self.threats[threat.attacker.number()];
        let (first, victims) = of_attacker[threat.from][threat.victim.number()];
        let to = just(threat.to);
        let before = (victims & (to - 1)).count_ones();
        (victims & to != 0).then(|| u32::from(first) + before)
    }
}
