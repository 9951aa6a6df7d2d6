//! From a net file to weights.
//!
//! The walk over the file, the decoding of its numbers and the errors are those of every loader: `nnue-format` has them. Here
//! is said what the numbers mean: which weight each of them is, and what becomes of fractions and of virtual rows.

use std::path::Path;

use nnue_compiler::feature_set::Family;
use nnue_compiler::file_layout;
use nnue_compiler::network::file::{Axis, Role, Tensor};
use nnue_compiler::network::{self, Layer, Network, WeightType};
use nnue_compiler::spec::FactorRounding;
use nnue_format::{Element, FileLayout, LoadError, Placed, Rounding, Section, Stacks, Stored};

use crate::features::virtual_rows;
use crate::weights::{AffineWeights, TransformerWeights, Values, Weights};

/// The bytes of a file, as far as it can be one of the network.
pub(crate) fn bytes(network: &Network, path: &Path) -> Result<Vec<u8>, LoadError> {
    nnue_format::open(&file_layout(network), path)
}

/// The weights in a net file.
pub(crate) fn read(network: &Network, bytes: &[u8]) -> Result<Weights, LoadError> {
    // The loader of compiled networks says what is wrong with the file. Nothing is after that: all sums fit their types.
    nnue_format::check(&file_layout(network), bytes)?;
    let file = File::read(network, bytes)?;
    let copies = 0..network.transformer.perspectives.copies();
    let stacks = 0..network.stacks.count;
    Ok(Weights {
        transformer: copies.map(|copy| file.transformer(copy)).collect(),
        stacks: stacks.map(|stack| file.stack(stack)).collect(),
    })
}

/// The numbers of a file, in tables.
struct File<'a> {
    network: &'a Network,
    tables: Vec<Table<'a>>,
    /// The numbers of all tables, in the machine's endianness.
    numbers: Vec<u8>,
}

/// A tensor of the file, as a table of buckets, rows and columns. Its numbers have the type that the file has.
#[derive(Clone, Copy)]
struct Table<'a> {
    tensor: &'a Tensor,
    /// Where its numbers begin, in bytes.
    offset: usize,
    /// The numbers of buckets, rows and columns.
    shape: [usize; 3],
    /// Bytes from the tables of one stack to those of the next, if files have the tensor once per stack.
    stack_len: usize,
}

/// Which axes of a tensor are its buckets, rows and columns. An axis that it does not have is 1 long.
fn axes(role: Role) -> [Axis; 3] {
    match role {
        Role::Weights(_) | Role::Biases(_) => [Axis::Stack, Axis::Feature, Axis::Neuron],
        // PSQT values have no buckets: the stacks are their columns.
        Role::Psqt(_) => [Axis::Output, Axis::Feature, Axis::Stack],
        Role::LayerWeights(_) => [Axis::Stack, Axis::Output, Axis::Input],
        Role::LayerBiases(_) | Role::LayerAlpha(_) => [Axis::Stack, Axis::Input, Axis::Output],
    }
}

impl<'a> File<'a> {
    /// Copies the numbers of a file that was checked into tables without gaps.
    fn read(network: &'a Network, bytes: &[u8]) -> Result<File<'a>, LoadError> {
        let (mut tables, mut end) = (Vec::new(), 0);
        let sections = lay_out(&network.file.sections, &mut tables, &mut end);
        let (tables_of_all, len_of_all) = (tables.len(), end);
        let sections_of_stack = lay_out(&network.file.stack_sections, &mut tables, &mut end);
        let stack_len = end - len_of_all;
        for table in &mut tables[tables_of_all..] {
            table.stack_len = stack_len;
        }
        let layout = FileLayout {
            name: network.name.clone().into(),
            format: network.file.format,
            sections: sections.into(),
            stacks: Stacks {
                count: network.stacks.count,
                stride: stack_len,
                sections: sections_of_stack.into(),
            },
            tail: network.file.tail,
            extents: Vec::new().into(),
            coalesced: Vec::new().into(),
        };
        let mut numbers = vec![0; layout.memory_len()];
        nnue_format::split(&layout, bytes)?.load(&[0], &mut numbers)?;
        Ok(File {
            network,
            tables,
            numbers,
        })
    }

    /// The table of a tensor.
    fn table(&self, role: Role) -> Table<'a> {
        let table = self.tables.iter().find(|table| table.tensor.role == role);
        *table.unwrap_or_else(|| unreachable!("every file of the network has {role:?}"))
    }

