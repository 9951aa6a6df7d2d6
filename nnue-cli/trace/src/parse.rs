//! From the text of a trace to its events, through the rules of chess.

use std::borrow::Cow;
use std::io::Read;
use std::mem;

use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{Board as Game, Move};
use flate2::read::MultiGzDecoder;
use nnue_runtime::{Board, Delta};

use crate::error::{Expected, LineError, TraceError};
use crate::{Event, Search};

/// The first bytes of every file compressed by gzip.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// The most bytes of a trace, uncompressed: eighteen times as many as in the trace that comes with
/// the project. The limit is low because each letter of a trace may be a position that is kept.
const LONGEST: u64 = 1 << 26;

/// Reads a whole trace, which may be compressed.
pub(crate) fn searches(file: &[u8]) -> Result<Vec<Search>, TraceError> {
    let mut searches = Vec::new();
    for (index, line) in text(file)?.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let line_number = index + 1;
        let search = search(line_number, line).map_err(|error| TraceError::Line {
            line: line_number,
            error,
        })?;
        searches.push(search);
    }
    Ok(searches)
}

fn text(file: &[u8]) -> Result<Cow<'_, [u8]>, TraceError> {
    let text: Cow<'_, [u8]> = if file.starts_with(&GZIP) {
        let mut text = Vec::new();
        let mut unpacked = MultiGzDecoder::new(file).take(LONGEST + 1);
        let read = unpacked.read_to_end(&mut text);
        read.map_err(|error| TraceError::Gzip {
            message: error.to_string(),
        })?;
        text.into()
    } else {
        file.into()
    };
    if text.len() as u64 > LONGEST {
        Err(TraceError::TooLong { limit: LONGEST })
    } else {
        Ok(text)
    }
}

fn search(line_number: usize, line: &[u8]) -> Result<Search, LineError> {
    let line = str::from_utf8(line).map_err(|_| LineError::NotText)?;
    let (fen, tokens) = line.split_once(';').ok_or(LineError::NoRoot)?;
    let game = Game::from_fen(fen.trim(), false).map_err(|error| LineError::Root {
        fen: fen.into(),
        message: error.to_string(),
    })?;
    let mut search = Search {
        line: line_number,
        root: Board::from(&game),
        game: game.clone(),
        events: Vec::new(),
        played: Vec::new(),
        evaluated: Vec::new(),
    };
    let mut line = LineOfMoves {
        game,
        before: Vec::new(),
        played: Vec::new(),
    };
    for (index, token) in tokens.split_whitespace().enumerate() {
        let event = line.follow(token).map_err(|expected| LineError::Token {
            number: index + 1,
            token: token.into(),
            expected,
        })?;
        if let Event::Evaluate = event {
            search.evaluated.push(Board::from(&line.game));
        }
        search.events.push(event);
    }
    search.played = line.played;
    Ok(search)
}

/// The moves that lead to a position.
struct LineOfMoves {
    game: Game,
    /// The positions before each move or null move, and which of the two followed.
    before: Vec<(Game, MadeMove)>,
    /// All moves that were made, including moves that were taken back.
    played: Vec<Move>,
}

#[derive(PartialEq, Eq)]
enum MadeMove {
    Move,
    NullMove,
}

impl LineOfMoves {
    fn follow(&mut self, token: &str) -> Result<Event, Expected> {
        match token {
            "=" => Ok(Event::Evaluate),
            "-" => self.unmake(MadeMove::Move, Expected::UnmakeNull),
            "~" => self.unmake(MadeMove::NullMove, Expected::Unmake),
            "0" => {
                let passed = self.game.null_move().ok_or(Expected::LegalMove)?;
                self.make(passed, MadeMove::NullMove);
                Ok(Event::MakeNull)
            }
            uci => {
                let chosen = parse_uci_move(&self.game, uci).map_err(|_| Expected::Token)?;
                // cozy-chess ignores text after a move, so the whole text is compared.
                if display_uci_move(&self.game, chosen).to_string() != uci {
                    return Err(Expected::Token);
                }
                let mut after = self.game.clone();
                after.try_play(chosen).map_err(|_| Expected::LegalMove)?;
                let delta = Delta::from_cozy(&self.game, chosen);
                self.make(after, MadeMove::Move);
                self.played.push(chosen);
                Ok(Event::Make(delta))
            }
        }
    }

