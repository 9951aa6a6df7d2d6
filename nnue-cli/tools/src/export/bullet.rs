//! A program that trains a network with [bullet](https://github.com/jw1912/bullet): its inputs, its
//! graph, and the tensors that it saves, in the order of the spec's file.
//!
//! Parameters are floating point in which 1.0 is 1.0: a tensor of the program has the numbers for
//! which the network's integers stand. `multiplier.rs` has the factors between them.

mod graph;
pub mod inputs;
mod multiplier;
mod parameters;
mod reason;
mod saved;

use nnue_compiler::feature_set::Family;
use nnue_compiler::feature_set::piece_square::{Flip, PieceOrder};
use nnue_compiler::format::{Format, Section};
use nnue_compiler::network::{Network, Op, Order, Scale, Units, WeightType};

pub use self::reason::Reason;

use self::inputs::snippet;
use self::parameters::{Parameters, pairs_in_blocks};
use self::saved::Saved;

/// A program for bullet.
#[derive(Clone, Debug)]
pub struct Program {
    /// The text of the program.
    pub text: String,
    /// The length in bytes of the file that the program saves; `None` if that file has bullet's own
    /// form.
    pub file_len: Option<usize>,
}

/// Writes the program that trains a network.
///
/// # Errors
///
/// The reasons for which bullet cannot train the network.
pub fn program(network: &Network) -> Result<Program, Vec<Reason>> {
    let parameters = Parameters::of(network);
    let reasons = reasons(&parameters);
    if !reasons.is_empty() {
        return Err(reasons);
    }
    let saved = saved::saved(&parameters);
    Ok(Program {
        text: text(&parameters, &saved),
        file_len: saved.len,
    })
}

/// The reasons for which bullet cannot train a network, in the order of the spec.
fn reasons(parameters: &Parameters<'_>) -> Vec<Reason> {
    let network = parameters.network;
    let transformer = &network.transformer;
    let mut reasons = Vec::new();
    for set in &network.features {
        match &set.family {
            Family::Custom(_) => reasons.push(Reason::CustomSet(set.name.clone())),
            Family::Clock(_) => reasons.push(Reason::Clock(set.name.clone())),
            Family::PieceSquare(own) => {
                let colours = |key: &str| Reason::Colours(format!("`{key}` of `{}`", set.name));
                if inputs::queen_buckets(own).is_none() {
                    reasons.push(Reason::Buckets(set.name.clone()));
                }
                if own.flip == Flip::None {
                    reasons.push(colours("flip = \"none\""));
                }
                if own.piece_order == PieceOrder::WhiteFirst {
                    reasons.push(colours("piece_order = \"white-first\""));
                }
            }
            Family::Threats(_) | Family::PawnPairs(_) => {}
        }
    }
    reasons.extend(parameters.reasons());
    let colours = |key: &str| Reason::Colours(format!("`{key}` of the transformer"));
    if transformer.perspectives.separate {
        reasons.push(colours("weights = \"separate\""));
    }
    match transformer.perspectives.order {
        Order::StmFirst => {}
        Order::WhiteFirst => reasons.push(colours("order = \"white-first\"")),
        Order::Interleaved => reasons.push(Reason::Interleaved),
    }
    if pairs_in_blocks(network) && network.file.format == Format::Named {
        reasons.push(Reason::PairsOfWeights);
    }
    if network.stacks.count > 1 && network.stacks.by_pieces.is_none() {
        reasons.push(Reason::Caller);
    }
    for layer in &network.layers {
        let name = || layer.name.clone();
        if let Some(operation) = graph::unknown_operation(layer) {
            reasons.push(Reason::UnknownOperation(name(), operation));
        }
        let Op::Affine(op) = &layer.op else { continue };
        if op.weights == WeightType::Binary {
            reasons.push(Reason::Binary(name()));
        }
        if op.to_float == Some(Scale::OfFile) {
            reasons.push(Reason::Scales(name()));
        }
        if op.output_blocks.is_some() {
            reasons.push(Reason::OutputBlocks(name()));
        }
        if op.shards.is_some() {
            reasons.push(Reason::Shards(name()));
        }
    }
    let kept = network.file.sections.iter();
    reasons.extend(kept.filter_map(|section| match section {
        Section::Kept { name, .. } => Some(Reason::Kept(name.to_string())),
        _ => None,
    }));
    let further = network.output.further.iter();
    reasons.extend(further.map(|head| Reason::FurtherHead(head.name.clone())));
    reasons
}

