//! Net files whose network a spec tells: one that the caller names, or one that is known.

use std::path::{Path, PathBuf};

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::{self, FileLayout, Identity, Loaded};
use nnue_compiler::network::Network;
use nnue_compiler::{analyse, file_layout, known_specs, spec_of};
use nnue_interpreter::Net;
use nnue_runtime::Warning;

use crate::Failure;
use crate::inputs;

/// What no net file tells, so that only the spec can be right or wrong about it.
pub(crate) const UNTOLD: [&str; 5] = [
    "shifts",
    "limits",
    "ones",
    "`select`: which stack a position uses",
    "the order of what layers read",
];

/// A net file that fits a network.
pub(crate) struct NetFile {
    /// Its path, for messages.
    pub(crate) path: PathBuf,
    pub(crate) network: Network,
    pub(crate) layout: FileLayout,
    /// What the file has besides its weights.
    pub(crate) loaded: Loaded,
    /// The file, unpacked if it was compressed as a whole.
    pub(crate) bytes: Vec<u8>,
}

impl NetFile {
    /// The bytes of a file, which must fit the network.
    pub(crate) fn of(path: &Path, network: Network, bytes: &[u8]) -> Result<NetFile, Failure> {
        let layout = file_layout(&network);
        let refused = |problem: format::LoadError| {
            let (path, name) = (path.display(), &network.name);
            Failure::Work(format!("`{path}` is not a net file for {name}: {problem}"))
        };
        let bytes = format::unpack(&layout, bytes)
            .map_err(refused)?
            .into_owned();
        let loaded = format::check(&layout, &bytes).map_err(refused)?;
        Ok(NetFile {
            path: path.to_path_buf(),
            network,
            layout,
            loaded,
            bytes,
        })
    }

    /// The file, of the network that a spec describes; without a spec, of the known network that
    /// it is a net of.
    pub(crate) fn open(path: &Path, spec: Option<&Path>) -> Result<NetFile, Failure> {
        let network = spec.map(inputs::network).transpose()?;
        let bytes = inputs::read(path)?;
        match network {
            Some(network) => NetFile::of(path, network, &bytes),
            None => NetFile::of_known(path, fitting(&bytes), &bytes),
        }
    }

    /// The bytes of a file, of the first of the known specs that it [fits](fitting), or of the one
    /// that can be written for it.
    pub(crate) fn of_known(
        path: &Path,
        fitting: Vec<Known>,
        bytes: &[u8],
    ) -> Result<NetFile, Failure> {
        let identity = format::identify(bytes);
        let network = match fitting.into_iter().next() {
            Some(known) => Some(known.network),
            None => identity.family().and_then(|family| {
                let text = spec_of(&family, "unnamed");
                analyse(&SourceFile::new("the spec of the file", text)).ok()
            }),
        };
        let Some(network) = network else {
            return Err(Failure::Work(format!(
                "`{}` is {identity}, and no known spec fits it; name its spec on the command line",
                path.display()
            )));
        };
        NetFile::of(path, network, bytes)
    }

    /// What compiled networks warn of when they load the file, but for what their weights prove.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        warnings(&self.loaded)
    }

    /// The network with the weights of the file.
    pub(crate) fn net(&self) -> Result<Net, Failure> {
        Net::from_bytes(&self.network, &self.bytes).map_err(Failure::work)
    }
}

/// What is to be said of a file that was loaded.
pub(crate) fn warnings(loaded: &Loaded) -> Vec<Warning> {
    let ignored = loaded.ignored.len();
    let ignored = (ignored > 0).then_some(Warning::IgnoredBytes(ignored));
    let transposed = loaded.transposed.iter().cloned();
    let clamped = loaded.clamped.iter().cloned();
    let warnings = ignored
        .into_iter()
        .chain(transposed.map(Warning::LooksTransposed))
        .chain(clamped.map(|(place, count)| Warning::Clamped(place, count)))
        .chain(loaded.looks_like.map(Warning::LooksLike));
    warnings.collect()
}

/// A spec that is part of the compiler.
pub(crate) struct Known {
    /// The name of its file in `specs/`, without the extension.
    pub(crate) name: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
    pub(crate) network: Network,
}

/// The known specs that a file fits: first those that its weights speak for.
pub(crate) fn fitting(bytes: &[u8]) -> Vec<Known> {
    let mut found = Vec::new();
    for (name, text) in known_specs() {
        let Ok(network) = analyse(&SourceFile::new(name, text.to_string())) else {
            continue;
        };
        let loaded = format::unpack(&file_layout(&network), bytes)
            .and_then(|bytes| format::check(&file_layout(&network), &bytes));
        if let Ok(loaded) = loaded {
            let doubted = loaded.looks_like.is_some();
            let known = Known {
                name,
                text,
                network,
            };
            found.push((doubted, known));
        }
    }
    found.sort_by_key(|(doubted, _)| *doubted);
    found.into_iter().map(|(_, known)| known).collect()
}

/// The spec of a file that is recognised: its text.
pub(crate) fn spec_for(path: &Path, bytes: &[u8], name: &str) -> Result<String, Failure> {
    if let Some(known) = fitting(bytes).into_iter().next() {
        return Ok(known.text.to_string());
    }
    let identity = format::identify(bytes);
    match (identity, identity.family()) {
        (_, Some(family)) => Ok(spec_of(&family, name)),
        (Identity::Header(_), None) => Err(Failure::Work(format!(
            "`{}` is {identity}: the rest of the file is missing or damaged",
            path.display()
        ))),
        (_, None) => Err(Failure::Work(format!(
            "`{}` is {identity}: only nets that are built like Stockfish's tell their shape; \
             write a spec as `specs/README.md` describes, and try it with `nnue check SPEC --weights FILE`",
            path.display()
        ))),
    }
}
