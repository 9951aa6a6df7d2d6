//! Finds out which network a file holds, from its header, its size and, where these do not suffice,
//! its weights.

mod candidates;
mod source;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use nnue_format::{DESCRIPTION_LIMIT, Encoding, START_LEN, attached, leb128, stockfish};

pub use self::candidates::Candidates;
use self::source::{DiskSource, Source};
use super::family::{Family, ROW_UNIT};
use super::known::{self, PREFIX_LEN, SPECS};

/// The kind of a file. `Display` writes words that follow "this is".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Identity {
    /// A net of one of the project's specs, in the project's folder `specs`.
    Spec {
        /// The spec's name, as in `SFNNv5`.
        name: &'static str,
    },
    /// A net built like those of the project's specs, but in another size. It needs a spec of its
    /// own.
    Relative(Family),
    /// The header of one or several of the project's specs, but not the rest: a file that was cut
    /// or damaged, or only its beginning. The networks are those whose files have most in common
    /// with this file.
    Header(Candidates),
    /// The version of Stockfish's latest networks, but no network that is known: probably a net
    /// that is later than all specs of the project.
    Later,
    /// No net, but another well-known kind of file, as in `a gzip archive: unpack it first`.
    Other(&'static str),
    /// An unknown file: neither a known net nor another known kind of file.
    Unknown,
}

impl Identity {
    /// The names of the project's specs that the file can belong to: a single spec, several specs
    /// that share the header, or none.
    pub fn specs(self) -> impl Iterator<Item = &'static str> {
        let (name, candidates) = match self {
            Identity::Spec { name } => (Some(name), None),
            Identity::Header(candidates) => (None, Some(candidates)),
            _ => (None, None),
        };
        let of_specs = |name: &&str| SPECS.iter().any(|(spec, _)| spec == name);
        let sharing = candidates.into_iter().flat_map(Candidates::names);
        name.into_iter().chain(sharing.filter(of_specs))
    }

    /// The shapes that the network can have, if the whole file or its header was recognised.
    pub(super) fn probable_families(self) -> impl Iterator<Item = Family> {
        let candidates = match self {
            Identity::Header(candidates) => Some(candidates),
            _ => None,
        };
        let sharing = candidates.into_iter().flat_map(Candidates::families);
        self.family().into_iter().chain(sharing)
    }

    /// Whether the file can be no net, whatever a spec says of it, because it is known to be of
    /// another kind.
    #[must_use]
    pub fn is_no_net(self) -> bool {
        matches!(self, Identity::Other(what) if known::is_no_net(what))
    }

    /// Whether the file can be of the network of that name and of no other network that is known.
    pub(super) fn is_only(self, name: &str) -> bool {
        match self {
            Identity::Spec { name: own } => own == name,
            Identity::Header(candidates) => candidates.names().eq([name]),
            _ => false,
        }
    }

    /// The known networks whose files begin as this file does, unless the network with this name is
    /// the only one of them. The beginning of a file says nothing about unknown networks.
    pub(super) fn doubts(self, name: &str) -> Option<Candidates> {
        let is_known = known::networks().any(|(known, _)| *known == name);
        match self {
            Identity::Header(candidates) if is_known && !self.is_only(name) => Some(candidates),
            _ => None,
        }
    }

    /// Whether the file begins like known networks, and not like the network of this name.
    pub(super) fn excludes(self, name: &str) -> bool {
        let candidates = self.doubts(name);
        candidates.is_some_and(|candidates| candidates.names().all(|own| own != name))
    }

    /// The shape of the network, if the whole file was recognised.
    #[must_use]
    pub fn family(self) -> Option<Family> {
        match self {
            Identity::Spec { name } => {
                let (_, family) = SPECS.iter().find(|(spec, _)| *spec == name)?;
                Some(*family)
            }
            Identity::Relative(family) => Some(family),
            _ => None,
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Identity::Spec { name } => write!(f, "a net of {name}"),
            Identity::Relative(known::LATE_V13) => write!(
                f,
                "a net of late SFNNv13, which needs the spec of SFNNv13 with `transformer_hash = {:#010X}`",
                known::LATE_V13.transformer_hash()
            ),
            Identity::Relative(family) => {
                write!(f, "a net that needs a spec of its own: {family}")
            }
            Identity::Header(candidates) => write!(f, "the beginning of a net of {candidates}"),
            Identity::Later => f.write_str(
                "a net of a generation later than SFNNv17, for which there is no spec yet, or a damaged one",
            ),
            Identity::Other(what) => f.write_str(what),
            Identity::Unknown => f.write_str("of an unknown kind"),
        }
    }
}

