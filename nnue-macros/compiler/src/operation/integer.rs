//! `integer`: floating point becomes integers, the counterpart of [`float`](super::float). `y[i] =
//! x[i] * one`, rounded, from `least` to `limit`.

use nnue_format::Element;

use super::activation::{USUAL_ONE, element};
use super::{Argument, Calls, Elementwise, Operation};
use crate::check::fixed_point::least_limit;
use crate::check::reader::Reader;
use crate::check::value::in_range_or;
use crate::decode::table::{Table, integer, keys, named};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::tensor::{One, Tensor};
use crate::spec::documented::documented;
use crate::spec::named::named;

/// The word of the operation in a spec.
pub(super) const NAME: &str = "integer";

/// The largest `one` and `limit`, and the smallest `least` with the other sign: results fit in 16
/// bits, which `f32` rounds to without error.
const MOST: i64 = i16::MAX as i64;

documented! {
    /// The keys of a conversion to integers.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `one`: the factor of every value, which is the integer that stands for 1.0.
        #[within(1..=MOST)]
        #[default(127)]
        pub one: Option<Spanned<i64>>,
        /// `limit`: the largest integer; when absent, `one`.
        #[within(1..=MOST)]
        pub limit: Option<Spanned<i64>>,
        /// `least`: the smallest integer, at most 0; when absent, 0.
        #[within(-MOST - 1..=0)]
        #[default(0)]
        pub least: Option<Spanned<i64>>,
        /// `rounding`: how products become integers.
        #[default("nearest")]
        pub rounding: Option<Spanned<IntegerRounding>>,
    }
}

named! {
    /// How floating point becomes integers in a layer.
    IntegerRounding {
        /// The nearest integer; a half becomes the even one.
        Nearest = "nearest",
        /// Fractions are cut off.
        Truncate = "truncate",
    }
}

/// A conversion to integers: `y[i] = x[i] * one`, where the product is rounded to `f32`, clamped to
/// `least..=limit` and rounded to an integer. NaN becomes `least`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// The factor of every value: the integer that stands for 1.0.
    pub one: u32,
    /// The smallest result, at most 0.
    pub least: i32,
    /// The largest result, at least 1.
    pub limit: u32,
    /// How products become integers.
    pub rounding: IntegerRounding,
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    keys!(
        table,
        diagnostics,
        Keys {
            one: integer,
            limit: integer,
            least: integer,
            rounding: named,
        }
    )
}

impl Operation for Integer {
    fn formula(&self, inputs: &[String]) -> String {
        let Integer {
            one,
            least,
            limit,
            rounding,
        } = self;
        let function = match rounding {
            IntegerRounding::Nearest => "round",
            IntegerRounding::Truncate => "trunc",
        };
        let x = inputs.join(" ++ ");
        format!("{function}(clamp(x * {one}, {least}, {limit})), x = {x}")
    }

    fn calls(&self, _: Element) -> Calls {
        let function = match self.rounding {
            IntegerRounding::Nearest => "integer_nearest",
            IntegerRounding::Truncate => "integer_truncated",
        };
        // Numbers of 16 bits are exact in `f32`.
        let numbers = [self.one as f32, self.least as f32, self.limit as f32];
        Calls::Joined(vec![(function, numbers.map(Argument::Float).into())])
    }
}

impl Keys {
    pub(super) fn check(
        &self,
        reader: &Reader<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Elementwise, Tensor)> {
        let name = reader.layer.name;
        let input = reader.only_input(diagnostics)?;
        if input.tensor.element != Element::F32 {
            let message = format!("`{name}` reads `{}`, expected `f32`", input.tensor.element);
            diagnostics
                .error(input.span, message)
                .help("activations and `op = \"sum\"` bring integers to another one");
            return None;
        }
        let one = in_range_or("one", self.one.as_ref(), 1..=MOST, USUAL_ONE, diagnostics);
        let limit = self.limit.as_ref();
        let limit = in_range_or("limit", limit, 1..=MOST, one.unwrap_or(1), diagnostics);
        let least = match &self.least {
            Some(least) if !(-MOST - 1..=0).contains(&least.value) => {
                let message = format!("`least` is {}, allowed are {} to 0", least.value, -MOST - 1);
                diagnostics.error(least.span, message);
                None
            }
            least => Some(least.as_ref().map_or(0, |least| least.value)),
        };
        let (one, limit, least) = (one?, limit?, least?);
        let needed = least_limit(one);
        if let Some(key) = &self.limit
            && limit < needed
        {
            let message = format!("`{name}` is clipped at {limit}, expected at least {needed}");
            diagnostics
                .error(key.span, message)
                .label(format!("1.0 is {one} in its output"))
                .help("a smaller `one` lets 1.0 pass");
            return None;
        }
        let rounding = self.rounding.as_ref();
        let integer = Integer {
            one,
            least: least as i32,
            limit,
            rounding: rounding.map_or(IntegerRounding::Nearest, |key| key.value),
        };
        let range = (least, i64::from(limit));
        let output = Tensor {
            len: input.slice.len,
            element: element(range),
            one: One::Tensor(one),
            range,
        };
        Some((Elementwise::Integer(integer), output))
    }
}
