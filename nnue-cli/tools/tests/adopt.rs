//! `adopt` on files of the field's networks with weights like trained ones: how often the
//! right spec is first.

mod trained;
mod written;

use std::path::Path;
use std::thread;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_compiler::network::file::Role;
use nnue_interpreter::Net;
use nnue_interpreter::dummy::net_file::nearest_net_file_of;
use nnue_test_support::engine_nets::engine_net;
use nnue_test_support::synthetic::xiangqi_net;
use nnue_tools::adopt::{Doubt, Ranking, facts, with_width};
use nnue_tools::nets::net_file::Recognised;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

fn network(text: &str) -> Network {
    analyse(&SourceFile::new("spec", text)).expect("the spec is right")
}

fn spec(name: &str) -> String {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    std::fs::read_to_string(specs.join(name)).expect("the spec can be read")
}

/// The engines whose networks are tried, by name.
fn engines() -> Vec<String> {
    // RubiChess is not among the networks of the field: its header says how it is built.
    const OTHERS: [&str; 3] = ["k32q2", "rubichess", "rubichess_march"];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/engines");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let names = files.map(|file| {
        let path = file.expect("the folder can be read").path();
        let name = path.file_stem().expect("a name").to_str();
        name.expect("names are ASCII").to_string()
    });
    let mut names: Vec<String> = names.filter(|name| !OTHERS.contains(&&**name)).collect();
    names.sort();
    names
}

/// The keys in which two networks differ, of those that a file can tell.
fn differences(one: &Network, other: &Network) -> Vec<&'static str> {
    let (one, other) = (facts(one), facts(other));
    let told = one.iter().filter(|fact| fact.told);
    let wrong = told.filter(|fact| !other.contains(fact));
    wrong.map(|fact| fact.key).collect()
}

/// The names and the texts of the specs of the files: those of the field with few neurons, and
/// what is made of bullet's examples.
fn files() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for name in [
        "simple",
        "output_buckets",
        "input_buckets",
        "multi_layer",
        "skip",
    ] {
        let text = spec(&format!("bullet/{name}.toml"));
        files.push((format!("bullet {name}"), with_width(&text, 32)));
    }
    for name in engines() {
        let text = spec(&format!("engines/{name}.toml"));
        // Few neurons suffice where there are many rows.
        let width = match &*name {
            // 64 buckets, and weights of floating point for white and for black.
            "minic" => 8,
            // Its products are those of blocks of 64.
            "velvet" => 64,
            _ if text.contains("Threats") => 16,
            _ => 32,
        };
        files.push((name, with_width(&text, width)));
    }
    const RAW: (&str, &str) = ("format = \"bullet\"", "format = \"bullet\"\nkind = \"raw\"");
    // What is added to specs in the short form.
    const STACKS: &str = "stacks.count = 8";
    const FOUR: (&str, &str) = ("count = 8", "count = 4");
    const INPUT_FIRST: (&str, &str) = (STACKS, "stacks.count = 8\nfile.transposed = false");
    const RAW_STACKS: (&str, &str) = (STACKS, "stacks.count = 8\nfile.kind = \"raw\"");
    const MIRROR: &str = "stacks.count = 8\nfeatures = [{ set = \"A\", mirror = \"a-d\" }]";
    const TABLE: &str = "[0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, \
                         9, 9, 9, 9, 9, 9, 9, 9]";
    for (base, width, changes) in [
        ("simple", 96, &[][..]),
        (
            "simple",
            64,
            &[("set = \"A\"", "set = \"A\"\nmirror = \"a-d\"")],
        ),
        (
            "simple",
            72,
            &[(
                "format = \"bullet\"",
                "format = \"bullet\"\ntail = \"zeros\"",
            )],
        ),
        (
            "simple",
            80,
            &[("\"screlu\"", "\"crelu\""), ("divide = 255", "")],
        ),
        ("output_buckets", 40, &[FOUR]),
        ("output_buckets", 48, &[INPUT_FIRST]),
        ("output_buckets", 64, &[(STACKS, MIRROR)]),
        ("input_buckets", 40, &[INPUT_FIRST]),
        ("input_buckets", 24, &[FOUR]),
        ("input_buckets", 48, &[("8, 8, 8, 8", "8, 8, 7, 7")]),
        ("input_buckets", 56, &[("9, 9, 9, 9", "8, 8, 8, 8")]),
        ("multi_layer", 48, &[("outputs = 16", "outputs = 8")]),
        (
            "multi_layer",
            64,
            &[(
                "transposed = [\"l1w\", \"l2w\", \"l3w\"]",
                "transposed = false",
            )],
        ),
        ("multi_layer", 32, &[("outputs = 32", "outputs = 16")]),
        ("simple", 32, &[RAW]),
        // As Frostburn, and as Smallbrain.
        (
            "simple",
            88,
            &[("\"screlu\"", "\"screlu\"\norder = \"interleaved\" #")],
        ),
        (
            "simple",
            104,
            &[
                ("\"screlu\"", "\"relu\"\nlimit = 32767 #"),
                ("divide = 255", ""),
                (
                    "format = \"bullet\"",
                    "format = \"tensors\"\ntensors = [\"transformer\", \"layers\"] #",
                ),
            ],
        ),
        ("output_buckets", 40, &[RAW_STACKS]),
        ("input_buckets", 24, &[RAW_STACKS]),
        (
            "multi_layer",
            16,
            &[("transposed = [\"l1w\", \"l2w\", \"l3w\"]", "kind = \"raw\"")],
        ),
    ] {
        let mut text = spec(&format!("bullet/{base}.toml")).replace("\"bullet10\"", TABLE);
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        files.push((
            format!("{base} {width} {changes:?}"),
            with_width(&text, width),
        ));
    }
    files
}