/// Says which network a file holds, or which other kind of file it is. Any bytes are allowed. Few
/// of them are read and nothing is decompressed, so it takes microseconds.
///
/// Networks that differ in nothing but the meaning of their weights cannot be told apart: an answer
/// is a good guess, and the loader does not depend on it.
#[must_use]
pub fn identify(source: &[u8]) -> Identity {
    let (source, _) = attached::detach(source);
    identify_source(&mut { source })
}

/// [`identify`] for a file. Reads only some kilobytes. If it is not a regular file, only its first
/// bytes are read.
///
/// # Errors
///
/// The errors of opening and reading the file.
pub fn identify_file(path: &Path) -> io::Result<Identity> {
    identify_open_file(&File::open(path)?)
}

/// [`identify_file`] for an open file, whose position does not matter.
fn identify_open_file(file: &File) -> io::Result<Identity> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let mut prefix = Vec::new();
        file.take(PREFIX_LEN as u64).read_to_end(&mut prefix)?;
        return Ok(identify(&prefix));
    }
    let mut source = DiskSource::new(file, attached::net_len_of(file, metadata.len()))?;
    let identity = identify_source(&mut source);
    source.error.map_or(Ok(identity), Err)
}

fn identify_source(source: &mut impl Source) -> Identity {
    if let (Some(version), Some(hash)) = (source.word(0), source.word(4)) {
        if let Some(family) = family_of(source, version, hash) {
            let spec = SPECS.iter().find(|(_, spec)| *spec == family);
            return spec.map_or(Identity::Relative(family), |(name, _)| Identity::Spec {
                name,
            });
        }
        let sharing = Candidates::with_header(version, hash);
        if sharing.names().next().is_some() {
            return Identity::Header(sharing.likeliest(|family| landmarks(source, family)));
        }
        if version == stockfish::THIRD_VERSION {
            return Identity::Later;
        }
    }
    let mut prefix = [0; PREFIX_LEN];
    let len = source.len().min(PREFIX_LEN as u64) as usize;
    let prefix = &mut prefix[..len];
    if !source.read(0, prefix) {
        return Identity::Unknown;
    }
    match known::other(prefix) {
        Some(known::ZEROS) if !is_zero(source) => Identity::Unknown,
        other => other.map_or(Identity::Unknown, Identity::Other),
    }
}

/// Whether all bytes are zero.
fn is_zero(source: &mut impl Source) -> bool {
    let mut block = [0; 4096];
    let mut offset = 0;
    while offset < source.len() {
        let len = (source.len() - offset).min(block.len() as u64);
        let block = &mut block[..len as usize];
        if !source.read(offset, block) || block.iter().any(|byte| *byte != 0) {
            return false;
        }
        offset += len;
    }
    true
}

/// The family of a net file, if every size and hash in it fits.
fn family_of(source: &mut impl Source, version: u32, hash: u32) -> Option<Family> {
    let description_len = source.word(8).filter(|len| *len <= DESCRIPTION_LIMIT)?;
    let start = START_LEN as u64 + u64::from(description_len);
    let transformer_hash = source.word(start)?;
    let tensors = start + 4;
    let encoding = match block_end(source, tensors) {
        Some(_) => Encoding::Leb128,
        None => Encoding::Raw,
    };
    let stack_hash = hash ^ transformer_hash;
    let mut transformers = Family::of_transformer(version, transformer_hash, encoding);
    transformers.find_map(|transformer| {
        let stacks = transformer_end(source, &transformer, tensors)?;
        with_layers(source, transformer, stacks, stack_hash)
    })
}

