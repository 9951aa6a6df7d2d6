//! Specs that are `like` a known network: what they do not say is as in the known spec, and nothing
//! else is.

use crate::specs;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::feature_set::Family;
use nnue_compiler::feature_set::piece_square::KING_TABLES;
use nnue_compiler::network::Network;
use nnue_compiler::{analyse, material_count, whole_spec};

fn network(text: &str) -> Network {
    analyse(&SourceFile::new("mine.toml", text)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The network of `specs/NAME.toml`.
fn known(name: &str) -> Network {
    let file = specs::all().into_iter().find(|spec| spec.path == name);
    network(&file.expect("the spec is there").text)
}

#[test]
fn every_known_spec_can_be_named_and_gives_its_network() {
    for spec in specs::all() {
        let original = network(&spec.text);
        let text = format!("name = \"{}\"\nlike = \"{}\"\n", original.name, spec.path);
        assert_eq!(network(&text), original, "{}", spec.path);
    }
}

/// Each generation of Stockfish's networks is an earlier generation with a few changes.
#[test]
fn generations_follow_from_those_before() {
    let wider = |name, base, width| {
        format!("name = \"{name}\"\nlike = \"{base}\"\ntransformer.width = {width}\n")
    };
    let compressed = |text: String| text + "file.encoding = \"leb128\"\n";
    let cases = [
        ("sfnnv6", compressed(wider("SFNNv6", "sfnnv5", 1536))),
        ("sfnnv7", wider("SFNNv7", "sfnnv6", 2048)),
        (
            "sfnnv8",
            wider("SFNNv8", "sfnnv9", 2560) + "output.divide = 16\n",
        ),
        ("small128", wider("small128", "sfnnv9", 128)),
        (
            // The layers and the sum change, so the hash of the transformer stays.
            "sfnnv13",
            "name = \"SFNNv13\"\nlike = \"sfnnv12\"\noutput.sum = [\"fc_2\", \"fc_0[31]\"]
             [[layer]]\nname = \"fc_0\"\noutputs = 32
             [[layer]]\nname = \"ac_0\"\ninput = \"fc_0[..31]\"
             [[layer]]\nname = \"ac_sqr_0\"\ninput = \"fc_0[..31]\"\n"
                .to_string(),
        ),
        (
            // The features change, so the hash follows from them.
            "sfnnv14",
            "name = \"SFNNv14\"\nlike = \"sfnnv13\"
             [[features]]\nset = \"Threats\"\ntargets = \"sfnnv14\"
             [[features]]\nset = \"HalfKAv2_hm\"\n"
                .to_string(),
        ),
    ];
    for (name, text) in cases {
        assert_eq!(network(&text), known(name), "{text}");
    }
}

/// The short form of TOML and the form with a header mean the same.
#[test]
fn headers_and_dotted_keys_are_the_same() {
    let dotted = "name = \"Mine\"\nlike = \"small128\"\ntransformer.width = 192\n";
    let header = "name = \"Mine\"\nlike = \"small128\"\n[transformer]\nwidth = 192\n";
    assert_eq!(network(dotted), network(header));
    assert_eq!(network(dotted).transformer.width, 192);
}

/// A key that excludes others takes their place, as does a whole list, and a file of another
/// format.
#[test]
fn what_excludes_the_known_replaces_it() {
    let long = known("sfnnv1");
    let like = "name = \"SFNNv1\"\nlike = \"sfnnv1\"\n";
    let by_weights = "[[layer]]\nname = \"fc_0\"\nweights_one = 64\n";
    assert_eq!(network(&format!("{like}{by_weights}")), long);

    // The layer's activation then reads floating point, which is another mistake.
    let by_scales = "[[layer]]\nname = \"fc_0\"\nscales = \"f32\"\n";
    let source = SourceFile::new("mine.toml", format!("{like}{by_scales}"));
    let error = analyse(&source).unwrap_err().to_string();
    assert!(!error.contains("`one` and `scales`"), "{error}");

    let all_layers = "[[layer]]\nname = \"out\"\nop = \"affine\"\noutputs = 3\nweights = \"i8\"
        biases = \"f32\"\nscale = 0.5
        [output]\nwin = \"out[0]\"\ndraw = \"out[1]\"\nloss = \"out[2]\"\nscale = 400
        [file]\nformat = \"bullet\"\n";
    let mine = network(&format!("{like}{all_layers}"));
    assert_eq!(mine.layers.len(), 1);
    assert_eq!(mine.transformer, long.transformer);
    assert_ne!(mine.file.format, long.file.format);
}

/// What a spec with `like` stands for is another spec of the same network.
#[test]
fn the_whole_text_gives_the_same_network() {
    let names = specs::all().into_iter().map(|spec| spec.path);
    let known = names.map(|name| format!("like = \"{name}\"\ntransformer.order = \"stm-first\"\n"));
    let bullets = BULLETS
        .iter()
        .map(|keys| format!("like = \"bullet\"\n{keys}"));
    for keys in known.chain(bullets) {
        let text = format!("name = \"Mine\"\n{keys}");
        let whole =
            whole_spec(&SourceFile::new("mine.toml", &*text)).expect("it is `like` another");
        assert!(!whole.contains("like"), "{whole}");
        assert_eq!(network(&whole), network(&text), "{text}\n{whole}");
    }
    assert_eq!(
        whole_spec(&SourceFile::new("mine.toml", "name = \"Mine\"")),
        None
    );
}

/// Keys behind `like = "bullet"`.
const BULLETS: &[&str] = &[
    "",
    "transformer = { width = 32, activation = \"crelu\" }",
    "transformer = { width = 32, pooling = \"product\" }",
    "transformer = { width = 32, pooling = \"product\", one = 181 }",
    "transformer = { width = 32, one = 127, pooling = \"product\", product_shift = 7 }",
    "transformer = { width = 32, activation = \"relu\", limit = 32767 }",
    "transformer = { width = 32, activation = \"sqr_relu\" }",
    "transformer = { one = 181, perspectives = 1 }\nstacks.count = 5",
    "transformer.order = \"interleaved\"\nlayer = [{ name = \"l1\", weights_one = 128 }]",
    "layer = [{ name = \"l1\", one = 8160 }]",
    "stacks = { count = 8, select = { by = \"caller\" } }\nfile.transposed = false",
    "stacks.count = 32\nfile.kind = \"raw\"",
    "features = [{ set = \"A\", mirror = \"e-h\" }]\nfile.tail = \"zeros\"",
    "features = [{ set = \"KingBuckets\", king_buckets = \"hobbes16\" }]",
    "features = [{ set = \"KingBuckets\", king_buckets = \"hobbes16\", mirror = \"e-h\" }]",
    "features = [{ set = \"Custom\", rows = 147, active = 49 }]\nfile.kind = \"weights\"",
    "layer = [{ name = \"l1\", outputs = 4, weights_one = 32 }]",
    "layer = [{ name = \"l2\", outputs = 8 }, { name = \"l1\", weights = \"i16\" }]\nstacks.count = 4",
    "transformer.activation = \"screlu\"\nlayer = [{ name = \"l1\", outputs = 8 }]",
    "transformer.activation = \"crelu\"\nlayer = [{ name = \"l3\", outputs = 8 }]",
];

/// The network of a spec like bullet's.
fn like_bullet(name: &str, keys: &str) -> Network {
    network(&format!("name = \"{name}\"\nlike = \"bullet\"\n{keys}"))
}

/// The text with other words in the place of some.
fn changed(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "no {from} in\n{text}");
        text.replace(from, to)
    })
}

