//! The specs of known networks, which other specs name to say only what differs from them.
//!
//! The folder `known` has links to the files in `specs`: a package of this crate gets the files
//! themselves.

/// A network whose spec is part of the compiler.
pub(crate) struct Known {
    /// What `like` calls it.
    pub(crate) name: &'static str,
    /// Its spec.
    pub(crate) text: &'static str,
}

macro_rules! known {
    ($($name:literal,)*) => {
        &[$(Known {
            name: $name,
            text: include_str!(concat!("../known/", $name, ".toml")),
        }),*]
    };
}

/// Whether this is the target of a link, which git writes into an ordinary file where it makes no
/// links: on Windows, unless it is told to.
const fn is_target_of_link(text: &str) -> bool {
    matches!(text.as_bytes(), [b'.', b'.', b'/', ..])
}

const _: () = {
    let mut rest = KNOWN;
    while let [known, others @ ..] = rest {
        assert!(
            !is_target_of_link(known.text),
            "git has made no links in nnue-macros/compiler/known: \
             set core.symlinks to true and check out anew"
        );
        rest = others;
    }
};

/// All of them, in the order in which errors list them.
pub(crate) const KNOWN: &[Known] = known![
    "sfnnv1", "sfnnv2", "sfnnv3", "sfnnv4", "sfnnv5", "sfnnv6", "sfnnv7", "sfnnv8", "sfnnv9",
    "sfnnv10", "sfnnv11", "sfnnv12", "sfnnv13", "sfnnv14", "sfnnv14b", "sfnnv15", "sfnnv16",
    "small128",
];

/// The specs that are part of the compiler, oldest first: the name that `like` has for each, and its
/// text.
pub fn known_specs() -> impl Iterator<Item = (&'static str, &'static str)> {
    KNOWN.iter().map(|known| (known.name, known.text))
}

#[cfg(test)]
mod tests {
    use super::is_target_of_link;

    #[test]
    fn targets_of_links_are_not_taken_for_specs() {
        assert!(is_target_of_link("../../../specs/sfnnv1.toml"));
        assert!(!is_target_of_link("name = \"SFNNv1\"\n"));
        assert!(!is_target_of_link(""));
    }
}
