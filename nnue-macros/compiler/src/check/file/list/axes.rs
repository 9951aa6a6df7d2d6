//! The order of a tensor's axes in the file.

use super::tensor::NamedTensor;
use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::file::{Axis, AxisPart, Part};
use crate::spec::Transposed;

/// Offsets and lengths can be multiples of at most this unit, in values or bytes.
pub(super) const LARGEST_UNIT: i64 = 4096;

impl NamedTensor<'_> {
    /// The axes of a tensor in bullet's files. bullet's matrices are column-major, so the weights
    /// of each input follow one another, with all stacks together.
    pub(super) fn bullet_axes(
        &self,
        listed: Option<&Spanned<Transposed>>,
    ) -> Vec<(AxisPart, usize)> {
        let mut axes = self.known.whole_axes();
        let transposed = self.is_transposed(listed);
        match self.known.role {
            role if role.matrix().is_some() && !transposed => axes.rotate_right(1),
            role if role.layer().is_none() && transposed => axes.reverse(),
            _ => {}
        }
        axes
    }

    /// The axes that the spec lists, which are all axes of the tensor. Axes of length 1 may be left
    /// out. An axis that only other tensors of the entry have is skipped for this tensor.
    pub(super) fn check_axes(
        &self,
        listed: &Spanned<Vec<Spanned<AxisPart>>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<(AxisPart, usize)>> {
        let known = self.known;
        let names = known.axes.iter().map(|(axis, _)| format!("`{axis}`"));
        let expected = format!("its axes are {}", names.collect::<Vec<_>>().join(", "));
        let mut axes: Vec<(AxisPart, usize)> = Vec::new();
        for part in &listed.value {
            let axis = part.value.axis;
            let has_axis = |axes: &[(Axis, usize)]| axes.iter().any(|(own, _)| *own == axis);
            let Some((_, len)) = known.axes.iter().find(|(own, _)| *own == axis) else {
                if self.entry.tensors.iter().any(|other| has_axis(&other.axes)) {
                    continue;
                }
                let message = format!("`{axis}` is not an axis of `{}`", known.name);
                diagnostics.error(part.span, message).label(expected);
                return None;
            };
            if axes.iter().any(|(seen, _)| overlap(*seen, part.value)) {
                let message = format!("`{axis}` is twice an axis of `{}`", known.name);
                diagnostics.error(part.span, message).label(expected);
                return None;
            }
            axes.push((part.value, self.len_of(part, *len, diagnostics)?));
        }
        let listed_len = |axis: Axis| {
            let parts = axes.iter().filter(|(seen, _)| seen.axis == axis);
            parts.map(|(_, len)| len).product::<usize>()
        };
        let mut own = known.axes.iter();
        let Some((axis, len)) = own.find(|(axis, len)| listed_len(*axis) != *len) else {
            return Some(axes);
        };
        let half = axes.iter().find(|(seen, _)| seen.axis == *axis);
        match half.map(|(half, _)| (half, half.part)) {
            Some((half, Part::Blocks(block) | Part::Places(block))) => {
                let other = match half.part {
                    Part::Blocks(_) => Part::Places(block),
                    _ => Part::Blocks(block),
                };
                let other = AxisPart {
                    axis: *axis,
                    part: other,
                };
                let message = format!(
                    "`axes` of `{}` lists `{half}` without `{other}`",
                    known.name
                );
                diagnostics
                    .error(listed.span, message)
                    .label(expected)
                    .help("an axis in blocks is two: its blocks, and the places in a block");
            }
            _ => {
                let message = format!("`axes` of `{}` does not list `{axis}`", known.name);
                diagnostics
                    .error(listed.span, message)
                    .label(expected)
                    .help(format!(
                        "its length is {len}; only axes of length 1 may be left out"
                    ));
            }
        }
        None
    }

    /// The length of an axis or of a part of an axis; the whole axis has the length `len`.
    fn len_of(
        &self,
        part: &Spanned<AxisPart>,
        len: usize,
        diagnostics: &mut Diagnostics,
    ) -> Option<usize> {
        let (Part::Blocks(block) | Part::Places(block)) = part.value.part else {
            return Some(len);
        };
        let (axis, name) = (part.value.axis, &self.known.name);
        if !(2..=LARGEST_UNIT as usize).contains(&block) {
            let message =
                format!("blocks of `{axis}` are {block} long, allowed are 2 to {LARGEST_UNIT}");
            diagnostics.error(part.span, message);
            return None;
        }
        if !len.is_multiple_of(block) {
            let message = format!(
                "blocks of `{axis}` are {block} long, expected a number that divides {len}"
            );
            diagnostics
                .error(part.span, message)
                .label(format!("`{axis}` of `{name}` is {len} long"));
            return None;
        }
        Some(match part.value.part {
            Part::Blocks(_) => len / block,
            _ => block,
        })
    }
}

/// Whether two parts of axes overlap.
fn overlap(a: AxisPart, b: AxisPart) -> bool {
    let halves = match (a.part, b.part) {
        (Part::Blocks(a), Part::Places(b)) | (Part::Places(a), Part::Blocks(b)) => a == b,
        _ => false,
    };
    a.axis == b.axis && !halves
}