/// Weights that nobody trained leave only the size to tell.
#[test]
#[ignore = "large; run with --ignored"]
fn nets_of_todays_engines_are_found() {
    for engine in ["pzchessbot", "hobbes", "devre"] {
        let ranking = Ranking::of(&engine_net(engine), "Found");
        let text = spec(&format!("engines/{engine}.toml"));
        let right = network(&text);
        let mut guesses = ranking.guesses.iter();
        let is_found = guesses.any(|guess| differences(&right, &guess.network).is_empty());
        assert!(is_found, "{engine}");
        assert!(!ranking.likely, "{engine}: weights are random");
    }
}

/// What no key of its own says is noticed too: the order of tensors, a sign, the direction of the
/// board.
#[test]
fn weights_that_are_taken_for_others_are_doubted() {
    let text = with_width(&spec("bullet/simple.toml"), 16);
    let bytes = nearest_net_file_of(&network(&text), |weight| {
        let sign = if weight.column % 2 == 0 { 1.0 } else { -1.0 };
        match weight.role {
            Role::Weights(_) => {
                let (piece, square) = (weight.row / 64, weight.row % 64);
                let (side, rank) = if piece < 6 {
                    (1.0, square / 8)
                } else {
                    (-1.0, 7 - square / 8)
                };
                // Pawns are worth more the further they are.
                let value = [0.2 + 0.3 * rank as f64, 3.0, 3.0, 5.0, 9.0, 0.0][piece % 6];
                let bend = ((square % 8 + weight.column * (piece + 1)) as f64 / 3.0).sin();
                (sign * side * value * 2.0 + 3.0 * bend).round()
            }
            Role::Biases(_) => 110.0,
            Role::LayerWeights(_) => sign * if weight.column < 16 { 20.0 } else { -20.0 },
            _ => 0.0,
        }
    });
    let doubt = |text: &str| {
        let net = Net::from_bytes(&network(text), &bytes).expect("it fits in size");
        Doubt::of(&net, &bytes)
    };
    assert_eq!(doubt(&text), None);
    let format = "format = \"bullet\"";
    for (key, value, words) in [
        (
            format,
            "entries = [\"l0b\", \"l0w\", \"l1w\", \"l1b\"]",
            "what the spec takes them for",
        ),
        (
            format,
            "entries = [\"l0w\", \"l0b\", \"l1b\", \"l1w\"]",
            "what the spec takes them for",
        ),
        (
            format,
            "entries = [\"l1w\", \"l1b\", \"l0w\", \"l0b\"]",
            "what the spec takes them for",
        ),
        (format, "transposed = [\"l0w\", \"l1w\"]", "`transposed`"),
        ("set = \"A\"", "flip = \"none\"", "flip none"),
        ("set = \"A\"", "squares = \"a8\"", "squares from a8"),
    ] {
        let found = doubt(&text.replace(key, &format!("{key}\n{value}")));
        let found = found
            .unwrap_or_else(|| panic!("{value} is not doubted"))
            .to_string();
        assert!(found.contains(words), "{found}");
    }
    assert!(doubt(&text.replace("sum = \"l1\"", "sum = \"-l1\"")).is_some());
}

