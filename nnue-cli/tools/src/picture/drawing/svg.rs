//! The drawing as SVG.
//!
//! Boxes have a light background of their own, and lines are of a middle tone, so that the picture
//! is legible on white and on black.

use std::fmt::Write;

use nnue_compiler::network::Network;

use super::boxes::boxes;
use super::places::{LINE, MARGIN, PADDING, Placed, place, rows};
use super::routes::{Route, Ways};
use super::{Column, Kind};
use crate::picture::markup::escaped;

/// The length and half the width of an arrow's head, in pixels.
const HEAD: (usize, usize) = (8, 4);
/// The colour of arrows that need no lane.
const PLAIN: &str = "#6e7781";
/// The colours of lanes, one after the other.
const COLOURS: [&str; 4] = ["#2f81f7", "#bc4c00", "#2da44e", "#a371f7"];

/// The picture of a network.
#[must_use]
pub fn svg(network: &Network) -> String {
    let parts = boxes(network);
    let rows = rows(&parts);
    // The routes are the same for all widths of the gutter and heights of the gaps.
    let count = rows.iter().max().map_or(0, |last| last + 1);
    let ways = Ways::of(&place(parts.clone(), &rows, 0, &vec![0; count]));
    let gutter = ways.gutter();
    let placed = place(parts, &rows, gutter, &ways.gaps());
    let of_main = placed
        .iter()
        .filter(|own| own.part.column == Column::Main && !own.part.reads.is_empty());
    let main = of_main.map(|own| own.right).max().unwrap_or(0);
    let right = placed.iter().map(|own| own.right).max().unwrap_or(0);
    let bottom = placed.iter().map(|own| own.bottom).max().unwrap_or(0);

    let page = (right.max(main + gutter) + MARGIN, bottom + MARGIN + LINE);
    let mut text = header(network, page);
    for (index, placed) in placed.iter().enumerate() {
        draw_box(&mut text, placed, index);
    }
    for route in ways.routes(&placed, main) {
        draw_arrow(&mut text, &route);
    }
    let stacks = match network.stacks.count {
        1 => "one stack of layers".to_string(),
        count => format!("{count} stacks of layers: a position uses one"),
    };
    let y = bottom + LINE + PADDING / 2;
    note(&mut text, MARGIN, y, &stacks);
    text += "</svg>\n";
    text
}

fn header(network: &Network, (width, height): (usize, usize)) -> String {
    let name = escaped(&network.name);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{name}</title>\n"
    );
    let (x, y) = (MARGIN, MARGIN + LINE);
    let _ = writeln!(
        text,
        "<text class=\"network\" x=\"{x}\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"20\" \
         font-weight=\"bold\" fill=\"#768390\">{name}</text>"
    );
    text
}

/// Writes text beside the boxes.
fn note(text: &mut String, x: usize, y: usize, note: &str) {
    let note = escaped(note);
    let _ = writeln!(
        text,
        "<text class=\"note\" x=\"{x}\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"13\" \
         fill=\"#768390\">{note}</text>"
    );
}

/// Draws a box with its number. Arrows name the number, because names are not always unique.
fn draw_box(text: &mut String, placed: &Placed, index: usize) {
    let part = &placed.part;
    let (fill, stroke) = match part.kind {
        Kind::Features => ("#fff8c5", "#bf8700"),
        Kind::Transformer => ("#ddf4ff", "#218bff"),
        Kind::Layer { is_affine: true } => ("#dafbe1", "#2da44e"),
        Kind::Layer { is_affine: false } => ("#f6f8fa", "#8c959f"),
        Kind::Output => ("#fbefff", "#a475f9"),
    };
    let (left, top) = (placed.left, placed.top);
    let (width, height) = (placed.right - left, placed.bottom - top);
    let _ = writeln!(
        text,
        "<g class=\"box\" data-box=\"{index}\">\n<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" \
         height=\"{height}\" rx=\"6\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
    );
    let (left, right) = (left + PADDING, placed.right - PADDING);
    let mut y = top + PADDING + LINE - 5;
    let name = escaped(&part.name);
    let _ = writeln!(
        text,
        "<text class=\"name\" x=\"{left}\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"14\" \
         font-weight=\"bold\" fill=\"#1f2328\">{name}</text>"
    );
    let beside = match part.view {
        Some(view) => Some(("view", view)),
        None if placed.facts.is_empty() => Some(("facts", &*part.facts)),
        None => None,
    };
    if let Some((class, words)) = beside {
        let words = escaped(words);
        let _ = writeln!(
            text,
            "<text class=\"{class}\" x=\"{right}\" y=\"{y}\" text-anchor=\"end\" \
             font-family=\"sans-serif\" font-size=\"13\" fill=\"#1f2328\">{words}</text>"
        );
    }
    for line in &placed.facts {
        y += LINE;
        let line = escaped(line);
        let _ = writeln!(
            text,
            "<text class=\"facts\" x=\"{left}\" y=\"{y}\" font-family=\"sans-serif\" \
             font-size=\"13\" fill=\"#1f2328\">{line}</text>"
        );
    }
    for line in &part.lines {
        y += LINE;
        let line = escaped(line);
        let _ = writeln!(
            text,
            "<text class=\"formula\" x=\"{left}\" y=\"{y}\" font-family=\"monospace\" \
             font-size=\"12\" fill=\"#424a53\" xml:space=\"preserve\">{line}</text>"
        );
    }
    text.push_str("</g>\n");
}

/// Draws an arrow from a part to another part that reads it, from above.
fn draw_arrow(text: &mut String, route: &Route) {
    let [(x, y), between @ .., (tip_x, tip)] = route.points.as_slice() else {
        return;
    };
    let (length, half) = HEAD;
    let mut path = format!("M{x} {y}");
    let (mut from_x, mut from_y) = (*x, *y);
    for (x, y) in between.iter().copied().chain([(*tip_x, tip - length)]) {
        if x != from_x {
            let _ = write!(path, " H{x}");
        }
        if y != from_y {
            let _ = write!(path, " V{y}");
        }
        (from_x, from_y) = (x, y);
    }
    let colour = match route.lane {
        Some(lane) => COLOURS[lane % COLOURS.len()],
        None => PLAIN,
    };
    let head = format!("M{tip_x} {tip} l-{half} -{length} h{} z", 2 * half);
    let (source, target) = (route.source, route.target);
    let _ = writeln!(
        text,
        "<g class=\"arrow\" data-from=\"{source}\" data-to=\"{target}\">\
         <path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" \
         stroke-linejoin=\"round\"/><path d=\"{head}\" fill=\"{colour}\"/></g>"
    );
}
