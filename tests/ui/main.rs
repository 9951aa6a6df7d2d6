//! What the macro says when something is wrong: errors as users see them.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder whose `Cargo.toml` the cases are built with: where the macro looks for files.
fn package_of_cases() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    target.join("tests/trybuild").join(env!("CARGO_PKG_NAME"))
}

/// The files that the cases name.
fn write_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| fs::read(root.join(path)).unwrap();
    let folder = package_of_cases();
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();

    write("sfnnv5.toml", &read("specs/sfnnv5.toml"));
    write("small128.toml", &read("specs/small128.toml"));
    write(
        "factorised.toml",
        &read("tests/specs/features/factorised.toml"),
    );
    let mut net = read("examples/nets/nn-37f18f62d772.nnue");
    write("small128.nnue", &net);
    write("cut-off.nnue", &net[..net.len() - 1000]);
    // The hash of the last stack, 3 layers of biases and weights before the end.
    let stack = 4 + (16 + 32 + 1) * 4 + 16 * 128 + 32 * 32 + 32;
    let hash = net.len() - stack;
    net[hash] ^= 1;
    write("damaged.nnue", &net);
}

#[test]
fn errors_read_as_they_should() {
    write_files();
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/messages/*.rs");
    // What generated code is made of is exported, and must not let anyone past `unsafe`.
    cases.compile_fail("ui/unsafe/plain_*.rs");
    #[cfg(target_arch = "x86_64")]
    cases.compile_fail("ui/unsafe/dispatch_*.rs");
}
