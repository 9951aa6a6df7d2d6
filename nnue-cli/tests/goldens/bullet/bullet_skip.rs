//! Trains bullet skip with bullet, https://github.com/jw1912/bullet. `nnue trainer` wrote it.
//!
//! Put it into a package that depends on `bullet_lib` with the feature `cuda`, `rocm` or `metal`,
//! and set the names of the data and the numbers of the schedule, at the beginning and in `main`.
//!
//! The net file is `optimiser_state/weights.bin` in the folder of the last checkpoint. `nnue check
//! SPEC --net weights.bin` checks it.
//!
//! NOT THE SAME WHILE IT TRAINS: everything here is floating point. The engine has the integers
//! below. It rounds at each `>>` and `/`, mostly down, and bullet never does; weights are rounded
//! once, when they are saved, and those of 8 bits only have steps of one by what 1.0 is. Sums that
//! leave their type wrap around in the engine. So compare the evaluations of both: `nnue quantise`
//! and `nnue report` show what integers cost.
//!
//! ```text
//! bullet skip: KingBuckets[1536 + 768 virtual] -> 128 x 2 -> (16 -> 32 -> 1) x 8
//!
//! tensor       shape    type  1.0 is  range    computed as
//! accumulator  2 x 128  i16      255           biases + active features' rows
//! clipped      2 x 128  u8       255  0..=255  clamp(accumulator, 0, 255)
//! transformer  128      u8       127  0..=127  clipped[j] * clipped[j + 64] >> 9
//! l1           16       f32        1           affine(transformer), i8, sparse, sums * 1.230296e-4 in f32 before biases
//! ac           30       f32        1           clamp(x, 0, 1) ++ min(x * x, 1), x = l1[..15]
//! l2           32       f32        1           affine(ac), f32, sums by columns
//! a2           32       f32        1           clamp(x, 0, 1) squared, x = l2
//! l3           1        f32        1           affine(a2), f32, sums by lanes
//! value        1        i32        1           l3 + l1[15] * 400, truncated
//!
//! order: the side to move's half first
//! bucket: by pieces, 1-5: 0, 6-9: 1, 10-13: 2, 14-17: 3, 18-21: 4, 22-25: 5, 26-29: 6, 30-32: 7
//! ```

use bullet_lib::game::inputs::ChessBucketsMirrored;
use bullet_lib::game::outputs::MaterialCount;
use bullet_lib::nn::{InitSettings, ModelBuilder, ModelNode};
use bullet_lib::nn::optimiser::{AdamW, AdamWParams};
use bullet_lib::trainer::save::SavedFormat;
use bullet_lib::trainer::schedule::{TrainingSchedule, TrainingSteps, lr, wdl};
use bullet_lib::trainer::settings::LocalSettings;
use bullet_lib::value::{ValueTrainerBuilder, loader::DirectSequentialDataLoader};

/// The data: positions of bulletformat, in any order that training likes. For binpacks, see
/// `bullet_lib::value::loader`.
const DATA: [&str; 1] = ["data/positions.data"];
/// How long the training is: each superbatch is 100 million positions.
const SUPERBATCHES: usize = 240;
/// The share of the game's result in the target. The rest is the score.
const RESULT_SHARE: f32 = 0.5;
/// What 1.0 of the output is in the engine's units.
const EVAL_SCALE: f32 = 400.0;
const NET_ID: &str = "bullet-skip";

const INPUTS: usize = 1536;
const WIDTH: usize = 128;
const STACKS: usize = 8;

fn main() {
    let mut trainer = ValueTrainerBuilder::default()
        .dual_perspective()
        .optimiser(AdamW)
        .inputs(ChessBucketsMirrored::new(KING_BUCKETS))
        .output_buckets(MaterialCount::<STACKS>)
        .save_format(&saved_format())
        .loss_fn(|output, target| output.sigmoid().squared_error(target))
        .build(network);

    // What the integers of the file can hold; of sums that the file has, or is to have, half of it
    // for each summand. All others have bullet's own limit of 1.98.
    let limits = [
        ("l0w", 0.99),
        ("l0f", 0.99),
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
    // The transformer: 128 neurons for each perspective.
    let mut l0 = builder.new_affine("l0", INPUTS, WIDTH);
    l0.init_with_effective_input_size(32);
    // What all buckets have in common.
    let l0f = builder.new_weights("l0f", (WIDTH, 768), InitSettings::Zeroed);
    l0.weights = l0.weights + l0f.repeat(2);
    let neurons = |input, start, end| l0.slice(start, end).forward(input).crelu();
    let pooled = |input| {
        let a = neurons(input, 0, 64);
        let b = neurons(input, 64, 128);
        a * b
    };
    let transformer = pooled(stm).concat(pooled(ntm));

    // l1: 128 values to 16.
    let l1 = builder.new_affine("l1", 128, STACKS * 16);
    let l1 = l1.forward(transformer).select(stack);

    // ac: clamp(x, 0, 1) and min(x * x, 1) of the engine.
    let x_ = l1.slice_rows(0, 15);
    let ac = x_.crelu().concat((x_ * x_).crelu());

    // l2: 30 values to 32.
    let l2 = builder.new_affine("l2", 30, STACKS * 32);
    let l2 = l2.forward(ac).select(stack);

    // a2: clamp(x, 0, 1) squared of the engine.
    let a2 = l2.screlu();

    // l3: 32 values to 1.
    let l3 = builder.new_affine("l3", 32, STACKS);
    let l3 = l3.forward(a2).select(stack);

    // From the layers to the output, in which 1.0 is `EVAL_SCALE` of the engine's units.
    l3 + l1.slice_rows(15, 16)
}

/// What is saved, in the order of the net file.
fn saved_format() -> Vec<SavedFormat> {
    vec![
        // transformer.weights (feature, neuron), f32
        SavedFormat::id("l0w"),
        // transformer.virtual_weights (feature, neuron), f32
        SavedFormat::id("l0f"),
        // transformer.biases, f32
        SavedFormat::id("l0b"),
        // l1.weights (input, stack, output), f32
        SavedFormat::id("l1w"),
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

/// The bucket of each square of the own king, rank by rank from the first.
#[rustfmt::skip]
const KING_BUCKETS: [usize; 32] = [
     0,  0,  0,  0,
     1,  1,  1,  1,
     1,  1,  1,  1,
     1,  1,  1,  1,
     1,  1,  1,  1,
     1,  1,  1,  1,
     1,  1,  1,  1,
     1,  1,  1,  1,
];
