//! What `nnue info` says of a net file, as parts of a page.

use std::fmt::Write;

use nnue_compiler::format::foreign;
use nnue_nets::info::{Contents, Info, number};

use crate::xml::escaped;

/// What the file is.
pub(super) fn file(info: &Info) -> String {
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
    let rows = facts.into_iter().map(|(name, fact)| {
        let fact = escaped(&fact);
        format!("<tr><th>{name}</th><td>{fact}</td></tr>\n")
    });
    let rows: String = rows.collect();
    format!("<h2>The file</h2>\n<table id=\"file\">\n{rows}</table>\n")
}

/// How far sums can go.
pub(super) fn proofs(contents: &Contents) -> String {
    let accumulator = &contents.accumulator;
    let mut table = format!(
        "<p>No sum is beyond these bounds in any position: of the accumulator with {} features, of \
         layers with any inputs. The margin is the distance to the ends of the type, 16 bits in the \
         accumulator and 32 in layers.</p>\n\
         <table id=\"proofs\">\n<tr><th>sums</th><th>lowest</th><th>highest</th><th>margin</th></tr>\n",
        accumulator.features
    );
    let mut row = |name: &str, lowest: i64, highest: i64, margin: i64| {
        let name = escaped(name);
        let _ = writeln!(
            table,
            "<tr><td>{name}</td><td class=\"number\">{lowest}</td>\
             <td class=\"number\">{highest}</td><td class=\"number\">{margin}</td></tr>"
        );
    };
    row(
        "accumulator",
        accumulator.lowest.into(),
        accumulator.highest.into(),
        accumulator.margin.into(),
    );
    for layer in &contents.layers {
        row(&layer.name, layer.lowest, layer.highest, layer.margin);
    }
    table + "</table>\n"
}

/// The numbers of each tensor of the file at a glance.
pub(super) fn numbers(contents: &Contents) -> String {
    let mut table = "<table id=\"numbers\">\n<tr><th>tensor</th><th>type</th><th>values</th>\
                     <th>minimum</th><th>maximum</th><th>mean</th><th>zeros</th>\
                     <th>saturated</th></tr>\n"
        .to_string();
    for tensor in &contents.tensors {
        let saturated = match tensor.saturated {
            Some(share) => format!("{:.2} %", 100.0 * share),
            None => "none can be".to_string(),
        };
        let cells = [
            tensor.values.to_string(),
            number(tensor.minimum),
            number(tensor.maximum),
            format!("{:.3}", tensor.mean),
            format!("{:.1} %", 100.0 * tensor.zeros),
            saturated,
        ];
        let cells = cells.map(|cell| format!("<td class=\"number\">{cell}</td>"));
        let (name, element) = (escaped(&tensor.name), tensor.element);
        let _ = writeln!(
            table,
            "<tr><td>{name}</td><td>{element}</td>{}</tr>",
            cells.concat()
        );
    }
    table + "</table>\n"
}
