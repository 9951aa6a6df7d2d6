//! Random play with networks of all families of feature sets. `tests/further/incremental` has others.

nnue_test_support::random_play! {
    clock: nnue_tests::features::clock = "specs/features/clock.toml";
    king_buckets: nnue_tests::features::king_buckets = "specs/features/king_buckets.toml";
    materials: nnue_tests::features::materials = "specs/features/materials.toml";
    queens_and_threats: nnue_tests::features::queens_and_threats = "specs/features/queens_and_threats.toml";
    separate: nnue_tests::features::separate = "specs/perspectives/separate.toml";
    small128: nnue_tests::small128 = "../specs/small128.toml";
    threatened_and_pairs: nnue_tests::features::threatened_and_pairs = "specs/features/threatened_and_pairs.toml";
    threats: nnue_tests::features::threats = "specs/features/threats.toml";
}
