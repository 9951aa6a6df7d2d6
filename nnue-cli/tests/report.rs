//! `nnue report`: what stands on the page.

use std::io::Read;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use flate2::read::DeflateDecoder;
use nnue_compiler::schema::with_schema;
use nnue_test_support::net_file::net_file_of;
use roxmltree::{Document, Node};
use serde_json::Value;

use crate::networks::{network, random_net};
use crate::program::{output, refusal, scratch, scratch_path, text};

const SPEC: &str = "../specs/small128.toml";
const NET: &str = "../examples/nets/nn-37f18f62d772.nnue";

fn report(net: &str, name: &str, more: &[&str]) -> (String, String) {
    let path = text(&scratch_path(name));
    let said = output(&[&["report", net, "--out", &path], more].concat());
    assert!(
        said.starts_with(&format!("`{path}`: a report on `{net}`, which is ")),
        "{said}"
    );
    let page = std::fs::read_to_string(&path).expect("the page was written");
    (path, page)
}

/// The page is XML too, except its first line.
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
    let (_, page) = report(NET, "report_small128.html", &[]);
    let document = parse(&page);
    let tensors = table(&document, "tensors");
    let fc_0 = ["fc_0.weights", "i8", "16384", "-127", "127", "-128 to 127"];
    let is_fc_0 = |row: &Vec<String>| row.starts_with(&fc_0.map(String::from));
    assert!(tensors.iter().any(is_fc_0), "{tensors:?}");
    assert_eq!(tensors.len(), 1 + 9);
    // No table is there twice.
    let named = |row: &&Vec<String>| row.first().is_some_and(|name| name == "fc_0.weights");
    let tables = document
        .descendants()
        .filter(|node| node.has_tag_name("table"));
    let with_tensors = tables.filter_map(|node| node.attribute("id")).filter(|id| {
        let rows = table(&document, id);
        rows.iter().find(named).is_some()
    });
    assert_eq!(with_tensors.collect::<Vec<_>>(), ["tensors"]);
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
    let attributes = document.descendants().flat_map(|node| node.attributes());
    let links = attributes.filter(|own| ["src", "href"].contains(&own.name()));
    let elsewhere: Vec<&str> = links
        .map(|link| link.value())
        .filter(|link| !link.starts_with("data:"))
        .collect();
    assert_eq!(elsewhere, [playground(&document)]);
    let spec = std::fs::read_to_string(SPEC).expect("specs can be read");
    assert_eq!(spec_of(playground(&document)), with_schema(&spec));
}

/// The address of the page that shows the spec.
fn playground<'a>(document: &'a Document<'_>) -> &'a str {
    let link = by_id(document, "playground").attribute("href");
    link.expect("it leads somewhere")
}

/// The spec in an address.
fn spec_of(address: &str) -> String {
    let page = "https://nnue-compiler.github.io/nnue-compiler/playground/#spec=";
    let encoded = address.strip_prefix(page).expect(address);
    let packed = URL_SAFE_NO_PAD.decode(encoded).expect("it is base64url");
    let mut spec = String::new();
    let read = DeflateDecoder::new(&*packed).read_to_string(&mut spec);
    read.expect("it is deflate");
    spec
}

/// What `nnue info` prints is on the page.
#[test]
fn a_page_has_what_info_says() {
    let (_, page) = report(NET, "report_info.html", &[]);
    let document = parse(&page);
    let info = output(&["info", NET, "--json"]);
    let info: Value = serde_json::from_str(&info).expect("it is JSON");
    let network = &info["network"];
    let facts = table(&document, "file");
    let fact = |name: &str| {
        let row = facts.iter().find(|row| row[0] == name);
        row.unwrap_or_else(|| panic!("no `{name}` in {facts:?}"))[1].clone()
    };
    assert_eq!(
        fact("the file is"),
        info["identity"].as_str().expect("text")
    );
    assert_eq!(fact("size"), format!("{} bytes", info["size"]));
    assert_eq!(fact("known specs that fit"), "small128");
    assert_eq!(
        fact("network hash"),
        format!(
            "{:#010x}",
            network["header"]["hash"].as_u64().expect("a number")
        )
    );
    assert_eq!(
        fact("description"),
        network["header"]["description"].to_string()
    );

    let proofs = table(&document, "proofs");
    let bound = |name: &str, bound: &Value| {
        [name.to_string()]
            .into_iter()
            .chain(["lowest", "highest", "margin"].map(|key| bound[key].to_string()))
            .collect::<Vec<String>>()
    };
    let mut expected = vec![bound("accumulator", &network["accumulator"])];
    for layer in network["layers"].as_array().expect("a list") {
        expected.push(bound(layer["name"].as_str().expect("text"), layer));
    }
    assert_eq!(proofs[1..], expected);
    assert_eq!(proofs.len(), 1 + 1 + 3);

    let numbers = table(&document, "tensors");
    let tensors = network["tensors"].as_array().expect("a list");
    assert_eq!(numbers.len(), 1 + tensors.len());
    for (row, tensor) in numbers[1..].iter().zip(tensors) {
        assert_eq!(
            [&row[0], &row[1]],
            [&tensor["name"], &tensor["element"]].map(|text| text.as_str().expect("text"))
        );
        assert_eq!(row[2], tensor["values"].to_string());
        assert_eq!(format!("{}.0", row[3]), tensor["minimum"].to_string());
        assert_eq!(
            row[7],
            format!(
                "{:.1} %",
                100.0 * tensor["zeros"].as_f64().expect("a number")
            )
        );
    }
}