/// The number of words and blocks, up to the first mismatch, that a file has at the same places as
/// the files of the network with its header.
fn landmarks(source: &mut impl Source, family: &Family) -> usize {
    let Some(description_len) = source.word(8) else {
        return 0;
    };
    let start = START_LEN as u64 + u64::from(description_len);
    if source.word(start) != Some(family.transformer_hash()) {
        return 0;
    }
    let (mut found, mut offset) = (1, start + 4);
    for (encoding, len) in family.transformer() {
        let block_end = block_end(source, offset);
        offset = match (encoding, block_end) {
            (Encoding::Raw, None) => offset + len,
            (Encoding::Leb128, Some(end)) => {
                found += 1;
                end
            }
            _ => return found,
        };
    }
    let stacks = 0..family.features.buckets();
    let stacks = stacks.map(|stack| offset + stack * family.stack_len());
    let mut hashes = stacks.map(|stack| source.word(stack));
    found
        + hashes
            .by_ref()
            .take_while(|hash| *hash == Some(family.stack_hash()))
            .count()
}

/// The end of a transformer's tensors that begin at `offset`; `None` if other tensors begin there.
fn transformer_end(source: &mut impl Source, family: &Family, offset: u64) -> Option<u64> {
    let mut tensors = family.transformer();
    tensors.try_fold(offset, |offset, (encoding, len)| match encoding {
        Encoding::Raw => Some(offset + len),
        Encoding::Leb128 | Encoding::BareLeb128 => block_end(source, offset),
    })
}

/// The family with the layers of a file's stacks, if the stacks begin at `offset`.
fn with_layers(
    source: &mut impl Source,
    transformer: Family,
    offset: u64,
    stack_hash: u32,
) -> Option<Family> {
    let Family {
        features, width, ..
    } = transformer;
    let rest = source.len().checked_sub(offset)?;
    let wirings = transformer.wirings();
    let mut shapes = Family::outputs_of_hash(width, stack_hash).flat_map(|outputs| {
        wirings.iter().map(move |&wiring| Family {
            outputs,
            wiring,
            ..transformer
        })
    });
    let mut family = shapes.find(|shape| shape.stack_len() * features.buckets() == rest)?;

    let stack_len = family.stack_len();
    let stacks = (0..features.buckets()).map(|stack| offset + stack * stack_len);
    if !{ stacks.clone() }.all(|stack| source.word(stack) == Some(stack_hash)) {
        return None;
    }
    // Rows are padded, so more inputs may take no more space.
    for &wiring in wirings {
        let wider = Family { wiring, ..family };
        if wider.stack_len() == stack_len && { stacks.clone() }
            .any(|stack| reads_more(source, stack, &family, &wider))
        {
            family = wider;
        }
    }
    Some(family)
}

/// The end of the LEB128 block that begins at `offset`; `None` if no block begins there.
fn block_end(source: &mut impl Source, offset: u64) -> Option<u64> {
    let mut magic = [0; leb128::MAGIC.len()];
    if !source.read(offset, &mut magic) || magic != *leb128::MAGIC {
        return None;
    }
    let start = offset + magic.len() as u64;
    Some(start + 4 + u64::from(source.word(start)?))
}

