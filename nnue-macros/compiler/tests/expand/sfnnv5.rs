/// SFNNv5: what the network computes, and what its net file holds.
///
/// ```text
/// SFNNv5: HalfKAv2_hm[22528] -> 1024 x 2 -> (16 -> 32 -> 1) x 8
///
/// tensor       shape     type  1.0 is  range                 computed as
/// accumulator  2 x 1024  i16      127                        biases + active features' rows
/// psqt sums    2 x 8     i32     9600                        active features' PSQT rows
/// clipped      2 x 1024  u8       127  0..=127               clamp(accumulator, 0, 127)
/// transformer  1024      u8       127  0..=126               clipped[j] * clipped[j + 512] >> 7
/// fc_0         16        i32     8128  -16515072..=16386048  affine(transformer), i8 with one 64, sparse
/// ac_sqr_0     15        u8       127  0..=127               min(x * x >> 19, 127), x = fc_0[..15]
/// ac_0         15        u8       127  0..=127               clamp(x >> 6, 0, 127), x = fc_0[..15]
/// fc_1         32        i32     8128  -487680..=483870      affine(ac_sqr_0 ++ ac_0), i8 with one 64
/// ac_1         32        u8       127  0..=127               clamp(x >> 6, 0, 127), x = fc_1
/// fc_2         1         i32     9600  -520192..=516128      affine(ac_1), i8 with one 9600 / 127
/// positional   1         i32     9600                        fc_2 + fc_0[15] * 150 / 127
/// psqt         1         i32     9600                        (own - opponent's psqt sum) / 2
/// value        1         i32      600                        (psqt + positional) / 16
///
/// order: the side to move's half first
/// bucket: by pieces, 1-4: 0, 5-8: 1, 9-12: 2, 13-16: 3, 17-20: 4, 21-24: 5, 25-28: 6, 29-32: 7
/// ```
///
/// Shifts round down, divisions towards zero unless they say otherwise. Ranges leave biases aside.
///
/// # Net file
///
/// Numbers are little-endian; a shape's last axis is contiguous. `d` is where the description ends.
///
/// | at | bytes | content | type | shape | 1.0 is |
/// |---|---|---|---|---|---|
/// | `0` | 4 | version: 0x7af32f20 | `u32` | | |
/// | `4` | 4 | network hash: 0x1c102ef2 | `u32` | | |
/// | `8` | 4 | length of the description | `u32` | | |
/// | `12` | | description | text | | |
/// | `d + 0` | 4 | transformer hash: 0x7f2344b8 | `u32` | | |
/// | `d + 4` | 2048 | `transformer.biases` | `i16` | 1024 | 127 |
/// | `d + 2052` | 46137344 | `transformer.weights` | `i16` | 22528 x 1024 (feature, neuron) | 127 |
/// | `d + 46139396` | 720896 | `transformer.psqt` | `i32` | 22528 x 8 (feature, stack) | 9600 |
///
/// 8 stacks follow, stack `i` at `s = d + 46860292 + 17640 * i`:
///
/// | at | bytes | content | type | shape | 1.0 is |
/// |---|---|---|---|---|---|
/// | `s + 0` | 4 | hash: 0x63336a4a | `u32` | | |
/// | `s + 4` | 64 | `fc_0.biases` | `i32` | 16 | 8128 |
/// | `s + 68` | 16384 | `fc_0.weights` | `i8` | 16 x 1024 (output, input) | 64 |
/// | `s + 16452` | 128 | `fc_1.biases` | `i32` | 32 | 8128 |
/// | `s + 16580` | 1024 | `fc_1.weights` | `i8` | 32 x (30 + 2 padding) (output, input) | 64 |
/// | `s + 17604` | 4 | `fc_2.biases` | `i32` | 1 | 9600 |
/// | `s + 17608` | 32 | `fc_2.weights` | `i8` | 1 x 32 | 9600 / 127 |
///
/// # Code
///
/// `nnue expand SPEC` prints the code that `nnue_net!` generates, `nnue plan SPEC` what decides about its speed.
#[derive(
    ::nnue_runtime::__private::core::clone::Clone,
    ::nnue_runtime::__private::core::marker::Copy,
    ::nnue_runtime::__private::core::fmt::Debug
)]
pub struct Net;
/// The weights of SFNNv5, laid out for one instruction set: 47002176 bytes.
///
/// ```text
/// SFNNv5: HalfKAv2_hm[22528] -> 1024 x 2 -> (16 -> 32 -> 1) x 8
///
/// tensor       shape     type  computed as
/// accumulator  2 x 1024  i16   biases + active features' rows
/// psqt sums    2 x 8     i32   active features' PSQT rows
/// clipped      2 x 1024  u8    clamp(accumulator, 0, 127)
/// transformer  1024      u8    clipped[j] * clipped[j + 512] >> 7
/// fc_0         16        i32   affine(transformer), i8 with one 64, sparse
/// ac_sqr_0     15        u8    min(x * x >> 19, 127), x = fc_0[..15]
/// ac_0         15        u8    clamp(x >> 6, 0, 127), x = fc_0[..15]
/// fc_1         32        i32   affine(ac_sqr_0 ++ ac_0), i8 with one 64
/// ac_1         32        u8    clamp(x >> 6, 0, 127), x = fc_1
/// fc_2         1         i32   affine(ac_1), i8 with one 9600 / 127
/// positional   1         i32   fc_2 + fc_0[15] * 150 / 127
/// psqt         1         i32   (own - opponent's psqt sum) / 2
/// value        1         i32   (psqt + positional) / 16
/// ```
///
/// Its net files have version 0x7af32f20, network hash 0x1c102ef2 and, besides the description, 47001424 bytes. [`Net`] has scales, ranges, and the tables of a file.
pub type Network = ::nnue_runtime::Network<Net>;
/// The accumulator of SFNNv5: for each perspective 1024 sums (`i16`, 1.0 is 127) and 8 PSQT sums (`i32`), 4224 bytes in all.
///
/// It fits no other network.
pub type Accumulator = ::nnue_runtime::Accumulator<Net>;
/// The evaluation of a position that follows a search; `N` is how the network is held: `&Network`, `Arc<Network>`.
///
/// ```text
/// SFNNv5: HalfKAv2_hm[22528] -> 1024 x 2 -> (16 -> 32 -> 1) x 8
/// ```
pub type Evaluator<N> = ::nnue_runtime::Evaluator<Net, N>;
pub use ::nnue_runtime::Output;
/// The network's name.
pub const NAME: &str = "SFNNv5";
/// Neurons of the transformer per perspective.
///
/// ```text
/// SFNNv5: HalfKAv2_hm[22528] -> 1024 x 2 -> (16 -> 32 -> 1) x 8
/// ```
pub const WIDTH: usize = 1024;
/// Rows of the transformer, one per feature: `HalfKAv2_hm[22528]`.
pub const FEATURES: usize = 22528;
/// Layer stacks, one per bucket; the one used depends on the number of pieces: 1-4: 0, 5-8: 1, 9-12: 2, 13-16: 3, 17-20: 4, 21-24: 5, 25-28: 6, 29-32: 7.
pub const BUCKETS: usize = 8;
/// One perspective's accumulator: biases plus the rows of all active features.
///
/// 2112 bytes, aligned to 64.
#[doc(hidden)]
#[repr(C, align(64))]
pub struct Half {
    /// one value per neuron; at byte 0, 2048 bytes
    pub values: [i16; 1024],
    /// PSQT sums; at byte 2048, 32 bytes
    pub psqt: [i32; 8],
    _after_psqt: [u8; 32],
}
/// The layers behind the transformer, for one bucket.
///
/// 17728 bytes, aligned to 64.
#[doc(hidden)]
#[repr(C, align(64))]
pub struct Stack {
    /// biases of `fc_0`: 16 outputs, 1.0 is 8128; at byte 0, 64 bytes
    pub fc_0_biases: [i32; 16],
    /// weights of `fc_0`, `[inputs / 4][outputs * 4]`: 1024 inputs in 1024 slots; at byte 64, 16384 bytes
    pub fc_0_weights: [[i8; 64]; 256],
    /// biases of `fc_1`: 32 outputs, 1.0 is 8128; at byte 16448, 128 bytes
    pub fc_1_biases: [i32; 32],
    /// weights of `fc_1`, `[inputs / 4][outputs * 4]`: 30 inputs in 32 slots; at byte 16576, 1024 bytes
    pub fc_1_weights: [[i8; 128]; 8],
    /// biases of `fc_2`: 1 output, 1.0 is 9600; at byte 17600, 4 bytes
    pub fc_2_biases: [i32; 1],
    _after_fc_2_biases: [u8; 60],
    /// weights of `fc_2`, `[outputs][inputs]`: 32 inputs in 32 slots; at byte 17664, 32 bytes
    pub fc_2_weights: [[i8; 32]; 1],
    _after_fc_2_weights: [u8; 32],
}
/// All weights, as the kernels read them.
///
/// 47002176 bytes, aligned to 64.
#[doc(hidden)]
#[repr(C, align(64))]
pub struct Weights {
    /// one row per feature; at byte 0, 46137344 bytes
    pub transformer_weights: [[i16; 1024]; 22528],
    /// the accumulator of an empty board: the biases; at byte 46137344, 2112 bytes
    pub transformer_biases: Half,
    /// PSQT values of each feature; at byte 46139456, 720896 bytes
    pub transformer_psqt: [[i32; 8]; 22528],
    /// one per bucket; at byte 46860352, 141824 bytes
    pub stacks: [Stack; 8],
}
/// All that the layers read.
#[doc(hidden)]
pub type Stacks = [Stack; 8];
const _: () = {
    use ::nnue_runtime::{
        Architecture, Color, Level, Order, SelectedByPieces, line, neurons,
    };
    use ::nnue_runtime::__private::{
        Proved, buffer, core::option::Option, features, file, kernels, memory, proof,
        simd,
    };
    memory::plain!(Half { values, psqt, _after_psqt });
    memory::assert_layout!(Half : 2112 bytes { values : 0, psqt : 2048 });
    memory::plain!(
        Stack { fc_0_biases, fc_0_weights, fc_1_biases, fc_1_weights, fc_2_biases,
        _after_fc_2_biases, fc_2_weights, _after_fc_2_weights }
    );
    memory::assert_layout!(
        Stack : 17728 bytes { fc_0_biases : 0, fc_0_weights : 64, fc_1_biases : 16448,
        fc_1_weights : 16576, fc_2_biases : 17600, fc_2_weights : 17664 }
    );
    memory::plain!(
        Weights { transformer_weights, transformer_biases, transformer_psqt, stacks }
    );
    memory::assert_layout!(
        Weights : 47002176 bytes { transformer_weights : 0, transformer_biases :
        46137344, transformer_psqt : 46139456, stacks : 46860352 }
    );
    #[automatically_derived]
    impl Architecture for Net {
        type Weights = Weights;
        type Stacks = Stacks;
        type Half = Half;
        type Output = Output;
        type Rows = features::Rows<1, 64>;
        type Entries = features::Entries<64>;
        type Line = line::FromPosition;
        const NAME: &'static str = NAME;
        const ORDER: Order = Order::SideToMoveFirst;
        const PERSPECTIVES: &'static [Color] = &Color::ALL;
        const WIDTH: usize = WIDTH;
        const BUCKETS: usize = BUCKETS;
        const NEEDS_PROOFS: bool = true;
        const FEATURES: &'static [features::FeatureSet] = &[
            features::FeatureSet {
                table: 0,
                first_row: [0, 0],
                rows: 22528,
                shift: 0,
                max_active: 32,
                family: features::Family::PieceSquare(features::PieceSquare {
                    flip: [0, 56],
                    mirror_files: 15,
                    king_offset: [
                        19712, 20416, 21120, 21824, 21824, 21120, 20416, 19712, 16896,
                        17600, 18304, 19008, 19008, 18304, 17600, 16896, 14080, 14784,
                        15488, 16192, 16192, 15488, 14784, 14080, 11264, 11968, 12672,
                        13376, 13376, 12672, 11968, 11264, 8448, 9152, 9856, 10560,
                        10560, 9856, 9152, 8448, 5632, 6336, 7040, 7744, 7744, 7040,
                        6336, 5632, 2816, 3520, 4224, 4928, 4928, 4224, 3520, 2816, 0,
                        704, 1408, 2112, 2112, 1408, 704, 0,
                    ],
                    materials: features::Material::list([]),
                    threatened: features::PieceSquare::NO_THREATENED,
                    planes: features::PieceSquare::planes([
                        [0, 128, 256, 384, 512, 640, 64, 192, 320, 448, 576, 640],
                        [64, 192, 320, 448, 576, 640, 0, 128, 256, 384, 512, 640],
                    ]),
                }),
            },
        ];
        const FILE: &'static file::FileLayout = {
            const SECTIONS: &[file::Section] = &[
                file::Section::hash("transformer hash", 0x7f2344b8),
                file::Section::same(
                    file::Role::Biases(0),
                    "transformer.biases",
                    file::Element::I16,
                    file::Encoding::Raw,
                    46137344,
                    [1, 1024],
                ),
                file::Section::same(
                    file::Role::Weights(0),
                    "transformer.weights",
                    file::Element::I16,
                    file::Encoding::Raw,
                    0,
                    [22528, 1024],
                ),
                file::Section::same(
                    file::Role::Psqt(0),
                    "transformer.psqt",
                    file::Element::I32,
                    file::Encoding::Raw,
                    46139456,
                    [22528, 8],
                ),
            ];
            const STACK: &[file::Section] = &[
                file::Section::hash("hash", 0x63336a4a),
                file::Section::same(
                    file::Role::LayerBiases(0),
                    "fc_0.biases",
                    file::Element::I32,
                    file::Encoding::Raw,
                    46860352,
                    [1, 16],
                ),
                file::Section::tensor(
                    file::Role::LayerWeights(0),
                    "fc_0.weights",
                    [1, 16, 1024],
                    file::Stored::new(file::Element::I8, [0, 1024, 1], 16384),
                    file::Placed::new(
                        file::Form::Blocks,
                        file::Element::I8,
                        [46860416, 0],
                        [16, 1024],
                        &[
                            file::Segment::run(0, 0, 512).packed(),
                            file::Segment::run(512, 512, 512).packed(),
                        ],
                    ),
                ),
                file::Section::same(
                    file::Role::LayerBiases(3),
                    "fc_1.biases",
                    file::Element::I32,
                    file::Encoding::Raw,
                    46876800,
                    [1, 32],
                ),
                file::Section::tensor(
                    file::Role::LayerWeights(3),
                    "fc_1.weights",
                    [1, 32, 30],
                    file::Stored::new(file::Element::I8, [0, 32, 1], 1024),
                    file::Placed::new(
                        file::Form::Blocks,
                        file::Element::I8,
                        [46876928, 0],
                        [32, 32],
                        &[file::Segment::run(0, 0, 15), file::Segment::run(15, 16, 15)],
                    ),
                ),
                file::Section::same(
                    file::Role::LayerBiases(5),
                    "fc_2.biases",
                    file::Element::I32,
                    file::Encoding::Raw,
                    46877952,
                    [1, 1],
                ),
                file::Section::tensor(
                    file::Role::LayerWeights(5),
                    "fc_2.weights",
                    [1, 1, 32],
                    file::Stored::new(file::Element::I8, [0, 0, 1], 32),
                    file::Placed::new(
                        file::Form::Rows,
                        file::Element::I8,
                        [46878016, 0],
                        [1, 32],
                        &[file::Segment::run(0, 0, 32)],
                    ),
                ),
            ];
            const GROUPS: &[file::List<file::Section>] = &[file::list(STACK)];
            &file::FileLayout {
                name: file::Text::Borrowed("SFNNv5"),
                format: file::Format::Stockfish {
                    version: 0x7af32f20,
                    hash: 0x1c102ef2,
                },
                sections: file::list(SECTIONS),
                stacks: file::Stacks {
                    count: 8,
                    stride: 17728,
                    groups: file::list(GROUPS),
                },
                tail: file::Tail::NONE,
                extents: file::list(&[]),
                coalesced: file::list(&[]),
                paired: file::list(&[]),
            }
        };
        const NEURONS: neurons::Neurons = neurons::Neurons {
            outputs: 512,
            perspectives: 2,
            activation: neurons::Activation::Crelu {
                limit: 127,
            },
            pooling: neurons::Pooling::Product {
                summand: 0,
                shift: 7,
            },
            block: 1024,
            unpooled: 0,
            order: &[],
            skipped: neurons::Skipped::Blocks,
            readers: &[
                neurons::Reader {
                    layer: 0,
                    name: "fc_0.weights",
                    runs: file::list(
                        &[
                            neurons::Run {
                                column: 0,
                                step: 1,
                                output: 0,
                                len: 512,
                            },
                            neurons::Run {
                                column: 512,
                                step: 1,
                                output: 0,
                                len: 512,
                            },
                        ],
                    ),
                },
            ],
            kept: &[],
        };
        #[inline]
        fn biases(weights: &Weights, _: Color) -> &Half {
            &weights.transformer_biases
        }
        fn values(half: &Half) -> &[i16] {
            &half.values
        }
        fn rows(weights: &Weights, _: usize) -> features::TableRows<'_> {
            features::TableRows::I16(weights.transformer_weights.as_flattened())
        }
        #[inline]
        fn stacks(weights: &Weights) -> &Stacks {
            &weights.stacks
        }
        fn proofs(stacks: &Stacks) -> proof::Proofs {
            let mut proofs = proof::Proofs::new();
            for stack in stacks {
                proofs.stack();
                let layer = proof::Layer {
                    name: "fc_0",
                    index: 0,
                    inputs: 0..=126,
                };
                proofs
                    .sums(
                        &layer,
                        &stack.fc_0_biases,
                        proof::blocks(&stack.fc_0_weights),
                    );
                proofs.any_two(&layer, &stack.fc_0_weights);
                let layer = proof::Layer {
                    name: "fc_1",
                    index: 3,
                    inputs: 0..=127,
                };
                proofs
                    .sums(
                        &layer,
                        &stack.fc_1_biases,
                        proof::blocks(&stack.fc_1_weights),
                    );
                proofs.halves(&layer, &stack.fc_1_weights);
                let layer = proof::Layer {
                    name: "fc_2",
                    index: 5,
                    inputs: 0..=127,
                };
                proofs
                    .sums(&layer, &stack.fc_2_biases, proof::rows(&stack.fc_2_weights));
            }
            proofs
        }
        #[inline]
        fn prefetch(weights: &Weights, _: usize, row: u32) {
            simd::prefetch::<_, 2>(buffer::row(&weights.transformer_weights, row));
            simd::prefetch::<_, 1>(buffer::row(&weights.transformer_psqt, row));
        }
        #[inline]
        fn accumulate(
            level: Level,
            weights: &Weights,
            base: &Half,
            added: &Self::Rows,
            removed: &Self::Rows,
            into: &mut Half,
        ) {
            let ([added], [removed]) = (added.lists(), removed.lists());
            kernels::dispatch!(level, accumulate(weights, base, added, removed, into))
        }
        #[inline]
        fn refresh(
            level: Level,
            weights: &Weights,
            entry: &mut Half,
            added: &Self::Rows,
            removed: &Self::Rows,
            into: &mut Half,
        ) {
            let ([added], [removed]) = (added.lists(), removed.lists());
            kernels::dispatch!(level, refresh(weights, entry, added, removed, into))
        }
        #[inline]
        fn follow_move(
            level: Level,
            weights: &Weights,
            before: &Half,
            added: &[u32],
            removed: &[u32],
            after: &mut Half,
        ) {
            kernels::dispatch!(level, accumulate(weights, before, added, removed, after))
        }
        #[inline]
        #[allow(
            clippy::too_many_arguments,
            reason = "what an update and a forward pass need"
        )]
        fn propagate_move(
            level: Level,
            weights: &Weights,
            stacks: &Stacks,
            before: [&Half; 2],
            rows: features::MovedRows,
            after: [&mut Half; 2],
            bucket: usize,
            proved: Proved,
        ) -> Output {
            let features::MovedRows { added, removed, captured } = rows;
            match captured {
                Option::None => {
                    kernels::dispatch!(
                        level, quiet(weights, stacks, before, added, removed, after,
                        bucket, proved)
                    )
                }
                Option::Some(captured) => {
                    kernels::dispatch!(
                        level, capture(weights, stacks, before, added, removed, captured,
                        after, bucket, proved)
                    )
                }
            }
        }
        #[inline]
        fn propagate(
            level: Level,
            stacks: &Stacks,
            halves: [&Half; 2],
            bucket: usize,
            proved: Proved,
        ) -> Output {
            let [first, second] = halves;
            kernels::dispatch!(level, propagate(stacks, first, second, bucket, proved))
        }
    }
    #[automatically_derived]
    impl SelectedByPieces for Net {
        const BUCKETS: [u8; 33] = [
            0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6,
            6, 6, 6, 7, 7, 7, 7,
        ];
    }
};
/// Kernels for the level `scalar`.
#[doc(hidden)]
mod scalar {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, Base, chunk, chunk_mut},
        core::{iter::zip, option::Option},
        simd::{InputWriter, Inputs, NonZero, scalar as simd},
    };
    /// `into = base + added rows - removed rows`.
    pub(super) fn accumulate(
        weights: &Weights,
        base: &Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
    ) {
        match (added, removed) {
            ([a0], [r0]) => update(weights, base, [a0], [r0], into),
            ([a0], [r0, r1]) => update(weights, base, [a0], [r0, r1], into),
            ([a0, a1], [r0, r1]) => update(weights, base, [a0, a1], [r0, r1], into),
            ([a0], [r0, r1, r2]) => update(weights, base, [a0], [r0, r1, r2], into),
            _ => {
                tile::<true>(weights, base, added, removed, into, 0);
                for index in 1..16 {
                    tile::<false>(weights, base, added, removed, into, index);
                }
            }
        }
    }
    /// The PSQT sums of [`update`].
    #[inline]
    pub(super) fn update_psqt<const ADDED: usize, const REMOVED: usize>(
        weights: &Weights,
        base: &Half,
        added: [&u32; ADDED],
        removed: [&u32; REMOVED],
        into: &mut Half,
    ) {
        let mut psqt_0 = simd::load_i32x8(chunk(&base.psqt, 0));
        for &feature in removed {
            let row = buffer::row(&weights.transformer_psqt, feature);
            psqt_0 = simd::sub_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
        }
        for &feature in added {
            let row = buffer::row(&weights.transformer_psqt, feature);
            psqt_0 = simd::add_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
        }
        simd::store_i32x8(psqt_0, chunk_mut(&mut into.psqt, 0));
    }
    /// [`accumulate`] for the numbers of rows that moves change.
    #[inline]
    pub(super) fn update<const ADDED: usize, const REMOVED: usize>(
        weights: &Weights,
        base: &Half,
        added: [&u32; ADDED],
        removed: [&u32; REMOVED],
        into: &mut Half,
    ) {
        let row = |&feature: &u32| buffer::row(&weights.transformer_weights, feature);
        let (added_rows, removed_rows) = (added.map(row), removed.map(row));
        for index in 0..128 {
            let start = chunk::<i16, 8>(&base.values, index);
            let mut v0 = simd::load_i16(chunk(start, 0));
            for row in removed_rows {
                let row = chunk::<i16, 8>(row, index);
                v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 0)));
            }
            for row in added_rows {
                let row = chunk::<i16, 8>(row, index);
                v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 0)));
            }
            let end = chunk_mut::<i16, 8>(&mut into.values, index);
            simd::store_i16(v0, chunk_mut(end, 0));
        }
        update_psqt(weights, base, added, removed, into);
    }
    /// `into = base = base + added rows - removed rows`, where `base` is an entry of the cache.
    pub(super) fn refresh(
        weights: &Weights,
        base: &mut Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
    ) {
        tile::<true>(weights, &mut *base, added, removed, into, 0);
        for index in 1..16 {
            tile::<false>(weights, &mut *base, added, removed, into, index);
        }
    }
    /// A run of sums, which stay in registers while rows are added and removed.
    #[inline]
    fn tile<const FIRST: bool>(
        weights: &Weights,
        mut base: impl Base<Half>,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
        index: usize,
    ) {
        let start = chunk::<i16, 64>(&base.half().values, index);
        let mut v0 = simd::load_i16(chunk(start, 0));
        let mut v1 = simd::load_i16(chunk(start, 1));
        let mut v2 = simd::load_i16(chunk(start, 2));
        let mut v3 = simd::load_i16(chunk(start, 3));
        let mut v4 = simd::load_i16(chunk(start, 4));
        let mut v5 = simd::load_i16(chunk(start, 5));
        let mut v6 = simd::load_i16(chunk(start, 6));
        let mut v7 = simd::load_i16(chunk(start, 7));
        let mut psqt_0 = simd::load_i32x8(chunk(&base.half().psqt, 0));
        for &feature in removed {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 64>(row, index);
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 3)));
            v4 = simd::sub_i16(v4, simd::load_i16(chunk(row, 4)));
            v5 = simd::sub_i16(v5, simd::load_i16(chunk(row, 5)));
            v6 = simd::sub_i16(v6, simd::load_i16(chunk(row, 6)));
            v7 = simd::sub_i16(v7, simd::load_i16(chunk(row, 7)));
            if FIRST {
                let row = buffer::row(&weights.transformer_psqt, feature);
                psqt_0 = simd::sub_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
            }
        }
        for &feature in added {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 64>(row, index);
            v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 3)));
            v4 = simd::add_i16(v4, simd::load_i16(chunk(row, 4)));
            v5 = simd::add_i16(v5, simd::load_i16(chunk(row, 5)));
            v6 = simd::add_i16(v6, simd::load_i16(chunk(row, 6)));
            v7 = simd::add_i16(v7, simd::load_i16(chunk(row, 7)));
            if FIRST {
                let row = buffer::row(&weights.transformer_psqt, feature);
                psqt_0 = simd::add_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
            }
        }
        let end = chunk_mut::<i16, 64>(&mut into.values, index);
        simd::store_i16(v0, chunk_mut(end, 0));
        simd::store_i16(v1, chunk_mut(end, 1));
        simd::store_i16(v2, chunk_mut(end, 2));
        simd::store_i16(v3, chunk_mut(end, 3));
        simd::store_i16(v4, chunk_mut(end, 4));
        simd::store_i16(v5, chunk_mut(end, 5));
        simd::store_i16(v6, chunk_mut(end, 6));
        simd::store_i16(v7, chunk_mut(end, 7));
        if FIRST {
            simd::store_i32x8(psqt_0, chunk_mut(&mut into.psqt, 0));
        }
        if let Option::Some(kept) = base.kept() {
            let end = chunk_mut::<i16, 64>(&mut kept.values, index);
            simd::store_i16(v0, chunk_mut(end, 0));
            simd::store_i16(v1, chunk_mut(end, 1));
            simd::store_i16(v2, chunk_mut(end, 2));
            simd::store_i16(v3, chunk_mut(end, 3));
            simd::store_i16(v4, chunk_mut(end, 4));
            simd::store_i16(v5, chunk_mut(end, 5));
            simd::store_i16(v6, chunk_mut(end, 6));
            simd::store_i16(v7, chunk_mut(end, 7));
            if FIRST {
                simd::store_i32x8(psqt_0, chunk_mut(&mut kept.psqt, 0));
            }
        }
    }
    /// The `index`-th vector of bytes of a perspective.
    #[inline]
    fn packed(half: &Half, index: usize) -> simd::U8 {
        let first = chunk::<i16, 512>(&half.values, 0);
        let second = chunk::<i16, 512>(&half.values, 1);
        simd::product_to_127::<
            7,
        >(
            [
                simd::load_i16(chunk(first, 2 * index)),
                simd::load_i16(chunk(first, 2 * index + 1)),
            ],
            [
                simd::load_i16(chunk(second, 2 * index)),
                simd::load_i16(chunk(second, 2 * index + 1)),
            ],
        )
    }
    /// The layers' inputs, of accumulators.
    #[inline]
    fn transform(
        first: &Half,
        second: &Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for vector in 0..32 {
            let packed_0 = packed(first, vector);
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 4 * vector, [packed_0]);
        }
        for vector in 0..32 {
            let packed_0 = packed(second, vector);
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 4 * vector + 128, [packed_0]);
        }
    }
    /// Adds a move's rows to the sums of an output vector.
    #[inline]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 1024],
        removed: &[&[i16; 1024]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        let mut v2 = simd::load_i16(chunk(&before.values, 2 * index + 64));
        let mut v3 = simd::load_i16(chunk(&before.values, 2 * index + 65));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2 * index + 64)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 2 * index + 65)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2 * index + 64)));
        v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 2 * index + 65)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
        simd::store_i16(v2, chunk_mut(&mut after.values, 2 * index + 64));
        simd::store_i16(v3, chunk_mut(&mut after.values, 2 * index + 65));
    }
    /// The same, while a move's rows are added and the sums are stored.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "rows of both perspectives")]
    fn transform_moved<const REMOVED: usize>(
        first_before: &Half,
        first_added: &[i16; 1024],
        first_removed: [&[i16; 1024]; REMOVED],
        first: &mut Half,
        second_before: &Half,
        second_added: &[i16; 1024],
        second_removed: [&[i16; 1024]; REMOVED],
        second: &mut Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for vector in 0..32 {
            let packed_0 = {
                move_part(first_before, first_added, &first_removed, first, vector);
                packed(first, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 4 * vector, [packed_0]);
        }
        for vector in 0..32 {
            let packed_0 = {
                move_part(second_before, second_added, &second_removed, second, vector);
                packed(second, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 4 * vector + 128, [packed_0]);
        }
    }
    /// The evaluation of accumulators.
    pub(super) fn propagate(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform(first, second, &mut output, nonzero);
        let transformer = output.finish();
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
    /// The layers and the output, which follow from the layers' inputs.
    #[inline(never)]
    fn layers(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        transformer: &[[u8; 4]; 256],
        nonzero: &mut NonZero<256, 288>,
        _proved: Proved,
    ) -> Output {
        let stack = buffer::row(stacks, bucket as u32);
        let fc_0_out = {
            let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 0)));
            let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 1)));
            let mut sum_2 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 2)));
            let mut sum_3 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 3)));
            for block in nonzero.as_slice() {
                let inputs = simd::splat_block(block.of(transformer));
                let weights = block.of(&stack.fc_0_weights);
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            }
            let mut sums = Aligned([0i32; 16]);
            simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
            simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
            simd::store_i32(simd::sum_dots(sum_2), chunk_mut(&mut sums.0, 2));
            simd::store_i32(simd::sum_dots(sum_3), chunk_mut(&mut sums.0, 3));
            sums
        };
        let ac_sqr_0_out = Aligned(
            activation::sqr_crelu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 19, 127),
        );
        let ac_0_out = Aligned(
            activation::relu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 6, 127),
        );
        let mut fc_1_input = Aligned([[0u8; 4]; 8]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 0, &ac_sqr_0_out.0[0..16]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 16, &ac_0_out.0[0..16]);
        let fc_1_input = &fc_1_input.0;
        let fc_1_out = {
            let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 0)));
            let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 1)));
            let mut sum_2 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 2)));
            let mut sum_3 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 3)));
            let mut sum_4 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 4)));
            let mut sum_5 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 5)));
            let mut sum_6 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 6)));
            let mut sum_7 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 7)));
            for (block, weights) in zip(fc_1_input, &stack.fc_1_weights) {
                let inputs = simd::splat_block(block);
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
                sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
                sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
                sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
                sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            }
            let mut sums = Aligned([0i32; 32]);
            simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
            simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
            simd::store_i32(simd::sum_dots(sum_2), chunk_mut(&mut sums.0, 2));
            simd::store_i32(simd::sum_dots(sum_3), chunk_mut(&mut sums.0, 3));
            simd::store_i32(simd::sum_dots(sum_4), chunk_mut(&mut sums.0, 4));
            simd::store_i32(simd::sum_dots(sum_5), chunk_mut(&mut sums.0, 5));
            simd::store_i32(simd::sum_dots(sum_6), chunk_mut(&mut sums.0, 6));
            simd::store_i32(simd::sum_dots(sum_7), chunk_mut(&mut sums.0, 7));
            sums
        };
        let ac_1_out = Aligned(
            activation::relu::<u8, 32>(buffer::run(&fc_1_out.0, 0), 6, 127),
        );
        let fc_2_out = {
            let inputs = &ac_1_out.0;
            Aligned([
                stack
                    .fc_2_biases[0]
                    .wrapping_add(simd::dot_row(inputs, &stack.fc_2_weights[0])),
            ])
        };
        let psqt = buffer::row(&first.psqt, bucket as u32)
            .wrapping_sub(*buffer::row(&second.psqt, bucket as u32)) / 2;
        let sum = fc_2_out.0[0] as i64 + fc_0_out.0[15] as i64 * 150 / 127;
        let positional = sum as i32;
        let value = psqt.wrapping_add(positional) / 16;
        Output { psqt, positional, value }
    }
    /// [`moved`] for a move that takes nothing.
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    pub(super) fn quiet(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed], after, bucket, proved)
    }
    /// [`moved`] for a capture.
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    pub(super) fn capture(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        captured: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed, captured], after, bucket, proved)
    }
    /// The evaluation after a move, whose rows lead from `before` to `after`.
    #[inline]
    #[allow(
        clippy::too_many_arguments,
        reason = "what an update and a forward pass need"
    )]
    fn moved<const REMOVED: usize>(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [[u32; 2]; REMOVED],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let ([first_before, second_before], [first, second]) = (before, after);
        let row = |number: u32| buffer::row(&weights.transformer_weights, number);
        let (first_added, first_removed) = (
            row(added[0]),
            removed.map(|rows| row(rows[0])),
        );
        let (second_added, second_removed) = (
            row(added[1]),
            removed.map(|rows| row(rows[1])),
        );
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform_moved(
            first_before,
            first_added,
            first_removed,
            first,
            second_before,
            second_added,
            second_removed,
            second,
            &mut output,
            nonzero,
        );
        let transformer = output.finish();
        update_psqt(
            weights,
            first_before,
            [&added[0]],
            removed.each_ref().map(|rows| &rows[0]),
            first,
        );
        update_psqt(
            weights,
            second_before,
            [&added[1]],
            removed.each_ref().map(|rows| &rows[1]),
            second,
        );
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
}
/// Kernels for the level `avx2`.
#[doc(hidden)]
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, Base, chunk, chunk_mut},
        core::option::Option, simd::{InputWriter, Inputs, NonZero, avx2 as simd},
    };
    /// `into = base + added rows - removed rows`.
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    pub(super) fn accumulate(
        weights: &Weights,
        base: &Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
    ) {
        match (added, removed) {
            ([a0], [r0]) => update(weights, base, [a0], [r0], into),
            ([a0], [r0, r1]) => update(weights, base, [a0], [r0, r1], into),
            ([a0, a1], [r0, r1]) => update(weights, base, [a0, a1], [r0, r1], into),
            ([a0], [r0, r1, r2]) => update(weights, base, [a0], [r0, r1, r2], into),
            _ => {
                tile::<true>(weights, base, added, removed, into, 0);
                for index in 1..8 {
                    tile::<false>(weights, base, added, removed, into, index);
                }
            }
        }
    }
    /// The PSQT sums of [`update`].
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    pub(super) fn update_psqt<const ADDED: usize, const REMOVED: usize>(
        weights: &Weights,
        base: &Half,
        added: [&u32; ADDED],
        removed: [&u32; REMOVED],
        into: &mut Half,
    ) {
        let mut psqt_0 = simd::load_i32x8(chunk(&base.psqt, 0));
        for &feature in removed {
            let row = buffer::row(&weights.transformer_psqt, feature);
            psqt_0 = simd::sub_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
        }
        for &feature in added {
            let row = buffer::row(&weights.transformer_psqt, feature);
            psqt_0 = simd::add_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
        }
        simd::store_i32x8(psqt_0, chunk_mut(&mut into.psqt, 0));
    }
    /// [`accumulate`] for the numbers of rows that moves change.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    pub(super) fn update<const ADDED: usize, const REMOVED: usize>(
        weights: &Weights,
        base: &Half,
        added: [&u32; ADDED],
        removed: [&u32; REMOVED],
        into: &mut Half,
    ) {
        let row = |&feature: &u32| buffer::row(&weights.transformer_weights, feature);
        let (added_rows, removed_rows) = (added.map(row), removed.map(row));
        for index in 0..64 {
            let start = chunk::<i16, 16>(&base.values, index);
            let mut v0 = simd::load_i16(chunk(start, 0));
            for row in removed_rows {
                let row = chunk::<i16, 16>(row, index);
                v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 0)));
            }
            for row in added_rows {
                let row = chunk::<i16, 16>(row, index);
                v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 0)));
            }
            let end = chunk_mut::<i16, 16>(&mut into.values, index);
            simd::store_i16(v0, chunk_mut(end, 0));
        }
        update_psqt(weights, base, added, removed, into);
    }
    /// `into = base = base + added rows - removed rows`, where `base` is an entry of the cache.
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    pub(super) fn refresh(
        weights: &Weights,
        base: &mut Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
    ) {
        tile::<true>(weights, &mut *base, added, removed, into, 0);
        for index in 1..8 {
            tile::<false>(weights, &mut *base, added, removed, into, index);
        }
    }
    /// A run of sums, which stay in registers while rows are added and removed.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    fn tile<const FIRST: bool>(
        weights: &Weights,
        mut base: impl Base<Half>,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
        index: usize,
    ) {
        let start = chunk::<i16, 128>(&base.half().values, index);
        let mut v0 = simd::load_i16(chunk(start, 0));
        let mut v1 = simd::load_i16(chunk(start, 1));
        let mut v2 = simd::load_i16(chunk(start, 2));
        let mut v3 = simd::load_i16(chunk(start, 3));
        let mut v4 = simd::load_i16(chunk(start, 4));
        let mut v5 = simd::load_i16(chunk(start, 5));
        let mut v6 = simd::load_i16(chunk(start, 6));
        let mut v7 = simd::load_i16(chunk(start, 7));
        let mut psqt_0 = simd::load_i32x8(chunk(&base.half().psqt, 0));
        for &feature in removed {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 128>(row, index);
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 3)));
            v4 = simd::sub_i16(v4, simd::load_i16(chunk(row, 4)));
            v5 = simd::sub_i16(v5, simd::load_i16(chunk(row, 5)));
            v6 = simd::sub_i16(v6, simd::load_i16(chunk(row, 6)));
            v7 = simd::sub_i16(v7, simd::load_i16(chunk(row, 7)));
            if FIRST {
                let row = buffer::row(&weights.transformer_psqt, feature);
                psqt_0 = simd::sub_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
            }
        }
        for &feature in added {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 128>(row, index);
            v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 3)));
            v4 = simd::add_i16(v4, simd::load_i16(chunk(row, 4)));
            v5 = simd::add_i16(v5, simd::load_i16(chunk(row, 5)));
            v6 = simd::add_i16(v6, simd::load_i16(chunk(row, 6)));
            v7 = simd::add_i16(v7, simd::load_i16(chunk(row, 7)));
            if FIRST {
                let row = buffer::row(&weights.transformer_psqt, feature);
                psqt_0 = simd::add_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
            }
        }
        let end = chunk_mut::<i16, 128>(&mut into.values, index);
        simd::store_i16(v0, chunk_mut(end, 0));
        simd::store_i16(v1, chunk_mut(end, 1));
        simd::store_i16(v2, chunk_mut(end, 2));
        simd::store_i16(v3, chunk_mut(end, 3));
        simd::store_i16(v4, chunk_mut(end, 4));
        simd::store_i16(v5, chunk_mut(end, 5));
        simd::store_i16(v6, chunk_mut(end, 6));
        simd::store_i16(v7, chunk_mut(end, 7));
        if FIRST {
            simd::store_i32x8(psqt_0, chunk_mut(&mut into.psqt, 0));
        }
        if let Option::Some(kept) = base.kept() {
            let end = chunk_mut::<i16, 128>(&mut kept.values, index);
            simd::store_i16(v0, chunk_mut(end, 0));
            simd::store_i16(v1, chunk_mut(end, 1));
            simd::store_i16(v2, chunk_mut(end, 2));
            simd::store_i16(v3, chunk_mut(end, 3));
            simd::store_i16(v4, chunk_mut(end, 4));
            simd::store_i16(v5, chunk_mut(end, 5));
            simd::store_i16(v6, chunk_mut(end, 6));
            simd::store_i16(v7, chunk_mut(end, 7));
            if FIRST {
                simd::store_i32x8(psqt_0, chunk_mut(&mut kept.psqt, 0));
            }
        }
    }
    /// The `index`-th vector of bytes of a perspective.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    fn packed(half: &Half, index: usize) -> simd::U8 {
        let first = chunk::<i16, 512>(&half.values, 0);
        let second = chunk::<i16, 512>(&half.values, 1);
        simd::product_to_127::<
            7,
        >(
            [
                simd::load_i16(chunk(first, 2 * index)),
                simd::load_i16(chunk(first, 2 * index + 1)),
            ],
            [
                simd::load_i16(chunk(second, 2 * index)),
                simd::load_i16(chunk(second, 2 * index + 1)),
            ],
        )
    }
    /// The layers' inputs, of accumulators.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    fn transform(
        first: &Half,
        second: &Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for vector in 0..16 {
            let packed_0 = packed(first, vector);
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 8 * vector, [packed_0]);
        }
        for vector in 0..16 {
            let packed_0 = packed(second, vector);
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 8 * vector + 128, [packed_0]);
        }
    }
    /// Adds a move's rows to the sums of an output vector.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 1024],
        removed: &[&[i16; 1024]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        let mut v2 = simd::load_i16(chunk(&before.values, 2 * index + 32));
        let mut v3 = simd::load_i16(chunk(&before.values, 2 * index + 33));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2 * index + 32)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 2 * index + 33)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2 * index + 32)));
        v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 2 * index + 33)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
        simd::store_i16(v2, chunk_mut(&mut after.values, 2 * index + 32));
        simd::store_i16(v3, chunk_mut(&mut after.values, 2 * index + 33));
    }
    /// The same, while a move's rows are added and the sums are stored.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "rows of both perspectives")]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    fn transform_moved<const REMOVED: usize>(
        first_before: &Half,
        first_added: &[i16; 1024],
        first_removed: [&[i16; 1024]; REMOVED],
        first: &mut Half,
        second_before: &Half,
        second_added: &[i16; 1024],
        second_removed: [&[i16; 1024]; REMOVED],
        second: &mut Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for vector in 0..16 {
            let packed_0 = {
                move_part(first_before, first_added, &first_removed, first, vector);
                packed(first, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 8 * vector, [packed_0]);
        }
        for vector in 0..16 {
            let packed_0 = {
                move_part(second_before, second_added, &second_removed, second, vector);
                packed(second, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 8 * vector + 128, [packed_0]);
        }
    }
    /// The evaluation of accumulators.
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    pub(super) fn propagate(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform(first, second, &mut output, nonzero);
        let transformer = output.finish();
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
    /// The layers and the output, which follow from the layers' inputs.
    #[inline(never)]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    fn layers(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        transformer: &[[u8; 4]; 256],
        nonzero: &mut NonZero<256, 288>,
        proved: Proved,
    ) -> Output {
        let stack = buffer::row(stacks, bucket as u32);
        let fc_0_out = {
            if proved.layer(0) {
                let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 0)));
                let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 1)));
                let (groups, rest) = nonzero.groups::<2>();
                for blocks in groups {
                    {
                        let inputs = [
                            simd::splat_block(blocks[0].of(transformer)),
                            simd::splat_block(blocks[1].of(transformer)),
                        ];
                        let [a, b] = [
                            blocks[0].of(&stack.fc_0_weights),
                            blocks[1].of(&stack.fc_0_weights),
                        ];
                        sum_0 = simd::dot_two(
                            sum_0,
                            inputs,
                            [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                        );
                        sum_1 = simd::dot_two(
                            sum_1,
                            inputs,
                            [simd::load_i8(chunk(a, 1)), simd::load_i8(chunk(b, 1))],
                        );
                    }
                }
                {
                    let inputs = simd::splat_block(&rest.inputs(0, transformer));
                    let weights = rest.block(0).of(&stack.fc_0_weights);
                    sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                    sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                }
                let mut sums = Aligned([0i32; 16]);
                simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
                simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
                sums
            } else {
                let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 0)));
                let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 1)));
                for block in nonzero.as_slice() {
                    let inputs = simd::splat_block(block.of(transformer));
                    let weights = block.of(&stack.fc_0_weights);
                    sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                    sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                }
                let mut sums = Aligned([0i32; 16]);
                simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
                simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
                sums
            }
        };
        let ac_sqr_0_out = Aligned(
            activation::sqr_crelu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 19, 127),
        );
        let ac_0_out = Aligned(
            activation::relu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 6, 127),
        );
        let mut fc_1_input = Aligned([[0u8; 4]; 8]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 0, &ac_sqr_0_out.0[0..16]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 16, &ac_0_out.0[0..16]);
        let fc_1_input = &fc_1_input.0;
        let fc_1_out = {
            if proved.layer(3) {
                let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 0)));
                let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 1)));
                let mut sum_2 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 2)));
                let mut sum_3 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 3)));
                let inputs = [
                    simd::splat_block(&fc_1_input[0]),
                    simd::splat_block(&fc_1_input[4]),
                ];
                let [a, b] = [&stack.fc_1_weights[0], &stack.fc_1_weights[4]];
                sum_0 = simd::dot_two(
                    sum_0,
                    inputs,
                    [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                );
                sum_1 = simd::dot_two(
                    sum_1,
                    inputs,
                    [simd::load_i8(chunk(a, 1)), simd::load_i8(chunk(b, 1))],
                );
                sum_2 = simd::dot_two(
                    sum_2,
                    inputs,
                    [simd::load_i8(chunk(a, 2)), simd::load_i8(chunk(b, 2))],
                );
                sum_3 = simd::dot_two(
                    sum_3,
                    inputs,
                    [simd::load_i8(chunk(a, 3)), simd::load_i8(chunk(b, 3))],
                );
                let inputs = [
                    simd::splat_block(&fc_1_input[1]),
                    simd::splat_block(&fc_1_input[5]),
                ];
                let [a, b] = [&stack.fc_1_weights[1], &stack.fc_1_weights[5]];
                sum_0 = simd::dot_two(
                    sum_0,
                    inputs,
                    [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                );
                sum_1 = simd::dot_two(
                    sum_1,
                    inputs,
                    [simd::load_i8(chunk(a, 1)), simd::load_i8(chunk(b, 1))],
                );
                sum_2 = simd::dot_two(
                    sum_2,
                    inputs,
                    [simd::load_i8(chunk(a, 2)), simd::load_i8(chunk(b, 2))],
                );
                sum_3 = simd::dot_two(
                    sum_3,
                    inputs,
                    [simd::load_i8(chunk(a, 3)), simd::load_i8(chunk(b, 3))],
                );
                let inputs = [
                    simd::splat_block(&fc_1_input[2]),
                    simd::splat_block(&fc_1_input[6]),
                ];
                let [a, b] = [&stack.fc_1_weights[2], &stack.fc_1_weights[6]];
                sum_0 = simd::dot_two(
                    sum_0,
                    inputs,
                    [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                );
                sum_1 = simd::dot_two(
                    sum_1,
                    inputs,
                    [simd::load_i8(chunk(a, 1)), simd::load_i8(chunk(b, 1))],
                );
                sum_2 = simd::dot_two(
                    sum_2,
                    inputs,
                    [simd::load_i8(chunk(a, 2)), simd::load_i8(chunk(b, 2))],
                );
                sum_3 = simd::dot_two(
                    sum_3,
                    inputs,
                    [simd::load_i8(chunk(a, 3)), simd::load_i8(chunk(b, 3))],
                );
                let inputs = [
                    simd::splat_block(&fc_1_input[3]),
                    simd::splat_block(&fc_1_input[7]),
                ];
                let [a, b] = [&stack.fc_1_weights[3], &stack.fc_1_weights[7]];
                sum_0 = simd::dot_two(
                    sum_0,
                    inputs,
                    [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                );
                sum_1 = simd::dot_two(
                    sum_1,
                    inputs,
                    [simd::load_i8(chunk(a, 1)), simd::load_i8(chunk(b, 1))],
                );
                sum_2 = simd::dot_two(
                    sum_2,
                    inputs,
                    [simd::load_i8(chunk(a, 2)), simd::load_i8(chunk(b, 2))],
                );
                sum_3 = simd::dot_two(
                    sum_3,
                    inputs,
                    [simd::load_i8(chunk(a, 3)), simd::load_i8(chunk(b, 3))],
                );
                let mut sums = Aligned([0i32; 32]);
                simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
                simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
                simd::store_i32(simd::sum_dots(sum_2), chunk_mut(&mut sums.0, 2));
                simd::store_i32(simd::sum_dots(sum_3), chunk_mut(&mut sums.0, 3));
                sums
            } else {
                let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 0)));
                let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 1)));
                let mut sum_2 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 2)));
                let mut sum_3 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 3)));
                let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 0));
                let weights = &stack.fc_1_weights[0];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
                let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 0));
                let weights = &stack.fc_1_weights[1];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
                let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 0));
                let weights = &stack.fc_1_weights[2];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
                let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 0));
                let weights = &stack.fc_1_weights[3];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
                let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 1));
                let weights = &stack.fc_1_weights[4];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
                let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 1));
                let weights = &stack.fc_1_weights[5];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
                let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 1));
                let weights = &stack.fc_1_weights[6];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
                let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 1));
                let weights = &stack.fc_1_weights[7];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
                let mut sums = Aligned([0i32; 32]);
                simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
                simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
                simd::store_i32(simd::sum_dots(sum_2), chunk_mut(&mut sums.0, 2));
                simd::store_i32(simd::sum_dots(sum_3), chunk_mut(&mut sums.0, 3));
                sums
            }
        };
        let ac_1_out = Aligned(
            activation::relu::<u8, 32>(buffer::run(&fc_1_out.0, 0), 6, 127),
        );
        let fc_2_out = {
            let inputs = &ac_1_out.0;
            Aligned([
                stack
                    .fc_2_biases[0]
                    .wrapping_add(simd::dot_row(inputs, &stack.fc_2_weights[0])),
            ])
        };
        let psqt = buffer::row(&first.psqt, bucket as u32)
            .wrapping_sub(*buffer::row(&second.psqt, bucket as u32)) / 2;
        let sum = fc_2_out.0[0] as i64 + fc_0_out.0[15] as i64 * 150 / 127;
        let positional = sum as i32;
        let value = psqt.wrapping_add(positional) / 16;
        Output { psqt, positional, value }
    }
    /// [`moved`] for a move that takes nothing.
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    pub(super) fn quiet(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed], after, bucket, proved)
    }
    /// [`moved`] for a capture.
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    pub(super) fn capture(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        captured: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed, captured], after, bucket, proved)
    }
    /// The evaluation after a move, whose rows lead from `before` to `after`.
    #[inline]
    #[allow(
        clippy::too_many_arguments,
        reason = "what an update and a forward pass need"
    )]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    fn moved<const REMOVED: usize>(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [[u32; 2]; REMOVED],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let ([first_before, second_before], [first, second]) = (before, after);
        let row = |number: u32| buffer::row(&weights.transformer_weights, number);
        let (first_added, first_removed) = (
            row(added[0]),
            removed.map(|rows| row(rows[0])),
        );
        let (second_added, second_removed) = (
            row(added[1]),
            removed.map(|rows| row(rows[1])),
        );
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform_moved(
            first_before,
            first_added,
            first_removed,
            first,
            second_before,
            second_added,
            second_removed,
            second,
            &mut output,
            nonzero,
        );
        let transformer = output.finish();
        update_psqt(
            weights,
            first_before,
            [&added[0]],
            removed.each_ref().map(|rows| &rows[0]),
            first,
        );
        update_psqt(
            weights,
            second_before,
            [&added[1]],
            removed.each_ref().map(|rows| &rows[1]),
            second,
        );
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
}
/// Kernels for the level `avxvnni`.
#[doc(hidden)]
#[cfg(target_arch = "x86_64")]
mod avxvnni {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, chunk, chunk_mut},
        simd::{InputWriter, Inputs, NonZero, avxvnni as simd},
    };
    pub(super) use super::avx2::{accumulate, refresh};
    use super::avx2::update_psqt;
    /// The `index`-th vector of bytes of a perspective.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    fn packed(half: &Half, index: usize) -> simd::U8 {
        let first = chunk::<i16, 512>(&half.values, 0);
        let second = chunk::<i16, 512>(&half.values, 1);
        simd::product_to_127::<
            7,
        >(
            [
                simd::load_i16(chunk(first, 2 * index)),
                simd::load_i16(chunk(first, 2 * index + 1)),
            ],
            [
                simd::load_i16(chunk(second, 2 * index)),
                simd::load_i16(chunk(second, 2 * index + 1)),
            ],
        )
    }
    /// The layers' inputs, of accumulators.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    fn transform(
        first: &Half,
        second: &Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for vector in 0..16 {
            let packed_0 = packed(first, vector);
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 8 * vector, [packed_0]);
        }
        for vector in 0..16 {
            let packed_0 = packed(second, vector);
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 8 * vector + 128, [packed_0]);
        }
    }
    /// Adds a move's rows to the sums of an output vector.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 1024],
        removed: &[&[i16; 1024]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        let mut v2 = simd::load_i16(chunk(&before.values, 2 * index + 32));
        let mut v3 = simd::load_i16(chunk(&before.values, 2 * index + 33));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2 * index + 32)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 2 * index + 33)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2 * index + 32)));
        v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 2 * index + 33)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
        simd::store_i16(v2, chunk_mut(&mut after.values, 2 * index + 32));
        simd::store_i16(v3, chunk_mut(&mut after.values, 2 * index + 33));
    }
    /// The same, while a move's rows are added and the sums are stored.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "rows of both perspectives")]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    fn transform_moved<const REMOVED: usize>(
        first_before: &Half,
        first_added: &[i16; 1024],
        first_removed: [&[i16; 1024]; REMOVED],
        first: &mut Half,
        second_before: &Half,
        second_added: &[i16; 1024],
        second_removed: [&[i16; 1024]; REMOVED],
        second: &mut Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for vector in 0..16 {
            let packed_0 = {
                move_part(first_before, first_added, &first_removed, first, vector);
                packed(first, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 8 * vector, [packed_0]);
        }
        for vector in 0..16 {
            let packed_0 = {
                move_part(second_before, second_added, &second_removed, second, vector);
                packed(second, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 8 * vector + 128, [packed_0]);
        }
    }
    /// The evaluation of accumulators.
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    pub(super) fn propagate(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform(first, second, &mut output, nonzero);
        let transformer = output.finish();
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
    /// The layers and the output, which follow from the layers' inputs.
    #[inline(never)]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    fn layers(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        transformer: &[[u8; 4]; 256],
        nonzero: &mut NonZero<256, 288>,
        _proved: Proved,
    ) -> Output {
        let stack = buffer::row(stacks, bucket as u32);
        let fc_0_out = {
            let mut sum_0_0 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 0)));
            let mut sum_0_1 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 1)));
            let mut sum_1_0 = simd::dots(simd::zero_i32());
            let mut sum_1_1 = simd::dots(simd::zero_i32());
            let mut sum_2_0 = simd::dots(simd::zero_i32());
            let mut sum_2_1 = simd::dots(simd::zero_i32());
            let mut sum_3_0 = simd::dots(simd::zero_i32());
            let mut sum_3_1 = simd::dots(simd::zero_i32());
            let (groups, rest) = nonzero.groups::<4>();
            for blocks in groups {
                let inputs = simd::splat_block(blocks[0].of(transformer));
                let weights = blocks[0].of(&stack.fc_0_weights);
                sum_0_0 = simd::dot(sum_0_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_0_1 = simd::dot(sum_0_1, inputs, simd::load_i8(chunk(weights, 1)));
                let inputs = simd::splat_block(blocks[1].of(transformer));
                let weights = blocks[1].of(&stack.fc_0_weights);
                sum_1_0 = simd::dot(sum_1_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1_1 = simd::dot(sum_1_1, inputs, simd::load_i8(chunk(weights, 1)));
                let inputs = simd::splat_block(blocks[2].of(transformer));
                let weights = blocks[2].of(&stack.fc_0_weights);
                sum_2_0 = simd::dot(sum_2_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_2_1 = simd::dot(sum_2_1, inputs, simd::load_i8(chunk(weights, 1)));
                let inputs = simd::splat_block(blocks[3].of(transformer));
                let weights = blocks[3].of(&stack.fc_0_weights);
                sum_3_0 = simd::dot(sum_3_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_3_1 = simd::dot(sum_3_1, inputs, simd::load_i8(chunk(weights, 1)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(0, transformer));
                let weights = rest.block(0).of(&stack.fc_0_weights);
                sum_0_0 = simd::dot(sum_0_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_0_1 = simd::dot(sum_0_1, inputs, simd::load_i8(chunk(weights, 1)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(1, transformer));
                let weights = rest.block(1).of(&stack.fc_0_weights);
                sum_1_0 = simd::dot(sum_1_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1_1 = simd::dot(sum_1_1, inputs, simd::load_i8(chunk(weights, 1)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(2, transformer));
                let weights = rest.block(2).of(&stack.fc_0_weights);
                sum_2_0 = simd::dot(sum_2_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_2_1 = simd::dot(sum_2_1, inputs, simd::load_i8(chunk(weights, 1)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(3, transformer));
                let weights = rest.block(3).of(&stack.fc_0_weights);
                sum_3_0 = simd::dot(sum_3_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_3_1 = simd::dot(sum_3_1, inputs, simd::load_i8(chunk(weights, 1)));
            }
            let mut sums = Aligned([0i32; 16]);
            simd::store_i32(
                simd::add_i32(
                    simd::add_i32(simd::sum_dots(sum_0_0), simd::sum_dots(sum_1_0)),
                    simd::add_i32(simd::sum_dots(sum_2_0), simd::sum_dots(sum_3_0)),
                ),
                chunk_mut(&mut sums.0, 0),
            );
            simd::store_i32(
                simd::add_i32(
                    simd::add_i32(simd::sum_dots(sum_0_1), simd::sum_dots(sum_1_1)),
                    simd::add_i32(simd::sum_dots(sum_2_1), simd::sum_dots(sum_3_1)),
                ),
                chunk_mut(&mut sums.0, 1),
            );
            sums
        };
        let ac_sqr_0_out = Aligned(
            activation::sqr_crelu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 19, 127),
        );
        let ac_0_out = Aligned(
            activation::relu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 6, 127),
        );
        let mut fc_1_input = Aligned([[0u8; 4]; 8]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 0, &ac_sqr_0_out.0[0..16]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 16, &ac_0_out.0[0..16]);
        let fc_1_input = &fc_1_input.0;
        let fc_1_out = {
            let mut sum_0_0 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 0)));
            let mut sum_0_1 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 1)));
            let mut sum_0_2 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 2)));
            let mut sum_0_3 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 3)));
            let mut sum_1_0 = simd::dots(simd::zero_i32());
            let mut sum_1_1 = simd::dots(simd::zero_i32());
            let mut sum_1_2 = simd::dots(simd::zero_i32());
            let mut sum_1_3 = simd::dots(simd::zero_i32());
            let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[0];
            sum_0_0 = simd::dot(sum_0_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_0_1 = simd::dot(sum_0_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_0_2 = simd::dot(sum_0_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_0_3 = simd::dot(sum_0_3, inputs, simd::load_i8(chunk(weights, 3)));
            let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[1];
            sum_1_0 = simd::dot(sum_1_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1_1 = simd::dot(sum_1_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_1_2 = simd::dot(sum_1_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_1_3 = simd::dot(sum_1_3, inputs, simd::load_i8(chunk(weights, 3)));
            let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[2];
            sum_0_0 = simd::dot(sum_0_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_0_1 = simd::dot(sum_0_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_0_2 = simd::dot(sum_0_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_0_3 = simd::dot(sum_0_3, inputs, simd::load_i8(chunk(weights, 3)));
            let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[3];
            sum_1_0 = simd::dot(sum_1_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1_1 = simd::dot(sum_1_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_1_2 = simd::dot(sum_1_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_1_3 = simd::dot(sum_1_3, inputs, simd::load_i8(chunk(weights, 3)));
            let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[4];
            sum_0_0 = simd::dot(sum_0_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_0_1 = simd::dot(sum_0_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_0_2 = simd::dot(sum_0_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_0_3 = simd::dot(sum_0_3, inputs, simd::load_i8(chunk(weights, 3)));
            let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[5];
            sum_1_0 = simd::dot(sum_1_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1_1 = simd::dot(sum_1_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_1_2 = simd::dot(sum_1_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_1_3 = simd::dot(sum_1_3, inputs, simd::load_i8(chunk(weights, 3)));
            let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[6];
            sum_0_0 = simd::dot(sum_0_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_0_1 = simd::dot(sum_0_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_0_2 = simd::dot(sum_0_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_0_3 = simd::dot(sum_0_3, inputs, simd::load_i8(chunk(weights, 3)));
            let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[7];
            sum_1_0 = simd::dot(sum_1_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1_1 = simd::dot(sum_1_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_1_2 = simd::dot(sum_1_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_1_3 = simd::dot(sum_1_3, inputs, simd::load_i8(chunk(weights, 3)));
            let mut sums = Aligned([0i32; 32]);
            simd::store_i32(
                simd::add_i32(simd::sum_dots(sum_0_0), simd::sum_dots(sum_1_0)),
                chunk_mut(&mut sums.0, 0),
            );
            simd::store_i32(
                simd::add_i32(simd::sum_dots(sum_0_1), simd::sum_dots(sum_1_1)),
                chunk_mut(&mut sums.0, 1),
            );
            simd::store_i32(
                simd::add_i32(simd::sum_dots(sum_0_2), simd::sum_dots(sum_1_2)),
                chunk_mut(&mut sums.0, 2),
            );
            simd::store_i32(
                simd::add_i32(simd::sum_dots(sum_0_3), simd::sum_dots(sum_1_3)),
                chunk_mut(&mut sums.0, 3),
            );
            sums
        };
        let ac_1_out = Aligned(
            activation::relu::<u8, 32>(buffer::run(&fc_1_out.0, 0), 6, 127),
        );
        let fc_2_out = {
            let inputs = &ac_1_out.0;
            Aligned([
                stack
                    .fc_2_biases[0]
                    .wrapping_add(simd::dot_row(inputs, &stack.fc_2_weights[0])),
            ])
        };
        let psqt = buffer::row(&first.psqt, bucket as u32)
            .wrapping_sub(*buffer::row(&second.psqt, bucket as u32)) / 2;
        let sum = fc_2_out.0[0] as i64 + fc_0_out.0[15] as i64 * 150 / 127;
        let positional = sum as i32;
        let value = psqt.wrapping_add(positional) / 16;
        Output { psqt, positional, value }
    }
    /// [`moved`] for a move that takes nothing.
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    pub(super) fn quiet(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed], after, bucket, proved)
    }
    /// [`moved`] for a capture.
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    pub(super) fn capture(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        captured: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed, captured], after, bucket, proved)
    }
    /// The evaluation after a move, whose rows lead from `before` to `after`.
    #[inline]
    #[allow(
        clippy::too_many_arguments,
        reason = "what an update and a forward pass need"
    )]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    fn moved<const REMOVED: usize>(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [[u32; 2]; REMOVED],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let ([first_before, second_before], [first, second]) = (before, after);
        let row = |number: u32| buffer::row(&weights.transformer_weights, number);
        let (first_added, first_removed) = (
            row(added[0]),
            removed.map(|rows| row(rows[0])),
        );
        let (second_added, second_removed) = (
            row(added[1]),
            removed.map(|rows| row(rows[1])),
        );
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform_moved(
            first_before,
            first_added,
            first_removed,
            first,
            second_before,
            second_added,
            second_removed,
            second,
            &mut output,
            nonzero,
        );
        let transformer = output.finish();
        update_psqt(
            weights,
            first_before,
            [&added[0]],
            removed.each_ref().map(|rows| &rows[0]),
            first,
        );
        update_psqt(
            weights,
            second_before,
            [&added[1]],
            removed.each_ref().map(|rows| &rows[1]),
            second,
        );
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
}
/// Kernels for the level `avx512`.
#[doc(hidden)]
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, Base, chunk, chunk_mut},
        core::option::Option, simd::{InputWriter, Inputs, NonZero, avx512 as simd},
    };
    /// `into = base + added rows - removed rows`.
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    pub(super) fn accumulate(
        weights: &Weights,
        base: &Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
    ) {
        match (added, removed) {
            ([a0], [r0]) => update(weights, base, [a0], [r0], into),
            ([a0], [r0, r1]) => update(weights, base, [a0], [r0, r1], into),
            ([a0, a1], [r0, r1]) => update(weights, base, [a0, a1], [r0, r1], into),
            ([a0], [r0, r1, r2]) => update(weights, base, [a0], [r0, r1, r2], into),
            _ => {
                tile::<true>(weights, base, added, removed, into, 0);
                tile::<false>(weights, base, added, removed, into, 1);
            }
        }
    }
    /// The PSQT sums of [`update`].
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    pub(super) fn update_psqt<const ADDED: usize, const REMOVED: usize>(
        weights: &Weights,
        base: &Half,
        added: [&u32; ADDED],
        removed: [&u32; REMOVED],
        into: &mut Half,
    ) {
        let mut psqt_0 = simd::load_i32x8(chunk(&base.psqt, 0));
        for &feature in removed {
            let row = buffer::row(&weights.transformer_psqt, feature);
            psqt_0 = simd::sub_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
        }
        for &feature in added {
            let row = buffer::row(&weights.transformer_psqt, feature);
            psqt_0 = simd::add_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
        }
        simd::store_i32x8(psqt_0, chunk_mut(&mut into.psqt, 0));
    }
    /// [`accumulate`] for the numbers of rows that moves change.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    pub(super) fn update<const ADDED: usize, const REMOVED: usize>(
        weights: &Weights,
        base: &Half,
        added: [&u32; ADDED],
        removed: [&u32; REMOVED],
        into: &mut Half,
    ) {
        let row = |&feature: &u32| buffer::row(&weights.transformer_weights, feature);
        let (added_rows, removed_rows) = (added.map(row), removed.map(row));
        for index in 0..32 {
            let start = chunk::<i16, 32>(&base.values, index);
            let mut v0 = simd::load_i16(chunk(start, 0));
            for row in removed_rows {
                let row = chunk::<i16, 32>(row, index);
                v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 0)));
            }
            for row in added_rows {
                let row = chunk::<i16, 32>(row, index);
                v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 0)));
            }
            let end = chunk_mut::<i16, 32>(&mut into.values, index);
            simd::store_i16(v0, chunk_mut(end, 0));
        }
        update_psqt(weights, base, added, removed, into);
    }
    /// `into = base = base + added rows - removed rows`, where `base` is an entry of the cache.
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    pub(super) fn refresh(
        weights: &Weights,
        base: &mut Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
    ) {
        tile::<true>(weights, &mut *base, added, removed, into, 0);
        tile::<false>(weights, &mut *base, added, removed, into, 1);
    }
    /// A run of sums, which stay in registers while rows are added and removed.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    fn tile<const FIRST: bool>(
        weights: &Weights,
        mut base: impl Base<Half>,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
        index: usize,
    ) {
        let start = chunk::<i16, 512>(&base.half().values, index);
        let mut v0 = simd::load_i16(chunk(start, 0));
        let mut v1 = simd::load_i16(chunk(start, 1));
        let mut v2 = simd::load_i16(chunk(start, 2));
        let mut v3 = simd::load_i16(chunk(start, 3));
        let mut v4 = simd::load_i16(chunk(start, 4));
        let mut v5 = simd::load_i16(chunk(start, 5));
        let mut v6 = simd::load_i16(chunk(start, 6));
        let mut v7 = simd::load_i16(chunk(start, 7));
        let mut v8 = simd::load_i16(chunk(start, 8));
        let mut v9 = simd::load_i16(chunk(start, 9));
        let mut v10 = simd::load_i16(chunk(start, 10));
        let mut v11 = simd::load_i16(chunk(start, 11));
        let mut v12 = simd::load_i16(chunk(start, 12));
        let mut v13 = simd::load_i16(chunk(start, 13));
        let mut v14 = simd::load_i16(chunk(start, 14));
        let mut v15 = simd::load_i16(chunk(start, 15));
        let mut psqt_0 = simd::load_i32x8(chunk(&base.half().psqt, 0));
        for &feature in removed {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 512>(row, index);
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 3)));
            v4 = simd::sub_i16(v4, simd::load_i16(chunk(row, 4)));
            v5 = simd::sub_i16(v5, simd::load_i16(chunk(row, 5)));
            v6 = simd::sub_i16(v6, simd::load_i16(chunk(row, 6)));
            v7 = simd::sub_i16(v7, simd::load_i16(chunk(row, 7)));
            v8 = simd::sub_i16(v8, simd::load_i16(chunk(row, 8)));
            v9 = simd::sub_i16(v9, simd::load_i16(chunk(row, 9)));
            v10 = simd::sub_i16(v10, simd::load_i16(chunk(row, 10)));
            v11 = simd::sub_i16(v11, simd::load_i16(chunk(row, 11)));
            v12 = simd::sub_i16(v12, simd::load_i16(chunk(row, 12)));
            v13 = simd::sub_i16(v13, simd::load_i16(chunk(row, 13)));
            v14 = simd::sub_i16(v14, simd::load_i16(chunk(row, 14)));
            v15 = simd::sub_i16(v15, simd::load_i16(chunk(row, 15)));
            if FIRST {
                let row = buffer::row(&weights.transformer_psqt, feature);
                psqt_0 = simd::sub_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
            }
        }
        for &feature in added {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 512>(row, index);
            v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 3)));
            v4 = simd::add_i16(v4, simd::load_i16(chunk(row, 4)));
            v5 = simd::add_i16(v5, simd::load_i16(chunk(row, 5)));
            v6 = simd::add_i16(v6, simd::load_i16(chunk(row, 6)));
            v7 = simd::add_i16(v7, simd::load_i16(chunk(row, 7)));
            v8 = simd::add_i16(v8, simd::load_i16(chunk(row, 8)));
            v9 = simd::add_i16(v9, simd::load_i16(chunk(row, 9)));
            v10 = simd::add_i16(v10, simd::load_i16(chunk(row, 10)));
            v11 = simd::add_i16(v11, simd::load_i16(chunk(row, 11)));
            v12 = simd::add_i16(v12, simd::load_i16(chunk(row, 12)));
            v13 = simd::add_i16(v13, simd::load_i16(chunk(row, 13)));
            v14 = simd::add_i16(v14, simd::load_i16(chunk(row, 14)));
            v15 = simd::add_i16(v15, simd::load_i16(chunk(row, 15)));
            if FIRST {
                let row = buffer::row(&weights.transformer_psqt, feature);
                psqt_0 = simd::add_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
            }
        }
        let end = chunk_mut::<i16, 512>(&mut into.values, index);
        simd::store_i16(v0, chunk_mut(end, 0));
        simd::store_i16(v1, chunk_mut(end, 1));
        simd::store_i16(v2, chunk_mut(end, 2));
        simd::store_i16(v3, chunk_mut(end, 3));
        simd::store_i16(v4, chunk_mut(end, 4));
        simd::store_i16(v5, chunk_mut(end, 5));
        simd::store_i16(v6, chunk_mut(end, 6));
        simd::store_i16(v7, chunk_mut(end, 7));
        simd::store_i16(v8, chunk_mut(end, 8));
        simd::store_i16(v9, chunk_mut(end, 9));
        simd::store_i16(v10, chunk_mut(end, 10));
        simd::store_i16(v11, chunk_mut(end, 11));
        simd::store_i16(v12, chunk_mut(end, 12));
        simd::store_i16(v13, chunk_mut(end, 13));
        simd::store_i16(v14, chunk_mut(end, 14));
        simd::store_i16(v15, chunk_mut(end, 15));
        if FIRST {
            simd::store_i32x8(psqt_0, chunk_mut(&mut into.psqt, 0));
        }
        if let Option::Some(kept) = base.kept() {
            let end = chunk_mut::<i16, 512>(&mut kept.values, index);
            simd::store_i16(v0, chunk_mut(end, 0));
            simd::store_i16(v1, chunk_mut(end, 1));
            simd::store_i16(v2, chunk_mut(end, 2));
            simd::store_i16(v3, chunk_mut(end, 3));
            simd::store_i16(v4, chunk_mut(end, 4));
            simd::store_i16(v5, chunk_mut(end, 5));
            simd::store_i16(v6, chunk_mut(end, 6));
            simd::store_i16(v7, chunk_mut(end, 7));
            simd::store_i16(v8, chunk_mut(end, 8));
            simd::store_i16(v9, chunk_mut(end, 9));
            simd::store_i16(v10, chunk_mut(end, 10));
            simd::store_i16(v11, chunk_mut(end, 11));
            simd::store_i16(v12, chunk_mut(end, 12));
            simd::store_i16(v13, chunk_mut(end, 13));
            simd::store_i16(v14, chunk_mut(end, 14));
            simd::store_i16(v15, chunk_mut(end, 15));
            if FIRST {
                simd::store_i32x8(psqt_0, chunk_mut(&mut kept.psqt, 0));
            }
        }
    }
    /// The `index`-th vector of bytes of a perspective.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    fn packed(half: &Half, index: usize) -> simd::U8 {
        let first = chunk::<i16, 512>(&half.values, 0);
        let second = chunk::<i16, 512>(&half.values, 1);
        simd::product_to_127::<
            7,
        >(
            [
                simd::load_i16(chunk(first, 2 * index)),
                simd::load_i16(chunk(first, 2 * index + 1)),
            ],
            [
                simd::load_i16(chunk(second, 2 * index)),
                simd::load_i16(chunk(second, 2 * index + 1)),
            ],
        )
    }
    /// The layers' inputs, of accumulators.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    fn transform(
        first: &Half,
        second: &Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for vector in 0..8 {
            let packed_0 = packed(first, vector);
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 16 * vector, [packed_0]);
        }
        for vector in 0..8 {
            let packed_0 = packed(second, vector);
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 16 * vector + 128, [packed_0]);
        }
    }
    /// Adds a move's rows to the sums of an output vector.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 1024],
        removed: &[&[i16; 1024]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        let mut v2 = simd::load_i16(chunk(&before.values, 2 * index + 16));
        let mut v3 = simd::load_i16(chunk(&before.values, 2 * index + 17));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2 * index + 16)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 2 * index + 17)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2 * index + 16)));
        v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 2 * index + 17)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
        simd::store_i16(v2, chunk_mut(&mut after.values, 2 * index + 16));
        simd::store_i16(v3, chunk_mut(&mut after.values, 2 * index + 17));
    }
    /// The same, while a move's rows are added and the sums are stored.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "rows of both perspectives")]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    fn transform_moved<const REMOVED: usize>(
        first_before: &Half,
        first_added: &[i16; 1024],
        first_removed: [&[i16; 1024]; REMOVED],
        first: &mut Half,
        second_before: &Half,
        second_added: &[i16; 1024],
        second_removed: [&[i16; 1024]; REMOVED],
        second: &mut Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for vector in 0..8 {
            let packed_0 = {
                move_part(first_before, first_added, &first_removed, first, vector);
                packed(first, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 16 * vector, [packed_0]);
        }
        for vector in 0..8 {
            let packed_0 = {
                move_part(second_before, second_added, &second_removed, second, vector);
                packed(second, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            simd::append_nonzero(nonzero, 16 * vector + 128, [packed_0]);
        }
    }
    /// The evaluation of accumulators.
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    pub(super) fn propagate(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform(first, second, &mut output, nonzero);
        let transformer = output.finish();
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
    /// The layers and the output, which follow from the layers' inputs.
    #[inline(never)]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    fn layers(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        transformer: &[[u8; 4]; 256],
        nonzero: &mut NonZero<256, 288>,
        proved: Proved,
    ) -> Output {
        let stack = buffer::row(stacks, bucket as u32);
        let fc_0_out = {
            if proved.layer(0) {
                let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 0)));
                let mut sum_1 = simd::dots(simd::zero_i32());
                let (groups, rest) = nonzero.groups::<4>();
                for blocks in groups {
                    {
                        let inputs = [
                            simd::splat_block(blocks[0].of(transformer)),
                            simd::splat_block(blocks[1].of(transformer)),
                        ];
                        let [a, b] = [
                            blocks[0].of(&stack.fc_0_weights),
                            blocks[1].of(&stack.fc_0_weights),
                        ];
                        sum_0 = simd::dot_two(
                            sum_0,
                            inputs,
                            [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                        );
                    }
                    {
                        let inputs = [
                            simd::splat_block(blocks[2].of(transformer)),
                            simd::splat_block(blocks[3].of(transformer)),
                        ];
                        let [a, b] = [
                            blocks[2].of(&stack.fc_0_weights),
                            blocks[3].of(&stack.fc_0_weights),
                        ];
                        sum_1 = simd::dot_two(
                            sum_1,
                            inputs,
                            [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                        );
                    }
                }
                {
                    let inputs = simd::splat_block(&rest.inputs(0, transformer));
                    let weights = rest.block(0).of(&stack.fc_0_weights);
                    sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                }
                {
                    let inputs = simd::splat_block(&rest.inputs(1, transformer));
                    let weights = rest.block(1).of(&stack.fc_0_weights);
                    sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 0)));
                }
                {
                    let inputs = simd::splat_block(&rest.inputs(2, transformer));
                    let weights = rest.block(2).of(&stack.fc_0_weights);
                    sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                }
                let mut sums = Aligned([0i32; 16]);
                simd::store_i32(
                    simd::add_i32(simd::sum_dots(sum_0), simd::sum_dots(sum_1)),
                    chunk_mut(&mut sums.0, 0),
                );
                sums
            } else {
                let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 0)));
                let mut sum_1 = simd::dots(simd::zero_i32());
                let (groups, rest) = nonzero.groups::<2>();
                for blocks in groups {
                    let inputs = simd::splat_block(blocks[0].of(transformer));
                    let weights = blocks[0].of(&stack.fc_0_weights);
                    sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                    let inputs = simd::splat_block(blocks[1].of(transformer));
                    let weights = blocks[1].of(&stack.fc_0_weights);
                    sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 0)));
                }
                {
                    let inputs = simd::splat_block(&rest.inputs(0, transformer));
                    let weights = rest.block(0).of(&stack.fc_0_weights);
                    sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                }
                {
                    let inputs = simd::splat_block(&rest.inputs(1, transformer));
                    let weights = rest.block(1).of(&stack.fc_0_weights);
                    sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 0)));
                }
                let mut sums = Aligned([0i32; 16]);
                simd::store_i32(
                    simd::add_i32(simd::sum_dots(sum_0), simd::sum_dots(sum_1)),
                    chunk_mut(&mut sums.0, 0),
                );
                sums
            }
        };
        let ac_sqr_0_out = Aligned(
            activation::sqr_crelu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 19, 127),
        );
        let ac_0_out = Aligned(
            activation::relu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 6, 127),
        );
        let mut fc_1_input = Aligned([[0u8; 4]; 8]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 0, &ac_sqr_0_out.0[0..16]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 16, &ac_0_out.0[0..16]);
        let fc_1_input = &buffer::hidden(&fc_1_input).0;
        let fc_1_out = {
            if proved.layer(3) {
                let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 0)));
                let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 1)));
                let inputs = [
                    simd::splat_block(&fc_1_input[0]),
                    simd::splat_block(&fc_1_input[4]),
                ];
                let [a, b] = [&stack.fc_1_weights[0], &stack.fc_1_weights[4]];
                sum_0 = simd::dot_two(
                    sum_0,
                    inputs,
                    [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                );
                sum_1 = simd::dot_two(
                    sum_1,
                    inputs,
                    [simd::load_i8(chunk(a, 1)), simd::load_i8(chunk(b, 1))],
                );
                let inputs = [
                    simd::splat_block(&fc_1_input[1]),
                    simd::splat_block(&fc_1_input[5]),
                ];
                let [a, b] = [&stack.fc_1_weights[1], &stack.fc_1_weights[5]];
                sum_0 = simd::dot_two(
                    sum_0,
                    inputs,
                    [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                );
                sum_1 = simd::dot_two(
                    sum_1,
                    inputs,
                    [simd::load_i8(chunk(a, 1)), simd::load_i8(chunk(b, 1))],
                );
                let inputs = [
                    simd::splat_block(&fc_1_input[2]),
                    simd::splat_block(&fc_1_input[6]),
                ];
                let [a, b] = [&stack.fc_1_weights[2], &stack.fc_1_weights[6]];
                sum_0 = simd::dot_two(
                    sum_0,
                    inputs,
                    [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                );
                sum_1 = simd::dot_two(
                    sum_1,
                    inputs,
                    [simd::load_i8(chunk(a, 1)), simd::load_i8(chunk(b, 1))],
                );
                let inputs = [
                    simd::splat_block(&fc_1_input[3]),
                    simd::splat_block(&fc_1_input[7]),
                ];
                let [a, b] = [&stack.fc_1_weights[3], &stack.fc_1_weights[7]];
                sum_0 = simd::dot_two(
                    sum_0,
                    inputs,
                    [simd::load_i8(chunk(a, 0)), simd::load_i8(chunk(b, 0))],
                );
                sum_1 = simd::dot_two(
                    sum_1,
                    inputs,
                    [simd::load_i8(chunk(a, 1)), simd::load_i8(chunk(b, 1))],
                );
                let mut sums = Aligned([0i32; 32]);
                simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
                simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
                sums
            } else {
                let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 0)));
                let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 1)));
                let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 0));
                let weights = &stack.fc_1_weights[0];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 0));
                let weights = &stack.fc_1_weights[1];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 0));
                let weights = &stack.fc_1_weights[2];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 0));
                let weights = &stack.fc_1_weights[3];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 1));
                let weights = &stack.fc_1_weights[4];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 1));
                let weights = &stack.fc_1_weights[5];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 1));
                let weights = &stack.fc_1_weights[6];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 1));
                let weights = &stack.fc_1_weights[7];
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                let mut sums = Aligned([0i32; 32]);
                simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
                simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
                sums
            }
        };
        let ac_1_out = Aligned(
            activation::relu::<u8, 32>(buffer::run(&fc_1_out.0, 0), 6, 127),
        );
        let fc_2_out = {
            let inputs = &ac_1_out.0;
            Aligned([
                stack
                    .fc_2_biases[0]
                    .wrapping_add(simd::dot_row(inputs, &stack.fc_2_weights[0])),
            ])
        };
        let psqt = buffer::row(&first.psqt, bucket as u32)
            .wrapping_sub(*buffer::row(&second.psqt, bucket as u32)) / 2;
        let sum = fc_2_out.0[0] as i64 + fc_0_out.0[15] as i64 * 150 / 127;
        let positional = sum as i32;
        let value = psqt.wrapping_add(positional) / 16;
        Output { psqt, positional, value }
    }
    /// [`moved`] for a move that takes nothing.
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    pub(super) fn quiet(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed], after, bucket, proved)
    }
    /// [`moved`] for a capture.
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    pub(super) fn capture(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        captured: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed, captured], after, bucket, proved)
    }
    /// The evaluation after a move, whose rows lead from `before` to `after`.
    #[inline]
    #[allow(
        clippy::too_many_arguments,
        reason = "what an update and a forward pass need"
    )]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    fn moved<const REMOVED: usize>(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [[u32; 2]; REMOVED],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let ([first_before, second_before], [first, second]) = (before, after);
        let row = |number: u32| buffer::row(&weights.transformer_weights, number);
        let (first_added, first_removed) = (
            row(added[0]),
            removed.map(|rows| row(rows[0])),
        );
        let (second_added, second_removed) = (
            row(added[1]),
            removed.map(|rows| row(rows[1])),
        );
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform_moved(
            first_before,
            first_added,
            first_removed,
            first,
            second_before,
            second_added,
            second_removed,
            second,
            &mut output,
            nonzero,
        );
        let transformer = output.finish();
        update_psqt(
            weights,
            first_before,
            [&added[0]],
            removed.each_ref().map(|rows| &rows[0]),
            first,
        );
        update_psqt(
            weights,
            second_before,
            [&added[1]],
            removed.each_ref().map(|rows| &rows[1]),
            second,
        );
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
}
/// Kernels for the level `avx512icl`.
#[doc(hidden)]
#[cfg(target_arch = "x86_64")]
mod avx512icl {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, chunk, chunk_mut},
        simd::{InputWriter, Inputs, NonZero, avx512icl as simd},
    };
    pub(super) use super::avx512::{accumulate, refresh};
    use super::avx512::update_psqt;
    /// The `index`-th vector of bytes of a perspective.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    fn packed(half: &Half, index: usize) -> simd::U8 {
        let first = chunk::<i16, 512>(&half.values, 0);
        let second = chunk::<i16, 512>(&half.values, 1);
        simd::product_to_127::<
            7,
        >(
            [
                simd::load_i16(chunk(first, 2 * index)),
                simd::load_i16(chunk(first, 2 * index + 1)),
            ],
            [
                simd::load_i16(chunk(second, 2 * index)),
                simd::load_i16(chunk(second, 2 * index + 1)),
            ],
        )
    }
    /// The layers' inputs, of accumulators.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    fn transform(
        first: &Half,
        second: &Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for group in 0..4 {
            let vector = 2 * group;
            let packed_0 = packed(first, vector);
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = packed(first, vector + 1);
            output.push(simd::bytes_u8(packed_1));
            simd::append_nonzero(nonzero, 16 * vector, [packed_0, packed_1]);
        }
        for group in 0..4 {
            let vector = 2 * group;
            let packed_0 = packed(second, vector);
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = packed(second, vector + 1);
            output.push(simd::bytes_u8(packed_1));
            simd::append_nonzero(nonzero, 16 * vector + 128, [packed_0, packed_1]);
        }
    }
    /// Adds a move's rows to the sums of an output vector.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 1024],
        removed: &[&[i16; 1024]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        let mut v2 = simd::load_i16(chunk(&before.values, 2 * index + 16));
        let mut v3 = simd::load_i16(chunk(&before.values, 2 * index + 17));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2 * index + 16)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 2 * index + 17)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2 * index + 16)));
        v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 2 * index + 17)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
        simd::store_i16(v2, chunk_mut(&mut after.values, 2 * index + 16));
        simd::store_i16(v3, chunk_mut(&mut after.values, 2 * index + 17));
    }
    /// The same, while a move's rows are added and the sums are stored.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "rows of both perspectives")]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    fn transform_moved<const REMOVED: usize>(
        first_before: &Half,
        first_added: &[i16; 1024],
        first_removed: [&[i16; 1024]; REMOVED],
        first: &mut Half,
        second_before: &Half,
        second_added: &[i16; 1024],
        second_removed: [&[i16; 1024]; REMOVED],
        second: &mut Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for group in 0..4 {
            let vector = 2 * group;
            let packed_0 = {
                move_part(first_before, first_added, &first_removed, first, vector);
                packed(first, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = {
                move_part(first_before, first_added, &first_removed, first, vector + 1);
                packed(first, vector + 1)
            };
            output.push(simd::bytes_u8(packed_1));
            simd::append_nonzero(nonzero, 16 * vector, [packed_0, packed_1]);
        }
        for group in 0..4 {
            let vector = 2 * group;
            let packed_0 = {
                move_part(second_before, second_added, &second_removed, second, vector);
                packed(second, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = {
                move_part(
                    second_before,
                    second_added,
                    &second_removed,
                    second,
                    vector + 1,
                );
                packed(second, vector + 1)
            };
            output.push(simd::bytes_u8(packed_1));
            simd::append_nonzero(nonzero, 16 * vector + 128, [packed_0, packed_1]);
        }
    }
    /// The evaluation of accumulators.
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    pub(super) fn propagate(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform(first, second, &mut output, nonzero);
        let transformer = output.finish();
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
    /// The layers and the output, which follow from the layers' inputs.
    #[inline(never)]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    fn layers(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        transformer: &[[u8; 4]; 256],
        nonzero: &mut NonZero<256, 288>,
        _proved: Proved,
    ) -> Output {
        let stack = buffer::row(stacks, bucket as u32);
        let fc_0_out = {
            let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 0)));
            let mut sum_1 = simd::dots(simd::zero_i32());
            let mut sum_2 = simd::dots(simd::zero_i32());
            let mut sum_3 = simd::dots(simd::zero_i32());
            let mut sum_4 = simd::dots(simd::zero_i32());
            let mut sum_5 = simd::dots(simd::zero_i32());
            let mut sum_6 = simd::dots(simd::zero_i32());
            let mut sum_7 = simd::dots(simd::zero_i32());
            let (groups, rest) = nonzero.groups::<8>();
            for blocks in groups {
                let inputs = simd::splat_block(blocks[0].of(transformer));
                let weights = blocks[0].of(&stack.fc_0_weights);
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                let inputs = simd::splat_block(blocks[1].of(transformer));
                let weights = blocks[1].of(&stack.fc_0_weights);
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 0)));
                let inputs = simd::splat_block(blocks[2].of(transformer));
                let weights = blocks[2].of(&stack.fc_0_weights);
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 0)));
                let inputs = simd::splat_block(blocks[3].of(transformer));
                let weights = blocks[3].of(&stack.fc_0_weights);
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 0)));
                let inputs = simd::splat_block(blocks[4].of(transformer));
                let weights = blocks[4].of(&stack.fc_0_weights);
                sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 0)));
                let inputs = simd::splat_block(blocks[5].of(transformer));
                let weights = blocks[5].of(&stack.fc_0_weights);
                sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 0)));
                let inputs = simd::splat_block(blocks[6].of(transformer));
                let weights = blocks[6].of(&stack.fc_0_weights);
                sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 0)));
                let inputs = simd::splat_block(blocks[7].of(transformer));
                let weights = blocks[7].of(&stack.fc_0_weights);
                sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 0)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(0, transformer));
                let weights = rest.block(0).of(&stack.fc_0_weights);
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(1, transformer));
                let weights = rest.block(1).of(&stack.fc_0_weights);
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 0)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(2, transformer));
                let weights = rest.block(2).of(&stack.fc_0_weights);
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 0)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(3, transformer));
                let weights = rest.block(3).of(&stack.fc_0_weights);
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 0)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(4, transformer));
                let weights = rest.block(4).of(&stack.fc_0_weights);
                sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 0)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(5, transformer));
                let weights = rest.block(5).of(&stack.fc_0_weights);
                sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 0)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(6, transformer));
                let weights = rest.block(6).of(&stack.fc_0_weights);
                sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 0)));
            }
            {
                let inputs = simd::splat_block(&rest.inputs(7, transformer));
                let weights = rest.block(7).of(&stack.fc_0_weights);
                sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 0)));
            }
            let mut sums = Aligned([0i32; 16]);
            simd::store_i32(
                simd::add_i32(
                    simd::add_i32(
                        simd::add_i32(simd::sum_dots(sum_0), simd::sum_dots(sum_1)),
                        simd::add_i32(simd::sum_dots(sum_2), simd::sum_dots(sum_3)),
                    ),
                    simd::add_i32(
                        simd::add_i32(simd::sum_dots(sum_4), simd::sum_dots(sum_5)),
                        simd::add_i32(simd::sum_dots(sum_6), simd::sum_dots(sum_7)),
                    ),
                ),
                chunk_mut(&mut sums.0, 0),
            );
            sums
        };
        let ac_sqr_0_out = Aligned(
            activation::sqr_crelu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 19, 127),
        );
        let ac_0_out = Aligned(
            activation::relu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 6, 127),
        );
        let mut fc_1_input = Aligned([[0u8; 4]; 8]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 0, &ac_sqr_0_out.0[0..16]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 16, &ac_0_out.0[0..16]);
        let fc_1_input = &buffer::hidden(&fc_1_input).0;
        let fc_1_out = {
            let mut sum_0_0 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 0)));
            let mut sum_0_1 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 1)));
            let mut sum_1_0 = simd::dots(simd::zero_i32());
            let mut sum_1_1 = simd::dots(simd::zero_i32());
            let mut sum_2_0 = simd::dots(simd::zero_i32());
            let mut sum_2_1 = simd::dots(simd::zero_i32());
            let mut sum_3_0 = simd::dots(simd::zero_i32());
            let mut sum_3_1 = simd::dots(simd::zero_i32());
            let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[0];
            sum_0_0 = simd::dot(sum_0_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_0_1 = simd::dot(sum_0_1, inputs, simd::load_i8(chunk(weights, 1)));
            let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[1];
            sum_1_0 = simd::dot(sum_1_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1_1 = simd::dot(sum_1_1, inputs, simd::load_i8(chunk(weights, 1)));
            let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[2];
            sum_2_0 = simd::dot(sum_2_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_2_1 = simd::dot(sum_2_1, inputs, simd::load_i8(chunk(weights, 1)));
            let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[3];
            sum_3_0 = simd::dot(sum_3_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_3_1 = simd::dot(sum_3_1, inputs, simd::load_i8(chunk(weights, 1)));
            let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[4];
            sum_0_0 = simd::dot(sum_0_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_0_1 = simd::dot(sum_0_1, inputs, simd::load_i8(chunk(weights, 1)));
            let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[5];
            sum_1_0 = simd::dot(sum_1_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1_1 = simd::dot(sum_1_1, inputs, simd::load_i8(chunk(weights, 1)));
            let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[6];
            sum_2_0 = simd::dot(sum_2_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_2_1 = simd::dot(sum_2_1, inputs, simd::load_i8(chunk(weights, 1)));
            let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[7];
            sum_3_0 = simd::dot(sum_3_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_3_1 = simd::dot(sum_3_1, inputs, simd::load_i8(chunk(weights, 1)));
            let mut sums = Aligned([0i32; 32]);
            simd::store_i32(
                simd::add_i32(
                    simd::add_i32(simd::sum_dots(sum_0_0), simd::sum_dots(sum_1_0)),
                    simd::add_i32(simd::sum_dots(sum_2_0), simd::sum_dots(sum_3_0)),
                ),
                chunk_mut(&mut sums.0, 0),
            );
            simd::store_i32(
                simd::add_i32(
                    simd::add_i32(simd::sum_dots(sum_0_1), simd::sum_dots(sum_1_1)),
                    simd::add_i32(simd::sum_dots(sum_2_1), simd::sum_dots(sum_3_1)),
                ),
                chunk_mut(&mut sums.0, 1),
            );
            sums
        };
        let ac_1_out = Aligned(
            activation::relu::<u8, 32>(buffer::run(&fc_1_out.0, 0), 6, 127),
        );
        let fc_2_out = {
            let inputs = &ac_1_out.0;
            Aligned([
                stack
                    .fc_2_biases[0]
                    .wrapping_add(simd::dot_row(inputs, &stack.fc_2_weights[0])),
            ])
        };
        let psqt = buffer::row(&first.psqt, bucket as u32)
            .wrapping_sub(*buffer::row(&second.psqt, bucket as u32)) / 2;
        let sum = fc_2_out.0[0] as i64 + fc_0_out.0[15] as i64 * 150 / 127;
        let positional = sum as i32;
        let value = psqt.wrapping_add(positional) / 16;
        Output { psqt, positional, value }
    }
    /// [`moved`] for a move that takes nothing.
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    pub(super) fn quiet(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed], after, bucket, proved)
    }
    /// [`moved`] for a capture.
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    pub(super) fn capture(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        captured: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed, captured], after, bucket, proved)
    }
    /// The evaluation after a move, whose rows lead from `before` to `after`.
    #[inline]
    #[allow(
        clippy::too_many_arguments,
        reason = "what an update and a forward pass need"
    )]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    fn moved<const REMOVED: usize>(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [[u32; 2]; REMOVED],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let ([first_before, second_before], [first, second]) = (before, after);
        let row = |number: u32| buffer::row(&weights.transformer_weights, number);
        let (first_added, first_removed) = (
            row(added[0]),
            removed.map(|rows| row(rows[0])),
        );
        let (second_added, second_removed) = (
            row(added[1]),
            removed.map(|rows| row(rows[1])),
        );
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform_moved(
            first_before,
            first_added,
            first_removed,
            first,
            second_before,
            second_added,
            second_removed,
            second,
            &mut output,
            nonzero,
        );
        let transformer = output.finish();
        update_psqt(
            weights,
            first_before,
            [&added[0]],
            removed.each_ref().map(|rows| &rows[0]),
            first,
        );
        update_psqt(
            weights,
            second_before,
            [&added[1]],
            removed.each_ref().map(|rows| &rows[1]),
            second,
        );
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
}
