//! The specs of known networks. Other specs name such a network by `like` and say only what differs
//! from it.
//!
//! The folder `known` has links to the files in `specs`: a published package of this crate has the
//! files themselves.

/// A network whose spec is part of the compiler.
pub(crate) struct KnownSpec {
    /// The name that `like` has for the network.
    pub(crate) name: &'static str,
    /// The text of the network's spec.
    pub(crate) text: &'static str,
}

macro_rules! known {
    ($($name:literal,)*) => {
        &[$(KnownSpec {
            name: $name,
            text: include_str!(concat!("../known/", $name, ".toml")),
        }),*]
    };
}

/// Whether a text is no spec but the target of a symbolic link to one. Git writes the target into an
/// ordinary file where it makes no links, as on Windows unless it is told to. Crates whose specs are
/// links assert that none is.
#[must_use]
pub const fn is_target_of_link(text: &str) -> bool {
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

/// All known networks, in the order in which errors list them.
pub(crate) const KNOWN: &[KnownSpec] = known![
    "sfnnv1", "sfnnv2", "sfnnv3", "sfnnv4", "sfnnv5", "sfnnv6", "sfnnv7", "sfnnv8", "sfnnv9",
    "sfnnv10", "sfnnv11", "sfnnv12", "sfnnv13", "sfnnv14", "sfnnv14b", "sfnnv15", "sfnnv16",
    "small128",
];

/// The specs that are part of the compiler, oldest first: for each, the name that `like` has for
/// it, and its text.
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
