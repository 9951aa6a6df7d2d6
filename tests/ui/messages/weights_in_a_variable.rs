// Variables that name no net file, and expressions whose value the macro does not know.
mod not_set {
    nnue_runtime::nnue_net!("small128.toml", weights = env!("NNUE_UI_NOT_SET"));
}

mod empty {
    nnue_runtime::nnue_net!("small128.toml", weights = env!("NNUE_UI_EMPTY"));
}

// The default is read, and is no net of this network.
mod empty_with_a_default {
    nnue_runtime::nnue_net!(
        "sfnnv5.toml",
        weights = option_env!("NNUE_UI_EMPTY").unwrap_or("small128.nnue")
    );
}

mod default_of_another_network {
    nnue_runtime::nnue_net!(
        "sfnnv5.toml",
        weights = std::option_env!("NNUE_UI_NOT_SET").unwrap_or("small128.nnue"),
    );
}

mod no_default {
    nnue_runtime::nnue_net!("small128.toml", weights = option_env!("EVALFILE"));
}

mod constant {
    const NET: &str = "small128.nnue";
    nnue_runtime::nnue_net!("small128.toml", weights = NET);
}

mod another_macro {
    nnue_runtime::nnue_net!("small128.toml", weights = concat!("small128", ".nnue"));
}

mod more_of_an_expression {
    nnue_runtime::nnue_net!("small128.toml", weights = "small128.nnue".trim());
}

mod twice {
    nnue_runtime::nnue_net!("small128.toml", weights = "a.nnue", weights = env!("EVALFILE"));
}

fn main() {}
