//! Net files with weights that nobody trained, which `nnue bench` measures, fit their specs.

use nnue_interpreter::dummy::net_file::{random_net_file, verify};
use nnue_interpreter::dummy::trained::trained;
use nnue_runtime::Board;
use nnue_test_support::specs::specs_in;

use crate::networks::network_in;

/// Networks with more weights than this in the transformer take long and have nothing of their own.
const MOST_WEIGHTS: usize = 1 << 20;

#[test]
fn every_network_gets_a_net_that_loads() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let positions = [start.parse::<Board>().expect("a FEN")];
    let mut count = 0;
    for path in ["specs", "tests/specs", "tests/zoo/specs"]
        .map(specs_in)
        .concat()
    {
        let network = network_in(&path);
        if network.feature_count() * network.transformer.width > MOST_WEIGHTS {
            continue;
        }
        for file in [
            trained(&network, 0.3, &positions),
            random_net_file(&network, 1),
        ] {
            verify(&network, &file).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        count += 1;
    }
    assert!(count > 100, "only {count} specs are small");
}
