//! Which rows of the transformer a position switches on: accumulators against sums over rows whose
//! numbers are computed here, square by square, from the documentation of the language.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_further_tests::features::{
    a, from_a8, from_h, half_ka, half_kp, king_buckets, materials, opponent_first, queens, rotated,
    summed, threatened,
};
use nnue_runtime::{
    Accumulator, Architecture, Board, Color, Network, Piece, Position, Role, Square,
};
use nnue_test_support::goldens::golden_positions;
use nnue_test_support::net_file::net_file;

/// A piece as a perspective sees it, and the own king.
struct Seen {
    opponents: bool,
    role: usize,
    /// Files and ranks from 0, as the perspective sees them before any mirroring.
    file: usize,
    rank: usize,
    king_file: usize,
    king_rank: usize,
}

/// How black sees a square.
#[derive(Clone, Copy)]
enum Flip {
    None,
    Vertical,
    Rotate,
}

impl Seen {
    fn new(flip: Flip, board: &Board, perspective: Color, piece: Piece, square: Square) -> Seen {
        let turn = |square: Square| {
            let (file, rank) = (square.index() % 8, square.index() / 8);
            match (perspective, flip) {
                (Color::White, _) | (_, Flip::None) => (file, rank),
                (_, Flip::Vertical) => (file, 7 - rank),
                (_, Flip::Rotate) => (7 - file, 7 - rank),
            }
        };
        let ((file, rank), (king_file, king_rank)) = (turn(square), turn(board.king(perspective)));
        Seen {
            opponents: piece.color != perspective,
            role: piece.role.index(),
            file,
            rank,
            king_file,
            king_rank,
        }
    }

    /// The same piece after mirroring the board, unless the own king is already on the left half
    /// (`to_the_left`) or on the right half.
    fn mirrored(self, to_the_left: bool) -> Seen {
        if (self.king_file < 4) == to_the_left {
            return self;
        }
        Seen {
            file: 7 - self.file,
            king_file: 7 - self.king_file,
            ..self
        }
    }

    fn square(&self) -> usize {
        8 * self.rank + self.file
    }

    fn king(&self) -> usize {
        8 * self.king_rank + self.king_file
    }

    fn by_colour(&self, roles: usize) -> usize {
        roles * usize::from(self.opponents) + self.role
    }

    fn interleaved(&self) -> usize {
        2 * self.role + usize::from(self.opponents)
    }

    fn is_king(&self) -> bool {
        self.role == Role::King.index()
    }
}

/// Compares the accumulators of every golden position with the sums over the rows that `row` gives
/// for each piece.
fn check<A: Architecture<Line = nnue_runtime::line::FromPosition>>(
    spec: &str,
    row: impl Fn(&Board, Color, Piece, Square, &mut dyn FnMut(usize)),
) {
    let network = analyse(&SourceFile::new(A::NAME, spec)).expect("a spec without errors");
    let weight = |row: usize, neuron: usize| {
        (((row as u64 * 2654435761 + neuron as u64 * 40503) >> 7) as i32).rem_euclid(101) - 50
    };
    let file = net_file(&network, "", |tensor, index| match tensor {
        "transformer.biases" => index as i32,
        "transformer.weights" => weight(index / A::WIDTH, index % A::WIDTH),
        _ => 0,
    });
    let net = Network::<A>::from_bytes(&file).expect("our own file");
    for golden in golden_positions("synthetic/v5").expect("the goldens are there") {
        let board = Board::from_fen(&golden.fen).expect("a position");
        let accumulator = Accumulator::new(&net, &board);
        for perspective in Color::ALL {
            let mut sums: Vec<i32> = (0..A::WIDTH as i32).collect();
            for piece in Piece::ALL {
                for square in board.pieces(piece) {
                    row(&board, perspective, piece, square, &mut |row| {
                        assert!(row < network.feature_count(), "row {row}");
                        for (neuron, sum) in sums.iter_mut().enumerate() {
                            *sum += weight(row, neuron);
                        }
                    });
                }
            }
            let sums: Vec<i16> = sums.into_iter().map(|sum| sum as i16).collect();
            assert_eq!(
                accumulator.values(perspective),
                sums,
                "{perspective} in {}",
                golden.fen
            );
        }
    }
}

macro_rules! spec {
    ($name:literal) => {
        include_str!(concat!("../../specs/features/", $name, ".toml"))
    };
}

