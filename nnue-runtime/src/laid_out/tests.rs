//! Tests of headers.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use nnue_format::*;

use self::tiny::RAW;
use super::{BYTE_ORDER, LaidOut, MapError, VERSION, WEIGHTS_OFFSET, layout_hash, weights_hash};

/// The small network of nnue-format's tests.
#[path = "../../format/src/tests/tiny.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
pub(super) mod tiny;

const LEN: usize = 4096;

fn laid_out() -> LaidOut {
    LaidOut {
        level: "avx2".into(),
        packed: vec![0, 2, 1, 3],
        loaded: Loaded {
            description: b"a net".to_vec(),
            ..Loaded::default()
        },
        hash: Some(weights_hash(&[7; LEN])),
    }
}

fn read(header: &[u8]) -> Result<LaidOut, MapError> {
    LaidOut::read(&RAW, LEN, (WEIGHTS_OFFSET + LEN) as u64, header)
}

#[test]
fn headers_are_read_as_they_were_written() {
    let header = laid_out().header(&RAW, LEN).unwrap();
    // Bytes behind the header are not read.
    assert_eq!(read(&[&header[..], &[5; 99]].concat()), Ok(laid_out()));
    assert_eq!(laid_out().check(&[7; LEN]), Ok(()));
    assert_eq!(laid_out().check(&[8; LEN]), Err(MapError::DamagedWeights));
    let without = LaidOut {
        hash: None,
        ..laid_out()
    };
    assert_eq!(without.check(&[7; LEN]), Err(MapError::NoHash));
    assert_eq!(read(&without.header(&RAW, LEN).unwrap()), Ok(without));
}

#[test]
fn every_bit_of_a_header_counts() {
    let header = laid_out().header(&RAW, LEN).unwrap();
    for bit in 0..8 * header.len() {
        let mut damaged = header.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&damaged).is_err(), "bit {bit}");
    }
    for len in 0..header.len() {
        assert!(read(&header[..len]).is_err(), "{len}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let header = laid_out().header(&RAW, LEN).unwrap();
    let changed = |at: usize, bytes: &[u8]| {
        let mut header = header.clone();
        header[at..at + bytes.len()].copy_from_slice(bytes);
        read(&header).unwrap_err()
    };
    let newer = MapError::Version {
        found: VERSION + 1,
        expected: VERSION,
    };
    assert_eq!(changed(16, &(VERSION + 1).to_le_bytes()), newer);
    let swapped = BYTE_ORDER.swap_bytes().to_ne_bytes();
    assert_eq!(changed(20, &swapped), MapError::ByteOrder);
    assert_eq!(changed(20, &[0; 4]), MapError::DamagedHeader);
    assert_eq!(changed(70, &[0; 4]), MapError::DamagedHeader);
    let other = FileLayout {
        name: "Other".into(),
        ..RAW
    };
    assert_eq!(
        LaidOut::read(&other, LEN, (WEIGHTS_OFFSET + LEN) as u64, &header[..]),
        Err(MapError::OtherLayout {
            found: RAW.name.to_string(),
            expected: "Other".into(),
        })
    );
    let short = LaidOut::read(&RAW, LEN, 77, &header[..]);
    let expected = (WEIGHTS_OFFSET + LEN) as u64;
    assert_eq!(
        short,
        Err(MapError::Length {
            expected,
            found: 77
        })
    );
    let net = tiny::file(&RAW);
    assert!(split(&RAW, &net).is_ok());
    assert!(matches!(read(&net), Err(MapError::NotLaidOut { .. })));
    assert!(matches!(read(b""), Err(MapError::NotLaidOut { .. })));
    let long = LaidOut {
        loaded: Loaded {
            skipped: vec![1; WEIGHTS_OFFSET],
            ..Loaded::default()
        },
        ..laid_out()
    };
    assert!(matches!(
        long.header(&RAW, LEN),
        Err(MapError::HeaderTooLong { .. })
    ));
}

#[test]
fn orders_that_no_level_has_are_damage() {
    for packed in [
        vec![],
        vec![1],
        vec![0, 0],
        vec![0, 2, 1],
        (0..16).collect::<Vec<_>>(),
    ] {
        let odd = LaidOut {
            packed,
            ..laid_out()
        };
        let read = read(&odd.header(&RAW, LEN).unwrap());
        assert_eq!(read, Err(MapError::DamagedHeader));
    }
}

#[test]
fn layouts_that_differ_in_anything_have_another_hash() {
    let hash = layout_hash(&RAW, LEN);
    assert_ne!(hash, layout_hash(&RAW, LEN + 64));
    let mut other = RAW;
    other.stacks.stride += 64;
    assert_ne!(hash, layout_hash(&other, LEN));
}
