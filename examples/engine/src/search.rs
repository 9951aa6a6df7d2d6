//! Principal variation search, deeper in each iteration, by any number of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use arrayvec::ArrayVec;
use cozy_chess::{Board, Move, Piece};

use crate::evaluation::{DECIDED, Evaluation, Judge, MATE};
use crate::game::{Game, MOST_MOVES, is_drawn, legal_moves};
use crate::ordering::{Moves, PLACES, is_quiet, place, reward};
use crate::table::{Entry, Table};
use crate::time::{DEEPEST, Limits};

/// Lines end here, however many checks there are.
const MOST_PLIES: usize = DEEPEST as usize + 28;

/// How far scores of two iterations may differ.
const WINDOW: i32 = 30;

/// A search that threads share.
pub(crate) struct Task {
    pub(crate) game: Game,
    limits: Limits,
    pub(crate) stop: AtomicBool,
    /// Nodes of all threads, in whole [batches](BATCH).
    nodes: AtomicU64,
}

impl Task {
    pub(crate) fn new(game: Game, limits: Limits) -> Arc<Task> {
        Arc::new(Task {
            game,
            limits,
            stop: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
        })
    }
}

/// Nodes after which a thread adds to the shared number and looks at the clock.
const BATCH: u64 = 1024;

/// The result of an iteration.
#[derive(Default)]
pub struct Found {
    /// Centipawns for the side to move, or how far it is to a mate.
    pub score: i32,
    /// None if there is no legal move.
    pub best: Option<Move>,
    pub(crate) depth: i32,
    pub(crate) nodes: u64,
    pub(crate) elapsed: Duration,
}

