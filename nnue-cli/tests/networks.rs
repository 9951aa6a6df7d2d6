//! The networks of specs, which must be right.

use std::path::Path;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_test_support::net_file::random_net_file;

/// The net of small128, from this package's folder.
pub(crate) const NET: &str = "../examples/nets/nn-37f18f62d772.nnue";

/// The text of a spec, by its path in the repository.
pub(crate) fn spec_text(path: &str) -> String {
    let text = std::fs::read_to_string(format!("../{path}"));
    text.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The network of a spec's text.
pub(crate) fn network(text: &str) -> Network {
    let network = analyse(&SourceFile::new("spec", text));
    network.unwrap_or_else(|errors| panic!("{errors}"))
}

/// The network of a spec's file.
pub(crate) fn network_in(path: impl AsRef<Path>) -> Network {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path);
    network(&text.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// A net file of a spec's file, with random weights.
pub(crate) fn random_net(path: impl AsRef<Path>, seed: u64) -> Vec<u8> {
    random_net_file(&network_in(path), seed)
}
