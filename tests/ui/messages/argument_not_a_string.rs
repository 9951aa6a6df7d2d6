mod path {
    nnue_runtime::nnue_net!(specs / sfnnv5.toml);
}

mod macro_call {
    nnue_runtime::nnue_net!(concat!("specs/", "sfnnv5.toml"));
}

mod value {
    nnue_runtime::nnue_net!("specs/sfnnv5.toml", unroll = full);
}

mod no_value {
    nnue_runtime::nnue_net!("specs/sfnnv5.toml", weights);
}

fn main() {}
