// Straight-line code for a layer of 4096 inputs and 4096 outputs.
nnue_runtime::nnue_net!(
    unroll = "full",
    inline = r#"
        name = "wide"
        [[features]]
        set = "A"
        [transformer]
        width = 2048
        one = 127
        activation = "crelu"
        [[layer]]
        name = "fc_0"
        op = "affine"
        weights = "i8"
        outputs = 4096
        one = 8128
        [[layer]]
        name = "ac_0"
        op = "crelu"
        shift = 6
        [[layer]]
        name = "fc_1"
        op = "affine"
        weights = "i8"
        outputs = 1
        one = 8128
        [output]
        sum = ["fc_1"]
        one = 8128
        [file]
        format = "bullet"
    "#
);

fn main() {}