#[test]
fn a_is_a_row_for_each_piece_and_square() {
    check::<a::Net>(spec!("a"), |board, perspective, piece, square, row| {
        let seen = Seen::new(Flip::Vertical, board, perspective, piece, square);
        row(64 * seen.by_colour(6) + seen.square());
    });
}

#[test]
fn half_ka_has_twelve_planes_for_each_king_square() {
    check::<half_ka::Net>(
        spec!("half_ka"),
        |board, perspective, piece, square, row| {
            let seen = Seen::new(Flip::Vertical, board, perspective, piece, square);
            row(768 * seen.king() + 64 * seen.interleaved() + seen.square());
        },
    );
}

#[test]
fn half_kp_without_offset_has_640_rows_for_each_king_square() {
    check::<half_kp::Net>(
        spec!("half_kp"),
        |board, perspective, piece, square, row| {
            let seen = Seen::new(Flip::Rotate, board, perspective, piece, square);
            if !seen.is_king() {
                row(640 * seen.king() + 64 * seen.interleaved() + seen.square());
            }
        },
    );
}

#[test]
fn king_buckets_are_of_the_mirrored_half() {
    check::<king_buckets::Net>(
        spec!("king_buckets"),
        |board, perspective, piece, square, row| {
            let seen = Seen::new(Flip::Vertical, board, perspective, piece, square).mirrored(true);
            let bucket = match (seen.king_rank, seen.king_file) {
                (0, 0 | 1) => 0,
                (0, _) => 1,
                (1, _) => 2,
                _ => 3,
            };
            row(768 * bucket + 64 * seen.by_colour(6) + seen.square());
        },
    );
}

/// The buckets of `from_a8` and of the first set of `from_h`.
fn nine_buckets(seen: &Seen) -> usize {
    match (seen.king_rank, seen.king_file) {
        (0, file) => file - 4,
        (1, 4 | 5) => 4,
        (1, _) => 5,
        (2 | 3, _) => 6,
        (4 | 5, _) => 7,
        _ => 8,
    }
}

/// A perspective's own first rank is the last one of each plane, and the first one of the table of
/// buckets.
#[test]
fn squares_are_counted_from_a8() {
    check::<from_a8::Net>(
        spec!("from_a8"),
        |board, perspective, piece, square, row| {
            let seen = Seen::new(Flip::Vertical, board, perspective, piece, square).mirrored(false);
            let bucket = nine_buckets(&seen);
            let from_a8 = 8 * (7 - seen.rank) + seen.file;
            row(768 * bucket + 64 * seen.by_colour(6) + from_a8);
        },
    );
}

/// Files are reversed after the board was mirrored, and in the second set ranks too.
#[test]
fn squares_are_counted_from_the_h_file() {
    check::<from_h::Net>(spec!("from_h"), |board, perspective, piece, square, row| {
        let seen = Seen::new(Flip::Vertical, board, perspective, piece, square).mirrored(false);
        let bucket = nine_buckets(&seen);
        let from_h1 = 8 * seen.rank + 7 - seen.file;
        row(768 * bucket + 64 * seen.by_colour(6) + from_h1);
        let first = 9 * 768;
        let seen = Seen::new(Flip::None, board, perspective, piece, square).mirrored(true);
        let bucket = match seen.king_rank {
            0..=3 => seen.king_file,
            _ => 4,
        };
        row(first + 768 * bucket + 64 * seen.by_colour(6) + 63 - seen.square());
    });
}

/// Both kings are in plane 5 of the second set: the opponent's.
#[test]
fn the_opponents_planes_come_first() {
    check::<opponent_first::Net>(
        spec!("opponent_first"),
        |board, perspective, piece, square, row| {
            let seen = Seen::new(Flip::Vertical, board, perspective, piece, square).mirrored(true);
            let bucket = match (seen.king_rank, seen.king_file) {
                (0, 0 | 1) => 0,
                (0, _) => 1,
                (_, 0 | 1) => 2,
                _ => 3,
            };
            let own = if seen.opponents { 0 } else { 6 };
            row(768 * bucket + 64 * (own + seen.role) + seen.square());
            let first = 4 * 768;
            let seen = Seen::new(Flip::Vertical, board, perspective, piece, square).mirrored(false);
            let bucket = 4 * (7 - seen.king_rank) + 7 - seen.king_file;
            let own = if seen.opponents || seen.is_king() {
                0
            } else {
                6
            };
            row(first + 704 * bucket + 64 * (own + seen.role) + seen.square());
        },
    );
}

