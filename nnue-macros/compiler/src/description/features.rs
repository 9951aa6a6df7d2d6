//! Which rows of the transformer a position makes active, in tables.

use serde::{Deserialize, Serialize};

use crate::feature_set::piece_square::{self, Mirror};
use crate::feature_set::{self, threats};
use crate::format::{self, MaterialValue, PieceSquare, Threats, VirtualSet};

/// A feature set.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FeatureSet {
    /// The name of the set in the spec.
    pub name: String,
    /// The number of the set's first row among the rows of all sets.
    pub first_row: usize,
    /// How many rows the set has.
    pub rows: usize,
    /// How many rows of the set can be active at once.
    pub max_active: usize,
    /// The type of the set's weights in a net file.
    pub element: String,
    /// How many bits the set's rows are shifted to the left when they are added to an accumulator.
    pub shift: u32,
    /// The virtual sets whose rows a net file has too, to be added to the set's own rows: `pieces`,
    /// `king` or `relative-pieces`.
    pub virtual_sets: Vec<String>,
    /// How many rows the virtual sets have together.
    pub virtual_rows: usize,
    /// Whether real and virtual rows in floating point are rounded to integers before they are
    /// added. Otherwise their sum is rounded.
    pub round_each: bool,
    /// The rule that finds the set's active rows.
    pub family: Family,
}

/// How the active rows of a set are found. Rows are counted from the set's first row.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Family {
    /// A row for each piece on the board:
    /// `king_rows[king] + rows[value] of each material + piece_rows[perspective][piece] + square`.
    PieceSquare {
        /// How a perspective sees the board.
        orientation: Orientation,
        /// Kinds of pieces that are told apart.
        planes: u32,
        /// The bucket of each square of the own king as the spec gives it, from a1 on.
        king_buckets: Vec<u8>,
        /// The first row for each square of the own king as the perspective sees it.
        king_rows: Vec<u32>,
        /// What chooses rows besides the own king.
        materials: Vec<Material>,
        /// For white's and for black's perspective: the first row of white's pawn, knight, bishop,
        /// rook, queen and king, then of black's; `null` for pieces that have no rows.
        piece_rows: [Vec<Option<u32>>; 2],
        /// For white's and for black's perspective: the first row of white's and of black's
        /// threatened pieces, which a weaker piece of the opponent attacks. A threatened piece
        /// makes this row active besides its own row. `null` where threatened pieces have no rows.
        threatened_rows: Option<[[u32; 2]; 2]>,
    },
    /// A row for each piece that attacks another piece:
    /// `victim.first_row + attacker.squares[from] + victim.slot * reached + before`, where
    /// `reached` is how many squares the attacker reaches from `from` on an empty board, and
    /// `before` is how many of these squares have smaller numbers than `to`.
    Threats {
        /// How a perspective sees the board.
        orientation: Orientation,
        /// Whether a pawn also attacks the square ahead of it if a pawn stands there, and reaches
        /// it on an empty board.
        pushes: bool,
        /// The pieces whose attacks can make rows active.
        attackers: Vec<Attacker>,
    },
    /// A row for each two pawns that stand near each other: `high * (high - 1) / 2 + low`, where
    /// `high` and `low` are the larger and the smaller of the pawns' numbers. An own pawn has the
    /// number `square - 8`, and a pawn of the opponent has the number `square + 40`.
    PawnPairs {
        /// How a perspective sees the board.
        orientation: Orientation,
        /// How many files the pawns of a pair can be apart.
        file_distance: u8,
    },
    /// A row for steps of the half-move clock, from the clock `first` on:
    /// `king_rows[perspective][king] + min((clock - first) / step, steps - 1)`, rounded down.
    Clock {
        /// The first clock that has a row.
        first: u8,
        /// How many clocks share a row.
        step: u8,
        /// How many rows there are for a square of the own king.
        steps: u8,
        /// For white's and for black's perspective: the first row for each square of the own king
        /// as it is on the board, from a1 on.
        king_rows: [Vec<u32>; 2],
    },
    /// The engine tells which features are active, and which view the perspective has: the row is
    /// `view / (views / blocks) * (rows / blocks) + feature`.
    Custom {
        /// How many views there are.
        views: usize,
        /// How many blocks of rows there are. As many views in a row share each of them.
        blocks: usize,
    },
}

/// How a perspective sees the board. Squares are numbered from a1 = 0, b1 = 1 to h8 = 63.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Orientation {
    /// For white's and for black's perspective: the number with which squares are exclusive-ored.
    pub flip: [u8; 2],
    /// The files of the own king, counted from 0 after `flip`, for which all squares are also
    /// exclusive-ored with 7.
    pub mirror_files: Vec<u8>,
}

/// The owner of a piece, as a perspective sees it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Owner {
    /// The piece is the perspective's own.
    Own,
    /// The piece is the opponent's.
    Opponent,
}

/// The kinds of pieces.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "everyone knows them")]
pub enum Role {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// Pieces that choose rows of a piece-square set besides the own king.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Material {
    /// The pieces.
    pub pieces: Vec<OwnedRole>,
    /// The numbers of pieces: the value is how many of them are not above the number of these
    /// pieces on the board. `null` where the value says where the only one of these pieces is: 0
    /// for no piece; 1 to 4 for a piece on a1 to d4, e1 to h4, a5 to d8 or e5 to h8, as the
    /// perspective sees its square; 5 for several pieces.
    pub from: Option<Vec<u8>>,
    /// The rows to skip for each value.
    pub rows: Vec<u32>,
}

/// A kind of a player's pieces.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct OwnedRole {
    /// The owner of the pieces.
    pub owner: Owner,
    /// The kind of the pieces.
    pub role: Role,
}

