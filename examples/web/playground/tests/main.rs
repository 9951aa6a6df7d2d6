//! What a page is told: of specs, of files, of positions, and of damaged input.

mod files;
mod module;
mod networks;
mod specs;

use std::fs;

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
