//! The weights of a net as a picture: neurons of the transformer, then histograms of all tensors.

mod boards;
mod canvas;
mod chart;
mod histogram;
mod neurons;
mod text;

use nnue_interpreter::Net;
use nnue_runtime::Board;

use self::canvas::{BACKGROUND, Canvas, GAP};
pub use self::histogram::Histogram;
use self::histogram::histograms;
pub use self::neurons::Neuron;
use self::neurons::{Boards, neurons};
use self::text::write_lines;
use crate::picture::Error;

/// The step between the positions of the recorded search on which neurons are counted.
pub const EVERY: usize = 29;

/// A picture, and its description.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The bytes of a PNG file.
    pub png: Vec<u8>,
    /// The neurons from top to bottom. Neurons whose activity varies most come first.
    pub neurons: Vec<Neuron>,
    /// How many neurons, drawn or not, are positive in no position.
    pub silent: usize,
    /// How many boards each neuron has. It is 0 if no feature set has a row for each piece and
    /// square; then no neurons are drawn.
    pub planes: usize,
    /// The histograms from top to bottom, below the neurons.
    pub histograms: Vec<Histogram>,
}

const HISTOGRAMS: &str = "Histograms of all tensors: each bar counts the values of one of 256 equal \
                          parts of the axis below it, and its height is the logarithm of the count. \
                          Red lines: where the type ends.";

/// Draws the `most` neurons of a net whose activity varies most over these positions, and
/// histograms of its tensors. `source` is the origin of the positions, as words that follow "of".
///
/// # Errors
///
/// [`Error`] if the picture is too large to be written.
pub fn draw(net: &Net, most: usize, positions: &[Board], source: &str) -> Result<Picture, Error> {
    let boards = Boards::of(net);
    // Without features that follow from positions, neurons cannot be counted.
    let mut chosen = match boards {
        Some(_) => neurons(net, positions),
        None => Vec::new(),
    };
    let silent = chosen.iter().filter(|own| own.active == 0.0).count();
    chosen.sort_by(|a, b| b.deviation.total_cmp(&a.deviation));
    chosen.truncate(most);
    let histograms = histograms(net);

    let planes = boards.as_ref().map_or(0, |boards| boards.planes.len());
    let width = boards::width(planes).max(chart::WIDTH) + 2 * GAP;
    let mut canvas = Canvas::new(width, BACKGROUND);
    let network = net.network();
    let mut top = write_lines(&mut canvas, (GAP, GAP), &network.name) + GAP;
    if let Some(boards) = &boards {
        let (drawn, all) = (chosen.len(), network.transformer.width);
        let legend = format!(
            "{drawn} of the {all} neurons of the transformer: those whose activity varies most over \
             {} positions of {source}, each seen by both players. \"varies by\" is the standard \
             deviation of the neuron's activated value, and the green bar the share of positions in \
             which its sum is positive.",
            positions.len()
        );
        top = write_lines(&mut canvas, (GAP, top), &legend) + GAP;
        top = boards::draw(&mut canvas, top, boards, &chosen);
    }
    top = write_lines(&mut canvas, (GAP, top), HISTOGRAMS) + GAP;
    for histogram in &histograms {
        top = chart::draw(&mut canvas, top, histogram);
    }
    canvas.reach(top);
    Ok(Picture {
        png: canvas.png()?,
        neurons: chosen,
        silent,
        planes,
        histograms,
    })
}
