//! Calibration of `one`: the integer for 1.0 follows from the range of the weights, as positions
//! use them, and the cost of each choice is measured in evaluations.
//!
//! For each part of the network that has a `one`, and for each [`Method`], the range of the part's
//! weights ends at a threshold. A weight counts as much as positions use it ([`Usage`]). The
//! threshold limits `one`: its integer must fit its type. Up to this limit, the largest `one` is
//! taken that the language can express. For such a `one`, [`super::edit`] finds values of the keys
//! that are tied to it, the spec stays right, and no sum is less certain to fit its type than
//! before. If the transformer's `one` changes, layers that read it keep the `one` of their weights,
//! if they can. Layers are also tried with a `one` for each output, by the same rule.
//!
//! Each choice is carried out: a file of integers is made and evaluated, and the evaluations are
//! compared with those of the floating point. So all costs in the table are measured, and none are
//! estimated. Choices for all parts together are measured too: by each method, and by the best
//! method of each part. The last choices are other values of `align`.

mod histogram;
mod threshold;
mod usage;

use std::path::Path;

use nnue_compiler::format::Quantise;
use nnue_compiler::network::Network;
use nnue_compiler::network::file::Tensor;
use nnue_interpreter::{Net, NumberPlace, UnroundedNet, UnroundedWeights};
use nnue_runtime::{Board, Position};
use serde::Serialize;

use self::histogram::Histogram;
use self::threshold::Method;
use self::usage::Usage;
pub use self::usage::ValueRange;
use super::edit::{Change, Part, aligned_tables, edit_alignment, edit_channels, largest_one, one};
use super::make;
use super::ones::{has_biases_of, is_of, numbers};
use super::room::Room;
use super::specs::Specs;
use super::tensors::{is_clipped, ones, quantised};
use crate::nets::parallel;
use crate::nets::tensors::places;
use crate::quantise::Error;

/// The results of a calibration.
#[derive(Debug, Serialize)]
pub struct Calibration {
    /// How many positions were evaluated.
    pub positions: usize,
    /// The ranges of the values in floating point.
    pub ranges: Vec<ValueRange>,
    /// The choices and their costs, beginning with the spec as it is.
    pub choices: Vec<Choice>,
    /// The index of the choice with the least mean error.
    pub best: usize,
}

/// A choice of `one` for a part of the network, or for all parts, and its cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// The part: `transformer`, the name of a layer, the table of an alignment, `all parts`, or
    /// `the spec`.
    pub part: String,
    /// The parts with a `one` of their own: `tensor` or `channel`. It is empty for the spec, for
    /// the best of each part, and for alignments.
    pub per: &'static str,
    /// How the range was chosen; for an alignment, the value of the key.
    pub range: String,
    /// The magnitude where the range ends, as a number in which 1.0 is 1: a number for each output
    /// that has a `one`; empty for several parts.
    pub thresholds: Vec<f64>,
    /// The part's `one` in the changed spec: a number for each output that has a `one`; empty for
    /// several parts.
    pub ones: Vec<i64>,
    /// The cost of the choice.
    #[serde(flatten)]
    pub cost: Cost,
    /// The changes of the spec; empty if the choice is the spec as it is.
    pub changes: Vec<Change>,
}

/// The cost of rounding to integers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// The share of clipped numbers among those that become integers, over all tensors.
    pub clipped: f64,
    /// The mean difference between the evaluations with and without rounding, without signs, in the
    /// network's units.
    pub mean_error: f64,
    /// The largest difference between the evaluations with and without rounding.
    pub largest_error: f64,
}

/// The measurement of a choice's cost.
struct Measure<'a> {
    file: (&'a Path, &'a [u8]),
    positions: Vec<(&'a Board, usize)>,
    /// The outputs of the network for each position, without rounding.
    exact: Vec<Vec<f64>>,
}

/// A part of the network, and the magnitudes of its numbers.
struct PartMagnitudes {
    part: Part,
    weights: Vec<Magnitudes>,
    biases: Vec<Magnitudes>,
}

/// The magnitudes of a tensor, as numbers in which 1.0 is 1.
struct Magnitudes {
    tensor: String,
    /// The largest integer of the tensor's type.
    most: f64,
    /// The magnitudes of each output. The transformer has a single histogram for all neurons.
    channels: Vec<Histogram>,
    whole: Histogram,
}

/// The specs after a choice, and the choice.
struct ChosenOnes {
    specs: Specs,
    thresholds: Vec<f64>,
    ones: Vec<i64>,
}

