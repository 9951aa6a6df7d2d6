//! Operations: the functions of layers.
//!
//! Each operation is a module with everything that the pipeline needs of it: its word in specs and
//! the keys that go with this word, the values that it may read, the integer that then stands for
//! 1.0, the range of its results, its formula, and the function of the runtime that computes it.
//! This file lists the operations, and the rest of the compiler follows from the list: messages
//! name the words, diagrams and descriptions show formulas and parameters, and generated code has
//! the calls.
//!
//! There are three kinds.
//!
//! * An *activation* is a function of a single value. A layer can have several. Its module has a
//!   constant `DEFINITION` with the form of the function for integers, the form for `f32`, or both.
//!   For integers, the module also has a type with the parameters of the runtime's function. Two
//!   words can share such a type, as `crelu` and `relu` do: they differ in the default values of
//!   `one` and `limit`.
//! * A *layer that computes value by value* in another way, as `sum` does. Its module has the word
//!   as `NAME`; the type `Keys` and the functions that decode and check it; and a type that
//!   implements `Operation` and holds the checked parameters.
//! * [`affine`], for which layout, plan and emission have code of their own.
//!
//! The transformer has operations of its own: [`neuron`] is applied to each value of an
//! accumulator, and [`pooling`] makes a single value of two. Kernels compute them with primitives
//! of their level, so plan and emission have code for each of them.
//!
//! [`OpName`], [`Activation`] and [`Elementwise`] grow with the language. A `match` in another
//! crate has an arm for operations that the crate does not know, which refuses them by name.

pub mod activation;
pub mod affine;
mod call;
pub mod crelu;
pub mod float;
pub mod hard_swish;
pub mod integer;
pub mod neuron;
pub mod pooling;
pub mod product;
pub mod quantmoid4;
pub mod relu;
pub mod rms_norm;
pub mod screlu;
pub mod sigmoid;
pub mod sqr;
pub mod sqr_crelu;
pub mod sqr_crelu_i32;
pub mod sqr_negative;
pub mod sqr_relu;
pub mod sum;
#[cfg(any(test, feature = "test-operation"))]
#[doc(hidden)]
pub mod test_operation;

use std::fmt;

use nnue_format::Element;

use crate::check::reader::{Header, Reader};
use crate::check::value::value_or;
use crate::decode::table::Table;
use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::tensor::Tensor;
use crate::spec::named::Named;

use self::affine::Affine;
pub use self::call::{Argument, Call, Calls};

/// Declares the types that have a variant for each operation, and the conversions between them.
///
/// The line of an activation names its module, its variant of [`OpName`], and the types of its
/// forms for integers, unless they belong to another activation. The line of another layer names
/// its module and its type; the variants have the same name as the type.
macro_rules! operations {
    (
        activations {
            $($module:ident: $word:ident $(has $($form:ident)+)?;)+
        }
        layers { $($kind_module:ident: $kind:ident;)+ }
        only in tests { $(#[$test:meta])+ $test_module:ident: $test_word:ident; }
    ) => {
        $($($(pub use self::$module::$form;)+)?)+
        $(pub use self::$kind_module::$kind;)+

        /// A word of the key `op`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum OpName {
            #[doc = "The operation of the module [`affine`]."]
            Affine,
            $(#[doc = concat!("The operation of the module [`", stringify!($module), "`].")]
            $word,)+
            $(#[doc = concat!("The operation of the module [`", stringify!($kind_module), "`].")]
            $kind,)+
            $(#[$test])+
            #[doc(hidden)]
            $test_word,
        }

        /// An activation with its parameters. It is a form for integers, whose results are `u8`,
        /// `i16` or `i32`, or a form for `f32`.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Activation {
            $($($(#[doc = concat!("A function of integers: [`", stringify!($form), "`].")]
            $form($form),)+)?)+
            /// The form for `f32` of the activation with this name. It has no parameters.
            Float(OpName),
            $(#[$test])+
            #[doc(hidden)]
            $test_word($test_module::$test_word),
        }

        /// The operation of a layer that is not affine but computes value by value.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Elementwise {
            /// Functions of a single value each. The results of all values by the first function
            /// come before those by the second, and so on.
            Activations(Vec<Activation>),
            $(#[doc = concat!("The operation of the module [`", stringify!($kind_module), "`].")]
            $kind($kind),)+
        }

        /// The key `op` and the keys that go with it.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Op {
            /// A fully connected layer.
            Affine(Box<affine::Keys>),
            /// Activations.
            Activations(activation::Keys),
            $(#[doc = concat!("The operation of the module [`", stringify!($kind_module), "`].")]
            $kind($kind_module::Keys),)+
        }

        impl Named for OpName {
            const NAMES: &'static [(&'static str, OpName)] = &[
                (affine::NAME, OpName::Affine),
                $(($module::DEFINITION.name, OpName::$word),)+
                $(($kind_module::NAME, OpName::$kind),)+
            ];
        }

        impl OpName {
            /// The word of the operation in a spec.
            pub fn name(self) -> &'static str {
                match self {
                    OpName::Affine => affine::NAME,
                    $(OpName::$word => $module::DEFINITION.name,)+
                    $(OpName::$kind => $kind_module::NAME,)+
                    $(#[$test])+
                    OpName::$test_word => $test_module::DEFINITION.name,
                }
            }

            /// The definition of the operation, if it is an activation.
            fn activation(self) -> Option<&'static activation::Definition> {
                match self {
                    OpName::Affine $(| OpName::$kind)+ => None,
                    $(OpName::$word => Some(&$module::DEFINITION),)+
                    $(#[$test])+
                    OpName::$test_word => Some(&$test_module::DEFINITION),
                }
            }
        }

        impl Activation {
            fn function(&self) -> &dyn activation::Function {
                match self {
                    $($($(Activation::$form(form) => form,)+)?)+
                    Activation::Float(name) => activation::float_form(*name),
                    $(#[$test])+
                    Activation::$test_word(form) => form,
                }
            }
        }

        impl Elementwise {
            fn operation(&self) -> &dyn Operation {
                match self {
                    Elementwise::Activations(activations) => activations,
                    $(Elementwise::$kind(operation) => operation,)+
                }
            }

            /// The word of the operation in a spec; `activation` for all activations.
            pub fn word(&self) -> &'static str {
                match self {
                    Elementwise::Activations(_) => "activation",
                    $(Elementwise::$kind(_) => $kind_module::NAME,)+
                }
            }
        }

        impl Op {
            /// Reads the keys of the functions of a layer: of several activations, or of one
            /// operation.
            pub(crate) fn decode(
                functions: Vec<Spanned<OpName>>,
                table: &mut Table<'_>,
                diagnostics: &mut Diagnostics,
            ) -> Option<Op> {
                match functions[0].value {
                    OpName::Affine => {
                        let keys = affine::decode(table, diagnostics)?;
                        Some(Op::Affine(Box::new(keys)))
                    }
                    $(OpName::$kind => $kind_module::decode(table, diagnostics).map(Op::$kind),)+
                    _ => activation::decode(functions, table, diagnostics).map(Op::Activations),
                }
            }

            /// The operation of the layer, and its output; `None` if the layer or a value that it
            /// reads is wrong. In the latter case there is no `reader`.
            pub(crate) fn check(
                &self,
                layer: Header<'_>,
                reader: Option<Reader<'_>>,
                diagnostics: &mut Diagnostics,
            ) -> Option<(CheckedOp, Tensor)> {
                let (operation, output) = match self {
                    Op::Affine(keys) => {
                        let (affine, output) = keys.check(layer, reader, diagnostics)?;
                        return Some((CheckedOp::Affine(affine), output));
                    }
                    Op::Activations(keys) => keys.check(&reader?, diagnostics)?,
                    $(Op::$kind(keys) => keys.check(&reader?, diagnostics)?,)+
                };
                Some((CheckedOp::Elementwise(operation), output))
            }
        }
    };
}

