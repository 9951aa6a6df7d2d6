//! Evaluations of other networks than the small one, with random weights.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_interpreter::dummy::net_file::random_net_file;
use nnue_playground::Playground;
use nnue_tools::adopt::with_width;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::{START, net, spec};

fn network(text: &str) -> Network {
    analyse(&SourceFile::new("a spec", text)).expect("it is right")
}

/// A page with a spec of the gallery, made narrow, and a net of it.
fn narrow(name: &str) -> Playground {
    let text = String::from_utf8(spec(name)).expect("text");
    let text = with_width(&text, 64);
    let mut page = Playground::default();
    let net = random_net_file(&network(&text), 47);
    assert!(page.check(text.into()).expect("text").network.is_some());
    let dropped = page.drop(net).expect("a file");
    assert!(dropped.fit.loaded, "{name}: {:?}", dropped.fit.problem);
    page
}

#[test]
fn networks_of_win_draw_and_loss_have_three_values() {
    let mut page = narrow("engines/monty");
    let found = page.evaluate(START.as_bytes()).expect("a position");
    assert_eq!(found.value, None);
    let labels: Vec<&str> = found.parts.iter().map(|part| &*part.label).collect();
    assert_eq!(labels, ["win", "draw", "loss"]);
    assert_eq!(found.pieces.len(), 32);
    assert!(found.pieces.iter().all(|piece| piece.worth.is_none()));
}

#[test]
fn further_heads_have_their_names() {
    let mut page = narrow("engines/casanchess");
    let found = page.evaluate(START.as_bytes()).expect("a position");
    let network = network(&String::from_utf8(spec("engines/casanchess")).expect("text"));
    let names = network.output.further.iter().map(|head| &*head.name);
    assert!(found.heads.iter().map(|head| &*head.label).eq(names));
    assert_eq!(found.heads.len(), 1);
    assert!(found.value.is_some() && found.pieces[0].worth.is_some());
}

#[test]
fn the_clock_of_the_position_counts() {
    let mut page = narrow("engines/integral");
    let mut neurons = |clock: u32| {
        let fen = format!("4k3/8/8/8/8/8/3Q4/4K3 w - - {clock} 60");
        page.evaluate(fen.as_bytes()).expect("a position").neurons
    };
    assert_eq!(neurons(0), neurons(1));
    assert_ne!(neurons(0), neurons(60));
}

#[test]
fn other_games_need_what_their_engine_tells() {
    let mut page = narrow("games/ataxx");
    let error = page
        .evaluate(START.as_bytes())
        .map(|_| ())
        .expect_err("there are no features");
    assert!(
        error.starts_with("found no features of white, expected `white:`")
            && error.contains("only the engine of `Ataxx` knows them, of `Ataxx squares`"),
        "{error}"
    );
    let found = page
        .evaluate(b"b ; white: 3 17 ; black: 5")
        .expect("features");
    assert_eq!((found.side.as_str(), found.pieces.len()), ("black", 0));
    assert!(found.value.is_some() && found.neurons.starts_with("<svg "));
}

#[test]
fn files_that_are_compressed_as_a_whole_are_read() {
    let mut page = Playground::default();
    page.check(spec("small128")).expect("text");
    let dropped = page
        .drop(compress_to_vec(&net()[..], CompressionLevel::Fastest))
        .expect("a file");
    assert_eq!(dropped.identity, "a net of small128");
    assert!(dropped.fit.loaded, "{:?}", dropped.fit.problem);
    let found = page.evaluate(START.as_bytes()).expect("a position");
    assert_eq!(found.value, Some(251));
    assert_eq!(page.adopt().expect("a file").guesses[0].name, "small128");
}
