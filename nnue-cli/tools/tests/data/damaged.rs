//! Whatever a file holds, reading it ends without a panic, and says what is wrong.

use std::fmt::Write;

use fastrand::Rng;
use nnue_tools::data::{DataError, Format};

use super::reading::{converted, read};

/// Bytes that are changed, left out, doubled, or cut off.
fn damage(bytes: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.usize(..4) {
        // Nothing is left to damage.
        if bytes.is_empty() {
            break;
        }
        let place = random.usize(..bytes.len());
        match random.usize(..5) {
            0 => bytes[place] = random.u8(..),
            1 => bytes[place] ^= 1 << random.usize(..8),
            2 => drop(bytes.remove(place)),
            3 => bytes.insert(place, bytes[random.usize(..bytes.len())]),
            _ => bytes.truncate(place),
        }
    }
    bytes
}

fn never_panics(format: Format, bytes: &[u8]) {
    let mut random = Rng::with_seed(7);
    let mut bad = 0;
    for _ in 0..1500 {
        let (result, counts) = read(format, &damage(bytes, &mut random));
        match result {
            Ok(records) => {
                // What was read can be looked at and written.
                for record in records {
                    assert!((2..=32).contains(&record.pieces()));
                    let _ = (record.is_check(), record.points());
                    let mut text = String::new();
                    write!(text, "{record}").expect("a FEN");
                    nnue_runtime::Board::from_fen(&text).expect("a position");
                }
            }
            Err(DataError::Empty { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(
            counts
                .examples
                .iter()
                .all(|bad| !bad.wrong.is_empty() && !bad.wrong.ends_with('.'))
        );
        bad += counts.bad;
    }
    assert!(bad > 100, "{bad}: damage is seen");
}

#[test]
fn damaged_text() {
    never_panics(
        Format::Text,
        b"# text\nr3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 | -35 | 1.0\n\
          4k3/8/8/8/4pP2/8/8/4K3 b - f3 0 40 | 12 | 0.5\n",
    );
}

#[test]
fn damaged_games() {
    never_panics(
        Format::Pgn,
        b"[Event \"?\"]\n[FEN \"rn2k2r/8/8/8/8/8/P6p/R3K3 w Qkq - 0 10\"]\n[Result \"0-1\"]\n\n\
          10. O-O-O {+0.35/12 1.2s} h1=Q+ {[%eval #-3]} 11. Kb2 {-M4/9} (11. Kc2 Q1h2) Qxd1 $4 ; end\n0-1\n\n\
          [Event \"?\"]\n\n1. e4 {0.10/3} e5 2. Nf3 *\n",
    );
}

/// A position of viriformat's specification, with rooks that may castle, and four moves.
const VIRI: [u8; 52] = [
    0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0x16, 0x42, 0x25, 0x61, 0, 0, 0, 0, 0x88, 0x88, 0x88, 0x88,
    0x9E, 0xCA, 0xAD, 0xE9, 0x40, 0, 1, 0, 0, 0, 2, 0, 0x0C, 0x07, 0x0A, 0, 0x34, 0x09, 0x14, 0,
    0x46, 0x05, 0xE2, 0xFF, 0x39, 0x0A, 0xFF, 0x7F, 0, 0, 0, 0,
];

#[test]
fn damaged_viriformat() {
    let (records, _) = read(Format::Viri, &VIRI);
    let last = records.expect("a game").pop().expect("positions");
    assert_eq!(
        last.to_string(),
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
    );
    never_panics(Format::Viri, &VIRI.repeat(2));
}

#[test]
fn damaged_bulletformat() {
    let record = [
        &VIRI[..8],
        &[0x13, 0x42, 0x25, 0x31],
        &[0; 4],
        &[0x88; 4],
        &[0x9B, 0xCA, 0xAD, 0xB9],
    ]
    .concat();
    let record = [&record[..], &[30, 0, 2, 4, 60, 0, 0, 0]].concat();
    let (records, _) = read(Format::Bullet, &record);
    assert_eq!(
        records.expect("a record")[0].to_string(),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -"
    );
    never_panics(Format::Bullet, &record.repeat(3));
}

/// The games of the other tests, as this crate writes them.
#[test]
fn damaged_binpack() {
    let games = b"[FEN \"rn2k2r/8/8/8/8/8/P6p/R3K3 w Qkq - 0 10\"]\n[Result \"0-1\"]\n\n\
          10. O-O-O {+0.35/12 1.2s} h1=Q+ {[%eval #-3]} 11. Kb2 {-M4/9} Qxd1 0-1\n\n\
          [Result \"1/2-1/2\"]\n\n1. e4 {0.10/3} e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 1/2-1/2\n";
    let chunk = converted(Format::Pgn, games, Format::Binpack);
    let (records, _) = read(Format::Binpack, &chunk);
    assert_eq!(records.expect("games").len(), 12);
    never_panics(Format::Binpack, &chunk.repeat(2));
}
