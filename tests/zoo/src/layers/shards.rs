//! `shards` of random networks: layers whose outputs read parts of the transformer's output.

use nnue_compiler::network::{Element, Order, Transformer};

use super::{Graph, Part};

/// Inputs are divided at multiples of this number.
const UNIT: usize = 64;

/// Whether the output is bytes, whole vectors of each perspective, one perspective after the other.
pub(super) fn has_whole_vectors(transformer: &Transformer) -> bool {
    let perspectives = transformer.perspectives;
    let half = transformer.output.len / perspectives.count;
    let in_order = perspectives.count == 1 || perspectives.order != Order::Interleaved;
    transformer.output.element == Element::U8 && half.is_multiple_of(UNIT) && in_order
}

impl Graph<'_> {
    /// Draws `shards` of a layer that reads all of the transformer's output, and tells whether the
    /// layer has them.
    pub(super) fn shards(&mut self, input: Part, weights: &str, outputs: usize) -> bool {
        let choices: Vec<(usize, usize)> = (0..input.len)
            .step_by(UNIT)
            .flat_map(|common| (2..=outputs).map(move |count| (common, count)))
            .filter(|(common, count)| {
                outputs.is_multiple_of(*count) && (input.len - common).is_multiple_of(count * UNIT)
            })
            .collect();
        let mut aside = self.dice.aside_for("shards");
        let fits = weights == "i8" && self.has_whole_vectors && !choices.is_empty();
        if !fits || aside.once_in(4) {
            return false;
        }
        let (common, count) = aside.pick(&choices);
        match common {
            0 if aside.once_in(2) => self
                .toml
                .set("shards", format_args!("{{ count = {count} }}")),
            _ => self.toml.set(
                "shards",
                format_args!("{{ count = {count}, common = {common} }}"),
            ),
        }
        true
    }
}
