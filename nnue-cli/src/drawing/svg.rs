//! Boxes below each other, and the arrows between them. What is read at once goes straight down;
//! what is read later goes down a lane on the right.
//!
//! Boxes have a light background of their own, and lines are of a middle tone, so that the picture
//! is legible on white and on black.

use std::fmt::Write;

use nnue_compiler::network::Network;

use super::{Kind, Part, boxes};
use crate::xml::escaped;

/// Lengths in pixels.
const MARGIN: usize = 16;
const GAP: usize = 26;
const PADDING: usize = 12;
const LINE: usize = 18;
/// From one lane to the next.
const LANE: usize = 18;
/// The space of a letter of the fonts of names and of formulas.
const LETTER: usize = 8;
/// The longest line of a formula, in letters.
const LONGEST: usize = 72;
/// From one arrow that arrives at a box to the next, and from the edge to the first.
const ARRIVAL: usize = 8;
/// The length and half the width of an arrow's head.
const HEAD: (usize, usize) = (8, 4);

/// The colours of lanes, one after the other.
const COLOURS: [&str; 5] = ["#6e7781", "#2f81f7", "#bc4c00", "#2da44e", "#a371f7"];

/// A part on the page.
struct Placed {
    part: Part,
    top: usize,
    height: usize,
}

impl Placed {
    fn bottom(&self) -> usize {
        self.top + self.height
    }

    fn middle(&self) -> usize {
        self.top + self.height / 2
    }
}

