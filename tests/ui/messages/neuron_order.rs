// An order that is too short, a file that is not there, and a second file.
mod wrong {
    nnue_runtime::nnue_net!("small128.toml", neuron_order = "wrong.order");
}

mod missing {
    nnue_runtime::nnue_net!("small128.toml", neuron_order = "missing.order");
}

mod twice {
    nnue_runtime::nnue_net!("small128.toml", neuron_order = "a.order", neuron_order = "b.order");
}

fn main() {}
