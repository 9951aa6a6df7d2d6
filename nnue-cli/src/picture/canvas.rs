//! Pixels, and the PNG file of them.

/// Red, green and blue.
pub(super) type Colour = [u8; 3];

pub(super) const WHITE: Colour = [255, 255, 255];

/// A picture, white at first.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Canvas {
        Canvas {
            width,
            height,
            pixels: vec![WHITE; width * height],
        }
    }

    /// Fills a rectangle. What lies beyond the picture is left out.
    pub(super) fn fill(
        &mut self,
        (left, top): (usize, usize),
        (width, height): (usize, usize),
        colour: Colour,
    ) {
        for y in top..(top + height).min(self.height) {
            for x in left..(left + width).min(self.width) {
                self.pixels[y * self.width + x] = colour;
            }
        }
    }

    /// The bytes of a PNG file.
    pub(super) fn png(&self) -> Result<Vec<u8>, String> {
        let size = |len: usize| u32::try_from(len).map_err(|_| "the picture is too large");
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, size(self.width)?, size(self.height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
        let written = writer.write_image_data(self.pixels.as_flattened());
        written.map_err(|error| error.to_string())?;
        writer.finish().map_err(|error| error.to_string())?;
        Ok(file)
    }
}
