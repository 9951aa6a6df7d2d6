//! The marks by which files are recognised: of the project's networks, of those that came later,
//! and of files that are no networks at all.

use crate::Encoding;
use crate::family::{Family, Features, Wiring};

/// The project's specs by name, oldest first.
pub(crate) const SPECS: &[(&str, Family)] = &[
    ("SFNNv1", V1),
    ("SFNNv2", V2),
    ("SFNNv3", V3),
    ("SFNNv4", V4),
    ("SFNNv5", V5),
    ("SFNNv6", V6),
    ("SFNNv7", Family { width: 2048, ..V6 }),
    ("SFNNv8", Family { width: 2560, ..V6 }),
    ("SFNNv9", Family { width: 3072, ..V6 }),
    ("small128", Family { width: 128, ..V6 }),
];

const V1: Family = Family {
    version: 0x7AF3_2F16,
    features: Features::HalfKP,
    width: 256,
    wiring: Wiring::Plain,
    outputs: [32, 32],
    encoding: Encoding::Raw,
};

const V2: Family = Family {
    version: 0x7AF3_2F20,
    features: Features::HalfKAv2,
    width: 512,
    outputs: [16, 32],
    ..V1
};

const V3: Family = Family {
    features: Features::HalfKAv2Hm,
    width: 1024,
    outputs: [8, 32],
    ..V2
};

const V4: Family = Family {
    wiring: Wiring::Skip,
    outputs: [16, 32],
    ..V3
};

const V5: Family = Family {
    wiring: Wiring::SkipAndSquares,
    ..V4
};

const V6: Family = Family {
    width: 1536,
    encoding: Encoding::Leb128,
    ..V5
};

/// Version, network hash and names of Stockfish's later networks, released or in use between
/// releases. Hashes do not tell all of them apart: they cover neither activations nor the number of
/// threats.
const LATER: &[(u32, u32, &str)] = &[
    (0x7AF3_2F20, 0xEC10_2EF2, "SFNNv10, SFNNv11 or SFNNv12"),
    (0x7AF3_2F20, 0xEC10_35AE, "early SFNNv13"),
    (0x7AF3_2F20, 0x0256_ACDF, "late SFNNv13 or SFNNv14"),
    (LATEST_VERSION, 0x0256_ACDF, "late SFNNv14 or SFNNv15"),
    (LATEST_VERSION, 0xA85B_2205, "SFNNv16"),
];

/// The version that came with the second half of SFNNv14. None of the project's networks has it.
const LATEST_VERSION: u32 = 0x6A44_8AFA;

/// The first bytes of other files, and what these are.
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

/// How far to look for what is not at the very start: enough for any signature, little enough to
/// read first.
pub(crate) const PREFIX_LEN: usize = 64;

/// The specs of whose files these are the first words.
pub(crate) fn with_header(version: u32, hash: u32) -> impl Iterator<Item = &'static str> {
    SPECS
        .iter()
        .filter(move |(_, family)| (family.version, family.hash()) == (version, hash))
        .map(|(name, _)| *name)
}

/// The names of the later generations of whose files these are the first words.
pub(crate) fn later(version: u32, hash: u32) -> Option<&'static str> {
    let known = LATER
        .iter()
        .find(|(later, its_hash, _)| (*later, *its_hash) == (version, hash));
    match known {
        Some((.., names)) => Some(names),
        None => (version == LATEST_VERSION).then_some("SFNNv14 or later"),
    }
}

/// What a file that is no network is, from its first [`PREFIX_LEN`] bytes, in words that follow
/// "this is".
pub(crate) fn other(prefix: &[u8]) -> Option<&'static str> {
    let mut signatures = SIGNATURES.iter();
    if let Some((_, what)) = signatures.find(|(start, _)| prefix.starts_with(start)) {
        return Some(what);
    }
    let text = prefix.trim_ascii_start().to_ascii_lowercase();
    if text.starts_with(b"<!doctype html") || text.starts_with(b"<html") {
        return Some("a web page: the download failed");
    }
    if !prefix.is_empty() && prefix.iter().all(|&byte| byte == 0) {
        return Some("a file that begins with zeros");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_released_nets() {
        let words = |name: &str| {
            let (_, family) = SPECS.iter().find(|(spec, _)| *spec == name).unwrap();
            [
                family.version,
                family.hash(),
                family.transformer_hash(),
                family.stack_hash(),
            ]
        };
        const V: u32 = 0x7AF3_2F20;
        for (name, expected) in [
            (
                "SFNNv1",
                [0x7AF3_2F16, 0x3E5A_A6EE, 0x5D69_D7B8, 0x6333_7156],
            ),
            ("SFNNv2", [V, 0x3C10_3E72, 0x5F23_48B8, 0x6333_76CA]),
            ("SFNNv3", [V, 0x1C10_2EEC, 0x7F23_44B8, 0x6333_6A54]),
            ("SFNNv4", [V, 0x1C10_2EF2, 0x7F23_44B8, 0x6333_6A4A]),
            ("SFNNv5", [V, 0x1C10_2EF2, 0x7F23_44B8, 0x6333_6A4A]),
            ("SFNNv6", [V, 0x1C10_2B72, 0x7F23_40B8, 0x6333_6BCA]),
            ("SFNNv7", [V, 0x1C10_37F2, 0x7F23_5CB8, 0x6333_6B4A]),
            ("SFNNv8", [V, 0x1C10_3072, 0x7F23_58B8, 0x6333_68CA]),
            ("SFNNv9", [V, 0x1C10_20F2, 0x7F23_54B8, 0x6333_744A]),
            ("small128", [V, 0x1C10_3C92, 0x7F23_4DB8, 0x6333_712A]),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
    }

    #[test]
    fn hashes_of_later_networks_follow_the_rule() {
        let combine = |hashes: &[u32]| {
            hashes
                .iter()
                .fold(0, |sum: u32, hash| sum.rotate_left(1) ^ hash)
        };
        const MIRRORED: u32 = Features::HalfKAv2Hm.hash();
        const THREATS: u32 = 0x8F23_4CB8;
        let both = combine(&[THREATS, MIRRORED]);
        let wide = combine(&[0x2E6B_9D04, 0x86F2_B1DD, MIRRORED]);
        let shapes = [
            (THREATS, 16),
            (THREATS, 32),
            (both, 32),
            (both, 32),
            (wide, 32),
        ];
        assert_eq!(shapes.len(), LATER.len());
        for (&(_, hash, names), (features, first)) in LATER.iter().zip(shapes) {
            let family = Family {
                outputs: [first, 32],
                ..V5
            };
            let expected = features ^ (2 * family.width) ^ family.stack_hash();
            assert_eq!(hash, expected, "{names}");
        }
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
            (&[0; 64], "zeros"),
        ] {
            let what = other(start).unwrap();
            assert!(what.contains(word), "{what}");
        }
        assert_eq!(other(b""), None);
        assert_eq!(other(b"something else entirely"), None);
    }
}
