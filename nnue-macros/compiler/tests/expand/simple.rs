/// bullet simple: what the network computes, and what its net file holds.
///
/// ```text
/// bullet simple: A[768] -> 128 x 2 -> 1
///
/// tensor       shape    type  1.0 is  range               computed as
/// accumulator  2 x 128  i16      255                      biases + active features' rows
/// transformer  256      u16    65025  0..=65025           clamp(accumulator, 0, 255) squared
/// l1           1        i32    16320  -8421504..=8421504  affine(transformer), i16 with one 64, sums / 255 before biases
/// positional   1        i32    16320                      l1
/// value        1        i32      400                      positional * 400 / 16320
///
/// order: the side to move's half first
/// ```
///
/// Shifts round down, divisions towards zero unless they say otherwise. Ranges leave biases aside.
///
/// # Net file
///
/// Numbers are little-endian; a shape's last axis is contiguous.
///
/// | at | bytes | content | type | shape | 1.0 is |
/// |---|---|---|---|---|---|
/// | `0` | 196608 | `transformer.weights` (`l0w`) | `i16` | 768 x 128 (feature, neuron) | 255 |
/// | `196608` | 256 | `transformer.biases` (`l0b`) | `i16` | 128 | 255 |
/// | `196864` | 512 | `l1.weights` (`l1w`) | `i16` | 256 x 1 x 1 | 64 |
/// | `197376` | 2 | `l1.biases` (`l1b`) | `i16` | 1 x 1 | 16320 |
///
/// `bullet`, repeated, pads the file to a multiple of 64 bytes.
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
/// The weights of bullet simple, laid out for one instruction set: 197440 bytes.
///
/// ```text
/// bullet simple: A[768] -> 128 x 2 -> 1
///
/// tensor       shape    type  computed as
/// accumulator  2 x 128  i16   biases + active features' rows
/// transformer  256      u16   clamp(accumulator, 0, 255) squared
/// l1           1        i32   affine(transformer), i16 with one 64, sums / 255 before biases
/// positional   1        i32   l1
/// value        1        i32   positional * 400 / 16320
/// ```
///
/// Its net files have 197440 bytes. [`Net`] has scales, ranges, and the tables of a file.
pub type Network = ::nnue_runtime::Network<Net>;
/// The accumulator of bullet simple: for each perspective 128 sums (`i16`, 1.0 is 255), 512 bytes in all.
///
/// It fits no other network.
pub type Accumulator = ::nnue_runtime::Accumulator<Net>;
/// The evaluation of a position that follows a search; `N` is how the network is held: `&Network`, `Arc<Network>`.
///
/// ```text
/// bullet simple: A[768] -> 128 x 2 -> 1
/// ```
pub type Evaluator<N> = ::nnue_runtime::Evaluator<Net, N>;
pub use ::nnue_runtime::Output;
/// The network's name.
pub const NAME: &str = "bullet simple";
/// Neurons of the transformer per perspective.
///
/// ```text
/// bullet simple: A[768] -> 128 x 2 -> 1
/// ```
pub const WIDTH: usize = 128;
/// Rows of the transformer, one per feature: `A[768]`.
pub const FEATURES: usize = 768;
/// Layer stacks, one per bucket; every position uses the only one.
pub const BUCKETS: usize = 1;
/// One perspective's accumulator: biases plus the rows of all active features.
///
/// 256 bytes, aligned to 64.
#[doc(hidden)]
#[repr(C, align(64))]
pub struct Half {
    /// one value per neuron; at byte 0, 256 bytes
    pub values: [i16; 128],
}
/// The layers behind the transformer, for one bucket.
///
/// 576 bytes, aligned to 64.
#[doc(hidden)]
#[repr(C, align(64))]
pub struct Stack {
    /// biases of `l1`: 1 output, 1.0 is 16320; at byte 0, 4 bytes
    pub l1_biases: [i32; 1],
    _after_l1_biases: [u8; 60],
    /// weights of `l1`, `[outputs][inputs]`: 256 inputs in 256 slots; at byte 64, 512 bytes
    pub l1_weights: [[i16; 256]; 1],
}
/// All weights, as the kernels read them.
///
/// 197440 bytes, aligned to 64.
#[doc(hidden)]
#[repr(C, align(64))]
pub struct Weights {
    /// one row per feature; at byte 0, 196608 bytes
    pub transformer_weights: [[i16; 128]; 768],
    /// the accumulator of an empty board: the biases; at byte 196608, 256 bytes
    pub transformer_biases: Half,
    /// one per bucket; at byte 196864, 576 bytes
    pub stacks: [Stack; 1],
}
/// All that the layers read.
#[doc(hidden)]
pub type Stacks = [Stack; 1];
const _: () = {
    use ::nnue_runtime::{
        Architecture, Color, Level, Order, SelectedByPieces, line, neurons,
    };
    use ::nnue_runtime::__private::{
        Proved, buffer, core::option::Option, features, file, kernels, memory, proof,
        simd,
    };
    memory::plain!(Half { values });
    memory::assert_layout!(Half : 256 bytes { values : 0 });
    memory::plain!(Stack { l1_biases, _after_l1_biases, l1_weights });
    memory::assert_layout!(Stack : 576 bytes { l1_biases : 0, l1_weights : 64 });
    memory::plain!(Weights { transformer_weights, transformer_biases, stacks });
    memory::assert_layout!(
        Weights : 197440 bytes { transformer_weights : 0, transformer_biases : 196608,
        stacks : 196864 }
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
                rows: 768,
                shift: 0,
                max_active: 32,
                family: features::Family::PieceSquare(features::PieceSquare {
                    flip: [0, 56],
                    mirror_files: 0,
                    king_offset: [
                        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                    ],
                    materials: features::Material::list([]),
                    threatened: features::PieceSquare::NO_THREATENED,
                    planes: features::PieceSquare::planes([
                        [0, 64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704],
                        [384, 448, 512, 576, 640, 704, 0, 64, 128, 192, 256, 320],
                    ]),
                }),
            },
        ];
        const FILE: &'static file::FileLayout = {
            const SECTIONS: &[file::Section] = &[
                file::Section::named(
                    file::Role::Weights(0),
                    "transformer.weights",
                    "l0w",
                    [1, 768, 128],
                    file::Stored::new(file::Element::I16, [0, 128, 1], 98304),
                    file::Placed::new(
                        file::Form::Rows,
                        file::Element::I16,
                        [0, 0],
                        [768, 128],
                        &[],
                    ),
                ),
                file::Section::named(
                    file::Role::Biases(0),
                    "transformer.biases",
                    "l0b",
                    [1, 1, 128],
                    file::Stored::new(file::Element::I16, [0, 0, 1], 128),
                    file::Placed::new(
                        file::Form::Rows,
                        file::Element::I16,
                        [196608, 0],
                        [1, 128],
                        &[],
                    ),
                ),
                file::Section::named(
                    file::Role::LayerWeights(0),
                    "l1.weights",
                    "l1w",
                    [1, 1, 256],
                    file::Stored::new(file::Element::I16, [0, 0, 1], 256),
                    file::Placed::new(
                        file::Form::Rows,
                        file::Element::I16,
                        [196928, 0],
                        [1, 256],
                        &[
                            file::Segment::run(0, 0, 128),
                            file::Segment::run(128, 128, 128),
                        ],
                    ),
                ),
                file::Section::named(
                    file::Role::LayerBiases(0),
                    "l1.biases",
                    "l1b",
                    [1, 1, 1],
                    file::Stored::new(file::Element::I16, [0, 0, 1], 1),
                    file::Placed::new(
                        file::Form::Rows,
                        file::Element::I32,
                        [196864, 0],
                        [1, 1],
                        &[],
                    ),
                ),
            ];
            &file::FileLayout {
                name: file::Text::Borrowed("bullet simple"),
                format: file::Format::Sequence,
                sections: file::list(SECTIONS),
                stacks: file::Stacks::NONE,
                tail: file::Tail {
                    text: b"bullet",
                    multiple: 64,
                },
                extents: file::list(
                    &[
                        file::Extent {
                            name: "neurons",
                            count: 128,
                            unit: 16,
                            bytes: 1542,
                        },
                        file::Extent {
                            name: "features",
                            count: 768,
                            unit: 64,
                            bytes: 256,
                        },
                        file::Extent {
                            name: "stacks",
                            count: 1,
                            unit: 1,
                            bytes: 514,
                        },
                    ],
                ),
                coalesced: file::list(&[]),
                paired: file::list(&[]),
            }
        };
        const NEURONS: neurons::Neurons = neurons::Neurons {
            outputs: 128,
            perspectives: 2,
            activation: neurons::Activation::Screlu {
                one: 255,
                summand: 0,
                shift: 0,
            },
            pooling: neurons::Pooling::None,
            block: 128,
            unpooled: 0,
            order: &[],
            skipped: neurons::Skipped::Nothing,
            readers: &[
                neurons::Reader {
                    layer: 0,
                    name: "l1.weights",
                    runs: file::list(
                        &[
                            neurons::Run {
                                column: 0,
                                step: 1,
                                output: 0,
                                len: 128,
                            },
                            neurons::Run {
                                column: 128,
                                step: 1,
                                output: 0,
                                len: 128,
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
                    name: "l1",
                    index: 0,
                    inputs: 0..=65025,
                };
                proofs.sums(&layer, &stack.l1_biases, proof::rows(&stack.l1_weights));
                proofs.roots(&layer, 255, stack.l1_weights.as_flattened());
            }
            proofs
        }
        #[inline]
        fn prefetch(weights: &Weights, _: usize, row: u32) {
            simd::prefetch::<_, 2>(buffer::row(&weights.transformer_weights, row));
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
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0,
        ];
    }
};
/// Kernels for the level `scalar`.
#[doc(hidden)]
mod scalar {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, Base, chunk, chunk_mut},
        core::option::Option, kernels, simd::scalar as simd,
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
                tile(weights, base, added, removed, into, 0);
                tile(weights, base, added, removed, into, 1);
            }
        }
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
        for index in 0..16 {
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
    }
    /// `into = base = base + added rows - removed rows`, where `base` is an entry of the cache.
    pub(super) fn refresh(
        weights: &Weights,
        base: &mut Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
    ) {
        tile(weights, &mut *base, added, removed, into, 0);
        tile(weights, &mut *base, added, removed, into, 1);
    }
    /// A run of sums, which stay in registers while rows are added and removed.
    #[inline]
    fn tile(
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
        }
    }
    #[inline]
    fn activated(values: &[i16; 8]) -> simd::I16 {
        let x = simd::load_i16(values);
        simd::min_i16(simd::max_i16(x, simd::splat_i16(0)), simd::splat_i16(255))
    }
    /// The layers' inputs, of accumulators.
    #[inline]
    fn transform(first: &Half, second: &Half, output: &mut [i16; 256]) {
        for index in 0..16 {
            simd::store_i16(
                activated(chunk(&first.values, index)),
                chunk_mut(output, index),
            );
            simd::store_i16(
                activated(chunk(&second.values, index)),
                chunk_mut(output, index + 16),
            );
        }
    }
    /// The same, while a move's rows are added and the sums are stored.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "rows of both perspectives")]
    fn transform_moved<const REMOVED: usize>(
        first_before: &Half,
        first_added: &[i16; 128],
        first_removed: [&[i16; 128]; REMOVED],
        first: &mut Half,
        second_before: &Half,
        second_added: &[i16; 128],
        second_removed: [&[i16; 128]; REMOVED],
        second: &mut Half,
        output: &mut [i16; 256],
    ) {
        for index in 0..16 {
            simd::store_i16(
                {
                    move_part(first_before, first_added, &first_removed, first, index);
                    activated(chunk(&first.values, index))
                },
                chunk_mut(output, index),
            );
            simd::store_i16(
                {
                    move_part(
                        second_before,
                        second_added,
                        &second_removed,
                        second,
                        index,
                    );
                    activated(chunk(&second.values, index))
                },
                chunk_mut(output, index + 16),
            );
        }
    }
    /// Adds a move's rows to the sums of an output vector.
    #[inline]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 128],
        removed: &[&[i16; 128]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, index));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, index)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, index)));
        simd::store_i16(v0, chunk_mut(&mut after.values, index));
    }
    /// The evaluation of accumulators.
    pub(super) fn propagate(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let mut inputs = Aligned([0i16; 256]);
        transform(first, second, &mut inputs.0);
        let transformer = &inputs.0;
        layers(stacks, bucket, transformer, proved)
    }
    /// The layers and the output, which follow from the layers' inputs.
    #[inline(never)]
    fn layers(
        stacks: &Stacks,
        bucket: usize,
        transformer: &[i16; 256],
        proved: Proved,
    ) -> Output {
        let stack = buffer::row(stacks, bucket as u32);
        let l1_out = {
            let sums = {
                if proved.layer(0) {
                    Aligned(
                        kernels::affine_squares(transformer, &stack.l1_weights, &[0; 1]),
                    )
                } else {
                    Aligned(
                        kernels::affine_squares_exact(
                            transformer,
                            &stack.l1_weights,
                            &[0; 1],
                        ),
                    )
                }
            }
                .0;
            let sums = activation::divide_truncating(&sums, 255);
            Aligned(activation::add_biases(&sums, &stack.l1_biases))
        };
        let psqt = 0i32;
        let sum = l1_out.0[0] as i64;
        let positional = sum as i32;
        let value = (psqt.wrapping_add(positional) as i64 * 400 / 16320) as i32;
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
        let mut inputs = Aligned([0i16; 256]);
        transform_moved(
            first_before,
            first_added,
            first_removed,
            first,
            second_before,
            second_added,
            second_removed,
            second,
            &mut inputs.0,
        );
        let transformer = &inputs.0;
        layers(stacks, bucket, transformer, proved)
    }
}
/// Kernels for the level `avx2`.
#[doc(hidden)]
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, Base, chunk, chunk_mut},
        core::option::Option, simd::avx2 as simd,
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
                tile(weights, base, added, removed, into, 0);
            }
        }
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
        for index in 0..8 {
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
        tile(weights, &mut *base, added, removed, into, 0);
    }
    /// A run of sums, which stay in registers while rows are added and removed.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    fn tile(
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
        }
    }
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    fn activated(values: &[i16; 32]) -> [simd::I16; 2] {
        simd::clip_to_255(
            simd::load_i16(chunk(values, 0)),
            simd::load_i16(chunk(values, 1)),
        )
    }
    /// Adds a move's rows to the sums of an output vector.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 128],
        removed: &[&[i16; 128]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
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
        let stack = buffer::row(stacks, bucket as u32);
        let l1_out = {
            let sums = {
                if proved.layer(0) {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    for round in 0..4 {
                        let [x0, x1] = activated(chunk(&first.values, round));
                        let x = x0;
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, simd::mul_low_i16(x, w), x);
                        let [x0, x1] = activated(chunk(&second.values, round));
                        let x = x0;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 8),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 9),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, simd::mul_low_i16(x, w), x);
                    }
                    sums.0[0] = simd::sum_i32(
                        simd::add_i32(
                            simd::add_i32(sum_0_0, sum_1_0),
                            simd::add_i32(sum_2_0, sum_3_0),
                        ),
                    );
                    sums
                } else {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut tops_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut tops_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut tops_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    let mut tops_3_0 = simd::zero_i32();
                    for round in 0..4 {
                        let [x0, x1] = activated(chunk(&first.values, round));
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, x, w);
                        tops_0_0 = simd::madd_i16(tops_0_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, x, w);
                        tops_1_0 = simd::madd_i16(tops_1_0, top, w);
                        let [x0, x1] = activated(chunk(&second.values, round));
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 8),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, x, w);
                        tops_2_0 = simd::madd_i16(tops_2_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 9),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, x, w);
                        tops_3_0 = simd::madd_i16(tops_3_0, top, w);
                    }
                    sums.0[0] = simd::sum_i32(
                            simd::add_i32(
                                simd::add_i32(sum_0_0, sum_1_0),
                                simd::add_i32(sum_2_0, sum_3_0),
                            ),
                        )
                        .wrapping_sub(
                            simd::sum_i32(
                                simd::add_i32(
                                    simd::add_i32(tops_0_0, tops_1_0),
                                    simd::add_i32(tops_2_0, tops_3_0),
                                ),
                            ) << 16,
                        );
                    sums
                }
            }
                .0;
            let sums = activation::divide_truncating(&sums, 255);
            Aligned(activation::add_biases(&sums, &stack.l1_biases))
        };
        let psqt = 0i32;
        let sum = l1_out.0[0] as i64;
        let positional = sum as i32;
        let value = (psqt.wrapping_add(positional) as i64 * 400 / 16320) as i32;
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
        let stack = buffer::row(stacks, bucket as u32);
        let l1_out = {
            let sums = {
                if proved.layer(0) {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    for round in 0..4 {
                        let [x0, x1] = {
                            move_part(
                                first_before,
                                first_added,
                                &first_removed,
                                first,
                                round,
                            );
                            activated(chunk(&first.values, round))
                        };
                        let x = x0;
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, simd::mul_low_i16(x, w), x);
                        let [x0, x1] = {
                            move_part(
                                second_before,
                                second_added,
                                &second_removed,
                                second,
                                round,
                            );
                            activated(chunk(&second.values, round))
                        };
                        let x = x0;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 8),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 9),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, simd::mul_low_i16(x, w), x);
                    }
                    sums.0[0] = simd::sum_i32(
                        simd::add_i32(
                            simd::add_i32(sum_0_0, sum_1_0),
                            simd::add_i32(sum_2_0, sum_3_0),
                        ),
                    );
                    sums
                } else {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut tops_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut tops_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut tops_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    let mut tops_3_0 = simd::zero_i32();
                    for round in 0..4 {
                        let [x0, x1] = {
                            move_part(
                                first_before,
                                first_added,
                                &first_removed,
                                first,
                                round,
                            );
                            activated(chunk(&first.values, round))
                        };
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, x, w);
                        tops_0_0 = simd::madd_i16(tops_0_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, x, w);
                        tops_1_0 = simd::madd_i16(tops_1_0, top, w);
                        let [x0, x1] = {
                            move_part(
                                second_before,
                                second_added,
                                &second_removed,
                                second,
                                round,
                            );
                            activated(chunk(&second.values, round))
                        };
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 8),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, x, w);
                        tops_2_0 = simd::madd_i16(tops_2_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 9),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, x, w);
                        tops_3_0 = simd::madd_i16(tops_3_0, top, w);
                    }
                    sums.0[0] = simd::sum_i32(
                            simd::add_i32(
                                simd::add_i32(sum_0_0, sum_1_0),
                                simd::add_i32(sum_2_0, sum_3_0),
                            ),
                        )
                        .wrapping_sub(
                            simd::sum_i32(
                                simd::add_i32(
                                    simd::add_i32(tops_0_0, tops_1_0),
                                    simd::add_i32(tops_2_0, tops_3_0),
                                ),
                            ) << 16,
                        );
                    sums
                }
            }
                .0;
            let sums = activation::divide_truncating(&sums, 255);
            Aligned(activation::add_biases(&sums, &stack.l1_biases))
        };
        let psqt = 0i32;
        let sum = l1_out.0[0] as i64;
        let positional = sum as i32;
        let value = (psqt.wrapping_add(positional) as i64 * 400 / 16320) as i32;
        Output { psqt, positional, value }
    }
}
/// Kernels for the level `avxvnni`.
#[doc(hidden)]
#[cfg(target_arch = "x86_64")]
mod avxvnni {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, chunk, chunk_mut},
        simd::avxvnni as simd,
    };
    pub(super) use super::avx2::{accumulate, refresh};
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    fn activated(values: &[i16; 32]) -> [simd::I16; 2] {
        simd::clip_to_255(
            simd::load_i16(chunk(values, 0)),
            simd::load_i16(chunk(values, 1)),
        )
    }
    /// Adds a move's rows to the sums of an output vector.
    #[inline]
    #[target_feature(enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni")]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 128],
        removed: &[&[i16; 128]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
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
        let stack = buffer::row(stacks, bucket as u32);
        let l1_out = {
            let sums = {
                if proved.layer(0) {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    for round in 0..4 {
                        let [x0, x1] = activated(chunk(&first.values, round));
                        let x = x0;
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, simd::mul_low_i16(x, w), x);
                        let [x0, x1] = activated(chunk(&second.values, round));
                        let x = x0;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 8),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 9),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, simd::mul_low_i16(x, w), x);
                    }
                    sums.0[0] = simd::sum_i32(
                        simd::add_i32(
                            simd::add_i32(sum_0_0, sum_1_0),
                            simd::add_i32(sum_2_0, sum_3_0),
                        ),
                    );
                    sums
                } else {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut tops_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut tops_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut tops_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    let mut tops_3_0 = simd::zero_i32();
                    for round in 0..4 {
                        let [x0, x1] = activated(chunk(&first.values, round));
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, x, w);
                        tops_0_0 = simd::madd_i16(tops_0_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, x, w);
                        tops_1_0 = simd::madd_i16(tops_1_0, top, w);
                        let [x0, x1] = activated(chunk(&second.values, round));
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 8),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, x, w);
                        tops_2_0 = simd::madd_i16(tops_2_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 9),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, x, w);
                        tops_3_0 = simd::madd_i16(tops_3_0, top, w);
                    }
                    sums.0[0] = simd::sum_i32(
                            simd::add_i32(
                                simd::add_i32(sum_0_0, sum_1_0),
                                simd::add_i32(sum_2_0, sum_3_0),
                            ),
                        )
                        .wrapping_sub(
                            simd::sum_i32(
                                simd::add_i32(
                                    simd::add_i32(tops_0_0, tops_1_0),
                                    simd::add_i32(tops_2_0, tops_3_0),
                                ),
                            ) << 16,
                        );
                    sums
                }
            }
                .0;
            let sums = activation::divide_truncating(&sums, 255);
            Aligned(activation::add_biases(&sums, &stack.l1_biases))
        };
        let psqt = 0i32;
        let sum = l1_out.0[0] as i64;
        let positional = sum as i32;
        let value = (psqt.wrapping_add(positional) as i64 * 400 / 16320) as i32;
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
        let stack = buffer::row(stacks, bucket as u32);
        let l1_out = {
            let sums = {
                if proved.layer(0) {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    for round in 0..4 {
                        let [x0, x1] = {
                            move_part(
                                first_before,
                                first_added,
                                &first_removed,
                                first,
                                round,
                            );
                            activated(chunk(&first.values, round))
                        };
                        let x = x0;
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, simd::mul_low_i16(x, w), x);
                        let [x0, x1] = {
                            move_part(
                                second_before,
                                second_added,
                                &second_removed,
                                second,
                                round,
                            );
                            activated(chunk(&second.values, round))
                        };
                        let x = x0;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 8),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 9),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, simd::mul_low_i16(x, w), x);
                    }
                    sums.0[0] = simd::sum_i32(
                        simd::add_i32(
                            simd::add_i32(sum_0_0, sum_1_0),
                            simd::add_i32(sum_2_0, sum_3_0),
                        ),
                    );
                    sums
                } else {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut tops_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut tops_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut tops_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    let mut tops_3_0 = simd::zero_i32();
                    for round in 0..4 {
                        let [x0, x1] = {
                            move_part(
                                first_before,
                                first_added,
                                &first_removed,
                                first,
                                round,
                            );
                            activated(chunk(&first.values, round))
                        };
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, x, w);
                        tops_0_0 = simd::madd_i16(tops_0_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, x, w);
                        tops_1_0 = simd::madd_i16(tops_1_0, top, w);
                        let [x0, x1] = {
                            move_part(
                                second_before,
                                second_added,
                                &second_removed,
                                second,
                                round,
                            );
                            activated(chunk(&second.values, round))
                        };
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 8),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, x, w);
                        tops_2_0 = simd::madd_i16(tops_2_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 9),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, x, w);
                        tops_3_0 = simd::madd_i16(tops_3_0, top, w);
                    }
                    sums.0[0] = simd::sum_i32(
                            simd::add_i32(
                                simd::add_i32(sum_0_0, sum_1_0),
                                simd::add_i32(sum_2_0, sum_3_0),
                            ),
                        )
                        .wrapping_sub(
                            simd::sum_i32(
                                simd::add_i32(
                                    simd::add_i32(tops_0_0, tops_1_0),
                                    simd::add_i32(tops_2_0, tops_3_0),
                                ),
                            ) << 16,
                        );
                    sums
                }
            }
                .0;
            let sums = activation::divide_truncating(&sums, 255);
            Aligned(activation::add_biases(&sums, &stack.l1_biases))
        };
        let psqt = 0i32;
        let sum = l1_out.0[0] as i64;
        let positional = sum as i32;
        let value = (psqt.wrapping_add(positional) as i64 * 400 / 16320) as i32;
        Output { psqt, positional, value }
    }
}
/// Kernels for the level `avx512`.
#[doc(hidden)]
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, Base, chunk, chunk_mut},
        core::option::Option, simd::avx512 as simd,
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
                tile(weights, base, added, removed, into, 0);
            }
        }
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
        for index in 0..4 {
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
        tile(weights, &mut *base, added, removed, into, 0);
    }
    /// A run of sums, which stay in registers while rows are added and removed.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    fn tile(
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
        for &feature in removed {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 128>(row, index);
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 3)));
        }
        for &feature in added {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 128>(row, index);
            v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 3)));
        }
        let end = chunk_mut::<i16, 128>(&mut into.values, index);
        simd::store_i16(v0, chunk_mut(end, 0));
        simd::store_i16(v1, chunk_mut(end, 1));
        simd::store_i16(v2, chunk_mut(end, 2));
        simd::store_i16(v3, chunk_mut(end, 3));
        if let Option::Some(kept) = base.kept() {
            let end = chunk_mut::<i16, 128>(&mut kept.values, index);
            simd::store_i16(v0, chunk_mut(end, 0));
            simd::store_i16(v1, chunk_mut(end, 1));
            simd::store_i16(v2, chunk_mut(end, 2));
            simd::store_i16(v3, chunk_mut(end, 3));
        }
    }
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    fn activated(values: &[i16; 64]) -> [simd::I16; 2] {
        simd::clip_to_255(
            simd::load_i16(chunk(values, 0)),
            simd::load_i16(chunk(values, 1)),
        )
    }
    /// Adds a move's rows to the sums of an output vector.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
    )]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 128],
        removed: &[&[i16; 128]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
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
        let stack = buffer::row(stacks, bucket as u32);
        let l1_out = {
            let sums = {
                if proved.layer(0) {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    for round in 0..2 {
                        let [x0, x1] = activated(chunk(&first.values, round));
                        let x = x0;
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, simd::mul_low_i16(x, w), x);
                        let [x0, x1] = activated(chunk(&second.values, round));
                        let x = x0;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 4),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 5),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, simd::mul_low_i16(x, w), x);
                    }
                    sums.0[0] = simd::sum_i32(
                        simd::add_i32(
                            simd::add_i32(sum_0_0, sum_1_0),
                            simd::add_i32(sum_2_0, sum_3_0),
                        ),
                    );
                    sums
                } else {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut tops_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut tops_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut tops_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    let mut tops_3_0 = simd::zero_i32();
                    for round in 0..2 {
                        let [x0, x1] = activated(chunk(&first.values, round));
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, x, w);
                        tops_0_0 = simd::madd_i16(tops_0_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, x, w);
                        tops_1_0 = simd::madd_i16(tops_1_0, top, w);
                        let [x0, x1] = activated(chunk(&second.values, round));
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 4),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, x, w);
                        tops_2_0 = simd::madd_i16(tops_2_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 5),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, x, w);
                        tops_3_0 = simd::madd_i16(tops_3_0, top, w);
                    }
                    sums.0[0] = simd::sum_i32(
                            simd::add_i32(
                                simd::add_i32(sum_0_0, sum_1_0),
                                simd::add_i32(sum_2_0, sum_3_0),
                            ),
                        )
                        .wrapping_sub(
                            simd::sum_i32(
                                simd::add_i32(
                                    simd::add_i32(tops_0_0, tops_1_0),
                                    simd::add_i32(tops_2_0, tops_3_0),
                                ),
                            ) << 16,
                        );
                    sums
                }
            }
                .0;
            let sums = activation::divide_truncating(&sums, 255);
            Aligned(activation::add_biases(&sums, &stack.l1_biases))
        };
        let psqt = 0i32;
        let sum = l1_out.0[0] as i64;
        let positional = sum as i32;
        let value = (psqt.wrapping_add(positional) as i64 * 400 / 16320) as i32;
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
        let stack = buffer::row(stacks, bucket as u32);
        let l1_out = {
            let sums = {
                if proved.layer(0) {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    for round in 0..2 {
                        let [x0, x1] = {
                            move_part(
                                first_before,
                                first_added,
                                &first_removed,
                                first,
                                round,
                            );
                            activated(chunk(&first.values, round))
                        };
                        let x = x0;
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, simd::mul_low_i16(x, w), x);
                        let [x0, x1] = {
                            move_part(
                                second_before,
                                second_added,
                                &second_removed,
                                second,
                                round,
                            );
                            activated(chunk(&second.values, round))
                        };
                        let x = x0;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 4),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 5),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, simd::mul_low_i16(x, w), x);
                    }
                    sums.0[0] = simd::sum_i32(
                        simd::add_i32(
                            simd::add_i32(sum_0_0, sum_1_0),
                            simd::add_i32(sum_2_0, sum_3_0),
                        ),
                    );
                    sums
                } else {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut tops_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut tops_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut tops_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    let mut tops_3_0 = simd::zero_i32();
                    for round in 0..2 {
                        let [x0, x1] = {
                            move_part(
                                first_before,
                                first_added,
                                &first_removed,
                                first,
                                round,
                            );
                            activated(chunk(&first.values, round))
                        };
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, x, w);
                        tops_0_0 = simd::madd_i16(tops_0_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, x, w);
                        tops_1_0 = simd::madd_i16(tops_1_0, top, w);
                        let [x0, x1] = {
                            move_part(
                                second_before,
                                second_added,
                                &second_removed,
                                second,
                                round,
                            );
                            activated(chunk(&second.values, round))
                        };
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 4),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, x, w);
                        tops_2_0 = simd::madd_i16(tops_2_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 5),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, x, w);
                        tops_3_0 = simd::madd_i16(tops_3_0, top, w);
                    }
                    sums.0[0] = simd::sum_i32(
                            simd::add_i32(
                                simd::add_i32(sum_0_0, sum_1_0),
                                simd::add_i32(sum_2_0, sum_3_0),
                            ),
                        )
                        .wrapping_sub(
                            simd::sum_i32(
                                simd::add_i32(
                                    simd::add_i32(tops_0_0, tops_1_0),
                                    simd::add_i32(tops_2_0, tops_3_0),
                                ),
                            ) << 16,
                        );
                    sums
                }
            }
                .0;
            let sums = activation::divide_truncating(&sums, 255);
            Aligned(activation::add_biases(&sums, &stack.l1_biases))
        };
        let psqt = 0i32;
        let sum = l1_out.0[0] as i64;
        let positional = sum as i32;
        let value = (psqt.wrapping_add(positional) as i64 * 400 / 16320) as i32;
        Output { psqt, positional, value }
    }
}
/// Kernels for the level `avx512icl`.
#[doc(hidden)]
#[cfg(target_arch = "x86_64")]
mod avx512icl {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, chunk, chunk_mut},
        simd::avx512icl as simd,
    };
    pub(super) use super::avx512::{accumulate, refresh};
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    fn activated(values: &[i16; 64]) -> [simd::I16; 2] {
        simd::clip_to_255(
            simd::load_i16(chunk(values, 0)),
            simd::load_i16(chunk(values, 1)),
        )
    }
    /// Adds a move's rows to the sums of an output vector.
    #[inline]
    #[target_feature(
        enable = "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    )]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 128],
        removed: &[&[i16; 128]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
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
        let stack = buffer::row(stacks, bucket as u32);
        let l1_out = {
            let sums = {
                if proved.layer(0) {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    for round in 0..2 {
                        let [x0, x1] = activated(chunk(&first.values, round));
                        let x = x0;
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, simd::mul_low_i16(x, w), x);
                        let [x0, x1] = activated(chunk(&second.values, round));
                        let x = x0;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 4),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 5),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, simd::mul_low_i16(x, w), x);
                    }
                    sums.0[0] = simd::sum_i32(
                        simd::add_i32(
                            simd::add_i32(sum_0_0, sum_1_0),
                            simd::add_i32(sum_2_0, sum_3_0),
                        ),
                    );
                    sums
                } else {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut tops_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut tops_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut tops_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    let mut tops_3_0 = simd::zero_i32();
                    for round in 0..2 {
                        let [x0, x1] = activated(chunk(&first.values, round));
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, x, w);
                        tops_0_0 = simd::madd_i16(tops_0_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, x, w);
                        tops_1_0 = simd::madd_i16(tops_1_0, top, w);
                        let [x0, x1] = activated(chunk(&second.values, round));
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 4),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, x, w);
                        tops_2_0 = simd::madd_i16(tops_2_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 5),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, x, w);
                        tops_3_0 = simd::madd_i16(tops_3_0, top, w);
                    }
                    sums.0[0] = simd::sum_i32(
                            simd::add_i32(
                                simd::add_i32(sum_0_0, sum_1_0),
                                simd::add_i32(sum_2_0, sum_3_0),
                            ),
                        )
                        .wrapping_sub(
                            simd::sum_i32(
                                simd::add_i32(
                                    simd::add_i32(tops_0_0, tops_1_0),
                                    simd::add_i32(tops_2_0, tops_3_0),
                                ),
                            ) << 16,
                        );
                    sums
                }
            }
                .0;
            let sums = activation::divide_truncating(&sums, 255);
            Aligned(activation::add_biases(&sums, &stack.l1_biases))
        };
        let psqt = 0i32;
        let sum = l1_out.0[0] as i64;
        let positional = sum as i32;
        let value = (psqt.wrapping_add(positional) as i64 * 400 / 16320) as i32;
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
        let stack = buffer::row(stacks, bucket as u32);
        let l1_out = {
            let sums = {
                if proved.layer(0) {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    for round in 0..2 {
                        let [x0, x1] = {
                            move_part(
                                first_before,
                                first_added,
                                &first_removed,
                                first,
                                round,
                            );
                            activated(chunk(&first.values, round))
                        };
                        let x = x0;
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, simd::mul_low_i16(x, w), x);
                        let [x0, x1] = {
                            move_part(
                                second_before,
                                second_added,
                                &second_removed,
                                second,
                                round,
                            );
                            activated(chunk(&second.values, round))
                        };
                        let x = x0;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 4),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, simd::mul_low_i16(x, w), x);
                        let x = x1;
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 5),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, simd::mul_low_i16(x, w), x);
                    }
                    sums.0[0] = simd::sum_i32(
                        simd::add_i32(
                            simd::add_i32(sum_0_0, sum_1_0),
                            simd::add_i32(sum_2_0, sum_3_0),
                        ),
                    );
                    sums
                } else {
                    let mut sums = Aligned([0i32; 1]);
                    let mut sum_0_0 = simd::zero_i32();
                    let mut tops_0_0 = simd::zero_i32();
                    let mut sum_1_0 = simd::zero_i32();
                    let mut tops_1_0 = simd::zero_i32();
                    let mut sum_2_0 = simd::zero_i32();
                    let mut tops_2_0 = simd::zero_i32();
                    let mut sum_3_0 = simd::zero_i32();
                    let mut tops_3_0 = simd::zero_i32();
                    for round in 0..2 {
                        let [x0, x1] = {
                            move_part(
                                first_before,
                                first_added,
                                &first_removed,
                                first,
                                round,
                            );
                            activated(chunk(&first.values, round))
                        };
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(chunk(&stack.l1_weights[0], 2 * round));
                        sum_0_0 = simd::madd_i16(sum_0_0, x, w);
                        tops_0_0 = simd::madd_i16(tops_0_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 1),
                        );
                        sum_1_0 = simd::madd_i16(sum_1_0, x, w);
                        tops_1_0 = simd::madd_i16(tops_1_0, top, w);
                        let [x0, x1] = {
                            move_part(
                                second_before,
                                second_added,
                                &second_removed,
                                second,
                                round,
                            );
                            activated(chunk(&second.values, round))
                        };
                        let x = x0;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 4),
                        );
                        sum_2_0 = simd::madd_i16(sum_2_0, x, w);
                        tops_2_0 = simd::madd_i16(tops_2_0, top, w);
                        let x = x1;
                        let x = simd::mul_low_i16(x, x);
                        let top = simd::shift_right_i16::<15>(x);
                        let w = simd::load_i16(
                            chunk(&stack.l1_weights[0], 2 * round + 5),
                        );
                        sum_3_0 = simd::madd_i16(sum_3_0, x, w);
                        tops_3_0 = simd::madd_i16(tops_3_0, top, w);
                    }
                    sums.0[0] = simd::sum_i32(
                            simd::add_i32(
                                simd::add_i32(sum_0_0, sum_1_0),
                                simd::add_i32(sum_2_0, sum_3_0),
                            ),
                        )
                        .wrapping_sub(
                            simd::sum_i32(
                                simd::add_i32(
                                    simd::add_i32(tops_0_0, tops_1_0),
                                    simd::add_i32(tops_2_0, tops_3_0),
                                ),
                            ) << 16,
                        );
                    sums
                }
            }
                .0;
            let sums = activation::divide_truncating(&sums, 255);
            Aligned(activation::add_biases(&sums, &stack.l1_biases))
        };
        let psqt = 0i32;
        let sum = l1_out.0[0] as i64;
        let positional = sum as i32;
        let value = (psqt.wrapping_add(positional) as i64 * 400 / 16320) as i32;
        Output { psqt, positional, value }
    }
}
