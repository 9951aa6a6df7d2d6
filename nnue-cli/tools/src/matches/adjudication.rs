//! Rules that end games before the rules of chess do, because both engines agree.

use std::fmt;

use cozy_chess::Color;

/// A rule that calls a game a draw when both engines have seen no advantage for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// The number of the move, as in FEN, before which no draw is called.
    pub from: u16,
    /// For how many moves of each player the scores must last, without a capture or a pawn move.
    pub moves: u16,
    /// The largest distance of the scores from 0, in centipawns.
    pub centipawns: i32,
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.from, self.moves, self.centipawns)
    }
}

/// A rule that calls a game a win when both engines have seen the win for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinRule {
    /// For how many moves of each player the scores must last.
    pub moves: u16,
    /// The least distance of all scores from 0, in centipawns, in favour of the same player.
    pub centipawns: i32,
}

impl fmt::Display for WinRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.moves, self.centipawns)
    }
}

/// The scores that the engines have reported in a game, as far as the rules need them.
pub(crate) struct Adjudicator {
    draw: Option<DrawRule>,
    win: Option<WinRule>,
    /// The number of moves in a row without a score far from 0.
    quiet: u32,
    /// The number of moves in a row with a winning score, positive for white and negative for
    /// black.
    winning: i32,
}

/// The decision of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Draw,
    Win(Color),
}

impl Adjudicator {
    pub(crate) fn new(draw: Option<DrawRule>, win: Option<WinRule>) -> Adjudicator {
        Adjudicator {
            draw,
            win,
            quiet: 0,
            winning: 0,
        }
    }

    /// Counts a move: its player, the score from this player's view in centipawns, the number of
    /// the move, and whether it was a capture or a pawn move.
    pub(crate) fn take(
        &mut self,
        mover: Color,
        score: Option<i32>,
        number: u16,
        is_irreversible: bool,
    ) -> Option<Decision> {
        if let Some(rule) = self.draw {
            let is_quiet =
                !is_irreversible && score.is_some_and(|score| score.abs() <= rule.centipawns);
            self.quiet = if is_quiet { self.quiet + 1 } else { 0 };
            if number >= rule.from && self.quiet >= 2 * u32::from(rule.moves) {
                return Some(Decision::Draw);
            }
        }
        if let Some(rule) = self.win {
            let white = match (score, mover) {
                (Some(score), Color::White) => score,
                (Some(score), Color::Black) => -score,
                (None, _) => 0,
            };
            self.winning = match white {
                _ if white >= rule.centipawns => self.winning.max(0) + 1,
                _ if white <= -rule.centipawns => self.winning.min(0) - 1,
                _ => 0,
            };
            if self.winning.unsigned_abs() >= 2 * u32::from(rule.moves) {
                let winner = if self.winning > 0 {
                    Color::White
                } else {
                    Color::Black
                };
                return Some(Decision::Win(winner));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAW: DrawRule = DrawRule {
        from: 10,
        moves: 2,
        centipawns: 8,
    };
    const WIN: WinRule = WinRule {
        moves: 2,
        centipawns: 500,
    };

    /// The number of moves after which a game with these scores, from white's view, is decided, and
    /// the decision. The game begins at move 9.
    fn decided(scores: &[Option<i32>], irreversible: usize) -> Option<(usize, Decision)> {
        let mut adjudicator = Adjudicator::new(Some(DRAW), Some(WIN));
        scores.iter().enumerate().find_map(|(ply, score)| {
            let (mover, sign) = match ply % 2 {
                0 => (Color::White, 1),
                _ => (Color::Black, -1),
            };
            let score = score.map(|score| sign * score);
            let number = 9 + ply as u16 / 2;
            let decision = adjudicator.take(mover, score, number, ply == irreversible)?;
            Some((ply + 1, decision))
        })
    }

    const NEVER: usize = usize::MAX;

    #[test]
    fn games_are_drawn_when_both_see_nothing() {
        assert_eq!(decided(&[Some(8); 12], NEVER), Some((4, Decision::Draw)));
        assert_eq!(decided(&[Some(-8); 12], NEVER), Some((4, Decision::Draw)));
        assert_eq!(decided(&[Some(9); 12], NEVER), None);
        assert_eq!(decided(&[None; 12], NEVER), None);
        assert_eq!(decided(&[Some(0); 12], 2), Some((7, Decision::Draw)));
        let one_disagrees = [0, 30].repeat(10).into_iter().map(Some);
        assert_eq!(decided(&one_disagrees.collect::<Vec<_>>(), NEVER), None);
    }

    #[test]
    fn draws_wait_for_their_move() {
        let late = DrawRule { from: 20, ..DRAW };
        let mut adjudicator = Adjudicator::new(Some(late), None);
        for number in 1..20 {
            assert_eq!(adjudicator.take(Color::White, Some(0), number, false), None);
        }
        let last = adjudicator.take(Color::White, Some(0), 20, false);
        assert_eq!(last, Some(Decision::Draw));
    }

    #[test]
    fn games_are_won_when_both_see_it() {
        let white = Decision::Win(Color::White);
        let black = Decision::Win(Color::Black);
        assert_eq!(decided(&[Some(500); 9], NEVER), Some((4, white)));
        assert_eq!(decided(&[Some(-500); 9], NEVER), Some((4, black)));
        assert_eq!(decided(&[Some(499); 9], NEVER), None);
        let turned = [[Some(900); 3], [Some(-900); 3]].concat();
        assert_eq!(decided(&turned, NEVER), None);
        let missing = [Some(900), Some(900), None, Some(900), Some(900)];
        assert_eq!(decided(&missing, NEVER), None);
    }

    #[test]
    fn nothing_is_decided_without_rules() {
        let mut adjudicator = Adjudicator::new(None, None);
        for number in 1..500 {
            assert_eq!(adjudicator.take(Color::Black, Some(0), number, false), None);
        }
    }
}
