//! The transformer's neurons: the values that the layers see, and their order.
//!
//! Layers see *outputs* of the transformer: one per neuron and perspective, or one per pair of
//! neurons where these are pooled. Their order means nothing, as long as the biases, the rows and
//! the weights of the layers agree. But some layers skip blocks of four outputs that are all zero:
//! they skip more if outputs that are often zero, or zero at the same time, are neighbours.
//!
//! Outputs are numbered as they lie in memory, which is the order of the net file unless the spec has
//! an order of its own.

use alloc::vec::Vec;

use nnue_format::{Outputs, Role, list};
#[doc(hidden)]
pub use nnue_format::{Reader, Run};

/// How many outputs are skipped together, if all of them are zero.
pub const BLOCK: usize = 4;

/// How the neurons of a perspective become the outputs that the layers read.
#[derive(Clone, Copy, Debug)]
pub struct Neurons {
    /// How many values of one perspective the layers see.
    pub outputs: usize,
    /// How many perspectives the layers see: 1 or 2.
    pub perspectives: usize,
    /// The function of each sum of an accumulator.
    pub activation: Activation,
    /// How two activated values become one output.
    pub pooling: Pooling,
    /// How many neurons are a block, in the order of the net file. In a block, the `j`-th neuron
    /// and the neuron half a block behind it make an output. Where the halves of a perspective's
    /// neurons are pooled, all neurons are a block; where neighbours are pooled, each two are.
    /// Without pooling the number means nothing.
    pub block: usize,
    /// Sums of an accumulator, padding included, that are not pooled. Memory has them behind all
    /// others.
    #[doc(hidden)]
    pub unpooled: usize,
    /// The order of the spec: `order[place]` is the number that the net file gives to the output at
    /// the place in memory. It is empty where outputs have the order of the file.
    pub order: &'static [usize],
    /// The zeros that the layers skip.
    pub skipped: Skipped,
    /// The layers that have weights for outputs.
    #[doc(hidden)]
    pub readers: &'static [Reader<'static>],
    /// The layers that hand outputs on as they are, in their order. A reader of these layers knows
    /// the outputs by their places, so they must keep them.
    #[doc(hidden)]
    pub kept: &'static [Reader<'static>],
}

/// The function of a sum `x` of an accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// The sum itself is the value.
    None,
    /// Clipped: `clamp(x, 0, limit)`.
    Crelu {
        /// The largest result.
        limit: i32,
    },
    /// `(clamp(x, 0, one)` squared, `+ summand) >> shift`.
    Screlu {
        /// The integer that stands for 1.0.
        one: i32,
        /// The number that is added before the shift: half of 2^shift to round to the nearest, or
        /// 0.
        summand: i32,
        /// How many bits the square is shifted to the right, 0 to 15.
        shift: u32,
    },
    /// `clamp(x >> shift, 0, limit)`.
    Relu {
        /// How many bits the sum is shifted to the right, 0 to 15.
        shift: u32,
        /// The largest result, at most 32767.
        limit: i32,
    },
    /// [`activation::quantmoid4`](crate::activation::quantmoid4), with a shift of 0.
    Quantmoid4,
}

/// How two activated values `a` and `b` of a perspective become one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// There are no pairs: each value is an output.
    None,
    /// `(a * b + summand) >> shift`.
    Product {
        /// The number that is added before the shift: half of 2^shift to round to the nearest, or
        /// 0.
        summand: i32,
        /// How many bits the product is shifted to the right, 0 to 15.
        shift: u32,
    },
    /// `(a + b + 1) >> 1`.
    Average,
    /// The greater of the two: `max(a, b)`.
    Max,
}

/// The zeros among the outputs that the kernels of some level skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// No zeros are skipped.
    Nothing,
    /// Every output that is zero is skipped.
    Outputs,
    /// Blocks of [`BLOCK`] outputs of a perspective are skipped if all are zero. A block begins at
    /// a multiple of [`BLOCK`].
    Blocks,
}

