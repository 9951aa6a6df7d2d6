//! Net files that are compressed with zstd: as a whole or behind their header, from the disk, from
//! memory, and embedded.

use std::fs;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::LoadError;
use nnue_further_tests::formats;
use nnue_interpreter::Net;
use nnue_runtime::{Architecture, Network};
use nnue_test_support::net_file::{random_net_file, verify};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// Its file is embedded: the field, and behind it what `zstd -19` made of the rest.
mod packed {
    nnue_runtime::nnue_net!("files/packed.toml", weights = "files/packed.net");
}

macro_rules! network {
    ($path:expr) => {
        analyse(&SourceFile::new($path, include_str!($path)))
            .unwrap_or_else(|errors| panic!("{errors}"))
    };
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

#[test]
fn packed_files_of_every_format_are_those_that_were_packed() {
    fn check<A: Architecture>(network: &nnue_compiler::network::Network, header: usize) {
        let raw = random_net_file(network, 4);
        let expected = Network::<A>::from_bytes(&raw).unwrap().to_bytes();
        let path =
            std::env::temp_dir().join(format!("nnue-zstd-{}-{}", A::NAME, std::process::id()));
        for start in [0, header] {
            let file = [&raw[..start], &pack(&raw[start..])].concat();
            let net = Network::<A>::from_bytes(&file).unwrap_or_else(|error| panic!("{error}"));
            assert!(net.to_bytes() == expected, "{}", A::NAME);
            assert!(Network::<A>::read(&file[..]).unwrap().to_bytes() == expected);
            fs::write(&path, &file).unwrap();
            let opened = Network::<A>::open(&path);
            let interpreted = Net::open(network, &path);
            fs::remove_file(&path).unwrap();
            assert!(opened.unwrap().to_bytes() == expected);
            assert!(interpreted.is_ok());
            assert_eq!(verify(network, &file), Ok(()));

            let cut = Network::<A>::from_bytes(&file[..file.len() - 9]).unwrap_err();
            assert!(matches!(cut, LoadError::Zstd { .. }), "{cut}");
            assert_eq!(verify(network, &file[..file.len() - 9]), Err(cut));
        }
    }
    check::<formats::stockfish::Net>(&network!("../../specs/formats/stockfish.toml"), 0);
    check::<formats::leb128::Net>(&network!("../../specs/formats/leb128.toml"), 0);
    check::<formats::quantised::Net>(&network!("../../specs/formats/quantised.toml"), 0);
    check::<formats::weights::Net>(&network!("../../specs/formats/weights.toml"), 0);
    check::<formats::bare::Net>(&network!("../../specs/formats/bare.toml"), 0);
    // 72 + 4 bytes of fields.
    check::<formats::header::Net>(&network!("../../specs/formats/header.toml"), 76);
}

#[test]
fn what_is_wrong_in_a_packed_file_is_said_as_of_the_file_itself() {
    let network = network!("../../specs/formats/header.toml");
    let mut raw = random_net_file(&network, 4);
    let refusal = |file: &[u8]| {
        let error = Network::<formats::header::Net>::from_bytes(file).unwrap_err();
        assert_eq!(verify(&network, file), Err(error.clone()));
        error.to_string()
    };
    let longer = pack(&[&raw[..], &[0]].concat());
    let expected = format!(
        "the file has {} bytes, expected {} for formats, behind a header",
        raw.len() + 1,
        raw.len()
    );
    assert!(
        refusal(&longer).starts_with(&expected),
        "{}",
        refusal(&longer)
    );
    raw[4] = 9;
    let behind = [&raw[..76], &pack(&raw[76..])].concat();
    for file in [pack(&raw), behind] {
        assert_eq!(refusal(&file), "`version` at offset 4 is 9, expected 1");
    }
    let endless = vec![0; 8 * raw.len()];
    assert!(refusal(&pack(&endless)).starts_with("the file is longer than"));
}

#[test]
fn embedded_files_may_be_packed() {
    let network = network!("packed.toml");
    let raw = random_net_file(&network, 7);
    let embedded = include_bytes!("packed.net");
    assert!(embedded.len() < raw.len() && embedded.starts_with(b"PACKED"));
    let net = Network::<packed::Net>::embedded();
    assert!(net.to_bytes() == raw);
}
