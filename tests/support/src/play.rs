//! Games that evaluators follow on every level, compared with refreshes.

mod games;
mod king_walks;

use crate::net_file::random_net_file;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::Net;
use nnue_runtime::{Level, Network, Output, SelectedByPieces};

use self::games::Played;
pub use self::king_walks::check_king_walks;

/// Plies for each network, all of them on all levels, unless `NNUE_PLIES` is set.
const PLIES: usize = 4_000;

/// The number of neurons from which on a quarter of the plies must do: without an optimiser, they
/// take as long as those of narrow networks with the same features.
const WIDE: usize = 512;

/// How many plies are to be played for each network.
///
/// # Panics
///
/// If `NNUE_PLIES` is no number.
#[must_use]
pub fn plies() -> usize {
    plies_of(1)
}

/// How many plies are to be played for a network of this width.
///
/// # Panics
///
/// If `NNUE_PLIES` is no number.
#[must_use]
pub fn plies_of(width: usize) -> usize {
    match std::env::var("NNUE_PLIES") {
        Ok(number) => number.parse().expect("NNUE_PLIES is a number"),
        Err(_) if width < WIDE => PLIES,
        Err(_) => PLIES / 4,
    }
}

/// A network with random weights, on every level of this machine.
pub struct Subject<A: SelectedByPieces<Line: Played>> {
    nets: Vec<Network<A>>,
    /// The same weights for the interpreter.
    reference: Net,
}

impl<A: SelectedByPieces<Line: Played, Output = Output>> Subject<A> {
    /// The network of a spec.
    ///
    /// # Panics
    ///
    /// If the spec has errors, or is not the network's.
    #[must_use]
    pub fn of(spec: &str) -> Subject<A> {
        let network = analyse(&SourceFile::new(A::NAME, spec)).expect("a spec without errors");
        let file = random_net_file(&network, 1);
        let net = Network::<A>::from_bytes(&file).expect("our own file");
        Subject {
            nets: Level::available()
                .map(|level| net.clone().with_level(level))
                .collect(),
            reference: Net::from_bytes(&network, &file).expect("our own file"),
        }
    }

    /// Random games with this number of plies.
    ///
    /// # Panics
    ///
    /// If an evaluation on some level differs from a refresh's, or that of a refresh from the
    /// interpreter's, or if the games had too few of the moves that matter.
    pub fn check_random_play(&self, plies: usize) {
        games::check(&self.nets, &self.reference, plies);
    }

    /// [`check_king_walks`] on every level.
    ///
    /// # Panics
    ///
    /// If an evaluation differs from a refresh's.
    pub fn check_king_walks(&self) {
        self.nets.iter().for_each(check_king_walks);
    }
}

/// Random play with networks that are compiled elsewhere: `name: module = "path";`.
#[macro_export]
macro_rules! random_play {
    ($($name:ident: $net:path = $path:literal;)*) => {
        $(#[test]
        fn $name() {
            use $net as net;
            let spec = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
            $crate::play::Subject::<net::Net>::of(spec).check_random_play($crate::play::plies_of(net::WIDTH));
        })*
    };
}