    /// The weights of the perspectives, or of one of them.
    fn transformer(&self, copy: usize) -> TransformerWeights {
        let biases = self.row(self.table(Role::Biases(copy)), 0, 0);
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

    /// The weights of each affine layer.
    fn stack(&self, stack: usize) -> Vec<Option<AffineWeights>> {
        let layers = self.network.layers.iter().enumerate();
        layers
            .map(|(index, layer)| self.layer(stack, index, layer))
            .collect()
    }

    fn layer(&self, stack: usize, index: usize, layer: &Layer) -> Option<AffineWeights> {
        let affine = layer.affine()?;
        let biases = self.row(self.table(Role::LayerBiases(index)), stack, 0);
        let table = self.table(Role::LayerWeights(index));
        let weights = (0..table.shape[1]).flat_map(|output| self.row(table, stack, output));
        Some(AffineWeights {
            biases: match layer.output.element {
                network::Element::F32 => floats(biases),
                _ => integers(biases),
            },
            weights: match affine.weights {
                WeightType::F32 => floats(weights),
                // Only the sign counts, and 0 is positive.
                WeightType::Binary => integers(weights.map(|x| if x < 0.0 { -1.0 } else { 1.0 })),
                WeightType::I8 | WeightType::I16 => integers(weights),
            },
            alpha: match affine.scales {
                None => Vec::new(),
                Some(_) => {
                    let alpha = self.row(self.table(Role::LayerAlpha(index)), stack, 0);
                    alpha.map(|factor| factor as i16).collect()
                }
            },
        })
    }

    /// A row as the network has it: integers, unless the network has floating point.
    fn row(&self, table: Table<'a>, stack: usize, row: usize) -> impl Iterator<Item = f64> {
        let numbers = self.numbers_of_row(table, stack, row);
        numbers.map(move |number| quantised(table.tensor, number))
    }

    /// A row as the file has it.
    fn numbers_of_row(
        &self,
        table: Table<'a>,
        stack: usize,
        row: usize,
    ) -> impl Iterator<Item = f64> {
        let [buckets, rows, columns] = table.shape;
        let bucket = if buckets == 1 { 0 } else { stack };
        let element = table.tensor.element;
        let start = table.offset + stack * table.stack_len;
        let start = start + (bucket * rows + row) * columns * element.size();
        let bytes = &self.numbers[start..][..columns * element.size()];
        bytes
            .chunks_exact(element.size())
            .map(move |bytes| match (element, bytes) {
                (Element::F32, &[a, b, c, d]) => f32::from_ne_bytes([a, b, c, d]).into(),
                (_, &[a, b, c, d]) => i32::from_ne_bytes([a, b, c, d]).into(),
                (_, &[a, b]) => i16::from_ne_bytes([a, b]).into(),
                (_, bytes) => bytes.first().map_or(0.0, |byte| byte.cast_signed().into()),
            })
    }

    /// The rows of all features: to each, the virtual rows that stand for a part of it are added.
    fn coalesced_rows<T>(
        &self,
        copy: usize,
        role: fn(usize) -> Role,
        convert: impl Fn(f64) -> T,
    ) -> Vec<T> {
        let features = self.network.feature_count();
        let first_virtual = self.network.first_virtual_row(copy);
        let mut values = Vec::new();
        for (feature, sum) in sums(self.network).iter().enumerate() {
            let own = self.find_row(role, copy * features + feature);
            let virtual_rows = sum.virtual_rows.iter();
            let virtual_rows = virtual_rows.map(|row| self.find_row(role, first_virtual + row));
            let row = self.coalesced(own, virtual_rows, sum.rounding);
            values.extend(row.into_iter().map(&convert));
        }
        values
    }

    /// A row and its virtual rows, each with the table that has it.
    fn coalesced(
        &self,
        (table, row): (Table<'a>, usize),
        virtual_rows: impl Iterator<Item = (Table<'a>, usize)>,
        rounding: FactorRounding,
    ) -> Vec<f64> {
        if table.tensor.quantise.is_none() || rounding == FactorRounding::Each {
            // Integers are added exactly.
            let mut sums: Vec<f64> = self.row(table, 0, row).collect();
            for (table, row) in virtual_rows {
                add(&mut sums, self.row(table, 0, row));
            }
            return sums;
        }
        // Floating point is added in 32 bits, each addition rounded. The sum becomes an integer.
        let numbers = self.numbers_of_row(table, 0, row);
        let mut sums: Vec<f32> = numbers.map(|number| number as f32).collect();
        for (table, row) in virtual_rows {
            let numbers = self.numbers_of_row(table, 0, row);
            add(&mut sums, numbers.map(|number| number as f32));
        }
        let sums = sums.into_iter();
        sums.map(|sum| quantised(table.tensor, sum.into()))
            .collect()
    }

    /// The table that has a row of weights or of PSQT values, and the number of the row in it. Rows are counted through all
    /// tables.
    fn find_row(&self, role: fn(usize) -> Role, row: usize) -> (Table<'a>, usize) {
        let found = self.tables.iter().find_map(|table| {
            let first = match (table.tensor.role, role(0)) {
                (Role::Weights(first), Role::Weights(_)) | (Role::Psqt(first), Role::Psqt(_)) => {
                    first
                }
                _ => return None,
            };
            let row = row.checked_sub(first)?;
            (row < table.shape[1]).then_some((*table, row))
        });
        found.unwrap_or_else(|| unreachable!("every file of the network has row {row}"))
    }
}

/// Gives each tensor a table behind those before it, which end at `end`.
fn lay_out<'a>(
    sections: &'a [Section<Tensor>],
    tables: &mut Vec<Table<'a>>,
    end: &mut usize,
) -> Vec<Section> {
    let mut table = |tensor: &'a Tensor| {
        let axes = axes(tensor.role);
        let shape = axes.map(|axis| tensor.len(axis));
        let [buckets, rows, columns] = shape;
        let offset = *end;
        let bucket_len = rows * columns * tensor.element.size();
        *end += buckets * bucket_len;
        tables.push(Table {
            tensor,
            offset,
            shape,
            stack_len: 0,
        });
        nnue_format::Tensor {
            name: tensor.name.clone().into(),
            id: tensor.id.clone().into(),
            shape,
            stored: Stored::new(
                tensor.element,
                axes.map(|axis| tensor.stride(axis)),
                tensor.values(),
            )
            .encoded(tensor.encoding),
            placed: Placed {
                stride: bucket_len,
                ..Placed::rows(tensor.element, offset, [rows, columns])
            },
        }
    };
    let sections = sections.iter();
    sections.map(|section| section.map(&mut table)).collect()
}

/// What is added to the row of a feature.
#[derive(Clone)]
struct Sum {
    /// The virtual rows, counted through all sets.
    virtual_rows: Vec<usize>,
    rounding: FactorRounding,
}

/// One per feature of the network.
fn sums(network: &Network) -> Vec<Sum> {
    let nothing = Sum {
        virtual_rows: Vec::new(),
        rounding: FactorRounding::Sum,
    };
    let mut sums = vec![nothing; network.feature_count()];
    let (mut first, mut first_virtual) = (0, 0);
    for set in &network.features {
        if let (Family::PieceSquare(tables), Some(factors)) = (&set.family, &set.factors) {
            for sum in virtual_rows::sums(&tables.parameters, factors) {
                let rows = sum.virtual_rows.iter().map(|row| first_virtual + row);
                sums[first + sum.row] = Sum {
                    virtual_rows: rows.collect(),
                    rounding: factors.rounding,
                };
            }
        }
        first += set.rows;
        first_virtual += set.virtual_rows();
    }
    sums
}

/// What a number of the file is in the network: an integer if the network has integers.
fn quantised(tensor: &Tensor, number: f64) -> f64 {
    match &tensor.quantise {
        None => number,
        Some(quantise) => match quantise.rounding {
            Rounding::Truncate => (number * quantise.factor).trunc(),
            // Halves are rounded away from zero.
            Rounding::Nearest => (number * quantise.factor).round(),
        },
    }
}

fn add<T: std::ops::AddAssign>(sums: &mut [T], values: impl Iterator<Item = T>) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

fn integers(values: impl Iterator<Item = f64>) -> Values {
    Values::Integers(values.map(|value| value as i64).collect())
}

fn floats(values: impl Iterator<Item = f64>) -> Values {
    Values::Floats(values.map(|value| value as f32).collect())
}
