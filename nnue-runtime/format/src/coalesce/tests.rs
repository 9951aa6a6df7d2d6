//! Sums of sets' rows and of stacks' tensors, as they are loaded and written.

use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use core::convert::Infallible;

use super::*;
use crate::ValueFault;
use crate::{
    Element, Form, Format, Loaded, Material, Overflow, PieceSquare, Placed, Quantise, Role,
    Section, Stacks, Stored, Tail, Text, VirtualSet, list, split, store,
};

/// Kings have no rows, and there are two buckets: a bucket for the squares of the first and the
/// fourth rank, and a bucket for all other squares.
const SET: PieceSquare = PieceSquare {
    flip: [0, 56],
    mirror_files: 0,
    king_offset: {
        let mut offsets = [640; 64];
        let mut file = 0;
        while file < 8 {
            offsets[file] = 0;
            offsets[24 + file] = 0;
            file += 1;
        }
        offsets
    },
    materials: Material::list([]),
    threatened: PieceSquare::NO_THREATENED,
    planes: [[
        NONE, 0, 64, 128, 192, 256, NONE, 320, 384, 448, 512, 576, NONE, NONE, NONE, NONE,
    ]; 2],
};
const NONE: u32 = PieceSquare::NO_PLANE;
const REAL: usize = 1280;
const VIRTUAL: usize = 640 + 2;
/// Row 640 + 70 is the second bucket's knight on g1; its virtual rows are piece 70 and king 1.
const ROW: usize = 710;
const PIECE: usize = 70;
const KING: usize = 641;

/// A layout with one neuron, in which virtual rows come before real rows.
const fn layout<const TRUNCATE: bool, const EACH: bool>() -> FileLayout {
    FileLayout {
        name: Text::Borrowed("Factorised"),
        format: Format::Sequence,
        sections: list(
            const {
                &[
                    tensor::<TRUNCATE>("virtuals", VIRTUAL, 2 * REAL),
                    tensor::<TRUNCATE>("rows", REAL, 0),
                ]
            },
        ),
        stacks: Stacks::NONE,
        tail: Tail::NONE,
        extents: list(&[]),
        paired: list(&[]),
        coalesced: list(
            const {
                &[Coalesced::Set(CoalescedSet {
                    element: Element::I16,
                    offset: 0,
                    columns: 1,
                    row: 0,
                    virtual_row: REAL,
                    factors: Factors {
                        set: SET,
                        sets: list(&[VirtualSet::Pieces, VirtualSet::King]),
                        round_each: EACH,
                    },
                })]
            },
        ),
    }
}

const fn tensor<const TRUNCATE: bool>(name: &'static str, rows: usize, offset: usize) -> Section {
    let stored = Stored::new(Element::F32, [0, 1, 1], rows).quantised(Quantise {
        factor: 10.0,
        rounding: if TRUNCATE {
            Rounding::Truncate
        } else {
            Rounding::Nearest
        },
        overflow: Overflow::Refuse,
        element: Element::I16,
    });
    let placed = Placed::rows(Element::I16, offset, [rows, 1]);
    Section::tensor(Role::Weights(0), name, [1, rows, 1], stored, placed)
}

