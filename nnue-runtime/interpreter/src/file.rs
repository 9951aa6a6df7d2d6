//! Reads the weights of a net file.
//!
//! The walk over the file, the decoding of its numbers and the errors are the same for every
//! loader, and `nnue-format` has them. This file defines the meaning of the numbers: to which
//! weight each number belongs, and which numbers are added to the rows of factorised sets and to
//! the weights of factorised layers.

use std::path::Path;

use nnue_compiler::network::file::Role;
use nnue_compiler::network::{Element, Layer, Network, WeightType};
use nnue_compiler::{explain, file_layout};
use nnue_format::{LoadError, Numbers, Overflow};

use crate::features;
use crate::weights::{
    LayerWeights, TransformerWeights, UnroundedLayer, UnroundedWeights, Values, Weights,
};

/// The bytes of a file, as far as it can be a net file of the network.
pub(crate) fn bytes(network: &Network, path: &Path) -> Result<Vec<u8>, LoadError> {
    explain::open(&file_layout(network), path)
}

/// The weights in a net file.
pub(crate) fn read(network: &Network, bytes: &[u8]) -> Result<Weights, LoadError> {
    with_file(network, bytes, Rounding::AsLoaded, |file| Weights {
        transformer: file.transformer(|x| x as i16, |x| x as i16, |x| x as i32),
        stacks: file.stacks(typed),
    })
}

/// The weights in a net file before they are rounded, in the units of the network's integers.
pub(crate) fn read_unrounded(
    network: &Network,
    bytes: &[u8],
) -> Result<UnroundedWeights, LoadError> {
    with_file(network, bytes, Rounding::None, |file| UnroundedWeights {
        transformer: file.transformer(|x| x, |x| x as f32, |x| x),
        stacks: file.stacks(|_, numbers| numbers),
    })
}

/// The result of `read` for a file that was checked.
fn with_file<T>(
    network: &Network,
    bytes: &[u8],
    rounding: Rounding,
    read: impl FnOnce(&File<'_>) -> T,
) -> Result<T, LoadError> {
    let layout = file_layout(network);
    let explained = |error| explain::explain(&layout, bytes, error);
    let bytes = nnue_format::unpack(&layout, bytes).map_err(explained)?;
    let parts = nnue_format::split(&layout, &bytes).map_err(explained)?;
    // The loader of compiled networks refuses numbers that do not fit. After that, every number is
    // there and every sum fits its type.
    parts.clone().check().map_err(explained)?;
    let tables = parts.numbers().map_err(explained)?;
    Ok(read(&File {
        network,
        rounding,
        tables,
    }))
}

/// Whether the numbers of a file are rounded.
#[derive(Clone, Copy, PartialEq)]
enum Rounding {
    /// Numbers are rounded and clamped, as in every loader.
    AsLoaded,
    /// Numbers are converted to the units of the network's numbers, and neither rounded nor
    /// clamped.
    None,
}

/// A file that was checked.
struct File<'a> {
    network: &'a Network,
    rounding: Rounding,
    tables: Vec<Numbers<'a>>,
}

/// A row of a table.
type Row<'a> = (&'a Numbers<'a>, usize);

