//! Tokens that are read one after the other. The macro's arguments are names, strings and little
//! else, and syn, which reads all of Rust, is one of the larger packages that an engine would wait
//! for.

use std::fmt::{self, Display};

use proc_macro2::{Delimiter, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

/// An error, and the place in the caller's code at which rustc shows it.
#[derive(Clone, Debug)]
pub(crate) struct Error {
    place: Span,
    message: String,
}

impl Error {
    pub(crate) fn new(place: Span, message: impl Display) -> Error {
        Error {
            place,
            message: message.to_string(),
        }
    }

    /// Code that makes rustc report the error.
    pub(crate) fn to_compile_error(&self) -> TokenStream {
        let message = &self.message;
        quote_spanned! { self.place => ::core::compile_error! { #message } }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A string literal.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    value: String,
    token: Literal,
}

impl Text {
    pub(crate) fn new(value: &str, place: Span) -> Text {
        let mut token = Literal::string(value);
        token.set_span(place);
        Text {
            value: value.to_owned(),
            token,
        }
    }

    fn of(token: &TokenTree) -> Option<Text> {
        let TokenTree::Literal(token) = token else {
            return None;
        };
        Some(Text {
            value: value(&token.to_string())?,
            token: token.clone(),
        })
    }

    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    pub(crate) fn span(&self) -> Span {
        self.token.span()
    }
}

impl ToTokens for Text {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.token.to_tokens(tokens);
    }
}

/// The text that a string literal stands for; `None` for other literals.
fn value(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        let text = raw.trim_start_matches('#');
        let hashes = &raw[..raw.len() - text.len()];
        let text = text.strip_prefix('"')?.strip_suffix(hashes)?;
        return Some(text.strip_suffix('"')?.to_owned());
    }
    let mut rest = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    while let Some((before, escape)) = rest.split_once('\\') {
        text += before;
        let kind = escape.chars().next()?;
        rest = &escape[kind.len_utf8()..];
        match kind {
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            '0' => text.push('\0'),
            '\\' | '\'' | '"' => text.push(kind),
            'x' => {
                let (digits, behind) = rest.split_at_checked(2)?;
                text.push(char::from(u8::from_str_radix(digits, 16).ok()?));
                rest = behind;
            }
            'u' => {
                let (digits, behind) = rest.strip_prefix('{')?.split_once('}')?;
                let digits = digits.replace('_', "");
                text.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                rest = behind;
            }
            // The line goes on in the next one.
            '\n' | '\r' => rest = rest.trim_start_matches([' ', '\t', '\n', '\r']),
            _ => return None,
        }
    }
    Some(text + rest)
}

/// Tokens, and how many of them were read.
pub(crate) struct Tokens {
    tokens: Vec<TokenTree>,
    pub(crate) read: usize,
}

impl Tokens {
    pub(crate) fn new(stream: TokenStream) -> Tokens {
        let mut tokens = Vec::new();
        flatten(stream, &mut tokens);
        Tokens { tokens, read: 0 }
    }

    pub(crate) fn peek(&self) -> Option<&TokenTree> {
        self.tokens.get(self.read)
    }

    pub(crate) fn next(&mut self) -> Option<TokenTree> {
        let next = self.peek().cloned();
        self.read += usize::from(next.is_some());
        next
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.peek().is_none()
    }

    /// Whether an argument ends here.
    pub(crate) fn ends(&self) -> bool {
        self.is_empty() || self.is_mark(',')
    }

    /// The place of the next token; that of the whole call behind the last one.
    pub(crate) fn place(&self) -> Span {
        self.peek().map_or_else(Span::call_site, TokenTree::span)
    }

    /// An error at the next token.
    pub(crate) fn error(&self, message: impl Display) -> Error {
        if self.is_empty() {
            Error::new(
                Span::call_site(),
                format_args!("unexpected end of input, {message}"),
            )
        } else {
            Error::new(self.place(), message)
        }
    }

    pub(crate) fn is_mark(&self, mark: char) -> bool {
        matches!(self.peek(), Some(TokenTree::Punct(next)) if next.as_char() == mark)
    }

    /// Reads a mark; `false` if another token is next.
    pub(crate) fn mark(&mut self, mark: char) -> bool {
        let is_next = self.is_mark(mark);
        self.read += usize::from(is_next);
        is_next
    }

    /// Reads a name, if that is next.
    pub(crate) fn name(&mut self) -> Option<Ident> {
        let Some(TokenTree::Ident(name)) = self.peek() else {
            return None;
        };
        let name = name.clone();
        self.read += 1;
        Some(name)
    }

    /// Reads a name and the `=` behind it, if both are next.
    pub(crate) fn key(&mut self) -> Option<Ident> {
        let before = self.read;
        let name = self.name();
        if name.is_some() && self.mark('=') {
            return name;
        }
        self.read = before;
        None
    }

    /// Reads a string, if that is next.
    pub(crate) fn text(&mut self) -> Option<Text> {
        let text = Text::of(self.peek()?)?;
        self.read += 1;
        Some(text)
    }

    /// Reads a string.
    pub(crate) fn expect_text(&mut self) -> Result<Text, Error> {
        let text = self.text();
        text.ok_or_else(|| self.error("expected string literal"))
    }
}

/// What a macro of the caller was given, and hands on as a single token, may stand in invisible
/// parentheses.
fn flatten(stream: TokenStream, tokens: &mut Vec<TokenTree>) {
    for token in stream {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                flatten(group.stream(), tokens);
            }
            token => tokens.push(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What rustc makes of literals, compared with what is made of them here.
    macro_rules! same {
        ($($literal:literal),* $(,)?) => {
            [$((stringify!($literal), $literal)),*]
        };
    }

    #[test]
    fn strings_have_the_value_that_rustc_gives_them() {
        let literals = same![
            "",
            "specs/a.toml",
            "C:\\nets\\a \"b\" \'c\'",
            "tab\t, line\r\n, \0, \x41\x7f, \u{e9}\u{1F_600}, é",
            "goes \
                on",
            r"C:\nets",
            r#"name = "a""#,
            r##"a "# b"##,
        ];
        for (literal, expected) in literals {
            assert_eq!(value(literal).as_deref(), Some(expected), "{literal}");
        }
    }

    #[test]
    fn other_literals_are_no_strings() {
        for other in ["1", "'a'", "b\"a\"", "br\"a\"", "c\"a\"", "\"a\"u8", "1.5"] {
            assert_eq!(value(other), None, "{other}");
        }
    }
}
