//! `nnue capi`: the package that it writes, and what it refuses. The tests of nnue-tools compile libraries.

use std::fs;

use crate::program::{output, refusal, scratch, scratch_path, text};

const SMALL128: &str = "../specs/small128.toml";
const NET: &str = "../examples/nets/nn-37f18f62d772.nnue";

#[test]
fn the_package_has_all_that_the_library_is_made_of() {
    let folder = scratch_path("capi-package");
    let out = text(&folder);
    let options = ["--net", NET, "--embed=weights", "--lib=static"];
    let arguments = [&["capi", SMALL128, "--source", &out], &options[..]].concat();
    let printed = output(&arguments);
    assert!(printed.contains("`cargo build --release`"), "{printed}");
    let read = |file: &str| fs::read_to_string(folder.join(file)).expect(file);
    let manifest = read("Cargo.toml");
    assert!(
        manifest.contains("crate-type = [\"staticlib\"]"),
        "{manifest}"
    );
    let code = read("src/lib.rs");
    assert!(
        code.contains("nnue_net!(\"spec.toml\", weights = \"net.nnue\", embed = \"weights\")")
            && code.contains("export!(super::net, \"nnue_small128\", by_pieces, embedded)"),
        "{code}"
    );
    assert_eq!(
        read("spec.toml"),
        fs::read_to_string(SMALL128).expect("the spec is there")
    );
    let net = |path| fs::read(path).expect("a net");
    assert!(net(folder.join("net.nnue")) == net(NET.into()));
    let header = read("nnue_small128.h");
    for declared in [
        "nnue_small128_network_embedded(",
        "nnue_small128_evaluator_evaluate(",
        "namespace nnue_small128 {",
    ] {
        assert!(header.contains(declared), "{declared} in {header}");
    }
}

/// As often as somebody likes, with the spec that is in it too.
#[test]
fn the_package_is_written_anew() {
    let folder = scratch_path("capi-again");
    let out = text(&folder);
    let capi = |spec: &str, options: &[&str]| {
        output(&[&["capi", spec, "--name=net", "--source", &out], options].concat());
    };
    capi(SMALL128, &["--net", NET]);
    let manifest = |kind: &str| {
        let text = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        assert!(
            text.starts_with("# `nnue capi` has made this package"),
            "{text}"
        );
        assert!(
            text.contains(&format!("crate-type = [\"{kind}\"")),
            "{text}"
        );
    };
    manifest("staticlib");
    // What cargo, git and the user add does not matter.
    for other in ["target", ".git"] {
        fs::create_dir(folder.join(other)).expect("folders can be made");
    }
    fs::write(folder.join("README.md"), "Mine.").expect("files can be written");
    let [spec, net] = ["spec.toml", "net.nnue"].map(|name| text(&folder.join(name)));
    capi(&spec, &["--net", &net, "--lib=shared"]);
    manifest("cdylib");
    assert!(fs::read(net).expect("a net") == fs::read(NET).expect("a net"));
}

#[test]
fn headers_have_what_the_network_has() {
    let header = |name: &str, spec: &str| {
        let folder = scratch_path(&format!("capi-{name}"));
        output(&["capi", spec, "--name", name, "--source", &text(&folder)]);
        fs::read_to_string(folder.join(format!("{name}.h"))).expect("a header")
    };
    let heads = header("heads", "../tests/specs/layers/heads.toml");
    assert!(heads.contains("using output = nnue_wdl;"), "{heads}");
    assert!(!heads.contains("heads_network_embedded"), "{heads}");
    let white = header("white", "../tests/specs/perspectives/white_first.toml");
    assert!(white.contains("from white's view"), "{white}");
    let caller = scratch(
        "capi-caller.toml",
        b"name = 'By caller'\nlike = 'sfnnv5'\nstacks = { count = 8, select = { by = 'caller' } }\n",
    );
    let caller = header("caller", &caller);
    assert!(
        caller.contains("caller_evaluator_evaluate_bucket(")
            && !caller.contains("caller_evaluator_evaluate("),
        "{caller}"
    );
}

#[test]
fn what_cannot_be_a_library_is_refused() {
    let capi = |code, arguments: &[&str]| refusal(code, &[&["capi"], arguments].concat());
    let out = text(&scratch_path("capi-out"));
    let custom = capi(1, &["../specs/games/ataxx.toml", "--out", &out]);
    assert!(custom.contains("is a custom feature set"), "{custom}");
    for (name, words) in [
        ("9lives", "found `9lives` as the beginning of all names"),
        ("a-b", "found `a-b`"),
        ("", "found ``"),
        ("nnue_move", "`nnue_move` is a name that all headers have"),
        ("class", "`class` cannot be a namespace of C++"),
        ("std", "`std` cannot be a namespace of C++"),
    ] {
        let refused = capi(2, &[SMALL128, "--out", &out, "--name", name]);
        assert!(
            refused.contains(words) && refused.contains("--name"),
            "{refused}"
        );
    }
    let net = capi(1, &["sfnnv1", "--net", NET, "--out", &out]);
    assert!(net.contains("is no net file of `sfnnv1`: "), "{net}");
    let missing = capi(1, &[SMALL128, "--net", "no/such.nnue", "--out", &out]);
    assert!(missing.contains("docs/net-files.md"), "{missing}");
    let both = capi(2, &[SMALL128, "--out", &out, "--source", &out]);
    assert!(both.contains("--source"), "{both}");
    let alone = capi(2, &[SMALL128, "--out", &out, "--embed", "weights"]);
    assert!(alone.contains("--net"), "{alone}");
}
