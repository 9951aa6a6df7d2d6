//! The engines by name, each as its `main` would set it up.

use std::path::Path;
use std::sync::Arc;

use nnue_runtime::NodeCopies;

use crate::bench::{Searched, bench};
use crate::handwritten::Weights;
use crate::net::simple::Network;
use crate::observer::{Observed, before::NodeWeights};
use crate::{eager_stack, mapped_file, observer};

/// The patterns, which are modules of this crate.
pub const PATTERNS: [&str; 3] = ["eager_stack", "observer", "mapped_file"];
/// The forms of each.
pub const FORMS: [&str; 2] = ["before", "after"];

/// Runs the `bench` of an engine with a net file. With `verify`, each evaluation is compared with a
/// refresh.
///
/// # Errors
///
/// What is wrong with the file, and names that are not among the patterns and forms.
pub fn run(
    pattern: &str,
    form: &str,
    net: &Path,
    depth: i32,
    verify: bool,
) -> Result<Searched, Box<dyn std::error::Error>> {
    let by = if verify {
        Some(Arc::new(Network::open(net)?))
    } else {
        None
    };
    let by = by.as_ref();
    let searched = match (pattern, form) {
        ("eager_stack", "before") => {
            let weights = Weights::read(&std::fs::read(net)?);
            bench(depth, by, |board| {
                eager_stack::before::Eval::new(weights.clone(), board)
            })
        }
        ("eager_stack", "after") => {
            let net = Arc::new(Network::open(net)?);
            bench(depth, by, |board| {
                eager_stack::after::Eval::new(net.clone(), board)
            })
        }
        ("observer", "before") => {
            let nodes = NodeWeights::new(Weights::read(&std::fs::read(net)?));
            bench(depth, by, |board| {
                Observed(observer::before::Eval::new(nodes.of_thread(0), board))
            })
        }
        ("observer", "after") => {
            let nodes = NodeCopies::new(Network::open(net)?);
            bench(depth, by, |board| {
                Observed(observer::after::Eval::new(nodes.here().clone(), board))
            })
        }
        ("mapped_file", "before") => {
            // SAFETY: the caller's file stays as it is.
            let weights = unsafe { mapped_file::before::map(net) }?;
            bench(depth, by, |board| {
                mapped_file::before::Eval::new(weights, board)
            })
        }
        ("mapped_file", "after") => {
            // SAFETY: as above.
            let net = Arc::new(unsafe { mapped_file::after::map(net) }?);
            bench(depth, by, |board| {
                mapped_file::after::Eval::new(net.clone(), board)
            })
        }
        _ => {
            let (patterns, forms) = (PATTERNS.join(", "), FORMS.join(", "));
            return Err(format!(
                "found the engine `{pattern} {form}`, expected one of {patterns} and one of {forms}"
            )
            .into());
        }
    };
    Ok(searched)
}
