//! The pairs of a match, several of them at a time.
//!
//! Pairs are counted in the order of their openings, whichever ends first. So a match with fixed
//! nodes has the same result however many games are played at a time, even if a test ends it, and
//! short games do not decide a test before long games.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use cozy_chess::{Board, Color};

use crate::matches::engine::Fault;
use crate::matches::error::Error;
use crate::matches::game::{Rules, Seats};
use crate::matches::pgn::{ending, pgn};
use crate::matches::player::{Player, Side};
use crate::matches::results::{Pair, Played, Results};
use crate::matches::statistics::{Sprt, Verdict};

/// A match that is to be played.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// The players A and B.
    pub players: &'a [Player; 2],
    /// How each game is played.
    pub rules: &'a Rules,
    /// The openings: an opening for each pair.
    pub openings: &'a [Board],
    /// How many games are played at a time.
    pub concurrency: usize,
    /// A sequential test that ends the match when it accepts a hypothesis.
    pub sprt: Option<Sprt>,
    /// A flag that ends the match when it is set. The match sets it when it has ended.
    pub stop: &'a AtomicBool,
}

/// An event in a match.
#[derive(Debug)]
pub enum Event<'e> {
    /// A player lost by a fault, which the text describes.
    Forfeit(String),
    /// A pair is finished.
    Finished(&'e Pair),
    /// A pair is finished, and so are all pairs before it; the results include this pair.
    Counted(&'e Pair, &'e Results),
}

/// A message from a worker to the match.
enum Message {
    Forfeit(String),
    Finished(Box<[Played; 2]>, usize),
    /// No more games can be played.
    Fault(Fault),
}

impl Match<'_> {
    /// Plays all pairs that are not finished, and returns the results of all pairs that count.
    /// `observe` is called with each event, and its error ends the match.
    ///
    /// # Errors
    ///
    /// [`Error::Engine`] if an engine cannot be started, or an error of `observe`.
    pub fn play<E: From<Error>>(
        &self,
        finished: BTreeMap<usize, Pair>,
        observe: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<Results, E> {
        let all = 0..self.openings.len();
        let pending: Vec<usize> = all.filter(|index| !finished.contains_key(index)).collect();
        let mut count = Count {
            results: Results::default(),
            waiting: finished,
        };
        count.advance(self, observe)?;
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            if !count.is_over(self) {
                for _ in 0..self.concurrency.min(pending.len()) {
                    let sender = sender.clone();
                    scope.spawn(|| self.work(&pending, &next, sender));
                }
            }
            drop(sender);
            let collected = self.collect(&receiver, &mut count, observe);
            self.stop.store(true, Ordering::Relaxed);
            collected
        })?;
        Ok(count.results)
    }

    /// The state of the sequential test after these results, if the match has a test.
    #[must_use]
    pub fn verdict(&self, results: &Results) -> Option<Verdict> {
        self.sprt?.verdict(&results.pentanomial)
    }

    fn collect<E: From<Error>>(
        &self,
        receiver: &Receiver<Message>,
        count: &mut Count,
        observe: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for message in receiver {
            match message {
                Message::Forfeit(description) => observe(Event::Forfeit(description))?,
                Message::Fault(fault) => return Err(Error::Engine(fault).into()),
                Message::Finished(games, index) => {
                    let pair = Pair {
                        index,
                        games: *games,
                    };
                    observe(Event::Finished(&pair))?;
                    count.waiting.insert(index, pair);
                    count.advance(self, observe)?;
                    if count.is_over(self) {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Plays pairs until none are left.
    fn work(&self, pending: &[usize], next: &AtomicUsize, sender: Sender<Message>) {
        let mut seats = Seats::new(self.players, self.rules, self.stop);
        while !self.stop.load(Ordering::Relaxed) {
            let Some(index) = pending.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let message = match self.pair(*index, &mut seats, &sender) {
                Ok(games) => Message::Finished(games.into(), *index),
                Err(Fault::Stopped) => return,
                Err(fault) => Message::Fault(fault),
            };
            // The receiver is dropped when the match is over.
            if sender.send(message).is_err() {
                return;
            }
        }
    }

    fn pair(
        &self,
        index: usize,
        seats: &mut Seats<'_>,
        sender: &Sender<Message>,
    ) -> Result<[Played; 2], Fault> {
        let opening = &self.openings[index];
        let mut play = |number: usize, white: Side| {
            let game = seats.play(opening, white)?;
            let round = (index + 1, number);
            if game.reason.is_forfeit() {
                let [white, black] =
                    Color::ALL.map(|color| &self.players[game.player(color) as usize]);
                let end = ending(&game);
                let description = format!("game {}.{number}, {white} - {black}: {end}", index + 1);
                let _ = sender.send(Message::Forfeit(description));
            }
            let pgn = pgn(&game, opening, self.players, self.rules, round);
            Ok(Played::of(&game, pgn))
        };
        Ok([play(1, Side::A)?, play(2, Side::B)?])
    }
}

/// The results of counted pairs, and the pairs that wait for an earlier pair.
struct Count {
    results: Results,
    waiting: BTreeMap<usize, Pair>,
}

impl Count {
    /// Counts all waiting pairs before which no pair is missing.
    fn advance<E>(
        &mut self,
        of: &Match<'_>,
        observe: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while !self.is_over(of) {
            let Some(pair) = self.waiting.remove(&self.results.pairs) else {
                break;
            };
            self.results.add(&pair);
            observe(Event::Counted(&pair, &self.results))?;
        }
        Ok(())
    }

    fn is_over(&self, of: &Match<'_>) -> bool {
        self.results.pairs == of.openings.len() || of.verdict(&self.results).is_some()
    }
}
