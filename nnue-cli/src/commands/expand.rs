//! `nnue expand`: the Rust that the macro generates.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::{Levels, Options, emit};
use quote::quote;

use crate::Failure;
use crate::inputs::{Kernels, SpecArgument};

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue expand small128 --level avx512icl")]
pub(crate) struct Expand {
    #[command(flatten)]
    spec: SpecArgument,
    #[command(flatten)]
    kernels: Kernels,
}

impl Expand {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let network = self.spec.network()?;
        let options = Options {
            runtime: quote!(::nnue_runtime),
            unroll: self.kernels.unroll(),
            embedded: None,
            levels: Levels::All,
        };
        let tokens = emit(&network, &options).map_err(Failure::work)?;
        let mut file: syn::File = syn::parse2(tokens).map_err(|error| {
            Failure::Work(format!(
                "the generated code is not Rust: {error}; please report it"
            ))
        })?;
        if let Some(level) = &self.kernels.level {
            file.items.retain(|item| match item {
                syn::Item::Mod(module) => module.ident == level,
                _ => true,
            });
        }
        write!(out, "{}", prettyplease::unparse(&file))?;
        Ok(ExitCode::SUCCESS)
    }
}