/// Whether weights of the last two layers stand in columns that only the wider of two networks has.
/// For the other network, these columns are padding.
fn reads_more(source: &mut impl Source, stack: u64, narrow: &Family, wide: &Family) -> bool {
    let ([_, second, third], [_, wide_second, wide_third]) = (narrow.inputs(), wide.inputs());
    let mut is_read = |row: u64, columns: Range<u32>| {
        // Longer rows have no padding for such columns.
        let mut weights = [0; ROW_UNIT as usize];
        let columns = columns.start as usize..columns.end as usize;
        source.read(row, &mut weights) && { weights.get(columns) }
            .is_some_and(|columns| columns.iter().any(|&weight| weight != 0))
    };
    let rows = (0..narrow.outputs[1]).map(|output| u64::from(output * ROW_UNIT));
    { rows }.any(|row| is_read(stack + narrow.second_weights() + row, second..wide_second))
        || is_read(stack + narrow.third_weights(), third..wide_third)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::explain::family::{Features, Wiring};

    fn random_bytes(random: &mut Rng, len: usize) -> Vec<u8> {
        (0..len).map(|_| random.u8(..)).collect()
    }

    /// A long file of zeros, except for a few pieces.
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
            let end = offset + buffer.len() as u64;
            if self.len < end {
                return false;
            }
            buffer.fill(0);
            for (start, piece) in &self.pieces {
                let (from, to) = (offset.max(*start), end.min(start + piece.len() as u64));
                if from < to {
                    let bytes = &piece[(from - start) as usize..(to - start) as usize];
                    buffer[(from - offset) as usize..][..bytes.len()].copy_from_slice(bytes);
                }
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

    /// A file of this shape. All its weights are zero, except for the very last weight in a column
    /// that only its wiring has; or the weights are zero except for padding, which tells nothing.
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
        for (encoding, len) in family.transformer() {
            match encoding {
                Encoding::Raw => file.len += len,
                Encoding::Leb128 | Encoding::BareLeb128 => {
                    file.push(leb128::MAGIC);
                    file.word((len / 3) as u32);
                    file.len += len / 3;
                }
            }
        }
        for stack in 1..=family.features.buckets() {
            let start = file.len;
            file.word(family.stack_hash());
            let [_, second_row, third_row] = family.rows();
            let [first, second] = family.outputs.map(u64::from);
            let last_second_row = family.third_weights() - 4 - second_row;
            let padding = |column| (column < second_row).then_some(last_second_row + column);
            let other_than_zero = match family.wiring {
                Wiring::Plain | Wiring::Skip => padding(2 * first - 2),
                Wiring::SkipAndSquares => Some(last_second_row + 2 * first - 3),
                Wiring::PowersOfTwo => padding(2 * first),
                Wiring::SquaresOfBoth => {
                    let last_column = 2 * (first + second) - 1;
                    assert!(last_column < third_row);
                    Some(family.third_weights() + last_column)
                }
            };
            if let Some(offset) = other_than_zero
                && stack == family.features.buckets()
            {
                file.len = start + offset;
                file.push(&[0xFF]);
            }
            file.len = start + family.stack_len();
        }
        file
    }

    fn families() -> impl Iterator<Item = Family> {
        const MIRRORED: u32 = Features::HalfKAv2Hm.hash();
        const PAWNS: [u32; 2] = [stockfish::THREATS_WITHOUT_PAWNS, stockfish::PAWN_PAIRS];
        // Narrower networks are rare, and can agree in header and size though their layers differ.
        const WIDTHS: &[u32] = &[128, 256, 512, 768, 1024, 1536, 3072];
        const SOME_WIDTHS: &[u32] = &[128, 1024];
        const SETS: [(&[u32], &[u32]); 6] = [
            (&[Features::HalfKP.hash()], WIDTHS),
            (&[Features::HalfKAv2.hash()], WIDTHS),
            (&[MIRRORED], WIDTHS),
            (&[stockfish::THREATS], SOME_WIDTHS),
            (&[stockfish::THREATS, MIRRORED], SOME_WIDTHS),
            (&[PAWNS[0], PAWNS[1], MIRRORED], SOME_WIDTHS),
        ];
        let mut shapes = vec![];
        for version in [
            stockfish::FIRST_VERSION,
            stockfish::SECOND_VERSION,
            stockfish::THIRD_VERSION,
        ] {
            for (sets, widths) in SETS {
                for width in widths {
                    let hash = stockfish::transformer_hash(sets.iter().copied(), *width);
                    for encoding in [Encoding::Raw, Encoding::Leb128] {
                        shapes.extend(Family::of_transformer(version, hash, encoding));
                    }
                }
            }
        }
        shapes.into_iter().flat_map(with_layers_of_all_sizes)
    }

    fn with_layers_of_all_sizes(shape: Family) -> impl Iterator<Item = Family> {
        let [firsts, seconds]: [&[u32]; 2] = match shape.threats {
            None => [&[8, 9, 16, 17, 18, 32, 33, 64], &[8, 16, 31, 32, 33, 64]],
            Some(_) => [&[8, 16, 32], &[8, 32, 33]],
        };
        firsts.iter().flat_map(move |first| {
            seconds.iter().flat_map(move |second| {
                let wirings = shape.wirings().iter();
                wirings.map(move |wiring| Family {
                    wiring: *wiring,
                    outputs: [*first, *second],
                    ..shape
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
        // Two of the specs have widths that are not tried.
        assert_eq!(specs, SPECS.len() - 2);
    }

    #[test]
    fn specs_are_named() {
        for (name, family) in SPECS {
            let identity = identify_source(&mut file(family));
            assert_eq!(identity, Identity::Spec { name });
            assert_eq!(identity.to_string(), format!("a net of {name}"));
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
                assert!(matches!(identity, Identity::Header(_)), "{name}");
                assert!(identity.specs().any(|spec| spec == *name));
                assert_eq!(identity.family(), None);
            }
        }
        let shared = &b"\x20\x2F\xF3\x7A\xF2\x2E\x10\x1C"[..];
        assert_eq!(
            identify(shared).to_string(),
            "the beginning of a net of SFNNv4 or SFNNv5"
        );
        assert_eq!(identify(&shared[..7]), Identity::Unknown);
    }

    /// Threats have other numbers of rows in networks that share a header, so the sections behind
    /// the threats tell the networks apart, even if the rest of a file is missing.
    #[test]
    fn files_that_were_cut_are_told_by_what_is_left() {
        let shared = "SFNNv10, SFNNv11 or SFNNv12";
        for name in ["SFNNv10", "SFNNv11", "SFNNv12"] {
            let (_, family) = SPECS.iter().find(|(spec, _)| *spec == name).unwrap();
            let whole = file(family);
            let cut = |len| {
                let mut cut = whole.clone();
                cut.len = len;
                identify_source(&mut cut).to_string()
            };
            let own = format!("the beginning of a net of {name}");
            let others = format!("the beginning of a net of {shared}");
            assert_eq!(cut(whole.len - 1), own);
            assert_eq!(cut(whole.len - 8 * family.stack_len()), own);
            // Where the fewest threats end, those of SFNNv12, the threats of other networks go on.
            assert_eq!(cut(60_000_000), others);
            assert_eq!(cut(30), others);
        }
    }

    /// No header says whether there are PSQT values, but the sections behind the threats do.
    #[test]
    fn psqt_is_told_by_what_is_left() {
        for (name, psqt) in [("SFNNv16", true), ("SFNNv17", false)] {
            let (_, family) = SPECS.iter().find(|(spec, _)| *spec == name).unwrap();
            assert_eq!(family.psqt, psqt);
            let whole = file(family);
            let cut = |len| {
                let mut cut = whole.clone();
                cut.len = len;
                identify_source(&mut cut).to_string()
            };
            let own = format!("the beginning of a net of {name}");
            assert_eq!(cut(whole.len - 1), own);
            assert_eq!(cut(whole.len - 8 * family.stack_len()), own);
            let both = "the beginning of a net of SFNNv16 or SFNNv17";
            assert_eq!(cut(60_000_000), both);
            assert_eq!(cut(8), both);
        }
    }

    #[test]
    fn a_spec_that_lacks_a_hash_is_named() {
        let late = &known::LATE_V13;
        let identity = identify_source(&mut file(late));
        assert_eq!(identity, Identity::Relative(*late));
        assert_eq!(
            identity.to_string(),
            "a net of late SFNNv13, which needs the spec of SFNNv13 with `transformer_hash = 0x6165DDC9`"
        );
        let header = [late.version, late.hash()].map(u32::to_le_bytes);
        let header = identify(header.as_flattened());
        assert_eq!(
            header.to_string(),
            "the beginning of a net of SFNNv14 or late SFNNv13"
        );
        // There is no spec of the other name.
        assert!(header.specs().eq(["SFNNv14"]));
    }

    #[test]
    fn later_generations_are_told_by_their_version() {
        let of_words = |version: u32, hash: u32| {
            identify(&[version.to_le_bytes(), hash.to_le_bytes()].concat())
        };
        let newest = of_words(0x6A44_8AFA, 0x1234_5678);
        assert_eq!(newest, Identity::Later);
        assert!(newest.to_string().contains("later than SFNNv17"));
        assert_eq!(newest.specs().count(), 0);
        assert_eq!(of_words(0x7AF3_2F20, 0x1234_5678), Identity::Unknown);
    }

    #[test]
    fn other_files_are_named_and_nothing_is_named_for_nothing() {
        let gzip = identify(b"\x1F\x8B\x08");
        assert_eq!(gzip, Identity::Other("a gzip archive: unpack it first"));
        for (start, name) in [
            (&b"BZh91AY&SY"[..], "a bzip2 archive"),
            (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive"),
            (b"\x93NUMPY\x01", "an array of NumPy"),
        ] {
            let identity = identify(start);
            assert!(identity.is_no_net(), "{identity}");
            assert!(identity.to_string().starts_with(name), "{identity}");
        }
        assert_eq!(identify(&[0; 100]).to_string(), "a file of zeros");
        let mut begins_with_zeros = [0; 9000];
        begins_with_zeros[8999] = 1;
        assert_eq!(identify(&begins_with_zeros), Identity::Unknown);
        assert_eq!(identify(b"name = \"Mine\"\n"), Identity::Other("text"));
        for nothing in [
            &b""[..],
            b"NNUE\x01",
            b"something that is longer than any header is\0",
        ] {
            assert_eq!(identify(nothing), Identity::Unknown);
        }
    }

    #[test]
    fn no_bytes_are_too_bad() {
        let mut random = Rng::with_seed(5);
        for family in families().step_by(501) {
            let whole = file(&family);
            for _ in 0..50 {
                let mut damaged = whole.clone();
                let index = random.u64(..damaged.pieces.len() as u64) as usize;
                let (_, piece) = &mut damaged.pieces[index];
                // The description may be anything, and a weight may be anything but zero.
                if piece == b"words" || piece.len() == 1 {
                    continue;
                }
                let byte = random.u64(..piece.len() as u64) as usize;
                piece[byte] ^= 1 << random.u64(..8);
                let identity = identify_source(&mut damaged);
                assert_ne!(identity.family(), Some(family), "{index}");
            }
        }
        for len in 0..500 {
            let mut bytes = random_bytes(&mut random, len);
            let _ = identify(&bytes);
            // The same random bytes behind words that lead further.
            let header = [0x7AF3_2F20_u32, 0x1C10_2B72, 0, 0x7F23_40B8].map(u32::to_le_bytes);
            let header = [header.as_flattened(), leb128::MAGIC, &[0xFF; 4]].concat();
            let known = len.min(header.len());
            bytes[..known].copy_from_slice(&header[..known]);
            let _ = identify(&bytes);
        }
    }

    #[test]
    fn files_are_identified_where_they_lie() {
        let (_, small) = SPECS[SPECS.len() - 1];
        let mut sparse = file(&small);
        let mut bytes = vec![0; sparse.len as usize];
        assert!(sparse.read(0, &mut bytes));
        let path = std::env::temp_dir().join(format!("nnue-identify-{}", std::process::id()));
        for len in [bytes.len(), 100, 8, 3, 0] {
            std::fs::write(&path, &bytes[..len]).unwrap();
            let found = identify_file(&path);
            std::fs::remove_file(&path).unwrap();
            assert_eq!(found.unwrap(), identify(&bytes[..len]), "{len}");
        }
        assert!(identify_file(Path::new("no such/net.nnue")).is_err());
    }

    #[test]
    fn a_spec_behind_a_net_is_left_out() {
        let (_, small) = SPECS[SPECS.len() - 1];
        let mut sparse = file(&small);
        let mut net = vec![0; sparse.len as usize];
        assert!(sparse.read(0, &mut net));
        let with = attached::attach(&net, "name = \"a\"").unwrap();
        assert_eq!(identify(&with), identify(&net));
        let path = std::env::temp_dir().join(format!("nnue-attached-{}", std::process::id()));
        std::fs::write(&path, &with).unwrap();
        let found = identify_file(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(found.unwrap(), identify(&net));
    }
}
