//! Shogi: the features and the buckets of YaneuraOu's networks, as its page on architectures
//! describes them (`source/eval/nnue/architectures/README.md`, August 2026). Boards are those of
//! shogi_core.

use nnue_runtime::Color;
use shogi_core::{Color as Player, Hand, Move, PartialPosition, PieceKind, Square};

use super::{Game, Seen};

impl Game for PartialPosition {
    type Move = Move;

    fn start() -> PartialPosition {
        PartialPosition::startpos()
    }

    fn moves(&self) -> Vec<Move> {
        shogi_legality_lite::all_legal_moves_partial(self)
    }

    fn play(&mut self, chosen: Move) {
        self.make_move(chosen).expect("a legal move");
    }

    fn is_of_king(&self, chosen: Move) -> bool {
        let moved = chosen.from().and_then(|from| self.piece_at(from));
        moved.is_some_and(|piece| piece.piece_kind() == PieceKind::King)
    }

    fn side_to_move(&self) -> Color {
        match PartialPosition::side_to_move(self) {
            Player::Black => Color::White,
            Player::White => Color::Black,
        }
    }
}

/// The players, the one who moves first before the other.
const PLAYERS: [Player; 2] = [Player::Black, Player::White];

/// The first number of a kind of pieces in hand, the own ones and the opponent's. Each piece in
/// hand has a number of its own: the third pawn in hand is the first number and two.
const HANDS: [(PieceKind, [u32; 2]); 7] = [
    (PieceKind::Pawn, [1, 20]),
    (PieceKind::Lance, [39, 44]),
    (PieceKind::Knight, [49, 54]),
    (PieceKind::Silver, [59, 64]),
    (PieceKind::Gold, [69, 74]),
    (PieceKind::Bishop, [79, 82]),
    (PieceKind::Rook, [85, 88]),
];

/// The numbers of the pieces of `A2`: those of `FE_END`, and the plane that both kings share.
pub const PIECES: u32 = 1629;

/// The first number of a kind of pieces on the board, the own ones and the opponent's. Promoted
/// pawns, lances, knights and silvers are golds.
fn planes(kind: PieceKind) -> [u32; 2] {
    match kind {
        PieceKind::Pawn => [90, 171],
        PieceKind::Lance => [252, 333],
        PieceKind::Knight => [414, 495],
        PieceKind::Silver => [576, 657],
        PieceKind::Gold
        | PieceKind::ProPawn
        | PieceKind::ProLance
        | PieceKind::ProKnight
        | PieceKind::ProSilver => [738, 819],
        PieceKind::Bishop => [900, 981],
        PieceKind::ProBishop => [1062, 1143],
        PieceKind::Rook => [1224, 1305],
        PieceKind::ProRook => [1386, 1467],
        PieceKind::King => [1548, 1548],
    }
}

/// The number of a square as a player sees it: file after file, each from the far rank to the own.
fn seen(square: Square, player: Player) -> u32 {
    let number = square.array_index() as u32;
    match player {
        Player::Black => number,
        Player::White => 80 - number,
    }
}

fn king(position: &PartialPosition, player: Player) -> Square {
    position.king_position(player).expect("both kings")
}

/// All pieces as a player sees them, those in hand too, in the order of their numbers: `A2`. `place`
/// says where squares are.
fn pieces(position: &PartialPosition, player: Player, place: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut pieces = Vec::new();
    for (kind, firsts) in HANDS {
        for (owner, first) in [player, player.flip()].into_iter().zip(firsts) {
            let count = position.hand_of_a_player(owner).count(kind);
            pieces.extend((0..u32::from(count.unwrap_or(0))).map(|number| first + number));
        }
    }
    for square in Square::all() {
        if let Some(piece) = position.piece_at(square) {
            let [own, opponents] = planes(piece.piece_kind());
            let first = if piece.color() == player {
                own
            } else {
                opponents
            };
            pieces.push(first + place(seen(square, player)));
        }
    }
    pieces.sort_unstable();
    pieces
}

/// `HalfKA2`: the own king's square is the view, and each piece is a feature.
#[must_use]
pub fn half_ka2(position: &PartialPosition) -> Seen {
    let views = PLAYERS.map(|player| seen(king(position, player), player));
    let pieces = PLAYERS.map(|player| pieces(position, player, |square| square));
    (views, pieces)
}

/// `HalfKA_hm2`: the same with the board mirrored, so that the own king is on files 1 to 5. The
/// view is twice its square, and one more if the board is mirrored.
#[must_use]
pub fn half_ka_hm2(position: &PartialPosition) -> Seen {
    let kings = PLAYERS.map(|player| seen(king(position, player), player));
    let place = |king: u32, square: u32| match king / 9 {
        0..=4 => square,
        _ => (8 - square / 9) * 9 + square % 9,
    };
    let views = kings.map(|king| 2 * place(king, king) + u32::from(king / 9 > 4));
    let pieces = [0, 1].map(|p| pieces(position, PLAYERS[p], |square| place(kings[p], square)));
    (views, pieces)
}

/// `ka2`: both kings' squares, the own king's from 0 and the opponent's from 81 on, and then all
/// pieces from 162 on.
#[must_use]
pub fn ka2(position: &PartialPosition) -> Seen {
    let active = PLAYERS.map(|player| {
        let own = seen(king(position, player), player);
        let opponents = 81 + seen(king(position, player.flip()), player);
        let pieces = pieces(position, player, |square| square);
        let pieces = pieces.iter().map(|piece| 162 + piece);
        [own, opponents].into_iter().chain(pieces).collect()
    });
    ([0; 2], active)
}

