//! Binpack: the training data of Stockfish, in about 2.5 bytes a position.
//!
//! A file is a sequence of chunks, and a chunk is a sequence of chains. A chain is a position with
//! its move and score in 32 bytes (`stem`), the number of positions that follow it, and for each of
//! these its move and its score, packed in bits (`moves`, `bits`). A chain has no byte that says
//! where it ends: where a move cannot be read, the rest of the chunk is lost, and so the whole chunk
//! counts as damaged.
//!
//! The module was written from the description of the format in `docs/binpack.md` of Stockfish's
//! branch `tools`, and from the facts in the header file of the format's author, which has an MIT
//! notice.

mod bits;
mod moves;
mod stem;
#[cfg(test)]
mod tests;
mod write;

use cozy_chess::{Board, Move};

use self::bits::BitReader;
use self::stem::Entry;
use super::chunk::Chunk;
use crate::data::error::BadRecord;
use crate::data::record::Record;

pub(super) use self::write::Writer;

/// The first bytes of a chunk.
pub(super) const MAGIC: &[u8; 4] = b"BINP";

/// The bytes of a chunk before its chains: [`MAGIC`], and the length of the chains in bytes.
const HEADER: usize = 8;

/// The most bytes of the chains of a chunk. Writers end a chunk after 1 MiB and the chain that is
/// being written.
const MOST: usize = 4 << 20;

/// The bytes of the number of positions that follow a stem.
const COUNT: usize = 2;

pub(super) fn whole(bytes: &[u8]) -> (usize, u64) {
    let (mut len, mut parts) = (0, 0);
    while let Some(next) = part_len(&bytes[len..], false) {
        len += next;
        parts += 1;
    }
    (len, parts)
}

/// The length of the first chunk, or of the bytes before a chunk that are no chunk, if it is known: a
/// chunk ends where its header says and the next chunk begins, or the bytes end if they are `all`.
fn part_len(bytes: &[u8], all: bool) -> Option<usize> {
    if let Some(len) = chunk_len(bytes) {
        match bytes.get(len..len + MAGIC.len()) {
            Some(next) if next == MAGIC => return Some(len),
            None if len == bytes.len() && all => return Some(len),
            None if !all => return None,
            _ => {}
        }
    }
    let rest = bytes.get(1..)?;
    let next = rest.windows(MAGIC.len()).position(|four| four == MAGIC)?;
    Some(1 + next)
}

/// The length of the first chunk as its header has it.
fn chunk_len(bytes: &[u8]) -> Option<usize> {
    let (header, _) = bytes.split_first_chunk::<HEADER>()?;
    let (magic, len) = header.split_first_chunk::<4>()?;
    let len = u32::from_le_bytes(len.try_into().ok()?) as usize;
    (magic == MAGIC && len <= MOST).then_some(HEADER + len)
}

pub(super) fn read(chunk: &Chunk<'_>, found: &mut dyn FnMut(Result<Record, BadRecord>)) {
    let mut bytes = chunk.bytes;
    let mut number = chunk.first;
    while !bytes.is_empty() {
        let (first, rest) = bytes.split_at(part_len(bytes, true).unwrap_or(bytes.len()));
        match chains(first) {
            Ok((chains, behind)) => {
                chains.into_iter().for_each(|chain| chain.records(found));
                if behind > 0 {
                    let wrong = format!("found {behind} bytes behind it, expected `BINP`");
                    found(Err(chunk.bad("chunk", number, wrong)));
                }
            }
            Err(wrong) => found(Err(chunk.bad("chunk", number, wrong))),
        }
        (bytes, number) = (rest, number + 1);
    }
}

/// A chain whose moves are legal. It takes a fifteenth of the memory of its records: a chunk can
/// have a million, and no record may be used before the whole chunk was read.
struct Chain {
    first: Entry,
    /// The moves and scores of the positions that follow.
    rest: Vec<(Move, i16)>,
}

impl Chain {
    fn records(self, found: &mut dyn FnMut(Result<Record, BadRecord>)) {
        let mut entry = self.first;
        found(Ok(entry.record()));
        for (played, score) in self.rest {
            entry.advance(played, score);
            found(Ok(entry.record()));
        }
    }
}

/// The chains of a chunk, and how many bytes are behind it.
fn chains(bytes: &[u8]) -> Result<(Vec<Chain>, usize), String> {
    let len = chunk_len(bytes).ok_or_else(|| {
        format!("found no header of a chunk, expected `BINP` and a length of at most {MOST} bytes")
    })?;
    let chunk = bytes.get(..len).ok_or_else(|| {
        let found = bytes.len();
        format!("found {found} bytes before the next chunk or the end of the file, expected {len}")
    })?;
    let mut rest = &chunk[HEADER..];
    let mut chains = Vec::new();
    while !rest.is_empty() {
        let place = len - rest.len();
        let (chain, read) =
            chain(rest).map_err(|wrong| format!("the chain at byte {place}: {wrong}"))?;
        chains.push(chain);
        rest = &rest[read..];
    }
    Ok((chains, bytes.len() - len))
}

/// Reads the first chain, and returns its length in bytes.
fn chain(bytes: &[u8]) -> Result<(Chain, usize), String> {
    let too_short = || {
        let least = stem::SIZE + COUNT;
        format!("found {} bytes, expected at least {least}", bytes.len())
    };
    let (first, rest) = bytes.split_first_chunk().ok_or_else(too_short)?;
    let (count, rest) = rest.split_first_chunk().ok_or_else(too_short)?;
    let first = Entry::unpack(first)?;
    first.check_move(1)?;
    let mut entry = first.clone();
    let mut bits = BitReader::new(rest);
    let mut rest = Vec::new();
    for number in 2..=u32::from(u16::from_be_bytes(*count)) + 1 {
        let played = entry.played.ok_or("moves follow a position without one")?;
        entry.play(played);
        let next = next(&entry.board, &mut bits);
        let (played, change) = next.map_err(|wrong| format!("half move {number}: {wrong}"))?;
        entry.played = Some(played);
        // The score is that of the other player now.
        entry.score = entry.score.wrapping_neg().wrapping_add(change);
        entry.check_move(number)?;
        rest.push((played, entry.score));
    }
    Ok((Chain { first, rest }, stem::SIZE + COUNT + bits.bytes()))
}

/// The move of a position, and how the score differs from that of the position before.
fn next(board: &Board, bits: &mut BitReader<'_>) -> Result<(Move, i16), String> {
    let played = moves::unpack(board, bits)?;
    let change = bits.score().ok_or(bits::END)?;
    Ok((played, change))
}
