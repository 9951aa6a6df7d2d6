//! The part of JSON Schema that the schema of specs uses, and specs as JSON.

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

/// Whether the schema allows the value.
///
/// # Panics
///
/// If the schema uses what this function does not know.
pub(crate) fn allows(schema: &Value, value: &Value) -> bool {
    let keywords = match schema {
        Value::Bool(allows) => return *allows,
        Value::Object(keywords) => keywords,
        other => panic!("{other} is no schema"),
    };
    let holds = |(keyword, says): (&String, &Value)| match keyword.as_str() {
        "$schema" | "$id" | "title" | "description" | "default" | "then" | "else" => true,
        "type" => match says {
            Value::Array(types) => types.iter().any(|each| is(each, value)),
            one => is(one, value),
        },
        "enum" => says.as_array().unwrap().contains(value),
        "minimum" => number(value).is_none_or(|found| found >= number(says).unwrap()),
        "maximum" => number(value).is_none_or(|found| found <= number(says).unwrap()),
        "anyOf" => says
            .as_array()
            .unwrap()
            .iter()
            .any(|each| allows(each, value)),
        "items" => items(value).all(|item| allows(says, item)),
        "required" => {
            let mut names = says.as_array().unwrap().iter();
            let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
            !value.is_object() || names.all(has)
        }
        "properties" => members(value)
            .all(|(key, value)| says.get(key).is_none_or(|schema| allows(schema, value))),
        "additionalProperties" => {
            says == true || members(value).all(|(key, _)| keywords["properties"].get(key).is_some())
        }
        "if" => {
            let then = if allows(says, value) { "then" } else { "else" };
            keywords.get(then).is_none_or(|then| allows(then, value))
        }
        other => panic!("unknown keyword {other}"),
    };
    keywords.iter().all(holds)
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        other => panic!("unknown type {other}"),
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// A spec as JSON; `None` if it is no TOML.
pub(crate) fn json_of(spec: &str) -> Option<Value> {
    let (document, errors) = DeTable::parse_recoverable(spec);
    errors.is_empty().then(|| table(document.get_ref()))
}

fn table(entries: &DeTable<'_>) -> Value {
    let entries = entries.iter();
    let members: Map<String, Value> = entries
        .map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref())))
        .collect();
    Value::Object(members)
}

fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(number) => {
            let digits = i64::from_str_radix(number.as_str(), number.radix());
            digits.map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().unwrap().into(),
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Datetime(_) => Value::Null,
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(entries) => table(entries),
    }
}
