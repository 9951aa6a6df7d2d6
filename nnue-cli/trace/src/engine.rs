//! A small engine around an evaluator, which uses a processor as real engines do.
//!
//! An evaluator in a loop of its own has all caches and branch predictors to itself. In an engine
//! it shares them with a board, with tables that are larger than the caches, and with the
//! generation of moves. So an [`Engine`] does this work along a search, with or without an
//! evaluator, and the difference of both times is the time of the evaluator in an engine.

use std::collections::TryReserveError;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::{Follow, Idle, Search, Trace};
use cozy_chess::{Board, Move};
use nnue_runtime::Delta;

use crate::pass::Contender;

/// The work of an engine between evaluations. Several contenders may follow searches in the same
/// engine, one after the other, so that they use the same pages of memory.
#[derive(Debug)]
pub struct Engine(Mutex<State>);

impl Engine {
    /// The default size of the hash table in bytes, as in most engines.
    pub const TABLE: usize = 16 << 20;

    /// Creates an engine with a hash table of `table` bytes, at least 64.
    ///
    /// # Errors
    ///
    /// The error of the allocator, if there is not enough memory.
    pub fn new(table: usize) -> Result<Engine, TryReserveError> {
        Ok(Engine(Mutex::new(State::new(table)?)))
    }

    /// Lets a contender, which is in this engine, take turns with the engine alone, trace by trace.
    /// Returns the time of the engine alone, and its time with the contender.
    ///
    /// `values` has a place for each value of all traces, in order.
    pub fn take_turns<V>(
        &self,
        contender: &mut dyn Contender<Value = V>,
        traces: &[Trace],
        mut values: &mut [V],
    ) -> [Duration; 2] {
        let mut alone = Following::new(Idle, Some(self));
        let (mut engine, mut both) = (Duration::ZERO, Duration::ZERO);
        for trace in traces {
            let found;
            (found, values) = values.split_at_mut(trace.evaluations().min(values.len()));
            // The first turn reads the trace into the caches for both others, so it does not count.
            contender.time(trace, &mut []);
            engine += alone.time(trace, &mut []);
            both += contender.time(trace, found);
        }
        [engine, both]
    }
}

/// A contender that follows searches: a follower, perhaps in an engine.
#[derive(Debug)]
pub struct Following<'e, F> {
    follower: F,
    engine: Option<&'e Engine>,
}

impl<'e, F> Following<'e, F> {
    /// Puts a follower into an engine, or lets it follow alone without an engine.
    pub fn new(follower: F, engine: Option<&'e Engine>) -> Self {
        Following { follower, engine }
    }

    /// The follower in this contender.
    pub fn follower_mut(&mut self) -> &mut F {
        &mut self.follower
    }
}

impl<F: Follow> Contender for Following<'_, F> {
    type Value = F::Value;

    fn time(&mut self, trace: &Trace, values: &mut [F::Value]) -> Duration {
        let Some(Engine(state)) = self.engine else {
            return trace.replay(&mut self.follower, values);
        };
        // The state after a panic is as good as any other: the next search begins at its root.
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut both = Both {
            state: &mut state,
            follower: &mut self.follower,
        };
        trace.replay(&mut both, values)
    }
}

/// The engine with the follower in it.
struct Both<'f, F> {
    state: &'f mut State,
    follower: &'f mut F,
}

impl<F: Follow> Follow for Both<'_, F> {
    type Value = F::Value;

    fn reset(&mut self, search: &Search) {
        self.state.reset(&search.game);
        self.follower.reset(search);
    }

    #[inline]
    fn make(&mut self, played: Move, delta: &Delta) {
        self.state.make(Some(played));
        self.follower.make(played, delta);
    }

    #[inline]
    fn make_null(&mut self) {
        self.state.make(None);
        self.follower.make_null();
    }

    #[inline]
    fn unmake(&mut self) {
        self.state.unmake();
        self.follower.unmake();
    }

    #[inline]
    fn evaluate(&mut self) -> F::Value {
        let value = self.follower.evaluate();
        self.state.choose_move();
        value
    }
}

/// A position of the current line.
#[derive(Clone, Debug)]
struct Ply {
    board: Board,
    /// The move that led to the position, as [`moved`] numbers it; 0 for the root and after a null
    /// move, because no pawn goes to a1.
    moved: usize,
}

/// A line of the processor's cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct CacheLine([u64; 8]);

/// The number of moves that a history distinguishes: by the kind of piece and the target square.
const MOVES: usize = 6 * 64;

/// The histories of moves of one side, as scores.
#[derive(Clone, Debug)]
struct Histories {
    /// The score of each move, which grows when the move was good.
    moves: Vec<i16>,
    /// The score of each move after each move of the other side.
    replies: Vec<[i16; MOVES]>,
}

