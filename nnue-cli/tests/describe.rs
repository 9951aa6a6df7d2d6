//! `nnue describe`: what other programs read of a network.

use std::path::PathBuf;

use crate::networks::network_in;
use crate::program::{output, refusal, scratch, text};
use nnue_compiler::description::features::{
    Attacker, Family, Material, Orientation, OwnedRole, Owner, Role,
};
use nnue_compiler::description::{Description, SCHEMA};
use nnue_compiler::file_layout;
use nnue_interpreter::active_rows;
use nnue_runtime::{Board, Color, Piece, Position};
use nnue_test_support::specs::specs_in;
use serde_json::{Value, json};

/// Positions with and without queens, kings on all sides of the board, pawns that attack and block
/// one another, and pieces that threaten both weaker and stronger ones.
const POSITIONS: [&str; 9] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "q6q/8/2k5/8/8/5K2/8/Q6Q w - - 0 1",
    "7k/1q6/8/2N1r3/8/3n1B2/6Q1/K7 b - - 0 1",
    "2k5/8/1p1p1p2/pPpPpPpP/P1P1P1P1/8/8/5K2 w - - 0 1",
    "k7/8/8/3n1n2/2P1P1P1/1b1b4/8/7K b - - 0 1",
];

fn specs() -> Vec<PathBuf> {
    let found = specs_in("specs");
    assert!(found.len() > 50, "{found:?}");
    found
}

#[test]
fn every_spec_is_described_and_read_back() {
    for path in specs() {
        let network = network_in(&path);
        let printed = output(&["describe", &text(&path)]);
        let read: Description = serde_json::from_str(&printed).expect("it is a description");
        assert_eq!(read, Description::of(&network), "{}", path.display());
        assert_eq!(read.schema, SCHEMA);
        assert_eq!(output(&["describe", &text(&path)]), printed);
        if let Some(size) = read.file.size {
            assert_eq!(size as u64, file_layout(&network).max_len());
        }
    }
}

#[test]
fn what_is_no_spec_is_refused() {
    let spec = scratch("undescribed.toml", b"name = 1\n");
    let message = refusal(1, &["describe", &spec]);
    assert!(
        message.contains("error: `name` is an integer, expected a string\n"),
        "{message}"
    );
}

/// The keys and the form of the values that other programs depend on.
#[test]
fn small128_is_described_in_words_and_numbers_that_stay() {
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/small128.toml");
    let found: Value = serde_json::from_str(&output(&["describe", spec])).expect("it is JSON");
    let keys: Vec<&String> = found.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "buckets",
            "features",
            "file",
            "layers",
            "name",
            "output",
            "schema",
            "tensors",
            "transformer"
        ]
    );
    for (pointer, expected) in [
        ("/schema", json!(1)),
        ("/name", json!("small128")),
        ("/features/0/name", json!("HalfKAv2_hm")),
        ("/features/0/rows", json!(22528)),
        ("/features/0/max_active", json!(32)),
        ("/features/0/family/kind", json!("piece-square")),
        ("/features/0/family/planes", json!(11)),
        (
            "/features/0/family/orientation",
            json!({ "flip": [0, 56], "mirror_files": [0, 1, 2, 3] }),
        ),
        ("/features/0/family/king_buckets/63", json!(0)),
        ("/features/0/family/king_rows/4", json!(31 * 704)),
        (
            "/features/0/family/piece_rows/1",
            json!([64, 192, 320, 448, 576, 640, 0, 128, 256, 384, 512, 640]),
        ),
        ("/transformer/width", json!(128)),
        ("/transformer/accumulator", json!("i16")),
        ("/transformer/one", json!(127)),
        ("/transformer/activation/name", json!("crelu")),
        (
            "/transformer/pooling",
            json!({ "kind": "product", "block": 128, "shift": 7, "rounding": "floor" }),
        ),
        (
            "/transformer/perspectives",
            json!({ "count": 2, "order": "stm-first", "separate_weights": false }),
        ),
        ("/transformer/psqt/values", json!(8)),
        ("/buckets/count", json!(8)),
        ("/buckets/by_pieces/32", json!(7)),
        ("/layers/0/operation/kind", json!("affine")),
        ("/layers/0/operation/weights_one", json!([64, 1])),
        (
            "/layers/0/inputs",
            json!([{ "source": "transformer", "start": 0, "len": 128 }]),
        ),
        (
            "/layers/1/operation/functions/0",
            json!({
                "name": "sqr_crelu",
                "shift": 19,
                "rounding": null,
                "limit": 127,
                "formula": "min(x * x >> 19, 127)",
            }),
        ),
        (
            "/layers/4/output",
            json!({ "len": 32, "element": "u8", "ones": [127], "range": [0, 127] }),
        ),
        ("/output/heads/0/terms/1/layer", json!("fc_0")),
        (
            "/output/heads/0/terms/1/align",
            json!({ "kind": "exact", "factors": [[150, 127]] }),
        ),
        ("/output/units/denominator", json!(16)),
        (
            "/tensors/6/axes",
            json!([{ "axis": "output", "len": 32 }, { "axis": "input", "len": 30 }]),
        ),
        ("/tensors/6/padded", json!(32)),
        ("/tensors/8/one", json!([9600, 127])),
        (
            "/file/format",
            json!({ "kind": "stockfish", "version": 0x7AF3_2F20, "hash": 0x1C10_3C92 }),
        ),
        (
            "/file/sections/1",
            json!({
                "content": { "kind": "tensor", "name": "transformer.biases" },
                "offset": 16,
                "size": null,
            }),
        ),
        ("/file/stack_groups/0/stride", json!(3304)),
    ] {
        assert_eq!(found.pointer(pointer), Some(&expected), "{pointer}");
    }
}

