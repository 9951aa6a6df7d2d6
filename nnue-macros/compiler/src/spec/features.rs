//! The keys of `[[features]]`: the name of a feature set, and the parameters that override what the
//! name stands for.

use nnue_format::Element;

use super::documented::documented;
use crate::diagnostics::{Span, Spanned};
use crate::feature_set::Keys;

documented! {
    /// The keys of one `[[features]]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Features {
        /// `set`: the name of a feature set.
        pub set: Spanned<String>,
        /// `element`: the type of the set's rows in the file.
        pub element: Option<Spanned<Element>>,
        /// `shift`: how many bits the set's rows are shifted to the left when they are added.
        #[within(0..=15)]
        #[default(0)]
        pub shift: Option<Spanned<i64>>,
        /// The keys that all sets of the same family have; `None` for a set with an unknown name.
        pub keys: Option<Keys>,
        /// The place of the table's header.
        pub span: Span,
    }
}

/// The types that a set's rows can have, each with its name. They are no larger than the type of
/// accumulators; smaller types are widened when rows are added.
pub const ROW_ELEMENTS: &[(&str, Element)] = &[
    (Element::I16.name(), Element::I16),
    (Element::I8.name(), Element::I8),
];
