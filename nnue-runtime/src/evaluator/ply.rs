//! The positions of a line.

use crate::architecture::Architecture;
use crate::delta::Delta;

/// Stands for no view.
pub(super) const NO_VIEW: u32 = u32::MAX;

/// A position of a line: the move that led there, and the computed parts. A ply is never in two
/// cache lines.
///
/// Callers in C write it, as `nnue_ply` of their header: the two words of the move, then the views as
/// one number with all bits set, and everything else as the number zero.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Ply {
    /// The move that led here from the ply before.
    pub(super) delta: Delta,
    /// Per perspective, the view with which the accumulator is computed; [`NO_VIEW`] if it is not
    /// computed. Accumulators with the same view have the same row for each piece. The number is
    /// that of the refresh cache or, where accumulators follow from moves, what
    /// [`moved_row`](crate::features::moved_row) asks for.
    pub(super) views: [u32; 2],
    /// Whether the placement after the move is computed. It never is for moves that are taken back
    /// before anyone evaluates.
    pub(super) placed: bool,
    /// Whether the next ply was computed without the accumulators of this ply.
    pub(super) skipped: bool,
    /// How many pieces there are, once that is `counted`.
    pub(super) pieces: u8,
    pub(super) counted: bool,
    rest: [u8; 4],
}

const _: () = assert!(size_of::<Ply>() == 32, "the fields fill all bytes");

impl Ply {
    /// The ply at which a line starts, with as many pieces.
    pub(super) const fn first(pieces: usize) -> Ply {
        Ply {
            placed: true,
            pieces: pieces as u8,
            counted: true,
            ..Ply::after(&Delta::null())
        }
    }

    /// Whether all accumulators are computed.
    #[inline]
    pub(super) fn is_computed<A: Architecture>(&self) -> bool {
        let mut perspectives = A::PERSPECTIVES.iter();
        perspectives.all(|perspective| self.views[perspective.index()] != NO_VIEW)
    }

    /// The ply after a move, with nothing computed yet.
    #[inline]
    #[must_use]
    pub const fn after(delta: &Delta) -> Ply {
        Ply {
            delta: *delta,
            views: [NO_VIEW; 2],
            placed: false,
            skipped: false,
            pieces: 0,
            counted: false,
            rest: [0; 4],
        }
    }
}
