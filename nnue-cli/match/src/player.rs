//! The two players of a match: an engine each, perhaps with a net.

use std::fmt;
use std::path::{Path, PathBuf};

use nnue_format::foreign;

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Side {
    /// The first player, whose view results have.
    A,
    /// Its opponent.
    B,
}

impl Side {
    /// Both, as they index arrays.
    pub const BOTH: [Side; 2] = [Side::A, Side::B];

    /// The opponent.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// An engine, and how it is started and set up.
#[derive(Clone, Debug)]
pub struct Player {
    /// What results call it.
    pub name: String,
    /// The file that is started, or a name that the system looks for.
    pub program: PathBuf,
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// Names and values of UCI options, in the order in which they are set.
    pub options: Vec<(String, String)>,
}

impl Player {
    /// The files that it may read: its program, and whatever arguments and options name.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let values = self.options.iter().map(|(_, value)| value);
        let named = self.arguments.iter().chain(values).map(Path::new);
        named.chain([&*self.program])
    }
}

/// Its name, which may be that of a file.
impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        foreign(&self.name).fmt(f)
    }
}
