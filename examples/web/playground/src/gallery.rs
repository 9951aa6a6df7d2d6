//! The specs of the project, to begin with.

use nnue_compiler::schema::{with_schema, without_schema};
use serde::Serialize;

/// The specs that a page offers.
#[derive(Debug, Serialize)]
pub struct Gallery {
    /// The specs, group by group.
    pub specs: Vec<Spec>,
}

/// A spec of the project.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Spec {
    /// The path of the spec's file in `specs`, without the extension.
    pub name: &'static str,
    /// The group that the spec belongs to.
    pub group: &'static str,
    /// The first sentence of the comment at its beginning.
    pub title: String,
    /// The text. Its first line names the schema by its address, as the text may go to any folder.
    pub text: String,
}

macro_rules! specs {
    ($($group:literal: $($name:literal)*;)*) => {
        &[$($(($group, $name, include_str!(concat!("../../../../specs/", $name, ".toml")))),*),*]
    };
}

/// The group, the name and the text of each spec.
const SPECS: &[(&str, &str, &str)] = specs! {
    "Stockfish":
        "sfnnv17" "sfnnv16" "sfnnv15" "sfnnv14b" "sfnnv14" "sfnnv13" "sfnnv12" "sfnnv11" "sfnnv10"
        "sfnnv9" "sfnnv8" "sfnnv7" "sfnnv6" "sfnnv5" "sfnnv4" "sfnnv3" "sfnnv2" "sfnnv1" "small128";
    "engines":
        "engines/alexandria" "engines/arasan" "engines/berserk" "engines/blackmarlin"
        "engines/caissa" "engines/casanchess" "engines/cinder" "engines/clover" "engines/devre"
        "engines/devre_august" "engines/halogen" "engines/hobbes" "engines/hobbes_august"
        "engines/horsie" "engines/integral" "engines/k32q2" "engines/koivisto" "engines/minic"
        "engines/monty" "engines/obsidian" "engines/patricia" "engines/pawnocchio"
        "engines/plentychess" "engines/pzchessbot" "engines/reckless" "engines/rubichess"
        "engines/rubichess_march" "engines/starzix" "engines/stormphrax" "engines/velvet"
        "engines/viridithas14" "engines/viridithas21" "engines/viridithas21_raw";
    "bullet":
        "bullet/simple" "bullet/input_buckets" "bullet/output_buckets" "bullet/multi_layer"
        "bullet/skip";
    "games":
        "games/ataxx" "games/crazyhouse" "games/shogi_kp" "games/shogi_sfnn"
        "games/shogi_sfnn_k3k3" "games/shogi_sfnn_progress" "games/shogi_sfnn_shards"
        "games/xiangqi" "games/xiangqi_no_psqt";
    "the NNUE document":
        "seed/a8" "seed/halfkp4" "seed/halfkav2_psqt" "seed/halfkav2_buckets";
    "vocabulary":
        "vocabulary/average" "vocabulary/binary" "vocabulary/floating" "vocabulary/max"
        "vocabulary/output_blocks" "vocabulary/quantmoid4" "vocabulary/residual"
        "vocabulary/sparse_inputs" "vocabulary/sparse_words" "vocabulary/wide_bytes"
        "vocabulary/width_1568" "vocabulary/width_96";
};

impl Gallery {
    /// All specs of the project, Stockfish's first.
    #[must_use]
    pub fn all() -> Gallery {
        let specs = SPECS.iter().map(|(group, name, text)| Spec {
            name,
            group,
            title: title(without_schema(text)),
            text: with_schema(text),
        });
        Gallery {
            specs: specs.collect(),
        }
    }
}

/// The first sentence of the comment at the beginning of a spec, without its period.
fn title(text: &str) -> String {
    let comment = text.lines().map_while(|line| line.strip_prefix('#'));
    let comment: Vec<&str> = comment.map(str::trim).collect();
    let comment = comment.join(" ");
    let sentence = comment
        .split_once(". ")
        .map_or(&*comment, |(first, _)| first);
    sentence.trim_end_matches('.').into()
}
