// The spec's error and no other, whatever the program does with the network.
use nnue_runtime::{Board, Color, Delta, Level};

mod net {
    nnue_runtime::nnue_net!(
        inline = r#"
            name = "net"
            features = [{ set = "HalfKAv2_hm" }]
            transformer = { width = 64, one = 40000, activation = "crelu" }
            layer = [{ name = "out", op = "affine", outputs = 1, weights = "i8", one = 8128 }]
            output = { sum = ["out"], one = 8128, divide = 16 }
            file = { format = "stockfish", version = 0x7AF32F20 }
        "#
    );
}

struct Engine<'n> {
    evaluator: net::Evaluator<&'n net::Network>,
    net: &'n net::Network,
    stack: [net::Accumulator; 2],
    history: [[i16; net::WIDTH]; net::BUCKETS],
}

fn evaluate(engine: &mut Engine, board: &Board, delta: &Delta) -> net::Output {
    let [before, after] = &mut engine.stack;
    after.update(engine.net, before, delta, board);
    engine.history[0][0] = after.values(Color::White)[0];
    let _ = engine
        .net
        .evaluate_bucket(after, Color::Black, net::BUCKETS - 1);
    engine.evaluator.push(delta);
    assert_eq!(
        engine.evaluator.evaluate(),
        engine.net.evaluate(after, board)
    );
    engine.evaluator.evaluate()
}

fn main() {
    let net = net::Network::embedded().with_level(Level::detect());
    let other = net::Network::open("net.nnue").unwrap_or_else(|_| net.clone());
    println!("{} {} {}", net::NAME, net::FEATURES, other.report());
    let board = Board::start();
    let mut engine = Engine {
        evaluator: net::Evaluator::new(&net, &board),
        net: &net,
        stack: [
            net::Accumulator::new(&net, &board),
            net::Accumulator::new(&other, &board),
        ],
        history: [[0; net::WIDTH]; net::BUCKETS],
    };
    println!("{}", evaluate(&mut engine, &board, &Delta::null()).value);
}
