//! The JSON Schema of run files: the trainer's keys, and the tables of the loop.
//!
//! The trainer's part is written by a test of the trainer, from the types that its run files are read
//! into. The loop's follows from the types of `run_file` in the same way: the documentation of a
//! field is what is said of its key, and which keys are required, and the defaults of the others, is
//! what reading tables tells.

use std::num::{NonZeroU16, NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::run_file::{Current, Engine, Matches, SelfPlay, Trainer};

/// The keys of the trainer.
const TRAINERS: &str = include_str!("schema/trainer.json");

/// The page about the loop.
const REFERENCE: &str = concat!(
    env!("CARGO_PKG_REPOSITORY"),
    "/blob/main/docs/loop.md#from-a-spec-to-strength-nnue-loop"
);

/// The JSON Schema of run files.
#[must_use]
pub fn run_schema() -> String {
    let mut schema: Value = serde_json::from_str(TRAINERS).unwrap_or_default();
    for (key, table) in [
        ("current", table::<Current>()),
        ("selfplay", table::<SelfPlay>()),
        ("match", table::<Matches>()),
        ("engine", table::<Engine>()),
        ("trainer", table::<Trainer>()),
    ] {
        schema["properties"][key] = table;
    }
    format!("{schema:#}\n")
}

/// A table whose fields are documented.
pub(super) trait Documented: DeserializeOwned + Serialize {
    /// What is said of the table.
    const TABLE: &'static [&'static str];
    /// Its keys.
    const KEYS: &'static [Key];
}

/// A key: its name, what is said of it, and its values.
pub(super) type Key = (&'static str, &'static [&'static str], fn() -> Value);

/// Declares the struct of a table with what is said of its keys.
macro_rules! documented {
    (
        $(#[doc = $about:literal])*
        $(#[derive $derive:tt])*
        $(#[serde $serde:tt])*
        $public:vis struct $name:ident {
            $(
                $(#[doc = $line:literal])*
                $(#[serde $how:tt])?
                $seen:vis $field:ident: $type:ty,
            )*
        }
    ) => {
        $(#[doc = $about])*
        $(#[derive $derive])*
        $(#[serde $serde])*
        $public struct $name {
            $($(#[doc = $line])* $(#[serde $how])? $seen $field: $type,)*
        }

        impl $crate::loops::schema::Documented for $name {
            const TABLE: &'static [&'static str] = &[$($about),*];
            const KEYS: &'static [$crate::loops::schema::Key] = &[$((
                stringify!($field),
                &[$($line),*],
                <$type as $crate::loops::schema::Form>::form,
            )),*];
        }
    };
}

pub(super) use documented;

/// A type of values, as JSON Schema has it.
pub(super) trait Form {
    fn form() -> Value;
}

impl Form for String {
    fn form() -> Value {
        json!({ "type": "string" })
    }
}

impl Form for PathBuf {
    fn form() -> Value {
        String::form()
    }
}

macro_rules! integers {
    ($($type:ident: $least:literal to $most:expr;)*) => {
        $(impl Form for $type {
            fn form() -> Value {
                json!({ "type": "integer", "minimum": $least, "maximum": $most })
            }
        })*
    };
}

// TOML has no larger integers than `i64`.
integers! {
    u32: 0 to u32::MAX;
    u64: 0 to i64::MAX;
    NonZeroU16: 1 to u16::MAX;
    NonZeroU32: 1 to u32::MAX;
    NonZeroU64: 1 to i64::MAX;
}

impl<T: Form> Form for Option<T> {
    fn form() -> Value {
        T::form()
    }
}

impl<T: Form> Form for Vec<T> {
    fn form() -> Value {
        json!({ "type": "array", "items": T::form() })
    }
}

fn table<T: Documented>() -> Value {
    let (required, defaults) = read::<T>();
    let mut properties = Map::new();
    for (key, about, form) in T::KEYS {
        let mut property = form();
        property["description"] = description(about).into();
        let default = defaults.get(*key).filter(|default| !default.is_null());
        if let Some(default) = default.filter(|_| !required.contains_key(*key)) {
            property["default"] = default.clone();
        }
        properties.insert((*key).into(), property);
    }
    json!({
        "type": "object",
        "description": description(T::TABLE),
        "properties": properties,
        "additionalProperties": false,
        "required": required.keys().collect::<Vec<_>>(),
    })
}

/// The keys that a table must have, and all values of a table that has no others.
fn read<T: Documented>() -> (Map<String, Value>, Value) {
    let mut required = Map::new();
    for (key, _, form) in T::KEYS {
        let mut values = Map::new();
        for (other, _, form) in T::KEYS.iter().filter(|(other, ..)| other != key) {
            values.insert((*other).into(), example(&form()));
        }
        if serde_json::from_value::<T>(values.into()).is_err() {
            required.insert((*key).into(), example(&form()));
        }
    }
    let table: Result<T, _> = serde_json::from_value(required.clone().into());
    let values = table.map(serde_json::to_value);
    (
        required,
        values.map_or(Value::Null, Result::unwrap_or_default),
    )
}

/// A value of a form.
fn example(form: &Value) -> Value {
    match form["type"].as_str() {
        Some("integer") => 1.into(),
        Some("array") => json!([]),
        _ => "".into(),
    }
}

fn description(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    format!("{}\n\n[Reference]({REFERENCE})", lines.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_say_what_they_need_and_what_they_have_otherwise() {
        let games = table::<SelfPlay>();
        assert_eq!(games["required"], json!(["games", "nodes"]));
        assert_eq!(games["properties"]["seed"]["default"], 1);
        assert_eq!(games["properties"]["games"]["minimum"], 1);
        let matches = table::<Matches>();
        assert_eq!(matches["required"], json!([]));
        assert_eq!(matches["properties"]["nodes"]["default"], 5000);
        assert_eq!(table::<Trainer>()["required"], json!(["command"]));
    }

    #[test]
    fn each_key_is_explained() {
        let schema: Value = serde_json::from_str(&run_schema()).unwrap();
        for (key, table) in schema["properties"].as_object().unwrap() {
            let said = |schema: &Value| schema["description"].as_str().unwrap_or("").len();
            assert!(said(table) > 90, "{key}");
            for (inner, property) in table["properties"].as_object().into_iter().flatten() {
                assert!(said(property) > 90, "{key}.{inner}");
            }
        }
    }
}
