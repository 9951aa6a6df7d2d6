mod net {
    nnue_runtime::nnue_net!(
        inline = r#"
            name = "net
            features = [{ set = "HalfKAv2_hm" }]
        "#
    );
}

fn main() {}