/// Offsets and sizes lead to the numbers that the file was written with.
#[test]
fn tensors_are_where_the_description_says() {
    let spec = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../specs/bullet/multi_layer.toml"
    );
    let network = network_in(spec);
    let file = nnue_test_support::net_file::random_net_file(&network, 1);
    let description = Description::of(&network);
    assert_eq!(description.file.size, Some(file.len()));
    let layout = file_layout(&network);
    let parts = nnue_compiler::format::split(&layout, &file).expect("it is a net file");
    let numbers = parts.numbers().expect("nothing is compressed");
    let mut compared = 0;
    for section in &description.file.sections {
        let nnue_compiler::description::file::Content::Tensor { name } = &section.content else {
            continue;
        };
        let tensor = description.tensors.iter().find(|own| own.name == *name);
        let tensor = tensor.expect("sections name tensors");
        let own = numbers.iter().find(|numbers| numbers.tensor.name == *name);
        let first = own.expect("the loader has it").row(0, 0).next();
        let bytes = &file[section.offset.expect("nothing is compressed")..];
        let read = match &*tensor.element {
            "i8" => f64::from(bytes[0].cast_signed()),
            "i16" => f64::from(i16::from_le_bytes([bytes[0], bytes[1]])),
            "i32" => f64::from(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            "f32" => f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            other => panic!("{other}"),
        };
        assert_eq!(Some(read), first, "{name}");
        compared += 1;
    }
    assert_eq!(compared, description.tensors.len());
    assert!(compared > 3);
}

/// The description alone is enough to compute the active rows.
#[test]
fn active_rows_follow_from_the_description() {
    let mut seen = [false; 4];
    let more = ["tests/specs/features", "tests/zoo/specs"].map(specs_in);
    for path in specs().into_iter().chain(more.concat()) {
        let network = network_in(&path);
        let description = Description::of(&network);
        for set in &description.features {
            match set.family {
                Family::PieceSquare { .. } => seen[0] = true,
                Family::Threats { .. } => seen[1] = true,
                Family::PawnPairs { .. } => seen[2] = true,
                Family::Clock { .. } => seen[3] = true,
                Family::Custom { .. } => {}
            }
        }
        for fen in POSITIONS {
            let board: Board = fen.parse().expect("the position is right");
            let expected = active_rows(&network, &board);
            for perspective in Color::ALL {
                let mut expected = expected[perspective.index()].clone();
                let mut found = described_rows(&description, &board, perspective);
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{} {fen}", path.display());
            }
        }
    }
    assert_eq!(seen, [true; 4]);
}

/// A piece, and its colour: 0 for white.
type Placed = Option<(Role, usize)>;

