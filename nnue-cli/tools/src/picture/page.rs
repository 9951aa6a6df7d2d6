//! A net on an HTML page that needs no other files.

mod facts;
pub mod loops;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use nnue_compiler::network::Network;

use crate::nets::info::Info;
use crate::picture::drawing;
use crate::picture::weights::{Histogram, Picture};
use crate::picture::xml::{closed, visible};

/// The subject of a page.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The network of the net.
    pub network: &'a Network,
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
fn page(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            head {
                (closed(html! { meta charset="utf-8"; }))
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { h1 { (title) } (body) }
        }
        "\n"
    };
    visible(&page.into_string())
}

/// The first row of a table, with the names of its columns.
fn head(columns: &[&str]) -> Markup {
    html! { tr { @for column in columns { th { (column) } } } }
}

/// The drawing of a network, and the table of `nnue check`.
fn drawn(network: &Network) -> Markup {
    html! {
        h2 { "The network" }
        (PreEscaped(drawing::svg(network)))
        pre { (nnue_compiler::diagram(network)) }
    }
}

/// The page about a net.
#[must_use]
pub fn html(subject: &Subject<'_>) -> String {
    let Subject {
        network,
        info,
        picture,
        positions,
    } = *subject;
    let warnings = warnings(subject);
    let encoded = STANDARD.encode(&picture.png);
    let body = html! {
        p { "The net " code { (info.file) } ", " (info.size) " bytes." }
        h2 { "Warnings" }
        @if warnings.is_empty() {
            p #warnings { "None." }
        } @else {
            ul #warnings { @for warning in &warnings { li { (warning) } } }
        }
        (facts::file(info))
        (drawn(network))
        @if let Some(contents) = &info.network {
            h2 { "What the weights prove" }
            (facts::proofs(contents))
            h2 { "The numbers of the file" }
            (facts::numbers(contents))
        }
        h2 { "Tensors" }
        (tensors(&picture.histograms))
        h2 { "Weights" }
        p {
            "Each row is a neuron of the transformer, with a board for each kind of piece. Below are \
             histograms of all tensors in the order of the table."
        }
        (closed(html! {
            img #weights alt={ "Weights of " (network.name) }
                src={ "data:image/png;base64," (encoded) };
        }))
        h2 { "Neurons" }
        p {
            "Those that tell positions apart: whose activated values vary most over positions of "
            (positions) ", by their standard deviation. A neuron is active where its sum is positive."
        }
        table #neurons {
            (head(&["neuron", "varies by", "active"]))
            @for neuron in &picture.neurons {
                tr {
                    td.number { (neuron.number) }
                    td.number { (format!("{:.3}", neuron.deviation)) }
                    td.number { (format!("{:.1} %", 100.0 * neuron.active)) }
                }
            }
        }
    };
    page(&network.name, &body)
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

fn tensors(histograms: &[Histogram]) -> Markup {
    html! {
        table #tensors {
            (head(&["tensor", "values", "smallest", "largest", "type's limits"]))
            @for histogram in histograms {
                @let (low, high) = histogram.range;
                tr {
                    td { (histogram.name) }
                    td.number { (histogram.values()) }
                    td.number { (low) }
                    td.number { (high) }
                    @match histogram.limits {
                        Some((least, most)) => td { (least) " to " (most) },
                        None => td { "none" },
                    }
                }
            }
        }
    }
}
