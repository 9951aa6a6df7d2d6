//! From a net file to weights.
//!
//! The walk over the file, the decoding of its numbers and the errors are those of every loader:
//! `nnue-format` has them. Here is said what the numbers mean: which weight each of them is, and
//! what is added to the rows of factorised sets and to the weights of factorised layers.

use std::path::Path;

use nnue_compiler::file_layout;
use nnue_compiler::network::file::Role;
use nnue_compiler::network::{Element, Layer, Network, WeightType};
use nnue_format::{LoadError, Numbers, Overflow, Section};

use crate::features;
use crate::weights::{LayerWeights, TransformerWeights, Values, Weights};

/// The bytes of a file, as far as it can be one of the network.
pub(crate) fn bytes(network: &Network, path: &Path) -> Result<Vec<u8>, LoadError> {
    nnue_format::open(&file_layout(network), path)
}

/// The weights in a net file.
pub(crate) fn read(network: &Network, bytes: &[u8]) -> Result<Weights, LoadError> {
    let layout = file_layout(network);
    let bytes = nnue_format::unpack(&layout, bytes)?;
    let parts = nnue_format::split(&layout, &bytes)?;
    // The loader of compiled networks refuses what does not fit. After that, every number is there
    // and every sum fits its type.
    (parts.clone()).load(&[0], &mut vec![0; layout.memory_len()])?;
    let sections = network.file.sections_once();
    let tensors: Vec<_> = sections.filter_map(Section::as_tensor).collect();
    let tables = parts.numbers()?.into_iter().filter_map(|numbers| {
        let mut tensors = tensors.iter();
        let tensor = tensors.find(|tensor| tensor.name == numbers.tensor.name)?;
        Some((tensor.role, numbers))
    });
    let file = File {
        network,
        tables: tables.collect(),
    };
    let copies = 0..network.transformer.perspectives.copies();
    let stacks = (0..network.stacks.count).map(|stack| {
        let layers = network.layers.iter().enumerate();
        layers
            .map(|(index, layer)| file.layer(stack, index, layer))
            .collect()
    });
    Ok(Weights {
        transformer: copies.map(|copy| file.transformer(copy)).collect(),
        stacks: stacks.collect(),
    })
}

/// A file that was checked.
struct File<'a> {
    network: &'a Network,
    tables: Vec<(Role, Numbers<'a>)>,
}

/// A row of one of the tables.
type Row<'a> = (&'a Numbers<'a>, usize);

