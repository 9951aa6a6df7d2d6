//! The generated code of all specs of the repository is checked with the feature `specs`: to compile
//! them takes minutes. `nnue verify --wiring` does the same for the machine that it runs on; this is
//! for others, which have no compiler.

use std::fs;
use std::path::Path;

macro_rules! specs {
    ($($network:ident: $path:literal;)*) => {
        const LISTED: &[&str] = &[$($path),*];

        $(#[cfg(feature = "specs")]
        mod $network {
            nnue_runtime::nnue_net!($path, check = "wiring");

            #[test]
            fn self_check() {
                nnue_wiring::check::<Net>().unwrap_or_else(|mismatch| panic!("{mismatch}"));
            }
        })*
    };
}

specs! {
    sfnnv1: "../../specs/sfnnv1.toml";
    sfnnv10: "../../specs/sfnnv10.toml";
    sfnnv11: "../../specs/sfnnv11.toml";
    sfnnv12: "../../specs/sfnnv12.toml";
    sfnnv13: "../../specs/sfnnv13.toml";
    sfnnv14: "../../specs/sfnnv14.toml";
    sfnnv14b: "../../specs/sfnnv14b.toml";
    sfnnv15: "../../specs/sfnnv15.toml";
    sfnnv16: "../../specs/sfnnv16.toml";
    sfnnv17: "../../specs/sfnnv17.toml";
    sfnnv2: "../../specs/sfnnv2.toml";
    sfnnv3: "../../specs/sfnnv3.toml";
    sfnnv4: "../../specs/sfnnv4.toml";
    sfnnv5: "../../specs/sfnnv5.toml";
    sfnnv6: "../../specs/sfnnv6.toml";
    sfnnv7: "../../specs/sfnnv7.toml";
    sfnnv8: "../../specs/sfnnv8.toml";
    sfnnv9: "../../specs/sfnnv9.toml";
    small128: "../../specs/small128.toml";
    bullet_input_buckets: "../../specs/bullet/input_buckets.toml";
    bullet_multi_layer: "../../specs/bullet/multi_layer.toml";
    bullet_output_buckets: "../../specs/bullet/output_buckets.toml";
    bullet_simple: "../../specs/bullet/simple.toml";
    bullet_skip: "../../specs/bullet/skip.toml";
    engines_alexandria: "../../specs/engines/alexandria.toml";
    engines_arasan: "../../specs/engines/arasan.toml";
    engines_berserk: "../../specs/engines/berserk.toml";
    engines_blackmarlin: "../../specs/engines/blackmarlin.toml";
    engines_caissa: "../../specs/engines/caissa.toml";
    engines_casanchess: "../../specs/engines/casanchess.toml";
    engines_cinder: "../../specs/engines/cinder.toml";
    engines_clover: "../../specs/engines/clover.toml";
    engines_devre: "../../specs/engines/devre.toml";
    engines_devre_august: "../../specs/engines/devre_august.toml";
    engines_halogen: "../../specs/engines/halogen.toml";
    engines_hobbes: "../../specs/engines/hobbes.toml";
    engines_hobbes_august: "../../specs/engines/hobbes_august.toml";
    engines_horsie: "../../specs/engines/horsie.toml";
    engines_integral: "../../specs/engines/integral.toml";
    engines_k32q2: "../../specs/engines/k32q2.toml";
    engines_koivisto: "../../specs/engines/koivisto.toml";
    engines_minic: "../../specs/engines/minic.toml";
    engines_monty: "../../specs/engines/monty.toml";
    engines_obsidian: "../../specs/engines/obsidian.toml";
    engines_patricia: "../../specs/engines/patricia.toml";
    engines_pawnocchio: "../../specs/engines/pawnocchio.toml";
    engines_plentychess: "../../specs/engines/plentychess.toml";
    engines_pzchessbot: "../../specs/engines/pzchessbot.toml";
    engines_reckless: "../../specs/engines/reckless.toml";
    engines_rubichess: "../../specs/engines/rubichess.toml";
    engines_rubichess_march: "../../specs/engines/rubichess_march.toml";
    engines_starzix: "../../specs/engines/starzix.toml";
    engines_stormphrax: "../../specs/engines/stormphrax.toml";
    engines_velvet: "../../specs/engines/velvet.toml";
    engines_viridithas14: "../../specs/engines/viridithas14.toml";
    engines_viridithas21: "../../specs/engines/viridithas21.toml";
    engines_viridithas21_raw: "../../specs/engines/viridithas21_raw.toml";
    games_ataxx: "../../specs/games/ataxx.toml";
    games_crazyhouse: "../../specs/games/crazyhouse.toml";
    games_shogi_kp: "../../specs/games/shogi_kp.toml";
    games_shogi_sfnn: "../../specs/games/shogi_sfnn.toml";
    games_shogi_sfnn_k3k3: "../../specs/games/shogi_sfnn_k3k3.toml";
    games_shogi_sfnn_progress: "../../specs/games/shogi_sfnn_progress.toml";
    games_shogi_sfnn_shards: "../../specs/games/shogi_sfnn_shards.toml";
    games_xiangqi: "../../specs/games/xiangqi.toml";
    games_xiangqi_no_psqt: "../../specs/games/xiangqi_no_psqt.toml";
    seed_a8: "../../specs/seed/a8.toml";
    seed_halfkav2_buckets: "../../specs/seed/halfkav2_buckets.toml";
    seed_halfkav2_psqt: "../../specs/seed/halfkav2_psqt.toml";
    seed_halfkp4: "../../specs/seed/halfkp4.toml";
    vocabulary_average: "../../specs/vocabulary/average.toml";
    vocabulary_binary: "../../specs/vocabulary/binary.toml";
    vocabulary_floating: "../../specs/vocabulary/floating.toml";
    vocabulary_max: "../../specs/vocabulary/max.toml";
    vocabulary_output_blocks: "../../specs/vocabulary/output_blocks.toml";
    vocabulary_quantmoid4: "../../specs/vocabulary/quantmoid4.toml";
    vocabulary_residual: "../../specs/vocabulary/residual.toml";
    vocabulary_sparse_inputs: "../../specs/vocabulary/sparse_inputs.toml";
    vocabulary_sparse_words: "../../specs/vocabulary/sparse_words.toml";
    vocabulary_wide_bytes: "../../specs/vocabulary/wide_bytes.toml";
    vocabulary_width_1568: "../../specs/vocabulary/width_1568.toml";
    vocabulary_width_96: "../../specs/vocabulary/width_96.toml";
}

/// The specs in a folder and in its folders, by the paths that the list has.
fn specs_in(folder: &str) -> Vec<String> {
    let inside = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(inside).expect("the folder is there");
    let found = entries.flat_map(|entry| {
        let entry = entry.expect("the folder can be read").path();
        let name = entry.file_name().and_then(|name| name.to_str());
        let path = format!("{folder}/{}", name.expect("names are plain"));
        match entry.is_dir() {
            true => specs_in(&path),
            false if path.ends_with(".toml") => vec![path],
            false => Vec::new(),
        }
    });
    found.collect()
}

#[test]
fn the_list_has_all_specs() {
    let mut found = specs_in("../../specs");
    let mut listed = LISTED.to_vec();
    found.sort();
    listed.sort();
    assert_eq!(listed, found);
}
