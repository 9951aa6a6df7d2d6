//! What is written for an engine: the files in the folder `written`, whose module is compiled here
//! and runs its own test. `UPDATE_GOLDEN=1` writes them anew.

#[path = "written/net.rs"]
mod net;

use std::fs;

use nnue_interpreter::dummy::net_file::nearest_net_file_of;
use nnue_tools::adopt::{Ranking, marked_spec, module, with_width};

use super::{network, spec, trained};

const FOLDER: &str = "tests/adopt/written";

/// The test of a module compares single values of positions.
#[test]
fn networks_without_one_value_for_the_pieces_get_no_module() {
    for name in ["engines/monty.toml", "engines/velvet.toml"] {
        let network = network(&with_width(&spec(name), 64));
        let bytes = nearest_net_file_of(&network, |_| 0.0);
        assert_eq!(
            module(&network, "net.toml", "net.bin", &bytes),
            None,
            "{name}"
        );
    }
}

/// Words and bytes have the same floating point.
#[test]
fn the_types_that_floating_point_becomes_are_asked_for_and_marked() {
    let text = with_width(&spec("bullet/multi_layer.toml"), 16);
    let transposed = "transposed = [\"l1w\", \"l2w\", \"l3w\"]";
    assert!(text.contains(transposed));
    let right = network(&text.replace(transposed, "kind = \"raw\""));
    let ranking = Ranking::of(&trained::file(&right, 1), "Raw");
    let mut questions = ranking.questions.iter();
    let asked = questions.find(|question| question.key == "weights");
    let values = asked.map(|question| question.values.clone());
    let [bytes, words] = ["i8, f32, f32", "i16, f32, f32"].map(String::from);
    assert_eq!(values, Some(vec![bytes, words]));
    let marked = marked_spec(&ranking.guesses[0], &ranking.questions, "raw.bin");
    let line =
        "    # guess: the types of the layers' weights, for which the file has no evidence\n";
    let (_, after) = marked.split_once(line).expect("it is marked");
    let layer = after
        .lines()
        .find(|line| !line.trim_start().starts_with('#'));
    let layer = layer.expect("comments stand above a line");
    assert!(layer.contains("weights = \"i8\""), "{marked}");
}

#[test]
fn the_written_files_are_those_of_the_folder() {
    let is_anew = std::env::var_os("UPDATE_GOLDEN").is_some();
    let [spec_path, code_path, net_path] =
        ["net.toml", "net.rs", "net.bin"].map(|name| format!("{FOLDER}/{name}"));
    if is_anew {
        let right = network(&with_width(&spec("bullet/simple.toml"), 16));
        fs::write(&net_path, trained::file(&right, 1)).expect("the folder is there");
    }
    let bytes = fs::read(&net_path).expect("the net is there");
    let ranking = Ranking::of(&bytes, "Written");
    let guess = ranking
        .guesses
        .first()
        .expect("bullet's simple network fits");
    let marked = marked_spec(guess, &ranking.questions, "net.bin");
    for line in [
        "# guess: the scale of the evaluation, SCALE\noutput.scale = 400\n",
        "like = \"bullet\"\ntransformer.width = 16\n",
    ] {
        assert!(marked.contains(line), "no {line} in\n{marked}");
    }
    assert_eq!(network(&marked), guess.network);
    let code = module(&guess.network, &spec_path, &net_path, &bytes);
    let code = code.expect("it gives one value");
    for (path, content) in [(spec_path, marked), (code_path, code)] {
        if is_anew {
            fs::write(&path, &content).expect("the folder is there");
        }
        let found = fs::read_to_string(&path).expect("the file is there");
        assert_eq!(found, content, "{path}: UPDATE_GOLDEN=1 writes it anew");
    }
}
