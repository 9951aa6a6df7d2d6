//! A tensor, in a file and in memory.

use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;

use crate::leb128;
use crate::{Element, Placed, Quantise, Role, Text};

/// A tensor, in the file and in memory: buckets of rows of columns. For the weights of a layer,
/// rows are outputs and columns are inputs. The transformer's weights have a row for each feature
/// and a column for each neuron, as kernels read them. `P` is `()` where the place in memory is not
/// decided yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor<P = Placed> {
    /// The role of the tensor in the network.
    pub role: Role,
    /// The tensor's name, for messages, such as `transformer.weights`.
    pub name: Text,
    /// The name in the file; empty for formats other than [`Format::Named`](crate::Format::Named),
    /// whose files have no names.
    pub id: Text,
    /// The numbers of buckets, rows and columns.
    pub shape: [usize; 3],
    /// Type, order and encoding of the values in the file.
    pub stored: Stored,
    /// Type, order and place of the values in memory.
    pub placed: P,
}

/// The form in which a file has the values of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored {
    /// The type of the values.
    pub element: Element,
    /// The way in which the file writes the values.
    pub encoding: Encoding,
    /// The distances in values from a bucket, row or column to the next; along an axis in blocks,
    /// from a block to the next. Values that no stride reaches are padding.
    pub strides: [usize; 3],
    /// The axes that the file has in blocks.
    pub blocks: [Option<Block>; 3],
    /// The number of values in the file, padding included.
    pub values: usize,
    /// The conversion of floating point to integers. Only `f32` tensors have it, and they need it
    /// unless memory is `f32` too.
    pub quantise: Option<Quantise>,
    /// The divisor that makes floating point of integers. It is between 1 and 2^31, so that the
    /// quotients of 16-bit integers tell which integers they were.
    pub divisor: Option<f64>,
    /// The factor of the file's integers in the network, at least 1. Only integers that stay
    /// integers have another than 1, and floating point that becomes such integers of a file.
    pub times: u32,
}

/// The blocks in which a file has an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The length of a block, which divides the length of the axis.
    pub len: usize,
    /// The distance in values from a value of a block to the next.
    pub stride: usize,
}

/// The encoding of a tensor's values in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Little-endian numbers, one after the other.
    Raw,
    /// A block of LEB128 values, which begins with its length.
    Leb128,
    /// LEB128 values without a header.
    BareLeb128,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encoding::Raw => "raw",
            Encoding::Leb128 => "leb128",
            Encoding::BareLeb128 => "bare-leb128",
        })
    }
}

impl Stored {
    /// Numbers that follow each other: `values` numbers, padding included, with these strides.
    #[must_use]
    pub const fn new(element: Element, strides: [usize; 3], values: usize) -> Stored {
        Stored {
            element,
            encoding: Encoding::Raw,
            strides,
            blocks: [None; 3],
            values,
            quantise: None,
            divisor: None,
            times: 1,
        }
    }

    /// The same numbers with buckets (0), rows (1) or columns (2) in blocks.
    #[must_use]
    pub const fn in_blocks(mut self, axis: usize, block: Block) -> Stored {
        self.blocks[axis] = Some(block);
        self
    }

    /// The same numbers, compressed or not.
    #[must_use]
    pub const fn encoded(self, encoding: Encoding) -> Stored {
        Stored { encoding, ..self }
    }

    /// The same numbers, which are floating point and become integers.
    #[must_use]
    pub const fn quantised(self, quantise: Quantise) -> Stored {
        Stored {
            quantise: Some(quantise),
            ..self
        }
    }

    /// The same numbers, which are integers and become floating point.
    #[must_use]
    pub const fn divided_by(self, divisor: f64) -> Stored {
        Stored {
            divisor: Some(divisor),
            ..self
        }
    }

    /// The same numbers, which are integers that the network has this many times.
    #[must_use]
    pub const fn times(self, times: u32) -> Stored {
        Stored { times, ..self }
    }

    /// The number of bytes of the values in a file that has them raw.
    #[must_use]
    pub const fn raw_len(&self) -> usize {
        self.values * self.element.size()
    }

    /// The index, among the file's values, of the value at a bucket, row and column.
    #[must_use]
    pub fn index(&self, place: [usize; 3]) -> usize {
        let along = |axis: usize| match self.blocks[axis] {
            None => place[axis] * self.strides[axis],
            Some(Block { len, stride }) => {
                place[axis] / len * self.strides[axis] + place[axis] % len * stride
            }
        };
        along(0) + along(1) + along(2)
    }

    /// The value with this index among the little-endian values of a file.
    pub(crate) fn read(&self, bytes: &[u8], index: usize) -> f64 {
        self.element.read_little_endian(bytes, index)
    }

