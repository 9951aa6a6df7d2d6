//! Checks whether a layer can skip zeros of its inputs or of its weights.

use crate::diagnostics::{Diagnostics, Spanned};
use nnue_format::Element;

use super::{FEWEST_SPARSE_OUTPUTS, Keys, OUTPUT_RUN, Sparse, SparseBy, WeightType};
use crate::check::reader::Reader;
use crate::check::value::in_range;

/// Checks `density`, the share of inputs that are not zero.
pub(super) fn check_density(affine: &Keys, diagnostics: &mut Diagnostics) -> Option<Option<f64>> {
    let Some(density) = &affine.density else {
        return Some(None);
    };
    if affine.sparse.is_none() {
        diagnostics
            .error(density.span, "`density` is only for sparse layers")
            .help("add `sparse = true`, or remove it");
        return None;
    }
    if !(0.0..=1.0).contains(&density.value) {
        let message = format!("`density` is {}, allowed are 0 to 1", density.value);
        diagnostics.error(density.span, message);
        return None;
    }
    Some(Some(density.value))
}

pub(super) fn check_sparse(
    reader: &Reader<'_>,
    affine: &Keys,
    density: Option<f64>,
    (element, outputs): (Element, usize),
    diagnostics: &mut Diagnostics,
) -> Option<Option<Sparse>> {
    let Some(sparse) = &affine.sparse else {
        return Some(None);
    };
    let name = reader.layer.name;
    if !reader.reads_whole_transformer() {
        let message = format!("`{name}` is sparse, but does not read the whole transformer");
        let error = diagnostics.error(sparse.span, message);
        if let Some(span) = reader.inputs_span {
            error.related(span, "what it reads");
        }
        error.help("only the transformer's output is large and has many zeros: remove `sparse`");
        return None;
    }
    if outputs < FEWEST_SPARSE_OUTPUTS {
        let message = format!(
            "`{name}` is sparse with {outputs} outputs, expected at least {FEWEST_SPARSE_OUTPUTS}"
        );
        diagnostics.error(sparse.span, message).help(
            "layers with fewer are computed row by row: remove `sparse`, or correct `outputs`",
        );
        return None;
    }
    check_sparse_types(affine, sparse, element, diagnostics)?;
    Some(Some(Sparse {
        by: sparse.value,
        density,
    }))
}

/// Reports inputs of a type whose zeros cannot be skipped in this way.
fn check_sparse_types(
    affine: &Keys,
    sparse: &Spanned<SparseBy>,
    element: Element,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let weights = affine.weights.value;
    let bytes = element == Element::U8;
    let integers = matches!(weights, WeightType::I8 | WeightType::I16);
    let fits = match sparse.value {
        SparseBy::Blocks => bytes && weights == WeightType::I8,
        SparseBy::Auto | SparseBy::Inputs => {
            integers && matches!(element, Element::U8 | Element::I16)
        }
    };
    if fits {
        return Some(());
    }
    let message = format!("`{element}` inputs with `{weights}` weights cannot be sparse this way");
    let error = diagnostics.error(sparse.span, message);
    error.label("by `blocks`: `u8` and `i8`; by `inputs`: `u8` or `i16`, and `i8` or `i16`");
    error.related(affine.weights.span, "the weights");
    None
}

pub(super) fn check_output_blocks(
    affine: &Keys,
    outputs: usize,
    diagnostics: &mut Diagnostics,
) -> Option<Option<usize>> {
    let Some(blocks) = &affine.output_blocks else {
        return Some(None);
    };
    let by_inputs = affine
        .sparse
        .as_ref()
        .is_some_and(|sparse| sparse.value != SparseBy::Blocks);
    if !by_inputs {
        let message = "`output_blocks` is only for layers that are sparse by inputs";
        diagnostics
            .error(blocks.span, message)
            .help("add `sparse = \"inputs\"`");
        return None;
    }
    if !outputs.is_multiple_of(OUTPUT_RUN) {
        let message = format!("{outputs} outputs are not a multiple of {OUTPUT_RUN}");
        diagnostics
            .error(affine.outputs.span, message)
            .related(blocks.span, "blocks of 16 outputs");
        return None;
    }
    let most = (outputs / OUTPUT_RUN) as i64;
    let blocks = in_range("output_blocks", blocks, 1..=most, diagnostics)?;
    Some(Some(blocks as usize))
}
