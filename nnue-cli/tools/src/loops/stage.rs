//! Commands with everything on which their results depend.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use nnue_compiler::format::foreign;

use crate::loops::error::Error;
use crate::loops::record::{Basis, contents};

/// A command with everything on which its result depends.
pub(crate) struct Stage {
    pub(crate) name: String,
    program: OsString,
    arguments: Vec<OsString>,
    /// Variables of the command's environment.
    variables: Vec<(&'static str, OsString)>,
    /// Files that the command reads.
    inputs: Vec<PathBuf>,
    /// The arguments on which the result does not depend, after all others.
    other: Vec<OsString>,
    /// Keys of the run file that the command reads, with their values.
    settings: BTreeMap<String, String>,
    /// The files that the command writes. Without files, the output is the result.
    pub(crate) products: Vec<PathBuf>,
    /// The file or folder from which an interrupted command continues. The same command with other
    /// inputs must not find it.
    pub(crate) partial: Option<PathBuf>,
}

impl Stage {
    pub(crate) fn new(name: impl Into<String>, program: impl AsRef<OsStr>) -> Stage {
        Stage {
            name: name.into(),
            program: program.as_ref().into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            inputs: Vec::new(),
            other: Vec::new(),
            settings: BTreeMap::new(),
            products: Vec::new(),
            partial: None,
        }
    }

    pub(crate) fn argument(mut self, argument: impl AsRef<OsStr>) -> Stage {
        self.arguments.push(argument.as_ref().into());
        self
    }

    pub(crate) fn option(self, name: &str, value: impl AsRef<OsStr>) -> Stage {
        self.argument(name).argument(value)
    }

    pub(crate) fn variable(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Stage {
        self.variables.push((name, value.as_ref().into()));
        self
    }

    /// Adds a file that the command reads.
    pub(crate) fn reads(mut self, file: impl Into<PathBuf>) -> Stage {
        self.inputs.push(file.into());
        self
    }

    /// Adds an option on which the result does not depend.
    pub(crate) fn other_option(mut self, name: &str, value: impl AsRef<OsStr>) -> Stage {
        self.other.extend([name.into(), value.as_ref().into()]);
        self
    }

    /// Sets the keys of the run file, with their values, on which the result depends.
    pub(crate) fn settings(mut self, settings: BTreeMap<String, String>) -> Stage {
        self.settings = settings;
        self
    }

    /// Adds a file that the command writes.
    pub(crate) fn writes(mut self, file: impl Into<PathBuf>) -> Stage {
        self.products.push(file.into());
        self
    }

    pub(crate) fn goes_on_from(mut self, path: impl Into<PathBuf>) -> Stage {
        self.partial = Some(path.into());
        self
    }

    /// The command in the form that a shell takes.
    pub(crate) fn as_typed(&self) -> String {
        self.words().join(" ")
    }

    /// The command in a message, in which long words are cut.
    pub(crate) fn in_message(&self) -> String {
        let words = self.words().into_iter();
        let words = words.map(|word| foreign(word).to_string());
        words.collect::<Vec<_>>().join(" ")
    }

    fn words(&self) -> Vec<String> {
        let variables = self.variables.iter();
        let variables = variables.map(|(name, value)| format!("{name}={}", quoted(value)));
        let words = std::iter::once(&self.program).chain(&self.arguments);
        let words = words.chain(&self.other).map(|word| quoted(word));
        variables.chain(words).collect()
    }

    /// The present inputs on which the result of the command depends.
    pub(crate) fn basis(&self) -> Result<Basis, Error> {
        let mut words = self.settings.clone();
        words.extend(
            self.variables
                .iter()
                .map(|(name, value)| (format!("`{name}`"), shown(value))),
        );
        let mut arguments = self.arguments.iter().enumerate().peekable();
        while let Some((index, argument)) = arguments.next() {
            let is_option = |word: &OsStr| word.as_encoded_bytes().starts_with(b"--");
            let value = arguments.next_if(|(_, next)| is_option(argument) && !is_option(next));
            match value {
                Some((_, value)) => words.insert(format!("`{}`", shown(argument)), shown(value)),
                None => words.insert(format!("argument {}", index + 1), shown(argument)),
            };
        }
        let files = contents(&self.inputs)?;
        Ok(Basis { words, files })
    }

    /// The command, run by a guard if a guard is given.
    pub(crate) fn command(&self, guard: Option<&Guarded<'_>>) -> Command {
        let mut command = match guard {
            Some(guard) => guard.command(&self.program),
            None => Command::new(&self.program),
        };
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        let arguments = self.arguments.iter().chain(&self.other);
        command.args(arguments).envs(variables);
        command
    }
}

/// A guard that runs a command, and ends it when this process ends.
#[cfg_attr(not(unix), allow(dead_code, reason = "only Unix has guards"))]
pub(crate) struct Guarded<'g> {
    pub(crate) program: &'g Path,
    /// The file in which the guard notes what it runs.
    pub(crate) note: PathBuf,
}

impl Guarded<'_> {
    #[cfg(unix)]
    fn command(&self, guarded: &OsStr) -> Command {
        let mut command = Command::new(self.program);
        command.arg(crate::loops::guard::NAME);
        command.arg(std::process::id().to_string());
        command.arg(&self.note).arg("--").arg(guarded);
        // Signals of the terminal are for this program.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }

    /// Without process groups, a guard could end only the command itself.
    #[cfg(not(unix))]
    fn command(&self, guarded: &OsStr) -> Command {
        Command::new(guarded)
    }
}

/// A form of a word in which different words stay different.
fn shown(word: &OsStr) -> String {
    match word.to_str() {
        Some(word) => word.into(),
        None => format!("{word:?}"),
    }
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |letter: char| letter.is_alphanumeric() || "-_=+./:,@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        let quoted = |word: &str| quoted(OsStr::new(word));
        assert_eq!(quoted("a-b=c/d.e"), "a-b=c/d.e");
        assert_eq!(quoted("<material>"), "'<material>'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
