//! The table of tensors that `check` prints and that generated code carries in its documentation.

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::plan::Unroll;
use nnue_compiler::{Levels, Options, analyse, diagram, emit};

/// A product of 127 and 127, shifted by 7, is 126 and stands for 127. The table must show the
/// numbers with which the check computed.
#[test]
fn the_table_shows_the_ones_that_check_computed_with() {
    let spec = r#"
        name = "roots"

        [[features]]
        set = "A"

        [transformer]
        width = 64
        one = 127
        activation = "screlu"
        shift = 7
        pooling = "product"

        [[layer]]
        name = "out"
        op = "affine"
        weights = "i8"
        outputs = 1
        one = 8128

        [output]
        sum = ["out"]
        one = 8128

        [file]
        format = "bullet"
    "#;
    let network =
        analyse(&SourceFile::new("spec.toml", spec)).unwrap_or_else(|errors| panic!("{errors}"));
    let table = diagram(&network);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|row| row.split_whitespace().collect())
        .collect();
    let row = |tensor: &str| {
        rows.iter()
            .find(|row| row.first() == Some(&tensor))
            .expect(&table)
    };
    assert_eq!(
        row("squared")[..7],
        ["squared", "2", "x", "64", "u8", "127", "0..=126"],
        "{table}"
    );
    assert_eq!(
        row("transformer")[..5],
        ["transformer", "64", "u8", "127", "0..=124"],
        "{table}"
    );
}

/// Sums that are divided have a smaller `one` than their products. The `one` of the weights must
/// follow from that of the products. Both the table and the documentation of the net file show it.
#[test]
fn what_1_is_in_weights_takes_division_into_account() {
    let spec = include_str!("../../../specs/bullet/simple.toml");
    let network =
        analyse(&SourceFile::new("simple.toml", spec)).unwrap_or_else(|errors| panic!("{errors}"));
    let table = diagram(&network);
    assert!(
        table.contains("affine(transformer), i16 with one 64, sums / 255"),
        "{table}"
    );
    let options = Options::new(Unroll::Auto, Levels::All);
    let code = emit(&network, &options).expect("it is small").to_string();
    let row = code
        .split("doc =")
        .find(|doc| doc.contains("`l1.weights` (`l1w`)"));
    assert!(row.is_some_and(|row| row.contains("| 64 |")), "{row:?}");
}
