//! Which network a file holds, and the spec that is written for it where the project has none.

use std::path::Path;
use std::{env, fs, process};

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::schema::without_schema;
use nnue_compiler::{analyse, spec_of};
use nnue_further_tests::{sfnnv4, sfnnv5, sfnnv13, small128};
use nnue_runtime::file::{Identity, identify, identify_file};
use nnue_runtime::{Accumulator, Architecture, Board, Level, LoadError, Network, Warning};
use nnue_test_support::generations::{
    Affine, Block, Encoding, GENERATIONS, Generation, HM256, Tensor,
};
use nnue_test_support::goldens::golden_positions;
use nnue_test_support::net_file::{net_file, verify};
use nnue_test_support::nets::{self, NETS};
use nnue_test_support::synthetic::{net_of, synthetic_net};

/// The network of [`HM256`], from the spec that was written for it.
mod hm256 {
    nnue_runtime::nnue_net!("../specs/hm256.toml");
}

/// How a net of each generation is identified.
const IDENTITIES: [(&str, Identity); 19] = [
    ("v1", spec("SFNNv1")),
    ("v2", spec("SFNNv2")),
    ("v3", spec("SFNNv3")),
    ("v4", spec("SFNNv4")),
    ("v5", spec("SFNNv5")),
    ("v6", spec("SFNNv6")),
    ("v7", spec("SFNNv7")),
    ("v8", spec("SFNNv8")),
    ("v9", spec("SFNNv9")),
    ("small128", spec("small128")),
    ("v10", spec("SFNNv10")),
    ("v11", spec("SFNNv11")),
    ("v12", spec("SFNNv12")),
    ("v13", spec("SFNNv13")),
    ("v14", spec("SFNNv14")),
    ("v14b", spec("SFNNv14b")),
    ("v15", spec("SFNNv15")),
    ("v16", spec("SFNNv16")),
    ("v17", spec("SFNNv17")),
];

const fn spec(name: &'static str) -> Identity {
    Identity::Spec { name }
}

fn identity_of(generation: &str) -> Identity {
    let found = IDENTITIES.iter().find(|(name, _)| *name == generation);
    found.unwrap_or_else(|| panic!("no {generation}")).1
}

/// A file that is removed when this is dropped.
struct TemporaryFile(std::path::PathBuf);

impl TemporaryFile {
    fn new(name: &str, content: &[u8]) -> TemporaryFile {
        let path = env::temp_dir().join(format!("nnue-identify-{}-{name}", process::id()));
        fs::write(&path, content).unwrap();
        TemporaryFile(path)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // A file left behind is no reason to fail.
        let _ = fs::remove_file(&self.0);
    }
}

/// Generations whose nets have 90 MB and more.
fn is_large(generation: &Generation) -> bool {
    generation
        .transformer
        .iter()
        .flat_map(|block| block.tensors)
        .any(|tensor| matches!(tensor, Tensor::PairWeights(_)))
}

fn check_identity(generation: &Generation) {
    let net = synthetic_net(generation.name);
    let expected = identity_of(generation.name);
    assert_eq!(identify(&net), expected, "{}", generation.name);
}

#[test]
fn every_generation_is_supplied_from_the_others() {
    for generation in GENERATIONS
        .iter()
        .filter(|generation| !is_large(generation))
    {
        check_identity(generation);
    }
}

#[test]
fn headers_name_the_generations_that_share_them() {
    for generation in &GENERATIONS {
        let header = [generation.version, generation.header_hash()].map(u32::to_le_bytes);
        let identity = identify(header.as_flattened());
        let Identity::Spec { name } = identity_of(generation.name) else {
            panic!("{} has no spec", generation.name);
        };
        assert!(identity.specs().any(|spec| spec == name), "{name}");
        assert!(identity.to_string().contains(name), "{name}");
    }
}

#[test]
#[ignore = "generates 800 MB; run with --include-ignored"]
fn whole_nets_of_later_generations_are_told() {
    for generation in GENERATIONS.iter().filter(|generation| is_large(generation)) {
        check_identity(generation);
    }
}

