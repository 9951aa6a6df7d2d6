//! Records of random games, written and read again.

use cozy_chess::{Board, Move};
use fastrand::Rng;

use super::stem::MOST_PLIES;
use super::*;
use crate::data::formats::{Units, game};
use crate::data::record::GameResult;

/// The records of a random game.
fn game(random: &mut Rng) -> Vec<Record> {
    let mut board = Board::default();
    let mut records = Vec::new();
    let result = [GameResult::White, GameResult::Draw, GameResult::Black][random.usize(..3)];
    for _ in 0..random.usize(1..300) {
        let mut legal: Vec<Move> = Vec::new();
        board.generate_moves(|of_piece| {
            legal.extend(of_piece);
            false
        });
        let Some(played) = random.choice(&legal) else {
            break;
        };
        records.push(Record {
            score: (random.u32(..20) > 0)
                .then(|| (random.i16(-32000..=32000) >> random.u32(..16)).into()),
            result: Some(result),
            ..game::record(&board, *played)
        });
        board.play_unchecked(*played);
    }
    records
}

fn written(records: &[Record]) -> Vec<u8> {
    let (mut writer, mut bytes) = (Writer::default(), Vec::new());
    for record in records {
        writer
            .append(record, &mut bytes)
            .expect("a record of a game");
    }
    writer.finish(&mut bytes);
    bytes
}

fn read_again(bytes: &[u8]) -> Vec<Record> {
    let chunk = Chunk {
        name: "games",
        first: 1,
        bytes,
        units: Units::default(),
    };
    let mut records = Vec::new();
    read(&chunk, &mut |record| {
        records.push(record.expect("a record"))
    });
    records
}

/// Records survive writing and reading, but the en passant square is there only if a pawn can
/// capture.
fn assert_same(found: &[Record], expected: &[Record]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let mut rest = found.rest;
        if rest.en_passant.is_none() {
            rest.en_passant = expected.rest.en_passant;
        }
        assert_eq!(Record { rest, ..*found }, *expected, "{expected}");
    }
}

#[test]
fn records_come_out_as_they_went_in() {
    let mut random = Rng::with_seed(5);
    let records: Vec<Record> = (0..150).flat_map(|_| game(&mut random)).collect();
    let bytes = written(&records);
    assert_same(&read_again(&bytes), &records);
    let per_record = bytes.len() as f64 / records.len() as f64;
    assert!(per_record < 5.0, "{per_record} bytes a record");
}

/// Where a record's move is not known, the next record tells it.
#[test]
fn moves_are_found_between_positions() {
    let mut random = Rng::with_seed(6);
    let records: Vec<Record> = (0..50).flat_map(|_| game(&mut random)).collect();
    let without_moves: Vec<Record> = records
        .iter()
        .map(|record| Record {
            tactical: None,
            played: None,
            ..*record
        })
        .collect();
    let mut expected = records;
    let ends: Vec<usize> = (0..expected.len())
        .filter(|index| {
            let next = expected.get(index + 1);
            next.is_none_or(|next| next.rest.ply == Some(0))
        })
        .collect();
    for end in ends {
        expected[end].tactical = None;
        expected[end].played = None;
    }
    let found = read_again(&written(&without_moves));
    assert_same(&found, &expected);
}

#[test]
#[ignore = "a million positions take several seconds"]
fn a_million_records_come_out_as_they_went_in() {
    let mut random = Rng::with_seed(7);
    let mut records = Vec::new();
    while records.len() < 1_000_000 {
        records.extend(game(&mut random));
    }
    let bytes = written(&records);
    assert!(bytes.windows(4).filter(|four| four == MAGIC).count() > 2);
    assert_same(&read_again(&bytes), &records);
}

/// While a chunk is read, whatever it holds takes a few times its bytes.
#[test]
fn what_is_kept_of_a_chunk_is_small() {
    let mut random = Rng::with_seed(8);
    let games: Vec<Record> = (0..150).flat_map(|_| game(&mut random)).collect();
    // Positions that do not follow one another.
    let alone: Vec<Record> = games.iter().copied().step_by(7).collect();
    for records in [games, alone] {
        let bytes = written(&records);
        let (chains, _) = chains(&bytes).expect("whole chains");
        let rest: usize = chains.iter().map(|chain| chain.rest.capacity()).sum();
        let kept = chains.capacity() * size_of::<Chain>() + rest * size_of::<(Move, i16)>();
        assert!(kept < 16 * bytes.len(), "{kept} of {}", bytes.len());
    }
}

/// Other programs keep clocks in a byte. A game of two kings goes on without end.
#[test]
fn counters_without_room_become_the_largest() {
    let mut records = Vec::new();
    let mut board: Board = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().expect("a position");
    for (clock, played) in (254..).zip(["e1d1", "e8d8", "d1e1", "d8e8"]) {
        let played = played.parse().expect("a move");
        let mut record = Record {
            score: Some(0.0),
            result: Some(GameResult::Draw),
            ..game::record(&board, played)
        };
        record.rest.halfmove_clock = clock;
        record.rest.ply = Some(clock + MOST_PLIES);
        records.push(record);
        board.play(played);
    }
    let mut writer = Writer::default();
    let mut bytes = Vec::new();
    for record in &records[..3] {
        writer.append(record, &mut bytes).expect("clocks are cut");
    }
    assert_eq!(writer.cut, 3);
    writer.finish(&mut bytes);
    let clocks = |bytes: &[u8]| -> Vec<(u16, Option<u16>)> {
        let rest = read_again(bytes).into_iter().map(|record| record.rest);
        rest.map(|rest| (rest.halfmove_clock, rest.ply)).collect()
    };
    // The chain goes on from the first position, whose half moves of the game were cut.
    let first = Some(MOST_PLIES);
    assert_eq!(clocks(&bytes)[0], (254, first));
    assert_eq!(clocks(&bytes)[2].0, 256);
    let last = written(&records[3..]);
    assert_eq!(clocks(&last), [(255, first)]);
}

/// The start position, the first move of a game, and its answer.
#[test]
fn the_bytes_of_a_short_game() {
    let mut board = Board::default();
    let mut records = Vec::new();
    for (played, score) in [("e2e4", 20), ("e7e5", -20)] {
        let played = played.parse().expect("a move");
        records.push(Record {
            score: Some(score as f32),
            result: Some(GameResult::White),
            ..game::record(&board, played)
        });
        board.play(played);
    }
    let expected = [
        &b"BINP"[..],
        &[36, 0, 0, 0],
        &[0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF],
        &[0x2D, 0x84, 0x4A, 0xD2, 0, 0, 0, 0],
        &[0x11, 0x11, 0x11, 0x11, 0x3E, 0x95, 0x5B, 0xE3],
        // From square 12 to square 28; 40; won by the side to move, at half move 0; clock 0.
        &[0x0C, 0x70, 0, 40, 0x80, 0, 0, 0],
        // One position follows: piece 4, the first of two squares, and the same score.
        &[0, 1, 0b0100_0000, 0b0000_0000],
    ]
    .concat();
    let bytes = written(&records);
    assert_eq!(bytes, expected);
    assert_same(&read_again(&bytes), &records);
}
