//! The tensors of a network, as files may hold them.

use super::{Axis, FileElement, Format, Parts, Section, Tensor};
use crate::feature_set::{Family, FeatureSet};
use crate::network::{Affine, Element, Layer, Network, Output, Source, Transformer, WeightType};
use crate::spec::{Encoding, FactorRounding, RowType};

/// Which tensor of a network one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Rows of the transformer from this one of memory on: features, neurons.
    Weights(usize),
    /// The transformer's biases: neurons. Where perspectives have separate weights, 0 is white and 1 black.
    Biases(usize),
    /// PSQT values from this row of memory on: features, PSQT values.
    Psqt(usize),
    /// The weights of the layer of this index: stacks, outputs, inputs.
    LayerWeights(usize),
    /// The biases of the layer of this index: stacks, outputs.
    LayerBiases(usize),
    /// The factors of the sums of the layer of this index: stacks, outputs.
    LayerAlpha(usize),
}

impl Role {
    /// The layer that it belongs to, unless to the transformer.
    pub fn layer(self) -> Option<usize> {
        match self {
            Role::Weights(_) | Role::Biases(_) | Role::Psqt(_) => None,
            Role::LayerWeights(layer) | Role::LayerBiases(layer) | Role::LayerAlpha(layer) => {
                Some(layer)
            }
        }
    }
}

/// What a tensor's values are once they are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// Integers that this type holds.
    Integers(FileElement),
    /// Floating point.
    Float,
    /// Nothing but signs.
    Signs,
}

/// A tensor of the network at hand.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) role: Role,
    /// What messages and specs call it.
    pub(super) name: String,
    /// What bullet's examples call it; PSQT values have no name there.
    pub(super) id: Option<String>,
    /// In the order of axes that kernels would choose.
    pub(super) axes: Vec<(Axis, usize)>,
    pub(super) values: Values,
    /// What stands for 1.0, where the spec says it and all values share it.
    pub(super) one: Option<f64>,
    /// Whether its rows are virtual.
    pub(super) is_virtual: bool,
    /// Whether sums of real and virtual rows are rounded, of a set that has rows in it.
    pub(super) rounds_sums: bool,
}

impl Known {
    /// The type that files have by default.
    pub(super) fn element(&self) -> FileElement {
        match self.values {
            Values::Integers(element) => element,
            Values::Float => FileElement::F32,
            Values::Signs => FileElement::I8,
        }
    }

    /// The tensor of a raw file, with its defaults.
    pub(super) fn tensor(&self) -> Tensor {
        Tensor {
            role: self.role,
            name: self.name.clone(),
            id: String::new(),
            element: self.element(),
            axes: self.axes.clone(),
            padded: self.axes.last().map_or(1, |(_, len)| *len),
            encoding: Encoding::Raw,
            quantise: None,
        }
    }
}

/// All tensors, those of the transformer first, weights before biases.
pub(super) fn all(parts: Parts<'_>) -> Option<Vec<Known>> {
    let (transformer, layers) = (parts.transformer?, parts.layers?);
    let (stacks, output) = (parts.stacks?.count, parts.output?);
    let mut tensors = of_transformer(transformer, parts.features?, output);
    let affine = layers.iter().enumerate().filter_map(|(index, layer)| {
        let affine = layer.affine()?;
        Some((index, layer, affine))
    });
    for (number, (index, layer, affine)) in affine.enumerate() {
        let owner = Owner {
            index,
            layer,
            stacks,
            // bullet's examples count from the transformer on.
            id: format!("l{}", number + 1),
        };
        tensors.extend(owner.tensors(affine, transformer, layers));
    }
    Some(tensors)
}

fn of_transformer(
    transformer: &Transformer,
    features: &[FeatureSet],
    output: &Output,
) -> Vec<Known> {
    let separate = transformer.perspectives.separate;
    let owners: &[&str] = if separate {
        &["white.", "black."]
    } else {
        &[""]
    };
    let neuron = (Axis::Neuron, transformer.width);
    let one = f64::from(transformer.one);
    let rows_of_weights = rows_of_weights(features);
    let weights = owned(owners, &rows_of_weights).map(|(owner, rows, first)| Known {
        role: Role::Weights(first),
        name: format!("transformer.{owner}{}", rows.name),
        // bullet's examples share the weights.
        id: rows.id.filter(|_| !separate).map(str::to_string),
        axes: vec![(Axis::Feature, rows.count), neuron],
        values: Values::Integers(rows.element),
        one: Some(one),
        is_virtual: rows.is_virtual,
        rounds_sums: rows.rounds_sums,
    });
    let biases = owners.iter().enumerate().map(|(copy, owner)| Known {
        role: Role::Biases(copy),
        name: format!("transformer.{owner}biases"),
        id: (!separate).then(|| "l0b".to_string()),
        axes: vec![neuron],
        values: Values::Integers(FileElement::I16),
        one: Some(one),
        is_virtual: false,
        rounds_sums: false,
    });
    let rows_of_psqt = rows_of_psqt(features);
    let psqt = owned(owners, &rows_of_psqt).map(|(owner, rows, first)| Known {
        role: Role::Psqt(first),
        name: format!("transformer.{owner}{}", rows.name),
        id: None,
        axes: vec![(Axis::Feature, rows.count), (Axis::Stack, transformer.psqt)],
        values: Values::Integers(FileElement::I32),
        one: Some(f64::from(output.one)),
        is_virtual: rows.is_virtual,
        rounds_sums: rows.rounds_sums,
    });
    let psqt = psqt.filter(|_| transformer.psqt > 0);
    weights.chain(biases).chain(psqt).collect()
}