/// Why the outputs cannot be put into an order.
pub type OrderError = nnue_format::OrderError<'static>;

impl Neurons {
    /// The neurons of no network. They stand in for those of a network whose spec has errors.
    #[doc(hidden)]
    pub const NONE: Neurons = Neurons {
        outputs: 0,
        perspectives: 0,
        activation: Activation::None,
        pooling: Pooling::None,
        block: 2,
        unpooled: 0,
        order: &[],
        skipped: Skipped::Nothing,
        readers: &[],
        kept: &[],
    };

    /// The outputs of a perspective, given the sums of its accumulator as memory has them.
    pub(crate) fn outputs_of(self, sums: &[i16]) -> impl Iterator<Item = i32> {
        // Whatever makes a pair in the file, memory has the first of all pairs, then the second.
        let (first, second) = match self.pooling {
            Pooling::None => (sums, sums),
            _ => sums.split_at((sums.len() - self.unpooled) / 2),
        };
        let pairs = first.iter().zip(second).take(self.outputs);
        pairs.map(move |(first, second)| {
            let [a, b] = [first, second].map(|sum| self.activation.of((*sum).into()));
            match self.pooling {
                Pooling::None => a,
                Pooling::Product { summand, shift } => (a * b + summand) >> shift,
                Pooling::Average => (a + b + 1) >> 1,
                Pooling::Max => a.max(b),
            }
        })
    }

    /// A number for each output. Outputs with the same number may change places, because every
    /// layer reads either both of them or neither. The first output has number 0, and each new
    /// number is one more than the largest before it.
    #[must_use]
    pub fn classes(&self) -> Vec<usize> {
        self.wired().classes()
    }

    /// The order that a spec says to have these outputs in the order `order`: where the spec has an
    /// order already, the net file has other numbers for them.
    ///
    /// # Panics
    ///
    /// If an entry is not the number of an output.
    #[must_use]
    pub fn order_of_spec(&self, order: &[usize]) -> Vec<usize> {
        let in_file = |output: &usize| match self.order {
            [] => *output,
            numbers => numbers[*output],
        };
        order.iter().map(in_file).collect()
    }

    /// The change of a net file whose outputs are to be in the order `order` in memory, as the
    /// order of the file's outputs.
    pub(crate) fn order_of_file(&self, order: &[usize]) -> Vec<usize> {
        let mut of_file = self.order_of_spec(order);
        for (place, output) in self.order_of_spec(order).into_iter().enumerate() {
            of_file[self.order.get(place).copied().unwrap_or(place)] = output;
        }
        of_file
    }

    /// Checks that an order has each output once, and that each takes the place of an output that
    /// the same layers read.
    pub(crate) fn check(&self, order: &[usize]) -> Result<(), OrderError> {
        self.wired().check(order)
    }

    /// The columns of a net file's tensor that move, for an order that was checked: the old place
    /// of each, and the new one. Tensors whose columns do not belong to neurons have none.
    pub(crate) fn moves(&self, tensor: Role, order: &[usize]) -> Vec<(usize, usize)> {
        self.wired().moves(tensor, order)
    }

    /// The outputs, as far as their order is concerned.
    fn wired(&self) -> Outputs<'static> {
        Outputs {
            count: self.outputs,
            block: (self.pooling != Pooling::None).then_some(self.block),
            readers: list(self.readers),
            kept: list(self.kept),
        }
    }
}

