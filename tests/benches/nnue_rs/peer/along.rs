//! Accumulators of `nnue-rs` along a search.

use ::nnue_rs as theirs;
use nnue_runtime::{Board, Color, Delta, Piece, PieceChanges, Position, Square};
use nnue_trace::{Follow, Move, Search, Trace};

use super::{View, color, piece, square};

/// An evaluator that updates an accumulator for each move.
pub(super) struct EachMove<'n> {
    net: &'n theirs::Network,
    placement: Placement,
    line: PathFromRoot,
    /// The accumulator of the root, then an accumulator for each move.
    accumulators: Vec<theirs::Accumulator>,
    changes: Changes,
}

/// An evaluator that records moves, and applies them together when a position is evaluated.
pub(super) struct Lazily<'n> {
    net: &'n theirs::Network,
    /// The positions that will be evaluated: an engine has such a board in any case.
    boards: Vec<Board>,
    /// The index of the next position in `boards`.
    next: usize,
    line: PathFromRoot,
    /// The plies: the root, then a ply for each move.
    plies: Vec<Ply>,
    changes: Changes,
}

#[derive(Clone)]
struct Ply {
    /// The kings' squares, if the accumulator is computed for this position.
    known: Option<Kings>,
    accumulator: theirs::Accumulator,
}

/// The number of plies for which memory is reserved.
const PLIES: usize = 128;

impl<'n> EachMove<'n> {
    pub(super) fn new(net: &'n theirs::Network) -> Self {
        EachMove {
            net,
            placement: Placement::of(&Board::start()),
            line: PathFromRoot::default(),
            accumulators: vec![net.empty_accumulator(); PLIES],
            changes: Changes::default(),
        }
    }
}

impl Follow for EachMove<'_> {
    type Value = i32;

    fn reset(&mut self, search: &Search) {
        self.placement = Placement::of(&search.root);
        self.line.reset();
        self.net
            .refresh(&View(&search.root), &mut self.accumulators[0]);
    }

    #[inline]
    fn make(&mut self, _: Move, delta: &Delta) {
        let before = self.placement.kings;
        self.placement.replace(delta.removed(), delta.added());
        self.placement.pass();
        let ply = self.line.make(delta);
        if ply == self.accumulators.len() {
            self.accumulators.push(self.net.empty_accumulator());
        }
        self.changes.clear();
        self.changes.take(delta);
        let (earlier, later) = self.accumulators.split_at_mut(ply);
        self.net.update_changes(
            &before,
            &self.placement,
            &self.changes.removed,
            &self.changes.added,
            &earlier[ply - 1],
            &mut later[0],
        );
    }

    #[inline]
    fn make_null(&mut self) {
        self.placement.pass();
        self.line.make_null();
    }

    #[inline]
    fn unmake(&mut self) {
        self.placement.pass();
        if let Some(delta) = self.line.unmake() {
            self.placement.replace(delta.added(), delta.removed());
        }
    }

    #[inline]
    fn evaluate(&mut self) -> i32 {
        let accumulator = &self.accumulators[self.line.ply()];
        let side_to_move = color(self.placement.side_to_move);
        self.net.evaluate_accumulator(accumulator, side_to_move)
    }
}

impl<'n> Lazily<'n> {
    pub(super) fn new(net: &'n theirs::Network) -> Self {
        let ply = Ply {
            known: None,
            accumulator: net.empty_accumulator(),
        };
        Lazily {
            net,
            boards: Vec::new(),
            next: 0,
            line: PathFromRoot::default(),
            plies: vec![ply; PLIES],
            changes: Changes::default(),
        }
    }

    /// Takes the boards of the trace that is followed next.
    pub(super) fn prepare(&mut self, trace: &Trace) {
        self.boards.clear();
        self.boards.extend(trace.evaluated().cloned());
        self.next = 0;
    }
}

impl Follow for Lazily<'_> {
    type Value = i32;

    fn reset(&mut self, search: &Search) {
        self.line.reset();
        let ply = &mut self.plies[0];
        ply.known = Some(Kings::of(&search.root));
        self.net.refresh(&View(&search.root), &mut ply.accumulator);
    }

    #[inline]
    fn make(&mut self, _: Move, delta: &Delta) {
        let ply = self.line.make(delta);
        if ply == self.plies.len() {
            self.plies.push(self.plies[0].clone());
        }
        self.plies[ply].known = None;
    }

    #[inline]
    fn make_null(&mut self) {
        self.line.make_null();
    }

    #[inline]
    fn unmake(&mut self) {
        self.line.unmake();
    }

    #[inline]
    fn evaluate(&mut self) -> i32 {
        let board = &self.boards[self.next];
        self.next += 1;
        let ply = self.line.ply();
        let (earlier, later) = self.plies.split_at_mut(ply);
        let current = &mut later[0];
        if current.known.is_none() {
            let mut known = earlier.iter().enumerate().rev();
            let (from, kings, accumulator) = known
                .find_map(|(from, ply)| Some((from, ply.known.as_ref()?, &ply.accumulator)))
                .expect("the root is known");
            self.changes.clear();
            for delta in self.line.between(from, ply) {
                self.changes.take(delta);
            }
            self.net.update_changes(
                kings,
                &View(board),
                &self.changes.removed,
                &self.changes.added,
                accumulator,
                &mut current.accumulator,
            );
            current.known = Some(Kings::of(board));
        }
        self.net
            .evaluate_accumulator(&current.accumulator, color(board.side_to_move()))
    }
}

