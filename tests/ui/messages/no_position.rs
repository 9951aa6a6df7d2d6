mod small128 {
    nnue_runtime::nnue_net!("small128.toml");
}

struct Board;

fn refresh(net: &small128::Network) -> small128::Accumulator {
    small128::Accumulator::new(net, &Board)
}

fn follow(net: &small128::Network) -> small128::Evaluator<&small128::Network> {
    small128::Evaluator::new(net, &Board)
}

fn main() {}