/// The memory of an engine.
#[derive(Debug)]
struct State {
    /// The positions from the root to the current position.
    line: Vec<Ply>,
    table: Vec<CacheLine>,
    /// A number that makes the keys of this search differ from those of earlier searches.
    salt: u64,
    /// The histories of both sides.
    histories: [Histories; 2],
}

impl State {
    fn new(table: usize) -> Result<State, TryReserveError> {
        let lines = (table / size_of::<CacheLine>()).max(1);
        let mut table = Vec::new();
        table.try_reserve_exact(lines)?;
        // Untouched zeros would all be in the same page of memory.
        table.resize(lines, CacheLine([1; 8]));
        let histories = Histories {
            moves: vec![0; MOVES],
            replies: vec![[0; MOVES]; MOVES],
        };
        Ok(State {
            line: Vec::with_capacity(128),
            table,
            salt: 0,
            histories: [histories.clone(), histories],
        })
    }

    fn reset(&mut self, root: &Board) {
        self.line.clear();
        self.line.push(Ply {
            board: root.clone(),
            moved: 0,
        });
        // A repeated search would find its own lines in the caches, which no engine does.
        self.salt = self.salt.wrapping_add(0x9E37_79B9_7F4A_7C15);
    }

    /// Makes a move, or a null move if `played` is `None`, and probes the hash table.
    ///
    /// Like [`State::choose_move`], this function is never inlined, so that it is the same machine
    /// code with every follower and without a follower.
    #[inline(never)]
    fn make(&mut self, played: Option<Move>) {
        let Some(Ply { board, .. }) = self.line.last() else {
            return;
        };
        let next = match played {
            Some(played) => {
                let mut next = board.clone();
                next.play_unchecked(played);
                Some(next)
            }
            None => board.null_move(),
        };
        let next = Ply {
            moved: played.map_or(0, |played| moved(board, played)),
            board: next.unwrap_or_else(|| board.clone()),
        };
        self.probe(next.board.hash());
        self.line.push(next);
    }

    fn unmake(&mut self) {
        self.line.pop();
    }

    /// Looks for a position in its line of the hash table, and stores it there.
    #[inline]
    fn probe(&mut self, hash: u64) {
        let key = hash ^ self.salt;
        let line = self.line_of(key);
        let CacheLine(keys) = &mut self.table[line];
        let place = keys.iter().position(|known| *known == key);
        // The index uses the high bits, so the key keeps the low bits.
        keys[place.unwrap_or(hash as usize % keys.len())] = key;
    }

    #[inline]
    fn line_of(&self, key: u64) -> usize {
        ((u128::from(key) * self.table.len() as u128) >> 64) as usize
    }

    /// Generates the legal moves, finds the move with the best score in the histories, and
    /// increases its scores as if it had been good again.
    #[inline(never)]
    fn choose_move(&mut self) {
        /// The limit of a history's scores.
        const MOST: i32 = 1 << 14;
        const BONUS: i32 = 256;

        let Some(Ply {
            board,
            moved: reply_to,
        }) = self.line.last()
        else {
            return;
        };
        let Histories { moves, replies } = &mut self.histories[board.side_to_move() as usize];
        let replies = &mut replies[*reply_to];
        let mut best = (i32::MIN, 0);
        board.generate_moves(|of_piece| {
            for candidate in of_piece {
                let index = moved(board, candidate);
                let score = i32::from(moves[index]) + i32::from(replies[index]);
                best = best.max((score, index));
            }
            false
        });
        let (_, best) = best;
        for entry in [&mut moves[best], &mut replies[best]] {
            let known = i32::from(*entry);
            *entry = (known + BONUS - known * BONUS / MOST) as i16;
        }
    }
}

/// The number of a move in a history, less than [`MOVES`].
#[inline]
fn moved(board: &Board, played: Move) -> usize {
    let piece = board
        .piece_on(played.from)
        .map_or(0, |piece| piece as usize);
    64 * piece + played.to as usize
}

#[cfg(test)]
mod tests {
    use crate::Event;
    use crate::tests::Boards;
    use nnue_runtime::Board as Placement;

    use super::*;

    /// A trace with captures, castling, en passant, promotions, null moves, and a position without
    /// moves.
    const TRACE: &str = "\
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1; = e2e4 d7d5 = e4d5 = - 0 = ~ - -\n\
        r3k2r/6Pp/8/8/4pP2/8/8/R3K2R b KQkq f3 0 1; e4f3 = - e8c8 e1g1 = - - 0 g7g8q = - ~ =\n\
        7k/8/5KQ1/8/8/8/8/8 w - - 0 1; = g6g7 = -\n";