/// A file of an unknown network needs its spec, and neurons are looked at over the user's
/// positions.
#[test]
fn specs_and_positions_are_the_users() {
    let spec = include_str!("../../specs/bullet/simple.toml");
    let network = network(spec);
    // Only a white queen on d4, or a black one on d5 as its owner sees it, makes a neuron positive.
    const QUEEN_ON_D4: usize = 4 * 64 + 27;
    let file = net_file_of(&network, "", |weight| match weight.tensor {
        "transformer.weights" if weight.row == QUEEN_ON_D4 => 9.0,
        "l1.weights" => weight.column as f64 - 100.0,
        _ => 0.0,
    });
    let net = scratch("report_given.bin", &file);
    let page = text(&scratch_path("report_given.html"));
    let message = refusal(1, &["report", &net, "--out", &page]);
    assert!(message.contains("name it with `--spec SPEC`"), "{message}");
    let spec = "../specs/bullet/simple.toml";
    let fens = "4k3/8/8/8/3Q4/8/8/4K3 w - - 0 1\n4k3/8/8/8/8/3Q4/8/4K3 w - - 0 1\n";
    let fens = scratch("report_given.txt", fens.as_bytes());
    let (_, page) = report(
        &net,
        "report_given.html",
        &["--spec", spec, "--fens", &fens],
    );
    let document = parse(&page);
    let given = std::fs::read_to_string(spec).expect("specs can be read");
    assert_eq!(spec_of(playground(&document)), given);
    // In one of two positions, in the perspective of white.
    let neurons = table(&document, "neurons");
    assert!(
        neurons[1..].iter().all(|row| row[2] == "25.0 %"),
        "{neurons:?}"
    );
    assert!(page.contains(&format!("vary most over positions of `{fens}`, by")));
    let message = refusal(
        1,
        &[
            "report", &net, "--spec", spec, "--fens", "/nowhere", "--out", "/x",
        ],
    );
    assert!(message.contains("cannot read `/nowhere`"), "{message}");
}

#[test]
fn warnings_name_what_is_odd() {
    let spec = include_str!("../../specs/bullet/simple.toml");
    let spec = spec.replacen("\"bullet simple\"", "\"<b> & c\"", 1);
    let network = network(&spec);
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
    let (_, page) = report(&net, "report_odd.html", &["--spec", &spec]);
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
            "3 of 128 neurons are positive in no position of a search",
        ]
    );
    let title = document.descendants().find(|node| node.has_tag_name("h1"));
    assert_eq!(title.and_then(|title| title.text()), Some("<b> & c"));
}

#[test]
fn neurons_of_custom_sets_are_not_counted() {
    let spec = "../specs/games/ataxx.toml";
    let net = scratch("report_ataxx.net", &random_net(spec, 1));
    let (_, page) = report(&net, "report_ataxx.html", &["--spec", spec]);
    assert!(page.contains("None is counted: only the engine knows which features"));
    assert_eq!(table(&parse(&page), "neurons").len(), 1);
}

#[test]
fn a_net_of_another_network_is_refused() {
    let arguments = [
        "report",
        NET,
        "--spec",
        "../specs/sfnnv5.toml",
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
    let (path, _) = report(NET, "report_browser.html", &[]);
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
    let width = 133 + 11 * 62;
    assert!(
        page.contains(&format!("<title>{width} 16</title>")),
        "{page}"
    );
}
