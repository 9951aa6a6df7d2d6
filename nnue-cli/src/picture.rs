//! The weights of a net as a picture: neurons of the transformer, then histograms of all tensors.
//!
//! A picture has no text. [`Picture`] says besides what stands where.

mod canvas;
mod histogram;
mod neurons;

use nnue_interpreter::Net;
use nnue_runtime::Board;

use self::canvas::{Canvas, Colour, WHITE};
pub(crate) use self::histogram::Histogram;
use self::histogram::{BARS, histograms};
use self::neurons::{Boards, activity};

/// Of the positions of the recorded search, one out of so many tells how active neurons are.
pub(crate) const EVERY: usize = 29;

/// Lengths in pixels.
const SQUARE: usize = 6;
const BOARD: usize = 8 * SQUARE;
const GAP: usize = 6;
/// The length of the bar of a neuron that is always active.
const ACTIVITY: usize = 100;
/// The width of a histogram's bar, and its largest height.
const BAR: (usize, usize) = (2, 80);

const BACKGROUND: Colour = [208, 215, 222];
const ACTIVE: Colour = [45, 164, 78];
const INK: Colour = [66, 74, 83];
const LIMIT: Colour = [207, 34, 46];

/// A picture, and what it shows.
pub(crate) struct Picture {
    /// The bytes of a PNG file.
    pub(crate) png: Vec<u8>,
    /// The neurons from top to bottom, the most active one first: the number of each, and the share
    /// of sums that are positive.
    pub(crate) neurons: Vec<(usize, f64)>,
    /// How many neurons, drawn or not, are positive in no position.
    pub(crate) silent: usize,
    /// How many boards a neuron has; 0 if no feature set has a row for each piece and square, and
    /// then no neurons are drawn.
    pub(crate) planes: usize,
    /// The histograms from top to bottom, which stand below the neurons.
    pub(crate) histograms: Vec<Histogram>,
}

/// Draws a net: its `most` most active neurons over these positions, and histograms.
///
/// # Errors
///
/// What the network lacks, as a sentence.
pub(crate) fn draw(net: &Net, most: usize, positions: &[Board]) -> Result<Picture, String> {
    let boards = Boards::of(net);
    let planes = boards.as_ref().map_or(0, |boards| boards.planes);
    // Without features of positions nothing is known about neurons.
    let activity = match boards {
        Some(_) => activity(net, positions),
        None => Vec::new(),
    };
    let silent = activity.iter().filter(|share| **share == 0.0).count();
    let mut neurons: Vec<(usize, f64)> = activity.into_iter().enumerate().collect();
    neurons.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    neurons.truncate(most);
    let histograms = histograms(net);

    let row = BOARD + GAP;
    let (bar, highest) = BAR;
    let width = (ACTIVITY + planes * row).max(bar * BARS) + 2 * GAP;
    let height = neurons.len() * row + histograms.len() * (highest + GAP) + GAP;
    let mut canvas = Canvas::new(width, height);
    canvas.fill((0, 0), (width, height), BACKGROUND);
    let mut top = GAP;
    for (neuron, share) in &neurons {
        let means = boards
            .as_ref()
            .map_or(&[][..], |boards| boards.of_neuron(*neuron));
        let length = (share * ACTIVITY as f64).round() as usize;
        canvas.fill((GAP, top), (ACTIVITY, BOARD), WHITE);
        canvas.fill((GAP, top), (length, BOARD), ACTIVE);
        draw_boards(&mut canvas, (GAP + ACTIVITY + GAP, top), means);
        top += row;
    }
    for histogram in &histograms {
        draw_histogram(&mut canvas, (GAP, top), histogram);
        top += highest + GAP;
    }
    Ok(Picture {
        png: canvas.png()?,
        neurons,
        silent,
        planes,
        histograms,
    })
}

/// The boards of a neuron side by side, the first rank of each at the bottom.
fn draw_boards(canvas: &mut Canvas, (left, top): (usize, usize), means: &[f64]) {
    let largest = means
        .iter()
        .fold(0.0, |most: f64, mean| most.max(mean.abs()));
    for (plane, board) in means.chunks_exact(64).enumerate() {
        for (square, mean) in board.iter().enumerate() {
            let (file, rank) = (square % 8, square / 8);
            let x = left + plane * (BOARD + GAP) + file * SQUARE;
            let y = top + (7 - rank) * SQUARE;
            canvas.fill((x, y), (SQUARE, SQUARE), colour(*mean, largest));
        }
    }
}

/// White for 0, red for what is as large as the largest, blue for what is as far below 0.
fn colour(value: f64, largest: f64) -> Colour {
    if value == 0.0 {
        return WHITE;
    }
    let rest = (255.0 * (1.0 - value.abs() / largest)).round() as u8;
    match value > 0.0 {
        true => [255, rest, rest],
        false => [rest, rest, 255],
    }
}

/// Bars whose heights are logarithms, and lines where the type ends.
fn draw_histogram(canvas: &mut Canvas, (left, top): (usize, usize), histogram: &Histogram) {
    let (width, highest) = BAR;
    canvas.fill((left, top), (BARS * width, highest), WHITE);
    for bar in histogram.limit_bars() {
        canvas.fill((left + bar * width, top), (width, highest), LIMIT);
    }
    let logarithm = |count: u64| ((1 + count) as f64).ln();
    let most = histogram.counts.iter().copied().max().unwrap_or(0);
    for (bar, count) in histogram.counts.iter().enumerate() {
        // Whatever occurs has a pixel.
        let height = (logarithm(*count) / logarithm(most) * highest as f64).ceil() as usize;
        let place = (left + bar * width, top + highest - height);
        canvas.fill(place, (width, height), INK);
    }
}
