//! Which records are used, and in which order.

use std::collections::BTreeSet;
use std::fmt::Write;

use nnue_tools::data::{
    BLOCK, Counts, DataError, Filter, Format, MARGIN, Options, Record, Share, Split, Unmet,
};

use super::reading::{Scratch, batches, good};

fn in_order() -> Options {
    Options {
        shuffle: None,
        ..Options::default()
    }
}

/// The records of one file that options choose.
fn chosen(format: Format, bytes: &[u8], options: &Options) -> (Vec<Record>, Counts) {
    let file = Scratch::new(bytes);
    let (batches, counts) = batches(vec![file.input(format)], options);
    match batches {
        Ok(batches) => (batches.concat(), counts),
        Err(DataError::Empty { .. }) => (Vec::new(), counts),
        Err(error) => panic!("{error}"),
    }
}

/// What positions say of the moves that were made before.
#[derive(Clone, Copy)]
enum Clocks {
    Counted,
    /// What stands where clocks have to stand and nobody counted.
    AlwaysFirst,
    Missing,
}

/// Games of `len` positions, which the score tells apart: 1000 times the game, and the ply.
fn games(games: usize, len: usize, clocks: Clocks) -> String {
    let mut text = String::new();
    for game in 0..games {
        for ply in 0..len {
            let side = if ply % 2 == 0 { 'w' } else { 'b' };
            let clocks = match clocks {
                Clocks::Counted => format!(" 0 {}", ply / 2 + 1),
                Clocks::AlwaysFirst => " 0 1".into(),
                Clocks::Missing => String::new(),
            };
            let score = 1000 * game + ply;
            let _ = writeln!(
                text,
                "4k3/8/8/8/8/8/4P3/4K3 {side} - -{clocks} | {score} | 0.5"
            );
        }
    }
    text
}

fn scores(records: &[Record]) -> Vec<u32> {
    records
        .iter()
        .map(|record| record.score.expect("a score") as u32)
        .collect()
}