/// Rows that files have in one tensor.
struct Rows {
    name: String,
    id: Option<&'static str>,
    element: FileElement,
    count: usize,
    is_virtual: bool,
    rounds_sums: bool,
}

/// Weights of sets that follow each other are one tensor if they have one type; all virtual rows are another.
fn rows_of_weights(features: &[FeatureSet]) -> Vec<Rows> {
    let mut runs: Vec<Rows> = Vec::new();
    for set in features {
        let element = match set.element {
            RowType::I8 => FileElement::I8,
            RowType::I16 => FileElement::I16,
        };
        match runs.last_mut() {
            Some(last) if last.element == element => {
                last.count += set.rows;
                last.rounds_sums |= rounds_sums(set);
            }
            _ => runs.push(Rows {
                name: "weights".to_string(),
                id: Some("l0w"),
                element,
                count: set.rows,
                is_virtual: false,
                rounds_sums: rounds_sums(set),
            }),
        }
    }
    if runs.len() > 1 {
        for (index, run) in runs.iter_mut().enumerate() {
            run.name = format!("weights_{index}");
            // Which is which is anybody's guess.
            run.id = None;
        }
    }
    let virtual_rows = virtual_rows(features, "virtual_weights", Some("l0f"), FileElement::I16);
    runs.into_iter().chain(virtual_rows).collect()
}

fn rows_of_psqt(features: &[FeatureSet]) -> Vec<Rows> {
    let real = Rows {
        name: "psqt".to_string(),
        id: None,
        element: FileElement::I32,
        count: features.iter().map(|set| set.rows).sum(),
        is_virtual: false,
        rounds_sums: features.iter().any(rounds_sums),
    };
    let virtual_rows = virtual_rows(features, "virtual_psqt", None, FileElement::I32);
    std::iter::once(real).chain(virtual_rows).collect()
}

fn virtual_rows(
    features: &[FeatureSet],
    name: &str,
    id: Option<&'static str>,
    element: FileElement,
) -> Option<Rows> {
    let count = features.iter().map(FeatureSet::virtual_rows).sum();
    (count > 0).then(|| Rows {
        name: name.to_string(),
        id,
        element,
        count,
        is_virtual: true,
        rounds_sums: features.iter().any(rounds_sums),
    })
}

fn rounds_sums(set: &FeatureSet) -> bool {
    let rounding = set.factors.as_ref().map(|factors| factors.rounding);
    rounding == Some(FactorRounding::Sum)
}

/// Every owner's tensors and their first rows in memory: all real rows, then all virtual ones.
fn owned<'a>(
    owners: &'a [&'a str],
    tensors: &'a [Rows],
) -> impl Iterator<Item = (&'a str, &'a Rows, usize)> {
    let mut first = 0;
    [false, true]
        .into_iter()
        .flat_map(move |is_virtual| {
            let of_kind = move |rows: &&Rows| rows.is_virtual == is_virtual;
            owners.iter().flat_map(move |owner| {
                let own = tensors.iter().filter(of_kind);
                own.map(move |rows| (*owner, rows))
            })
        })
        .map(move |(owner, rows)| {
            first += rows.count;
            (owner, rows, first - rows.count)
        })
}

/// The layer that tensors belong to.
struct Owner<'a> {
    index: usize,
    layer: &'a Layer,
    stacks: usize,
    id: String,
}

