//! Numbers of a net file that the network does not use: their names and their sizes.

use nnue_format::Section;

use super::fields;
use super::tensors::KnownTensor;
use crate::check::value::in_range;
use crate::diagnostics::{Diagnostics, Span, all};
use crate::network::file::Tensor;
use crate::spec::{Content, Entry, Kept};

/// The largest number of bytes that a file may have for the engine in a section.
pub(super) const LONGEST: i64 = 1 << 30;

/// The names of the numbers that a file keeps, each with its place in the spec.
#[derive(Default)]
pub(super) struct KeptNames<'s>(Vec<(&'s str, Span)>);

impl<'s> KeptNames<'s> {
    /// The section of numbers that the network, which has these tensors, does not use.
    pub(super) fn section(
        &mut self,
        kept: &'s Kept,
        tensors: &[KnownTensor],
        diagnostics: &mut Diagnostics,
    ) -> Option<Section<Tensor>> {
        let name = kept.name.value.as_str();
        if name.is_empty() {
            let message = "`kept` is empty, expected the name that an engine looks up";
            diagnostics.error(kept.name.span, message);
            return None;
        }
        if tensors.iter().any(|tensor| tensor.name == name) {
            let message = format!("`{name}` is a tensor of the network, expected another name");
            diagnostics
                .error(kept.name.span, message)
                .help("`kept` is for numbers that the network does not use");
            return None;
        }
        if let Some((_, first)) = self.0.iter().find(|(own, _)| *own == name) {
            diagnostics
                .error(kept.name.span, format!("`{name}` is kept twice"))
                .related(*first, "the first");
            return None;
        }
        self.0.push((name, kept.name.span));
        let shape = &kept.shape;
        let size = kept.element.value.size() as i64;
        let mut room = LONGEST / size;
        let mut lens = Vec::new();
        for len in &shape.value {
            let len = in_range("shape", len, 1..=room, diagnostics)?;
            room /= i64::from(len);
            lens.push(len as usize);
        }
        let shape = match lens.as_slice() {
            [columns] => [1, *columns],
            [rows, columns] => [*rows, *columns],
            _ => {
                let found = lens.len();
                diagnostics
                    .error(
                        shape.span,
                        format!("`shape` has {found} numbers, allowed are 1 or 2"),
                    )
                    .help("write how many numbers there are, or how many rows and columns");
                return None;
            }
        };
        Some(Section::Kept {
            name: name.to_string().into(),
            element: kept.element.value,
            shape,
        })
    }
}

/// The sections of `before_stacks`.
pub(super) fn before_stacks(
    entries: &[Entry],
    tensors: &[KnownTensor],
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Section<Tensor>>> {
    let mut names = KeptNames::default();
    let sections = entries.iter().map(|entry| match &entry.content {
        Content::Kept(kept) => names.section(kept, tensors, diagnostics),
        Content::Bytes(field) => fields::section(field, diagnostics),
        Content::Skipped(field) => fields::skipped(field, diagnostics),
        // Decoding refuses tensors here.
        Content::Tensor(_) => None,
    });
    all(sections)
}
