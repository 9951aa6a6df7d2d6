//! From a net file to weights: each number is found by the axes of its tensor, and becomes what the network has.

use std::borrow::Cow;
use std::path::Path;

use nnue_compiler::feature_set::Family;
use nnue_compiler::file_layout;
use nnue_compiler::format::{self, Element, Encoding, Format, Rounding, Section};
use nnue_compiler::network::file::{Axis, Role, Tensor};
use nnue_compiler::network::{Layer, Network, WeightType};
use nnue_compiler::spec::FactorRounding;

use crate::features::virtual_rows;
use crate::weights::{AffineWeights, TransformerWeights, Values, Weights};

/// Why a file is refused.
pub type LoadError = String;

pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, LoadError> {
    std::fs::read(path).map_err(|error| format!("`{}`: {error}", path.display()))
}

/// The weights in a net file.
pub(crate) fn read(network: &Network, bytes: &[u8]) -> Result<Weights, LoadError> {
    format::check(&file_layout(network), bytes).map_err(|error| error.to_string())?;
    let file = File {
        network,
        tensors: tensors(network, bytes),
    };
    let copies = 0..network.transformer.perspectives.copies();
    let transformer = copies
        .map(|copy| file.transformer(copy))
        .collect::<Result<_, _>>()?;
    let stacks = (0..network.stacks.count).map(|stack| {
        let layers = network.layers.iter().enumerate();
        layers
            .map(|(index, layer)| file.layer(stack, index, layer))
            .collect()
    });
    Ok(Weights {
        transformer,
        stacks: stacks.collect(),
    })
}

/// The tensors of a file.
struct File<'a> {
    network: &'a Network,
    tensors: Vec<Stored<'a>>,
}

/// A tensor in a file.
struct Stored<'a> {
    /// Which stack's section it is in; 0 for tensors of which the file has one.
    stack: usize,
    tensor: &'a Tensor,
    /// Little-endian numbers.
    bytes: Cow<'a, [u8]>,
}

/// Where a value is: its place on each of these axes. Tensors that do not have an axis are the same along it.
type Index<'a> = &'a [(Axis, usize)];

impl Stored<'_> {
    /// The number in the file.
    fn number(&self, index: Index<'_>) -> f64 {
        let places = index.iter();
        let index: usize = places
            .map(|(axis, place)| place * self.tensor.stride(*axis))
            .sum();
        let size = self.tensor.element.size();
        match (self.tensor.element, &self.bytes[index * size..][..size]) {
            (Element::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).into(),
            (_, &[a, b, c, d]) => i32::from_le_bytes([a, b, c, d]).into(),
            (_, &[a, b]) => i16::from_le_bytes([a, b]).into(),
            (_, bytes) => bytes.first().map_or(0.0, |byte| f64::from(*byte as i8)),
        }
    }

    /// The number that it becomes in the network.
    fn value(&self, index: Index<'_>) -> f64 {
        self.quantised(self.number(index))
    }

    fn quantised(&self, number: f64) -> f64 {
        match &self.tensor.quantise {
            None => number,
            Some(quantise) => match quantise.rounding {
                Rounding::Truncate => (number * quantise.factor).trunc(),
                Rounding::Nearest => (number * quantise.factor).round(),
            },
        }
    }
}

