//! The options that name a net.

use std::path::{Path, PathBuf};

use clap::Args;
use nnue_runtime::Level;

use crate::Failure;
use crate::any_network::AnyNetwork;
use crate::specs::{self, NetError, Spec};

/// The net that a subcommand is about, of a spec that is compiled in.
#[derive(Args, Debug)]
pub(crate) struct NetOptions {
    /// Use this net file, not the one that is built in
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// The network's spec, by its name in `specs`; without it, the file decides
    #[arg(long, value_name = "NAME", value_parser = Spec::named)]
    spec: Option<&'static Spec>,
}

impl NetOptions {
    pub(crate) fn choice(&self) -> Result<NetChoice, Failure> {
        NetChoice::of(self.net.clone(), self.spec)
    }
}

/// The net that `--net` and `--spec` name.
#[derive(Clone, Debug)]
pub(crate) enum NetChoice {
    /// The one that is part of the program.
    BuiltIn,
    /// A file and its spec; without a spec, the file decides which one it is.
    File(PathBuf, Option<&'static Spec>),
}

impl NetChoice {
    /// The net that the values of the two options mean.
    pub(crate) fn of(
        file: Option<PathBuf>,
        spec: Option<&'static Spec>,
    ) -> Result<NetChoice, Failure> {
        match (file, spec) {
            (Some(file), spec) => Ok(NetChoice::File(file, spec)),
            (None, Some(spec)) if spec.name != specs::BUILT_IN_SPEC => Err(needs_file(spec.name)),
            (None, _) => Ok(NetChoice::BuiltIn),
        }
    }

    /// Loads the network, and names its file.
    pub(crate) fn open(&self, level: Level) -> Result<(Box<dyn AnyNetwork>, String), NetError> {
        let (path, spec) = match self {
            NetChoice::BuiltIn => {
                let file = format!("{}, built in", specs::BUILT_IN_FILE);
                return Ok((specs::built_in(level), file));
            }
            NetChoice::File(path, spec) => (path, spec),
        };
        let spec = match spec {
            Some(spec) => spec,
            None => Spec::of_file(path)?,
        };
        Ok((spec.open(path, level)?, file_name(path)))
    }

    /// The bytes of the net file.
    #[cfg(feature = "beside")]
    pub(crate) fn bytes(&self) -> Result<std::borrow::Cow<'static, [u8]>, Failure> {
        match self {
            NetChoice::BuiltIn => Ok(specs::built_in_file().into()),
            NetChoice::File(path, _) => Ok(super::read(path)?.into()),
        }
    }
}

/// `--spec` names a spec, but nothing names a file of it.
pub(crate) fn needs_file(spec: &str) -> Failure {
    Failure::Arguments(format!(
        "`--spec {spec}` needs `--net FILE`: the net that is built in is one of `{}`",
        specs::BUILT_IN_SPEC
    ))
}

/// A path's last part, which heads a report.
pub(crate) fn file_name(path: &Path) -> String {
    let name = path.file_name().map_or(path, Path::new);
    name.display().to_string()
}
