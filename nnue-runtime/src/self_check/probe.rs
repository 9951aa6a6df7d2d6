//! The probe: what a check sees of a forward pass, and what it replaces.

use alloc::vec::Vec;

/// What is called with the values of each layer as soon as these are computed. It may change them
/// before the next layer reads them.
///
/// Evaluations call it with `()`, which does nothing: no instruction of a kernel is there because
/// of it.
pub trait Probe {
    /// The values of the layer of an index, followed by those of padding.
    #[inline(always)]
    fn layer(&mut self, _: u32, _: Probed<'_>) {}
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
    /// The number of values of the target without its padding.
    pub(super) outputs: usize,
    /// The values of the target.
    pub(super) found: Values,
}

impl Probe for Driver<'_> {
    #[inline(never)]
    fn layer(&mut self, index: u32, values: Probed<'_>) {
        let index = index as usize;
        if self.target == Some(index) {
            self.found = match values {
                Probed::U8(values) => read(values, self.outputs),
                Probed::I16(values) => read(values, self.outputs),
                Probed::I32(values) => read(values, self.outputs),
                Probed::I64(values) => read(values, self.outputs),
                Probed::F32(values) => Values::Floats(values[..self.outputs].to_vec()),
            };
            return;
        }
        let Some((_, given)) = self.given.iter().find(|(layer, _)| *layer == index) else {
            return;
        };
        match values {
            Probed::U8(values) => replace(values, given, |x| x as u8),
            Probed::I16(values) => replace(values, given, |x| x as i16),
            Probed::I32(values) => replace(values, given, |x| x as i32),
            Probed::I64(values) => replace(values, given, |x| x),
            Probed::F32(values) => {
                for (value, given) in values.iter_mut().zip(given.floats()) {
                    *value = *given;
                }
            }
        }
    }
}

fn read<T: Copy + Into<i64>>(values: &[T], outputs: usize) -> Values {
    Values::Integers(values[..outputs].iter().map(|x| (*x).into()).collect())
}

/// Replaces the values of a layer. What lies behind them is padding, which no layer may read: it
/// gets other numbers than zero, to show that none does.
fn replace<T>(values: &mut [T], given: &Values, of: impl Fn(i64) -> T) {
    let given = given.integers();
    let padding = core::iter::repeat(&85);
    for (value, given) in values.iter_mut().zip(given.iter().chain(padding)) {
        *value = of(*given);
    }
}