fn text(parameters: &Parameters<'_>, saved: &Saved) -> String {
    let network = parameters.network;
    let inputs = inputs::argument(network);
    let stacks = stacks(network);
    let graph = graph::function(parameters);
    let main = main(parameters, saved, &inputs, &stacks);
    let function = format!(
        "/// What is saved, in the order of the net file.\n{}",
        saved.function
    );
    let network_doc =
        "/// The network: 1.0 is 1.0 in all tensors, which the engine has in integers.\n";
    let mut items = vec![
        constants(network, saved),
        main,
        format!("{network_doc}{graph}"),
        function,
    ];
    let helpers = snippet(include_str!("bullet/helpers.rs"));
    // Each helper begins with its documentation.
    for helper in helpers.split("\n\n") {
        let name = helper
            .split("fn ")
            .nth(1)
            .and_then(|rest| rest.split(['(', '<']).next());
        let is_used = |name: &str| {
            items[2..]
                .iter()
                .any(|item| item.contains(&format!("{name}(")))
        };
        if name.is_some_and(is_used) {
            items.push(format!("{}\n", helper.trim_end()));
        }
    }
    items.extend(
        [stacks.items, inputs.items]
            .into_iter()
            .filter(|text| !text.is_empty()),
    );
    let body = items.join("\n");
    let position = if has_word(&body, "Position") {
        "/// A position as bullet reads it.\ntype Position = <Chess768 as SparseInputType>::RequiredDataType;\n\n"
    } else {
        ""
    };
    let body = format!("{position}{body}");
    format!(
        "{}\n{}\n{body}",
        documentation(network, saved),
        imports(&body)
    )
}

/// The documentation of the program, for the people who run it.
fn documentation(network: &Network, saved: &Saved) -> String {
    let mut text = String::new();
    let mut paragraph = |paragraph: &str| {
        text += "//!\n";
        text += &wrapped(paragraph, "//! ");
    };
    paragraph(&format!(
        "Trains {} with bullet, https://github.com/jw1912/bullet. `nnue trainer` wrote it.",
        network.name
    ));
    paragraph(
        "Put it into a package that depends on `bullet_lib` with the feature `cuda`, `rocm` or \
         `metal`, and set the names of the data and the numbers of the schedule, at the beginning \
         and in `main`.",
    );
    paragraph(&match saved.len {
        Some(len) => format!(
            "The net file is `quantised.bin` in the folder of the last checkpoint: {len} bytes. \
             `nnue check SPEC --net quantised.bin` checks it. If it is missing, bullet has \
             printed why: a number that its type does not hold."
        ),
        None => "The net file is `optimiser_state/weights.bin` in the folder of the last \
                 checkpoint. `nnue check SPEC --net weights.bin` checks it."
            .into(),
    });
    if !saved.compressed.is_empty() {
        paragraph(&format!(
            "NOT THE SAME FILE: the spec's has {} compressed, and bullet writes numbers as they \
             are. `nnue convert` writes the spec's file, from a spec that differs in its \
             `encoding`, which is `raw`.",
            saved.compressed.join(", ")
        ));
    }
    paragraph(
        "NOT THE SAME WHILE IT TRAINS: everything here is floating point. The engine has the \
         integers below. It rounds at each `>>` and `/`, mostly down, and bullet never does; \
         weights are rounded once, when they are saved, and those of 8 bits only have steps of one \
         by what 1.0 is. Sums that leave their type wrap around in the engine. So compare the \
         evaluations of both: `nnue quantise` and `nnue report` show what integers cost.",
    );
    let rotates = network.features.iter().any(|set| match &set.family {
        Family::PieceSquare(own) => own.flip == Flip::Rotate,
        _ => false,
    });
    if rotates {
        paragraph(
            "NOT THE SAME POSITIONS: black sees the engine's board from the other side, but \
             bullet's positions are always as white sees them. So the network learns from the \
             mirror image of each position with black to move, as which the engine evaluates it.",
        );
    }
    text += "//!\n//! ```text\n";
    for line in nnue_compiler::diagram(network).lines() {
        text += format!("//! {line}").trim_end();
        text += "\n";
    }
    text += "//! ```\n";
    text.trim_start_matches("//!\n").to_string()
}

