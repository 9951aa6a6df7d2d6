//! The list of the blocks of four inputs that are not all zero: a sparse layer walks this list
//! instead of all its inputs. `append_nonzero` of each level fills it.

use core::mem::MaybeUninit;
use core::slice;

/// How many indices one `append_nonzero` may write beyond the end of the list: as many as it looks
/// at, because it writes whole vectors and counts afterwards.
pub(super) const ROOM: usize = 32;

/// A block of four inputs of a layer that has `BLOCKS` of them.
// INVARIANT: the index is less than `BLOCKS`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Block<const BLOCKS: usize>(u16);

impl<const BLOCKS: usize> Block<BLOCKS> {
    /// The position of the block, less than `BLOCKS`.
    #[inline(always)]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The entry for this block in a table that has one for each, without a bounds check.
    #[inline(always)]
    #[must_use]
    pub fn of<T>(self, table: &[T; BLOCKS]) -> &T {
        // SAFETY: the index is less than `BLOCKS`, the length of the table.
        unsafe { table.get_unchecked(self.index()) }
    }
}

/// A list of [`Block`]s. `CAP` is at least `BLOCKS + 32`, which leaves room for the garbage that
/// the last vector writes; `BLOCKS` is at most 65536.
///
/// Every block is to be appended at most once. If some are appended more often, so that the list is
/// full, later ones replace earlier ones.
pub struct NonZero<const BLOCKS: usize, const CAP: usize> {
    // Not initialised at first: clearing it would cost as much as filling it.
    indices: [MaybeUninit<u16>; CAP],
    // INVARIANT: at most `CAP`; this number of indices from the front are initialised and less than
    // `BLOCKS`.
    count: usize,
}

impl<const BLOCKS: usize, const CAP: usize> NonZero<BLOCKS, CAP> {
    /// A list without entries, whose memory is not initialised.
    ///
    /// Compiles only with a capacity that leaves room, and with blocks whose indices fit in 16
    /// bits:
    ///
    /// ```
    /// use nnue_runtime::__private::simd::NonZero;
    ///
    /// let list = NonZero::<8, 40>::new();
    /// let longest = NonZero::<65536, 65568>::new();
    /// ```
    /// ```compile_fail
    /// # use nnue_runtime::__private::simd::NonZero;
    /// let list = NonZero::<8, 39>::new();
    /// ```
    /// ```compile_fail
    /// # use nnue_runtime::__private::simd::NonZero;
    /// let list = NonZero::<65537, 65569>::new();
    /// ```
    #[inline(always)]
    #[must_use]
    #[expect(
        clippy::new_without_default,
        reason = "lists live in kernels; nothing is generic over them"
    )]
    pub const fn new() -> Self {
        const {
            assert!(BLOCKS <= 1 << u16::BITS, "indices of blocks have 16 bits");
            assert!(
                CAP >= BLOCKS + ROOM,
                "the capacity leaves no room for the last vector"
            );
        }
        Self {
            indices: [MaybeUninit::uninit(); CAP],
            count: 0,
        }
    }

    /// The blocks appended so far in groups of `N`, at most 32, and the blocks that are left. A
    /// loop over the latter would end at another number of blocks each time, which no branch
    /// predictor foresees.
    #[inline(always)]
    #[must_use]
    pub fn groups<const N: usize>(&mut self) -> (&[[Block<BLOCKS>; N]], Rest<'_, BLOCKS, N>) {
        const { assert!(0 < N && N <= ROOM && BLOCKS > 0, "groups of 1 to 32 blocks") };
        let count = self.end();
        for index in &mut self.room()[..N] {
            index.write(0);
        }
        let whole = count / N;
        // SAFETY: `count` is at most `CAP - ROOM`, so whole groups and one more are in the array.
        // The first `count` indices are initialised and less than `BLOCKS`, and so are the `N` that
        // were just written behind them. A `Block` is a `u16` that is less than `BLOCKS`.
        let groups: &[[Block<BLOCKS>; N]] =
            unsafe { slice::from_raw_parts(self.indices.as_ptr().cast(), whole + 1) };
        let rest = Rest {
            blocks: &groups[whole],
            len: count % N,
        };
        (&groups[..whole], rest)
    }

    /// The blocks appended so far.
    #[inline(always)]
    #[must_use]
    pub const fn as_slice(&self) -> &[Block<BLOCKS>] {
        // SAFETY: `count` is at most `CAP`, the first `count` indices are initialised and less than
        // `BLOCKS`, and a `Block` is a `u16` that is less than `BLOCKS`.
        unsafe { slice::from_raw_parts(self.indices.as_ptr().cast(), self.count) }
    }

    /// Panics unless `lanes` blocks from `first_block` on are blocks of this layer. Constant bounds
    /// of the caller's loop make it vanish.
    #[inline(always)]
    pub(super) const fn assert_blocks(first_block: usize, lanes: usize) {
        assert!(
            lanes <= BLOCKS && first_block <= BLOCKS - lanes,
            "blocks beyond the last input"
        );
    }

    /// Where the next indices go.
    #[inline(always)]
    pub(super) fn room(&mut self) -> &mut [MaybeUninit<u16>; ROOM] {
        let end = self.end();
        // SAFETY: `end` is at most `CAP - ROOM`, so `ROOM` elements from there on are in the array.
        unsafe { &mut *self.indices.as_mut_ptr().add(end).cast() }
    }

    /// Takes the first `added` indices of [`room`](Self::room) into the list.
    ///
    /// # Safety
    ///
    /// `added` is at most [`ROOM`], and `added` indices have been written to the front of `room()`
    /// since the last call, each less than `BLOCKS`.
    #[inline(always)]
    pub(super) unsafe fn grow(&mut self, added: usize) {
        // The invariant holds again: what is before `end` was in the list, what follows was
        // written.
        self.count = self.end() + added;
    }

    /// The end of the list, or the last place from which a whole vector can be written: a minimum
    /// costs less than the branch and the panic that a check would be.
    #[inline(always)]
    fn end(&self) -> usize {
        // `new` has checked that this does not underflow.
        self.count.min(CAP - ROOM)
    }
}

