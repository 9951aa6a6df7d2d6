//! Compares the interface of each crate with `tests/api/CRATE.txt`, or writes that file: `check`
//! calls it. Of `CRATE=ITEM,ITEM`, these items are all that is compared.

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
    for argument in arguments {
        let (name, items) = argument.split_once('=').unwrap_or((&argument, ""));
        let json = Path::new(&documents).join(format!("{}.json", name.replace('-', "_")));
        let interface = Builder::from_rustdoc_json(json)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .omit_auto_derived_impls(true)
            .build()?
            .to_string();
        let interface = of_items(&interface, name, items);
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

/// The lines of an interface that are about some items of a crate, or all lines if none is named.
fn of_items(interface: &str, name: &str, items: &str) -> String {
    if items.is_empty() {
        return interface.to_string();
    }
    let start = format!("{}::", name.replace('-', "_"));
    let is_listed = |path: &str| {
        let end = path.find(|c: char| !c.is_alphanumeric() && c != '_');
        items
            .split(',')
            .any(|item| item == &path[..end.unwrap_or(path.len())])
    };
    // The first path is of what a line declares; an implementation is of one of its two types.
    let is_about = |line: &&str| {
        let mut paths = line.split(&start).skip(1);
        match line.starts_with("impl") {
            true => paths.any(is_listed),
            false => paths.next().is_some_and(is_listed),
        }
    };
    let lines = interface.lines().filter(is_about);
    lines.map(|line| format!("{line}\n")).collect()
}
