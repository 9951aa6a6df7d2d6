//! Writes records, each in the chain of the record before if it follows from that by a move.

use cozy_chess::{Board, Move, Piece};

use super::bits::BitWriter;
use super::stem::{Entry, SIZE};
use super::{MAGIC, moves};
use crate::data::record::Record;

/// A chunk ends with the chain that reaches this number of bytes.
const CHUNK: usize = 1 << 20;

/// Makes chunks of records.
#[derive(Default)]
pub(crate) struct Writer {
    /// The chains of the chunk that have ended.
    chunk: Vec<u8>,
    chain: Option<Chain>,
    /// The last record, which is not in a chain yet: the next one may tell its move.
    waiting: Option<Entry>,
    /// How many positions have counters of half moves for which stems have no room.
    pub(crate) cut: u64,
}

/// A chain that is being written.
struct Chain {
    stem: [u8; SIZE],
    /// How many positions follow the stem.
    count: u16,
    bits: BitWriter,
    /// The last position after its move, if the move is known.
    reached: Option<Entry>,
}

impl Writer {
    /// Takes a record, and appends the chunks that are complete to `bytes`.
    ///
    /// # Errors
    ///
    /// A message that names the value that binpack needs and the record lacks.
    pub(crate) fn append(&mut self, record: &Record, bytes: &mut Vec<u8>) -> Result<(), String> {
        let entry = Entry::of(record)?;
        self.cut += u64::from(entry.is_cut());
        if let Some(mut waiting) = self.waiting.replace(entry.clone()) {
            waiting.played = waiting.played.or_else(|| move_between(&waiting, &entry));
            self.add(waiting, bytes);
        }
        Ok(())
    }

    /// Appends the rest to `bytes`.
    pub(crate) fn finish(&mut self, bytes: &mut Vec<u8>) {
        if let Some(waiting) = self.waiting.take() {
            self.add(waiting, bytes);
        }
        self.end_chain();
        self.end_chunk(bytes);
    }

    /// Adds a record to the chain, or begins another one with it.
    fn add(&mut self, entry: Entry, bytes: &mut Vec<u8>) {
        if let (Some(chain), Some(played)) = (&mut self.chain, entry.played)
            && let Some(reached) = &chain.reached
            && follows(&entry, reached)
            && chain.count < u16::MAX
        {
            // The score was that of the other player.
            let change = entry.score.wrapping_add(reached.score);
            moves::pack(&entry.board, played, &mut chain.bits);
            chain.bits.score(change);
            chain.count += 1;
            chain.reached = entry.after_move();
            return;
        }
        self.end_chain();
        if self.chunk.len() >= CHUNK {
            self.end_chunk(bytes);
        }
        self.chain = Some(Chain {
            stem: entry.pack(),
            count: 0,
            bits: BitWriter::default(),
            reached: entry.after_move(),
        });
    }

    fn end_chain(&mut self) {
        if let Some(chain) = self.chain.take() {
            self.chunk.extend(chain.stem);
            self.chunk.extend(chain.count.to_be_bytes());
            self.chunk.extend(chain.bits.bytes);
        }
    }

    fn end_chunk(&mut self, bytes: &mut Vec<u8>) {
        if !self.chunk.is_empty() {
            bytes.extend(MAGIC);
            bytes.extend((self.chunk.len() as u32).to_le_bytes());
            bytes.append(&mut self.chunk);
        }
    }
}

/// Whether a position is the one that was reached when the last move of another was played.
fn follows(entry: &Entry, reached: &Entry) -> bool {
    entry.result == reached.result
        && entry.ply == reached.ply
        && entry.clock == reached.clock
        && is_same(&entry.board, &reached.board)
}

/// Whether two positions are the same for the format. [`Board::same_position`] takes some pieces for
/// pawns that capture en passant.
fn is_same(one: &Board, other: &Board) -> bool {
    one.hash_without_ep() == other.hash_without_ep()
        && one.side_to_move() == other.side_to_move()
        && Piece::ALL
            .into_iter()
            .all(|piece| one.pieces(piece) == other.pieces(piece))
        && cozy_chess::Color::ALL.into_iter().all(|color| {
            one.colors(color) == other.colors(color)
                && one.castle_rights(color) == other.castle_rights(color)
        })
        && moves::en_passant(one) == moves::en_passant(other)
}

/// The move that leads from a position to the next one, if there is such a move.
fn move_between(before: &Entry, after: &Entry) -> Option<Move> {
    let own = |board: &Board| board.colors(before.board.side_to_move());
    let left = own(&before.board) & !own(&after.board);
    let reached = own(&after.board) & !own(&before.board);
    let played = match (left.len(), reached.len()) {
        (1, 1) => {
            let (from, to) = (left.next_square()?, reached.next_square()?);
            let is_pawn = before.board.piece_on(from) == Some(Piece::Pawn);
            let reached = after.board.piece_on(to)?;
            let promotion = (is_pawn && reached != Piece::Pawn).then_some(reached);
            Move {
                from,
                to,
                promotion,
            }
        }
        // Castling is the king's move to its own rook.
        (2, 2) => {
            let from = before.board.king(before.board.side_to_move());
            let to = (left & !from.bitboard()).next_square()?;
            let promotion = None;
            Move {
                from,
                to,
                promotion,
            }
        }
        _ => return None,
    };
    if !before.board.is_legal(played) {
        return None;
    }
    let played = Some(played);
    let reached = Entry {
        played,
        ..before.clone()
    }
    .after_move()?;
    follows(after, &reached).then_some(played)?
}