/// The moves from the root to the current position. A null move has the ply of the position before
/// it, because the accumulator stays the same.
#[derive(Default)]
struct PathFromRoot {
    /// The deltas of the moves that are not null.
    deltas: Vec<Delta>,
    /// For every move, whether it is null.
    nulls: Vec<bool>,
}

impl PathFromRoot {
    fn reset(&mut self) {
        self.deltas.clear();
        self.nulls.clear();
    }

    /// The current ply: 0 for the root.
    #[inline]
    fn ply(&self) -> usize {
        self.deltas.len()
    }

    /// Makes a move, and returns its ply.
    #[inline]
    fn make(&mut self, delta: &Delta) -> usize {
        self.deltas.push(*delta);
        self.nulls.push(false);
        self.ply()
    }

    #[inline]
    fn make_null(&mut self) {
        self.nulls.push(true);
    }

    /// Takes the last move back, and returns it if it was not null.
    #[inline]
    fn unmake(&mut self) -> Option<Delta> {
        match self.nulls.pop() {
            Some(false) => self.deltas.pop(),
            _ => None,
        }
    }

    /// The moves that lead from one ply to a later one.
    #[inline]
    fn between(&self, from: usize, to: usize) -> &[Delta] {
        &self.deltas[from..to]
    }
}

/// The pieces that an update of `nnue-rs` removes and adds.
#[derive(Default)]
struct Changes {
    removed: Vec<(u8, theirs::Piece)>,
    added: Vec<(u8, theirs::Piece)>,
}

impl Changes {
    #[inline]
    fn clear(&mut self) {
        self.removed.clear();
        self.added.clear();
    }

    /// Adds the changes of a move. A piece that is added and removed again cancels out.
    #[inline]
    fn take(&mut self, delta: &Delta) {
        let one_more = |list: &mut Vec<_>, other: &mut Vec<_>, change: (Piece, Square)| {
            let change = (square(change.1), piece(change.0));
            match other.iter().position(|opposite| *opposite == change) {
                Some(index) => drop(other.swap_remove(index)),
                None => list.push(change),
            }
        };
        for change in delta.removed() {
            one_more(&mut self.removed, &mut self.added, change);
        }
        for change in delta.added() {
            one_more(&mut self.added, &mut self.removed, change);
        }
    }
}

/// The kings' squares. `nnue-rs` needs nothing else of the position before an update.
#[derive(Clone, Copy)]
struct Kings([u8; 2]);

impl Kings {
    #[inline]
    fn of(board: &Board) -> Kings {
        Kings(Color::ALL.map(|owner| square(board.king(owner))))
    }
}

impl theirs::Board for Kings {
    fn side_to_move(&self) -> theirs::Color {
        theirs::Color::White
    }

    #[inline]
    fn king_square(&self, owner: theirs::Color) -> u8 {
        self.0[owner as usize]
    }

    fn for_each_piece(&self, _visit: &mut dyn FnMut(u8, theirs::Piece)) {}
}

/// The position that `nnue-rs` asks for when a king moves, kept with as little work per move as
/// possible.
struct Placement {
    occupied: u64,
    /// The piece on each square; on an empty square, the last piece that stood there.
    squares: [theirs::Piece; 64],
    kings: Kings,
    side_to_move: Color,
}

impl Placement {
    fn of(board: &Board) -> Placement {
        let mut placement = Placement {
            occupied: 0,
            squares: [theirs::Piece::new(theirs::Color::White, theirs::PieceKind::Pawn); 64],
            kings: Kings::of(board),
            side_to_move: board.side_to_move(),
        };
        for at in board.occupied() {
            if let Some(found) = board.piece_at(at) {
                placement.put(found, at);
            }
        }
        placement
    }

    #[inline]
    fn replace(&mut self, removed: PieceChanges, added: PieceChanges) {
        for (_, at) in removed {
            self.occupied &= !(1 << at.index());
        }
        for (new, at) in added {
            self.put(new, at);
        }
    }

    #[inline]
    fn put(&mut self, new: Piece, at: Square) {
        self.occupied |= 1 << at.index();
        let new = piece(new);
        self.squares[at.index()] = new;
        if new.kind == theirs::PieceKind::King {
            self.kings.0[new.color as usize] = square(at);
        }
    }

    #[inline]
    fn pass(&mut self) {
        self.side_to_move = !self.side_to_move;
    }
}

impl theirs::Board for Placement {
    #[inline]
    fn side_to_move(&self) -> theirs::Color {
        color(self.side_to_move)
    }

    #[inline]
    fn king_square(&self, owner: theirs::Color) -> u8 {
        self.kings.king_square(owner)
    }

    #[inline]
    fn for_each_piece(&self, visit: &mut dyn FnMut(u8, theirs::Piece)) {
        let mut left = self.occupied;
        while left != 0 {
            let at = left.trailing_zeros() as u8;
            visit(at, self.squares[usize::from(at)]);
            left &= left - 1;
        }
    }
}
