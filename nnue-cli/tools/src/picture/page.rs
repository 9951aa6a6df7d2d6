//! A net on an HTML page that needs no other files.

mod facts;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nnue_compiler::network::Network;

use crate::nets::info::Info;
use crate::picture::drawing;
use crate::picture::markup::{Markup, closed, element, tag, text, visible};
use crate::picture::playground;
use crate::picture::weights::Picture;

/// The subject of a page.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The network of the net.
    pub network: &'a Network,
    /// The text of its spec.
    pub spec: &'a str,
    /// The facts about the net file.
    pub info: &'a Info,
    /// The picture of the weights.
    pub picture: &'a Picture,
    /// The origin of the positions on which neurons were counted, as words that follow "of".
    pub positions: &'a str,
}

const STYLE: &str = "\
body { font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #1f2328; \
background: #ffffff; }
table { border-collapse: collapse; }
td, th { padding: 0.2em 0.8em; border-bottom: 1px solid #d0d7de; text-align: left; }
td.number { text-align: right; }
svg, img { max-width: 100%; height: auto; }
pre { overflow-x: auto; background: #f6f8fa; padding: 0.5em; }
img { image-rendering: pixelated; }";

/// A page with this title and body.
pub(crate) fn page(title: &str, body: Markup) -> String {
    let head = [
        closed("meta", &[("charset", "utf-8")]),
        tag("title", title),
        tag("style", Markup::raw(STYLE)),
    ];
    let body = tag("body", [tag("h1", title), body]);
    let html = element("html", &[("lang", "en")], [tag("head", head), body]);
    visible(&format!("<!DOCTYPE html>\n{}\n", html.into_string()))
}

/// A table with the names of its columns.
pub(crate) fn table(id: &str, columns: &[&str], rows: impl Iterator<Item = Markup>) -> Markup {
    let names = columns.iter().map(|column| tag("th", *column));
    let head = tag("tr", Markup::from_iter(names));
    element("table", &[("id", id)], head.followed_by(rows))
}

/// A table with a name and a value in each row.
pub(crate) fn values(id: &str, rows: impl IntoIterator<Item = (&'static str, String)>) -> Markup {
    let rows = rows.into_iter();
    let rows = rows.map(|(name, value)| tag("tr", [tag("th", name), cell(value)]));
    element("table", &[("id", id)], Markup::from_iter(rows))
}

/// A cell of a table.
pub(crate) fn cell(contents: impl Into<Markup>) -> Markup {
    tag("td", contents)
}

/// A cell with a number.
pub(crate) fn number(number: impl ToString) -> Markup {
    element("td", &[("class", "number")], number.to_string())
}

/// The drawing of a network, and the table of `nnue check`.
pub(crate) fn drawn(network: &Network) -> Markup {
    Markup::from([
        tag("h2", "The network"),
        Markup::raw(drawing::svg(network)),
        tag("pre", nnue_compiler::diagram(network)),
    ])
}

/// The page about a net.
#[must_use]
pub fn html(subject: &Subject<'_>) -> String {
    let Subject {
        network,
        spec,
        info,
        picture,
        positions,
    } = *subject;
    let address = playground::address(spec);
    let link = element(
        "a",
        &[("id", "playground"), ("href", &address)],
        "playground",
    );
    let encoded = STANDARD.encode(&picture.png);
    let contents = info.network.iter().flat_map(|contents| {
        [
            tag("h2", "What the weights prove"),
            facts::proofs(contents),
            tag("h2", "Tensors"),
            facts::tensors(contents),
        ]
    });
    let neurons = picture.neurons.iter().map(|neuron| {
        let deviation = format!("{:.3}", neuron.deviation);
        let active = format!("{:.1} %", 100.0 * neuron.active);
        tag(
            "tr",
            [number(neuron.number), number(deviation), number(active)],
        )
    });
    let neurons_of = if picture.neurons.is_empty() {
        "None is counted: only the engine knows which features are active.".into()
    } else {
        format!(
            "Those that tell positions apart: whose activated values vary most over positions of \
             {positions}, by their standard deviation. A neuron is active where its sum is positive."
        )
    };
    let body = Markup::from([
        tag(
            "p",
            [
                text("The net "),
                tag("code", &info.file),
                text(format!(", {} bytes.", info.size)),
            ],
        ),
        tag("h2", "Warnings"),
        match &*warnings(subject) {
            [] => element("p", &[("id", "warnings")], "None."),
            warnings => {
                let warnings = warnings.iter().map(|warning| tag("li", warning));
                element("ul", &[("id", "warnings")], Markup::from_iter(warnings))
            }
        },
        facts::file(info),
        drawn(network),
        tag(
            "p",
            [
                text("The "),
                link,
                text(
                    " shows its spec, and what follows from a change. The link holds the spec, which stays in the browser.",
                ),
            ],
        ),
        Markup::from_iter(contents),
        tag("h2", "Weights"),
        tag(
            "p",
            "Each row is a neuron of the transformer, with a board for each kind of piece. Below \
             are histograms of all tensors in the order of the table.",
        ),
        closed(
            "img",
            &[
                ("id", "weights"),
                ("alt", &format!("Weights of {}", network.name)),
                ("src", &format!("data:image/png;base64,{encoded}")),
            ],
        ),
        tag("h2", "Neurons"),
        tag("p", &neurons_of),
        table("neurons", &["neuron", "varies by", "active"], neurons),
    ]);
    page(&network.name, body)
}

/// The warnings about a net.
fn warnings(subject: &Subject<'_>) -> Vec<String> {
    let contents = subject.info.network.as_ref();
    let mut warnings = contents.map_or(Vec::new(), |contents| contents.warnings.clone());
    for histogram in &subject.picture.histograms {
        let (low, high) = histogram.range;
        if low == high {
            let name = &histogram.name;
            warnings.push(format!("all values of {name} are {low}"));
        }
    }
    let silent = subject.picture.silent;
    if silent > 0 {
        let (width, positions) = (subject.network.transformer.width, subject.positions);
        warnings.push(format!(
            "{silent} of {width} neurons are positive in no position of {positions}"
        ));
    }
    warnings
}
