//! A game: the rules of chess, the clocks, and engines that break either of them.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cozy_chess::util::{display_san_move, display_uci_move, parse_uci_move};
use cozy_chess::{Board, Color, GameStatus, Move, Piece};
use nnue_compiler::format::foreign;
use serde::{Deserialize, Serialize};

use crate::matches::adjudication::{Adjudicator, Decision, DrawRule, WinRule};
use crate::matches::engine::{Engine, Fault, Score, Thought};
use crate::matches::player::{Player, Side};

/// How much an engine may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The number of nodes for each move.
    Nodes(u64),
    /// The time for each move.
    MoveTime(Duration),
    /// A clock: time for the game, and an increment for each move.
    Clock {
        /// The time for the game.
        base: Duration,
        /// The increment for each move.
        increment: Duration,
    },
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            Limit::MoveTime(time) => write!(f, "{} ms a move", time.as_millis()),
            Limit::Clock { base, increment } => {
                write!(f, "{}+{} s", base.as_secs_f64(), increment.as_secs_f64())
            }
        }
    }
}

/// The rules of the games.
#[derive(Clone, Debug)]
pub struct Rules {
    /// How much an engine may think.
    pub limit: Limit,
    /// Whether the game is Chess960. Engines get `UCI_Chess960` to know it.
    pub chess960: bool,
    /// The rule that calls a game a draw.
    pub draw: Option<DrawRule>,
    /// The rule that calls a game a win.
    pub win: Option<WinRule>,
    /// How late an answer may come after the end of its time.
    pub margin: Duration,
    /// How long an engine may take for answers that no clock limits.
    pub patience: Duration,
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The loser is mated.
    Checkmate,
    /// A player has no legal move, and is not in check.
    Stalemate,
    /// A position occurred for the third time.
    Repetition,
    /// Fifty moves of each player were neither captures nor pawn moves.
    FiftyMoves,
    /// Neither player has the material to mate.
    Material,
    /// [`DrawRule`] called it a draw.
    AdjudicatedDraw,
    /// [`WinRule`] called it a win.
    AdjudicatedWin,
    /// The process of the loser's engine ended.
    Crash,
    /// The loser's engine did not answer.
    Hang,
    /// The loser's engine answered with a text that is no legal move.
    IllegalMove,
    /// The loser's time ran out.
    Time,
}

impl Reason {
    /// Whether the reason is a fault of the loser's engine, and not of its chess.
    #[must_use]
    pub fn is_forfeit(self) -> bool {
        matches!(
            self,
            Reason::Crash | Reason::Hang | Reason::IllegalMove | Reason::Time
        )
    }
}

/// The moves of a player, with the nodes and the time that they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// The number of moves.
    pub moves: u64,
    /// The nodes of the searches, as reported by the engine.
    pub nodes: u64,
    /// The time of the searches in seconds.
    pub seconds: f64,
}

/// A move that was played.
pub(crate) struct Turn {
    pub(crate) san: String,
    pub(crate) score: Option<Score>,
    pub(crate) depth: Option<u32>,
    pub(crate) time: Duration,
}

/// A game that has ended.
pub(crate) struct Game {
    pub(crate) white: Side,
    pub(crate) moves: Vec<Turn>,
    /// The side that won; `None` is a draw.
    pub(crate) winner: Option<Side>,
    pub(crate) reason: Reason,
    /// More words about the reason; may be empty.
    pub(crate) detail: String,
    /// The usage of A and B.
    pub(crate) usage: [Usage; 2],
}

/// A place where the two players meet, with their engines.
pub(crate) struct Seats<'a> {
    players: &'a [Player; 2],
    rules: &'a Rules,
    stop: &'a AtomicBool,
    engines: [Option<Engine<'a>>; 2],
}

/// How a game ends, for the player to move.
enum End {
    Draw(Reason),
    Loss(Reason, String),
}

