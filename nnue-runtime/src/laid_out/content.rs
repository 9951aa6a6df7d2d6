//! The hash of a net file's content. Processes find the weights of the same file by it.
//!
//! The hash is the BLAKE3 of the length and of the BLAKE3 of each piece, so that several threads hash
//! a large file, and none of it has to stay in memory.
//!
//! It is cryptographic although it protects no secret: a net is what somebody else has made, and with
//! a weaker hash a file could be made that has the hash of another. A match between the two would
//! then be played by one of them.
//!
//! It is not SHA-256, because instructions for that have no form with the prefix of AVX. An engine
//! that is built for its processor alone may have them in a function that uses wide registers, and
//! processors of Intel then take a hundred times as long. BLAKE3 is made of what every level of
//! vectors has.

use alloc::vec;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::fs::File;
use std::path::Path;
use std::sync::Mutex;

use blake3::{Hash, Hasher};
use nnue_format::{FileLayout, read_at, threads};

/// The number of bytes of a piece, which is hashed at once.
const PIECE: usize = 1 << 20;

/// The hash of a net file in memory.
#[must_use]
pub fn content_hash(bytes: &[u8]) -> [u8; 32] {
    let threads = threads::for_bytes(bytes.len());
    let hash = hash_pieces(bytes.len(), threads, &|offset, len, _| {
        Some(blake3::hash(&bytes[offset..][..len]))
    });
    hash.unwrap_or_default()
}

/// [`content_hash`] of a file on the disk that can be a net file of the layout, without reading it
/// into memory as a whole. `None` says nothing about a file, which must then be
/// [opened](nnue_format::open).
#[must_use]
pub fn file_content_hash(layout: &FileLayout, path: &Path) -> Option<[u8; 32]> {
    // A pipe can be opened only once.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = File::open(path).ok()?;
    let len = file.metadata().ok()?.len();
    if len > layout.max_len() {
        return None;
    }
    let len = usize::try_from(len).ok()?;
    // On other systems, all threads share the position in a file.
    let threads = if cfg!(unix) {
        threads::for_bytes(len)
    } else {
        1
    };
    hash_pieces(len, threads, &|offset, len, buffer| {
        buffer.resize(len, 0);
        read_at(&file, offset as u64, buffer).ok()?;
        Some(blake3::hash(buffer))
    })
}

/// Hashes a piece, which has an offset and a length, and may use a buffer of its thread; `None` if the
/// piece cannot be read.
type HashPiece<'h> = dyn Fn(usize, usize, &mut Vec<u8>) -> Option<Hash> + Sync + 'h;

/// The hash of `len` bytes, whose pieces `hash_piece` hashes; `None` if these cannot be read.
fn hash_pieces(len: usize, threads: usize, hash_piece: &HashPiece<'_>) -> Option<[u8; 32]> {
    let count = len.div_ceil(PIECE);
    let (next, hashes) = (AtomicUsize::new(0), Mutex::new(vec![None; count]));
    threads::on_each(threads, &|| {
        let mut buffer = Vec::new();
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            let start = piece.saturating_mul(PIECE);
            if start >= len {
                return;
            }
            let hash = hash_piece(start, PIECE.min(len - start), &mut buffer);
            threads::locked(&hashes)[piece] = hash;
        }
    });
    let mut whole = Hasher::new();
    whole.update(&(len as u64).to_le_bytes());
    for hash in threads::locked(&hashes).iter() {
        whole.update((*hash)?.as_bytes());
    }
    Some(whole.finalize().into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::laid_out::tests::tiny::RAW;

    #[test]
    fn files_and_bytes_have_the_same_hash_and_every_byte_counts() {
        let bytes = (0..5 * PIECE + 77).map(|place| (place ^ place >> 7 ^ place >> 20) as u8);
        let mut bytes: Vec<u8> = bytes.collect();
        let path = std::env::temp_dir().join(std::format!("nnue-content-{}", std::process::id()));
        let mut hashes = vec![];
        let limit = RAW.max_len() as usize;
        for len in [0, 1, limit, limit + 1, PIECE, PIECE + 1, bytes.len()] {
            let hash = content_hash(&bytes[..len]);
            assert!(!hashes.contains(&hash), "{len}");
            hashes.push(hash);
            fs::write(&path, &bytes[..len]).unwrap();
            let expected = (len <= limit).then_some(hash);
            assert_eq!(file_content_hash(&RAW, &path), expected, "{len}");
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(file_content_hash(&RAW, &path), None);
        for place in [0, PIECE - 1, PIECE, 3 * PIECE + 9, bytes.len() - 1] {
            bytes[place] ^= 1;
            let hash = content_hash(&bytes);
            assert!(!hashes.contains(&hash), "{place}");
            hashes.push(hash);
        }
        // The test exchanges two pieces.
        let (first, rest) = bytes.split_at_mut(PIECE);
        first.swap_with_slice(&mut rest[..PIECE]);
        assert!(!hashes.contains(&content_hash(&bytes)));
    }
}
