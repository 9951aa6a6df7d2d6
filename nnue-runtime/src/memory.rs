//! Weights as plain memory: allocated as zeros on the heap, filled field by field or byte by byte,
//! read back as bytes. A network is megabytes large, so no value of its type may ever pass through
//! the stack.

mod holder;
mod pages;

use alloc::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use core::ptr::NonNull;
use core::{fmt, slice};

pub use self::holder::Holder;
#[cfg(feature = "shared")]
pub(crate) use self::holder::Map;
use crate::buffer::Aligned;

/// Where the weights of a network live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Storage {
    /// The weights are on the heap of this process, which owns them.
    Heap,
    /// The weights are part of the program, in which they were embedded.
    Program,
    /// The weights are in a file that is mapped.
    Mapped,
    /// The weights are in memory that processes share.
    Shared {
        /// Whether this process loaded the weights.
        is_first: bool,
    },
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Storage::Heap => "on the heap",
            Storage::Program => "in the program",
            Storage::Mapped => "in a file that is mapped",
            Storage::Shared { is_first: true } => {
                "in memory that processes share, loaded by this one"
            }
            Storage::Shared { is_first: false } => {
                "in memory that processes share, loaded by another one"
            }
        })
    }
}

/// A type that is nothing but its bytes.
///
/// # Safety
///
/// Every pattern of `size_of::<Self>()` bytes is a valid value; there is no padding, so that every
/// byte of a value is always initialised; there are no pointers, no interior mutability and no
/// `Drop`.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain_numbers {
    ($($number:ty),*) => { $(
        // SAFETY: a primitive number has no padding and no invalid patterns.
        unsafe impl Plain for $number {}
    )* };
}
plain_numbers!(i8, u8, i16, u16, i32, u32, i64, u64, f32);

// SAFETY: an array is its elements one after the other, with nothing between or behind them.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Makes a struct [`Plain`]: `plain!(Name { all, its, fields })`.
///
/// The call does not compile if a field is missing or not `Plain`, or if the compiler inserts
/// padding between the fields; the generator adds fields of its own where needed, for padding is
/// memory that [`bytes`] must not show.
///
/// The macro is safe for every caller and every definition of the struct. The checks take a value
/// of the struct apart, so they see the fields that the struct has after all attributes and macros
/// around it have done their work.
#[doc(hidden)]
#[macro_export]
macro_rules! __plain {
    ($name:ident { $($field:ident),* $(,)? }) => {
        // SAFETY: the pattern below names all fields of the struct, or it does not compile. All are
        // `Plain`, for `size_of_field` takes no others, and their sizes add up to the whole, so
        // there is no padding: both are checked before any code that uses this implementation can
        // run.
        unsafe impl $crate::__private::memory::Plain for $name {}

        impl $crate::__private::core::marker::Copy for $name {}

        // As `derive` would write it: lints do not ask for the attribute, which could not stand
        // here.
        #[automatically_derived]
        impl $crate::__private::core::clone::Clone for $name {
            fn clone(&self) -> Self {
                *self
            }
        }

        #[allow(
            clippy::redundant_pattern,
            reason = "with `@` a name is a variable, also where a constant has it"
        )]
        const _: () = {
            const _ALL_FIELDS: fn(&$name) = |it| {
                let $name { $($field: _),* } = it;
            };
            $crate::__private::core::assert!(
                $crate::__private::core::mem::size_of::<$name>()
                    == 0 $(+ $crate::__private::memory::size_of_field(|it: &$name| {
                        let $name { $field: field @ _, .. } = it;
                        field
                    }))*,
                "the fields leave padding: add explicit fields for it",
            );
        };
    };
}

/// Confirms while compiling that a struct of weights starts on a cache line, has the size and has
/// its fields at the offsets that the generator computed:
/// `assert_layout!(Name: 128 bytes { first: 0, second: 64 })`.
#[doc(hidden)]
#[macro_export]
macro_rules! __assert_layout {
    ($name:ident: $size:literal bytes { $($field:ident: $offset:literal),* $(,)? }) => {
        $crate::__private::memory::assert_layout::<$name>(
            $size,
            &[$(($crate::__private::core::mem::offset_of!($name, $field), $offset)),*],
        )
    };
}

/// `assert_layout!` calls it with pairs of the offsets that were found and those computed.
#[doc(hidden)]
pub const fn assert_layout<T: Plain>(size: usize, offsets: &[(usize, usize)]) {
    assert!(size_of::<T>() == size, "a struct of another size");
    assert!(align_of::<T>() == 64, "a struct that starts elsewhere");
    let mut index = 0;
    while index < offsets.len() {
        let (found, computed) = offsets[index];
        assert!(found == computed, "a field at another offset");
        index += 1;
    }
}

/// The size of the field that a function shows. There is no such function for fields that are not
/// [`Plain`].
#[doc(hidden)]
#[must_use]
pub const fn size_of_field<S, T: Plain>(_field: fn(&S) -> &T) -> usize {
    size_of::<T>()
}