    /// Compares the boards of the engine with those of the follower in it after each event.
    struct Compared<'f> {
        both: Both<'f, Boards>,
        nodes: usize,
    }

    impl Compared<'_> {
        fn compare(&self) {
            let board = |ply: &Ply| Placement::from(&ply.board);
            let line: Vec<Placement> = self.both.state.line.iter().map(board).collect();
            assert_eq!(line, self.both.follower.0);
        }

        /// Checks that a visited node is in the hash table.
        fn node(&mut self) {
            self.compare();
            self.nodes += 1;
            let State {
                line, table, salt, ..
            } = &self.both.state;
            let key = line[line.len() - 1].board.hash() ^ salt;
            let CacheLine(keys) = &table[self.both.state.line_of(key)];
            assert!(keys.contains(&key));
        }
    }

    impl Follow for Compared<'_> {
        type Value = Option<Placement>;

        fn reset(&mut self, search: &Search) {
            self.both.reset(search);
            self.compare();
        }

        fn make(&mut self, played: Move, delta: &Delta) {
            self.both.make(played, delta);
            self.node();
        }

        fn make_null(&mut self) {
            self.both.make_null();
            self.node();
        }

        fn unmake(&mut self) {
            self.both.unmake();
            self.compare();
        }

        fn evaluate(&mut self) -> Option<Placement> {
            let value = self.both.evaluate();
            self.compare();
            value
        }
    }

    /// Follows a trace, and returns the memory of the engine after it.
    fn followed(trace: &Trace, table: usize, nodes: usize) -> State {
        let mut state = State::new(table).unwrap();
        let mut compared = Compared {
            both: Both {
                state: &mut state,
                follower: &mut Boards::default(),
            },
            nodes: 0,
        };
        let mut values = vec![None; trace.evaluations()];
        trace.replay(&mut compared, &mut values);
        assert_eq!(compared.nodes, nodes);
        assert!(values.iter().flatten().eq(trace.evaluated()));
        state
    }

    #[test]
    fn the_engine_has_the_board_that_the_deltas_lead_to() {
        let trace = Trace::read(TRACE.as_bytes()).unwrap();
        for table in [0, 64, 1000, 1 << 20] {
            followed(&trace, table, 10);
        }
        let mut bundled = Trace::bundled().unwrap();
        bundled.searches.truncate(2);
        let makes = bundled.searches.iter().flat_map(|search| &search.events);
        let makes = makes.filter(|event| matches!(event, Event::Make(_) | Event::MakeNull));
        let makes = makes.count();
        followed(&bundled, 1 << 20, makes);
    }

    #[test]
    fn each_node_has_a_line_of_its_own_in_the_hash_table() {
        let trace = Trace::read(TRACE.as_bytes()).unwrap();
        let state = followed(&trace, 1 << 20, 10);
        let written = |CacheLine(keys): &&CacheLine| keys.iter().any(|key| *key != 1);
        assert_eq!(state.table.len(), 1 << 14);
        assert_eq!(state.table.iter().filter(written).count(), 10);
    }

    /// In the second search, the histories are those of the first search, but the lines are others.
    #[test]
    fn a_search_that_is_repeated_finds_histories_but_no_lines() {
        let text = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1; e2e4 = -\n";
        let once = followed(&Trace::read(text.as_bytes()).unwrap(), 1 << 20, 1);
        let twice = followed(&Trace::read(text.repeat(2).as_bytes()).unwrap(), 1 << 20, 2);
        let sum = |state: &State| {
            state.histories[1]
                .moves
                .iter()
                .copied()
                .map(i32::from)
                .sum()
        };
        let (first, second): (i32, i32) = (sum(&once), sum(&twice));
        assert!(0 < first && first < second && second < 2 * first);
        let written = |CacheLine(keys): &&CacheLine| keys.iter().any(|key| *key != 1);
        assert_eq!(twice.table.iter().filter(written).count(), 2);
    }

    #[test]
    fn turns_write_the_values_of_all_traces() {
        let trace = Trace::read(TRACE.as_bytes()).unwrap();
        let engine = Engine::new(1 << 12).unwrap();
        let mut contender = Following::new(Boards::default(), Some(&engine));
        let mut values = vec![None; trace.evaluations()];
        let times = engine.take_turns(&mut contender, &trace.by_search(), &mut values);
        assert!(values.iter().flatten().eq(trace.evaluated()));
        assert!(times.iter().all(|time| !time.is_zero()));
        // If `values` has too few places, the values for these places are still written.
        let mut fewer = vec![None; 3];
        engine.take_turns(&mut contender, &trace.by_search(), &mut fewer);
        assert_eq!(values[..3], fewer);
    }

    #[test]
    fn more_memory_than_there_is_is_refused() {
        assert!(Engine::new(usize::MAX).is_err());
    }
}
