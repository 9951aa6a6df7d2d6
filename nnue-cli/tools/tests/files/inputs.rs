//! What a run has read is written by none of its outputs.

use std::fs;
use std::path::Path;
use std::process::Command;

use nnue_tools::files::{Error, Output, open, own, protect_inputs, read, write};

use super::output::folder;

/// Names the folder for the test that protects the inputs of its whole process.
const FOLDER: &str = "NNUE_TEST_PROTECTED";

/// The other tests of this program read and write the same files.
#[test]
fn a_process_writes_over_none_of_its_inputs() {
    let program = std::env::current_exe().expect("it runs");
    let folder = folder("protected");
    let output = Command::new(program)
        .args(["--exact", "files::inputs::in_a_process_of_its_own"])
        .env(FOLDER, &folder)
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    // It is that test which has run.
    assert!(folder.join("done").is_file(), "{said}");
}

#[test]
fn in_a_process_of_its_own() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    protect_inputs();
    inputs_are_kept(folder);
    what_is_written_is_not_read(folder);
    no_output_is_written_twice(folder);
    inputs_that_come_later_are_kept(folder);
    own_files_are_read_and_written(folder);
    write(&folder.join("done"), "").expect("it can be written");
}

fn assert_kept<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert!(
        matches!(result, Err(Error::Overwritten { .. })),
        "{result:?}"
    );
}

fn inputs_are_kept(folder: &Path) {
    let inputs = folder.join("inputs");
    fs::create_dir(&inputs).expect("folders can be made");
    let [read_at_once, opened] = ["read", "opened"].map(|name| inputs.join(name));
    for path in [&read_at_once, &opened] {
        fs::write(path, "input").expect("files can be written");
    }
    let link = folder.join("link");
    fs::hard_link(&read_at_once, &link).expect("files can be linked");
    read(&read_at_once, 10).expect("it can be read");
    drop(open(&opened).expect("it can be read"));
    for path in [
        &read_at_once,
        &inputs.join("../inputs/read"),
        &link,
        &opened,
    ] {
        assert_kept(write(path, "new"));
        assert_kept(Output::create(path));
        assert_kept(Output::create_new(path));
        assert_kept(own::write(path, "new"));
        assert_kept(own::append(path));
        assert_kept(own::remove(path));
        assert_kept(own::rename(path, &folder.join("other")));
        assert_kept(own::rename(&folder.join("other"), path));
        assert_eq!(fs::read(path).expect("it is there"), b"input");
    }
    assert_kept(own::remove(&inputs));
    assert_kept(own::rename(&inputs, &folder.join("other")));
    // An editor has saved the input anew.
    fs::write(folder.join("saved"), "saved").expect("files can be written");
    fs::rename(folder.join("saved"), &opened).expect("it is ours");
    assert_kept(write(&opened, "new"));
    assert_eq!(fs::read(&opened).expect("it is there"), b"saved");
}

fn what_is_written_is_not_read(folder: &Path) {
    let path = folder.join("half");
    fs::write(&path, "old").expect("files can be written");
    let output = Output::create(&path).expect("it can be written");
    assert_kept(read(&path, 10));
    assert_kept(open(&path).map(drop));
    drop(output);
    read(&path, 10).expect("nothing was written");
    let path = folder.join("whole");
    write(&path, "new").expect("it can be written");
    assert_kept(read(&path, 10));
}

fn no_output_is_written_twice(folder: &Path) {
    let path = folder.join("twice");
    let refused = || {
        let second = Output::create(&folder.join("./twice"));
        assert!(
            matches!(second, Err(Error::WrittenTwice { .. })),
            "{second:?}"
        );
    };
    let first = Output::create(&path).expect("it can be written");
    refused();
    first.finish().expect("it can be written");
    refused();
}

fn inputs_that_come_later_are_kept(folder: &Path) {
    let [output, input] = ["late-output", "late-input"].map(|name| folder.join(name));
    fs::write(&input, "input").expect("files can be written");
    let mut begun = Output::create(&output).expect("it can be written");
    begun.add(b"new").expect("it can be written");
    read(&input, 10).expect("it can be read");
    fs::hard_link(&input, &output).expect("files can be linked");
    assert_kept(begun.finish());
    assert_eq!(fs::read(&input).expect("it is there"), b"input");
    assert_eq!(fs::read(&output).expect("it is there"), b"input");
}

fn own_files_are_read_and_written(folder: &Path) {
    let path = folder.join("own");
    for text in ["one", "two"] {
        own::write(&path, text).expect("it can be written");
        assert_eq!(
            own::read(&path, 3).expect("it can be read"),
            text.as_bytes()
        );
    }
    own::append(&path).expect("it can be written");
    own::rename(&path, &folder.join("renamed")).expect("it is no input");
    own::remove(&folder.join("renamed")).expect("it is no input");
}
