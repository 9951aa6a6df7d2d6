//! Games as PGN, with the engines' comments on each move: `{+0.35/12 0.052s}` has the score in
//! pawns from the view of the player that moved (`M5` for mate in five), the depth, and the time.

use std::fmt::Write;

use cozy_chess::{Board, Color};
use nnue_compiler::format::foreign;

use crate::matches::engine::Score;
use crate::matches::game::{Game, Limit, Reason, Rules, Turn, fen};
use crate::matches::player::{Player, Side};

/// The text of a game, with an empty line at the end. `round` is the number of its pair, and its
/// number in the pair.
pub(crate) fn pgn(
    game: &Game,
    opening: &Board,
    players: &[Player; 2],
    rules: &Rules,
    round: (usize, usize),
) -> String {
    let name = |color| &*players[game.player(color) as usize].name;
    let (pair, number) = round;
    let mut tags = vec![
        ("Event", "nnue match".to_string()),
        ("Site", "?".into()),
        // Without a date, a match that is played again gives the same file.
        ("Date", "????.??.??".into()),
        ("Round", format!("{pair}.{number}")),
        ("White", name(Color::White).into()),
        ("Black", name(Color::Black).into()),
        ("Result", result(game).into()),
    ];
    if rules.chess960 {
        tags.push(("Variant", "Chess960".into()));
    }
    tags.extend([
        ("SetUp", "1".into()),
        ("FEN", fen(opening, rules.chess960)),
        ("PlyCount", game.moves.len().to_string()),
        ("TimeControl", time_control(rules.limit)),
        ("Termination", termination(game.reason).into()),
    ]);
    let mut text = String::new();
    for (name, value) in tags {
        let value = foreign(value).to_string();
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    text.push('\n');
    wrap(&tokens(game, opening), &mut text);
    text.push('\n');
    text
}

fn tokens(game: &Game, opening: &Board) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut number = opening.fullmove_number();
    let mut color = opening.side_to_move();
    for (ply, turn) in game.moves.iter().enumerate() {
        let dots = match color {
            Color::White => format!("{number}. "),
            Color::Black if ply == 0 => format!("{number}... "),
            Color::Black => String::new(),
        };
        tokens.push(format!("{dots}{}", turn.san));
        tokens.push(format!("{{{}}}", comment(turn)));
        number = number.saturating_add(u16::from(color == Color::Black));
        color = !color;
    }
    tokens.push(format!("{{{}}}", ending(game)));
    tokens.push(result(game).into());
    tokens
}

fn comment(turn: &Turn) -> String {
    let seconds = turn.time.as_secs_f64();
    let depth = turn.depth.unwrap_or(0);
    match turn.score {
        None => format!("{seconds:.3}s"),
        Some(Score::Centipawns(value)) => {
            format!("{:+.2}/{depth} {seconds:.3}s", f64::from(value) / 100.0)
        }
        Some(Score::Mate(moves)) => {
            let sign = if moves > 0 { '+' } else { '-' };
            format!("{sign}M{}/{depth} {seconds:.3}s", moves.unsigned_abs())
        }
    }
}

/// Why the game ended, in words.
pub(crate) fn ending(game: &Game) -> String {
    let loser = match game.winner {
        Some(winner) if game.player(Color::White) == winner => "black",
        _ => "white",
    };
    let said = match game.reason {
        Reason::Checkmate => format!("{loser} is mated"),
        Reason::Stalemate => "draw by stalemate".into(),
        Reason::Repetition => "draw by repetition".into(),
        Reason::FiftyMoves => "draw by the rule of fifty moves".into(),
        Reason::Material => "draw by insufficient material".into(),
        Reason::AdjudicatedDraw => "draw by adjudication".into(),
        Reason::AdjudicatedWin => format!("{loser} loses by adjudication"),
        Reason::Crash => format!("{loser} crashes"),
        Reason::Hang => format!("{loser} hangs"),
        Reason::IllegalMove => format!("{loser} makes an illegal move"),
        Reason::Time => format!("{loser} loses on time"),
    };
    match &*game.detail {
        "" => said,
        // A comment ends at the first brace, so braces are removed.
        detail => format!("{said}: {}", detail.replace(['{', '}'], "")),
    }
}

fn result(game: &Game) -> &'static str {
    match game.winner {
        None => "1/2-1/2",
        Some(winner) if winner == game.white => "1-0",
        Some(Side::A | Side::B) => "0-1",
    }
}

fn termination(reason: Reason) -> &'static str {
    match reason {
        Reason::Checkmate
        | Reason::Stalemate
        | Reason::Repetition
        | Reason::FiftyMoves
        | Reason::Material => "normal",
        Reason::AdjudicatedDraw | Reason::AdjudicatedWin => "adjudication",
        Reason::Crash | Reason::Hang => "abandoned",
        Reason::IllegalMove => "rules infraction",
        Reason::Time => "time forfeit",
    }
}

fn time_control(limit: Limit) -> String {
    match limit {
        // There is no clock in this case.
        Limit::Nodes(_) => "-".into(),
        Limit::MoveTime(time) => format!("1/{}", time.as_secs_f64()),
        Limit::Clock { base, increment } => {
            format!("{}+{}", base.as_secs_f64(), increment.as_secs_f64())
        }
    }
}

/// Lines of at most 100 characters, unless a comment is longer.
fn wrap(tokens: &[String], text: &mut String) {
    const WIDTH: usize = 100;

    let mut width = 0;
    for token in tokens {
        let length = token.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            text.push('\n');
            width = 0;
        }
        if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(token);
        width += length;
    }
    text.push('\n');
}
