//! What must hold of any text that somebody gives the compiler as a spec. The fuzz targets of `fuzz/`
//! compile this file too.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nnue_compiler::diagnostics::{Errors, SourceFile};
use nnue_compiler::layout::Layout;
use nnue_compiler::network::Network;
use nnue_compiler::plan::{Plans, Unroll};
use nnue_compiler::{analyse, diagram};

/// The largest number of bytes of all errors about a spec.
const LONGEST_TEXT: usize = 1_000_000;

/// Analyses a spec, plans the network that it describes, and confirms that errors are fit to be
/// shown.
pub(crate) fn examine(text: &str) -> Option<Network> {
    let file = SourceFile::new("spec.toml", text);
    let analysed = catch_unwind(AssertUnwindSafe(|| {
        let network = analyse(&file).map_err(|errors| Box::new((errors.to_string(), errors)))?;
        assert!(!diagram(&network).is_empty());
        let layout = Layout::of(&network);
        assert!(Plans::of(&layout, Unroll::Auto).is_ok());
        Ok(network)
    }));
    let refused: Box<(String, Errors)> = match analysed {
        Err(_) => panic!("a panic on\n{}", shortened(text)),
        Ok(Ok(network)) => return Some(network),
        Ok(Err(errors)) => errors,
    };
    let (rendered, errors) = *refused;
    assert!(
        rendered.len() < LONGEST_TEXT,
        "{} bytes of errors on\n{}",
        rendered.len(),
        shortened(text)
    );
    assert!(!errors.found.is_empty(), "no error on\n{}", shortened(text));
    assert!(
        !rendered.contains("gives no reason"),
        "{}\non\n{}",
        shortened(&rendered),
        shortened(text)
    );
    for error in &errors.found {
        let places = error
            .related
            .iter()
            .map(|(span, _)| *span)
            .chain([error.span]);
        for span in places {
            let (file, span) = errors.place(span);
            assert!(
                file.text.get(span.start..span.end).is_some(),
                "`{}` is said of bytes {}..{} of\n{}",
                error.message,
                span.start,
                span.end,
                shortened(text)
            );
        }
    }
    None
}

pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(5000).collect()
}
