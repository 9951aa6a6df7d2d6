//! The machine code of the kernels: nothing is called, the instructions of each level are used and no others', and
//! what belongs in registers is there.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fs;
use std::sync::OnceLock;

use nnue_tests::fixtures::{Fixtures, run};

const NETS: [&str; 2] = ["sfnnv5", "small128"];

/// Networks with kernels of other kinds: 16-bit and floating-point layers, squares.
const OTHERS: [&str; 4] = ["berserk", "floating", "simple", "viridithas14"];

/// Those that skip zero inputs: others are too small for that.
const SKIPPING: [&str; 1] = ["sfnnv5"];

/// What must be in a level's kernels and what must not. An instruction is a mnemonic, or one with a register's prefix.
struct Level {
    name: &'static str,
    accumulate: &'static [&'static str],
    propagate: &'static [&'static str],
    /// What makes the list of blocks that are not zero, in nets that skip zeros.
    skip: &'static [&'static str],
    nowhere: &'static [&'static str],
}

const LEVELS: [Level; 5] = [
    Level {
        name: "scalar",
        accumulate: &["paddw", "psubw"],
        propagate: &[],
        skip: &[],
        // What every machine of this architecture has, and no more.
        nowhere: &["%ymm", "%zmm", "vpaddw"],
    },
    Level {
        name: "avx2",
        accumulate: &["vpaddw %ymm", "vpsubw %ymm"],
        propagate: &["vpmulhw %ymm", "vpackuswb %ymm", "vpmaddubsw %ymm"],
        skip: &["vmovmskps"],
        nowhere: &["%zmm", "%k", "vpdpbusd"],
    },
    Level {
        name: "avxvnni",
        accumulate: &["vpaddw %ymm", "vpsubw %ymm"],
        propagate: &["vpmulhw %ymm", "vpackuswb %ymm", "vpdpbusd %ymm"],
        skip: &["vmovmskps"],
        nowhere: &["%zmm", "%k", "vpmaddubsw"],
    },
    Level {
        name: "avx512",
        accumulate: &["vpaddw %zmm", "vpsubw %zmm"],
        propagate: &["vpmulhw %zmm", "vpackuswb %zmm", "vpmaddubsw %zmm"],
        skip: &["vpcompressd"],
        nowhere: &["vpdpbusd", "vpcompressw"],
    },
    Level {
        name: "avx512icl",
        accumulate: &["vpaddw %zmm", "vpsubw %zmm"],
        propagate: &["vpmulhw %zmm", "vpackuswb %zmm", "vpdpbusd %zmm"],
        skip: &["vpcompressw"],
        nowhere: &["vpmaddubsw", "vpcompressd"],
    },
];

/// A function of a generated module of kernels.
struct Function {
    net: &'static str,
    level: &'static str,
    name: String,
    /// Mnemonic and operands, one space between.
    instructions: Vec<String>,
}

impl Function {
    /// What it calls, or jumps to for good.
    fn calls(&self) -> impl Iterator<Item = &str> {
        self.instructions.iter().filter_map(|instruction| {
            let (mnemonic, target) = instruction.split_once(' ')?;
            let leaves = mnemonic.starts_with("call")
                || mnemonic.starts_with('j') && !target.starts_with(".L");
            leaves.then(|| {
                target
                    .trim_start_matches('*')
                    .split(['@', '('])
                    .next()
                    .unwrap_or(target)
            })
        })
    }

    fn contains(&self, wanted: &str) -> bool {
        let (mnemonic, register) = match wanted.split_once(' ') {
            Some((mnemonic, register)) => (Some(mnemonic), register),
            None if wanted.starts_with('%') => (None, wanted),
            None => (Some(wanted), ""),
        };
        self.instructions.iter().any(|instruction| {
            let (found, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
            mnemonic.is_none_or(|mnemonic| mnemonic == found) && operands.contains(register)
        })
    }

    /// Whether it keeps vectors on the stack.
    fn spills(&self) -> bool {
        self.instructions.iter().any(|instruction| {
            let stack = instruction.contains("(%rsp") || instruction.contains("(%rbp");
            stack
                && ["%xmm", "%ymm", "%zmm"]
                    .iter()
                    .any(|vector| instruction.contains(vector))
        })
    }
}

/// All functions of the modules of kernels of all networks.
fn functions() -> &'static [Function] {
    static FUNCTIONS: OnceLock<Vec<Function>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let fixtures = Fixtures::new(env!("CARGO_TARGET_TMPDIR"));
        let file = fixtures.scratch("machine-code.s");
        run(fixtures
            .cargo("rustc")
            .args(["--package=machine-code", "--lib", "--"])
            // Names that say which module a function is in, and are the same everywhere.
            .arg("-Csymbol-mangling-version=v0")
            .arg(format!("--emit=asm={}", file.display())));
        parse(&fs::read_to_string(file).unwrap())
    })
}