/// SFNNv13 since March 2026.
fn late_v13() -> Generation {
    Generation {
        feature_hash: Generation::named("v14").unwrap().feature_hash,
        ..Generation::named("v13").unwrap().clone()
    }
}

#[test]
#[ignore = "generates a net of 90 MB; run with --include-ignored"]
fn whole_nets_of_late_v13_lead_to_its_spec() {
    const ADVICE: &str = "needs the spec of SFNNv13 with `transformer_hash = 0x6165DDC9`";
    let net = net_of(&late_v13());
    let identity = identify(&net);
    assert!(identity.to_string().ends_with(ADVICE), "{identity}");
    let by_hand = include_str!("../../../specs/sfnnv13.toml");
    let hash = "transformer_hash = 0x8F2344B8";
    assert!(by_hand.contains(hash));
    let by_hand = by_hand.replace(hash, "transformer_hash = 0x6165DDC9");
    let network = |text| analyse(&SourceFile::new("spec.toml", text)).unwrap();
    let written = spec_of(&identity.family().unwrap(), "SFNNv13");
    assert_eq!(network(by_hand.clone()), network(written));
    verify(&network(by_hand), &net).unwrap();
    let error = sfnnv13::Network::from_bytes(&net).unwrap_err().to_string();
    assert!(
        error.contains("`transformer_hash` is 0x6165DDC9 in the file and 0x8F2344B8 in the spec ("),
        "{error}"
    );
}

#[test]
#[ignore = "needs the released nets: cargo run -p nnue-further-tests --bin fetch-nets"]
fn released_nets_are_told() {
    for net in NETS {
        let expected = identity_of(net.generation);
        let path = nets::cached(net.name).unwrap_or_else(|| panic!("{} is missing", net.name));
        assert_eq!(identify_file(&path).unwrap(), expected, "{}", net.name);
        assert_eq!(identify(&fs::read(path).unwrap()), expected, "{}", net.name);
    }
}

#[test]
fn the_committed_net_is_supplied() {
    let path = nets::cached("nn-37f18f62d772").unwrap();
    assert_eq!(identify_file(&path).unwrap(), spec("small128"));
}

#[test]
fn nets_of_another_network_with_the_same_header_are_warned_of() {
    let (v4, v5) = (synthetic_net("v4"), synthetic_net("v5"));
    let warnings = |warnings: Vec<Warning>| -> Vec<String> {
        let identity = |warning| match warning {
            Warning::LooksLike(network) => Some(network),
            _ => None,
        };
        warnings.into_iter().filter_map(identity).collect()
    };
    let as_v4 = |file| sfnnv4::Network::from_bytes(file).unwrap().report().warnings;
    let as_v5 = |file| sfnnv5::Network::from_bytes(file).unwrap().report().warnings;
    assert!(warnings(as_v4(&v4)).is_empty());
    assert_eq!(warnings(as_v5(&v4)), ["a net of SFNNv4"]);
    assert_eq!(warnings(as_v4(&v5)), ["a net of SFNNv5"]);
    assert!(warnings(as_v5(&v5)).is_empty());
}

