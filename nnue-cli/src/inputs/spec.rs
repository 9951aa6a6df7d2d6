//! The spec that a subcommand is about.

use clap::Args;
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
    /// The spec that the arguments name.
    pub(crate) fn choice(&self) -> Result<&SpecChoice, Failure> {
        let choice = self.spec.as_ref().or(self.named_spec.as_ref());
        choice.ok_or_else(missing)
    }

    /// The network that the spec describes.
    pub(crate) fn network(&self) -> Result<Network, Failure> {
        Ok(self.choice()?.network()?)
    }
}

/// The spec of a subcommand that takes a net file too, which may say which spec it needs.
#[derive(Args, Debug)]
pub(crate) struct OptionalSpec {
    /// The spec: a TOML file, or the name of one in `specs`; without it, the net file decides.
    /// `--spec SPEC` is the same
    #[arg(value_name = "SPEC", required_unless_present_any = ["named_spec", "net"], value_parser = crate::inputs::spec_choice())]
    spec: Option<SpecChoice>,
    /// The spec
    #[arg(long = "spec", hide = true, value_name = "SPEC", conflicts_with = "spec", value_parser = crate::inputs::spec_choice())]
    named_spec: Option<SpecChoice>,
}

impl OptionalSpec {
    /// The spec that the arguments name, if they name a spec.
    pub(crate) fn choice(&self) -> Option<&SpecChoice> {
        self.spec.as_ref().or(self.named_spec.as_ref())
    }

    /// The network that the spec describes; the arguments must name a spec.
    pub(crate) fn network(&self) -> Result<Network, Failure> {
        Ok(self.choice().ok_or_else(missing)?.network()?)
    }
}

/// The error for missing arguments, which clap has refused before.
fn missing() -> Failure {
    Failure::Arguments("found no spec, expected `SPEC` or `--spec SPEC`".to_string())
}
