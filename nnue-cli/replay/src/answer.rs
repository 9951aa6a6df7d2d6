//! The answers of a network's program about positions.

use nnue_runtime::__private::file::foreign;
use std::error::Error;
use std::fmt;
use std::io::{BufRead, Write};
use std::marker::PhantomData;
use std::str::FromStr;

use nnue_runtime::{
    Accumulator, Architecture, Board, Delta, Evaluated, Evaluator, Network, Output, Position, Wdl,
};

use crate::contenders::Evaluate;

/// The outputs of a network for a position: its value, or the values of win, draw and loss in this
/// order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The outputs after a full refresh.
    pub refreshed: Vec<Output>,
    /// The outputs after an update from the position before; `None` if there are more changes than
    /// a [`Delta`] can have.
    pub along: Option<Vec<Output>>,
}

/// The values of an evaluation, without further heads.
pub trait Values {
    /// The value of the evaluation, or the values of win, draw and loss.
    fn values(&self) -> Vec<Output>;
}

impl Values for Output {
    fn values(&self) -> Vec<Output> {
        vec![*self]
    }
}

impl Values for Wdl {
    fn values(&self) -> Vec<Output> {
        vec![self.win, self.draw, self.loss]
    }
}

/// The text for a missing evaluation along the list.
const NOTHING: &str = "-";

/// The text between the two evaluations.
const BETWEEN: &str = " | ";

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |values: &[Output]| {
            let words = values.iter().map(|output| {
                let Output {
                    psqt,
                    positional,
                    value,
                } = output;
                format!("{psqt} {positional} {value}")
            });
            words.collect::<Vec<_>>().join(" ")
        };
        let along = self.along.as_deref().map_or(NOTHING.into(), words);
        write!(f, "{}{BETWEEN}{along}", words(&self.refreshed))
    }
}

impl FromStr for Answer {
    type Err = String;

    fn from_str(line: &str) -> Result<Answer, String> {
        let wrong = || format!("found the answer `{}`, expected values", foreign(line));
        let values = |words: &str| -> Result<Vec<Output>, String> {
            let numbers = words.split(' ').map(str::parse);
            let numbers: Vec<i32> = numbers.collect::<Result<_, _>>().map_err(|_| wrong())?;
            let (outputs, []) = numbers.as_chunks() else {
                return Err(wrong());
            };
            let outputs = outputs.iter().map(|&[psqt, positional, value]| Output {
                psqt,
                positional,
                value,
            });
            Ok(outputs.collect())
        };
        let (refreshed, along) = line.split_once(BETWEEN).ok_or_else(wrong)?;
        Ok(Answer {
            refreshed: values(refreshed)?,
            along: match along {
                NOTHING => None,
                words => Some(values(words)?),
            },
        })
    }
}

/// The number of moves after which an evaluator starts anew: as many as in deep searches, and
/// within the memory that an evaluator reserves.
const LONGEST_LINE: usize = 128;

/// Reads a FEN from each line, and writes an [`Answer`] for each.
pub(crate) fn answer<A, E>(
    net: &Network<A>,
    fens: impl BufRead,
    mut out: impl Write,
) -> Result<(), Box<dyn Error>>
where
    A: Architecture,
    E: Evaluate<A, Value = A::Output>,
    <A::Output as Evaluated>::Evaluation: Values,
{
    let mut line = PositionList::<A, E>::new(net);
    for fen in fens.lines() {
        let fen = fen?;
        let board =
            Board::from_fen(&fen).map_err(|error| format!("FEN `{}`: {error}", foreign(&fen)))?;
        let refreshed = E::alone(net, &Accumulator::new(net, &board), &board);
        let answer = Answer {
            refreshed: refreshed.evaluation().values(),
            along: line.evaluate(&board),
        };
        writeln!(out, "{answer}")?;
    }
    Ok(out.flush()?)
}

/// An evaluator that follows a list of positions as if it were a game.
struct PositionList<'n, A: Architecture, E> {
    evaluator: Evaluator<A, &'n Network<A>>,
    before: Option<Board>,
    evaluate: PhantomData<E>,
}

impl<'n, A, E> PositionList<'n, A, E>
where
    A: Architecture,
    E: Evaluate<A, Value = A::Output>,
    <A::Output as Evaluated>::Evaluation: Values,
{
    fn new(net: &'n Network<A>) -> Self {
        PositionList {
            evaluator: Evaluator::new(net, &Board::start()),
            before: None,
            evaluate: PhantomData,
        }
    }

    /// The values of the next position, if an update leads there from the position before.
    fn evaluate(&mut self, board: &Board) -> Option<Vec<Output>> {
        let before = self.before.replace(board.clone());
        let delta = before.and_then(|before| Delta::between(&before, board).ok());
        match delta {
            Some(delta) if self.evaluator.ply() < LONGEST_LINE => {
                self.evaluator.push(&delta);
                self.evaluator.set_side_to_move(board.side_to_move());
            }
            _ => {
                self.evaluator.reset(board);
                // This evaluation gives the next position an accumulator from which an update can
                // start.
                E::along(&mut self.evaluator);
                return None;
            }
        }
        Some(E::along(&mut self.evaluator).evaluation().values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        let output = |number| Output {
            psqt: number,
            positional: -number,
            value: i32::MIN,
        };
        for along in [None, Some(vec![output(3)]), Some(vec![output(0); 3])] {
            let answer = Answer {
                refreshed: vec![output(7), output(-8)],
                along,
            };
            assert_eq!(answer.to_string().parse(), Ok(answer));
        }
        for wrong in ["", "1 2 3", "1 2 | -", "1 2 x | -", "1 2 3 | 1 2"] {
            assert!(wrong.parse::<Answer>().is_err(), "{wrong}");
        }
    }
}
