//! The networks of `specs/` that are compiled into the program.

mod any_network;

use std::path::Path;

use crate::nets::specs::KnownSpec;
use nnue_compiler::network;
use nnue_known_networks as networks;
use nnue_runtime::{Architecture, Level, LoadError, Network, Output, SelectedByPieces};

pub use self::any_network::AnyNetwork;

/// Lists the networks by the names of their specs' files.
macro_rules! networks {
    ($($name:ident)*) => {
        /// Every network of `specs/`.
        static COMPILED: &[Compiled] = &[$(Compiled {
            name: stringify!($name),
            title: <networks::$name::Net as Architecture>::NAME,
            load: load::<networks::$name::Net>,
            share: share::<networks::$name::Net>,
            open: open::<networks::$name::Net>,
        }),*];
    };
}

networks! {
    sfnnv1 sfnnv2 sfnnv3 sfnnv4 sfnnv5 sfnnv6 sfnnv7 sfnnv8 sfnnv9 sfnnv10 sfnnv11 sfnnv12 sfnnv13 sfnnv14 sfnnv14b
    sfnnv15 sfnnv16 small128
}

/// A network that was compiled into the program.
#[derive(Clone, Copy, Debug)]
pub struct Compiled {
    /// The name of the spec's file in `specs/`, without the extension.
    pub name: &'static str,
    /// The name that the spec gives the network.
    title: &'static str,
    load: Load,
    share: Share,
    open: Open,
}

/// Loads a net file for an instruction set.
type Load = fn(&[u8], Level) -> Result<Box<dyn AnyNetwork>, LoadError>;

fn load<A: SelectedByPieces<Output = Output>>(
    file: &[u8],
    level: Level,
) -> Result<Box<dyn AnyNetwork>, LoadError> {
    Ok(Box::new(Network::<A>::from_bytes(file)?.with_level(level)))
}

/// Loads a net file into memory that processes share, for an instruction set. If there is no such
/// memory, the reason is returned too, and the weights are in this process's own memory.
type Share = fn(&[u8], Level) -> Result<(Box<dyn AnyNetwork>, Option<String>), LoadError>;

fn share<A: SelectedByPieces<Output = Output>>(
    file: &[u8],
    level: Level,
) -> Result<(Box<dyn AnyNetwork>, Option<String>), LoadError> {
    let network = Network::<A>::shared(file)?.with_level(level);
    let reason = network.not_shared().map(str::to_owned);
    Ok((Box::new(network), reason))
}

/// Loads a net file from the disk for an instruction set.
type Open = fn(&Path, Level) -> Result<Box<dyn AnyNetwork>, LoadError>;

fn open<A: SelectedByPieces<Output = Output>>(
    path: &Path,
    level: Level,
) -> Result<Box<dyn AnyNetwork>, LoadError> {
    Ok(Box::new(Network::<A>::open(path)?.with_level(level)))
}

impl Compiled {
    /// The network whose spec has this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Compiled> {
        COMPILED.iter().find(|compiled| compiled.name == name)
    }

    /// The compiled network that equals a network, whatever file its spec was read from.
    #[must_use]
    pub fn of(network: &network::Network) -> Option<&'static Compiled> {
        COMPILED.iter().find(|compiled| {
            compiled.title == network.name
                && KnownSpec::named(compiled.name)
                    .is_ok_and(|known| known.network().is_ok_and(|known| known == *network))
        })
    }

    /// Loads a net file of this network.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file is no net of this network.
    pub fn load(&self, file: &[u8], level: Level) -> Result<Box<dyn AnyNetwork>, LoadError> {
        (self.load)(file, level)
    }

    /// Loads a net file of this network into memory that processes share. If there is no such
    /// memory, the reason is returned too, and the weights are in this process's own memory.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file is no net of this network.
    pub fn share(
        &self,
        file: &[u8],
        level: Level,
    ) -> Result<(Box<dyn AnyNetwork>, Option<String>), LoadError> {
        (self.share)(file, level)
    }

    /// Loads a net file of this network from the disk.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file cannot be read, or is no net of this network.
    pub fn open(&self, path: &Path, level: Level) -> Result<Box<dyn AnyNetwork>, LoadError> {
        (self.open)(path, level)
    }
}

/// The net file that is part of the program, loaded.
#[cfg(test)]
pub fn built_in(level: Level) -> Box<dyn AnyNetwork> {
    Box::new(networks::small128::Network::embedded().with_level(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_spec_is_compiled() {
        let names = COMPILED.iter().map(|compiled| compiled.name);
        assert!(names.eq(KnownSpec::all().map(|known| known.name)));
    }

    #[test]
    fn each_is_found_by_its_network() {
        for compiled in COMPILED {
            let path = format!(
                "{}/../../specs/{}.toml",
                env!("CARGO_MANIFEST_DIR"),
                compiled.name
            );
            let network = crate::nets::specs::read_spec(path.as_ref()).unwrap().1;
            assert_eq!(Compiled::of(&network).unwrap().name, compiled.name);
            let mut other = network.clone();
            other.output.one += 1;
            assert!(Compiled::of(&other).is_none());
            other = network;
            other.name += "b";
            assert!(Compiled::of(&other).is_none());
        }
    }
}
