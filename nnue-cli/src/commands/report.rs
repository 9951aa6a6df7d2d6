//! `nnue report`: everything about a net on one page.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::Failure;
use crate::inputs::{SpecFile, read, write};
use crate::net_file::NetFile;
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
        let bytes = read(&self.net)?;
        let file = NetFile::of(&self.net, self.spec.network()?, &bytes)?;
        let name = &file.network.name;
        let picture = picture::draw(&file.net()?, NEURONS)
            .map_err(|problem| Failure::Work(format!("{name} cannot be drawn: {problem}")))?;
        let page = page::html(&Subject {
            file: &file,
            file_len: bytes.len(),
            picture: &picture,
        });
        write(&self.out, page)?;
        let (path, net) = (self.out.display(), self.net.display());
        writeln!(out, "`{path}`: a report on `{net}`, which is {name}")?;
        Ok(ExitCode::SUCCESS)
    }
}
