//! Code that is compiled to be checked is the code that engines run, and besides it a forward pass
//! with the same statements, which shows the values of each layer to a probe.

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_compiler::plan::Unroll;
use nnue_compiler::{Levels, Options, analyse, emit};
use quote::ToTokens;
use syn::{Expr, Item, ItemFn, Stmt};

use crate::known_specs::{folder, specs_in};

#[test]
fn checked_code_is_the_code_of_engines_with_probes() {
    for path in specs_in(&folder()) {
        let text = std::fs::read_to_string(&path).expect("specs can be read");
        let network = analyse(&SourceFile::new(path.display().to_string(), &*text));
        let network = network.expect("the spec is right");
        let mut of_engine = items(&network, None);
        let mut checked = items(&network, Some(text));
        let probes = probes(&mut checked);
        assert!(self::probes(&mut of_engine).is_empty() && !probes.is_empty());
        assert_eq!(of_engine.len(), checked.len(), "{}", network.name);
        for (own, checked) in of_engine.iter().zip(&checked) {
            assert_eq!(tokens(own), tokens(checked), "{}", network.name);
        }
        for (probed, kernels) in probes {
            let layers = without_probes(&probed, network.layers.len());
            assert_eq!(layers, statements(&kernels), "{}", network.name);
        }
    }
}

/// The items of a network's module; with the text of its spec, those for a check.
fn items(network: &Network, checked: Option<String>) -> Vec<Item> {
    let options = Options {
        checked,
        ..Options::new(Unroll::Auto, Levels::Of("x86_64"))
    };
    let code = emit(network, &options).expect("there is not too much of it");
    let file: syn::File = syn::parse2(code).expect("the generated code is Rust");
    file.items
}

/// Takes the imports and what is only for checks out of the code. Returns the forward passes with
/// probes, each with the kernels of its level.
fn probes(items: &mut Vec<Item>) -> Vec<(ItemFn, Vec<Item>)> {
    let mut probes = Vec::new();
    for item in items {
        match item {
            Item::Mod(module) => {
                let (_, kernels) = module.content.as_mut().expect("the module has a body");
                kernels.retain(|item| !matches!(item, Item::Use(_)));
                let is_probe = |item: &Item| is_function(item, "propagate_probed");
                let place = kernels.iter().position(is_probe);
                if let Some(Item::Fn(probed)) = place.map(|place| kernels.remove(place)) {
                    probes.push((probed, kernels.clone()));
                }
            }
            Item::Const(block) => {
                if let Expr::Block(block) = &mut *block.expr {
                    block.block.stmts.retain(|statement| match statement {
                        Stmt::Item(Item::Impl(own)) => !own
                            .trait_
                            .as_ref()
                            .is_some_and(|own| own.0.is_ident("Probed")),
                        statement => !matches!(statement, Stmt::Item(Item::Use(_))),
                    });
                }
            }
            _ => {}
        }
    }
    probes
}

fn is_function(item: &Item, name: &str) -> bool {
    matches!(item, Item::Fn(function) if function.sig.ident == name)
}

/// The statements of a forward pass with probes, without those that show the values of a layer.
fn without_probes(probed: &ItemFn, layers: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut shown = 0;
    for statement in probed.block.stmts.iter().map(tokens) {
        if statement.starts_with("probe . layer (") {
            let variable = kept.pop().expect("the values can be changed");
            let (name, same) = (variable.strip_prefix("let mut "))
                .and_then(|variable| variable.strip_suffix(" ;")?.split_once(" = "))
                .expect("a variable of the same name");
            assert!(name == same && statement.contains(&format!("& mut {name} . 0")));
            shown += 1;
        } else {
            kept.push(statement);
        }
    }
    assert_eq!(shown, layers, "layers have a probe each");
    kept
}

/// The statements of the forward pass, with those of the function `layers` in place of its call.
fn statements(kernels: &[Item]) -> Vec<String> {
    let body = |name| {
        kernels.iter().find_map(|item| match item {
            Item::Fn(function) if is_function(item, name) => Some(&function.block.stmts),
            _ => None,
        })
    };
    let propagate = body("propagate").expect("there is a forward pass").iter();
    let mut statements: Vec<String> = propagate.map(tokens).collect();
    if let Some(layers) = body("layers") {
        statements.pop();
        statements.extend(layers.iter().map(tokens));
    }
    statements
}

fn tokens(code: &impl ToTokens) -> String {
    code.to_token_stream().to_string()
}
