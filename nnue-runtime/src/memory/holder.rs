//! A value where its owner keeps it: on the heap, in the program, or in a map.

#[cfg(feature = "shared")]
use alloc::sync::Arc;
use core::ops::Deref;
use core::ptr::NonNull;

use super::{Plain, Storage, allocate, bytes, bytes_mut, free};

/// A value that is too large to be moved, and the owner of its memory.
// INVARIANT: `value` points to a valid `T` that lives, and does not move, as long as `owner` does.
// Nobody writes to it, except through `&mut Holder` where the owner is the heap.
pub struct Holder<T: Plain> {
    value: NonNull<T>,
    owner: Owner,
}

enum Owner {
    /// The heap: `value` was allocated by `allocate::<T>`.
    Heap,
    /// The program.
    Static,
    /// A map, which ends with its last user.
    #[cfg(feature = "shared")]
    Mapped(Arc<Map>),
}

/// A map, and the segment that it shows, if it shows a segment.
#[cfg(feature = "shared")]
pub(crate) struct Map {
    pub(crate) mapping: nnue_memory::Mapping,
    /// Other processes find the segment as long as it is held.
    pub(crate) segment: Option<nnue_memory::Segment>,
}

// SAFETY: a `Plain` value is numbers, which belong to no thread; they are read through `&Holder` and
// written through `&mut Holder`, as if it were a `Box`.
unsafe impl<T: Plain> Send for Holder<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for Holder<T> {}

impl<T: Plain> Holder<T> {
    /// A value of zeros, on the heap.
    #[must_use]
    pub fn zeroed() -> Holder<T> {
        Holder {
            value: allocate::<T>(),
            owner: Owner::Heap,
        }
    }

    /// A copy of a value, on the heap.
    pub(crate) fn copy_of(value: &T) -> Holder<T> {
        // `Box::new` would put the value on the stack first.
        let mut copy = Holder::<T>::zeroed();
        bytes_mut(copy.to_mut()).copy_from_slice(bytes(value));
        copy
    }

    /// A value of the program.
    pub(crate) fn of_static(value: &'static T) -> Holder<T> {
        Holder {
            value: NonNull::from(value),
            owner: Owner::Static,
        }
    }

    /// The value at the start of a map. `None` if the map is too short or starts elsewhere than at
    /// a multiple of the type's alignment.
    #[cfg(feature = "shared")]
    pub(crate) fn of_map(mapped: Arc<Map>) -> Option<Holder<T>> {
        let memory: &[u8] = &mapped.mapping;
        let value = NonNull::from(memory).cast::<T>();
        let fits = memory.len() >= size_of::<T>() && value.is_aligned();
        // The bytes are a `T`, because every pattern is one; the map does not move when the `Arc`
        // does, and nobody writes to it.
        fits.then_some(Holder {
            value,
            owner: Owner::Mapped(mapped),
        })
    }

    /// Whether the value is on the heap, and thus nobody else's.
    pub(crate) fn is_owned(&self) -> bool {
        matches!(self.owner, Owner::Heap)
    }

    /// Where the value is.
    pub(crate) fn storage(&self) -> Storage {
        match &self.owner {
            Owner::Heap => Storage::Heap,
            Owner::Static => Storage::Program,
            #[cfg(feature = "shared")]
            Owner::Mapped(mapped) => match &mapped.segment {
                Some(segment) => Storage::Shared {
                    is_first: segment.is_first(),
                },
                None => Storage::Mapped,
            },
        }
    }

    /// The value to be changed, after it was copied to the heap if it was not there.
    pub fn to_mut(&mut self) -> &mut T {
        if !self.is_owned() {
            *self = Holder::copy_of(self);
        }
        // SAFETY: the invariant: the owner is the heap. The borrow of it is exclusive.
        unsafe { self.value.as_mut() }
    }
}

/// A value on the heap is copied; one in the program or in a map is shared.
impl<T: Plain> Clone for Holder<T> {
    fn clone(&self) -> Holder<T> {
        let owner = match &self.owner {
            Owner::Heap => return Holder::copy_of(self),
            Owner::Static => Owner::Static,
            #[cfg(feature = "shared")]
            Owner::Mapped(mapped) => Owner::Mapped(Arc::clone(mapped)),
        };
        Holder {
            value: self.value,
            owner,
        }
    }
}

impl<T: Plain> Deref for Holder<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the invariant; what is borrowed keeps the owner from being dropped or borrowed
        // exclusively.
        unsafe { self.value.as_ref() }
    }
}

impl<T: Plain> Drop for Holder<T> {
    fn drop(&mut self) {
        if let Owner::Heap = self.owner {
            // SAFETY: the memory is from `allocate::<T>`, nobody else owns it, and it is not used
            // after this.
            unsafe { free(self.value) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_on_the_heap_are_changed_in_place() {
        static NUMBERS: [u32; 64] = [7; 64];
        let is_in_program = |held: &Holder<_>| core::ptr::eq(&raw const **held, &raw const NUMBERS);
        let mut fixed = Holder::of_static(&NUMBERS);
        let again = fixed.clone();
        assert!(is_in_program(&fixed) && is_in_program(&again) && !fixed.is_owned());

        fixed.to_mut()[3] = 8;
        assert!(fixed.is_owned() && !is_in_program(&fixed));
        assert_eq!(fixed[2..5], [7, 8, 7]);
        assert_eq!((again[3], NUMBERS[3]), (7, 7));

        let mut copy = fixed.clone();
        copy.to_mut()[3] = 9;
        assert_eq!((copy[3], fixed[3]), (9, 8));
    }

    #[cfg(all(feature = "std", target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn large_values_start_at_a_huge_page() {
        use crate::memory::pages::HUGE_PAGE;

        let mut large = Holder::<[[u64; 1024]; 512]>::zeroed();
        assert_eq!((&raw const *large).addr() % HUGE_PAGE, 0);
        large.to_mut()[511][1023] = 1;
        assert_eq!(large.clone()[511][1022..], [0, 1]);
    }
}
