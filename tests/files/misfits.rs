//! Which key of a spec a file in Stockfish's format contradicts, if the header does not tell.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_test_support::net_file::{net_file, verify};

const THREATS: &str = r#"
[[features]]
set = "Threats"
targets = "sfnnv16"
"#;
const PAWNS: &str = r#"
[[features]]
set = "PawnPairs"
"#;
const PIECES: &str = r#"
[[features]]
set = "HalfKAv2_hm"
"#;
const AFTER_EACH_SET: &str = r#"psqt = "after-each-set""#;
const ENCODING: &str = r#"encoding = "leb128""#;

const REST: &str = r#"
[transformer]
width = 32
one = 255
psqt = 2
activation = "crelu"
pooling = "product"

[stacks]
count = 2
select = { pieces = "(n - 1) / 16" }

[[layer]]
name = "fc_0"
op = "affine"
outputs = 32
weights = "i8"
one = 16256

[[layer]]
name = "ac_0"
op = ["crelu", "sqr_crelu"]
shift = [7, 21]

[[layer]]
name = "fc_1"
op = "affine"
outputs = 16
weights = "i8"
one = 8128

[[layer]]
name = "ac_1"
op = "crelu"
shift = 6

[[layer]]
name = "fc_2"
op = "affine"
outputs = 1
weights = "i8"
one = 9600

[output]
sum = "fc_2"
one = 9600
divide = 16

[file]
format = "stockfish"
version = 0x6A448AFA
transformer_hash = 0x1234
encoding = "leb128"
psqt = "after-each-set"
"#;

