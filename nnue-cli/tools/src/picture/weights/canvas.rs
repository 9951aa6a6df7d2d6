//! Pixels, and the PNG file of them.

use crate::picture::Error;

/// A colour: its red, green and blue.
pub(super) type Colour = [u8; 3];

pub(super) const WHITE: Colour = [255, 255, 255];
pub(super) const BACKGROUND: Colour = [232, 236, 240];
pub(super) const INK: Colour = [36, 41, 47];

/// The space between parts of a picture, in pixels.
pub(super) const GAP: usize = 6;

/// A picture of a fixed width, which grows downwards.
pub(super) struct Canvas {
    width: usize,
    background: Colour,
    pixels: Vec<Colour>,
}

impl Canvas {
    pub(super) fn new(width: usize, background: Colour) -> Canvas {
        Canvas {
            width,
            background,
            pixels: Vec::new(),
        }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Makes the picture at least `height` pixels high.
    pub(super) fn reach(&mut self, height: usize) {
        let len = self.pixels.len().max(height * self.width);
        self.pixels.resize(len, self.background);
    }

    /// Fills a rectangle. The part beyond the right edge is left out.
    pub(super) fn fill(
        &mut self,
        (left, top): (usize, usize),
        (width, height): (usize, usize),
        colour: Colour,
    ) {
        self.reach(top + height);
        for y in top..top + height {
            for x in left..(left + width).min(self.width) {
                self.pixels[y * self.width + x] = colour;
            }
        }
    }

    /// Covers a pixel with a colour, from not at all (0) to fully (255). Pixels beyond the right
    /// edge are left out.
    pub(super) fn cover(&mut self, (x, y): (usize, usize), colour: Colour, how_much: u8) {
        if x >= self.width {
            return;
        }
        self.reach(y + 1);
        let pixel = &mut self.pixels[y * self.width + x];
        let how_much = u32::from(how_much);
        for (part, wanted) in pixel.iter_mut().zip(colour) {
            let mixed = u32::from(*part) * (255 - how_much) + u32::from(wanted) * how_much;
            *part = (mixed / 255) as u8;
        }
    }

    /// The bytes of the picture as a PNG file.
    pub(super) fn png(&self) -> Result<Vec<u8>, Error> {
        let size = |len: usize| u32::try_from(len).map_err(|_| Error::TooLarge);
        let height = self.pixels.len() / self.width;
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, size(self.width)?, size(height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(file)
    }
}