/// The buckets of the opponent's queens are numbered behind one another, each with all buckets of
/// the own king.
#[test]
fn queens_choose_buckets_by_where_they_are_seen() {
    check::<queens::Net>(spec!("queens"), |board, perspective, piece, square, row| {
        let queens = board.pieces(Piece::new(!perspective, Role::Queen));
        let place = |flip: Flip, to_the_left: bool| {
            let mut squares = queens.into_iter();
            let (queen, others) = (squares.next()?, squares.count());
            if others > 0 {
                return None;
            }
            let piece = Piece::new(!perspective, Role::Queen);
            let seen = Seen::new(flip, board, perspective, piece, queen).mirrored(to_the_left);
            Some(1 + seen.file / 4 + 2 * (seen.rank / 4))
        };
        let several = if queens.is_empty() { 0 } else { 5 };

        let seen = Seen::new(Flip::None, board, perspective, piece, square).mirrored(true);
        let bucket = place(Flip::None, true).unwrap_or(several);
        let plane = 6 * usize::from(piece.color == Color::Black) + seen.role;
        row(768 * bucket + 64 * plane + seen.square());

        let first = 6 * 768;
        let seen = Seen::new(Flip::Rotate, board, perspective, piece, square).mirrored(false);
        let of_king = match (seen.king_rank, seen.king_file) {
            (0, 4 | 5) => 0,
            (0, _) => 1,
            _ => 2,
        };
        let bucket = 3 * place(Flip::Rotate, false).unwrap_or(0) + of_king;
        let from_h8 = 63 - seen.square();
        row(first + (2 + 704) * bucket + 2 + 64 * seen.interleaved().min(10) + from_h8);
    });
}

/// Own rooks choose the outer half, all pieces an inner part of each of the king's buckets, and the
/// opponent's queens the innermost.
#[test]
fn materials_choose_buckets_in_their_order() {
    check::<materials::Net>(
        spec!("materials"),
        |board, perspective, piece, square, row| {
            let count = |color: Color, role: Role| board.pieces(Piece::new(color, role)).len();
            let has_rook = usize::from(count(perspective, Role::Rook) > 0);
            let seen = Seen::new(Flip::Vertical, board, perspective, piece, square).mirrored(true);
            let of_king = match (seen.king_rank, seen.king_file) {
                (0, 0 | 1) => 0,
                (0, _) => 1,
                _ => 2,
            };
            let pieces: usize = Piece::ALL
                .iter()
                .map(|piece| board.pieces(*piece).len())
                .sum();
            let of_pieces = match pieces {
                0..=8 => 0,
                9..=16 => 1,
                17..=24 => 2,
                _ => 3,
            };
            let bucket = (3 * has_rook + of_king) * 4 + of_pieces;
            let plane = if seen.opponents { 6 } else { 0 } + seen.role;
            row(771 * bucket + 3 + 64 * plane + seen.square());

            let first = 24 * 771;
            let minor = match count(perspective, Role::Knight) + count(perspective, Role::Bishop) {
                0 => 0,
                1 | 2 => 1,
                _ => 2,
            };
            let plane = 6 * usize::from(piece.color == Color::Black) + piece.role.index();
            row(first + 768 * (2 * minor + has_rook) + 64 * plane + square.index());

            let first = first + 6 * 768;
            let has_queen = usize::from(count(!perspective, Role::Queen) > 0);
            let seen = Seen::new(Flip::Vertical, board, perspective, piece, square).mirrored(false);
            let of_king = 4 * (7 - seen.king_rank) + 7 - seen.king_file;
            let plane = seen.interleaved().min(10);
            row(first + 704 * (2 * of_king + has_queen) + 64 * plane + seen.square());
        },
    );
}

