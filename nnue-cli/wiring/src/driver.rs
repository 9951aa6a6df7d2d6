//! The probe that drives a layer: what it sees of a forward pass, and what it replaces.

use nnue_compiler::network::{Layer, Op};
use nnue_compiler::operation::Elementwise;
use nnue_interpreter::Values;
use nnue_runtime::__private::probe::{self, Probe};

/// A probe that gives layers chosen values, and reads the values of one layer.
pub(crate) struct Driver<'a> {
    pub(crate) layers: &'a [Layer],
    /// The values of each layer that are replaced; nothing for layers that keep theirs.
    pub(crate) given: &'a [Values],
    /// The layer whose values are read; `None` if only the output is of interest.
    pub(crate) target: Option<usize>,
    /// The values of the target.
    pub(crate) found: Values,
}

impl Probe for Driver<'_> {
    fn layer(&mut self, index: usize, stride: usize, values: probe::Values<'_>) {
        let layer = &self.layers[index];
        let len = layer.output.len;
        let each = match &layer.op {
            Op::Elementwise(Elementwise::Activations(functions)) => len / functions.len(),
            _ => len,
        };
        let places = (0..len).map(|index| index / each * stride + index % each);
        if self.target == Some(index) {
            self.found = match values {
                probe::Values::U8(values) => read(values, places),
                probe::Values::I16(values) => read(values, places),
                probe::Values::I32(values) => read(values, places),
                probe::Values::I64(values) => read(values, places),
                probe::Values::F32(values) => {
                    Values::Floats(places.map(|place| values[place]).collect())
                }
            };
            return;
        }
        let given = &self.given[index];
        if given.is_empty() {
            return;
        }
        match values {
            probe::Values::U8(values) => replace(values, given, places, |x| x as u8),
            probe::Values::I16(values) => replace(values, given, places, |x| x as i16),
            probe::Values::I32(values) => replace(values, given, places, |x| x as i32),
            probe::Values::I64(values) => replace(values, given, places, |x| x),
            probe::Values::F32(values) => {
                for (place, given) in places.zip(given.floats()) {
                    values[place] = *given;
                }
            }
        }
    }
}

fn read<T: Copy + Into<i64>>(values: &[T], places: impl Iterator<Item = usize>) -> Values {
    Values::Integers(places.map(|place| values[place].into()).collect())
}

/// Replaces the values of a layer. What lies between and behind them is padding, which no layer may
/// read: it gets other numbers than zero, to show that none does.
fn replace<T: Copy>(
    values: &mut [T],
    given: &Values,
    places: impl Iterator<Item = usize>,
    of: impl Fn(i64) -> T,
) {
    values.fill(of(85));
    for (place, given) in places.zip(given.integers()) {
        values[place] = of(*given);
    }
}

/// The index of the first value that differs. Two values that are no numbers are the same.
pub(crate) fn difference(found: &Values, expected: &Values) -> Option<usize> {
    let differ = |a: f32, b: f32| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan());
    match (found, expected) {
        _ if found.len() != expected.len() => Some(0),
        (Values::Integers(found), Values::Integers(expected)) => {
            found.iter().zip(expected).position(|(a, b)| a != b)
        }
        (Values::Floats(found), Values::Floats(expected)) => {
            let mut both = found.iter().zip(expected);
            both.position(|(a, b)| differ(*a, *b))
        }
        _ => Some(0),
    }
}

/// A value, for messages.
pub(crate) fn show(values: &Values, index: usize) -> f64 {
    match values {
        Values::Integers(values) => values.get(index).map_or(f64::NAN, |x| *x as f64),
        Values::Floats(values) => values.get(index).map_or(f64::NAN, |x| f64::from(*x)),
    }
}
