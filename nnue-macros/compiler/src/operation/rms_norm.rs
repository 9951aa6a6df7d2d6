//! `rms_norm`: values are divided by the root of their mean square. It exists for `f32` only.

use nnue_format::Element;

use super::{Argument, Calls, Elementwise, Operation};
use crate::check::reader::Reader;
use crate::decode::table::{Table, boolean, keys, named, number};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::tensor::Tensor;
use crate::spec::documented::documented;
use crate::spec::named::named;

/// The word of the operation in a spec.
pub(super) const NAME: &str = "rms_norm";

/// The number that is added to the mean square, unless the spec gives another.
const EPSILON: f32 = 1e-5;

documented! {
    /// The keys of a normalisation.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `epsilon`: the number that is added to the mean square.
        #[default(0.00001)]
        pub epsilon: Option<Spanned<f64>>,
        /// `gain`: the factors of the normalised values.
        pub gain: Option<Spanned<Gain>>,
        /// `shared = true`: all stacks have the same gains, which are in the file once.
        #[default(false)]
        pub shared: Option<Spanned<bool>>,
    }
}

named! {
    /// The factor of a normalised value.
    Gain {
        /// A number of the net file.
        Gamma = "gamma",
        /// A number of the net file, plus 1.
        OneMore = "1 + gamma",
    }
}

/// A normalisation of `f32`: `y[i] = x[i] * (1 / sqrt(mean + epsilon)) * gain[i]`, where `mean` is
/// the mean of the squares of all values. The squares are added as
/// [`Sums::Lanes`](super::affine::Sums::Lanes) does. Each operation is rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RmsNorm {
    /// The number that is added to the mean square. It is positive.
    pub epsilon: f32,
    /// How the gains follow from the net file; `None` stands for gains of 1.
    pub gain: Option<Gain>,
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    keys!(
        table,
        diagnostics,
        Keys {
            epsilon: number,
            gain: named,
            shared: boolean,
        }
    )
}

impl Operation for RmsNorm {
    fn formula(&self, inputs: &[String]) -> String {
        let gain = match self.gain {
            None => "",
            Some(Gain::Gamma) => " * gamma",
            Some(Gain::OneMore) => " * (1 + gamma)",
        };
        let (epsilon, x) = (self.epsilon, inputs.join(" ++ "));
        format!("x * (1 / sqrt(mean(x * x) + {epsilon:e})){gain}, x = {x}")
    }

    fn calls(&self, _: Element) -> Calls {
        let arguments = vec![
            Argument::Float(self.epsilon),
            Argument::Fma,
            Argument::Sqrt,
            Argument::Gain(self.gain),
        ];
        Calls::Joined(vec![("rms_norm_f32", arguments)])
    }

    fn factors(&self) -> Option<(&'static str, Element)> {
        self.gain.map(|_| ("gamma", Element::F32))
    }
}

impl Keys {
    pub(super) fn check(
        &self,
        reader: &Reader<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Elementwise, Tensor)> {
        let epsilon = match &self.epsilon {
            Some(epsilon) => check_epsilon(epsilon, diagnostics)?,
            None => EPSILON,
        };
        if let (Some(shared), None) = (&self.shared, &self.gain) {
            diagnostics
                .error(shared.span, "`shared` needs `gain`")
                .help("without gains the layer has nothing that stacks could share: remove it");
            return None;
        }
        let input = reader.only_input(diagnostics)?;
        if input.tensor.element != Element::F32 {
            let message = format!(
                "`{}` reads `{}`, expected `f32`",
                reader.layer.name, input.tensor.element
            );
            diagnostics
                .error(input.span, message)
                .help("a layer with `op = \"float\"` makes `f32` of integers");
            return None;
        }
        let gain = self.gain.as_ref().map(|gain| gain.value);
        let norm = Elementwise::RmsNorm(RmsNorm { epsilon, gain });
        Some((norm, Tensor::float(input.slice.len)))
    }
}

/// Checks that `epsilon` is positive: the root of zero has no inverse.
fn check_epsilon(epsilon: &Spanned<f64>, diagnostics: &mut Diagnostics) -> Option<f32> {
    let rounded = epsilon.value as f32;
    if !(rounded.is_normal() && rounded > 0.0) {
        let message = format!(
            "`epsilon` is {}, expected a positive number that `f32` holds",
            epsilon.value
        );
        diagnostics.error(epsilon.span, message);
        return None;
    }
    Some(rounded)
}
