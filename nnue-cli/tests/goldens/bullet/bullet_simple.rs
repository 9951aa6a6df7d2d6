//! Trains bullet simple with bullet, https://github.com/jw1912/bullet. `nnue trainer` wrote it.
//!
//! Put it into a package that depends on `bullet_lib` with the feature `cuda`, `rocm` or `metal`,
//! and set the names of the data and the numbers of the schedule, at the beginning and in `main`.
//!
//! The net file is `quantised.bin` in the folder of the last checkpoint: 197440 bytes. `nnue check
//! SPEC --net quantised.bin` checks it. If it is missing, bullet has printed why: a number that its
//! type does not hold.
//!
//! NOT THE SAME WHILE IT TRAINS: everything here is floating point. The engine has the integers
//! below. It rounds at each `>>` and `/`, mostly down, and bullet never does; weights are rounded
//! once, when they are saved, and those of 8 bits only have steps of one by what 1.0 is. Sums that
//! leave their type wrap around in the engine. So compare the evaluations of both: `nnue quantise`
//! and `nnue report` show what integers cost.
//!
//! ```text
//! bullet simple: A[768] -> 128 x 2 -> 1
//!
//! tensor       shape    type  1.0 is  range               computed as
//! accumulator  2 x 128  i16      255                      biases + active features' rows
//! transformer  256      u16    65025  0..=65025           clamp(accumulator, 0, 255) squared
//! l1           1        i32    16320  -8421504..=8421504  affine(transformer), i16 with one 64, sums / 255 before biases
//! positional   1        i32    16320                      l1
//! value        1        i32      400                      positional * 400 / 16320
//!
//! order: the side to move's half first
//! ```

use bullet_lib::game::inputs::Chess768;
use bullet_lib::nn::{ModelBuilder, ModelNode};
use bullet_lib::nn::optimiser::AdamW;
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
const NET_ID: &str = "bullet-simple";

const INPUTS: usize = 768;
const WIDTH: usize = 128;

fn main() {
    let mut trainer = ValueTrainerBuilder::default()
        .dual_perspective()
        .optimiser(AdamW)
        .inputs(Chess768)
        .save_format(&saved_format())
        .loss_fn(|output, target| output.sigmoid().squared_error(target))
        .build(network);

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
fn network<'a>(builder: &'a ModelBuilder, stm: ModelNode<'a>, ntm: ModelNode<'a>) -> ModelNode<'a> {
    // The transformer: 128 neurons for each perspective.
    let l0 = builder.new_affine("l0", INPUTS, WIDTH);
    l0.init_with_effective_input_size(32);
    let neurons = |input| l0.forward(input).screlu();
    let transformer = neurons(stm).concat(neurons(ntm));

    // l1: 256 values to 1.
    let l1 = builder.new_affine("l1", 256, 1);
    let l1 = l1.forward(transformer);

    // From the layers to the output, in which 1.0 is `EVAL_SCALE` of the engine's units.
    l1
}

/// What is saved, in the order of the net file.
fn saved_format() -> Vec<SavedFormat> {
    vec![
        // transformer.weights (feature, neuron), i16
        SavedFormat::id("l0w").round().quantise::<i16>(255),
        // transformer.biases, i16
        SavedFormat::id("l0b").round().quantise::<i16>(255),
        // l1.weights, i16
        SavedFormat::id("l1w").round().quantise::<i16>(64),
        // l1.biases, i16
        SavedFormat::id("l1b").round().quantise::<i16>(16320),
    ]
}
