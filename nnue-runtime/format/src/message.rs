//! Errors whose `Debug` is their message.

/// Implements `Debug` for types of errors as their `Display`: a `main` that returns an error prints
/// it with `Debug`, and so do `unwrap` and `expect`.
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
        let error = crate::split(&crate::FileLayout::EMPTY, b"no net").unwrap_err();
        assert!(matches!(error, LoadError::Version(_)), "{error}");
        assert_eq!(format!("{error:?}"), format!("{error}"));
        assert_eq!(format!("{error:#?}"), format!("{error}"));
        assert!(!format!("{error:?}").contains("Version("));
    }
}