impl File<'_> {
    fn transformer(&self, copy: usize) -> Result<TransformerWeights, LoadError> {
        let network = self.network;
        let biases = self.find(0, Role::Biases(copy));
        let neurons = 0..network.transformer.width;
        let biases = neurons.map(|neuron| biases.value(&[(Axis::Neuron, neuron)]) as i16);
        let weights = Rows {
            file: self,
            copy,
            role: Role::Weights,
            columns: (Axis::Neuron, network.transformer.width),
            limits: (i16::MIN.into(), i16::MAX.into()),
        };
        let psqt = Rows {
            role: Role::Psqt,
            columns: (Axis::Stack, network.transformer.psqt),
            limits: (i32::MIN.into(), i32::MAX.into()),
            ..weights
        };
        Ok(TransformerWeights {
            biases: biases.collect(),
            rows: weights.coalesced(|value| value as i16)?,
            psqt: psqt.coalesced(|value| value as i32)?,
        })
    }

    fn layer(&self, stack: usize, index: usize, layer: &Layer) -> Option<AffineWeights> {
        let affine = layer.affine()?;
        let outputs = 0..layer.output.len;
        let of_outputs = |role| {
            let tensor = self.find(stack, role);
            let place = |output| [(Axis::Stack, stack - tensor.stack), (Axis::Output, output)];
            outputs
                .clone()
                .map(move |output| tensor.value(&place(output)))
        };
        let biases = of_outputs(Role::LayerBiases(index));
        let weights = self.find(stack, Role::LayerWeights(index));
        let inputs = 0..layer.input_len();
        let places = outputs
            .clone()
            .flat_map(|o| inputs.clone().map(move |i| (o, i)));
        let numbers = places.map(|(output, input)| {
            let stack = stack - weights.stack;
            weights.value(&[
                (Axis::Stack, stack),
                (Axis::Output, output),
                (Axis::Input, input),
            ])
        });
        Some(AffineWeights {
            biases: match layer.output.element {
                Element::F32 => Values::Floats(biases.map(|bias| bias as f32).collect()),
                _ => Values::Integers(biases.map(|bias| bias as i64).collect()),
            },
            weights: match affine.weights {
                WeightType::F32 => Values::Floats(numbers.map(|weight| weight as f32).collect()),
                // Only the sign counts, and 0 is positive.
                WeightType::Binary => {
                    let signs = numbers.map(|weight| if weight < 0.0 { -1 } else { 1 });
                    Values::Integers(signs.collect())
                }
                WeightType::I8 | WeightType::I16 => {
                    Values::Integers(numbers.map(|weight| weight as i64).collect())
                }
            },
            alpha: match affine.scales {
                None => Vec::new(),
                Some(_) => {
                    let alpha = of_outputs(Role::LayerAlpha(index));
                    alpha.map(|factor| factor as i16).collect()
                }
            },
        })
    }

    /// The tensor of a stack.
    fn find(&self, stack: usize, role: Role) -> &Stored<'_> {
        let found = self
            .tensors
            .iter()
            .rfind(|stored| stored.tensor.role == role && stored.stack <= stack);
        found.unwrap_or_else(|| unreachable!("checked: the file has {role:?}"))
    }
}

/// The transformer's rows of weights, or of PSQT values.
#[derive(Clone, Copy)]
struct Rows<'a> {
    file: &'a File<'a>,
    copy: usize,
    role: fn(usize) -> Role,
    columns: (Axis, usize),
    /// The smallest and the largest value.
    limits: (i64, i64),
}

impl Rows<'_> {
    /// All real rows, with the virtual ones added to those that they are a part of.
    fn coalesced<T>(&self, to: impl Fn(i64) -> T) -> Result<Vec<T>, LoadError> {
        let network = self.file.network;
        let (axis, columns) = self.columns;
        let mut virtual_rows: Vec<Vec<usize>> = vec![Vec::new(); network.feature_count()];
        let mut rounds_each = vec![false; network.feature_count()];
        let (mut first, mut first_virtual) = (0, 0);
        for set in &network.features {
            if let (Family::PieceSquare(tables), Some(factors)) = (&set.family, &set.factors) {
                for sum in virtual_rows::sums(&tables.parameters, factors) {
                    let rows = sum.virtual_rows.iter().map(|row| first_virtual + row);
                    virtual_rows[first + sum.row] = rows.collect();
                    rounds_each[first + sum.row] = factors.rounding == FactorRounding::Each;
                }
            }
            first += set.rows;
            first_virtual += set.virtual_rows();
        }
        if columns == 0 {
            return Ok(Vec::new());
        }
        let mut values = Vec::with_capacity(network.feature_count() * columns);
        for (row, virtual_rows) in virtual_rows.iter().enumerate() {
            let (real, own_row) = self.find(self.copy * network.feature_count() + row);
            let first_virtual = network.first_virtual_row(self.copy);
            let virtuals = virtual_rows
                .iter()
                .map(|row| self.find(first_virtual + row));
            let virtuals: Vec<_> = virtuals.collect();
            for column in 0..columns {
                let index = |row| [(Axis::Feature, row), (axis, column)];
                let value = if real.tensor.quantise.is_some() && !rounds_each[row] {
                    let own = real.number(&index(own_row)) as f32;
                    let numbers = virtuals
                        .iter()
                        .map(|(tensor, row)| tensor.number(&index(*row)));
                    real.quantised(numbers.fold(own, |sum, number| sum + number as f32).into())
                } else {
                    let values = virtuals
                        .iter()
                        .map(|(tensor, row)| tensor.value(&index(*row)));
                    real.value(&index(own_row)) + values.sum::<f64>()
                } as i64;
                if value < self.limits.0 || value > self.limits.1 {
                    return Err(format!("row {row} and its virtual rows add up to {value}"));
                }
                values.push(to(value));
            }
        }
        Ok(values)
    }

    /// The tensor that has a row, and the number of the row in it.
    fn find(&self, row: usize) -> (&Stored<'_>, usize) {
        let found = self.file.tensors.iter().find_map(|stored| {
            let first = match (stored.tensor.role, (self.role)(0)) {
                (Role::Weights(first), Role::Weights(_)) => first,
                (Role::Psqt(first), Role::Psqt(_)) => first,
                _ => return None,
            };
            let row = row.checked_sub(first)?;
            (row < stored.tensor.len(Axis::Feature)).then_some((stored, row))
        });
        found.unwrap_or_else(|| unreachable!("checked: the file has row {row}"))
    }
}

