//! What must hold of any text that somebody gives the compiler as a spec.

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::layout::Layout;
use nnue_compiler::network::Network;
use nnue_compiler::plan::{Plans, Unroll};
use nnue_compiler::{Levels, Options, analyse, diagram, emit, file_layout};
use quote::quote;

/// The largest number of bytes of all errors about a spec.
const LONGEST_ERRORS: usize = 1_000_000;

/// The widest transformer for which code is written: more takes long and shows nothing else.
const WIDEST: usize = 256;

/// Checks that the text is refused with errors that can be shown, or becomes a network with a
/// layout, plans and code.
///
/// # Panics
///
/// If it is not so.
pub fn examine(text: &str) -> Option<Network> {
    let file = SourceFile::new("spec.toml", text);
    let network = match analyse(&file) {
        Ok(network) => network,
        Err(errors) => {
            let shown = errors.to_string();
            assert!(
                shown.len() < LONGEST_ERRORS,
                "{} bytes of errors",
                shown.len()
            );
            assert!(
                !errors.found.is_empty() && !shown.contains("gives no reason"),
                "{shown}"
            );
            for error in &errors.found {
                let related = error.related.iter().map(|(span, _)| *span);
                for span in related.chain([error.span]) {
                    let (file, span) = errors.place(span);
                    assert!(
                        file.text.get(span.start..span.end).is_some(),
                        "{}",
                        error.message
                    );
                }
            }
            return None;
        }
    };
    assert!(!diagram(&network).is_empty());
    let layout = Layout::of(&network);
    Plans::of(&layout, Unroll::Auto).expect("`analyse` has checked the amount of code");
    file_layout(&network);
    if network.transformer.width <= WIDEST {
        let options = Options {
            runtime: quote!(::nnue_runtime),
            unroll: Unroll::Auto,
            embedded: None,
            levels: Levels::Portable,
        };
        emit(&network, &options).expect("`analyse` has checked the amount of code");
    }
    Some(network)
}
