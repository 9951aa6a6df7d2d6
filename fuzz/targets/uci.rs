//! Any lines to the example engine. Searches are short, hash tables small, threads few and files
//! none: what takes long is no mistake.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .take(30)
        .filter_map(|line| {
            let text = String::from_utf8_lossy(line).to_ascii_lowercase();
            let mut words = text.split_whitespace();
            match words.next() {
                // They search long, or read files.
                Some("bench" | "genfens") => None,
                Some("setoption")
                    if ["hash", "threads", "evalfile", "sharednet"]
                        .iter()
                        .any(|name| text.contains(name)) =>
                {
                    None
                }
                Some("go") => {
                    let rest: Vec<&str> = words.filter(|word| *word != "infinite").collect();
                    Some(format!("go nodes 50 {}", rest.join(" ")).into_bytes())
                }
                _ => Some(line.to_vec()),
            }
        });
    nnue_engine::uci::obey(lines, true).expect("an engine can be made");
});
