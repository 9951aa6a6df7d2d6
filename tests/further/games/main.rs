//! Networks of other games along random games: what an evaluator has followed is what a refresh
//! gives, and what plain loops of the test give, on every level.

mod follow;
mod xiangqi;

use fastrand::Rng;
use nnue_runtime::{Architecture, Output};
use nnue_test_support::games::plain::{Plain, Shape, Words};
use nnue_test_support::games::xiangqi::{Board, seen, stack};
use nnue_test_support::games::{Seen, shogi};
use shogi_core::PartialPosition;

use follow::{Features, Subject, Views, follow, speed};

mod networks {
    /// Pikafish's network.
    pub(crate) mod xiangqi {
        nnue_runtime::nnue_net!("../../specs/games/xiangqi.toml");
    }
    /// The same without PSQT.
    pub(crate) mod xiangqi_no_psqt {
        nnue_runtime::nnue_net!("../../specs/games/xiangqi_no_psqt.toml");
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

/// Pikafish's network with the weights of the goldens, compiled and interpreted.
fn pikafish() -> Subject<networks::xiangqi::Net, Board> {
    let net = xiangqi::interpreted();
    let expected = move |(views, active): &Seen, side, stack| {
        let active = active.each_ref().map(Vec::as_slice);
        let rows = net.custom_rows_in_views(*views, active);
        let sums = net.accumulate(&rows.expect("rows of the network"));
        net.trace(&sums, side, stack).evaluation.outputs()[0]
    };
    Subject::of(&xiangqi::FILE, seen, stack, expected)
}

/// A network of shogi with random weights, compiled and in plain loops.
fn sfnn<A: Architecture<Output = Output>>(
    shape: &Shape,
    features: fn(&PartialPosition) -> Seen,
    stack: fn(&PartialPosition) -> usize,
    sharing: u32,
) -> Subject<A, PartialPosition> {
    let plain = Plain::random(shape, &mut Rng::with_seed(2));
    of_plain(plain, features, stack, sharing)
}

/// A network of shogi in plain loops, and compiled. Views with as many numbers in a row, from 0 on,
/// share 1629 rows.
fn of_plain<A: Architecture<Output = Output>>(
    plain: Plain,
    features: fn(&PartialPosition) -> Seen,
    stack: fn(&PartialPosition) -> usize,
    sharing: u32,
) -> Subject<A, PartialPosition> {
    let rows = move |(views, active): &Seen| {
        [0, 1].map(|p| {
            let first = views[p] / sharing * shogi::PIECES;
            active[p]
                .iter()
                .map(|feature| (first + feature) as usize)
                .collect()
        })
    };
    Subject::of(
        &plain.file(&SFNN),
        features,
        stack,
        move |seen, side, stack| {
            let [positional, value] = plain.sfnn(&rows(seen), side, stack);
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
        rows: 131_949,
        stacks: 441,
        layers: [(1024, 8), (14, 64), (64, 1)],
    };
    sfnn(&shape, shogi::half_ka2, shogi::k21k21, 1)
}

fn k3k3() -> Subject<networks::k3k3::Net, PartialPosition> {
    let shape = Shape {
        width: 1536,
        rows: 73_305,
        stacks: 9,
        layers: [(1536, 16), (30, 32), (32, 1)],
    };
    sfnn(&shape, shogi::half_ka_hm2, shogi::k3k3, 2)
}

/// The network in shards, in which each output of the first layer has weights for 1024 inputs and
/// for 256 of its own.
fn plain_shards() -> Plain {
    let shape = Shape {
        width: 3072,
        // Kings, and then all pieces: both sets are one tensor of the file.
        rows: 162 + 1629,
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
    of_plain(plain_shards(), shogi::ka2, shogi::hand64_k3k3, 1)
}

#[test]
fn shogi_in_shards_is_followed_along_random_games() {
    assert_eq!(follow::<Features, _, _>(&shards()), 0);
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
    assert!(follow::<Views, _, _>(&pikafish()) > 100);
}

#[test]
fn shogi_is_followed_along_random_games() {
    assert!(follow::<Views, _, _>(&k21k21()) > 10);
}

#[test]
fn mirrored_shogi_is_followed_along_random_games() {
    assert!(follow::<Views, _, _>(&k3k3()) > 10);
}

/// `cargo test --release -p nnue-further-tests --test games -- --ignored --nocapture` prints how
/// long an evaluation takes, with the update that comes before it.
#[test]
#[ignore = "it measures, and tests nothing"]
fn speed_along_random_games() {
    speed::<Views, _, _>("xiangqi", &pikafish());
    speed::<Views, _, _>("shogi k21k21", &k21k21());
    speed::<Views, _, _>("shogi k3k3", &k3k3());
    speed::<Features, _, _>("shogi in shards", &shards());
}
