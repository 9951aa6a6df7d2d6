//! The two players of a match: engines, perhaps with a net.

use std::fmt;
use std::path::{Path, PathBuf};

use nnue_compiler::format::foreign;

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Side {
    /// The first player, from whose view results are given.
    A,
    /// The opponent of the first player.
    B,
}

impl Side {
    /// Both sides, in the order in which they index arrays.
    pub const BOTH: [Side; 2] = [Side::A, Side::B];

    /// The opponent of this side.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// An engine, with the way to start it and to set its options.
#[derive(Clone, Debug)]
pub struct Player {
    /// The name of the player in results.
    pub name: String,
    /// The program file, or a name that the system searches.
    pub program: PathBuf,
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// Names and values of UCI options, in the order in which they are set.
    pub options: Vec<(String, String)>,
}

impl Player {
    /// The files that the player may read: its program, and all files that arguments and options
    /// name.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let values = self.options.iter().map(|(_, value)| value);
        let named = self.arguments.iter().chain(values).map(Path::new);
        named.chain([&*self.program])
    }
}

/// The text is the name of the player, which may be that of a file.
impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        foreign(&self.name).fmt(f)
    }
}
