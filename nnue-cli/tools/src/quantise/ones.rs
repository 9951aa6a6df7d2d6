//! Proposals of another `one`: changes of the spec with which rounding a part's weights loses less.
//!
//! For the transformer and for each affine layer of integers, all values of `one` that the language
//! allows are tried. For such a value, [`super::edit`] finds values of the keys that are tied to
//! it, the spec stays right, no weight and no bias of the part is clipped, and no sum is less
//! certain to fit its type than before. If there are more than 4,096 values, the largest are tried,
//! and the spec's `one` times or divided by powers of two. The measure is the mean of the squared
//! errors of the part's weights, as numbers in which 1.0 is 1.
//!
//! The best value is proposed if its squared errors are smaller than nine tenths of the spec's, no
//! other tensor has more clipped numbers, and no other weights have larger errors. Biases may have
//! larger errors: these are small, because biases have the `one` of sums. A proposal shows all of
//! them.
//!
//! If the file of integers has a spec of its own, the same keys must change in both specs.
//!
//! Some parts are left as they are: PSQT values, which have the output's `one` and 32 bits; layers
//! whose spec has a `one` for each output, or a `scale` instead; and layers that `sqr_crelu_i32`
//! reads, because their `one` decides which squares wrap around.

use nnue_compiler::description;
use nnue_compiler::format::Quantise;
use nnue_compiler::network::Network;
use nnue_compiler::network::file::{Role, Tensor};
use nnue_interpreter::UnroundedWeights;
use serde::Serialize;

use super::edit::{Change, Part, edit, largest_one, one};
use super::room::Room;
use super::specs::Specs;
use super::tensors::{clamped, is_clipped, quantised};
use crate::nets::tensors::places;

/// How many values of `one` are tried for a part, besides the spec's times or divided by powers of
/// two.
const MOST_ONES: i64 = 4096;

/// How many errors are computed to sort the values of a part's `one`. Reported errors are those of
/// all numbers.
const WORK: usize = 1 << 22;

/// How many of the values with the smallest errors are tried as specs, until a proposal is found.
const MOST_SPECS: usize = 64;

/// The squared errors of a proposal are less than this share of the spec's.
const SMALLER: f64 = 0.9;

/// Errors of another tensor that change by less than this share are not reported.
const SAME: f64 = 0.001;

/// Another `one` of a part of the network, with which rounding errors are smaller.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proposal {
    /// The name of the part: `transformer`, or that of a layer.
    pub part: String,
    /// All changes of the spec that the proposal needs.
    pub changes: Vec<Change>,
    /// The effects on tensors: first on the part's weights, then on others whose errors change.
    pub tensors: Vec<Effect>,
}

/// The effect of a proposal on a tensor: each field has the number of the spec, and then that of
/// the proposal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The name of the tensor.
    pub name: String,
    /// The integer that stands for 1.0.
    pub one: [f64; 2],
    /// The root of the mean of the squared errors.
    pub error: [f64; 2],
    /// How many numbers are clipped.
    pub clipped: [usize; 2],
}

/// A tensor with its quantisation and the errors that this makes.
struct Lossy<'n> {
    tensor: &'n Tensor,
    quantise: Quantise,
    errors: Errors,
}

/// The errors of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Errors {
    pub(super) mean_square: f64,
    pub(super) clipped: usize,
}

/// A search for proposals, in a network of floating point with its weights.
struct Search<'a> {
    specs: &'a Specs,
    source: &'a Network,
    weights: &'a UnroundedWeights,
    tensors: Vec<Lossy<'a>>,
    room: &'a Room,
}

/// The best proposals, at most one proposal for each part of the network.
pub(super) fn proposals(
    specs: &Specs,
    source: &Network,
    weights: &UnroundedWeights,
    room: &Room,
) -> Vec<Proposal> {
    let tensors = quantised(source).into_iter();
    let tensors = tensors.map(|(tensor, quantise)| Lossy {
        tensor,
        quantise,
        errors: Errors::of(quantise, numbers(source, weights, tensor)),
    });
    let search = Search {
        specs,
        source,
        weights,
        tensors: tensors.collect(),
        room,
    };
    let parts = Part::all(source);
    parts.filter_map(|part| search.best(part)).collect()
}

