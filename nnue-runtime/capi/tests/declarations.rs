//! Every declaration of the header is the type that Rust's compiler has of the function.

use std::collections::BTreeMap;
use std::ffi::c_char;

use nnue_capi::{CMove, COutput, CPosition, Status};

use crate::{exported, header, net};

/// The name of a type in C.
trait InC {
    const NAME: &'static str;
}

macro_rules! in_c {
    ($($rust:ty: $c:literal,)*) => { $(
        impl InC for $rust {
            const NAME: &'static str = $c;
        }
    )* };
}
in_c! {
    (): "void",
    u32: "uint32_t",
    usize: "size_t",
    Status: "nnue_status",
    CMove: "nnue_move",
    *const c_char: "const char *",
    *const u8: "const uint8_t *",
    *const CPosition: "const nnue_position *",
    *mut COutput: "nnue_output *",
    *const net::Network: "const simple_network *",
    *mut net::Network: "simple_network *",
    *mut *mut net::Network: "simple_network **",
    *mut nnue_capi::Evaluator<net::Net>: "simple_evaluator *",
    *mut *mut nnue_capi::Evaluator<net::Net>: "simple_evaluator **",
}

/// A function whose type has a declaration in C.
trait Declared {
    /// The types of the result and of the parameters.
    fn types(&self) -> Vec<&'static str>;
}

macro_rules! declared {
    ($($($parameter:ident)*;)*) => { $(
        impl<R: InC, $($parameter: InC),*> Declared for unsafe extern "C" fn($($parameter),*) -> R {
            fn types(&self) -> Vec<&'static str> {
                vec![R::NAME, $($parameter::NAME),*]
            }
        }
    )* };
}
declared! { ; A; A B; A B C; A B C D; }

/// The functions that the macro exports, with their types.
fn exported() -> BTreeMap<&'static str, Vec<&'static str>> {
    macro_rules! functions {
        ($($name:ident($($parameter:tt)*);)*) => {
            [$((
                concat!("simple_", stringify!($name)),
                Declared::types(&(exported::$name as unsafe extern "C" fn($($parameter)*) -> _)),
            )),*]
        };
    }
    let functions = functions! {
        last_error();
        name();
        buckets();
        level_name(_);
        network_open(_, _, _);
        network_from_bytes(_, _, _, _);
        network_level(_);
        network_free(_);
        evaluator_new(_, _, _);
        evaluator_free(_);
        evaluator_reset(_, _);
        evaluator_push_called(_, _);
        evaluator_push_checked(_, _);
        evaluator_pop_called(_);
        evaluator_evaluate(_, _);
        evaluator_evaluate_bucket(_, _, _);
    };
    functions.into()
}

/// The declarations of the header, which are between its types and its code.
fn declared() -> BTreeMap<String, Vec<String>> {
    let header = header();
    let (_, own) = header
        .split_once("nnue_line line;\n};")
        .expect("the types are declared first");
    let (own, _) = own
        .split_once("static inline")
        .expect("code comes after declarations");
    let mut code = String::new();
    for part in own.split("/*") {
        code.push_str(part.split_once("*/").map_or(part, |(_, code)| code));
    }
    let declarations = code.split(';').map(str::trim);
    let declarations = declarations.filter(|declaration| !declaration.is_empty());
    let typed = |parameter: &str| {
        let parameter = parameter.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let name = parameter.trim_end_matches(is_letter).trim_end();
        (name.to_string(), parameter[name.len()..].trim().to_string())
    };
    let functions = declarations.map(|declaration| {
        let (head, parameters) = declaration.split_once('(').expect("a function");
        let parameters = parameters.strip_suffix(')').expect("a function");
        let (result, name) = typed(head);
        let types = match parameters {
            "void" => vec![result],
            _ => {
                let types = parameters.split(',').map(|parameter| typed(parameter).0);
                [result].into_iter().chain(types).collect()
            }
        };
        (name, types)
    });
    functions.collect()
}

#[test]
fn the_header_declares_what_is_exported() {
    let declared = declared();
    let exported = exported();
    assert_eq!(
        declared.keys().map(String::as_str).collect::<Vec<_>>(),
        exported.keys().copied().collect::<Vec<_>>()
    );
    for (name, types) in exported {
        assert_eq!(declared[name], types, "{name}");
    }
}

#[test]
fn names_of_all_headers_are_no_prefix() {
    use nnue_capi::header::Header;

    assert!(Header::is_taken("nnue_move") && Header::is_taken("nnue_position"));
    assert!(!Header::is_taken("nnue_small128") && !Header::is_taken("net"));
    let reserved = ["class", "xor_eq", "co_await", "std", "int32_t", "linux"];
    assert!(reserved.into_iter().all(Header::is_reserved));
    assert!(
        !["net", "stdin_net", "Class", "nnue"]
            .into_iter()
            .any(Header::is_reserved)
    );
}

#[test]
fn a_header_is_known_by_its_first_line() {
    use nnue_capi::header::Header;

    let header = Header {
        network: "a */ net",
        prefix: "net",
        embedded: true,
        by_pieces: true,
        clock: false,
        wdl: false,
        white_first: false,
    };
    assert!(Header::is_one(header.text().as_bytes()));
    for other in [
        &b""[..],
        b"#pragma once\n",
        b"/* a net: the functions of net */\n",
        b"\n/* a net: the functions of libnet, which `nnue capi` has made with this file.\n",
    ] {
        assert!(!Header::is_one(other));
    }
}
