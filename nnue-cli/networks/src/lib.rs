//! Stockfish's networks, each in a module of its own.
//!
//! The modules have the names that `like` has for these networks in specs. The command `nnue` and
//! the tests of its project use them; engines are better off with the one network that they need.

/// The file of small128 that the project carries.
pub const NET: &[u8] = include_bytes!("../nn-37f18f62d772.nnue");

/// Compiles the networks of known specs without any change.
#[cfg(feature = "compiled")]
macro_rules! networks {
    ($($(#[$doc:meta])* $module:ident($spec:literal $($further:tt)*);)*) => { $(
        $(#[$doc])*
        pub mod $module {
            nnue_runtime::nnue_net!(inline = $spec $($further)*);
        }
    )* };
}

#[cfg(feature = "compiled")]
networks! {
    /// Stockfish 12.
    sfnnv1("name = 'SFNNv1'\nlike = 'sfnnv1'");
    /// Stockfish 14.
    sfnnv2("name = 'SFNNv2'\nlike = 'sfnnv2'");
    /// Stockfish 14.1.
    sfnnv3("name = 'SFNNv3'\nlike = 'sfnnv3'");
    /// Stockfish 15.
    sfnnv4("name = 'SFNNv4'\nlike = 'sfnnv4'");
    /// Stockfish 15.1.
    sfnnv5("name = 'SFNNv5'\nlike = 'sfnnv5'");
    /// Stockfish 16.
    sfnnv6("name = 'SFNNv6'\nlike = 'sfnnv6'");
    /// Stockfish, July 2023.
    sfnnv7("name = 'SFNNv7'\nlike = 'sfnnv7'");
    /// Stockfish 16.1.
    sfnnv8("name = 'SFNNv8'\nlike = 'sfnnv8'");
    /// Stockfish 17 and 17.1.
    sfnnv9("name = 'SFNNv9'\nlike = 'sfnnv9'");
    /// Stockfish 18.
    sfnnv10("name = 'SFNNv10'\nlike = 'sfnnv10'");
    /// Stockfish in February 2026: no threats to kings.
    sfnnv11("name = 'SFNNv11'\nlike = 'sfnnv11'");
    /// Stockfish in February 2026: no threats by kings either.
    sfnnv12("name = 'SFNNv12'\nlike = 'sfnnv12'");
    /// Stockfish in February and March 2026: a larger first layer.
    sfnnv13("name = 'SFNNv13'\nlike = 'sfnnv13'");
    /// Stockfish in April 2026: pawns push onto pawns.
    sfnnv14("name = 'SFNNv14'\nlike = 'sfnnv14'");
    /// Stockfish in May and June 2026: powers of two.
    sfnnv14b("name = 'SFNNv14b'\nlike = 'sfnnv14b'");
    /// Stockfish in July 2026: squares of both layers.
    sfnnv15("name = 'SFNNv15'\nlike = 'sfnnv15'");
    /// Stockfish since July 2026.
    sfnnv16("name = 'SFNNv16'\nlike = 'sfnnv16'");
    /// The small net of Stockfish 17, 17.1 and 18, with the file that the project carries.
    small128("name = 'small128'\nlike = 'small128'", weights = "nn-37f18f62d772.nnue");
}

/// The code of README.md, which doctests compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
