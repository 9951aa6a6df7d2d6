//! What a network is asked to evaluate: a position as text, and behind it what only an engine
//! knows.
//!
//! ```text
//! 4k3/8/8/8/8/8/8/4K3 w - - 0 1                                the position tells everything
//! 4k3/8/8/8/8/8/8/4K3 w - - 0 1 ; white: 3 17 ; black: 5       custom sets beside others
//! 4k3/8/8/8/8/8/8/4K3 w - - 0 1 ; stack: 2                     the engine chooses the stack
//! b ; white: 102 1592 ; black: 1592 ; views: 44 44 ; stack: 7  another game: who is to move
//! ```
//!
//! Features of custom sets are numbered as an engine supplies them: through all custom sets, within
//! the view. `views` has that of white and that of black.

use nnue_compiler::feature_set::FeatureSet;
use nnue_compiler::format::foreign;
use nnue_compiler::network::{Network, Order, Transformer};
use nnue_interpreter::{Accumulators, ActiveRows, Net, UnknownFeature, custom_rows};
use nnue_runtime::{Board, Color, FenError, Position};

use crate::fen::Fen;

/// The words that name what an engine tells: the active features of each perspective, the views of
/// both, and the stack.
const KEYS: [&str; 4] = ["white", "black", "views", "stack"];

/// What a network is asked to evaluate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The text, without operations of EPD: it can be read again.
    pub text: String,
    /// The position, unless the text has only the side to move.
    pub board: Option<Board>,
    /// The player whose turn it is.
    pub side_to_move: Color,
    /// The stack of layers, if the position or the text tells it.
    pub stack: Option<usize>,
    /// The rows of custom sets that are active for white and for black.
    custom: ActiveRows,
}

/// Why a text is nothing that a network can evaluate.
#[derive(thiserror::Error, PartialEq, Eq)]
pub enum GivenError {
    /// The text is no position.
    #[error("{0}")]
    Fen(#[from] FenError),
    /// The text before the features is neither a position nor a side to move.
    #[error("found `{}`, expected who is to move, `w` or `b`, or a FEN", foreign(.0))]
    Side(String),
    /// A word before a colon is unknown.
    #[error("found `{}:`, allowed are `white:`, `black:`, `views:` and `stack:`", foreign(.0))]
    Key(String),
    /// The same word stands before two colons.
    #[error("found `{0}:` twice")]
    Twice(&'static str),
    /// A number is none.
    #[error("found `{}` in `{key}:`, expected whole numbers from 0 with spaces between", foreign(.found))]
    Number {
        /// The word before the colon.
        key: &'static str,
        /// The text of the number.
        found: String,
    },
    /// The network has custom sets, and the text has no features of a perspective.
    #[error(
        "found no features of {color}, expected `{color}:` and the numbers of those that are \
         active: only the engine of `{}` knows them, of {}", foreign(.network), .sets
    )]
    NoFeatures {
        /// The perspective.
        color: Color,
        /// The name of the network.
        network: String,
        /// The names of its custom sets.
        sets: String,
    },
    /// The text has something that the network does not ask for.
    #[error("found `{key}:`, but in `{}` {why}", foreign(.network))]
    Unasked {
        /// The word before the colon.
        key: &'static str,
        /// The words that say why.
        why: &'static str,
        /// The name of the network.
        network: String,
    },
    /// No custom set has the feature.
    #[error("`{color}:`: {error}")]
    Unknown {
        /// The perspective.
        color: Color,
        /// The number, and the allowed numbers.
        error: UnknownFeature,
    },
    /// More features of a set are active than its spec allows.
    #[error("found {found} features of `{}` in `{color}:`, expected at most {most}", foreign(.set))]
    TooMany {
        /// The perspective.
        color: Color,
        /// The name of the set.
        set: String,
        /// How many features of the set are active.
        found: usize,
        /// How many can be active.
        most: usize,
    },
    /// The views are missing, or are not two.
    #[error("found {found} views, expected `views:` and two numbers, white's and black's")]
    Views {
        /// How many views the text has.
        found: usize,
    },
    /// A view or a stack is too large.
    #[error("found {found} in `{key}:`, allowed are 0 to {}", .count - 1)]
    Range {
        /// The word before the colon.
        key: &'static str,
        /// The number.
        found: u32,
        /// How many numbers are allowed.
        count: usize,
    },
    /// Nothing tells the stack.
    #[error(
        "found no stack, expected `stack:` and a number from 0 to {}: `{}` leaves the choice to its \
         engine", .count - 1, foreign(.network)
    )]
    NoStack {
        /// How many stacks there are.
        count: usize,
        /// The name of the network.
        network: String,
    },
}

