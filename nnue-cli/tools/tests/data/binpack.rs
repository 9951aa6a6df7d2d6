//! Binpack: what it keeps of records, and which of its chunks are damaged.

use std::slice;

use nnue_tools::data::{DataError, Format, Options, Record, SharedCounts, convert};

use super::reading::{Scratch, bad, converted, good, read};

/// Positions that follow one another, and others that do not.
const POSITIONS: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 20 | 1.0
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 | -15 | 1.0
rnbqkbnr/ppp1pppp/3p4/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 | - | 1.0
r3k2r/8/8/8/8/8/8/R3K2R w Kq - 120 80 | -300 | 0.5
r3k2r/8/8/8/8/8/8/R4RK1 b q - 121 80 | 310 | 0.5
2kr3r/8/8/8/8/8/8/R4RK1 w - - 122 81 | -32768 | 0.5
4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 5 | 1 | 0.0
4k3/4P3/8/8/8/8/8/4K3 b - - 3 9 | -1 | 0.0
";

fn text(bytes: &[u8]) -> String {
    let text = converted(Format::Binpack, bytes, Format::Text);
    String::from_utf8(text).expect("text")
}

fn binpack(text: &str) -> Vec<u8> {
    converted(Format::Text, text.as_bytes(), Format::Binpack)
}

#[test]
fn text_comes_out_as_it_went_in() {
    let bytes = binpack(POSITIONS);
    assert_eq!(text(&bytes), POSITIONS);
    let records = good(Format::Binpack, &bytes);
    let tactical: Vec<_> = records.iter().map(|record| record.tactical).collect();
    // The next position tells the move.
    let known = Some(false);
    assert_eq!(
        tactical,
        [known, known, None, known, known, None, None, None]
    );
    // Two chains, with a chain of its own for the last position, and two single positions.
    let single = 32 + 2;
    assert!(bytes.len() < 8 + 6 * single + 12, "{}", bytes.len());
}

#[test]
fn clocks_and_en_passant_squares_that_mean_nothing_are_dropped() {
    let bytes = binpack("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 9 | 12.4 | 1.0\n");
    assert_eq!(text(&bytes), "4k3/8/8/8/4P3/8/8/4K3 b - - 0 9 | 12 | 1.0\n");
}

/// A write that fails, and why.
fn refused(line: &str) -> String {
    let (file, written) = (Scratch::new(line.as_bytes()), Scratch::new(b""));
    let result = convert(
        vec![file.input(Format::Text)],
        &Options::default(),
        &SharedCounts::default(),
        Format::Binpack,
        slice::from_ref(&written.0),
    );
    match result {
        Err(DataError::Unsuitable { wrong, .. }) => wrong,
        other => panic!("{other:?}"),
    }
}

#[test]
fn records_that_binpack_cannot_hold_are_named() {
    const KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - -";
    for (line, words) in [
        (format!("{KINGS} 0 1 | 5"), "found no result"),
        (format!("{KINGS} | 5 | 1.0"), "found no number of moves"),
        (
            format!("{KINGS} 0 1 | 32002 | 1.0"),
            "the score is 32002, which stands for none",
        ),
        (
            format!("{KINGS} 0 1 | 40000 | 1.0"),
            "the score is 40000, allowed in binpack are -32768",
        ),
        (
            "4k3/8/8/8/8/8/8/1R2K3 w B - 0 1 | 5 | 1.0".into(),
            "found castling rights in `4k3/8/8/8/8/8/8/1R2K3 w B",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w K - 0 1 | 5 | 1.0".into(),
            "no game reaches the position: the castling field has the right `K`",
        ),
        (
            "4k3/8/8/8/8/8/8/R2K4 w Q - 0 1 | 5 | 1.0".into(),
            "found castling rights in `",
        ),
        (
            "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1 | 5 | 1.0".into(),
            "no game reaches the position",
        ),
    ] {
        let wrong = refused(&line);
        assert!(wrong.starts_with(words), "{line}: {wrong}");
    }
}

