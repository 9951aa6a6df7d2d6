//! A histogram with its axes.

use super::canvas::{Canvas, Colour, GAP, INK, WHITE};
use super::histogram::{BARS, Histogram};
use super::text::{LETTER, width_of, write_line, write_lines};
use crate::nets::info::number;

/// The width of a bar, and its largest height, in pixels.
const BAR: (usize, usize) = (2, 80);
/// The width of the counts on the left, in pixels: ten digits.
const COUNTS: usize = 10 * LETTER.0;
/// The length of a tick, in pixels.
const TICK: usize = 4;
/// The distance from the bars down to the values, which half of the lowest count needs.
const BELOW: usize = LETTER.1 / 2;
const LIMIT: Colour = [207, 34, 46];

/// The width of a histogram with its counts, in pixels.
pub(super) const WIDTH: usize = COUNTS + GAP + TICK + BAR.0 * BARS;

/// Draws a histogram with logarithmic heights, and with lines at the limits of the type. Returns
/// the place below it.
pub(super) fn draw(canvas: &mut Canvas, top: usize, histogram: &Histogram) -> usize {
    let top = write_lines(canvas, (GAP, top), &title(histogram));
    // Half of the count at the top stands above the bars.
    let (left, top) = (GAP + COUNTS + GAP + TICK, top + LETTER.1 / 2);
    let (width, highest) = BAR;
    canvas.fill((left, top), (BARS * width, highest), WHITE);
    for bar in histogram.limit_bars() {
        canvas.fill((left + bar * width, top), (width, highest), LIMIT);
    }
    let most = histogram.counts.iter().copied().max().unwrap_or(0);
    for (bar, count) in histogram.counts.iter().enumerate() {
        let height = height_of(*count, most);
        let place = (left + bar * width, top + highest - height);
        canvas.fill(place, (width, height), INK);
    }
    for count in counts(most) {
        let middle = top + highest - height_of(count, most);
        let label = count.to_string();
        canvas.fill((left - TICK, middle), (TICK, 1), INK);
        let label_left = (left - TICK - GAP).saturating_sub(width_of(&label));
        write_line(canvas, (label_left, middle - LETTER.1 / 2), &label);
    }
    draw_values(canvas, (left, top + highest), histogram);
    top + highest + BELOW + LETTER.1 + GAP
}

/// Draws the ticks of the values with their numbers.
fn draw_values(canvas: &mut Canvas, (left, top): (usize, usize), histogram: &Histogram) {
    let (low, high) = histogram.ends;
    let mut taken: Vec<(usize, usize)> = Vec::new();
    for value in [low, high, 0.0] {
        if !(low..=high).contains(&value) {
            continue;
        }
        let label = number(value);
        let middle = left + histogram.bar(value) * BAR.0 + BAR.0 / 2;
        let right = canvas.width().saturating_sub(GAP);
        let start = (middle.saturating_sub(width_of(&label) / 2)).min(right - width_of(&label));
        let end = start + width_of(&label);
        let is_free =
            |other: &(usize, usize)| end + LETTER.0 <= other.0 || other.1 + LETTER.0 <= start;
        if taken.iter().all(is_free) {
            taken.push((start, end));
            canvas.fill((middle, top), (1, TICK), INK);
            write_line(canvas, (start, top + BELOW), &label);
        }
    }
}

/// The title of a histogram: its tensor, and the range of the values.
fn title(histogram: &Histogram) -> String {
    let (low, high) = histogram.range;
    let (name, count) = (&histogram.name, histogram.values());
    let one = match histogram.one {
        Some(one) => format!(", where 1.0 is {}", number(one)),
        None => String::new(),
    };
    let (low, high) = (number(low), number(high));
    format!("{name}: {count} values from {low} to {high}{one}")
}

/// The height of a bar in pixels, at least 1 for a value that occurs.
fn height_of(count: u64, most: u64) -> usize {
    let logarithm = |count: u64| ((1 + count) as f64).ln();
    (logarithm(count) / logarithm(most) * BAR.1 as f64).ceil() as usize
}

/// The counts beside the bars: 0, the largest count, and powers of ten if there is room.
fn counts(most: u64) -> Vec<u64> {
    let mut counts = vec![0, most];
    let mut power = 1u64;
    while power < most {
        let is_far = |other: &u64| {
            let apart = height_of(power, most).abs_diff(height_of(*other, most));
            apart >= LETTER.1
        };
        if counts.iter().all(is_far) {
            counts.push(power);
        }
        power = power.saturating_mul(10);
    }
    counts
}
