//! Tests that go through every byte of the file of a small network.

mod lists;
mod mixed;
mod stockfish;
mod tiny;

use alloc::vec;
use alloc::vec::Vec;
use core::convert::Infallible;

use fastrand::Rng;

pub(crate) use self::tiny::*;
use crate::*;

/// The packed orders of all levels.
pub(crate) const ORDERS: [&[usize]; 3] = [&[0], &[0, 2, 1, 3], &[0, 4, 1, 5, 2, 6, 3, 7]];

pub(crate) fn load(
    layout: &FileLayout,
    packed: &[usize],
    source: &[u8],
) -> Result<(Vec<u8>, Loaded), LoadError> {
    // The memory is not zeroed, because loading must not depend on its contents.
    let mut weights = vec![0xAA; MEMORY_LEN];
    let loaded = split(layout, source)?.load(packed, &mut weights)?;
    Ok((weights, loaded))
}

pub(crate) fn stored(
    layout: &FileLayout,
    packed: &[usize],
    weights: &[u8],
    loaded: &Loaded,
) -> Vec<u8> {
    let mut file = Vec::new();
    let Ok(()) = store::<Infallible>(layout, packed, weights, loaded, &mut |piece| {
        file.extend_from_slice(piece);
        Ok(())
    });
    file
}

/// Whether the source is refused. Otherwise it must come back byte for byte.
fn is_refused(layout: &FileLayout, source: &[u8]) -> bool {
    ORDERS.map(|order| match load(layout, order, source) {
        Ok((weights, loaded)) => {
            assert_eq!(stored(layout, order, &weights, &loaded), source);
            false
        }
        Err(_) => true,
    }) != [false; 3]
}

#[test]
fn every_byte_comes_back() {
    for layout in [RAW, COMPRESSED] {
        assert!(!is_refused(&layout, &file(&layout)));
    }
    assert_eq!(file(&RAW).len(), STACK + 2 * STACK_LEN);
}

#[test]
fn every_truncation_is_called_one() {
    for layout in [RAW, COMPRESSED] {
        let source = file(&layout);
        for len in 0..source.len() {
            let error = split(&layout, &source[..len]).err();
            let Some(LoadError::Truncated {
                offset,
                needed,
                available,
                ..
            }) = error
            else {
                panic!("{error:?} at {len}")
            };
            assert_eq!(offset + available, len as u64);
            assert!(needed > available);
        }
    }
}

#[test]
fn every_flipped_bit_is_refused_or_comes_back() {
    for layout in [RAW, COMPRESSED] {
        let mut source = file(&layout);
        let mut refused = 0;
        for bit in 0..8 * source.len() {
            source[bit / 8] ^= 1 << (bit % 8);
            refused += usize::from(is_refused(&layout, &source));
            source[bit / 8] ^= 1 << (bit % 8);
        }
        // Version, network hash, length, three hashes, and, in compressed files, three block
        // headers.
        let headers = 3 * 32 + 3 * 32 + usize::from(layout.max_len() != RAW.max_len()) * 3 * 21 * 8;
        assert!(refused >= headers, "{refused} of at least {headers}");
    }
}

#[test]
fn bytes_at_random_are_refused() {
    let mut random = Rng::with_seed(3);
    for layout in [RAW, COMPRESSED] {
        let valid = file(&layout);
        for _ in 0..2000 {
            let len = random.u64(..2 * valid.len() as u64) as usize;
            let mut source = random_bytes(&mut random, len);
            assert!(is_refused(&layout, &source));
            // Random bytes behind a valid beginning, so that all sections are reached.
            let kept = random.u64(..valid.len() as u64) as usize;
            source.splice(..kept.min(len), valid[..kept].iter().copied());
            is_refused(&layout, &source);
        }
    }
}

/// A file has a tensor that all stacks share once, here with padding. Each stack has a copy in
/// memory, and the file is written from the copies.
#[test]
fn shared_values_are_copied_to_each_stack() {
    const SHARED: &[Section] = &[Section::tensor(
        Role::LayerWeights(0),
        "fc_0.weights",
        [3, 2, 5],
        Stored::new(Element::I8, [0, 8, 1], 16),
        Placed::new(Form::Rows, Element::I8, [4, 32], [2, 5], &[]),
    )];
    let layout = FileLayout {
        format: Format::Sequence,
        sections: list(SHARED),
        stacks: Stacks::NONE,
        ..RAW
    };
    let source = random_bytes(&mut Rng::with_seed(3), 16);
    let (weights, loaded) = load(&layout, &[0], &source).unwrap();
    let copy = [&source[..5], &source[8..13]].concat();
    for start in [4, 36, 68] {
        assert_eq!(weights[start..start + 10], copy, "at {start}");
    }
    assert_eq!(layout.memory_len(), 78);
    assert_eq!(stored(&layout, &[0], &weights, &loaded), source);
}
