//! The verification of a network with golden vectors, in each way of computing it.

use nnue_compiler::network::Network;
use nnue_interpreter::Net;
use nnue_trace::Values;
use serde::Serialize;

use crate::nets::Error;
use crate::nets::evaluation::told_features;
use crate::nets::given::Given;
use crate::nets::golden::Vector;
use crate::nets::parallel;

/// How many differences are described.
const TOLD: usize = 10;

/// The results of a comparison with golden vectors.
#[derive(Debug, Serialize)]
pub struct Verification<'n> {
    #[serde(skip)]
    of: &'n Network,
    /// The name of the verified network.
    pub network: String,
    /// How many golden vectors there are.
    pub positions: usize,
    /// The ways in which the network was computed. Each must give the expected integers.
    pub ways: Vec<Way>,
    /// The first differences that were found, in the order of the ways and then of the vectors.
    pub differences: Vec<Difference>,
}

/// A way of computing a network.
#[derive(Debug, Serialize)]
pub struct Way {
    /// The computation: `interpreted`, or an instruction set and the way to each position.
    pub computed_by: String,
    /// How many positions were compared. Along the list, these are the positions that differ by at
    /// most four removed and four added pieces from the position before.
    pub compared: usize,
    /// How many of the compared positions have the expected integers.
    pub equal: usize,
}

/// A position whose integers differ from the expected integers.
#[derive(Debug, Serialize)]
pub struct Difference {
    /// The position as FEN.
    pub fen: String,
    /// The expected integers as they stand in the file: the value, perhaps with its parts, or three
    /// values.
    pub expected: String,
    /// The integers that were found, in the same form as [`Difference::expected`].
    pub found: String,
    /// The computation that gave these integers, as in [`Way::computed_by`].
    pub computed_by: String,
}

impl<'n> Verification<'n> {
    /// A verification of a network before anything is compared.
    #[must_use]
    pub fn of(network: &'n Network, vectors: &[Vector]) -> Verification<'n> {
        Verification {
            of: network,
            network: network.name.clone(),
            positions: vectors.len(),
            ways: Vec::new(),
            differences: Vec::new(),
        }
    }

    /// Whether all integers that were compared are equal.
    pub fn is_equal(&self) -> bool {
        self.ways.iter().all(|way| way.equal == way.compared)
    }

    /// Compares the values of a way of computing, which are `None` for vectors that are left out.
    pub fn compare<'v>(
        &mut self,
        computed_by: &str,
        pairs: impl IntoIterator<Item = (&'v Vector, Option<Values>)>,
    ) {
        let mut way = Way {
            computed_by: computed_by.into(),
            compared: 0,
            equal: 0,
        };
        for (vector, found) in pairs {
            let Some(found) = found else { continue };
            let expected = &vector.expected;
            let found = expected.of(self.of, &found);
            way.compared += 1;
            if *expected == found {
                way.equal += 1;
            } else if self.differences.len() < TOLD {
                self.differences.push(Difference {
                    fen: vector.given.text.clone(),
                    expected: expected.to_string(),
                    found: found.to_string(),
                    computed_by: computed_by.into(),
                });
            }
        }
        self.ways.push(way);
    }
}

/// Refuses a network whose values do not follow from the position alone, for uses that know no
/// more.
///
/// # Errors
///
/// [`Error::ToldFeatures`] and [`Error::ChosenBucket`], by what the position does not tell.
pub fn require_values(network: &Network) -> Result<(), Error> {
    let name = &network.name;
    if let Some(set) = told_features(network) {
        return Err(Error::ToldFeatures {
            network: name.clone(),
            set: set.into(),
        });
    }
    match network.stacks.by_pieces {
        Some(_) => Ok(()),
        None => Err(Error::ChosenBucket {
            network: name.clone(),
        }),
    }
}

/// The values of the interpreter for some positions, on all cores. `progress` is called for each
/// position, which must be [given with a stack](Given::with_stack) for the network.
pub fn interpret<T: Sync>(
    net: &Net,
    items: &[T],
    given: impl Fn(&T) -> &Given + Sync,
    progress: &(dyn Fn() + Sync),
) -> Vec<Values> {
    parallel::map(items, |item| {
        let given = given(item);
        let stack = given.stack.unwrap_or(0);
        let trace = net.trace(&given.accumulate(net), given.side_to_move, stack);
        progress();
        Values {
            outputs: trace.evaluation.outputs(),
            heads: trace.heads,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::golden::Expected;
    use nnue_runtime::Output;

    fn output(value: i32) -> Values {
        Values {
            outputs: vec![Output {
                psqt: 0,
                positional: value,
                value,
            }],
            heads: Vec::new(),
        }
    }

    #[test]
    fn differences_are_counted_and_the_first_are_told() {
        let network = crate::nets::specs::KnownSpec::named("small128")
            .unwrap()
            .network()
            .unwrap();
        let given = Given::with_stack("4k3/8/8/8/8/8/8/4K3 w - -", &network).unwrap();
        let vectors: Vec<Vector> = (0..30)
            .map(|value| Vector {
                given: given.clone(),
                expected: Expected::all(&network, &output(value)),
            })
            .collect();
        let mut verification = Verification::of(&network, &vectors);
        verification.compare(
            "right",
            vectors.iter().zip((0..30).map(|value| Some(output(value)))),
        );
        assert!(verification.is_equal());
        // Every third output is left out, and every second of the others is wrong.
        let found = (0..30).map(|value| (value % 3 != 0).then(|| output(value + value % 2)));
        verification.compare("wrong", vectors.iter().zip(found));
        assert!(!verification.is_equal());
        let counts = verification
            .ways
            .iter()
            .map(|way| (way.compared, way.equal));
        assert!(counts.eq([(30, 30), (20, 10)]));
        assert_eq!(verification.differences.len(), TOLD);
        let first = &verification.differences[0];
        assert_eq!(
            [&*first.expected, &first.found, &first.computed_by],
            ["1 | 0 | 1", "2 | 0 | 2", "wrong"]
        );
    }
}
