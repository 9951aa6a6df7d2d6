//! Net files are written byte for byte as they were read, and other files are refused by the loader
//! and by the check at compile time alike.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_runtime::{Architecture, Level, Network};
use nnue_test_support::net_file::verify;
use nnue_test_support::nets;
use nnue_test_support::synthetic::synthetic_net;
use nnue_tests::{sfnnv5, small128};

const MAGIC: &[u8] = b"COMPRESSED_LEB128";

fn check_round_trip<A: Architecture>(file: &[u8]) {
    let mut net = Network::<A>::from_bytes(file).unwrap();
    let first = net.level();
    for level in Level::available().chain([first]) {
        net = net.with_level(level);
        let mut written = Vec::new();
        net.write(&mut written).unwrap();
        assert!(written == file, "{} at {level}: other bytes", A::NAME);
    }
}

#[test]
fn raw_nets_come_back_byte_for_byte_on_every_level() {
    check_round_trip::<sfnnv5::Net>(&synthetic_net("v5"));
}

#[test]
fn compressed_nets_come_back_byte_for_byte_on_every_level() {
    check_round_trip::<small128::Net>(&synthetic_net("small128"));
}

#[test]
fn released_nets_come_back_byte_for_byte_on_every_level() {
    check_round_trip::<small128::Net>(&nets::load("nn-37f18f62d772").unwrap());
}

/// The committed net, to be damaged.
struct Victim {
    file: Vec<u8>,
    network: nnue_compiler::network::Network,
    /// For each compressed tensor, the offset of its bytes, which follow the byte count, and their
    /// number.
    blocks: [(usize, usize); 3],
    /// Where the stacks begin.
    stacks: usize,
}

impl Victim {
    fn new() -> Victim {
        let file = nets::load("nn-37f18f62d772").unwrap();
        let text = include_str!("../../specs/small128.toml");
        let network = analyse(&SourceFile::new("small128.toml", text)).unwrap();
        let mut stacks = 12 + word(&file, 8) + 4;
        let blocks = [(); 3].map(|()| {
            assert_eq!(&file[stacks..][..MAGIC.len()], MAGIC);
            let start = stacks + MAGIC.len() + 4;
            let len = word(&file, start - 4);
            stacks = start + len;
            (start, len)
        });
        Victim {
            file,
            network,
            blocks,
            stacks,
        }
    }

    /// Whether loader and check accept the file. They must agree, and an accepted file must be
    /// written as it was read.
    fn accepts(&self, what: &str, file: &[u8]) -> bool {
        let compiling = verify(&self.network, file);
        let loading = Network::<small128::Net>::from_bytes(file);
        match (&compiling, &loading) {
            (Ok(()), Ok(net)) => assert!(net.to_bytes() == file, "{what}: other bytes"),
            (Err(_), Err(_)) => {}
            _ => panic!("{what}: {compiling:?} while compiling, {loading:?} at run time"),
        }
        compiling.is_ok()
    }

    /// Whether the file is accepted after the first `count` integers of a tensor are replaced, and
    /// its byte count is corrected.
    fn accepts_integers(&self, tensor: usize, count: usize, replacement: &[u8]) -> bool {
        let (start, len) = self.blocks[tensor];
        let old: usize = self.file[start..start + len]
            .split_inclusive(|byte| byte & 0x80 == 0)
            .take(count)
            .map(<[u8]>::len)
            .sum();
        let mut file = self.file.clone();
        file.splice(start..start + old, replacement.iter().copied());
        let len = (len - old + replacement.len()) as u32;
        file[start - 4..start].copy_from_slice(&len.to_le_bytes());
        self.accepts(
            &format!("integers {replacement:x?} in tensor {tensor}"),
            &file,
        )
    }
}

fn word(file: &[u8], offset: usize) -> usize {
    u32::from_le_bytes(file[offset..offset + 4].try_into().unwrap()) as usize
}

