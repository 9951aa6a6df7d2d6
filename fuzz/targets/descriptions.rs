//! Any text as what `nnue describe` prints: what is read is written as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nnue_compiler::description::Description;

fuzz_target!(|text: &str| {
    let Ok(read) = serde_json::from_str::<Description>(text) else {
        return;
    };
    let written = serde_json::to_string(&read).expect("descriptions can be written");
    let again: Description = serde_json::from_str(&written).expect("its own text is read");
    // Numbers that are none differ from themselves, and JSON has none of them.
    assert_eq!(again, read);
});