/// Searches with all threads, and tells of each iteration. The first thread's result counts: it
/// finds more in the table for the others searching the same.
pub(crate) fn search(threads: &mut [Searcher], task: &Arc<Task>, tell: impl Fn(&Found)) -> Found {
    let Some((first, helpers)) = threads.split_first_mut() else {
        return Found::default();
    };
    thread::scope(|scope| {
        for helper in helpers {
            scope.spawn(|| helper.deepen(task, |_| {}));
        }
        let found = first.deepen(task, tell);
        while task.limits.infinite && !task.stop.load(Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        task.stop.store(true, Relaxed);
        found
    })
}

/// One thread: it keeps what it learnt of moves from one search to the next.
pub struct Searcher {
    evaluation: Evaluation,
    table: Arc<Table>,
    /// How well quiet moves did, each at its [place].
    history: Vec<i32>,
    /// For each ply of the line, moves that were too good for the opponent.
    killers: Vec<[Option<Move>; 2]>,
    /// For each ply of the line, the value of the position.
    values: Vec<i32>,
    /// The game's and the line's, without the position itself; the line begins at `root`.
    keys: Vec<u64>,
    root: usize,
    best: Option<Move>,
    task: Arc<Task>,
    nodes: u64,
    stopped: bool,
}

impl Searcher {
    /// A thread that knows nothing.
    pub fn new(judge: &Judge, table: &Arc<Table>) -> Searcher {
        Searcher {
            evaluation: Evaluation::new(judge, &Board::default()),
            table: table.clone(),
            history: vec![0; PLACES],
            killers: vec![[None; 2]; MOST_PLIES],
            values: vec![0; MOST_PLIES],
            keys: Vec::new(),
            root: 0,
            best: None,
            task: Task::new(Game::default(), Limits::none()),
            nodes: 0,
            stopped: false,
        }
    }

    /// Searches with this thread alone.
    pub fn search(&mut self, game: &Game, limits: Limits) -> Found {
        self.deepen(&Task::new(game.clone(), limits), |_| {})
    }

    /// Searches deeper in each iteration: in a window around the last score, or in all if that was
    /// too narrow.
    fn deepen(&mut self, task: &Arc<Task>, tell: impl Fn(&Found)) -> Found {
        let Task { game, limits, .. } = &**task;
        self.evaluation.reset(&game.board);
        self.keys.clone_from(&game.keys);
        self.root = game.keys.len();
        self.killers.fill([None; 2]);
        self.task = task.clone();
        (self.nodes, self.stopped) = (0, false);
        self.best = legal_moves(&game.board).first().copied();
        let mut found = Found::default();
        let deepest = if self.best.is_none() { 0 } else { limits.depth };
        for depth in 1..=deepest {
            let window = [found.score - WINDOW, found.score + WINDOW];
            let mut score = self.visit(&game.board, depth, window[0], window[1]);
            if !self.stopped && (score <= window[0] || score >= window[1]) {
                score = self.visit(&game.board, depth, -MATE, MATE);
            }
            found.nodes = task.nodes.load(Relaxed) + self.nodes % BATCH;
            found.elapsed = limits.started.elapsed();
            found.best = self.best;
            if !self.stopped {
                (found.score, found.depth) = (score, depth);
            }
            // An iteration that was ended tells its nodes, with the score of the one before.
            if found.depth > 0 {
                tell(&found);
            }
            if self.stopped || found.elapsed > limits.soft {
                break;
            }
        }
        found
    }

    /// Makes a move, or a null move.
    fn make(&mut self, board: &Board, mv: Option<Move>, next: &Board) {
        self.evaluation.push(board, mv, next);
        self.keys.push(board.hash());
        self.nodes += 1;
        let (task, limits) = (&self.task, &self.task.limits);
        self.stopped |= self.nodes >= limits.nodes;
        if self.nodes.is_multiple_of(BATCH) {
            task.nodes.fetch_add(BATCH, Relaxed);
            self.stopped |= task.stop.load(Relaxed) || limits.started.elapsed() > limits.hard;
        }
    }

    fn unmake(&mut self) {
        self.evaluation.pop();
        self.keys.pop();
    }

    /// The score of a position for its side to move, exact if it is between alpha and beta. At depth
    /// 0 this is quiescence search: until the position is settled, only captures are tried, or all
    /// moves where the king is in check.
    fn visit(&mut self, board: &Board, depth: i32, mut alpha: i32, mut beta: i32) -> i32 {
        let ply = self.keys.len() - self.root;
        if ply > 0 {
            // A search that is over visits nothing more, or it would exceed its limit.
            if self.stopped || is_drawn(board, &self.keys, self.root) {
                return 0;
            }
            // No line from here is better than a mate that was found closer to the root.
            alpha = alpha.max(ply as i32 - MATE);
            beta = beta.min(MATE - ply as i32 - 1);
            if alpha >= beta {
                return alpha;
            }
        }
        let is_open = beta - alpha > 1;
        let in_check = !board.checkers().is_empty();
        let mut depth = (depth + i32::from(in_check)).max(0);
        let known = self.table.get(board.hash(), ply);
        match known {
            Some(known) if !is_open && known.depth >= depth && known.cuts(alpha, beta) => {
                return known.score;
            }
            // A shallower search finds the move to begin with.
            None if depth >= 4 => depth -= 1,
            _ => {}
        }
        let value = self.evaluation.value(board);
        self.values[ply] = value;
        let improves = ply >= 2 && value > self.values[ply - 2];
        let settles = depth == 0 && !in_check;
        // Nobody has to capture.
        let mut entry = Entry::new(if settles { value } else { -MATE }, depth);
        if entry.score >= beta || ply >= MOST_PLIES - 1 {
            return value;
        }
        alpha = alpha.max(entry.score);
        if !settles && !is_open && !in_check && beta.abs() < DECIDED {
            if depth <= 7 && value - 75 * (depth - i32::from(improves)) >= beta {
                return value;
            }
            if depth >= 3 && value >= beta && self.passes(board, depth, beta) {
                return beta;
            }
        }

        let killers = self.killers[ply];
        let first = known.filter(|_| !settles).and_then(|known| known.best);
        let moves = Moves::new(board, first, killers, &self.history, settles);
        let mut tried = ArrayVec::<Move, MOST_MOVES>::new();
        let mut count = 0;
        for mv in moves {
            let quiet = is_quiet(board, mv);
            if quiet && depth <= 6 && !is_open && !in_check && entry.score > -DECIDED {
                let enough = (4 + depth * depth) as usize / if improves { 1 } else { 2 };
                if count >= enough || value + 100 + 90 * depth <= alpha {
                    continue;
                }
            }
            let mut next = board.clone();
            next.play_unchecked(mv);
            self.make(board, Some(mv), &next);
            count += 1;

            // All moves but the first are searched only for whether they are better than what is
            // known, and late ones less deep.
            let mut score = alpha + 1;
            if count > 1 || !is_open {
                let mut less = 0;
                if depth >= 3 && count > 2 && quiet {
                    less = (3 + depth.ilog2() * count.ilog2()) as i32 / 4 + i32::from(!improves);
                    less -= i32::from(is_open || killers.contains(&Some(mv)));
                    less -= self.history[place(board, mv)] / 6_000;
                }
                let reduced = (depth - 1 - less.max(0)).max(1).min(depth - 1);
                score = -self.visit(&next, reduced, -alpha - 1, -alpha);
                if score > alpha && reduced < depth - 1 {
                    score = -self.visit(&next, depth - 1, -alpha - 1, -alpha);
                }
            }
            if is_open && score > alpha {
                score = -self.visit(&next, depth - 1, -beta, -alpha);
            }
            self.unmake();
            if self.stopped {
                return alpha;
            }
            entry.add(mv, score, &mut alpha, beta);
            if ply == 0 {
                self.best = entry.best.or(self.best);
            }
            if score >= beta {
                if quiet {
                    self.remember(board, mv, &tried, depth);
                }
                break;
            }
            if quiet {
                tried.push(mv);
            }
        }
        if count == 0 && !settles {
            return if in_check { ply as i32 - MATE } else { 0 };
        }
        self.table.put(board.hash(), ply, entry);
        entry.score
    }

    /// Whether the position is good enough even if the side to move passes, or the search is over.
    fn passes(&mut self, board: &Board, depth: i32, beta: i32) -> bool {
        // Where pawns alone are left, to have to move may be what loses.
        let pawns = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
        let has_pieces = !board.colors(board.side_to_move()).is_subset(pawns);
        let Some(next) = board.null_move().filter(|_| has_pieces) else {
            return false;
        };
        self.make(board, None, &next);
        let score = -self.visit(&next, depth - 4 - depth / 4, -beta, 1 - beta);
        self.unmake();
        score >= beta || self.stopped
    }

    /// A quiet move was too good for the opponent; others, tried before, were not.
    fn remember(&mut self, board: &Board, mv: Move, tried: &[Move], depth: i32) {
        let killers = &mut self.killers[self.keys.len() - self.root];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let bonus = (depth * depth * 16).min(1_600);
        reward(&mut self.history[place(board, mv)], bonus);
        for &mv in tried {
            reward(&mut self.history[place(board, mv)], -bonus);
        }
    }
}
