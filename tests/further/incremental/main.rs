//! Random play and walks of kings with the networks that `tests/incremental` leaves out.

mod engines;

use nnue_further_tests::sfnnv10;
use nnue_test_support::play::check_king_walks;
use nnue_test_support::synthetic::synthetic_net;

nnue_test_support::random_play! {
    bytes: nnue_further_tests::features::bytes = "../specs/features/bytes.toml";
    queens: nnue_further_tests::features::queens = "../specs/features/queens.toml";
    threatened: nnue_further_tests::features::threatened = "../specs/features/threatened.toml";
    a: nnue_further_tests::features::a = "../specs/features/a.toml";
    factorised: nnue_further_tests::features::factorised = "../specs/features/factorised.toml";
    factorised_bytes: nnue_further_tests::features::factorised_bytes = "../specs/features/factorised_bytes.toml";
    float_each: nnue_further_tests::features::float_each = "../specs/features/float_each.toml";
    float_sum: nnue_further_tests::features::float_sum = "../specs/features/float_sum.toml";
    float_truncated: nnue_further_tests::features::float_truncated = "../specs/features/float_truncated.toml";
    from_a8: nnue_further_tests::features::from_a8 = "../specs/features/from_a8.toml";
    from_h: nnue_further_tests::features::from_h = "../specs/features/from_h.toml";
    half_ka: nnue_further_tests::features::half_ka = "../specs/features/half_ka.toml";
    half_kp: nnue_further_tests::features::half_kp = "../specs/features/half_kp.toml";
    opponent_first: nnue_further_tests::features::opponent_first = "../specs/features/opponent_first.toml";
    rotated: nnue_further_tests::features::rotated = "../specs/features/rotated.toml";
    shifted: nnue_further_tests::features::shifted = "../specs/features/shifted.toml";
    shifted_words: nnue_further_tests::features::shifted_words = "../specs/features/shifted_words.toml";
    summed: nnue_further_tests::features::summed = "../specs/features/summed.toml";
    threats_by_square: nnue_further_tests::features::threats_by_square = "../specs/features/threats_by_square.toml";
    white_first: nnue_further_tests::perspectives::white_first = "../specs/perspectives/white_first.toml";
    interleaved: nnue_further_tests::perspectives::interleaved = "../specs/perspectives/interleaved.toml";
    interleaved_parts: nnue_further_tests::perspectives::interleaved_parts = "../specs/perspectives/interleaved_parts.toml";
    one: nnue_further_tests::perspectives::one = "../specs/perspectives/one.toml";
    one_separate: nnue_further_tests::perspectives::one_separate = "../specs/perspectives/one_separate.toml";
    white_only: nnue_further_tests::perspectives::white_only = "../specs/perspectives/white_only.toml";
    sfnnv1: nnue_further_tests::sfnnv1 = "../../specs/sfnnv1.toml";
    sfnnv2: nnue_further_tests::sfnnv2 = "../../specs/sfnnv2.toml";
    sfnnv5: nnue_further_tests::sfnnv5 = "../../specs/sfnnv5.toml";
}

#[test]
fn kings_cross_every_line_among_threats_to_kings() {
    let net = sfnnv10::Network::from_bytes(&synthetic_net("v10")).expect("our own file");
    check_king_walks(&net);
}