/// Words in lines of at most 100 characters, which all start with `begin`.
fn wrapped(words: &str, begin: &str) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for word in words.split_whitespace() {
        if !line.is_empty() && begin.len() + line.len() + 1 + word.len() > 100 {
            text += &format!("{begin}{line}\n");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    format!("{text}{begin}{line}\n")
}

/// The names of bullet that programs may use, by their modules.
const NAMES: [&str; 8] = [
    "game::inputs::Chess768, ChessBuckets, ChessBucketsMirrored, SparseInputType",
    "game::outputs::MaterialCount, OutputBuckets",
    "nn::Affine, InitSettings, ModelBuilder, ModelNode",
    "nn::optimiser::AdamW, AdamWParams",
    "trainer::save::SavedFormat",
    "trainer::schedule::TrainingSchedule, TrainingSteps, lr, wdl",
    "trainer::settings::LocalSettings",
    "value::ValueTrainerBuilder, loader::DirectSequentialDataLoader",
];

/// The imports of the names that the program uses.
fn imports(body: &str) -> String {
    let mut text = String::new();
    if has_word(body, "LazyLock") {
        text += "use std::sync::LazyLock;\n\n";
    }
    for names in NAMES {
        let (path, _) = names.split_once(',').unwrap_or((names, ""));
        let (module, _) = path.rsplit_once("::").unwrap_or(("", path));
        let names = names[module.len() + 2..].split(", ");
        let is_used = |name: &&str| has_word(body, name.rsplit(':').next().unwrap_or(name));
        let names: Vec<&str> = names.filter(is_used).collect();
        text += &match &names[..] {
            [] => String::new(),
            [name] => format!("use bullet_lib::{module}::{name};\n"),
            names => format!("use bullet_lib::{module}::{{{}}};\n", names.join(", ")),
        };
    }
    text
}

/// Whether a text has an identifier.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(index, _)| {
        let before = text[..index].chars().next_back();
        let after = text[index + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// An argument of the builder's methods: a value, and the items of the program that it needs.
#[derive(Default)]
struct Argument {
    value: String,
    items: String,
}

/// The stacks; the value is empty if there is one.
fn stacks(network: &Network) -> Argument {
    let count = network.stacks.count;
    let Some(table) = network.stacks.by_pieces.filter(|_| count > 1) else {
        return Argument::default();
    };
    let step = 32usize.div_ceil(count);
    if (2..=32).all(|pieces| usize::from(table[pieces]) == (pieces - 2) / step) {
        return Argument {
            value: "MaterialCount::<STACKS>".into(),
            ..Argument::default()
        };
    }
    let items = format!(
        r"/// The stack of layers that a position uses.
#[derive(Clone, Copy, Default)]
struct Stacks;

impl OutputBuckets<Position> for Stacks {{
    const BUCKETS: usize = STACKS;

    fn bucket(&self, position: &Position) -> u8 {{
        // For 0, 1, ... 32 pieces.
        #[rustfmt::skip]
        const STACK: [u8; 33] = [
            {},
            {},
        ];
        STACK[position.occ().count_ones() as usize]
    }}
}}
",
        joined(&table[..17]),
        joined(&table[17..]),
    );
    Argument {
        value: "Stacks".into(),
        items,
    }
}

fn joined(numbers: &[u8]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u8::to_string).collect();
    numbers.join(", ")
}

/// The number of the engine's units for which 1.0 of the output stands.
fn eval_scale(network: &Network) -> f64 {
    let ratio = match network.output.units {
        Units::Float { factor } => return factor.into(),
        Units::Integer(ratio) | Units::Wide(ratio) => ratio,
    };
    f64::from(network.output.one) * ratio.numerator as f64 / ratio.denominator as f64
}

/// The name that all checkpoints begin with.
fn net_id(network: &Network) -> String {
    let letters = network.name.chars().map(|letter| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    });
    let letters: String = letters.collect();
    let words: Vec<&str> = letters.split('-').filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        "net".into()
    } else {
        words.join("-")
    }
}

fn constants(network: &Network, saved: &Saved) -> String {
    let mut text = format!(
        "/// The data: positions of bulletformat, in any order that training likes. For binpacks, see\n\
         /// `bullet_lib::value::loader`.\n\
         const DATA: [&str; 1] = [\"data/positions.data\"];\n\
         /// How long the training is: each superbatch is 100 million positions.\n\
         const SUPERBATCHES: usize = 240;\n\
         /// The share of the game's result in the target. The rest is the score.\n\
         const RESULT_SHARE: f32 = 0.5;\n\
         /// What 1.0 of the output is in the engine's units.\n\
         const EVAL_SCALE: f32 = {};\n\
         const NET_ID: &str = {:?};\n\n\
         const INPUTS: usize = {};\n\
         const WIDTH: usize = {};\n",
        multiplier::literal(eval_scale(network)),
        net_id(network),
        network.feature_count(),
        network.transformer.width,
    );
    if network.stacks.count > 1 {
        text += &format!("const STACKS: usize = {};\n", network.stacks.count);
    }
    if let Some(len) = saved.len.filter(|_| saved.is_cut) {
        text += &format!(
            "/// The bytes of the net file, which bullet pads.\nconst FILE_LEN: u64 = {len};\n"
        );
    }
    text
}

