//! Trains Monty with bullet, https://github.com/jw1912/bullet. `nnue trainer` wrote it.
//!
//! Put it into a package that depends on `bullet_lib` with the feature `cuda`, `rocm` or `metal`,
//! and set the names of the data and the numbers of the schedule, at the beginning and in `main`.
//!
//! The net file is `quantised.bin` in the folder of the last checkpoint: 661588864 bytes. `nnue
//! check SPEC --net quantised.bin` checks it. If it is missing, bullet has printed why: a number
//! that its type does not hold.
//!
//! NOT THE SAME WHILE IT TRAINS: everything here is floating point. The engine has the integers
//! below. It rounds at each `>>` and `/`, mostly down, and bullet never does; weights are rounded
//! once, when they are saved, and those of 8 bits only have steps of one by what 1.0 is. Sums that
//! leave their type wrap around in the engine. So compare the evaluations of both: `nnue quantise`
//! and `nnue report` show what integers cost.
//!
//! ```text
//! Monty: Threats[79856] + A[768] -> 8192 -> 16 -> 128 -> 3
//!
//! tensor       shape  type   1.0 is  range      computed as
//! accumulator  8192   i16       128             biases + active features' rows
//! psqt sums    3      i32   8388608             active features' PSQT rows
//! clipped      8192   u8        128  0..=128    clamp(accumulator, 0, 128)
//! transformer  4096   i16     16384  0..=16384  clipped[j] * clipped[j + 4096]
//! psqt         3      i32   8388608             the psqt sum
//! l1           16     f32         1             affine(transformer), i16, sparse by inputs, sums * 5.9604645e-8 in f32 before biases
//! a1           16     f32         1             clamp(x, 0, 1) squared, x = l1
//! l2           128    f32         1             affine(a1), f32, sums by columns
//! a2           128    f32         1             clamp(x, 0, 1) squared, x = l2
//! l3           3      f32         1             affine(a2), f32, sums by columns
//! linear       3      f32         1             psqt * 1.1920929e-7
//! logits       3      f32         1             l3 + linear
//! win.value    1      i32         1             logits[2] * 65536, truncated
//! draw.value   1      i32         1             logits[1] * 65536, truncated
//! loss.value   1      i32         1             logits[0] * 65536, truncated
//!
//! Threats
//! attacker           rows           squares  victims of each colour
//! own pawn           0..=503        84       pawn, knight, rook
//! own knight         504..=4535     336      pawn, knight, bishop, rook, queen, king
//! own bishop         4536..=10135   560      pawn, knight, bishop, rook, king
//! own rook           10136..=19095  896      pawn, knight, bishop, rook, king
//! own queen          19096..=36567  1456     pawn, knight, bishop, rook, queen, king
//! own king           36568..=39927  420      pawn, knight, bishop, rook
//! opponent's pawn    39928..=40431  84       pawn, knight, rook
//! opponent's knight  40432..=44463  336      pawn, knight, bishop, rook, queen, king
//! opponent's bishop  44464..=50063  560      pawn, knight, bishop, rook, king
//! opponent's rook    50064..=59023  896      pawn, knight, bishop, rook, king
//! opponent's queen   59024..=76495  1456     pawn, knight, bishop, rook, queen, king
//! opponent's king    76496..=79855  420      pawn, knight, bishop, rook
//!
//! order: the side to move's perspective only
//! ```

use std::sync::LazyLock;

use bullet_lib::game::inputs::{Chess768, SparseInputType};
use bullet_lib::nn::{InitSettings, ModelBuilder, ModelNode};
use bullet_lib::nn::optimiser::{AdamW, AdamWParams};
use bullet_lib::trainer::save::SavedFormat;
use bullet_lib::trainer::schedule::{TrainingSchedule, TrainingSteps, lr, wdl};
use bullet_lib::trainer::settings::LocalSettings;
use bullet_lib::value::{ValueTrainerBuilder, loader::DirectSequentialDataLoader};

/// A position as bullet reads it.
type Position = <Chess768 as SparseInputType>::RequiredDataType;

/// The data: positions of bulletformat, in any order that training likes. For binpacks, see
/// `bullet_lib::value::loader`.
const DATA: [&str; 1] = ["data/positions.data"];
/// How long the training is: each superbatch is 100 million positions.
const SUPERBATCHES: usize = 240;
/// The share of the game's result in the target. The rest is the score.
const RESULT_SHARE: f32 = 0.5;
/// What 1.0 of the output is in the engine's units.
const EVAL_SCALE: f32 = 65536.0;
const NET_ID: &str = "monty";

const INPUTS: usize = 80624;
const WIDTH: usize = 8192;

fn main() {
    let mut trainer = ValueTrainerBuilder::default()
        .single_perspective()
        .optimiser(AdamW)
        .inputs(Inputs)
        .wdl_output()
        .save_format(&saved_format())
        .loss_fn(|output, target| output.softmax_crossentropy_loss(target).reduce_sum_rows())
        .build(network);

    // What the integers of the file can hold; of sums that the file has, or is to have, half of it
    // for each summand. All others have bullet's own limit of 1.98.
    let limits = [
        ("pst", 0.8888),
        ("l0w", 0.9921),
        ("l0b", 0.9921),
    ];
    for (id, limit) in limits {
        let params = AdamWParams { min_weight: -limit, max_weight: limit, ..Default::default() };
        trainer.optimiser.set_params_for_weight(id, params);
    }

    let schedule = TrainingSchedule {
        net_id: NET_ID.to_string(),
        eval_scale: EVAL_SCALE,
        steps: TrainingSteps {
            batch_size: 16_384,
            batches_per_superbatch: 6104,
            start_superbatch: 1,
            end_superbatch: SUPERBATCHES,
        },
        wdl_scheduler: wdl::ConstantWDL { value: RESULT_SHARE },
        lr_scheduler: lr::CosineDecayLR {
            initial_lr: 0.001,
            final_lr: 0.001 * 0.3f32.powi(5),
            final_superbatch: SUPERBATCHES,
        },
        save_rate: 10,
    };
    let settings = LocalSettings {
        threads: 4,
        test_set: None,
        output_directory: "checkpoints",
        batch_queue_size: 32,
    };
    trainer.run(&schedule, &settings, &DirectSequentialDataLoader::new(&DATA));
}

