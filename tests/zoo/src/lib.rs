//! A zoo of random networks: specs over the whole language, drawn from seeds.
//!
//! A spec is valid by construction as far as that is simple. The compiler decides about the rest: a
//! spec that it refuses is drawn again, and so is a network whose value is the same for every
//! position, because it would hide errors.

mod dice;
mod draft;
mod features;
mod file;
mod layers;
mod like;
mod output;
mod scratch;
mod toml;
mod transformer;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::feature_set::FeatureSet;
use nnue_compiler::network::Network;

pub use scratch::{Failure, Scratch};

use dice::Dice;
use nnue_test_support::differential::tells;

/// The network of a seed.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The seed, which decides everything else.
    pub seed: u64,
    /// The text of the spec.
    pub text: String,
    /// What the compiler makes of it.
    pub network: Network,
    /// Drafts that were discarded before it.
    pub discarded: Discarded,
}

/// A spec to be compiled and compared.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// The name of its module and test, an identifier.
    pub name: String,
    /// The text of the spec.
    pub text: String,
    /// The check of [`differential`](mod@nnue_test_support::differential) that suits it.
    pub check: &'static str,
}

impl From<&Drawn> for Specimen {
    fn from(drawn: &Drawn) -> Specimen {
        Specimen {
            name: format!("zoo_{}", drawn.seed),
            text: drawn.text.clone(),
            check: check_for(&drawn.network),
        }
    }
}

impl Specimen {
    /// A spec of whatever origin.
    ///
    /// # Errors
    ///
    /// What the compiler says of it.
    pub fn new(name: &str, text: &str) -> Result<Specimen, String> {
        let network = checked(text).map_err(|(message, _)| message)?;
        Ok(Specimen {
            name: name.to_string(),
            text: text.to_string(),
            check: check_for(&network),
        })
    }
}

/// Drafts that were discarded.
#[derive(Clone, Debug, Default)]
pub struct Discarded {
    /// The compiler's message and the spec, for each draft that it refused.
    pub refused: Vec<(String, String)>,
    /// How many networks had the same value for every position.
    pub dull: usize,
}

/// Draws the network of a seed.
///
/// # Panics
///
/// If the compiler refuses a draft without saying why.
#[must_use]
pub fn draw(seed: u64) -> Drawn {
    let mut dice = Dice::new(seed);
    let mut discarded = Discarded::default();
    loop {
        let text = match draft::draw(seed, &mut dice) {
            Ok(text) => text,
            Err(refused) => {
                discarded.refused.push(refused);
                continue;
            }
        };
        match checked(&text) {
            Err(refused) => discarded.refused.push(refused),
            Ok(network) if !tells(&network) => discarded.dull += 1,
            Ok(network) => {
                return Drawn {
                    seed,
                    text,
                    network,
                    discarded,
                };
            }
        }
    }
}

/// The seed in the first line of a drawn spec.
#[must_use]
pub fn seed_of(text: &str) -> Option<u64> {
    let comment = text.lines().next()?.strip_prefix("# ")?;
    let (_, seed) = comment.split_once("seed ")?;
    seed.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// The check of [`differential`](mod@nnue_test_support::differential) that suits a network.
#[must_use]
pub fn check_for(network: &Network) -> &'static str {
    let mut sets = network.features.iter();
    if sets.clone().any(|set| set.views() > 1) {
        "check_views"
    } else if sets.clone().all(FeatureSet::is_supplied) {
        "check_custom"
    } else if sets.any(FeatureSet::is_supplied) {
        "check_mixed"
    } else if network.stacks.by_pieces.is_none() {
        "check_by_caller"
    } else {
        "check"
    }
}

/// Reads a spec. An error has the compiler's message and the spec.
fn checked(text: &str) -> Result<Network, (String, String)> {
    let errors = match analyse(&SourceFile::new("drawn", text)) {
        Ok(network) => return Ok(network),
        Err(errors) => errors,
    };
    let reasons = errors.found.iter().map(|error| error.message.as_str());
    let reasons: Vec<&str> = reasons.collect();
    assert!(
        !reasons.is_empty()
            && !reasons
                .iter()
                .any(|reason| reason.contains("without a reason")),
        "refused without a reason:\n{text}"
    );
    Err((errors.to_string(), text.to_string()))
}
