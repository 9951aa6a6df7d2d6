//! Lists and texts that are constants in generated code, and made at run time by tools.

use alloc::borrow::Cow;

/// A list that generated code has as a constant, and tools make at run time.
pub type List<T> = Cow<'static, [T]>;

/// A text that generated code has as a constant, and tools make at run time.
pub type Text = Cow<'static, str>;

/// Makes a [`List`] of constant items.
pub const fn list<T: Clone>(items: &'static [T]) -> List<T> {
    Cow::Borrowed(items)
}
