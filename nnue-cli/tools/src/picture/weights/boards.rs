//! The drawing of neurons, each with a board for each kind of piece.

use super::canvas::{Canvas, Colour, GAP, WHITE};
use super::neurons::{Boards, Neuron};
use super::text::{LETTER, width_of, write_line, write_lines};

/// The width of a square in pixels. A board is as wide as the word "opponent".
const SQUARE: usize = 7;
const BOARD: usize = 8 * SQUARE;
/// The width of the facts about a neuron, and of the bar of a neuron that is always active.
const FACTS: usize = 16 * LETTER.0;
/// The height of the bar, below three lines of facts.
const BAR: usize = BOARD - 3 * LETTER.1;
/// The distance between two boards.
const STEP: usize = BOARD + GAP;
/// The left edge of the boards, beside the numbers of ranks.
const BOARDS: usize = GAP + FACTS + GAP + LETTER.0 + 2;
const ACTIVE: Colour = [45, 164, 78];

/// The width of neurons with `planes` boards, in pixels.
pub(super) fn width(planes: usize) -> usize {
    BOARDS + planes * STEP - 2 * GAP
}

/// Draws neurons, and returns the place below them.
pub(super) fn draw(canvas: &mut Canvas, top: usize, boards: &Boards, neurons: &[Neuron]) -> usize {
    let mut top = write_lines(canvas, (GAP, top), &legend(boards)) + GAP;
    for (plane, words) in boards.planes.iter().enumerate() {
        for (line, word) in words.iter().enumerate() {
            let left = BOARDS + plane * STEP + (BOARD.saturating_sub(width_of(word))) / 2;
            write_line(canvas, (left, top + line * LETTER.1), word);
        }
    }
    top += 2 * LETTER.1 + GAP;
    for neuron in neurons {
        draw_facts(canvas, top, neuron);
        let ranks = BOARDS - LETTER.0 - 2;
        write_line(canvas, (ranks, top), "8");
        write_line(canvas, (ranks, top + BOARD - LETTER.1), "1");
        draw_boards(canvas, top, boards.of_neuron(neuron.number));
        top += STEP;
    }
    for plane in 0..boards.planes.len() {
        let left = BOARDS + plane * STEP;
        write_line(canvas, (left, top - GAP), "a");
        write_line(canvas, (left + BOARD - LETTER.0, top - GAP), "h");
    }
    top + LETTER.1 + GAP
}

/// The legend of the boards.
fn legend(boards: &Boards) -> String {
    let mean = match boards.buckets {
        1 => String::new(),
        count => format!(" (means over {count} buckets of kings)"),
    };
    format!(
        "Boards: the weights of {}{mean} for a piece on each square, as white sees the board. \
         Red is positive, blue is negative; the strongest colour is the neuron's largest weight.",
        boards.set
    )
}

fn draw_facts(canvas: &mut Canvas, top: usize, neuron: &Neuron) {
    let Neuron {
        number,
        deviation,
        active,
    } = neuron;
    let lines = [
        format!("neuron {number}"),
        format!("varies by {deviation:.3}"),
        format!("active {:.1} %", 100.0 * active),
    ];
    for (number, line) in lines.iter().enumerate() {
        write_line(canvas, (GAP, top + number * LETTER.1), line);
    }
    let bar_top = top + BOARD - BAR;
    let length = (active * FACTS as f64).round() as usize;
    canvas.fill((GAP, bar_top), (FACTS, BAR), WHITE);
    canvas.fill((GAP, bar_top), (length, BAR), ACTIVE);
}

/// Draws the boards of a neuron side by side, the first rank of each at the bottom.
fn draw_boards(canvas: &mut Canvas, top: usize, means: &[f64]) {
    let largest = means
        .iter()
        .fold(0.0, |most: f64, mean| most.max(mean.abs()));
    for (plane, board) in means.chunks_exact(64).enumerate() {
        for (square, mean) in board.iter().enumerate() {
            let (file, rank) = (square % 8, square / 8);
            let x = BOARDS + plane * STEP + file * SQUARE;
            let y = top + (7 - rank) * SQUARE;
            canvas.fill((x, y), (SQUARE, SQUARE), colour(*mean, largest));
        }
    }
}

/// The colour of a value: white for 0, red for `largest`, blue for `-largest`.
fn colour(value: f64, largest: f64) -> Colour {
    if value == 0.0 {
        return WHITE;
    }
    let rest = (255.0 * (1.0 - value.abs() / largest)).round() as u8;
    if value > 0.0 {
        [255, rest, rest]
    } else {
        [rest, rest, 255]
    }
}
