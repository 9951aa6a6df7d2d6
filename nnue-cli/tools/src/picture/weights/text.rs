//! Text in a picture.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use textwrap::wrap;

use super::canvas::{Canvas, INK};

const HEIGHT: RasterHeight = RasterHeight::Size16;

/// The width and the height of a letter, in pixels.
pub(super) const LETTER: (usize, usize) =
    (get_raster_width(FontWeight::Regular, HEIGHT), HEIGHT.val());

/// The width of a line of text.
pub(super) fn width_of(line: &str) -> usize {
    line.chars().count() * LETTER.0
}

/// Writes a line from its top left corner on. A letter that the font lacks becomes a question mark,
/// and letters beyond the picture's right edge are left out.
pub(super) fn write_line(canvas: &mut Canvas, (left, top): (usize, usize), line: &str) {
    for (place, letter) in line.chars().enumerate() {
        let raster = |letter| get_raster(letter, FontWeight::Regular, HEIGHT);
        let Some(glyph) = raster(letter).or_else(|| raster('?')) else {
            continue;
        };
        for (y, row) in glyph.rows().enumerate() {
            for (x, how_much) in row.iter().enumerate() {
                let pixel = (left + place * LETTER.0 + x, top + y);
                canvas.cover(pixel, INK, *how_much);
            }
        }
    }
}

/// Writes a text in as many lines as it needs. The margin on the right is as wide as that on the
/// left. Returns the place below the text.
pub(super) fn write_lines(
    canvas: &mut Canvas,
    (left, mut top): (usize, usize),
    text: &str,
) -> usize {
    let letters = canvas.width().saturating_sub(2 * left) / LETTER.0;
    for line in wrap(text, letters.max(1)) {
        write_line(canvas, (left, top), &line);
        top += LETTER.1;
    }
    top
}
