//! Values that have a name in specs.

/// The names that a key accepts, with the value that each stands for.
pub trait Named: Copy + 'static {
    /// Every name, in the order in which messages list them.
    const NAMES: &'static [(&'static str, Self)];
}

/// Declares an enum together with the names that stand for its variants in a spec.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $crate::spec::named::Named for $name {
            const NAMES: &'static [(&'static str, $name)] = &[$(($text, $name::$variant),)*];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $($name::$variant => $text,)* })
            }
        }
    };
}

pub(crate) use named;
