//! Compares the interface of each published crate with `tests/api/CRATE.txt`, or writes that file:
//! `check` calls it.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use public_api::Builder;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(mode), Some(documents)) = (arguments.next(), arguments.next()) else {
        return Err("expected `check` or `write`, the folder of rustdoc's JSON, and crates".into());
    };
    let mut code = ExitCode::SUCCESS;
    for name in arguments {
        let json = Path::new(&documents).join(format!("{}.json", name.replace('-', "_")));
        let interface = Builder::from_rustdoc_json(json)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .omit_auto_derived_impls(true)
            .build()?
            .to_string();
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{name}.txt"));
        if mode == "write" {
            fs::write(&golden, interface)?;
            continue;
        }
        let before = fs::read_to_string(&golden).unwrap_or_default();
        let lacks = |text: &str, line: &str| !text.lines().any(|other| other == line);
        for line in before.lines().filter(|line| lacks(&interface, line)) {
            println!("{name}: - {line}");
            code = ExitCode::FAILURE;
        }
        for line in interface.lines().filter(|line| lacks(&before, line)) {
            println!("{name}: + {line}");
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}
