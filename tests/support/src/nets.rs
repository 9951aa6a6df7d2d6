//! Released nets: their names, their sources, and the cache that `fetch-nets` fills.
//!
//! A net's name is the beginning of its SHA-256, so every file can be checked, wherever it comes
//! from.

use std::{
    env, fmt, fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::generations::Generation;

/// A released net, and where it is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    /// `nn-` and the first 12 hex digits of the file's SHA-256.
    pub name: &'static str,
    /// Name of its [`Generation`].
    pub generation: &'static str,
    /// Size of the file.
    pub bytes: usize,
    /// Where it is published.
    pub source: Source,
}

/// Where a net is published: always inside an engine's package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file of an npm package.
    Npm {
        /// Name of the package.
        package: &'static str,
        /// The exact version of the package.
        version: &'static str,
        /// Path of the file in the package.
        path: &'static str,
    },
    /// In the memory of a WebAssembly module of an npm package. These are modules for a single
    /// thread, whose data segments have fixed addresses. Modules for several threads copy their
    /// data by code.
    NpmWasm {
        /// Name of the package.
        package: &'static str,
        /// The exact version of the package.
        version: &'static str,
        /// Paths in the package of the files that make up the module, in order.
        paths: &'static [&'static str],
    },
    /// In the executable of Debian's package `stockfish`.
    DebianStockfish {
        /// The exact version of the package.
        version: &'static str,
    },
}

/// Every net that can be fetched, by generation.
pub const NETS: &[Net] = &[
    Net {
        name: "nn-82215d0fd0df",
        generation: "v1",
        bytes: 21022697,
        source: npm("12.0.0", "package/src/nn-82215d0fd0df.nnue"),
    },
    Net {
        name: "nn-26abeed38351",
        generation: "v2",
        bytes: 47721371,
        source: npm("14.0.0", "package/src/nn-26abeed38351.nnue"),
    },
    Net {
        name: "nn-13406b1dcbe0",
        generation: "v3",
        bytes: 47001243,
        source: npm("14.1.0", "package/src/nn-13406b1dcbe0.nnue"),
    },
    Net {
        name: "nn-6877cd24400e",
        generation: "v4",
        bytes: 47001499,
        source: npm("15.0.0", "package/src/nn-6877cd24400e.nnue"),
    },
    Net {
        name: "nn-ad9b42354671",
        generation: "v5",
        bytes: 47001499,
        source: Source::DebianStockfish { version: "15.1-4" },
    },
    Net {
        name: "nn-5af11540bbfe",
        generation: "v6",
        bytes: 40119326,
        source: npm("16.0.0", "package/src/nn-5af11540bbfe.nnue"),
    },
    Net {
        name: "nn-1c0000000000",
        generation: "v9",
        bytes: 74874478,
        source: npm_wasm(
            "17.1.0",
            &[
                "package/src/stockfish-17.1-single-a496a04-part-0.wasm",
                "package/src/stockfish-17.1-single-a496a04-part-1.wasm",
                "package/src/stockfish-17.1-single-a496a04-part-2.wasm",
                "package/src/stockfish-17.1-single-a496a04-part-3.wasm",
                "package/src/stockfish-17.1-single-a496a04-part-4.wasm",
                "package/src/stockfish-17.1-single-a496a04-part-5.wasm",
            ],
        ),
    },
    Net {
        name: "nn-37f18f62d772",
        generation: "small128",
        bytes: 3519630,
        source: npm_wasm("18.0.8", &["package/bin/stockfish-18-single.wasm"]),
    },
    Net {
        name: "nn-c288c895ea92",
        generation: "v10",
        bytes: 108919594,
        source: npm_wasm("18.0.8", &["package/bin/stockfish-18-single.wasm"]),
    },
    Net {
        name: "nn-1a298aa575a0",
        generation: "v16",
        bytes: 98511183,
        source: npm_wasm("19.0.0", &["package/bin/stockfish-19-single.wasm"]),
    },
];

