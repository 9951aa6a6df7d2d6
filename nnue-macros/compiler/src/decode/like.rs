//! `like = "sfnnv9"`: completes a spec by the spec of a known network.
//!
//! Both specs are merged before any key is decoded, so a merged spec has the same keys, the same
//! checks and the same errors as a spec that says everything itself.

use std::collections::HashMap;

use super::table::{mismatch, string};
use crate::diagnostics::{Diagnostics, SourceFile, Span, Spanned, list};
use crate::known::{KNOWN, KnownSpec};
use crate::toml::{self, Entries, TomlValue, Value};

/// Keys of the same table that exclude each other. A spec that has a key of one side replaces the
/// known spec's keys of the other side.
const ALTERNATIVES: &[(&[&str], &[&str])] = &[
    (&["one"], &["weights_one"]),
    (&["one", "weights_one"], &["scales"]),
    (&["sum"], &["win", "draw", "loss"]),
    (&["multiply", "divide"], &["scale"]),
];

/// The network that a spec is like.
pub(super) struct BaseNetwork {
    known: &'static KnownSpec,
    /// The place of the name in the spec.
    span: Span,
}

impl BaseNetwork {
    /// Finds the network that `value` names.
    pub(super) fn decode(
        key: &str,
        value: &Value<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<BaseNetwork> {
        let name = string(key, value, diagnostics)?;
        let Some(known) = KNOWN.iter().find(|known| known.name == name.value) else {
            let names = KNOWN.iter().map(|known| known.name);
            diagnostics.unknown_name(key, &name, names);
            return None;
        };
        Some(BaseNetwork {
            known,
            span: name.span,
        })
    }

    /// The text of the known spec behind a spec of `length` bytes and an end of line. So every
    /// value that is read of it has a place of its own, which [`Diagnostics::completed_by`] tells
    /// apart from places in the spec.
    pub(super) fn text_behind(&self, length: usize) -> String {
        format!("{}\n{}", " ".repeat(length), self.known.text)
    }

    /// Adds the missing tables and keys to `spec`. `text` is the text of
    /// [`BaseNetwork::text_behind`]. If the spec changes layers that do not exist, this is reported
    /// and the result is `None`.
    pub(super) fn complete<'t>(
        &self,
        spec: &mut Entries<'t>,
        text: &'t str,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let file = SourceFile::new(format!("known spec {}", self.known.name), self.known.text);
        diagnostics.completed_by(file, self.span);
        let (mut known, _) = toml::read(text);
        known.remove("name");
        let says = |key: &str| spec.contains_key(key);
        // The transformer's hash depends on rows and width.
        if (says("features") || says("transformer"))
            && let Some(TomlValue::Table(file)) = known.get_mut("file").map(|file| &mut file.value)
        {
            file.remove("transformer_hash");
        }
        if spec.get("layer").is_some_and(has_ops) {
            known.remove("layer");
            // The known output names the known layers.
            known.remove("output");
        }
        let mut layers_are_right = true;
        for (key, entry) in known {
            let Some(own) = spec.get_mut(&key) else {
                spec.insert(key, entry);
                continue;
            };
            match (&mut own.value, entry.value.value) {
                // The format decides which other keys there are.
                (TomlValue::Table(own), _) if key == "file" && own.contains_key("format") => {}
                (TomlValue::Table(own), TomlValue::Table(known)) => complete_table(own, known),
                (TomlValue::Array(own), TomlValue::Array(known))
                    if key == "layer" && !own.is_empty() =>
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
        own: &mut Vec<Value<'t>>,
        mut known: Vec<Value<'t>>,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let mut changed: HashMap<usize, Span> = HashMap::new();
        let mut are_right = true;
        let changes = std::mem::take(own).into_iter();
        for (position, mut change) in changes.enumerate() {
            let span = change.span;
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
            if let (TomlValue::Table(change), TomlValue::Table(known)) =
                (&mut change.value, &known[index].value)
            {
                complete_table(change, known.clone());
            }
            known[index] = change;
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
        let TomlValue::Table(table) = &change.value else {
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
                .error(change.span, "`[[layer]]` needs `name`")
                .help(format!(
                    "the layers of `{}` are {}",
                    self.known.name,
                    list(&names)
                ));
            return None;
        };
        let found: Spanned<String> = string("name", name, diagnostics)?;
        let index = names.iter().position(|name| *name == found.value);
        if index.is_none() {
            let message = format!("`{}` has no layer `{}`", self.known.name, found.value);
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
    let TomlValue::Table(keys) = &layer.value else {
        return None;
    };
    match &keys.get("name")?.value {
        TomlValue::String(name) => Some(name.to_string()),
        _ => None,
    }
}

/// Whether the spec defines its layers anew. Changes of known layers have no `op`.
fn has_ops(layers: &Value<'_>) -> bool {
    let TomlValue::Array(layers) = &layers.value else {
        return false;
    };
    layers.iter().any(|layer| match &layer.value {
        TomlValue::Table(keys) => keys.contains_key("op"),
        _ => false,
    })
}

/// Adds the known keys that `own` neither has nor excludes.
fn complete_table<'t>(own: &mut Entries<'t>, known: Entries<'t>) {
    let says = |keys: &[&str]| keys.iter().any(|key| own.contains_key(key));
    let excluded: Vec<&str> = ALTERNATIVES
        .iter()
        .flat_map(|(one, other)| {
            let excluded = [says(one).then_some(*other), says(other).then_some(*one)];
            excluded.into_iter().flatten().flatten().copied()
        })
        .collect();
    for (key, entry) in known {
        if !own.contains_key(&key) && !excluded.contains(&key.as_ref()) {
            own.insert(key, entry);
        }
    }
}
