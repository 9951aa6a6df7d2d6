//! Programs for bullet, with bullet itself. It is not part of this project, so the test is ignored
//! unless it is asked for:
//!
//! ```text
//! git clone https://github.com/jw1912/bullet
//! BULLET=$PWD/bullet cargo test -p nnue-cli --test bullet_itself -- --ignored
//! ```
//!
//! Without a GPU, bullet builds with a device that computes nothing, but its compiler evaluates
//! graphs on the processor. So every program is compiled. Then the smaller ones compute random
//! networks and save them, and this project reads the files and has to find the same values.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nnue_compiler::format::Format;
use nnue_compiler::network::Network;
use nnue_interpreter::{UnroundedNet, active_rows};
use nnue_runtime::{Board, Color, Position};
use nnue_tools::export::bullet::program;

use crate::bullet::{POSITIONS, networks, rotates, unpacked};

/// Networks with more weights in the transformer than these are compiled, but not computed.
const MOST_WEIGHTS: usize = 12_000_000;

/// How far values may be apart, as a share of how far positions are: factors within a thousandth of
/// 1 are left out, and `f32` is rounded.
const ERROR: f64 = 0.003;

/// A network and its program.
struct Case {
    name: String,
    network: Network,
    text: String,
    file_len: Option<usize>,
}

