//! The parameters of a set. All sets of the family are the same formula with different parameters.
//! Seen by a perspective,
//!
//! ```text
//! row = king_offset[king ^ o] + rows[value] of each material + plane[piece] + (square ^ o)
//! o   = flip[perspective], ^ 7 if the own king's file is then in mirror_files
//! ```
//!
//! `king` is the perspective's own king, materials are other pieces that choose the bucket, and
//! `piece` is told apart as own or opponent's.

use nnue_format::{self as format, PieceSquare};

use super::{BucketsBy, Material};
use crate::spec::named::named;

/// The number of squares of the board, which is the number of rows of a plane.
pub const SQUARES: usize = 64;

/// The names of the sets in a spec.
pub const NAMES: &[&str] = &[
    "A",
    "HalfKP",
    "HalfKA",
    "HalfKAv2",
    "HalfKAv2_hm",
    super::KING_BUCKETS,
];

named! {
    /// The order of the pieces' planes.
    PieceOrder {
        /// Own pawn, knight, ... king, then the opponent's.
        ByColour = "by-colour",
        /// Own pawn, opponent's pawn, own knight, ...
        Interleaved = "interleaved",
        /// The opponent's pawn, knight, ... king, then own pawn, knight, ... king.
        OpponentFirst = "opponent-first",
        /// White's pawn, knight, ... king, then black's, for both perspectives.
        WhiteFirst = "white-first",
    }
}

impl PieceOrder {
    /// Whether a player comes first (0) or second (1) in the order. The owner of a piece is the own
    /// player (0) or the opponent (1), as white sees them.
    fn player(self, owner: u32) -> u32 {
        match self {
            PieceOrder::ByColour | PieceOrder::Interleaved | PieceOrder::WhiteFirst => owner,
            PieceOrder::OpponentFirst => 1 - owner,
        }
    }
}

named! {
    /// How black sees the board. White sees it as it is.
    Flip {
        /// Black sees the board as white does.
        None = "none",
        /// Upside down: ranks exchanged.
        Vertical = "vertical",
        /// From the other side: ranks and files exchanged.
        Rotate = "rotate",
    }
}

named! {
    /// The first square of each plane. The other squares follow along the ranks.
    FirstSquare {
        /// Square 0 is a1, and square 63 is h8, as in most engines.
        A1 = "a1",
        /// Square 0 is a8, and square 63 is h1.
        A8 = "a8",
        /// Square 0 is h1, and square 63 is a8.
        H1 = "h1",
        /// Square 0 is h8, and square 63 is a1.
        H8 = "h8",
    }
}

named! {
    /// The files on which the own king is seen. The board is mirrored where it stands on another
    /// file.
    Mirror {
        /// The board is never mirrored.
        None = "none",
        /// The king is seen on the left half of the board, files a to d.
        AToD = "a-d",
        /// The king is seen on the right half of the board, files e to h.
        EToH = "e-h",
    }
}

impl Mirror {
    /// The files on which a king mirrors the board: bit 0 for file a, bit 7 for file h.
    pub fn files(self) -> u8 {
        match self {
            Mirror::None => 0,
            Mirror::AToD => 0b1111_0000,
            Mirror::EToH => 0b0000_1111,
        }
    }
}

/// The kinds of pieces that have planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planes {
    /// Twelve planes: every kind of piece has its own.
    All,
    /// Eleven planes: both kings share a plane.
    MergedKings,
    /// Ten planes: kings have none.
    NoKings,
    /// Fourteen planes: every kind of piece has its own, and each player has a further plane for
    /// pieces that a weaker piece of the opponent attacks.
    WithThreatened,
}

impl Planes {
    /// Every value of this type.
    pub const ALL: [Planes; 4] = [
        Planes::All,
        Planes::MergedKings,
        Planes::NoKings,
        Planes::WithThreatened,
    ];

    /// The number of planes, 10 to 12 or 14.
    pub fn count(self) -> u32 {
        match self {
            Planes::All => 12,
            Planes::MergedKings => 11,
            Planes::NoKings => 10,
            Planes::WithThreatened => 14,
        }
    }

    /// The number of kinds of a player's pieces that have planes.
    fn roles(self) -> u32 {
        match self {
            Planes::NoKings => 5,
            Planes::All | Planes::MergedKings => 6,
            Planes::WithThreatened => 7,
        }
    }

    /// The largest number of features that can be active at once.
    pub fn max_active(self) -> usize {
        match self {
            Planes::All | Planes::MergedKings => 32,
            Planes::NoKings => 30,
            // Kings are never threatened.
            Planes::WithThreatened => 62,
        }
    }

