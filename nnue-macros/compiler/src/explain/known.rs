//! The marks that tell files apart: the headers of the project's networks, and the signatures of
//! files that are no networks.

use nnue_format::stockfish::{FIRST_VERSION, SECOND_VERSION, THIRD_VERSION};
use nnue_format::{Encoding, ThreatTargets};

use super::family::{Family, Features, Wiring};

/// The project's specs by name, oldest first.
pub(super) const SPECS: &[(&str, Family)] = &[
    ("SFNNv1", V1),
    ("SFNNv2", V2),
    ("SFNNv3", V3),
    ("SFNNv4", V4),
    ("SFNNv5", V5),
    ("SFNNv6", V6),
    ("SFNNv7", Family { width: 2048, ..V6 }),
    ("SFNNv8", Family { width: 2560, ..V6 }),
    ("SFNNv9", Family { width: 3072, ..V6 }),
    ("SFNNv10", V10),
    ("SFNNv11", with_threats(ThreatTargets::Sfnnv11, V10)),
    ("SFNNv12", with_threats(ThreatTargets::Sfnnv12, V10)),
    ("SFNNv13", V13),
    ("SFNNv14", with_threats(ThreatTargets::Sfnnv14, LATE_V13)),
    ("SFNNv14b", V14B),
    ("SFNNv15", V15),
    ("SFNNv16", V16),
    ("SFNNv17", Family { psqt: false, ..V16 }),
    ("small128", Family { width: 128, ..V6 }),
];

/// SFNNv13 since March 2026, when the transformer's hash began to count all feature sets. Its spec
/// is that of SFNNv13, except for this hash.
pub(super) const LATE_V13: Family = Family {
    hash_counts_threats_only: false,
    ..V13
};

const V1: Family = Family {
    version: FIRST_VERSION,
    features: Features::HalfKP,
    threats: None,
    hash_counts_threats_only: false,
    psqt: false,
    width: 256,
    wiring: Wiring::Plain,
    outputs: [32, 32],
    encoding: Encoding::Raw,
};

