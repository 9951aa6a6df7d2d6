//! The options that name the folders in which networks are compiled.

use std::path::{Path, PathBuf};

use clap::Args;
use nnue_tools::measure::bench::packages;
use nnue_tools::measure::workspace::Workspace;

use crate::Failure;
use crate::failure::warn;

/// Where networks are compiled.
#[derive(Args, Debug)]
pub(crate) struct PackageOptions {
    /// The project's folder, which has the runtime; without it, the one from which this program was
    /// built, or crates.io if that is where it is from
    #[arg(long, value_name = "DIR")]
    runtime: Option<PathBuf>,
    /// Where networks are compiled, and what is compiled stays; without it, the system's folder for
    /// caches
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

impl PackageOptions {
    /// The project's folder, if the user names it.
    pub(crate) fn runtime(&self) -> Option<&Path> {
        self.runtime.as_deref()
    }

    /// The folder for caches.
    pub(crate) fn cache(&self) -> Result<PathBuf, Failure> {
        let no_folder = "this system has no folder for caches: `--cache DIR` names one";
        match &self.cache {
            Some(cache) => Ok(cache.clone()),
            None => dirs::cache_dir()
                .map(|caches| caches.join("nnue"))
                .ok_or_else(|| Failure::Work(no_folder.into())),
        }
    }

    /// The workspace in the folder for caches.
    pub(crate) fn open(&self) -> Result<Workspace, Failure> {
        Ok(packages(&self.cache()?, self.runtime())?)
    }
}

/// Tells the user that another run compiles in the folder.
pub(crate) fn waiting(folder: &Path) {
    warn(&format!(
        "waiting for another `nnue`, which compiles in `{}`",
        folder.display()
    ));
}
