//! `sum`: layers are added value by value, each brought to the `one` of the sum. A sum of a single
//! layer brings it to another `one`.

use nnue_format::Element;

use super::{Argument, Call, Calls, Elementwise, Operation};
use crate::check::alignment::Method;
use crate::check::reader::{Input, Reader};
use crate::decode::alignment;
use crate::decode::table::Table;
use crate::diagnostics::Diagnostics;
use crate::network::Align;
use crate::network::tensor::{One, Tensor};
use crate::spec::scaling::Alignment;

/// The word of the operation in a spec.
pub(super) const NAME: &str = "sum";

/// The keys of a sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    /// `one`, and the keys that say how the inputs are brought to it.
    pub alignment: Alignment,
}

/// A sum of layers: `y[i]` is the sum of value `i` of all inputs, each aligned. Integers are added
/// in `i64` and then become `i32` with wrap-around. `f32` inputs are added from the first to the
/// last and have [`Align::None`].
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// The alignment of each input to the `one` of the sum, in the order of the inputs.
    pub aligns: Vec<Align>,
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    let alignment = alignment(table, diagnostics)?;
    Some(Keys { alignment })
}

impl Operation for Sum {
    fn formula(&self, inputs: &[String]) -> String {
        let terms = inputs.iter().zip(&self.aligns);
        let terms: Vec<_> = terms.map(|(input, align)| align.formula(input)).collect();
        terms.join(" + ")
    }

    fn calls(&self, output: Element) -> Calls {
        match output {
            Element::F32 => Calls::OfList("sum_f32"),
            _ => Calls::OfTerms(self.aligns.iter().map(call_that_adds).collect()),
        }
    }
}

/// The call of the runtime's function that adds a term to sums.
fn call_that_adds(align: &Align) -> Call {
    match align {
        Align::None => ("add", vec![]),
        Align::Exact(factors) => {
            let (numerators, denominators) = factors.iter().copied().unzip();
            let factors = [numerators, denominators].map(Argument::Integers);
            ("add_scaled", factors.into())
        }
        Align::Shift { multipliers, shift } => {
            let multipliers = Argument::Integers(multipliers.clone());
            ("add_shifted", vec![multipliers, Argument::Integer(*shift)])
        }
    }
}

impl Keys {
    pub(super) fn check(
        &self,
        reader: &Reader<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Elementwise, Tensor)> {
        let inputs = reader.inputs.iter();
        let len = reader.inputs.first()?.slice.len;
        if reader.reads_floats("adds", diagnostics)? {
            let aligns = inputs.map(|_| Align::None).collect();
            reader.refuse_keys_of_integers(self.alignment.keys(), diagnostics)?;
            return Some((Elementwise::Sum(Sum { aligns }), Tensor::float(len)));
        }
        let ones: Vec<One> = inputs.map(Input::one).collect();
        let all_same = ones.iter().all(|one| *one == ones[0]);
        let default = ones[0].shared().filter(|_| all_same);
        let owner = format!("`{}`", reader.layer.name);
        let owner = (reader.layer.span, owner.as_str());
        let method = Method::check(
            &self.alignment,
            default,
            ones[0].shared(),
            owner,
            diagnostics,
        )?;
        let mut aligns = Vec::new();
        let (mut lowest, mut highest) = (0i64, 0i64);
        for (input, one) in reader.inputs.iter().zip(&ones) {
            let align = method.align(one, (input.span, input.name), diagnostics)?;
            let range = input.tensor.range;
            lowest = lowest.saturating_add(extreme(&align, range.0.min(0)));
            highest = highest.saturating_add(extreme(&align, range.1.max(0)));
            aligns.push(align);
        }
        let output = Tensor {
            len,
            element: Element::I32,
            one: One::Tensor(method.one),
            range: (
                lowest.max(i64::from(i32::MIN)),
                highest.min(i64::from(i32::MAX)),
            ),
        };
        Some((Elementwise::Sum(Sum { aligns }), output))
    }
}

/// The bound of aligned values that follows from the bound `value`, on the same side of zero.
fn extreme(align: &Align, value: i64) -> i64 {
    let furthest = |scaled: &mut dyn Iterator<Item = i64>| {
        if value < 0 {
            scaled.min().unwrap_or(value)
        } else {
            scaled.max().unwrap_or(value)
        }
    };
    match align {
        Align::None => value,
        Align::Exact(factors) => {
            furthest(&mut factors.iter().map(|(n, d)| value.saturating_mul(*n) / d))
        }
        Align::Shift { multipliers, shift } => furthest(
            &mut multipliers
                .iter()
                .map(|multiplier| value.saturating_mul(*multiplier) >> shift),
        ),
    }
}
