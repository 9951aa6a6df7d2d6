//! Networks of other engines against values that were computed independently, for nets that a test
//! makes itself: by the interpreter, and by compiled code on every level.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Source;
use nnue_interpreter::{Evaluation, Net, Trace};
use nnue_runtime::line::StartsAt;
use nnue_runtime::{
    Accumulator, Board, Evaluated, HeadValue, Level, Network, Position, SelectedByPieces,
};
use nnue_test_support::engine_nets::engine_net;
use nnue_test_support::goldens::golden_values;

macro_rules! engines {
    ($($engine:ident: $path:literal;)*) => { $(
        mod $engine {
            nnue_runtime::nnue_net!($path);
        }

        #[test]
        fn $engine() {
            let spec = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
            check::<$engine::Net>(stringify!($engine), spec);
        }
    )* };
}

engines! {
    casanchess: "../../specs/engines/casanchess.toml";
    devre: "../../specs/engines/devre.toml";
    integral: "../../specs/engines/integral.toml";
    pzchessbot: "../../specs/engines/pzchessbot.toml";
}

fn check<A>(engine: &str, spec: &str)
where
    A: SelectedByPieces<Line: StartsAt<Board>, Output: Evaluated<Evaluation: Into<Evaluation>>>,
{
    let file = engine_net(engine);
    let reference = interpreted(spec, &file);
    let mut net = Network::<A>::from_bytes(&file).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(net.to_bytes(), file);
    let values = golden_values(engine, A::Output::HEADS).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(values.len(), 500);
    let mut boards = Vec::new();
    for (fen, values) in &values {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let Trace {
            evaluation, heads, ..
        } = traced(&reference, &board);
        assert_eq!(
            values_of(evaluation, heads.into_iter()),
            *values,
            "{engine}, interpreted: {fen}"
        );
        boards.push((board, fen, values));
    }
    for level in Level::available() {
        net = net.with_level(level);
        for (board, fen, values) in &boards {
            let output = net.evaluate(&Accumulator::new(&net, board), board);
            let heads = (0..A::Output::HEADS.len()).filter_map(|index| output.head(index));
            let found = values_of(output.evaluation().into(), heads);
            assert_eq!(found, **values, "{engine} at {level}: {fen}");
        }
        println!("{engine} at {level}: equal");
    }
}

fn interpreted(spec: &str, file: &[u8]) -> Net {
    let network =
        analyse(&SourceFile::new("spec", spec)).unwrap_or_else(|errors| panic!("{errors}"));
    Net::from_bytes(&network, file).unwrap_or_else(|error| panic!("{error}"))
}

fn traced(net: &Net, board: &Board) -> Trace {
    let bucket = net.bucket(board.occupied().len()).unwrap_or(0);
    let accumulators = net.accumulate(&net.active_rows(board));
    net.trace(&accumulators, board.side_to_move(), bucket)
}

/// The value, and those of further heads.
fn values_of(evaluation: Evaluation, heads: impl Iterator<Item = HeadValue>) -> Vec<i32> {
    let heads = heads.map(|head| match head {
        HeadValue::Integer(value) => value,
        other => panic!("found {other:?}, expected an integer"),
    });
    let outputs = evaluation.outputs();
    outputs.iter().map(|own| own.value).chain(heads).collect()
}

/// The last layer's `f32` of all positions: as the interpreter has it, as `expected` adds its
/// inputs, weights and bias, and how many of them `lanes` would make another number.
fn check_last_sums(engine: &str, spec: &str, expected: fn(&[f32], &[f32]) -> f32) -> usize {
    let file = engine_net(engine);
    let nets = [spec.to_owned(), without_orders(spec)].map(|spec| interpreted(&spec, &file));
    let last = nets[0].network().layers.len() - 1;
    let layer = &nets[0].network().layers[last];
    let values = golden_values(engine, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut others = 0;
    for (fen, _) in &values {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let stack = nets[0].bucket(board.occupied().len()).unwrap_or(0);
        let [own, other] = nets.each_ref().map(|net| traced(net, &board));
        let numbers = nets[0].weights().stacks[stack][last].as_ref();
        let numbers = numbers.expect("the last layer is affine");
        let inputs = layer.inputs.iter().flat_map(|slice| {
            let Source::Layer(index) = slice.source else {
                panic!("the last layer reads layers");
            };
            own.layers[index].floats()[slice.start..][..slice.len].to_vec()
        });
        let inputs: Vec<f32> = inputs.collect();
        let sum = expected(&inputs, numbers.weights.floats()) + numbers.biases.floats()[0];
        let [own, other] = [&own, &other].map(|trace| trace.layers[last].floats()[0].to_bits());
        assert_eq!(own, sum.to_bits(), "{engine}: {fen}");
        others += usize::from(own != other);
    }
    others
}

/// The spec whose sums have their default order.
fn without_orders(spec: &str) -> String {
    let lines = spec.lines().filter(|line| !line.starts_with("sums ="));
    lines.map(|line| format!("{line}\n")).collect()
}

/// As its AVX2 code has it: eight sums in each of two vectors, half of a vector, then its
/// neighbours.
#[test]
fn pzchessbot_adds_neighbours_last() {
    let spec = include_str!("../../../specs/engines/pzchessbot.toml");
    let others = check_last_sums("pzchessbot", spec, |inputs, weights| {
        let mut vectors = [[0f32; 8]; 2];
        for (index, (x, weight)) in inputs.iter().zip(weights).enumerate() {
            let sum = &mut vectors[index / 8 % 2][index % 8];
            *sum = x.mul_add(*weight, *sum);
        }
        let [low, high] = vectors;
        last_of(&std::array::from_fn(|lane| low[lane] + high[lane]))
    });
    assert_eq!(others, 176);
}

/// Vectors of eight products, of which neighbours are added.
#[test]
fn devre_adds_rounded_products_of_neighbours() {
    let spec = include_str!("../../../specs/engines/devre.toml");
    let others = check_last_sums("devre", spec, |inputs, weights| {
        let products = inputs.iter().zip(weights).map(|(x, weight)| x * weight);
        let products: Vec<f32> = products.collect();
        let [a, b, c, d, e, f, g, h] = std::array::from_fn(|vector| &products[8 * vector..][..8]);
        let sum = |lane: usize| {
            let first = (a[lane] + b[lane]) + (c[lane] + d[lane]);
            first + ((e[lane] + f[lane]) + (g[lane] + h[lane]))
        };
        last_of(&std::array::from_fn(sum))
    });
    assert_eq!(others, 326);
}

/// The sum of a vector of eight.
fn last_of(v: &[f32; 8]) -> f32 {
    ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]))
}

/// Hobbes has no values: its file is that of the spec.
#[test]
fn hobbes() {
    let spec = include_str!("../../../specs/engines/hobbes.toml");
    let network =
        analyse(&SourceFile::new("spec", spec)).unwrap_or_else(|errors| panic!("{errors}"));
    let net = Net::from_bytes(&network, &engine_net("hobbes"));
    net.unwrap_or_else(|error| panic!("{error}"));
}