impl<'a> Seats<'a> {
    pub(crate) fn new(
        players: &'a [Player; 2],
        rules: &'a Rules,
        stop: &'a AtomicBool,
    ) -> Seats<'a> {
        Seats {
            players,
            rules,
            stop,
            engines: [None, None],
        }
    }

    /// Prepares a player's engine for a game, and starts it if it does not run.
    ///
    /// # Errors
    ///
    /// A fault of an engine that was just started: starting it again would not help.
    pub(crate) fn prepare(&mut self, side: Side) -> Result<(), Fault> {
        let Rules {
            chess960, patience, ..
        } = *self.rules;
        let engine = &mut self.engines[side as usize];
        if let Some(running) = engine {
            match running.new_game(patience) {
                Ok(()) => return Ok(()),
                Err(Fault::Stopped) => return Err(Fault::Stopped),
                Err(_) => *engine = None,
            }
        }
        let player = &self.players[side as usize];
        let started = Engine::start(player, chess960, patience, self.stop).and_then(|mut new| {
            new.new_game(patience)?;
            Ok(new)
        });
        *engine = Some(started.map_err(|fault| match fault {
            Fault::Crashed(_) | Fault::Silent(_) => {
                let program = foreign(player.program.display());
                Fault::Unusable(format!("`{program}` does not start: {fault}"))
            }
            Fault::Unusable(_) | Fault::Stopped => fault,
        })?);
        Ok(())
    }

    /// Plays a game.
    ///
    /// # Errors
    ///
    /// A fault that ends the match, and not only this game.
    pub(crate) fn play(&mut self, opening: &Board, white: Side) -> Result<Game, Fault> {
        for side in Side::BOTH {
            self.prepare(side)?;
        }
        let mut game = Game {
            white,
            moves: Vec::new(),
            winner: None,
            reason: Reason::Stalemate,
            detail: String::new(),
            usage: [Usage::default(); 2],
        };
        let mut line = MoveHistory::new(opening, self.rules.chess960);
        let mut adjudicator = Adjudicator::new(self.rules.draw, self.rules.win);
        let mut clocks = [match self.rules.limit {
            Limit::Clock { base, .. } => base,
            Limit::Nodes(_) | Limit::MoveTime(_) => Duration::ZERO,
        }; 2];
        loop {
            let color = line.board.side_to_move();
            let side = game.player(color);
            let end = match line.end() {
                Some(end) => Some(end),
                None => match self.think(side, color, &line, &mut clocks)? {
                    Err(end) => Some(end),
                    Ok((best, thought)) => {
                        game.take(side, &line.board, best, &thought);
                        let number = line.board.fullmove_number();
                        line.play(best);
                        let score = thought.score.map(Score::centipawns);
                        let is_irreversible = line.board.halfmove_clock() == 0;
                        match adjudicator.take(color, score, number, is_irreversible) {
                            // A mate ends the game, whatever the scores are.
                            Some(_) if line.end().is_some() => None,
                            Some(Decision::Draw) => Some(End::Draw(Reason::AdjudicatedDraw)),
                            Some(Decision::Win(winner)) => {
                                game.winner = Some(game.player(winner));
                                game.reason = Reason::AdjudicatedWin;
                                return Ok(game);
                            }
                            None => None,
                        }
                    }
                },
            };
            match end {
                None => {}
                Some(End::Draw(reason)) => {
                    game.reason = reason;
                    return Ok(game);
                }
                Some(End::Loss(reason, detail)) => {
                    game.winner = Some(side.other());
                    game.reason = reason;
                    game.detail = detail;
                    return Ok(game);
                }
            }
        }
    }

    /// Lets a player move. Returns a legal move in time, or how the game ends without a move.
    fn think(
        &mut self,
        side: Side,
        color: Color,
        line: &MoveHistory,
        clocks: &mut [Duration; 2],
    ) -> Result<Result<(Move, Thought), End>, Fault> {
        let Rules {
            margin, patience, ..
        } = *self.rules;
        let (go, allowed) = match self.rules.limit {
            Limit::Nodes(nodes) => (format!("go nodes {nodes}"), None),
            Limit::MoveTime(time) => (format!("go movetime {}", time.as_millis()), Some(time)),
            Limit::Clock { increment, .. } => {
                let [white, black] = clocks.map(|clock| clock.as_millis());
                let increment = increment.as_millis();
                let go =
                    format!("go wtime {white} btime {black} winc {increment} binc {increment}");
                (go, Some(clocks[color as usize]))
            }
        };
        let Some(engine) = &mut self.engines[side as usize] else {
            unreachable!("`play` has prepared both engines");
        };
        let latest = allowed.map_or(patience, |time| time + margin);
        let fault = match engine.think(&line.position, &go, latest) {
            Ok(thought) => {
                if allowed.is_some_and(|time| thought.time > time + margin) {
                    return Ok(Err(late(thought.time, allowed)));
                }
                if let Limit::Clock { increment, .. } = self.rules.limit {
                    let clock = &mut clocks[color as usize];
                    *clock = clock.saturating_sub(thought.time) + increment;
                }
                return Ok(match line.legal(&thought.best) {
                    Some(best) => Ok((best, thought)),
                    None => {
                        let detail = format!("`{}` in {}", foreign(&thought.best), line.fen());
                        Err(End::Loss(Reason::IllegalMove, detail))
                    }
                });
            }
            Err(fault) => fault,
        };
        match fault {
            Fault::Stopped => Err(fault),
            Fault::Silent(time) if allowed.is_some() => {
                // The engine may go on searching, but the game is over.
                if engine.interrupt(Duration::from_secs(1)).is_err() {
                    self.engines[side as usize] = None;
                }
                Ok(Err(late(time, allowed)))
            }
            Fault::Silent(_) => {
                self.engines[side as usize] = None;
                Ok(Err(End::Loss(Reason::Hang, fault.to_string())))
            }
            Fault::Crashed(_) | Fault::Unusable(_) => {
                self.engines[side as usize] = None;
                Ok(Err(End::Loss(Reason::Crash, fault.to_string())))
            }
        }
    }
}

