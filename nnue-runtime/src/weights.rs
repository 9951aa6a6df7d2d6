//! The weights of a network and the order of their columns, wherever they live.

use alloc::borrow::Cow;

use nnue_format as file;

use crate::architecture::Architecture;
use crate::memory::{self, Holder, Storage};

/// The weights of a network at its level.
///
/// Levels differ in the order of some columns, which are all in the stacks. All levels share
/// weights that are not the network's own, except the stacks: a network whose level has another
/// order has its own.
pub(crate) struct Weights<A: Architecture> {
    /// All weights, with stacks whose columns have the order `packed`.
    whole: Holder<A::Weights>,
    /// The order of packed columns in `whole`, as
    /// [`Segment::packed`](nnue_format::Segment::packed) describes it.
    packed: Cow<'static, [usize]>,
    /// The stacks of the network's level, if `whole` has them for another.
    stacks: Option<Holder<A::Stacks>>,
}

impl<A: Architecture> Weights<A> {
    pub(crate) fn new(whole: Holder<A::Weights>, packed: Cow<'static, [usize]>) -> Weights<A> {
        Weights {
            whole,
            packed,
            stacks: None,
        }
    }

    /// All weights. The stacks may be those of another level.
    #[inline]
    pub(crate) fn whole(&self) -> &A::Weights {
        &self.whole
    }

    /// The stacks of the network's level.
    #[inline]
    pub(crate) fn stacks(&self) -> &A::Stacks {
        match &self.stacks {
            Some(stacks) => stacks,
            None => A::stacks(&self.whole),
        }
    }

    /// Where the weights are, except stacks that are the network's own.
    pub(crate) fn storage(&self) -> Storage {
        self.whole.storage()
    }

    /// The bytes of all weights, and the order of packed columns in them.
    pub(crate) fn laid_out(&self) -> (&[usize], &[u8]) {
        (&self.packed, memory::bytes(&*self.whole))
    }

    /// The same weights for a level with another order.
    pub(crate) fn with_packed(mut self, packed: &'static [usize]) -> Weights<A> {
        self.stacks = None;
        if are_alike(&self.packed, packed) {
            return self;
        }
        if self.whole.is_owned() {
            let bytes = memory::bytes_mut(self.whole.to_mut());
            file::relevel(A::FILE, bytes, 0, &self.packed, packed);
            self.packed = Cow::Borrowed(packed);
            return self;
        }
        let start = (&raw const *A::stacks(&self.whole)).addr() - (&raw const *self.whole).addr();
        let mut stacks = Holder::copy_of(A::stacks(&self.whole));
        let bytes = memory::bytes_mut(stacks.to_mut());
        file::relevel(A::FILE, bytes, start, &self.packed, packed);
        self.stacks = Some(stacks);
        self
    }

    /// A copy on the heap that is changed in one piece: a function gets its bytes and their order.
    pub(crate) fn changed(&self, change: impl FnOnce(&[usize], &mut [u8])) -> Weights<A> {
        let mut whole = Holder::copy_of(&*self.whole);
        change(&self.packed, memory::bytes_mut(whole.to_mut()));
        Weights::new(whole, self.packed.clone())
    }
}

/// Weights on the heap are copied, others are shared.
impl<A: Architecture> Clone for Weights<A> {
    fn clone(&self) -> Weights<A> {
        Weights {
            whole: self.whole.clone(),
            packed: self.packed.clone(),
            stacks: self.stacks.clone(),
        }
    }
}

/// Whether two orders of packed columns are the same. Orders that change nothing are, however many
/// groups they have.
fn are_alike(first: &[usize], second: &[usize]) -> bool {
    let changes_nothing = |order: &[usize]| order.iter().copied().eq(0..order.len());
    first == second || changes_nothing(first) && changes_nothing(second)
}