fn described_rows(description: &Description, board: &Board, perspective: Color) -> Vec<usize> {
    let mut squares: [Placed; 64] = [None; 64];
    for (number, piece) in Piece::ALL.into_iter().enumerate() {
        for square in board.pieces(piece) {
            squares[square.index()] = Some((ROLES[number % 6], number / 6));
        }
    }
    let perspective = perspective.index();
    let mut rows = Vec::new();
    for set in &description.features {
        let of_set = match &set.family {
            Family::Custom { .. } => Vec::new(),
            Family::Clock {
                first,
                step,
                steps,
                king_rows,
            } => {
                let king = square_of_king(&squares, perspective);
                let row = board.halfmove_clock().checked_sub(*first).map(|after| {
                    king_rows[perspective][king] + u32::from((after / step).min(steps - 1))
                });
                row.into_iter().map(|row| row as usize).collect()
            }
            Family::PieceSquare { orientation, .. } => {
                let turn = turn(orientation, &squares, perspective);
                piece_square_rows(&set.family, &squares, turn, perspective)
            }
            Family::Threats {
                orientation,
                pushes,
                attackers,
            } => {
                let seen = seen(orientation, &squares, perspective);
                threat_rows(*pushes, attackers, &seen, perspective)
            }
            Family::PawnPairs {
                orientation,
                file_distance,
            } => {
                let seen = seen(orientation, &squares, perspective);
                pawn_pair_rows(usize::from(*file_distance), &seen, perspective)
            }
        };
        rows.extend(of_set.into_iter().map(|row| set.first_row + row));
    }
    rows
}

const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// The board as a perspective sees it.
fn seen(orientation: &Orientation, squares: &[Placed; 64], perspective: usize) -> [Placed; 64] {
    let turn = turn(orientation, squares, perspective);
    std::array::from_fn(|square| squares[square ^ turn])
}

/// What squares are exclusive-ored with.
fn turn(orientation: &Orientation, squares: &[Placed; 64], perspective: usize) -> usize {
    let turn = usize::from(orientation.flip[perspective]);
    let file = (square_of_king(squares, perspective) ^ turn) % 8;
    if orientation.mirror_files.contains(&(file as u8)) {
        turn ^ 7
    } else {
        turn
    }
}

fn square_of_king(squares: &[Placed; 64], colour: usize) -> usize {
    let king = Some((Role::King, colour));
    let square = squares.iter().position(|found| *found == king);
    square.expect("there are kings")
}

fn piece_square_rows(
    family: &Family,
    board: &[Placed; 64],
    turn: usize,
    perspective: usize,
) -> Vec<usize> {
    let Family::PieceSquare {
        king_rows,
        materials,
        piece_rows,
        threatened_rows,
        ..
    } = family
    else {
        unreachable!("it was asked for")
    };
    let king = square_of_king(board, perspective) ^ turn;
    let mut first = king_rows[king];
    for material in materials {
        first += material.rows[value(material, board, turn, perspective)];
    }
    let mut rows = Vec::new();
    for (square, placed) in board.iter().enumerate() {
        let Some((role, colour)) = *placed else {
            continue;
        };
        let piece = 6 * colour + role as usize;
        if let Some(plane) = piece_rows[perspective][piece] {
            rows.push((first + plane) as usize + (square ^ turn));
        }
        if let Some(threatened) = threatened_rows
            && is_threatened(board, square)
        {
            let plane = threatened[perspective][colour];
            rows.push((first + plane) as usize + (square ^ turn));
        }
    }
    rows
}

/// The value of a material on a board that is not turned.
fn value(material: &Material, board: &[Placed; 64], turn: usize, perspective: usize) -> usize {
    let is_counted = |(role, colour): (Role, usize)| {
        let owner = if colour == perspective {
            Owner::Own
        } else {
            Owner::Opponent
        };
        material.pieces.contains(&OwnedRole { owner, role })
    };
    let squares = (0..64).filter(|square| board[square ^ turn].is_some_and(is_counted));
    let squares: Vec<usize> = squares.collect();
    let Some(from) = &material.from else {
        return match squares[..] {
            [] => 0,
            [square] => 1 + square % 8 / 4 + 2 * (square / 32),
            _ => 5,
        };
    };
    let reached = from
        .iter()
        .filter(|from| usize::from(**from) <= squares.len());
    reached.count()
}

