//! Runs `Net::self_check()` of small networks that together use the kernels of every kind, and ends
//! with code 1 at the first mistake.

use std::process::ExitCode;
use std::time::Instant;

/// Compiles specs, and lists their checks.
macro_rules! networks {
    ($($net:ident: $path:literal;)*) => {
        $(mod $net {
            nnue_runtime::nnue_net!($path);
        })*

        const CHECKS: &[Check] = &[$((stringify!($net), $net::Net::self_check)),*];
    };
}

type Check = (
    &'static str,
    fn() -> Result<nnue_runtime::self_check::Checked, nnue_runtime::self_check::Mismatch>,
);

networks! {
    dual: "../specs/layers/dual.toml";
    words: "../specs/layers/words.toml";
    unpooled: "../specs/layers/unpooled.toml";
    binary_parts: "../specs/layers/binary_parts.toml";
    gates: "../specs/layers/gates.toml";
    shifted: "../specs/features/shifted.toml";
    paired_rows: "../specs/features/paired_rows.toml";
    scales: "../specs/layers/scales.toml";
}

fn main() -> ExitCode {
    let only: Vec<String> = std::env::args().skip(1).collect();
    for (name, check) in CHECKS {
        if !only.is_empty() && !only.iter().any(|own| own == name) {
            continue;
        }
        let start = Instant::now();
        match check() {
            Ok(checked) => println!("{checked}\n{:.1} s", start.elapsed().as_secs_f64()),
            Err(mismatch) => {
                println!("{mismatch}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
