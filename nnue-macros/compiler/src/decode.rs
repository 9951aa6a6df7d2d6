//! Makes a [`Spec`] of a text: reads TOML, the keys, and the types and names of their values. All
//! mistakes are reported in one go.

mod document;
mod features;
mod file;
pub(crate) mod form;
mod layer;
mod like;
mod output;
mod reference;
pub(crate) mod table;
mod whole;

pub(crate) use layer::alignment;
pub(crate) use like::completes;
pub use like::material_count;

use toml::de::DeValue;

use crate::check::value::ONES;
use crate::diagnostics::{Diagnostics, SourceFile, Span, Spanned};
use crate::spec::documented::documented;
use crate::spec::{PairsKey, PsqtKey, Select, Spec, Stacks, Transformer};
use document::{document, first_line};
use form::{Form, forms_of};
use like::BaseNetwork;
use table::{
    Table, Value, array, boolean, inline_table, integer, integers, keys, mismatch, named, one_of,
    report_empty, string,
};

documented! {
    /// The table `pairs`.
    struct Blocks {
        /// `block`: the number of neurons of a block, an even number. In each block, value `j` of the
        /// first half is pooled with value `j` of the second half.
        #[within(2..=16384)]
        block: Spanned<i64>,
    }
}

documented! {
    /// The table `psqt`.
    struct PsqtOfLayers {
        /// `values`: the number of PSQT values of each feature.
        #[within(1..=256)]
        values: Spanned<i64>,
        /// `one`: the integer that stands for 1.0 in PSQT values.
        #[within(ONES)]
        one: Spanned<i64>,
    }
}

documented! {
    /// The table `select`.
    struct SelectKeys {
        /// `pieces`: a formula over the number `n` of pieces on the board, such as `(n - 1) / 4`.
        pieces: Option<Spanned<String>>,
        /// `table`: the stacks of positions with 0, 1, ... 32 pieces.
        #[within(0..=255)]
        table: Option<Spanned<Vec<Spanned<i64>>>>,
        /// `by`: who chooses the stack; the engine does.
        by: Option<Spanned<()>>,
    }
}

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
    let root = Table::new(&document, first_line(file), "the spec");
    spec(root, diagnostics)
}

/// The form of specs.
pub(crate) fn form() -> Vec<Form> {
    forms_of("", &|_, value, diagnostics| {
        let DeValue::Table(entries) = value.get_ref() else {
            return None;
        };
        spec(Table::new(entries, Span::default(), ""), diagnostics)
    })
}