/// The project's spec for a file, and the one that would be written for it.
fn specs_of(generation: &str) -> (String, String) {
    let Identity::Spec { name } = identity_of(generation) else {
        panic!("{generation} has no spec");
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let text = fs::read_to_string(folder.join(format!("{}.toml", name.to_lowercase()))).unwrap();
    let family = identity_of(generation).family().unwrap();
    (text, spec_of(&family, name))
}

#[test]
fn specs_are_written_as_the_project_writes_them() {
    for (generation, identity) in &IDENTITIES {
        if identity.family().is_none() {
            continue;
        }
        let (mut by_hand, written) = specs_of(generation);
        if ["v9", "small128"].contains(generation) {
            // The file does not say how the engine divides.
            by_hand = by_hand.replace("{ by = 16, of = \"each\" }", "16");
        }
        let network = |text| analyse(&SourceFile::new("spec.toml", text)).unwrap();
        assert_eq!(network(by_hand), network(written), "{generation}");
    }
}

/// Networks that nobody trained: generations in other sizes.
fn relatives() -> Vec<Generation> {
    const fn affine(inputs: usize, outputs: usize) -> Affine {
        Affine { inputs, outputs }
    }
    const COMPRESSED_HALF_KP: &[Block] = &[
        Block {
            encoding: Encoding::Leb128,
            tensors: &[Tensor::Biases],
        },
        Block {
            encoding: Encoding::Leb128,
            tensors: &[Tensor::Weights(41024)],
        },
    ];
    let like = |name, width, layers| Generation {
        name: "a relative",
        width,
        layers,
        ..Generation::named(name).unwrap().clone()
    };
    vec![
        HM256.clone(),
        // Raw where the engine's are compressed, and compressed where they are raw.
        like("v5", 256, [affine(256, 16), affine(30, 32), affine(32, 1)]),
        Generation {
            transformer: COMPRESSED_HALF_KP,
            ..like("v1", 128, [affine(256, 32), affine(32, 32), affine(32, 1)])
        },
        // Some of these have squares, which only the weights show, or the sizes.
        like("v4", 256, [affine(256, 16), affine(15, 32), affine(32, 1)]),
        like("v4", 128, [affine(128, 32), affine(31, 32), affine(32, 1)]),
        like("v6", 384, [affine(384, 32), affine(62, 32), affine(32, 1)]),
        like("v6", 128, [affine(128, 17), affine(32, 8), affine(8, 1)]),
        // This one has too few outputs to skip zeros.
        like("v6", 128, [affine(128, 4), affine(6, 16), affine(16, 1)]),
        like("v1", 64, [affine(128, 8), affine(8, 16), affine(16, 1)]),
        like("v2", 256, [affine(512, 16), affine(16, 32), affine(32, 1)]),
        like("v3", 192, [affine(384, 64), affine(64, 64), affine(64, 1)]),
        like("v10", 64, [affine(64, 16), affine(30, 32), affine(32, 1)]),
        like("v11", 32, [affine(32, 8), affine(14, 16), affine(16, 1)]),
        like("v12", 64, [affine(64, 16), affine(30, 32), affine(32, 1)]),
        like("v13", 32, [affine(32, 32), affine(62, 32), affine(32, 1)]),
        Generation {
            feature_hash: late_v13().feature_hash,
            ..like("v13", 64, [affine(64, 32), affine(62, 32), affine(32, 1)])
        },
        like("v14", 64, [affine(64, 32), affine(62, 32), affine(32, 1)]),
        like("v14b", 64, [affine(64, 32), affine(62, 32), affine(32, 1)]),
        like("v15", 64, [affine(64, 32), affine(64, 32), affine(128, 1)]),
        like("v16", 96, [affine(96, 64), affine(128, 32), affine(192, 1)]),
        like("v17", 64, [affine(64, 32), affine(64, 32), affine(128, 1)]),
        // Only their weights tell these two apart.
        like("v14b", 32, [affine(32, 8), affine(14, 8), affine(8, 1)]),
        like("v15", 32, [affine(32, 8), affine(16, 8), affine(32, 1)]),
        // Without threats.
        Generation {
            version: Generation::named("v15").unwrap().version,
            ..like("v6", 128, [affine(128, 16), affine(32, 32), affine(96, 1)])
        },
    ]
}

#[test]
fn specs_that_are_written_compile_and_fit_their_file() {
    for generation in relatives() {
        let net = net_of(&generation);
        let Identity::Relative(family) = identify(&net) else {
            panic!("{generation:?} is {}", identify(&net));
        };
        assert_eq!(family.width as usize, generation.width);
        let text = spec_of(&family, "a relative");
        let network = analyse(&SourceFile::new("spec.toml", text)).unwrap();
        verify(&network, &net).unwrap_or_else(|error| panic!("{family}: {error}"));
        // Because of padding, `verify` cannot see how many inputs there are.
        let inputs = |layer: usize| generation.layers[layer].inputs;
        let affine = network
            .layers
            .iter()
            .filter(|layer| layer.name.starts_with("fc_"));
        assert!(
            affine
                .map(|layer| layer.input_len())
                .eq([0, 1, 2].map(inputs)),
            "{family}"
        );
    }
}

/// Tables of threats leave no trace in the header, nor do the inputs of the last layer: these nets
/// have the header of the other one's spec.
#[test]
fn errors_of_order_say_what_the_file_is() {
    for (mine, others, other) in [
        (
            "v11",
            "v12",
            "`transformer.weights_0` has 60144 features (those of `targets = \"sfnnv12\"`), \
             not 66864 as in the spec",
        ),
        (
            "v15",
            "v14b",
            "`fc_2.weights` has 1 to 32 inputs, not 96 as in the spec",
        ),
    ] {
        let narrow = |name: &str| {
            let generation = Generation::named(name).unwrap().clone();
            let [mut first, mut second, last] = generation.layers;
            // As many inputs as there are neurons whose squares they are, and as the neurons.
            let skips = if name == "v15" { 0 } else { 1 };
            (first.inputs, first.outputs) = (64, 16);
            second.inputs = 2 * (16 - skips);
            let last = match name {
                "v15" => Affine { inputs: 96, ..last },
                _ => last,
            };
            net_of(&Generation {
                width: 64,
                layers: [first, second, last],
                ..generation
            })
        };
        let family = identify(&narrow(mine)).family().unwrap();
        let text = spec_of(&family, "mine");
        let network = analyse(&SourceFile::new("spec.toml", text)).unwrap();
        let error = verify(&network, &narrow(others)).unwrap_err().to_string();
        let (_, change) = error.split_once("; the file fits if ").expect(&error);
        assert_eq!(change, other, "{error}");
    }
}

#[test]
fn the_committed_spec_is_the_one_that_is_written() {
    let family = identify(&net_of(&HM256))
        .family()
        .map(|family| spec_of(&family, "hm256"));
    assert_eq!(
        family.as_deref().map(without_schema),
        Some(include_str!("../../specs/hm256.toml"))
    );
}

#[test]
fn errors_of_the_loader_say_what_the_file_is() {
    let net = net_of(&HM256);
    let file = TemporaryFile::new("hm256", &net);
    let message = |result: Result<sfnnv5::Network, LoadError>| result.unwrap_err().to_string();
    let whole = "this is another network: width is 256 in the file and 1024 in the spec; \
                 `encoding` is \"leb128\" in the file and \"raw\" in the spec \
                 (the network hash at offset 4 is 0x1c103eb2, expected 0x1c102ef2 for SFNNv5)";
    assert_eq!(message(sfnnv5::Network::open(&file.0)), whole);
    assert_eq!(message(sfnnv5::Network::from_bytes(&net)), whole);
    // From a stream, only a few bytes are read.
    assert!(message(sfnnv5::Network::read(&*net)).ends_with("for SFNNv5"));
    let small = nets::load("nn-37f18f62d772").unwrap();
    assert_eq!(
        message(sfnnv5::Network::from_bytes(&small)),
        "this is a net of small128: width is 128 in the file and 1024 in the spec; \
         `encoding` is \"leb128\" in the file and \"raw\" in the spec \
         (the network hash at offset 4 is 0x1c103c92, expected 0x1c102ef2 for SFNNv5)"
    );
    assert_eq!(
        message(sfnnv5::Network::read(&*small)),
        "this is the beginning of a net of small128: \
         width is 128 in the file and 1024 in the spec \
         (the network hash at offset 4 is 0x1c103c92, expected 0x1c102ef2 for SFNNv5)"
    );
}

#[test]
fn errors_of_a_header_say_what_all_nets_with_it_differ_in() {
    fn message<A: Architecture>(generation: &Generation) -> String {
        let header = [generation.version, generation.header_hash()].map(u32::to_le_bytes);
        let refused = Network::<A>::from_bytes(header.as_flattened()).unwrap_err();
        let message = refused.to_string();
        let (_, identity) = message.split_once("this is ").expect(&message);
        let hash = identity.find(" (the network hash at offset 4 is ");
        identity[..hash.unwrap_or(identity.len())].to_string()
    }
    let named = |name| Generation::named(name).unwrap();
    assert_eq!(
        message::<sfnnv13::Net>(&late_v13()),
        "the beginning of a net of SFNNv14 or late SFNNv13: \
         `transformer_hash` is 0x6165DDC9 in the file and 0x8F2344B8 in the spec"
    );
    assert_eq!(
        message::<sfnnv5::Net>(named("v11")),
        "the beginning of a net of SFNNv10, SFNNv11 or SFNNv12"
    );
    assert_eq!(
        message::<sfnnv13::Net>(named("v12")),
        "the beginning of a net of SFNNv10, SFNNv11 or SFNNv12: \
         number of outputs of the first layer is 16 in the file and 32 in the spec"
    );
    assert_eq!(
        message::<sfnnv5::Net>(named("v13")),
        "the beginning of a net of SFNNv13: \
         number of outputs of the first layer is 32 in the file and 16 in the spec; \
         number of `i8` rows is 60144 (sfnnv12) in the file and 0 in the spec"
    );
    assert!(
        message::<sfnnv13::Net>(named("v9"))
            .contains("number of `i8` rows is 0 in the file and 60144 (sfnnv12) in the spec")
    );
}

/// The value of a weight, which looks random.
fn weight(tensor: &str, index: usize) -> i32 {
    let most: i64 = match tensor {
        "transformer.biases" | "transformer.weights" => 30,
        "transformer.psqt" => 20_000,
        "fc_0.weights" => 60,
        _ if tensor.ends_with("biases") => 4_000,
        _ => 100,
    };
    let seed = tensor.len() as u64 * 1_000_003 + index as u64;
    let z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    ((z >> 33) as i64 % (2 * most + 1) - most) as i32
}

/// The neuron of the small network whose copy a neuron of the larger one is. A product multiplies
/// neurons that are half the width apart, so the copies are the second quarter and the fourth.
fn original(neuron: usize) -> Option<usize> {
    let (half, place) = (neuron / 128, neuron % 128);
    (place < 64).then_some(half * 64 + place)
}

/// A file of the spec of that text.
fn net_file_of(text: &str, value: impl Fn(&str, usize) -> i32) -> Vec<u8> {
    let network = analyse(&SourceFile::new("spec.toml", text)).unwrap();
    net_file(&network, "", value)
}

#[test]
fn a_network_is_what_it_was_when_neurons_are_added_that_never_fire() {
    let small = net_file_of(include_str!("../../../specs/small128.toml"), weight);
    let large = net_file_of(include_str!("../../specs/hm256.toml"), |tensor, index| {
        match tensor {
            "transformer.biases" | "transformer.weights" => {
                original(index % 256).map_or(0, |neuron| weight(tensor, index / 256 * 128 + neuron))
            }
            // These weights read the products of both perspectives, half as many as there are
            // neurons.
            "fc_0.weights" => match index % 128 {
                place @ ..64 => weight(tensor, index / 128 * 64 + place),
                new => weight("new", new),
            },
            _ => weight(tensor, index),
        }
    });
    let mut small = small128::Network::from_bytes(&small).unwrap();
    let mut large = hm256::Network::from_bytes(&large).unwrap();
    let goldens = golden_positions("synthetic/small128").unwrap();
    let mut outputs = Vec::new();
    for level in Level::available() {
        (small, large) = (small.with_level(level), large.with_level(level));
        for golden in &goldens {
            let board = Board::from_fen(&golden.fen).unwrap();
            let expected = small.evaluate(&Accumulator::new(&small, &board), &board);
            let found = large.evaluate(&Accumulator::new(&large, &board), &board);
            assert_eq!(
                (found.psqt, found.positional),
                (expected.psqt, expected.positional),
                "{} at {level}: {}",
                hm256::Net::NAME,
                golden.fen
            );
            outputs.push(found.positional);
        }
    }
    // The values must differ: the networks are not equal only because everything is clipped.
    outputs.sort_unstable();
    outputs.dedup();
    assert!(outputs.len() > goldens.len() / 2, "{}", outputs.len());
}