/// The picture of a network.
pub(crate) fn svg(network: &Network) -> String {
    let mut top = MARGIN + 2 * LINE;
    let parts = boxes(network).into_iter().enumerate();
    let placed = parts.map(|(index, mut part)| {
        part.lines = part.lines.iter().flat_map(|line| wrapped(line)).collect();
        let height = 2 * PADDING + LINE * (1 + part.lines.len());
        // The arrow that leaves does so from the middle, below those that arrive.
        let arrivals = part.reads.iter().filter(|read| **read + 1 < index).count();
        let height = height.max(2 * ARRIVAL * (arrivals + 1));
        let placed = Placed { part, top, height };
        top = placed.bottom() + GAP;
        placed
    });
    let placed: Vec<Placed> = placed.collect();
    let bottom = placed.last().map_or(top, Placed::bottom);
    let letters = placed.iter().map(|placed| {
        let Part {
            name, facts, lines, ..
        } = &placed.part;
        let longest = lines.iter().map(|line| line.chars().count()).max();
        let heading = name.chars().count() + 2 + facts.chars().count();
        heading.max(longest.unwrap_or(0))
    });
    let width = 2 * PADDING + LETTER * letters.max().unwrap_or(0);
    let lanes = lanes(&placed);
    let count = lanes.iter().flatten().max().map_or(0, |last| last + 1);
    let page = (
        2 * MARGIN + width + LANE * (count + 1),
        bottom + MARGIN + LINE,
    );

    let mut text = header(network, page);
    for (index, placed) in placed.iter().enumerate() {
        draw_box(&mut text, placed, index, width);
    }
    for (index, target) in placed.iter().enumerate() {
        for source in &target.part.reads {
            draw_arrow(&mut text, &placed, (*source, index), &lanes, width);
        }
    }
    let stacks = match network.stacks.count {
        1 => "one stack of layers".to_string(),
        count => format!("{count} stacks of layers, of which a position uses one"),
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

/// Text beside the boxes.
fn note(text: &mut String, x: usize, y: usize, note: &str) {
    let note = escaped(note);
    let _ = writeln!(
        text,
        "<text class=\"note\" x=\"{x}\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"13\" \
         fill=\"#768390\">{note}</text>"
    );
}

/// A box with the number by which arrows name it: names are not always unique.
fn draw_box(text: &mut String, placed: &Placed, index: usize, width: usize) {
    let Placed { part, top, height } = placed;
    let (fill, stroke) = match part.kind {
        Kind::Features => ("#fff8c5", "#bf8700"),
        Kind::Transformer => ("#ddf4ff", "#218bff"),
        Kind::Layer { is_affine: true } => ("#dafbe1", "#2da44e"),
        Kind::Layer { is_affine: false } => ("#f6f8fa", "#8c959f"),
        Kind::Output => ("#fbefff", "#a475f9"),
    };
    let name = escaped(&part.name);
    let _ = writeln!(
        text,
        "<g class=\"box\" data-box=\"{index}\">\n<rect x=\"{MARGIN}\" y=\"{top}\" width=\"{width}\" \
         height=\"{height}\" rx=\"6\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
    );
    let (left, right) = (MARGIN + PADDING, MARGIN + width - PADDING);
    let y = top + PADDING + LINE - 5;
    let facts = escaped(&part.facts);
    let _ = writeln!(
        text,
        "<text class=\"name\" x=\"{left}\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"14\" \
         font-weight=\"bold\" fill=\"#1f2328\">{name}</text>\n\
         <text class=\"facts\" x=\"{right}\" y=\"{y}\" text-anchor=\"end\" \
         font-family=\"sans-serif\" font-size=\"13\" fill=\"#1f2328\">{facts}</text>"
    );
    for (number, line) in part.lines.iter().enumerate() {
        let (y, line) = (y + LINE * (number + 1), escaped(line));
        let _ = writeln!(
            text,
            "<text class=\"formula\" x=\"{left}\" y=\"{y}\" font-family=\"monospace\" \
             font-size=\"12\" fill=\"#424a53\">{line}</text>"
        );
    }
    text.push_str("</g>\n");
}

/// An arrow from a part to one that reads it.
fn draw_arrow(
    text: &mut String,
    placed: &[Placed],
    (source, target): (usize, usize),
    lanes: &[Option<usize>],
    width: usize,
) {
    let (from, to) = (&placed[source], &placed[target]);
    let (length, half) = HEAD;
    let (path, head, colour) = match lanes[source] {
        Some(lane) if target > source + 1 => {
            let edge = MARGIN + width;
            let x = edge + LANE * (lane + 1);
            // What comes from different lanes arrives one below the other.
            let arriving = to.part.reads.iter().filter(|read| **read + 1 < target);
            let before = arriving.filter(|read| **read < source).count();
            let y = to.top + ARRIVAL * (before + 1);
            let (start, tip) = (from.middle(), edge);
            let neck = tip + length;
            (
                format!("M{edge} {start} H{x} V{y} H{neck}"),
                format!("M{tip} {y} l{length} -{half} v{} z", 2 * half),
                COLOURS[lane % COLOURS.len()],
            )
        }
        _ => {
            let (x, start, tip) = (MARGIN + width / 2, from.bottom(), to.top);
            (
                format!("M{x} {start} V{}", tip - length),
                format!("M{x} {tip} l-{half} -{length} h{} z", 2 * half),
                COLOURS[0],
            )
        }
    };
    let _ = writeln!(
        text,
        "<g class=\"arrow\" data-from=\"{source}\" data-to=\"{target}\">\
         <path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" \
         stroke-linejoin=\"round\"/><path d=\"{head}\" fill=\"{colour}\"/></g>"
    );
}

/// For each part that is read by others than the next one, the lane of its arrows: the nearest one
/// that no other part's arrows use on the way.
fn lanes(placed: &[Placed]) -> Vec<Option<usize>> {
    let mut taken: Vec<(usize, usize, usize)> = Vec::new();
    let lanes = (0..placed.len()).map(|source| {
        let readers = placed.iter().enumerate();
        let readers = readers.filter(|(_, reader)| reader.part.reads.contains(&source));
        let last = readers.map(|(index, _)| index).max()?;
        if last <= source + 1 {
            return None;
        }
        let is_free = |lane: &usize| {
            let mut others = taken.iter().filter(|(own, ..)| own == lane);
            others.all(|(_, first, end)| *end < source || last < *first)
        };
        let lane = (0..).find(is_free)?;
        taken.push((lane, source, last));
        Some(lane)
    });
    lanes.collect()
}

/// A formula in lines of at most [`LONGEST`] letters, but for words that are longer.
fn wrapped(formula: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in formula.split(' ') {
        let line = lines.last_mut().map(|line| line.chars().count());
        let line = line.unwrap_or(0);
        if line > 0 && line + 1 + word.chars().count() > LONGEST {
            lines.push(format!("  {word}"));
            continue;
        }
        if let Some(last) = lines.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}