/// The network: 1.0 is 1.0 in all tensors, which the engine has in integers.
fn network<'a>(builder: &'a ModelBuilder, stm: ModelNode<'a>) -> ModelNode<'a> {
    // The transformer: 8192 neurons for each perspective.
    let l0 = builder.new_affine("l0", INPUTS, WIDTH);
    l0.init_with_effective_input_size(32);
    let neurons = |input, start, end| l0.slice(start, end).forward(input).crelu();
    let pooled = |input| {
        let a = neurons(input, 0, 4096);
        let b = neurons(input, 4096, 8192);
        a * b
    };
    let transformer = pooled(stm);

    // PSQT values, which do not pass through the layers above.
    let rows = builder.new_weights("pst", (3, 80624), InitSettings::Zeroed);
    let psqt = rows.matmul(stm);

    // l1: 4096 values to 16.
    let l1 = builder.new_affine("l1", 4096, 16);
    let l1 = l1.forward(transformer);

    // a1: clamp(x, 0, 1) squared of the engine.
    let a1 = l1.screlu();

    // l2: 16 values to 128.
    let l2 = builder.new_affine("l2", 16, 128);
    let l2 = l2.forward(a1);

    // a2: clamp(x, 0, 1) squared of the engine.
    let a2 = l2.screlu();

    // l3: 128 values to 3.
    let l3 = builder.new_affine("l3", 128, 3);
    let l3 = l3.forward(a2);

    // linear: integers as floating point.
    let linear = psqt;

    // logits: a sum.
    let logits = l3 + linear;

    // From the layers to the output, in which 1.0 is `EVAL_SCALE` of the engine's units.
    logits.slice_rows(0, 1).concat(logits.slice_rows(1, 2)).concat(logits.slice_rows(2, 3))
}

/// What is saved, in the order of the net file.
fn saved_format() -> Vec<SavedFormat> {
    vec![
        // transformer.psqt (feature, stack), f32
        SavedFormat::id("pst"),
        // transformer.weights (feature, neuron), i8
        SavedFormat::id("l0w").round().quantise::<i8>(128),
        // transformer.biases, i8
        SavedFormat::id("l0b").round().quantise::<i8>(128),
        // l1.weights (output, input), i16
        SavedFormat::id("l1w").transpose().round().quantise::<i16>(1024),
        // l1.biases, i16
        SavedFormat::id("l1b").round().quantise::<i16>(1024),
        // l2.weights (input, output), f32
        SavedFormat::id("l2w"),
        // l2.biases, f32
        SavedFormat::id("l2b"),
        // l3.weights (input, output), f32
        SavedFormat::id("l3w"),
        // l3.biases, f32
        SavedFormat::id("l3b"),
    ]
}

/// `Threats`: the rows 0 to 79855.
static SET_0: LazyLock<Threats> = LazyLock::new(|| Threats::new(Rules {
    mirror_files: 240,
    targets: [
        [0, 1, -1, 2, -1, -1],
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2, 3, -1, 4],
        [0, 1, 2, 3, -1, 4],
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2, 3, -1, -1],
    ],
    pushes: false,
    mutual_once: true,
    interleaved: false,
    by_square: false,
}));

/// `A`: the rows 79856 to 80623.
static SET_1: PieceSquare = PieceSquare {
    rotates: false,
    mirror_files: 240,
    turn: 0,
    king_buckets: [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ],
    queen_buckets: 1,
    bucket_rows: 768,
    first_row: [[0, 64, 128, 192, 256, 320], [384, 448, 512, 576, 640, 704]],
    threatened: [-1, -1],
};

/// The active rows of the player who sees the board so.
fn rows(board: &Board) -> Vec<usize> {
    let mut rows = Vec::with_capacity(288);
    SET_0.find(board, |row| rows.push(row));
    SET_1.find(board, |row| rows.push(79856 + row));
    rows
}

/// The features of the spec.
#[derive(Clone, Copy)]
struct Inputs;

impl SparseInputType for Inputs {
    type RequiredDataType = Position;

    fn num_inputs(&self) -> usize {
        INPUTS
    }

    fn max_active(&self) -> usize {
        288
    }

    fn map_features<F: FnMut(usize, usize)>(&self, position: &Position, mut f: F) {
        let mut board = Board { pieces: [None; 64], is_opponents: false };
        for (piece, square) in position.into_iter() {
            board.pieces[usize::from(square)] = Some((usize::from(piece >> 3), usize::from(piece & 7)));
        }
        // Both have as many rows. Their order does not matter.
        let (own, opponents) = (rows(&board), rows(&board.of_opponent()));
        assert_eq!(own.len(), opponents.len(), "the perspectives have different numbers of rows");
        own.into_iter().zip(opponents).for_each(|(own, opponents)| f(own, opponents));
    }

    fn shorthand(&self) -> String {
        INPUTS.to_string()
    }

    fn description(&self) -> String {
        "Threats + A".to_string()
    }
}

// The text of `tools/src/export/bullet/inputs/board.rs`.

// The text of `tools/src/export/bullet/inputs/threats.rs`.

// The text of `tools/src/export/bullet/inputs/piece_square.rs`.