    fn make(&mut self, after: Game, made: MadeMove) {
        let before = mem::replace(&mut self.game, after);
        self.before.push((before, made));
    }

    fn unmake(&mut self, wanted: MadeMove, otherwise: Expected) -> Result<Event, Expected> {
        let (before, made) = self.before.pop().ok_or(Expected::SomethingMade)?;
        if made != wanted {
            return Err(otherwise);
        }
        self.game = before;
        Ok(Event::Unmake)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::Trace;

    const BARE_KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// A few bytes of gzip can stand for as many gigabytes.
    #[test]
    fn what_is_too_long_is_not_unpacked() {
        let text = vec![b'\n'; LONGEST as usize + 1];
        let too_long = Err(TraceError::TooLong { limit: LONGEST });
        assert_eq!(Trace::read(&gzip(&text)), too_long);
        assert_eq!(Trace::read(&text), too_long);
        assert_eq!(Trace::read(&gzip(&text[1..])).unwrap().searches, []);
    }

    #[test]
    fn compressed_or_not_and_however_lines_end_is_the_same() {
        let text = format!("{BARE_KINGS}; = e1e2 = e8e7 0 = ~ -\n{BARE_KINGS};=\n");
        let plain = Trace::read(text.as_bytes()).unwrap();
        assert_eq!(plain.evaluations(), 4);
        assert_eq!(Trace::read(&gzip(text.as_bytes())), Ok(plain.clone()));
        assert_eq!(
            Trace::read(text.replace('\n', "\r\n").as_bytes()),
            Ok(plain.clone())
        );
        assert_eq!(Trace::read(text.trim_end().as_bytes()), Ok(plain));
        assert_eq!(Trace::read(b"").unwrap().searches, []);
    }

    #[test]
    fn what_is_no_trace_is_refused_with_the_place() {
        let checked = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1; 0";
        for (line, words) in [
            ("nonsense", "line 2: found no `;`"),
            ("nonsense; =", "line 2: found `nonsense`, expected the FEN"),
            (checked, "line 2: token 1: found `0`, expected a legal move"),
            (
                &format!("{BARE_KINGS}; e1e2 e8e6"),
                "line 2: token 2: found `e8e6`, expected a legal move",
            ),
            (
                &format!("{BARE_KINGS}; e1e2x"),
                "token 1: found `e1e2x`, expected a move such as",
            ),
            (
                &format!("{BARE_KINGS}; = ?"),
                "token 2: found `?`, expected a move such as",
            ),
            (
                &format!("{BARE_KINGS}; e1e2 - -"),
                "token 3: found `-`, expected a move or `0` before it",
            ),
            (
                &format!("{BARE_KINGS}; 0 -"),
                "token 2: found `-`, expected `~`",
            ),
            (
                &format!("{BARE_KINGS}; e1e2 ~"),
                "token 2: found `~`, expected `-`",
            ),
        ] {
            let text = format!("{BARE_KINGS}; =\n{line}\n");
            let error = Trace::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(words), "{line}: {error}");
        }
        let not_text = Trace::read(b"\n\n\xFF; =").unwrap_err();
        let error = LineError::NotText;
        assert_eq!(not_text, TraceError::Line { line: 3, error });
    }

    #[test]
    fn damaged_compression_is_refused() {
        let whole = gzip(format!("{BARE_KINGS}; e1e2 =\n").as_bytes());
        let mut damaged = whole.clone();
        // The checksum of the text is in the last eight bytes.
        damaged[whole.len() - 8] ^= 1;
        for file in [&whole[..2], &whole[..whole.len() - 1], &damaged] {
            let error = Trace::read(file).unwrap_err();
            assert!(matches!(error, TraceError::Gzip { .. }), "{error}");
        }
    }

    #[test]
    fn no_bytes_panic() {
        let text = format!("{BARE_KINGS}; e1e2 e8d8 = 0 = ~ - - 0 ~ =\n").into_bytes();
        for index in 0..text.len() {
            for byte in [b' ', b'-', b'0', b'e', b'8', b';', 0, 0xC3] {
                let mut changed = text.clone();
                changed[index] = byte;
                let _ = Trace::read(&changed);
                let _ = Trace::read(&changed[..index]);
            }
        }
    }
}
