//! The macro and nnue-build give the same code.

use nnue_build::{Build, Unroll};
use nnue_compiler::{Embed, Levels};
use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::arguments::Arguments;
use crate::tokens::Text;
use crate::{compile, files};

const NET: &str = "../examples/nets/nn-37f18f62d772.nnue";

/// The code of the macro with these arguments.
fn of_macro(arguments: TokenStream, arch: &'static str) -> TokenStream {
    let arguments: Arguments =
        Arguments::parse(quote!([::nnue_runtime] #arguments)).expect("the arguments are right");
    compile(&arguments, Levels::Of(arch)).expect("the spec is right")
}

/// Tokens without spaces, because `-1` is one token or two.
fn text(tokens: &TokenStream) -> String {
    tokens.to_string().split_whitespace().collect()
}

/// The code of nnue-build, read again, without what keeps lints from the items of a file.
fn of_build(build: Build, arch: &str) -> String {
    let code = build.target_arch(arch).code().expect("the spec is right");
    let allow = quote! {
        #[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]
    };
    let code = text(&code.parse().expect("the code is Rust"));
    assert!(code.contains(&text(&allow)));
    code.replace(&text(&allow), "")
}

/// Compares texts of megabytes without showing them.
fn assert_same(macro_: &str, build: &str, what: &str) {
    let same = macro_.bytes().zip(build.bytes());
    let same = same.take_while(|(of_macro, of_build)| of_macro == of_build);
    let from = same.count().saturating_sub(40);
    let shown = |code: &str| String::from_utf8_lossy(&code.as_bytes()[from..]).into_owned();
    let shown = [macro_, build].map(|code| shown(code).chars().take(120).collect::<String>());
    assert!(macro_ == build, "{what}: {shown:?}");
}

#[test]
fn specs_become_the_same_code() {
    let specs = [
        ("../specs/small128.toml", "x86_64"),
        ("../specs/sfnnv9.toml", "aarch64"),
        ("../specs/sfnnv16.toml", "wasm32"),
        ("../specs/bullet/simple.toml", "x86_64"),
        ("../specs/games/ataxx.toml", "x86_64"),
    ];
    for (spec, arch) in specs {
        let of_macro = of_macro(quote!(#spec), arch);
        assert_same(
            &text(&of_macro),
            &of_build(Build::new(spec), arch),
            &format!("{spec} for {arch}"),
        );
    }
}

#[test]
fn inline_specs_become_the_same_code() {
    let spec = "name = 'Mine'\nlike = 'small128'\ntransformer.width = 64";
    let build = Build::inline("mine", spec);
    for (option, build) in [
        (quote!(unroll = "full"), build.clone().unroll(Unroll::Full)),
        (quote!(check = "wiring"), build.checked()),
    ] {
        let of_macro = of_macro(quote!(inline = #spec, #option), "x86_64");
        assert_same(&text(&of_macro), &of_build(build, "x86_64"), spec);
    }
}

#[test]
fn an_order_in_a_file_becomes_the_same_code() {
    let [spec, order] = [
        "../specs/small128.toml",
        "../tests/specs/order/small128.order",
    ];
    let of_macro = of_macro(quote!(#spec, neuron_order = #order), "x86_64");
    let build = Build::new(spec).neuron_order(order);
    assert_same(&text(&of_macro), &of_build(build, "x86_64"), "an order");
    let plain = of_build(Build::new(spec), "x86_64");
    assert!(plain != text(&of_macro), "the order changes nothing");
}

#[test]
fn embedded_files_differ_by_their_path_alone() {
    let spec = "../specs/small128.toml";
    let of_macro = of_macro(quote!(#spec, weights = #NET), "x86_64");
    let path = Text::new(NET, Span::call_site());
    let relative = text(&files::include(&path, &quote!(::nnue_runtime)));
    let absolute = std::path::absolute(NET).expect("there is a current folder");
    let absolute = absolute.to_str().expect("paths here are text");
    let absolute = text(&quote!(
        ::nnue_runtime::__private::core::include_bytes!(#absolute)
    ));
    let of_macro = text(&of_macro);
    assert!(of_macro.contains(&relative));
    assert_same(
        &of_macro.replace(&relative, &absolute),
        &of_build(Build::new(spec).weights(NET), "x86_64"),
        "a file",
    );
}

#[test]
fn embedded_weights_become_the_same_code() {
    let spec = "../specs/small128.toml";
    let of_macro = of_macro(quote!(#spec, weights = #NET, embed = "weights"), "x86_64");
    let build = Build::new(spec).weights(NET).embed(Embed::Weights);
    assert_same(&text(&of_macro), &of_build(build, "x86_64"), "weights");
}
