//! The specs that fit a file, the best first.

use std::path::Path;

use nnue_compiler::explain::identify;
use nnue_tools::adopt::{Evidence, Ranking, marked_spec};
use nnue_tools::nets::net_file::Recognised;
use serde::Serialize;

use crate::file::FILE;

/// What the specs call a network that has no name yet.
const NAME: &str = "my-net";

/// How many guesses are shown.
const MOST: usize = 12;

/// The specs that fit a file.
#[derive(Debug, Serialize)]
pub struct Adopted {
    /// The specs, the one with the best evidence first.
    pub guesses: Vec<Guess>,
    /// Whether the best evidence is that of trained networks.
    pub likely: bool,
    /// What to ask the author of the net.
    pub questions: Vec<String>,
    /// Why nothing fits.
    pub problem: Option<String>,
}

/// A spec that fits a file.
#[derive(Debug, Serialize)]
pub struct Guess {
    /// The family of networks that the spec belongs to, or the name of the network.
    pub name: String,
    /// The evidence in a number, from 0 to 1.
    pub score: f64,
    /// Whether the first guess has no better evidence.
    pub undecided: bool,
    /// The evidence in sentences.
    pub evidence: Vec<String>,
    /// The text of the spec, with comments that say what is guessed.
    pub text: String,
}

impl Adopted {
    pub(crate) fn of(bytes: &[u8]) -> Adopted {
        let path = Path::new(FILE);
        let told = Recognised::told(path, bytes).ok().flatten();
        if let Some(found) = told.or_else(|| Recognised::untold(path, bytes, NAME).ok()) {
            return Adopted::recognised(&found);
        }
        let ranking = Ranking::of(bytes, NAME);
        let guesses = ranking.guesses.iter().take(MOST).map(|guess| Guess {
            name: guess.family.clone(),
            score: guess.evidence.score,
            undecided: guess.undecided,
            evidence: sentences(&guess.evidence),
            text: marked_spec(guess, &ranking.questions, FILE),
        });
        let guesses: Vec<Guess> = guesses.collect();
        let questions = ranking.questions.iter();
        let questions = questions.map(|question| {
            let values = question.values.join(" or ");
            format!("{}, `{}`: {values}?", question.fact, question.key)
        });
        let nothing = || ranking.nothing_fits(bytes.len(), identify(bytes));
        Adopted {
            likely: ranking.likely,
            problem: guesses.is_empty().then(nothing),
            guesses,
            questions: questions.collect(),
        }
    }

    /// A file that tells its network.
    fn recognised(found: &Recognised) -> Adopted {
        Adopted {
            guesses: vec![Guess {
                name: found.file.network.name.clone(),
                score: 1.0,
                undecided: false,
                evidence: vec!["The file itself tells its network.".into()],
                text: found.spec.to_string(),
            }],
            likely: true,
            questions: Vec::new(),
            problem: None,
        }
    }
}

/// The evidence for a guess, in sentences.
fn sentences(evidence: &Evidence) -> Vec<String> {
    let mut sentences = vec![format!(
        "Rows of a piece on neighbouring squares are alike: {:.2} of 1.",
        evidence.neighbours
    )];
    sentences.extend(evidence.kings.map(|kings| {
        format!(
            "Of the king's squares, {:.0} % were trained in the bucket that the spec gives them.",
            100.0 * kings
        )
    }));
    sentences.extend([
        format!(
            "Evaluations follow material: {:.2} of 1.",
            evidence.material
        ),
        format!(
            "Evaluations change their sign with the side to move: {:.2} of 1.",
            evidence.antisymmetry
        ),
        format!(
            "Evaluations change little when a piece moves a square further: {:.2} of 1.",
            evidence.smoothness
        ),
        format!("A pawn is worth {:.0} units.", evidence.pawn),
        format!("The start of a game is worth {:.0} units.", evidence.start),
    ]);
    sentences
}
