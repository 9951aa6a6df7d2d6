//! What loading a net costs in memory: little more than the file and the weights, for large files on
//! the disk little more than the weights, and very little for small files that claim to be large.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::PathBuf;
use std::{env, fs, process};

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_runtime::file::{identify, identify_file};
use nnue_runtime::{Architecture, LoadError, Network};
use nnue_test_support::net_file::random_net_file;
use nnue_test_support::synthetic::synthetic_net;
use nnue_tests::features::{bytes, king_buckets};
use nnue_tests::{sfnnv5, sfnnv9, small128};

/// The system's allocator, which counts the bytes that each thread has, and the most that it had at
/// once.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    // Without a destructor, so that the allocator may use it at any time.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let now = NOW.get() + bytes;
    NOW.set(now);
    PEAK.set(PEAK.get().max(now));
}

// SAFETY: every call is passed on as it is; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are those that the system asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Old and new memory may exist side by side.
        count(new_size as isize);
        // SAFETY: as above.
        let moved = unsafe { System.realloc(memory, layout, new_size) };
        count(-(layout.size() as isize));
        moved
    }
}

/// The most memory that this thread has had at once, in bytes, beyond what it had before.
fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.get();
    PEAK.set(before);
    let result = work();
    (result, (PEAK.get() - before) as usize)
}

/// A file that is removed when this is dropped.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(name: &str, content: &[u8]) -> TemporaryFile {
        let path = env::temp_dir().join(format!("nnue-tests-{}-{name}", process::id()));
        fs::write(&path, content).unwrap();
        TemporaryFile(path)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // A file left behind is no reason to fail.
        let _ = fs::remove_file(&self.0);
    }
}

/// What loading may take beside the file and the weights, in bytes.
const SMALL: usize = 100_000;

/// From how many bytes on a file is read while its weights are filled.
const LARGE: usize = 4 << 20;

/// A way to load a net.
type Load<A> = fn(&TemporaryFile, &[u8]) -> Result<Network<A>, LoadError>;

fn ways<A: Architecture>() -> [(&'static str, Load<A>); 3] {
    [
        ("open", |file, _| Network::open(&file.0)),
        ("read", |_, bytes| Network::read(bytes)),
        ("from_bytes", |_, bytes| Network::from_bytes(bytes)),
    ]
}

fn check_peak<A: Architecture>(content: &[u8]) {
    let file = TemporaryFile::new(A::NAME, content);
    let weights = size_of::<A::Weights>();
    let weights_and = |more: usize| weights + weights / 10 + SMALL + more;
    for (way, load) in ways::<A>() {
        let (net, peak) = peak(|| load(&file, content));
        let net = net.unwrap_or_else(|error| panic!("{}: {way}: {error}", A::NAME));
        assert!(net.to_bytes() == content, "{}: {way}", A::NAME);
        let most = match way {
            "from_bytes" => weights_and(0),
            "open" if content.len() >= LARGE => weights_and(0),
            "open" => weights_and(content.len()),
            // The length of a stream is not known, so its buffer grows by quarters, and moves each
            // time.
            _ => 5 * weights / 2,
        };
        assert!(
            peak <= most,
            "{}: {way} takes {peak} bytes for {weights} bytes of weights, expected at most {most}",
            A::NAME
        );
        assert!(peak >= weights, "{}: {way} is not counted: {peak}", A::NAME);
    }
}

#[test]
fn loading_raw_nets_takes_little_more_than_file_and_weights() {
    check_peak::<sfnnv5::Net>(&synthetic_net("v5"));
}

#[test]
fn loading_compressed_nets_takes_little_more_than_file_and_weights() {
    check_peak::<small128::Net>(&synthetic_net("small128"));
    check_peak::<sfnnv9::Net>(&synthetic_net("v9"));
}

/// Rows of bytes stay bytes in memory.
#[test]
fn rows_take_what_their_type_does() {
    const NEURONS: usize = 64;
    // Biases, layers and padding.
    const OTHERS: usize = 1024;
    let of_words = 22528 * NEURONS * 2;
    let of_psqt = (768 + 22528) * 4;
    check_size::<bytes::Net>(
        include_str!("../specs/features/bytes.toml"),
        768 * NEURONS + of_words + of_psqt,
        OTHERS,
    );
    check_size::<king_buckets::Net>(
        include_str!("../specs/features/king_buckets.toml"),
        4 * 768 * NEURONS,
        OTHERS,
    );
}

fn check_size<A: Architecture>(spec: &str, rows: usize, others: usize) {
    let weights = size_of::<A::Weights>();
    assert!(
        (rows..rows + others).contains(&weights),
        "{}: {weights} bytes of weights, {rows} of rows",
        A::NAME
    );
    let network = analyse(&SourceFile::new(A::NAME, spec)).expect("a spec without errors");
    check_peak::<A>(&random_net_file(&network, 5));
}

#[test]
fn telling_what_a_file_is_costs_nothing() {
    let net = synthetic_net("v5");
    let file = TemporaryFile::new("identity", &net);
    let (identity, from_bytes) = peak(|| identify(&net));
    assert_eq!((identity.specs().next(), from_bytes), (Some("SFNNv5"), 0));
    let (from_file, peak_of_file) = peak(|| identify_file(&file.0));
    assert_eq!(from_file.unwrap(), identity);
    assert!(peak_of_file < SMALL, "{peak_of_file} bytes");
    let (refused, peak_of_refused) = peak(|| Network::<small128::Net>::open(&file.0));
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("this is a net of SFNNv5: width")
    );
    assert!(peak_of_refused < SMALL, "{peak_of_refused} bytes");
}

#[test]
fn lengths_that_lie_cost_nothing() {
    let net = synthetic_net("small128");
    let first_block = net
        .windows(17)
        .position(|window| window == b"COMPRESSED_LEB128")
        .unwrap();
    // The file up to the length, and a few bytes more.
    let with_length = |offset: usize, length: u32| {
        let mut bytes = net[..offset + 100].to_vec();
        bytes[offset..offset + 4].copy_from_slice(&length.to_le_bytes());
        bytes
    };
    for length in [u32::MAX, i32::MAX as u32, 1 << 24] {
        for offset in [8, first_block + 17] {
            let content = with_length(offset, length);
            let file = TemporaryFile::new(&format!("hostile-{offset}-{length}"), &content);
            for (way, load) in ways::<small128::Net>() {
                let (net, peak) = peak(|| load(&file, &content));
                let error = net.expect_err("the length is wrong");
                assert!(peak < SMALL, "{way} takes {peak} bytes before `{error}`");
            }
        }
    }
}
