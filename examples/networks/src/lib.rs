//! Stockfish's networks of `specs/`, each in a module of its own.

/// The file of small128 that the project carries.
#[cfg(feature = "compiled")]
pub const NET: &[u8] = <small128::Net as nnue_runtime::Embedded>::FILE;
/// The file of small128 that the project carries.
#[cfg(not(feature = "compiled"))]
pub const NET: &[u8] = include_bytes!("../../nets/nn-37f18f62d772.nnue");

/// Compiles specs, given as the arguments of `nnue_net!`.
#[cfg(feature = "compiled")]
macro_rules! networks {
    ($($(#[$doc:meta])* $module:ident($($arguments:tt)*);)*) => { $(
        $(#[$doc])*
        pub mod $module {
            nnue_runtime::nnue_net!($($arguments)*);
        }
    )* };
}

#[cfg(feature = "compiled")]
networks! {
    /// Stockfish 12.
    sfnnv1("../../specs/sfnnv1.toml");
    /// Stockfish 14.
    sfnnv2("../../specs/sfnnv2.toml");
    /// Stockfish 14.1.
    sfnnv3("../../specs/sfnnv3.toml");
    /// Stockfish 15.
    sfnnv4("../../specs/sfnnv4.toml");
    /// Stockfish 15.1.
    sfnnv5("../../specs/sfnnv5.toml");
    /// Stockfish 16.
    sfnnv6("../../specs/sfnnv6.toml");
    /// Stockfish, July 2023.
    sfnnv7("../../specs/sfnnv7.toml");
    /// Stockfish 16.1.
    sfnnv8("../../specs/sfnnv8.toml");
    /// Stockfish 17 and 17.1.
    sfnnv9("../../specs/sfnnv9.toml");
    /// Stockfish 18.
    sfnnv10("../../specs/sfnnv10.toml");
    /// Stockfish in February 2026: no threats to kings.
    sfnnv11("../../specs/sfnnv11.toml");
    /// Stockfish in February 2026: no threats by kings either.
    sfnnv12("../../specs/sfnnv12.toml");
    /// Stockfish in February and March 2026: a larger first layer.
    sfnnv13("../../specs/sfnnv13.toml");
    /// Stockfish in April 2026: pawns push onto pawns.
    sfnnv14("../../specs/sfnnv14.toml");
    /// Stockfish in May and June 2026: powers of two.
    sfnnv14b("../../specs/sfnnv14b.toml");
    /// Stockfish in July 2026: squares of both layers.
    sfnnv15("../../specs/sfnnv15.toml");
    /// Stockfish since July 2026.
    sfnnv16("../../specs/sfnnv16.toml");
    /// The small net of Stockfish 17, 17.1 and 18, with the file that the project carries.
    small128("../../specs/small128.toml", weights = "../nets/nn-37f18f62d772.nnue");
}
