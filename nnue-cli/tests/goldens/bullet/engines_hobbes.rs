//! Trains Hobbes with bullet, https://github.com/jw1912/bullet. `nnue trainer` wrote it.
//!
//! Put it into a package that depends on `bullet_lib` with the feature `cuda`, `rocm` or `metal`,
//! and set the names of the data and the numbers of the schedule, at the beginning and in `main`.
//!
//! The net file is `quantised.bin` in the folder of the last checkpoint: 68444224 bytes. `nnue
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
//! Hobbes: KingBuckets[12288] + PawnPairs[4560] + Threats[59808] -> 768 x 2 -> (16 -> 32 -> 1) x 8
//!
//! tensor       shape    type    1.0 is  range                     computed as
//! accumulator  2 x 768  i16        255                            biases + active features' rows
//! clipped      2 x 768  u8         255  0..=255                   clamp(accumulator, 0, 255)
//! transformer  768      u8         127  0..=127                   clipped[j] * clipped[j + 384] >> 9
//! l1           16       i32         64  -48768..=48387            affine(transformer), i8 with one 16384 / 127, sparse, sums / 256 rounded down before biases
//! ac           32       i16       4096  0..=4096                  clamp(x << 6, 0, 4096) ++ min(x * x, 4096), x = l1
//! l2           32       i32     262144  -2147483648..=2147483647  affine(ac), i32 with one 64
//! a2           32       i32     262144  0..=262144                clamp(x, 0, 262144), x = l2
//! l3           1        i32   16777216  -2147483648..=2147483647  affine(a2), i32 with one 64
//! positional   1        i32   16777216                            l3
//! value        1        i32        400                            positional * 400 / 16777216
//!
//! Threats
//! attacker           rows           squares  victims of each colour
//! own pawn           0..=335        84       knight, rook
//! own knight         336..=3695     336      pawn, knight, bishop, rook, queen
//! own bishop         3696..=8175    560      pawn, knight, bishop, rook
//! own rook           8176..=15343   896      pawn, knight, bishop, rook
//! own queen          15344..=29903  1456     pawn, knight, bishop, rook, queen
//! opponent's pawn    29904..=30239  84       knight, rook
//! opponent's knight  30240..=33599  336      pawn, knight, bishop, rook, queen
//! opponent's bishop  33600..=38079  560      pawn, knight, bishop, rook
//! opponent's rook    38080..=45247  896      pawn, knight, bishop, rook
//! opponent's queen   45248..=59807  1456     pawn, knight, bishop, rook, queen
//!
//! order: the side to move's half first
//! bucket: by pieces, 1-5: 0, 6-9: 1, 10-13: 2, 14-17: 3, 18-21: 4, 22-25: 5, 26-29: 6, 30-32: 7
//! ```

use std::sync::LazyLock;

use bullet_lib::game::inputs::{Chess768, SparseInputType};
use bullet_lib::game::outputs::MaterialCount;
use bullet_lib::nn::{Affine, InitSettings, ModelBuilder, ModelNode};
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
const EVAL_SCALE: f32 = 400.0;
const NET_ID: &str = "hobbes";

const INPUTS: usize = 76656;
const WIDTH: usize = 768;
const STACKS: usize = 8;

fn main() {
    let mut trainer = ValueTrainerBuilder::default()
        .dual_perspective()
        .optimiser(AdamW)
        .inputs(Inputs)
        .output_buckets(MaterialCount::<STACKS>)
        .save_format(&saved_format())
        .loss_fn(|output, target| output.sigmoid().squared_error(target))
        .build(network);

    // What the integers of the file can hold; of sums that the file has, or is to have, half of it
    // for each summand. All others have bullet's own limit of 1.98.
    let limits = [
        ("l0w", 0.99),
        ("l0f", 0.99),
        ("l0t", 0.498),
        ("l1w", 0.9844),
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
fn network<'a>(
    builder: &'a ModelBuilder,
    stm: ModelNode<'a>,
    ntm: ModelNode<'a>,
    stack: ModelNode<'a>,
) -> ModelNode<'a> {
    // The transformer: 768 neurons for each perspective.
    let rows = builder.new_weights("l0w", (WIDTH, 12288), InitSettings::Normal { mean: 0.0, stdev: 0.25 });
    // What all buckets have in common.
    let common = builder.new_weights("l0f", (WIDTH, 768), InitSettings::Zeroed);
    let rows = rows + common.repeat(16);
    let next = builder.new_weights("l0t", (WIDTH, 64368), InitSettings::Normal { mean: 0.0, stdev: 0.25 });
    let rows = beside(rows, next);
    let bias = builder.new_weights("l0b", (WIDTH, 1), InitSettings::Zeroed);
    let l0 = Affine { weights: rows, bias };
    let neurons = |input, start, end| l0.slice(start, end).forward(input).crelu();
    let pooled = |input| {
        let a = neurons(input, 0, 384);
        let b = neurons(input, 384, 768);
        a * b
    };
    let transformer = pooled(stm).concat(pooled(ntm));

    // l1: 768 values to 16.
    let l1 = builder.new_affine("l1", 768, STACKS * 16);
    let l1 = l1.forward(transformer).select(stack);

    // ac: clamp(x << 6, 0, 4096) and min(x * x, 4096) of the engine.
    let ac = l1.crelu().concat((l1 * l1).crelu());

    // l2: 32 values to 32.
    let l2 = builder.new_affine("l2", 32, STACKS * 32);
    let l2 = l2.forward(ac).select(stack);

    // a2: clamp(x, 0, 262144) of the engine.
    let a2 = l2.crelu();

    // l3: 32 values to 1.
    let l3 = builder.new_affine("l3", 32, STACKS);
    let l3 = l3.forward(a2).select(stack);

    // From the layers to the output, in which 1.0 is `EVAL_SCALE` of the engine's units.
    l3
}

