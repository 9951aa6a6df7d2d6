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