nnue_compiler::format::debug_is_message!(GivenError);

impl Given {
    /// Reads what the network of a spec is asked to evaluate.
    ///
    /// # Errors
    ///
    /// [`GivenError`] if the text is no position, or lacks something that the network needs, or has
    /// something else.
    pub fn parse(text: &str, network: &Network) -> Result<Given, GivenError> {
        let (position, told) = apart(text);
        let told = Told::read(&told)?;
        let (fen, board, side_to_move) = who_moves(position, network)?;
        let custom = told.rows(network, side_to_move)?;
        let stack = told.stack(network, board.as_ref())?;
        Ok(Given {
            text: told.behind(fen),
            board,
            side_to_move,
            stack,
            custom,
        })
    }

    /// [`Given::parse`] for a caller who needs the value of a single stack.
    ///
    /// # Errors
    ///
    /// The errors of [`Given::parse`], and [`GivenError::NoStack`].
    pub fn with_stack(text: &str, network: &Network) -> Result<Given, GivenError> {
        let given = Given::parse(text, network)?;
        if given.stack.is_none() {
            return Err(GivenError::NoStack {
                count: network.stacks.count,
                network: network.name.clone(),
            });
        }
        Ok(given)
    }

    /// The sums over the active rows. The network of the net is the one that the text was read for.
    #[must_use]
    pub fn accumulate(&self, net: &Net) -> Accumulators {
        let board = self.board.as_ref();
        let mut rows = board.map_or_else(ActiveRows::default, |board| net.active_rows(board));
        for (rows, custom) in rows.iter_mut().zip(&self.custom) {
            rows.extend(custom);
        }
        net.accumulate(&rows)
    }
}

/// The text of the position, and behind it the texts after `;` that begin with a word and a colon.
/// Operations of EPD have no colon.
fn apart(text: &str) -> (&str, Vec<(&str, &str)>) {
    let is_key =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let mut position = text.trim_end_matches([';', ' ', '\t']);
    let mut told = Vec::new();
    while let Some((before, last)) = position.rsplit_once(';')
        && let Some((key, numbers)) = last.trim().split_once(':')
        && is_key(key.trim_end())
    {
        told.push((key.trim_end(), numbers));
        position = before;
    }
    told.reverse();
    (position.trim(), told)
}

/// The text of the position without operations, the board if it has one, and the side to move.
/// Networks whose features all come from the engine need no board.
fn who_moves<'t>(
    position: &'t str,
    network: &Network,
) -> Result<(&'t str, Option<Board>, Color), GivenError> {
    let needs_board = !network.features.iter().all(FeatureSet::is_supplied);
    match (position, Fen::parse(position)) {
        ("w", _) if !needs_board => Ok(("w", None, Color::White)),
        ("b", _) if !needs_board => Ok(("b", None, Color::Black)),
        (_, Ok(Fen { text, board, .. })) => {
            let side_to_move = board.side_to_move();
            Ok((text, Some(board), side_to_move))
        }
        (_, Err(error)) if needs_board => Err(error.into()),
        (_, Err(_)) => Err(GivenError::Side(position.into())),
    }
}

/// What a text tells besides the position: for each of [`KEYS`], the numbers behind its colon.
struct Told([Option<Vec<u32>>; 4]);

impl Told {
    fn read(told: &[(&str, &str)]) -> Result<Told, GivenError> {
        let mut found = [const { None }; 4];
        for (word, text) in told {
            let known = KEYS.iter().zip(&mut found).find(|(key, _)| *key == word);
            let (key, place) = known.ok_or_else(|| GivenError::Key((*word).into()))?;
            let numbers = text.split_ascii_whitespace().map(|text| {
                let found = || text.into();
                text.parse().map_err(|_| GivenError::Number {
                    key,
                    found: found(),
                })
            });
            if place.replace(numbers.collect::<Result<_, _>>()?).is_some() {
                return Err(GivenError::Twice(key));
            }
        }
        Ok(Told(found))
    }

