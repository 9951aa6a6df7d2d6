//! What stays between two calls, and the functions of the page.

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::foreign;
use nnue_compiler::format::levels::ISAS;
use nnue_compiler::layout::Layout;
use nnue_compiler::network::Network;
use nnue_compiler::plan::{Plans, Unroll};
use nnue_compiler::{analyse, whole_spec};
use nnue_tools::export::rust::{self, generated};
use serde::Serialize;

use crate::adopted::Adopted;
use crate::checked::Checked;
use crate::evaluation::{Evaluated, evaluate};
use crate::file::{self, Dropped, Fit, NetFile};
use crate::tensors::Tensors;

/// The name that errors give the spec.
const SPEC: &str = "net.toml";

/// What is missing before the first spec.
const NO_SPEC: &str = "found no spec without mistakes, expected one to be checked first";

/// What is missing before the first file.
const NO_FILE: &str = "found no net file, expected one to be dropped first";

/// A spec that was checked, and a file that was dropped on the page.
#[derive(Debug, Default)]
pub struct Playground {
    spec: Option<RightSpec>,
    file: Option<NetFile>,
}

/// The last spec without mistakes.
#[derive(Debug)]
struct RightSpec {
    text: String,
    network: Network,
}

/// A text.
#[derive(Debug, Serialize)]
pub struct Text {
    /// The text.
    pub text: String,
}

impl Playground {
    /// Reads a spec, and shows its mistakes or its network, which then is the last network.
    ///
    /// # Errors
    ///
    /// The bytes are no text, or the network has more weights than 32 bits can address.
    pub fn check(&mut self, text: Vec<u8>) -> Result<Checked, String> {
        let source = SourceFile::from_utf8(SPEC, text)?;
        match analyse(&source) {
            Ok(network) => {
                check_size(&network)?;
                let checked = Checked::right(&network);
                let text = source.text;
                self.spec = Some(RightSpec { text, network });
                Ok(checked)
            }
            Err(errors) => Ok(Checked::wrong(&errors)),
        }
    }

    /// The tensors of the last network.
    ///
    /// # Errors
    ///
    /// No spec without mistakes was checked.
    pub fn tensors(&self) -> Result<Tensors, String> {
        Ok(Tensors::of(self.network()?))
    }

    /// The plan of the last network for the level with this name.
    ///
    /// # Errors
    ///
    /// No spec without mistakes was checked, or no level has the name.
    pub fn plan(&self, level: &[u8]) -> Result<Text, String> {
        let (network, level) = (self.network()?, level_named(level)?);
        let layout = Layout::of(network);
        let mut plans = Plans::of(&layout, Unroll::Auto).map_err(|error| error.to_string())?;
        plans.levels.retain(|plan| plan.isa.name == level);
        Ok(Text {
            text: plans.to_string(),
        })
    }

    /// The Rust that the macro generates of the last network for the level with this name.
    ///
    /// # Errors
    ///
    /// The errors of [`Playground::plan`].
    pub fn code(&self, level: &[u8]) -> Result<Text, String> {
        let (network, level) = (self.network()?, level_named(level)?);
        let command = format!("nnue expand {SPEC} --level {level}");
        let code = generated(network, Unroll::Auto, rust::Shown::Level(level), &command);
        Ok(Text {
            text: code.map_err(|error| error.to_string())?,
        })
    }

    /// All that the last spec stands for: itself, unless it is `like` another one.
    ///
    /// # Errors
    ///
    /// No spec without mistakes was checked.
    pub fn whole(&self) -> Result<Text, String> {
        let text = &self.spec()?.text;
        let whole = whole_spec(&SourceFile::new(SPEC, text.clone()));
        Ok(Text {
            text: whole.unwrap_or_else(|| text.clone()),
        })
    }

    /// Takes a net file: says what it is, and whether the last network reads it.
    ///
    /// # Errors
    ///
    /// The file is too long.
    pub fn drop(&mut self, bytes: Vec<u8>) -> Result<Dropped, String> {
        self.file = None;
        let (file, mut dropped) = NetFile::of(bytes)?;
        self.file = Some(file);
        if self.spec.is_some() {
            dropped.fit = self.fits()?;
        }
        Ok(dropped)
    }

    /// Whether the last network reads the last file.
    ///
    /// # Errors
    ///
    /// No spec without mistakes was checked, or there is no file.
    pub fn fits(&mut self) -> Result<Fit, String> {
        let (network, file) = self.both()?;
        let problem = file.fit(network).err();
        Ok(Fit {
            loaded: problem.is_none(),
            problem,
        })
    }

    /// The specs that fit the last file, the one with the best evidence first.
    ///
    /// # Errors
    ///
    /// There is no file.
    pub fn adopt(&self) -> Result<Adopted, String> {
        let file = self.file.as_ref().ok_or(NO_FILE)?;
        Ok(Adopted::of(&file.bytes))
    }

    /// Evaluates a position, as `nnue eval` reads it, with the last network and the last file.
    ///
    /// # Errors
    ///
    /// The errors of [`Playground::fits`]; the file does not fit, or its weights are too many; the
    /// text is no position, or lacks what only an engine knows.
    pub fn evaluate(&mut self, position: &[u8]) -> Result<Evaluated, String> {
        let text = str::from_utf8(position).map_err(|_| "the FEN is not UTF-8 text")?;
        let (network, file) = self.both()?;
        evaluate(file.net(network)?, network, text)
    }

    /// The last network and the last file.
    fn both(&mut self) -> Result<(&Network, &mut NetFile), String> {
        let spec = self.spec.as_ref().ok_or(NO_SPEC)?;
        Ok((&spec.network, self.file.as_mut().ok_or(NO_FILE)?))
    }

    fn spec(&self) -> Result<&RightSpec, String> {
        Ok(self.spec.as_ref().ok_or(NO_SPEC)?)
    }

    fn network(&self) -> Result<&Network, String> {
        Ok(&self.spec()?.network)
    }
}

/// Refuses a network whose weights a page cannot address, for their places are computed in its
/// words.
fn check_size(network: &Network) -> Result<(), String> {
    match file::size(network) {
        small if small <= u64::from(u32::MAX) => Ok(()),
        size => Err(format!(
            "the weights of `{}` take {} MB, and a page can have 4,294: `nnue` on a computer shows \
             this network",
            foreign(&network.name),
            size / 1_000_000
        )),
    }
}

/// The name of a level, as the table of levels has it.
fn level_named(name: &[u8]) -> Result<&'static str, String> {
    let names = || ISAS.iter().map(|isa| isa.name);
    let found = names().find(|level| level.as_bytes() == name);
    found.ok_or_else(|| {
        format!(
            "found the level `{}`, allowed are {}",
            foreign(String::from_utf8_lossy(name)),
            names().collect::<Vec<_>>().join(", ")
        )
    })
}