fn parse(assembly: &str) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    let mut inside = false;
    for line in assembly.lines() {
        if let Some(label) = line.strip_suffix(':') {
            if !label.starts_with('.') || label.starts_with(".Lfunc_end") {
                let function = kernel(label);
                inside = function.is_some();
                functions.extend(function);
            }
        } else if inside
            && let Some(instruction) = line.strip_prefix('\t')
            && !instruction.starts_with(['.', '#'])
            && let Some(function) = functions.last_mut()
        {
            let words = instruction
                .split_whitespace()
                .filter(|word| *word != "{vex}");
            function
                .instructions
                .push(words.collect::<Vec<_>>().join(" "));
        }
    }
    functions
}

/// The function of a symbol like `..6sfnnv54avx29propagate`: names behind their lengths.
fn kernel(symbol: &str) -> Option<Function> {
    for net in NETS.into_iter().chain(OTHERS) {
        for level in &LEVELS {
            let module = format!("{}{net}{}{}", net.len(), level.name.len(), level.name);
            if let Some((_, name)) = symbol.split_once(&module) {
                return Some(Function {
                    net,
                    level: level.name,
                    name: name
                        .trim_start_matches(|c: char| c.is_ascii_digit())
                        .to_owned(),
                    instructions: Vec::new(),
                });
            }
        }
    }
    None
}

/// The kernel of a level: one function, into which all others are inlined.
fn function(net: &str, level: &str, name: &str) -> &'static Function {
    functions()
        .iter()
        .find(|function| (function.net, function.level, &*function.name) == (net, level, name))
        .unwrap_or_else(|| panic!("no {net}::{level}::{name} in the assembly"))
}

#[test]
fn kernels_call_nothing() {
    for function in functions() {
        let name = (function.net, function.level, &*function.name);
        for callee in function.calls() {
            assert!(name.1 == "scalar", "{name:?} calls {callee}");
        }
    }
}

/// The portable level calls what is not worth inlining more than once, and nothing that could panic.
#[test]
fn scalar_kernels_call_only_their_own_and_memory_functions() {
    for function in functions()
        .iter()
        .filter(|function| function.level == "scalar")
    {
        for callee in function.calls() {
            let own = kernel(callee)
                .is_some_and(|callee| (callee.net, callee.level) == (function.net, function.level));
            assert!(
                own || ["memset", "memcpy"].contains(&callee),
                "{}::scalar::{} calls {callee}",
                function.net,
                function.name
            );
        }
    }
}

#[test]
fn every_level_uses_its_own_instructions() {
    for net in NETS {
        for level in &LEVELS {
            for (kernel, expected) in [
                ("accumulate", level.accumulate),
                ("propagate", level.propagate),
                ("propagate", level.skip),
            ] {
                let function = function(net, level.name, kernel);
                let wanted = expected != level.skip || SKIPPING.contains(&net);
                for instruction in expected {
                    assert_eq!(
                        function.contains(instruction),
                        wanted,
                        "`{instruction}` in {net}::{}::{kernel}",
                        level.name
                    );
                }
                for unwanted in level.nowhere {
                    assert!(
                        !function.contains(unwanted),
                        "found `{unwanted}` in {net}::{}::{kernel}",
                        level.name
                    );
                }
            }
        }
    }
}

#[test]
fn sums_stay_in_registers_while_rows_are_added() {
    for net in NETS {
        for level in LEVELS.iter().filter(|level| level.name != "scalar") {
            let spills = function(net, level.name, "accumulate").spills();
            assert!(!spills, "{net}::{}::accumulate", level.name);
        }
    }
}
