//! The spec that a subcommand is about.

use clap::{Arg, Args};
use nnue_compiler::network::Network;
use nnue_tools::nets::specs::SpecChoice;

use crate::Failure;

/// The main spec of a subcommand, which may be given without `--spec`.
#[derive(Args, Debug)]
pub(crate) struct SpecArgument {
    /// The spec: a TOML file, or the name of one in `specs`; `--spec SPEC` is the same
    #[arg(value_name = "SPEC", required_unless_present = "named_spec", value_parser = crate::inputs::spec_choice())]
    spec: Option<SpecChoice>,
    /// The spec
    #[arg(long = "spec", hide = true, value_name = "SPEC", conflicts_with = "spec", value_parser = crate::inputs::spec_choice())]
    named_spec: Option<SpecChoice>,
}

impl SpecArgument {
    /// The spec that the arguments name, where a net file may say it instead.
    pub(crate) fn given(&self) -> Option<&SpecChoice> {
        self.spec.as_ref().or(self.named_spec.as_ref())
    }

    /// The spec that the arguments name.
    pub(crate) fn choice(&self) -> Result<&SpecChoice, Failure> {
        // clap refuses missing arguments first.
        let missing =
            || Failure::Arguments("found no spec, expected `SPEC` or `--spec SPEC`".into());
        self.given().ok_or_else(missing)
    }

    /// The network that the spec describes.
    pub(crate) fn network(&self) -> Result<Network, Failure> {
        Ok(self.choice()?.network()?)
    }
}

/// Makes the spec optional, for a subcommand that takes a net file too.
pub(crate) fn unless_net_is_given(spec: Arg) -> Arg {
    spec.required_unless_present_any(["named_spec", "net"]).help(
        "The spec: a TOML file, or the name of one in `specs`; without it, the net file decides. \
         `--spec SPEC` is the same",
    )
}
