//! Specs that are `like` a known network: what they do not say is as in the known spec, and nothing
//! else is.

use crate::specs;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;

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
