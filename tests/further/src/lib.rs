//! The networks that several of these tests need, compiled once, beside those of the other tests.

use nnue_tests::networks;
pub use nnue_tests::{ataxx, sfnnv1, sfnnv5, sfnnv9, sfnnv16, small128};

networks! {
    /// Stockfish 14.
    sfnnv2: "../../specs/sfnnv2.toml";
    /// Stockfish 14.1.
    sfnnv3: "../../specs/sfnnv3.toml";
    /// Stockfish 15.
    sfnnv4: "../../specs/sfnnv4.toml";
    /// Stockfish 16.
    sfnnv6: "../../specs/sfnnv6.toml";
    /// Stockfish, July 2023.
    sfnnv7: "../../specs/sfnnv7.toml";
    /// Stockfish 16.1.
    sfnnv8: "../../specs/sfnnv8.toml";
    /// Stockfish 18.
    sfnnv10: "../../specs/sfnnv10.toml";
    /// Stockfish in February 2026: no threats to kings.
    sfnnv11: "../../specs/sfnnv11.toml";
    /// Stockfish in February 2026: no threats by kings either.
    sfnnv12: "../../specs/sfnnv12.toml";
    /// Stockfish in February and March 2026: a larger first layer.
    sfnnv13: "../../specs/sfnnv13.toml";
    /// Stockfish in April 2026: pawns push onto pawns.
    sfnnv14: "../../specs/sfnnv14.toml";
    /// Stockfish in May and June 2026: powers of two.
    sfnnv14b: "../../specs/sfnnv14b.toml";
    /// Stockfish in July 2026: squares of both layers.
    sfnnv15: "../../specs/sfnnv15.toml";
    /// Stockfish since September 30, 2026: no PSQT.
    sfnnv17: "../../specs/sfnnv17.toml";
    /// Stockfish 15.1, every layer as straight-line code.
    sfnnv5_unrolled: "../../specs/sfnnv5.toml", unroll = "full";
    /// The small net of Stockfish 17, 17.1 and 18, every layer as straight-line code.
    small128_unrolled: "../../specs/small128.toml", unroll = "full";
}

/// Networks of all families of feature sets.
pub mod features {
    pub use nnue_tests::features::*;
    use nnue_tests::networks;

    networks! {
        /// The 768 inputs that trainers start from.
        a: "../specs/features/a.toml";
        /// Virtual rows of every kind.
        factorised: "../specs/features/factorised.toml";
        /// Virtual rows before rows of bytes.
        factorised_bytes: "../specs/features/factorised_bytes.toml";
        /// Virtual rows in floating point, rounded one by one.
        float_each: "../specs/features/float_each.toml";
        /// Virtual rows in floating point, rounded when they are added.
        float_sum: "../specs/features/float_sum.toml";
        /// Virtual rows in floating point, whose sums are truncated.
        float_truncated: "../specs/features/float_truncated.toml";
        /// Kings apart, for each square of the own king.
        half_ka: "../specs/features/half_ka.toml";
        /// HalfKP without a row that is never used.
        half_kp: "../specs/features/half_kp.toml";
        /// Squares counted from a8.
        from_a8: "../specs/features/from_a8.toml";
        /// Squares counted from h1, and from h8.
        from_h: "../specs/features/from_h.toml";
        /// The opponent's planes before the own ones.
        opponent_first: "../specs/features/opponent_first.toml";
        /// Rows of bytes in two tables, of a width that few numbers of vectors divide.
        paired_rows: "../specs/features/paired_rows.toml";
        /// Rotated for black and mirrored, with merged kings.
        rotated: "../specs/features/rotated.toml";
        /// Sets whose rows are shifted, each by another number of bits.
        shifted: "../specs/features/shifted.toml";
        /// Rows that are shifted after their virtual ones were added.
        shifted_words: "../specs/features/shifted_words.toml";
        /// Three sets in one accumulator.
        summed: "../specs/features/summed.toml";
        /// Threats both ways, square by square.
        threats_by_square: "../specs/features/threats_by_square.toml";
    }
}

/// The networks of bullet's examples.
pub mod bullet {
    use nnue_tests::networks;
    pub use nnue_tests::simple;

    networks! {
        /// One layer per bucket behind 512 neurons.
        output_buckets: "../../specs/bullet/output_buckets.toml";
        /// One layer per bucket behind 1024 neurons, with ten buckets of the own king's squares.
        input_buckets: "../../specs/bullet/input_buckets.toml";
        /// Three layers per bucket, two of them of floating point.
        multi_layer: "../../specs/bullet/multi_layer.toml";
    }
}

/// One network, its net files in different formats.
pub mod formats {
    use nnue_tests::networks;

    networks! {
        /// Stockfish's format, not compressed.
        stockfish: "../specs/formats/stockfish.toml";
        /// Stockfish's format with numbers that the network does not use.
        kept: "../specs/formats/kept.toml";
        /// Stockfish's format with compressed tensors.
        leb128: "../specs/formats/leb128.toml";
        /// bullet's `quantised.bin`.
        quantised: "../specs/formats/quantised.toml";
        /// bullet's `quantised.bin` with everything that trainers put into it.
        listed: "../specs/formats/listed.toml";
        /// Integers that the network has several times.
        times: "../specs/formats/times.toml";
        /// bullet's `raw.bin`.
        raw: "../specs/formats/raw.toml";
        /// bullet's `weights.bin`.
        weights: "../specs/formats/weights.toml";
        /// A list of tensors in orders that nobody uses.
        tensors: "../specs/formats/tensors.toml";
        /// Tensors behind a header whose fields are checked.
        header: "../specs/formats/header.toml";
        /// Tensors in LEB128, in blocks and without.
        bare: "../specs/formats/bare.toml";
        /// Floating point that is clamped where integers do not hold it.
        clamped: "../specs/formats/clamped.toml";
        /// A list of groups of tensors, and of axes in blocks.
        grouped: "../specs/formats/grouped.toml";
        /// Tensors of each stack after those of the stack before.
        stacks: "../specs/formats/stacks.toml";
        /// Tensors of each layer for all stacks, then those of the next layer.
        grouped_stacks: "../specs/formats/grouped_stacks.toml";
    }
}

/// Networks whose perspectives are put together in other ways.
pub mod perspectives {
    use nnue_tests::networks;

    networks! {
        /// White's half first.
        white_first: "../specs/perspectives/white_first.toml";
        /// Both halves' values in turn.
        interleaved: "../specs/perspectives/interleaved.toml";
        /// Both halves' values in turn, read in parts.
        interleaved_parts: "../specs/perspectives/interleaved_parts.toml";
        /// The side to move's perspective only.
        one: "../specs/perspectives/one.toml";
        /// The side to move's perspective only, each side with weights of its own.
        one_separate: "../specs/perspectives/one_separate.toml";
        /// White's perspective only.
        white_only: "../specs/perspectives/white_only.toml";
    }
}
