//! Specs: the gallery, mistakes and their places, networks, plans, code.

use std::fs;
use std::path::Path;

use nnue_compiler::format::levels::ISAS;
use nnue_playground::{Gallery, Playground};

use crate::{START, showing, spec};

#[test]
fn the_gallery_has_all_specs_of_the_project() {
    let mut found = Vec::new();
    let root = Path::new("../../../specs");
    let folders = fs::read_dir(root)
        .expect("specs")
        .map(|entry| entry.expect("an entry").path());
    let folders = folders
        .filter(|path| path.is_dir())
        .chain([root.to_path_buf()]);
    for folder in folders {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                let name = path.strip_prefix(root).expect("within").with_extension("");
                found.push(name.to_str().expect("a name").replace('\\', "/"));
            }
        }
    }
    let mut names: Vec<&str> = Gallery::all().specs.iter().map(|spec| spec.name).collect();
    names.sort_unstable();
    found.sort_unstable();
    assert_eq!(names, found);
    for spec in Gallery::all().specs {
        let title = &spec.title;
        assert!(
            title.len() > 10 && !title.ends_with('.'),
            "{}: {title}",
            spec.name
        );
    }
    let specs = Gallery::all().specs;
    let clover = specs.iter().find(|spec| spec.name == "engines/clover");
    let title = clover.map(|spec| &*spec.title);
    let expected =
        "Clover of September 2025: one layer behind squares, as in bullet's first examples";
    assert_eq!(title, Some(expected));
}

#[test]
fn each_spec_of_the_gallery_is_shown() {
    for name in Gallery::all().specs.iter().map(|spec| spec.name) {
        let mut page = Playground::default();
        let checked = page.check(spec(name)).expect("text");
        assert!(checked.diagnostics.is_empty(), "{name}");
        let network = checked.network.expect("it is right");
        assert!(network.drawing.starts_with("<svg "), "{name}");
        let tensors = page.tensors().expect("a network");
        assert!(
            tensors.text.starts_with(&format!("{}: ", network.name)),
            "{name}"
        );
        assert!(tensors.tensors.iter().all(|row| row.bytes > 0), "{name}");
        let whole = page.whole().expect("a network").text;
        let again = page.check(whole.into()).expect("text").network;
        assert_eq!(
            again.map(|again| again.drawing),
            Some(network.drawing),
            "{name}"
        );
    }
}

#[test]
fn tensors_say_where_their_values_are() {
    let page = showing("small128");
    let tensors = page.tensors().expect("a network");
    let rows: Vec<[&str; 4]> = tensors
        .tensors
        .iter()
        .map(|row| [&*row.name, &*row.shape, &*row.element, &*row.place])
        .collect();
    assert_eq!(
        rows[1][..3],
        [
            "transformer.weights",
            "22528 features x 128 neurons",
            "i16, leb128"
        ]
    );
    let first = tensors
        .tensors
        .iter()
        .find(|row| row.name == "fc_0.weights")
        .expect("a layer");
    assert_eq!(first.shape, "8 stacks x 16 outputs x 128 inputs");
    assert_eq!(first.bytes, 8 * 16 * 128);
    assert!(
        first.place.ends_with(", in the first stack"),
        "{}",
        first.place
    );
}

#[test]
fn plans_and_code_are_those_of_the_level() {
    let page = showing("bullet/simple");
    for isa in ISAS {
        let plan = page.plan(isa.name.as_bytes()).expect("a level").text;
        assert!(plan.starts_with("prefetch: "), "{plan}");
        assert_eq!(plan.matches("\n\n").count(), 1, "{plan}");
        assert!(plan.contains(&format!("\n\n{}: ", isa.name)), "{plan}");
        let code = page.code(isa.name.as_bytes()).expect("a level").text;
        let command = format!(
            "// `nnue expand net.toml --level {}` prints this.",
            isa.name
        );
        assert!(
            code.lines().nth(1).is_some_and(|line| line == command),
            "{}",
            &code[..200]
        );
        assert!(
            code.contains(&format!("mod {} {{", isa.name)),
            "{}",
            isa.name
        );
    }
    for wrong in [&b""[..], b"avx3", b"\xff", b"avx2 "] {
        let error = page.plan(wrong).map(|_| ()).expect_err("no level");
        assert!(error.contains("allowed are scalar, "), "{error}");
        assert_eq!(page.code(wrong).map(|_| ()), Err(error));
    }
}