    /// The largest number of features that a square of any board can make active.
    pub(super) fn of_a_square(self) -> usize {
        match self {
            Planes::All | Planes::MergedKings | Planes::NoKings => 1,
            Planes::WithThreatened => 2,
        }
    }
}

/// The parameters of a set, as a spec gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The kinds of pieces that are told apart.
    pub planes: Planes,
    /// The order of the planes.
    pub piece_order: PieceOrder,
    /// How black sees the board.
    pub flip: Flip,
    /// The first square of each plane.
    pub first_square: FirstSquare,
    /// The files on which the own king is seen.
    pub mirror: Mirror,
    /// The bucket of each square of the own king, as the perspective sees the board. Mirrored
    /// boards have the same buckets on both halves.
    pub king_buckets: [u8; SQUARES],
    /// What chooses the bucket, outermost first. The own king is among it once.
    pub buckets_by: Vec<BucketsBy>,
    /// The number of rows before the first plane of each bucket.
    pub offset: u32,
}

impl Parameters {
    /// The parameters of a set that is known by its name; `None` for other names, and for sets that
    /// need a table.
    pub fn named(name: &str) -> Option<Parameters> {
        let each_square = std::array::from_fn(|square| square as u8);
        let half_ka_v2 = Parameters {
            planes: Planes::MergedKings,
            piece_order: PieceOrder::Interleaved,
            flip: Flip::Vertical,
            first_square: FirstSquare::A1,
            mirror: Mirror::None,
            king_buckets: each_square,
            buckets_by: vec![BucketsBy::King],
            offset: 0,
        };
        Some(match name {
            "A" => Parameters {
                king_buckets: [0; SQUARES],
                ..Parameters::unbucketed()
            },
            // Row 0 of every king square was meant for a piece in hand, in another game, and is
            // never active.
            "HalfKP" => Parameters {
                planes: Planes::NoKings,
                flip: Flip::Rotate,
                offset: 1,
                ..half_ka_v2
            },
            "HalfKA" => Parameters {
                planes: Planes::All,
                ..half_ka_v2
            },
            "HalfKAv2" => half_ka_v2,
            "HalfKAv2_hm" => Parameters {
                mirror: Mirror::EToH,
                king_buckets: std::array::from_fn(|square| {
                    let (file, rank) = (square % 8, square / 8);
                    (4 * (7 - rank) + file.min(7 - file)) as u8
                }),
                ..half_ka_v2
            },
            _ => return None,
        })
    }

    /// The parameters of a set with a row for every piece on every square, without buckets.
    /// Trainers start from it.
    pub fn unbucketed() -> Parameters {
        Parameters {
            planes: Planes::All,
            piece_order: PieceOrder::ByColour,
            flip: Flip::Vertical,
            first_square: FirstSquare::A1,
            mirror: Mirror::None,
            king_buckets: [0; SQUARES],
            buckets_by: vec![BucketsBy::King],
            offset: 0,
        }
    }

    /// The number of rows of a bucket.
    fn bucket_rows(&self) -> u32 {
        self.offset + self.planes.count() * SQUARES as u32
    }

    /// The number of buckets: the own king's times those of each material.
    pub fn buckets(&self) -> usize {
        let materials = self.materials().map(Material::buckets);
        materials.product::<usize>() * self.own_kings_buckets()
    }

    /// The pieces that choose the bucket besides the own king, outermost first.
    pub fn materials(&self) -> impl Iterator<Item = &Material> {
        self.buckets_by.iter().filter_map(BucketsBy::material)
    }

    /// The number of the own king's buckets. They are numbered without gaps.
    pub fn own_kings_buckets(&self) -> usize {
        number_of_buckets(&self.king_buckets)
    }

