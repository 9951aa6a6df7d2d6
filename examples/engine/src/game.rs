//! A game: its position, and what makes it a draw.

use arrayvec::ArrayVec;
use cozy_chess::{Board, Move, Piece};
use fastrand::Rng;

/// No position has more moves: those of fifteen queens and a king, if none were in another's way.
pub const MOST_MOVES: usize = 15 * 27 + 8;

/// A position, and the keys of those that led to it.
#[derive(Clone, Default)]
pub struct Game {
    /// The position.
    pub board: Board,
    /// The hashes of the positions before it.
    pub keys: Vec<u64>,
}

impl Game {
    /// A game that begins with a position.
    pub fn new(board: Board) -> Game {
        let keys = Vec::new();
        Game { board, keys }
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.keys.push(self.board.hash());
        self.board.play_unchecked(mv);
    }
}

/// All legal moves.
pub fn legal_moves(board: &Board) -> ArrayVec<Move, MOST_MOVES> {
    let mut all = ArrayVec::new();
    board.generate_moves(|moves| {
        all.extend(moves);
        false
    });
    all
}

/// A game that begins after `plies` random moves, unless it is over by then.
pub fn opening(random: &mut Rng, start: &Board, plies: usize) -> Option<Game> {
    let mut board = start.clone();
    for _ in 0..plies {
        board.play_unchecked(random.choice(legal_moves(&board))?);
    }
    board.generate_moves(|_| true).then(|| Game::new(board))
}

/// A draw by fifty moves, by lack of material, or by a position that was there before: twice, or
/// once since the key number `root`, for what was good once will be good again.
pub fn is_drawn(board: &Board, keys: &[u64], root: usize) -> bool {
    let minor = board.pieces(Piece::Knight) | board.pieces(Piece::Bishop);
    let pieces = board.occupied();
    if pieces.len() <= 3 && pieces.is_subset(minor | board.pieces(Piece::King)) {
        return true;
    }
    if board.halfmove_clock() >= 100 {
        return board.checkers().is_empty() || board.generate_moves(|_| true);
    }
    let reversible = usize::from(board.halfmove_clock()).min(keys.len());
    let places = (4..=reversible).step_by(2).map(|back| keys.len() - back);
    let mut repeated = places.filter(|&place| keys[place] == board.hash());
    let last = repeated.next();
    last.is_some_and(|last| last >= root || repeated.next().is_some())
}