/// Whether a weaker piece of the opponent attacks a piece. Kings do not count.
fn is_threatened(board: &Board, piece: Piece, square: Square) -> bool {
    let strength = |role: Role| match role {
        Role::Pawn => 0,
        Role::Knight | Role::Bishop => 1,
        Role::Rook => 2,
        Role::Queen => 3,
        Role::King => 4,
    };
    let place = |square: Square| (square.index() as i32 % 8, square.index() as i32 / 8);
    let (file, rank) = place(square);
    let attacks = |role: Role, from: Square| {
        let (from_file, from_rank) = place(from);
        let (right, up) = (file - from_file, rank - from_rank);
        // Squares between two on a line.
        let is_open = || {
            (1..right.abs().max(up.abs())).all(|step| {
                let between =
                    8 * (from_rank + step * up.signum()) + from_file + step * right.signum();
                board.piece_at(Square::ALL[between as usize]).is_none()
            })
        };
        match role {
            Role::Pawn => {
                right.abs() == 1 && up == if piece.color == Color::Black { 1 } else { -1 }
            }
            Role::Knight => right.abs() * up.abs() == 2,
            Role::Bishop => right.abs() == up.abs() && is_open(),
            Role::Rook => (right == 0 || up == 0) && is_open(),
            Role::Queen | Role::King => false,
        }
    };
    let weaker = Role::ALL
        .into_iter()
        .filter(|role| piece.role != Role::King && strength(*role) < strength(piece.role));
    let mut attackers = weaker.flat_map(|role| {
        let squares = board.pieces(Piece::new(!piece.color, role)).into_iter();
        squares.map(move |from| (role, from))
    });
    attackers.any(|(role, from)| attacks(role, from))
}

/// The seventh plane of a player is for its pieces that a weaker one attacks: they have two rows.
#[test]
fn threatened_pieces_have_a_plane_of_their_own() {
    check::<threatened::Net>(
        spec!("threatened"),
        |board, perspective, piece, square, row| {
            let is_threatened = is_threatened(board, piece, square);
            let roles = |role: usize| {
                [Some(role), is_threatened.then_some(6)]
                    .into_iter()
                    .flatten()
            };

            let seen = Seen::new(Flip::Vertical, board, perspective, piece, square).mirrored(true);
            let bucket = 2 * seen.king_file + usize::from(seen.king_rank > 0);
            for role in roles(seen.role) {
                let plane = 7 * usize::from(seen.opponents) + role;
                row(896 * bucket + 64 * plane + seen.square());
            }
            let first = 8 * 896;
            let seen = Seen::new(Flip::Rotate, board, perspective, piece, square);
            for role in roles(seen.role) {
                let plane = 2 * role + usize::from(seen.opponents);
                row(first + 3 + 64 * plane + 8 * (7 - seen.rank) + seen.file);
            }
            let first = first + 3 + 896;
            for role in roles(piece.role.index()) {
                let plane = 7 * usize::from(piece.color == Color::Black) + role;
                row(first + 64 * plane + square.index());
            }
        },
    );
}

#[test]
fn a_rotated_board_is_mirrored_after_it_is_rotated() {
    check::<rotated::Net>(
        spec!("rotated"),
        |board, perspective, piece, square, row| {
            let seen = Seen::new(Flip::Rotate, board, perspective, piece, square).mirrored(false);
            let bucket = match (seen.king_rank, seen.king_file) {
                (0 | 1, 4 | 5) => 2,
                (0 | 1, 6) => 1,
                (0 | 1, _) => 0,
                (2 | 3, 4 | 5) => 4,
                (2 | 3, _) => 3,
                _ => 5,
            };
            let plane = seen.interleaved().min(10);
            row((3 + 704) * bucket + 3 + 64 * plane + seen.square());
        },
    );
}

#[test]
fn rows_of_several_sets_follow_each_other() {
    check::<summed::Net>(spec!("summed"), |board, perspective, piece, square, row| {
        let unflipped = Seen::new(Flip::None, board, perspective, piece, square).mirrored(true);
        if !unflipped.is_king() {
            row(640 * unflipped.king_file + 64 * unflipped.by_colour(5) + unflipped.square());
        }
        let first = 4 * 640;
        let seen = Seen::new(Flip::Vertical, board, perspective, piece, square).mirrored(false);
        let bucket = 4 * (7 - seen.king_rank) + 7 - seen.king_file;
        row(first + 704 * bucket + 64 * seen.interleaved().min(10) + seen.square());
        let first = first + 22528;
        let seen = Seen::new(Flip::Vertical, board, perspective, piece, square);
        if !seen.is_king() {
            row(first + 64 * seen.by_colour(5) + seen.square());
        }
    });
}