fn main(
    parameters: &Parameters<'_>,
    saved: &Saved,
    inputs: &Argument,
    stacks: &Argument,
) -> String {
    let network = parameters.network;
    let is_wdl = network.output.heads.len() == 3;
    let mut calls = vec![match network.transformer.perspectives.count {
        1 => "single_perspective()".to_string(),
        _ => "dual_perspective()".to_string(),
    }];
    calls.push("optimiser(AdamW)".into());
    calls.push(format!("inputs({})", inputs.value));
    if !stacks.value.is_empty() {
        calls.push(format!("output_buckets({})", stacks.value));
    }
    if is_wdl {
        calls.push("wdl_output()".into());
    }
    calls.push("save_format(&saved_format())".into());
    calls.push(match is_wdl {
        true => "loss_fn(|output, target| output.softmax_crossentropy_loss(target).reduce_sum_rows())",
        false => "loss_fn(|output, target| output.sigmoid().squared_error(target))",
    }.into());
    calls.push("build(network)".into());
    let calls: String = calls
        .iter()
        .map(|call| format!("\n        .{call}"))
        .collect();
    let limits = limits(&parameters.limits());
    let cut = if saved.is_cut {
        "
    // bullet pads the file to a multiple of 64 bytes, and the engine's has nothing at its end.
    let path = format!(\"checkpoints/{NET_ID}-{SUPERBATCHES}/quantised.bin\");
    let file = std::fs::File::options().write(true).open(path);
    file.and_then(|file| file.set_len(FILE_LEN)).expect(\"bullet has saved the net\");
"
    } else {
        ""
    };
    format!(
        "fn main() {{
    let mut trainer = ValueTrainerBuilder::default(){calls};
{limits}
    let schedule = TrainingSchedule {{
        net_id: NET_ID.to_string(),
        eval_scale: EVAL_SCALE,
        steps: TrainingSteps {{
            batch_size: 16_384,
            batches_per_superbatch: 6104,
            start_superbatch: 1,
            end_superbatch: SUPERBATCHES,
        }},
        wdl_scheduler: wdl::ConstantWDL {{ value: RESULT_SHARE }},
        lr_scheduler: lr::CosineDecayLR {{
            initial_lr: 0.001,
            final_lr: 0.001 * 0.3f32.powi(5),
            final_superbatch: SUPERBATCHES,
        }},
        save_rate: 10,
    }};
    let settings = LocalSettings {{
        threads: 4,
        test_set: None,
        output_directory: \"checkpoints\",
        batch_queue_size: 32,
    }};
    trainer.run(&schedule, &settings, &DirectSequentialDataLoader::new(&DATA));
{cut}}}
"
    )
}

/// The statement that sets the limits of parameters.
fn limits(limits: &[(String, f64)]) -> String {
    if limits.is_empty() {
        return String::new();
    }
    let lines = limits.iter().map(|(id, limit)| {
        // Limits are rounded down, so that their integers fit.
        let limit = (limit * 10_000.0).floor() / 10_000.0;
        format!("        ({id:?}, {limit:?}),\n")
    });
    let lines: String = lines.collect();
    format!(
        "
    // What the integers of the file can hold; of sums that the file has, or is to have, half of it
    // for each summand. All others have bullet's own limit of 1.98.
    let limits = [
{lines}    ];
    for (id, limit) in limits {{
        let params = AdamWParams {{ min_weight: -limit, max_weight: limit, ..Default::default() }};
        trainer.optimiser.set_params_for_weight(id, params);
    }}
"
    )
}

#[cfg(test)]
mod tests {
    use nnue_compiler::operation::test_operation;

    use super::*;

    #[test]
    fn an_operation_that_is_not_known_is_refused_by_name() {
        let (_, network) = test_operation::network();
        let reasons = program(&network).expect_err("nobody described it for bullet");
        let unknown = Reason::UnknownOperation("ac_0".into(), "test_operation");
        assert_eq!(reasons, [unknown]);
        assert!(reasons[0].to_string().contains("`test_operation`"));
    }
}
