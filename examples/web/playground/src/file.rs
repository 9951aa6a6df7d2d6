//! The net file that was dropped on the page, and whether networks read it.

use std::path::Path;

use nnue_compiler::format::{self, FileLayout, LoadError};
use nnue_compiler::network::Network;
use nnue_compiler::{explain, file_layout};
use nnue_interpreter::Net;
use nnue_tools::nets::evaluation::Interpreted;
use nnue_tools::nets::info::Info;
use nnue_tools::nets::net_file::Recognised;
use serde::Serialize;

/// The name that messages give the file.
pub(crate) const FILE: &str = "the file";

/// The most bytes of a file. The memory of WebAssembly is 4 GiB, and the interpreter's weights take
/// twice as much as those of a file, or more.
const LONGEST: usize = 1 << 30;

/// A file that was dropped on the page.
#[derive(Debug)]
pub(crate) struct NetFile {
    pub(crate) bytes: Vec<u8>,
    /// The layout for which the file was checked last, and why it does not have it.
    checked: Option<(FileLayout, Result<(), String>)>,
    /// The net of the last network that was evaluated.
    net: Option<Interpreted>,
}

/// What is said of a file.
#[derive(Debug, Serialize)]
pub struct Dropped {
    /// What the file is, as `nnue info` says.
    pub identity: String,
    /// The length of the file.
    pub bytes: usize,
    /// The version and the hash in a header like Stockfish's.
    pub hash: Option<String>,
    /// The known specs that the file fits.
    pub fits: Vec<&'static str>,
    /// Whether the last network reads the file.
    #[serde(flatten)]
    pub fit: Fit,
}

/// Whether the last network reads the last file.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Fit {
    /// Whether it does.
    pub loaded: bool,
    /// Why it does not.
    pub problem: Option<String>,
}

impl NetFile {
    /// A file with these bytes, and what is said of it without a spec.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<(NetFile, Dropped), String> {
        if bytes.len() > LONGEST {
            let len = bytes.len();
            return Err(format!(
                "found a file of {len} bytes, expected at most {LONGEST}"
            ));
        }
        let path = Path::new(FILE);
        // A spec behind the file tells the network.
        let told = Recognised::told(path, &bytes);
        let refused = told.as_ref().err().map(ToString::to_string);
        let given = told.ok().flatten().map(|told| told.file);
        let (info, opened) = Info::without_contents(path, &bytes, given);
        let layout = opened.map(|opened| opened.layout);
        let header = layout.as_ref().and_then(|layout| match layout.format {
            format::Format::Stockfish { version, hash } => Some(format!(
                "version {version:#010x}, network hash {hash:#010x}"
            )),
            _ => None,
        });
        let dropped = Dropped {
            identity: info.identity,
            bytes: bytes.len(),
            hash: header,
            fits: info.fits,
            fit: Fit {
                loaded: false,
                problem: refused.or(info.refused),
            },
        };
        let file = NetFile {
            bytes,
            checked: layout.map(|layout| (layout, Ok(()))),
            net: None,
        };
        Ok((file, dropped))
    }

    /// Checks whether a network reads the file. The file is read again only where another change of
    /// the spec than the last one asks for another file.
    pub(crate) fn fit(&mut self, network: &Network) -> Result<(), String> {
        let layout = file_layout(network);
        if let Some((known, fit)) = &self.checked
            && *known == layout
        {
            return fit.clone();
        }
        let unpacked = format::unpack(&layout, &self.bytes);
        let checked = unpacked.and_then(|bytes| format::check(&layout, &bytes));
        let explained =
            |error: LoadError| explain::explain(&layout, &self.bytes, error).to_string();
        let fit = checked.map(|_| ()).map_err(explained);
        self.checked = Some((layout, fit.clone()));
        fit
    }

    /// The net of a network that reads the file.
    pub(crate) fn net(&mut self, network: &Network) -> Result<&Interpreted, String> {
        self.fit(network)?;
        let net = match self.net.take().filter(|net| net.network() == network) {
            Some(net) => net,
            None => {
                check_room(network)?;
                let net = Net::from_bytes(network, &self.bytes);
                Interpreted::new(net.map_err(|error| error.to_string())?)
            }
        };
        Ok(self.net.insert(net))
    }
}

/// How many bytes the interpreter's weights of a network take, counted without the limits of this
/// machine's addresses.
pub(crate) fn size(network: &Network) -> u64 {
    let transformer = &network.transformer;
    let row = 2 * transformer.width + 4 * transformer.psqt;
    let rows = transformer.perspectives.copies() as u64 * network.row_count() as u64;
    let affine = network
        .layers
        .iter()
        .filter(|layer| layer.affine().is_some());
    let layers = affine.map(|layer| 8 * layer.output.len as u64 * layer.input_len() as u64);
    rows * row as u64 + network.stacks.count as u64 * layers.sum::<u64>()
}

/// Reports that the weights of a network do not fit in the memory of the page, where a list of them
/// would only end the module.
fn check_room(network: &Network) -> Result<(), String> {
    let bytes = size(network);
    let mut room: Vec<u8> = Vec::new();
    let len = usize::try_from(bytes).unwrap_or(usize::MAX);
    room.try_reserve_exact(len).map_err(|_| {
        format!(
            "the interpreter needs {} MB for the weights of `{}`, more than a page can have",
            bytes / 1_000_000,
            format::foreign(&network.name)
        )
    })
}
