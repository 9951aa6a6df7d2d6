//! Specs that are nearly right: known ones whose lines are left out, doubled, moved, or have the
//! value of another line or a number at a limit.

#![no_main]

use std::sync::LazyLock;

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use nnue_compiler::known_specs;
use nnue_fuzz::specs::examine;

#[derive(Arbitrary, Debug)]
enum Edit {
    LeaveOut {
        line: usize,
    },
    Double {
        line: usize,
        to: usize,
    },
    Move {
        line: usize,
        to: usize,
    },
    /// The value of a line that any spec has.
    Value {
        line: usize,
        from: usize,
    },
    /// Another number in the place of one.
    Number {
        line: usize,
        number: usize,
    },
    /// A line that any spec has.
    Insert {
        line: usize,
        from: usize,
    },
    /// The value of one element of a list or table.
    Swap {
        line: usize,
    },
}

/// Numbers at the borders of what keys allow, and of what integers hold.
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "8",
    "16",
    "32",
    "33",
    "64",
    "127",
    "128",
    "255",
    "256",
    "4096",
    "65536",
    "2147483647",
    "2147483648",
    "9223372036854775807",
    "-9223372036854775808",
];

/// Texts of the specs that networks are `like`.
static SPECS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut texts: Vec<String> = known_specs().map(|(_, text)| text.to_owned()).collect();
    texts.extend(OTHERS.map(str::to_owned));
    texts
});

/// Specs of other families, formats and layers.
const OTHERS: [&str; 8] = [
    include_str!("../../specs/bullet/simple.toml"),
    include_str!("../../specs/games/ataxx.toml"),
    include_str!("../../tests/specs/features/mixed.toml"),
    include_str!("../../tests/specs/features/factorised.toml"),
    include_str!("../../tests/specs/layers/signed_inputs.toml"),
    include_str!("../../tests/specs/layers/binary_parts.toml"),
    include_str!("../../tests/specs/formats/grouped_stacks.toml"),
    include_str!("../../tests/specs/formats/blocks.toml"),
];

static LINES: LazyLock<Vec<&str>> =
    LazyLock::new(|| SPECS.iter().flat_map(|text| text.lines()).collect());

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    let Ok(which) = bytes.arbitrary::<usize>() else {
        return;
    };
    let text = &SPECS[which % SPECS.len()];
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..8 {
        let Ok(edit) = bytes.arbitrary() else { break };
        apply(edit, &mut lines);
    }
    examine(&lines.join("\n"));
});

fn apply(edit: Edit, lines: &mut Vec<String>) {
    if lines.is_empty() {
        return;
    }
    let len = lines.len();
    match edit {
        Edit::LeaveOut { line } => drop(lines.remove(line % len)),
        Edit::Double { line, to } => lines.insert(to % len, lines[line % len].clone()),
        Edit::Move { line, to } => {
            let moved = lines.remove(line % len);
            lines.insert(to % len, moved);
        }
        Edit::Value { line, from } => {
            let other = LINES[from % LINES.len()];
            let line = &mut lines[line % len];
            if let (Some((key, _)), Some((_, value))) =
                (line.split_once('='), other.split_once('='))
            {
                *line = format!("{key}={value}");
            }
        }
        Edit::Number { line, number } => {
            let line = &mut lines[line % len];
            let from = line.find(|letter: char| letter.is_ascii_digit());
            if let Some(from) = from {
                let rest = line[from..].trim_start_matches(|letter: char| letter.is_ascii_digit());
                *line = format!("{}{}{rest}", &line[..from], NUMBERS[number % NUMBERS.len()]);
            }
        }
        Edit::Insert { line, from } => {
            lines.insert(line % len, LINES[from % LINES.len()].to_owned());
        }
        Edit::Swap { line } => {
            let line = &mut lines[line % len];
            if let Some((first, second)) = line.split_once(", ") {
                *line = format!("{second}, {first}");
            }
        }
    }
}
