//! Any bytes as a net file: the first chooses the network.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nnue_fuzz::nets::check;

fuzz_target!(|bytes: &[u8]| {
    if let Some((which, file)) = bytes.split_first() {
        check(*which, |_| file.to_vec());
    }
});