const V2: Family = Family {
    version: SECOND_VERSION,
    features: Features::HalfKAv2,
    psqt: true,
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

const V10: Family = Family {
    threats: Some(ThreatTargets::Sfnnv10),
    hash_counts_threats_only: true,
    encoding: Encoding::Leb128,
    ..V5
};

const V13: Family = Family {
    outputs: [32, 32],
    ..with_threats(ThreatTargets::Sfnnv12, V10)
};

const V14B: Family = Family {
    version: THIRD_VERSION,
    wiring: Wiring::PowersOfTwo,
    ..with_threats(ThreatTargets::Sfnnv14, LATE_V13)
};

const V15: Family = Family {
    wiring: Wiring::SquaresOfBoth,
    ..V14B
};

const V16: Family = with_threats(ThreatTargets::Sfnnv16, V15);

const fn with_threats(targets: ThreatTargets, family: Family) -> Family {
    Family {
        threats: Some(targets),
        ..family
    }
}

/// The first bytes of other kinds of files, with the names of these kinds.
const SIGNATURES: &[(&[u8], &str)] = &[
    (b"\x1F\x8B", "a gzip archive: unpack it first"),
    (
        b"PK\x03\x04",
        "a zip archive, as PyTorch checkpoints are: the trainer has to write a net file of it",
    ),
    (b"\x28\xB5\x2F\xFD", ZSTD),
    (b"\xFD7zXZ\0", "an xz archive: unpack it first"),
    (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive: unpack it first"),
    (
        b"\x93NUMPY",
        "an array of NumPy: the trainer has to write a net file of it",
    ),
    (b"\0asm", "a WebAssembly module"),
    (b"\x7FELF", "an ELF executable"),
    (
        b"version https://git-lfs",
        "a Git LFS pointer: fetch the file with `git lfs pull`",
    ),
    (b"COMPRESSED_LEB128", LEB128),
    (b"CBNF", CBNF),
    (
        b"NNUE laid out",
        "a file of weights that `nnue convert --layout` has laid out: use it with `Network::map`",
    ),
];

const ZSTD: &str = "a zstd archive: unpack it first";
const LEB128: &str = "a LEB128 block without a header";
pub(super) const CBNF: &str =
    "a net in Stormphrax's container, `CBNF`, whose header says the width and the buckets";
/// Only of a file that is zero to its end: most real nets of bullet begin with zeros, for no pawn is
/// on the first rank.
pub(super) const ZEROS: &str = "a file of zeros";

/// Beginnings of files that are nets if their spec says so.
const BEGINNINGS_OF_NETS: [&str; 4] = [ZSTD, LEB128, CBNF, ZEROS];

/// Whether a file that [`other`] recognised can be no net, whatever its spec would say.
pub(super) fn is_no_net(what: &str) -> bool {
    !BEGINNINGS_OF_NETS.contains(&what)
}

/// The number of first bytes that are searched for signatures: enough for every signature, and few
/// enough to be read first.
pub(super) const PREFIX_LEN: usize = 64;

/// All networks that are known: those with specs, and a network that has the spec of another.
pub(super) fn networks() -> impl Iterator<Item = &'static (&'static str, Family)> {
    const LATE: &[(&str, Family)] = &[("late SFNNv13", LATE_V13)];
    SPECS.iter().chain(LATE)
}

/// The kind of a file that is no network, recognised by its first [`PREFIX_LEN`] bytes, in words
/// that follow "this is".
pub(super) fn other(prefix: &[u8]) -> Option<&'static str> {
    let mut signatures = SIGNATURES.iter();
    if let Some((_, what)) = signatures.find(|(start, _)| prefix.starts_with(start)) {
        return Some(what);
    }
    // The digit is the size of blocks. The first block begins with the digits of pi.
    if let [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] = prefix {
        return Some("a bzip2 archive: unpack it first");
    }
    let text = prefix.trim_ascii_start().to_ascii_lowercase();
    if text.starts_with(b"<!doctype html") || text.starts_with(b"<html") {
        return Some("a web page: the download failed");
    }
    if !prefix.is_empty() && prefix.iter().all(|&byte| byte == 0) {
        return Some(ZEROS);
    }
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    if !prefix.is_empty() && prefix.iter().all(is_text) {
        return Some("text");
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
            ("SFNNv10", [V, 0xEC10_2EF2, 0x8F23_44B8, 0x6333_6A4A]),
            (
                "SFNNv16",
                [0x6A44_8AFA, 0xA85B_2205, 0xCB68_5313, 0x6333_7116],
            ),
            (
                "SFNNv17",
                [0x6A44_8AFA, 0xA85B_2205, 0xCB68_5313, 0x6333_7116],
            ),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
    }

    #[test]
    fn networks_share_the_headers_of_stockfishs() {
        const OLD: u32 = 0x7AF3_2F20;
        const NEW: u32 = 0x6A44_8AFA;
        let names: [(u32, u32, &[&str]); 7] = [
            (OLD, 0x1C10_2EF2, &["SFNNv4", "SFNNv5"]),
            (OLD, 0xEC10_2EF2, &["SFNNv10", "SFNNv11", "SFNNv12"]),
            (OLD, 0xEC10_35AE, &["SFNNv13"]),
            (OLD, 0x0256_ACDF, &["SFNNv14", "late SFNNv13"]),
            (NEW, 0x0256_ACDF, &["SFNNv14b", "SFNNv15"]),
            (NEW, 0xA85B_2205, &["SFNNv16", "SFNNv17"]),
            (NEW, 0xEC10_2EF2, &[]),
        ];
        for (version, hash, names) in names {
            let found = networks()
                .filter(|(_, family)| (family.version, family.hash()) == (version, hash))
                .map(|(name, _)| *name);
            assert!(found.eq(names.iter().copied()), "{names:?}");
        }
    }

    #[test]
    fn transformers_are_in_stockfishs_order() {
        use Encoding::{Leb128, Raw};
        const WIDTH: u64 = 1024;
        const PSQT: u64 = 8 * 4;
        let pieces = [(Leb128, 22528 * 2 * WIDTH), (Leb128, 22528 * PSQT)];
        let expected: [(&Family, &[(Encoding, u64)]); 5] = [
            (&V1, &[(Raw, 2 * 256), (Raw, 41024 * 2 * 256)]),
            (
                &V10,
                &[
                    (Leb128, 2 * WIDTH),
                    (Raw, 79856 * WIDTH),
                    pieces[0],
                    (Leb128, (79856 + 22528) * PSQT),
                ],
            ),
            (
                &V14B,
                &[
                    (Leb128, 2 * WIDTH),
                    (Raw, 60720 * WIDTH),
                    (Leb128, 60720 * PSQT),
                    pieces[0],
                    pieces[1],
                ],
            ),
            (
                &V16,
                &[
                    (Leb128, 2 * WIDTH),
                    (Raw, 59808 * WIDTH),
                    (Leb128, 59808 * PSQT),
                    (Raw, 4560 * WIDTH),
                    (Leb128, 4560 * PSQT),
                    pieces[0],
                    pieces[1],
                ],
            ),
            (
                &Family { psqt: false, ..V16 },
                &[
                    (Leb128, 2 * WIDTH),
                    (Raw, 59808 * WIDTH),
                    (Raw, 4560 * WIDTH),
                    pieces[0],
                ],
            ),
        ];
        for (family, tensors) in expected {
            assert!(family.transformer().eq(tensors.iter().copied()), "{family}");
        }
    }

    #[test]
    fn stacks_are_as_long_as_stockfishs() {
        for (family, len) in [
            (V1, 17704),
            (V2, 17640),
            (V3, 17608),
            (V10, 17640),
            (V13, 35112),
            (V14B, 35112),
            (V15, 35208),
        ] {
            assert_eq!(family.stack_len(), len, "{family}");
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
            (b"NNUE laid out\r\n", "laid out"),
            (b"CBNF\x01\0", "Stormphrax"),
            (&[0; 64], "zeros"),
            (b"name = \"Mine\"\n", "text"),
        ] {
            let what = other(start).unwrap();
            assert!(what.contains(word), "{what}");
        }
        assert_eq!(other(b""), None);
        assert_eq!(other(b"something else entirely\0"), None);
    }

    #[test]
    fn what_a_spec_can_describe_may_be_a_net() {
        for start in [&[0; 64][..], b"\x28\xB5\x2F\xFD", b"COMPRESSED_LEB128"] {
            assert!(!is_no_net(other(start).unwrap()));
        }
        for start in [
            &b"\x7FELF"[..],
            b"version https://git-lfs",
            b"text",
            b"<html>",
        ] {
            assert!(is_no_net(other(start).unwrap()));
        }
    }
}