/// Three chunks of eight records each. The second chunk is damaged.
fn damaged(place: &str, damage: impl FnOnce(&mut Vec<u8>)) -> (Vec<Record>, String) {
    let chunk = binpack(POSITIONS);
    let mut second = chunk.clone();
    damage(&mut second);
    let file = [&chunk[..], &second, &chunk].concat();
    let (records, counts) = read(Format::Binpack, &file);
    assert_eq!(counts.bad, 1, "{:?}", counts.examples);
    let bad = counts.examples[0].to_string();
    assert!(bad.starts_with(place), "{bad}");
    (records.expect("the other chunks"), bad)
}

#[test]
fn damaged_chunks_are_skipped_and_named() {
    let stem = 8;
    for (place, byte, words) in [
        (7, 1, "found no header of a chunk"),
        (
            5,
            0x7F,
            "bytes before the next chunk or the end of the file",
        ),
        (4, 1, "found 1 bytes, expected at least 34"),
        (stem, 0, "the chain at byte 8: "),
        (stem + 8, 0x0D, "the chain at byte 8: "),
        (stem + 25, 0xFF, "half move 1 is `"),
        (stem + 28, 0xC0, "the result is -2, allowed"),
        (stem + 32, 0xFF, "the chain at byte 8: half move "),
    ] {
        let (records, bad) = damaged("chunk 2 of `", |bytes| bytes[place] = byte);
        assert_eq!(records.len(), 16, "{bad}");
        assert!(bad.contains(words), "{bad}");
    }
    let (records, bad) = damaged("chunk 2 of `", |bytes| bytes.truncate(30));
    assert_eq!(records.len(), 16, "{bad}");
    // A chunk without a header belongs to the chunk before it.
    let (records, bad) = damaged("chunk 1 of `", |bytes| bytes[0] = b'b');
    assert_eq!(records.len(), 16, "{bad}");
    assert!(bad.contains("bytes behind it, expected `BINP`"), "{bad}");
    let (records, bad) = damaged("chunk 1 of `", |bytes| bytes.insert(0, 0));
    assert_eq!(records.len(), 24, "{bad}");
}

#[test]
fn the_end_of_a_file_is_checked() {
    let chunk = binpack(POSITIONS);
    let torn = &chunk[..chunk.len() - 1];
    assert!(bad(Format::Binpack, torn)[0].wrong.starts_with("found "));
    let file = [&chunk[..], b"BI"].concat();
    let (records, counts) = read(Format::Binpack, &file);
    assert_eq!((records.expect("a chunk").len(), counts.bad), (8, 1));
}

/// A file of many chunks, read by several threads.
#[test]
fn chunks_are_read_in_their_order() {
    let chunk = binpack(POSITIONS);
    let records = good(Format::Binpack, &chunk.repeat(5000));
    let once = good(Format::Binpack, &chunk);
    assert_eq!(records.len(), 5000 * once.len());
    assert!(records.chunks(once.len()).all(|records| records == once));
}

/// Shuffled shards have all positions.
#[test]
fn shards_have_all_positions() {
    let file = Scratch::new(POSITIONS.repeat(50).as_bytes());
    let outputs = [Scratch::new(b""), Scratch::new(b"")];
    let options = Options {
        shuffle: Some(usize::MAX),
        ..Options::default()
    };
    let paths = outputs.each_ref().map(|output| output.0.clone());
    convert(
        vec![file.input(Format::Text)],
        &options,
        &SharedCounts::default(),
        Format::Binpack,
        &paths,
    )
    .expect("good records");
    let shards = paths.map(|path| text(&std::fs::read(path).expect("it was written")));
    let mut lines: Vec<&str> = shards.iter().flat_map(|shard| shard.lines()).collect();
    lines.sort_unstable();
    let mut expected: Vec<&str> = POSITIONS.lines().collect();
    expected.sort_unstable();
    assert!(
        lines
            .chunks(50)
            .map(|same| same[0])
            .eq(expected.iter().copied())
    );
    assert_eq!(lines.len(), 400);
}
