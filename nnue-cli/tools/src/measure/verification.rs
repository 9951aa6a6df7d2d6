//! A comparison of compiled networks with golden vectors.

use std::path::Path;

use crate::nets::golden::Vector;
use crate::nets::net_file::NetFile;
use crate::nets::parallel;
use crate::nets::specs::Spec;
use crate::nets::verification::{Verification, require_values};
use nnue_runtime::Level;

use crate::measure::Error;
use crate::measure::bench::answers;
use crate::measure::workspace::Turn;

/// Compiles the network of a spec, and compares it with golden vectors at every level of this
/// machine: with a full refresh for each position, and along the list. `progress` is called for
/// each position.
///
/// # Errors
///
/// The network cannot be compiled, or its program fails; or the values do not follow from the
/// position alone, which is all that the program reads.
pub fn compare_compiled(
    verification: &mut Verification<'_>,
    turn: &Turn<'_>,
    spec: &Spec,
    file: &NetFile,
    vectors: &[Vector],
    progress: &(dyn Fn() + Sync),
) -> Result<(), Error> {
    require_values(&file.network)?;
    let program = turn.build(std::slice::from_ref(spec))?.remove(0);
    let program = program.map_err(|words| Error::Compiler {
        spec: spec.choice.to_string(),
        words,
    })?;
    let fens: Vec<&str> = vectors.iter().map(|vector| &*vector.given.text).collect();
    let levels: Vec<Level> = Level::available().collect();
    let net: &Path = &file.path;
    let all = parallel::map(&levels, |level| {
        answers(&program, net, *level, &fens, progress)
    });
    for (level, answers) in levels.iter().zip(all) {
        let answers = answers.map_err(|words| Error::Program {
            level: *level,
            words,
        })?;
        for (how, is_along) in [("refresh", false), ("incremental", true)] {
            let found = answers.iter().map(|answer| {
                if is_along {
                    answer.along.clone()
                } else {
                    Some(answer.refreshed.clone())
                }
            });
            verification.compare(&format!("{level}, {how}"), vectors.iter().zip(found));
        }
    }
    Ok(())
}
