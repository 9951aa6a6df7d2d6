//! The inputs: types of bullet if it has the spec's features, otherwise a type in the program.

pub mod board;
pub mod pawn_pairs;
pub mod piece_square;
pub mod threats;

use nnue_compiler::feature_set::piece_square::{
    BucketsBy, FirstSquare, Flip, Material, Mirror, Parameters, PieceOrder, Planes,
};
use nnue_compiler::feature_set::{Family, FeatureSet};
use nnue_compiler::format::ThreatRules;
use nnue_compiler::network::Network;

use super::Argument;

use self::board::Board;
use self::pawn_pairs::PawnPairs;
use self::piece_square::PieceSquare;
use self::threats::{Rules, Threats};

/// The inputs as the builder takes them.
pub(super) fn argument(network: &Network) -> Argument {
    match &network.features[..] {
        [
            FeatureSet {
                family: Family::PieceSquare(parameters),
                ..
            },
        ] => known(parameters).unwrap_or_else(|| own(network)),
        _ => own(network),
    }
}

/// The type of bullet for a set of piece-square features, if there is such a type.
fn known(parameters: &Parameters) -> Option<Argument> {
    let same = Parameters {
        king_buckets: parameters.king_buckets,
        mirror: parameters.mirror,
        ..Parameters::unbucketed()
    };
    if *parameters != same {
        return None;
    }
    let inputs = |name: &str, buckets: &[u8]| Argument {
        value: format!("{name}::new(KING_BUCKETS)"),
        items: format!(
            "/// The bucket of each square of the own king, rank by rank from the first.\n\
             #[rustfmt::skip]\n\
             const KING_BUCKETS: [usize; {}] = {};\n",
            buckets.len(),
            board_of(buckets),
        ),
    };
    match parameters.mirror {
        Mirror::None if parameters.buckets() == 1 => Some(Argument {
            value: "Chess768".into(),
            ..Argument::default()
        }),
        Mirror::None => Some(inputs("ChessBuckets", &parameters.king_buckets)),
        Mirror::AToD => {
            let left = parameters
                .king_buckets
                .chunks(8)
                .flat_map(|rank| &rank[..4]);
            let left: Vec<u8> = left.copied().collect();
            Some(inputs("ChessBucketsMirrored", &left))
        }
        Mirror::EToH => None,
    }
}

/// An array with a number for each square, in a line for each rank.
fn board_of(numbers: &[u8]) -> String {
    let rank = |numbers: &[u8]| {
        let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:2}")).collect();
        format!("    {},\n", numbers.join(", "))
    };
    let ranks: String = numbers.chunks(numbers.len() / 8).map(rank).collect();
    format!("[\n{ranks}]")
}

/// A set of features that the program itself implements.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a network has a few of them at most"
)]
pub enum Set {
    /// A row for each piece.
    PieceSquare(PieceSquare),
    /// A row for each attack.
    Threats(Rules),
    /// A row for each two pawns.
    PawnPairs(PawnPairs),
}

impl Set {
    /// The set that finds the rows of a feature set; `None` if a position of bullet does not tell
    /// its features, or if other pieces than queens choose the bucket.
    #[must_use]
    pub fn of(set: &FeatureSet) -> Option<Set> {
        Some(match &set.family {
            Family::PieceSquare(parameters) => Set::PieceSquare(pieces(parameters)?),
            Family::Threats(parameters) => Set::Threats(Rules {
                mirror_files: parameters.mirror.files(),
                targets: parameters.rules.targets.map(|row| {
                    row.map(|number| match number {
                        ThreatRules::NO_TARGET => -1,
                        number => number.into(),
                    })
                }),
                pushes: parameters.rules.pushes,
                mutual_once: parameters.rules.mutual_once,
                interleaved: parameters.rules.interleaved,
                by_square: parameters.rules.by_square,
            }),
            Family::PawnPairs(parameters) => Set::PawnPairs(PawnPairs {
                mirror_files: parameters.mirror.files(),
                file_distance: parameters.file_distance.into(),
            }),
            Family::Clock(_) | Family::Custom(_) => return None,
        })
    }

    /// The active rows of the player whose view `board` is, as the program finds them.
    #[must_use]
    pub fn rows(self, board: &Board) -> Vec<usize> {
        let mut rows = Vec::new();
        let found = |row| rows.push(row);
        match self {
            Set::PieceSquare(set) => set.find(board, found),
            Set::Threats(rules) => Threats::new(rules).find(board, found),
            Set::PawnPairs(set) => set.find(board, found),
        }
        rows
    }

    /// The name of the set's type, the set as an expression in Rust, and the text of the file that
    /// defines the type.
    fn written(&self) -> (&'static str, String, &'static str) {
        match self {
            Set::PieceSquare(set) => (
                "PieceSquare",
                format!("{set:?}"),
                include_str!("inputs/piece_square.rs"),
            ),
            Set::Threats(rules) => (
                "LazyLock<Threats>",
                format!("LazyLock::new(|| Threats::new({rules:?}))"),
                include_str!("inputs/threats.rs"),
            ),
            Set::PawnPairs(set) => (
                "PawnPairs",
                format!("{set:?}"),
                include_str!("inputs/pawn_pairs.rs"),
            ),
        }
    }
}