fn late(took: Duration, allowed: Option<Duration>) -> End {
    let [took, allowed] = [took, allowed.unwrap_or_default()].map(|time| time.as_millis());
    End::Loss(Reason::Time, format!("{took} ms of {allowed}"))
}

impl Game {
    /// The player with the pieces of this colour.
    pub(crate) fn player(&self, color: Color) -> Side {
        match color {
            Color::White => self.white,
            Color::Black => self.white.other(),
        }
    }

    fn take(&mut self, side: Side, board: &Board, best: Move, thought: &Thought) {
        let usage = &mut self.usage[side as usize];
        usage.moves += 1;
        usage.nodes += thought.nodes.unwrap_or(0);
        usage.seconds += thought.time.as_secs_f64();
        self.moves.push(Turn {
            san: display_san_move(board, best).to_string(),
            score: thought.score,
            depth: thought.depth,
            time: thought.time,
        });
    }
}

/// A position, with the moves and positions that led to it.
struct MoveHistory {
    board: Board,
    /// Positions since the last capture or move of a pawn, without the current one.
    before: Vec<Board>,
    /// The command `position` of UCI.
    position: String,
    chess960: bool,
}

impl MoveHistory {
    fn new(opening: &Board, chess960: bool) -> MoveHistory {
        let mut line = MoveHistory {
            board: opening.clone(),
            before: Vec::new(),
            position: String::new(),
            chess960,
        };
        line.position = format!("position fen {}", line.fen());
        line
    }

    fn fen(&self) -> String {
        fen(&self.board, self.chess960)
    }

    /// The legal move that an engine's text names.
    fn legal(&self, text: &str) -> Option<Move> {
        let best = if self.chess960 {
            text.parse().ok()?
        } else {
            parse_uci_move(&self.board, text).ok()?
        };
        self.board.is_legal(best).then_some(best)
    }

    fn play(&mut self, best: Move) {
        if self.before.is_empty() && !self.position.contains(" moves") {
            self.position += " moves";
        }
        self.position += &if self.chess960 {
            format!(" {best}")
        } else {
            format!(" {}", display_uci_move(&self.board, best))
        };
        self.before.push(self.board.clone());
        self.board.play_unchecked(best);
        if self.board.halfmove_clock() == 0 {
            self.before.clear();
        }
    }

    /// How the rules of chess end the game for the player to move.
    fn end(&self) -> Option<End> {
        let is_same = |before: &&Board| before.same_position(&self.board);
        match self.board.status() {
            GameStatus::Won => Some(End::Loss(Reason::Checkmate, String::new())),
            GameStatus::Drawn if self.board.halfmove_clock() >= 100 && can_move(&self.board) => {
                Some(End::Draw(Reason::FiftyMoves))
            }
            GameStatus::Drawn => Some(End::Draw(Reason::Stalemate)),
            GameStatus::Ongoing if is_insufficient(&self.board) => {
                Some(End::Draw(Reason::Material))
            }
            GameStatus::Ongoing if self.before.iter().filter(is_same).count() >= 2 => {
                Some(End::Draw(Reason::Repetition))
            }
            GameStatus::Ongoing => None,
        }
    }
}

