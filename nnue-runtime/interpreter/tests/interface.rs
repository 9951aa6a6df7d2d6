//! Nets without a compile, mistakes of callers, and inputs other than positions.

use std::fs;
use std::path::{Path, PathBuf};

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_interpreter::{EvaluateError, LoadError, Net, OpenError, Values, Weights};
use nnue_runtime::Board;
use nnue_test_support::generations;
use nnue_test_support::random_weights::{RandomWeights, Style};
use nnue_test_support::synthetic::{net_of, synthetic_net};

fn network(spec: &str) -> Network {
    let network = analyse(&SourceFile::new("spec", spec));
    network.unwrap_or_else(|errors| panic!("{errors}"))
}

fn net(network: &Network) -> Net {
    let weights = RandomWeights::draw(network, Style::Small, 1);
    let file = weights.net_file();
    weights.into_net(&file)
}

const SMALL128: &str = include_str!("../../../specs/small128.toml");
const VIEWS: &str = include_str!("../../../tests/specs/features/views.toml");
const MIXED: &str = include_str!("../../../tests/specs/features/mixed.toml");

#[test]
fn files_of_other_networks_are_refused_as_the_loader_refuses_them() {
    let network = network(SMALL128);
    let file = synthetic_net("v5");
    let refusal = Net::from_bytes(&network, &file).unwrap_err().to_string();
    assert!(
        refusal
            .starts_with("this is a net of SFNNv5: width is 1024 in the file and 128 in the spec"),
        "{refusal}"
    );
    let refusal = Net::open(&network, "no/such.nnue").unwrap_err().to_string();
    assert!(
        refusal.starts_with("cannot read `no/such.nnue`: "),
        "{refusal}"
    );
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const NET: &str = "../../examples/nets/nn-37f18f62d772.nnue";

/// A folder that is empty at first.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("interface-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder for tests is writable");
    folder
}

#[test]
fn nets_tell_their_network_by_the_header_or_by_a_spec_beside_or_behind_them() {
    let value = |net: Result<Net, OpenError>| {
        let net = net.unwrap_or_else(|error| panic!("{error}"));
        net.evaluate_fen(START).expect("a position").value()
    };
    assert_eq!(value(Net::recognise(NET)), Some(251));
    assert_eq!(
        value(Net::with_spec(NET, "../../specs/small128.toml")),
        Some(251)
    );
    let expected = value(Net::recognise("../../examples/nets/primer.nnue"));
    assert_eq!(expected, Some(58));

    let folder = scratch("recognised");
    let text = include_str!("../../../tests/specs/tails/hobbes.toml");
    let network = network(text);
    let file = RandomWeights::draw(&network, Style::Small, 1).net_file();
    let expected = value(Ok(net(&network)));
    let beside = folder.join("beside.bin");
    fs::write(&beside, &file).expect("it can be written");
    // Of another size than any known network.
    let refusal = Net::recognise(&beside).unwrap_err().to_string();
    assert!(
        refusal.contains("of an unknown kind: only nets that are built like"),
        "{refusal}"
    );
    // What stands beside a net may be something else.
    fs::write(beside.with_extension("toml"), "epochs = 3\n").expect("it can be written");
    assert!(matches!(
        Net::recognise(&beside),
        Err(OpenError::Unknown { .. })
    ));
    fs::write(beside.with_extension("toml"), text).expect("it can be written");
    assert_eq!(value(Net::recognise(&beside)), expected);
    assert_eq!(
        value(Net::with_spec(&beside, beside.with_extension("toml"))),
        expected
    );
    let behind = folder.join("behind.bin");
    let with_spec = nnue_compiler::format::attached::attach(&file, text);
    fs::write(&behind, with_spec.expect("a short spec")).expect("it can be written");
    assert_eq!(value(Net::recognise(&behind)), expected);

    // A net of another width, for which a spec is written.
    let relative = folder.join("relative.nnue");
    fs::write(&relative, net_of(&generations::HM256)).expect("it can be written");
    assert!(value(Net::recognise(&relative)).is_some());
}

