//! Milliseconds to load a net: `cargo bench -p nnue-tests --bench load`.
//!
//! * `from_bytes`: from memory;
//! * `open`: from a file that the system has in its cache.
//!
//! Nets are the released ones where they have been fetched, otherwise synthetic ones of the same format and of about
//! the same size. Freeing a network is not measured.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs, process};

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use nnue_tests::nets;
use nnue_tests::networks;
use nnue_tests::synthetic::synthetic_net;

fn main() {
    for net in NETS {
        println!("{}, {} bytes", net.title, net.bytes.len());
    }
    divan::main();
    for net in NETS {
        net.remove();
    }
}

static NETS: [&LazyLock<Net>; 3] = [&SFNNV5, &SFNNV9, &SMALL128];
static SFNNV5: LazyLock<Net> = LazyLock::new(|| Net::new("nn-ad9b42354671", "v5"));
static SFNNV9: LazyLock<Net> = LazyLock::new(|| Net::new("nn-1c0000000000", "v9"));
static SMALL128: LazyLock<Net> = LazyLock::new(|| Net::new("nn-37f18f62d772", "small128"));

/// A net file, in memory and where it can be opened.
struct Net {
    title: String,
    bytes: Vec<u8>,
    path: PathBuf,
    is_temporary: bool,
}

impl Net {
    fn new(released: &str, generation: &str) -> Net {
        if let Some(path) = nets::cached(released) {
            return Net {
                title: format!("{generation}: the released {released}"),
                bytes: fs::read(&path).expect("nets in the cache can be read"),
                path,
                is_temporary: false,
            };
        }
        let bytes = synthetic_net(generation);
        let path = env::temp_dir().join(format!("nnue-load-{}-{generation}", process::id()));
        fs::write(&path, &bytes).expect("the folder for temporary files is writable");
        Net {
            title: format!("{generation}: a synthetic net, for {released} has not been fetched"),
            bytes,
            path,
            is_temporary: true,
        }
    }

    fn remove(&self) {
        if self.is_temporary {
            // A file left behind is no reason to fail.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The benchmarks of a network.
macro_rules! benches {
    ($module:ident, $net:ident) => {
        mod $module {
            use super::*;

            #[divan::bench(sample_size = 1, sample_count = 25)]
            fn from_bytes(bencher: Bencher) {
                let bytes = &$net.bytes;
                bencher
                    .counter(BytesCount::new(bytes.len()))
                    .bench_local(|| {
                        networks::$module::Network::from_bytes(black_box(bytes))
                            .expect("it is sound")
                    });
            }

            #[divan::bench(sample_size = 1, sample_count = 25)]
            fn open(bencher: Bencher) {
                let bytes = BytesCount::new($net.bytes.len());
                bencher.counter(bytes).bench_local(|| {
                    networks::$module::Network::open(black_box(&$net.path)).expect("it is sound")
                });
            }
        }
    };
}

benches!(sfnnv5, SFNNV5);
benches!(sfnnv9, SFNNV9);
benches!(small128, SMALL128);
