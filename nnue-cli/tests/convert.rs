//! `nnue convert`: net files in other forms, and back.

use std::fs;

use nnue_test_support::net_file::random_net_file;

use crate::networks::{NET, network, spec_text};
use crate::program::{output, refusal, scratch, scratch_path, text};

/// A network in the first layout, written in the second, and brought back.
fn there_and_back(name: &str, net: &[u8], from: &str, to: &str) -> (Vec<u8>, String) {
    let first = scratch(&format!("{name}.net"), net);
    let from = scratch(&format!("{name}-from.toml"), from.as_bytes());
    let to = scratch(&format!("{name}-to.toml"), to.as_bytes());
    let second = text(&scratch_path(&format!("{name}-there.net")));
    let third = text(&scratch_path(&format!("{name}-back.net")));
    let said = output(&["convert", &first, &second, "--spec", &from, "--to", &to]);
    output(&["convert", &second, &third, "--spec", &to, "--to", &from]);
    output(&["check", &to, "--net", &second]);
    let back = fs::read(third).expect("was written");
    assert!(back == net, "{name} comes back as another file");
    let there = fs::read(&second).expect("was written");
    assert!(said.starts_with(&format!("`{second}`: {} bytes\n", there.len())));
    (there, said)
}

#[test]
fn compressed_files_become_raw_and_come_back() {
    let leb128 = spec_text("specs/small128.toml");
    let raw = leb128.replace("encoding = \"leb128\"", "encoding = \"raw\"");
    assert_ne!(leb128, raw);
    let net = fs::read(NET).expect("the net is there");
    let (there, said) = there_and_back("convert-small128", &net, &leb128, &raw);
    // 22528 rows of 128 weights of two bytes and 8 PSQT values of four, and 128 biases.
    let transformer = 22528 * (2 * 128 + 4 * 8) + 2 * 128;
    let description = u32::from_le_bytes(net[8..12].try_into().expect("four bytes")) as usize;
    assert_eq!(there.len(), 16 + description + transformer + 8 * 3304);
    assert!(!said.contains("warning"), "{said}");
}

/// Numbers that the network does not use stay in files that have a place for them.
#[test]
fn numbers_for_the_engine_are_kept() {
    let kept = spec_text("tests/specs/formats/kept.toml");
    let mut net = random_net_file(&network(&kept), 6);
    // Behind a header, a word and the transformer.
    let before = 12 + 4 + 2 * 96 * (1 + 768);
    // The word stays, and so do the bytes `notes`.
    for byte in 4..4 + 4 + 2 * 63 + 5 + 12 {
        net[before + byte] = byte as u8;
    }
    let leb128 = kept.replace("[file]", "[file]\nencoding = \"leb128\"");
    assert_ne!(kept, leb128);
    let (there, said) = there_and_back("convert-kept", &net, &kept, &leb128);
    assert!(there != net && !said.contains("warning"), "{said}");
    let list = format!(
        "{}[file]\nformat = \"tensors\"\ntensors = [\n\
         {{ kept = \"progress.scales\", type = \"f32\", shape = [1, 3] }},\n\"transformer\",\n\
         {{ bytes = 5 }},\n{{ kept = \"progress.weights\", type = \"i16\", shape = [9, 7] }},\n\
         \"layers\",\n{{ kept = \"progress.bias\", type = \"i32\", shape = 1 }},\n]\n",
        kept.split_once("[file]").expect("it has a file").0
    );
    let (there, said) = there_and_back("convert-kept-list", &net, &kept, &list);
    assert!(!said.contains("warning"), "{said}");
    assert!(there.starts_with(&net[before + 4 + 4 + 2 * 63 + 5..][..12]));
    assert!(there.ends_with(&net[before + 4..][..4]));

    let plain = spec_text("tests/specs/formats/stockfish.toml");
    let [own, from, to, out] = [
        scratch("convert-kept.net", &net),
        scratch("convert-kept-from.toml", kept.as_bytes()),
        scratch("convert-kept-plain.toml", plain.as_bytes()),
        text(&scratch_path("convert-kept-plain.net")),
    ];
    let said = output(&["convert", &own, &out, "--spec", &from, "--to", &to]);
    assert!(
        said.contains("numbers that the network does not use"),
        "{said}"
    );
    let said = refusal(1, &["convert", &out, &own, "--spec", &to, "--to", &from]);
    assert!(
        said.contains("the new file needs `progress.bias`"),
        "{said}"
    );
}

