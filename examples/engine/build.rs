//! Chooses the network that the engine is compiled for, by environment variables:
//!
//! * `NNUE_SPEC`: its spec, by default small128's;
//! * `EVALFILE`: a net file to embed. Without it, small128's is embedded if no other spec is chosen;
//! * `NNUE_PAWN`: how many of the network's units are a pawn, by default 100.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// What a pawn is worth in Stockfish's units, which its small net has.
const STOCKFISH_PAWN: &str = "208";

fn main() {
    let examples = PathBuf::from(variable("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    let spec = chosen("NNUE_SPEC");
    let net = chosen("EVALFILE").or_else(|| match spec {
        Some(_) => None,
        None => Some(text(&examples.join("nets/nn-37f18f62d772.nnue"))),
    });
    let pawn = chosen("NNUE_PAWN").unwrap_or_else(|| match spec {
        Some(_) => "100".to_owned(),
        None => STOCKFISH_PAWN.to_owned(),
    });
    if !pawn.parse::<i32>().is_ok_and(|pawn| pawn > 0) {
        panic!("`NNUE_PAWN` is `{pawn}`, expected a positive integer");
    }
    let spec = spec.unwrap_or_else(|| text(&examples.join("../specs/small128.toml")));
    let (weights, embedded) = match net {
        Some(net) => (
            format!(", weights = {net:?}"),
            "Some(if shared { Network::embedded_shared() } else { Network::embedded() })",
        ),
        None => (String::new(), "None.filter(|_: &Network| shared)"),
    };
    let module = format!(
        "nnue_runtime::nnue_net!({spec:?}{weights});\n\
         pub(crate) const PAWN: i64 = {pawn};\n\
         pub(crate) fn embedded(shared: bool) -> Option<Network> {{ {embedded} }}\n"
    );
    let out = PathBuf::from(variable("OUT_DIR").unwrap_or_default());
    if let Err(error) = fs::write(out.join("network.rs"), module) {
        panic!("cannot write to `{}`: {error}", out.display());
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// A variable that the user may set.
fn chosen(name: &str) -> Option<String> {
    println!("cargo::rerun-if-env-changed={name}");
    variable(name)
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
