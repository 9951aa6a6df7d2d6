//! The layers' inputs while the transformer writes them: vector after vector, into memory that need
//! not be cleared first.

use core::mem::MaybeUninit;

/// Memory for `BLOCKS` blocks of four inputs.
///
/// Clearing them before they are written would cost as much as writing them, and a call of
/// `memset`.
#[repr(C, align(64))]
pub struct Inputs<const BLOCKS: usize>([MaybeUninit<[u8; 4]>; BLOCKS]);

/// Writes [`Inputs`] from the first to the last.
///
/// The writer is apart from the memory, so that how much is written stays in a register, where the
/// optimiser can follow it.
pub struct InputWriter<'a, const BLOCKS: usize> {
    blocks: &'a mut [MaybeUninit<[u8; 4]>; BLOCKS],
    // INVARIANT: at most `4 * BLOCKS`; this number of bytes from the front is initialised.
    written: usize,
}

impl<const BLOCKS: usize> Inputs<BLOCKS> {
    /// Memory into which no input has been written yet.
    #[inline(always)]
    #[must_use]
    #[expect(
        clippy::new_without_default,
        reason = "inputs live in kernels; nothing is generic over them"
    )]
    pub const fn new() -> Self {
        Self([MaybeUninit::uninit(); BLOCKS])
    }

    /// Starts to write at the first input.
    #[inline(always)]
    #[must_use]
    pub const fn writer(&mut self) -> InputWriter<'_, BLOCKS> {
        InputWriter {
            blocks: &mut self.0,
            written: 0,
        }
    }
}

impl<'a, const BLOCKS: usize> InputWriter<'a, BLOCKS> {
    /// Appends a vector of inputs.
    ///
    /// Panics if there is no room left. Constant bounds of the caller's loop make that vanish.
    #[inline(always)]
    pub fn push<const N: usize>(&mut self, inputs: [u8; N]) {
        assert!(
            N <= 4 * BLOCKS && self.written <= 4 * BLOCKS - N,
            "more inputs than blocks"
        );
        let start = self.blocks.as_mut_ptr().cast::<u8>();
        // SAFETY: `N` bytes from `written` on are within the blocks, as was just checked without
        // overflow, for the blocks are in memory; unaligned writes are allowed.
        unsafe {
            start
                .add(self.written)
                .cast::<[u8; N]>()
                .write_unaligned(inputs)
        };
        self.written += N;
    }

    /// All inputs as an array.
    ///
    /// Panics unless all have been written. Constant bounds of the loops that wrote them make that
    /// vanish.
    #[inline(always)]
    #[must_use]
    pub fn finish(self) -> &'a [[u8; 4]; BLOCKS] {
        assert!(
            self.written == 4 * BLOCKS,
            "some inputs have not been written"
        );
        // SAFETY: all bytes are initialised, as was just checked, and `MaybeUninit` changes no
        // layout. The blocks are borrowed exclusively for `'a`, and the writer that could change
        // them is gone.
        unsafe { &*self.blocks.as_ptr().cast() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_come_back_in_the_order_they_were_written() {
        let mut inputs = Inputs::<3>::new();
        let mut writer = inputs.writer();
        writer.push([1, 2, 3, 4, 5, 6, 7, 8]);
        writer.push([9, 10, 11, 12]);
        assert_eq!(
            writer.finish(),
            &[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
        );
    }

    #[test]
    #[should_panic(expected = "have not been written")]
    fn unwritten_inputs_are_not_read() {
        let mut inputs = Inputs::<3>::new();
        let mut writer = inputs.writer();
        writer.push([1; 8]);
        let _ = writer.finish();
    }

    #[test]
    #[should_panic(expected = "have not been written")]
    fn not_even_the_last_byte_may_be_missing() {
        let mut inputs = Inputs::<3>::new();
        let mut writer = inputs.writer();
        writer.push([1; 11]);
        let _ = writer.finish();
    }

    #[test]
    #[should_panic(expected = "more inputs than blocks")]
    fn no_input_is_written_beyond_the_last_block() {
        let mut inputs = Inputs::<3>::new();
        let mut writer = inputs.writer();
        writer.push([1; 8]);
        writer.push([1; 5]);
    }

    #[test]
    #[should_panic(expected = "more inputs than blocks")]
    fn vectors_longer_than_all_blocks_are_refused() {
        Inputs::<3>::new().writer().push([1; 13]);
    }
}