/// A piece that attacks.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Attacker {
    /// The owner of the piece.
    pub owner: Owner,
    /// The kind of the piece.
    pub role: Role,
    /// The rows to skip for each square on which the piece stands.
    pub squares: Vec<u32>,
    /// The pieces on which an attack makes a row active.
    pub victims: Vec<Victim>,
}

/// A piece that is attacked.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Victim {
    /// The owner of the piece.
    pub owner: Owner,
    /// The kind of the piece.
    pub role: Role,
    /// The first row of attacks on the piece.
    pub first_row: u32,
    /// The factor of `reached` in the formula of the row.
    pub slot: u8,
    /// Whether the attack counts only if the attacker's square has the larger number.
    pub only_from_later_square: bool,
}

/// The descriptions of sets whose rows follow each other.
pub(super) fn describe(sets: &[feature_set::FeatureSet]) -> Vec<FeatureSet> {
    let mut first_row = 0;
    let describe = |set: &feature_set::FeatureSet| {
        let virtual_sets = set.factors.iter().flat_map(|factors| factors.sets.iter());
        let described = FeatureSet {
            name: set.name.clone(),
            first_row,
            rows: set.rows,
            max_active: set.max_active,
            element: set.element.to_string(),
            shift: set.shift,
            virtual_sets: virtual_sets.map(|set| name(*set).to_string()).collect(),
            virtual_rows: set.virtual_rows(),
            round_each: set
                .factors
                .as_ref()
                .is_some_and(|factors| factors.round_each),
            family: Family::of(&set.family),
        };
        first_row += set.rows;
        described
    };
    sets.iter().map(describe).collect()
}

fn name(set: VirtualSet) -> &'static str {
    match set {
        VirtualSet::Pieces => "pieces",
        VirtualSet::King => "king",
        VirtualSet::RelativePieces => "relative-pieces",
    }
}

impl Family {
    fn of(family: &feature_set::Family) -> Family {
        match family {
            feature_set::Family::PieceSquare(parameters) => piece_square(parameters),
            feature_set::Family::Threats(parameters) => Family::Threats {
                orientation: Orientation::vertical(parameters.mirror),
                pushes: parameters.rules.pushes,
                attackers: attackers(parameters),
            },
            feature_set::Family::PawnPairs(parameters) => Family::PawnPairs {
                orientation: Orientation::vertical(parameters.mirror),
                file_distance: parameters.file_distance,
            },
            feature_set::Family::Clock(parameters) => Family::Clock {
                first: parameters.first,
                step: parameters.step,
                steps: parameters.steps,
                king_rows: parameters.king_rows().map(|rows| rows.to_vec()),
            },
            feature_set::Family::Custom(parameters) => Family::Custom {
                views: parameters.views,
                blocks: parameters.blocks,
            },
        }
    }
}

fn piece_square(parameters: &piece_square::Parameters) -> Family {
    let tables = parameters.tables();
    Family::PieceSquare {
        orientation: Orientation {
            flip: tables.flip,
            mirror_files: files(tables.mirror_files),
        },
        planes: parameters.planes.count(),
        king_buckets: parameters.king_buckets.to_vec(),
        king_rows: tables.king_offset.to_vec(),
        materials: tables.materials().map(material).collect(),
        // The first of the sixteen entries stands for no piece.
        piece_rows: tables.planes.map(|planes| {
            let planes = planes[1..=12].iter().copied();
            let rows = planes.map(|row| (row != PieceSquare::NO_PLANE).then_some(row));
            rows.collect()
        }),
        threatened_rows: tables.has_threatened().then_some(tables.threatened),
    }
}

fn material(material: &format::Material) -> Material {
    let owners = [Owner::Own, Owner::Opponent].into_iter();
    let kinds = owners.flat_map(|owner| ROLES.map(|role| OwnedRole { owner, role }));
    let is_among = |kind: &usize| material.kinds >> kind & 1 != 0;
    let pieces = kinds.enumerate().filter(|(kind, _)| is_among(kind));
    Material {
        pieces: pieces.map(|(_, piece)| piece).collect(),
        from: match material.value {
            MaterialValue::Count(numbers) => Some(numbers[..material.values() - 1].to_vec()),
            MaterialValue::Quadrant => None,
        },
        rows: material.rows[..material.values()].to_vec(),
    }
}

impl Orientation {
    /// The orientation of sets for which black sees the board upside down.
    fn vertical(mirror: Mirror) -> Orientation {
        Orientation {
            flip: [0, 56],
            mirror_files: files(mirror.files()),
        }
    }
}

/// The numbers of the files that have a bit.
fn files(bits: u8) -> Vec<u8> {
    (0..8).filter(|file| bits >> file & 1 != 0).collect()
}

fn attackers(parameters: &threats::Parameters) -> Vec<Attacker> {
    let tables = parameters.tables();
    let pieces = || {
        let owners = [Owner::Own, Owner::Opponent].into_iter();
        let pieces = owners.flat_map(|owner| ROLES.map(|role| (owner, role)));
        // Number 0 is no piece.
        (1..).zip(pieces)
    };
    let attacker = |(number, (owner, role)): (usize, _)| {
        let victims = pieces().filter_map(|(victim, (owner, role))| {
            let row = tables.pairs[number][victim];
            (row != Threats::NO_ROW).then_some(Victim {
                owner,
                role,
                first_row: row & !Threats::IF_LATER,
                slot: tables.slots[number][victim],
                only_from_later_square: row & Threats::IF_LATER != 0,
            })
        });
        Attacker {
            owner,
            role,
            squares: tables.squares[number].to_vec(),
            victims: victims.collect(),
        }
    };
    let attackers = pieces().map(attacker);
    attackers
        .filter(|attacker| !attacker.victims.is_empty())
        .collect()
}
