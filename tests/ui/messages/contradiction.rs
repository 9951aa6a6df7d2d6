mod net {
    nnue_runtime::nnue_net!(
        inline = r#"
            name = "net"
            features = [{ set = "HalfKAv2_hm" }]
            layer = [{ name = "out", op = "affine", outputs = 1, weights = "i8", one = 8128 }]
            output = { sum = ["out"], one = 8128, divide = 16 }
            file = { format = "stockfish", version = 0x7AF32F20 }

            [transformer]
            width = 128
            one = 1000
            activation = "relu"
            shift = 5
        "#
    );
}

fn main() {}