/// The FEN of a position. In Chess960, castling rights are the files of the rooks.
pub(crate) fn fen(board: &Board, chess960: bool) -> String {
    if chess960 {
        format!("{board:#}")
    } else {
        board.to_string()
    }
}

/// Whether the player to move has a legal move.
pub(crate) fn can_move(board: &Board) -> bool {
    board.generate_moves(|_| true)
}

/// Whether nobody can mate: there is a minor piece at most, or only bishops on squares of one
/// colour.
fn is_insufficient(board: &Board) -> bool {
    let mating = [Piece::Pawn, Piece::Rook, Piece::Queen];
    if mating.iter().any(|piece| !board.pieces(*piece).is_empty()) {
        return false;
    }
    let bishops = board.pieces(Piece::Bishop);
    let knights = board.pieces(Piece::Knight);
    let on_dark = (bishops & cozy_chess::BitBoard::DARK_SQUARES).len();
    let one_colour = on_dark == 0 || on_dark == bishops.len();
    (bishops | knights).len() <= 1 || (knights.is_empty() && one_colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(fen: &str, moves: &str) -> MoveHistory {
        let mut line = MoveHistory::new(&fen.parse().unwrap(), false);
        for text in moves.split_whitespace() {
            let best = line.legal(text).unwrap();
            line.play(best);
        }
        line
    }

    fn reason(line: &MoveHistory) -> Option<Reason> {
        line.end().map(|end| match end {
            End::Draw(reason) | End::Loss(reason, _) => reason,
        })
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_rules_end_games() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8 ";
        for (fen, moves, expected) in [
            (START, "f2f3 e7e5 g2g4 d8h4".into(), Some(Reason::Checkmate)),
            (START, shuffle.repeat(2), Some(Reason::Repetition)),
            (START, shuffle.into(), None),
            // En passant was possible the first time.
            (
                "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                format!("e2e4 {}", "g8f6 g1f3 f6g8 f3g1 ".repeat(2)),
                None,
            ),
            (
                "7k/5Q2/8/8/8/8/8/K7 b - - 0 1",
                String::new(),
                Some(Reason::Stalemate),
            ),
            ("7k/8/8/8/8/8/8/K5R1 w - - 98 80", "a1b1".into(), None),
            (
                "7k/8/8/8/8/8/R7/K7 w - - 99 80",
                "a1b1".into(),
                Some(Reason::FiftyMoves),
            ),
            (
                "7k/8/8/8/8/8/8/KB6 w - - 0 1",
                String::new(),
                Some(Reason::Material),
            ),
            (
                "6bk/8/8/8/8/8/8/KB6 w - - 0 1",
                String::new(),
                Some(Reason::Material),
            ),
            ("5b1k/8/8/8/8/8/8/KB6 w - - 0 1", String::new(), None),
            ("6nk/8/8/8/8/8/8/KB6 w - - 0 1", String::new(), None),
            ("7k/8/8/8/8/8/P7/K7 w - - 0 1", String::new(), None),
        ] {
            assert_eq!(reason(&line(fen, &moves)), expected, "{fen} {moves}");
        }
    }

    #[test]
    fn mate_on_the_hundredth_move_is_mate() {
        let mated = line("7k/5K2/6R1/8/8/8/8/6R1 w - - 99 90", "g1h1");
        assert_eq!(reason(&mated), Some(Reason::Checkmate));
    }

    #[test]
    fn engines_write_moves_as_uci_does() {
        let castling = line("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1 e8c8");
        assert!(castling.position.ends_with("- 0 1 moves e1g1 e8c8"));
        let start = line(START, "");
        for wrong in ["", "e2e5", "e7e5", "0000", "(none)", "e2e4q", "🙂🙂"] {
            assert!(start.legal(wrong).is_none(), "{wrong}");
        }
        let board: Board = "rk2r3/4p3/8/8/8/8/4P3/RK2R3 w EAea - 0 1".parse().unwrap();
        let mut chess960 = MoveHistory::new(&board, true);
        let castling = chess960.legal("b1e1").unwrap();
        chess960.play(castling);
        assert_eq!(
            chess960.position,
            "position fen rk2r3/4p3/8/8/8/8/4P3/RK2R3 w EAea - 0 1 moves b1e1"
        );
        assert_eq!(chess960.fen(), "rk2r3/4p3/8/8/8/8/4P3/R4RK1 b ea - 1 1");
    }
}
