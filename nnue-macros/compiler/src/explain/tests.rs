//! Explanations of the files of small networks.

use nnue_format::*;

use self::mixed::{END, FLOAT, SEQUENCE, SIGNS, sequence};
use self::tiny::*;
use super::{Cause, Change, Difference, Explanation, Identity, check, explain, identify};

#[path = "../../../../nnue-runtime/format/src/tests/mixed.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod mixed;
#[path = "../../../../nnue-runtime/format/src/tests/tiny.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod tiny;

/// The error of a file, and its explanation.
fn explained(layout: &FileLayout, source: &[u8]) -> (LoadError, Explanation) {
    let refused = nnue_format::check(layout, source).unwrap_err();
    let explanation = Explanation::of(layout, source, identify(source), &refused);
    (refused, explanation)
}

fn message(layout: &FileLayout, source: &[u8]) -> String {
    check(layout, source).unwrap_err().to_string()
}

fn patched(layout: &FileLayout, offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut source = file(layout);
    source[offset..offset + bytes.len()].copy_from_slice(bytes);
    source
}

#[test]
fn another_header_is_another_network() {
    let difference = |what, file: &'static str, spec: &'static str| Difference {
        what,
        file: file.into(),
        spec: spec.into(),
    };
    let small128 = 0x1C10_3C92;
    let source = patched(&RAW, 4, &u32::to_le_bytes(small128));
    let (refused, explanation) = explained(&RAW, &source);
    assert!(matches!(refused, LoadError::NetworkHash(_)));
    let beginning = [VERSION, small128].map(u32::to_le_bytes);
    assert_eq!(explanation.identity, identify(beginning.as_flattened()));
    assert_eq!(
        explanation.differences,
        [
            difference("width", "128", "4"),
            difference("number of affine layers", "3", "2"),
            difference("number of `i8` rows", "0", "1"),
            difference("feature set", "HalfKAv2_hm", "another, of 1 rows,"),
        ],
    );
    let (refused, explanation) = explained(&RAW, &patched(&RAW, 0, b"\x7FELF"));
    assert!(matches!(refused, LoadError::Version(_)));
    assert_eq!(explanation.identity, Identity::Other("an ELF executable"));
}

/// An error with this explanation.
fn said(refused: LoadError, change: impl FnOnce(&mut Explanation)) -> String {
    let mut explanation = Explanation {
        identity: Identity::Unknown,
        differences: Vec::new(),
        alike: None,
        causes: Vec::new(),
        changes: Vec::new(),
    };
    change(&mut explanation);
    explanation.message(&RAW, &refused)
}

#[test]
fn what_a_file_is_comes_first_or_last() {
    let wrong_header = LoadError::NetworkHash(WrongWord {
        spec: "SFNNv5".into(),
        expected: 0x1C10_2EF2,
        found: 0x1C10_3C92,
    });
    let small128 = Identity::Spec { name: "small128" };
    let message = said(wrong_header, |found| {
        found.identity = small128;
        found.differences.push(Difference {
            what: "width",
            file: "128".into(),
            spec: "1024".into(),
        });
    });
    assert_eq!(
        message,
        "this is a net of small128: width is 128 in the file and 1024 in the spec \
         (the network hash at offset 4 is 0x1c103c92, expected 0x1c102ef2 for SFNNv5)",
    );
    let wrong_section = LoadError::SectionHash {
        place: Place {
            stack: Some(1),
            name: "hash".into(),
        },
        offset: 64,
        expected: 1,
        found: 2,
        elsewhere: Some(68),
    };
    let where_it_is = "`stack 1 hash` at offset 64 is 0x00000002, expected 0x00000001";
    let elsewhere = "; that value begins 4 bytes later: does a tensor before it have another size?";
    let message = said(wrong_section.clone(), |_| {});
    assert_eq!(message, format!("{where_it_is}{elsewhere}"));
    let message = said(wrong_section, |found| {
        found.identity = Identity::Spec { name: "SFNNv15" };
    });
    assert_eq!(message, format!("{where_it_is}: this is a net of SFNNv15"));
}

#[test]
fn a_file_that_ends_behind_a_stack_fits_a_spec_with_one() {
    for layout in [RAW, COMPRESSED] {
        let source = file(&layout);
        for len in 0..source.len() {
            let (refused, explanation) = explained(&layout, &source[..len]);
            assert!(matches!(refused, LoadError::Truncated { .. }), "{refused}");
            let one = Change::Stacks {
                count: 1,
                psqt: None,
            };
            let expected = if len == source.len() - STACK_LEN {
                vec![one]
            } else {
                Vec::new()
            };
            assert_eq!(explanation.changes, expected, "{len}");
        }
    }
}

#[test]
fn a_file_without_the_names_of_tensors_is_named() {
    const SECTIONS: &[Section] = &[Section::named(
        Role::Weights(0),
        "first",
        "l0w",
        [1, 1, 6],
        Stored::new(Element::F32, [0, 0, 1], 6),
        Placed::rows(Element::F32, 0, [1, 6]),
    )];
    let named = FileLayout {
        format: Format::Named,
        sections: list(SECTIONS),
        ..FileLayout::EMPTY
    };
    assert_eq!(
        message(&named, b"\x1F\x8B\x08 \n"),
        "found `\\u{1f}\u{fffd}\\u{8} ` at offset 0, expected the name of a tensor: `l0w`: \
         this is a gzip archive: unpack it first"
    );
}