/// A header of another game tells the network, also within the zstd frame that Pikafish reads.
#[test]
fn nets_of_xiangqi_are_recognised() {
    for (name, has_psqt) in [("Xiangqi", true), ("Xiangqi without PSQT", false)] {
        let net = xiangqi_net(has_psqt);
        let packed = compress_to_vec(&net[..], CompressionLevel::Uncompressed);
        for bytes in [packed, net] {
            let found = Recognised::of(Path::new("net.nnue"), &bytes, "mine").expect("a known net");
            assert_eq!(found.file.network.name, name);
        }
    }
}

/// What the ranking of one file shows.
struct Trial {
    name: String,
    /// The facts of the first guess that are not those of the file.
    wrong: Vec<&'static str>,
    /// Those of them for which nobody is asked.
    unasked: Vec<&'static str>,
    /// The scores of the first two guesses.
    scores: [f64; 2],
    /// Whether the weights speak against the right spec.
    doubted: bool,
    /// Whether they speak against a wrong table of the king's buckets, where there is a table.
    noticed: Option<bool>,
}

impl Trial {
    fn of(name: &str, text: &str, seed: usize) -> Trial {
        let right = network(text);
        let bytes = trained::file(&right, seed as u64);
        let ranking = Ranking::of(&bytes, "Found");
        for guess in &ranking.guesses {
            assert_eq!(guess.network.name, "Found", "{}", guess.family);
        }
        let is_doubted = |network: &Network| {
            let net = Net::from_bytes(network, &bytes).expect("it fits in size");
            Doubt::of(&net, &bytes).is_some()
        };
        let noticed = name
            .starts_with("input_buckets")
            .then(|| is_doubted(&network(&text.replace("0, 1, 2, 3", "3, 2, 1, 0"))));
        let wrong = match ranking.guesses.first() {
            Some(guess) => differences(&right, &guess.network),
            None => vec!["nothing"],
        };
        let mut unasked = wrong.clone();
        unasked.retain(|key| ranking.questions.iter().all(|asked| asked.key != *key));
        let score = |guess: usize| ranking.guesses.get(guess).map(|guess| guess.evidence.score);
        Trial {
            name: name.to_string(),
            wrong,
            unasked,
            scores: [0, 1].map(|guess| score(guess).unwrap_or(0.0)),
            doubted: is_doubted(&right),
            noticed,
        }
    }
}

#[test]
fn the_right_spec_is_first() {
    let files = files();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let trials: Vec<Trial> = thread::scope(|scope| {
        let tried_by = |first| {
            let share = files.iter().enumerate().skip(first).step_by(threads);
            let trial = |(seed, (name, text)): (_, &(String, String))| Trial::of(name, text, seed);
            scope.spawn(move || share.map(trial).collect::<Vec<Trial>>())
        };
        // All threads must have started before the first is joined.
        let started: Vec<_> = (0..threads).map(tried_by).collect();
        let shares = started
            .into_iter()
            .map(|share| share.join().expect("it has not panicked"));
        shares.flatten().collect()
    });
    for Trial {
        name,
        wrong,
        scores: [first, next],
        ..
    } in &trials
    {
        println!("{name}: {first:.3}, then {next:.3}; wrong: {wrong:?}");
    }
    let first = trials.iter().filter(|trial| trial.wrong.is_empty()).count();
    let doubted = trials.iter().filter(|trial| trial.doubted);
    let doubted: Vec<&str> = doubted.map(|trial| &*trial.name).collect();
    let noticed: Vec<bool> = trials.iter().filter_map(|trial| trial.noticed).collect();
    let unasked = trials.iter().filter(|trial| !trial.unasked.is_empty());
    let unasked: Vec<_> = unasked.map(|trial| (&trial.name, &trial.unasked)).collect();
    println!(
        "the right spec is first for {first} of {} files",
        trials.len()
    );
    assert!(doubted.is_empty(), "{doubted:?}");
    assert!(
        !noticed.is_empty() && noticed.iter().all(|noticed| *noticed),
        "{noticed:?}"
    );
    assert!(trials.len() >= 40, "{} files", trials.len());
    assert!(
        10 * first >= 9 * trials.len(),
        "{first} of {}",
        trials.len()
    );
    assert!(unasked.is_empty(), "{unasked:?}");
}