#[test]
#[ignore = "needs a checkout of bullet, whose folder is in the variable BULLET"]
fn bullet_itself_computes_the_networks_and_saves_them() {
    let bullet = std::env::var_os("BULLET").expect("BULLET is the folder of a checkout of bullet");
    let bullet = PathBuf::from(bullet)
        .canonicalize()
        .expect("BULLET is a folder");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bullet_itself");
    let cases = cases();
    assert!(cases.len() > 100, "most specs have programs");
    write_package(&folder, &bullet, &cases);
    cargo(&folder, &["check"]);
    cargo(&folder, &["build", "--features", "computed"]);
    let numbered = cases.iter().enumerate();
    let computed: Vec<_> = numbered.filter(|(_, case)| case.is_computed()).collect();
    assert!(
        computed.len() > 50,
        "{} networks are computed",
        computed.len()
    );
    let problems = computed.into_iter().filter_map(|(number, case)| {
        let problem = check(&folder, number, case).err()?;
        Some(format!("{}: {problem}", case.name))
    });
    let problems: Vec<String> = problems.collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn cases() -> Vec<Case> {
    let networks = ["specs", "tests/specs"].into_iter().flat_map(networks);
    let cases = networks.filter_map(|(name, network)| {
        let program = program(&network).ok()?;
        Some(Case {
            name,
            network,
            text: program.text,
            file_len: program.file_len,
        })
    });
    cases.collect()
}

/// One package: each program is a module of it.
fn write_package(folder: &Path, bullet: &Path, cases: &[Case]) {
    let source = folder.join("src");
    fs::create_dir_all(&source).expect("folders can be written");
    let bullet = bullet.display();
    let manifest = format!(
        "[package]\nname = \"programs\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         bullet_lib = {{ path = '{bullet}/crates/bullet_lib' }}\n\
         bullet-trainer = {{ path = '{bullet}/crates/trainer' }}\n\
         bullet-compiler = {{ path = '{bullet}/crates/compiler' }}\n\n\
         [features]\ncomputed = []\n\n\
         [profile.dev]\ndebug = false\n\n\
         [profile.dev.package.bullet-compiler]\nopt-level = 2\n\n[workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("files can be written");
    fs::write(source.join("check.rs"), include_str!("bullet/check.rs"))
        .expect("files can be written");
    // Warnings of the programs are errors; without their training, they have what they do not use.
    let mut main = "#![cfg_attr(feature = \"computed\", allow(unused))]\n\
                    #![cfg_attr(not(feature = \"computed\"), deny(warnings))]\n\n\
                    #[cfg(feature = \"computed\")]\nmod check;\n"
        .to_string();
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        writeln!(main, "mod program_{number};").expect("it is a text");
        writeln!(
            calls,
            "        Some(\"{number}\") => program_{number}::main(),"
        )
        .expect("it is a text");
        let text = case.module(&folder.join(format!("net_{number}")));
        fs::write(source.join(format!("program_{number}.rs")), text).expect("files can be written");
    }
    write!(
        main,
        "\nfn main() {{\n    match std::env::args().nth(1).as_deref() {{\n{calls}        \
         _ => panic!(\"there is no such program\"),\n    }}\n}}\n"
    )
    .expect("it is a text");
    fs::write(source.join("main.rs"), main).expect("files can be written");
}

/// Runs cargo in the package.
fn cargo(folder: &Path, arguments: &[&str]) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(arguments)
        .args(["--quiet", "--target-dir", "target"])
        .current_dir(folder)
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

impl Case {
    fn is_computed(&self) -> bool {
        self.network.feature_count() * self.network.transformer.width <= MOST_WEIGHTS
    }

    /// The program with a check instead of the training.
    fn module(&self, folder: &Path) -> String {
        fs::create_dir_all(folder).expect("folders can be written");
        let between = |begin: &str, end: &str| {
            let rest = self.text.split_once(begin).map(|(_, rest)| rest);
            rest.and_then(|rest| rest.split_once(end))
                .map(|(found, _)| found)
        };
        let inputs = between(".inputs(", ")\n").expect("programs have inputs");
        let stack = match between(".output_buckets(", ")\n") {
            Some(buckets) => format!(
                "|position| bullet_lib::game::outputs::OutputBuckets::bucket(&{buckets}, position)"
            ),
            None => "|_| 0".into(),
        };
        let parameters: Vec<String> = self
            .parameters()
            .into_iter()
            .map(|(id, (ones, most))| format!("({id:?}, &{ones:?}, {most:?})"))
            .collect();
        let check = format!(
            "#[cfg(feature = \"computed\")]\n    crate::check::Check {{ folder: {folder:?}, \
             fens: &{POSITIONS:?}, parameters: &[{}] }}\n    \
             .run(&mut trainer, {inputs}, {stack});\n    \
             #[cfg(feature = \"computed\")]\n    return;\n    \
             #[cfg(not(feature = \"computed\"))]\n    trainer.run(",
            parameters.join(", ")
        );
        let text = self.text.replacen("fn main()", "pub fn main()", 1);
        let text = text.replacen("trainer.run(", &check, 1);
        assert!(
            text.contains("crate::check::Check"),
            "{} has a training",
            self.name
        );
        text
    }

    /// By what each parameter times them is whole, output by output, and its largest size: as its
    /// entry in the program says, so that saving it rounds nothing.
    fn parameters(&self) -> BTreeMap<String, (Vec<f64>, f64)> {
        let mut parameters = BTreeMap::new();
        for entry in self.text.split("SavedFormat::id(\"").skip(1) {
            let entry = entry
                .split("SavedFormat")
                .next()
                .expect("there is a first part");
            let id = entry.split('"').next().expect("there is a first part");
            let numbers = |begin: &str| {
                let rest = entry.split_once(begin)?.1;
                let numbers = rest.split([')', ']']).next()?.split(", ");
                numbers
                    .map(|number| number.parse().ok())
                    .collect::<Option<Vec<f64>>>()
            };
            let mut kinds = ["i8", "i16", "i32"].into_iter();
            let quantised = kinds.find_map(|kind| numbers(&format!("quantise::<{kind}>(")));
            // Floating point is rounded, if at all, when the file is read.
            let ones = match (numbers("scaled(weights, &["), quantised) {
                (_, None) => vec![16384.0],
                (Some(ones), _) | (None, Some(ones)) => ones,
            };
            let size: f64 = if id.starts_with("l0") { 0.1 } else { 0.4 };
            // Some of them are not to be zero.
            let size = ones.iter().fold(size, |size, one| size.max(2.0 / one));
            // What the program itself allows.
            let limit = self.text.split_once(&format!("        ({id:?}, "));
            let limit = limit.and_then(|(_, rest)| rest.split(')').next()?.parse().ok());
            let most = limit.map_or(size, |limit: f64| size.min(limit));
            parameters.insert(id.to_string(), (ones.clone(), most));
            if let Some((_, rest)) = entry.split_once("store.get(\"") {
                let common = rest.split('"').next().expect("there is a first part");
                parameters.insert(common.to_string(), (ones, most));
            }
        }
        parameters
    }
}

/// Runs a program, and compares what it computed with what this project finds in its file.
fn check(folder: &Path, number: usize, case: &Case) -> Result<(), String> {
    let network = unpacked(&case.network);
    let output = Command::new(folder.join("target/debug/programs"))
        .arg(number.to_string())
        .output()
        .expect("the programs start");
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(errors.into());
    }
    let printed = String::from_utf8(output.stdout).expect("it is text");

    let files = folder.join(format!("net_{number}"));
    let is_named = network.file.format == Format::Named;
    let file = if is_named {
        "parameters.bin"
    } else {
        "quantised.bin"
    };
    let mut bytes = fs::read(files.join(file)).expect("bullet has saved the net");
    if let Some(len) = case.file_len {
        // As the program does where the file has no padding.
        if bytes.len() != len.next_multiple_of(64) {
            return Err(format!(
                "{} bytes instead of {len} and padding",
                bytes.len()
            ));
        }
        bytes.truncate(len);
    }
    let net = UnroundedNet::from_bytes(&network, &bytes).map_err(|error| error.to_string())?;
    let scale = eval_scale(&case.text);
    let mut values = Vec::new();
    for (fen, line) in POSITIONS.iter().zip(printed.lines()) {
        let position = Board::from_fen(fen).expect("it is a position");
        // Of these networks, bullet sees the mirror image of a position with black to move.
        if rotates(&network) && position.side_to_move() == Color::Black {
            continue;
        }
        let [results, own, opponents] = numbers(line);
        let mut expected = active_rows(&network, &position).map(|rows| {
            let mut rows: Vec<f64> = rows.into_iter().map(|row| row as f64).collect();
            rows.sort_by(f64::total_cmp);
            rows
        });
        if position.side_to_move() == Color::Black {
            expected.reverse();
        }
        if [sorted(own), sorted(opponents)] != expected {
            return Err(format!("other rows in {fen}"));
        }
        let pieces = position.occupied().into_iter().count();
        let stack = network
            .stacks
            .by_pieces
            .map_or(0, |table| table[pieces].into());
        let mut results: Vec<f64> = results.into_iter().map(|result| result * scale).collect();
        // bullet has loss, draw and win.
        results.reverse();
        values.push((results, net.trace(&position, stack).values));
    }
    let spread = spread(values.iter().map(|(_, expected)| expected[0]));
    let is_near = |(found, expected): &(Vec<f64>, Vec<f64>)| {
        let mut pairs = found.iter().zip(expected);
        found.len() == expected.len()
            && pairs.all(|(found, expected)| (found - expected).abs() < ERROR * spread)
    };
    match spread > 0.0 && values.iter().all(is_near) {
        true => Ok(()),
        false => Err(format!("bullet's values and those of its file: {values:?}")),
    }
}

/// The lists of numbers of a line.
fn numbers(line: &str) -> [Vec<f64>; 3] {
    let mut lists = line.split('[').filter_map(|list| {
        let list = list.split_once(']')?.0;
        Some(
            list.split(", ")
                .filter_map(|number| number.parse().ok())
                .collect(),
        )
    });
    std::array::from_fn(|_| lists.next().expect("there are three lists"))
}

fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers
}

/// How far apart numbers are.
fn spread(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    numbers.clone().fold(f64::MIN, f64::max) - numbers.fold(f64::MAX, f64::min)
}

fn eval_scale(text: &str) -> f64 {
    let (_, rest) = text
        .split_once("const EVAL_SCALE: f32 = ")
        .expect("programs have it");
    let number = rest.split(';').next().expect("there is a first part");
    number.parse().expect("it is a number")
}
