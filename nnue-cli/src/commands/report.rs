//! `nnue report`: everything about a net on one page.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::{file_layout, format};
use nnue_interpreter::Net;

use crate::Failure;
use crate::inputs::{SpecFile, read};
use crate::page::{self, Subject};
use crate::picture;

/// How many neurons are drawn.
const NEURONS: usize = 32;

#[derive(Args, Debug)]
#[command(
    after_help = "Example: nnue report specs/small128.toml --net nn-37f18f62d772.nnue --out report.html"
)]
pub(crate) struct Report {
    #[command(flatten)]
    spec: SpecFile,
    /// The net file
    #[arg(long, value_name = "FILE")]
    net: PathBuf,
    /// The HTML file to write; it needs no other files
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Report {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let network = self.spec.network()?;
        let (file, name) = (self.net.display().to_string(), &network.name);
        let bytes = read(&self.net)?;
        let refused =
            |problem| Failure::Work(format!("`{file}` is not a net file for {name}: {problem}"));
        let loaded = format::check(&file_layout(&network), &bytes).map_err(refused)?;
        let net = Net::from_bytes(&network, &bytes).map_err(refused)?;
        let picture = picture::draw(&net, NEURONS)
            .map_err(|problem| Failure::Work(format!("{name} cannot be drawn: {problem}")))?;
        let page = page::html(&Subject {
            network: &network,
            file: &file,
            file_len: bytes.len(),
            loaded: &loaded,
            picture: &picture,
        });
        let path = self.out.display();
        fs::write(&self.out, page)
            .map_err(|error| Failure::Work(format!("cannot write `{path}`: {error}")))?;
        writeln!(out, "`{path}`: a report on `{file}`, which is {name}")?;
        Ok(ExitCode::SUCCESS)
    }
}