/// Measures all choices over positions. There must be at least one position.
///
/// # Errors
///
/// A file of integers cannot be made.
pub(super) fn calibrate(
    specs: &Specs,
    unrounded: &UnroundedNet,
    integers: &Net,
    room: &Room,
    file: (&Path, &[u8]),
    positions: &[Board],
) -> Result<Calibration, Error> {
    let network = unrounded.network();
    let stack = |(index, board): (usize, &'_ Board)| {
        let stack = integers.bucket(board.occupied().len());
        stack.unwrap_or(index % network.stacks.count)
    };
    let positions = positions.iter().enumerate();
    let positions = positions.map(|(index, board)| (board, stack((index, board))));
    let positions: Vec<(&Board, usize)> = positions.collect();
    let usage = Usage::over(unrounded, &positions);
    let parts = Part::all(network)
        .filter_map(|part| PartMagnitudes::of(part, network, unrounded.weights(), &usage));
    let parts: Vec<PartMagnitudes> = parts.collect();
    let ranges = usage.ranges(network);
    let measure = Measure {
        file,
        positions,
        exact: usage.outputs,
    };
    let mut search = Search {
        start: specs,
        room,
        measure: &measure,
        choices: Vec::new(),
    };
    search.all(&parts)?;
    let choices = search.choices;
    let best = (0..choices.len()).reduce(|best, next| {
        let [least, other] = [best, next].map(|index| choices[index].cost.mean_error);
        if other < least { next } else { best }
    });
    Ok(Calibration {
        positions: measure.positions.len(),
        ranges,
        best: best.unwrap_or(0),
        choices,
    })
}

struct Search<'a> {
    start: &'a Specs,
    room: &'a Room,
    measure: &'a Measure<'a>,
    choices: Vec<Choice>,
}