impl Owner<'_> {
    fn tensors(&self, affine: &Affine, transformer: &Transformer, layers: &[Layer]) -> Vec<Known> {
        let (stack, output) = (
            (Axis::Stack, self.stacks),
            (Axis::Output, self.layer.output.len),
        );
        let input = (Axis::Input, self.layer.input_len());
        let values = match affine.weights {
            WeightType::I8 => Values::Integers(FileElement::I8),
            WeightType::I16 => Values::Integers(FileElement::I16),
            WeightType::F32 => Values::Float,
            WeightType::Binary => Values::Signs,
        };
        let float = self.layer.output.element == Element::F32;
        let biases = match float {
            true => Values::Float,
            false => Values::Integers(FileElement::I32),
        };
        let sums_one = match self.layer.output.one.shared() {
            Some(one) if !float => Some(f64::from(one)),
            _ => None,
        };
        let inputs_one = self.inputs_one(transformer, layers);
        let weights_one = match (affine.to_float, sums_one) {
            (Some(scale), _) => inputs_one.map(|one| 1.0 / (f64::from(scale) * one)),
            (None, Some(sums)) => {
                let by = affine.divide.map_or(1.0, |divide| f64::from(divide.by));
                inputs_one.map(|one| sums * by / one)
            }
            (None, None) => None,
        };
        let weights = self.tensor(
            "weights",
            "w",
            vec![stack, output, input],
            values,
            weights_one,
        );
        let biases = self.tensor("biases", "b", vec![stack, output], biases, sums_one);
        let mut tensors = vec![weights, biases];
        if affine.scales.is_some() {
            let values = Values::Integers(FileElement::I16);
            tensors.push(self.tensor("alpha", "a", vec![stack, output], values, None));
        }
        tensors
    }

    fn tensor(
        &self,
        part: &str,
        letter: &str,
        axes: Vec<(Axis, usize)>,
        values: Values,
        one: Option<f64>,
    ) -> Known {
        let role = match letter {
            "w" => Role::LayerWeights(self.index),
            "b" => Role::LayerBiases(self.index),
            _ => Role::LayerAlpha(self.index),
        };
        Known {
            role,
            name: format!("{}.{part}", self.layer.name),
            id: Some(format!("{}{letter}", self.id)),
            axes,
            values,
            one,
            is_virtual: false,
            rounds_sums: false,
        }
    }

    /// What 1.0 is in all inputs, if it is the same.
    fn inputs_one(&self, transformer: &Transformer, layers: &[Layer]) -> Option<f64> {
        let mut ones = self.layer.inputs.iter().map(|slice| {
            let tensor = match slice.source {
                Source::Transformer => &transformer.output,
                Source::Layer(index) => &layers[index].output,
            };
            tensor.one.slice(slice.start, slice.len).shared()
        });
        let first = ones.next()??;
        ones.all(|one| one == Some(first))
            .then_some(f64::from(first))
    }
}

/// A number of a network's shape that the length of its files depends on.
pub(crate) struct Extent {
    /// What it is a number of.
    pub(crate) name: &'static str,
    pub(crate) count: usize,
    /// What people would choose a multiple of.
    pub(crate) unit: usize,
    /// The bytes that each accounts for.
    pub(crate) bytes: usize,
}

impl Network {
    /// How the length of the network's files depends on its shape, if nothing but the length tells files apart and
    /// nothing is padded.
    pub(crate) fn file_extents(&self) -> Vec<Extent> {
        let sections = self.file.sections.iter();
        let tensors: Vec<&Tensor> = sections.filter_map(Section::tensor).collect();
        let padded = |tensor: &&Tensor| {
            tensor
                .axes
                .last()
                .is_some_and(|(_, len)| tensor.padded > *len)
        };
        if self.file.format != Format::Sequence || tensors.iter().any(padded) {
            return Vec::new();
        }
        let has = |tensor: &Tensor, axis| tensor.axes.iter().any(|(own, _)| *own == axis);
        let bytes = |axis| {
            let with = tensors.iter().filter(|tensor| has(tensor, axis));
            with.map(|tensor| tensor.raw_len()).sum::<usize>()
        };
        let inputs = tensors
            .iter()
            .map(|tensor| self.bytes_of_transformer(tensor));
        let neurons = bytes(Axis::Neuron) + inputs.sum::<usize>();
        // How many virtual rows there are does not depend on how many real ones.
        let virtual_rows = tensors
            .iter()
            .filter(|tensor| self.has_virtual_rows(tensor));
        let virtual_bytes: usize = virtual_rows.map(|tensor| tensor.raw_len()).sum();
        let of_rows = bytes(Axis::Feature) - virtual_bytes;
        // A piece has a row for each square.
        let squares = |set: &FeatureSet| matches!(set.family, Family::PieceSquare(_));
        let rows = if self.features.iter().all(squares) {
            64
        } else {
            1
        };
        [
            ("neurons", self.transformer.width, 16, neurons),
            ("features", self.feature_count(), rows, of_rows),
            ("stacks", self.stacks.count, 1, bytes(Axis::Stack)),
        ]
        .into_iter()
        .filter(|(_, count, _, bytes)| bytes.is_multiple_of(*count))
        .map(|(name, count, unit, bytes)| Extent {
            name,
            count,
            unit: if count.is_multiple_of(unit) { unit } else { 1 },
            bytes: bytes / count,
        })
        .collect()
    }

    fn has_virtual_rows(&self, tensor: &Tensor) -> bool {
        match tensor.role {
            Role::Weights(first) | Role::Psqt(first) => first >= self.first_virtual_row(0),
            _ => false,
        }
    }

    /// The bytes of a tensor that are weights of the transformer's output.
    fn bytes_of_transformer(&self, tensor: &Tensor) -> usize {
        let Role::LayerWeights(layer) = tensor.role else {
            return 0;
        };
        let inputs = self.layers[layer].inputs.iter();
        let inputs = inputs.filter(|slice| slice.source == Source::Transformer);
        let inputs: usize = inputs.map(|slice| slice.len).sum();
        tensor.raw_len() / tensor.len(Axis::Input) * inputs
    }
}
