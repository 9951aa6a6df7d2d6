//! Net files under test: one for each format, with few rows so that a file is small.

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::{FileLayout, Format, LoadError, Loaded, identify, split, store};
use nnue_compiler::network::Network;
use nnue_compiler::{analyse, file_layout};
use nnue_interpreter::Net;
use nnue_runtime::Board;

/// The longest message that an error may have, in bytes.
const LONGEST_MESSAGE: usize = 2_000;

macro_rules! specs {
    ($($path:literal,)*) => {
        /// Specs of every format, and of every form of weights in memory.
        const SPECS: &[&str] = &[$(include_str!(concat!("../../tests/specs/", $path))),*];
    };
}

specs! {
    "formats/stockfish.toml",
    "formats/leb128.toml",
    "formats/quantised.toml",
    "formats/listed.toml",
    "formats/raw.toml",
    "formats/weights.toml",
    "formats/tensors.toml",
    "formats/bare.toml",
    "formats/clamped.toml",
    "formats/grouped.toml",
    "formats/blocks.toml",
    "formats/header.toml",
    "formats/stacks.toml",
    "formats/grouped_stacks.toml",
    "features/float_truncated.toml",
    "layers/signed_inputs.toml",
    "layers/binary_parts.toml",
}

/// A network, a right file of it, and the memory into which files are loaded.
pub struct NetUnderTest {
    network: Network,
    /// What a file must contain, and where its tensors lie.
    pub layout: FileLayout,
    /// A right file, whose weights are zeros.
    pub file: Vec<u8>,
    memory: Vec<u8>,
}

/// All of them.
#[must_use]
pub fn all() -> Vec<NetUnderTest> {
    SPECS.iter().map(|spec| NetUnderTest::new(spec)).collect()
}

impl NetUnderTest {
    fn new(spec: &str) -> NetUnderTest {
        let spec = spec
            .replace("set = \"A\"", "set = \"Custom\"\nrows = 12\nactive = 4")
            .replace("width = 64\n", "width = 2\n");
        let network = analyse(&SourceFile::new("spec.toml", spec));
        let network = network.unwrap_or_else(|errors| panic!("{errors}"));
        let layout = file_layout(&network);
        let memory = vec![0; layout.memory_len()];
        let loaded = Loaded {
            description: b"a net".to_vec(),
            order: match layout.format {
                Format::Named => (0..layout.sections.len()).collect(),
                _ => Vec::new(),
            },
            skipped: vec![7; 1 << 10],
            ..Loaded::default()
        };
        let file = stored(&layout, &memory, &loaded);
        NetUnderTest {
            network,
            layout,
            file,
            memory,
        }
    }

    fn load(&mut self, file: &[u8]) -> Result<Loaded, LoadError> {
        split(&self.layout, file)?.load(&[0], &mut self.memory)
    }

    /// Checks that a file is refused with a message that can be shown, or that it is written as a
    /// file that loads as the same, and evaluates.
    ///
    /// # Panics
    ///
    /// If it is not so.
    pub fn check(&mut self, file: &[u8]) {
        let _ = identify(file).to_string();
        let loaded = match self.load(file) {
            Ok(loaded) => loaded,
            Err(error) => {
                let message = error.to_string();
                assert!(message.len() <= LONGEST_MESSAGE, "{message}");
                return;
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
        // The interpreter's own loader agrees, and any weights can be evaluated.
        let net = Net::from_bytes(&self.network, file).expect("the runtime loads it");
        if !self.network.features.iter().any(|set| set.is_told()) {
            let _ = net.evaluate(&Board::start(), 0);
        }
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
