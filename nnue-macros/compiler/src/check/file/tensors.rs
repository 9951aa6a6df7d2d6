//! Lists the tensors of a network with the names, axes and types that files give them by default.

use nnue_format::Element;

use crate::feature_set::FeatureSet;
use crate::network::file::{Axis, AxisPart, Role, Tensor};
use crate::network::{Affine, Layer, Output, Scale, Stacks, Transformer, WeightType};

/// The parts of a network that decide what its files hold. A part is `None` where the spec has a
/// mistake.
#[derive(Clone, Copy)]
pub(in crate::check) struct Parts<'a> {
    pub(in crate::check) features: Option<&'a [FeatureSet]>,
    pub(in crate::check) transformer: Option<&'a Transformer>,
    pub(in crate::check) stacks: Option<&'a Stacks>,
    pub(in crate::check) layers: Option<&'a [Layer]>,
    pub(in crate::check) output: Option<&'a Output>,
}

/// The kind of a tensor's values when they are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadedValues {
    /// Integers that this type holds.
    Integers(Element),
    /// Floating point of 32 bits.
    Float,
    /// Signs: -1 or 1.
    Signs,
}

/// A tensor of the network, before it is known where a file has it.
#[derive(Clone, Debug)]
pub(super) struct KnownTensor {
    pub(super) role: Role,
    /// The name in specs and messages.
    pub(super) name: String,
    /// The name in bullet's examples. PSQT values have none there.
    pub(super) id: Option<String>,
    /// The axes with their lengths, outermost first, in the order that suits kernels.
    pub(super) axes: Vec<(Axis, usize)>,
    pub(super) values: LoadedValues,
    /// The type that files have by default, where it is not that of the loaded values.
    pub(super) stored: Option<Element>,
    /// The number that stands for 1.0, if the spec tells it and it is the same for all values.
    pub(super) one: Option<f64>,
    pub(super) sums: SumRole,
}

/// How the values of a tensor take part in sums that are made when a file is loaded: virtual rows
/// are added to rows of the transformer, and the values that all stacks share to those of a layer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SumRole {
    /// Whether the values are added to those of another tensor.
    pub(super) is_virtual: bool,
    /// Whether a sum is rounded after the summands are added. Otherwise each summand is rounded
    /// before.
    pub(super) rounds_sums: bool,
    /// Whether the values of another tensor are added to some of these values.
    pub(super) is_factorised: bool,
}

impl SumRole {
    /// How the real rows of these sets take part in sums.
    fn of(features: &[FeatureSet]) -> SumRole {
        let mut factors = features.iter().filter_map(|set| set.factors.as_ref());
        SumRole {
            is_virtual: false,
            is_factorised: factors.clone().next().is_some(),
            rounds_sums: factors.any(|factors| !factors.round_each),
        }
    }
}

impl KnownTensor {
    /// The type that files have by default.
    pub(super) fn element(&self) -> Element {
        self.stored.unwrap_or(match self.values {
            LoadedValues::Integers(element) => element,
            LoadedValues::Float => Element::F32,
            LoadedValues::Signs => Element::I8,
        })
    }

    /// The part of a layer's tensor that belongs to a single stack, for files that have each stack
    /// by itself; `None` for tensors that are the same for all stacks.
    pub(super) fn of_a_stack(&self) -> Option<KnownTensor> {
        self.role.layer()?;
        let mut own = self.clone();
        own.axes.retain(|(axis, _)| *axis != Axis::Stack);
        (own.axes.len() < self.axes.len()).then_some(own)
    }

    /// The axes of the tensor in a file that has no axis in blocks.
    pub(super) fn whole_axes(&self) -> Vec<(AxisPart, usize)> {
        let axes = self.axes.iter();
        axes.map(|(axis, len)| ((*axis).into(), *len)).collect()
    }

    /// The tensor as a file has it, with these axes: raw, and the innermost axis padded to a
    /// multiple of `unit` values.
    pub(super) fn tensor(
        &self,
        element: Element,
        axes: &[(AxisPart, usize)],
        unit: usize,
    ) -> Tensor {
        Tensor::of(self.role, self.name.clone().into(), element, axes, unit)
    }
}

/// All tensors of the network: first those of the transformer, then those of the layers, weights
/// before biases. With `sets_apart`, each feature set has tensors of its own.
pub(super) fn all(parts: Parts<'_>, sets_apart: bool) -> Option<Vec<KnownTensor>> {
    let (transformer, layers) = (parts.transformer?, parts.layers?);
    let (stacks, output) = (parts.stacks?.count, parts.output?);
    let mut tensors = of_transformer(transformer, parts.features?, sets_apart, output);
    let mut affine = 0;
    for (index, layer) in layers.iter().enumerate() {
        // bullet's examples count affine layers, from the transformer on.
        affine += usize::from(layer.affine().is_some());
        let owner = Owner {
            index,
            layer,
            stacks,
            id: layer.affine().map(|_| format!("l{affine}")),
        };
        tensors.extend(owner.tensors());
    }
    Some(tensors)
}

