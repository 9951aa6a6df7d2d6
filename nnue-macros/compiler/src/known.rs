//! The specs of known networks. Other specs name such a network by `like` and say only what is
//! different from it.
//!
//! The folder `known` has copies of the files in `specs`, which a test compares. A published package
//! needs the files themselves, and symbolic links would not survive every way to an engine: clients
//! of OpenBench unpack archives with Python, whose `zipfile` writes a link as a text file.

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

/// All known networks, in the order in which errors list them.
pub(crate) const KNOWN: &[KnownSpec] = known![
    "sfnnv1", "sfnnv2", "sfnnv3", "sfnnv4", "sfnnv5", "sfnnv6", "sfnnv7", "sfnnv8", "sfnnv9",
    "sfnnv10", "sfnnv11", "sfnnv12", "sfnnv13", "sfnnv14", "sfnnv14b", "sfnnv15", "sfnnv16",
    "sfnnv17", "small128",
];

/// The specs that are part of the compiler, oldest first: for each, the name that `like` has for
/// it, and its text.
pub fn known_specs() -> impl Iterator<Item = (&'static str, &'static str)> {
    KNOWN.iter().map(|known| (known.name, known.text))
}