#[test]
fn damaged_words_are_refused_while_compiling_and_at_run_time() {
    let victim = Victim::new();
    let [(biases, _), (weights, _), (psqt, _)] = victim.blocks;
    let transformer = biases - 4 - MAGIC.len() - 4;
    let stack_len = (victim.file.len() - victim.stacks) / 8;
    let words = [
        ("version", 0..4),
        ("network hash", 4..8),
        ("description length", 8..12),
        ("transformer hash", transformer..transformer + 4),
        ("start of biases", transformer + 4..biases),
        ("start of weights", weights - 21..weights),
        ("start of psqt", psqt - 21..psqt),
        ("hash of the first stack", victim.stacks..victim.stacks + 4),
        ("hash of the last stack", {
            let start = victim.stacks + 7 * stack_len;
            start..start + 4
        }),
    ];
    let mut file = victim.file.clone();
    for (what, range) in words {
        for offset in range {
            for bit in [0, 3, 7] {
                file[offset] ^= 1 << bit;
                assert!(
                    !victim.accepts(what, &file),
                    "{what}: bit {bit} of {offset}"
                );
                file[offset] ^= 1 << bit;
            }
        }
    }
    assert!(victim.accepts("the file itself", &file));
}

#[test]
fn files_of_another_length_are_refused_while_compiling_and_at_run_time() {
    let victim = Victim::new();
    let file = &victim.file;
    let ends = victim.blocks.map(|(start, len)| start + len);
    let cuts = [
        0,
        1,
        4,
        7,
        11,
        12,
        20,
        ends[0] - 1,
        ends[0],
        ends[0] + 10,
        ends[1],
        ends[2],
    ];
    for len in cuts.into_iter().chain([victim.stacks + 4, file.len() - 1]) {
        assert!(!victim.accepts(&format!("the first {len} bytes"), &file[..len]));
    }
    let longer = [file, &[0][..]].concat();
    assert!(!victim.accepts("a byte more", &longer));
}

#[test]
fn descriptions_are_free_but_for_their_length() {
    let victim = Victim::new();
    let with_description = |len: usize| {
        let mut file = victim.file.clone();
        file.splice(12..12 + word(&victim.file, 8), vec![0xFF; len]);
        file[8..12].copy_from_slice(&(len as u32).to_le_bytes());
        victim.accepts(&format!("a description of {len} bytes"), &file)
    };
    assert!(with_description(0));
    assert!(with_description(64 * 1024));
    assert!(!with_description(64 * 1024 + 1));
}

#[test]
fn padding_is_free() {
    let victim = Victim::new();
    let mut file = victim.file.clone();
    // 30 of 32 inputs of the second layer of the last stack mean something; before them come a
    // hash, 16 biases, 16 rows of 128 inputs, and 32 biases.
    let stack = file.len() - (file.len() - victim.stacks) / 8;
    file[stack + 4 + 64 + 16 * 128 + 128 + 31] = 0x55;
    assert!(victim.accepts("padding", &file));
}

#[test]
fn integers_must_fit_and_be_as_short_as_they_can() {
    let victim = Victim::new();
    // In place of as many integers: at the ends of 16 bits and of 32, one beyond, and with bytes to
    // spare.
    let i16s: [(&[u8], bool); 10] = [
        (&[0xFF, 0xFF, 0x01], true),
        (&[0x80, 0x80, 0x7E], true),
        (&[0x80, 0x80, 0x02], false),
        (&[0xFF, 0xFF, 0x7D], false),
        (&[0x80, 0x00], false),
        (&[0xFF, 0x7F], false),
        (&[0xBF, 0x7F], true),
        (&[0xC0, 0x00], true),
        (&[0x80, 0x80, 0x80, 0x00], false),
        (&[0xFF, 0xFF, 0xFF, 0x7F], false),
    ];
    let i32s: [(&[u8], bool); 6] = [
        (&[0xFF, 0xFF, 0xFF, 0xFF, 0x07], true),
        (&[0x80, 0x80, 0x80, 0x80, 0x78], true),
        (&[0x80, 0x80, 0x80, 0x80, 0x08], false),
        (&[0xFF, 0xFF, 0xFF, 0xFF, 0x77], false),
        (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x00], false),
        (
            &[
                0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00,
            ],
            false,
        ),
    ];
    let cases = [0, 1].map(|tensor| (tensor, &i16s[..]));
    for (tensor, integers) in cases.into_iter().chain([(2, &i32s[..])]) {
        for (bytes, fits) in integers {
            assert_eq!(
                victim.accepts_integers(tensor, 1, bytes),
                *fits,
                "{bytes:x?}"
            );
        }
        // One integer too few, one too many, none at all.
        assert!(!victim.accepts_integers(tensor, 2, &[0]));
        assert!(!victim.accepts_integers(tensor, 1, &[0, 0]));
        assert!(!victim.accepts_integers(tensor, usize::MAX, &[]));
        // The last integer goes on beyond its block.
        assert!(!victim.accepts_integers(tensor, usize::MAX, &[0x80]));
    }
}
