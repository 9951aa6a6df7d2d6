//! Carries out what a help says, on the text of a spec; and changes specs as mistakes do.

use std::ops::Range;

use nnue_compiler::diagnostics::Diagnostic;

/// The text after what the help of an error says; `None` if it only explains something.
pub(crate) fn follow(text: &str, error: &Diagnostic) -> Option<String> {
    let help = error.help.as_deref()?;
    let marked = error.span.start..error.span.end;
    let mut spec = Edited {
        text: text.to_string(),
        marked: marked.clone(),
        scope: scope(text, marked.start),
    };
    if let Some(word) = between(help, "did you mean `", "`?") {
        spec.replace_marked(word);
        return Some(spec.text);
    }
    if let Some(number) = between(help, "shift ", " takes ") {
        number.parse::<i64>().ok()?;
        let ends = help.contains("if that is") || help.contains("no shift");
        if !ends {
            spec.replace_marked(number);
            return Some(spec.text);
        }
    }
    spec.follow_all(help).then_some(spec.text)
}

/// A spec that is edited.
struct Edited {
    text: String,
    marked: Range<usize>,
    /// The table that keys are written into.
    scope: Range<usize>,
}

impl Edited {
    /// Follows each instruction of a help up to an alternative. Returns whether there was any.
    fn follow_all(&mut self, help: &str) -> bool {
        let help = help.split("; else ").next().unwrap_or(help);
        let mut followed = false;
        let mut pieces = help.split('`');
        // Words and what stands in backquotes take turns.
        while let (Some(words), Some(fragment)) = (pieces.next(), pieces.next()) {
            if followed && words.contains(" or ") {
                break;
            }
            let verb = words.trim_end();
            let writes = ["write", "add", "for example"]
                .iter()
                .any(|it| verb.ends_with(it))
                || followed && matches!(verb, "and" | ", and");
            followed |= if writes {
                self.write(fragment)
            } else if verb.ends_with("remove") {
                let key = fragment.split('=').next().unwrap_or(fragment).trim();
                self.remove(key)
            } else {
                self.name(fragment);
                false
            };
        }
        let removes_it = help.ends_with("remove it")
            || ["remove it, or", "remove it if"]
                .iter()
                .any(|words| help.contains(words));
        if !followed && removes_it {
            return self.remove_marked();
        }
        followed
    }

    /// Chooses the layer or the table of this name for what follows.
    fn name(&mut self, name: &str) {
        let header = if name.starts_with('[') {
            self.text.find(&format!("\n{name}")).map(|at| at + 1)
        } else {
            self.text.find(&format!("name = \"{name}\""))
        };
        if let Some(at) = header {
            self.scope = scope(&self.text, at + 1);
        }
    }

    fn replace_marked(&mut self, with: &str) {
        let range = self.marked.clone();
        let quoted = self.text[range.clone()].starts_with('"') && !with.starts_with('"');
        let with = if quoted {
            format!("\"{with}\"")
        } else {
            with.to_string()
        };
        self.text.replace_range(range, &with);
        self.look_again();
    }

    /// Writes `key = value`, or replaces the marked text.
    fn write(&mut self, fragment: &str) -> bool {
        let is_header = fragment.starts_with('[');
        let key = fragment.split_once(" = ").map(|(key, _)| key);
        let key = key.filter(|key| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        let Some(key) = key else {
            if is_header && !self.text[self.marked.clone()].starts_with('[') {
                return false;
            }
            if fragment.contains("...") {
                return false;
            }
            self.replace_marked(fragment);
            return true;
        };
        if fragment.contains("...") || fragment.contains(" | ") {
            return false;
        }
        if let Some(range) = assignment(&self.text, &self.scope, key) {
            self.text.replace_range(range, fragment);
            self.look_again();
            return true;
        }
        // Behind the header, or behind the brace of an inline table.
        let inline = self.text[self.scope.clone()].starts_with('{');
        let (at, inserted) = if inline {
            let empty = self.text[self.scope.clone()]
                .trim_matches(['{', '}', ' '])
                .is_empty();
            let end = if empty { "" } else { "," };
            (self.scope.start + 1, format!(" {fragment}{end}"))
        } else {
            let start = self.scope.start;
            let is_header = self.text[start..].starts_with('[');
            let line = self.text[start..].find('\n').filter(|_| is_header);
            let at = line.map_or(start, |line| start + line + 1);
            (at, format!("{fragment}\n"))
        };
        self.text.insert_str(at, &inserted);
        self.look_again();
        true
    }

    fn remove(&mut self, key: &str) -> bool {
        let Some(range) = assignment(&self.text, &self.scope, key) else {
            return false;
        };
        self.delete(range);
        true
    }

    /// Removes the key whose value, or which itself, is marked.
    fn remove_marked(&mut self) -> bool {
        let scope = &self.text[self.scope.clone()];
        let words = scope.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let mut keys: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        keys.dedup();
        let marked = self.marked.clone();
        let range = keys.iter().find_map(|key| {
            let range = assignment(&self.text, &self.scope, key)?;
            (range.start <= marked.start && marked.end <= range.end).then_some(range)
        });
        let Some(range) = range else { return false };
        self.delete(range);
        true
    }

    /// Deletes an assignment with the comma or the line's end behind it.
    fn delete(&mut self, range: Range<usize>) {
        let behind = &self.text[range.end..];
        let comma = behind.len() - behind.trim_start_matches([' ', ',']).len();
        let mut range = range.start..range.end + comma;
        if self.text[range.end..].starts_with('}') {
            let before = &self.text[..range.start];
            range.start = before.trim_end_matches([' ', ',']).len();
        }
        self.text.replace_range(range, "");
        self.look_again();
    }

    /// Finds the end of the table again, whose text has changed.
    fn look_again(&mut self) {
        self.scope = scope(&self.text, (self.scope.start + 1).min(self.text.len()));
    }
}

/// The text between two texts.
fn between<'t>(text: &'t str, before: &str, behind: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(behind).map(|(between, _)| between)
}