/// Why a net could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetError {
    /// [`NETS`] has none of that name.
    Unknown {
        /// The name that was asked for.
        name: String,
    },
    /// The net is neither in the cache nor in this repository.
    NotCached {
        /// Name of the net.
        name: &'static str,
        /// Where `fetch-nets` would put it.
        path: PathBuf,
    },
    /// The file could not be read.
    Read {
        /// Path of the file.
        path: PathBuf,
        /// What the operating system said.
        message: String,
    },
    /// The net is not in the image from which it should be cut.
    NotInImage {
        /// Name of the net.
        name: &'static str,
        /// Generation whose version, hashes and layout were looked for.
        generation: &'static str,
        /// Size of the image.
        bytes: usize,
    },
    /// The file has another size.
    Size {
        /// Name of the net.
        name: &'static str,
        /// Size of the file.
        found: usize,
        /// Size of the net.
        expected: usize,
    },
    /// The file has the right size, but another content.
    Hash {
        /// Name of the net.
        name: &'static str,
        /// First 12 hex digits of the content's SHA-256.
        found: String,
    },
}

/// Where fetched nets are kept: `$NNUE_NETS`, else `nnue-nets` in the user's cache folder.
pub fn cache_dir() -> PathBuf {
    let variable = |name| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    variable("NNUE_NETS")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("nnue-nets")))
        .or_else(|| Some(variable("HOME")?.join(".cache/nnue-nets")))
        .unwrap_or_else(|| env::temp_dir().join("nnue-nets"))
}

/// The file of a net, if this machine has it; [`load`] checks its content.
pub fn cached(name: &str) -> Option<PathBuf> {
    let net = Net::named(name)?;
    let committed = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/nets")
        .join(net.file_name());
    [net.cache_path(), committed]
        .into_iter()
        .find(|path| path.is_file())
}

/// The content of a net, checked against its size and its name.
///
/// # Errors
///
/// If this machine does not have the net, or if the file is not that net.
pub fn load(name: &str) -> Result<Vec<u8>, NetError> {
    let net = Net::named(name).ok_or_else(|| NetError::Unknown {
        name: name.to_owned(),
    })?;
    let path = cached(name).ok_or_else(|| NetError::NotCached {
        name: net.name,
        path: net.cache_path(),
    })?;
    let bytes = fs::read(&path).map_err(|error| NetError::Read {
        path,
        message: error.to_string(),
    })?;
    net.check(&bytes)?;
    Ok(bytes)
}

