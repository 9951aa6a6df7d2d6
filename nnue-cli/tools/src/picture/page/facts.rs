//! The facts of `nnue info` about a net file, as parts of a page.

use std::iter::once;

use maud::{Markup, html};
use nnue_compiler::format::foreign;

use super::head;
use crate::nets::info::{Contents, Info, number};

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
    html! {
        h2 { "The file" }
        table #file {
            @for (name, fact) in facts { tr { th { (name) } td { (fact) } } }
        }
    }
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
    html! {
        p {
            "No sum is beyond these bounds in any position: of the accumulator with "
            (accumulator.features) " features, of layers with any inputs. The margin is the distance \
             to the ends of the type, 16 bits in the accumulator and 32 in layers."
        }
        table #proofs {
            (head(&["sums", "lowest", "highest", "margin"]))
            @for (name, lowest, highest, margin) in once(first).chain(layers) {
                tr {
                    td { (name) }
                    @for bound in [lowest, highest, margin] { td.number { (bound) } }
                }
            }
        }
    }
}

/// The statistics of each tensor in the file.
pub(super) fn numbers(contents: &Contents) -> Markup {
    html! {
        table #numbers {
            (head(&[
                "tensor", "type", "values", "minimum", "maximum", "mean", "zeros", "saturated",
            ]))
            @for tensor in &contents.tensors {
                tr {
                    td { (tensor.name) }
                    td { (tensor.element) }
                    td.number { (tensor.values) }
                    td.number { (number(tensor.minimum)) }
                    td.number { (number(tensor.maximum)) }
                    td.number { (format!("{:.3}", tensor.mean)) }
                    td.number { (format!("{:.1} %", 100.0 * tensor.zeros)) }
                    @match tensor.saturated {
                        Some(share) => td.number { (format!("{:.2} %", 100.0 * share)) },
                        None => td.number { "none can be" },
                    }
                }
            }
        }
    }
}