/// What is saved, in the order of the net file.
fn saved_format() -> Vec<SavedFormat> {
    vec![
        // transformer.weights_0 (feature, neuron), i16
        SavedFormat::id("l0w")
            .transform(|store, weights| merged(weights, store.get("l0f").values.f32(), 16))
            .round()
            .quantise::<i16>(255),
        // transformer.weights_1 (feature, neuron), i8
        SavedFormat::id("l0t").round().quantise::<i8>(255),
        // transformer.biases, i16
        SavedFormat::id("l0b").round().quantise::<i16>(255),
        // l1.weights (input, stack, output), i8
        SavedFormat::id("l1w").round().quantise::<i8>(129),
        // l1.biases (stack, output), i32
        SavedFormat::id("l1b").round().quantise::<i32>(64),
        // l2.weights (input, stack, output), i32
        SavedFormat::id("l2w").round().quantise::<i32>(64),
        // l2.biases (stack, output), i32
        SavedFormat::id("l2b").round().quantise::<i32>(262144),
        // l3.weights (input, stack), i32
        SavedFormat::id("l3w").round().quantise::<i32>(64),
        // l3.biases, i32
        SavedFormat::id("l3b").round().quantise::<i32>(16777216),
    ]
}

/// Rows with what all buckets have in common added to each of them.
fn merged(rows: Vec<f32>, common: &[f32], buckets: usize) -> Vec<f32> {
    rows.into_iter().zip(common.repeat(buckets)).map(|(row, common)| row + common).collect()
}

/// A matrix with the columns of `a`, then those of `b`.
fn beside<'a>(a: ModelNode<'a>, b: ModelNode<'a>) -> ModelNode<'a> {
    let column = |x: ModelNode<'a>| x.reshape((x.shape().size(), 1));
    let columns = a.shape().cols() + b.shape().cols();
    column(a).concat(column(b)).reshape((a.shape().rows(), columns))
}

/// `KingBuckets`: the rows 0 to 12287.
static SET_0: PieceSquare = PieceSquare {
    rotates: false,
    mirror_files: 240,
    turn: 0,
    king_buckets: [
        0, 1, 2, 3, 3, 2, 1, 0, 4, 5, 6, 7, 7, 6, 5, 4, 8, 8, 9, 9, 9, 9, 8, 8, 10, 10,
        11, 11, 11, 11, 10, 10, 12, 12, 13, 13, 13, 13, 12, 12, 12, 12, 13, 13, 13, 13,
        12, 12, 14, 14, 15, 15, 15, 15, 14, 14, 14, 14, 15, 15, 15, 15, 14, 14,
    ],
    queen_buckets: 1,
    bucket_rows: 768,
    first_row: [[0, 64, 128, 192, 256, 320], [384, 448, 512, 576, 640, 704]],
    threatened: [-1, -1],
};

/// `PawnPairs`: the rows 12288 to 16847.
static SET_1: PawnPairs = PawnPairs {
    mirror_files: 240,
    file_distance: 1,
};

/// `Threats`: the rows 16848 to 76655.
static SET_2: LazyLock<Threats> = LazyLock::new(|| Threats::new(Rules {
    mirror_files: 240,
    targets: [
        [-1, 0, -1, 1, -1, -1],
        [0, 1, 2, 3, 4, -1],
        [0, 1, 2, 3, -1, -1],
        [0, 1, 2, 3, -1, -1],
        [0, 1, 2, 3, 4, -1],
        [-1, -1, -1, -1, -1, -1],
    ],
    pushes: false,
    mutual_once: true,
    interleaved: false,
    by_square: false,
}));

/// The active rows of the player who sees the board so.
fn rows(board: &Board) -> Vec<usize> {
    let mut rows = Vec::with_capacity(408);
    SET_0.find(board, |row| rows.push(row));
    SET_1.find(board, |row| rows.push(12288 + row));
    SET_2.find(board, |row| rows.push(16848 + row));
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
        408
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
        "KingBuckets + PawnPairs + Threats".to_string()
    }
}

// The text of `tools/src/export/bullet/inputs/board.rs`.

// The text of `tools/src/export/bullet/inputs/piece_square.rs`.

// The text of `tools/src/export/bullet/inputs/pawn_pairs.rs`.

// The text of `tools/src/export/bullet/inputs/threats.rs`.
