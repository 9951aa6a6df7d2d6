//! The facts of `nnue info` about a net file, as parts of a page.

use std::iter::once;

use nnue_compiler::format::foreign;

use super::{cell, number, table, values};
use crate::nets::info::{self, Contents, Info};
use crate::picture::markup::{Markup, tag};

/// The kind of the file, and its header.
pub(super) fn file(info: &Info) -> Markup {
    let mut facts = vec![
        ("the file is", info.identity.clone()),
        ("size", format!("{} bytes", info.size)),
        (
            "known specs that fit",
            match info.fits.as_slice() {
                [] => "none".to_string(),
                fits => fits.join(", "),
            },
        ),
    ];
    if let Some(contents) = &info.network {
        if contents.compressed {
            facts.push(("compressed", "with zstd".to_string()));
        }
        if let Some(header) = &contents.header {
            facts.push(("version", format!("{:#010x}", header.version)));
            facts.push(("network hash", format!("{:#010x}", header.hash)));
            facts.push((
                "description",
                format!("\"{}\"", foreign(&header.description)),
            ));
        }
        facts.push(("no file tells", contents.untold.join(", ")));
    }
    Markup::from([tag("h2", "The file"), values("file", facts)])
}

/// The bounds of sums that the weights prove.
pub(super) fn proofs(contents: &Contents) -> Markup {
    let accumulator = &contents.accumulator;
    let first = (
        "accumulator",
        accumulator.lowest.into(),
        accumulator.highest.into(),
        accumulator.margin.into(),
    );
    let layers = contents.layers.iter();
    let layers = layers.map(|layer| (&*layer.name, layer.lowest, layer.highest, layer.margin));
    let rows = once(first).chain(layers);
    let rows = rows.map(|(name, lowest, highest, margin)| {
        let [lowest, highest, margin] = [lowest, highest, margin].map(number);
        tag("tr", [cell(name), lowest, highest, margin])
    });
    let told = format!(
        "No sum is beyond these bounds in any position: of the accumulator with {} features, of \
         layers with any inputs. The margin is the distance to the ends of the type, 16 bits in the \
         accumulator and 32 in layers.",
        accumulator.features
    );
    let columns = ["sums", "lowest", "highest", "margin"];
    Markup::from([tag("p", told), table("proofs", &columns, rows)])
}

/// The statistics of each tensor in the file.
pub(super) fn tensors(contents: &Contents) -> Markup {
    let rows = contents.tensors.iter().map(|tensor| {
        let cells = [
            cell(&tensor.name),
            cell(tensor.element.to_string()),
            number(tensor.values),
            number(info::number(tensor.minimum)),
            number(info::number(tensor.maximum)),
            cell(match tensor.limits {
                Some((least, most)) => format!("{least} to {most}"),
                None => "none".into(),
            }),
            number(format!("{:.3}", tensor.mean)),
            number(format!("{:.1} %", 100.0 * tensor.zeros)),
            number(match tensor.saturated {
                Some(share) => format!("{:.2} %", 100.0 * share),
                None => "none can be".into(),
            }),
        ];
        tag("tr", cells)
    });
    let columns = [
        "tensor",
        "type",
        "values",
        "minimum",
        "maximum",
        "type's limits",
        "mean",
        "zeros",
        "saturated",
    ];
    table("tensors", &columns, rows)
}