impl Activation {
    fn of(self, x: i32) -> i32 {
        match self {
            Activation::None => x,
            Activation::Crelu { limit } => x.clamp(0, limit),
            Activation::Screlu {
                one,
                summand,
                shift,
            } => {
                let root = i64::from(x.clamp(0, one));
                ((root * root + i64::from(summand)) >> shift) as i32
            }
            Activation::Relu { shift, limit } => (x >> shift).clamp(0, limit),
            Activation::Quantmoid4 => {
                let [y] = crate::activation::quantmoid4::<i16, 1>(&[x], 0);
                y.into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOORED: Pooling = Pooling::Product {
        summand: 0,
        shift: 1,
    };

    /// Twelve neurons in six pairs; one layer reads all outputs of both perspectives, one the first
    /// two of the first.
    const PAIRS: Neurons = Neurons {
        outputs: 6,
        perspectives: 2,
        block: 12,
        pooling: FLOORED,
        readers: &[
            Reader {
                layer: 0,
                name: "all",
                runs: list(const { &[run(0, 0, 6), run(1, 0, 6)] }),
            },
            Reader {
                layer: 1,
                name: "some",
                runs: list(
                    const {
                        &[Run {
                            step: 1,
                            ..run(3, 1, 2)
                        }]
                    },
                ),
            },
        ],
        ..Neurons::NONE
    };

    const fn run(column: usize, output: usize, len: usize) -> Run {
        Run {
            column,
            step: 2,
            output,
            len,
        }
    }

    #[test]
    fn columns_move_with_their_outputs() {
        let order = [3, 2, 1, 0, 4, 5];
        let moves = |neurons: Neurons, tensor: Role| {
            let mut moves = neurons.moves(tensor, &order);
            moves.retain(|(from, to)| from != to);
            moves.sort_unstable();
            moves
        };
        let halves = [
            (0, 3),
            (1, 2),
            (2, 1),
            (3, 0),
            (6, 9),
            (7, 8),
            (8, 7),
            (9, 6),
        ];
        assert_eq!(moves(PAIRS, Role::Biases(0)), halves);
        let block = 4;
        let blocks = [
            (0, 5),
            (1, 4),
            (2, 7),
            (3, 6),
            (4, 1),
            (5, 0),
            (6, 3),
            (7, 2),
        ];
        assert_eq!(moves(Neurons { block, ..PAIRS }, Role::Biases(0)), blocks);
        let block = 2;
        let neighbours = [
            (0, 6),
            (1, 7),
            (2, 4),
            (3, 5),
            (4, 2),
            (5, 3),
            (6, 0),
            (7, 1),
        ];
        assert_eq!(
            moves(Neurons { block, ..PAIRS }, Role::Biases(0)),
            neighbours
        );
        let pooling = Pooling::None;
        let single = [(0, 3), (1, 2), (2, 1), (3, 0)];
        assert_eq!(moves(Neurons { pooling, ..PAIRS }, Role::Biases(0)), single);
        // Interleaved perspectives: both alike.
        assert_eq!(moves(PAIRS, Role::LayerWeights(0)), neighbours);
        assert_eq!(moves(PAIRS, Role::SharedWeights(1)), [(3, 4), (4, 3)]);
        assert_eq!(moves(PAIRS, Role::Psqt(0)), []);
    }

    #[test]
    fn only_outputs_that_are_read_alike_change_places() {
        assert_eq!(PAIRS.classes(), [0, 1, 1, 0, 0, 0]);
        assert_eq!(PAIRS.check(&[5, 2, 1, 0, 4, 3]), Ok(()));
        let apart = PAIRS.check(&[0, 1, 3, 2, 4, 5]).unwrap_err();
        let (tensor, output, place) = ("some", 3, 2);
        let expected = OrderError::ReadApart {
            tensor,
            output,
            place,
        };
        assert_eq!(apart, expected);
    }

    #[test]
    fn outputs_that_a_layer_hands_on_keep_their_places() {
        const NEURONS: Neurons = Neurons {
            kept: &[Reader {
                layer: 2,
                name: "float",
                runs: list(const { &[run(0, 3, 2)] }),
            }],
            ..PAIRS
        };
        assert_eq!(NEURONS.classes(), [0, 1, 1, 2, 3, 0]);
        assert_eq!(NEURONS.check(&[5, 2, 1, 3, 4, 0]), Ok(()));
        let (layer, output) = ("float", 3);
        let expected = OrderError::Kept { layer, output };
        assert_eq!(NEURONS.check(&[3, 1, 2, 0, 4, 5]), Err(expected));
    }

    #[test]
    fn an_order_of_the_spec_is_reordered() {
        const NEURONS: Neurons = Neurons {
            order: &[3, 2, 1, 4, 0, 5],
            ..PAIRS
        };
        let order = [4, 1, 2, 3, 5, 0];
        // Place 0 has the output of place 4, which is the file's output 0.
        assert_eq!(NEURONS.order_of_spec(&order), [0, 2, 1, 4, 5, 3]);
        // Place 0 reads the file's output 3, so that is where output 0 goes.
        assert_eq!(NEURONS.order_of_file(&order), [5, 1, 2, 0, 4, 3]);
        assert_eq!(PAIRS.order_of_spec(&order), order);
        assert_eq!(PAIRS.order_of_file(&order), order);
    }

    #[test]
    fn what_is_no_order_is_refused() {
        let len = |found| OrderError::Len { found, expected: 6 };
        assert_eq!(PAIRS.check(&[]), Err(len(0)));
        assert_eq!(PAIRS.check(&[0, 1, 2, 3, 4, 5, 6]), Err(len(7)));
        for (order, index) in [([0, 1, 2, 3, 4, 6], 5), ([3, 1, 2, 3, 4, 5], 3)] {
            let (found, outputs) = (order[index], 6);
            let expected = OrderError::Entry {
                index,
                found,
                outputs,
            };
            assert_eq!(PAIRS.check(&order), Err(expected));
        }
    }

    #[test]
    fn outputs_are_activated_and_pooled() {
        let sums = [-5, 3, 9, 0, 4, 7, 7, 200];
        let outputs = |activation, pooling| {
            let outputs = if pooling == Pooling::None { 7 } else { 3 };
            let neurons = Neurons {
                outputs,
                activation,
                pooling,
                ..PAIRS
            };
            neurons.outputs_of(&sums).collect::<Vec<i32>>()
        };
        let crelu = Activation::Crelu { limit: 8 };
        let squares = |summand| Activation::Screlu {
            one: 8,
            summand,
            shift: 2,
        };
        let halved = Activation::Relu { shift: 1, limit: 4 };
        assert_eq!(
            outputs(Activation::None, Pooling::None),
            [-5, 3, 9, 0, 4, 7, 7]
        );
        assert_eq!(outputs(crelu, Pooling::None), [0, 3, 8, 0, 4, 7, 7]);
        assert_eq!(outputs(squares(0), Pooling::None), [0, 2, 16, 0, 4, 12, 12]);
        assert_eq!(outputs(squares(3), Pooling::None), [0, 3, 16, 0, 4, 13, 13]);
        assert_eq!(outputs(halved, Pooling::None), [0, 1, 4, 0, 2, 3, 3]);
        assert_eq!(outputs(crelu, FLOORED), [0, 10, 28]);
        let rounded = Pooling::Product {
            summand: 1,
            shift: 1,
        };
        assert_eq!(outputs(crelu, rounded), [0, 11, 28]);
        assert_eq!(outputs(crelu, Pooling::Average), [2, 5, 8]);
        assert_eq!(outputs(crelu, Pooling::Max), [4, 7, 8]);
        let rest = Neurons {
            outputs: 2,
            activation: crelu,
            pooling: Pooling::Max,
            unpooled: 4,
            ..PAIRS
        };
        assert_eq!(rest.outputs_of(&sums).collect::<Vec<i32>>(), [8, 3]);
        let [quantmoid] = crate::activation::quantmoid4::<i16, 1>(&[9], 0);
        assert_eq!(
            outputs(Activation::Quantmoid4, Pooling::None)[2],
            quantmoid.into()
        );
    }
}