impl Search<'_> {
    fn all(&mut self, parts: &[PartMagnitudes]) -> Result<(), Error> {
        self.add("the spec", "", "as it is".into(), self.start.clone().into())?;
        // For each part, the method with the smallest error, and whether it was chosen by channel.
        let mut best: Vec<Option<(Method, bool)>> = vec![None; parts.len()];
        for (ranged, best) in parts.iter().zip(&mut best) {
            let mut least = self.choices[0].cost.mean_error;
            let name = ranged.part.name(&self.start.source);
            for by_channel in [false, true] {
                for method in Method::ALL {
                    let chosen = self.choose(self.start, ranged, method, by_channel);
                    let Some(chosen) = chosen else { continue };
                    let per = if by_channel { "channel" } else { "tensor" };
                    let error = self.add(&name, per, method.to_string(), chosen)?;
                    if error < least {
                        least = error;
                        *best = Some((method, by_channel));
                    }
                }
            }
        }
        for method in Method::ALL {
            let methods = vec![Some((method, false)); parts.len()];
            let together = self.together(parts, &methods);
            self.add("all parts", "tensor", method.to_string(), together.into())?;
        }
        let together = self.together(parts, &best);
        self.add(
            "all parts",
            "",
            "the best of each".into(),
            together.clone().into(),
        )?;
        for table in aligned_tables(together.spec()) {
            for bits in [None, Some(8), Some(16)] {
                let edited = together.edited(|spec, _| edit_alignment(spec, &table, bits));
                let Some(edited) = edited else { continue };
                let how = match bits {
                    None => "exact".to_string(),
                    Some(bits) => format!("shift, {bits} bits"),
                };
                self.add(&table, "", how, edited.into())?;
            }
        }
        Ok(())
    }

    /// Measures a choice, and returns its mean error.
    fn add(
        &mut self,
        part: &str,
        per: &'static str,
        range: String,
        chosen: ChosenOnes,
    ) -> Result<f64, Error> {
        let changes = &chosen.specs.changes;
        let known = self.choices.iter().find(|known| known.changes == *changes);
        let cost = match known {
            Some(known) => known.cost.clone(),
            None => self.measure.cost(&chosen.specs)?,
        };
        let error = cost.mean_error;
        self.choices.push(Choice {
            part: part.to_string(),
            per,
            range,
            thresholds: chosen.thresholds,
            ones: chosen.ones,
            cost,
            changes: chosen.specs.changes,
        });
        Ok(error)
    }

    /// The specs after choices for several parts, which are made in turn. A part for which the
    /// choice is no longer possible stays as it is.
    fn together(&self, parts: &[PartMagnitudes], methods: &[Option<(Method, bool)>]) -> Specs {
        let mut specs = self.start.clone();
        for (ranged, method) in parts.iter().zip(methods) {
            if let Some((method, by_channel)) = *method
                && let Some(chosen) = self.choose(&specs, ranged, method, by_channel)
            {
                specs = chosen.specs;
            }
        }
        specs
    }

    /// The choice with the largest `one` that a range allows and the language can express.
    fn choose(
        &self,
        specs: &Specs,
        ranged: &PartMagnitudes,
        method: Method,
        by_channel: bool,
    ) -> Option<ChosenOnes> {
        match (by_channel, ranged.part) {
            (false, _) => self.choose_one(specs, ranged, method),
            (true, Part::Layer(layer)) => self.choose_channels(specs, ranged, method, layer),
            (true, Part::Transformer) => None,
        }
    }

    fn choose_one(
        &self,
        specs: &Specs,
        ranged: &PartMagnitudes,
        method: Method,
    ) -> Option<ChosenOnes> {
        let part = ranged.part;
        let own = one(specs.spec(), &specs.source, part)?;
        let (thresholds, factor) = ranged.factor(&specs.source, method, None)?;
        let most = own as f64 * factor.min(self.room(specs, part, 0));
        let most = most.min(largest_one(&specs.source, part) as f64).max(1.0) as i64;
        let powers = (0..31).flat_map(|power| [own << power, own >> power]);
        let mut ones: Vec<i64> = (most - NEAR..=most).chain(powers).collect();
        ones.retain(|one| (1..=most).contains(one));
        ones.sort_unstable();
        ones.dedup();
        // The largest `one` comes first. For the transformer, choices that keep the layers' weights
        // come before all others.
        let as_it_is = |one: i64| (one == own).then(|| specs.clone());
        let followed = |one: &i64| match part {
            Part::Transformer => {
                let specs = as_it_is(*one).or_else(|| specs.with_followed(*one));
                Some((specs?, *one))
            }
            Part::Layer(_) => None,
        };
        let alone = |one: &i64| {
            let specs = as_it_is(*one).or_else(|| specs.with_one(part, *one));
            Some((specs?, *one))
        };
        let descending = || ones.iter().rev();
        let chosen = descending().find_map(followed);
        let (specs, one) = chosen.or_else(|| descending().find_map(alone))?;
        Some(ChosenOnes {
            specs,
            thresholds,
            ones: vec![one],
        })
    }

    fn choose_channels(
        &self,
        specs: &Specs,
        ranged: &PartMagnitudes,
        method: Method,
        layer: usize,
    ) -> Option<ChosenOnes> {
        let outputs = specs.source.layers[layer].output.len;
        if outputs == 1 {
            return None;
        }
        let (mut thresholds, mut ones) = (Vec::new(), Vec::new());
        for output in 0..outputs {
            let own = specs.source.layers[layer].output.one.at(output);
            let (threshold, factor) = ranged.factor(&specs.source, method, Some(output))?;
            let factor = factor.min(self.room(specs, ranged.part, output));
            thresholds.extend(threshold);
            ones.push((f64::from(own) * factor).clamp(1.0, i32::MAX.into()) as i64);
        }
        let edit = |spec: &_, network: &Network| edit_channels(spec, network, layer, &ones);
        Some(ChosenOnes {
            specs: specs.edited(edit)?,
            thresholds,
            ones,
        })
    }

    /// How many times larger the `one` of sums can still become.
    fn room(&self, specs: &Specs, part: Part, output: usize) -> f64 {
        let one = |network: &Network| match part {
            Part::Transformer => f64::from(network.transformer.one),
            Part::Layer(layer) => f64::from(network.layers[layer].output.one.at(output)),
        };
        let start = &self.start.source;
        self.room.of_part(start, part) * one(start) / one(&specs.source)
    }
}

/// How many values of `one` below the largest are tried.
const NEAR: i64 = 64;

impl From<Specs> for ChosenOnes {
    fn from(specs: Specs) -> ChosenOnes {
        ChosenOnes {
            specs,
            thresholds: Vec::new(),
            ones: Vec::new(),
        }
    }
}

