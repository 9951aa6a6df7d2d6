//! Compiles the spec of a network in a build script: the same code as `nnue_runtime::nnue_net!`
//! gives, in a file that the crate includes.
//!
//! `build.rs`:
//!
//! ```no_run
//! fn main() -> Result<(), nnue_build::Error> {
//!     nnue_build::compile("specs/my-net.toml")
//! }
//! ```
//!
//! `src/lib.rs`, where each network has a module of its own:
//!
//! ```ignore
//! pub mod my_net {
//!     include!(concat!(env!("OUT_DIR"), "/my-net.rs"));
//! }
//! ```
//!
//! [`compile`] is the simple way, [`Build`] has all that can be chosen. A `main` that returns the
//! [`Error`] of either fails nicely: cargo shows everything that is wrong with the spec, each
//! mistake with its line. A build script with more to do can print it and return
//! `std::process::ExitCode::FAILURE`.

#![forbid(unsafe_code)]

mod error;
mod files;
mod print;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::foreign;
use nnue_compiler::network::Network;
use nnue_compiler::{Levels, NetFile, Request, analyse, reorder};
use proc_macro2::{TokenStream, TokenTree};

pub use nnue_compiler::Embed;
pub use nnue_compiler::plan::Unroll;

pub use crate::error::Error;

/// Compiles a spec to a file in `OUT_DIR`, which has the name of the spec with the ending `.rs`.
///
/// The path is relative to the package's `Cargo.toml`. Cargo runs the build script again when the
/// spec changes.
///
/// # Errors
///
/// Everything that is wrong with the spec, or that the file cannot be read or written.
pub fn compile(spec: impl Into<PathBuf>) -> Result<(), Error> {
    Build::new(spec).write().map(drop)
}

/// A network to compile, and the user's choices for it.
///
/// Everything that cargo tells a build script can be given instead, for other build systems:
/// the [folder](Build::out_dir) and the [architecture](Build::target_arch). Paths are relative to
/// the current folder, which is that of the package's `Cargo.toml` in a build script.
///
/// ```no_run
/// # fn main() -> Result<(), nnue_build::Error> {
/// use nnue_build::{Build, Embed};
///
/// Build::new("specs/my-net.toml")
///     .weights("nets/my-net.nnue")
///     .embed(Embed::Weights)
///     .write()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is compiled before `write` or `code`"]
pub struct Build {
    spec: Spec,
    neuron_order: Option<PathBuf>,
    weights: Option<PathBuf>,
    embed: Option<Embed>,
    unroll: Unroll,
    runtime: String,
    target_arch: Option<String>,
    out_dir: Option<PathBuf>,
    file_name: Option<PathBuf>,
    is_checked: bool,
}

#[derive(Clone, Debug)]
enum Spec {
    File(PathBuf),
    Inline { name: String, text: String },
}

impl Build {
    /// A network whose spec is in a file.
    pub fn new(spec: impl Into<PathBuf>) -> Build {
        Build::of(Spec::File(spec.into()))
    }

    /// A network whose spec is this text. Errors call it by the name, and the code is written to
    /// `NAME.rs`.
    pub fn inline(name: impl Into<String>, text: impl Into<String>) -> Build {
        Build::of(Spec::Inline {
            name: name.into(),
            text: text.into(),
        })
    }

    fn of(spec: Spec) -> Build {
        Build {
            spec,
            neuron_order: None,
            weights: None,
            embed: None,
            unroll: Unroll::default(),
            runtime: "::nnue_runtime".to_owned(),
            target_arch: None,
            out_dir: None,
            file_name: None,
            is_checked: false,
        }
    }

    /// A file with the order in which the neurons lie in memory, as `nnue reorder --order` writes
    /// it, for a spec without the key `neuron_order`.
    pub fn neuron_order(mut self, path: impl Into<PathBuf>) -> Build {
        self.neuron_order = Some(path.into());
        self
    }

    /// A net file, checked against the spec and embedded: `Network::embedded()`. The code names it
    /// by its absolute path.
    pub fn weights(mut self, path: impl Into<PathBuf>) -> Build {
        self.weights = Some(path.into());
        self
    }

    /// Which part of the net file is embedded; [`Embed::File`] unless this is called.
    pub fn embed(mut self, embed: Embed) -> Build {
        self.embed = Some(embed);
        self
    }

    /// Whether every layer is written out as straight-line code; [`Unroll::Auto`] unless this is
    /// called.
    pub fn unroll(mut self, unroll: Unroll) -> Build {
        self.unroll = unroll;
        self
    }

    /// The code by which the crate nnue-wiring checks that each weight is where it belongs. It is
    /// for tests: an engine runs nothing of it.
    pub fn checked(mut self) -> Build {
        self.is_checked = true;
        self
    }

    /// The path of the runtime crate; `::nnue_runtime` unless this is called.
    pub fn runtime(mut self, path: impl Into<String>) -> Build {
        self.runtime = path.into();
        self
    }

    /// The architecture that the program is compiled for, as in `cfg(target_arch)`; what cargo says
    /// in `CARGO_CFG_TARGET_ARCH` unless this is called. Where neither says it, the code has the
    /// kernels of all architectures, and rustc takes those of its target.
    pub fn target_arch(mut self, name: impl Into<String>) -> Build {
        self.target_arch = Some(name.into());
        self
    }

    /// The folder for the code, which is made if it does not exist; cargo's `OUT_DIR` unless this is
    /// called.
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Build {
        self.out_dir = Some(folder.into());
        self
    }

