//! Specs of all kinds against the interpreter, on every level of this machine, and what the
//! documentation of the language says of rows, perspectives and stored weights.

mod engine_formulas;
mod feature_rows;
mod heads;
mod perspectives;
mod squares;
mod stored_layers;
mod stored_rows;

use nnue_further_tests as further;
use nnue_test_support::{differential, differential_of};

differential! {
    average: "../specs/layers/average.toml", check_by_caller;
    binary_parts: "../specs/layers/binary_parts.toml";
    bytes_behind_words: "../specs/layers/bytes_behind_words.toml";
    dual: "../specs/layers/dual.toml";
    factorised_layers: "../specs/layers/factorised.toml";
    factorised_queens: "../specs/features/factorised_queens.toml";
    factorised_stacks: "../specs/layers/factorised_stacks.toml";
    float_bits: "../specs/layers/float_bits.toml";
    float_rows: "../specs/layers/float_rows.toml";
    gated_bytes: "../specs/layers/gated_bytes.toml";
    halved_squares: "../specs/layers/halved_squares.toml";
    win_draw_loss: "../specs/layers/heads.toml";
    float_sums: "../specs/layers/float_sums.toml";
    further_heads: "../specs/layers/further_heads.toml";
    further_heads_of_three: "../specs/layers/further_heads_of_three.toml";
    halved_products: "../specs/layers/halved_products.toml";
    integers_become_f32: "../specs/layers/integers_become_f32.toml";
    interleaved_sums: "../specs/perspectives/interleaved_sums.toml";
    large_squares: "../specs/layers/large_squares.toml";
    limits: "../specs/layers/limits.toml";
    limits_below_one: "../specs/layers/limits_below_one.toml";
    longs: "../specs/layers/longs.toml";
    low_squares: "../specs/layers/low_squares.toml";
    many_stacks: "../specs/layers/many_stacks.toml", check_by_caller;
    new_user: "../specs/new_user.toml";
    one_buckets: "../specs/layers/one_buckets.toml";
    order_of_bytes: "../specs/order/bytes.toml";
    order_of_factorised: "../specs/order/factorised.toml";
    order_of_kept: "../specs/order/kept.toml";
    order_of_pairs: "../specs/order/pairs.toml";
    order_of_rows: "../specs/order/rows.toml";
    order_of_signs: "../specs/order/signs.toml";
    order_of_weights: "../specs/order/weights.toml";
    pair_blocks: "../specs/layers/pair_blocks.toml";
    pair_blocks_of_bytes: "../specs/layers/pair_blocks_of_bytes.toml";
    products_without_sign: "../specs/layers/products_without_sign.toml";
    psqt_of_layers: "../specs/layers/psqt_of_layers.toml";
    psqt_of_one: "../specs/perspectives/psqt_of_one.toml";
    quantmoid: "../specs/layers/quantmoid.toml";
    rational_output: "../specs/layers/rational_output.toml";
    rms_norm: "../specs/layers/rms_norm.toml";
    rms_norm_gains: "../specs/layers/rms_norm_gains.toml";
    rounded_products: "../specs/layers/rounded_products.toml";
    rounded_squares_of_bytes: "../specs/layers/rounded_squares_of_bytes.toml";
    rounded_word_products: "../specs/layers/rounded_word_products.toml";
    scales: "../specs/layers/scales.toml";
    screlu: "../specs/layers/screlu.toml";
    shards_of_products: "../specs/layers/shards_of_products.toml";
    shared: "../specs/layers/shared.toml";
    shared_of_stockfish: "../specs/layers/shared_of_stockfish.toml";
    shifted_squares: "../specs/layers/shifted_squares.toml";
    signed_inputs: "../specs/layers/signed_inputs.toml";
    squared_products: "../specs/layers/squared_products.toml";
    squares_of_many: "../specs/layers/squares_of_many.toml";
    squares_of_one: "../specs/perspectives/squares_of_one.toml";
    uneven_rounds: "../specs/layers/uneven_rounds.toml";
    word_products: "../specs/layers/word_products.toml";
    unpooled: "../specs/layers/unpooled.toml";
    wide_relu: "../specs/layers/wide_relu.toml";
    words: "../specs/layers/words.toml";
    words_times_words: "../specs/layers/words_times_words.toml";
}

/// Networks that other tests need too.
mod compiled {
    use super::*;

