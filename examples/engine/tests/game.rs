//! Whole games by the protocol.

mod session;

use std::process::Command;

use cozy_chess::util::parse_uci_move;
use cozy_chess::{Board, GameStatus};
use session::Session;

/// Longer games are drawn.
const MOST_PLIES: usize = 300;

/// Plays a game from the start, and returns its moves and the last position. Every move must be
/// legal.
fn play(mut players: [&mut Session; 2], go: [&str; 2]) -> (Vec<String>, Board) {
    let mut board = Board::default();
    let mut moves = Vec::new();
    for player in &mut players {
        player.say("uci");
        player.until("uciok");
        player.say("ucinewgame");
        player.ask("");
    }
    while board.status() == GameStatus::Ongoing && moves.len() < MOST_PLIES {
        let side = board.side_to_move() as usize;
        let position = format!("startpos moves {}", moves.join(" "));
        let (best, _) = players[side].best(position.trim_end_matches(" moves "), go[side]);
        let mv = parse_uci_move(&board, &best).expect("a move");
        assert!(board.is_legal(mv), "{best} in {board}");
        board.play(mv);
        moves.push(best);
    }
    (moves, board)
}

#[test]
fn two_of_its_kind_play_a_game() {
    let [mut network, mut material] = [Session::engine(), Session::engine()];
    material.ask("setoption name EvalFile value <material>");
    let (moves, board) = play([&mut network, &mut material], ["go nodes 2000"; 2]);
    assert!(moves.len() > 20, "{moves:?}");
    assert!(board.status() != GameStatus::Won || moves.len() < MOST_PLIES);
    for session in [network, material] {
        session.quit();
    }
}

#[test]
#[ignore = "needs the opponent gnuchess: apt-get install gnuchess"]
fn an_opponent_is_played_by_its_protocol() {
    let starts = |path: &&str| Command::new(path).arg("--version").output().is_ok();
    let gnuchess = ["gnuchess", "/usr/games/gnuchess"].into_iter().find(starts);
    let gnuchess = gnuchess.expect("gnuchess is installed");
    for color in 0..2 {
        let mut engine = Session::engine();
        let mut opponent = Session::start(Command::new(gnuchess).arg("--uci"));
        let mut players = [&mut engine, &mut opponent];
        // Its program breaks when it has much to tell at once, as after longer searches.
        let mut go = ["go nodes 20000", "go depth 4"];
        players.rotate_left(color);
        go.rotate_left(color);
        let (moves, board) = play(players, go);
        println!("{board} after {moves:?}");
        let is_mated = board.status() == GameStatus::Won;
        let loses = is_mated && board.side_to_move() as usize == color;
        assert!(!loses, "gnuchess won: {moves:?}");
    }
}
