//! A net on one HTML page, with everything that it shows in the page itself.

mod facts;
pub mod loops;

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nnue_compiler::network::Network;
use nnue_nets::info::Info;

use crate::drawing;
use crate::picture::{Histogram, Picture};
use crate::xml::escaped;

/// What a page is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The network.
    pub network: &'a Network,
    /// What its net file is.
    pub info: &'a Info,
    /// The weights, drawn.
    pub picture: &'a Picture,
    /// Where the positions come from over which neurons are active, as words that follow "of".
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

/// How every page begins; it ends with [`END`].
fn start(title: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
}

/// How every page ends.
const END: &str = "</body>\n</html>\n";

/// The page.
#[must_use]
pub fn html(subject: &Subject<'_>) -> String {
    let Subject {
        network,
        info,
        picture,
        positions,
    } = *subject;
    let (name, positions) = (escaped(&network.name), escaped(positions));
    let (file, len) = (escaped(&info.file), info.size);
    let mut page = start(&network.name);
    let _ = writeln!(page, "<p>The net <code>{file}</code>, {len} bytes.</p>");
    page += "<h2>Warnings</h2>\n";
    page += &list(&warnings(subject));
    page += &facts::file(info);
    page += "<h2>The network</h2>\n";
    page += &drawing::svg(network);
    let diagram = escaped(&nnue_compiler::diagram(network));
    let _ = writeln!(page, "<pre>{diagram}</pre>");
    if let Some(contents) = &info.network {
        page += "<h2>What the weights prove</h2>\n";
        page += &facts::proofs(contents);
        page += "<h2>The numbers of the file</h2>\n";
        page += &facts::numbers(contents);
    }
    page += "<h2>Tensors</h2>\n";
    page += &tensors(&picture.histograms);
    let encoded = STANDARD.encode(&picture.png);
    let _ = write!(
        page,
        "<h2>Weights</h2>\n<p>Each row is a neuron of the transformer, with a board for each kind of \
         piece. Below are histograms of all tensors in the order of the table.</p>\n\
         <img id=\"weights\" alt=\"Weights of {name}\" src=\"data:image/png;base64,{encoded}\"/>\n"
    );
    let _ = write!(
        page,
        "<h2>Neurons</h2>\n<p>Those that tell positions apart: whose activated values vary most over \
         positions of {positions}, by their standard deviation. A neuron is active where its sum is \
         positive.</p>\n\
         <table id=\"neurons\">\n<tr><th>neuron</th><th>varies by</th><th>active</th></tr>\n"
    );
    for neuron in &picture.neurons {
        let (number, deviation, active) = (neuron.number, neuron.deviation, 100.0 * neuron.active);
        let _ = writeln!(
            page,
            "<tr><td class=\"number\">{number}</td><td class=\"number\">{deviation:.3}</td>\
             <td class=\"number\">{active:.1} %</td></tr>"
        );
    }
    page += "</table>\n";
    page + END
}

/// A list, or the word that there is nothing to list.
fn list(entries: &[String]) -> String {
    if entries.is_empty() {
        return "<p id=\"warnings\">None.</p>\n".into();
    }
    let entries = entries
        .iter()
        .map(|entry| format!("<li>{}</li>\n", escaped(entry)));
    format!(
        "<ul id=\"warnings\">\n{}</ul>\n",
        entries.collect::<String>()
    )
}

/// What is worth a second look.
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

fn tensors(histograms: &[Histogram]) -> String {
    let mut table = "<table id=\"tensors\">\n<tr><th>tensor</th><th>values</th><th>smallest</th>\
                     <th>largest</th><th>type's limits</th></tr>\n"
        .to_string();
    for histogram in histograms {
        let (low, high) = histogram.range;
        let limits = match histogram.limits {
            Some((least, most)) => format!("{least} to {most}"),
            None => "none".into(),
        };
        let (name, count) = (escaped(&histogram.name), histogram.values());
        let _ = writeln!(
            table,
            "<tr><td>{name}</td><td class=\"number\">{count}</td><td class=\"number\">{low}</td>\
             <td class=\"number\">{high}</td><td>{limits}</td></tr>"
        );
    }
    table += "</table>\n";
    table
}
