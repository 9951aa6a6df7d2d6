//! Net files of all formats, and what must hold of any file that is loaded as one of them. The fuzz
//! targets of `fuzz/` compile this file too.

use nnue_compiler::explain::{explain, identify};
use nnue_compiler::file_layout;
use nnue_compiler::format::attached::detach;
use nnue_compiler::format::{FileLayout, Format, LoadError, Loaded, split, store};
use nnue_compiler::network::Network;

/// The longest message that an error may have, in bytes.
const LONGEST_MESSAGE: usize = 2_000;

/// Specs of every format, and of every form of weights in memory.
const SPECS: [&str; 18] = [
    include_str!("../../../tests/specs/formats/stockfish.toml"),
    include_str!("../../../tests/specs/formats/leb128.toml"),
    include_str!("../../../tests/specs/formats/kept.toml"),
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

/// The specs, with few rows, because a file that is tried often must be small.
pub(crate) fn specs() -> impl Iterator<Item = String> {
    SPECS.iter().map(|spec| {
        spec.replace("set = \"A\"", "set = \"Custom\"\nrows = 12\nactive = 4")
            .replace("width = 64\n", "width = 2\n")
    })
}

/// A network under test: a right file, and the memory into which files are loaded.
pub(crate) struct NetUnderTest {
    pub(crate) layout: FileLayout,
    pub(crate) file: Vec<u8>,
    memory: Vec<u8>,
}

impl NetUnderTest {
    /// The network with a file whose header, where it has no meaning, has `header` bytes.
    pub(crate) fn new(network: &Network, header: usize) -> NetUnderTest {
        let layout = file_layout(network);
        let memory = vec![0; layout.memory_len()];
        let loaded = Loaded {
            description: b"a net".to_vec(),
            order: match layout.format {
                Format::Named => (0..layout.sections.len()).collect(),
                _ => Vec::new(),
            },
            skipped: vec![7; header],
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
    pub(crate) fn check(&mut self, file: &[u8]) -> bool {
        let _ = identify(file).to_string();
        let loaded = match self.load(file) {
            Ok(loaded) => loaded,
            Err(error) => {
                let message = explain(&self.layout, file, error).to_string();
                assert!(message.len() <= LONGEST_MESSAGE, "{message}");
                return false;
            }
        };
        let written = stored(&self.layout, &self.memory, &loaded);
        let (without_spec, _) = detach(file);
        assert_eq!(written.len(), without_spec.len());
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
