//! The interpreter against what the original engines computed, and against files that are not the network's.

use std::fs;
use std::path::{Path, PathBuf};

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_interpreter::{Evaluation, Net};
use nnue_runtime::{Board, Output, Position};
use nnue_tests::golden::{GoldenPosition, golden_positions};
use nnue_tests::random::Xorshift;
use nnue_tests::random_weights::{RandomWeights, Style};
use nnue_tests::synthetic::synthetic_net;

fn network(path: &str) -> Network {
    analyse_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
}

fn analyse_file(path: &Path) -> Network {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let spec = SourceFile::new(path.display().to_string(), text);
    analyse(&spec).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The specs in a folder and the folders in it.
fn specs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => specs(&path),
            false => vec![path],
        })
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect()
}

/// The networks of the specs in a folder, but for large ones: they would say nothing else, only later.
fn small_networks(folder: &str) -> Vec<Network> {
    const WEIGHTS: usize = 1 << 21;
    let specs = specs(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let networks = specs.iter().map(|path| analyse_file(path));
    let networks: Vec<Network> = networks
        .filter(|network| network.row_count() * network.transformer.width <= WEIGHTS)
        .collect();
    assert!(networks.len() > 5, "{folder}");
    networks
}

fn check_goldens(spec: &str, file: &[u8], goldens: &str) {
    let network = network(&format!("../specs/{spec}.toml"));
    let net = Net::from_bytes(&network, file).unwrap_or_else(|error| panic!("{spec}: {error}"));
    let goldens = golden_positions(goldens).unwrap_or_else(|error| panic!("{error}"));
    assert!(!goldens.is_empty());
    for golden in &goldens {
        check_golden(&net, golden);
    }
}

fn check_golden(net: &Net, golden: &GoldenPosition) {
    let (name, fen) = (&net.network().name, &golden.fen);
    let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!(
        net.bucket(board.occupied().len()),
        Some(golden.bucket),
        "{name}: {fen}"
    );
    let accumulators = net.accumulate(&net.active_rows(&board));
    for (bucket, (psqt, positional)) in golden.psqt.iter().zip(&golden.positional).enumerate() {
        let trace = net.trace(&accumulators, board.side_to_move(), bucket);
        let Evaluation::Value(output) = trace.evaluation else {
            panic!("{name} has three outputs");
        };
        let expected = Output {
            psqt: *psqt,
            positional: *positional,
            // The engine evaluates with one bucket.
            value: if bucket == golden.bucket {
                golden.engine
            } else {
                output.value
            },
        };
        assert_eq!(output, expected, "{name}, bucket {bucket} of {fen}");
    }
}

#[test]
fn a_released_net_is_what_its_engine_computes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/nets/nn-37f18f62d772.nnue");
    let file = fs::read(file).unwrap();
    check_goldens("small128", &file, "real/nn-37f18f62d772");
}

/// One of each kind: rows of HalfKP without PSQT, raw files with a skip, LEB128.
#[test]
fn synthetic_nets_are_what_their_engines_compute() {
    for (spec, generation) in [
        ("sfnnv1", "v1"),
        ("sfnnv2", "v2"),
        ("sfnnv4", "v4"),
        ("sfnnv5", "v5"),
        ("small128", "small128"),
    ] {
        let goldens = format!("synthetic/{generation}");
        check_goldens(spec, &synthetic_net(generation), &goldens);
    }
}

/// Whatever the format, the types, the order of axes and the padding.
#[test]
fn weights_are_read_as_they_were_written() {
    for folder in ["specs", "../specs", "zoo/specs"] {
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

/// Where a file is cut off, or goes on, or has other bytes, it is refused or read, and nothing worse.
#[test]
fn no_file_makes_the_interpreter_panic() {
    let mut random = Xorshift::new(3);
    for network in small_networks("specs/formats") {
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
            for _ in 0..=random.below(3) {
                let place = random.below(file.len());
                // Half of the time in what comes before the weights.
                let place = if random.below(2) == 0 {
                    place
                } else {
                    place % 100
                };
                file[place] = random.draw() as u8;
            }
            if let Ok(net) = Net::from_bytes(&network, &file) {
                let _ = net.evaluate(&Board::start(), random.below(9));
            }
        }
    }
}
