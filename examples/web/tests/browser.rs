//! The page in a real browser: it loads, shows the same integers as compiled code, and pieces can
//! be moved.

#[path = "browser/server.rs"]
mod server;

use std::path::Path;
use std::process::{Child, Command, Stdio};

use nnue_web::Page;
use serde_json::Value;

use crate::server::Server;

const FENS: [&str; 3] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/8/8/8/8/8/3Q4/4K3 b - - 0 1",
];

/// What the page does by itself once it is there, on each level: types positions, drags the pawn of
/// e2 to e4, takes the queen of d1 off, and asks for the speed. Then a module is not to be had.
const SCRIPT: &str = r#"
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
const text = (id) => document.getElementById(id).textContent;
const type = (fen) => { const input = document.getElementById('fen'); input.value = fen; input.dispatchEvent(new Event('input')); };
const point = (square) => { const box = document.querySelector(`[data-square="${square}"]`).getBoundingClientRect();
    return { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true }; };
const drag = (from, to) => {
    document.querySelector(`[data-square="${from}"]`).dispatchEvent(new PointerEvent('pointerdown', point(from)));
    dispatchEvent(new PointerEvent('pointerup', to)); };
(async () => {
    // By another name, for one outside of this function would be what the page calls, too.
    const real = window.fetch.bind(window);
    while (!document.documentElement.classList.contains('ready')) await pause();
    const found = { title: document.title, error: text('error'), levels: [] };
    for (const radio of document.querySelectorAll('input[type=radio]')) {
        if (radio.disabled) continue;
        delete document.documentElement.dataset.level;
        // A click on the one that is chosen would change nothing.
        radio.checked = true;
        radio.dispatchEvent(new Event('change'));
        while (!document.documentElement.dataset.level) await pause();
        const shown = { module: radio.value, level: document.documentElement.dataset.level, values: [] };
        for (const fen of FENS) { type(fen); shown.values.push(text('value')); }
        type(START);
        drag(12, point(28));
        drag(3, { clientX: 2, clientY: 2, bubbles: true });
        shown.fen = document.getElementById('fen').value;
        shown.value = text('value');
        shown.parts = document.querySelectorAll('.part').length;
        type('no position');
        shown.refusal = text('error');
        type(START);
        document.getElementById('again').click();
        shown.speed = Number(text('speed').replaceAll(',', ''));
        found.levels.push(shown);
    }
    const net = new Uint8Array(await (await real(NET)).arrayBuffer());
    window.fetch = (name) => name.includes('relaxed') ? Promise.reject(new Error('gone')) : real(name);
    await chooseBest(net);
    found.without_relaxed = document.documentElement.dataset.level;
    window.fetch = () => Promise.resolve({ ok: false });
    found.without_all = await chooseBest(net).catch((error) => error.message);
    window.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
    found.without_server = await bytesOf(NET).catch((error) => error.message);
    await real('/result', { method: 'POST', body: JSON.stringify(found) });
})();
"#;

/// Ends the browser with the test.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "needs Chromium and the target wasm32-unknown-unknown"]
fn a_browser_shows_the_page_and_the_same_integers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("web");
    let built = Command::new("./build").arg(&folder).status();
    assert!(built.expect("a shell").success(), "the page was not built");
    let sizes = std::fs::read_dir(&folder).expect("the page").map(|entry| {
        let entry = entry.expect("a file");
        entry.metadata().expect("its size").len()
    });
    let bytes: u64 = sizes.sum();
    assert!(bytes < 5_000_000, "the page has {bytes} bytes");

    let fens = serde_json::to_string(&FENS).expect("JSON");
    let script = format!("<script>const FENS = {fens};{SCRIPT}</script>");
    let server = Server::start(folder, script);
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu"]);
    // Pieces can be dragged where they are in sight.
    browser.arg("--window-size=1000,1200");
    // Without a debugger, headless Chromium ends before the page has done its work.
    browser.args(["--remote-debugging-port=0", &server.url()]);
    browser.stdout(Stdio::null()).stderr(Stdio::null());
    let _browser = Browser(browser.spawn().expect("chromium"));
    let found: Value = serde_json::from_str(&server.result()).expect("the page sends JSON");
    println!("{found:#}");

    let net = std::fs::read("../nets/nn-37f18f62d772.nnue").expect("the net of the project");
    let mut page = Page::default();
    page.load(&net).expect("it fits");
    let mut expected = |fen: &str| {
        let value = page.evaluate(fen.as_bytes()).expect("a position").value;
        format!("{}{value}", if value > 0 { "+" } else { "" })
    };
    assert_eq!(found["title"], "NNUE in the browser");
    assert_eq!(found["error"], "");
    assert_eq!(found["without_relaxed"], "simd128", "the next best");
    let advice = " beside this page: run `examples/web/build`, and then ";
    for (key, name) in [
        ("without_all", "nnue-scalar.wasm"),
        ("without_server", "nn-37f18f62d772.nnue"),
    ] {
        let said = found[key].as_str().expect("a message");
        assert!(
            said.starts_with(&format!("there is no {name}{advice}")),
            "{said}"
        );
    }
    let levels = found["levels"].as_array().expect("levels");
    // Chromium knows them all.
    let modules: Vec<&Value> = levels.iter().map(|shown| &shown["module"]).collect();
    assert_eq!(modules, ["relaxed", "simd128", "scalar"]);
    for shown in levels {
        assert_eq!(shown["level"], shown["module"]);
        let values: Vec<String> = FENS.iter().map(|fen| expected(fen)).collect();
        assert_eq!(shown["values"], serde_json::json!(values));
        let moved = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNB1KBNR w - - 0 1";
        assert_eq!(shown["fen"], moved);
        assert_eq!(shown["value"], expected(moved));
        assert_eq!(shown["parts"], 29, "pieces without the kings");
        assert_ne!(shown["refusal"], "");
        assert!(shown["speed"].as_f64().is_some_and(|speed| speed > 0.0));
    }
}