/// Fewer than `N` blocks, and others in the places that are left.
pub struct Rest<'a, const BLOCKS: usize, const N: usize> {
    blocks: &'a [Block<BLOCKS>; N],
    len: usize,
}

impl<const BLOCKS: usize, const N: usize> Rest<'_, BLOCKS, N> {
    /// The inputs of the block in a place; zeros in those that are left.
    #[inline(always)]
    #[must_use]
    pub fn inputs(&self, place: usize, inputs: &[[u8; 4]; BLOCKS]) -> [u8; 4] {
        let keep = u32::from(place < self.len).wrapping_neg();
        (u32::from_ne_bytes(*self.blocks[place].of(inputs)) & keep).to_ne_bytes()
    }

    /// The block in a place: any block in those that are left.
    #[inline(always)]
    #[must_use]
    pub fn block(&self, place: usize) -> Block<BLOCKS> {
        self.blocks[place]
    }
}

/// The positions of the bits that are set in each byte, ascending, then zeros: compression of eight
/// lanes for instruction sets that have no instruction for it. 4 KiB.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128"),
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
pub(super) static SET_BITS: [[u16; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if (byte >> bit) & 1 == 1 {
                table[byte][found] = bit;
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::simd::scalar;

    fn indices<const BLOCKS: usize, const CAP: usize>(list: &NonZero<BLOCKS, CAP>) -> Vec<usize> {
        list.as_slice().iter().map(|block| block.index()).collect()
    }

    #[test]
    fn blocks_look_up_their_own_entry() {
        let mut list = NonZero::<8, 40>::new();
        let mut packed = [0; 16];
        (packed[3], packed[8]) = (1, 0x80);
        scalar::append_nonzero(&mut list, 4, [packed]);
        assert_eq!(indices(&list), [4, 6]);
        let table = ["a", "b", "c", "d", "e", "f", "g", "h"];
        assert!(
            list.as_slice()
                .iter()
                .map(|block| *block.of(&table))
                .eq(["e", "g"])
        );
    }

    #[test]
    fn groups_hold_all_blocks_and_zeros() {
        let inputs: [[u8; 4]; 16] = core::array::from_fn(|block| [1 + block as u8; 4]);
        for count in 0..=12 {
            let mut list = NonZero::<16, 48>::new();
            for block in 0..count {
                let mut packed = [0; 16];
                packed[4 * (block % 4)] = 1;
                scalar::append_nonzero(&mut list, block / 4 * 4, [packed]);
            }
            let (groups, rest) = list.groups::<5>();
            let of_groups = groups.as_flattened().iter();
            let mut found: Vec<_> = of_groups.map(|block| *block.of(&inputs)).collect();
            found.extend((0..5).map(|place| rest.inputs(place, &inputs)));
            let expected = (0..count).map(|block| inputs[block]);
            let zeros = [[0; 4]; 5].into_iter().take(5 - count % 5);
            assert_eq!(found, expected.chain(zeros).collect::<Vec<_>>());
            for place in 0..count % 5 {
                assert_eq!(rest.block(place).index(), count - count % 5 + place);
            }
        }
    }

    #[test]
    fn an_overfull_list_stays_in_its_memory() {
        let mut list = NonZero::<4, 36>::new();
        for _ in 0..100 {
            scalar::append_nonzero(&mut list, 0, [[1; 16]]);
        }
        let indices = indices(&list);
        assert!(
            indices.len() <= 36 && indices.iter().all(|&index| index < 4),
            "{indices:?}"
        );
    }

    #[test]
    #[should_panic(expected = "blocks beyond the last input")]
    fn blocks_that_do_not_exist_are_refused() {
        scalar::append_nonzero(&mut NonZero::<7, 39>::new(), 4, [[1; 16]]);
    }

    #[test]
    #[should_panic(expected = "blocks beyond the last input")]
    fn the_check_does_not_overflow() {
        scalar::append_nonzero(&mut NonZero::<8, 40>::new(), usize::MAX - 2, [[1; 16]]);
    }
}
