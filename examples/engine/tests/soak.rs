//! Many searches of eight threads over one network, each evaluation compared with a refresh.
//!
//! `NNUE_SOAK=1800 cargo test --release -p nnue-engine --features verify --test soak -- --ignored`
//! goes on for half an hour.

#![cfg(feature = "verify")]

mod session;

use std::time::{Duration, Instant};

use session::Session;

#[test]
#[ignore = "takes as long as it is told: a minute, or NNUE_SOAK seconds"]
fn eight_threads_find_what_refreshes_find() {
    let seconds = std::env::var("NNUE_SOAK").map_or(60, |text| text.parse().expect("a number"));
    let started = Instant::now();
    let mut session = Session::engine();
    session.ask("setoption name Threads value 8");
    let (mut games, mut searches) = (0, 0);
    while started.elapsed() < Duration::from_secs(seconds) {
        let mut moves = vec![["e2e4", "d2d4", "c2c4", "g1f3"][games % 4].to_owned()];
        session.ask("ucinewgame");
        while moves.len() < 200 && started.elapsed() < Duration::from_secs(seconds) {
            let position = format!("startpos moves {}", moves.join(" "));
            // A difference ends the engine, and with it the session.
            let (best, _) = session.best(&position, "go movetime 200");
            if best == "0000" {
                break;
            }
            moves.push(best);
            searches += 1;
        }
        games += 1;
    }
    session.quit();
    println!("{searches} searches in {games} games without a difference");
}