impl File<'_> {
    fn layer(&self, stack: usize, index: usize, layer: &Layer) -> Option<LayerWeights> {
        let row = |role, row| {
            let table = self.table(stack, role);
            // The file has a table for each stack, or the table a bucket, unless there is but one.
            let bucket = if table.tensor.shape[0] == 1 { 0 } else { stack };
            let shared = match role {
                Role::LayerWeights(index) if layer.factorised => Role::SharedWeights(index),
                Role::LayerBiases(index) if layer.factorised => Role::SharedBiases(index),
                _ => return quantised(table, table.row(bucket, row)).collect(),
            };
            let shared = self.table(stack, shared);
            with_shared(table, table.row(bucket, row), shared.row(0, row))
        };
        let factors = layer.factors().map(|(_, element)| {
            let factors = row(Role::LayerFactors(index), 0).into_iter();
            match element {
                Element::F32 => floats(factors),
                _ => integers(factors),
            }
        });
        let Some(affine) = layer.affine() else {
            return factors.map(|factors| LayerWeights {
                biases: Values::NONE,
                weights: Values::NONE,
                factors,
            });
        };
        // Layers without biases have zeros.
        let biases = match affine.biases {
            true => row(Role::LayerBiases(index), 0),
            false => vec![0.0; layer.output.len],
        };
        let biases = biases.into_iter();
        let weights =
            (0..layer.output.len).flat_map(|output| row(Role::LayerWeights(index), output));
        Some(LayerWeights {
            biases: match layer.output.element {
                Element::F32 => floats(biases),
                _ => integers(biases),
            },
            weights: match affine.weights {
                WeightType::F32 => floats(weights),
                // Only the sign counts, and 0 is positive.
                WeightType::Binary => integers(weights.map(|x| if x < 0.0 { -1.0 } else { 1.0 })),
                WeightType::I8 | WeightType::I16 | WeightType::I32 => integers(weights),
            },
            factors: factors.unwrap_or(Values::NONE),
        })
    }

    fn transformer(&self, copy: usize) -> TransformerWeights {
        let table = self.table(0, Role::Biases(copy));
        let biases = quantised(table, table.row(0, 0));
        let psqt = match self.network.transformer.psqt {
            0 => Vec::new(),
            _ => self.coalesced_rows(copy, Role::Psqt, |value| value as i32),
        };
        TransformerWeights {
            biases: biases.map(|bias| bias as i16).collect(),
            rows: self.coalesced_rows(copy, Role::Weights, |weight| weight as i16),
            psqt,
        }
    }

    /// The rows of all features: to each, the virtual rows that stand for a part of it are added.
    fn coalesced_rows<T>(
        &self,
        copy: usize,
        role: fn(usize) -> Role,
        convert: impl Fn(f64) -> T,
    ) -> Vec<T> {
        let (mut first, mut first_virtual) = (0, self.network.first_virtual_row(copy));
        let mut values = Vec::new();
        for set in &self.network.features {
            let mut virtual_rows = vec![Vec::new(); set.rows];
            for sum in features::sums(set) {
                virtual_rows[sum.row] = sum.virtual_rows;
            }
            let round_each = set
                .factors
                .as_ref()
                .is_some_and(|factors| factors.round_each);
            for (row, virtual_rows) in virtual_rows.into_iter().enumerate() {
                let row = copy * self.network.feature_count() + first + row;
                let virtual_rows = virtual_rows.into_iter();
                let virtual_rows = virtual_rows.map(|row| self.row(role, first_virtual + row));
                let sums = coalesced(self.row(role, row), virtual_rows, round_each);
                values.extend(sums.into_iter().map(&convert));
            }
            first += set.rows;
            first_virtual += set.virtual_rows();
        }
        values
    }

    /// The table of a tensor: the stack's, where each has its own.
    fn table(&self, stack: usize, role: Role) -> &Numbers<'_> {
        let mut tables = self.tables.iter();
        let found = tables
            .find(|(own, numbers)| *own == role && numbers.stack.is_none_or(|own| own == stack));
        let found = found.map(|(_, numbers)| numbers);
        found.unwrap_or_else(|| unreachable!("every file of the network has {role:?}"))
    }

    /// A row of weights or of PSQT values. They are counted through all tables: those of features,
    /// then virtual ones.
    fn row(&self, role: fn(usize) -> Role, row: usize) -> Row<'_> {
        let found = self.tables.iter().find_map(|(own, table)| {
            let first = match (*own, role(0)) {
                (Role::Weights(first), Role::Weights(_)) => first,
                (Role::Psqt(first), Role::Psqt(_)) => first,
                _ => return None,
            };
            let row = row.checked_sub(first)?;
            (row < table.tensor.shape[1]).then_some((table, row))
        });
        found.unwrap_or_else(|| unreachable!("every file of the network has row {row}"))
    }
}

/// The sum of a row and its virtual rows.
fn coalesced<'a>(
    (table, row): Row<'a>,
    virtual_rows: impl Iterator<Item = Row<'a>>,
    round_each: bool,
) -> Vec<f64> {
    if table.tensor.stored.quantise.is_none() || round_each {
        // Integers are added exactly.
        let mut sums: Vec<f64> = quantised(table, table.row(0, row)).collect();
        for (table, row) in virtual_rows {
            add(&mut sums, quantised(table, table.row(0, row)));
        }
        return sums;
    }
    // Floating point is added in 32 bits, each addition rounded. The sum becomes an integer.
    let mut sums: Vec<f32> = table.row(0, row).map(|number| number as f32).collect();
    for (table, row) in virtual_rows {
        add(&mut sums, table.row(0, row).map(|number| number as f32));
    }
    quantised(table, sums.into_iter().map(f64::from)).collect()
}

/// The numbers of a stack, with those that all stacks share added before they become integers: in
/// 32 bits if they are floating point.
fn with_shared(
    table: &Numbers<'_>,
    own: impl Iterator<Item = f64>,
    shared: impl Iterator<Item = f64>,
) -> Vec<f64> {
    let is_float = table.tensor.stored.element.is_float();
    let sums = own.zip(shared).map(|(own, shared)| match is_float {
        true => f64::from(own as f32 + shared as f32),
        false => own + shared,
    });
    quantised(table, sums).collect()
}

fn add<T: std::ops::AddAssign>(sums: &mut [T], values: impl Iterator<Item = T>) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// The numbers of a table as the network has them: integers, unless it has floating point, which
/// may be quotients of integers.
fn quantised(table: &Numbers<'_>, numbers: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
    let (quantise, divisor) = (table.tensor.stored.quantise, table.tensor.stored.divisor);
    numbers.map(move |number| {
        let Some(quantise) = quantise else {
            return number / divisor;
        };
        let integer = quantise.apply(number);
        match (quantise.overflow, quantise.element.limits()) {
            (Overflow::Clamp, Some((low, high))) => integer.max(low.into()).min(high.into()),
            _ => integer,
        }
    })
}

fn integers(values: impl Iterator<Item = f64>) -> Values {
    Values::Integers(values.map(|value| value as i64).collect())
}

fn floats(values: impl Iterator<Item = f64>) -> Values {
    Values::Floats(values.map(|value| value as f32).collect())
}
