//! The page in Chromium, as people use it: it shows the same integers as compiled code.

use std::path::Path;
use std::process::Command;

use nnue_web::Page;
use serde_json::json;

const FENS: [&str; 3] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/8/8/8/8/8/3Q4/4K3 b - - 0 1",
];

#[test]
#[ignore = "needs Chromium, npm and the target wasm32-unknown-unknown"]
fn a_browser_shows_the_page_and_the_same_integers() {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = tmp.join("web");
    let built = Command::new("./build").arg(&folder).output();
    let built = built.expect("a shell");
    let said = String::from_utf8_lossy(&built.stdout);
    println!("{said}{}", String::from_utf8_lossy(&built.stderr));
    assert!(built.status.success(), "the page was not built");
    let total = said.lines().find(|line| line.contains("without the net"));
    let total: Vec<&str> = total.expect("its size").split_whitespace().collect();
    let compressed: u64 = total[1].parse().expect("bytes");
    assert!(compressed < 3_000_000, "{compressed} bytes, compressed");

    let net = std::fs::read("../nets/nn-37f18f62d772.nnue").expect("the net of the project");
    let mut page = Page::default();
    page.load(&net).expect("it fits");
    let mut value = |fen: &str| page.evaluate(fen.as_bytes()).expect("a position").value;
    let expected = json!({
        "fens": FENS,
        "values": FENS.map(&mut value),
        // What the test plays and sets up, beginning with the start of a game.
        "moved": {
            "pawn": value("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
            "answer": value("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"),
            "queenless": value("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 0 2"),
        },
    });
    let file = tmp.join("expected.json");
    std::fs::write(&file, expected.to_string()).expect("a file");
    let mut tests = Command::new("node");
    tests.args(["--test", "--test-reporter=spec", "tests/unit.test.mjs"]);
    tests.arg("tests/browser.test.mjs");
    tests.env("PAGE", folder).env("EXPECTED", file);
    let tested = tests.output().expect("node");
    println!("{}", String::from_utf8_lossy(&tested.stdout));
    assert!(tested.status.success(), "the page does not work");
}
