//! What a page is told: of specs, of files, of positions, and of damaged input.

use std::fs;
use std::path::Path;

use nnue_compiler::format::levels::ISAS;
use nnue_playground::{Gallery, Playground};

const NET: &str = "../../nets/nn-37f18f62d772.nnue";

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn spec(name: &str) -> Vec<u8> {
    let mut all = Gallery::all().specs.into_iter();
    let found = all.find(|spec| spec.name == name);
    found.expect("it is in the gallery").text.into()
}

/// A page that shows this spec of the gallery.
fn showing(name: &str) -> Playground {
    let mut page = Playground::default();
    let checked = page.check(spec(name)).expect("text");
    assert!(checked.network.is_some(), "{name}");
    page
}

/// The page with the small net.
fn loaded() -> Playground {
    let mut page = showing("small128");
    let dropped = page.drop(net()).expect("a net");
    assert!(dropped.fit.loaded, "{:?}", dropped.fit.problem);
    page
}

fn net() -> Vec<u8> {
    fs::read(NET).expect("the net of the project")
}

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

#[test]
fn a_net_is_identified_and_checked_against_the_spec() {
    let mut page = Playground::default();
    let dropped = page.drop(net()).expect("a net");
    assert_eq!(dropped.identity, "a net of small128");
    assert_eq!(dropped.bytes, net().len());
    assert_eq!(dropped.fits, ["small128"]);
    let hash = dropped.hash.expect("a header");
    assert!(
        hash.starts_with("version 0x7af32f20, network hash 0x"),
        "{hash}"
    );
    assert_eq!((dropped.fit.loaded, dropped.fit.problem), (false, None));

    page.check(spec("small128")).expect("text");
    assert!(page.fits().expect("both are there").loaded);
    page.check(spec("sfnnv9")).expect("text");
    let fit = page.fits().expect("both are there");
    let problem = fit.problem.expect("it is another network");
    assert!(!fit.loaded && problem.contains("small128"), "{problem}");
    let error = page.evaluate(START.as_bytes()).map(|_| ());
    assert_eq!(error, Err(problem));
    // Another scale needs no other file.
    let text = "name = \"x\"\nlike = \"small128\"\noutput.scale = 800\n";
    assert!(page.check(text.into()).expect("text").network.is_some());
    assert!(page.fits().expect("both are there").loaded);
}

#[test]
fn values_and_worths_are_those_of_compiled_code() {
    let mut page = loaded();
    let mut compiled = nnue_web::Page::default();
    compiled.load(&net()).expect("the same net");
    for fen in [
        START,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 30 60",
        "4k3/8/8/8/8/8/3Q4/4K3 b - - 0 1",
    ] {
        let found = page.evaluate(fen.as_bytes()).expect("a position");
        let expected = compiled.evaluate(fen.as_bytes()).expect("a position");
        assert_eq!(found.value, Some(expected.value), "{fen}");
        assert_eq!(found.side == "white", expected.white_to_move);
        let pieces = found
            .pieces
            .iter()
            .map(|piece| (piece.square, piece.piece, piece.worth));
        let others = expected.pieces.iter();
        let others = others.map(|piece| (piece.square, piece.letter, piece.contribution));
        assert!(pieces.eq(others), "{fen}");
        assert_eq!(found.bucket, (expected.pieces.len() - 1) / 4);
        let labels: Vec<&str> = found.parts.iter().map(|part| &*part.label).collect();
        assert_eq!(labels, ["PSQT", "layers"]);
        assert!(found.heads.is_empty());
        let picture = roxmltree::Document::parse(&found.neurons).expect("XML");
        let tensors = picture
            .descendants()
            .filter(|node| node.attribute("class") == Some("tensor"));
        assert_eq!(tensors.count(), 1 + 6, "the transformer and the layers");
    }
}

#[test]
fn positions_that_cannot_be_evaluated_are_refused_in_words() {
    let mut page = loaded();
    for fen in [
        &b"4k3/8"[..],
        b"",
        b"\xFF",
        b"8/8/8/8/8/8/8/8 w - - 0 1",
        b"w ; white: 3",
    ] {
        assert!(page.evaluate(fen).is_err());
    }
    assert!(page.evaluate(b"startpos").is_ok());
    let told = page
        .evaluate(format!("{START} ; stack: 3").as_bytes())
        .map(|_| ());
    assert!(told.is_err_and(|error| error.contains("the number of pieces chooses the stack")));
}