    /// Writes a value that the type holds, little-endian.
    pub(crate) fn write(&self, bytes: &mut [u8], index: usize, value: f64) {
        self.element.write_little_endian(bytes, index, value);
    }
}

impl Tensor {
    /// The smallest and the largest number of bytes of the values as LEB128.
    pub(crate) fn leb128_len(&self) -> RangeInclusive<u64> {
        let count = self.stored.values as u64;
        count..=count * leb128::longest(self.stored.element.size()) as u64
    }

    /// Whether memory has the integers of the file in the order of the file, so that copying is
    /// enough.
    #[must_use]
    pub fn is_same(&self) -> bool {
        let ([buckets, rows, columns], stored, placed) = (self.shape, &self.stored, &self.placed);
        let in_order = stored.strides[2] == 1 && (rows == 1 || stored.strides[1] == columns);
        buckets == 1
            && in_order
            && stored.blocks == [None; 3]
            && stored.values == rows * columns
            && stored.element == placed.element
            && stored.times == 1
            && !stored.element.is_float()
            && placed.is_rows_of(rows, columns)
    }

    /// Calls a function with the index of each value in the file that is padding.
    pub(crate) fn for_each_padding(&self, call: &mut dyn FnMut(usize)) {
        let [buckets, rows, columns] = self.shape;
        if buckets * rows * columns == self.stored.values {
            return;
        }
        let mut axes: Vec<(usize, usize)> = Vec::new();
        for (axis, block) in self.stored.blocks.iter().enumerate() {
            let blocks = self.shape[axis] / block.map_or(1, |block| block.len);
            insert(&mut axes, (self.stored.strides[axis], blocks));
            if let Some(block) = block {
                insert(&mut axes, (block.stride, block.len));
            }
        }
        for index in 0..self.stored.values {
            if is_padding(&axes, index) {
                call(index);
            }
        }
    }
}

/// Puts an axis, which is a stride and a length, behind those with longer strides.
fn insert(axes: &mut Vec<(usize, usize)>, axis: (usize, usize)) {
    let longer = axes.iter().filter(|(stride, _)| *stride >= axis.0);
    axes.insert(longer.count(), axis);
}

/// Whether no place along the axes, those with long strides first, is at this index.
fn is_padding(axes: &[(usize, usize)], index: usize) -> bool {
    let mut rest = index;
    for &(stride, len) in axes {
        // All buckets read the same values of a tensor that the buckets share.
        if len > 1 && stride > 0 {
            let position = rest / stride;
            if position >= len {
                return true;
            }
            rest -= position * stride;
        }
    }
    rest != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Section;

    fn tensor(shape: [usize; 3], strides: [usize; 3], values: usize) -> Tensor {
        let stored = Stored::new(Element::I8, strides, values);
        let placed = Placed::rows(Element::I8, 0, [shape[1], shape[2]]);
        let Section::Tensor(tensor) =
            Section::tensor(Role::Weights(0), "weights", shape, stored, placed)
        else {
            unreachable!()
        };
        tensor
    }

    #[test]
    fn padding_is_what_no_value_reaches() {
        // `[bucket][column / 4][row][column % 4]`, the places in a block padded to 5.
        let padded = [None, None, Some(Block { len: 4, stride: 1 })];
        // `[row % 2][bucket][row / 2][column]`.
        let of_rows = [None, Some(Block { len: 2, stride: 24 }), None];
        for (shape, strides, blocks, values) in [
            ([1, 2, 7], [0, 32, 1], [None; 3], 64),
            ([2, 3, 5], [1, 2, 8], [None; 3], 40),
            ([2, 3, 5], [24, 8, 1], [None; 3], 48),
            ([3, 1, 5], [1, 0, 4], [None; 3], 20),
            ([2, 3, 5], [15, 5, 1], [None; 3], 30),
            ([2, 3, 8], [30, 5, 15], padded, 60),
            ([3, 4, 3], [8, 4, 1], of_rows, 48),
            ([4, 2, 7], [0, 8, 1], [None; 3], 16),
            ([4, 2, 7], [0, 7, 1], [None; 3], 14),
        ] {
            let mut tensor = tensor(shape, strides, values);
            tensor.stored.blocks = blocks;
            let mut padding = alloc::vec![true; values];
            for bucket in 0..shape[0] {
                for row in 0..shape[1] {
                    for column in 0..shape[2] {
                        padding[tensor.stored.index([bucket, row, column])] = false;
                    }
                }
            }
            let expected: Vec<usize> = (0..values).filter(|&index| padding[index]).collect();
            let mut found = Vec::new();
            tensor.for_each_padding(&mut |index| found.push(index));
            assert_eq!(found, expected, "{shape:?}");
        }
    }
}
