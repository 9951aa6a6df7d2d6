//! A spec behind a net file, which describes the file.
//!
//! | bytes | what |
//! |---|---|
//! | ... | the net file |
//! | n | the text of the spec, in UTF-8 |
//! | 4 | n, little-endian, at most [`LONGEST`] |
//! | 12 | `NNUE spec v1` |
//!
//! Programs that read a net from its beginning and do not ask for its length never see it. All
//! functions of this crate that read net files leave it out.

use alloc::vec::Vec;

/// The last bytes of a file with a spec.
const MAGIC: &[u8; 12] = b"NNUE spec v1";

/// The bytes behind the text.
const END: usize = 4 + MAGIC.len();

/// The most bytes of a spec behind a file.
pub const LONGEST: usize = 1 << 20;

/// The most bytes that stand behind a net.
#[cfg(feature = "std")]
pub(crate) const LONGEST_WITH_END: u64 = (LONGEST + END) as u64;

/// The net, and the text of the spec behind it if there is one. Whether the text is UTF-8 is not
/// looked at.
#[must_use]
pub fn detach(source: &[u8]) -> (&[u8], Option<&[u8]>) {
    let apart = || {
        let (rest, end) = source.split_at_checked(source.len().checked_sub(END)?)?;
        let net_len = net_len(end, source.len() as u64)? as usize;
        rest.split_at_checked(net_len)
    };
    match apart() {
        Some((net, spec)) => (net, Some(spec)),
        None => (source, None),
    }
}

/// The net with the spec behind it, in place of one that it had; `None` if the spec has more than
/// [`LONGEST`] bytes.
#[must_use]
pub fn attach(net: &[u8], spec: &str) -> Option<Vec<u8>> {
    if spec.len() > LONGEST {
        return None;
    }
    let (net, _) = detach(net);
    let len = (spec.len() as u32).to_le_bytes();
    Some([net, spec.as_bytes(), &len, MAGIC].concat())
}

/// The length of the net in a file that ends with these [`END`] bytes; `None` if no spec is behind
/// it.
fn net_len(end: &[u8], file_len: u64) -> Option<u64> {
    let (len, magic) = end.split_first_chunk()?;
    let len = u32::from_le_bytes(*len);
    let is_spec = magic == MAGIC && len as usize <= LONGEST;
    let behind = u64::from(len) + END as u64;
    is_spec.then(|| file_len.checked_sub(behind)).flatten()
}

/// The length of the net in a file of `file_len` bytes. Reads only the last bytes.
#[cfg(feature = "std")]
pub fn net_len_of(file: &std::fs::File, file_len: u64) -> u64 {
    let mut end = [0; END];
    let start = file_len.checked_sub(END as u64);
    start
        .filter(|start| crate::pieces::read_at(file, *start, &mut end).is_ok())
        .and_then(|_| net_len(&end, file_len))
        .unwrap_or(file_len)
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::tests::{COMPRESSED, ORDERS, RAW, file, load};
    use crate::{check, is_packed, store, unpack};

    #[test]
    fn a_spec_comes_back_and_the_net_is_as_it_was() {
        for spec in ["", "name = \"ä\"\n", &"x".repeat(LONGEST)] {
            let with = attach(b"net", spec).unwrap();
            assert_eq!(detach(&with), (&b"net"[..], Some(spec.as_bytes())));
            assert_eq!(attach(b"net", &"x".repeat(LONGEST + 1)), None);
            // Another one takes its place.
            let other = attach(&with, "other").unwrap();
            assert_eq!(detach(&other), (&b"net"[..], Some(&b"other"[..])));
        }
    }

    #[test]
    fn other_ends_are_part_of_the_net() {
        let whole = attach(b"a net", "name = \"a\"").unwrap();
        let mut damaged = vec![whole[1..].to_vec(), b"NNUE spec v1".to_vec(), Vec::new()];
        // The beginning of a file that was cut has no spec, and one of the wrong length neither.
        damaged.extend((0..whole.len()).map(|len| whole[..len].to_vec()));
        damaged[0].truncate(20);
        for place in whole.len() - MAGIC.len()..whole.len() {
            let mut other = whole.clone();
            other[place] ^= 1;
            damaged.push(other);
        }
        for len in [LONGEST as u32 + 1, u32::MAX, 16] {
            let mut other = whole.clone();
            let at = whole.len() - END;
            other[at..at + 4].copy_from_slice(&len.to_le_bytes());
            damaged.push(other);
        }
        for source in damaged {
            assert_eq!(detach(&source), (&source[..], None), "{source:?}");
        }
    }

    #[test]
    fn readers_leave_it_out() {
        for layout in [RAW, COMPRESSED] {
            let net = file(&layout);
            let with = attach(&net, "name = \"a\"").unwrap();
            assert_eq!(
                load(&layout, ORDERS[0], &with),
                load(&layout, ORDERS[0], &net)
            );
            assert_eq!(check(&layout, &with), check(&layout, &net));
            assert_eq!(*unpack(&layout, &with).unwrap(), net);
            assert_eq!(is_packed(&layout, &with), is_packed(&layout, &net));
            // It is not written again.
            let (weights, loaded) = load(&layout, ORDERS[0], &with).unwrap();
            let mut written = Vec::new();
            let put = &mut |bytes: &[u8]| -> Result<(), core::convert::Infallible> {
                written.extend_from_slice(bytes);
                Ok(())
            };
            store(&layout, ORDERS[0], &weights, &loaded, put).unwrap();
            assert_eq!(written, net);
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn the_ends_of_files_tell_where_it_begins() {
        let net = file(&RAW);
        let with = attach(&net, "name = \"a\"").unwrap();
        let path =
            std::env::temp_dir().join(alloc::format!("nnue-{}-attached", std::process::id()));
        for bytes in [&net, &with] {
            std::fs::write(&path, bytes).unwrap();
            let opened = std::fs::File::open(&path).unwrap();
            assert_eq!(net_len_of(&opened, bytes.len() as u64), net.len() as u64);
        }
        std::fs::remove_file(&path).unwrap();
    }
}
