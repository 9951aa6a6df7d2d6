//! Nanoseconds to load a net: `cargo bench -p nnue-benches --bench load`.
//!
//! * `from_bytes`: from memory;
//! * `open`: from a file that the system has in its cache.
//!
//! Nets are the released ones where they have been fetched, otherwise synthetic ones of the same
//! format and of about the same size. Freeing a network is not measured.

mod times;

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::{env, fs, process};

use nnue_further_tests as networks;
use nnue_test_support::nets;
use nnue_test_support::synthetic::synthetic_net;

use times::Bench;

const SAMPLES: usize = 25;

fn main() {
    times::heading();
    run();
    for net in NETS.iter().filter_map(|net| net.get()) {
        println!("{}, {} bytes", net.title, net.bytes.len());
        net.remove();
    }
}

/// A net file, in memory and where it can be opened.
struct Net {
    title: String,
    bytes: Vec<u8>,
    path: PathBuf,
    is_temporary: bool,
}

impl Net {
    fn new(released: Option<&str>, generation: &str) -> Net {
        if let Some(path) = released.and_then(nets::cached) {
            return Net {
                title: format!("{generation}: {}", path.display()),
                bytes: fs::read(&path).expect("nets in the cache can be read"),
                path,
                is_temporary: false,
            };
        }
        let bytes = synthetic_net(generation);
        let path = env::temp_dir().join(format!("nnue-load-{}-{generation}", process::id()));
        fs::write(&path, &bytes).expect("the folder for temporary files is writable");
        Net {
            title: format!("{generation}: a synthetic net, for no released one has been fetched"),
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

/// The benchmarks of each network.
macro_rules! benches {
    ($($module:ident: $released:expr, $generation:literal;)*) => {
        /// Those that were needed.
        static NETS: &[&OnceLock<Net>] = &[$(&$module::NET),*];

        $(mod $module {
            use super::*;

            pub(super) static NET: OnceLock<Net> = OnceLock::new();

            fn net() -> &'static Net {
                NET.get_or_init(|| Net::new($released, $generation))
            }

            pub(super) fn run() {
                let bench = |name| Bench::named([stringify!($module), name].join("::"));
                if let Some(bench) = bench("from_bytes") {
                    let net = net();
                    bench.run(SAMPLES, 1, || {
                        let bytes = black_box(&net.bytes);
                        networks::$module::Network::from_bytes(bytes).expect("it is sound")
                    });
                }
                if let Some(bench) = bench("open") {
                    let net = net();
                    bench.run(SAMPLES, 1, || {
                        let path = black_box(&net.path);
                        networks::$module::Network::open(path).expect("it is sound")
                    });
                }
            }
        })*

        fn run() {
            $($module::run();)*
        }
    };
}

benches! {
    sfnnv1: Some("nn-82215d0fd0df"), "v1";
    sfnnv2: Some("nn-26abeed38351"), "v2";
    sfnnv3: Some("nn-13406b1dcbe0"), "v3";
    sfnnv4: Some("nn-6877cd24400e"), "v4";
    sfnnv5: Some("nn-ad9b42354671"), "v5";
    sfnnv6: Some("nn-5af11540bbfe"), "v6";
    sfnnv7: None, "v7";
    sfnnv8: None, "v8";
    sfnnv9: Some("nn-1c0000000000"), "v9";
    sfnnv10: Some("nn-c288c895ea92"), "v10";
    sfnnv11: None, "v11";
    sfnnv12: None, "v12";
    sfnnv13: None, "v13";
    sfnnv14: None, "v14";
    sfnnv14b: None, "v14b";
    sfnnv15: None, "v15";
    sfnnv16: Some("nn-1a298aa575a0"), "v16";
    sfnnv17: None, "v17";
    small128: Some("nn-37f18f62d772"), "small128";
}
