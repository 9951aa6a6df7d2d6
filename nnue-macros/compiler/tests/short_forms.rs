//! TOML's short forms of tables and lists.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;

fn network(text: &str) -> Network {
    analyse(&SourceFile::new("spec.toml", text)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A spec in TOML's short forms is the same network as one with a header for each table.
#[test]
fn short_forms_change_nothing() {
    let short = include_str!("../../../specs/bullet/multi_layer.toml");
    let long = include_str!("short_forms/multi_layer.toml");
    assert!(short.lines().count() <= 40);
    assert!(long.matches("\n[").count() > 8);
    assert_eq!(network(short), network(long));
}
