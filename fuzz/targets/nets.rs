//! Any bytes as a net file: the first chooses the network.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use nnue_fuzz::nets::{self, NetUnderTest};

thread_local! {
    static NETS: RefCell<Vec<NetUnderTest>> = RefCell::new(nets::all());
}

fuzz_target!(|bytes: &[u8]| {
    let Some((which, file)) = bytes.split_first() else {
        return;
    };
    NETS.with_borrow_mut(|nets| {
        let count = nets.len();
        nets[usize::from(*which) % count].check(file);
    });
});