impl Errors {
    /// The errors of numbers, which are given in the units of their integers.
    pub(super) fn of(quantise: Quantise, numbers: impl Iterator<Item = f64>) -> Errors {
        let (mut squares, mut clipped, mut count) = (0.0, 0, 0);
        for exact in numbers {
            squares += square(quantise, exact);
            clipped += usize::from(is_clipped(quantise, exact));
            count += 1;
        }
        Errors {
            mean_square: squares / f64::from(count.max(1)),
            clipped,
        }
    }
}

/// The numbers of a tensor, in the units of its integers.
pub(super) fn numbers<'a>(
    source: &'a Network,
    weights: &'a UnroundedWeights,
    tensor: &Tensor,
) -> impl Iterator<Item = f64> + use<'a> {
    places(source, tensor).filter_map(move |place| weights.number(source, place))
}

/// The square of the error of a number, which is given in the units of the integers.
fn square(quantise: Quantise, exact: f64) -> f64 {
    ((clamped(quantise, exact) - exact) / quantise.factor).powi(2)
}

/// Whether a tensor has weights of a part.
pub(super) fn is_of(part: Part, role: Role) -> bool {
    match (part, role) {
        (Part::Transformer, Role::Weights(_)) => true,
        (Part::Layer(layer), Role::LayerWeights(own)) => layer == own,
        _ => false,
    }
}

/// Whether a tensor has the biases of a part, which have the same `one`.
pub(super) fn has_biases_of(part: Part, role: Role) -> bool {
    match (part, role) {
        (Part::Transformer, Role::Biases(_)) => true,
        (Part::Layer(layer), Role::LayerBiases(own)) => layer == own,
        _ => false,
    }
}

