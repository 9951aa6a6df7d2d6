mod net {
    nnue_runtime::nnue_net!(
        inline = r#"
            name = "net"
            features = [{ set = "HalfKAv2_hm" }]
            transformer = { width = 64, one = 127, activation = "crelu" }
            output = { sum = ["out"], one = 8128, divide = 16 }
            file = { format = "stockfish", version = 0x7AF32F20 }

            [stacks]
            count = 8
            select = { by = "caller" }

            [[layer]]
            name = "out"
            op = "affine"
            outputs = 1
            weights = "i8"
            one = 8128
        "#
    );
}

fn evaluate(evaluator: &mut net::Evaluator<&net::Network>) {
    evaluator.evaluate();
}

fn main() {}
