//! Stockfish's networks from SFNNv1 to SFNNv17 in any size: what their files contain.

use std::fmt;

use nnue_format::stockfish::{self, FIRST_VERSION, SECOND_VERSION, THIRD_VERSION};
use nnue_format::{Encoding, ThreatTargets};

/// The shape of a network that is built like one of SFNNv1 to SFNNv17, in any size: three affine
/// layers behind the transformer, the last with a single output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Family {
    /// The first word of the file.
    pub version: u32,
    /// The piece-square feature set.
    pub features: Features,
    /// The feature set of threats, whose rows of bytes come before those of `features`. Since
    /// SFNNv16, rows of pawn pairs follow the threats.
    pub threats: Option<ThreatTargets>,
    /// Whether the transformer's hash counts the threats and not `features`, as in Stockfish's
    /// networks until March 2026.
    pub hash_counts_threats_only: bool,
    /// Whether features have PSQT values, one for each stack. No header says it. HalfKP has none,
    /// nor has SFNNv17.
    pub psqt: bool,
    /// The number of the transformer's neurons per perspective.
    pub width: u32,
    /// How the layers are connected.
    pub wiring: Wiring,
    /// The numbers of outputs of the first two affine layers, outputs that skip included.
    pub outputs: [u32; 2],
    /// The encoding of the transformer in the file, except for rows of bytes. These are always raw,
    /// and so are the layers.
    pub encoding: Encoding,
}

/// A piece-square feature set. It also decides the number of stacks: HalfKP has a single stack, and
/// the other sets have eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Features {
    /// 41024 features: all pieces except kings, by the own king's square.
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
    /// As in SFNNv4: the transformer multiplies pairs of neurons, and the last neuron of the first
    /// layer skips to the output.
    Skip,
    /// As in SFNNv5 to SFNNv14: like `Skip`, and the second layer also reads the squares of the
    /// first layer's neurons.
    SkipAndSquares,
    /// As in SFNNv14b: like `SkipAndSquares`, and 1.0 is a power of two in all layers.
    PowersOfTwo,
    /// As in SFNNv15 to SFNNv17: like `PowersOfTwo`, but the last layer reads the activations of
    /// both layers before it, squares included, and the difference of the first layer's last two
    /// neurons skips to the output. The second layer reads all neurons of the first layer.
    SquaresOfBoth,
}

/// Rows of weights are padded in the file to a multiple of this number.
pub(super) const ROW_UNIT: u32 = 32;

/// The largest number of outputs of a layer in the search for a file's shape.
const MAX_OUTPUTS: u32 = 1024;

/// The largest number of neurons of a transformer in the search for a file's shape.
const MAX_WIDTH: u32 = 1 << 16;

/// The number of rows of SFNNv16's pawn pairs: pairs of 96 pawns, which are own pawns and the
/// opponent's on 48 squares.
const PAWN_PAIRS: u32 = 96 * 95 / 2;

impl Family {
    /// The families of a version whose transformers have that hash. Their layers are not yet known.
    pub(super) fn of_transformer(
        version: u32,
        hash: u32,
        encoding: Encoding,
    ) -> impl Iterator<Item = Family> {
        let alone = Features::ALL.map(|features| (features, None, false));
        // Stockfish has never had threats beside another set.
        let with_threats = ThreatTargets::ALL.into_iter().flat_map(|targets| {
            [false, true].map(|only_threats| (Features::HalfKAv2Hm, Some(targets), only_threats))
        });
        let sets = alone.into_iter().chain(with_threats);
        let sets = sets.flat_map(|sets| [true, false].map(|psqt| (sets, psqt)));
        sets.filter_map(move |(sets, psqt)| {
            let (features, threats, hash_counts_threats_only) = sets;
            if psqt && features == Features::HalfKP {
                return None;
            }
            let family = Family {
                version,
                features,
                threats,
                hash_counts_threats_only,
                psqt,
                width: 0,
                wiring: Wiring::Plain,
                outputs: [1, 1],
                encoding,
            };
            let hashed = hash ^ family.transformer_hash();
            let fits = hashed.is_multiple_of(2) && (2..=2 * MAX_WIDTH).contains(&hashed);
            let width = hashed / 2;
            fits.then_some(Family { width, ..family })
        })
    }

