//! What finds attacks and their rows, compiled for each level.

use nnue_format::Threats;

use super::View;
use super::changes::{Scope, Threat, ThreatChanges};
use crate::__private::dispatch;
use crate::level::Level;
use crate::placement::PieceCodes;
use crate::rows::RowList;

/// [`find`](super::changes::find), at a level.
#[inline]
pub(super) fn find(
    level: Level,
    scope: &Scope,
    placements: [&PieceCodes; 2],
    changes: &mut ThreatChanges,
) {
    dispatch!(level, find(scope, placements, changes));
}

/// [`list_rows`](super::list_rows), at a level.
#[inline]
pub(super) fn list_rows(
    level: Level,
    tables: &Threats,
    view: View,
    first_row: u32,
    threats: &[Threat],
    list: &mut RowList<'_>,
) {
    dispatch!(level, list_rows(tables, view, first_row, threats, list));
}

macro_rules! of_levels {
    ($(
        $kind:ident $module:ident target_arch[$($arch:literal)?] features[$($feature:literal),*]
        $facts:tt
    )+) => {
        $(
            #[cfg(all($(target_arch = $arch)?))]
            mod $module {
                use nnue_format::Threats;

                use super::super::View;
                use super::super::changes::{self, Scope, Threat, ThreatChanges};
                use crate::placement::PieceCodes;
                use crate::rows::RowList;
                use crate::simd::$module as simd;

                $(#[target_feature(enable = $feature)])*
                pub(super) fn find(
                    scope: &Scope,
                    placements: [&PieceCodes; 2],
                    changes: &mut ThreatChanges,
                ) {
                    // Not by `map`, which would call it: it has not the features of the level.
                    let [before, after] = placements;
                    let planes = [
                        simd::bit_planes(before.bytes()),
                        simd::bit_planes(after.bytes()),
                    ];
                    changes::find(scope, placements, planes, changes);
                }

                $(#[target_feature(enable = $feature)])*
                pub(super) fn list_rows(
                    tables: &Threats,
                    view: View,
                    first_row: u32,
                    threats: &[Threat],
                    list: &mut RowList<'_>,
                ) {
                    super::super::list_rows(tables, view, first_row, threats, list);
                }
            }
        )+
    };
}
nnue_levels::levels!(of_levels);
