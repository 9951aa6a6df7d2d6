//! A real search, as `trace/README.md` describes it: what an engine asked of its network.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use cozy_chess::util::parse_uci_move;
use flate2::read::GzDecoder;
use nnue_runtime::{Board, Delta};

/// What a search does next.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// It makes a move.
    Make(Delta),
    /// It passes.
    MakeNull,
    /// It takes back the last move or null move.
    Unmake,
    /// It evaluates the position.
    Evaluate,
}

/// The search of one root position.
#[derive(Clone, Debug)]
pub struct Search {
    /// Where it starts.
    pub root: Board,
    /// What it does.
    pub events: Vec<Event>,
    /// The positions that it evaluates, in order.
    pub evaluated: Vec<Board>,
}

/// Reads the trace.
///
/// # Errors
///
/// What is wrong with the file, with line and token.
pub fn searches() -> Result<Vec<Search>, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace/search-trace.txt.gz");
    let mut text = String::new();
    File::open(&path)
        .and_then(|file| GzDecoder::new(file).read_to_string(&mut text))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let search = |(index, line)| {
        search(line).map_err(|error| format!("{}: line {}: {error}", path.display(), index + 1))
    };
    text.lines().enumerate().map(search).collect()
}

fn search(line: &str) -> Result<Search, String> {
    let (fen, tokens) = line
        .split_once(';')
        .ok_or("found no `;`, expected one after the FEN")?;
    let root =
        cozy_chess::Board::from_fen(fen, false).map_err(|error| format!("`{fen}`: {error}"))?;
    let mut search = Search {
        root: Board::from(&root),
        events: Vec::new(),
        evaluated: Vec::new(),
    };
    let mut board = root;
    let mut before = Vec::new();
    for token in tokens.split_whitespace() {
        search.events.push(match token {
            "=" => {
                search.evaluated.push(Board::from(&board));
                Event::Evaluate
            }
            "-" | "~" => {
                board = before
                    .pop()
                    .ok_or_else(|| format!("`{token}` unmakes more than was made"))?;
                Event::Unmake
            }
            "0" => {
                let passed = board.null_move().ok_or("`0` passes in check")?;
                before.push(std::mem::replace(&mut board, passed));
                Event::MakeNull
            }
            uci => {
                let played =
                    parse_uci_move(&board, uci).map_err(|error| format!("`{uci}`: {error}"))?;
                let delta = Delta::from_cozy(&board, played);
                before.push(board.clone());
                board
                    .try_play(played)
                    .map_err(|error| format!("`{uci}`: {error}"))?;
                Event::Make(delta)
            }
        });
    }
    Ok(search)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_is_as_its_readme_says() {
        let searches = searches().unwrap();
        let count = |wanted: fn(&Event) -> bool| {
            searches
                .iter()
                .flat_map(|search| &search.events)
                .filter(|event| wanted(event))
                .count()
        };
        assert_eq!(searches.len(), 46);
        assert_eq!(count(|event| matches!(event, Event::Evaluate)), 97_226);
        assert_eq!(count(|event| matches!(event, Event::Make(_))), 474_174);
        let evaluated: usize = searches.iter().map(|search| search.evaluated.len()).sum();
        assert_eq!(evaluated, 97_226);
    }

    #[test]
    fn what_is_no_search_is_refused() {
        let root = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
        assert!(search(root).unwrap_err().contains('`'));
        assert!(
            search(&format!("{root}; e1e5"))
                .unwrap_err()
                .contains("e1e5")
        );
        assert!(
            search(&format!("{root}; e1e2 - -"))
                .unwrap_err()
                .contains("more than was made")
        );
        assert!(search("nonsense; =").is_err());
    }
}