/// Whether a weaker piece of the other player attacks the piece on a square.
fn is_threatened(board: &[Placed; 64], square: usize) -> bool {
    let strength = |role| match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 2,
        Role::Rook => 3,
        Role::Queen => 4,
        Role::King => 9,
    };
    let Some((victim, colour)) = board[square].filter(|(role, _)| *role != Role::King) else {
        return false;
    };
    (0..64).any(|from| {
        board[from].is_some_and(|(role, own)| {
            // White's pawns go up.
            own != colour
                && strength(role) < strength(victim)
                && attacked(board, role, own == 0, from, false).contains(&square)
        })
    })
}

fn threat_rows(
    pushes: bool,
    attackers: &[Attacker],
    board: &[Placed; 64],
    perspective: usize,
) -> Vec<usize> {
    let owner = |colour| {
        if colour == perspective {
            Owner::Own
        } else {
            Owner::Opponent
        }
    };
    let mut rows = Vec::new();
    for from in 0..64 {
        let Some((role, colour)) = board[from] else {
            continue;
        };
        let mut all = attackers.iter();
        let attacker = all.find(|own| (own.owner, own.role) == (owner(colour), role));
        let Some(attacker) = attacker else { continue };
        let is_own = colour == perspective;
        let reached = attacked(&[None; 64], role, is_own, from, pushes);
        for to in attacked(board, role, is_own, from, pushes) {
            let Some((role, colour)) = board[to] else {
                continue;
            };
            let mut victims = attacker.victims.iter();
            let victim = victims.find(|own| (own.owner, own.role) == (owner(colour), role));
            let Some(victim) = victim else { continue };
            if victim.only_from_later_square && from < to {
                continue;
            }
            let before = reached.iter().filter(|square| **square < to).count();
            rows.push(
                (victim.first_row + attacker.squares[from]) as usize
                    + usize::from(victim.slot) * reached.len()
                    + before,
            );
        }
    }
    rows
}

/// The squares that a piece reaches: up to the first piece in each direction, that one included.
fn attacked(
    board: &[Placed; 64],
    role: Role,
    is_own: bool,
    from: usize,
    pushes: bool,
) -> Vec<usize> {
    const AROUND: [(i32, i32); 8] = [
        (1, 0),
        (0, 1),
        (-1, 0),
        (0, -1),
        (1, 1),
        (-1, 1),
        (-1, -1),
        (1, -1),
    ];
    let ahead = if is_own { 1 } else { -1 };
    let (steps, most) = match role {
        Role::Pawn if !(8..56).contains(&from) => (vec![], 0),
        Role::Pawn if pushes => (vec![(-1, ahead), (0, ahead), (1, ahead)], 1),
        Role::Pawn => (vec![(-1, ahead), (1, ahead)], 1),
        Role::Knight => {
            let steps = (-2..=2).flat_map(|x: i32| (-2..=2).map(move |y: i32| (x, y)));
            (steps.filter(|(x, y)| (x * y).abs() == 2).collect(), 1)
        }
        Role::Bishop => (AROUND[4..].to_vec(), 7),
        Role::Rook => (AROUND[..4].to_vec(), 7),
        Role::Queen => (AROUND.to_vec(), 7),
        Role::King => (AROUND.to_vec(), 1),
    };
    let mut squares = Vec::new();
    for (right, up) in steps {
        for step in 1..=most {
            let (file, rank) = (from as i32 % 8 + step * right, from as i32 / 8 + step * up);
            if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                break;
            }
            let to = (8 * rank + file) as usize;
            let is_push = role == Role::Pawn && right == 0;
            let is_blocked = board[to].is_some_and(|(role, _)| is_push && role != Role::Pawn);
            if !is_blocked {
                squares.push(to);
            }
            if board[to].is_some() {
                break;
            }
        }
    }
    squares
}

fn pawn_pair_rows(file_distance: usize, board: &[Placed; 64], perspective: usize) -> Vec<usize> {
    let pawns = (8..56).filter_map(|square| match board[square] {
        Some((Role::Pawn, colour)) if colour == perspective => Some(square - 8),
        Some((Role::Pawn, _)) => Some(square + 40),
        _ => None,
    });
    let mut pawns: Vec<usize> = pawns.collect();
    pawns.sort_unstable();
    let mut rows = Vec::new();
    for (index, high) in pawns.iter().enumerate() {
        for low in &pawns[..index] {
            if (high % 8).abs_diff(low % 8) <= file_distance {
                rows.push(high * (high - 1) / 2 + low);
            }
        }
    }
    rows
}