impl Search<'_> {
    fn best(&self, part: Part) -> Option<Proposal> {
        let own = one(self.specs.spec(), self.source, part)?;
        let ones = self.better(part, own)?;
        let mut specs = ones.into_iter().take(MOST_SPECS);
        specs.find_map(|one| self.proposal(part, self.specs.with_one(part, one)?))
    }

    fn numbers(&self, tensor: &Tensor) -> impl Iterator<Item = f64> {
        numbers(self.source, self.weights, tensor)
    }

    /// The tensors whose role satisfies a predicate.
    fn tensors(&self, is_meant: impl Fn(Role) -> bool) -> impl Iterator<Item = &Lossy<'_>> {
        let tensors = self.tensors.iter();
        tensors.filter(move |lossy| is_meant(lossy.tensor.role))
    }

    /// Values of a part's `one` that are better than the spec's, the best first. With these nothing
    /// is clipped, and the errors of the weights, or of a sample of them, are smaller.
    fn better(&self, part: Part, own: i64) -> Option<Vec<i64>> {
        let tied = self.tensors(|role| is_of(part, role) || has_biases_of(part, role));
        // The largest factor with which nothing is clipped.
        let mut most = f64::INFINITY;
        for lossy in tied {
            let (low, high) = lossy.quantise.element.limits()?;
            let (low, high) = (f64::from(low) - 0.5, f64::from(high) + 0.5);
            for number in self.numbers(lossy.tensor).filter(|number| *number != 0.0) {
                most = most.min(if number > 0.0 { high } else { low } / number);
            }
        }
        let most = most.min(self.room.of_part(self.source, part));
        let largest = (most * own as f64).min(largest_one(self.source, part) as f64);
        let first = (largest as i64 - MOST_ONES + 1).max(1);
        let powers = (0..31).flat_map(|power| [own << power, own >> power]);
        let powers = powers.filter(|one| (1..first).contains(one));
        let can_follow = |one: &i64| edit(self.specs.spec(), self.source, part, *one).is_some();
        let ones = powers
            .chain(first..=largest as i64)
            .filter(|one| *one != own);
        let mut ones: Vec<i64> = ones.filter(can_follow).collect();
        ones.sort_unstable();
        ones.dedup();

        let weights = || self.tensors(move |role| is_of(part, role));
        let count: usize = weights().map(|lossy| lossy.tensor.stored.values).sum();
        let samples = (WORK / ones.len().max(1)).clamp(1024, 1 << 20);
        let every = count.div_ceil(samples).max(1);
        let sample = weights().map(|lossy| {
            let numbers = self.numbers(lossy.tensor).step_by(every);
            (lossy.quantise, numbers.collect::<Vec<f64>>())
        });
        let sample: Vec<(Quantise, Vec<f64>)> = sample.collect();
        let lost = |one: i64| {
            let scale = one as f64 / own as f64;
            let squares = sample.iter().map(|(quantise, numbers)| {
                let scaled = Quantise {
                    factor: scale * quantise.factor,
                    ..*quantise
                };
                Errors::of(scaled, numbers.iter().map(|number| scale * number)).mean_square
            });
            squares.sum::<f64>()
        };
        let limit = SMALLER * lost(own);
        let ones = ones.into_iter().map(|one| (lost(one), one));
        let mut ones: Vec<(f64, i64)> = ones.filter(|(lost, _)| *lost < limit).collect();
        ones.sort_by(|(first, _), (second, _)| first.total_cmp(second));
        Some(ones.into_iter().map(|(_, one)| one).collect())
    }

    /// The proposal with these changes, if it is good enough.
    fn proposal(&self, part: Part, edited: Specs) -> Option<Proposal> {
        let network = &edited.source;
        let after = quantised(network);
        let pairs = || self.tensors.iter().zip(&after);
        // If the file has a `one` of its own, it stays although that of the network changes.
        let follows = |(before, after): (&Lossy<'_>, &(&Tensor, Quantise))| {
            let one = |network: &Network| description::ones::of_tensor(network, before.tensor);
            let Some((from, to)) = one(self.source).zip(one(network)) else {
                return true;
            };
            let expected = before.quantise.factor * to / from;
            (after.1.factor / expected - 1.0).abs() < 1e-9
        };
        if after.len() != self.tensors.len() || !pairs().all(follows) {
            return None;
        }
        let effects = |is_own: bool| {
            let pairs =
                pairs().filter(move |(before, _)| is_of(part, before.tensor.role) == is_own);
            pairs.map(|(before, (_, after))| (before.tensor.role, self.effect(before, *after)))
        };
        // The effects on other tensors come first: these tensors are small, and forbid most values.
        let others: Vec<(Role, Effect)> = effects(false).collect();
        let costs_more = others.iter().any(|(role, effect)| {
            let [before, after] = effect.error;
            let are_weights = matches!(role, Role::Weights(_) | Role::LayerWeights(_));
            let is_worse = are_weights && after > (1.0 + SAME) * before;
            effect.clipped[1] > effect.clipped[0] || is_worse
        });
        if costs_more {
            return None;
        }
        let own: Vec<Effect> = effects(true).map(|(_, effect)| effect).collect();
        let squares = |at: usize| -> f64 { own.iter().map(|own| own.error[at].powi(2)).sum() };
        let gain = squares(1) / squares(0);
        if gain >= SMALLER || own.iter().any(|own| own.clipped[1] > 0) {
            return None;
        }
        let changed = others.into_iter().filter(|(_, effect)| {
            let [before, after] = effect.error;
            (after - before).abs() > SAME * before
        });
        Some(Proposal {
            part: part.name(self.source),
            changes: edited.changes,
            tensors: (own.into_iter())
                .chain(changed.map(|(_, effect)| effect))
                .collect(),
        })
    }

    /// The effect of another quantisation on a tensor.
    fn effect(&self, before: &Lossy<'_>, after: Quantise) -> Effect {
        let Lossy {
            tensor,
            quantise,
            errors,
        } = before;
        let scale = after.factor / quantise.factor;
        let errors_after = if after == *quantise {
            *errors
        } else {
            Errors::of(after, self.numbers(tensor).map(|number| scale * number))
        };
        Effect {
            name: tensor.name.to_string(),
            one: [quantise.factor, after.factor],
            error: [*errors, errors_after].map(|errors| errors.mean_square.sqrt()),
            clipped: [errors.clipped, errors_after.clipped],
        }
    }
}
