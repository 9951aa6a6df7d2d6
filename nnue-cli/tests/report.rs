//! `nnue report`: what stands on the page.

mod program;

use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nnue_compiler::diagnostics::SourceFile;
use nnue_test_support::net_file::net_file_of;
use roxmltree::{Document, Node};

use crate::program::{output, refusal, scratch, scratch_path, text};

const SPEC: &str = "../specs/small128.toml";
const NET: &str = "../examples/nets/nn-37f18f62d772.nnue";

fn report(spec: &str, net: &str, name: &str) -> (String, String) {
    let path = text(&scratch_path(name));
    output(&["report", spec, "--net", net, "--out", &path]);
    let page = std::fs::read_to_string(&path).expect("the page was written");
    (path, page)
}

/// The page is XML too, but for its first line.
fn parse(page: &str) -> Document<'_> {
    let page = page.strip_prefix("<!DOCTYPE html>\n").expect("it is HTML");
    Document::parse(page).unwrap_or_else(|error| panic!("{error}"))
}

fn by_id<'a, 'input>(document: &'a Document<'input>, id: &str) -> Node<'a, 'input> {
    let mut nodes = document.descendants();
    let found = nodes.find(|node| node.attribute("id") == Some(id));
    found.unwrap_or_else(|| panic!("no `{id}`"))
}

/// The cells of a table, row by row.
fn table(document: &Document<'_>, id: &str) -> Vec<Vec<String>> {
    let rows = by_id(document, id)
        .children()
        .filter(|node| node.has_tag_name("tr"));
    let cells = |row: Node<'_, '_>| {
        let cells = row.children().filter(Node::is_element);
        cells
            .map(|cell| cell.text().unwrap_or("").to_string())
            .collect()
    };
    rows.map(cells).collect()
}

#[test]
fn a_page_has_all_of_a_net() {
    let (_, page) = report(SPEC, NET, "report_small128.html");
    let document = parse(&page);
    let tensors = table(&document, "tensors");
    let fc_0 = ["fc_0.weights", "16384", "-127", "127", "-128 to 127"];
    assert!(
        tensors.contains(&fc_0.map(String::from).to_vec()),
        "{tensors:?}"
    );
    assert_eq!(tensors.len(), 1 + 9);
    assert_eq!(table(&document, "neurons").len(), 1 + 32);
    assert_eq!(by_id(&document, "warnings").text(), Some("None."));

    // The drawing and the picture are those of `nnue draw`, the table that of `nnue check`.
    let drawing = output(&["draw", SPEC]);
    assert!(page.contains(&drawing), "the drawing is not in the page");
    let pre = document.descendants().find(|node| node.has_tag_name("pre"));
    let shown = pre.and_then(|pre| pre.text()).expect("it has a table");
    let check = output(&["check", SPEC]);
    assert!(check.starts_with(shown), "{shown}");
    let path = text(&scratch_path("report_small128.png"));
    output(&["draw", SPEC, "--net", NET, "--out", &path]);
    let drawn = std::fs::read(path).expect("the picture was written");
    let source = by_id(&document, "weights")
        .attribute("src")
        .expect("it has a source");
    let encoded = source
        .strip_prefix("data:image/png;base64,")
        .expect("it is in the page");
    assert!(STANDARD.decode(encoded).expect("it is base64") == drawn);

    // Nothing is fetched from elsewhere.
    let links = document.descendants().flat_map(|node| node.attributes());
    let mut links = links.filter(|own| ["src", "href"].contains(&own.name()));
    assert!(links.all(|link| link.value().starts_with("data:")));
}

#[test]
fn warnings_name_what_is_odd() {
    let spec = include_str!("../../specs/bullet/simple.toml");
    let spec = spec.replacen("\"bullet simple\"", "\"<b> & c\"", 1);
    let network = nnue_compiler::analyse(&SourceFile::new("spec", spec.as_str()));
    let network = network.unwrap_or_else(|errors| panic!("{errors}"));
    let file = net_file_of(&network, "", |weight| match weight.tensor {
        "transformer.biases" if weight.column < 3 => -5.0,
        "transformer.biases" => 5.0,
        "l1.weights" => 7.0,
        "l1.biases" => 0.0,
        _ if weight.row == 0 && weight.column > 3 => 1.0,
        _ => 0.0,
    });
    let net = scratch("report_odd.bin", &file);
    let spec = scratch("report_odd.toml", spec.as_bytes());
    let (_, page) = report(&spec, &net, "report_odd.html");
    let document = parse(&page);
    let entries = by_id(&document, "warnings").children();
    let entries: Vec<&str> = entries
        .filter_map(|entry| entry.first_child()?.text())
        .collect();
    assert_eq!(
        entries,
        [
            "all values of l1.weights are 7",
            "all values of l1.biases are 0",
            "3 of 128 neurons are positive in no position of the search",
        ]
    );
    let title = document.descendants().find(|node| node.has_tag_name("h1"));
    assert_eq!(title.and_then(|title| title.text()), Some("<b> & c"));
}

#[test]
fn a_net_of_another_network_is_refused() {
    let arguments = [
        "report",
        "../specs/sfnnv5.toml",
        "--net",
        NET,
        "--out",
        "/nowhere/x.html",
    ];
    let message = refusal(1, &arguments);
    assert!(
        message.contains("is not a net file for SFNNv5: "),
        "{message}"
    );
}

/// A browser shows the drawing and the picture.
#[test]
#[ignore = "needs Chromium"]
fn a_browser_shows_the_page() {
    let (path, _) = report(SPEC, NET, "report_browser.html");
    let page = std::fs::read_to_string(&path).expect("the page was written");
    // What the browser knows once the page is there: the picture's size and the boxes.
    let script = "<script>const i = document.getElementById('weights'); document.title = \
                  `${i.naturalWidth} ${document.querySelectorAll('g.box').length}`</script></body>";
    std::fs::write(&path, page.replace("</body>", script)).expect("the page can be written");
    let mut browser = Command::new("chromium");
    browser.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--virtual-time-budget=2000",
    ]);
    browser.args(["--dump-dom", &format!("file://{path}")]);
    let done = browser
        .output()
        .unwrap_or_else(|error| panic!("chromium: {error}"));
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let page = String::from_utf8_lossy(&done.stdout);
    let width = 100 + 11 * 54 + 12;
    assert!(
        page.contains(&format!("<title>{width} 14</title>")),
        "{page}"
    );
}