/// The first 12 hex digits of the SHA-256 of `bytes`: how nets are named.
pub fn sha256_prefix(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl Net {
    /// The net of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        NETS.iter().find(|net| net.name == name)
    }

    /// Name of its file.
    pub fn file_name(&self) -> String {
        format!("{}.nnue", self.name)
    }

    /// Its file in the cache, whether or not it is there.
    pub fn cache_path(&self) -> PathBuf {
        cache_dir().join(self.file_name())
    }

    /// Whether `bytes` are this net.
    ///
    /// # Errors
    ///
    /// If their number or their hash is another.
    pub fn check(&self, bytes: &[u8]) -> Result<(), NetError> {
        if bytes.len() != self.bytes {
            return Err(NetError::Size {
                name: self.name,
                found: bytes.len(),
                expected: self.bytes,
            });
        }
        let found = sha256_prefix(bytes);
        if self.name.strip_prefix("nn-") != Some(&found) {
            return Err(NetError::Hash {
                name: self.name,
                found,
            });
        }
        Ok(())
    }

    /// Cuts this net out of an image that holds it, and checks it.
    ///
    /// # Errors
    ///
    /// If the image holds no net of this generation, or another one.
    pub fn cut<'i>(&self, image: &'i [u8]) -> Result<&'i [u8], NetError> {
        let range =
            Generation::named(self.generation).and_then(|generation| generation.find(image));
        let Some(range) = range else {
            return Err(NetError::NotInImage {
                name: self.name,
                generation: self.generation,
                bytes: image.len(),
            });
        };
        let net = &image[range];
        self.check(net)?;
        Ok(net)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npm {
                package,
                version,
                path,
            } => write!(f, "npm {package}@{version}, {path}"),
            Self::NpmWasm {
                package,
                version,
                paths: [first, ..],
            } => write!(f, "npm {package}@{version}, in {first}"),
            Self::NpmWasm {
                package,
                version,
                paths: [],
            } => write!(f, "npm {package}@{version}"),
            Self::DebianStockfish { version } => {
                write!(f, "Debian stockfish {version}, in the executable")
            }
        }
    }
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => {
                let known: Vec<_> = NETS.iter().map(|net| net.name).collect();
                write!(f, "found no net `{name}`, known are {}", known.join(", "))
            }
            Self::NotCached { name, path } => {
                let path = path.display();
                write!(
                    f,
                    "found no `{path}`: get it with `cargo run -p nnue-further-tests --bin fetch-nets -- {name}`"
                )
            }
            Self::Read { path, message } => {
                write!(f, "cannot read `{}`: {message}", path.display())
            }
            Self::NotInImage {
                name,
                generation,
                bytes,
            } => {
                write!(
                    f,
                    "`{name}`: found no net of generation {generation} in an image of {bytes} bytes"
                )
            }
            Self::Size {
                name,
                found,
                expected,
            } => write!(f, "`{name}`: found {found} bytes, expected {expected}"),
            Self::Hash { name, found } => {
                write!(f, "`{name}`: found a net whose SHA-256 begins with {found}")
            }
        }
    }
}

impl std::error::Error for NetError {}

const fn npm(version: &'static str, path: &'static str) -> Source {
    Source::Npm {
        package: "stockfish",
        version,
        path,
    }
}

const fn npm_wasm(version: &'static str, paths: &'static [&'static str]) -> Source {
    Source::NpmWasm {
        package: "stockfish",
        version,
        paths,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_net_has_a_hash_for_a_name_and_a_known_generation() {
        for net in NETS {
            let digits = net.name.strip_prefix("nn-").unwrap();
            assert!(
                digits.len() == 12 && digits.chars().all(|digit| digit.is_ascii_hexdigit()),
                "{}",
                net.name
            );
            assert!(Generation::named(net.generation).is_some(), "{}", net.name);
        }
    }

    #[test]
    fn hash_is_sha_256() {
        assert_eq!(sha256_prefix(b"abc"), "ba7816bf8f01");
    }

    /// The net that the repository carries, so that this needs no download.
    #[test]
    fn committed_net_loads_and_is_cut_out_of_an_image() {
        let net = Net::named("nn-37f18f62d772").unwrap();
        let bytes = load(net.name).unwrap();
        let image = [&[0x7A; 100][..], &bytes, &[0; 100]].concat();
        assert_eq!(net.cut(&image), Ok(&bytes[..]));
    }

    #[test]
    fn changed_and_cut_files_are_refused() {
        let net = Net::named("nn-37f18f62d772").unwrap();
        let mut bytes = load(net.name).unwrap();
        let (found, expected) = (bytes.len() - 1, bytes.len());
        assert_eq!(
            net.check(&bytes[1..]),
            Err(NetError::Size {
                name: net.name,
                found,
                expected
            })
        );
        bytes[1_000_000] ^= 1;
        assert!(matches!(net.check(&bytes), Err(NetError::Hash { .. })));
        assert!(matches!(net.cut(&bytes), Err(NetError::Hash { .. })));
        assert!(matches!(
            net.cut(&bytes[..found]),
            Err(NetError::NotInImage { .. })
        ));
    }

    #[test]
    fn unknown_net_is_refused_with_the_known_names() {
        let error = load("nn-000000000000").unwrap_err().to_string();
        assert!(
            error.starts_with("found no net `nn-000000000000`, known are nn-82215d0fd0df, "),
            "{error}"
        );
        assert_eq!(cached("../nn-37f18f62d772"), None);
    }
}
