//! The numbers of a file, for programs that need no weights in memory.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::{LoadError, Parts, Tensor};

/// The numbers of a tensor.
#[derive(Clone, Debug)]
pub struct Numbers<'a> {
    /// The number of the stack, from 0, if the file has the tensor once per stack.
    pub stack: Option<usize>,
    /// The shape of the tensor, and the types of its values.
    pub tensor: &'a Tensor,
    /// The bytes of the numbers, little-endian, one number after the other.
    bytes: Cow<'a, [u8]>,
}

impl Numbers<'_> {
    /// The numbers of a row of a bucket, column by column, before they are quantised.
    pub fn row(&self, bucket: usize, row: usize) -> impl Iterator<Item = f64> {
        let columns = 0..self.tensor.shape[2];
        let index = move |column| self.tensor.stored.index([bucket, row, column]);
        columns.map(move |column| self.tensor.stored.read(&self.bytes, index(column)))
    }
}

impl Parts<'_> {
    /// The numbers of all tensors, in the order of the file.
    ///
    /// # Errors
    ///
    /// The errors about values of LEB128 blocks.
    pub fn numbers(&self) -> Result<Vec<Numbers<'_>>, LoadError> {
        let mut numbers = Vec::with_capacity(self.tensors.len());
        for part in &self.tensors {
            numbers.push(Numbers {
                stack: part.place.stack,
                tensor: part.tensor,
                bytes: part.raw()?,
            });
        }
        Ok(numbers)
    }
}