/// The table that a place is in: an inline table with its braces, or the lines from a header on.
fn scope(text: &str, at: usize) -> Range<usize> {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let mut open = Vec::new();
    for (index, c) in text[line_start..].char_indices() {
        let index = line_start + index;
        match c {
            '{' => open.push(index),
            '}' => {
                let start = open.pop();
                if let Some(start) = start
                    && (start..index).contains(&at)
                {
                    return start..index + 1;
                }
            }
            '\n' if index > at && open.is_empty() => break,
            _ => {}
        }
    }
    let is_header = |line: &str| line.starts_with('[');
    let mut start = 0;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if is_header(line) {
            if offset > at {
                return start..offset;
            }
            start = offset;
        }
        offset += line.len();
    }
    start..text.len()
}

/// The place of `key = value` in a table.
fn assignment(text: &str, scope: &Range<usize>, key: &str) -> Option<Range<usize>> {
    let within = &text[scope.clone()];
    let mut from = 0;
    while let Some(found) = within[from..].find(key) {
        let start = from + found;
        from = start + key.len();
        let before = within[..start].trim_end_matches([' ', '\t']);
        let begins = before.is_empty() || before.ends_with(['{', ',', '\n']);
        let behind = within[from..].trim_start_matches(' ');
        if !begins || !behind.starts_with('=') {
            continue;
        }
        let value = within.len() - behind.len() + 1;
        return Some(scope.start + start..scope.start + value + value_len(&within[value..]));
    }
    None
}

/// The length of a value and the space before it.
fn value_len(text: &str) -> usize {
    let (mut depth, mut quoted) = (0, false);
    for (index, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' | '{' => depth += 1,
            ']' | '}' if depth > 0 => depth -= 1,
            '\n' | ',' | '}' | ']' | '#' if depth == 0 => {
                return text[..index].trim_end().len();
            }
            _ => {}
        }
    }
    text.trim_end().len()
}

/// Specs with one change each: a line less, another number, another word of the same key.
pub(crate) fn changes(text: &str) -> Vec<String> {
    const WORDS: [(&str, &[&str]); 6] = [
        ("activation", &["crelu", "screlu", "relu", "none"]),
        ("weights", &["i8", "i16", "i32", "f32"]),
        ("op", &["crelu", "screlu", "sqr_crelu", "relu", "affine"]),
        ("format", &["stockfish", "bullet", "tensors"]),
        ("pooling", &["product", "none"]),
        ("mirror", &["a-d", "e-h", "none"]),
    ];
    let mut changes = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let range = offset..offset + line.len();
        offset += line.len();
        let with = |new: &str| {
            let mut change = text.to_string();
            change.replace_range(range.clone(), new);
            change
        };
        let Some((key, value)) = line.split('#').next().and_then(|line| line.split_once('='))
        else {
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        if key.contains(['{', '"', '[']) {
            continue;
        }
        changes.push(with(""));
        if let Ok(number) = value.parse::<i64>() {
            for other in [
                number / 2,
                number - 1,
                number + 1,
                number * 2,
                number * 255,
                number / 255,
            ] {
                changes.push(with(&format!("{key} = {other}\n")));
            }
        }
        let words = WORDS.iter().find(|(known, _)| *known == key);
        for word in words.map_or(&[][..], |(_, words)| words) {
            if value.trim_matches('"') != *word {
                changes.push(with(&format!("{key} = \"{word}\"\n")));
            }
        }
        // A letter too many, as of a name that is typed.
        if value.starts_with('"') && value.len() > 3 {
            changes.push(with(&format!("{key} = \"{}x\"\n", value.trim_matches('"'))));
        }
        changes.push(with(&line.replacen(key, &format!("{key}s"), 1)));
    }
    changes
}
