//! From a checked network and its user's choices to the code of its module. The macro and
//! nnue-build share it, and bring the content of the files.

use std::fmt;

use nnue_format::LoadError;
use proc_macro2::TokenStream;
use quote::quote;

use crate::explain::explain;
use crate::network::Network;
use crate::plan::{TooMuchCode, Unroll};
use crate::{Embedded, Levels, Options, emit, file_layout};

/// The choices of a network's user.
#[derive(Clone, Debug)]
pub struct Request {
    /// How generated code names the runtime crate.
    pub runtime: TokenStream,
    /// How many layers are written out as straight-line code.
    pub unroll: Unroll,
    /// The levels whose kernels are written.
    pub levels: Levels,
    /// The net file that becomes part of the program.
    pub weights: Option<NetFile>,
    /// The text of the spec, for code that is compiled to be checked: see [`Options::checked`].
    pub checked: Option<String>,
}

/// A net file to check and embed.
#[derive(Clone, Debug)]
pub struct NetFile {
    /// The path as the user wrote it.
    pub path: String,
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The form in which the file is embedded.
    pub embed: Embed,
    /// An expression for a reference to the content, as generated code has it for [`Embed::File`].
    pub included: TokenStream,
}

/// The form in which weights become part of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Embed {
    /// The net file becomes part of the program, and is decoded when the network is made.
    #[default]
    File,
    /// The weights as they lie in memory become part of the program, and are used where they are.
    /// They make the program as large as they are, and compiling take 0.12 s more for each
    /// megabyte.
    Weights,
}

/// Why a right spec does not become code.
#[derive(Clone)]
pub enum Refused {
    /// The net file is not a file of this network.
    NetFile(String),
    /// The network would become too much code.
    TooMuchCode(TooMuchCode),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::NetFile(message) => f.write_str(message),
            Refused::TooMuchCode(problem) => problem.fmt(f),
        }
    }
}

nnue_format::debug_is_message!(Refused);

impl std::error::Error for Refused {}

/// The code of the network's module.
///
/// # Errors
///
/// [`Refused`] if the net file is not a file of this network, or if [`Unroll::Full`] would make too
/// much code of the network.
pub fn compile(network: &Network, request: &Request) -> Result<TokenStream, Refused> {
    let mut unpacks = None;
    let embedded = match &request.weights {
        None => None,
        Some(file) => {
            let layout = file_layout(network);
            let refused = |problem: LoadError| {
                Refused::NetFile(format!(
                    "`{}` is not a net file for {}: {}",
                    file.path,
                    network.name,
                    explain(&layout, &file.bytes, problem)
                ))
            };
            Some(match file.embed {
                Embed::Weights => Embedded::weights(network, &file.bytes).map_err(refused)?,
                Embed::File => {
                    nnue_format::check(&layout, &file.bytes).map_err(refused)?;
                    if nnue_format::is_packed(&layout, &file.bytes) {
                        // The file is unpacked when the program runs, so the runtime must be able
                        // to unpack it.
                        let runtime = &request.runtime;
                        unpacks = Some(quote! { const _: () = #runtime::__private::ZSTD; });
                    }
                    Embedded::File(file.included.clone())
                }
            })
        }
    };
    let options = Options {
        runtime: request.runtime.clone(),
        unroll: request.unroll,
        embedded,
        levels: request.levels,
        checked: request.checked.clone(),
    };
    let generated = emit(network, &options).map_err(Refused::TooMuchCode)?;
    Ok(quote! { #unpacks #generated })
}
