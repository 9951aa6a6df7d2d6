//! The files of a loop, and checks that it writes over no other files.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::files::{Inputs, own};
use crate::loops::error::Error;
use crate::loops::stages::{self, old};

/// The names of the new net's opponents, which are parts of the names of files.
pub(crate) const OPPONENTS: [&str; 2] = ["material", "current"];

/// The files of a loop, all in one folder.
pub(crate) struct Files {
    folder: PathBuf,
    /// Copies of the specs, for the engine's package.
    pub(crate) spec: PathBuf,
    pub(crate) current_spec: PathBuf,
    /// The folder in which the engines are installed.
    pub(crate) engine: PathBuf,
    pub(crate) current_engine: PathBuf,
    /// The positions of the games that the engine plays against itself.
    pub(crate) positions: PathBuf,
    /// The folder in which the trainer writes.
    pub(crate) training: PathBuf,
    /// The new net.
    pub(crate) net: PathBuf,
    /// Positions with the values that the trainer computed for them.
    pub(crate) golden: PathBuf,
    /// The trainer's summary of the run.
    pub(crate) summary: PathBuf,
    pub(crate) matches: PathBuf,
    pub(crate) report: PathBuf,
}

impl Files {
    pub(crate) fn within(folder: &Path) -> Files {
        let training = folder.join("training");
        Files {
            folder: folder.into(),
            spec: folder.join("spec.toml"),
            current_spec: folder.join("current-spec.toml"),
            engine: folder.join("engine"),
            current_engine: folder.join("current-engine"),
            positions: folder.join("positions.txt"),
            net: training.join("network.nnue"),
            golden: training.join("golden.txt"),
            summary: training.join("summary.json"),
            training,
            matches: folder.join("matches"),
            report: folder.join("report.html"),
        }
    }

    /// A file of the match with an opponent.
    pub(crate) fn of_match(&self, opponent: &str, extension: &str) -> PathBuf {
        self.matches.join(opponent).with_extension(extension)
    }

    /// Refuses a loop that would write over a file that its stages read, over another file that the
    /// caller names, or over the engine's package. Files that are read must exist. Nothing is
    /// written yet, and the folder need not exist.
    ///
    /// # Errors
    ///
    /// [`Error`] that names the file that would be lost, or an input that cannot be read.
    pub(crate) fn check(
        &self,
        other: Vec<PathBuf>,
        read: Vec<PathBuf>,
        engine: &Path,
    ) -> Result<(), Error> {
        for file in &read {
            own::open(file)?;
        }
        self.check_folder()?;
        let inputs = [other, read].concat();
        for input in inputs.iter().map(PathBuf::as_path).chain([engine]) {
            self.check_place(input)?;
        }
        Ok(Inputs::of(inputs).check(self.written())?)
    }

    /// Refuses a folder with files that was not made by a loop.
    fn check_folder(&self) -> Result<(), Error> {
        let folder = &self.folder;
        let is_empty = match fs::read_dir(folder) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(error) => return Err(Error::unwritable(folder, error)),
        };
        if is_empty || folder.join(stages::FOLDER).is_dir() {
            Ok(())
        } else {
            Err(Error::NotEmpty {
                folder: folder.clone(),
            })
        }
    }

    /// Refuses an input in a folder that a stage makes: it would be replaced or set aside with the
    /// folder.
    fn check_place(&self, input: &Path) -> Result<(), Error> {
        // A path that does not exist cannot be lost. A link is lost with the folder that contains
        // it.
        let places = [Some(input), input.parent()].into_iter().flatten();
        let places: Vec<PathBuf> = places
            .filter_map(|path| fs::canonicalize(path).ok())
            .collect();
        let folders = [
            &self.engine,
            &self.current_engine,
            &self.training,
            &old(&self.training),
            &self.matches,
            &self.folder.join(stages::FOLDER),
        ];
        for folder in folders {
            let Ok(found) = fs::canonicalize(folder) else {
                continue;
            };
            if places.iter().any(|place| place.starts_with(&found)) {
                return Err(Error::ReadAndWritten {
                    path: input.into(),
                    folder: folder.clone(),
                });
            }
        }
        Ok(())
    }

    /// All files that a loop may write or replace, by name.
    fn written(&self) -> Vec<PathBuf> {
        let named = [
            &self.spec,
            &self.current_spec,
            &self.positions,
            &old(&self.positions),
            &self.net,
            &self.golden,
            &self.summary,
            &self.report,
        ];
        let played = OPPONENTS.iter().flat_map(|opponent| {
            ["pgn", "state"].map(|extension| self.of_match(opponent, extension))
        });
        named.into_iter().cloned().chain(played).collect()
    }
}

/// The files of a package from which its program is compiled, sorted.
pub(crate) fn sources(package: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = BTreeSet::new();
    // A link can lead back to its own folder.
    let mut seen = HashSet::new();
    let mut open = vec![package.to_path_buf()];
    while let Some(folder) = open.pop() {
        let unreadable = |error| Error::unreadable(&folder, error);
        let found = fs::canonicalize(&folder).map_err(unreadable)?;
        if !seen.insert(found.clone()) {
            continue;
        }
        for entry in fs::read_dir(&found).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|kind| kind == "rs" || kind == "toml")
                && path.is_file()
            {
                files.insert(path);
            }
        }
    }
    Ok(files.into_iter().collect())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_in_a_circle_have_an_end() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let folder = folder.path();
        for name in ["src", "src/one", "src/two", "target"] {
            fs::create_dir_all(folder.join(name)).unwrap();
            fs::write(folder.join(name).join("code.rs"), "").unwrap();
            for link in ["a", "b"] {
                std::os::unix::fs::symlink(folder, folder.join(name).join(link)).unwrap();
            }
        }
        std::os::unix::fs::symlink("/dev/zero", folder.join("src/no.rs")).unwrap();
        let found = fs::canonicalize(folder).unwrap();
        let expected = ["src/code.rs", "src/one/code.rs", "src/two/code.rs"];
        let expected = expected.map(|name| found.join(name));
        assert_eq!(sources(folder).unwrap(), expected);
    }
}
