//! Weights in files that are mapped.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use nnue_runtime::__private::laid_out::{MapError, VERSION, WEIGHTS_OFFSET};
use nnue_runtime::{Level, Network, Storage};
use nnue_tests::{sfnnv1, small128};

use super::{NET, check};

type Small = Network<small128::Net>;

/// A file that is removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, bytes: &[u8]) -> Temporary {
        let path = env::temp_dir().join(format!("nnue-storage-{}-{name}", process::id()));
        fs::write(&path, bytes).expect("the folder for temporary files is writable");
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn laid_out(level: Level) -> Vec<u8> {
    let net = Small::from_bytes(NET).unwrap().with_level(level);
    let mut file = Vec::new();
    net.write_laid_out(&mut file).unwrap();
    file
}

fn map(path: &Path) -> Result<Small, MapError> {
    // SAFETY: the files of these tests are this process's own, which changes none that is mapped.
    unsafe { Network::map(path) }
}

#[test]
fn files_of_every_level_are_mapped_on_every_level() {
    for level in Level::available() {
        let file = Temporary::new(level.name(), &laid_out(level));
        let net = map(&file.0).unwrap();
        assert_eq!(net.storage(), Storage::Mapped);
        // What is written again is the file, from whatever level.
        let mut again = Vec::new();
        net.clone()
            .with_level(level)
            .write_laid_out(&mut again)
            .unwrap();
        assert!(again == fs::read(&file.0).unwrap(), "{level}");
        check(net);
        // SAFETY: as in `map`.
        check(unsafe { Small::map_checked(&file.0) }.unwrap());
    }
}

#[test]
fn a_map_outlives_its_file() {
    let file = Temporary::new("removed", &laid_out(Level::detect()));
    let net = map(&file.0).unwrap();
    drop(file);
    check(net);
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let whole = laid_out(Level::detect());
    let refused = |name: &str, bytes: &[u8]| {
        let file = Temporary::new(name, bytes);
        let error = map(&file.0).unwrap_err();
        println!("{name}: {error}");
        error
    };
    let expected = whole.len() as u64;
    let cut = refused("cut", &whole[..whole.len() - 1]);
    let found = expected - 1;
    assert_eq!(cut, MapError::Length { expected, found });
    let header_alone = refused("header", &whole[..4096]);
    let found = 4096;
    assert_eq!(header_alone, MapError::Length { expected, found });
    let longer = refused("longer", &[&whole[..], &[0]].concat());
    let found = expected + 1;
    assert_eq!(longer, MapError::Length { expected, found });
    let net = refused("net", NET);
    assert!(net.to_string().starts_with("found a net"), "{net}");
    assert!(matches!(refused("empty", b""), MapError::NotLaidOut { .. }));

    let mut newer = whole.clone();
    newer[16] += 1;
    let error = MapError::Version {
        found: VERSION + 1,
        expected: VERSION,
    };
    assert_eq!(refused("newer", &newer), error);
    let mut damaged = whole.clone();
    damaged[200] ^= 1;
    assert_eq!(refused("damaged", &damaged), MapError::DamagedHeader);

    let missing = map(Path::new("no/such/file")).unwrap_err();
    assert!(missing.to_string().starts_with("cannot map `no/such/file`"));
    let folder = map(&env::temp_dir()).unwrap_err();
    assert!(matches!(folder, MapError::Io { .. }), "{folder}");
}

#[test]
fn weights_of_another_network_are_refused() {
    let file = Temporary::new("other", &laid_out(Level::detect()));
    // SAFETY: as in `map`.
    let error = unsafe { Network::<sfnnv1::Net>::map(&file.0) }.unwrap_err();
    assert_eq!(
        error.to_string(),
        "found weights of small128, expected SFNNv1"
    );
}

#[test]
fn damaged_weights_are_found_where_they_are_looked_at() {
    let mut damaged = laid_out(Level::detect());
    damaged[WEIGHTS_OFFSET + 1_000_000] ^= 1;
    let file = Temporary::new("weights", &damaged);
    assert!(map(&file.0).is_ok());
    // SAFETY: as in `map`.
    let error = unsafe { Small::map_checked(&file.0) }.unwrap_err();
    assert_eq!(error, MapError::DamagedWeights);
}

#[test]
fn loading_such_a_file_says_how_it_is_used() {
    let file = Temporary::new("loaded", &laid_out(Level::detect()));
    let error = Small::open(&file.0).unwrap_err().to_string();
    assert!(error.contains("`Network::map`"), "{error}");
}

/// bullet's file begins with the rows, as memory does.
#[test]
#[cfg(unix)]
fn net_files_that_begin_with_their_rows_are_mapped_as_they_are() {
    use nnue_compiler::analyse;
    use nnue_compiler::diagnostics::SourceFile;
    use nnue_test_support::net_file::random_net_file;
    use nnue_tests::simple;

    let spec = SourceFile::new(
        "simple.toml",
        include_str!("../../specs/bullet/simple.toml"),
    );
    let network = analyse(&spec).unwrap_or_else(|errors| panic!("{errors}"));
    let bytes = random_net_file(&network, 5);
    let file = Temporary::new("simple.bin", &bytes);
    // SAFETY: as in `map`.
    let mut net = unsafe { Network::<simple::Net>::map(&file.0) }.unwrap();
    assert_eq!(net.storage(), Storage::Mapped);
    // SAFETY: as in `map`.
    let unchecked = unsafe { Network::<simple::Net>::map_checked(&file.0) }.unwrap_err();
    assert_eq!(unchecked, MapError::NoHash);
    let expected = super::values(&Network::<simple::Net>::from_bytes(&bytes).unwrap());
    assert!(
        expected.iter().any(|value| *value != expected[0]),
        "{expected:?}"
    );
    for level in Level::available() {
        net = net.with_level(level);
        assert_eq!(super::values(&net), expected, "{level}");
        assert!(net.to_bytes() == bytes, "{level}");
    }
    #[cfg(target_os = "linux")]
    {
        // 768 rows of 128 neurons; their whole pages are the file's.
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let of_file = |line: &&str| line.ends_with("simple.bin");
        let lines: Vec<&str> = maps.lines().filter(of_file).collect();
        let [line] = &*lines else { panic!("{lines:?}") };
        let (start, end) = line.split_once(' ').unwrap().0.split_once('-').unwrap();
        let [start, end] = [start, end].map(|place| u64::from_str_radix(place, 16).unwrap());
        assert_eq!(end - start, 768 * 128 * 2, "{line}");
        assert!(line.contains(" r--p "), "{line}");
    }

    // What is wrong is what is wrong with the net file.
    for (name, wrong) in [
        ("short", &bytes[..bytes.len() - 1]),
        ("rows", &bytes[..768 * 128 * 2]),
        ("empty.bin", &[]),
    ] {
        let file = Temporary::new(name, wrong);
        let error = Network::<simple::Net>::from_bytes(wrong).unwrap_err();
        // SAFETY: as in `map`.
        let refused = unsafe { Network::<simple::Net>::map(&file.0) }.unwrap_err();
        assert_eq!(refused, MapError::Load(error), "{name}");
    }
}
