//! Networks of other games along random games: what an evaluator has followed is what a refresh
//! gives, and what plain loops of the test give, on every level.

mod follow;

use fastrand::Rng;
use nnue_runtime::{Architecture, Output};
use nnue_test_support::games::plain::{Plain, Shape, Words};
use nnue_test_support::games::xiangqi::{self, PIECE_ROWS, THREAT_ROWS, Xiangqi};
use nnue_test_support::games::{Game, shogi};
use shogi_core::PartialPosition;

use follow::{Rows, Subject, Views, follow, speed};

mod networks {
    /// Pikafish's network.
    pub(crate) mod xiangqi {
        nnue_runtime::nnue_net!("../../specs/games/xiangqi.toml");
    }
    /// YaneuraOu's, with a stack for each pair of kings' regions.
    pub(crate) mod k21k21 {
        nnue_runtime::nnue_net!("../../specs/games/shogi_sfnn.toml");
    }
    /// YaneuraOu's, with a first layer in shards, and stacks for hands and kings.
    pub(crate) mod shards {
        nnue_runtime::nnue_net!("../../specs/games/shogi_sfnn_shards.toml");
    }
    /// YaneuraOu's, mirrored, with a stack for each pair of kings' ranks.
    pub(crate) mod k3k3 {
        nnue_runtime::nnue_net!("../../specs/games/shogi_sfnn_k3k3.toml");
    }
}

/// The words of YaneuraOu's files.
const SFNN: Words = Words {
    version: 0x7AF3_2F20,
    transformer: 0x5F23_44B8,
    stack: 0x6333_718A,
};

/// Each square that a king can have is a view of all pieces.
type KingSquares = Views<1629>;

/// A network of xiangqi with random weights, compiled and in plain loops.
fn xiangqi() -> Subject<networks::xiangqi::Net, Xiangqi> {
    let shape = Shape {
        width: 1024,
        psqt: 16,
        sets: &[(THREAT_ROWS as usize, true), (PIECE_ROWS as usize, true)],
        stacks: 16,
        layers: [(1024, 32), (64, 32), (128, 1)],
    };
    let words = Words {
        version: 0x6A44_8AFA,
        transformer: 0,
        stack: stack_word(1024, &[32, 32, 1]),
    };
    let plain = Plain::random(&shape, &mut Rng::with_seed(1));
    Subject::of(
        &plain.file(&words),
        xiangqi::features,
        xiangqi_stack,
        move |active, side, stack| {
            let [psqt, positional, value] = plain.sfnnv15(active, side, stack);
            Output {
                psqt,
                positional,
                value,
            }
        },
    )
}

fn xiangqi_stack(position: &Xiangqi) -> usize {
    xiangqi::stack(position, position.side_to_move())
}

/// The word before a stack, as the rule of Stockfish's format makes it.
fn stack_word(width: u32, outputs: &[u32]) -> u32 {
    let mut word = 0xEC42_E90D ^ (2 * width);
    for (index, outputs) in outputs.iter().enumerate() {
        if index > 0 {
            word = word.wrapping_add(0x538D_24C7);
        }
        word = (0xCC03_DAE4 + outputs) ^ (word >> 1) ^ (word << 31);
    }
    word
}

/// A network of shogi with random weights, compiled and in plain loops.
fn sfnn<A: Architecture<Output = Output>>(
    shape: &Shape,
    features: fn(&PartialPosition) -> [Vec<u32>; 2],
    stack: fn(&PartialPosition) -> usize,
) -> Subject<A, PartialPosition> {
    of_plain(
        Plain::random(shape, &mut Rng::with_seed(2)),
        features,
        stack,
    )
}

/// A network of shogi in plain loops, and compiled.
fn of_plain<A: Architecture<Output = Output>>(
    plain: Plain,
    features: fn(&PartialPosition) -> [Vec<u32>; 2],
    stack: fn(&PartialPosition) -> usize,
) -> Subject<A, PartialPosition> {
    Subject::of(
        &plain.file(&SFNN),
        features,
        stack,
        move |active, side, stack| {
            let [positional, value] = plain.sfnn(active, side, stack);
            Output {
                psqt: 0,
                positional,
                value,
            }
        },
    )
}

fn k21k21() -> Subject<networks::k21k21::Net, PartialPosition> {
    let shape = Shape {
        width: 1024,
        psqt: 0,
        sets: &[(131_949, false)],
        stacks: 441,
        layers: [(1024, 8), (14, 64), (64, 1)],
    };
    sfnn(&shape, shogi::half_ka2, shogi::k21k21)
}

fn k3k3() -> Subject<networks::k3k3::Net, PartialPosition> {
    let shape = Shape {
        width: 1536,
        psqt: 0,
        sets: &[(73_305, false)],
        stacks: 9,
        layers: [(1536, 16), (30, 32), (32, 1)],
    };
    sfnn(&shape, shogi::half_ka_hm2, shogi::k3k3)
}

/// The network in shards, in which each output of the first layer has weights for 1024 inputs and
/// for 256 of its own.
fn plain_shards() -> Plain {
    let shape = Shape {
        width: 3072,
        psqt: 0,
        // Kings, and then all pieces: both sets are one tensor of the file.
        sets: &[(162 + 1629, false)],
        stacks: 576,
        layers: [(3072, 8), (14, 64), (64, 1)],
    };
    let mut plain = Plain::random(&shape, &mut Rng::with_seed(3));
    for weights in plain.first_layers() {
        for (output, row) in weights.chunks_exact_mut(3072).enumerate() {
            let own = 1024 + 256 * output;
            row[1024..own].fill(0);
            row[own + 256..].fill(0);
        }
    }
    plain
}

fn shards() -> Subject<networks::shards::Net, PartialPosition> {
    of_plain(plain_shards(), shogi::ka2, shogi::hand64_k3k3)
}

#[test]
fn shogi_in_shards_is_followed_along_random_games() {
    let all_changed = follow::<Rows, _, _>(&shards());
    assert_eq!(all_changed, 0, "no feature has a king's square in it");
}

/// A weight that an output does not read would be lost.
#[test]
fn a_weight_of_another_shard_is_refused() {
    let mut plain = plain_shards();
    let weights = plain.first_layers().nth(7).expect("576 stacks");
    weights[2 * 3072 + 1024 + 3 * 256] = -5;
    let error = networks::shards::Network::from_bytes(&plain.file(&SFNN));
    let error = error
        .expect_err("output 2 does not read shard 3")
        .to_string();
    assert_eq!(
        error,
        "output 2 of `stack 7 fc_0.weights` has the weight -5 for input 1792 of another shard, \
         expected 0"
    );
}

#[test]
fn xiangqi_is_followed_along_random_games() {
    assert!(follow::<Rows, _, _>(&xiangqi()) > 10);
}

#[test]
fn shogi_is_followed_along_random_games() {
    assert!(follow::<KingSquares, _, _>(&k21k21()) > 10);
}

#[test]
fn mirrored_shogi_is_followed_along_random_games() {
    assert!(follow::<KingSquares, _, _>(&k3k3()) > 10);
}

/// `cargo test --release -p nnue-tests --test games -- --ignored --nocapture` prints how long an
/// evaluation takes, with the update that comes before it.
#[test]
#[ignore = "it measures, and tests nothing"]
fn speed_along_random_games() {
    speed::<Rows, _, _>("xiangqi", &xiangqi());
    speed::<KingSquares, _, _>("shogi k21k21", &k21k21());
    speed::<KingSquares, _, _>("shogi k3k3", &k3k3());
    speed::<Rows, _, _>("shogi in shards", &shards());
}
