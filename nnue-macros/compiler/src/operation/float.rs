//! `float`: integers become floating point. `y[i] = x[i] * scale`.

use nnue_format::Element;

use super::{Argument, Calls, Elementwise, Operation};
use crate::check::reader::Reader;
use crate::check::value::check_scale;
use crate::decode::table::{Table, keys, number};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::tensor::{Source, Tensor};
use crate::spec::documented::documented;

/// The word of the operation in a spec.
pub(super) const NAME: &str = "float";

documented! {
    /// The keys of a conversion to floating point.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `scale`: the factor of every value; when absent, 1 divided by the input's `one`.
        pub scale: Option<Spanned<f64>>,
    }
}

/// A conversion to floating point: `y[i] = x[i] as f32 * scale`, rounded once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Float {
    /// The factor of every value.
    pub scale: f32,
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    keys!(table, diagnostics, Keys { scale: number })
}

impl Operation for Float {
    fn formula(&self, inputs: &[String]) -> String {
        format!("{} * {:e}", inputs.join(" ++ "), self.scale)
    }

    fn calls(&self, _: Element) -> Calls {
        Calls::Joined(vec![("float", vec![Argument::Float(self.scale)])])
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
        // Each instruction set has its own order of bytes.
        if input.slice.source == Source::Transformer && input.tensor.element != Element::I16 {
            let message = format!(
                "`{name}` converts `{}` of the transformer's output, expected `i16`",
                input.tensor.element
            );
            diagnostics.error(input.span, message).help(
                "read it by an affine layer with `biases = \"f32\"`, or convert the values of `activation = \"none\"`",
            );
            return None;
        }
        if matches!(input.tensor.element, Element::F32) {
            let message = format!("`{name}` reads `f32`, expected integers");
            diagnostics.error(input.span, message);
            return None;
        }
        let one = reader.shared_one(input, diagnostics)?;
        let scale = match &self.scale {
            Some(scale) => check_scale(scale, diagnostics)?,
            None => (1.0 / f64::from(one)) as f32,
        };
        Some((
            Elementwise::Float(Float { scale }),
            Tensor::float(input.slice.len),
        ))
    }
}
