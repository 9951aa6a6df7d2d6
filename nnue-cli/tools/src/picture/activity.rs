//! What the neurons of a net are in a position, as SVG: a field for each tensor, from the
//! transformer to the last layer, and a square for each value that is not 0.

use std::fmt::Write;

use nnue_compiler::network::Network;
use nnue_interpreter::{Trace, Values};

use crate::picture::markup::escaped;

/// The width of the picture in pixels.
const WIDTH: usize = 640;

/// The height of the text above a field.
const LINE: usize = 18;

/// How many shades a colour has.
const SHADES: usize = 8;

/// The colours of positive and of negative values, which are legible on white and on black.
const COLOURS: [&str; 2] = ["#cf222e", "#2f81f7"];

/// The picture of the values that a network computes on its way to an evaluation. The strongest
/// colour is the largest magnitude of a tensor; red is positive, blue is negative.
#[must_use]
pub fn svg(network: &Network, trace: &Trace) -> String {
    let transformer = [
        ("transformer", &trace.transformer),
        ("unpooled", &trace.unpooled),
        ("psqt", &trace.psqt),
    ];
    let layers = network.layers.iter().zip(&trace.layers);
    let layers = layers.map(|(layer, values)| (layer.name.as_str(), values));
    let tensors = transformer.into_iter().chain(layers);
    let mut fields = String::new();
    let mut top = 0;
    for (name, values) in tensors.filter(|(_, values)| !values.is_empty()) {
        top = draw(&mut fields, top, name, values);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{top}\" \
         viewBox=\"0 0 {WIDTH} {top}\" role=\"img\">\n<title>The neurons of {}</title>\n{fields}</svg>\n",
        escaped(&network.name)
    )
}

/// Draws a tensor below `top`, and returns where the next tensor goes.
fn draw(text: &mut String, top: usize, name: &str, values: &Values) -> usize {
    let values: Vec<f64> = match values {
        Values::Integers(values) => values.iter().map(|value| *value as f64).collect(),
        Values::Floats(values) => values.iter().map(|value| f64::from(*value)).collect(),
    };
    let active = values.iter().filter(|value| **value != 0.0).count();
    let magnitudes = values.iter().map(|value| value.abs());
    let largest = magnitudes
        .filter(|value| value.is_finite())
        .fold(0.0, f64::max);
    let (len, name) = (values.len(), escaped(name));
    let (y, field) = (top + LINE - 5, top + LINE);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<g class=\"tensor\">\n<text x=\"0\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"13\" \
         fill=\"#768390\">{name}: {active} of {len} are not 0</text>"
    );
    let columns = if len <= 64 { 32 } else { 128 };
    let side = WIDTH / columns;
    let height = len.div_ceil(columns) * side;
    let width = len.min(columns) * side;
    let _ = writeln!(
        text,
        "<rect x=\"0\" y=\"{field}\" width=\"{width}\" height=\"{height}\" fill=\"#8c959f\" \
         fill-opacity=\"0.15\"/>"
    );
    for (colour, sign) in COLOURS.into_iter().zip([1.0, -1.0]) {
        for shade in 1..=SHADES {
            let mut path = String::new();
            for (index, value) in values.iter().enumerate() {
                if shade_of(value * sign, largest) == shade {
                    let (x, y) = (index % columns * side, field + index / columns * side);
                    let _ = write!(path, "M{x} {y}h{side}v{side}h-{side}z");
                }
            }
            if !path.is_empty() {
                let opacity = shade as f64 / SHADES as f64;
                let _ = writeln!(
                    text,
                    "<path d=\"{path}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>"
                );
            }
        }
    }
    text.push_str("</g>\n");
    field + height + LINE / 2
}

/// The shade of a value, from 1 to [`SHADES`]; 0 for a value that is not positive.
fn shade_of(value: f64, largest: f64) -> usize {
    if value > 0.0 {
        (value / largest * SHADES as f64)
            .ceil()
            .clamp(1.0, SHADES as f64) as usize
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_tell_how_large_values_are() {
        let shades = [-1.0, 0.0, 0.01, 0.5, 1.0, f64::INFINITY].map(|value| shade_of(value, 1.0));
        assert_eq!(shades, [0, 0, 1, 4, 8, 8]);
        assert_eq!(shade_of(f64::INFINITY, 0.0), 8);
        assert_eq!(shade_of(f64::NAN, 1.0), 0);
    }

    #[test]
    fn each_value_that_is_not_0_has_a_square() {
        let mut text = String::new();
        let values = Values::Integers(vec![0, 4, -8, 1, 0]);
        let next = draw(&mut text, 0, "a<b", &values);
        assert_eq!(next, 18 + 20 + 9);
        assert!(text.contains("a&lt;b: 3 of 5 are not 0"), "{text}");
        assert_eq!(text.matches("h-20z").count(), 3);
        for square in [
            "M20 18h20v20h-20z\" fill=\"#cf222e\" fill-opacity=\"0.5\"",
            "M40 18h20v20h-20z\" fill=\"#2f81f7\" fill-opacity=\"1\"",
            "M60 18h20v20h-20z\" fill=\"#cf222e\" fill-opacity=\"0.125\"",
        ] {
            assert!(text.contains(square), "{text}");
        }
    }
}
