//! Finds out which network a file holds, from its header, its size and, where these do not suffice,
//! its weights.

use core::fmt;
#[cfg(feature = "std")]
use std::{
    fs::File,
    io::{self, BufReader, Read, Seek},
    path::Path,
};

use crate::family::{Family, Features, ROW_UNIT, Wiring};
use crate::known::{self, PREFIX_LEN, SPECS};
use crate::layout::START_LEN;
use crate::{DESCRIPTION_LIMIT, Encoding, leb128};

/// The kind of a file. `Display` writes words that follow "this is".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Identity {
    /// A net of one of the project's specs, in the project's folder `specs`.
    Spec {
        /// The spec's name, as in `SFNNv5`.
        name: &'static str,
    },
    /// A net built like those of the project's specs, in another size: it needs a spec of its own.
    Relative(Family),
    /// The header of one of the project's specs, or of several that share it, and behind it
    /// something else: a file that was cut or damaged, or only its beginning.
    Header {
        /// The version word at offset 0.
        version: u32,
        /// The network hash at offset 4.
        hash: u32,
    },
    /// A net of Stockfish's later than all specs of the project.
    Later {
        /// The generation, as far as the header tells it: `SFNNv10, SFNNv11 or SFNNv12`.
        generation: &'static str,
    },
    /// No net, but something else that is well known, as in `a gzip archive: unpack it first`.
    Other(&'static str),
    /// Nothing that is known.
    Unknown,
}

impl Identity {
    /// The names of the project's specs that the file can be of: one, or several that share the
    /// header, or none.
    pub fn specs(self) -> impl Iterator<Item = &'static str> {
        let (name, header) = match self {
            Identity::Spec { name } => (Some(name), None),
            Identity::Header { version, hash } => (None, Some((version, hash))),
            _ => (None, None),
        };
        let sharing = header
            .into_iter()
            .flat_map(|(version, hash)| known::with_header(version, hash));
        name.into_iter().chain(sharing)
    }

    /// The shape of the network, if the whole file or its header was recognised.
    pub(crate) fn probable_family(self) -> Option<Family> {
        match self {
            Identity::Relative(family) => Some(family),
            _ => {
                let name = self.specs().next()?;
                let (_, family) = SPECS.iter().find(|(spec, _)| *spec == name)?;
                Some(*family)
            }
        }
    }

    /// The shape of the network, if the whole file was recognised.
    #[must_use]
    pub fn family(self) -> Option<Family> {
        match self {
            Identity::Spec { .. } | Identity::Relative(_) => self.probable_family(),
            _ => None,
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Identity::Spec { name } => write!(f, "a net of {name}"),
            Identity::Relative(family) => {
                write!(f, "a net that needs a spec of its own: {family}")
            }
            Identity::Header { .. } => {
                f.write_str("the header of ")?;
                self.specs().enumerate().try_for_each(|(index, name)| {
                    write!(f, "{}{name}", if index > 0 { " or " } else { "" })
                })
            }
            Identity::Later { generation } => {
                write!(f, "a net of {generation}, for which there is no spec yet")
            }
            Identity::Other(what) => f.write_str(what),
            Identity::Unknown => f.write_str("of no known kind"),
        }
    }
}

/// Says which network a file holds, or what it is instead. Any bytes will do; little of them is
/// read and nothing is decompressed, which takes microseconds.
///
/// Networks that only the meaning of their weights tells apart cannot be told apart: an answer is a
/// good guess, and the loader does not depend on it.
#[must_use]
pub fn identify(source: &[u8]) -> Identity {
    identify_source(&mut { source })
}

/// [`identify`] for a file, of which only some kilobytes are read; of what is no regular file, only
/// the first bytes.
///
/// # Errors
///
/// Those of opening and reading the file.
#[cfg(feature = "std")]
pub fn identify_file(path: &Path) -> io::Result<Identity> {
    identify_open_file(&File::open(path)?)
}

/// [`identify_file`] for an open file, wherever in it the caller has read to.
#[cfg(feature = "std")]
pub(crate) fn identify_open_file(mut file: &File) -> io::Result<Identity> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let mut prefix = std::vec::Vec::new();
        file.take(PREFIX_LEN as u64).read_to_end(&mut prefix)?;
        return Ok(identify(&prefix));
    }
    file.rewind()?;
    let mut source = OnDisk {
        len: metadata.len(),
        offset: 0,
        reader: BufReader::new(file),
        error: None,
    };
    let identity = identify_source(&mut source);
    source.error.map_or(Ok(identity), Err)
}

/// Bytes that can be read in any order.
trait Source {
    fn len(&self) -> u64;

    /// Fills the buffer with what begins at `offset`; `false` if the source ends before or cannot
    /// be read.
    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> bool;

