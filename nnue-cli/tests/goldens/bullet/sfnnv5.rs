//! Trains SFNNv5 with bullet, https://github.com/jw1912/bullet. `nnue trainer` wrote it.
//!
//! Put it into a package that depends on `bullet_lib` with the feature `cuda`, `rocm` or `metal`,
//! and set the names of the data and the numbers of the schedule, at the beginning and in `main`.
//!
//! The net file is `quantised.bin` in the folder of the last checkpoint: 47001424 bytes. `nnue
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
//! SFNNv5: HalfKAv2_hm[22528] -> 1024 x 2 -> (16 -> 32 -> 1) x 8
//!
//! tensor       shape     type  1.0 is  range                 computed as
//! accumulator  2 x 1024  i16      127                        biases + active features' rows
//! psqt sums    2 x 8     i32     9600                        active features' PSQT rows
//! clipped      2 x 1024  u8       127  0..=127               clamp(accumulator, 0, 127)
//! transformer  1024      u8       127  0..=126               clipped[j] * clipped[j + 512] >> 7
//! fc_0         16        i32     8128  -16515072..=16386048  affine(transformer), i8 with one 64, sparse
//! ac_sqr_0     15        u8       127  0..=127               min(x * x >> 19, 127), x = fc_0[..15]
//! ac_0         15        u8       127  0..=127               clamp(x >> 6, 0, 127), x = fc_0[..15]
//! fc_1         32        i32     8128  -487680..=483870      affine(ac_sqr_0 ++ ac_0), i8 with one 64
//! ac_1         32        u8       127  0..=127               clamp(x >> 6, 0, 127), x = fc_1
//! fc_2         1         i32     9600  -520192..=516128      affine(ac_1), i8 with one 9600 / 127
//! positional   1         i32     9600                        fc_2 + fc_0[15] * 150 / 127
//! psqt         1         i32     9600                        (own - opponent's psqt sum) / 2
//! value        1         i32      600                        (psqt + positional) / 16
//!
//! order: the side to move's half first
//! bucket: by pieces, 1-4: 0, 5-8: 1, 9-12: 2, 13-16: 3, 17-20: 4, 21-24: 5, 25-28: 6, 29-32: 7
//! ```

use bullet_lib::game::inputs::{Chess768, SparseInputType};
use bullet_lib::game::outputs::OutputBuckets;
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
const EVAL_SCALE: f32 = 600.0;
const NET_ID: &str = "sfnnv5";

const INPUTS: usize = 22528;
const WIDTH: usize = 1024;
const STACKS: usize = 8;
/// The bytes of the net file, which bullet pads.
const FILE_LEN: u64 = 47001424;

