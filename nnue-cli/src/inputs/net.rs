//! The arguments that name a net.

use std::path::{Path, PathBuf};

use clap::Args;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::foreign;
use nnue_tools::nets::net_file::NetFile;
use nnue_tools::nets::specs::SpecChoice;

use crate::Failure;

/// The spec of the net that is part of the program.
const BUILT_IN_SPEC: &str = include_str!("primer.toml");

/// The name of the file of the net that is part of the program.
const BUILT_IN_FILE: &str = "primer.nnue";

/// The net that is part of the program.
const BUILT_IN: &[u8] = include_bytes!("primer.nnue");

/// The main net file of a subcommand, which may be given without `--net`.
#[derive(Args, Debug)]
pub(crate) struct NetArgument {
    /// The net file; `--net FILE` is the same
    #[arg(value_name = "FILE", required_unless_present = "named_net")]
    net: Option<PathBuf>,
    /// The net file
    #[arg(long = "net", hide = true, value_name = "FILE", conflicts_with = "net")]
    named_net: Option<PathBuf>,
}

impl NetArgument {
    /// The path of the net file.
    pub(crate) fn path(&self) -> Result<&Path, Failure> {
        let named = self.net.as_deref().or(self.named_net.as_deref());
        // clap refuses these arguments first.
        named.ok_or_else(|| Failure::Arguments("found no net, expected `--net FILE`".into()))
    }
}

/// The net file that a subcommand reads, and the one that it writes: as `IN OUT`, or after `--net`
/// and `--out` as everywhere.
#[derive(Args, Debug)]
pub(crate) struct NetInAndOut {
    /// The file that is read; `--net FILE` is the same
    #[arg(value_name = "IN")]
    first: Option<PathBuf>,
    /// The file that is written; `--out FILE` is the same
    #[arg(value_name = "OUT")]
    second: Option<PathBuf>,
    /// The file that is read
    #[arg(long, hide = true, value_name = "FILE")]
    net: Option<PathBuf>,
    /// The file that is written
    #[arg(long, hide = true, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl NetInAndOut {
    /// The paths of the file that is read and of the file that is written.
    pub(crate) fn paths(&self) -> Result<[&Path; 2], Failure> {
        // A path that has an option's name is not among the others.
        let mut others = [&self.first, &self.second].into_iter().flatten();
        let mut path = |named: &'_ Option<PathBuf>| match named {
            Some(_) => None,
            None => others.next(),
        };
        let (input, output) = (path(&self.net), path(&self.out));
        let (input, output) = (self.net.as_ref().or(input), self.out.as_ref().or(output));
        match (input, output, others.next()) {
            (Some(input), Some(output), None) => Ok([input, output]),
            (Some(_), None, _) => Err(Failure::Arguments(
                "found no file to write, expected `OUT` or `--out FILE`".into(),
            )),
            (None, ..) => Err(Failure::Arguments(
                "found no net, expected `IN OUT` or `--net FILE`".into(),
            )),
            (_, _, Some(other)) => Err(Failure::Arguments(format!(
                "found `{}` beside the file that is read and the one that is written",
                foreign(other.display())
            ))),
        }
    }
}

/// The net that a subcommand uses, where one is built in.
#[derive(Args, Debug)]
pub(crate) struct NetOptions {
    /// Use this net file, not the one that is built in
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// The network's spec: its name in `specs`, or a TOML file; without it, the net file decides
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = crate::inputs::spec_choice())]
    spec: Option<SpecChoice>,
}

/// The net that the options name.
#[derive(Debug)]
pub(crate) struct ChosenNet {
    pub(crate) file: NetFile,
    /// The name of the file, with which a report begins.
    pub(crate) name: String,
}

impl NetOptions {
    /// The files that the options name.
    pub(crate) fn paths(&self) -> [Option<&Path>; 2] {
        let spec = self.spec.as_ref().and_then(SpecChoice::path);
        [self.net.as_deref(), spec]
    }

    /// Whether no net is named.
    pub(crate) fn is_built_in(&self) -> bool {
        self.net.is_none()
    }

    /// Reads the net file.
    pub(crate) fn open(&self) -> Result<ChosenNet, Failure> {
        match &self.net {
            Some(path) => Ok(ChosenNet {
                file: NetFile::open(path, self.spec.as_ref())?,
                name: file_name(path),
            }),
            None => self.open_built_in(),
        }
    }

    fn open_built_in(&self) -> Result<ChosenNet, Failure> {
        let network =
            analyse(&SourceFile::new("primer.toml", BUILT_IN_SPEC)).map_err(Failure::work)?;
        if let Some(spec) = &self.spec
            && spec.network()? != network
        {
            return Err(Failure::Arguments(format!(
                "`--spec {spec}` needs `--net FILE`: the net that is built in is one of `primer`"
            )));
        }
        Ok(ChosenNet {
            file: NetFile::of(Path::new(BUILT_IN_FILE), network, BUILT_IN)?,
            name: format!("{BUILT_IN_FILE}, built in"),
        })
    }
}

/// The last component of a path.
pub(crate) fn file_name(path: &Path) -> String {
    let name = path.file_name().map_or(path, Path::new);
    name.display().to_string()
}