operations! {
    activations {
        crelu: Crelu;
        sqr_crelu: SqrCrelu has SqrCrelu;
        sqr_crelu_i32: SqrCreluI32 has SqrCreluI32;
        screlu: Screlu has Screlu;
        relu: Relu has Relu ReluLeft;
        quantmoid4: Quantmoid4 has Quantmoid4;
        sigmoid: Sigmoid;
        hard_swish: HardSwish;
        sqr: Sqr;
        sqr_relu: SqrRelu;
        sqr_negative: SqrNegative;
    }
    layers {
        sum: Sum;
        product: Product;
        rms_norm: RmsNorm;
        float: Float;
        integer: Integer;
    }
    only in tests {
        #[cfg(any(test, feature = "test-operation"))]
        test_operation: TestOperation;
    }
}

/// The operation of a layer after its keys were checked.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckedOp {
    /// A fully connected layer.
    Affine(Affine),
    /// A layer that computes value by value.
    Elementwise(Elementwise),
}

/// The operation of a layer that computes value by value, after its keys were checked. The methods
/// are documented at [`Elementwise`].
pub(crate) trait Operation {
    fn formula(&self, inputs: &[String]) -> String;

    fn calls(&self, output: Element) -> Calls;

    fn factors(&self) -> Option<(&'static str, Element)> {
        None
    }
}

impl Op {
    /// The key `shared`, if the spec gives it.
    pub(crate) fn shared(&self) -> Option<&Spanned<bool>> {
        match self {
            Op::Affine(keys) => keys.shared.as_ref(),
            Op::RmsNorm(keys) => keys.shared.as_ref(),
            _ => None,
        }
    }

    /// Whether the layer has weights that are added to those of each stack.
    pub(crate) fn is_factorised(&self) -> bool {
        match self {
            Op::Affine(keys) => value_or(&keys.factorised, false),
            _ => false,
        }
    }
}

impl fmt::Display for OpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Elementwise {
    /// The words of the operation in a spec: of several activations, all of theirs.
    pub fn words(&self) -> String {
        let Elementwise::Activations(activations) = self else {
            return self.word().into();
        };
        let words = activations.iter().map(|activation| match activation {
            Activation::Float(name) => name.name(),
            integers => integers.function().name(),
        });
        words.collect::<Vec<_>>().join(" + ")
    }

    /// The formula, as the table of a network shows it; `inputs` are the names of the inputs.
    pub fn formula(&self, inputs: &[String]) -> String {
        self.operation().formula(inputs)
    }

    /// The calls of functions in the runtime's `activation.rs` that compute the outputs, which have
    /// this type.
    pub fn calls(&self, output: Element) -> Calls {
        self.operation().calls(output)
    }

    /// The name and the type of the operation's factors, if it has any. The net file has one factor
    /// for each output.
    pub fn factors(&self) -> Option<(&'static str, Element)> {
        self.operation().factors()
    }
}
