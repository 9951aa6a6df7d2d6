//! The networks that several of the tests need, compiled once.

/// Compiles specs of the project, each into a module of its own.
#[macro_export]
macro_rules! networks {
    ($($(#[$doc:meta])* $module:ident: $path:literal $(, $option:ident = $value:literal)*;)*) => {
        $(
            $(#[$doc])*
            pub mod $module {
                #[cfg(not(feature = "self-check"))]
                nnue_runtime::nnue_net!($path $(, $option = $value)*);
                #[cfg(feature = "self-check")]
                nnue_runtime::nnue_net!($path $(, $option = $value)*, check = "wiring");
            }
        )*
    };
}

networks! {
    /// Stockfish 12.
    sfnnv1: "../specs/sfnnv1.toml";
    /// Stockfish 15.1.
    sfnnv5: "../specs/sfnnv5.toml";
    /// Stockfish 17 and 17.1.
    sfnnv9: "../specs/sfnnv9.toml";
    /// Stockfish since July 2026.
    sfnnv16: "../specs/sfnnv16.toml";
    /// The small net of Stockfish 17, 17.1 and 18, with the file that the project carries.
    small128: "../specs/small128.toml", weights = "../examples/nets/nn-37f18f62d772.nnue";
    /// A net for another game than chess.
    ataxx: "../specs/games/ataxx.toml";
    /// One layer behind 128 neurons, as in bullet's example.
    simple: "../specs/bullet/simple.toml";
}

/// Networks of all families of feature sets.
pub mod features {
    networks! {
        /// Rows of bytes beside rows of words.
        bytes: "specs/features/bytes.toml";
        /// Rows by the half-move clock.
        clock: "specs/features/clock.toml";
        /// Mirrored to files a to d, with four buckets.
        king_buckets: "specs/features/king_buckets.toml";
        /// Buckets by numbers of pieces, outside of the own king's buckets and inside.
        materials: "specs/features/materials.toml";
        /// One set that follows the position, two that the engine tells.
        mixed: "specs/features/mixed.toml";
        /// Buckets by the opponent's queens, alone and beside those of the own king.
        queens: "specs/features/queens.toml";
        /// Buckets by the opponent's queens and other pieces beside threats, with weights for white
        /// and others for black.
        queens_and_threats: "specs/features/queens_and_threats.toml";
        /// Perspectives with weights of their own.
        separate: "specs/perspectives/separate.toml";
        /// Shogi with rows for each square of the own king, which the engine tells.
        shogi: "specs/features/shogi.toml";
        /// Pieces that weaker ones attack, in three orders.
        threatened: "specs/features/threatened.toml";
        /// The same beside threats and pawn pairs.
        threatened_and_pairs: "specs/features/threatened_and_pairs.toml";
        /// Threats and pawn pairs, each set mirrored in its own way.
        threats: "specs/features/threats.toml";
        /// Three sets that the engine tells, two of them with views.
        views: "specs/features/views.toml";
    }
}