#[test]
fn why_a_net_cannot_be_opened_is_told() {
    let refusal = |net: Result<Net, OpenError>| net.unwrap_err().to_string();
    let missing = refusal(Net::recognise("no/such.nnue"));
    assert!(
        missing.starts_with("cannot read `no/such.nnue`: "),
        "{missing}"
    );
    let missing = refusal(Net::with_spec(NET, "no/such.toml"));
    assert!(
        missing.starts_with("cannot read `no/such.toml`: "),
        "{missing}"
    );
    let missing = refusal(Net::with_spec("no/such.nnue", "../../specs/small128.toml"));
    assert!(
        missing.starts_with("cannot read `no/such.nnue`: "),
        "{missing}"
    );
    assert_eq!(
        refusal(Net::recognise("README.md")),
        "`README.md` is no net but text"
    );
    let folder = scratch("refused");
    let cut = folder.join("cut.nnue");
    let bytes = fs::read(NET).expect("it is there");
    fs::write(&cut, &bytes[..1000]).expect("it can be written");
    let refused = Net::recognise(&cut);
    assert!(
        matches!(refused, Err(OpenError::Net(LoadError::Explained { .. }))),
        "{refused:?}"
    );
    fs::write(&cut, &bytes).expect("it can be written");
    fs::write(
        cut.with_extension("toml"),
        "like = \"small128\"\nnane = 3\n",
    )
    .expect("written");
    let refused = Net::recognise(&cut);
    assert!(matches!(&refused, Err(OpenError::Spec(_))), "{refused:?}");
    assert!(refusal(refused).contains("cut.toml"));
    fs::write(cut.with_extension("toml"), b"like = \"\xFF\"").expect("it can be written");
    let refused = refusal(Net::recognise(&cut));
    assert!(
        refused.contains("cut.toml` is not UTF-8 text: the byte at offset 8"),
        "{refused}"
    );
}

#[test]
fn what_a_position_alone_has_no_value_of_is_named() {
    let refusal = |spec: &str, fen: &str| {
        let net = net(&network(spec));
        net.evaluate_fen(fen).unwrap_err()
    };
    assert!(matches!(refusal(SMALL128, "8/8 w"), EvaluateError::Fen(_)));
    assert_eq!(
        refusal(MIXED, START).to_string(),
        "`Mixed` has the custom feature set `Files`: the engine tells which of its features are \
         active, and a position alone does not"
    );
    let by_caller = include_str!("../../../tests/specs/layers/average.toml");
    assert!(matches!(
        refusal(by_caller, START),
        EvaluateError::Bucket { .. }
    ));

    let three = net(&network(include_str!(
        "../../../tests/specs/layers/heads.toml"
    )));
    let evaluation = three.evaluate_fen(START).expect("a position");
    assert_eq!(evaluation.value(), None);
    let [win, draw, loss] = evaluation.outputs()[..] else {
        panic!("{evaluation}");
    };
    let [win, draw, loss] = [win, draw, loss].map(|output| output.value);
    assert_eq!(
        evaluation.to_string(),
        format!("win {win}, draw {draw}, loss {loss}")
    );
}

#[test]
fn weights_of_another_shape_are_refused() {
    let network = network(SMALL128);
    let net = net(&network);
    let refusal = |change: &dyn Fn(&mut Weights)| {
        let mut weights = net.weights().clone();
        change(&mut weights);
        Net::new(&network, weights).unwrap_err().to_string()
    };
    assert_eq!(
        refusal(&|weights| weights.transformer[0].biases.truncate(127)),
        "`transformer.biases` has 127 integers, expected 128 integers"
    );
    assert_eq!(
        refusal(&|weights| drop(weights.stacks.pop())),
        "`stacks` has 7 tables, expected 8 tables"
    );
    assert_eq!(
        refusal(&|weights| weights.stacks[3][0] = None),
        "`stack 3 fc_0` has no weights, expected 1 table"
    );
    assert_eq!(
        refusal(&|weights| {
            if let Some(affine) = &mut weights.stacks[0][0] {
                affine.biases = Values::Floats(vec![0.0; 16]);
            }
        }),
        "`stack 0 fc_0.biases` has 16 floating-point numbers, expected 16 integers"
    );
}