#[test]
fn filters_ask_for_what_they_say() {
    const TEXT: &str = "\
4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 10 | 1.0
4k3/4Q3/8/8/8/8/8/4K3 b - - 0 2 | -900 | 1.0
4k3/8/8/1B6/8/8/8/4K3 b - - 0 3 | 400 | 0.5
4k3/8/8/8/8/3n4/8/4K3 w - - 0 4 | - | 0.5
4k3/8/8/8/8/8/3p4/4K3 w - - 0 5 | 1000 | -
4k3/8/8/8/4r3/4N3/8/4K3 w - -
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 7 | 0 | 0
";
    let used = |change: fn(&mut Filter)| {
        let mut options = in_order();
        change(&mut options.filter);
        let (records, counts) = chosen(Format::Text, TEXT.as_bytes(), &options);
        assert_eq!((counts.read, counts.used), (7, records.len() as u64));
        assert_eq!(counts.left_out.iter().sum::<u64>(), 7 - counts.used);
        let all = good(Format::Text, TEXT.as_bytes());
        let number = |record| {
            all.iter()
                .position(|other| other == record)
                .expect("one of all")
        };
        records.iter().map(number).collect::<Vec<_>>()
    };
    assert_eq!(used(|_| {}), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(used(|filter| filter.no_checks = true), [0, 5, 6]);
    assert_eq!(used(|filter| filter.scored = true), [0, 1, 2, 4, 6]);
    assert_eq!(used(|filter| filter.with_result = true), [0, 1, 2, 3, 6]);
    assert_eq!(used(|filter| filter.max_score = Some(400)), [0, 2, 3, 5, 6]);
    assert_eq!(used(|filter| filter.min_ply = Some(3)), [1, 2, 3, 4, 6]);
    assert_eq!(used(|filter| filter.max_ply = Some(5)), [0, 1, 2]);
    assert_eq!(used(|filter| filter.min_pieces = Some(4)), [5, 6]);
    assert_eq!(used(|filter| filter.max_pieces = Some(3)), [0, 1, 2, 3, 4]);
}

const GAME: &[u8] = b"1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxd5 4. Nf3 *\n";

#[test]
fn captures_are_left_out_where_the_move_is_known() {
    let game = String::from_utf8_lossy(GAME).replace("3. Nc3 Qxd5", "3. Nc3 Qd8");
    let options = Options {
        filter: Filter {
            no_captures: true,
            ..Filter::default()
        },
        ..in_order()
    };
    let (records, counts) = chosen(Format::Pgn, game.as_bytes(), &options);
    let plies: Vec<_> = records
        .iter()
        .filter_map(|record| record.rest.ply)
        .collect();
    assert_eq!(plies, [0, 1, 4, 5, 6]);
    assert_eq!(counts.left_out[Unmet::Capture as usize], 2);

    let refused = |format, filter| {
        let file = Scratch::new(b"");
        let options = Options {
            filter,
            ..in_order()
        };
        let (batches, _) = batches(vec![file.input(format)], &options);
        batches.expect_err("the format does not know").to_string()
    };
    let message = refused(Format::Text, options.filter.clone());
    assert!(
        message.ends_with("captures cannot be left out; pgn, viriformat and binpack do"),
        "{message}"
    );
    let message = refused(
        Format::Bullet,
        Filter {
            min_ply: Some(8),
            ..Filter::default()
        },
    );
    assert!(
        message.contains("bulletformat does not say how many moves"),
        "{message}"
    );
}

#[test]
fn bad_records_end_the_work_unless_they_are_skipped() {
    let file = Scratch::new(b"4k3/8/8/8/8/8/8/4K3 w\nnonsense\n");
    let input = || vec![file.input(Format::Text)];
    let (result, _) = batches(input(), &in_order());
    let message = result.expect_err("a bad record").to_string();
    assert!(
        message.starts_with("line 2 of `") && message.contains("found 1 field"),
        "{message}"
    );
    let (result, counts) = batches(
        input(),
        &Options {
            skip_bad: true,
            ..in_order()
        },
    );
    assert_eq!(result.expect("the other one").concat().len(), 1);
    assert_eq!((counts.read, counts.bad, counts.examples.len()), (1, 1, 1));
}

#[test]
fn nothing_left_is_an_error_that_says_why() {
    let file = Scratch::new(games(1, 10, Clocks::Counted).as_bytes());
    for endless in [false, true] {
        let filter = Filter {
            min_pieces: Some(30),
            ..Filter::default()
        };
        let options = Options {
            filter,
            endless,
            ..in_order()
        };
        let (result, _) = batches(vec![file.input(Format::Text)], &options);
        assert_eq!(
            result.expect_err("no positions").to_string(),
            "no positions are left: 10 records were read, 10 with another number of pieces"
        );
    }
}

/// Of every ten blocks one is held out, no game is in both parts, and together they are all.
#[test]
fn whole_games_are_held_out() {
    let (count, len) = (300, 70);
    let text = games(count, len, Clocks::Counted);
    let share = Share { part: 1, of: 10 };
    let part = |split, filter| {
        let options = Options {
            split,
            filter,
            ..in_order()
        };
        scores(&chosen(Format::Text, text.as_bytes(), &options).0)
    };
    let none = Filter::default();
    let training = part(Split::Training(share), none.clone());
    let held = part(Split::HeldOut(share), none);
    assert_eq!(training.len() + held.len(), count * len);
    let game = |score: &u32| score / 1000;
    let [of_training, of_held] =
        [&training, &held].map(|part| part.iter().map(game).collect::<BTreeSet<_>>());
    assert!(of_training.is_disjoint(&of_held));
    assert_eq!(of_training.len() + of_held.len(), count);
    // Blocks of 15 games, the first of 1000 positions or more; 20 blocks.
    assert_eq!(of_held.len(), 30);
    // The same games, whatever is filtered.
    let late = Filter {
        min_ply: Some(40),
        ..Filter::default()
    };
    let filtered: BTreeSet<_> = part(Split::HeldOut(share), late).iter().map(game).collect();
    assert_eq!(filtered, of_held);
}

/// Where nobody knows where games end, what may be of a game in both parts is in none.
#[test]
fn unknown_games_have_a_margin() {
    let (count, len) = (96, MARGIN as usize);
    let share = Share { part: 1, of: 4 };
    for clocks in [Clocks::Missing, Clocks::AlwaysFirst] {
        let text = games(count, len, clocks);
        let part = |split| {
            let options = Options {
                split,
                ..in_order()
            };
            scores(&chosen(Format::Text, text.as_bytes(), &options).0)
        };
        let (training, held) = (part(Split::Training(share)), part(Split::HeldOut(share)));
        let blocks = count * len / BLOCK as usize;
        assert_eq!(training.len(), blocks * BLOCK as usize * 3 / 4);
        assert_eq!(held.len(), blocks / 4 * (BLOCK - 2 * MARGIN) as usize);
        let games = |part: &[u32]| {
            part.iter()
                .map(|score| score / 1000)
                .collect::<BTreeSet<_>>()
        };
        assert!(games(&training).is_disjoint(&games(&held)));
    }
}

/// Of many short files some are held out.
#[test]
fn each_file_holds_out_other_blocks() {
    let files: Vec<_> = (0..8)
        .map(|_| Scratch::new(games(2, 10, Clocks::Counted).as_bytes()))
        .collect();
    let inputs = || files.iter().map(|file| file.input(Format::Text)).collect();
    let share = Share { part: 1, of: 4 };
    for (split, expected) in [(Split::HeldOut(share), 40), (Split::Training(share), 120)] {
        let (result, _) = batches(
            inputs(),
            &Options {
                split,
                ..in_order()
            },
        );
        assert_eq!(result.expect("some").concat().len(), expected);
    }
}

#[test]
fn the_seed_alone_decides_the_order() {
    let files = [
        games(100, 60, Clocks::Counted),
        games(40, 60, Clocks::Counted),
    ]
    .map(|text| Scratch::new(text.as_bytes()));
    let order = |seed, threads, shuffle| {
        let options = Options {
            seed,
            threads,
            shuffle,
            batch_size: 999,
            ..Options::default()
        };
        let inputs = files.iter().map(|file| file.input(Format::Text)).collect();
        let (result, _) = batches(inputs, &options);
        let batches = result.expect("records");
        let sizes: Vec<_> = batches.iter().map(Vec::len).collect();
        assert_eq!(sizes, [&[999; 8][..], &[408]].concat());
        scores(&batches.concat())
    };
    let unshuffled = order(1, 2, None);
    assert!(order(2, 5, None) == unshuffled, "the files' order");
    for room in [100, 1 << 20] {
        let first = order(1, 1, Some(room));
        for threads in [2, 3, 8] {
            assert!(order(1, threads, Some(room)) == first, "{threads} threads");
        }
        assert!(order(2, 2, Some(room)) != first, "another seed");
        let sorted = |mut scores: Vec<u32>| {
            scores.sort_unstable();
            scores
        };
        assert!(
            sorted(first) == sorted(unshuffled.clone()),
            "the same records"
        );
    }
}

/// With room for all, every place of the file is as likely at every place of the order.
#[test]
fn shuffling_is_uniform() {
    let text = games(1, 1000, Clocks::Counted);
    let options = Options {
        shuffle: Some(1000),
        seed: 5,
        ..Options::default()
    };
    let scores = scores(&chosen(Format::Text, text.as_bytes(), &options).0);
    let first_half: u32 = scores[..500].iter().filter(|score| **score < 500).count() as u32;
    // 250 on average, with a standard deviation of 8.
    assert!((210..290).contains(&first_half), "{first_half}");
    let in_place = scores
        .iter()
        .zip(0..)
        .filter(|(score, place)| *score == place)
        .count();
    assert!(in_place < 10, "{in_place}");
}

/// Without an end, files come again, in another order.
#[test]
fn an_endless_stream_goes_on_in_another_order() {
    use nnue_tools::data::{Batches, SharedCounts};
    let file = Scratch::new(games(1, 100, Clocks::Counted).as_bytes());
    let options = Options {
        endless: true,
        batch_size: 100,
        shuffle: Some(10),
        ..Options::default()
    };
    let first: Vec<Vec<u32>> = std::thread::scope(|scope| {
        let inputs = vec![file.input(Format::Text)];
        let batches = Batches::new(scope, inputs, options, SharedCounts::default());
        let batches = batches.expect("a filter that asks for nothing").take(5);
        batches
            .map(|batch| scores(&batch.expect("records")))
            .collect()
    });
    let mut counts = [0; 100];
    first
        .iter()
        .flatten()
        .for_each(|score| counts[*score as usize] += 1);
    assert!(
        counts.iter().all(|count| (4..=6).contains(count)),
        "{counts:?}"
    );
    assert_ne!(first[1], first[2]);
}

#[test]
fn a_limit_ends_the_batches() {
    let text = games(1, 10, Clocks::Counted);
    let sizes = |limit| -> Vec<usize> {
        let file = Scratch::new(text.as_bytes());
        let options = Options {
            batch_size: 4,
            limit: Some(limit),
            ..Options::default()
        };
        let (batches, _) = batches(vec![file.input(Format::Text)], &options);
        let batches = batches.expect("readable records");
        batches.iter().map(Vec::len).collect()
    };
    assert_eq!(sizes(6), [4, 2]);
    assert_eq!(sizes(8), [4, 4]);
    assert_eq!(sizes(100), [4, 4, 2]);
    assert!(sizes(0).is_empty());
}
