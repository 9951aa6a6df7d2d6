//! Principal variation search, deeper in each iteration, by any number of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use arrayvec::ArrayVec;
use cozy_chess::{Board, Move, Piece};

use crate::evaluation::{DECIDED, Evaluation, Judge, MATE};
use crate::game::{Game, is_drawn};
use crate::ordering::{History, MOST_MOVES, Moves, is_quiet};
use crate::table::{Entry, Table};
use crate::time::{DEEPEST, Limits};

/// Lines end here, however many checks there are.
const MOST_PLIES: usize = DEEPEST as usize + 28;

/// How far scores of two iterations may differ.
const WINDOW: i32 = 30;

/// What the threads of a search share.
#[derive(Default)]
pub(crate) struct Control {
    pub(crate) stop: AtomicBool,
    /// Nodes of all threads, in whole [batches](BATCH).
    nodes: AtomicU64,
}

/// Nodes after which a thread adds to the shared number and looks at the clock.
const BATCH: u64 = 1024;

/// The result of an iteration.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) score: i32,
    pub(crate) depth: i32,
    pub(crate) nodes: u64,
    pub(crate) elapsed: Duration,
    /// None if there is no legal move.
    pub(crate) best: Option<Move>,
}

/// Searches with all threads, and tells of each iteration. The first thread's result counts: it
/// finds more in the table for the others searching the same.
pub(crate) fn search(
    threads: &mut [Searcher],
    game: &Game,
    limits: Limits,
    control: &Arc<Control>,
    tell: &mut dyn FnMut(&Found),
) -> Found {
    let Some((first, helpers)) = threads.split_first_mut() else {
        return Found::default();
    };
    thread::scope(|scope| {
        for helper in helpers {
            scope.spawn(|| helper.deepen(game, limits, control, &mut |_| {}));
        }
        let found = first.deepen(game, limits, control, tell);
        while limits.infinite && !control.stop.load(Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        control.stop.store(true, Relaxed);
        found
    })
}

/// One thread: it keeps what it learnt of moves from one search to the next.
pub(crate) struct Searcher {
    evaluation: Evaluation,
    table: Arc<Table>,
    history: History,
    /// For each ply of the line, moves that were too good for the opponent.
    killers: Vec<[Option<Move>; 2]>,
    /// For each ply of the line, the value of the position.
    values: Vec<i32>,
    /// The game's and the line's, without the position itself; the line begins at `root`.
    keys: Vec<u64>,
    root: usize,
    best: Option<Move>,
    limits: Limits,
    control: Arc<Control>,
    nodes: u64,
    stopped: bool,
}

impl Searcher {
    pub(crate) fn new(judge: &Judge, table: &Arc<Table>) -> Searcher {
        Searcher {
            evaluation: Evaluation::new(judge, &Board::default()),
            table: table.clone(),
            history: History::new(),
            killers: vec![[None; 2]; MOST_PLIES],
            values: vec![0; MOST_PLIES],
            keys: Vec::new(),
            root: 0,
            best: None,
            limits: Limits::none(),
            control: Arc::default(),
            nodes: 0,
            stopped: false,
        }
    }

    fn deepen(
        &mut self,
        game: &Game,
        limits: Limits,
        control: &Arc<Control>,
        tell: &mut dyn FnMut(&Found),
    ) -> Found {
        self.evaluation.reset(&game.board);
        self.keys.clone_from(&game.keys);
        self.root = game.keys.len();
        self.killers.fill([None; 2]);
        (self.limits, self.control) = (limits, control.clone());
        (self.nodes, self.stopped) = (0, false);
        self.best = game.moves().first().copied();
        let mut found = Found::default();
        let deepest = if self.best.is_none() { 0 } else { limits.depth };
        for depth in 1..=deepest {
            let score = self.aspire(&game.board, depth, found.score);
            found.nodes = control.nodes.load(Relaxed) + self.nodes % BATCH;
            found.elapsed = limits.started.elapsed();
            found.best = self.best;
            if self.stopped {
                break;
            }
            (found.score, found.depth) = (score, depth);
            tell(&found);
            if found.elapsed > limits.soft {
                break;
            }
        }
        found
    }

    /// One iteration: in a window around the last score, or in all if that was too narrow.
    fn aspire(&mut self, board: &Board, depth: i32, guess: i32) -> i32 {
        let score = self.visit(board, depth, guess - WINDOW, guess + WINDOW);
        match self.stopped || (score - guess).abs() < WINDOW {
            true => score,
            false => self.visit(board, depth, -MATE, MATE),
        }
    }

    /// Makes a move, or a null move.
    fn make(&mut self, board: &Board, mv: Option<Move>, next: &Board) {
        self.evaluation.push(board, mv, next);
        self.keys.push(board.hash());
        self.nodes += 1;
        self.stopped |= self.nodes >= self.limits.nodes;
        if self.nodes.is_multiple_of(BATCH) {
            self.control.nodes.fetch_add(BATCH, Relaxed);
            self.stopped |= self.control.stop.load(Relaxed);
            self.stopped |= self.limits.started.elapsed() > self.limits.hard;
        }
    }

    fn unmake(&mut self) {
        self.evaluation.pop();
        self.keys.pop();
    }

    /// The score of a position for its side to move, exact if it is between alpha and beta.
    fn visit(&mut self, board: &Board, mut depth: i32, mut alpha: i32, mut beta: i32) -> i32 {
        let ply = self.keys.len() - self.root;
        if ply > 0 {
            if is_drawn(board, &self.keys, self.root) {
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
        depth += i32::from(in_check);
        if depth <= 0 || ply >= MOST_PLIES - 1 {
            return self.settle(board, alpha, beta);
        }

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
        if !is_open && !in_check && beta.abs() < DECIDED {
            if depth <= 7 && value - 75 * (depth - i32::from(improves)) >= beta {
                return value;
            }
            if depth >= 3 && value >= beta && self.passes(board, depth, beta) {
                return beta;
            }
        }

        let killers = self.killers[ply];
        let mut entry = Entry::new(-MATE, depth);
        let mut tried = ArrayVec::<Move, MOST_MOVES>::new();
        let mut count = 0;
        for mv in Moves::all(board, known, killers, &self.history) {
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
                    less -= self.history.of(board, mv) / 6_000;
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
            if ply == 0 && entry.best.is_some() {
                self.best = entry.best;
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
        if count == 0 {
            return if in_check { ply as i32 - MATE } else { 0 };
        }
        self.table.put(board.hash(), ply, entry);
        entry.score
    }

    /// Whether the position is good enough even if the side to move passes.
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
        score >= beta && !self.stopped
    }

    /// A quiet move was too good for the opponent; others, tried before, were not.
    fn remember(&mut self, board: &Board, mv: Move, tried: &[Move], depth: i32) {
        let killers = &mut self.killers[self.keys.len() - self.root];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let bonus = (depth * depth * 16).min(1_600);
        self.history.add(board, mv, bonus);
        for &mv in tried {
            self.history.add(board, mv, -bonus);
        }
    }

    /// The score when no capture is left that wins anything.
    fn settle(&mut self, board: &Board, mut alpha: i32, beta: i32) -> i32 {
        let ply = self.keys.len() - self.root;
        let known = self.table.get(board.hash(), ply);
        if let Some(known) = known.filter(|known| beta - alpha == 1 && known.cuts(alpha, beta)) {
            return known.score;
        }
        let in_check = !board.checkers().is_empty() && ply < MOST_PLIES - 1;
        let mut moves = Moves::all(board, known.filter(|_| in_check), [None; 2], &self.history);
        let mut score = ply as i32 - MATE;
        if !in_check {
            moves.keep_captures();
            score = self.evaluation.value(board);
        }
        if score >= beta {
            return score;
        }
        alpha = alpha.max(score);
        let mut entry = Entry::new(score, 0);
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            self.make(board, Some(mv), &next);
            let score = -self.settle(&next, -beta, -alpha);
            self.unmake();
            if self.stopped {
                return alpha;
            }
            entry.add(mv, score, &mut alpha, beta);
            if score >= beta {
                break;
            }
        }
        self.table.put(board.hash(), ply, entry);
        entry.score
    }
}
