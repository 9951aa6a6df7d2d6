//! Trains PlentyChess with bullet, https://github.com/jw1912/bullet. `nnue trainer` wrote it.
//!
//! Put it into a package that depends on `bullet_lib` with the feature `cuda`, `rocm` or `metal`,
//! and set the names of the data and the numbers of the schedule, at the beginning and in `main`.
//!
//! The net file is `quantised.bin` in the folder of the last checkpoint: 84956704 bytes. `nnue
//! check SPEC --net quantised.bin` checks it. If it is missing, bullet has printed why: a number
//! that its type does not hold.
//!
//! NOT THE SAME FILE: the spec's has transformer.weights_0, transformer.weights_1,
//! transformer.biases, l1.weights, l1.biases, l2.weights, l2.biases, l3.weights, l3.biases
//! compressed, and bullet writes numbers as they are. `nnue convert` writes the spec's file, from a
//! spec that differs in its `encoding`, which is `raw`.
//!
//! NOT THE SAME WHILE IT TRAINS: everything here is floating point. The engine has the integers
//! below. It rounds at each `>>` and `/`, mostly down, and bullet never does; weights are rounded
//! once, when they are saved, and those of 8 bits only have steps of one by what 1.0 is. Sums that
//! leave their type wrap around in the engine. So compare the evaluations of both: `nnue quantise`
//! and `nnue report` show what integers cost.
//!
//! ```text
//! PlentyChess: KingBuckets[9216] + PawnPairs[4560] + Threats[59808] -> 1024 x 2 -> (16 -> 32 -> 1) x 8
//!
//! tensor       shape     type  1.0 is  range    computed as
//! accumulator  2 x 1024  i16      255           biases + active features' rows
//! clipped      2 x 1024  u8       255  0..=255  clamp(accumulator, 0, 255)
//! transformer  1024      u8       127  0..=127  clipped[j] * clipped[j + 512] >> 9
//! l1           16        f32        1           affine(transformer), i8, sparse, sums * 1.230296e-4 in f32 before biases
//! ac           32        f32        1           clamp(x, 0, 1) ++ min(x * x, 1), x = l1
//! l2           32        f32        1           affine(ac), f32, sums by columns
//! a2           32        f32        1           clamp(x, 0, 1) squared, x = l2
//! l3           1         f32        1           affine(a2 ++ ac), f32, sums by lanes
//! value        1         i32        1           l3 * 287, truncated
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
const EVAL_SCALE: f32 = 287.0;
const NET_ID: &str = "plentychess";

const INPUTS: usize = 73584;
const WIDTH: usize = 1024;
const STACKS: usize = 8;
/// The bytes of the net file, which bullet pads.
const FILE_LEN: u64 = 84956704;

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
        ("l0_0w", 0.99),
        ("l0_0f", 0.99),
        ("l0_1w", 0.498),
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

    // bullet pads the file to a multiple of 64 bytes, and the engine's has nothing at its end.
    let path = format!("checkpoints/{NET_ID}-{SUPERBATCHES}/quantised.bin");
    let file = std::fs::File::options().write(true).open(path);
    file.and_then(|file| file.set_len(FILE_LEN)).expect("bullet has saved the net");
}

/// The network: 1.0 is 1.0 in all tensors, which the engine has in integers.
fn network<'a>(
    builder: &'a ModelBuilder,
    stm: ModelNode<'a>,
    ntm: ModelNode<'a>,
    stack: ModelNode<'a>,
) -> ModelNode<'a> {
    // The transformer: 1024 neurons for each perspective.
    let rows = builder.new_weights("l0_0w", (WIDTH, 9216), InitSettings::Normal { mean: 0.0, stdev: 0.25 });
    // What all buckets have in common.
    let common = builder.new_weights("l0_0f", (WIDTH, 768), InitSettings::Zeroed);
    let rows = rows + common.repeat(12);
    let next = builder.new_weights("l0_1w", (WIDTH, 64368), InitSettings::Normal { mean: 0.0, stdev: 0.25 });
    let rows = beside(rows, next);
    let bias = builder.new_weights("l0b", (WIDTH, 1), InitSettings::Zeroed);
    let l0 = Affine { weights: rows, bias };
    let neurons = |input, start, end| l0.slice(start, end).forward(input).crelu();
    let pooled = |input| {
        let a = neurons(input, 0, 512);
        let b = neurons(input, 512, 1024);
        a * b
    };
    let transformer = pooled(stm).concat(pooled(ntm));

    // l1: 1024 values to 16.
    let l1 = builder.new_affine("l1", 1024, STACKS * 16);
    let l1 = l1.forward(transformer).select(stack);

    // ac: clamp(x, 0, 1) and min(x * x, 1) of the engine.
    let ac = l1.crelu().concat((l1 * l1).crelu());

    // l2: 32 values to 32.
    let l2 = builder.new_affine("l2", 32, STACKS * 32);
    let l2 = l2.forward(ac).select(stack);

    // a2: clamp(x, 0, 1) squared of the engine.
    let a2 = l2.screlu();

    // l3: 64 values to 1.
    let l3 = builder.new_affine("l3", 64, STACKS);
    let l3 = l3.forward(a2.concat(ac)).select(stack);

    // From the layers to the output, in which 1.0 is `EVAL_SCALE` of the engine's units.
    l3
}

/// What is saved, in the order of the net file.
fn saved_format() -> Vec<SavedFormat> {
    vec![
        // transformer.weights_0 (feature, neuron), i16
        SavedFormat::id("l0_0w")
            .transform(|store, weights| merged(weights, store.get("l0_0f").values.f32(), 12))
            .round()
            .quantise::<i16>(255),
        // transformer.weights_1 (feature, neuron), i8
        SavedFormat::id("l0_1w").round().quantise::<i8>(255),
        // transformer.biases, i16
        SavedFormat::id("l0b").round().quantise::<i16>(255),
        // l1.weights (input, stack, output), i8
        SavedFormat::id("l1w").round().quantise::<i8>(64),
        // l1.biases (stack, output), f32
        SavedFormat::id("l1b"),
        // l2.weights (input, stack, output), f32
        SavedFormat::id("l2w"),
        // l2.biases (stack, output), f32
        SavedFormat::id("l2b"),
        // l3.weights (input, stack), f32
        SavedFormat::id("l3w"),
        // l3.biases, f32
        SavedFormat::id("l3b"),
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

/// `KingBuckets`: the rows 0 to 9215.
static SET_0: PieceSquare = PieceSquare {
    rotates: false,
    mirror_files: 240,
    turn: 0,
    king_buckets: [
        0, 1, 2, 3, 3, 2, 1, 0, 4, 5, 6, 7, 7, 6, 5, 4, 8, 8, 9, 9, 9, 9, 8, 8, 10, 10,
        10, 10, 10, 10, 10, 10, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
        11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
    ],
    queen_buckets: 1,
    bucket_rows: 768,
    first_row: [[0, 64, 128, 192, 256, 320], [384, 448, 512, 576, 640, 704]],
    threatened: [-1, -1],
};

/// `PawnPairs`: the rows 9216 to 13775.
static SET_1: PawnPairs = PawnPairs {
    mirror_files: 240,
    file_distance: 1,
};

/// `Threats`: the rows 13776 to 73583.
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
    SET_1.find(board, |row| rows.push(9216 + row));
    SET_2.find(board, |row| rows.push(13776 + row));
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