#[test]
fn bullets_examples_are_a_few_lines() {
    const FILE: (&str, &str) = (
        "format = \"bullet\" ",
        "format = \"bullet\"\ntransposed = [\"l1w\"] ",
    );
    const STACKS: (&str, &str) = (
        "[[layer]]",
        "[stacks]\ncount = 8\nselect = { pieces = \"(n - 2) / 4\" }\n[[layer]]",
    );
    const SET: &str = "set = \"A\" ";
    const BUCKETS: &str = "set = \"KingBuckets\"\nmirror = \"a-d\"\nking_buckets = [0, 1, 2, 3, \
                           4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, \
                           9, 9, 9, 9, 9, 9, 9, 9] ";
    const KING_BUCKETS: &str = "features = [{ set = \"KingBuckets\", king_buckets = \"bullet10\", \
                                mirror = \"a-d\" }]\nstacks.count = 8\n";
    let simple = include_str!("../../../specs/bullet/simple.toml");
    let name = "bullet simple";
    for (keys, changes) in [
        ("", &[FILE][..]),
        (
            "transformer = { width = 256, activation = \"crelu\", one = 181 }",
            &[
                ("width = 128", "width = 256"),
                ("\"screlu\"", "\"crelu\""),
                ("divide = 255", "#"),
                ("one = 255", "one = 181"),
                ("one = 16320", "one = 11584"),
                FILE,
            ],
        ),
        ("stacks.count = 8", &[STACKS, FILE]),
        (KING_BUCKETS, &[(SET, BUCKETS), STACKS, FILE]),
    ] {
        let expected = network(&changed(simple, changes));
        assert_eq!(like_bullet(name, keys), expected, "{keys}");
    }
    let layers = "layer = [{ name = \"l1\", outputs = 16 }, { name = \"l2\", outputs = 32 }]\n";
    let keys = format!("transformer.width = 1024\n{layers}{KING_BUCKETS}");
    let multi_layer = network(include_str!("../../../specs/bullet/multi_layer.toml"));
    assert_eq!(like_bullet("bullet multi layer", &keys), multi_layer);
}

