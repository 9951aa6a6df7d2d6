//! The place of a call of the macro in its caller's file.
//!
//! Two networks in one module would define each name twice, and the modules of a network in a
//! function would not find its names: dozens of errors each. A macro cannot ask where it is called,
//! but it can read the file. So such a call is refused with one error.

use std::fs;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// The name of the macro.
const MACRO: &str = "nnue_net";

/// A mark that is put before an argument of the call in question, to find that call again: tokens
/// of a text do not know their lines.
const MARK: &str = "__nnue_net_call_in_question";

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a module, which it can fill.
    Module,
    /// In a module that another call before it fills.
    TakenModule,
    /// In the body of a function, or in the block of a constant.
    Body,
}

/// The place of the call with this argument. Nothing is found where the file is not known, as in
/// some editors, or where another macro makes the call.
pub(crate) fn place_of(argument: Span) -> Option<Place> {
    let argument = argument.unwrap();
    let text = fs::read_to_string(argument.local_file()?).ok()?;
    let text = marked(&text, argument.line(), argument.column())?;
    find(text.parse().ok()?, false)
}

/// The text with the mark before a character of a line, both counted from 1.
fn marked(text: &str, line: usize, column: usize) -> Option<String> {
    let lines = text.split_inclusive('\n').take(line.checked_sub(1)?);
    let before: usize = lines.map(str::len).sum();
    let characters = text[before..].chars().take(column.checked_sub(1)?);
    let at = before + characters.map(char::len_utf8).sum::<usize>();
    Some(format!("{} {MARK} {}", &text[..at], &text[at..]))
}

/// The place of the marked call, if it is in these tokens, which are in a body or in a module.
///
/// All other braces count as what they stand in, so those of an `impl` as a module.
fn find(tokens: TokenStream, in_body: bool) -> Option<Place> {
    let mut place = if in_body { Place::Body } else { Place::Module };
    let mut item = Item::default();
    let mut before = [None, None];
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            let of_macro = match &before {
                [Some(TokenTree::Ident(name)), Some(TokenTree::Punct(mark))]
                    if mark.as_char() == '!' =>
                {
                    Some(name)
                }
                _ => None,
            };
            if of_macro.is_some_and(|name| name == MACRO) {
                let mut arguments = group.stream().into_iter();
                if arguments.any(|token| matches!(token, TokenTree::Ident(name) if name == MARK)) {
                    return Some(place);
                }
                if place == Place::Module {
                    place = Place::TakenModule;
                }
            } else if group.delimiter() == Delimiter::Brace {
                // What another macro makes of its braces is not known.
                let in_body = of_macro.is_none() && item.has_body(in_body);
                if let Some(found) = find(group.stream(), in_body) {
                    return Some(found);
                }
            }
        }
        item.add(&token);
        before = [before[1].take(), Some(token)];
    }
    None
}

/// The words of an item so far, which tell what its braces are.
#[derive(Default)]
struct Item {
    /// Whether its braces are those of a module, or of a macro that may be called in one.
    is_module: bool,
    is_function: bool,
    is_constant: bool,
    has_value: bool,
}

impl Item {
    fn add(&mut self, token: &TokenTree) {
        match token {
            TokenTree::Ident(word) => match &*word.to_string() {
                "mod" | "macro_rules" => self.is_module = true,
                "fn" => self.is_function = true,
                "const" | "static" => self.is_constant = true,
                _ => {}
            },
            TokenTree::Punct(mark) if mark.as_char() == ';' => *self = Item::default(),
            TokenTree::Punct(mark) if mark.as_char() == '=' => self.has_value = true,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                *self = Item::default();
            }
            _ => {}
        }
    }

    /// Whether its braces are a body, within a body or not.
    fn has_body(&self, in_body: bool) -> bool {
        let is_value = self.is_constant && self.has_value;
        !self.is_module && (in_body || self.is_function || is_value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of the call in the line that ends in `// here`.
    fn place(text: &str) -> Option<Place> {
        let line = text.lines().position(|line| line.ends_with("// here"))?;
        let column = text
            .lines()
            .nth(line)?
            .chars()
            .position(|letter| letter == '"')?;
        find(marked(text, line + 1, column + 1)?.parse().ok()?, false)
    }

    #[test]
    fn calls_are_counted_in_their_module() {
        let first =
            "mod a { nnue_net!(\"x.toml\"); }\nmod b {\n  nnue_net!(\"x.toml\"); // here\n}";
        assert_eq!(place(first), Some(Place::Module));
        let second = "mod a {\n  /* ä */ nnue_net!(\"x.toml\");\n  é!(); r::nnue_net! { \"x.toml\" } // here\n}";
        assert_eq!(place(second), Some(Place::TakenModule));
        let outside = "nnue_net![\"y.toml\"];\nmod a {\n nnue_net!(\"x.toml\"); // here\n}";
        assert_eq!(place(outside), Some(Place::Module));
        let around = "mod a { nnue_net!(\"x.toml\"); }\nnnue_net!(\"x.toml\"); // here\n";
        assert_eq!(place(around), Some(Place::Module));
        let mentioned = "// nnue_net!(\"x.toml\")\nconst S: &str = \"nnue_net!()\";\nnnue_net!(\"x.toml\"); // here\n";
        assert_eq!(place(mentioned), Some(Place::Module));
    }

    #[test]
    fn bodies_are_no_modules() {
        let call = "\nnnue_net!(\"x.toml\"); // here\n";
        for before in [
            "fn main() {",
            "mod a { pub const fn f<T: X>(x: T) -> [u8; 3] where T: Y {",
            "fn f() { if true { loop {",
            "fn f() { nnue_net!(\"y.toml\");",
            "impl A { fn g() {} fn f() { let x = || {",
            "const A: u8 = {",
            "static A: fn() = {",
            "fn f() { mod a { fn g() {",
        ] {
            let after = "}".repeat(before.matches('{').count() - before.matches('}').count());
            let text = format!("{before}{call}{after}");
            assert_eq!(place(&text), Some(Place::Body), "{text}");
        }
        for before in [
            "fn f() {} const A: u8 = 1; mod a {",
            "const A: B = B { c: 1 }; mod a {",
            "fn f() { mod a {",
            "fn f() { other! {",
            "cfg_if! { if #[cfg(x)] {",
            "macro_rules! m { ($name:ident) => {",
            "fn f() { macro_rules! m { () => {",
            "struct A { f: fn() } mod a {",
        ] {
            let after = "}".repeat(before.matches('{').count() - before.matches('}').count());
            let text = format!("{before}{call}{after}");
            assert_eq!(place(&text), Some(Place::Module), "{text}");
        }
    }

    #[test]
    fn what_is_not_found_is_no_error() {
        assert_eq!(place("other!(\"x.toml\"); // here"), None);
        assert_eq!(marked("one line", 0, 1), None);
        let behind = marked("one line", 7, 90);
        assert!(behind.is_some_and(|text| text.starts_with("one line")));
    }
}
