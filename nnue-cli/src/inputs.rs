//! The files that subcommands read and write, the options that several subcommands have, and the
//! form of JSON.

mod net;
mod positions;
mod spec;
mod trace;

use std::fmt;
use std::io::Write;
use std::path::Path;

use clap::Args;
use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use nnue_compiler::format::levels::ISAS;
use nnue_compiler::plan::Unroll;
use nnue_runtime::Level;
use nnue_tools::files::{Inputs, is_standard_output};
use nnue_tools::nets::specs::SpecChoice;
use serde::Serialize;

pub(crate) use self::net::{ChosenNet, NetArgument, NetInAndOut, NetOptions, file_name};
pub(crate) use self::positions::{PositionFile, SampledPositions};
pub(crate) use self::spec::{SpecArgument, unless_net_is_given};
pub(crate) use self::trace::{TraceFile, read_trace};
use crate::Failure;
use crate::json::write_plain;

/// Refuses outputs that are inputs, before anything is opened.
pub(crate) fn check_outputs<'p>(
    read: impl IntoIterator<Item = Option<&'p Path>>,
    written: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Failure> {
    Ok(Inputs::of(read.into_iter().flatten()).check(written)?)
}

/// The stream for remarks about written files: standard error if one of them is standard output.
pub(crate) fn remarks<'p, 'o>(
    written: impl IntoIterator<Item = &'p Path>,
    out: &'o mut dyn Write,
) -> Box<dyn Write + 'o> {
    if written.into_iter().any(is_standard_output) {
        Box::new(anstream::stderr())
    } else {
        Box::new(out)
    }
}

/// Reads a file of text.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    Ok(nnue_tools::nets::specs::read_text(path)?)
}

/// Reads an argument that names a spec.
pub(crate) fn spec_choice() -> impl TypedValueParser<Value = SpecChoice> {
    OsStringValueParser::new().try_map(SpecChoice::of)
}

/// Writes a file as a whole or not at all; `-` is standard output.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    Ok(nnue_tools::files::write(path, bytes)?)
}

/// Prints a value as JSON.
pub(crate) fn write_json(value: &impl Serialize, out: &mut dyn Write) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value).map_err(Failure::work)?;
    write_plain(&json, out)?;
    writeln!(out)?;
    Ok(())
}

/// Reads one of these words. Each word stands for a value.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let choices: Vec<(&str, T)> = choices.into_iter().collect();
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    PossibleValuesParser::new(names).try_map(move |word| {
        let found = choices.iter().find(|(name, _)| *name == word);
        // clap refuses other words first.
        found
            .map(|(_, value)| value.clone())
            .ok_or("expected another word")
    })
}

/// How kernels are planned.
#[derive(Args, Debug)]
pub(crate) struct Kernels {
    /// Show only this instruction set
    #[arg(long, value_name = "NAME", value_parser = level_names())]
    pub(crate) level: Option<String>,
    /// Loops as measurements favour, or everything as straight-line code
    #[arg(
        long,
        value_name = "HOW",
        value_parser = one_of([("auto", Unroll::Auto), ("full", Unroll::Full)]),
        default_value = "auto",
    )]
    pub(crate) unroll: Unroll,
}

impl Kernels {
    /// Whether a level is shown.
    pub(crate) fn shows(&self, level: &str) -> bool {
        self.level.as_deref().is_none_or(|chosen| chosen == level)
    }
}

/// The text has the arguments as they follow others.
impl fmt::Display for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(level) = &self.level {
            write!(f, " --level {level}")?;
        }
        match self.unroll {
            Unroll::Auto => Ok(()),
            Unroll::Full => f.write_str(" --unroll full"),
        }
    }
}

fn level_names() -> PossibleValuesParser {
    ISAS.iter().map(|isa| isa.name).collect::<Vec<_>>().into()
}

/// Reads the name of an instruction set that this machine supports.
pub(crate) fn available_level() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(Level::names()).try_map(|name| Level::by_name(&name))
}

/// Instruction sets that an option names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NamedLevels {
    /// All that this machine supports.
    All,
    /// This one.
    One(Level),
}

impl NamedLevels {
    /// Reads the name of an instruction set that this machine supports, or `all`.
    pub(crate) fn parser() -> impl TypedValueParser<Value = NamedLevels> {
        PossibleValuesParser::new(Level::names().chain(["all"])).try_map(|name| match &*name {
            "all" => Ok(NamedLevels::All),
            name => Level::by_name(name).map(NamedLevels::One),
        })
    }

    /// The levels that options name, each once.
    pub(crate) fn levels(named: &[NamedLevels]) -> Vec<Level> {
        let mut levels = Vec::new();
        for named in named {
            let own = match named {
                NamedLevels::All => Level::available().collect(),
                NamedLevels::One(level) => vec![*level],
            };
            for level in own {
                if !levels.contains(&level) {
                    levels.push(level);
                }
            }
        }
        levels
    }
}

/// The level if no option names a level: that of `NNUE_LEVEL`, or else the best.
pub(crate) fn default_level() -> Result<Level, Failure> {
    let named = Level::from_env()
        .map_err(|error| Failure::Work(format!("`NNUE_LEVEL` in the environment: {error}")))?;
    Ok(named.unwrap_or_else(Level::detect))
}