fn of_transformer(
    transformer: &Transformer,
    features: &[FeatureSet],
    sets_apart: bool,
    output: &Output,
) -> Vec<KnownTensor> {
    let separate = transformer.perspectives.separate;
    let owners: &[&str] = if separate {
        &["white.", "black."]
    } else {
        &[""]
    };
    let neuron = (Axis::Neuron, transformer.width);
    let one = f64::from(transformer.one);
    let rows_of_weights = rows_of_weights(features, sets_apart);
    let weights = owned(owners, &rows_of_weights).map(|(owner, rows, first)| KnownTensor {
        role: Role::Weights(first),
        name: format!("transformer.{owner}{}", rows.name),
        // bullet's examples share the weights.
        id: rows.id.filter(|_| !separate).map(str::to_string),
        axes: vec![(Axis::Feature, rows.count), neuron],
        values: LoadedValues::Integers(rows.element),
        stored: None,
        one: Some(one / f64::from(1 << rows.shift)),
        sums: rows.sums,
    });
    let biases = owners.iter().enumerate().map(|(copy, owner)| KnownTensor {
        role: Role::Biases(copy),
        name: format!("transformer.{owner}biases"),
        id: (!separate).then(|| "l0b".to_string()),
        axes: vec![neuron],
        values: LoadedValues::Integers(Element::I16),
        stored: None,
        one: Some(one),
        sums: SumRole::default(),
    });
    let one_of_psqt = transformer
        .psqt_sums
        .as_ref()
        .and_then(|sums| sums.one.shared());
    let one_of_psqt = f64::from(one_of_psqt.unwrap_or(output.one));
    let rows_of_psqt = rows_of_psqt(features, sets_apart);
    let psqt = owned(owners, &rows_of_psqt).map(|(owner, rows, first)| KnownTensor {
        role: Role::Psqt(first),
        name: format!("transformer.{owner}{}", rows.name),
        id: None,
        axes: vec![(Axis::Feature, rows.count), (Axis::Stack, transformer.psqt)],
        values: LoadedValues::Integers(Element::I32),
        stored: None,
        one: Some(one_of_psqt),
        sums: rows.sums,
    });
    let psqt = psqt.filter(|_| transformer.psqt > 0);
    weights.chain(biases).chain(psqt).collect()
}

/// Rows of the transformer that form a tensor in a file.
struct Rows {
    name: String,
    id: Option<&'static str>,
    element: Element,
    /// How many bits the rows are shifted to the left when they are added.
    shift: u32,
    count: usize,
    sums: SumRole,
}

impl Rows {
    /// The real rows of these sets.
    fn of(sets: &[FeatureSet], name: &str, element: Element) -> Rows {
        Rows {
            name: name.to_string(),
            id: None,
            element,
            shift: sets.first().map_or(0, |set| set.shift),
            count: sets.iter().map(|set| set.rows).sum(),
            sums: SumRole::of(sets),
        }
    }
}

/// The rows of weights, as tensors. Sets that follow each other share a tensor if their rows have
/// the same type and the same shift. All virtual rows are in another tensor.
fn rows_of_weights(features: &[FeatureSet], sets_apart: bool) -> Vec<Rows> {
    let runs = features.chunk_by(|a, b| a.rows_are_like(b) && !sets_apart);
    let runs = runs.map(|sets| Rows {
        // bullet has no usual names for several tensors of weights.
        id: (sets.len() == features.len()).then_some("l0w"),
        ..Rows::of(sets, "weights", sets[0].element)
    });
    let virtual_rows = virtual_rows(features, "virtual_weights", Some("l0f"), Element::I16);
    numbered(runs.collect()).chain(virtual_rows).collect()
}

fn rows_of_psqt(features: &[FeatureSet], sets_apart: bool) -> Vec<Rows> {
    let runs = features.chunk_by(|_, _| !sets_apart);
    let runs = runs.map(|sets| Rows::of(sets, "psqt", Element::I32));
    let virtual_rows = virtual_rows(features, "virtual_psqt", None, Element::I32);
    numbered(runs.collect()).chain(virtual_rows).collect()
}

/// The rows with a number behind their names, if there are several tensors.
fn numbered(runs: Vec<Rows>) -> impl Iterator<Item = Rows> {
    let several = runs.len() > 1;
    runs.into_iter().enumerate().map(move |(index, run)| Rows {
        name: if several {
            format!("{}_{index}", run.name)
        } else {
            run.name
        },
        ..run
    })
}

fn virtual_rows(
    features: &[FeatureSet],
    name: &str,
    id: Option<&'static str>,
    element: Element,
) -> Option<Rows> {
    let count = features.iter().map(FeatureSet::virtual_rows).sum();
    (count > 0).then(|| Rows {
        id,
        count,
        sums: SumRole {
            is_virtual: true,
            ..SumRole::of(features)
        },
        ..Rows::of(features, name, element)
    })
}

