//! Any text as a spec.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nnue_fuzz::specs::examine;

fuzz_target!(|text: &str| {
    examine(text);
});
