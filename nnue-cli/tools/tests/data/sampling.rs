//! Positions that are left out at random.

use std::fmt::Write;

use nnue_tools::data::{Counts, Filter, Format, Options, Record, Sampling, Unmet};

use super::reading::{Scratch, batches};

fn sampled(text: &str, sampling: &Sampling, seed: u64, threads: usize) -> (Vec<Record>, Counts) {
    let file = Scratch::new(text.as_bytes());
    let options = Options {
        shuffle: None,
        seed,
        threads,
        filter: Filter {
            sampling: sampling.clone(),
            ..Filter::default()
        },
        ..Options::default()
    };
    let (records, counts) = batches(vec![file.input(Format::Text)], &options);
    (records.expect("some are left").concat(), counts)
}

/// Positions with a score, a result, and a ply that counts up to 100 again and again.
fn positions(score: i32, result: &str) -> String {
    let mut text = String::new();
    for position in 0..10_000 {
        let ply = position % 100;
        let side = if ply % 2 == 0 { 'w' } else { 'b' };
        let score = if ply % 2 == 0 { score } else { -score };
        let number = ply / 2 + 1;
        let _ = writeln!(
            text,
            "4k3/8/8/8/8/8/4P3/4K3 {side} - - 0 {number} | {score} | {result}"
        );
    }
    text
}

#[test]
fn nothing_is_left_out_by_default() {
    let (records, _) = sampled(&positions(5000, "0.0"), &Sampling::default(), 1, 2);
    assert_eq!(records.len(), 10_000);
}

#[test]
fn unlikely_results_are_left_out() {
    let sampling = Sampling {
        agreeing: Some(100.0),
        ..Sampling::default()
    };
    let used = |score, result| {
        let (records, counts) = sampled(&positions(score, result), &sampling, 1, 2);
        let left_out = counts.left_out[Unmet::Disagreeing as usize];
        assert_eq!(records.len() as u64 + left_out, 10_000);
        records.len()
    };
    assert!(used(2000, "1.0") > 9_990);
    assert!((1000..9000).contains(&used(100, "1.0")));
    // A draw is likely at 0, and a win seldom.
    assert!(used(0, "0.5") > 5000);
    assert!(used(0, "1.0") < 3000);
    // What is not known speaks against nothing.
    assert_eq!(used(2000, "-"), 10_000);
}

#[test]
fn early_plies_are_seldom() {
    let sampling = Sampling {
        soft_ply: Some(50),
        ..Sampling::default()
    };
    let (records, counts) = sampled(&positions(0, "0.5"), &sampling, 1, 2);
    let mut of_plies = [0; 100];
    for record in &records {
        of_plies[usize::from(record.rest.ply.expect("FEN has it"))] += 1;
    }
    assert_eq!(of_plies[0], 0);
    // 100 positions have each ply; 4 and 2 of 100 deviate as often as not.
    let quarter: i32 = of_plies[10..15].iter().sum();
    assert!((90..160).contains(&quarter), "{quarter}");
    assert!(of_plies[50..].iter().all(|count| *count == 100));
    assert_eq!(
        counts.left_out[Unmet::Early as usize],
        10_000 - records.len() as u64
    );
}

/// 4 of 5 positions have 3 pieces, the others 4.
fn unequal() -> String {
    let mut text = String::new();
    for position in 0..20_000 {
        let pawns = if position % 5 == 0 { "2PP3" } else { "4P3" };
        let _ = writeln!(text, "4k3/8/8/8/8/8/{pawns}/4K3 w - - 0 1");
    }
    text.replace("2PP3", "2PP4")
}

#[test]
fn numbers_of_pieces_come_as_often_as_weights_say() {
    let used = |weights: &[(usize, f64)], seed, threads| {
        let mut pieces = [0.0; 33];
        weights
            .iter()
            .for_each(|(number, weight)| pieces[*number] = *weight);
        let sampling = Sampling {
            pieces: Some(pieces),
            ..Sampling::default()
        };
        sampled(&unequal(), &sampling, seed, threads).0
    };
    let counts = |weights: &[(usize, f64)]| {
        let records = used(weights, 1, 2);
        [3, 4].map(|number| {
            records
                .iter()
                .filter(|record| record.pieces() == number)
                .count()
        })
    };
    let [three, four] = counts(&[(3, 1.0), (4, 1.0)]);
    assert_eq!(four, 4000);
    assert!((3800..4500).contains(&three), "{three}");
    // They come in this relation, so all are used.
    assert!(counts(&[(3, 4.0), (4, 1.0)]).iter().sum::<usize>() > 19_900);
    // No more than nine of ten are left out.
    let [three, four] = counts(&[(3, 1.0), (4, 1000.0)]);
    assert_eq!(four, 4000);
    assert!((1500..2100).contains(&three), "{three}");
    assert_eq!(counts(&[(4, 1.0)]), [0, 4000]);
    let equal = [(3, 1.0), (4, 1.0)];
    let first = used(&equal, 1, 1);
    assert!(first == used(&equal, 1, 8), "the threads change nothing");
}

#[test]
fn the_seed_decides_alone() {
    let sampling = Sampling {
        agreeing: Some(208.0),
        soft_ply: Some(80),
        ..Sampling::default()
    };
    let text = positions(30, "1.0");
    let first = sampled(&text, &sampling, 1, 1).0;
    for threads in [2, 5] {
        assert!(first == sampled(&text, &sampling, 1, threads).0);
    }
    assert!(first != sampled(&text, &sampling, 2, 1).0);
}