/// The player to move, and the other.
fn sides(position: &PartialPosition) -> [Player; 2] {
    let side = position.side_to_move();
    [side, side.flip()]
}

/// The place of a king as its own player sees it: the rank from the far one = 0 to the home rank =
/// 8, and the file.
fn king_place(position: &PartialPosition, player: Player) -> (usize, usize) {
    let square = seen(king(position, player), player) as usize;
    (square % 9, square / 9)
}

/// `k3k3`: thirds of the board for each king.
#[must_use]
pub fn k3k3(position: &PartialPosition) -> usize {
    let [own, opponents] = sides(position).map(|player| king_place(position, player).0 / 3);
    3 * own + opponents
}

/// `k21k21`: 21 regions for each king, every square of the last two ranks.
#[must_use]
pub fn k21k21(position: &PartialPosition) -> usize {
    let region = |player| match king_place(position, player) {
        (0..=2, _) => 0,
        (3..=5, _) => 1,
        (6, _) => 2,
        (rank, file) => 3 + (rank - 7) * 9 + file,
    };
    let [own, opponents] = sides(position).map(region);
    21 * own + opponents
}

/// `hand64`: for each player, whether it has pawns, lances or knights in hand; golds, silvers or
/// rooks; bishops.
#[must_use]
pub fn hand64(position: &PartialPosition) -> usize {
    let has = |hand: Hand, kinds: &[PieceKind]| {
        let mut counts = kinds.iter().map(|kind| hand.count(*kind).unwrap_or(0));
        usize::from(counts.any(|count| count > 0))
    };
    let bits = |player| {
        let hand = position.hand_of_a_player(player);
        has(
            hand,
            &[PieceKind::Pawn, PieceKind::Lance, PieceKind::Knight],
        ) + 2 * has(hand, &[PieceKind::Gold, PieceKind::Silver, PieceKind::Rook])
            + 4 * has(hand, &[PieceKind::Bishop])
    };
    let [own, opponents] = sides(position).map(bits);
    8 * own + opponents
}

/// `hand64_k3k3`: hands before kings.
#[must_use]
pub fn hand64_k3k3(position: &PartialPosition) -> usize {
    9 * hand64(position) + k3k3(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that follow from the page by hand: the start, seen by both players alike.
    #[test]
    fn the_start_has_the_numbers_of_the_description() {
        let start = PartialPosition::startpos();
        let (views, [first, second]) = half_ka2(&start);
        assert_eq!(first, second, "the start is the same for both");
        assert_eq!(first.len(), 40);
        // The king on 5i is square 4 * 9 + 8 = 44, the opponent's on 5a is square 36.
        assert_eq!(views, [44, 44]);
        for piece in [
            1548 + 44,
            1548 + 36,
            90 + 6,
            171 + 2,
            252 + 8,
            1224 + 16,
            1305 + 64,
        ] {
            assert!(first.contains(&piece), "{piece}");
        }
        assert_eq!(
            half_ka_hm2(&start),
            ([2 * 44; 2], [first, second]),
            "a king on 5i is not mirrored"
        );
        assert_eq!((k3k3(&start), hand64(&start)), (8, 0));
        // The home rank begins with 12, and file 5 is the fifth.
        assert_eq!(k21k21(&start), 16 * 21 + 16);
        let (_, [kings, _]) = ka2(&start);
        assert_eq!(kings[..2], [44, 81 + 36]);
    }

    #[test]
    fn hands_and_files_are_told_apart() {
        let mut position = PartialPosition::empty();
        let mut put = |file, rank, kind, player| {
            let square = Square::new(file, rank).expect("a square");
            position.piece_set(square, Some(shogi_core::Piece::new(kind, player)));
        };
        put(8, 9, PieceKind::King, Player::Black);
        put(2, 4, PieceKind::King, Player::White);
        put(9, 1, PieceKind::ProPawn, Player::White);
        for (player, kind) in [
            (Player::Black, PieceKind::Pawn),
            (Player::Black, PieceKind::Pawn),
            (Player::White, PieceKind::Bishop),
        ] {
            let hand = position.hand_of_a_player_mut(player);
            *hand = hand.added(kind).expect("a piece of hands");
        }
        let (views, [first, second]) = half_ka_hm2(&position);
        // File 8 is mirrored to file 2, file 9 to file 1.
        assert_eq!(views, [2 * (9 + 8) + 1, 2 * (9 + 5) + 1]);
        let mut expected = [1, 2, 82, 1548 + 17, 1548 + 7 * 9 + 3, 819];
        expected.sort_unstable();
        assert_eq!(first, expected);
        // The second player sees its king on file 8 and rank 6, so it is mirrored too.
        let mut expected = [20, 21, 79, 1548 + 14, 1548 + 7 * 9, 738 + 8 * 9 + 8];
        expected.sort_unstable();
        assert_eq!(second, expected);
        // The first player's king is on its rank 9 and file 8, the second's on its ranks 4 to 6.
        assert_eq!(k21k21(&position), (12 + 7) * 21 + 1);
        assert_eq!(k3k3(&position), 2 * 3 + 1);
        assert_eq!(hand64(&position), 8 + 4);
        position.side_to_move_set(Player::White);
        assert_eq!(k21k21(&position), 21 + 12 + 7);
        assert_eq!(hand64_k3k3(&position), (4 * 8 + 1) * 9 + 3 + 2);
    }
}
