//! Principal variation search, deeper in each iteration, by any number of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use arrayvec::ArrayVec;
use cozy_chess::{Board, Move, Piece};

use crate::evaluation::{DECIDED, Evaluation, Judge, MATE};
use crate::ordering::{History, MOST_MOVES, Moves, is_quiet, piece_to, wins};
use crate::table::{Bound, Entry, Table};
use crate::time::{DEEPEST, Limits};

/// Lines end here, however many checks there are.
const MOST_PLIES: usize = 2 * DEEPEST as usize;

/// A position, and the keys of those that led to it.
#[derive(Clone, Default)]
pub(crate) struct Game {
    pub(crate) board: Board,
    pub(crate) keys: Vec<u64>,
}

impl Game {
    pub(crate) fn new(board: Board) -> Game {
        Game {
            board,
            keys: Vec::new(),
        }
    }

    /// Plays a legal move.
    pub(crate) fn play(&mut self, mv: Move) {
        self.keys.push(self.board.hash());
        self.board.play_unchecked(mv);
    }

    pub(crate) fn moves(&self) -> Vec<Move> {
        let mut all = Vec::new();
        self.board.generate_moves(|moves| {
            all.extend(moves);
            false
        });
        all
    }

    /// A draw by fifty moves, by a position that was there twice before, or because no material is
    /// left to mate with.
    pub(crate) fn is_drawn(&self) -> bool {
        self.board.halfmove_clock() >= 100
            || cannot_mate(&self.board)
            || repetitions(&self.board, &self.keys).nth(1).is_some()
    }
}

/// The places in a list of keys at which a position was there before.
fn repetitions(board: &Board, keys: &[u64]) -> impl Iterator<Item = usize> {
    let (key, last) = (board.hash(), keys.len());
    let reversible = usize::from(board.halfmove_clock()).min(last);
    let places = (4..=reversible).step_by(2).map(move |back| last - back);
    places.filter(move |&place| keys[place] == key)
}

fn cannot_mate(board: &Board) -> bool {
    let minor = board.pieces(Piece::Knight) | board.pieces(Piece::Bishop);
    let kings = board.pieces(Piece::King);
    board.occupied().len() <= 3 && board.occupied() == (minor | kings)
}

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
#[derive(Clone, Default)]
pub(crate) struct Found {
    pub(crate) score: i32,
    pub(crate) depth: i32,
    pub(crate) deepest: usize,
    pub(crate) nodes: u64,
    pub(crate) elapsed: Duration,
    /// The line that both sides should play. It is empty if there is no legal move.
    pub(crate) line: Vec<Move>,
}

/// Searches with all threads. The first one's result counts, and is told after each iteration; it
/// finds more in the table as the others search the same.
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
    first.table.grow_older();
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
    killers: Vec<[Option<Move>; 2]>,
    /// Of the line, per ply: the value of the position, and the move that led to it as
    /// [`piece_to`] numbers it.
    values: Vec<i32>,
    made: Vec<Option<usize>>,
    /// Of numbers, in hundredths: late moves are searched less deep by them.
    logarithms: Vec<i32>,
    /// Of the game and the line, without the position itself; those from `root` on are the line's.
    keys: Vec<u64>,
    root: usize,
    limits: Limits,
    control: Arc<Control>,
    nodes: u64,
    deepest: usize,
    stopped: bool,
}

