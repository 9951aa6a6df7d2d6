//! Whether the weights of a file speak against a spec that the file fits in size.
//!
//! A file without a header has nothing but its size that vouches for a spec. A wrong one takes
//! weights for others, and what is true of trained networks is no longer true of it. So a spec with
//! poor evidence is compared with those that `nnue adopt` would find.

use std::fmt;

use nnue_compiler::format::Format;
use nnue_compiler::network::Network;
use nnue_interpreter::Net;
use nnue_runtime::{Board, Role, Square};
use serde::Serialize;

use crate::adopt::evidence::{Evidence, king_rows, sum_of_rows, value};
use crate::adopt::facts::{Fact, facts, piece_square};
use crate::adopt::positions::advances;
use crate::adopt::ranking::Ranking;

/// At this score the search for a better spec ends: right specs score higher, except those of
/// networks with few neurons.
const TRUSTED: f64 = 0.85;

/// How much more evidence there has to be for another spec.
const BETTER: f64 = 0.1;

/// A spec for which a file has more evidence than for the one that was given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Doubt {
    /// What the given spec says otherwise: keys with what it has, and what the better one has. Empty
    /// if it is something that has no key of its own, such as the order of tensors.
    pub differences: Vec<Difference>,
    /// The evidence for the given spec, from 0 to 1.
    pub score: f64,
    /// The evidence for the better one.
    pub better: f64,
}

/// A fact that two specs say differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The key of the spec that says it.
    pub key: &'static str,
    /// What the given spec says.
    pub given: String,
    /// What the better one says.
    pub better: String,
}

impl Doubt {
    /// What the weights of a file say against the spec of a network that it fits; `None` if they
    /// say nothing, or if the header of the file says which network it is of.
    #[must_use]
    pub fn of(net: &Net, bytes: &[u8]) -> Option<Doubt> {
        let network = net.network();
        if !can_be_doubted(network) {
            return None;
        }
        let own = Evidence::of_rows(net).with_evaluations(net);
        let kings = king_rows(net);
        // Few squares in other buckets change evaluations little.
        let is_other_table = kings.is_some_and(|(rows, parameters)| rows.contradict(parameters));
        let makes_sense = makes_sense(net, &own);
        if own.score >= TRUSTED && !is_other_table && makes_sense {
            return None;
        }
        let ranking = Ranking::of(bytes, "unnamed");
        let best = ranking.guesses.first().filter(|_| ranking.likely)?;
        let makes_more_sense = || {
            let other = Net::from_bytes(&best.network, bytes);
            !makes_sense && other.is_ok_and(|other| self::makes_sense(&other, &best.evidence))
        };
        let enough = if is_other_table { 0.0 } else { BETTER };
        if best.evidence.score < own.score + enough && !makes_more_sense() {
            return None;
        }
        let given = facts(network);
        // What the evidence leaves undecided says nothing against the spec, if it makes sense.
        let same = ranking.guesses.iter();
        let same = same.filter(|guess| guess.undecided && makes_sense);
        let differences = same
            .chain([best])
            .map(|guess| differences(&given, &guess.facts));
        let differences = differences.min_by_key(Vec::len)?;
        // The order of tensors in the file, or a sign, is no fact with a name. What a pawn is worth
        // follows from the scale, which no file tells.
        let is_worse = own.is_worse(&best.evidence, BETTER) || makes_more_sense();
        (is_worse || !differences.is_empty()).then_some(Doubt {
            differences,
            score: own.score,
            better: best.evidence.score,
        })
    }
}

/// What a file can tell that two specs say differently.
fn differences(given: &[Fact], better: &[Fact]) -> Vec<Difference> {
    let told = better.iter().filter(|fact| fact.told);
    let differences = told.filter_map(|fact| {
        let own = given.iter().find(|own| own.key == fact.key);
        let own = own.map_or("none", |own| &own.value);
        (own != fact.value).then(|| Difference {
            key: fact.key,
            given: own.into(),
            better: fact.value.clone(),
        })
    });
    differences.collect()
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.differences.iter().map(|difference| {
            let Difference { key, given, better } = difference;
            match *key {
                // A table of 64 numbers, and the axes of all tensors, are no parts of a sentence.
                "king_buckets" | "transposed" => format!("`{key}`"),
                _ => format!("`{key}` ({given}, rather {better})"),
            }
        });
        let keys = if self.differences.is_empty() {
            "what the spec takes them for".into()
        } else {
            keys.collect::<Vec<_>>().join(", ")
        };
        write!(
            f,
            "the file fits in size, but its weights speak against {keys}: `nnue adopt` finds a better spec \
             (evidence {:.2}, this one has {:.2})",
            self.better, self.score
        )
    }
}

/// Whether a network says what every chess network does: a piece more is good, nobody is a pawn
/// ahead at the start of a game, pawns that stand further ahead are worth more, and there is no
/// square of theirs that means nothing, as those of the first and the last rank do.
fn makes_sense(net: &Net, evidence: &Evidence) -> bool {
    let advances = advances();
    let ahead = advances.iter().map(|pair| {
        let [back, ahead] = pair.each_ref().map(|board| value(net, board));
        ahead - back
    });
    evidence.pawn > 0.0
        && value(net, &Board::start()).abs() <= evidence.pawn
        && ahead.sum::<f64>() > 0.0
        && advances.iter().flatten().all(|board| has_pawn(net, board))
}

/// Whether the only pawn of a board has weights.
fn has_pawn(net: &Net, board: &Board) -> bool {
    let is_pawn = |at: &Square| {
        let piece = board.piece_at(*at);
        piece.is_some_and(|piece| piece.role == Role::Pawn)
    };
    let pawn = Square::ALL.into_iter().find(is_pawn);
    pawn.is_some_and(|at| sum_of_rows(net, board) != sum_of_rows(net, &board.without(at)))
}

/// Whether the network's files have no word that tells networks apart, and its evaluations follow
/// from the pieces on the board.
fn can_be_doubted(network: &Network) -> bool {
    let has_header = matches!(network.file.format, Format::Stockfish { .. });
    let is_supplied = network.features.iter().any(|set| set.is_supplied());
    !has_header && !is_supplied && piece_square(network).is_some()
}
