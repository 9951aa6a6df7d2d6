//! Changes of moves besides the pieces on single squares: attacks between pieces, and pawns.

/// The most attacks at once: eight by a piece on each square.
const MOST: usize = 64 * 8;

/// The most attacks that are listed at once: an attack in each of eight directions.
const AT_ONCE: usize = 8;

/// A list of attacks: the square of the attacker and that of the victim, from a1 to h8.
#[derive(Clone)]
pub(crate) struct Attacks {
    /// Attacks that are listed at once are written as a whole and counted afterwards, so there is
    /// room for more than [`MOST`].
    squares: [[u8; 2]; MOST + AT_ONCE],
    len: usize,
}

impl Attacks {
    const NONE: Attacks = Attacks {
        squares: [[0; 2]; MOST + AT_ONCE],
        len: 0,
    };

    #[inline]
    pub(in crate::features) fn as_slice(&self) -> &[[u8; 2]] {
        &self.squares[..self.len.min(MOST)]
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// The memory behind the list, for the attacks that are listed next.
    #[inline(always)]
    pub(super) fn room(&mut self) -> &mut [[u8; 2]; AT_ONCE] {
        let (_, room) = self.squares.split_at_mut(self.len.min(MOST));
        room.first_chunk_mut()
            .expect("no list is longer than the most")
    }

    /// Appends the attacks that were written to [`room`](Self::room).
    #[inline(always)]
    pub(super) fn grow(&mut self, written: usize) {
        self.len += written;
    }
}

/// The differences of two placements besides the pieces on single squares.
#[derive(Clone)]
pub(crate) struct BoardChanges {
    /// The attacks that there are only after the moves.
    pub(in crate::features) added: Attacks,
    /// The attacks that there were only before them.
    pub(super) removed: Attacks,
    /// White's pawns and black's, before and after.
    pub(in crate::features) pawns: [[u64; 2]; 2],
    /// White's pieces and black's that are [threatened](super::threatened), before and after.
    pub(in crate::features) threatened: [[u64; 2]; 2],
}

impl BoardChanges {
    pub(crate) const NONE: BoardChanges = BoardChanges {
        added: Attacks::NONE,
        removed: Attacks::NONE,
        pawns: [[0; 2]; 2],
        threatened: [[0; 2]; 2],
    };
}
