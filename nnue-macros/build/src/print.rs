//! Generated code as text. Items and statements stand in lines of their own, because profilers and
//! the errors of rustc name lines. A formatter would be a dependency that every user compiles.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

const INDENT: &str = "    ";

/// The code, which means the same however its lines are broken.
pub(crate) fn print(code: TokenStream) -> String {
    let mut text = String::new();
    print_lines(code, "", &mut text);
    text
}

fn print_lines(tokens: TokenStream, indent: &str, text: &mut String) {
    let mut line = Vec::new();
    for token in tokens {
        let ends = match &token {
            TokenTree::Group(block) if is_broken(block) => {
                let before = line.drain(..).collect::<TokenStream>().to_string();
                *text += &format!("{indent}{before} {{\n");
                print_lines(block.stream(), &format!("{indent}{INDENT}"), text);
                *text += &format!("{indent}}}\n");
                continue;
            }
            TokenTree::Group(group) => is_attribute(&line, group),
            TokenTree::Punct(mark) => mark.as_char() == ';',
            _ => false,
        };
        line.push(token);
        if ends {
            let line = line.drain(..).collect::<TokenStream>();
            *text += &format!("{indent}{line}\n");
        }
    }
    if !line.is_empty() {
        let line = TokenStream::from_iter(line);
        *text += &format!("{indent}{line}\n");
    }
}

/// Whether the group is in braces and holds items, statements or further blocks.
fn is_broken(group: &Group) -> bool {
    group.delimiter() == Delimiter::Brace
        && group.stream().into_iter().any(|token| match token {
            TokenTree::Punct(mark) => matches!(mark.as_char(), ';' | '#'),
            TokenTree::Group(inner) => inner.delimiter() == Delimiter::Brace,
            _ => false,
        })
}

/// Whether the group ends an attribute that begins the line.
fn is_attribute(line: &[TokenTree], group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket
        && matches!(line, [TokenTree::Punct(mark)] if mark.as_char() == '#')
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
            fn f<'a>(x: &'a [i32; 2]) -> i32 {
                let y = x[0] << 2;
                if y > -1 { return 1; }
                y
            }
        };
        let expected = r##"# [doc = r#" Text with `"quotes"` and \ backslashes."#]
# [derive (Clone)]
pub struct Empty { } pub use a :: { B , C } ;
fn f < 'a > (x : & 'a [i32 ; 2]) -> i32 {
    let y = x [0] << 2 ;
    if y > - 1 {
        return 1 ;
    }
    y
}
"##;
        let text = print(code.clone());
        assert_eq!(text, expected);
        let read: TokenStream = text.parse().expect("it is Rust");
        assert_eq!(read.to_string(), code.to_string());
    }
}