#[test]
fn places_of_mistakes_are_counted_as_javascript_does() {
    let mut page = Playground::default();
    let text = "# é € 𝄞\nname = \"x\" # 𝄞\nlike = \"sfnnv99\"\n";
    let checked = page.check(text.into()).expect("text");
    assert!(checked.network.is_none());
    let [found] = &checked.diagnostics[..] else {
        panic!("{:?}", checked.diagnostics);
    };
    let units: Vec<u16> = text.encode_utf16().collect();
    let marked =
        |from: usize, to: usize| String::from_utf16(&units[from..to]).expect("whole letters");
    assert_eq!(marked(found.place.from, found.place.to), "\"sfnnv99\"");
    assert_eq!(found.severity, "error");
    assert!(
        found
            .shown
            .starts_with(&format!("error: {}\n  --> net.toml:3:8\n", found.message)),
        "{}",
        found.shown
    );
    assert!(found.help.is_some());
    let beside = &found.related[0];
    assert!(beside.message.contains("sfnnv9"), "{}", beside.message);
    assert_eq!(beside.place, found.place);
}

/// What a known spec says is shown where the user's spec names it.
#[test]
fn mistakes_with_a_known_spec_are_shown_where_it_is_named() {
    let mut page = Playground::default();
    let text = "name = \"x\"\nlike = \"sfnnv5\"\ntransformer.width = 1\n";
    let checked = page.check(text.into()).expect("text");
    assert!(!checked.diagnostics.is_empty());
    for found in &checked.diagnostics {
        for place in found
            .related
            .iter()
            .map(|related| related.place)
            .chain([found.place])
        {
            assert!(
                place.from <= place.to && place.to <= text.len(),
                "{found:?}"
            );
        }
    }
}

#[test]
fn very_many_mistakes_are_counted() {
    let mut page = Playground::default();
    let lines = (0..60).map(|line| format!("unknown_{line} = 1\n"));
    let text: String = ["name = \"x\"\nlike = \"sfnnv5\"\n".into()]
        .into_iter()
        .chain(lines)
        .collect();
    let checked = page.check(text.into()).expect("text");
    assert_eq!(checked.diagnostics.len(), 51);
    let last = &checked.diagnostics[50];
    assert_eq!(
        (last.severity, &*last.message),
        ("note", "... and 10 more errors")
    );
}

#[test]
fn networks_that_no_page_can_address_are_refused() {
    let mut page = Playground::default();
    let mut check = |rows: u64| {
        let text = String::from_utf8(spec("games/ataxx")).expect("text");
        let (before, rest) = text.split_once("rows = ").expect("a custom set");
        let (_, after) = rest.split_once('\n').expect("a line");
        let text = format!("{before}rows = {rows}\n{after}");
        page.check(text.into())
            .map(|checked| assert!(checked.network.is_some()))
    };
    assert_eq!(check(1 << 20), Ok(()));
    let error = check(1 << 24).expect_err("it is too large");
    assert!(error.contains(" MB, and a page can have 4,294"), "{error}");
}

#[test]
fn a_spec_with_mistakes_leaves_the_last_network() {
    let mut page = showing("small128");
    let before = page.plan(b"scalar").expect("a level").text;
    assert!(
        page.check(b"name = ".to_vec())
            .expect("text")
            .network
            .is_none()
    );
    assert_eq!(page.plan(b"scalar").expect("a level").text, before);
}

#[test]
fn nothing_is_said_before_there_is_something() {
    let mut page = Playground::default();
    let no_spec =
        Err("found no spec without mistakes, expected one to be checked first".to_string());
    assert_eq!(page.tensors().map(|_| ()), no_spec);
    assert_eq!(page.plan(b"scalar").map(|_| ()), no_spec);
    assert_eq!(page.code(b"scalar").map(|_| ()), no_spec);
    assert_eq!(page.whole().map(|_| ()), no_spec);
    assert_eq!(page.fits().map(|_| ()), no_spec);
    assert_eq!(page.evaluate(START.as_bytes()).map(|_| ()), no_spec);
    let no_file = Err("found no net file, expected one to be dropped first".to_string());
    assert_eq!(page.adopt().map(|_| ()), no_file);
    let mut page = showing("small128");
    assert_eq!(page.fits().map(|_| ()), no_file);
    assert_eq!(page.evaluate(START.as_bytes()).map(|_| ()), no_file);
}