#[test]
fn what_cannot_be_explained_stays_as_it_is() {
    let error = check(&RAW, b"").unwrap_err();
    assert!(matches!(error, LoadError::Truncated { .. }));
    assert_eq!(error.to_string(), "the file is empty");
    let long = LoadError::TooLong { limit: 5 };
    assert_eq!(explain(&RAW, b"", long.clone()), long);
}

#[test]
fn lengths_are_explained() {
    let source = sequence();
    let (data, tail) = source.split_at(END);
    let padded = |data: &[u8]| {
        let tail = SEQUENCE.tail.bytes(data.len());
        data.iter().copied().chain(tail).collect::<Vec<u8>>()
    };
    let causes = |source: &[u8]| match explained(&SEQUENCE, source) {
        (LoadError::Size { .. }, found) => found.causes,
        (error, _) => panic!("{error}"),
    };
    let place = |name: &'static str| Place {
        stack: None,
        name: name.into(),
    };
    assert_eq!(tail.len(), 64 - END % 64);
    assert_eq!(causes(data), [Cause::NoTail, Cause::OtherTail("none")]);
    assert_eq!(
        causes(&padded(&data[..END - 384])),
        // 384 bytes are also four times 96 bytes, but no network has a tensor of that size.
        [Cause::Missing(place("blocks"))]
    );
    assert_eq!(
        causes(&padded(&[data, &data[..140]].concat())),
        [
            Cause::Twice(place("signs")),
            Cause::OtherSize {
                place: place("signs"),
                found: 2,
                expected: 1
            }
        ]
    );
    assert_eq!(
        causes(&padded(&data[..END - 30])),
        [Cause::OtherSize {
            place: place("quantised"),
            found: 1,
            expected: 4
        }]
    );
    assert_eq!(
        causes(&padded(&[data, &[1; 192]].concat())),
        [Cause::OtherExtent {
            name: "widgets",
            found: 8,
            expected: 6
        }]
    );
    let float = END + 24 * 2 + 8 * 3 + 48 * 3 + 140 * 3 + 192 * 2;
    assert_eq!(causes(&padded(&vec![1; float])), [Cause::AllFloat]);
    assert_eq!(causes(&padded(&data[..END - 200])), []);
    // The missing tensor may be so short that the file is as long as it should be.
    let shorter = [&data[..FLOAT], &data[SIGNS..]].concat();
    let (LoadError::Tail { .. }, Explanation { causes, .. }) =
        explained(&SEQUENCE, &padded(&shorter))
    else {
        panic!("the length is right")
    };
    let halved = Cause::OtherSize {
        place: place("copied"),
        found: 2,
        expected: 4,
    };
    assert_eq!(causes, [halved, Cause::Missing(place("float"))]);
    assert_eq!(
        message(&SEQUENCE, &padded(&data[..END - 384])),
        "the file has 384 bytes, expected 768 for Mixed: as if `blocks` were missing"
    );
}

/// It is likelier than a tensor that is there twice, or has wider numbers.
#[test]
fn the_values_that_the_first_layer_reads_come_first() {
    const SECTIONS: &[Section] = &[Section::same(
        Role::LayerWeights(0),
        "l1.weights",
        Element::I16,
        Encoding::Raw,
        0,
        [1, 8],
    )];
    let layout = FileLayout {
        sections: list(SECTIONS),
        ..FileLayout::EMPTY
    };
    for (len, words) in [
        (
            32,
            "as if the layer of `l1.weights` read 16 values instead of 8, without `pooling`, or of two perspectives, or",
        ),
        (
            8,
            "as if the layer of `l1.weights` read 4 values instead of 8, with `pooling`, or of one perspective, or",
        ),
    ] {
        let message = message(&layout, &vec![1; len]);
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn the_tail_that_a_file_has_is_proposed() {
    const COMPRESSED: &[Section] = &[Section::same(
        Role::Weights(0),
        "compressed",
        Element::I16,
        Encoding::BareLeb128,
        0,
        [1, 4],
    )];
    let compressed = FileLayout {
        sections: list(COMPRESSED),
        ..FileLayout::EMPTY
    };
    let sequence = sequence();
    for (layout, data) in [
        (SEQUENCE, &sequence[..END]),
        (compressed, &[1, 2, 3, 4][..]),
    ] {
        for (_, own) in Tail::NAMED {
            let layout = FileLayout {
                tail: own,
                ..layout.clone()
            };
            for (name, tail) in Tail::NAMED {
                let file: Vec<u8> = data.iter().copied().chain(tail.bytes(data.len())).collect();
                if tail == own {
                    assert!(split(&layout, &file).is_ok());
                    continue;
                }
                let message = message(&layout, &file);
                let proposes = |words: &str| {
                    message.contains(&format!("{words} `tail = \"{name}\"` in `[file]`"))
                };
                // Other changes may fit by accident, and come after it.
                assert!(
                    proposes("as if the spec said") || proposes("the file fits if the spec says"),
                    "{message}"
                );
                assert_eq!(message.matches("`tail =").count(), 1, "{message}");
            }
            // No tail is proposed that does not fit either.
            let other: Vec<u8> = data.iter().copied().chain(*b"other").collect();
            let message = message(&layout, &other);
            assert!(!message.contains("`tail ="), "{message}");
        }
    }
}
