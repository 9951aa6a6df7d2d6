//! Net files with random damage: the loader refuses them or gives them back, and never panics.
//!
//! `NNUE_MUTATIONS=1000000 cargo test --release -p nnue-compiler --test compiler mutated_nets::` tries a
//! million of them.

use fastrand::Rng;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::{FileLayout, Format, LoadError, Loaded, identify, split, store};
use nnue_compiler::{analyse, file_layout};

/// How many files are tried unless `NNUE_MUTATIONS` says otherwise.
const MUTATIONS: u64 = 4_000;

/// The longest message that an error may have, in bytes.
const LONGEST_MESSAGE: usize = 2_000;

/// Specs of every format, and of every form of weights in memory.
const SPECS: [&str; 17] = [
    include_str!("../../../tests/specs/formats/stockfish.toml"),
    include_str!("../../../tests/specs/formats/leb128.toml"),
    include_str!("../../../tests/specs/formats/quantised.toml"),
    include_str!("../../../tests/specs/formats/listed.toml"),
    include_str!("../../../tests/specs/formats/raw.toml"),
    include_str!("../../../tests/specs/formats/weights.toml"),
    include_str!("../../../tests/specs/formats/tensors.toml"),
    include_str!("../../../tests/specs/formats/bare.toml"),
    include_str!("../../../tests/specs/formats/clamped.toml"),
    include_str!("../../../tests/specs/formats/grouped.toml"),
    include_str!("../../../tests/specs/formats/blocks.toml"),
    include_str!("../../../tests/specs/formats/header.toml"),
    include_str!("../../../tests/specs/formats/stacks.toml"),
    include_str!("../../../tests/specs/formats/grouped_stacks.toml"),
    include_str!("../../../tests/specs/features/float_truncated.toml"),
    include_str!("../../../tests/specs/layers/signed_inputs.toml"),
    include_str!("../../../tests/specs/layers/binary_parts.toml"),
];

/// A network under test: a right file, and the memory into which files are loaded.
struct NetUnderTest {
    layout: FileLayout,
    file: Vec<u8>,
    memory: Vec<u8>,
}

impl NetUnderTest {
    fn new(spec: &str) -> NetUnderTest {
        // The network has fewer rows, because a file that is tried often must be small.
        let spec = spec
            .replace("set = \"A\"", "set = \"Custom\"\nrows = 12\nactive = 4")
            .replace("width = 64\n", "width = 2\n");
        let network = analyse(&SourceFile::new("spec.toml", spec));
        let layout = file_layout(&network.unwrap_or_else(|errors| panic!("{errors}")));
        let memory = vec![0; layout.memory_len()];
        let loaded = Loaded {
            description: b"a net".to_vec(),
            order: match layout.format {
                Format::Named => (0..layout.sections.len()).collect(),
                _ => Vec::new(),
            },
            skipped: vec![7; 1 << 16],
            ..Loaded::default()
        };
        let file = stored(&layout, &memory, &loaded);
        let mut net = NetUnderTest {
            layout,
            file,
            memory,
        };
        let file = net.file.clone();
        net.load(&file)
            .unwrap_or_else(|error| panic!("{}: {error}", net.layout.name));
        net
    }

    fn load(&mut self, file: &[u8]) -> Result<Loaded, LoadError> {
        split(&self.layout, file)?.load(&[0], &mut self.memory)
    }

    /// Loads a damaged file. If it is accepted, it must be written, and what was written must load
    /// as the same.
    fn check(&mut self, file: &[u8]) -> bool {
        let _ = identify(file).to_string();
        let loaded = match self.load(file) {
            Ok(loaded) => loaded,
            Err(error) => {
                let message = error.to_string();
                assert!(message.len() <= LONGEST_MESSAGE, "{message}");
                return false;
            }
        };
        let written = stored(&self.layout, &self.memory, &loaded);
        assert_eq!(written.len(), file.len());
        let memory = self.memory.clone();
        let again = self.load(&written);
        // Other numbers may have the same meaning.
        let again = again.map(|again| Loaded {
            clamped: loaded.clamped.clone(),
            ..again
        });
        assert_eq!(again.as_ref(), Ok(&loaded));
        assert!(memory == self.memory, "{}", self.layout.name);
        true
    }
}

fn stored(layout: &FileLayout, memory: &[u8], loaded: &Loaded) -> Vec<u8> {
    let mut file = Vec::new();
    let result = store::<()>(layout, &[0], memory, loaded, &mut |piece| {
        file.extend_from_slice(piece);
        Ok(())
    });
    assert_eq!(result, Ok(()));
    file
}

/// Damages a file in one way of many.
fn mutate(file: &mut Vec<u8>, random: &mut Rng) {
    const WORDS: [[u8; 4]; 6] = [
        [0; 4],
        [0xFF; 4],
        [0, 0, 0, 0x80],
        [0xFF, 0xFF, 0xFF, 0x7F],
        // Infinite, and no number.
        [0, 0, 0x80, 0x7F],
        [0, 0, 0xC0, 0x7F],
    ];
    let at = random.usize(..file.len());
    let end = (at + 1 + random.usize(..64)).min(file.len());
    match random.usize(..9) {
        0 => file.truncate(at),
        1 => drop(file.drain(at..end)),
        2 => {
            let run = file[at..end].to_vec();
            let to = random.usize(..file.len());
            file.splice(to..to, run);
        }
        3 => {
            let run: Vec<u8> = (0..1 + random.usize(..40)).map(|_| random.u8(..)).collect();
            file.splice(at..at, run);
        }
        4 => {
            file.splice(at..at, *b"COMPRESSED_LEB128");
        }
        5 => {
            let word = WORDS[random.usize(..WORDS.len())];
            let end = (at + 4).min(file.len());
            file[at..end].copy_from_slice(&word[..end - at]);
        }
        6 => file[at..end].fill_with(|| random.u8(..)),
        // The beginning of the file has the lengths and the names.
        7 => {
            let at = random.usize(..file.len().min(48));
            file[at] = random.u8(..);
        }
        _ => file[at] ^= 1 << random.usize(..8),
    }
    if file.is_empty() {
        file.push(0);
    }
}

#[test]
fn damaged_files_are_refused_or_come_back() {
    let count = std::env::var("NNUE_MUTATIONS").ok();
    let count = count.map_or(MUTATIONS, |count| {
        count
            .parse()
            .unwrap_or_else(|_| panic!("`NNUE_MUTATIONS` is `{count}`, expected a number"))
    });
    let mut nets = SPECS.map(NetUnderTest::new);
    let mut random = Rng::with_seed(20);
    let mut accepted = 0;
    for number in 0..count {
        let net = &mut nets[number as usize % SPECS.len()];
        let mut file = net.file.clone();
        for _ in 0..1 + random.usize(..3) {
            mutate(&mut file, &mut random);
        }
        accepted += u64::from(net.check(&file));
    }
    println!("{count} damaged files: {accepted} accepted");
    assert!(
        (count / 50..count * 3 / 4).contains(&accepted),
        "{accepted} of {count}"
    );
}
