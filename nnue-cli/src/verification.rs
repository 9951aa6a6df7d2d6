//! Whether a network says what golden vectors expect, in each way of computing it.

use std::path::Path;

use nnue_compiler::network::Network;
use nnue_interpreter::Net;
use nnue_runtime::{Board, Level, Output, Position};
use serde::Serialize;

use crate::Failure;
use crate::bench::{Packages, Spec, answers};
use crate::golden::Vector;
use crate::interpreted::told_features;
use crate::net_file::NetFile;
use crate::parallel;

/// So many differences are told one by one.
const TOLD: usize = 10;

/// What was compared with golden vectors.
#[derive(Debug, Serialize)]
pub(crate) struct Verification {
    /// The name of the network.
    pub(crate) network: String,
    /// How many golden vectors there are.
    pub(crate) positions: usize,
    /// The ways in which the network was computed, of which each must give the expected integers.
    pub(crate) ways: Vec<Way>,
    /// The first differences, in the order of the ways and then of the vectors.
    pub(crate) differences: Vec<Difference>,
}

/// A way of computing a network.
#[derive(Debug, Serialize)]
pub(crate) struct Way {
    /// What computed it: `interpreted`, or an instruction set with how it came to each position.
    pub(crate) computed_by: String,
    /// How many positions were compared. Along the list, these are the ones that differ by at most
    /// four removed and four added pieces from the position before.
    pub(crate) compared: usize,
    /// How many of them have the expected integers.
    pub(crate) equal: usize,
}

/// A position whose integers are not the expected ones.
#[derive(Debug, Serialize)]
pub(crate) struct Difference {
    /// The position.
    pub(crate) fen: String,
    /// What was expected, as it stands in the file: the value, perhaps with its parts.
    pub(crate) expected: String,
    /// What was found, in the same form.
    pub(crate) found: String,
    /// What computed it, as in the list of ways.
    pub(crate) computed_by: String,
}

impl Verification {
    pub(crate) fn of(network: &Network, vectors: &[Vector]) -> Verification {
        Verification {
            network: network.name.clone(),
            positions: vectors.len(),
            ways: Vec::new(),
            differences: Vec::new(),
        }
    }

    /// Whether all that was compared is equal.
    pub(crate) fn is_equal(&self) -> bool {
        self.ways.iter().all(|way| way.equal == way.compared)
    }

    /// Compares what was computed in a way: a value for each vector, or none.
    pub(crate) fn compare<'v>(
        &mut self,
        computed_by: &str,
        pairs: impl IntoIterator<Item = (&'v Vector, Option<Output>)>,
    ) {
        let mut way = Way {
            computed_by: computed_by.into(),
            compared: 0,
            equal: 0,
        };
        for (vector, found) in pairs {
            let Some(found) = found else { continue };
            let expected = vector.expected;
            way.compared += 1;
            if expected.is(&found) {
                way.equal += 1;
            } else if self.differences.len() < TOLD {
                self.differences.push(Difference {
                    fen: vector.given.fen.clone(),
                    expected: expected.to_string(),
                    found: expected.of(&found).to_string(),
                    computed_by: computed_by.into(),
                });
            }
        }
        self.ways.push(way);
    }
}

/// Refuses networks of which a position alone has no value, or more than one.
pub(crate) fn require_one_value(network: &Network) -> Result<(), Failure> {
    let name = &network.name;
    let problem = if let Some(set) = told_features(network) {
        format!(
            "has the custom feature set `{set}`: the engine tells which of its features are active, and a position alone does not"
        )
    } else if network.output.heads.len() != 1 {
        "says how likely a win, a draw and a loss are, and golden vectors have one value".into()
    } else if network.stacks.by_pieces.is_none() {
        "leaves the choice of the bucket to the engine, and golden vectors have the value of one bucket".into()
    } else {
        return Ok(());
    };
    Err(Failure::Work(format!("`{name}` {problem}")))
}

/// What the interpreter says of some positions, on all cores; `progress` is told of each.
///
/// The network is one that [`require_one_value`] accepts.
pub(crate) fn interpret<T: Sync>(
    net: &Net,
    items: &[T],
    board: impl Fn(&T) -> &Board + Sync,
    progress: &(dyn Fn() + Sync),
) -> Vec<Output> {
    parallel::map(items, |item| {
        let board = board(item);
        let bucket = net.bucket(board.occupied().len()).unwrap_or(0);
        let outputs = net.evaluate(board, bucket).outputs();
        progress();
        outputs[0]
    })
}

/// Compares a network that is compiled in, with a full refresh for each position, on all cores.
#[cfg(feature = "compiled")]
pub(crate) fn compare_compiled_in(
    verification: &mut Verification,
    net: &dyn crate::compiled::AnyNetwork,
    vectors: &[Vector],
    progress: &(dyn Fn() + Sync),
) {
    use crate::evaluation::Answer;

    let found = parallel::map(vectors, |vector| {
        let evaluation = net.evaluate(&vector.given.board);
        progress();
        match evaluation.chosen()?.answer {
            Answer::Value(sums) => Some(Output {
                psqt: sums.psqt,
                positional: sums.positional,
                value: sums.value,
            }),
            Answer::Wdl { .. } => None,
        }
    });
    let computed_by = format!("{}, refresh", net.computed_by());
    verification.compare(&computed_by, vectors.iter().zip(found));
}

/// Compiles the network of a spec, and compares it at every level of this machine: with a full
/// refresh for each position, and along the list.
pub(crate) fn compare_compiled(
    verification: &mut Verification,
    packages: &Packages,
    spec: &Spec,
    file: &NetFile,
    vectors: &[Vector],
    progress: &(dyn Fn() + Sync),
) -> Result<(), Failure> {
    let turn = packages.turn()?;
    let program = turn.build(std::slice::from_ref(spec))?.remove(0);
    let program = program
        .map_err(|error| Failure::Work(format!("cannot compile `{}`:\n{error}", spec.choice)))?;
    let fens: Vec<&str> = vectors.iter().map(|vector| &*vector.given.fen).collect();
    let levels: Vec<Level> = Level::available().collect();
    let net: &Path = &file.path;
    let all = parallel::map(&levels, |level| {
        answers(&program, net, *level, &fens, progress)
    });
    for (level, answers) in levels.iter().zip(all) {
        let wrong = |error| Failure::Work(format!("{level}: {error}"));
        let answers = answers.map_err(wrong)?;
        for (how, is_along) in [("refresh", false), ("incremental", true)] {
            let found = answers.iter().map(|answer| match is_along {
                true => answer.along.as_ref().map(|values| values[0]),
                false => Some(answer.refreshed[0]),
            });
            verification.compare(&format!("{level}, {how}"), vectors.iter().zip(found));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::Expected;
    use crate::positions::Given;

    fn output(value: i32) -> Output {
        Output {
            psqt: 0,
            positional: value,
            value,
        }
    }

    #[test]
    fn differences_are_counted_and_the_first_are_told() {
        let given = Given::parse("4k3/8/8/8/8/8/8/4K3 w - -").unwrap();
        let vectors: Vec<Vector> = (0..30)
            .map(|value| Vector {
                given: given.clone(),
                expected: Expected::from(&output(value)),
            })
            .collect();
        let network = crate::known::Known::named("small128")
            .unwrap()
            .network()
            .unwrap();
        let mut verification = Verification::of(&network, &vectors);
        verification.compare(
            "right",
            vectors.iter().zip((0..30).map(|value| Some(output(value)))),
        );
        assert!(verification.is_equal());
        // Every third is left out, and every second of the others is wrong.
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
