//! The parameters that bullet trains: matrices and vectors of `f32`, from which the tensors of the
//! net file are made.

use nnue_compiler::feature_set::{Family, FeatureSet, piece_square::Planes};
use nnue_compiler::format::{Format, VirtualSet};
use nnue_compiler::network::file::{Role, Tensor};
use nnue_compiler::network::{Network, Pooling};

use super::multiplier::Multiplier;
use super::reason::Reason;

/// bullet's names of the tensors of a net file.
pub(super) struct Parameters<'n> {
    pub(super) network: &'n Network,
    /// The tensors of the file, in its order, each with its name.
    tensors: Vec<(&'n Tensor, String)>,
}

/// Rows of the transformer that are a tensor of the file.
pub(super) struct Run {
    pub(super) id: String,
    pub(super) role: Role,
    pub(super) rows: usize,
    pub(super) factor: Option<Factor>,
}

/// A matrix that is added to each bucket of a run.
pub(super) struct Factor {
    pub(super) id: String,
    pub(super) rows: usize,
    pub(super) buckets: usize,
    /// Whether the file has the matrix too. Otherwise it is added when the net is saved.
    pub(super) is_in_file: bool,
}

/// Rows of neurons, or of PSQT values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    Neurons,
    Psqt,
}

impl Rows {
    /// The first row of the tensor with this role, if the tensor has rows of this kind.
    fn first(self, role: Role) -> Option<usize> {
        match (self, role) {
            (Rows::Neurons, Role::Weights(first)) | (Rows::Psqt, Role::Psqt(first)) => Some(first),
            _ => None,
        }
    }
}

impl<'n> Parameters<'n> {
    pub(super) fn of(network: &'n Network) -> Parameters<'n> {
        let tensors: Vec<&Tensor> = network.file.tensors().collect();
        let short = |tensor: &&Tensor| {
            if tensor.id.is_empty() {
                short_name(network, tensor, &tensors)
            } else {
                tensor.id.to_string()
            }
        };
        let mut ids: Vec<String> = tensors.iter().map(short).collect();
        let is_twice = |id: &String| ids.iter().filter(|other| *other == id).count() > 1;
        if ids.iter().any(is_twice) {
            ids = tensors
                .iter()
                .map(|tensor| tensor.name.to_string())
                .collect();
        }
        Parameters {
            network,
            tensors: tensors.into_iter().zip(ids).collect(),
        }
    }

    /// The name of a tensor that the file has.
    pub(super) fn id(&self, role: Role) -> &str {
        let tensor = self.tensors.iter().find(|(tensor, _)| tensor.role == role);
        tensor.map_or("", |(_, id)| id)
    }

    /// The runs of rows, except virtual rows, in the order of their features.
    pub(super) fn runs(&self, rows: Rows) -> Vec<Run> {
        let runs = self.tensors.iter().filter_map(|(tensor, id)| {
            let first = rows.first(tensor.role)?;
            (!self.network.is_summand(tensor.role)).then_some((first, tensor, id))
        });
        let mut runs: Vec<_> = runs.collect();
        runs.sort_by_key(|(first, ..)| *first);
        let run = |(_, tensor, id): (usize, &&Tensor, &String)| Run {
            id: id.clone(),
            role: tensor.role,
            rows: tensor.shape[1],
            factor: self.factor(rows, tensor, id),
        };
        runs.into_iter().map(run).collect()
    }

    /// The matrix that is added to each bucket of a run. Its rows are the virtual rows of the file,
    /// or, for a piece-square set with buckets, virtual rows that only the trainer has.
    fn factor(&self, rows: Rows, tensor: &Tensor, id: &str) -> Option<Factor> {
        let sets = self.sets(tensor);
        let [set] = sets[..] else { return None };
        let (virtual_rows, buckets) = repeated(set)?;
        if set.factors.is_some() {
            let is_virtual = |role| rows.first(role).is_some() && self.network.is_summand(role);
            let mut tensors = self.tensors.iter();
            let (_, id) = tensors.find(|(tensor, _)| is_virtual(tensor.role))?;
            return Some(Factor {
                id: id.clone(),
                rows: virtual_rows,
                buckets,
                is_in_file: true,
            });
        }
        let helps = rows == Rows::Neurons && buckets > 1;
        // A file with names is saved without transforms.
        (helps && self.network.file.format != Format::Named).then(|| Factor {
            id: format!("{}f", id.strip_suffix('w').unwrap_or(id)),
            rows: virtual_rows,
            buckets,
            is_in_file: false,
        })
    }

    /// The sets whose rows are in a tensor.
    fn sets(&self, tensor: &Tensor) -> Vec<&'n FeatureSet> {
        let (Role::Weights(first) | Role::Psqt(first)) = tensor.role else {
            return Vec::new();
        };
        let end = first + tensor.shape[1];
        let mut next = 0;
        let sets = self.network.features.iter().filter(|set| {
            let begin = next;
            next += set.rows;
            (first..end).contains(&begin)
        });
        sets.collect()
    }

