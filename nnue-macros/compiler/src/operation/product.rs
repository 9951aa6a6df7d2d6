//! `product`: two layers are multiplied value by value, as gates are. `y[i] = a[i] * b[i] >>
//! shift`, rounded as the spec says; for `f32`, `a[i] * b[i]`. Products of bytes and words have the
//! smallest type that holds them, so that layers of `i8` and `i16` weights can read them.

use nnue_format::Element;

use super::activation::{element, rounded};
use super::pooling::{ProductRounding, rounding};
use super::{Argument, Calls, Elementwise, Operation};
use crate::check::fixed_point::{
    LARGEST_RESULT, Operand, Shift, ShiftedNumber, check_amount, check_shift,
};
use crate::check::reader::Reader;
use crate::check::value::{in_range, place};
use crate::decode::table::{Table, integer, integers_or_one, keys, named};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::tensor::{One, Tensor};
use crate::spec::documented::documented;

/// The word of the operation in a spec.
pub(super) const NAME: &str = "product";

documented! {
    /// The keys of a product.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `shift`: the bits that are shifted out to the right; a single number.
        #[within(0..=31)]
        pub shift: Option<Spanned<Vec<Spanned<i64>>>>,
        /// `one`: the integer that stands for 1.0 in the result; when absent, it is the product of the
        /// factors' `one`s after the shift.
        #[within(1..=LARGEST_RESULT)]
        pub one: Option<Spanned<i64>>,
        /// `rounding`: how the shift rounds.
        #[default("floor")]
        pub rounding: Option<Spanned<ProductRounding>>,
    }
}

/// The product of two inputs: `y[i] = a[i] * b[i] >> shift`. Integers are multiplied in `i64`, are
/// rounded and then become the type of the output, which holds them or is `i32`, with wrap-around.
/// For `f32`, the product is rounded once and `shift` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// The number of bits that are shifted out to the right.
    pub shift: u32,
    /// How the shift rounds.
    pub rounding: ProductRounding,
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    keys!(
        table,
        diagnostics,
        Keys {
            shift: integers_or_one,
            one: integer,
            rounding: named,
        }
    )
}

impl Operation for Product {
    fn formula(&self, inputs: &[String]) -> String {
        rounded(&inputs.join(" * "), self.shift, self.rounding)
    }

    fn calls(&self, output: Element) -> Calls {
        Calls::Joined(vec![match output {
            Element::F32 => ("product_f32", vec![]),
            _ => {
                let summand = self.rounding.summand(self.shift);
                let arguments = [summand, self.shift].map(Argument::Integer);
                ("product", arguments.into())
            }
        }])
    }
}

impl Keys {
    pub(super) fn check(
        &self,
        reader: &Reader<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Elementwise, Tensor)> {
        let name = reader.layer.name;
        let [first, second] = reader.inputs.as_slice() else {
            let found = match reader.inputs.len() {
                1 => "one input".to_string(),
                found => format!("{found} inputs"),
            };
            let message = format!("`{name}` reads {found}, expected two");
            diagnostics
                .error(reader.inputs.last()?.span, message)
                .help("a product has two factors: `input = [\"gate\", \"fc_1\"]`");
            return None;
        };
        if reader.reads_floats("multiplies", diagnostics)? {
            let keys = [
                place("shift", &self.shift),
                place("one", &self.one),
                place("rounding", &self.rounding),
            ];
            reader.refuse_keys_of_integers(keys.into_iter().flatten(), diagnostics)?;
            let product = Elementwise::Product(Product {
                shift: 0,
                rounding: ProductRounding::Floor,
            });
            return Some((product, Tensor::float(first.slice.len)));
        }
        let a = reader.shared_one(first, diagnostics)?;
        let b = reader.shared_one(second, diagnostics)?;
        let Some([key]) = self.shift.as_ref().map(|shift| shift.value.as_slice()) else {
            let key = self.shift.as_ref();
            let span = key.map_or(reader.layer.span, |shift| shift.span);
            diagnostics
                .error(span, format!("`{name}` needs one `shift`"))
                .help("write how far products are shifted to the right: `shift = 7`");
            return None;
        };
        let amount = check_amount(key, 0, diagnostics)?;
        let product = u64::from(a) * u64::from(b);
        let one = match &self.one {
            Some(one) => in_range("one", one, 1..=LARGEST_RESULT, diagnostics)?,
            None => (product >> amount).clamp(1, LARGEST_RESULT.unsigned_abs()) as u32,
        };
        let input = ShiftedNumber {
            one: product,
            formula: format!("{a} * {b}"),
            label: format!(
                "1.0 is {a} in `{}`, {b} in `{}` and {one} in their product",
                first.name, second.name
            ),
        };
        let shift = Shift {
            amount,
            span: key.span,
        };
        check_shift(Operand::Square, &input, shift, one, diagnostics)?;
        let shift = amount.unsigned_abs();
        let rounding = rounding(&self.rounding, shift, diagnostics)?;
        let summand = i64::from(rounding.summand(shift));
        let (a, b) = (first.tensor.range, second.tensor.range);
        let extremes = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
        let extremes = extremes.map(|extreme| (extreme + summand) >> shift);
        let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
        let range = extremes
            .into_iter()
            .fold((0, 0), |(lowest, highest), extreme| {
                (extreme.min(lowest), extreme.max(highest))
            });
        // The ranges of sums are those without biases, so that products of them may be larger.
        let are_exact = [first, second]
            .iter()
            .all(|input| input.tensor.element != Element::I32);
        let output = Tensor {
            len: first.slice.len,
            element: if are_exact {
                element(range)
            } else {
                Element::I32
            },
            one: One::Tensor(one),
            range: (range.0.max(least), range.1.min(most)),
        };
        let product = Product { shift, rounding };
        Some((Elementwise::Product(product), output))
    }
}
