//! `nnue onnx`: models give the integers of the interpreter.

mod evaluator;
#[path = "../tools/src/export/onnx/messages.rs"]
#[allow(
    dead_code,
    reason = "reading a model needs a part of what writing it does"
)]
mod messages;
mod runtime;

use std::collections::HashMap;
use std::path::Path;

use fastrand::Rng;
use nnue_compiler::network::{Element, Network, Order};
use nnue_interpreter::{Net, Trace};
use nnue_runtime::{Color, HeadValue};
use nnue_test_support::random_weights::{RandomWeights, Style};

use self::evaluator::{Array, Runner};
use crate::networks::network_in;
use crate::program::{output, refusal, run, scratch, scratch_path, text};

const SMALL: [&str; 2] = [
    "../specs/small128.toml",
    "../examples/nets/nn-37f18f62d772.nnue",
];

/// What a model reads, and what it must give, of some positions.
pub(crate) struct Cases {
    perspectives: usize,
    rows: Vec<i64>,
    stack: Vec<i64>,
    expected: HashMap<String, Vec<i64>>,
}

impl Cases {
    /// Cases with the rows of white and of black, the side to move and the stack.
    pub(crate) fn of(
        net: &Net,
        positions: impl IntoIterator<Item = ([Vec<usize>; 2], Color, usize)>,
    ) -> Cases {
        let network = net.network();
        let padding = network.feature_count();
        let perspectives = network.transformer.perspectives;
        let positions: Vec<_> = positions.into_iter().collect();
        let lists = positions.iter().flat_map(|(rows, ..)| rows);
        let longest = lists.map(Vec::len).max().unwrap_or(0);
        let mut cases = Cases {
            perspectives: perspectives.count,
            rows: Vec::new(),
            stack: Vec::new(),
            expected: HashMap::new(),
        };
        for (rows, side_to_move, stack) in positions {
            let trace = net.trace(&net.accumulate(&rows), side_to_move, stack);
            for (name, value) in outputs(network, &trace) {
                cases.expected.entry(name).or_default().push(value);
            }
            let [white, black] = rows;
            let ordered = match (perspectives.order, side_to_move) {
                (Order::WhiteFirst, _) | (_, Color::White) => [white, black],
                _ => [black, white],
            };
            for own in ordered.iter().take(perspectives.count) {
                let own = own.iter().copied();
                let padded = own.chain(std::iter::repeat(padding)).take(longest);
                cases.rows.extend(padded.map(|row| row as i64));
            }
            cases.stack.push(stack as i64);
        }
        cases
    }

    fn check(&self, name: &str, runner: &Runner) {
        let positions = self.stack.len();
        let longest = self.rows.len() / positions / self.perspectives;
        let rows = Array {
            shape: vec![positions, self.perspectives, longest],
            values: self.rows.clone(),
        };
        let stack = Array {
            shape: vec![positions],
            values: self.stack.clone(),
        };
        let inputs = [("rows", rows), ("stack", stack)];
        let inputs = inputs.map(|(name, array)| (name.to_string(), array));
        assert_eq!(runner.run(inputs.into()), self.expected, "{name}");
    }
}

/// The outputs that a model must have, by name.
fn outputs(network: &Network, trace: &Trace) -> Vec<(String, i64)> {
    let heads = trace.evaluation.outputs();
    let names: &[&str] = match heads.len() {
        1 => &[""],
        _ => &["win.", "draw.", "loss."],
    };
    let mut outputs = Vec::new();
    if network.transformer.psqt_of_output() > 0 {
        outputs.push(("psqt".into(), heads[0].psqt.into()));
    }
    for (name, head) in names.iter().zip(&heads) {
        outputs.push((format!("{name}value"), head.value.into()));
        outputs.push((format!("{name}positional"), head.positional.into()));
    }
    for (further, value) in network.output.further.iter().zip(&trace.heads) {
        let HeadValue::Integer(value) = value else {
            panic!("{} is floating point", further.name);
        };
        outputs.push((format!("heads.{}", further.name), (*value).into()));
    }
    outputs
}

/// Random rows, stacks and sides to move, among them positions without any rows.
fn random_cases(net: &Net, seed: u64) -> Cases {
    let mut random = Rng::with_seed(seed);
    let (rows, stacks) = (net.network().feature_count(), net.network().stacks.count);
    let positions = (0..12).map(|number| {
        let mut list = || (0..number * 3).map(|_| random.usize(..rows)).collect();
        let lists = [list(), list()];
        let side_to_move = Color::ALL[number % 2];
        (lists, side_to_move, random.usize(..stacks))
    });
    Cases::of(net, positions.collect::<Vec<_>>())
}

