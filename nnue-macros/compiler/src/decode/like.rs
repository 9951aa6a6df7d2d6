//! `like = "sfnnv9"`: completes a spec by the spec of a known network.
//!
//! Both specs are merged before any key is decoded, so a merged spec has the same keys, the same
//! checks and the same errors as a spec that says everything itself.

mod bullet;

use std::borrow::Cow;
use std::collections::HashMap;

use toml::de::{DeArray, DeTable, DeValue};

use super::table::{Value, mismatch, one_of, string};
use crate::diagnostics::{Diagnostics, SourceFile, Span, Spanned, list};
use crate::known::{KNOWN, KnownSpec};
use crate::spec::documented::{About, documented};

pub use bullet::material_count;

/// Keys of the same table that exclude each other. A spec that has a key of one side replaces the
/// known spec's keys of the other side.
const ALTERNATIVES: &[(&[&str], &[&str])] = &[
    (&["one"], &["weights_one"]),
    (&["one", "weights_one"], &["scales"]),
    (&["sum"], &["win", "draw", "loss"]),
    (&["multiply", "divide"], &["scale"]),
];

/// Whether a spec that is like a known one can leave out this key of this table, or of the spec itself
/// where the table has no name.
pub(crate) fn completes(table: &str, key: &str) -> bool {
    match table {
        "" => key != "name",
        "transformer" | "stacks" | "output" | "file" => true,
        "layer" => key == "op",
        _ => false,
    }
}

/// The network that a spec is like.
pub(super) struct BaseNetwork {
    /// What `like` has for it.
    name: &'static str,
    /// The text of its spec.
    text: Cow<'static, str>,
    /// The place of the name in the spec.
    span: Span,
}

documented! {
    const LIKE {
        /// `like`: a known network, whose spec supplies everything that this spec does not say.
        like,
    }
}

/// What is said of the key `like`.
pub(super) const ABOUT: &[About] = LIKE;

/// Decodes the name of a known network; `None` stands for those of bullet's examples.
pub(super) fn name(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Option<&'static KnownSpec>>> {
    let known = KNOWN.iter().map(|known| (known.name, Some(known)));
    let names: Vec<_> = known.chain([(bullet::NAME, None)]).collect();
    one_of(&names, key, value, diagnostics)
}

impl BaseNetwork {
    /// Finds the network that `value` names, the value of `key` in `spec`.
    pub(super) fn decode(
        key: &str,
        value: &Value<'_>,
        spec: &DeTable<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<BaseNetwork> {
        let Spanned { value: known, span } = name(key, value, diagnostics)?;
        let (name, text) = match known {
            Some(known) => (known.name, known.text.into()),
            None => (bullet::NAME, bullet::text(spec).into()),
        };
        Some(BaseNetwork { name, text, span })
    }

    /// The text of the known spec behind a spec of `length` bytes and an end of line. So every
    /// value that is read of it has a place of its own, which [`Diagnostics::completed_by`] tells
    /// apart from places in the spec.
    pub(super) fn text_behind(&self, length: usize) -> String {
        format!("{}\n{}", " ".repeat(length), self.text)
    }

    /// Adds the missing tables and keys to `spec`. `text` is the text of
    /// [`BaseNetwork::text_behind`]. If the spec changes layers that do not exist, this is reported
    /// and the result is `None`.
    pub(super) fn complete<'t>(
        &self,
        spec: &mut DeTable<'t>,
        text: &'t str,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let file = SourceFile::new(format!("known spec {}", self.name), &*self.text);
        diagnostics.completed_by(file, self.span);
        if self.name == bullet::NAME {
            bullet::remove_what_the_text_has(spec);
        }
        let (known, _) = DeTable::parse_recoverable(text);
        let mut known = known.into_inner();
        known.remove("name");
        let says = |key: &str| spec.contains_key(key);
        // The transformer's hash depends on rows and width.
        if (says("features") || says("transformer"))
            && let Some(DeValue::Table(file)) = known.get_mut("file").map(|file| file.get_mut())
        {
            file.remove("transformer_hash");
        }
        if spec.get("layer").is_some_and(has_ops) {
            known.remove("layer");
            // The known output names the known layers.
            known.remove("output");
        }
        let mut layers_are_right = true;
        for (key, value) in known {
            let Some(own) = spec.get_mut(key.get_ref().as_ref()) else {
                spec.insert(key, value);
                continue;
            };
            match (own.get_mut(), value.into_inner()) {
                // The format decides which other keys there are.
                (DeValue::Table(own), _)
                    if key.get_ref() == "file" && own.contains_key("format") => {}
                (DeValue::Table(own), DeValue::Table(known)) => complete_table(own, known),
                (DeValue::Array(own), DeValue::Array(known))
                    if key.get_ref() == "layer" && !own.is_empty() =>
                {
                    layers_are_right = self.complete_layers(own, known, diagnostics);
                }
                _ => {}
            }
        }
        layers_are_right.then_some(())
    }

