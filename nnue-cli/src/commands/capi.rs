//! `nnue capi`: a network as a library for C and C++.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::{explain, file_layout, format};
use nnue_tools::export::library::{Built, Embed, Kinds, Library, NEEDED, Weights, libraries};
use nnue_tools::measure::project::Project;
use nnue_tools::nets::net_file::read_net;
use nnue_tools::nets::specs::SpecChoice;

use super::bench::{PackageOptions, waiting};
use crate::Failure;
use crate::inputs::{SpecArgument, one_of};
use crate::progress;

const EXAMPLE: &str = "\
Example: nnue capi small128 --out lib
Then:    c++ engine.cpp -Ilib lib/libnnue_small128.a -o engine

The header says what the functions do, docs/c.md goes through a program.";

const KINDS: [(&str, Kinds); 3] = [
    ("static", Kinds::Static),
    ("shared", Kinds::Shared),
    ("both", Kinds::Both),
];

const PARTS: [(&str, Embed); 2] = [("file", Embed::File), ("weights", Embed::Weights)];

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Capi {
    #[command(flatten)]
    spec: SpecArgument,
    /// The folder for the header and the libraries
    #[arg(long, value_name = "DIR", required_unless_present = "source")]
    out: Option<PathBuf>,
    /// The beginning of all names, and the name of the files; without it, `nnue_` and the name of
    /// the spec
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// A net file that becomes part of the library
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// The net file as it is, or its weights as they lie in memory, which start faster
    #[arg(long, value_name = "PART", requires = "net", default_value = "file", value_parser = one_of(PARTS))]
    embed: Embed,
    /// Which libraries are built
    #[arg(long, value_name = "KIND", default_value = "both", value_parser = one_of(KINDS))]
    lib: Kinds,
    /// Write the package of the library into this folder, for other tools than this to build; it
    /// must be empty, or have a package of this command
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    source: Option<PathBuf>,
    #[command(flatten)]
    packages: PackageOptions,
}

impl Capi {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let choice = self.spec.choice()?;
        let spec = choice.read()?;
        let weights = match &self.net {
            Some(path) => {
                let file = read_net(path, None)?;
                explain::check(&file_layout(&spec.network), &file).map_err(|error| {
                    let path = format::foreign(path.display());
                    Failure::Work(format!("`{path}` is no net file of `{choice}`: {error}"))
                })?;
                let embed = self.embed;
                Some(Weights { file, embed })
            }
            None => None,
        };
        let name = self.name.clone().unwrap_or_else(|| name_for(choice));
        let library = Library::new(&spec.text, &spec.network, &name, weights)?;
        let kinds = self.lib;
        let project = Project::new(self.packages.runtime(), &NEEDED)?;
        if let Some(folder) = &self.source {
            library.check_folder(folder)?;
            library.write(folder, &project, kinds.crate_types())?;
            let folder = folder.display();
            writeln!(
                out,
                "wrote the package {folder}: `cargo build --release` there makes the library"
            )?;
            return Ok(ExitCode::SUCCESS);
        }
        let Some(folder) = &self.out else {
            return Err(Failure::Arguments("found no `--out DIR`".into()));
        };
        library.check_products(kinds, folder)?;
        let workspace = libraries(&self.packages.cache()?, project)?;
        let bar = progress::stages();
        bar.set_message("compiling");
        bar.tick();
        progress::say(&bar, progress::COMPILING);
        let built = library.build(&workspace, kinds, folder, waiting);
        bar.finish_and_clear();
        report(&built?, &name, folder, out)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn name_for(choice: &SpecChoice) -> String {
    Library::name_for(match choice {
        SpecChoice::Known(known) => Path::new(known.name),
        SpecChoice::File(path) => path,
    })
}

/// Lists the files that were written, and how a program is linked with them.
fn report(built: &Built, name: &str, folder: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = folder.display();
    writeln!(out, "wrote {}", built.header.display())?;
    if let Some(library) = &built.static_library {
        let (library, needed) = (library.display(), &built.system_libraries);
        writeln!(out, "wrote {library}, to be linked as")?;
        writeln!(out, "    c++ -I{folder} engine.cpp {library} {needed}")?;
    }
    if let Some(library) = &built.shared_library {
        writeln!(out, "wrote {}, to be linked as", library.display())?;
        writeln!(out, "    c++ -I{folder} engine.cpp -L{folder} -l{name}")?;
    }
    Ok(())
}
