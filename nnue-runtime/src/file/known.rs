//! What a file that is refused may be instead: another released network, or no network at all.

/// Version, network hash and owners of the headers of Stockfish's networks, released or in use between releases. Hashes
/// do not tell all generations apart: they cover neither activations nor the number of threats.
#[rustfmt::skip] // a table
const HEADERS: &[(u32, u32, &str)] = &[
    (0x7AF3_2F16, 0x3E5A_A6EE, "the header of SFNNv1"),
    (0x7AF3_2F20, 0x3C10_3E72, "the header of SFNNv2"),
    (0x7AF3_2F20, 0x1C10_2EEC, "the header of SFNNv3"),
    (0x7AF3_2F20, 0x1C10_2EF2, "the header of SFNNv4 or SFNNv5"),
    (0x7AF3_2F20, 0x1C10_2B72, "the header of SFNNv6"),
    (0x7AF3_2F20, 0x1C10_37F2, "the header of SFNNv7"),
    (0x7AF3_2F20, 0x1C10_3072, "the header of SFNNv8"),
    (0x7AF3_2F20, 0x1C10_20F2, "the header of SFNNv9"),
    (0x7AF3_2F20, 0x1C10_3C92, "the header of small128"),
    (0x7AF3_2F20, 0xEC10_2EF2, "the header of SFNNv10, SFNNv11 or SFNNv12"),
    (0x7AF3_2F20, 0xEC10_35AE, "the header of early SFNNv13"),
    (0x7AF3_2F20, 0x0256_ACDF, "the header of late SFNNv13 or SFNNv14"),
    (0x6A44_8AFA, 0x0256_ACDF, "the header of late SFNNv14 or SFNNv15"),
    (0x6A44_8AFA, 0xA85B_2205, "the header of SFNNv16"),
];

/// What other files begin with.
const SIGNATURES: &[(&[u8], &str)] = &[
    (b"\x1F\x8B", "a gzip archive: unpack it first"),
    (b"PK\x03\x04", "a zip archive, as PyTorch checkpoints are"),
    (b"\x28\xB5\x2F\xFD", "a zstd archive: unpack it first"),
    (b"\xFD7zXZ\0", "an xz archive: unpack it first"),
    (b"\0asm", "a WebAssembly module"),
    (b"\x7FELF", "an ELF executable"),
    (
        b"version https://git-lfs",
        "a Git LFS pointer: fetch the file with `git lfs pull`",
    ),
    (b"COMPRESSED_LEB128", "a LEB128 block without a header"),
];

/// How far to look for what is not at the very start: enough for any signature, little enough to read first.
pub(crate) const PREFIX_LEN: usize = 64;

/// What a file looks like from its first bytes, in words that follow "this is": a known header of a network, or a
/// well-known other format.
pub(crate) fn looks_like(source: &[u8]) -> Option<&'static str> {
    let prefix = &source[..source.len().min(PREFIX_LEN)];
    let word = |at: usize| Some(u32::from_le_bytes(*prefix.get(at..)?.first_chunk()?));
    if let Some((.., what)) = HEADERS
        .iter()
        .find(|(version, hash, _)| (Some(*version), Some(*hash)) == (word(0), word(4)))
    {
        return Some(what);
    }
    if let Some((_, what)) = SIGNATURES
        .iter()
        .find(|(signature, _)| prefix.starts_with(signature))
    {
        return Some(what);
    }
    let text = prefix.trim_ascii_start();
    if starts_with_ignoring_case(text, b"<!doctype html")
        || starts_with_ignoring_case(text, b"<html")
    {
        return Some("a web page: the download failed");
    }
    if !prefix.is_empty() && prefix.iter().all(|&byte| byte == 0) {
        return Some("a file that begins with zeros");
    }
    None
}

fn starts_with_ignoring_case(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len())
        .is_some_and(|text| text.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule by which Stockfish's networks are hashed, for a transformer with `width` neurons and layers with
    /// `outputs`.
    fn network_hash(feature_hash: u32, width: u32, outputs: [u32; 3]) -> u32 {
        let affine = |before: u32, outputs: u32| {
            0xCC03_DAE4_u32.wrapping_add(outputs) ^ (before >> 1) ^ (before << 31)
        };
        let clipped = |before: u32| before.wrapping_add(0x538D_24C7);
        let hidden = clipped(affine(0xEC42_E90D ^ (2 * width), outputs[0]));
        let stack = affine(clipped(affine(hidden, outputs[1])), outputs[2]);
        feature_hash ^ (2 * width) ^ stack
    }

    fn combine(hashes: &[u32]) -> u32 {
        hashes
            .iter()
            .fold(0, |sum: u32, hash| sum.rotate_left(1) ^ hash)
    }

    #[test]
    fn hashes_of_the_table_follow_the_rule() {
        const MIRRORED: u32 = 0x7F23_4CB8;
        const THREATS: u32 = 0x8F23_4CB8;
        let both = combine(&[THREATS, MIRRORED]);
        let wide = combine(&[0x2E6B_9D04, 0x86F2_B1DD, MIRRORED]);
        let shapes = [
            (0x5D69_D5B8, 256, 32),
            (0x5F23_4CB8, 512, 16),
            (MIRRORED, 1024, 8),
            (MIRRORED, 1024, 16),
            (MIRRORED, 1536, 16),
            (MIRRORED, 2048, 16),
            (MIRRORED, 2560, 16),
            (MIRRORED, 3072, 16),
            (MIRRORED, 128, 16),
            (THREATS, 1024, 16),
            (THREATS, 1024, 32),
            (both, 1024, 32),
            (both, 1024, 32),
            (wide, 1024, 32),
        ];
        assert_eq!(shapes.len(), HEADERS.len());
        for (&(_, hash, what), (features, width, outputs)) in HEADERS.iter().zip(shapes) {
            assert_eq!(
                hash,
                network_hash(features, width, [outputs, 32, 1]),
                "{what}"
            );
        }
    }

    #[test]
    fn networks_are_told_by_version_and_hash() {
        let v5 = b"\x20\x2F\xF3\x7A\xF2\x2E\x10\x1C and more";
        assert_eq!(looks_like(v5), Some("the header of SFNNv4 or SFNNv5"));
        assert_eq!(looks_like(&v5[..8]), Some("the header of SFNNv4 or SFNNv5"));
        assert_eq!(looks_like(&v5[..7]), None);
        let late = |version: u32| {
            looks_like(&[version.to_le_bytes(), 0x0256_ACDF_u32.to_le_bytes()].concat())
        };
        assert_ne!(late(0x7AF3_2F20), late(0x6A44_8AFA));
    }

    #[test]
    fn common_mistakes_are_recognised() {
        for (start, word) in [
            (&b"\x1F\x8B\x08"[..], "gzip"),
            (b"PK\x03\x04....", "zip"),
            (b"\x28\xB5\x2F\xFD", "zstd"),
            (b"\0asm\x01\0\0\0", "WebAssembly"),
            (b"\x7FELF\x02", "ELF"),
            (
                b"version https://git-lfs.github.com/spec/v1\noid",
                "Git LFS",
            ),
            (b"\n <!DOCTYPE HTML>", "web page"),
            (b"<HTML lang=en>", "web page"),
            (&[0; 100], "zeros"),
        ] {
            let what = looks_like(start).unwrap();
            assert!(what.contains(word), "{what}");
        }
        assert_eq!(looks_like(b""), None);
        assert_eq!(looks_like(b"something else entirely"), None);
    }
}
