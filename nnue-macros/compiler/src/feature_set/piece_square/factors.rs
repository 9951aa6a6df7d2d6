//! Factorised sets. With virtual features, trainers learn the common part of several features. Each
//! real row is the sum of its own values and of the virtual rows that stand for a part of its
//! meaning.
//!
//! The loader knows which virtual rows belong to which real rows. This file knows which virtual
//! sets a set can have.

use nnue_format::Factors;

use super::{Keys, Mirror, Parameters, PieceOrder, Planes, SQUARES};
use crate::check::value::value_or;
use crate::diagnostics::{Diagnostics, Spanned, all};
use crate::spec::named::named;

named! {
    /// A set of virtual features. Each feature stands for what several real features have in
    /// common.
    VirtualSet {
        /// A piece on a square, kings included, in any bucket. A threatened piece is another
        /// feature.
        A = "A",
        /// A piece on a square, but no kings.
        P = "P",
        /// The own king's bucket.
        K = "K",
        /// A piece at a number of files and ranks from the own king.
        HalfRelativeKP = "HalfRelativeKP",
    }
}

named! {
    /// How the sum of a row and its virtual rows is rounded to integers.
    FactorRounding {
        /// The summands are added first, and their sum is rounded.
        Sum = "sum",
        /// Each summand is rounded before they are added.
        Each = "each",
    }
}

pub(super) fn check(
    keys: &Keys,
    parameters: &Parameters,
    diagnostics: &mut Diagnostics,
) -> Option<Option<Factors>> {
    let Some(factorised) = &keys.factorised else {
        let Some(rounding) = &keys.rounding else {
            return Some(None);
        };
        diagnostics
            .error(rounding.span, "`rounding` needs `factorised`")
            .help("say which virtual sets the file has: `factorised = [\"A\"]`");
        return None;
    };
    if let Some(order) = &keys.piece_order
        && order.value == PieceOrder::WhiteFirst
        && parameters.planes == Planes::MergedKings
    {
        let message = "virtual rows need to tell the kings apart, which share a plane";
        diagnostics
            .error(factorised.span, message)
            .related(
                order.span,
                "the own king has white's plane, whichever its colour",
            )
            .help(
                "`planes = 12` has one for each; or add the virtual rows when the net is exported",
            );
        return None;
    }
    if factorised.value.is_empty() {
        let message = "`factorised` is empty, expected at least one virtual set";
        diagnostics
            .error(factorised.span, message)
            .help("remove it if the file has no virtual rows");
        return None;
    }
    let sets = all(factorised.value.iter().enumerate().map(|(index, set)| {
        let above = &factorised.value[..index];
        if let Some(first) = above.iter().find(|first| first.value == set.value) {
            let message = format!("virtual set `{}` is listed twice", set.value);
            diagnostics
                .error(set.span, message)
                .related(first.span, "first here");
            return None;
        }
        check_set(set, parameters, diagnostics)?;
        Some(match set.value {
            VirtualSet::A | VirtualSet::P => nnue_format::VirtualSet::Pieces,
            VirtualSet::K => nnue_format::VirtualSet::King,
            VirtualSet::HalfRelativeKP => nnue_format::VirtualSet::RelativePieces,
        })
    }));
    Some(Some(Factors {
        set: parameters.tables(),
        sets: sets?.into(),
        round_each: value_or(&keys.rounding, FactorRounding::Sum) == FactorRounding::Each,
    }))
}

/// Reports a virtual set whose features do not follow from the set's own features.
fn check_set(
    set: &Spanned<VirtualSet>,
    parameters: &Parameters,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let kings = parameters.planes != Planes::NoKings;
    let (problem, help) = match set.value {
        VirtualSet::A if !kings => (
            "has kings, but the set has none",
            "the virtual set without kings is `P`",
        ),
        VirtualSet::P | VirtualSet::HalfRelativeKP if kings => (
            "has no kings, but the set has",
            "the virtual set with kings is `A`",
        ),
        VirtualSet::K if parameters.own_kings_buckets() == 1 => (
            "stands for the own king's bucket, but there is only one",
            "remove it, or give `king_buckets`",
        ),
        VirtualSet::A | VirtualSet::P if parameters.buckets() == 1 => (
            "is what buckets have in common, but there is only one",
            "remove it, or give `king_buckets`",
        ),
        VirtualSet::HalfRelativeKP
            if parameters.mirror != Mirror::None || parameters.own_kings_buckets() != SQUARES =>
        {
            (
                "needs the own king's square, but a bucket has several squares",
                "remove it, or give each square a bucket of its own",
            )
        }
        _ => return Some(()),
    };
    diagnostics
        .error(set.span, format!("virtual set `{}` {problem}", set.value))
        .help(help);
    None
}
