//! The active rows of networks that are known only at run time: for tools, such as those that make
//! batches for a trainer.

use alloc::vec;
use alloc::vec::Vec;

use super::threats::changes::BoardChanges;
use super::threats::pieces::Scope;
use super::viewpoint::Viewpoint;
use crate::chess::Color;
use crate::feature_set::{Family, FeatureSet};
use crate::level::Level;
use crate::placement::Placement;
use crate::position::Position;
use crate::rows::RowList;

/// Finds the rows that positions switch on, by the code that compiled networks use.
pub struct RowFinder {
    sets: Vec<FeatureSet>,
    level: Level,
    scope: Scope,
    placement: Placement,
    viewpoints: [Viewpoint; 2],
    clock: u8,
    board: BoardChanges,
    /// Room for all rows that can be active.
    rows: Vec<u32>,
}

impl RowFinder {
    /// A finder of the rows of these sets. A set has at most `capacity` active rows at once. Rows
    /// are counted from each set's first, so `table` and `first_row` of the sets mean nothing.
    #[must_use]
    pub fn new(sets: Vec<FeatureSet>, capacity: usize, level: Level) -> RowFinder {
        let start = crate::board::Board::start();
        RowFinder {
            scope: Scope::of(&sets),
            sets: sets
                .into_iter()
                .map(|set| FeatureSet {
                    first_row: [0, 0],
                    ..set
                })
                .collect(),
            level,
            placement: Placement::EMPTY,
            viewpoints: Color::ALL.map(|color| Viewpoint::with_queens(&start, color)),
            clock: 0,
            board: BoardChanges::NONE,
            rows: vec![0; capacity],
        }
    }

    /// Goes to a position.
    pub fn set_position(&mut self, position: &impl Position) {
        self.placement = Placement::of(self.level, position);
        self.viewpoints = Color::ALL.map(|color| Viewpoint::with_queens(position, color));
        self.clock = position.halfmove_clock();
        let pieces = self.placement.squares();
        self.board
            .find_all_of(self.level, &self.sets, &self.scope, pieces);
    }

    /// The rows that a set has active for a perspective, in no particular order. A set whose
    /// features the engine tells has none.
    pub fn active(&mut self, set: usize, perspective: Color) -> &[u32] {
        let RowFinder {
            level,
            placement,
            board,
            ..
        } = self;
        let from = self.viewpoints[perspective.index()];
        if let Family::Clock(rule) = &self.sets[set].family {
            let row = rule
                .row(perspective, from, self.clock)
                .zip(self.rows.first_mut());
            let active = row.map(|(row, first)| *first = row).is_some();
            return &self.rows[..usize::from(active)];
        }
        let mut len = 0;
        let mut list = RowList::new(&mut self.rows, &mut len);
        let pieces = placement.squares();
        self.sets[set].list_active(*level, perspective, from, pieces, board, &mut list);
        &self.rows[..len.min(self.rows.len())]
    }
}
