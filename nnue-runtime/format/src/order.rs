//! The order of the transformer's outputs: which of them may change places, and which columns of a
//! net file's tensors then move.
//!
//! An order has an entry for each output of a perspective: `order[place]` is the number of the
//! output that takes the place.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::Role;

/// How outputs of the transformer are made of neurons, and who reads them.
#[derive(Clone, Debug)]
pub struct Outputs<'a> {
    /// The number of outputs of one perspective.
    pub count: usize,
    /// The number of neurons in a block, where two neurons make an output; `None` where each neuron
    /// is one. In a block, the `j`-th neuron and the neuron half a block behind it make an output.
    pub block: Option<usize>,
    /// The layers that have weights for outputs.
    pub readers: Cow<'a, [Reader<'a>]>,
    /// The layers that hand outputs on as they are, in their order. A reader of these layers knows
    /// the outputs by their places, so they must keep them.
    pub kept: Cow<'a, [Reader<'a>]>,
}

/// A layer that reads outputs of the transformer.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    /// The index of the layer.
    pub layer: usize,
    /// The tensor of the layer's weights; the layer itself if it has none.
    pub name: &'a str,
    /// The columns of the tensor, and the outputs that they belong to.
    pub runs: Cow<'a, [Run]>,
}

/// Outputs of one perspective that a layer reads, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The column of the first output.
    pub column: usize,
    /// How many columns lie between an output's and the next one's.
    pub step: usize,
    /// The number of the first output.
    pub output: usize,
    /// How many outputs there are.
    pub len: usize,
}

/// Why the outputs cannot be put into this order.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OrderError<'a> {
    /// The order has too many entries, or too few.
    Len {
        /// How many entries there are.
        found: usize,
        /// How many outputs there are.
        expected: usize,
    },
    /// An entry is not the number of an output, or an earlier entry is the same.
    Entry {
        /// The place of the entry in the order.
        index: usize,
        /// The number that it has.
        found: usize,
        /// How many outputs there are.
        outputs: usize,
    },
    /// An output would take the place of another one, but a layer reads only one of the two.
    ReadApart {
        /// The tensor of the layer's weights.
        tensor: &'a str,
        /// The number of the output that would be moved.
        output: usize,
        /// The number of the output whose place it would take.
        place: usize,
    },
    /// An output would be moved, but a layer hands it on in its place.
    Kept {
        /// The layer.
        layer: &'a str,
        /// The number of the output that would be moved.
        output: usize,
    },
}

impl fmt::Display for OrderError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderError::Len { found, expected } => write!(
                f,
                "found an order of {found} outputs, expected {expected}, which is what a perspective has"
            ),
            OrderError::Entry {
                index,
                found,
                outputs,
            } => write!(
                f,
                "entry {index} of the order is {found}, expected each number below {outputs} once"
            ),
            OrderError::ReadApart {
                tensor,
                output,
                place,
            } => write!(
                f,
                "output {output} cannot take the place of output {place}: `{tensor}` has weights for only one of them, or for parts of both"
            ),
            OrderError::Kept { layer, output } => write!(
                f,
                "output {output} cannot be moved: `{layer}` hands it on in its place"
            ),
        }
    }
}

crate::debug_is_message!(OrderError<'_>);

impl core::error::Error for OrderError<'_> {}

impl<'a> Outputs<'a> {
    /// A number for each output. Outputs with the same number may change places, because every
    /// layer reads either both of them or neither. The first output has number 0, and each new
    /// number is one more than the largest before it.
    #[must_use]
    pub fn classes(&self) -> Vec<usize> {
        let mut firsts: Vec<usize> = Vec::new();
        let mut classes = Vec::with_capacity(self.count);
        for output in 0..self.count {
            let mut class = 0;
            while class < firsts.len() && !self.may_change_places(firsts[class], output) {
                class += 1;
            }
            if class == firsts.len() {
                firsts.push(output);
            }
            classes.push(class);
        }
        classes
    }

    fn may_change_places(&self, a: usize, b: usize) -> bool {
        self.keeper(a).is_none() && self.keeper(b).is_none() && self.reader_apart(a, b).is_none()
    }

    /// A layer that reads only one of two outputs, or reads them in different runs.
    fn reader_apart(&self, a: usize, b: usize) -> Option<&Reader<'a>> {
        for reader in self.readers.iter() {
            for run in reader.runs.iter() {
                if run.has(a) != run.has(b) {
                    return Some(reader);
                }
            }
        }
        None
    }

    /// Checks that an order has each output once, and that each takes the place of an output that
    /// the same layers read.
    ///
    /// # Errors
    ///
    /// [`OrderError`] for the first entry that is wrong.
    pub fn check(&self, order: &[usize]) -> Result<(), OrderError<'a>> {
        if order.len() != self.count {
            return Err(OrderError::Len {
                found: order.len(),
                expected: self.count,
            });
        }
        let mut seen = vec![false; self.count];
        for (place, &output) in order.iter().enumerate() {
            match seen.get_mut(output) {
                Some(seen) if !*seen => *seen = true,
                _ => {
                    return Err(OrderError::Entry {
                        index: place,
                        found: output,
                        outputs: self.count,
                    });
                }
            }
            if output != place
                && let Some(reader) = self.keeper(output)
            {
                let layer = reader.name;
                return Err(OrderError::Kept { layer, output });
            }
            if let Some(reader) = self.reader_apart(output, place) {
                return Err(OrderError::ReadApart {
                    tensor: reader.name,
                    output,
                    place,
                });
            }
        }
        Ok(())
    }

    /// A layer that hands an output on in its place.
    fn keeper(&self, output: usize) -> Option<&Reader<'a>> {
        for reader in self.kept.iter() {
            for run in reader.runs.iter() {
                if run.has(output) {
                    return Some(reader);
                }
            }
        }
        None
    }

    /// The columns of a net file's tensor that move, for an order that was checked: the old place
    /// of each, and the new one. Tensors whose columns do not belong to neurons have none.
    #[must_use]
    pub fn moves(&self, tensor: Role, order: &[usize]) -> Vec<(usize, usize)> {
        let mut moves = Vec::new();
        if let Role::Weights(_) | Role::Biases(_) = tensor {
            for (place, &output) in order.iter().enumerate() {
                let (from, to) = (self.neurons_of(output), self.neurons_of(place));
                for (from, to) in from.into_iter().zip(to) {
                    if let (Some(from), Some(to)) = (from, to) {
                        moves.push((from, to));
                    }
                }
            }
        }
        for reader in self.readers.iter() {
            if tensor.matrix() != Some(reader.layer) {
                continue;
            }
            for run in reader.runs.iter() {
                for (place, output) in order.iter().enumerate() {
                    if run.has(place) {
                        moves.push((run.column_of(*output), run.column_of(place)));
                    }
                }
            }
        }
        moves
    }

    /// The neurons that an output is made of, in the order of the file.
    fn neurons_of(&self, output: usize) -> [Option<usize>; 2] {
        match self.block {
            None => [Some(output), None],
            Some(block) => {
                let half = block / 2;
                let first = output / half * block + output % half;
                [Some(first), Some(first + half)]
            }
        }
    }
}

impl Run {
    fn has(&self, output: usize) -> bool {
        (self.output..self.output + self.len).contains(&output)
    }

    /// The column of an output of the run.
    fn column_of(&self, output: usize) -> usize {
        self.column + (output - self.output) * self.step
    }
}
