//! Other calls of the macro in the same module of the caller.
//!
//! Two networks in one module would define each name twice, which is dozens of errors. A macro
//! cannot ask what else its caller's module has, but it can read the file: the first call in a
//! module defines the names, and each further call is refused with one error.

use std::fs;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// The name of the macro.
const MACRO: &str = "nnue_net";

/// A mark that is put before an argument of the call in question, to find that call again: tokens
/// of a text do not know their lines.
const MARK: &str = "__nnue_net_call_in_question";

/// Whether another call of the macro stands before the call with this argument, in the same module
/// of the file. Nothing is found where the file is not known, as in some editors, or where another
/// macro makes the call.
pub(crate) fn has_earlier(argument: Span) -> bool {
    let argument = argument.unwrap();
    let text = argument
        .local_file()
        .and_then(|path| fs::read_to_string(path).ok());
    text.and_then(|text| marked(&text, argument.line(), argument.column()))
        .and_then(|text| text.parse().ok())
        .and_then(is_later_call)
        .unwrap_or(false)
}

/// The text with the mark before a character of a line, both counted from 1.
fn marked(text: &str, line: usize, column: usize) -> Option<String> {
    let lines = text.split_inclusive('\n').take(line.checked_sub(1)?);
    let before: usize = lines.map(str::len).sum();
    let characters = text[before..].chars().take(column.checked_sub(1)?);
    let at = before + characters.map(char::len_utf8).sum::<usize>();
    Some(format!("{} {MARK} {}", &text[..at], &text[at..]))
}

/// Whether the marked call is not the first call in its module; `None` if it is not in these
/// tokens.
///
/// Everything in braces counts as a module, because the body of a function too can define a name
/// only once.
fn is_later_call(tokens: TokenStream) -> Option<bool> {
    let mut is_later = false;
    let mut before = [None, None];
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            let is_call = matches!(
                &before,
                [Some(TokenTree::Ident(name)), Some(TokenTree::Punct(mark))]
                    if name == MACRO && mark.as_char() == '!'
            );
            if is_call {
                let mut arguments = group.stream().into_iter();
                if arguments.any(|token| matches!(token, TokenTree::Ident(name) if name == MARK)) {
                    return Some(is_later);
                }
                is_later = true;
            } else if group.delimiter() == Delimiter::Brace
                && let Some(found) = is_later_call(group.stream())
            {
                return Some(found);
            }
        }
        before = [before[1].take(), Some(token)];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [`is_later_call`] of the call in the line that ends in `// here`.
    fn is_later(text: &str) -> Option<bool> {
        let line = text.lines().position(|line| line.ends_with("// here"))?;
        let column = text
            .lines()
            .nth(line)?
            .chars()
            .position(|letter| letter == '"')?;
        is_later_call(marked(text, line + 1, column + 1)?.parse().ok()?)
    }

    #[test]
    fn calls_are_counted_in_their_module() {
        let first =
            "mod a { nnue_net!(\"x.toml\"); }\nmod b {\n  nnue_net!(\"x.toml\"); // here\n}";
        assert_eq!(is_later(first), Some(false));
        let second = "mod a {\n  /* ä */ nnue_net!(\"x.toml\");\n  é!(); r::nnue_net! { \"x.toml\" } // here\n}";
        assert_eq!(is_later(second), Some(true));
        let outside = "nnue_net![\"y.toml\"];\nmod a {\n nnue_net!(\"x.toml\"); // here\n}";
        assert_eq!(is_later(outside), Some(false));
        let around = "mod a { nnue_net!(\"x.toml\"); }\nnnue_net!(\"x.toml\"); // here\n";
        assert_eq!(is_later(around), Some(false));
        let mentioned = "// nnue_net!(\"x.toml\")\nconst S: &str = \"nnue_net!()\";\nnnue_net!(\"x.toml\"); // here\n";
        assert_eq!(is_later(mentioned), Some(false));
    }

    #[test]
    fn what_is_not_found_is_no_error() {
        assert_eq!(is_later("other!(\"x.toml\"); // here"), None);
        assert_eq!(marked("one line", 0, 1), None);
        let behind = marked("one line", 7, 90);
        assert!(behind.is_some_and(|text| text.starts_with("one line")));
    }
}