impl Searcher {
    pub(crate) fn new(judge: &Judge, table: &Arc<Table>) -> Searcher {
        Searcher {
            evaluation: Evaluation::new(judge, &Board::default()),
            table: table.clone(),
            history: History::new(),
            killers: vec![[None; 2]; MOST_PLIES + 1],
            values: vec![0; MOST_PLIES + 1],
            made: vec![None; MOST_PLIES + 1],
            logarithms: (0..256)
                .map(|n| (f64::from(n.max(1)).ln() * 100.0).round() as i32)
                .collect(),
            keys: Vec::new(),
            root: 0,
            limits: Limits::none(),
            control: Arc::default(),
            nodes: 0,
            deepest: 0,
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
        let mut found = Found {
            line: game.moves().into_iter().take(1).collect(),
            ..Found::default()
        };
        if found.line.is_empty() {
            return found;
        }
        for depth in 1..=limits.depth.clamp(1, DEEPEST) {
            self.deepest = 0;
            let mut line = Vec::new();
            let score = self.aspire(&game.board, depth, found.score, &mut line);
            let elapsed = limits.started.elapsed();
            found.nodes = self.control.nodes.load(Relaxed) + self.nodes % BATCH;
            found.elapsed = elapsed;
            if !line.is_empty() {
                found.line = line;
            }
            if self.stopped {
                break;
            }
            (found.score, found.depth, found.deepest) = (score, depth, self.deepest);
            tell(&found);
            if limits.soft.is_some_and(|soft| elapsed > soft) {
                break;
            }
        }
        found
    }

    /// One iteration: in a window around the last score, which grows where it was too narrow.
    fn aspire(&mut self, board: &Board, depth: i32, guess: i32, line: &mut Vec<Move>) -> i32 {
        let mut width = if depth < 5 { 2 * MATE } else { 20 };
        let (mut alpha, mut beta) = (guess - width, guess + width);
        loop {
            let score = self.visit(board, depth, alpha, beta, 0, line);
            width *= 3;
            if self.stopped {
                return score;
            } else if score <= alpha {
                alpha = score - width;
            } else if score >= beta {
                beta = score + width;
            } else {
                return score;
            }
        }
    }

    /// Makes a move, or a null move.
    fn make(&mut self, board: &Board, mv: Option<Move>, next: &Board, ply: usize) {
        self.evaluation.push(board, mv, next);
        self.keys.push(board.hash());
        self.made[ply + 1] = mv.map(|mv| piece_to(board, mv));
        self.nodes += 1;
        if self.nodes.is_multiple_of(BATCH) {
            self.control.nodes.fetch_add(BATCH, Relaxed);
            let late = |hard| self.limits.started.elapsed() > hard;
            self.stopped |= self.control.stop.load(Relaxed) || self.limits.hard.is_some_and(late);
        }
        self.stopped |= self.nodes >= self.limits.nodes;
    }

    fn unmake(&mut self) {
        self.evaluation.pop();
        self.keys.pop();
    }

    /// Whether the line has come to a draw. One repetition within it is enough: what was good once
    /// will be good again.
    fn is_drawn(&self, board: &Board) -> bool {
        if board.halfmove_clock() >= 100 {
            return board.checkers().is_empty() || board.generate_moves(|_| true);
        }
        let mut places = repetitions(board, &self.keys);
        cannot_mate(board)
            || places
                .next()
                .is_some_and(|last| last >= self.root || places.next().is_some())
    }

    /// The score of a position for its side to move, exact if it is between alpha and beta. If it
    /// is, `line` becomes the line that leads to it.
    fn visit(
        &mut self,
        board: &Board,
        mut depth: i32,
        mut alpha: i32,
        mut beta: i32,
        ply: usize,
        line: &mut Vec<Move>,
    ) -> i32 {
        let is_root = ply == 0;
        let is_open = beta - alpha > 1;
        self.deepest = self.deepest.max(ply);
        if !is_root {
            if self.is_drawn(board) {
                return 0;
            }
            // No line from here is better than a mate that was found closer to the root.
            alpha = alpha.max(ply as i32 - MATE);
            beta = beta.min(MATE - ply as i32 - 1);
            if alpha >= beta {
                return alpha;
            }
        }
        let in_check = !board.checkers().is_empty();
        if in_check {
            depth += 1;
        }
        if depth <= 0 || ply >= MOST_PLIES - 1 {
            return self.settle(board, alpha, beta, ply);
        }

        let known = self.table.get(board.hash(), ply);
        if let Some(known) = known.filter(|known| !is_open && known.depth >= depth)
            && cuts(known, alpha, beta)
        {
            return known.score;
        }
        let first = known.and_then(|known| known.best);
        if first.is_none() && depth >= 4 {
            depth -= 1; // a shallower search finds the move to begin with
        }

        let value = if in_check {
            -MATE
        } else {
            self.evaluation.value(board)
        };
        self.values[ply] = value;
        let improves = !in_check && ply >= 2 && value > self.values[ply - 2];
        if !is_open && !in_check && beta.abs() < DECIDED {
            if depth <= 7 && value - 75 * (depth - i32::from(improves)) >= beta {
                return value;
            }
            if let Some(score) = self.pass(board, depth, beta, value, ply) {
                return score;
            }
        }

        let answered = self.made[ply];
        let killers = self.killers[ply];
        let moves = Moves::all(board, first, killers, &self.history, answered);
        let (mut best, mut best_move, mut bound) = (-MATE, None, Bound::Upper);
        let mut tried = ArrayVec::<Move, MOST_MOVES>::new();
        let mut count = 0;
        for mv in moves {
            let quiet = is_quiet(board, mv);
            let history = if quiet {
                self.history.of(board, mv, answered)
            } else {
                0
            };
            if !is_root && best > -DECIDED && !in_check {
                let hopeless = value + 100 + 90 * depth <= alpha;
                let enough = (4 + depth * depth) / if improves { 1 } else { 2 };
                let late = count >= enough as usize;
                if quiet && depth <= 6 && (hopeless || late || history < -4_000 * depth) {
                    continue;
                }
                if depth <= 6 && !wins(board, mv, -90 * depth) {
                    continue;
                }
            }
            let mut next = board.clone();
            next.play_unchecked(mv);
            self.make(board, Some(mv), &next, ply);
            count += 1;

            let mut below = Vec::new();
            let mut score = -MATE;
            let mut open = is_open && count == 1;
            if !open {
                // Late moves are searched less deep, and all but the first only for whether they
                // are better than what is known.
                let reduction = match depth >= 3 && count > 2 && quiet {
                    true => {
                        let product = self.logarithms[depth as usize] * self.logarithms[count];
                        (80 + product / 220) / 100
                            - i32::from(is_open)
                            - i32::from(killers.contains(&Some(mv)))
                            + i32::from(!improves)
                            - history / 8_000
                    }
                    false => 0,
                };
                let reduced = (depth - 1 - reduction.max(0)).max(1).min(depth - 1);
                score = -self.visit(&next, reduced, -alpha - 1, -alpha, ply + 1, &mut below);
                if score > alpha && reduced < depth - 1 {
                    score = -self.visit(&next, depth - 1, -alpha - 1, -alpha, ply + 1, &mut below);
                }
                open = is_open && score > alpha;
            }
            if open {
                below.clear();
                score = -self.visit(&next, depth - 1, -beta, -alpha, ply + 1, &mut below);
            }
            self.unmake();
            if self.stopped {
                return best.max(alpha);
            }

            if score > best {
                best = score;
                if score > alpha {
                    (alpha, best_move, bound) = (score, Some(mv), Bound::Exact);
                    if is_open {
                        line.clear();
                        line.push(mv);
                        line.append(&mut below);
                    }
                }
                if score >= beta {
                    bound = Bound::Lower;
                    if quiet {
                        self.remember(board, mv, &tried, depth, ply);
                    }
                    break;
                }
            }
            if quiet {
                tried.push(mv);
            }
        }
        if count == 0 {
            return if in_check { ply as i32 - MATE } else { 0 };
        }
        let entry = Entry {
            best: best_move,
            score: best,
            depth,
            bound,
        };
        self.table.put(board.hash(), ply, entry);
        best
    }

    /// A score that is good enough even if the side to move passes.
    fn pass(
        &mut self,
        board: &Board,
        depth: i32,
        beta: i32,
        value: i32,
        ply: usize,
    ) -> Option<i32> {
        // Where pawns alone are left, to have to move may be what loses.
        let own = board.colors(board.side_to_move());
        let has_pieces = !own.is_subset(board.pieces(Piece::Pawn) | board.pieces(Piece::King));
        if depth < 3 || value < beta || !has_pieces || self.made[ply].is_none() {
            return None;
        }
        let next = board.null_move()?;
        self.make(board, None, &next, ply);
        let reduced = depth - 4 - depth / 4 - ((value - beta) / 200).min(3);
        let score = -self.visit(&next, reduced, -beta, 1 - beta, ply + 1, &mut Vec::new());
        self.unmake();
        (score >= beta && !self.stopped).then_some(score.min(DECIDED - 1))
    }

    /// A quiet move was too good for the opponent; others, tried before, were not.
    fn remember(&mut self, board: &Board, mv: Move, tried: &[Move], depth: i32, ply: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let bonus = (depth * depth * 16).min(1_600);
        let answered = self.made[ply];
        self.history.add(board, mv, answered, bonus);
        for &mv in tried {
            self.history.add(board, mv, answered, -bonus);
        }
    }

    /// The score when no capture is left that wins anything.
    fn settle(&mut self, board: &Board, mut alpha: i32, beta: i32, ply: usize) -> i32 {
        self.deepest = self.deepest.max(ply);
        if cannot_mate(board) {
            return 0;
        }
        if ply >= MOST_PLIES - 1 {
            return self.evaluation.value(board);
        }
        let known = self.table.get(board.hash(), ply);
        if let Some(known) = known
            && beta - alpha == 1
            && cuts(known, alpha, beta)
        {
            return known.score;
        }
        let first = known.and_then(|known| known.best);
        let in_check = !board.checkers().is_empty();
        let (mut best, moves) = if in_check {
            let moves = Moves::all(board, first, [None; 2], &self.history, None);
            (ply as i32 - MATE, moves)
        } else {
            let value = self.evaluation.value(board);
            if value >= beta {
                return value;
            }
            alpha = alpha.max(value);
            (value, Moves::captures(board, first))
        };
        let (mut best_move, mut bound) = (None, Bound::Upper);
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            self.make(board, Some(mv), &next, ply);
            let score = -self.settle(&next, -beta, -alpha, ply + 1);
            self.unmake();
            if self.stopped {
                return best.max(alpha);
            }
            if score > best {
                best = score;
                if score > alpha {
                    (alpha, best_move) = (score, Some(mv));
                }
                if score >= beta {
                    bound = Bound::Lower;
                    break;
                }
            }
        }
        let entry = Entry {
            best: best_move,
            score: best,
            depth: 0,
            bound,
        };
        self.table.put(board.hash(), ply, entry);
        best
    }
}

/// Whether a stored score is enough to know that the position is outside of the window.
fn cuts(known: Entry, alpha: i32, beta: i32) -> bool {
    match known.bound {
        Bound::Lower => known.score >= beta,
        Bound::Upper => known.score <= alpha,
        Bound::Exact => true,
    }
}
