//! The order of neurons in a file of its own: the same network as with the key in the spec, and the
//! same errors.

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_compiler::{analyse, reorder};

/// 32 values for each perspective; `more` is behind the width.
fn network(more: &str) -> Network {
    let text = format!("name = \"Mine\"\nlike = \"small128\"\n[transformer]\nwidth = 32\n{more}");
    analyse(&SourceFile::new("mine.toml", text)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The file with the line, as `nnue reorder --order` writes it.
fn file(numbers: &[usize]) -> SourceFile {
    SourceFile::new("mine.order", format!("neuron_order = {numbers:?}\n"))
}

/// All neighbours change places.
fn swapped(count: usize) -> Vec<usize> {
    (0..count).map(|place| place ^ 1).collect()
}

/// The message about a file for a network.
fn refused(mut network: Network, text: &str) -> String {
    let before = network.clone();
    let errors = reorder(&mut network, &SourceFile::new("mine.order", text));
    assert_eq!(network, before, "a wrong order changes nothing");
    errors.expect_err("it is refused").to_string()
}

#[test]
fn a_file_is_as_good_as_the_key() {
    let outputs = network("").outputs().count;
    let order = swapped(outputs);
    let mut of_file = network("");
    reorder(&mut of_file, &file(&order)).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(of_file.transformer.neuron_order, order);
    assert_eq!(of_file, network(&format!("neuron_order = {order:?}\n")));
    let mut same = network("");
    let unchanged: Vec<usize> = (0..outputs).collect();
    reorder(&mut same, &file(&unchanged)).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(same, network(""));
}

#[test]
fn errors_name_the_file_and_the_place() {
    let outputs = network("").outputs().count;
    let mut twice = swapped(outputs);
    twice[3] = twice[7];
    let twice = format!("# found by hand\nneuron_order = {twice:?}\n");
    let cases: [(&str, &[&str]); 7] = [
        ("", &["mine.order", "`neuron_order`"]),
        ("neuron_order = [0, 1", &["mine.order:1:", "TOML syntax"]),
        ("neuron_order = 7", &["mine.order:1:16"]),
        (
            "neuron_order = [1, 0]",
            &["mine.order:1:16", "2 entries", "expected"],
        ),
        (
            &twice,
            &["mine.order:2:", "`neuron_order` has 6 twice", "here too"],
        ),
        (
            "neuron_orders = [1, 0]",
            &["has no key `neuron_orders`", "did you mean"],
        ),
        (
            "neuron_order = [1, 0]\nwidth = 32\n",
            &["mine.order:2:1", "`width`"],
        ),
    ];
    for (text, words) in cases {
        let said = refused(network(""), text);
        for word in words {
            assert!(said.contains(word), "`{word}` is not in\n{said}");
        }
    }
}

#[test]
fn a_spec_with_an_order_has_no_file() {
    let order = swapped(network("").outputs().count);
    let with_key = network(&format!("neuron_order = {order:?}\n"));
    let said = refused(with_key, &file(&order).text);
    let expected = "found a second order of neurons, for the spec has `neuron_order` too";
    assert!(said.contains(expected), "{said}");
}