fn spec(mut root: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Spec> {
    root.elsewhere(ELSEWHERE);
    root.described(like::ABOUT);
    root.described(Spec::ABOUT);
    let name = root.required_with("name", "\"my-net\"", table::name, diagnostics);
    // What it is like has completed the table.
    root.optional_with("like", like::name, diagnostics);
    let features = tables("features", &mut root, features::decode, diagnostics);
    let transformer = section("transformer", &mut root, transformer, diagnostics);
    let stacks = root.optional_with("stacks", stacks, diagnostics);
    let layers = tables("layer", &mut root, layer::decode, diagnostics);
    let output = section("output", &mut root, output::decode, diagnostics);
    let heads = root.optional_with("head", list_of_tables(output::decode_head), diagnostics);
    let net_file = section("file", &mut root, file::decode, diagnostics);
    root.finish(diagnostics);

    Some(Spec {
        name: name?,
        features: features?,
        transformer: transformer?,
        stacks: stacks?,
        layers: layers?,
        output: output?,
        heads: heads?.unwrap_or_default(),
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
    root.described(Transformer::ABOUT);
    let order = root.required_with("neuron_order", "[1, 0]", integers, diagnostics);
    root.finish(diagnostics);
    order
}

/// Decodes the tables of `[[key]]` by `decode`. There must be at least one table.
fn tables<'t, T>(
    key: &'static str,
    root: &mut Table<'t>,
    decode: impl Fn(Table<'t>, &mut Diagnostics) -> Option<T>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<T>> {
    let header = format!("[[{key}]]");
    root.required_as(key, &header, list_of_tables(decode), diagnostics)
}

/// Decodes a list of tables by `decode`, which reads one table.
fn list_of_tables<'t, T>(
    decode: impl Fn(Table<'t>, &mut Diagnostics) -> Option<T>,
) -> impl Fn(&str, &'t Value<'t>, &mut Diagnostics) -> Option<Vec<T>> {
    move |key, value, diagnostics| {
        let header = format!("[[{key}]]");
        let DeValue::Array(items) = value.get_ref() else {
            mismatch(key, value, "a list of tables", diagnostics)
                .help(format!("write `{header}`, with two brackets"));
            return None;
        };
        if items.is_empty() && !diagnostics.explores() {
            report_empty(key, value, diagnostics);
            return None;
        }
        let item = |key: &str, item: &'t Value<'t>, diagnostics: &mut Diagnostics| {
            let DeValue::Table(entries) = item.get_ref() else {
                mismatch(key, item, "a table", diagnostics);
                return None;
            };
            let table = Table::new(entries, item.span().into(), format!("`{header}`"));
            decode(table, diagnostics)
        };
        array(key, value, item, diagnostics).map(|tables| tables.value)
    }
}

/// Decodes the table under the header `[key]`, which must be there, by `decode`.
fn section<'t, T>(
    key: &'static str,
    root: &mut Table<'t>,
    decode: impl Fn(Table<'t>, &mut Diagnostics) -> Option<T>,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    let in_table = |key: &str, value: &'t Value<'t>, diagnostics: &mut Diagnostics| {
        decode(section_table(key, value, diagnostics)?, diagnostics)
    };
    root.required_as(key, &format!("[{key}]"), in_table, diagnostics)
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
    let blocks = keys!(
        table,
        diagnostics,
        Blocks {
            block: integer = "64"
        }
    );
    table.finish(diagnostics);
    blocks.map(|blocks| PairsKey::Blocks(blocks.block))
}

/// Decodes `psqt`: the number of values that are part of the output, or a table of values that
/// layers read.
fn psqt(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<PsqtKey> {
    let DeValue::Table(entries) = value.get_ref() else {
        return integer(key, value, diagnostics).map(PsqtKey::OfOutput);
    };
    let mut table = Table::new(entries, value.span().into(), "`psqt`");
    let psqt = keys!(
        table,
        diagnostics,
        PsqtOfLayers {
            values: integer = "3",
            one: integer = "16384",
        }
    );
    table.finish(diagnostics);
    psqt.map(|PsqtOfLayers { values, one }| PsqtKey::OfLayers { values, one })
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

/// Decodes who passes the number of the stack.
fn caller(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Spanned<()>> {
    one_of(&[("caller", ())], key, value, diagnostics)
}

const SELECT_EXAMPLE: &str = "select = { pieces = \"(n - 1) / 4\" }";

fn stacks(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Stacks> {
    let mut stacks = section_table(key, value, diagnostics)?;
    stacks.described(Stacks::ABOUT);
    let count = stacks.required_with("count", "8", integer, diagnostics);
    let selection = stacks.optional_with("select", select, diagnostics);
    let span = stacks.span;
    stacks.finish(diagnostics);
    let (count, select) = (count?, selection?.unwrap_or(Select::Only));
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

fn select(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Select> {
    let mut keys = inline_table(key, value, SELECT_EXAMPLE, diagnostics)?;
    let span = keys.span;
    let select = keys!(
        keys,
        diagnostics,
        SelectKeys {
            pieces: string,
            table: integers,
            by: caller,
        }
    );
    keys.finish(diagnostics);
    let SelectKeys { pieces, table, by } = select?;
    match (pieces, table, by) {
        (Some(formula), None, None) => Some(Select::Pieces(formula)),
        (None, Some(table), None) => Some(Select::Table(table)),
        (None, None, Some(_)) => Some(Select::Caller),
        _ => {
            let message = "`select` needs exactly one of `pieces`, `table` or `by`";
            diagnostics
                .error(span, message)
                .help(format!("keep one of them, as in `{SELECT_EXAMPLE}`"));
            None
        }
    }
}