/// A file of zeros, except for a row and its virtual rows.
fn file(own: f32, piece: f32, king: f32) -> Vec<u8> {
    let mut values = vec![0f32; VIRTUAL + REAL];
    values[PIECE] = piece;
    values[KING] = king;
    values[VIRTUAL + ROW] = own;
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn load(layout: &FileLayout, file: &[u8]) -> Result<Vec<u8>, LoadError> {
    let mut weights = vec![0; 2 * (REAL + VIRTUAL)];
    split(layout, file)?.load(&[0], &mut weights)?;
    Ok(weights)
}

fn row(weights: &[u8]) -> i16 {
    i16::from_ne_bytes([weights[2 * ROW], weights[2 * ROW + 1]])
}

#[test]
fn sums_are_rounded_as_the_spec_says() {
    let layouts = [
        layout::<false, false>(),
        layout::<true, false>(),
        layout::<false, true>(),
        layout::<true, true>(),
    ];
    for (values, expected) in [
        ((0.14, 0.14, 0.14), [4, 4, 3, 3]),
        ((0.16, 0.16, 0.16), [5, 4, 6, 3]),
        ((0.99, -0.36, 0.0), [6, 6, 6, 6]),
        ((-0.18, -0.18, 0.0), [-4, -3, -4, -2]),
        ((-0.59, 0.19, 0.19), [-2, -2, -2, -3]),
    ] {
        let (own, piece, king) = values;
        let file = file(own, piece, king);
        let found = layouts
            .each_ref()
            .map(|layout| row(&load(layout, &file).unwrap()));
        assert_eq!(found, expected, "{values:?}");
    }
}

/// The written numbers differ, but each becomes the same integer, and so does the sum.
#[test]
fn what_is_written_has_virtual_rows_and_loads_as_the_same() {
    for layout in [
        layout::<false, false>(),
        layout::<true, false>(),
        layout::<false, true>(),
        layout::<true, true>(),
    ] {
        for own in -12..12 {
            for piece in [-3.17, -0.26, 0.0, 0.04, 0.55, 2000.0] {
                let file = file(own as f32 * 0.07, piece, -0.37);
                let weights = load(&layout, &file).unwrap();
                let mut written = Vec::new();
                let stored =
                    store::<Infallible>(&layout, &[0], &weights, &Loaded::default(), &mut |b| {
                        written.extend_from_slice(b);
                        Ok(())
                    });
                assert_eq!(stored, Ok(()));
                let king = f32::from_le_bytes(written.as_chunks().0[KING]);
                assert!((-0.5..-0.25).contains(&king), "{king}");
                let again = load(&layout, &written).unwrap();
                assert!(again == weights, "{own} and {piece}");
            }
        }
    }
}

#[test]
fn sums_must_fit_though_their_parts_need_not() {
    let layout = layout::<false, false>();
    assert_eq!(
        row(&load(&layout, &file(3300.0, -20.0, -20.0)).unwrap()),
        32600
    );
    let error = load(&layout, &file(3270.0, 3.5, 4.0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 710 of `rows` has 3270 in column 0, to which the file adds 7.5: the sum is 3277.5, times 10 that is 32775, \
         allowed are -32768 to 32767"
    );
    let each = self::layout::<false, true>();
    assert!(matches!(
        load(&each, &file(3300.0, -20.0, -20.0)),
        Err(LoadError::Value {
            fault: ValueFault::OutOfRange { .. },
            ..
        })
    ));
    let error = load(&each, &file(3270.0, 3.5, 4.0)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("has 32700 in column 0, to which the file adds 75"),
        "{error}"
    );
}

#[test]
fn sums_are_clamped_where_that_is_said() {
    let mut layout = layout::<false, false>();
    for section in layout.sections.to_mut() {
        if let Section::Tensor(tensor) = section
            && let Some(quantise) = &mut tensor.stored.quantise
        {
            quantise.overflow = Overflow::Clamp;
        }
    }
    for (values, expected) in [
        ((3270.0, 3.5, 4.0), 32767),
        ((3300.0, -20.0, -20.0), 32600),
        ((-3000.0, -3300.0, 0.0), -32768),
        // Virtual rows that do not fit by themselves become the nearest values that fit.
        ((-10.0, 3300.0, 0.0), 32767),
        ((-60.0, 3300.0, 0.0), 32400),
    ] {
        let (own, piece, king) = values;
        let weights = load(&layout, &file(own, piece, king)).unwrap();
        assert_eq!(row(&weights), expected, "{values:?}");
        let mut written = Vec::new();
        let loaded = Loaded::default();
        let result = store::<Infallible>(&layout, &[0], &weights, &loaded, &mut |piece| {
            written.extend_from_slice(piece);
            Ok(())
        });
        assert_eq!(result, Ok(()));
        assert!(load(&layout, &written).unwrap() == weights, "{values:?}");
    }
    let infinite = load(&layout, &file(f32::INFINITY, 0.0, 0.0));
    assert!(infinite.is_err());
}

#[test]
fn numbers_that_are_not_finite_are_refused_where_they_are() {
    let layout = layout::<false, false>();
    for (file, name) in [
        (file(f32::NAN, 1.0, 1.0), "rows"),
        (file(1.0, f32::INFINITY, 1.0), "virtuals"),
        (file(1.0, f32::INFINITY, f32::NEG_INFINITY), "virtuals"),
    ] {
        let error = load(&layout, &file).unwrap_err();
        let LoadError::Value {
            place,
            fault: ValueFault::NotFinite { .. },
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!(format!("{place}"), name);
    }
}

/// Two stacks of two outputs and four inputs, in blocks. Memory has the shared tensor behind the
/// stacks, and the file has it before the stacks.
fn stacks(element: Element, quantise: Option<Quantise>) -> FileLayout {
    let in_memory = quantise.map_or(element, |quantise| quantise.element);
    let size = 8 * in_memory.size();
    let own = Placed::new(Form::Blocks, in_memory, [0, size], [2, 4], &[]);
    let mut stored = Stored::new(element, [8, 4, 1], 16);
    stored.quantise = quantise;
    let shared = Placed::rows(element, 2 * size, [2, 4]);
    FileLayout {
        sections: vec![
            Section::tensor(
                Role::SharedWeights(0),
                "shared",
                [1, 2, 4],
                Stored::new(element, [0, 4, 1], 8),
                shared,
            ),
            Section::tensor(Role::LayerWeights(0), "own", [2, 2, 4], stored, own),
        ]
        .into(),
        coalesced: vec![Coalesced::Stacks {
            own: 0,
            shared: 2 * size,
        }]
        .into(),
        ..layout::<false, false>()
    }
}

/// The place in memory of the weight of a stack, an output and an input.
fn at(stack: usize, output: usize, input: usize) -> usize {
    8 * stack + 4 * output + input
}

fn loaded(layout: &FileLayout, file: &[u8]) -> Result<Vec<u8>, LoadError> {
    let mut weights = vec![0; layout.memory_len()];
    split(layout, file)?.load(&[0], &mut weights)?;
    Ok(weights)
}

fn written(layout: &FileLayout, weights: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let result = store::<Infallible>(layout, &[0], weights, &Loaded::default(), &mut |b| {
        file.extend_from_slice(b);
        Ok(())
    });
    assert_eq!(result, Ok(()));
    file
}

#[test]
fn integers_of_stacks_are_added_and_written_back() {
    let layout = stacks(Element::I8, None);
    let mut file: Vec<u8> = (0..24).map(|index| (3 * index) as u8).collect();
    let weights = loaded(&layout, &file).unwrap();
    for stack in 0..2 {
        for output in 0..2 {
            for input in 0..4 {
                let place = 4 * output + input;
                let expected = file[place] + file[8 + 8 * stack + place];
                assert_eq!(weights[at(stack, output, input)], expected);
            }
        }
    }
    assert!(written(&layout, &weights) == file);
    // The shared weight is 100, and the second stack's weight is 28.
    (file[6], file[8 + 6], file[16 + 6]) = (100, 27, 28);
    let error = loaded(&layout, &file).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 1 of `stack 1 own` has 28 in column 2, to which the file adds 100: the sum is 128, \
         allowed are -128 to 127"
    );
}

#[test]
fn floats_of_stacks_are_added_before_they_are_rounded() {
    let bytes = |values: &[f32]| {
        values
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect::<Vec<_>>()
    };
    let quantise = Quantise {
        factor: 64.0,
        rounding: Rounding::Nearest,
        overflow: Overflow::Clamp,
        element: Element::I8,
    };
    let mut values = [0.0; 24];
    // Two quarters of an integer are half an integer. The sum of the second stack alone is too
    // large.
    (values[5], values[8 + 5], values[16 + 5]) = (0.25 / 64.0, 0.25 / 64.0, -3.0);
    let file = bytes(&values);
    let layout = stacks(Element::F32, Some(quantise));
    let weights = loaded(&layout, &file).unwrap();
    assert_eq!(
        [0, 1].map(|stack| weights[at(stack, 1, 1)] as i8),
        [1, -128]
    );
    let again = written(&layout, &weights);
    assert!(again[..32] == file[..32], "what is shared is kept as it is");
    assert!(loaded(&layout, &again).unwrap() == weights);
    // Without integers, the sums are `f32` sums.
    let layout = stacks(Element::F32, None);
    let (own, shared) = (0.1f32, 16_777_217.3f32);
    (values[5], values[8 + 5], values[16 + 5]) = (shared, own, -shared);
    let weights = loaded(&layout, &bytes(&values)).unwrap();
    let value = |stack| {
        let place = 4 * at(stack, 1, 1);
        f32::from_ne_bytes(weights[place..][..4].try_into().unwrap())
    };
    assert_eq!([0, 1].map(value), [own + shared, 0.0]);
    let again = written(&layout, &weights);
    assert!(loaded(&layout, &again).unwrap() == weights);
    values[5] = f32::MAX;
    values[8 + 5] = f32::MAX;
    assert!(matches!(
        loaded(&layout, &bytes(&values)),
        Err(LoadError::Value {
            fault: ValueFault::NotFinite { .. },
            ..
        })
    ));
}
