//! Net files with random damage: the loader refuses them or gives them back, and never panics.
//!
//! `NNUE_MUTATIONS=1000000 cargo test --release -p nnue-compiler --test compiler mutated_nets::` tries a
//! million of them.

use fastrand::Rng;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;

use crate::net_under_test::{NetUnderTest, specs};

/// How many files are tried unless `NNUE_MUTATIONS` says otherwise.
const MUTATIONS: u64 = 4_000;

/// Damages a file in one way of many.
fn mutate(file: &mut Vec<u8>, random: &mut Rng) {
    const WORDS: [[u8; 4]; 6] = [
        [0; 4],
        [0xFF; 4],
        [0, 0, 0, 0x80],
        [0xFF, 0xFF, 0xFF, 0x7F],
        // Infinite, and no number.
        [0, 0, 0x80, 0x7F],
        [0, 0, 0xC0, 0x7F],
    ];
    let at = random.usize(..file.len());
    let end = (at + 1 + random.usize(..64)).min(file.len());
    match random.usize(..9) {
        0 => file.truncate(at),
        1 => drop(file.drain(at..end)),
        2 => {
            let run = file[at..end].to_vec();
            let to = random.usize(..file.len());
            file.splice(to..to, run);
        }
        3 => {
            let run: Vec<u8> = (0..1 + random.usize(..40)).map(|_| random.u8(..)).collect();
            file.splice(at..at, run);
        }
        4 => {
            file.splice(at..at, *b"COMPRESSED_LEB128");
        }
        5 => {
            let word = WORDS[random.usize(..WORDS.len())];
            let end = (at + 4).min(file.len());
            file[at..end].copy_from_slice(&word[..end - at]);
        }
        6 => file[at..end].fill_with(|| random.u8(..)),
        // The beginning of the file has the lengths and the names.
        7 => {
            let at = random.usize(..file.len().min(48));
            file[at] = random.u8(..);
        }
        _ => file[at] ^= 1 << random.usize(..8),
    }
    if file.is_empty() {
        file.push(0);
    }
}

#[test]
fn damaged_files_are_refused_or_come_back() {
    let count = std::env::var("NNUE_MUTATIONS").ok();
    let count = count.map_or(MUTATIONS, |count| {
        count
            .parse()
            .unwrap_or_else(|_| panic!("`NNUE_MUTATIONS` is `{count}`, expected a number"))
    });
    let net = |spec| {
        let network = analyse(&SourceFile::new("spec.toml", spec));
        NetUnderTest::new(
            &network.unwrap_or_else(|errors| panic!("{errors}")),
            1 << 16,
        )
    };
    let mut nets: Vec<NetUnderTest> = specs().map(net).collect();
    let mut random = Rng::with_seed(20);
    let mut accepted = 0;
    for number in 0..count {
        let which = number as usize % nets.len();
        let net = &mut nets[which];
        let mut file = net.file.clone();
        for _ in 0..1 + random.usize(..3) {
            mutate(&mut file, &mut random);
        }
        accepted += u64::from(net.check(&file));
    }
    println!("{count} damaged files: {accepted} accepted");
    assert!(
        (count / 50..count * 3 / 4).contains(&accepted),
        "{accepted} of {count}"
    );
}
