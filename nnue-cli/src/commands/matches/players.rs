//! The players that the arguments name, and the files that they read.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use nnue_compiler::format::foreign;
use nnue_files::is_standard;
use nnue_match::{Player, Side};
use nnue_nets::net_file::read_net;
use sha2::{Digest, Sha256};

use super::SetUp;
use crate::Failure;
use crate::inputs::read;

/// The two players: engines, or with an engine its nets, which are there.
pub(super) fn players(
    given: [&Path; 2],
    engine: Option<&Path>,
    set_up: &SetUp,
    fingerprints: &mut Fingerprints,
) -> Result<[Player; 2], Failure> {
    let [a, b] = Side::BOTH.map(|side| {
        let given = given[side as usize];
        let (options, args) = match side {
            Side::A => (&set_up.options_a, &set_up.args_a),
            Side::B => (&set_up.options_b, &set_up.args_b),
        };
        let mut options = [&set_up.options[..], options].concat();
        if engine.is_some() {
            options.push(("EvalFile".into(), net(given, fingerprints)?.into()));
        } else if is_built_in(given) {
            return Err(Failure::Arguments(format!(
                "`{}` is a net, which `--engine` has to play",
                foreign(given.display())
            )));
        }
        Ok(Player {
            name: match is_built_in(given) {
                true => text(given)?.into(),
                false => given
                    .file_name()
                    .unwrap_or(given.as_os_str())
                    .to_string_lossy()
                    .into(),
            },
            program: program(engine.unwrap_or(given)),
            arguments: [&set_up.args[..], args].concat(),
            options,
        })
    });
    let [mut a, mut b] = [a?, b?];
    if a.name == b.name {
        a.name += " (A)";
        b.name += " (B)";
    }
    Ok([a, b])
}

/// What an engine is told of a net. One that is not there would be another: an engine that cannot
/// load a net plays on with what it has.
fn net<'g>(given: &'g Path, fingerprints: &mut Fingerprints) -> Result<&'g str, Failure> {
    if is_standard(given) {
        return Err(Failure::Arguments(
            "`-` is no net for an engine: expected a file, or a value such as `<material>`".into(),
        ));
    }
    if !is_built_in(given) {
        fingerprints.add(given, &read_net(given, None)?);
    }
    text(given)
}

/// Whether it is what an engine has in itself, such as `<material>`, and no file.
fn is_built_in(given: &Path) -> bool {
    let text = given.as_os_str().as_encoded_bytes();
    text.starts_with(b"<") && text.ends_with(b">")
}

/// Where a program is. A name without a folder is looked for here, and then where the system looks:
/// which file it is decides what must not be written, and whether a match can go on.
fn program(path: &Path) -> PathBuf {
    if path.components().count() != 1 {
        return path.into();
    }
    if path.is_file() {
        return Path::new(".").join(path);
    }
    let mut name = OsString::from(path);
    if path.extension().is_none() {
        name.push(env::consts::EXE_SUFFIX);
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&folders).map(|folder| folder.join(&name));
    let found = places.find(|place| is_program(place));
    found.unwrap_or_else(|| path.into())
}

fn is_program(place: &Path) -> bool {
    fs::metadata(place).is_ok_and(|metadata| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;

            metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
        }
        #[cfg(not(unix))]
        metadata.is_file()
    })
}

fn text(path: &Path) -> Result<&str, Failure> {
    let line = path.to_str().filter(|text| !text.contains(['\n', '\r']));
    line.ok_or_else(|| {
        Failure::Work(format!(
            "`{}` is not one line of UTF-8, which UCI needs",
            foreign(path.display())
        ))
    })
}

/// What is in the files of the players, each of which is read once.
#[derive(Default)]
pub(super) struct Fingerprints(BTreeMap<PathBuf, String>);

impl Fingerprints {
    /// Remembers what is in a file that was read.
    fn add(&mut self, path: &Path, bytes: &[u8]) -> String {
        let hash = Sha256::digest(bytes);
        let hash: String = hash[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        let fingerprint = format!("`{}` ({hash})", path.display());
        self.0.insert(path.into(), fingerprint.clone());
        fingerprint
    }

    /// A file's path, and a hash of what is in it.
    pub(super) fn of(&mut self, path: &Path) -> Result<String, Failure> {
        match self.0.get(path) {
            Some(known) => Ok(known.clone()),
            None => Ok(self.add(path, &read(path)?)),
        }
    }

    /// The arguments and options of a player that are files, and what is in these. The files that it
    /// logs to are not among them.
    pub(super) fn of_player(&mut self, player: &Player) -> Result<Vec<(String, String)>, Failure> {
        let arguments = player.arguments.iter();
        let arguments = arguments.map(|argument| (format!("the argument {argument}"), argument));
        let options = player.options.iter();
        let options = options
            .filter(|(name, _)| !name.to_ascii_lowercase().contains("log"))
            .map(|(name, value)| (format!("the file {name}"), value));
        let files = arguments
            .chain(options)
            .filter(|(_, value)| !is_standard(value.as_ref()) && Path::new(value).is_file());
        files
            .map(|(name, value)| Ok((name, self.of(value.as_ref())?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_once() {
        let mut fingerprints = Fingerprints::default();
        let net = Path::new("no/such/net");
        let found = fingerprints.add(net, b"a net");
        assert_eq!(fingerprints.of(net).expect("it is known"), found);
        assert!(fingerprints.of("no/other/net".as_ref()).is_err());
    }

    #[test]
    fn what_is_in_the_engine_is_no_file() {
        assert!(is_built_in(Path::new("<material>")));
        assert!(!is_built_in(Path::new("<material>.nnue")));
    }
}
