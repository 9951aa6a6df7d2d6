//! Stockfish's networks from SFNNv1 to SFNNv9 in any size: what their files contain.

use core::fmt;

use crate::{Encoding, stockfish};

/// The shape of a network that is built like one of SFNNv1 to SFNNv9, in whatever size: three
/// affine layers behind the transformer, the last with one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Family {
    /// The first word of the file.
    pub version: u32,
    /// The feature set, whose rows are the inputs of the transformer.
    pub features: Features,
    /// Neurons of the transformer per perspective.
    pub width: u32,
    /// How the layers are connected.
    pub wiring: Wiring,
    /// The outputs of the first two affine layers, one that skips included.
    pub outputs: [u32; 2],
    /// How the file holds the transformer. The layers are always raw.
    pub encoding: Encoding,
}

/// A feature set. With it go PSQT and stacks: none and one for HalfKP, eight of each for the
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Features {
    /// 41024 features: pieces but kings, by the own king's square.
    HalfKP,
    /// 45056 features: all pieces, by the own king's square.
    HalfKAv2,
    /// 22528 features: all pieces, by the own king's square, mirrored.
    HalfKAv2Hm,
}

/// How the layers of a [`Family`] are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wiring {
    /// Layer after layer, as in SFNNv1 to SFNNv3.
    Plain,
    /// As in SFNNv4: pairwise products behind the transformer, and the last neuron of the first
    /// layer skips to the output.
    Skip,
    /// As in SFNNv5 to SFNNv9: like `Skip`, and the second layer reads the squares of the first
    /// one's neurons too.
    SkipAndSquares,
}

/// Rows of weights are padded in the file to a multiple of this.
pub(crate) const ROW_UNIT: u32 = 32;

/// The most outputs of a layer that a file is searched for.
const MAX_OUTPUTS: u32 = 1024;

impl Family {
    /// The second word of the file.
    pub(crate) fn hash(&self) -> u32 {
        self.transformer_hash() ^ self.stack_hash()
    }

    pub(crate) fn transformer_hash(&self) -> u32 {
        stockfish::transformer_hash([self.features.hash()], self.width)
    }

    pub(crate) fn stack_hash(&self) -> u32 {
        let [first, second] = self.outputs;
        stockfish::stack_hash(self.width, [first, second, 1])
    }

    /// The inputs of the three affine layers.
    pub(crate) const fn inputs(&self) -> [u32; 3] {
        let [first, second] = self.outputs;
        match self.wiring {
            Wiring::Plain => [2 * self.width, first, second],
            Wiring::Skip => [self.width, first.saturating_sub(1), second],
            Wiring::SkipAndSquares => [self.width, 2 * first.saturating_sub(1), second],
        }
    }

    /// The bytes of the transformer's tensors where they are raw, in file order.
    pub(crate) fn transformer_lens(&self) -> impl Iterator<Item = u64> {
        let (features, width) = (u64::from(self.features.count()), u64::from(self.width));
        let psqt = (self.features.buckets() > 1).then(|| 4 * features * self.features.buckets());
        [2 * width, 2 * features * width].into_iter().chain(psqt)
    }

    /// Where the second layer's weights begin in a stack, in bytes.
    pub(crate) fn second_weights(&self) -> u64 {
        let [first, second] = self.outputs.map(u64::from);
        4 + first * (4 + self.rows()[0]) + 4 * second
    }

    /// The bytes of a stack, its hash included.
    pub(crate) fn stack_len(&self) -> u64 {
        let [_, second, third] = self.rows();
        self.second_weights() + u64::from(self.outputs[1]) * second + 4 + third
    }

    /// The bytes of a row of weights in each layer.
    pub(crate) fn rows(&self) -> [u64; 3] {
        self.inputs()
            .map(|inputs| u64::from(inputs.next_multiple_of(ROW_UNIT)))
    }

    /// The outputs of the first two layers that lead to a stack hash.
    pub(crate) fn outputs_of_hash(width: u32, stack_hash: u32) -> impl Iterator<Item = [u32; 2]> {
        stockfish::outputs_of_hash(width, stack_hash, MAX_OUTPUTS)
    }
}

impl Features {
    /// The three sets, in the order in which Stockfish used them.
    pub const ALL: [Features; 3] = [Features::HalfKP, Features::HalfKAv2, Features::HalfKAv2Hm];

    /// The part of a transformer's hash that stands for the set.
    #[must_use]
    pub const fn hash(self) -> u32 {
        match self {
            Features::HalfKP => 0x5D69_D5B8,
            Features::HalfKAv2 => 0x5F23_4CB8,
            Features::HalfKAv2Hm => 0x7F23_4CB8,
        }
    }

    /// The name that specs have for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Features::HalfKP => "HalfKP",
            Features::HalfKAv2 => "HalfKAv2",
            Features::HalfKAv2Hm => "HalfKAv2_hm",
        }
    }

    /// The rows of the set.
    pub(crate) const fn count(self) -> u32 {
        match self {
            Features::HalfKP => 64 * 641,
            Features::HalfKAv2 => 64 * 704,
            Features::HalfKAv2Hm => 32 * 704,
        }
    }

    /// The number of stacks, and of PSQT values if there is more than one.
    #[must_use]
    pub const fn buckets(self) -> u64 {
        match self {
            Features::HalfKP => 1,
            Features::HalfKAv2 | Features::HalfKAv2Hm => 8,
        }
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Wiring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wiring::Plain => "like SFNNv3",
            Wiring::Skip => "like SFNNv4",
            Wiring::SkipAndSquares => "like SFNNv5",
        })
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.outputs;
        let encoding = match self.encoding {
            Encoding::Raw => "raw",
            Encoding::Leb128 | Encoding::BareLeb128 => "compressed",
        };
        write!(
            f,
            "{}, {} neurons, layers of {first}, {second} and 1 neurons {}, {encoding}",
            self.features, self.width, self.wiring
        )
    }
}
