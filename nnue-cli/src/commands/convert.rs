//! `nnue convert`: a net file in the form that another spec of the same network has, or as its
//! weights lie in memory.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_runtime::Level;
use nnue_tools::nets::conversion::{Converted, convert, lay_out};
use nnue_tools::nets::net_file::NetFile;
use nnue_tools::nets::specs::SpecChoice;
use nnue_tools::nets::told::with_spec;

use crate::Failure;
use crate::inputs::{NetInAndOut, available_level, check_outputs, remarks, write};

const EXAMPLE: &str = "\
Example: nnue convert raw.nnue compressed.nnue --spec raw.toml --to leb128.toml
         nnue convert quantised.bin my-net.nnue --spec my-net.toml --with-spec
         nnue convert nn-1c0000000000.nnue v9.avx2 --layout avx2";

const NOTES: &str = "\
If the first spec is factorised and the second is not, the file that is written has the sums: \
virtual rows are added to the real ones, and what stacks share to the weights of each. The other way \
is impossible, because nothing tells the parts of a sum.

With --layout, the weights are written as they lie in memory, behind a header that names the network, \
the level and the version, and has hashes. A program maps such a file with `Network::map`, which reads \
nothing but the header, and all processes that map it share its pages. Every level can use it; others \
than the one that is named copy the layers' weights.

With --with-spec, the file says what it is: `nnue info`, `eval` and all others need no --spec. A file \
that was compressed as a whole is unpacked. docs/net-files.md has the bytes.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Convert {
    #[command(flatten)]
    files: NetInAndOut,
    /// The spec of the file that is read: its name in `specs`, or a TOML file
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = crate::inputs::spec_choice(), required_unless_present = "layout")]
    spec: Option<SpecChoice>,
    /// The spec of the file that is written: the same network with another `[file]`, or without
    /// virtual rows and weights that stacks share
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = crate::inputs::spec_choice(), required_unless_present_any = ["layout", "with_spec"])]
    to: Option<SpecChoice>,
    /// Write the weights as they lie in memory at this instruction set, for `Network::map`; without
    /// `--spec`, the net file decides which network it is
    #[arg(long, value_name = "LEVEL", value_parser = available_level(), conflicts_with = "to")]
    layout: Option<Level>,
    /// Write the text of the spec behind the net, where `nnue` and `Network::open` find it and other
    /// programs do not look
    #[arg(long, conflicts_with = "layout")]
    with_spec: bool,
}

impl Convert {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let [input, output] = self.files.paths()?;
        let specs = [&self.spec, &self.to].map(|spec| spec.as_ref().and_then(SpecChoice::path));
        check_outputs(specs.into_iter().chain([Some(input)]), [output])?;
        // The other spec may be wrong, which is found without reading the file.
        let to = self.to.as_ref().map(SpecChoice::read).transpose()?;
        let file = NetFile::open(input, self.spec.as_ref())?;
        let mut converted = match (self.layout, &to) {
            (Some(level), _) => lay_out(&file, level)?,
            (None, Some(to)) => convert(file, &to.network)?,
            (None, None) => Converted {
                bytes: file.bytes,
                lost: Vec::new(),
            },
        };
        if self.with_spec {
            let text = match (to, &self.spec) {
                (Some(to), _) => to.text,
                (None, Some(spec)) => spec.read()?.text,
                // clap refuses these arguments first.
                (None, None) => return Err(Failure::Arguments("expected `--spec`".into())),
            };
            converted.bytes = with_spec(&converted.bytes, &text)?;
        }
        let (path, bytes) = (foreign(output.display()), &converted.bytes);
        write(output, bytes)?;
        let mut out = remarks([output], out);
        writeln!(out, "`{path}`: {} bytes", bytes.len())?;
        for lost in converted.lost {
            writeln!(out, "warning: the file has no place for {lost}")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