    fn word(&mut self, offset: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.read(offset, &mut bytes)
            .then_some(u32::from_le_bytes(bytes))
    }
}

impl Source for &[u8] {
    fn len(&self) -> u64 {
        (**self).len() as u64
    }

    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> bool {
        let found = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.get(offset..)?.get(..buffer.len()));
        if let Some(bytes) = found {
            buffer.copy_from_slice(bytes);
        }
        found.is_some()
    }
}

#[cfg(feature = "std")]
struct OnDisk<'a> {
    len: u64,
    /// Where the reader is.
    offset: u64,
    reader: BufReader<&'a File>,
    /// Why something could not be read. The identity is worthless then.
    error: Option<io::Error>,
}

#[cfg(feature = "std")]
impl Source for OnDisk<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> bool {
        let end = offset.saturating_add(buffer.len() as u64);
        if end > self.len {
            return false;
        }
        let distance = offset.cast_signed().wrapping_sub(self.offset.cast_signed());
        let result =
            (self.reader.seek_relative(distance)).and_then(|()| self.reader.read_exact(buffer));
        self.offset = end;
        result.map_err(|error| self.error = Some(error)).is_ok()
    }
}

fn identify_source(source: &mut impl Source) -> Identity {
    if let (Some(version), Some(hash)) = (source.word(0), source.word(4)) {
        if let Some(generation) = known::later(version, hash) {
            return Identity::Later { generation };
        }
        if let Some(family) = family_of(source, version, hash) {
            let spec = SPECS.iter().find(|(_, spec)| *spec == family);
            return spec.map_or(Identity::Relative(family), |(name, _)| Identity::Spec {
                name,
            });
        }
        if known::with_header(version, hash).next().is_some() {
            return Identity::Header { version, hash };
        }
    }
    let mut prefix = [0; PREFIX_LEN];
    let len = source.len().min(PREFIX_LEN as u64) as usize;
    let prefix = &mut prefix[..len];
    if !source.read(0, prefix) {
        return Identity::Unknown;
    }
    known::other(prefix).map_or(Identity::Unknown, Identity::Other)
}

/// The family of a net file, if every size and hash in it fits.
fn family_of(source: &mut impl Source, version: u32, hash: u32) -> Option<Family> {
    SPECS.iter().find(|(_, family)| family.version == version)?;
    let description_len = source.word(8).filter(|len| *len <= DESCRIPTION_LIMIT)?;
    let start = START_LEN as u64 + u64::from(description_len);
    let transformer_hash = source.word(start)?;
    let (features, width) = features_and_width(transformer_hash)?;
    let stack_hash = hash ^ transformer_hash;

    let tensors = start + 4;
    let mut family = Family {
        version,
        features,
        width,
        wiring: Wiring::Plain,
        outputs: [1, 1],
        encoding: match block_end(source, tensors) {
            Some(_) => Encoding::Leb128,
            None => Encoding::Raw,
        },
    };
    let mut stacks = tensors;
    for len in family.transformer_lens() {
        stacks = match family.encoding {
            Encoding::Raw => stacks + len,
            Encoding::Leb128 | Encoding::BareLeb128 => block_end(source, stacks)?,
        };
    }
    let rest = source.len().checked_sub(stacks)?;
    let shapes = Family::outputs_of_hash(width, stack_hash).flat_map(|outputs| {
        [Wiring::Plain, Wiring::Skip, Wiring::SkipAndSquares].map(|wiring| Family {
            outputs,
            wiring,
            ..family
        })
    });
    family = { shapes }.find(|shape| shape.stack_len() * features.buckets() == rest)?;

    let stack_len = family.stack_len();
    let mut stacks = (0..features.buckets()).map(|stack| stacks + stack * stack_len);
    if !{ stacks.clone() }.all(|stack| source.word(stack) == Some(stack_hash)) {
        return None;
    }
    let squares = Family {
        wiring: Wiring::SkipAndSquares,
        ..family
    };
    // Rows are padded, so that twice the inputs may take no more room.
    if family.wiring == Wiring::Skip
        && squares.stack_len() == stack_len
        && stacks.any(|stack| reads_squares(source, stack, &family))
    {
        family = squares;
    }
    Some(family)
}

fn features_and_width(transformer_hash: u32) -> Option<(Features, u32)> {
    const MAX_WIDTH: u32 = 1 << 16;
    Features::ALL.into_iter().find_map(|features| {
        let hashed = transformer_hash ^ features.hash();
        let fits = hashed.is_multiple_of(2) && (2..=2 * MAX_WIDTH).contains(&hashed);
        fits.then_some((features, hashed / 2))
    })
}

