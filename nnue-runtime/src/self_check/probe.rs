//! The probe: what a check sees of a forward pass, and what it replaces.

use alloc::vec::Vec;

/// What is called with the values of each layer as soon as these are computed. It may change them
/// before the next layer reads them.
///
/// Evaluations call it with `()`, which does nothing: no instruction of a kernel is there because
/// of it.
pub trait Probe {
    /// The values of the layer of an index, followed by those of padding. Where the layer has
    /// several functions, the results of each begin so many values behind those of the one before
    /// it.
    #[inline(always)]
    fn layer(&mut self, _: usize, _: usize, _: Probed<'_>) {}
}

impl Probe for () {}

/// Values of a layer, as kernels have them.
#[derive(Debug)]
pub enum Probed<'a> {
    /// Bytes.
    U8(&'a mut [u8]),
    /// Words.
    I16(&'a mut [i16]),
    /// Integers of 32 bits.
    I32(&'a mut [i32]),
    /// Sums of 64 bits.
    I64(&'a mut [i64]),
    /// Floating point.
    F32(&'a mut [f32]),
}

/// Values of any type, as the oracle has them.
#[derive(Clone, Debug)]
pub(super) enum Values {
    Integers(Vec<i64>),
    Floats(Vec<f32>),
}

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Values::Integers(values) => values.len(),
            Values::Floats(values) => values.len(),
        }
    }

    pub(super) fn integers(&self) -> &[i64] {
        match self {
            Values::Integers(values) => values,
            Values::Floats(_) => unreachable!("the graph has types that agree"),
        }
    }

    pub(super) fn floats(&self) -> &[f32] {
        match self {
            Values::Floats(values) => values,
            Values::Integers(_) => unreachable!("the graph has types that agree"),
        }
    }

    /// The index of the first value that differs. Two values that are no numbers are the same.
    pub(super) fn difference(&self, other: &Values) -> Option<usize> {
        let differ = |a: f32, b: f32| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan());
        match (self, other) {
            (Values::Integers(own), Values::Integers(other)) => {
                own.iter().zip(other).position(|(a, b)| a != b)
            }
            (Values::Floats(own), Values::Floats(other)) => {
                own.iter().zip(other).position(|(a, b)| differ(*a, *b))
            }
            _ => Some(0),
        }
    }

    /// A value, for messages.
    pub(super) fn show(&self, index: usize) -> f64 {
        match self {
            Values::Integers(values) => values.get(index).map_or(f64::NAN, |x| *x as f64),
            Values::Floats(values) => values.get(index).map_or(f64::NAN, |x| f64::from(*x)),
        }
    }
}

/// A probe that gives layers chosen values, and reads the values of one layer.
pub(super) struct Driver<'a> {
    /// The layers whose values are replaced, and the values.
    pub(super) given: &'a [(usize, Values)],
    /// The layer whose values are read; `None` if only the output is of interest.
    pub(super) target: Option<usize>,
    /// For each layer, the numbers of its values and of its functions.
    pub(super) shapes: &'a [(usize, usize)],
    /// The values of the target.
    pub(super) found: Values,
}

impl Probe for Driver<'_> {
    #[inline(never)]
    fn layer(&mut self, index: usize, stride: usize, values: Probed<'_>) {
        let (len, functions) = self.shapes[index];
        let each = len / functions;
        let place = |index: usize| index / each * stride + index % each;
        if self.target == Some(index) {
            self.found = match values {
                Probed::U8(values) => read(values, len, place),
                Probed::I16(values) => read(values, len, place),
                Probed::I32(values) => read(values, len, place),
                Probed::I64(values) => read(values, len, place),
                Probed::F32(values) => {
                    Values::Floats((0..len).map(|index| values[place(index)]).collect())
                }
            };
            return;
        }
        let Some((_, given)) = self.given.iter().find(|(layer, _)| *layer == index) else {
            return;
        };
        match values {
            Probed::U8(values) => replace(values, given, place, |x| x as u8),
            Probed::I16(values) => replace(values, given, place, |x| x as i16),
            Probed::I32(values) => replace(values, given, place, |x| x as i32),
            Probed::I64(values) => replace(values, given, place, |x| x),
            Probed::F32(values) => {
                for (index, given) in given.floats().iter().enumerate() {
                    values[place(index)] = *given;
                }
            }
        }
    }
}

fn read<T: Copy + Into<i64>>(values: &[T], len: usize, place: impl Fn(usize) -> usize) -> Values {
    Values::Integers((0..len).map(|index| values[place(index)].into()).collect())
}

/// Replaces the values of a layer. What lies between and behind them is padding, which no layer may
/// read: it gets other numbers than zero, to show that none does.
fn replace<T: Copy>(
    values: &mut [T],
    given: &Values,
    place: impl Fn(usize) -> usize,
    of: impl Fn(i64) -> T,
) {
    values.fill(of(85));
    for (index, given) in given.integers().iter().enumerate() {
        values[place(index)] = of(*given);
    }
}