impl File<'_> {
    /// `[stack][layer]`: the numbers that files have of layers, as `convert` returns them.
    fn stacks<T>(&self, convert: impl Fn(&Layer, UnroundedLayer) -> T) -> Vec<Vec<Option<T>>> {
        let stacks = (0..self.network.stacks.count).map(|stack| {
            let layers = self.network.layers.iter().enumerate();
            let layers = layers.map(|(index, layer)| {
                let numbers = self.layer(stack, index, layer)?;
                Some(convert(layer, numbers))
            });
            layers.collect()
        });
        stacks.collect()
    }

    fn layer(&self, stack: usize, index: usize, layer: &Layer) -> Option<UnroundedLayer> {
        let row = |role, row| {
            let table = self.table(stack, role);
            // The file has a table for each stack, or a table with a bucket for each stack or for
            // all stacks.
            let bucket = if table.tensor.shape[0] == 1 { 0 } else { stack };
            let shared = match role {
                Role::LayerWeights(index) if layer.factorised => Role::SharedWeights(index),
                Role::LayerBiases(index) if layer.factorised => Role::SharedBiases(index),
                _ => return self.numbers(table, table.row(bucket, row)).collect(),
            };
            let shared = self.table(stack, shared);
            self.with_shared(table, table.row(bucket, row), shared.row(0, row))
        };
        let factors = layer.factors().map(|_| row(Role::LayerFactors(index), 0));
        let Some(affine) = layer.affine() else {
            return factors.map(|factors| UnroundedLayer {
                factors,
                ..UnroundedLayer::default()
            });
        };
        let weights =
            (0..layer.output.len).flat_map(|output| row(Role::LayerWeights(index), output));
        let weights: Vec<f64> = match affine.weights {
            // Only the sign counts, and the sign of 0 is positive.
            WeightType::Binary => weights.map(|x| if x < 0.0 { -1.0 } else { 1.0 }).collect(),
            _ => weights.collect(),
        };
        Some(UnroundedLayer {
            // The biases of layers without biases are zeros.
            biases: if affine.biases {
                row(Role::LayerBiases(index), 0)
            } else {
                vec![0.0; layer.output.len]
            },
            weights,
            factors: factors.unwrap_or_default(),
        })
    }

    /// A single table that both perspectives use, or white's and black's tables. The three
    /// functions convert biases, weights and PSQT values.
    fn transformer<B, W, P>(
        &self,
        bias: impl Fn(f64) -> B,
        weight: impl Fn(f64) -> W,
        psqt: impl Fn(f64) -> P,
    ) -> Vec<TransformerWeights<B, W, P>> {
        let copies = 0..self.network.transformer.perspectives.copies();
        let tables = copies.map(|copy| {
            let table = self.table(0, Role::Biases(copy));
            let biases = self.numbers(table, table.row(0, 0));
            TransformerWeights {
                biases: biases.map(&bias).collect(),
                rows: self.coalesced_rows(copy, Role::Weights, &weight),
                psqt: match self.network.transformer.psqt {
                    0 => Vec::new(),
                    _ => self.coalesced_rows(copy, Role::Psqt, &psqt),
                },
            }
        });
        tables.collect()
    }

    /// The rows of all features, each with its virtual rows added.
    fn coalesced_rows<T>(
        &self,
        copy: usize,
        role: fn(usize) -> Role,
        convert: impl Fn(f64) -> T,
    ) -> Vec<T> {
        let (mut first, mut first_virtual) = (0, self.network.first_virtual_row(copy));
        // Rows are most of a network, and lists that grow take twice the memory for a moment.
        let rows = self.network.feature_count();
        let columns = self.row(role, copy * rows).0.tensor.shape[2];
        let mut values = Vec::with_capacity(rows * columns);
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
                let sums = self.coalesced(self.row(role, row), virtual_rows, round_each);
                values.extend(sums.into_iter().map(&convert));
            }
            first += set.rows;
            first_virtual += set.virtual_rows();
        }
        values
    }

    /// The table of a tensor, which is the table of the stack where each stack has its own.
    fn table(&self, stack: usize, role: Role) -> &Numbers<'_> {
        let is_of = |own: Option<usize>| own.is_none_or(|own| own == stack);
        let mut tables = self.tables.iter();
        let found = tables.find(|table| table.tensor.role == role && is_of(table.stack));
        found.unwrap_or_else(|| unreachable!("every file of the network has {role:?}"))
    }

    /// A row of weights or of PSQT values. Rows are counted through all tables: first the rows of
    /// features, then virtual rows.
    fn row(&self, role: fn(usize) -> Role, row: usize) -> Row<'_> {
        let found = self.tables.iter().find_map(|table| {
            let first = match (table.tensor.role, role(0)) {
                (Role::Weights(first), Role::Weights(_)) => first,
                (Role::Psqt(first), Role::Psqt(_)) => first,
                _ => return None,
            };
            let row = row.checked_sub(first)?;
            (row < table.tensor.shape[1]).then_some((table, row))
        });
        found.unwrap_or_else(|| unreachable!("every file of the network has row {row}"))
    }

    /// The sum of a row and its virtual rows.
    fn coalesced<'a>(
        &self,
        (table, row): Row<'a>,
        virtual_rows: impl Iterator<Item = Row<'a>>,
        round_each: bool,
    ) -> Vec<f64> {
        if table.tensor.stored.quantise.is_none() || round_each {
            // Integers are added exactly.
            let mut sums: Vec<f64> = self.numbers(table, table.row(0, row)).collect();
            for (table, row) in virtual_rows {
                add(&mut sums, self.numbers(table, table.row(0, row)));
            }
            return sums;
        }
        // Floating point is added in 32 bits, and each addition is rounded. The sum becomes an
        // integer.
        let mut sums: Vec<f32> = table.row(0, row).map(|number| number as f32).collect();
        for (table, row) in virtual_rows {
            add(&mut sums, table.row(0, row).map(|number| number as f32));
        }
        self.numbers(table, sums.into_iter().map(f64::from))
            .collect()
    }

    /// The numbers of a stack. Numbers that all stacks share are added before the sums become
    /// integers: in 32 bits if they are floating point.
    fn with_shared(
        &self,
        table: &Numbers<'_>,
        own: impl Iterator<Item = f64>,
        shared: impl Iterator<Item = f64>,
    ) -> Vec<f64> {
        let is_float = table.tensor.stored.element.is_float();
        let sums = own.zip(shared).map(|(own, shared)| {
            if is_float {
                f64::from(own as f32 + shared as f32)
            } else {
                own + shared
            }
        });
        self.numbers(table, sums).collect()
    }

    /// The numbers of a table as the network has them: integers, or floating point, which may be
    /// quotients of integers.
    fn numbers(
        &self,
        table: &Numbers<'_>,
        numbers: impl Iterator<Item = f64>,
    ) -> impl Iterator<Item = f64> {
        let stored = table.tensor.stored;
        let (quantise, divisor) = (stored.quantise, stored.divisor);
        let rounding = self.rounding;
        numbers.map(move |number| {
            let of_file = match quantise {
                None => number / divisor.unwrap_or(1.0),
                Some(quantise) if rounding == Rounding::None => number * quantise.factor,
                Some(quantise) => {
                    let integer = quantise.apply(number);
                    match (quantise.overflow, quantise.element.limits()) {
                        (Overflow::Clamp, Some((low, high))) => {
                            integer.max(low.into()).min(high.into())
                        }
                        _ => integer,
                    }
                }
            };
            of_file * f64::from(stored.times)
        })
    }
}

/// The numbers of a layer in the types that the network has.
fn typed(layer: &Layer, numbers: UnroundedLayer) -> LayerWeights {
    let of_weights = layer.affine().map(|affine| affine.weights);
    let of_factors = layer.factors().map(|(_, element)| element);
    LayerWeights {
        biases: values(
            numbers.biases,
            layer.output.element == Element::F32 && of_weights.is_some(),
        ),
        weights: values(numbers.weights, of_weights == Some(WeightType::F32)),
        factors: values(numbers.factors, of_factors == Some(Element::F32)),
    }
}

fn values(numbers: Vec<f64>, are_floats: bool) -> Values {
    let numbers = numbers.into_iter();
    if are_floats {
        Values::Floats(numbers.map(|number| number as f32).collect())
    } else {
        Values::Integers(numbers.map(|number| number as i64).collect())
    }
}

fn add<T: std::ops::AddAssign>(sums: &mut [T], values: impl Iterator<Item = T>) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}