/// Where the LEB128 block ends that begins at `offset`; `None` if none does.
fn block_end(source: &mut impl Source, offset: u64) -> Option<u64> {
    let mut magic = [0; leb128::MAGIC.len()];
    if !source.read(offset, &mut magic) || magic != *leb128::MAGIC {
        return None;
    }
    let start = offset + magic.len() as u64;
    Some(start + 4 + u64::from(source.word(start)?))
}

/// Whether weights stand in columns of the second layer that only networks with squares have: for
/// others that is padding.
fn reads_squares(source: &mut impl Source, stack: u64, family: &Family) -> bool {
    // Longer rows have room for no such columns.
    let mut row = [0; ROW_UNIT as usize];
    let inputs = family.inputs()[1] as usize;
    (0..family.outputs[1]).any(|output| {
        let offset = stack + family.second_weights() + u64::from(output * ROW_UNIT);
        source.read(offset, &mut row) && row[inputs..2 * inputs].iter().any(|&weight| weight != 0)
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::tests::Random;

    /// A long file of zeros but for a few pieces.
    #[derive(Clone)]
    struct Sparse {
        len: u64,
        pieces: Vec<(u64, Vec<u8>)>,
    }

    impl Source for Sparse {
        fn len(&self) -> u64 {
            self.len
        }

        fn read(&mut self, offset: u64, buffer: &mut [u8]) -> bool {
            if self.len < offset + buffer.len() as u64 {
                return false;
            }
            for (byte, at) in buffer.iter_mut().zip(offset..) {
                let piece = (self.pieces.iter())
                    .find(|(start, piece)| (*start..*start + piece.len() as u64).contains(&at));
                *byte = piece.map_or(0, |(start, piece)| piece[(at - start) as usize]);
            }
            true
        }
    }

    impl Sparse {
        fn push(&mut self, bytes: &[u8]) {
            self.pieces.push((self.len, bytes.to_vec()));
            self.len += bytes.len() as u64;
        }

        fn word(&mut self, word: u32) {
            self.push(&word.to_le_bytes());
        }
    }

    /// A file of that shape, all weights of which are zero but the very last in a column that only
    /// squares have; or but padding, which tells nothing.
    fn file(family: &Family) -> Sparse {
        let mut file = Sparse {
            len: 0,
            pieces: vec![],
        };
        file.word(family.version);
        file.word(family.hash());
        file.word(5);
        file.push(b"words");
        file.word(family.transformer_hash());
        for len in family.transformer_lens() {
            match family.encoding {
                Encoding::Raw => file.len += len,
                Encoding::Leb128 | Encoding::BareLeb128 => {
                    file.push(leb128::MAGIC);
                    file.word((len / 3) as u32);
                    file.len += len / 3;
                }
            }
        }
        for stack in 1..=family.features.buckets() {
            let end = file.len + family.stack_len();
            file.word(family.stack_hash());
            let [_, row, last_row] = family.rows();
            let squares = 2 * u64::from(family.outputs[0] - 1);
            let last_column = match family.wiring {
                Wiring::SkipAndSquares => Some(squares - 1),
                _ => Some(squares).filter(|column| *column < row),
            };
            if let Some(column) = last_column
                && stack == family.features.buckets()
            {
                file.len = end - last_row - 4 - row + column;
                file.push(&[0xFF]);
            }
            file.len = end;
        }
        file
    }

    fn families() -> impl Iterator<Item = Family> {
        let (_, model) = SPECS[0];
        let versions = [model.version, SPECS[1].1.version];
        // Narrower networks are rare, and can agree in header and size though their layers differ.
        let sizes = [128, 256, 512, 768, 1024, 1536, 3072];
        let firsts = [8, 9, 16, 17, 18, 32, 33, 64];
        let seconds = [8, 16, 31, 32, 33, 64];
        let connected = [
            (Wiring::Plain, Encoding::Raw),
            (Wiring::Skip, Encoding::Raw),
            (Wiring::SkipAndSquares, Encoding::Raw),
            (Wiring::Plain, Encoding::Leb128),
            (Wiring::SkipAndSquares, Encoding::Leb128),
        ];
        let sized = versions
            .into_iter()
            .flat_map(move |version| sizes.map(|width| (version, width)));
        sized.flat_map(move |(version, width)| {
            let layered = firsts
                .into_iter()
                .flat_map(move |first| seconds.map(|second| [first, second]));
            layered.flat_map(move |outputs| {
                connected.into_iter().flat_map(move |(wiring, encoding)| {
                    Features::ALL.map(|features| Family {
                        version,
                        features,
                        width,
                        wiring,
                        outputs,
                        encoding,
                    })
                })
            })
        })
    }

    #[test]
    fn networks_of_all_sizes_are_told_apart() {
        let mut specs = 0;
        for family in families() {
            let identity = identify_source(&mut file(&family));
            assert_eq!(identity.family(), Some(family), "{identity}");
            specs += usize::from(matches!(identity, Identity::Spec { .. }));
        }
        // Two have widths that are not tried.
        assert_eq!(specs, SPECS.len() - 2);
    }

    #[test]
    fn specs_are_named() {
        for (name, family) in SPECS {
            let identity = identify_source(&mut file(family));
            assert_eq!(identity, Identity::Spec { name });
            assert_eq!(identity.to_string(), alloc::format!("a net of {name}"));
            assert!(identity.specs().eq([*name]));
        }
    }

    #[test]
    fn headers_in_front_of_something_else_are_told() {
        for (name, family) in SPECS {
            let whole = file(family);
            let last_stack = whole.len - family.stack_len();
            let mut damaged = vec![whole.clone(); 4];
            damaged[0].len -= 1;
            damaged[1].len += 1;
            damaged[2].len = 8;
            for (start, piece) in &mut damaged[3].pieces {
                if *start == last_stack {
                    piece[0] ^= 1;
                }
            }
            for mut damaged in damaged {
                let identity = identify_source(&mut damaged);
                assert!(matches!(identity, Identity::Header { .. }), "{name}");
                assert!(identity.specs().any(|spec| spec == *name));
                assert_eq!(identity.family(), None);
            }
        }
        let shared = &b"\x20\x2F\xF3\x7A\xF2\x2E\x10\x1C"[..];
        assert_eq!(
            identify(shared).to_string(),
            "the header of SFNNv4 or SFNNv5"
        );
        assert_eq!(identify(&shared[..7]), Identity::Unknown);
    }

    #[test]
    fn later_generations_are_told_by_their_header() {
        let later = |version: u32, hash: u32| {
            identify(&[version.to_le_bytes(), hash.to_le_bytes()].concat())
        };
        let (old, new) = (0x7AF3_2F20, 0x6A44_8AFA);
        assert_eq!(
            later(old, 0xEC10_2EF2).to_string(),
            "a net of SFNNv10, SFNNv11 or SFNNv12, for which there is no spec yet"
        );
        assert_ne!(later(old, 0x0256_ACDF), later(new, 0x0256_ACDF));
        let newest = later(new, 0x1234_5678).to_string();
        assert!(newest.contains("SFNNv14 or later"), "{newest}");
        assert_eq!(later(old, 0x1234_5678), Identity::Unknown);
    }

    #[test]
    fn other_files_are_named_and_nothing_is_named_for_nothing() {
        let gzip = identify(b"\x1F\x8B\x08");
        assert_eq!(gzip, Identity::Other("a gzip archive: unpack it first"));
        assert_eq!(
            identify(&[0; 100]).to_string(),
            "a file that begins with zeros"
        );
        for nothing in [
            &b""[..],
            b"NNUE",
            b"something that is longer than any header is",
        ] {
            assert_eq!(identify(nothing), Identity::Unknown);
        }
    }

    #[test]
    fn no_bytes_are_too_bad() {
        let mut random = Random(5);
        for family in families().step_by(501) {
            let whole = file(&family);
            for _ in 0..50 {
                let mut damaged = whole.clone();
                let index = random.below(damaged.pieces.len() as u64) as usize;
                let (_, piece) = &mut damaged.pieces[index];
                // The description may be anything, and the weight anything but zero.
                if piece == b"words" || piece.len() == 1 {
                    continue;
                }
                let byte = random.below(piece.len() as u64) as usize;
                piece[byte] ^= 1 << random.below(8);
                let identity = identify_source(&mut damaged);
                assert_ne!(identity.family(), Some(family), "{index}");
            }
        }
        for len in 0..500 {
            let mut bytes = random.bytes(len);
            let _ = identify(&bytes);
            // The same behind words that lead further.
            let header = [0x7AF3_2F20_u32, 0x1C10_2B72, 0, 0x7F23_40B8].map(u32::to_le_bytes);
            let header = [header.as_flattened(), leb128::MAGIC, &[0xFF; 4]].concat();
            let known = len.min(header.len());
            bytes[..known].copy_from_slice(&header[..known]);
            let _ = identify(&bytes);
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn files_are_identified_where_they_lie() {
        let (_, small) = SPECS[SPECS.len() - 1];
        let mut sparse = file(&small);
        let mut bytes = vec![0; sparse.len as usize];
        assert!(sparse.read(0, &mut bytes));
        let path = std::env::temp_dir().join(std::format!("nnue-identify-{}", std::process::id()));
        for len in [bytes.len(), 100, 8, 3, 0] {
            std::fs::write(&path, &bytes[..len]).unwrap();
            let found = identify_file(&path);
            std::fs::remove_file(&path).unwrap();
            assert_eq!(found.unwrap(), identify(&bytes[..len]), "{len}");
        }
        assert!(identify_file(Path::new("no such/net.nnue")).is_err());
    }
}