/// Keys of the spec take the place of bullet's, whatever follows from them.
#[test]
fn what_a_spec_says_is_no_longer_as_in_bullets_examples() {
    let one_layer = like_bullet("n", "layer = [{ name = \"l1\", weights_one = 128 }]");
    assert_eq!(one_layer.output.one, 255 * 128);
    let text = |qb: &str| {
        let text = format!(
            "name = \"n\"\nlike = \"bullet\"\nlayer = [{{ name = \"l1\", outputs = 16{qb} }}]"
        );
        whole_spec(&SourceFile::new("n.toml", text)).expect("it is `like` another")
    };
    for (qb, scale) in [
        ("", "512 / (255 * 255 * 64)"),
        (", weights_one = 128", "512 / (255 * 255 * 128)"),
    ] {
        let whole = text(qb);
        assert!(whole.contains(&format!("scale = \"{scale}\"\n")), "{whole}");
        assert!(!whole.contains("weights_one"), "{whole}");
    }
}

/// A name stands for the numbers, on the half that `mirror` says or on the whole board.
#[test]
fn named_king_buckets_are_those_of_both_halves() {
    for table in KING_TABLES {
        for mirror in ["none", "a-d", "e-h"] {
            let keys = format!(
                "features = [{{ set = \"KingBuckets\", king_buckets = \"{}\", mirror = \"{mirror}\" }}]",
                table.name
            );
            let network = like_bullet("n", &keys);
            let Family::PieceSquare(parameters) = &network.features[0].family else {
                panic!("king buckets are of this family");
            };
            assert_eq!(parameters.king_buckets, table.squares());
            assert_eq!(network.features[0].rows, 768 * table.buckets());
        }
    }
}

/// As many pieces for each stack, and every stack is there.
#[test]
fn bullets_stacks_follow_from_their_number() {
    assert_eq!(material_count(8), "(n - 2) / 4");
    for count in 1..=64 {
        let network = like_bullet("n", &format!("stacks.count = {count}"));
        let last = network.stacks.by_pieces.map(|stacks| stacks[32]);
        assert!(usize::from(last.unwrap_or(0)) < count, "{count}");
    }
}