fn spec(features: &[&str], changes: &[(&str, &str)]) -> Network {
    let mut text = format!("name = \"Misfits\"\n{}{REST}", features.concat());
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    analyse(&SourceFile::new("spec.toml", text)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// What the loader says of a file of one spec that is loaded with another one.
fn refusal(spec: &Network, file_of: &Network) -> String {
    let file = net_file(file_of, "words", |_, index| index as i32 % 50 - 25);
    verify(file_of, &file).unwrap_or_else(|error| panic!("{error}"));
    let refused = verify(spec, &file);
    refused.expect_err("the spec is another one").to_string()
}

/// The error of each spec names the change that would make it the other.
fn check(one: &Network, fits_one: &str, other: &Network, fits_other: &str) {
    for (spec, file_of, expected) in [(other, one, fits_one), (one, other, fits_other)] {
        let message = refusal(spec, file_of);
        let (_, fits) = message.split_once("; the file fits if ").expect(&message);
        assert_eq!(fits, expected, "{message}");
    }
}

#[test]
fn keys_of_the_file_are_named() {
    let all = [THREATS, PAWNS, PIECES];
    let base = spec(&all, &[]);
    check(
        &base,
        r#"the spec says `encoding = "leb128"`"#,
        &spec(&all, &[(ENCODING, "")]),
        r#"the spec says `encoding = "raw"`"#,
    );
    // Threats and pairs are one tensor where no PSQT values are between them.
    for sets in [&all[..], &[THREATS, PIECES]] {
        check(
            &spec(sets, &[]),
            r#"the spec says `psqt = "after-each-set"` in `[file]`"#,
            &spec(sets, &[(AFTER_EACH_SET, "")]),
            r#"the spec says `psqt = "after-weights"` in `[file]`"#,
        );
    }
}

#[test]
fn psqt_values_and_stacks_are_counted() {
    const PSQT: (&str, &str) = ("psqt = 2", "");
    const ONE_STACK: (&str, &str) = (
        "count = 2\nselect = { pieces = \"(n - 1) / 16\" }",
        "count = 1",
    );
    for (sets, changes) in [
        (&[PIECES][..], &[][..]),
        (&[PIECES], &[(ENCODING, "")]),
        (&[THREATS, PAWNS, PIECES], &[]),
        (&[THREATS, PIECES], &[(AFTER_EACH_SET, "")]),
    ] {
        let with = |more: &[(&str, &str)]| spec(sets, &[changes, more].concat());
        let base = with(&[]);
        let psqt = "the spec says `psqt = 2` in `[transformer]`";
        let none = "the spec says `psqt = 0` in `[transformer]`";
        check(&base, psqt, &with(&[PSQT]), none);
        let one = "the spec says `psqt = 1` in `[transformer]`";
        check(&base, psqt, &with(&[("psqt = 2", "psqt = 1")]), one);
        let two_stacks = "the spec says `count = 2` in `[stacks]` and `psqt = 2`";
        let one_stack = "the spec says `count = 1` in `[stacks]` and `psqt = 1`";
        let single = with(&[ONE_STACK, ("psqt = 2", "psqt = 1")]);
        check(&base, two_stacks, &single, one_stack);
        check(
            &with(&[PSQT]),
            "the spec says `count = 2` in `[stacks]`",
            &with(&[PSQT, ONE_STACK]),
            "the spec says `count = 1` in `[stacks]`",
        );
    }
}

#[test]
fn sets_are_named_by_their_weights() {
    let order = |places: [usize; 3]| {
        let names = places.map(|place| format!("`transformer.weights_{place}`"));
        format!(
            "the spec's `[[features]]` are in the order of {}",
            names.join(", ")
        )
    };
    let base = spec(&[THREATS, PAWNS, PIECES], &[]);
    check(
        &base,
        &order([0, 2, 1]),
        &spec(&[THREATS, PIECES, PAWNS], &[]),
        &order([0, 2, 1]),
    );
    check(
        &base,
        &order([1, 2, 0]),
        &spec(&[PIECES, THREATS, PAWNS], &[]),
        &order([2, 0, 1]),
    );
    let message = refusal(&base, &spec(&[THREATS, PIECES], &[]));
    let expected = "; the file fits if the spec's `[[features]]` do not have the set of `transformer.weights_1`";
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn features_and_inputs_are_counted() {
    let targets = (r#""sfnnv16""#, r#""sfnnv14""#);
    let rows = |found, targets, expected| {
        format!(
            "`transformer.weights_0` has {found} features (those of `targets = \"{targets}\"`), \
             not {expected} as in the spec"
        )
    };
    for place in [&[][..], &[(AFTER_EACH_SET, "")]] {
        check(
            &spec(&[THREATS, PIECES], place),
            &rows(59808, "sfnnv16", 60720),
            &spec(&[THREATS, PIECES], &[place, &[targets]].concat()),
            &rows(60720, "sfnnv14", 59808),
        );
    }
    let planes = (r#""HalfKAv2_hm""#, "\"HalfKAv2_hm\"\noffset = 1");
    for encoding in [&[][..], &[(ENCODING, "")]] {
        check(
            &spec(&[PIECES], encoding),
            "`transformer.weights` has 22528 features, not 22560 as in the spec",
            &spec(&[PIECES], &[encoding, &[planes]].concat()),
            "`transformer.weights` has 22560 features, not 22528 as in the spec",
        );
    }
    // Rows of inputs are padded, so that no file tells their number.
    check(
        &spec(&[PIECES], &[]),
        "`fc_1.weights` has 33 to 64 inputs, not 32 as in the spec",
        &spec(
            &[PIECES],
            &[
                (r#"["crelu", "sqr_crelu"]"#, r#""crelu""#),
                ("[7, 21]", "7"),
            ],
        ),
        "`fc_1.weights` has 1 to 32 inputs, not 64 as in the spec",
    );
}

/// Where several keys are wrong, the first thing that differs is still said by its key.
#[test]
fn the_encoding_is_named_beside_other_mistakes() {
    let compressed = spec(&[PIECES], &[]);
    let raw = spec(&[PIECES], &[(ENCODING, ""), ("psqt = 2", "")]);
    assert_eq!(
        refusal(&compressed, &raw),
        "`transformer.biases` at offset 21 is not a LEB128 block, expected `COMPRESSED_LEB128` \
         because `encoding` is \"leb128\""
    );
    assert_eq!(
        refusal(&raw, &compressed),
        "`transformer.biases` at offset 21 is a LEB128 block, expected raw values \
         because `encoding` is \"raw\""
    );
}
