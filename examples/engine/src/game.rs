//! A game: its position, and what makes it a draw.

use cozy_chess::{Board, Move, Piece};

/// A position, and the keys of those that led to it.
#[derive(Clone, Default)]
pub(crate) struct Game {
    pub(crate) board: Board,
    pub(crate) keys: Vec<u64>,
}

impl Game {
    pub(crate) fn new(board: Board) -> Game {
        let keys = Vec::new();
        Game { board, keys }
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
}

/// A draw by fifty moves, by lack of material, or by a position that was there before: twice, or
/// once since the key number `root`, for what was good once will be good again.
pub(crate) fn is_drawn(board: &Board, keys: &[u64], root: usize) -> bool {
    let minor = board.pieces(Piece::Knight) | board.pieces(Piece::Bishop);
    if board.occupied().len() <= 3
        && board
            .occupied()
            .is_subset(minor | board.pieces(Piece::King))
    {
        return true;
    }
    if board.halfmove_clock() >= 100 {
        return board.checkers().is_empty() || board.generate_moves(|_| true);
    }
    let reversible = usize::from(board.halfmove_clock()).min(keys.len());
    let places = (4..=reversible).step_by(2).map(|back| keys.len() - back);
    let mut repeated = places.filter(|&place| keys[place] == board.hash());
    repeated
        .next()
        .is_some_and(|last| last >= root || repeated.next().is_some())
}
