//! Makes a [`Spec`] of a text: reads TOML, the keys, and the types and names of their values. All
//! mistakes are reported in one go.

mod document;
mod features;
mod file;
mod layer;
mod like;
mod output;
mod reference;
pub(crate) mod table;
mod whole;

pub(crate) use layer::alignment;
pub use like::material_count;

use toml::de::DeValue;

use crate::diagnostics::{Diagnostics, SourceFile, Spanned, all};
use crate::spec::{PairsKey, PsqtKey, Select, Spec, Stacks, Transformer};
use document::{document, first_line};
use like::BaseNetwork;
use table::{
    Table, Value, boolean, inline_table, integer, integers, keys, mismatch, named, report_empty,
    string,
};

/// What other tables have, as users of trainers call it.
const ELSEWHERE: &[(&str, &str)] = &[
    ("width", "write `transformer.width`"),
    ("activation", "write `transformer.activation`"),
    (
        "king_buckets",
        "write it in `features = [{ set = \"KingBuckets\", king_buckets = ..., mirror = ... }]`",
    ),
    (
        "mirror",
        "write it in `features = [{ set = ..., mirror = ... }]`",
    ),
    ("output_buckets", "write `stacks.count`"),
    ("scale", "write `output.scale`"),
];

/// Reads a spec, or reports everything that is wrong with the text and returns `None`.
pub fn decode(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Spec> {
    let known;
    let mut document = document("the spec", file, diagnostics)?;
    if let Some(value) = document.get("like") {
        let base = BaseNetwork::decode("like", value, &document, diagnostics)?;
        known = base.text_behind(file.text.len());
        base.complete(&mut document, &known, diagnostics)?;
    }
    let mut root = Table::new(&document, first_line(file), "the spec");
    root.elsewhere(ELSEWHERE);
    let name = root.required_with("name", "\"my-net\"", table::name, diagnostics);
    // The value of `like` was read above.
    root.optional("like");
    let features = tables("features", &mut root, features::decode, diagnostics);
    let transformer = section("transformer", &mut root, transformer, diagnostics);
    let stacks = root.optional_with("stacks", stacks, diagnostics);
    let layers = tables("layer", &mut root, layer::decode, diagnostics);
    let output = section("output", &mut root, output::decode, diagnostics);
    let heads = match root.optional("head") {
        Some(value) => list_of_tables("head", value, output::decode_head, diagnostics),
        None => Some(Vec::new()),
    };
    let net_file = section("file", &mut root, file::decode, diagnostics);
    root.finish(diagnostics);

    Some(Spec {
        name: name?,
        features: features?,
        transformer: transformer?,
        stacks: stacks?,
        layers: layers?,
        output: output?,
        heads: heads?,
        file: net_file?,
    })
}

/// The text that a spec stands for, if it is `like` another one: all keys and values, with a header
/// for each table. `None` also for a spec that cannot be completed.
pub fn whole_spec(file: &SourceFile) -> Option<String> {
    let mut reported = Diagnostics::default();
    let short = document("the spec", file, &mut reported)?;
    let base = BaseNetwork::decode("like", short.get("like")?, &short, &mut reported)?;
    // The table that is completed borrows the text behind it.
    let text = base.text_behind(file.text.len());
    let mut spec = document("the spec", file, &mut reported)?;
    base.complete(&mut spec, &text, &mut reported)?;
    spec.remove("like");
    Some(whole::text(&spec))
}

/// Reads `neuron_order` from a file of its own, or reports everything that is wrong with the text
/// and returns `None`.
pub(crate) fn decode_neuron_order(
    file: &SourceFile,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<i64>>>> {
    let document = document("the order", file, diagnostics)?;
    let mut root = Table::new(&document, first_line(file), "the order");
    let order = root.required_with("neuron_order", "[1, 0]", integers, diagnostics);
    root.finish(diagnostics);
    order
}

/// Decodes the tables of `[[key]]` by `decode`. There must be at least one table.
fn tables<T>(
    key: &'static str,
    root: &mut Table<'_>,
    decode: impl Fn(Table<'_>, &mut Diagnostics) -> Option<T>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<T>> {
    let value = root.required(key, &format!("[[{key}]]"), diagnostics)?;
    list_of_tables(key, value, decode, diagnostics)
}

fn list_of_tables<'t, T>(
    key: &str,
    value: &'t Value<'t>,
    decode: impl Fn(Table<'t>, &mut Diagnostics) -> Option<T>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<T>> {
    let header = format!("[[{key}]]");
    let DeValue::Array(items) = value.get_ref() else {
        mismatch(key, value, "a list of tables", diagnostics)
            .help(format!("write `{header}`, with two brackets"));
        return None;
    };
    if items.is_empty() {
        report_empty(key, value, diagnostics);
        return None;
    }
    let items = items.iter().enumerate();
    all(items.map(|(index, item)| match item.get_ref() {
        DeValue::Table(entries) => {
            let table = Table::new(entries, item.span().into(), format!("`{header}`"));
            decode(table, diagnostics)
        }
        _ => {
            mismatch(&format!("{key}[{index}]"), item, "a table", diagnostics);
            None
        }
    }))
}

/// Decodes the table under the header `[key]`, which must be there, by `decode`.
fn section<T>(
    key: &'static str,
    root: &mut Table<'_>,
    decode: impl FnOnce(Table<'_>, &mut Diagnostics) -> Option<T>,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    let value = root.required(key, &format!("[{key}]"), diagnostics)?;
    decode(section_table(key, value, diagnostics)?, diagnostics)
}

fn section_table<'t>(
    key: &str,
    value: &'t Value<'t>,
    diagnostics: &mut Diagnostics,
) -> Option<Table<'t>> {
    let title = format!("`[{key}]`");
    let DeValue::Table(entries) = value.get_ref() else {
        mismatch(key, value, "a table", diagnostics)
            .help(format!("write its keys under the header {title}"));
        return None;
    };
    Some(Table::new(entries, value.span().into(), title))
}

/// Decodes `pairs`, which says what is pooled: a name, or a table with the length of blocks.
fn pairs(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<PairsKey> {
    let DeValue::Table(entries) = value.get_ref() else {
        return named(key, value, diagnostics).map(PairsKey::Named);
    };
    let mut table = Table::new(entries, value.span().into(), "`pairs`");
    let block = table.required_with("block", "64", integer, diagnostics);
    table.finish(diagnostics);
    block.map(PairsKey::Blocks)
}

/// Decodes `psqt`: the number of values that are part of the output, or a table of values that
/// layers read.
fn psqt(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<PsqtKey> {
    let DeValue::Table(entries) = value.get_ref() else {
        return integer(key, value, diagnostics).map(PsqtKey::OfOutput);
    };
    let mut table = Table::new(entries, value.span().into(), "`psqt`");
    let values = table.required_with("values", "3", integer, diagnostics);
    let one = table.required_with("one", "16384", integer, diagnostics);
    table.finish(diagnostics);
    Some(PsqtKey::OfLayers {
        values: values?,
        one: one?,
    })
}

fn transformer(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Transformer> {
    let transformer = keys!(
        table,
        diagnostics,
        Transformer {
            width: integer = "1024",
            one: integer = "127",
            psqt: psqt,
            activation: named = "\"crelu\"",
            shift: integer,
            rounding: named,
            limit: integer,
            clips_one: boolean,
            pooling: named,
            product_shift: integer,
            product_rounding: named,
            pairs: pairs,
            unpooled: integer,
            perspectives: integer,
            order: named,
            neuron_order: integers,
            weights: named,
        }
    );
    table.finish(diagnostics);
    transformer
}

const SELECT_EXAMPLE: &str = "select = { pieces = \"(n - 1) / 4\" }";

fn stacks(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Stacks> {
    let mut stacks = section_table(key, value, diagnostics)?;
    let count = stacks.required_with("count", "8", integer, diagnostics);
    let selection = match stacks.optional("select") {
        None => Some(Select::Only),
        Some(value) => inline_table("select", value, SELECT_EXAMPLE, diagnostics)
            .and_then(|table| select(table, diagnostics)),
    };
    let span = stacks.span;
    stacks.finish(diagnostics);
    let (count, select) = (count?, selection?);
    if select == Select::Only && count.value > 1 {
        let bullets = material_count(count.value);
        diagnostics
            .error(span, format!("{} stacks need `select`", count.value))
            .help(format!(
                "for `n` pieces on the board, bullet has `select = {{ pieces = \"{bullets}\" }}` and Stockfish `(n - 1) / 4`; `{{ table = [...] }}` and `{{ by = \"caller\" }}` are other ways"
            ));
        return None;
    }
    Some(Stacks { count, select })
}

fn select(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Select> {
    let span = table.span;
    let pieces = table.optional("pieces");
    let by_table = table.optional("table");
    let by = table.optional("by");
    table.finish(diagnostics);
    match (pieces, by_table, by) {
        (Some(value), None, None) => string("pieces", value, diagnostics).map(Select::Pieces),
        (None, Some(value), None) => integers("table", value, diagnostics).map(Select::Table),
        (None, None, Some(value)) => {
            let by = string("by", value, diagnostics)?;
            if by.value != "caller" {
                diagnostics.unknown_name("by", &by, ["caller"].into_iter());
                return None;
            }
            Some(Select::Caller)
        }
        _ => {
            let message = "`select` needs exactly one of `pieces`, `table` or `by`";
            diagnostics
                .error(span, message)
                .help(format!("keep one of them, as in `{SELECT_EXAMPLE}`"));
            None
        }
    }
}
