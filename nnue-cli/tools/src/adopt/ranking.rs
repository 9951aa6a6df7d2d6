//! The guesses in their order, and what is still to be asked.

use nnue_compiler::explain::Identity;
use nnue_compiler::network::Network;
use nnue_interpreter::Net;
use serde::Serialize;

use crate::adopt::evidence::{Evidence, WORSE_ROWS};
use crate::adopt::facts::{Fact, facts};
use crate::adopt::fits::{fits, without_padding};

/// Scores that differ by less than this are the same evidence: nets of the same kind differ by as
/// much.
const SAME: f64 = 0.04;

/// The score from which on a guess is likely. The right specs of fifteen nets of engines have 0.85 to
/// 0.98, whatever their number of neurons; random bytes have 0.2.
pub const LIKELY: f64 = 0.75;

/// A spec that fits a file, with the evidence for it.
#[derive(Clone, Debug, Serialize)]
pub struct Guess {
    /// Where the spec is from: a family of networks, or the name of an engine.
    pub family: String,
    /// What the spec says, fact by fact.
    pub facts: Vec<Fact>,
    /// What the weights say about it.
    pub evidence: Evidence,
    /// Whether the evidence is the same as that of the first guess.
    pub undecided: bool,
    /// The text of the spec.
    pub spec: String,
    /// The network that the spec describes.
    #[serde(skip)]
    pub network: Network,
    /// Whether the file tells the buckets of the king's squares with certainty.
    #[serde(skip)]
    pub(crate) kings_certain: bool,
}

/// Something that the author of a net has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Question {
    /// What to ask for.
    pub fact: &'static str,
    /// The key of the spec that says it.
    pub key: &'static str,
    /// The values that have the same evidence, that of the first guess first.
    pub values: Vec<String>,
}

/// The specs that fit a file, the one with the best evidence first.
#[derive(Clone, Debug, Serialize)]
pub struct Ranking {
    /// The guesses; empty if no family of networks has files of this size.
    pub guesses: Vec<Guess>,
    /// Whether the best evidence is that of trained networks.
    pub likely: bool,
    /// The length that files of some network have without padding, where what is behind it in this
    /// file is no padding, so that nothing fits.
    pub without_padding: Option<usize>,
    /// What no file tells, and what this file leaves open.
    pub questions: Vec<Question>,
}

impl Ranking {
    /// The ranking of a file for which nothing has to be guessed.
    #[must_use]
    pub fn none() -> Ranking {
        Ranking {
            guesses: Vec::new(),
            likely: false,
            without_padding: None,
            questions: Vec::new(),
        }
    }

    /// Finds the specs that fit the bytes of a file, and ranks them. `name` is the name of the
    /// network in their texts: with one that [no network can have](nnue_compiler::check_name),
    /// nothing fits.
    #[must_use]
    pub fn of(bytes: &[u8], name: &str) -> Ranking {
        let fits = fits(bytes, name);
        let best = fits.iter().map(|fit| fit.evidence.neighbours);
        let enough = best.fold(0.0, f64::max) - WORSE_ROWS;
        let guesses = fits.into_iter().map(|fit| Guess {
            facts: facts(&fit.network),
            family: fit.family,
            evidence: if fit.evidence.neighbours < enough {
                fit.evidence
            } else {
                with_evaluations(fit.evidence, &fit.network, bytes)
            },
            undecided: false,
            spec: fit.spec,
            network: fit.network,
            kings_certain: fit.kings_certain,
        });
        let guesses = by_evidence(guesses.collect());
        let questions = questions(&guesses);
        let without_padding = guesses.is_empty().then(|| without_padding(bytes));
        Ranking {
            likely: guesses
                .first()
                .is_some_and(|first| first.evidence.score >= LIKELY),
            without_padding: without_padding.flatten(),
            guesses,
            questions,
        }
    }

    /// Why nothing fits a file of this length that is of this kind.
    #[must_use]
    pub fn nothing_fits(&self, size: usize, identity: Identity) -> String {
        let reason = match self.without_padding {
            Some(len) => format!(
                "networks of the field have files of {len} bytes, but the {} behind these are no \
                 padding, which is `bullet` again and again, or zeros",
                size - len
            ),
            None => format!(
                "no network of the field has files of {size} bytes, unless it is cut off or \
                 compressed"
            ),
        };
        match identity {
            Identity::Other(what) => format!("it is {what}; {reason}"),
            _ => reason,
        }
    }
}

/// The evidence of a fit with what its evaluations say. The weights of all fits would take much
/// memory, so each file is loaded again.
fn with_evaluations(rows: Evidence, network: &Network, bytes: &[u8]) -> Evidence {
    match Net::from_bytes(network, bytes) {
        Ok(net) => rows.with_evaluations(&net),
        Err(_) => rows,
    }
}

/// Sorts guesses, which come with the most usual ones first. Those with the same evidence as the
/// best one stay in that order, and are marked.
fn by_evidence(guesses: Vec<Guess>) -> Vec<Guess> {
    let scores = guesses.iter().map(|guess| guess.evidence.score);
    let best = scores.fold(0.0, f64::max);
    let is_best = |guess: &Guess| best - guess.evidence.score < SAME;
    let (mut same, mut others): (Vec<Guess>, Vec<Guess>) = guesses.into_iter().partition(is_best);
    others.sort_by(|a, b| b.evidence.score.total_cmp(&a.evidence.score));
    let undecided = same.len() > 1;
    for guess in &mut same {
        guess.undecided = undecided;
    }
    same.extend(others);
    same
}

/// What the guesses with the same evidence say differently, and then what no file tells.
fn questions(guesses: &[Guess]) -> Vec<Question> {
    let Some(first) = guesses.first() else {
        return Vec::new();
    };
    let same: Vec<&Guess> = guesses.iter().filter(|guess| guess.undecided).collect();
    let mut open = Vec::new();
    let mut untold = Vec::new();
    for fact in &first.facts {
        let mut values = vec![fact.value.clone()];
        for other in &same {
            let found = other.facts.iter().filter(|other| other.name == fact.name);
            for other in found {
                if !values.contains(&other.value) {
                    values.push(other.value.clone());
                }
            }
        }
        let question = Question {
            fact: fact.name,
            key: fact.key,
            values,
        };
        match fact.told {
            false => untold.push(question),
            true if question.values.len() > 1 => open.push(question),
            // A table that is usual or probable may still be another.
            true if fact.key == "king_buckets" && !first.kings_certain => untold.push(question),
            true => {}
        }
    }
    open.extend(untold);
    open
}
