//! The sums of the games of a match.

use serde::{Deserialize, Serialize};

use crate::matches::game::{Game, Reason, Usage};
use crate::matches::player::Side;
use crate::matches::statistics::Pentanomial;

/// A finished game, without its moves as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The player who won; `None` for a draw.
    pub winner: Option<Side>,
    /// Why the game ended.
    pub reason: Reason,
    /// The moves, nodes and seconds of A and B.
    pub usage: [Usage; 2],
    /// The game as PGN, with an empty line at the end.
    pub pgn: String,
}

impl Played {
    pub(crate) fn of(game: &Game, pgn: String) -> Played {
        Played {
            winner: game.winner,
            reason: game.reason,
            usage: game.usage,
            pgn,
        }
    }

    /// The points of A in this game, in half points.
    fn halves(&self) -> usize {
        match self.winner {
            Some(Side::A) => 2,
            None => 1,
            Some(Side::B) => 0,
        }
    }
}

/// Two games with the same opening: A has white in the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The number of the pair's opening, from 0.
    pub index: usize,
    /// The game in which A has white, and then the game in which B has white.
    pub games: [Played; 2],
}

/// The sums of the pairs that count.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// How many pairs there are.
    pub pairs: usize,
    /// How many games A won.
    pub wins: u64,
    /// How many games were drawn.
    pub draws: u64,
    /// How many games A lost.
    pub losses: u64,
    /// How many pairs gave A 0, ½, 1, 1½ and 2 points.
    pub pentanomial: Pentanomial,
    /// How many games A and B lost by a fault and not by chess.
    pub forfeits: [u64; 2],
    /// The moves, nodes and seconds of A and B.
    pub usage: [Usage; 2],
}

impl Results {
    /// Adds a pair to the sums.
    pub fn add(&mut self, pair: &Pair) {
        self.pairs += 1;
        self.pentanomial[pair.games[0].halves() + pair.games[1].halves()] += 1;
        for game in &pair.games {
            match game.winner {
                Some(Side::A) => self.wins += 1,
                None => self.draws += 1,
                Some(Side::B) => self.losses += 1,
            }
            if let Some(winner) = game.winner
                && game.reason.is_forfeit()
            {
                self.forfeits[winner.other() as usize] += 1;
            }
            for (sum, usage) in self.usage.iter_mut().zip(&game.usage) {
                sum.moves += usage.moves;
                sum.nodes += usage.nodes;
                sum.seconds += usage.seconds;
            }
        }
    }

    /// The number of games, two for each pair.
    #[must_use]
    pub fn games(&self) -> u64 {
        2 * self.pairs as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(winners: [Option<Side>; 2], reason: Reason) -> Pair {
        let games = winners.map(|winner| Played {
            winner,
            reason,
            usage: [1, 2].map(|moves| Usage {
                moves,
                nodes: 10 * moves,
                seconds: 0.5,
            }),
            pgn: String::new(),
        });
        Pair { index: 0, games }
    }

    #[test]
    fn pairs_add_up() {
        let [a, b] = Side::BOTH.map(Some);
        let mut results = Results::default();
        for (winners, reason) in [
            ([a, a], Reason::Checkmate),
            ([a, None], Reason::AdjudicatedWin),
            ([a, b], Reason::Checkmate),
            ([None, None], Reason::Repetition),
            ([b, None], Reason::Crash),
            ([b, b], Reason::Time),
            ([b, a], Reason::IllegalMove),
        ] {
            results.add(&pair(winners, reason));
        }
        let Results {
            wins,
            draws,
            losses,
            pentanomial,
            forfeits,
            usage,
            ..
        } = &results;
        assert_eq!((results.pairs, results.games()), (7, 14));
        assert_eq!((*wins, *draws, *losses), (5, 4, 5));
        assert_eq!(*pentanomial, [1, 1, 3, 1, 1]);
        assert_eq!(*forfeits, [4, 1]);
        assert_eq!((usage[0].moves, usage[1].nodes), (14, 280));
        assert!((usage[1].seconds - 7.0).abs() < 1e-9);
    }
}
