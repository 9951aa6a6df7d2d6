//! Does the work that is counted, so that a program around it can count:
//! `workload NETWORK FILE WORK PASSES`, or `workload make FILE` for SFNNv5's synthetic net.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match done(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn done(arguments: &[&str]) -> Result<(), String> {
    match arguments {
        #[cfg(not(target_family = "wasm"))]
        ["make", file] => {
            let net = nnue_test_support::synthetic::synthetic_net("v5");
            std::fs::write(file, net).map_err(|error| format!("{file}: {error}"))
        }
        [network, file, work, passes] => {
            let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
            let passes = passes.parse().map_err(|_| format!("`{passes}` passes"))?;
            let work = workload::Work::ALL.iter().find(|(name, _)| name == work);
            let (_, work) = work.ok_or("work is `search`, `refresh`, `forward` or `lines`")?;
            let sum = workload::run(network, &bytes, *work, passes)?;
            println!("{} {sum:016x}", nnue_runtime::Level::detect());
            Ok(())
        }
        _ => Err("expected NETWORK FILE WORK PASSES, or `make` FILE".into()),
    }
}
