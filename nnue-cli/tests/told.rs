//! Specs that come with a net file: behind its weights, or in a file beside it.

use std::fs;
use std::path::PathBuf;

use nnue_compiler::format::attached::{attach, detach};
use nnue_test_support::net_file::net_file_of;

use crate::networks::network_in;
use crate::program::{output, refusal, run, scratch_path, stdout, text};

const SPEC: &str = "../specs/bullet/simple.toml";

/// A folder with a net of bullet's simple example, which no header tells.
fn net_in(folder: &str) -> (PathBuf, String) {
    let folder = scratch_path(folder);
    fs::create_dir_all(&folder).expect("the folder for tests is writable");
    let file = net_file_of(&network_in(SPEC), "", |weight| {
        ((weight.row * 7 + weight.column) % 5) as f64 - 2.0
    });
    let net = folder.join("my.bin");
    fs::write(&net, file).expect("the same");
    let net = text(&net);
    (folder, net)
}

#[test]
fn a_spec_behind_a_net_says_what_it_is() {
    let (folder, net) = net_in("told-behind");
    let told = text(&folder.join("told.bin"));
    fs::remove_file(&told).ok();
    assert!(stdout(&run(&["info", &net])).contains("an unknown kind"));
    output(&["convert", &net, &told, "--spec", SPEC, "--with-spec"]);
    let [plain, with] = [&net, &told].map(|path| fs::read(path).expect("was written"));
    let spec = fs::read_to_string(SPEC).expect("the spec is there");
    assert_eq!(detach(&with), (&plain[..], Some(spec.as_bytes())));

    let named = ["eval", "startpos", "--raw", "--net", &net, "--spec", SPEC];
    assert_eq!(
        output(&["eval", "startpos", "--raw", "--net", &told]),
        output(&named)
    );
    assert!(output(&["info", &told]).contains("network: "));
    assert_eq!(output(&["spec", &told]), spec);
    // A spec that is named comes first, and another form has no spec unless it is said again.
    output(&["info", &told, "--spec", SPEC]);
    let again = text(&folder.join("again.bin"));
    fs::remove_file(&again).ok();
    output(&["convert", &told, &again, "--spec", SPEC, "--to", SPEC]);
    assert_eq!(fs::read(&again).expect("was written"), plain);
}

#[test]
fn a_spec_beside_a_net_says_what_it_is() {
    let (folder, net) = net_in("told-beside");
    let beside = folder.join("my.toml");
    // What a net was trained with is no spec.
    fs::write(&beside, "likelihood = 1\n[loss]\nlambda = 0.7\n").expect("the folder is writable");
    assert!(stdout(&run(&["info", &net])).contains("an unknown kind"));
    fs::copy(SPEC, &beside).expect("the same");
    assert!(output(&["info", &net]).contains("network: "));
    let named = ["eval", "startpos", "--raw", "--net", &net, "--spec", SPEC];
    assert_eq!(
        output(&["eval", "startpos", "--raw", "--net", &net]),
        output(&named)
    );
}

#[test]
fn wrong_specs_with_a_net_are_refused() {
    let (folder, net) = net_in("told-wrong");
    let told = text(&folder.join("told.bin"));
    let plain = fs::read(&net).expect("was written");
    let small128 = fs::read_to_string("../specs/small128.toml").expect("is there");
    let behind = |spec: &str| attach(&plain, spec).expect("it is short");
    let mut damaged = behind("name = \"a\"\n");
    damaged[plain.len()] = 0xFF;
    for (bytes, words) in [
        (behind("name = \"a\"\nwidth = 3\n"), "the spec behind "),
        (damaged, "is not UTF-8 text: the byte at offset 0"),
        (behind(&small128), "is not a net file for small128"),
    ] {
        fs::write(&told, bytes).expect("the folder is writable");
        for command in ["info", "adopt", "spec"] {
            let said = refusal(1, &[command, &told]);
            assert!(said.contains(words), "{command}: {said}");
        }
    }
}
