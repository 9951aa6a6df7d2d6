//! Net files of all formats: reading and refusing them.

use std::fs;

use fastrand::Rng;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_interpreter::Net;
use nnue_runtime::Board;
use nnue_test_support::random_weights::{RandomWeights, Style};
use nnue_test_support::specs::specs_in;

/// The networks of the specs in a folder, without large ones: these would show the same, and take
/// longer.
fn small_networks(folder: &str) -> Vec<Network> {
    const WEIGHTS: usize = 1 << 21;
    let networks = specs_in(folder).into_iter().map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let spec = SourceFile::new(path.display().to_string(), text);
        analyse(&spec).unwrap_or_else(|errors| panic!("{errors}"))
    });
    let networks: Vec<Network> = networks
        .filter(|network| network.row_count() * network.transformer.width <= WEIGHTS)
        .collect();
    assert!(networks.len() > 5, "{folder}");
    networks
}

/// Whatever the format, the types, the order of axes and the padding.
#[test]
fn weights_are_read_as_they_were_written() {
    for folder in ["specs", "tests/specs", "tests/zoo/specs"] {
        for network in small_networks(folder) {
            // Sums of rows and virtual rows are compared with those of generated code.
            if network.virtual_row_count() > 0 {
                continue;
            }
            let name = &network.name;
            let weights = RandomWeights::draw(&network, Style::Extreme, 5);
            let file = weights.net_file();
            let read = Net::from_bytes(&network, &file);
            let read = read.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(read == weights.into_net(&file), "{name}");
        }
    }
}

/// Where a file is cut off, or goes on, or has other bytes, it is refused or read, and nothing
/// worse.
#[test]
fn no_file_makes_the_interpreter_panic() {
    let mut random = Rng::with_seed(3);
    for network in small_networks("tests/specs/formats") {
        let file = RandomWeights::draw(&network, Style::Small, 1).net_file();
        let name = &network.name;
        for len in (0..file.len()).step_by(file.len() / 40) {
            assert!(
                Net::from_bytes(&network, &file[..len]).is_err(),
                "{name}: {len} bytes"
            );
        }
        let longer = [&file[..], b"!"].concat();
        assert!(
            Net::from_bytes(&network, &longer).is_err(),
            "{name}: a byte more"
        );
        for _ in 0..40 {
            let mut file = file.clone();
            for _ in 0..=random.usize(..3) {
                let place = random.usize(..file.len());
                // Half of the time before the weights.
                let place = if random.usize(..2) == 0 {
                    place
                } else {
                    place % 100
                };
                file[place] = random.u8(..);
            }
            if let Ok(net) = Net::from_bytes(&network, &file) {
                let _ = net.evaluate(&Board::start(), random.usize(..9));
            }
        }
    }
}
