//! What is said of keys: the documentation of the fields that they are read into.

/// What is said of a key, besides the values that its decoder accepts.
#[derive(Debug, PartialEq)]
pub(crate) struct About {
    /// The documentation of the field, line by line: the key in backticks, a colon, a sentence.
    lines: &'static [&'static str],
    /// The smallest and the largest number, of a number or of those in a list.
    pub(crate) range: Option<(i64, i64)>,
    /// The value of an absent key, as JSON and TOML write it.
    pub(crate) default: Option<&'static str>,
}

impl About {
    pub(crate) const fn new(
        lines: &'static [&'static str],
        range: Option<(i64, i64)>,
        default: Option<&'static str>,
    ) -> About {
        About {
            lines,
            range,
            default,
        }
    }

    /// The key: of a table, the word in its header.
    pub(crate) fn key(&self) -> &'static str {
        let quoted = self.lines.first().and_then(|line| line.split('`').nth(1));
        let key = quoted.map_or("", |key| key.split(' ').next().unwrap_or(key));
        key.trim_matches(['[', ']'])
    }

    /// The sentence.
    pub(crate) fn sentence(&self) -> String {
        let text: Vec<&str> = self.lines.iter().map(|line| line.trim()).collect();
        let text = text.join(" ");
        let text = text
            .split_once(": ")
            .map_or(text.as_str(), |(_, said)| said);
        let mut letters = text.chars();
        let first = letters.next().map(char::to_uppercase);
        first.into_iter().flatten().chain(letters).collect()
    }
}

/// Declares a struct whose fields are keys, and what a schema says of them: `#[within(1..=8)]` is the
/// range of a number, `#[default(1)]` the value of an absent key. Or declares what is said of keys
/// that are read one by one.
macro_rules! documented {
    (
        $(#[$meta:meta])*
        $public:vis struct $name:ident {
            $(
                $(#[doc = $line:literal])*
                $(#[within($range:expr)])?
                $(#[default($default:literal)])?
                $seen:vis $field:ident: $type:ty,
            )*
        }
    ) => {
        $(#[$meta])*
        $public struct $name {
            $($(#[doc = $line])* $seen $field: $type,)*
        }

        impl $name {
            /// What is said of the keys.
            pub(crate) const ABOUT: &'static [$crate::spec::documented::About] =
                &[$($crate::spec::documented::About::new(
                    &[$($line),*],
                    $crate::spec::documented::documented!(@range $($range)?),
                    $crate::spec::documented::documented!(@default $($default)?),
                )),*];
        }
    };
    (
        const $name:ident {
            $(
                $(#[doc = $line:literal])*
                $(#[within($range:expr)])?
                $(#[default($default:literal)])?
                $key:ident,
            )*
        }
    ) => {
        const $name: &[$crate::spec::documented::About] =
            &[$($crate::spec::documented::About::new(
                &[$($line),*],
                $crate::spec::documented::documented!(@range $($range)?),
                $crate::spec::documented::documented!(@default $($default)?),
            )),*];
    };
    (@range) => { None };
    (@range $range:expr) => { Some((*$range.start() as i64, *$range.end() as i64)) };
    (@default) => { None };
    (@default $default:literal) => { Some(stringify!($default)) };
}

pub(crate) use documented;
