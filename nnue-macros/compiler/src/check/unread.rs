//! Finds values that nothing reads. They are most likely a mistake, such as a skip connection that
//! was forgotten, so they are errors unless the spec lists them.

use crate::diagnostics::{Diagnostics, Span, Spanned, list};
use crate::network::{Layer, Output, PSQT, Source, TRANSFORMER, Tensor, Transformer, UNPOOLED};
use crate::spec::PsqtKey;
use crate::spec::{Reference, Spec};

use super::layers::{check_count, check_psqt, check_unpooled, is_good_name, resolve_range};

/// The largest number of parts of a tensor that an error names.
const MOST_NAMED: usize = 3;

/// Reports layers, and parts of layers and of the transformer's output, that neither a layer nor
/// the output reads. Parts that the spec lists as unread must really be unread.
pub(super) fn check(
    spec: &Spec,
    transformer: &Transformer,
    layers: &[Layer],
    output: &Output,
    diagnostics: &mut Diagnostics,
) {
    let mut read = ReadValues::new(transformer, layers, output);
    if let Some(unread) = &spec.output.unread
        && check_count(unread, diagnostics).is_some()
    {
        for part in &unread.value {
            check_listed(spec, transformer, layers, part, &mut read, diagnostics);
        }
    }
    for (index, layer) in layers.iter().enumerate() {
        let values = read.of(Source::Layer(index));
        if values.contains(&true) {
            continue;
        }
        values.fill(true);
        // A layer with a wrong name was reported already.
        let is_second = layers[..index].iter().any(|first| first.name == layer.name);
        if is_good_name(&layer.name) && !is_second {
            let message = format!("nothing reads layer `{}`", layer.name);
            diagnostics
                .error(spec.layers[index].name.span, message)
                .help(format!(
                    "name it in another layer's `input` or in the output's `sum`, remove it, or list it in `[output]` if that is meant: `unread = \"{}\"`",
                    layer.name
                ));
        }
    }
    let span = spec.transformer.width.span;
    report_parts(TRANSFORMER, span, read.of(Source::Transformer), diagnostics);
    if let Some(unpooled) = &spec.transformer.unpooled {
        let values = read.of(Source::Unpooled);
        report_parts(UNPOOLED, unpooled.span, values, diagnostics);
    }
    if let Some(PsqtKey::OfLayers { values, .. }) = &spec.transformer.psqt {
        report_parts(PSQT, values.span, read.of(Source::Psqt), diagnostics);
    }
    for (index, layer) in spec.layers.iter().enumerate() {
        let (name, values) = (&layer.name, read.of(Source::Layer(index)));
        report_parts(&name.value, name.span, values, diagnostics);
    }
}

/// Whether something reads each value: a list for the transformer's output, for its sums that are
/// not pooled, for its PSQT sums, and for each layer's output, in this order.
struct ReadValues(Vec<Vec<bool>>);

impl ReadValues {
    fn new(transformer: &Transformer, layers: &[Layer], output: &Output) -> ReadValues {
        let unpooled = transformer.unpooled.as_ref().map_or(0, |sums| sums.len);
        let psqt = transformer.psqt_sums.as_ref().map_or(0, |sums| sums.len);
        let outputs = layers.iter().map(|layer| layer.output.len);
        let lens = [transformer.output.len, unpooled, psqt]
            .into_iter()
            .chain(outputs);
        let mut read = ReadValues(lens.map(|len| vec![false; len]).collect());
        for slice in layers.iter().flat_map(|layer| &layer.inputs) {
            read.of(slice.source)[slice.start..slice.start + slice.len].fill(true);
        }
        let further = output.further.iter().map(|further| &further.head);
        for term in output
            .heads
            .iter()
            .chain(further)
            .flat_map(|head| &head.terms)
        {
            read.of(Source::Layer(term.layer))[term.index] = true;
        }
        read
    }

    fn of(&mut self, source: Source) -> &mut [bool] {
        match source {
            Source::Transformer => &mut self.0[0],
            Source::Unpooled => &mut self.0[1],
            Source::Psqt => &mut self.0[2],
            Source::Layer(index) => &mut self.0[index + 3],
        }
    }
}

/// Marks a part that the spec lists as unread, so that it is not reported. Reports a part that
/// something reads.
fn check_listed(
    spec: &Spec,
    transformer: &Transformer,
    layers: &[Layer],
    part: &Spanned<Reference>,
    read: &mut ReadValues,
    diagnostics: &mut Diagnostics,
) {
    let name = &part.value.name;
    let found = layers.iter().position(|layer| layer.name == *name);
    let (source, tensor): (_, &Tensor) = match found {
        _ if name == TRANSFORMER => (Source::Transformer, &transformer.output),
        _ if name == UNPOOLED => {
            check_unpooled(transformer, part, diagnostics);
            let Some(sums) = &transformer.unpooled else {
                return;
            };
            (Source::Unpooled, sums)
        }
        _ if name == PSQT => {
            check_psqt(transformer, part, diagnostics);
            let Some(sums) = &transformer.psqt_sums else {
                return;
            };
            (Source::Psqt, sums)
        }
        Some(index) => (Source::Layer(index), &layers[index].output),
        None => {
            let names = spec.layers.iter().map(|layer| layer.name.value.as_str());
            let message = format!("there is no layer `{name}`");
            let known = std::iter::once(TRANSFORMER).chain(names);
            diagnostics.unknown(part.span, message, name, known);
            return;
        }
    };
    let Some((start, len)) = resolve_range(part, tensor, diagnostics) else {
        return;
    };
    let values = &mut read.of(source)[start..start + len];
    if let Some(index) = values.iter().position(|read| *read) {
        diagnostics
            .error(part.span, format!("`{name}[{}]` is read", start + index))
            .help("`unread` lists only what nothing reads: remove it from the list");
    }
    values.fill(true);
}

fn report_parts(name: &str, span: Span, read: &[bool], diagnostics: &mut Diagnostics) {
    let parts: Vec<String> = read
        .chunk_by(|a, b| a == b)
        .scan(0, |end, run| {
            let start = *end;
            *end += run.len();
            Some((start, run.len(), run[0]))
        })
        .filter(|(_, _, read)| !read)
        .map(|(start, len, _)| match len {
            1 => format!("{name}[{start}]"),
            len if start + len == read.len() => format!("{name}[{start}..]"),
            len => format!("{name}[{start}..{}]", start + len),
        })
        .collect();
    let Some(first) = parts.first() else {
        return;
    };
    let more = match parts.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more parts"),
    };
    let named = list(parts.iter().take(MOST_NAMED));
    diagnostics
        .error(span, format!("nothing reads {named}{more}"))
        .help(format!(
            "name it in a layer's `input` or in the output's `sum`, or list it in `[output]` if that is meant: `unread = \"{first}\"`"
        ));
}
