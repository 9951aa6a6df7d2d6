//! Weights that are used where the program has them.

use nnue_runtime::Network;
use nnue_tests::small128;

use super::{NET, check, embedded};

#[test]
fn embedded_weights_evaluate_as_the_file_does() {
    check(Network::<embedded::Net>::embedded());
    check(Network::<small128::Net>::from_bytes(NET).unwrap());
}

#[test]
fn nothing_but_the_layers_is_copied() {
    let weights = 6_515_520;
    // Other tests of this process take memory at the same time, but not each time.
    let growth = (0..8).map(|_| {
        let before = heap();
        let nets: [_; 4] = std::array::from_fn(|_| Network::<embedded::Net>::embedded());
        let after = heap();
        drop(nets);
        println!("four networks of {weights} bytes: {before} KiB before, {after} KiB after");
        after.saturating_sub(before)
    });
    assert!(growth.min() < Some(weights / 1024));
}

/// Private memory of this process that is not of a file, in KiB.
#[cfg(target_os = "linux")]
fn heap() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .expect("a number of KiB")
}

#[cfg(not(target_os = "linux"))]
fn heap() -> usize {
    println!("skipped: only Linux says how much memory a process has");
    0
}