/// The tensors of every owner, each with the index of its first row in memory: all real rows come
/// before all virtual rows.
fn owned<'a>(
    owners: &'a [&'a str],
    tensors: &'a [Rows],
) -> impl Iterator<Item = (&'a str, &'a Rows, usize)> {
    let mut first = 0;
    [false, true]
        .into_iter()
        .flat_map(move |is_virtual| {
            let of_kind = move |rows: &&Rows| rows.sums.is_virtual == is_virtual;
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

/// A layer whose tensors are listed.
struct Owner<'a> {
    index: usize,
    layer: &'a Layer,
    stacks: usize,
    /// The start of the ids of the layer's tensors; `None` if bullet's examples have no such layer.
    id: Option<String>,
}

impl Owner<'_> {
    fn tensors(&self) -> Vec<KnownTensor> {
        let layer = self.layer;
        let output = (Axis::Output, layer.output.len);
        let of_outputs = if layer.shared {
            vec![output]
        } else {
            vec![(Axis::Stack, self.stacks), output]
        };
        let mut tensors = Vec::new();
        if let Some(affine) = layer.affine() {
            tensors.push(self.weights(affine, &of_outputs));
            if affine.biases {
                tensors.push(self.biases(&of_outputs));
            }
        }
        if let Some((name, element)) = layer.factors() {
            let values = match element {
                Element::F32 => LoadedValues::Float,
                _ => LoadedValues::Integers(element),
            };
            let role = Role::LayerFactors(self.index);
            tensors.push(self.tensor(role, (name, "a"), of_outputs, values, None));
        }
        if let Some(affine) = layer.affine()
            && layer.factorised
        {
            tensors.push(self.shared(self.weights(affine, &[output])));
            if affine.biases {
                tensors.push(self.shared(self.biases(&[output])));
            }
        }
        tensors
    }

    /// The tensor that all stacks share and that is added to this tensor of each stack. bullet's
    /// examples have no such tensor.
    fn shared(&self, of_stacks: KnownTensor) -> KnownTensor {
        let (role, part) = match of_stacks.role {
            Role::LayerBiases(_) => (Role::SharedBiases(self.index), "biases"),
            _ => (Role::SharedWeights(self.index), "weights"),
        };
        KnownTensor {
            role,
            name: format!("{}.shared_{part}", self.layer.name),
            id: None,
            sums: SumRole {
                is_virtual: true,
                ..of_stacks.sums
            },
            ..of_stacks
        }
    }

    fn weights(&self, affine: &Affine, of_outputs: &[(Axis, usize)]) -> KnownTensor {
        let mut axes = of_outputs.to_vec();
        axes.push((Axis::Input, self.layer.input_len()));
        let values = match affine.weights {
            WeightType::I8 => LoadedValues::Integers(Element::I8),
            WeightType::I16 => LoadedValues::Integers(Element::I16),
            WeightType::I32 => LoadedValues::Integers(Element::I32),
            WeightType::F32 => LoadedValues::Float,
            WeightType::Binary => LoadedValues::Signs,
        };
        let one = match affine.to_float {
            Some(Scale::Shared(scale)) => {
                Some(1.0 / (f64::from(scale) * f64::from(affine.inputs_one)))
            }
            Some(Scale::OfFile) => None,
            None => {
                let ones = self.layer.weights_one();
                ones.map(|(one, inputs)| one as f64 / inputs as f64)
            }
        };
        let role = Role::LayerWeights(self.index);
        KnownTensor {
            stored: affine.stored,
            ..self.tensor(role, ("weights", "w"), axes, values, one)
        }
    }

    fn biases(&self, of_outputs: &[(Axis, usize)]) -> KnownTensor {
        let output = &self.layer.output;
        let (values, one) = match output.element {
            Element::F32 => (LoadedValues::Float, None),
            _ => (LoadedValues::Integers(Element::I32), output.one.shared()),
        };
        let (role, axes) = (Role::LayerBiases(self.index), of_outputs.to_vec());
        self.tensor(role, ("biases", "b"), axes, values, one.map(f64::from))
    }

    fn tensor(
        &self,
        role: Role,
        (part, letter): (&str, &str),
        axes: Vec<(Axis, usize)>,
        values: LoadedValues,
        one: Option<f64>,
    ) -> KnownTensor {
        let is_summed = !matches!(role, Role::LayerFactors(_));
        KnownTensor {
            role,
            name: format!("{}.{part}", self.layer.name),
            id: self.id.as_ref().map(|id| format!("{id}{letter}")),
            axes,
            values,
            stored: None,
            one,
            sums: SumRole {
                is_virtual: false,
                rounds_sums: self.layer.factorised && is_summed,
                is_factorised: self.layer.factorised && is_summed,
            },
        }
    }
}