    /// The second word of the file.
    pub(super) fn hash(&self) -> u32 {
        self.transformer_hash() ^ self.stack_hash()
    }

    /// The word before the transformer.
    #[must_use]
    pub fn transformer_hash(&self) -> u32 {
        let hashes = self.set_hashes().into_iter().flatten();
        stockfish::transformer_hash(hashes, self.width)
    }

    /// The words before transformers that have the same sets in all orders.
    pub(super) fn hashes_in_any_order(&self) -> impl Iterator<Item = u32> {
        let [first, second, third] = self.set_hashes();
        let orders = [
            [first, second, third],
            [first, third, second],
            [second, first, third],
            [second, third, first],
            [third, first, second],
            [third, second, first],
        ];
        let width = self.width;
        orders
            .into_iter()
            .map(move |sets| stockfish::transformer_hash(sets.into_iter().flatten(), width))
    }

    /// The part of the transformer's hash that stands for each set, in their order.
    fn set_hashes(&self) -> [Option<u32>; 3] {
        let pieces = (!self.hash_counts_threats_only).then_some(self.features.hash());
        let pairs = self.has_pawn_pairs().then_some(stockfish::PAWN_PAIRS);
        [self.threats.map(ThreatTargets::hash), pairs, pieces]
    }

    /// The names that specs have for the sets, in their order.
    pub(super) fn set_names(&self) -> Vec<&'static str> {
        let threats = self.threats.map(|_| "Threats");
        let pairs = self.has_pawn_pairs().then_some("PawnPairs");
        let sets = [threats, pairs, Some(self.features.name())];
        sets.into_iter().flatten().collect()
    }

    pub(super) fn stack_hash(&self) -> u32 {
        let [first, second] = self.outputs;
        stockfish::stack_hash(self.width, [first, second, 1])
    }

    /// Whether there are pawn pairs between the threats and the pieces.
    #[must_use]
    pub const fn has_pawn_pairs(&self) -> bool {
        matches!(self.threats, Some(ThreatTargets::Sfnnv16))
    }

    /// Whether the file has the PSQT values of each feature set behind the set's weights, and not
    /// those of all sets together at the end.
    #[must_use]
    pub const fn has_psqt_after_each_set(&self) -> bool {
        self.psqt && self.version == THIRD_VERSION
    }

    /// The number of PSQT values of a feature.
    #[must_use]
    pub const fn psqt_buckets(&self) -> u64 {
        if self.psqt {
            self.features.buckets()
        } else {
            0
        }
    }

    /// The ways in which the layers of networks with this version can be connected, those with the
    /// fewest inputs first; empty if no network has the version.
    pub(super) const fn wirings(&self) -> &'static [Wiring] {
        match self.version {
            FIRST_VERSION | SECOND_VERSION if self.threats.is_some() => &[Wiring::SkipAndSquares],
            FIRST_VERSION | SECOND_VERSION => {
                &[Wiring::Plain, Wiring::Skip, Wiring::SkipAndSquares]
            }
            THIRD_VERSION => &[Wiring::PowersOfTwo, Wiring::SquaresOfBoth],
            _ => &[],
        }
    }

    /// The numbers of inputs of the three affine layers.
    pub(super) const fn inputs(&self) -> [u32; 3] {
        let [first, second] = self.outputs;
        match self.wiring {
            Wiring::Plain => [2 * self.width, first, second],
            Wiring::Skip => [self.width, first.saturating_sub(1), second],
            Wiring::SkipAndSquares | Wiring::PowersOfTwo => {
                [self.width, 2 * first.saturating_sub(1), second]
            }
            Wiring::SquaresOfBoth => [self.width, 2 * first, 2 * (first + second)],
        }
    }

    /// The numbers of rows of threats and of pawn pairs.
    pub(super) const fn byte_rows(&self) -> [u32; 2] {
        let threats = match self.threats {
            Some(targets) => targets.rows(),
            None => 0,
        };
        let pairs = if self.has_pawn_pairs() { PAWN_PAIRS } else { 0 };
        [threats, pairs]
    }

    /// The transformer's tensors in file order: the encoding of each tensor, and the number of
    /// bytes of its values where they are raw.
    pub(super) fn transformer(&self) -> impl Iterator<Item = (Encoding, u64)> {
        let encoding = self.encoding;
        let (width, buckets) = (u64::from(self.width), self.psqt_buckets());
        let bytes = |rows: u64| (Encoding::Raw, rows * width);
        let words = |rows: u64| (encoding, 2 * rows * width);
        let psqt = |rows: u64| (encoding, 4 * rows * buckets);
        let [threats, pairs] = self.byte_rows().map(u64::from);
        let pieces = u64::from(self.features.count());
        const NONE: (Encoding, u64) = (Encoding::Raw, 0);
        let tensors = if self.has_psqt_after_each_set() {
            [
                words(1),
                bytes(threats),
                psqt(threats),
                bytes(pairs),
                psqt(pairs),
                words(pieces),
                psqt(pieces),
            ]
        } else {
            [
                words(1),
                bytes(threats),
                bytes(pairs),
                words(pieces),
                psqt(threats + pairs + pieces),
                NONE,
                NONE,
            ]
        };
        tensors.into_iter().filter(|(_, len)| *len > 0)
    }

    /// The offset of the second layer's weights in a stack, in bytes.
    pub(super) fn second_weights(&self) -> u64 {
        let [first, second] = self.outputs.map(u64::from);
        4 + first * (4 + self.rows()[0]) + 4 * second
    }

    /// The offset of the third layer's weights in a stack, in bytes.
    pub(super) fn third_weights(&self) -> u64 {
        self.second_weights() + u64::from(self.outputs[1]) * self.rows()[1] + 4
    }

    /// The number of bytes of a stack, its hash included.
    pub(super) fn stack_len(&self) -> u64 {
        self.third_weights() + self.rows()[2]
    }

    /// The number of bytes of a row of weights in each layer.
    pub(super) fn rows(&self) -> [u64; 3] {
        self.inputs()
            .map(|inputs| u64::from(inputs.next_multiple_of(ROW_UNIT)))
    }

    /// The numbers of outputs of the first two layers that lead to a stack hash.
    pub(super) fn outputs_of_hash(width: u32, stack_hash: u32) -> impl Iterator<Item = [u32; 2]> {
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

    /// The name that specs have for the set.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Features::HalfKP => "HalfKP",
            Features::HalfKAv2 => "HalfKAv2",
            Features::HalfKAv2Hm => "HalfKAv2_hm",
        }
    }

    /// The number of rows of the set.
    pub(super) const fn count(self) -> u32 {
        match self {
            Features::HalfKP => 64 * 641,
            Features::HalfKAv2 => 64 * 704,
            Features::HalfKAv2Hm => 32 * 704,
        }
    }

    /// The number of stacks.
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
            Wiring::PowersOfTwo => "like SFNNv14b",
            Wiring::SquaresOfBoth => "like SFNNv15",
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
        if let Some(targets) = self.threats {
            write!(f, "Threats {targets}")?;
            let joint = if self.has_pawn_pairs() {
                ", PawnPairs"
            } else {
                ""
            };
            write!(f, "{joint} and ")?;
        }
        write!(
            f,
            "{}, {} neurons, layers of {first}, {second} and 1 neurons {}, {encoding}",
            self.features, self.width, self.wiring
        )?;
        // HalfKP never has them.
        let lacks_psqt = !self.psqt && self.features != Features::HalfKP;
        f.write_str(if lacks_psqt { ", without PSQT" } else { "" })
    }
}
