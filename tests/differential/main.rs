//! Networks against the interpreter, on every level of this machine: together they use every word of
//! the language. `tests/further/differential` and the zoo have many more.

use std::fs;
use std::path::Path;

use nnue_test_support::coverage::Coverage;
use nnue_test_support::{differential, differential_of};

differential! {
    bullet: "../examples/nets/bullet.toml";
    float_orders: "specs/layers/float_orders.toml";
    gates: "specs/layers/gates.toml";
    like: "specs/like.toml";
    requantised: "specs/layers/requantised.toml";
    rounded_squares: "specs/layers/rounded_squares.toml";
    rounded_squares_of_words: "specs/layers/rounded_squares_of_words.toml";
    screlu_of_words: "specs/layers/screlu_of_words.toml";
    shards: "specs/layers/shards.toml";
    sqr_relu_of_neurons: "specs/layers/sqr_relu_of_neurons.toml";
    times: "specs/formats/times.toml";
    unpooled_parts: "specs/layers/unpooled_parts.toml";
    zoo_01: "zoo/specs/zoo_01.toml";
    zoo_02: "zoo/specs/zoo_02.toml";
    zoo_03: "zoo/specs/zoo_03.toml";
    zoo_04: "zoo/specs/zoo_04.toml";
    zoo_10: "zoo/specs/zoo_10.toml";
    zoo_11: "zoo/specs/zoo_11.toml";
    zoo_14: "zoo/specs/zoo_14.toml";
    zoo_15: "zoo/specs/zoo_15.toml";
    zoo_17: "zoo/specs/zoo_17.toml";
    zoo_18: "zoo/specs/zoo_18.toml";
    zoo_19: "zoo/specs/zoo_19.toml", check_mixed;
    zoo_20: "zoo/specs/zoo_20.toml";
    zoo_22: "zoo/specs/zoo_22.toml";
    zoo_24: "zoo/specs/zoo_24.toml";
    zoo_27: "zoo/specs/zoo_27.toml";
    zoo_28: "zoo/specs/zoo_28.toml";
    zoo_30: "zoo/specs/zoo_30.toml";
    zoo_33: "zoo/specs/zoo_33.toml";
    zoo_34: "zoo/specs/zoo_34.toml";
    zoo_39: "zoo/specs/zoo_39.toml";
    zoo_50: "zoo/specs/zoo_50.toml";
    zoo_51: "zoo/specs/zoo_51.toml", check_mixed;
    zoo_53: "zoo/specs/zoo_53.toml", check_views;
    zoo_54: "zoo/specs/zoo_54.toml";
    zoo_55: "zoo/specs/zoo_55.toml";
    zoo_56: "zoo/specs/zoo_56.toml";
}

differential_of! {
    ataxx: nnue_tests::ataxx = "../specs/games/ataxx.toml", check_custom;
    bullet_simple: nnue_tests::simple = "../specs/bullet/simple.toml";
    bytes: nnue_tests::features::bytes = "specs/features/bytes.toml";
    clock: nnue_tests::features::clock = "specs/features/clock.toml";
    king_buckets: nnue_tests::features::king_buckets = "specs/features/king_buckets.toml";
    materials: nnue_tests::features::materials = "specs/features/materials.toml";
    mixed: nnue_tests::features::mixed = "specs/features/mixed.toml", check_mixed;
    queens: nnue_tests::features::queens = "specs/features/queens.toml";
    queens_and_threats: nnue_tests::features::queens_and_threats = "specs/features/queens_and_threats.toml";
    separate: nnue_tests::features::separate = "specs/perspectives/separate.toml";
    small128: nnue_tests::small128 = "../specs/small128.toml";
    threatened: nnue_tests::features::threatened = "specs/features/threatened.toml";
    threatened_and_pairs: nnue_tests::features::threatened_and_pairs = "specs/features/threatened_and_pairs.toml";
    threats: nnue_tests::features::threats = "specs/features/threats.toml";
    views: nnue_tests::features::views = "specs/features/views.toml", check_views;
}

/// A new word of the language fails here until one of these networks uses it.
#[test]
fn every_word_of_the_language_is_used() {
    let mut coverage = Coverage::default();
    let entries = include_str!("main.rs")
        .lines()
        .filter(|line| line.ends_with(';'));
    let paths = entries.filter_map(|entry| {
        entry
            .split('"')
            .find(|part| part.contains('/') && part.ends_with(".toml"))
    });
    for path in paths {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        coverage.add(&fs::read_to_string(path).expect("the spec is there"));
    }
    let missing = coverage.missing();
    assert!(missing.is_empty(), "no network uses {missing:?}");
}