    /// The name of the file with the code; that of the spec with the ending `.rs` unless this is
    /// called.
    pub fn file_name(mut self, name: impl Into<PathBuf>) -> Build {
        self.file_name = Some(name.into());
        self
    }

    /// Writes the code to its file, whose path it returns, and tells cargo to run the build script
    /// again when the spec or the net file changes.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the spec and the net file, or that a file cannot be read or
    /// written.
    pub fn write(&self) -> Result<PathBuf, Error> {
        // First of all, so that cargo follows files that are wrong too.
        self.track()?;
        let folder = self.folder()?;
        let code = self.code()?;
        let path = folder.join(self.name());
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, code))
            .map_err(|error| Error::new(format!("cannot write `{}`: {error}", path.display())))?;
        Ok(path)
    }

    /// The code as a text. Nothing is written, and cargo is told nothing.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the spec and the net file, or that they cannot be read.
    pub fn code(&self) -> Result<String, Error> {
        let (spec, weights) = (self.network(), self.net_file());
        let ((network, text), weights) = match (spec, weights) {
            (Ok(network), Ok(weights)) => (network, weights),
            (spec, weights) => {
                let errors = [spec.err(), weights.err()];
                return Err(Error::all(errors.into_iter().flatten()));
            }
        };
        let levels = self.levels();
        let request = Request {
            runtime: self.runtime_path()?,
            unroll: self.unroll,
            levels,
            weights,
            checked: self.is_checked.then_some(text),
        };
        let code = nnue_compiler::compile(&network, &request)
            .map_err(|refused| Error::new(refused.to_string()))?;
        Ok(format!(
            "// {} for {levels}, generated by nnue-build {} from {}; do not edit.\n\n{}",
            foreign(&network.name),
            env!("CARGO_PKG_VERSION"),
            match &self.spec {
                Spec::File(path) => foreign(path.display().to_string()),
                Spec::Inline { .. } => foreign("a text".to_owned()),
            },
            print::print(code)
        ))
    }

    /// The network, and the text of its spec.
    fn network(&self) -> Result<(Network, String), Error> {
        let source = match &self.spec {
            Spec::Inline { name, text } => SourceFile::new(name, text),
            Spec::File(path) => files::text(path)?,
        };
        let mut network = analyse(&source).map_err(|errors| Error::of_spec(&errors))?;
        if let Some(path) = &self.neuron_order {
            reorder(&mut network, &files::text(path)?).map_err(|errors| Error::of_spec(&errors))?;
        }
        Ok((network, source.text))
    }

    fn net_file(&self) -> Result<Option<NetFile>, Error> {
        let Some(path) = &self.weights else {
            return match self.embed {
                None => Ok(None),
                Some(_) => Err(Error::new(
                    "found `embed` and nothing to embed, expected a net file by `weights` too",
                )),
            };
        };
        Ok(Some(NetFile {
            path: path.display().to_string(),
            bytes: files::read(path)?,
            embed: self.embed.unwrap_or_default(),
            included: files::include(path, &self.runtime_path()?)?,
        }))
    }

    /// The path of the runtime crate as tokens.
    fn runtime_path(&self) -> Result<TokenStream, Error> {
        let path = self.runtime.parse::<TokenStream>().ok();
        let is_path = |path: &TokenStream| {
            !path.is_empty()
                && path.clone().into_iter().all(|token| match token {
                    TokenTree::Ident(_) => true,
                    TokenTree::Punct(mark) => mark.as_char() == ':',
                    _ => false,
                })
        };
        path.filter(is_path).ok_or_else(|| {
            Error::new(format!(
                "`{}` is not the path of a crate, expected one like `::nnue_runtime`",
                foreign(&self.runtime)
            ))
        })
    }

    fn levels(&self) -> Levels {
        let told = || env::var("CARGO_CFG_TARGET_ARCH").ok();
        let arch = self.target_arch.clone().or_else(told);
        arch.map_or(Levels::All, |arch| Levels::of_arch(&arch))
    }

    fn folder(&self) -> Result<PathBuf, Error> {
        let told = || env::var_os("OUT_DIR").map(PathBuf::from);
        self.out_dir.clone().or_else(told).ok_or_else(|| {
            Error::new(
                "found no folder for the code: cargo sets `OUT_DIR` for build scripts, and \
                 `Build::out_dir` names a folder elsewhere",
            )
        })
    }

    fn name(&self) -> PathBuf {
        let named_as = |stem: &Path| {
            let mut name = stem.as_os_str().to_owned();
            name.push(".rs");
            PathBuf::from(name)
        };
        match (&self.file_name, &self.spec) {
            (Some(name), _) => name.clone(),
            (None, Spec::Inline { name, .. }) => named_as(Path::new(name)),
            (None, Spec::File(path)) => named_as(Path::new(path.file_stem().unwrap_or_default())),
        }
    }

    /// Tells cargo when the build script must run again.
    fn track(&self) -> Result<(), Error> {
        let spec = match &self.spec {
            Spec::File(path) => Some(path),
            Spec::Inline { .. } => {
                // Where a build script names nothing, cargo runs it again after every edit of the
                // package. What the script itself holds is followed anyway.
                println!("cargo::rerun-if-changed=build.rs");
                None
            }
        };
        for path in spec
            .into_iter()
            .chain(&self.neuron_order)
            .chain(&self.weights)
        {
            println!("cargo::rerun-if-changed={}", files::as_line(path)?);
        }
        Ok(())
    }
}

/// The code of README.md, which doctests compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