/// Finds the tensors in a file that was checked.
fn tensors<'a>(network: &'a Network, bytes: &'a [u8]) -> Vec<Stored<'a>> {
    let file = &network.file;
    let mut cursor = Cursor { bytes, offset: 0 };
    let mut found = Vec::new();
    match file.format {
        Format::Named => {
            while cursor.offset < bytes.len() {
                let line = cursor.bytes[cursor.offset..].split(|byte| *byte == b'\n');
                let id = line.take(1).flatten().copied().collect::<Vec<u8>>();
                cursor.take(id.len() + 9);
                let mut all = file.sections.iter().filter_map(Section::as_tensor);
                let Some(tensor) = all.find(|tensor| tensor.id.as_bytes() == id) else {
                    break;
                };
                found.push(cursor.tensor(0, tensor));
            }
        }
        Format::Stockfish { .. } => {
            cursor.take(8);
            let description = cursor.length();
            cursor.take(description);
        }
        Format::Sequence => (),
    }
    if file.format == Format::Named {
        return found;
    }
    for (stack, section) in file.all_sections(network.stacks.count) {
        match section {
            Section::Hash { .. } => drop(cursor.take(4)),
            Section::Bytes(bytes) => drop(cursor.take(bytes.len())),
            Section::Skipped(len) => drop(cursor.take(*len)),
            Section::Align(to) => cursor.offset = cursor.offset.next_multiple_of(*to),
            Section::Tensor(tensor) => found.push(cursor.tensor(stack.unwrap_or(0), tensor)),
        }
    }
    found
}

struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> &'a [u8] {
        let taken = &self.bytes[self.offset..][..len];
        self.offset += len;
        taken
    }

    fn length(&mut self) -> usize {
        let bytes = self.take(4).iter().rev();
        bytes.fold(0, |word, byte| word << 8 | usize::from(*byte))
    }

    fn tensor(&mut self, stack: usize, tensor: &'a Tensor) -> Stored<'a> {
        let bytes = match tensor.encoding {
            Encoding::Raw => Cow::Borrowed(self.take(tensor.raw_len())),
            Encoding::Leb128 => {
                self.take(b"COMPRESSED_LEB128".len());
                let len = self.length();
                Cow::Owned(decoded(tensor.element.size(), self.take(len)))
            }
        };
        Stored {
            stack,
            tensor,
            bytes,
        }
    }
}

/// The values of a LEB128 block as raw ones.
fn decoded(size: usize, block: &[u8]) -> Vec<u8> {
    let mut raw = Vec::new();
    let (mut value, mut shift) = (0i64, 0);
    for byte in block {
        value |= i64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            let signed = value << (64 - shift) >> (64 - shift);
            raw.extend_from_slice(&signed.to_le_bytes()[..size]);
            (value, shift) = (0, 0);
        }
    }
    raw
}
