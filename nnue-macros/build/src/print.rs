//! Generated code as text. Items and statements stand in lines of their own, because profilers and
//! the errors of rustc name lines. A formatter would be a dependency that every user compiles.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

const INDENT: &str = "    ";

/// The code, which means the same however its lines are broken.
pub(crate) fn print(code: TokenStream) -> String {
    let mut text = String::new();
    print_lines(without_lints(code), "", &mut text);
    text
}

/// The code with an attribute before each item. Lints pass over much that macros expand to, but not
/// over a file: they would tell users of names that they do not use.
fn without_lints(code: TokenStream) -> TokenStream {
    let attribute = quote! {
        #[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]
    };
    let mut with = TokenStream::new();
    let mut begins = true;
    let mut tokens = code.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if begins {
            with.extend(attribute.clone());
        }
        begins = is_semicolon(&token)
            || is_group(&token, Delimiter::Brace) && !tokens.peek().is_some_and(is_semicolon);
        with.extend([token]);
    }
    with
}

fn print_lines(tokens: TokenStream, indent: &str, text: &mut String) {
    let mut line = Vec::new();
    for token in tokens {
        match &token {
            TokenTree::Group(block) if is_broken(block) => {
                let before = TokenStream::from_iter(line.drain(..));
                *text += &format!("{indent}{before} {{\n");
                print_lines(block.stream(), &format!("{indent}{INDENT}"), text);
                *text += &format!("{indent}}}\n");
            }
            // An attribute.
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                print_line(&mut line, indent, text);
                line.push(token);
            }
            _ => {
                let ends = is_semicolon(&token) || is_attribute(&line, &token);
                line.push(token);
                if ends {
                    print_line(&mut line, indent, text);
                }
            }
        }
    }
    print_line(&mut line, indent, text);
}

fn print_line(line: &mut Vec<TokenTree>, indent: &str, text: &mut String) {
    if !line.is_empty() {
        let line = TokenStream::from_iter(line.drain(..));
        *text += &format!("{indent}{line}\n");
    }
}

fn is_semicolon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';')
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

/// Whether the group is in braces and holds items, statements or further blocks.
fn is_broken(group: &Group) -> bool {
    group.delimiter() == Delimiter::Brace
        && group.stream().into_iter().any(|token| match token {
            TokenTree::Punct(mark) => matches!(mark.as_char(), ';' | '#'),
            _ => is_group(&token, Delimiter::Brace),
        })
}

/// Whether the token ends an attribute that begins the line.
fn is_attribute(line: &[TokenTree], token: &TokenTree) -> bool {
    let begins = matches!(line, [TokenTree::Punct(mark)] if mark.as_char() == '#');
    begins && is_group(token, Delimiter::Bracket)
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn items_and_statements_have_lines() {
        let code = quote! {
            /// Text with `"quotes"` and \ backslashes.
            #[derive(Clone)]
            pub struct Empty {}
            pub use a::{B, C};
            const _: () = { f::<'_>(&[1, 2]); };
            fn f<'a>(x: &'a [i32; 2]) -> i32 {
                let y = x[0] << 2;
                if y > -1 { return 1; }
                y
            }
        };
        let expected = r##"ALLOW
# [doc = r#" Text with `"quotes"` and \ backslashes."#]
# [derive (Clone)]
pub struct Empty { }
ALLOW
pub use a :: { B , C } ;
ALLOW
const _ : () = {
    f :: < '_ > (& [1 , 2]) ;
}
;
ALLOW
fn f < 'a > (x : & 'a [i32 ; 2]) -> i32 {
    let y = x [0] << 2 ;
    if y > - 1 {
        return 1 ;
    }
    y
}
"##;
        let text = print(code.clone());
        let allow = text.lines().next().expect("it has lines");
        assert!(allow.starts_with("# [allow (dead_code , "), "{allow}");
        let text = text.replace(allow, "ALLOW");
        assert_eq!(text, expected);
        let read: TokenStream = text.replace("ALLOW", "").parse().expect("it is Rust");
        assert_eq!(read.to_string(), code.to_string());
    }
}
