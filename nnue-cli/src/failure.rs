//! Why a subcommand cannot do its work.

use std::fmt;
use std::io::{self, Write};

use nnue_compiler::format::is_hidden;
use nnue_tools::files::{Error, is_standard};

use crate::style::{WARNING, paint};

/// The reasons for which a subcommand ends without its result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Standard output accepts no more bytes.
    Output(io::Error),
    /// The work cannot be done.
    Work(String),
    /// The combination of the arguments is wrong, which clap does not know.
    Arguments(String),
    /// The work cannot be done because of an error of the compiler, whose message shows the spec
    /// and needs no introduction.
    Spec(String),
}

impl Failure {
    /// The message of the failure, without the word "error".
    pub(crate) fn message(&self) -> String {
        match self {
            Failure::Output(error) => format!("cannot write to standard output: {error}"),
            Failure::Work(message) | Failure::Arguments(message) => message.clone(),
            Failure::Spec(messages) => format!("\n{messages}"),
        }
    }

    /// The failure of the work because of another error.
    pub(crate) fn work(error: impl fmt::Display) -> Failure {
        Failure::Work(error.to_string())
    }
}

impl From<nnue_tools::files::Error> for Failure {
    fn from(error: nnue_tools::files::Error) -> Failure {
        match error {
            Error::Unwritable { path, error } if is_standard(&path) => Failure::Output(error),
            Error::Overwritten { .. } | Error::WrittenTwice { .. } => {
                Failure::Arguments(error.to_string())
            }
            error => Failure::work(error),
        }
    }
}

impl From<nnue_tools::nets::Error> for Failure {
    fn from(error: nnue_tools::nets::Error) -> Failure {
        use nnue_tools::nets::Error;

        match error {
            Error::File(error) => error.into(),
            Error::Spec(errors) => Failure::Spec(errors.to_string()),
            Error::MissingNet(_) => Failure::Work(format!(
                "{error}; nets come from a trainer, or with an engine: docs/net-files.md says how to \
                 fetch released ones, and `nnue eval` without `--net` uses one that is built in"
            )),
            Error::Unrecognised { .. } => Failure::Work(format!(
                "{error}; find those that fit with `nnue adopt FILE`, try one with \
                 `nnue check SPEC --net FILE`, and name it with `--spec SPEC`"
            )),
            error => Failure::work(error),
        }
    }
}

impl From<nnue_tools::quantise::Error> for Failure {
    fn from(error: nnue_tools::quantise::Error) -> Failure {
        use nnue_tools::quantise::Error;

        match error {
            Error::Net(error) => error.into(),
            Error::NoIntegers(_) => Failure::Work(format!("{error} with `--to`")),
            error => Failure::work(error),
        }
    }
}

impl From<nnue_tools::measure::Error> for Failure {
    fn from(error: nnue_tools::measure::Error) -> Failure {
        use nnue_tools::measure::Error;

        match error {
            Error::File(error) => error.into(),
            Error::Net(error) => error.into(),
            Error::NoProject { .. } => Failure::Work(format!(
                "{error}: `--runtime DIR` names the folder of the project, which has it"
            )),
            Error::NotText { .. } => Failure::Work(format!("{error} with `--runtime DIR`")),
            Error::OtherFiles { .. } => Failure::Work(format!("{error} with `--cache`")),
            error => Failure::work(error),
        }
    }
}

impl From<nnue_tools::export::library::Error> for Failure {
    fn from(error: nnue_tools::export::library::Error) -> Failure {
        use nnue_tools::export::library::Error;

        match error {
            Error::File(error) => error.into(),
            Error::Package(error) => error.into(),
            Error::Name { .. } | Error::Taken { .. } | Error::Reserved { .. } => {
                Failure::Arguments(format!("{error}; `--name NAME` says which"))
            }
            Error::OtherFile { .. } | Error::OtherFiles { .. } => {
                Failure::Arguments(error.to_string())
            }
            error => Failure::work(error),
        }
    }
}

impl From<nnue_tools::matches::Error> for Failure {
    fn from(error: nnue_tools::matches::Error) -> Failure {
        match error {
            nnue_tools::matches::Error::File(error) => error.into(),
            error => Failure::work(error),
        }
    }
}

impl From<nnue_tools::loops::Error> for Failure {
    fn from(error: nnue_tools::loops::Error) -> Failure {
        use nnue_tools::loops::Error;

        match error {
            Error::File(error) => error.into(),
            Error::Observer(error) => error.into(),
            Error::Locked { .. } => Failure::Work(format!("{error} with `--out`")),
            Error::NotEmpty { .. } | Error::ReadAndWritten { .. } => {
                Failure::Arguments(format!("{error} with `--out`"))
            }
            error => Failure::work(error),
        }
    }
}

/// The failure because of a system error of a file, a program, or standard output. Only
/// [`StandardOutput`] makes errors of standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.get_ref().is_some_and(|inner| inner.is::<OfOutput>()) {
            Failure::Output(error)
        } else {
            Failure::work(error)
        }
    }
}

/// Standard output, whose errors are distinguished from those of files, which have the same type.
pub(crate) struct StandardOutput<W>(pub(crate) W);

impl<W: Write> Write for StandardOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(of_output)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(of_output)
    }
}

/// An error of standard output.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct OfOutput(io::Error);

fn of_output(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), OfOutput(error))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The style is that of clap's errors.
        const ERROR: &str = "\x1b[1;31merror:\x1b[0m";
        match self {
            Failure::Output(_) | Failure::Work(_) => {
                write!(f, "{ERROR} {}", plain(&self.message()))
            }
            // The last lines are those of clap's errors.
            Failure::Arguments(message) => {
                write!(
                    f,
                    "{ERROR} {}\n\nFor more information, try '--help'.",
                    plain(message)
                )
            }
            Failure::Spec(messages) => f.write_str(messages),
        }
    }
}

/// A message of one or several lines, without characters that a terminal would obey or not show.
/// Text from others is [shown as foreign](nnue_compiler::format::foreign) when a message is made;
/// this is for all other text, such as paths in messages of libraries.
pub(crate) fn plain(message: &str) -> String {
    let mut plain = String::new();
    for letter in message.chars() {
        if is_hidden(letter) && letter != '\n' {
            plain.extend(letter.escape_default())
        } else {
            plain.push(letter)
        }
    }
    plain
}

/// Writes an error that does not end the work. If standard error is closed, the message is lost.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(anstream::stderr(), "{}", Failure::Work(message.into()));
}

/// Writes a warning, in the form of [`complain`].
pub(crate) fn warn(message: &str) {
    let label = paint(WARNING, "warning:");
    let _ = writeln!(anstream::stderr(), "{label} {}", plain(message));
}

#[cfg(test)]
mod tests {
    use std::io::{BufWriter, ErrorKind};

    use super::*;

    /// A writer that accepts no bytes, like a full disk.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn only_standard_output_is_blamed_for_its_errors() {
        let failure = |error: io::Error| Failure::from(error).message();
        let missing = std::fs::read("no/such/file").expect_err("it is not there");
        let message = missing.to_string();
        assert_eq!(failure(missing), message);

        let mut out = StandardOutput(BufWriter::new(Full));
        out.write_all(b"waits in the buffer").expect("it has room");
        let full = [
            out.flush().expect_err("there is no room"),
            StandardOutput(Full).write_all(b"x").expect_err("the same"),
        ];
        for error in full {
            assert_eq!(error.kind(), ErrorKind::StorageFull);
            let message = format!("cannot write to standard output: {error}");
            assert_eq!(failure(error), message);
        }
    }
}
