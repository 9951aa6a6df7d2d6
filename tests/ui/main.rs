//! Errors of the compiler as users see them: what rustc says of each file in `messages/` and
//! `unsafe/` is in the file of the same name that ends in `.stderr`. `TRYBUILD=overwrite` writes
//! what it says now.

use std::fs;
use std::path::Path;

/// One test, because two would wait for each other: all cases are built in one folder.
#[test]
fn errors_read_as_they_should() {
    write_files();
    let cases = trybuild::TestCases::new();
    cases.compile_fail("messages/*.rs");
    // The macros of generated code are exported. They must not allow anybody to avoid `unsafe`.
    cases.compile_fail("unsafe/plain_*.rs");
    if cfg!(target_arch = "x86_64") {
        cases.compile_fail("unsafe/dispatch_*.rs");
    } else {
        println!("unsafe/dispatch_*.rs: not for this processor");
    }
}

/// Writes the files that the cases name to where the macro looks for them: beside the `Cargo.toml`
/// that trybuild writes for the cases.
fn write_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read(root.join(path)).expect("files of the project can be read");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    let folder = target.join("tests/trybuild").join(env!("CARGO_PKG_NAME"));
    fs::create_dir_all(&folder).expect("the target folder can be written");
    // Variables of the environment, which trybuild cannot set: cargo reads this file too.
    let settings = folder.join("../.cargo");
    fs::create_dir_all(&settings).expect("the target folder can be written");
    fs::write(
        settings.join("config.toml"),
        "[env]\nNNUE_UI_EMPTY = \"\"\n",
    )
    .expect("the target folder can be written");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).expect("the target folder can be written");
    };

    write("sfnnv5.toml", &read("specs/sfnnv5.toml"));
    write("small128.toml", &read("specs/small128.toml"));
    let factorised = read("tests/specs/features/factorised.toml");
    write("factorised.toml", &factorised);
    write("wrong.order", b"neuron_order = [1, 0, 1]\n");
    let mut net = read("examples/nets/nn-37f18f62d772.nnue");
    write("small128.nnue", &net);
    write("cut-off.nnue", &net[..net.len() - 1000]);
    // The hash of the last stack stands before the biases and weights of its 3 layers.
    let stack = 4 + (16 + 32 + 1) * 4 + 16 * 128 + 32 * 32 + 32;
    let hash = net.len() - stack;
    net[hash] ^= 1;
    write("damaged.nnue", &net);
}