    /// The tables that the loader and the runtime read.
    pub fn tables(&self) -> PieceSquare {
        let orders = match self.piece_order {
            PieceOrder::WhiteFirst => [PieceOrder::ByColour, PieceOrder::OpponentFirst],
            order => [order; 2],
        };
        let threatened = [[0, 1], [1, 0]].map(|[white, black]| {
            let order = orders[white as usize];
            [white, black].map(|owner| match self.planes {
                Planes::WithThreatened => {
                    let plane = plane(order, self.planes.roles(), order.player(owner), 6);
                    self.offset + plane * SQUARES as u32
                }
                _ => PieceSquare::NO_PLANE,
            })
        });
        let planes = [0, 6].map(|own| {
            let plane = planes(self.planes, orders[own / 6]);
            let mut planes = [PieceSquare::NO_PLANE; 16];
            for (piece, row) in planes[1..=12].iter_mut().enumerate() {
                if self.planes != Planes::NoKings || piece % 6 != 5 {
                    *row = self.offset + plane[(piece + own) % 12] * SQUARES as u32;
                }
            }
            planes
        });
        // Where squares are counted from a8, the board is turned for white and not for black.
        let renumbered: u8 = match self.first_square {
            FirstSquare::A1 => 0,
            FirstSquare::A8 => 0b111_000,
            FirstSquare::H1 => 0b000_111,
            FirstSquare::H8 => 0b111_111,
        };
        // Where squares are counted from the h-file, the files from which kings are mirrored are
        // counted from there too.
        let mirror_files = match self.first_square {
            FirstSquare::A1 | FirstSquare::A8 => self.mirror.files(),
            FirstSquare::H1 | FirstSquare::H8 => self.mirror.files().reverse_bits(),
        };
        let flip = match self.flip {
            Flip::None => [0, 0],
            Flip::Vertical => [0, 0b111_000],
            Flip::Rotate => [0, 0b111_111],
        };
        // The two bits of a quadrant are the highest bit of the file and the highest bit of the
        // rank.
        let turned = usize::from(renumbered >> 2 & 1 | renumbered >> 4 & 2);
        let (mut rows, mut king_rows) = (self.bucket_rows(), 0);
        let mut materials = [format::Material::NONE; format::Material::MOST];
        let mut places = materials.iter_mut();
        for by in self.buckets_by.iter().rev() {
            match by {
                BucketsBy::King => {
                    king_rows = rows;
                    rows *= self.own_kings_buckets() as u32;
                }
                BucketsBy::Material(material) => {
                    // `check` refuses more than there is room for.
                    if let Some(place) = places.next() {
                        *place = material.table(rows, turned);
                    }
                    rows *= material.buckets() as u32;
                }
            }
        }
        PieceSquare {
            flip: flip.map(|flip| flip ^ renumbered),
            mirror_files,
            king_offset: std::array::from_fn(|square| {
                let bucket = self.king_buckets[square ^ usize::from(renumbered)];
                u32::from(bucket) * king_rows
            }),
            materials,
            threatened,
            planes,
        }
    }

    /// The number of rows of all buckets.
    pub fn rows(&self) -> usize {
        self.buckets() * self.bucket_rows() as usize
    }
}

/// The number of buckets in a table of the own king's squares.
pub(super) fn number_of_buckets(king_buckets: &[u8; SQUARES]) -> usize {
    let last = king_buckets.iter().max();
    last.map_or(1, |last| usize::from(*last) + 1)
}

/// The plane of each piece: own pawn to king, then the opponent's, as white sees them.
///
/// Both kings can share a plane where the own king stands only on squares of its bucket, and the
/// opponent's king cannot stand there. They share the plane of the player whose pieces come first.
/// The plane of the other player's king is the last plane in every order, so no other plane moves.
fn planes(planes: Planes, order: PieceOrder) -> [u32; 12] {
    let roles = planes.roles();
    std::array::from_fn(|piece| {
        let (owner, role) = (piece as u32 / 6, piece as u32 % 6);
        match (role, planes) {
            (5, Planes::NoKings) => 0,
            (5, Planes::MergedKings) => plane(order, roles, 0, role),
            _ => plane(order, roles, order.player(owner), role),
        }
    })
}