fn main() {
    let mut trainer = ValueTrainerBuilder::default()
        .dual_perspective()
        .optimiser(AdamW)
        .inputs(Inputs)
        .output_buckets(Stacks)
        .save_format(&saved_format())
        .loss_fn(|output, target| output.sigmoid().squared_error(target))
        .build(network);

    // What the integers of the file can hold; of sums that the file has, or is to have, half of it
    // for each summand. All others have bullet's own limit of 1.98.
    let limits = [
        ("pst", 16.0),
        ("fc_2w", 1.6801),
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
    let l0 = builder.new_affine("l0", INPUTS, WIDTH);
    l0.init_with_effective_input_size(32);
    let neurons = |input, start, end| l0.slice(start, end).forward(input).crelu();
    let pooled = |input| {
        let a = neurons(input, 0, 512);
        let b = neurons(input, 512, 1024);
        0.9921875 * (a * b)
    };
    let transformer = pooled(stm).concat(pooled(ntm));

    // PSQT values, which do not pass through the layers above.
    let rows = builder.new_weights("pst", (8, 22528), InitSettings::Zeroed);
    let psqt = 0.5 * (rows.matmul(stm) - rows.matmul(ntm));
    let psqt = psqt.select(stack);

    // fc_0: 1024 values to 16.
    let fc_0 = builder.new_affine("fc_0", 1024, STACKS * 16);
    let fc_0 = fc_0.forward(transformer).select(stack);

    // ac_sqr_0: min(x * x >> 19, 127) of the engine.
    let x_ = fc_0.slice_rows(0, 15);
    let ac_sqr_0 = (0.9921875 * (x_ * x_)).crelu();

    // ac_0: clamp(x >> 6, 0, 127) of the engine.
    let x_ = fc_0.slice_rows(0, 15);
    let ac_0 = x_.crelu();

    // fc_1: 30 values to 32.
    let fc_1 = builder.new_affine("fc_1", 30, STACKS * 32);
    let fc_1 = fc_1.forward(ac_sqr_0.concat(ac_0)).select(stack);

    // ac_1: clamp(x >> 6, 0, 127) of the engine.
    let ac_1 = fc_1.crelu();

    // fc_2: 32 values to 1.
    let fc_2 = builder.new_affine("fc_2", 32, STACKS);
    let fc_2 = fc_2.forward(ac_1).select(stack);

    // From the layers to the output, in which 1.0 is `EVAL_SCALE` of the engine's units.
    fc_2 + fc_0.slice_rows(15, 16) + psqt
}

/// What is saved, in the order of the net file.
fn saved_format() -> Vec<SavedFormat> {
    let mut saved = vec![
        // version
        SavedFormat::custom(0x7AF32F20u32.to_le_bytes()),
        // hash of the network
        SavedFormat::custom(0x1C102EF2u32.to_le_bytes()),
        // length of the description, which is empty
        SavedFormat::custom(0x00000000u32.to_le_bytes()),
        // transformer hash
        SavedFormat::custom(0x7F2344B8u32.to_le_bytes()),
        // transformer.biases, i16
        SavedFormat::id("l0b").round().quantise::<i16>(127),
        // transformer.weights (feature, neuron), i16
        SavedFormat::id("l0w").round().quantise::<i16>(127),
        // transformer.psqt (feature, stack), i32
        SavedFormat::id("pst").round().quantise::<i32>(9600),
    ];
    for stack in 0..STACKS {
        saved.extend([
            // hash
            SavedFormat::custom(0x63336A4Au32.to_le_bytes()),
            // fc_0.biases, i32
            SavedFormat::id("fc_0b")
                .transform(move |_, weights| arranged(&weights[16 * stack..], &[(16, 1)]))
                .round()
                .quantise::<i32>(8128),
            // fc_0.weights (output, input), i8
            SavedFormat::id("fc_0w")
                .transform(move |_, weights| arranged(&weights[16 * stack..], &[(16, 1), (1024, 128)]))
                .round()
                .quantise::<i8>(64),
            // fc_1.biases, i32
            SavedFormat::id("fc_1b")
                .transform(move |_, weights| arranged(&weights[32 * stack..], &[(32, 1)]))
                .round()
                .quantise::<i32>(8128),
            // fc_1.weights (output, input), i8
            SavedFormat::id("fc_1w")
                .transform(move |_, weights| arranged(&weights[32 * stack..], &[(32, 1), (30, 256)]))
                .transform(|_, weights| padded(weights, 30, 32))
                .round()
                .quantise::<i8>(64),
            // fc_2.biases, i32
            SavedFormat::id("fc_2b")
                .transform(move |_, weights| arranged(&weights[stack..], &[]))
                .round()
                .quantise::<i32>(9600),
            // fc_2.weights, i8
            SavedFormat::id("fc_2w")
                .transform(|_, weights| scaled(weights, &[75.59055]))
                .transform(move |_, weights| arranged(&weights[stack..], &[(32, 8)]))
                .round()
                .quantise::<i8>(1),
        ]);
    }
    saved
}

/// Values times a factor, or times one factor for each output in turn.
fn scaled(values: Vec<f32>, factors: &[f32]) -> Vec<f32> {
    values.into_iter().zip(factors.iter().cycle()).map(|(value, factor)| value * factor).collect()
}

/// Values in another order: of each axis, from the outermost one, how many values there are, and
/// how far apart they are in `values`.
fn arranged(values: &[f32], axes: &[(usize, usize)]) -> Vec<f32> {
    match axes {
        [] => vec![values[0]],
        [(len, step)] => values.iter().step_by(*step).take(*len).copied().collect(),
        [(len, step), inner @ ..] => {
            (0..*len).flat_map(|index| arranged(&values[index * step..], inner)).collect()
        }
    }
}

/// Values with zeros behind each run of `len`, so that it has `padded` of them.
fn padded(values: Vec<f32>, len: usize, padded: usize) -> Vec<f32> {
    let zeros = vec![0.0; padded - len];
    values.chunks(len).flat_map(|run| run.iter().chain(&zeros).copied().collect::<Vec<_>>()).collect()
}

/// The stack of layers that a position uses.
#[derive(Clone, Copy, Default)]
struct Stacks;

impl OutputBuckets<Position> for Stacks {
    const BUCKETS: usize = STACKS;

    fn bucket(&self, position: &Position) -> u8 {
        // For 0, 1, ... 32 pieces.
        #[rustfmt::skip]
        const STACK: [u8; 33] = [
            0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
            4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7,
        ];
        STACK[position.occ().count_ones() as usize]
    }
}

/// `HalfKAv2_hm`: the rows 0 to 22527.
static SET_0: PieceSquare = PieceSquare {
    rotates: false,
    mirror_files: 15,
    turn: 0,
    king_buckets: [
        28, 29, 30, 31, 31, 30, 29, 28, 24, 25, 26, 27, 27, 26, 25, 24, 20, 21, 22, 23,
        23, 22, 21, 20, 16, 17, 18, 19, 19, 18, 17, 16, 12, 13, 14, 15, 15, 14, 13, 12,
        8, 9, 10, 11, 11, 10, 9, 8, 4, 5, 6, 7, 7, 6, 5, 4, 0, 1, 2, 3, 3, 2, 1, 0,
    ],
    queen_buckets: 1,
    bucket_rows: 704,
    first_row: [[0, 128, 256, 384, 512, 640], [64, 192, 320, 448, 576, 640]],
    threatened: [-1, -1],
};

/// The active rows of the player who sees the board so.
fn rows(board: &Board) -> Vec<usize> {
    let mut rows = Vec::with_capacity(32);
    SET_0.find(board, |row| rows.push(row));
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
        32
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
        "HalfKAv2_hm".to_string()
    }
}

// The text of `tools/src/export/bullet/inputs/board.rs`.

// The text of `tools/src/export/bullet/inputs/piece_square.rs`.