/// How many buckets there are for the opponent's queens; `None` if other pieces choose the bucket,
/// or if the buckets have another order than `queen_buckets` alone gives them.
pub(super) fn queen_buckets(parameters: &Parameters) -> Option<usize> {
    let is_of_queens = |material: &Material| {
        let queens = Material::of_queens(material.buckets() as i64);
        queens
            .is_some_and(|queens| queens.kinds == material.kinds && queens.value == material.value)
    };
    match &parameters.buckets_by[..] {
        [BucketsBy::King] => Some(1),
        [BucketsBy::King, BucketsBy::Material(inner)] if is_of_queens(inner) => {
            Some(inner.buckets()).filter(|buckets| *buckets == 2)
        }
        [BucketsBy::Material(outer), BucketsBy::King] if is_of_queens(outer) => {
            let is_alone = parameters.own_kings_buckets() == 1;
            Some(outer.buckets()).filter(|buckets| is_alone || *buckets != 2)
        }
        _ => None,
    }
}

fn pieces(parameters: &Parameters) -> Option<PieceSquare> {
    let turn = match parameters.first_square {
        FirstSquare::A1 => 0,
        FirstSquare::A8 => 56,
        FirstSquare::H1 => 7,
        FirstSquare::H8 => 63,
    };
    let kinds = match parameters.planes {
        Planes::NoKings => 5,
        Planes::All | Planes::MergedKings => 6,
        Planes::WithThreatened => 7,
    };
    let first_row = |owner: isize, kind: isize| {
        let plane = match parameters.piece_order {
            PieceOrder::Interleaved => 2 * kind + owner,
            PieceOrder::OpponentFirst => kinds * (1 - owner) + kind,
            PieceOrder::ByColour | PieceOrder::WhiteFirst => kinds * owner + kind,
        };
        parameters.offset as isize + 64 * plane
    };
    let mut rows = [0, 1].map(|owner| [0, 1, 2, 3, 4, 5].map(|kind| first_row(owner, kind)));
    let [own, opponents] = rows.map(|rows| rows[5]);
    match parameters.planes {
        Planes::NoKings => rows.iter_mut().for_each(|rows| rows[5] = -1),
        Planes::MergedKings => rows
            .iter_mut()
            .for_each(|rows| rows[5] = own.min(opponents)),
        Planes::All | Planes::WithThreatened => {}
    }
    Some(PieceSquare {
        rotates: parameters.flip == Flip::Rotate,
        mirror_files: parameters.mirror.files(),
        turn,
        king_buckets: parameters.king_buckets.map(usize::from),
        queen_buckets: queen_buckets(parameters)?,
        bucket_rows: (parameters.offset + 64 * parameters.planes.count()) as usize,
        first_row: rows,
        threatened: match parameters.planes {
            Planes::WithThreatened => [0, 1].map(|owner| first_row(owner, 6)),
            _ => [-1; 2],
        },
    })
}

/// The inputs as a type in the program that finds the rows of all sets.
fn own(network: &Network) -> Argument {
    let mut constants = String::new();
    let mut finds = String::new();
    let mut texts = vec![include_str!("inputs/board.rs")];
    let mut first = 0;
    for (number, set) in network.features.iter().enumerate() {
        let (kind, value, text) = match Set::of(set) {
            Some(set) => set.written(),
            None => continue,
        };
        let end = first + set.rows;
        constants += &formatted(&format!(
            "/// `{}`: the rows {first} to {}.\nstatic SET_{number}: {kind} = {value};",
            set.name,
            end - 1,
        ));
        constants.push('\n');
        let row = match first {
            0 => "row".into(),
            _ => format!("{first} + row"),
        };
        finds += &format!("    SET_{number}.find(board, |row| rows.push({row}));\n");
        first = end;
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let max_active: usize = network.features.iter().map(|set| set.max_active).sum();
    let names: Vec<&str> = network
        .features
        .iter()
        .map(|set| set.name.as_str())
        .collect();
    let names = names.join(" + ");
    let texts: Vec<String> = texts.into_iter().map(snippet).collect();
    let items = format!(
        r#"{constants}/// The active rows of the player who sees the board so.
fn rows(board: &Board) -> Vec<usize> {{
    let mut rows = Vec::with_capacity({max_active});
{finds}    rows
}}

/// The features of the spec.
#[derive(Clone, Copy)]
struct Inputs;

impl SparseInputType for Inputs {{
    type RequiredDataType = Position;

    fn num_inputs(&self) -> usize {{
        INPUTS
    }}

    fn max_active(&self) -> usize {{
        {max_active}
    }}

    fn map_features<F: FnMut(usize, usize)>(&self, position: &Position, mut f: F) {{
        let mut board = Board {{ pieces: [None; 64], is_opponents: false }};
        for (piece, square) in position.into_iter() {{
            board.pieces[usize::from(square)] = Some((usize::from(piece >> 3), usize::from(piece & 7)));
        }}
        // Both have as many rows. Their order does not matter.
        let (own, opponents) = (rows(&board), rows(&board.of_opponent()));
        assert_eq!(own.len(), opponents.len(), "the perspectives have different numbers of rows");
        own.into_iter().zip(opponents).for_each(|(own, opponents)| f(own, opponents));
    }}

    fn shorthand(&self) -> String {{
        INPUTS.to_string()
    }}

    fn description(&self) -> String {{
        {names:?}.to_string()
    }}
}}

{}"#,
        texts.join("\n")
    );
    Argument {
        value: "Inputs".into(),
        items,
    }
}

/// The text of a file, without the parts that only its module needs.
pub(super) fn snippet(text: &str) -> String {
    let is_ours = |line: &&str| line.starts_with("//!") || line.starts_with("use super::");
    let lines: Vec<&str> = text.lines().filter(|line| !is_ours(line)).collect();
    format!("{}\n", lines.join("\n").trim_start())
}

/// A Rust item as `rustfmt` would format it.
fn formatted(item: &str) -> String {
    match syn::parse_str(item) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => format!("{item}\n"),
    }
}