    /// The rows of custom sets that are active.
    fn rows(&self, network: &Network, side_to_move: Color) -> Result<ActiveRows, GivenError> {
        let Told([white, black, views, _]) = self;
        let custom = || network.features.iter().filter(|set| set.is_supplied());
        let views = read_views(
            views.as_deref(),
            custom().map(FeatureSet::views).max(),
            network,
        )?;
        let mut rows = ActiveRows::default();
        for (color, found) in Color::ALL.into_iter().zip([white, black]) {
            let features = match found {
                Some(_) if custom().next().is_none() => {
                    return Err(GivenError::Unasked {
                        key: KEYS[color.index()],
                        why: "all features follow from the position",
                        network: network.name.clone(),
                    });
                }
                Some(features) => features.as_slice(),
                None if custom().next().is_none()
                    || !reads(&network.transformer, color, side_to_move) =>
                {
                    &[]
                }
                None => {
                    let sets = custom().map(|set| format!("`{}`", foreign(&set.name)));
                    return Err(GivenError::NoFeatures {
                        color,
                        network: network.name.clone(),
                        sets: sets.collect::<Vec<_>>().join(", "),
                    });
                }
            };
            check_counts(features, color, custom())?;
            let found = custom_rows(network, views, [features; 2]);
            let found = found.map_err(|error| GivenError::Unknown { color, error })?;
            rows[color.index()].clone_from(&found[color.index()]);
        }
        Ok(rows)
    }

    /// The stack that the text or the number of pieces tells.
    fn stack(&self, network: &Network, board: Option<&Board>) -> Result<Option<usize>, GivenError> {
        let Told([.., told]) = self;
        let count = network.stacks.count;
        let by_pieces = network.stacks.by_pieces.as_ref().zip(board);
        let by_pieces = by_pieces.map(|(stacks, board)| {
            let pieces = board.occupied().len();
            usize::from(stacks[pieces.min(stacks.len() - 1)])
        });
        let follows = !network.features.iter().all(FeatureSet::is_supplied);
        match told.as_deref() {
            None => Ok(by_pieces.or((count == 1).then_some(0))),
            Some(_) if follows && by_pieces.is_some() => Err(GivenError::Unasked {
                key: "stack",
                why: "the number of pieces chooses the stack",
                network: network.name.clone(),
            }),
            Some(&[stack]) if (stack as usize) < count => Ok(Some(stack as usize)),
            Some(&[found]) => Err(GivenError::Range {
                key: "stack",
                found,
                count,
            }),
            Some(_) => Err(GivenError::NoStack {
                count,
                network: network.name.clone(),
            }),
        }
    }

    /// The text of a position with what is told behind it.
    fn behind(&self, position: &str) -> String {
        let told = KEYS.iter().zip(&self.0);
        let told = told.filter_map(|(key, numbers)| {
            let numbers = numbers.as_ref()?.iter().map(u32::to_string);
            let numbers: Vec<String> = numbers.collect();
            Some(format!(" ; {key}: {}", numbers.join(" ")).trim_end().into())
        });
        let told: Vec<String> = told.collect();
        format!("{position}{}", told.concat())
    }
}

/// The views of white and black, where custom sets have at most `count`.
fn read_views(
    found: Option<&[u32]>,
    count: Option<usize>,
    network: &Network,
) -> Result<[u32; 2], GivenError> {
    let count = count.unwrap_or(1);
    let Some(found) = found else {
        return match count {
            1 => Ok([0; 2]),
            _ => Err(GivenError::Views { found: 0 }),
        };
    };
    if count == 1 {
        return Err(GivenError::Unasked {
            key: "views",
            why: "no set has views",
            network: network.name.clone(),
        });
    }
    let views = <[u32; 2]>::try_from(found);
    let views = views.map_err(|_| GivenError::Views { found: found.len() })?;
    match views.into_iter().find(|view| *view as usize >= count) {
        None => Ok(views),
        Some(found) => Err(GivenError::Range {
            key: "views",
            found,
            count,
        }),
    }
}

/// Whether the layers of a network read a perspective.
fn reads(transformer: &Transformer, color: Color, side_to_move: Color) -> bool {
    let perspectives = transformer.perspectives;
    perspectives.count == 2
        || color
            == match perspectives.order {
                Order::WhiteFirst => Color::White,
                Order::StmFirst | Order::Interleaved => side_to_move,
            }
}

/// Counts the features of each custom set.
fn check_counts<'n>(
    features: &[u32],
    color: Color,
    custom: impl Iterator<Item = &'n FeatureSet>,
) -> Result<(), GivenError> {
    let mut first = 0;
    for set in custom {
        let end = first + set.rows / set.views();
        let own = features.iter().map(|feature| *feature as usize);
        let found = own.filter(|feature| (first..end).contains(feature)).count();
        if found > set.max_active {
            return Err(GivenError::TooMany {
                color,
                set: set.name.clone(),
                found,
                most: set.max_active,
            });
        }
        first = end;
    }
    Ok(())
}
