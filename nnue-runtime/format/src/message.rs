//! Errors whose `Debug` is the same as their message.

/// Implements `Debug` for types of errors as their `Display`, because a `main` that returns an
/// error prints it with `Debug`, and so do `unwrap` and `expect`.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_is_message {
    ($($error:ty),+) => {$(
        impl ::core::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(self, f)
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use crate::LoadError;

    #[test]
    fn errors_are_debugged_as_their_message() {
        let error = LoadError::TooLong { limit: 5 };
        let message = format!("{error}");
        assert!(message.contains("5 bytes"), "{message}");
        assert_eq!(format!("{error:?}"), message);
        assert_eq!(format!("{error:#?}"), message);
    }
}