    differential_of! {
        feature_set_a: further::features::a = "../specs/features/a.toml";
        factorised: further::features::factorised = "../specs/features/factorised.toml";
        factorised_bytes: further::features::factorised_bytes = "../specs/features/factorised_bytes.toml";
        float_each: further::features::float_each = "../specs/features/float_each.toml";
        float_sum: further::features::float_sum = "../specs/features/float_sum.toml";
        float_truncated: further::features::float_truncated = "../specs/features/float_truncated.toml";
        from_a8: further::features::from_a8 = "../specs/features/from_a8.toml";
        from_h: further::features::from_h = "../specs/features/from_h.toml";
        half_ka: further::features::half_ka = "../specs/features/half_ka.toml";
        half_kp: further::features::half_kp = "../specs/features/half_kp.toml";
        opponent_first: further::features::opponent_first = "../specs/features/opponent_first.toml";
        paired_rows: further::features::paired_rows = "../specs/features/paired_rows.toml";
        rotated: further::features::rotated = "../specs/features/rotated.toml";
        shifted: further::features::shifted = "../specs/features/shifted.toml";
        shifted_words: further::features::shifted_words = "../specs/features/shifted_words.toml";
        summed: further::features::summed = "../specs/features/summed.toml";
        threats_by_square: further::features::threats_by_square = "../specs/features/threats_by_square.toml";
        white_first: further::perspectives::white_first = "../specs/perspectives/white_first.toml";
        interleaved: further::perspectives::interleaved = "../specs/perspectives/interleaved.toml";
        interleaved_parts: further::perspectives::interleaved_parts = "../specs/perspectives/interleaved_parts.toml";
        one: further::perspectives::one = "../specs/perspectives/one.toml";
        one_separate: further::perspectives::one_separate = "../specs/perspectives/one_separate.toml";
        white_only: further::perspectives::white_only = "../specs/perspectives/white_only.toml";
        format_stockfish: further::formats::stockfish = "../specs/formats/stockfish.toml";
        format_kept: further::formats::kept = "../specs/formats/kept.toml";
        format_leb128: further::formats::leb128 = "../specs/formats/leb128.toml";
        format_quantised: further::formats::quantised = "../specs/formats/quantised.toml";
        format_listed: further::formats::listed = "../specs/formats/listed.toml";
        format_raw: further::formats::raw = "../specs/formats/raw.toml";
        format_weights: further::formats::weights = "../specs/formats/weights.toml";
        format_tensors: further::formats::tensors = "../specs/formats/tensors.toml";
        bullet_output_buckets: further::bullet::output_buckets = "../../specs/bullet/output_buckets.toml";
        #[ignore = "large; run with --ignored"]
        bullet_input_buckets: further::bullet::input_buckets = "../../specs/bullet/input_buckets.toml";
        #[ignore = "large; run with --ignored"]
        bullet_multi_layer: further::bullet::multi_layer = "../../specs/bullet/multi_layer.toml";
        sfnnv1: nnue_further_tests::sfnnv1 = "../../specs/sfnnv1.toml";
        #[ignore = "large, and among the goldens; run with --ignored"]
        sfnnv2: further::sfnnv2 = "../../specs/sfnnv2.toml";
        #[ignore = "large, and among the goldens; run with --ignored"]
        sfnnv3: further::sfnnv3 = "../../specs/sfnnv3.toml";
        #[ignore = "large, and among the goldens; run with --ignored"]
        sfnnv4: further::sfnnv4 = "../../specs/sfnnv4.toml";
        #[ignore = "large, and among the goldens; run with --ignored"]
        sfnnv5: nnue_further_tests::sfnnv5 = "../../specs/sfnnv5.toml";
        #[ignore = "large, and among the goldens; run with --ignored"]
        sfnnv5_unrolled: further::sfnnv5_unrolled = "../../specs/sfnnv5.toml";
        small128_unrolled: further::small128_unrolled = "../../specs/small128.toml";
    }
}

/// Every element of the vocabulary, and engines' networks.
mod vocabulary {
    use super::*;

    differential! {
        average: "../../specs/vocabulary/average.toml";
        binary: "../../specs/vocabulary/binary.toml";
        floating: "../../specs/vocabulary/floating.toml";
        max: "../../specs/vocabulary/max.toml";
        output_blocks: "../../specs/vocabulary/output_blocks.toml";
        quantmoid4: "../../specs/vocabulary/quantmoid4.toml";
        residual: "../../specs/vocabulary/residual.toml";
        sparse_inputs: "../../specs/vocabulary/sparse_inputs.toml";
        sparse_words: "../../specs/vocabulary/sparse_words.toml";
        wide_bytes: "../../specs/vocabulary/wide_bytes.toml";
        width_96: "../../specs/vocabulary/width_96.toml";
        width_1568: "../../specs/vocabulary/width_1568.toml";
    }
}

/// The layers of engines whose last layers have 32 bits, or gates.
mod tails {
    use super::*;

    differential! {
        arasan: "../specs/tails/arasan.toml";
        hobbes: "../specs/tails/hobbes.toml";
        pawnocchio: "../specs/tails/pawnocchio.toml";
        stormphrax: "../specs/tails/stormphrax.toml";
        viridithas: "../specs/tails/viridithas.toml";
    }
}

/// Networks of engines, of trainers' examples and of published documents.
mod engines {
    use super::*;

    differential! {
        a8: "../../specs/seed/a8.toml";
        halfkp4: "../../specs/seed/halfkp4.toml";
        #[ignore = "large; run with --ignored"]
        halfkav2_psqt: "../../specs/seed/halfkav2_psqt.toml";
        #[ignore = "large; run with --ignored"]
        halfkav2_buckets: "../../specs/seed/halfkav2_buckets.toml";
        #[ignore = "large; run with --ignored"]
        berserk: "../../specs/engines/berserk.toml";
        #[ignore = "large; run with --ignored"]
        hobbes: "../../specs/engines/hobbes.toml";
        #[ignore = "large; run with --ignored"]
        viridithas14: "../../specs/engines/viridithas14.toml";
    }
}