    /// Replaces a list of changes, which name known layers, by the list of all layers. Returns
    /// whether every name is right.
    fn complete_layers<'t>(
        &self,
        own: &mut DeArray<'t>,
        mut known: DeArray<'t>,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let mut changed: HashMap<usize, Span> = HashMap::new();
        let mut are_right = true;
        let changes = std::mem::replace(own, DeArray::new()).into_iter();
        for (position, mut change) in changes.enumerate() {
            let span = Span::from(change.span());
            let index = self.changed_layer(position, &change, &known, diagnostics);
            let Some(index) = index else {
                are_right = false;
                continue;
            };
            if let Some(first) = changed.insert(index, span) {
                diagnostics
                    .error(span, "this layer is changed twice")
                    .related(first, "first here");
                are_right = false;
                continue;
            }
            if let (DeValue::Table(change), DeValue::Table(known)) =
                (change.get_mut(), known[index].get_ref())
            {
                complete_table(change, known.clone());
            }
            known.as_mut()[index] = change;
        }
        *own = known;
        are_right
    }

    /// The index of the known layer that the entry `change` names, which is number `position` of
    /// the list.
    fn changed_layer(
        &self,
        position: usize,
        change: &Value<'_>,
        known: &[Value<'_>],
        diagnostics: &mut Diagnostics,
    ) -> Option<usize> {
        let names: Vec<String> = known.iter().filter_map(name_of).collect();
        let DeValue::Table(table) = change.get_ref() else {
            mismatch(
                &format!("layer[{position}]"),
                change,
                "a table",
                diagnostics,
            );
            return None;
        };
        let Some(name) = table.get("name") else {
            diagnostics
                .error(change.span().into(), "`[[layer]]` needs `name`")
                .help(format!(
                    "the layers of `{}` are {}",
                    self.name,
                    list(&names)
                ));
            return None;
        };
        let found: Spanned<String> = string("name", name, diagnostics)?;
        let index = names.iter().position(|name| *name == found.value);
        if index.is_none() {
            let message = format!("`{}` has no layer `{}`", self.name, found.value);
            let error = diagnostics.unknown(
                found.span,
                message,
                &found.value,
                names.iter().map(String::as_str),
            );
            if error.help.is_none() {
                error.help("a layer without `op` changes the known one of its name");
            }
        }
        index
    }
}

/// The name of a known layer.
fn name_of(layer: &Value<'_>) -> Option<String> {
    let name = layer.get_ref().get("name")?.get_ref().as_str();
    name.map(String::from)
}

/// Whether the spec defines its layers anew. Changes of known layers have no `op`.
fn has_ops(layers: &Value<'_>) -> bool {
    let mut layers = layers.get_ref().as_array().into_iter().flatten();
    layers.any(|layer| layer.get_ref().get("op").is_some())
}

/// Adds the known keys that `own` neither has nor excludes.
fn complete_table<'t>(own: &mut DeTable<'t>, known: DeTable<'t>) {
    let says = |keys: &[&str]| keys.iter().any(|key| own.contains_key(*key));
    let excluded: Vec<&str> = ALTERNATIVES
        .iter()
        .flat_map(|(one, other)| {
            let excluded = [says(one).then_some(*other), says(other).then_some(*one)];
            excluded.into_iter().flatten().flatten().copied()
        })
        .collect();
    for (key, value) in known {
        let name: &str = key.get_ref();
        if !own.contains_key(name) && !excluded.contains(&name) {
            own.insert(key, value);
        }
    }
}
