//! Alpha-beta with a hash table, null moves and quiescence: what the engines have in common.

use cozy_chess::{Board, Move, Piece};

use crate::Evaluation;

/// A mate; with more depth left, it is sooner and worth more.
const MATE: i32 = 30_000;
const ENTRIES: usize = 1 << 16;

#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Exact,
    Lower,
    Upper,
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    mv: Option<Move>,
    value: i32,
    /// What the network said of the position itself.
    evaluation: i32,
    depth: i32,
    bound: Bound,
}

/// A search of one position.
pub struct Search<E> {
    evaluation: E,
    table: Vec<Option<Entry>>,
    /// How often a quiet move from one square to another was best.
    history: Box<[[i32; 64]; 64]>,
    /// How many positions were searched.
    pub nodes: u64,
}

impl<E: Evaluation> Search<E> {
    /// A search that knows nothing yet.
    #[must_use]
    pub fn new(evaluation: E) -> Search<E> {
        Search {
            evaluation,
            table: vec![None; ENTRIES],
            history: Box::new([[0; 64]; 64]),
            nodes: 0,
        }
    }

    /// Searches deeper and deeper, and returns the last value.
    pub fn run(&mut self, board: &Board, depth: i32) -> i32 {
        self.evaluation.reset(board);
        let search = |depth| self.search(board, depth, -2 * MATE, 2 * MATE, false);
        (1..=depth).map(search).last().unwrap_or(0)
    }

    fn search(&mut self, board: &Board, depth: i32, alpha: i32, beta: i32, may_pass: bool) -> i32 {
        if depth <= 0 {
            return self.quiesce(board, alpha, beta);
        }
        self.nodes += 1;
        let slot = board.hash() as usize % ENTRIES;
        let known = self.table[slot].filter(|entry| entry.hash == board.hash());
        if let Some(entry) = known.filter(|entry| entry.depth >= depth) {
            let cuts = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.value >= beta,
                Bound::Upper => entry.value <= alpha,
            };
            if cuts {
                return entry.value;
            }
        }
        self.evaluation.hint();
        let evaluation = match known {
            Some(entry) => entry.evaluation,
            None => self.evaluation.evaluate(board),
        };
        if may_pass
            && depth >= 3
            && evaluation >= beta
            && has_pieces(board)
            && let Some(passed) = board.null_move()
        {
            self.evaluation.make(board, None, &passed);
            let value = -self.search(&passed, depth - 3, -beta, 1 - beta, false);
            self.evaluation.unmake();
            if value >= beta {
                return beta;
            }
        }

        let moves = self.ordered(board, known.and_then(|entry| entry.mv), false);
        if moves.is_empty() {
            let is_mate = !board.checkers().is_empty();
            return if is_mate { -MATE - depth } else { 0 };
        }
        let (mut best, mut best_move, mut bound) = (-2 * MATE, None, Bound::Upper);
        let mut low = alpha;
        for mv in moves {
            let value = self.after(board, mv, |search, next| {
                -search.search(next, depth - 1, -beta, -low, true)
            });
            if value > best {
                (best, best_move) = (value, Some(mv));
            }
            if value > low {
                (low, bound) = (value, Bound::Exact);
            }
            if low >= beta {
                bound = Bound::Lower;
                if !takes(board, mv) {
                    self.history[mv.from as usize][mv.to as usize] += depth * depth;
                }
                break;
            }
        }
        self.table[slot] = Some(Entry {
            hash: board.hash(),
            mv: best_move,
            value: best,
            evaluation,
            depth,
            bound,
        });
        best
    }

    /// Searches captures until there are none that help.
    fn quiesce(&mut self, board: &Board, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        self.evaluation.hint();
        let mut best = self.evaluation.evaluate(board);
        let mut low = alpha.max(best);
        if best >= beta {
            return best;
        }
        for mv in self.ordered(board, None, true) {
            let value = self.after(board, mv, |search, next| -search.quiesce(next, -beta, -low));
            best = best.max(value);
            low = low.max(value);
            if low >= beta {
                break;
            }
        }
        best
    }

    /// Makes a move, takes it back, and returns what was found between.
    fn after(
        &mut self,
        board: &Board,
        mv: Move,
        between: impl FnOnce(&mut Search<E>, &Board) -> i32,
    ) -> i32 {
        let mut next = board.clone();
        next.play_unchecked(mv);
        self.evaluation.make(board, Some(mv), &next);
        let value = between(self, &next);
        self.evaluation.unmake();
        value
    }

    /// The move of the table, captures of much by little, then moves that were often best.
    fn ordered(&self, board: &Board, first: Option<Move>, only_captures: bool) -> Vec<Move> {
        let mut moves = Vec::new();
        board.generate_moves(|of_piece| {
            moves.extend(
                of_piece
                    .into_iter()
                    .filter(|&mv| !only_captures || takes(board, mv)),
            );
            false
        });
        let worth = |square| board.piece_on(square).map_or(0, |piece| piece as i32 + 1);
        moves.sort_by_cached_key(|&mv| {
            let score = if takes(board, mv) {
                1_000_000 + 10 * worth(mv.to) - worth(mv.from)
            } else {
                self.history[mv.from as usize][mv.to as usize].min(900_000)
            };
            (Some(mv) != first, -score)
        });
        moves
    }
}

/// Whether a move captures on the square that it leads to, or promotes.
fn takes(board: &Board, mv: Move) -> bool {
    board.colors(!board.side_to_move()).has(mv.to) || mv.promotion.is_some()
}

/// Whether the side to move has more than pawns, so that passing is hardly ever its best move.
fn has_pieces(board: &Board) -> bool {
    let pawns_and_king = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
    !(board.colors(board.side_to_move()) & !pawns_and_king).is_empty()
}
