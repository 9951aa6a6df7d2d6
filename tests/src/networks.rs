//! The networks under test, compiled once for all tests.

/// Compiles specs of the project, each into a module of its own.
macro_rules! networks {
    ($($(#[$doc:meta])* $module:ident: $path:literal $(, $option:ident = $value:literal)*;)*) => {
        $(
            $(#[$doc])*
            pub mod $module {
                nnue_runtime::nnue_net!($path $(, $option = $value)*);
            }
        )*
    };
}

networks! {
    /// Stockfish 12.
    sfnnv1: "../specs/sfnnv1.toml";
    /// Stockfish 14.
    sfnnv2: "../specs/sfnnv2.toml";
    /// Stockfish 14.1.
    sfnnv3: "../specs/sfnnv3.toml";
    /// Stockfish 15.
    sfnnv4: "../specs/sfnnv4.toml";
    /// Stockfish 15.1.
    sfnnv5: "../specs/sfnnv5.toml";
    /// Stockfish 15.1, every layer as straight-line code.
    sfnnv5_unrolled: "../specs/sfnnv5.toml", unroll = "full";
    /// Stockfish 16.
    sfnnv6: "../specs/sfnnv6.toml";
    /// Stockfish, July 2023.
    sfnnv7: "../specs/sfnnv7.toml";
    /// Stockfish 16.1.
    sfnnv8: "../specs/sfnnv8.toml";
    /// Stockfish 17 and 17.1.
    sfnnv9: "../specs/sfnnv9.toml";
    /// The small net of Stockfish 17, 17.1 and 18, with the file that the project carries.
    small128: "../specs/small128.toml", weights = "../examples/nets/nn-37f18f62d772.nnue";
    /// A net for another game than chess.
    ataxx: "../specs/ataxx.toml";
    /// The small net, every layer as straight-line code.
    small128_unrolled: "../specs/small128.toml", unroll = "full";
}

/// Networks with feature sets that no released net has.
pub mod features {
    networks! {
        /// The 768 inputs that trainers start from.
        a: "specs/features/a.toml";
        /// Kings apart, for each square of the own king.
        half_ka: "specs/features/half_ka.toml";
        /// HalfKP without a row that is never used.
        half_kp: "specs/features/half_kp.toml";
        /// One set that follows the position, two that the engine tells.
        mixed: "specs/features/mixed.toml";
        /// Mirrored to files a to d, with four buckets.
        king_buckets: "specs/features/king_buckets.toml";
        /// Rotated for black and mirrored, with merged kings.
        rotated: "specs/features/rotated.toml";
        /// Three sets in one accumulator.
        summed: "specs/features/summed.toml";
    }
}

/// Networks whose perspectives are put together in other ways.
pub mod perspectives {
    networks! {
        /// White's half first.
        white_first: "specs/perspectives/white_first.toml";
        /// Both halves' values in turn.
        interleaved: "specs/perspectives/interleaved.toml";
        /// Both halves' values in turn, read in parts.
        interleaved_parts: "specs/perspectives/interleaved_parts.toml";
        /// Weights for white and others for black.
        separate: "specs/perspectives/separate.toml";
        /// The side to move's only.
        one: "specs/perspectives/one.toml";
        /// The side to move's only, each side with weights of its own.
        one_separate: "specs/perspectives/one_separate.toml";
        /// White's only.
        white_only: "specs/perspectives/white_only.toml";
    }
}
