//! JSON as text.

use std::fmt;

/// The most characters of a line that holds a list.
const LINE: usize = 100;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    /// `true`, `false`, or another value that is written already.
    Word(String),
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    pub(super) fn texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Json {
        Json::list(texts.into_iter().map(Json::text))
    }

    pub(super) fn list(items: impl IntoIterator<Item = Json>) -> Json {
        Json::List(items.into_iter().collect())
    }

    pub(super) fn object<'k>(members: impl IntoIterator<Item = (&'k str, Json)>) -> Json {
        let members = members.into_iter();
        Json::Object(
            members
                .map(|(key, value)| (key.to_string(), value))
                .collect(),
        )
    }

    /// Writes the value, whose further lines begin with this indentation.
    fn write(&self, indent: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = self.inline();
        if indent.len() + short.len() <= LINE {
            return f.write_str(&short);
        }
        let deeper = format!("{indent}  ");
        match self {
            Json::Word(_) | Json::Number(_) | Json::Text(_) => f.write_str(&short),
            Json::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    let before = if index == 0 { "[" } else { "," };
                    write!(f, "{before}\n{deeper}")?;
                    item.write(&deeper, f)?;
                }
                write!(f, "\n{indent}]")
            }
            Json::Object(members) => {
                for (index, (key, value)) in members.iter().enumerate() {
                    let before = if index == 0 { "{" } else { "," };
                    write!(f, "{before}\n{deeper}{}: ", quoted(key))?;
                    value.write(&deeper, f)?;
                }
                write!(f, "\n{indent}}}")
            }
        }
    }

    /// The value in one line.
    fn inline(&self) -> String {
        match self {
            Json::Word(word) => word.clone(),
            Json::Number(number) => number.to_string(),
            Json::Text(text) => quoted(text),
            Json::List(items) => {
                let items: Vec<String> = items.iter().map(Json::inline).collect();
                format!("[{}]", items.join(", "))
            }
            Json::Object(members) => {
                let members = members
                    .iter()
                    .map(|(key, value)| format!("{}: {}", quoted(key), value.inline()));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write("", f)
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted += "\\n",
            _ if letter.is_control() => quoted += &format!("\\u{:04x}", u32::from(letter)),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