/// The plane of the first (0) or the second (1) player's piece.
fn plane(order: PieceOrder, roles: u32, player: u32, role: u32) -> u32 {
    match order {
        PieceOrder::ByColour | PieceOrder::OpponentFirst | PieceOrder::WhiteFirst => {
            roles * player + role
        }
        PieceOrder::Interleaved => 2 * role + player,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A1: usize = 0;
    const E1: usize = 4;
    const H1: usize = 7;
    const E8: usize = 60;
    const H8: usize = 63;

    /// The row of a piece (own pawn 0 to king 5, opponent's pawn 6 to king 11), by the formula in
    /// the module's documentation.
    fn row(
        parameters: &Parameters,
        perspective: usize,
        king: usize,
        piece: usize,
        square: usize,
    ) -> usize {
        let set = parameters.tables();
        let flip = usize::from(set.flip[perspective]);
        let mirrored = set.mirror_files >> ((king ^ flip) % 8) & 1 != 0;
        let o = flip ^ if mirrored { 7 } else { 0 };
        set.king_offset[king ^ o] as usize + set.planes[0][1 + piece] as usize + (square ^ o)
    }

    fn named(name: &str) -> Parameters {
        Parameters::named(name).unwrap()
    }

    /// The expected numbers of single squares are those of the set's authors.
    #[test]
    fn half_ka_v2_hm_counts_its_king_buckets_from_h8() {
        let set = named("HalfKAv2_hm").tables();
        let bucket = |square: usize| set.king_offset[square] / 704;
        assert_eq!(
            [bucket(H8), bucket(E8), bucket(H1), bucket(E1)],
            [0, 3, 28, 31]
        );
        assert_eq!(
            set.planes[0][1..=12],
            [0, 128, 256, 384, 512, 640, 64, 192, 320, 448, 576, 640]
        );
    }

    #[test]
    fn the_named_sets_have_as_many_rows_as_their_authors_say() {
        let rows = [
            ("A", 768),
            ("HalfKP", 41024),
            ("HalfKA", 49152),
            ("HalfKAv2", 45056),
            ("HalfKAv2_hm", 22528),
        ];
        for (name, expected) in rows {
            assert_eq!(named(name).rows(), expected, "{name}");
        }
        let plain = Parameters {
            offset: 0,
            ..named("HalfKP")
        };
        assert_eq!(plain.rows(), 40960);
    }

    /// Trainers write the 768 inputs as `[0, 384][owner] + 64 * role + square`, black's with
    /// `square ^ 56`.
    #[test]
    fn a_is_the_768_inputs_of_trainers() {
        for (piece, square, king) in [(0, 12, E1), (5, E1, E1), (6, 51, H8), (11, E8, A1)] {
            let plain = [0, 384][piece / 6] + 64 * (piece % 6) + square;
            assert_eq!(row(&named("A"), 0, king, piece, square), plain);
            assert_eq!(row(&named("A"), 1, king, piece, square), plain ^ 56);
        }
    }

    /// `768 * bucket[own king] + (the 768 inputs)`, exclusive-ored with 7 where the own king is on
    /// files e to h.
    #[test]
    fn mirrored_king_buckets_are_those_of_trainers() {
        // Four buckets: the corners of rank 1, its centre, rank 2, everything else.
        let half = |square: usize| match (square / 8, (square % 8).min(7 - square % 8)) {
            (0, 0 | 1) => 0,
            (0, _) => 1,
            (1, _) => 2,
            _ => 3,
        };
        let parameters = Parameters {
            mirror: Mirror::AToD,
            king_buckets: std::array::from_fn(half),
            ..Parameters::unbucketed()
        };
        assert_eq!(parameters.rows(), 4 * 768);
        for perspective in 0..2 {
            for king in 0..64 {
                let own = king ^ [0, 56][perspective];
                for (piece, square) in [(0, 9), (5, king), (7, 62), (11, 33)] {
                    let input =
                        [0, 384][piece / 6] + 64 * (piece % 6) + (square ^ [0, 56][perspective]);
                    let input = if own % 8 > 3 { input ^ 7 } else { input };
                    assert_eq!(
                        row(&parameters, perspective, king, piece, square),
                        768 * usize::from(half(own)) + input
                    );
                }
            }
        }
    }

    /// Black, who sees the board rotated, has the king on the left where white sees it on the
    /// right.
    #[test]
    fn a_rotated_board_is_mirrored_by_where_the_king_then_stands() {
        let parameters = Parameters {
            flip: Flip::Rotate,
            mirror: Mirror::AToD,
            ..Parameters::unbucketed()
        };
        // Black's king on a8 is seen on h1, and mirrored to a1: the two turns leave the ranks
        // exchanged.
        assert_eq!(row(&parameters, 1, 56, 5, 56), 5 * 64);
        // Black's king on h8 is seen on a1, and is not mirrored.
        assert_eq!(row(&parameters, 1, 63, 5, 63), 5 * 64);
    }

    #[test]
    fn the_opponents_planes_can_come_first() {
        let found = planes(Planes::All, PieceOrder::OpponentFirst);
        assert_eq!(found, [6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5]);
        let found = planes(Planes::MergedKings, PieceOrder::OpponentFirst);
        assert_eq!(found, [6, 7, 8, 9, 10, 5, 0, 1, 2, 3, 4, 5]);
        let found = planes(Planes::NoKings, PieceOrder::OpponentFirst);
        assert_eq!(
            (&found[..5], &found[6..11]),
            (&[5, 6, 7, 8, 9][..], &[0, 1, 2, 3, 4][..])
        );
    }

    #[test]
    fn eleven_planes_are_twelve_without_the_last() {
        for order in [PieceOrder::ByColour, PieceOrder::Interleaved] {
            let (all, merged, none) = (
                planes(Planes::All, order),
                planes(Planes::MergedKings, order),
                planes(Planes::NoKings, order),
            );
            assert_eq!(merged[..11], all[..11]);
            assert_eq!((merged[11], all[11]), (all[5], 11));
            let mut without_kings: Vec<u32> = [&none[..5], &none[6..11]].concat();
            without_kings.sort_unstable();
            assert_eq!(without_kings, (0..10).collect::<Vec<_>>());
        }
    }
}