/// 16 features before those of HalfKAv2_hm, and 33 behind them.
#[test]
fn custom_features_are_counted_through_all_custom_sets() {
    let network = network(MIXED);
    let net = net(&network);
    let told = net.custom_rows([&[15, 16], &[48]]);
    assert_eq!(told, Ok([vec![15, 16 + 22528], vec![16 + 22528 + 32]]));
    let refusal = net.custom_rows([&[], &[49]]).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "there is no feature 49, allowed are 0 to 48"
    );

    // Active rows of both kinds are summed up together.
    let mut active = net.active_rows(&Board::start());
    assert!(active[0].iter().all(|row| (16..16 + 22528).contains(row)));
    let of_position = net.accumulate(&active);
    active[0].push(15);
    let row = &net.weights().transformer[0].rows[15 * 64..][..64];
    let sums = of_position[0].values.iter().zip(row);
    let sums: Vec<i16> = sums
        .map(|(sum, weight)| sum.wrapping_add(*weight))
        .collect();
    let [white, black] = net.accumulate(&active);
    assert_eq!((white.values, black), (sums, of_position[1].clone()));
}

/// 90 views of 1296 features, each two of which share their rows, then 38 features without views,
/// then 90 views of 18.
#[test]
fn custom_features_have_a_row_in_each_view() {
    let network = network(VIEWS);
    let net = net(&network);
    let told = [&[1295, 1296, 1333, 1334][..], &[0, 1351]];
    let without = 45 * 1296;
    let last = without + 38;
    let expected = |white: usize| {
        let white = vec![1296 + 1295, without, without + 37, last + white * 18];
        Ok([white, vec![44 * 1296, last + 89 * 18 + 17]])
    };
    assert_eq!(net.custom_rows_in_views([2, 89], told), expected(2));
    assert_eq!(net.custom_rows_in_views([3, u32::MAX], told), expected(3));
    assert_eq!(
        net.custom_rows(told),
        net.custom_rows_in_views([0, 0], told)
    );
    let refusal = net.custom_rows_in_views([3, 3], [&[1352], &[]]);
    assert_eq!(
        refusal.unwrap_err().to_string(),
        "there is no feature 1352, allowed are 0 to 1351"
    );
}

#[test]
fn buckets_beyond_the_last_are_the_last() {
    let network = network(SMALL128);
    let net = net(&network);
    assert_eq!(
        [2, 32, 40].map(|pieces| net.bucket(pieces)),
        [Some(0), Some(7), Some(7)]
    );
    let board = Board::start();
    assert_eq!(net.evaluate(&board, 99), net.evaluate(&board, 7));
    assert_ne!(net.evaluate(&board, 99), net.evaluate(&board, 6));
}

/// The numbers are those of the set's author: 11 rows for each bucket of the own king, of which
/// white has 3 here, and black 6.
#[test]
fn the_half_move_clock_switches_rows_on() {
    let network = network(include_str!("../../../specs/engines/integral.toml"));
    let first = 12 * 768;
    let rows_at = |clock: u32| {
        let fen = format!("8/2k5/8/8/8/8/8/4K3 b - - {clock} 70");
        let board = Board::from_fen(&fen).expect("a position");
        let own = |row: &usize| (first..first + 132).contains(row);
        let rows = nnue_interpreter::active_rows(&network, &board);
        rows.map(|rows| {
            let own = rows.into_iter().filter(own);
            own.map(|row| row - first).collect::<Vec<usize>>()
        })
    };
    let steps: [(u32, Option<usize>); 10] = [
        (0, None),
        (13, None),
        (14, Some(0)),
        (21, Some(0)),
        (22, Some(1)),
        (93, Some(9)),
        (94, Some(10)),
        (100, Some(10)),
        (255, Some(10)),
        (1000, Some(10)),
    ];
    for (clock, step) in steps {
        let row = |bucket: usize| Vec::from_iter(step.map(|step| 11 * bucket + step));
        assert_eq!(rows_at(clock), [row(3), row(6)], "{clock}");
    }
}
