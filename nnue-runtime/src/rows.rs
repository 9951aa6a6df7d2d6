//! Lists of the transformer's rows, to be added or removed.

pub(crate) mod changes;

use crate::level::Level;
use crate::simd;

/// For each table of the transformer's weights, a list of its rows with room for all that can be
/// active at once: in each set, a piece on every square of the board or as many features as the
/// engine may tell.
#[derive(Clone)]
pub struct Rows<const TABLES: usize, const CAPACITY: usize> {
    rows: [[u32; CAPACITY]; TABLES],
    lens: [usize; TABLES],
}

impl<const TABLES: usize, const CAPACITY: usize> Rows<TABLES, CAPACITY> {
    /// The rows of each table.
    #[inline]
    pub fn lists(&self) -> [&[u32]; TABLES] {
        core::array::from_fn(|table| self.list(table))
    }

    #[inline]
    fn list(&self, table: usize) -> &[u32] {
        &self.rows[table][..self.lens[table].min(CAPACITY)]
    }
}

/// The list of a table's rows, of any capacity.
pub struct RowList<'a> {
    rows: &'a mut [u32],
    len: &'a mut usize,
}

impl<'a> RowList<'a> {
    /// An empty list, whose length is kept in `len`.
    pub(crate) fn new(rows: &'a mut [u32], len: &'a mut usize) -> RowList<'a> {
        *len = 0;
        RowList { rows, len }
    }

    /// How many rows are listed.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        *self.len
    }

    /// The rows from the index `first` on.
    #[inline]
    pub(crate) fn from(&self, first: usize) -> &[u32] {
        self.rows.get(first..*self.len).unwrap_or_default()
    }

    /// Appends the rows of the pieces on 64 squares: for each whose plane exists, the plane's first
    /// row, plus `offset`, plus the square exclusive-ored with `orientation`. Rows for which there
    /// is no room are left out.
    #[inline]
    pub(crate) fn append(
        &mut self,
        level: Level,
        pieces: &[u8; 64],
        planes: &[u32; 16],
        offset: u32,
        orientation: u8,
    ) {
        let RowList { rows, len } = self;
        **len = simd::append_rows(level, pieces, planes, offset, orientation, rows, **len);
    }

    /// The free end of the list, for functions that append many rows.
    #[inline]
    pub(crate) fn end(&mut self) -> FreeEnd<'_> {
        FreeEnd {
            rows: self.rows.get_mut(*self.len..).unwrap_or_default(),
            len: 0,
        }
    }

    /// Takes rows into the list that were written to its [free end](Self::end).
    #[inline]
    pub(crate) fn extend(&mut self, rows: usize) {
        *self.len += rows;
    }

    /// [`RowLists::push_if`], for this table.
    #[inline(always)]
    pub(crate) fn push_if(&mut self, exists: bool, row: u32) {
        if let Some(free) = self.rows.get_mut(*self.len) {
            *free = row;
            *self.len += usize::from(exists);
        }
    }
}

/// The part of a list that is still free. Its length is a number of its own, which stays in a
/// register while rows are appended.
pub(crate) struct FreeEnd<'a> {
    rows: &'a mut [u32],
    pub(crate) len: usize,
}

impl FreeEnd<'_> {
    /// [`RowList::push_if`].
    #[inline(always)]
    pub(crate) fn push_if(&mut self, exists: bool, row: u32) {
        if let Some(free) = self.rows.get_mut(self.len) {
            *free = row;
            self.len += usize::from(exists);
        }
    }
}

/// The weights of one table, row after row.
#[derive(Clone, Copy, Debug)]
pub enum TableRows<'a> {
    /// Weights of 16 bits.
    I16(&'a [i16]),
    /// Weights of 8 bits, which are widened when they are added.
    I8(&'a [i8]),
    /// Weights of 8 bits, two in each word.
    Paired(&'a [i8]),
}

/// The operations on [`Rows`] of any number of tables, for code that all networks share.
pub trait RowLists: Clone + Send + Sync + 'static {
    /// Lists that have no rows yet.
    const EMPTY: Self;

    /// [`Self::EMPTY`] in the program, for callers that list no rows.
    const NONE: &'static Self;

    /// Adds a row of a table if it exists, without a branch that could be mispredicted.
    ///
    /// There is room for every position whose bitboards are disjoint and for every list of features
    /// that keeps to its set's limit; rows of others beyond the capacity are dropped.
    fn push_if(&mut self, exists: bool, table: usize, row: u32);

    /// The list of a table.
    fn of(&mut self, table: usize) -> RowList<'_>;

    /// Takes a row out again, and says whether it was there.
    fn cancel(&mut self, table: usize, row: u32) -> bool;

    /// Takes all rows out.
    fn clear(&mut self);

    /// How many rows there are in all.
    fn count(&self) -> usize;
}

impl<const TABLES: usize, const CAPACITY: usize> RowLists for Rows<TABLES, CAPACITY> {
    const EMPTY: Self = Rows {
        rows: [[0; CAPACITY]; TABLES],
        lens: [0; TABLES],
    };

    const NONE: &'static Self = &Self::EMPTY;

    #[inline]
    fn push_if(&mut self, exists: bool, table: usize, row: u32) {
        self.of(table).push_if(exists, row);
    }

    #[inline]
    fn of(&mut self, table: usize) -> RowList<'_> {
        RowList {
            rows: &mut self.rows[table],
            len: &mut self.lens[table],
        }
    }

    #[inline]
    fn cancel(&mut self, table: usize, row: u32) -> bool {
        let Some(found) = self.list(table).iter().position(|listed| *listed == row) else {
            return false;
        };
        self.lens[table] -= 1;
        let rows = &mut self.rows[table];
        rows[found] = rows[self.lens[table]];
        true
    }

    #[inline]
    fn clear(&mut self) {
        self.lens = [0; TABLES];
    }

    #[inline]
    fn count(&self) -> usize {
        self.lens.iter().sum()
    }
}

/// Both perspectives' rows of each piece that a move changes, in networks that follow moves.
pub struct MovedRows {
    /// The rows of the piece that is put on the board.
    pub added: [u32; 2],
    /// The rows of the piece that leaves its square.
    pub removed: [u32; 2],
    /// The rows of the piece that is captured, if one is.
    pub captured: Option<[u32; 2]>,
}