impl PartMagnitudes {
    /// The magnitudes of a part; `None` if its weights do not become integers.
    fn of(
        part: Part,
        source: &Network,
        weights: &UnroundedWeights,
        usage: &Usage,
    ) -> Option<PartMagnitudes> {
        let all = quantised(source).into_iter();
        let of = |(tensor, quantise)| Magnitudes::of((tensor, quantise), source, weights, usage);
        let (own, biases): (Vec<_>, Vec<_>) = all
            .filter(|(tensor, _)| is_of(part, tensor.role) || has_biases_of(part, tensor.role))
            .partition(|(tensor, _)| is_of(part, tensor.role));
        let ranged = PartMagnitudes {
            part,
            weights: own.into_iter().map(of).collect::<Option<_>>()?,
            biases: biases.into_iter().map(of).collect::<Option<_>>()?,
        };
        (!ranged.weights.is_empty()).then_some(ranged)
    }

    /// The thresholds of a method, and how many times larger `one` can become so that the
    /// thresholds and all biases fit: of an output, or of the whole part. `None` if no type limits
    /// `one`.
    fn factor(
        &self,
        source: &Network,
        method: Method,
        output: Option<usize>,
    ) -> Option<(Vec<f64>, f64)> {
        let now = quantised(source);
        let factor = |magnitudes: &Magnitudes, threshold: f64| {
            let (tensor, quantise) = now.iter().find(|(own, _)| own.name == magnitudes.tensor)?;
            let place = NumberPlace {
                role: tensor.role,
                stack: 0,
                row: output.unwrap_or(0),
                column: output.unwrap_or(0),
            };
            let one = ones(source, tensor, *quantise).at(place);
            Some(magnitudes.most / (threshold * one))
        };
        let histogram = |magnitudes: &'_ Magnitudes| match output {
            Some(output) => magnitudes.channels[output].clone(),
            None => magnitudes.whole.clone(),
        };
        let mut least = f64::INFINITY;
        let mut thresholds = Vec::new();
        for own in &self.weights {
            let threshold = method.threshold(&histogram(own), own.most as usize + 1);
            thresholds.push(threshold);
            least = least.min(factor(own, threshold)?);
        }
        for own in &self.biases {
            least = least.min(factor(own, histogram(own).largest)?);
        }
        // The widest range of the tensors of all feature sets.
        let threshold = thresholds.into_iter().reduce(f64::max)?;
        Some((vec![threshold], if least.is_finite() { least } else { 1.0 }))
    }
}

impl Magnitudes {
    /// The magnitudes of a tensor; `None` if its type has no limits.
    fn of(
        (tensor, quantise): (&Tensor, Quantise),
        source: &Network,
        weights: &UnroundedWeights,
        usage: &Usage,
    ) -> Option<Magnitudes> {
        let (_, most) = quantise.element.limits()?;
        let all = ones(source, tensor, quantise);
        let outputs = tensor.role.layer();
        let outputs = outputs.map_or(1, |layer| source.layers[layer].output.len);
        let mut channels = vec![Histogram::new(); outputs];
        for place in places(source, tensor) {
            let Some(number) = weights.number(source, place) else {
                continue;
            };
            let channel = match tensor.role.layer() {
                Some(_) => super::channels::output(place.role, place.row, place.column),
                None => 0,
            };
            channels[channel].add(number / all.at(place), usage.of(source, place));
        }
        let mut whole = Histogram::new();
        channels.iter().for_each(|channel| whole.merge(channel));
        Some(Magnitudes {
            tensor: tensor.name.to_string(),
            most: f64::from(most),
            channels,
            whole,
        })
    }
}

impl Measure<'_> {
    fn cost(&self, specs: &Specs) -> Result<Cost, Error> {
        let (spec, to) = specs.networks();
        let made = make(spec, to, self.file)?;
        let found = parallel::map(&self.positions, |(board, stack)| {
            let outputs = made.integers.evaluate(*board, *stack).outputs();
            outputs
                .iter()
                .map(|output| f64::from(output.value))
                .collect::<Vec<f64>>()
        });
        let pairs = self.exact.iter().flatten().zip(found.iter().flatten());
        let errors: Vec<f64> = pairs.map(|(exact, found)| (found - exact).abs()).collect();
        let (mut clipped, mut count) = (0_usize, 0_usize);
        let source = made.unrounded.network();
        for (tensor, quantise) in quantised(source) {
            for number in numbers(source, made.unrounded.weights(), tensor) {
                clipped += usize::from(is_clipped(quantise, number));
                count += 1;
            }
        }
        Ok(Cost {
            clipped: clipped as f64 / count.max(1) as f64,
            mean_error: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
            largest_error: errors.iter().copied().fold(0.0, f64::max),
        })
    }
}