    /// The sets with virtual rows that bullet cannot compute.
    pub(super) fn reasons(&self) -> Vec<Reason> {
        let factorised = |set: &&FeatureSet| set.factors.is_some();
        let count = self.network.features.iter().filter(factorised).count();
        let sets = self.network.features.iter().filter(factorised);
        let refused = sets.filter(|set| {
            let alone = self.tensors.iter().all(|(tensor, _)| {
                let sets = self.sets(tensor);
                sets.len() < 2 || !sets.contains(set)
            });
            let is_pieces = set
                .factors
                .as_ref()
                .is_some_and(|factors| matches!(factors.sets.as_ref(), [VirtualSet::Pieces]));
            count > 1 || !alone || !is_pieces || repeated(set).is_none()
        });
        refused
            .map(|set| Reason::VirtualRows(set.name.clone()))
            .collect()
    }

    /// The parameters whose limit is not bullet's default, each with its limit.
    pub(super) fn limits(&self) -> Vec<(String, f64)> {
        let runs = [Rows::Neurons, Rows::Psqt].map(|rows| self.runs(rows));
        let mut limits = Vec::new();
        for (tensor, id) in &self.tensors {
            let mut runs = runs.iter().flatten();
            let factor = runs.find_map(|run| {
                let factor = run.factor.as_ref()?;
                (run.id == *id || factor.id == *id).then_some(factor)
            });
            let layer = tensor.role.layer().map(|layer| &self.network.layers[layer]);
            let is_summand = factor.is_some() || layer.is_some_and(|layer| layer.factorised);
            let usual = match tensor.role {
                Role::Psqt(_) => psqt_limit(self.network),
                _ => DEFAULT_LIMIT,
            };
            let limit = match most(self.network, tensor) {
                Some(most) if is_summand => usual.min(most) / 2.0,
                Some(most) => usual.min(most),
                None => usual,
            };
            if limit != DEFAULT_LIMIT {
                let trained = factor.filter(|factor| !factor.is_in_file);
                let ids = [Some(id), trained.map(|factor| &factor.id)];
                limits.extend(ids.into_iter().flatten().map(|id| (id.clone(), limit)));
            }
        }
        limits
    }
}

/// bullet's default limit for the size of a parameter.
const DEFAULT_LIMIT: f64 = 1.98;

/// The limit of PSQT values, which are as large as evaluations. Their sums have 32 bits.
fn psqt_limit(network: &Network) -> f64 {
    const LARGE: f64 = 16.0;
    let active: usize = network.features.iter().map(|set| set.max_active).sum();
    let sum = f64::from(i32::MAX) / f64::from(network.psqt_one());
    LARGE.min(sum / active as f64)
}

/// The largest parameter whose integer fits in the file and in the network; `None` for floating
/// point.
fn most(network: &Network, tensor: &Tensor) -> Option<f64> {
    let Multiplier { of_network, .. } = Multiplier::of(network, tensor);
    let quantised = tensor.stored.quantise.map(|quantise| quantise.element);
    let element = quantised.unwrap_or(tensor.stored.element);
    let (_, most) = element.limits()?;
    Some(f64::from(most) / of_network.into_iter().reduce(f64::max)?)
}

/// The number of virtual rows of a set, and how often they must be repeated to be added to all rows
/// of the set; `None` if no repetition gives this sum.
fn repeated(set: &FeatureSet) -> Option<(usize, usize)> {
    match &set.family {
        Family::PieceSquare(parameters)
            if parameters.planes == Planes::All && parameters.offset == 0 =>
        {
            let buckets = parameters.buckets();
            Some((set.rows / buckets, buckets))
        }
        _ => None,
    }
}

/// Whether neurons are pooled with neurons that are not half of all neurons away.
pub(super) fn pairs_in_blocks(network: &Network) -> bool {
    let transformer = &network.transformer;
    transformer.pooling != Pooling::None && transformer.block != 2 * transformer.half()
}

/// A short name like those in bullet's examples: `fc_0w`.
fn short_name(network: &Network, tensor: &Tensor, all: &[&Tensor]) -> String {
    // Several tensors of a kind are numbered.
    let number = |is_kind: fn(Role) -> bool| {
        let own = all.iter().filter(|other| is_kind(other.role));
        match own.clone().count() {
            1 => String::new(),
            _ => {
                let before = own.take_while(|other| other.role != tensor.role);
                format!("_{}", before.count())
            }
        }
    };
    let layer = tensor
        .role
        .layer()
        .map_or("", |layer| &network.layers[layer].name);
    match tensor.role {
        Role::Weights(_) if network.is_summand(tensor.role) => "l0f".into(),
        Role::Psqt(_) if network.is_summand(tensor.role) => "pstf".into(),
        Role::Weights(_) => format!("l0{}w", number(|role| matches!(role, Role::Weights(_)))),
        Role::Biases(_) => "l0b".into(),
        Role::Psqt(_) => format!("pst{}", number(|role| matches!(role, Role::Psqt(_)))),
        Role::LayerWeights(_) => format!("{layer}w"),
        Role::LayerBiases(_) => format!("{layer}b"),
        Role::LayerFactors(_) => format!("{layer}g"),
        Role::SharedWeights(_) => format!("{layer}fw"),
        Role::SharedBiases(_) => format!("{layer}fb"),
    }
}