/// Draws weights for a spec and writes them as a model, unless the network is refused. Gives the
/// weights and the model.
pub(crate) fn exported(spec: &str, style: Style) -> Result<(Net, String), String> {
    let network = network_in(spec);
    let weights = RandomWeights::draw(&network, style, 5);
    let file = weights.net_file();
    let stem = Path::new(spec).file_stem().expect("specs have names");
    let name = format!("onnx_{}_{style:?}", text(Path::new(stem)));
    let net = scratch(&format!("{name}.net"), &file);
    let model = text(&scratch_path(&format!("{name}.onnx")));
    let done = run(&["onnx", spec, "--net", &net, "--out", &model]);
    std::fs::remove_file(net).expect("the net was written");
    if done.status.success() {
        Ok((weights.into_net(&file), model))
    } else {
        Err(String::from_utf8(done.stderr).expect("errors are text"))
    }
}

fn read(model: &str) -> Runner {
    let runner = Runner::new(&std::fs::read(model).expect("the model was written"));
    std::fs::remove_file(model).expect("the model was written");
    runner
}

#[test]
fn the_model_of_a_real_net_gives_its_integers() {
    let model = text(&scratch_path("small128.onnx"));
    let said = output(&["onnx", SMALL[0], "--net", SMALL[1], "--out", &model]);
    let runner = read(&model);
    assert!(
        said.starts_with(&format!("`{model}`: small128, ")),
        "{said}"
    );
    let graph = runner.model().graph.as_ref().expect("it has a graph");
    let names = |list: &[messages::ValueInfo]| -> Vec<String> {
        list.iter()
            .map(|value| evaluator::said(&value.name).to_string())
            .collect()
    };
    assert_eq!(names(&graph.input), ["rows", "stack"]);
    assert_eq!(names(&graph.output), ["value", "positional", "psqt"]);

    let net = Net::open(&network_in(SMALL[0]), Path::new(SMALL[1])).expect("the net is there");
    let trace = nnue_trace::Trace::bundled().expect("the trace is there");
    let boards = trace.evaluated().step_by(997).take(40);
    let cases = boards.map(|board| {
        use nnue_runtime::Position;
        let bucket = net
            .bucket(board.occupied().len())
            .expect("pieces choose it");
        (net.active_rows(board), board.side_to_move(), bucket)
    });
    let cases = Cases::of(&net, cases);
    let mut values = cases.expected["value"].clone();
    values.sort_unstable();
    values.dedup();
    assert!(values.len() > 20, "{values:?}");
    cases.check("small128", &runner);
}

/// Networks that together have every word of the language. Those that are refused have what the
/// message says. Each has one style of weights, or both if `NNUE_WEIGHTS` is `all`.
#[test]
fn models_of_random_networks_give_their_integers_or_are_refused() {
    let with_both = std::env::var("NNUE_WEIGHTS").is_ok_and(|styles| styles == "all");
    let mut supported = 0;
    for number in 1.. {
        let spec = format!("../tests/zoo/specs/zoo_{number:02}.toml");
        if !Path::new(&spec).exists() {
            break;
        }
        for (index, style) in (0..).zip([Style::Small, Style::Extreme]) {
            if !with_both && number % 2 != index {
                continue;
            }
            match exported(&spec, style) {
                Ok((net, model)) => {
                    supported += 1;
                    random_cases(&net, number).check(&spec, &read(&model));
                }
                Err(message) => {
                    let is_float = message.contains("f32");
                    let network = network_in(&spec);
                    let separate = network.transformer.perspectives.separate;
                    let mut layers = network.layers.iter();
                    let has_floats = layers.any(|layer| layer.output.element == Element::F32);
                    let expected = if is_float { has_floats } else { separate };
                    assert!(expected, "{spec}: {message}");
                }
            }
        }
    }
    assert!(supported >= if with_both { 20 } else { 10 }, "{supported}");
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let message = exported("../specs/bullet/skip.toml", Style::Small).expect_err("it has floats");
    assert!(
        message.contains("bullet skip cannot be written as ONNX: `"),
        "{message}"
    );
    assert!(
        message.ends_with("is computed in f32, allowed are integers\n"),
        "{message}"
    );
}

#[test]
fn a_net_of_another_network_is_refused() {
    let spec = "../specs/sfnnv5.toml";
    let message = refusal(1, &["onnx", spec, "--net", SMALL[1], "--out", "/dev/null"]);
    assert!(
        message.contains("is not a net file for SFNNv5: this is a net of small128"),
        "{message}"
    );
}