/// The same numbers as integers, as floating point, and as named floating point.
#[test]
fn all_forms_of_bullet_and_lists_of_tensors_are_the_same_network() {
    let integers = spec_text("specs/bullet/simple.toml");
    let (network, _) = integers.split_once("[file]").expect("it has a file");
    let list = "[file]\nformat = \"tensors\"\ntensors = [\n\
         { tensor = \"l1.weights\", type = \"i16\" },\n\
         { tensor = \"transformer.biases\", type = \"i16\", encoding = \"leb128\" },\n\
         { tensor = \"l1.biases\", type = \"i16\" },\n\
         { tensor = \"transformer.weights\", type = \"i16\", axes = [\"neuron\", \"feature\"] },\n]\n";
    let net = random_net_file(&self::network(&integers), 5);
    for (name, file) in [
        ("raw", "[file]\nformat = \"bullet\"\nkind = \"raw\"\n"),
        (
            "weights",
            "[file]\nformat = \"bullet\"\nkind = \"weights\"\n",
        ),
        ("tensors", list),
    ] {
        let other = format!("{network}{file}");
        let name = format!("convert-{name}");
        let (there, _) = there_and_back(&name, &net, &integers, &other);
        assert_ne!(there, net);
    }
}

/// Several axes in blocks, of different lengths, are permuted as the spec says: here by hand.
#[test]
fn axes_in_blocks_of_different_lengths_are_where_the_spec_says() {
    const FEATURES: usize = 768;
    const WIDTH: usize = 32;

    let from = spec_text("specs/bullet/simple.toml");
    let (network, _) = from.split_once("[file]").expect("it has a file");
    let network = network.replace("width = 128", "width = 32");
    let rest = r#""transformer.biases", "l1.weights", "l1.biases"]"#;
    let list = |axes: &str| {
        let weights = format!(r#"{{ tensor = "transformer.weights", axes = {axes} }}"#);
        format!("{network}[file]\nformat = \"tensors\"\ntensors = [{weights}, {rest}\n")
    };
    let plain = list(r#"["feature", "neuron"]"#);
    let net = random_net_file(&self::network(&plain), 5);
    // The place in the file of a feature's and a neuron's weight.
    type Place = fn(usize, usize) -> usize;
    let orders: [(&str, &str, Place); 3] = [
        (
            "places-last",
            r#"["feature / 8", "neuron / 2", "feature % 8", "neuron % 2"]"#,
            |feature, neuron| {
                ((feature / 8 * (WIDTH / 2) + neuron / 2) * 8 + feature % 8) * 2 + neuron % 2
            },
        ),
        (
            "places-swapped",
            r#"["feature / 8", "neuron / 2", "neuron % 2", "feature % 8"]"#,
            |feature, neuron| {
                ((feature / 8 * (WIDTH / 2) + neuron / 2) * 2 + neuron % 2) * 8 + feature % 8
            },
        ),
        (
            "places-first",
            r#"["neuron % 4", "feature % 3", "feature / 3", "neuron / 4"]"#,
            |feature, neuron| {
                ((neuron % 4 * 3 + feature % 3) * (FEATURES / 3) + feature / 3) * (WIDTH / 4)
                    + neuron / 4
            },
        ),
    ];
    for (name, axes, place) in orders {
        let (there, _) = there_and_back(&format!("convert-{name}"), &net, &plain, &list(axes));
        let weight = |file: &[u8], at: usize| [file[2 * at], file[2 * at + 1]];
        for feature in 0..FEATURES {
            for neuron in 0..WIDTH {
                let expected = weight(&net, feature * WIDTH + neuron);
                let found = weight(&there, place(feature, neuron));
                assert_eq!(
                    found, expected,
                    "{name}: feature {feature}, neuron {neuron}"
                );
            }
        }
        let behind = 2 * FEATURES * WIDTH;
        assert_eq!(there[behind..], net[behind..], "{name}");
    }
}

/// One way to name nets: as in all other commands, or as in `cp`.
#[test]
fn both_files_may_have_names() {
    let spec = ["--spec", "small128", "--to", "small128"];
    let out = text(&scratch_path("convert-named.nnue"));
    for files in [
        &[NET, &out][..],
        &["--net", NET, &out],
        &[NET, "--out", &out],
        &["--out", &out, "--net", NET],
    ] {
        let _ = fs::remove_file(&out);
        output(&[&["convert"], files, &spec].concat());
        assert!(fs::read(&out).expect("was written") == fs::read(NET).expect("is there"));
    }
    for (files, words) in [
        (&[][..], "found no net, expected `IN OUT` or `--net FILE`"),
        (
            &[NET],
            "found no file to write, expected `OUT` or `--out FILE`",
        ),
        (&["--net", NET, &out, NET], "beside the file that is read"),
    ] {
        let message = refusal(2, &[&["convert"], files, &spec].concat());
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn what_has_no_place_is_said() {
    let from = spec_text("specs/small128.toml");
    let (network, _) = from.split_once("[file]").expect("it has a file");
    let tensors = [
        "transformer.weights",
        "transformer.biases",
        "transformer.psqt",
        "fc_0.weights",
        "fc_0.biases",
        "fc_1.weights",
        "fc_1.biases",
        "fc_2.weights",
        "fc_2.biases",
    ];
    let (once, repeated) = tensors.split_at(3);
    let list = |names: &[&str]| {
        let names = names
            .iter()
            .map(|name| format!("{{ tensor = \"{name}\" }}"));
        names.collect::<Vec<_>>().join(", ")
    };
    let (once, repeated) = (list(once), list(repeated));
    let to = format!(
        "{network}[file]\nformat = \"tensors\"\ntensors = [{once}]\nstack = [[{repeated}]]\n"
    );
    let from = scratch("convert-lost-from.toml", from.as_bytes());
    let to = scratch("convert-lost-to.toml", to.as_bytes());
    let file = text(&scratch_path("convert-lost.net"));
    let said = output(&["convert", NET, &file, "--spec", &from, "--to", &to]);
    assert!(
        said.ends_with("\nwarning: the file has no place for the description\n"),
        "{said}"
    );
}

#[test]
fn other_networks_are_refused_with_what_differs() {
    let from = spec_text("specs/small128.toml");
    let from_path = scratch("convert-from.toml", from.as_bytes());
    for (name, found, other, words) in [
        (
            "select",
            "(n - 1) / 4",
            "n / 5",
            "`buckets/by_pieces/9` of `nnue describe` is 2 in the first and 1 in the second",
        ),
        (
            "width",
            "width = 128",
            "width = 192",
            "`layers/0/inputs/0/len` of `nnue describe` is 128 in the first and 192 in the second",
        ),
    ] {
        let to = from.replacen(found, other, 1);
        assert_ne!(to, from);
        let to = scratch(&format!("convert-{name}.toml"), to.as_bytes());
        let out = scratch_path(&format!("convert-{name}.net"));
        let message = refusal(
            1,
            &[
                "convert",
                NET,
                &text(&out),
                "--spec",
                &from_path,
                "--to",
                &to,
            ],
        );
        let start = "error: the specs do not describe the same network: ";
        assert!(message.starts_with(start), "{message}");
        assert!(message.contains(words), "{message}");
        assert!(!out.exists());
    }
}

#[test]
fn files_of_another_network_are_refused() {
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/sfnnv5.toml");
    let out = text(&scratch_path("convert-refused.net"));
    let message = refusal(1, &["convert", NET, &out, "--spec", spec, "--to", spec]);
    assert!(
        message.contains("` is not a net file for SFNNv5: this is a net of small128: width is 128"),
        "{message}"
    );
}

mod small128 {
    nnue_runtime::nnue_net!("../specs/small128.toml");
}

#[test]
fn weights_are_laid_out_for_every_level_and_mapped() {
    use nnue_runtime::{Board, Level, Network};

    for level in Level::available() {
        let out = scratch_path(&format!("laid-out-{level}"));
        let said = output(&["convert", NET, &text(&out), "--layout", level.name()]);
        let len = fs::metadata(&out).expect("was written").len();
        assert_eq!(said, format!("`{}`: {len} bytes\n", text(&out)));
        // SAFETY: nobody else knows the file.
        let net = unsafe { Network::<small128::Net>::map_checked(&out) };
        let net = net.unwrap_or_else(|error| panic!("{error}"));
        let board = Board::start();
        let accumulator = small128::Accumulator::new(&net, &board);
        assert_eq!(net.evaluate(&accumulator, &board).value, 251, "{level}");
        assert!(net.to_bytes() == fs::read(NET).expect("the net is there"));
        // The same as a program writes.
        let mut written = Vec::new();
        let loaded = Network::<small128::Net>::open(NET).expect("it is one");
        let loaded = loaded.with_level(level);
        loaded
            .write_laid_out(&mut written)
            .expect("memory takes all");
        assert!(written == fs::read(&out).expect("was written"), "{level}");

        // It is no net, and what it is is said.
        let message = refusal(1, &["eval", "--net", &text(&out)]);
        assert!(message.contains("`Network::map`"), "{message}");
    }
}

#[test]
fn what_is_written_is_said_once() {
    let out = text(&scratch_path("laid-out-refused"));
    for (options, words) in [
        (&["--layout", "avx3"][..], "'avx3'"),
        (&["--layout", "scalar", "--to", "small128"], "--to"),
        (&["--spec", "small128"], "--to"),
        (&[], "--spec"),
    ] {
        let message = refusal(2, &[&["convert", NET, &out][..], options].concat());
        assert!(message.contains(words), "{message}");
    }
    let other = [
        "convert", NET, &out, "--layout", "scalar", "--spec", "sfnnv5",
    ];
    assert!(refusal(1, &other).contains("is not a net file for SFNNv5"));
}