/// A net of a trainer, whose file says nothing, and a spec that comes with it.
#[test]
fn a_file_without_a_header_is_adopted() {
    let mut page = Playground::default();
    let bytes = fs::read("../../nets/bullet.bin").expect("the net of the project");
    let dropped = page.drop(bytes.clone()).expect("a file");
    assert_eq!((dropped.hash, dropped.fits.len()), (None, 0));
    let adopted = page.adopt().expect("a file");
    let first = &adopted.guesses[0];
    assert!(adopted.likely && adopted.problem.is_none(), "{adopted:?}");
    assert!(first.score > 0.75 && first.evidence.len() > 4, "{first:?}");
    assert!(first.text.contains("# guess: "), "{}", first.text);
    assert!(!adopted.questions.is_empty());
    for guess in &adopted.guesses {
        assert!(
            page.check(guess.text.clone().into())
                .expect("text")
                .network
                .is_some()
        );
        assert!(
            page.fits().expect("both are there").loaded,
            "{}",
            guess.name
        );
        assert!(page.evaluate(START.as_bytes()).is_ok());
    }
}

#[test]
fn a_file_that_tells_its_network_needs_no_guess() {
    let page = loaded();
    let adopted = page.adopt().expect("a file");
    let names: Vec<&str> = adopted.guesses.iter().map(|guess| &*guess.name).collect();
    assert_eq!(names, ["small128"]);
    assert_eq!(adopted.guesses[0].text.as_bytes(), spec("small128"));
}

#[test]
fn files_that_are_no_nets_are_named() {
    let mut page = showing("small128");
    for (bytes, identity) in [
        (&b""[..], "of an unknown kind"),
        (
            b"PK\x03\x04 and more",
            "a zip archive, as PyTorch checkpoints are: the trainer has to write a net file of it",
        ),
    ] {
        let dropped = page.drop(bytes.into()).expect("a file");
        assert_eq!(dropped.identity, identity);
        assert!(!dropped.fit.loaded && dropped.fit.problem.is_some());
        let adopted = page.adopt().expect("a file");
        assert!(adopted.guesses.is_empty() && adopted.problem.is_some());
    }
    let mut cut = net();
    cut.truncate(100_000);
    let dropped = page.drop(cut).expect("a file");
    assert_eq!(dropped.identity, "the beginning of a net of small128");
    let problem = dropped.fit.problem.expect("it was cut");
    assert!(
        problem.starts_with("the file ends in `transformer.weights`"),
        "{problem}"
    );
}

/// Specs and files with a few other bytes: whatever they are, each function answers.
#[test]
fn nothing_that_is_damaged_panics() {
    let mut random = fastrand::Rng::with_seed(47);
    let specs = Gallery::all().specs;
    let files = ["nn-37f18f62d772.nnue", "bullet.bin", "primer.nnue"];
    let files = files.map(|name| fs::read(format!("../../nets/{name}")).expect("a net"));
    let mut page = loaded();
    for round in 0..100 {
        let mut text = random
            .choice(&specs)
            .expect("some")
            .text
            .as_bytes()
            .to_vec();
        for _ in 0..random.usize(0..4) {
            let at = random.usize(0..text.len());
            match random.u8(0..4) {
                0 => drop(text.remove(at)),
                1 => text.insert(
                    at,
                    random
                        .choice(b"0123456789[]=\"{}.,-\n")
                        .copied()
                        .expect("some"),
                ),
                2 => text.truncate(at + 1),
                _ => text[at] = random.u8(..),
            }
        }
        let _ = page.check(text);
        if round % 8 == 0 {
            let mut bytes = random.choice(&files).expect("some").clone();
            for _ in 0..random.usize(0..4) {
                let header = random.bool().then_some(bytes.len().min(200));
                let at = random.usize(0..header.unwrap_or(bytes.len()));
                bytes[at] = random.u8(..);
            }
            if random.bool() {
                bytes.truncate(random.usize(0..bytes.len()));
            }
            let _ = page.drop(bytes);
        }
        let level = random.choice(ISAS).expect("some").name.as_bytes();
        let _ = (page.plan(level), page.tensors(), page.whole(), page.fits());
        let _ = page.evaluate(START.as_bytes());
        if round % 50 == 0 {
            let _ = (page.code(level), page.adopt());
        }
    }
}
