//! Net files: what they are, whether they fit, their specs, and the small net's evaluations.

use std::fs;

use nnue_compiler::format::levels::ISAS;
use nnue_playground::{Gallery, Playground};

use crate::{START, loaded, net, showing, spec};

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