/// Memory for a `T`, all zeros. [`free`] gives it back.
///
/// Aborts like any other allocation if there is no memory.
fn allocate<T: Plain>() -> NonNull<T> {
    let layout = const { layout_on_the_heap::<T>() };
    // SAFETY: the layout's size is not zero.
    let memory = unsafe { alloc(layout) };
    let Some(value) = NonNull::new(memory.cast::<T>()) else {
        handle_alloc_error(layout);
    };
    // This comes before the memory is first touched, because pages are made then. `alloc_zeroed`
    // would touch it: for the alignment of weights, std's allocator on Unix clears memory by
    // writing to it.
    pages::ask_for_huge_pages(memory..memory.wrapping_add(layout.size()));
    // SAFETY: the memory has the layout's size, and bytes need no alignment. Zeros are a valid `T`
    // because every pattern is.
    unsafe { memory.write_bytes(0, layout.size()) };
    value
}

/// Gives back memory of [`allocate`].
///
/// # Safety
///
/// The memory comes from `allocate::<T>`, and nobody uses it any more.
unsafe fn free<T: Plain>(value: NonNull<T>) {
    // SAFETY: the caller's promise; the layout is that of `allocate`.
    unsafe { dealloc(value.as_ptr().cast(), layout_on_the_heap::<T>()) };
}

/// The size and the alignment of a `T` on the heap.
const fn layout_on_the_heap<T: Plain>() -> Layout {
    let (size, align) = (size_of::<T>(), pages::alignment::<T>());
    assert!(size > 0, "empty memory cannot be allocated");
    match Layout::from_size_align(size, align) {
        Ok(layout) => layout,
        Err(_) => panic!("a type that is larger than memory"),
    }
}

/// The bytes of a value, in memory order.
#[must_use]
pub fn bytes<T: Plain>(value: &T) -> &[u8] {
    // SAFETY: all `size_of::<T>()` bytes behind the reference are initialised (`Plain` has no
    // padding) and cannot change while it is borrowed (no interior mutability).
    unsafe { slice::from_raw_parts((&raw const *value).cast(), size_of::<T>()) }
}

/// The bytes of a value, in memory order, to be overwritten.
#[must_use]
pub fn bytes_mut<T: Plain>(value: &mut T) -> &mut [u8] {
    // SAFETY: as in `bytes`; the borrow is exclusive, and whatever is written is a valid `T`.
    unsafe { slice::from_raw_parts_mut((&raw mut *value).cast(), size_of::<T>()) }
}

/// A value that lies in bytes of the program.
///
/// # Panics
///
/// While compiling, if the bytes are more or fewer, or do not start where such a value does.
#[doc(hidden)]
#[must_use]
pub const fn of_bytes<T: Plain, const N: usize>(bytes: &'static Aligned<[u8; N]>) -> &'static T {
    const {
        assert!(N == size_of::<T>(), "bytes of another size");
        assert!(align_of::<Aligned<[u8; N]>>().is_multiple_of(align_of::<T>()));
    }
    // SAFETY: the bytes are as many as a `T` has, start at a multiple of its alignment, and are a
    // valid one because every pattern is. The reference keeps anybody from writing to them.
    unsafe { &*(&raw const bytes.0).cast::<T>() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights as the compiler lays them out, with its own padding.
    #[repr(C, align(64))]
    struct Weights {
        rows: [[i16; 32]; 3],
        biases: [i32; 8],
        scale: f32,
        padding: [u8; 28],
    }
    crate::__private::plain!(Weights {
        rows,
        biases,
        scale,
        padding,
    });

    #[test]
    fn memory_starts_as_aligned_zeros() {
        let weights = Holder::<Weights>::zeroed();
        assert_eq!((&raw const *weights).addr() % 64, 0);
        assert_eq!(bytes(&*weights), [0; 256]);
        assert_eq!(weights.padding, [0; 28]);
    }

    #[test]
    fn bytes_are_the_fields_in_order() {
        let mut held = Holder::<Weights>::zeroed();
        let weights = held.to_mut();
        weights.rows[2][31] = 0x1234;
        weights.biases[0] = -2;
        weights.scale = 1.0;
        let bytes = bytes(weights);
        assert_eq!(bytes[190..192], 0x1234_i16.to_ne_bytes());
        assert_eq!(bytes[192..196], (-2_i32).to_ne_bytes());
        assert_eq!(bytes[224..228], 1.0_f32.to_ne_bytes());
    }

    #[test]
    fn written_bytes_arrive_in_the_fields() {
        let mut held = Holder::<Weights>::zeroed();
        let weights = held.to_mut();
        bytes_mut(&mut weights.rows[1])[..2].fill(0xFF);
        bytes_mut(&mut weights.rows[1])[2..4].copy_from_slice(&i16::MIN.to_ne_bytes());
        assert_eq!(weights.rows[1][..3], [-1, i16::MIN, 0]);
        bytes_mut(weights).fill(0xFF);
        assert_eq!(weights.biases, [-1; 8]);
        assert!(weights.scale.is_nan());
    }

    #[test]
    fn memory_may_be_larger_than_the_stack() {
        let large = Holder::<[[i16; 1024]; 1 << 14]>::zeroed();
        assert_eq!(large[(1 << 14) - 1][1023], 0);
    }
}
