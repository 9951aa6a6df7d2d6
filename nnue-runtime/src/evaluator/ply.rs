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
    /// How many pieces there are, once they are `counted`.
    pub(super) pieces: u8,
    /// Whether the pieces are counted, and the clock.
    pub(super) counted: bool,
    /// The half-move clock, once it is `counted`, in networks that see it.
    pub(super) clock: u8,
    rest: [u8; 3],
}

const _: () = assert!(size_of::<Ply>() == 32, "the fields fill all bytes");

impl Ply {
    /// The ply at which a line starts, with as many pieces and this half-move clock.
    pub(super) const fn first(pieces: usize, clock: u8) -> Ply {
        Ply {
            placed: true,
            pieces: pieces as u8,
            counted: true,
            clock,
            ..Ply::after(&Delta::null())
        }
    }

    /// Whether all accumulators are computed.
    #[inline]
    pub(super) fn is_computed<A: Architecture>(&self) -> bool {
        let mut perspectives = A::PERSPECTIVES.iter();
        perspectives.all(|perspective| self.views[perspective.index()] != NO_VIEW)
    }

    /// Gives a ply another half-move clock. Its accumulators had the rows of the clock before.
    pub(super) fn set_clock(&mut self, clock: u8) {
        if self.clock != clock {
            self.clock = clock;
            self.views = [NO_VIEW; 2];
        }
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
            clock: 0,
            rest: [0; 3],
        }
    }
}
