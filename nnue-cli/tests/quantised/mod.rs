//! Networks of floating point for tests of `nnue quantise`, and its reports.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;

use fastrand::Rng;
use nnue_compiler::file_layout;
use nnue_compiler::network::Network;
use serde_json::{Value, json};

use crate::program::{output, scratch, scratch_path, text};

/// A small network of two layers.
pub(crate) struct Ones {
    pub(crate) transformer: u32,
    pub(crate) weights: &'static str,
    /// Of the weights of both layers.
    pub(crate) weights_one: u32,
    pub(crate) shift: u32,
}

impl Ones {
    pub(crate) fn spec(&self) -> String {
        let Ones {
            transformer,
            weights,
            weights_one,
            shift,
        } = self;
        let sums = transformer * weights_one;
        format!(
            "name = \"Small\"\n\
             [[features]]\nset = \"A\"\n\
             [transformer]\nwidth = 16\none = {transformer}\nactivation = \"crelu\"\n\
             [[layer]]\nname = \"fc_0\"\nop = \"affine\"\noutputs = 8\nweights = \"{weights}\"\none = {sums}\n\
             [[layer]]\nname = \"ac_0\"\nop = \"crelu\"\nshift = {shift}\none = {transformer}\n\
             [[layer]]\nname = \"fc_1\"\nop = \"affine\"\noutputs = 1\nweights = \"{weights}\"\none = {sums}\n\
             [output]\nsum = \"fc_1\"\none = {sums}\nscale = 600\n\
             [file]\nformat = \"tensors\"\ntensors = [\"transformer\", \"layers\"]\n"
        )
    }
}

/// Floating point as a trainer has it, in the order of the spec's file: the same numbers whatever
/// the ones. Accumulators stay between -1 and 1, weights of layers are less than `largest`.
pub(crate) fn checkpoint(
    network: &Network,
    largest: f64,
    change: impl Fn(&str, usize, f64) -> f64,
) -> Vec<u8> {
    let mut random = Rng::with_seed(1);
    let mut file = Vec::new();
    for (_, tensor) in file_layout(network).tensors() {
        let size = match &*tensor.name {
            "transformer.weights" | "transformer.virtual_weights" => 0.02,
            "transformer.biases" => 0.3,
            _ => largest,
        };
        for index in 0..tensor.stored.values {
            let fraction = random.usize(..2_000_001) as f64 / 1e6 - 1.0;
            let number = change(&tensor.name, index, size * fraction) as f32;
            file.extend_from_slice(&number.to_le_bytes());
        }
    }
    file
}

/// The report on a file, as JSON, and the file that was written.
pub(crate) fn quantised(name: &str, spec: &str, file: &[u8], more: &[&str]) -> (Value, Vec<u8>) {
    let spec = scratch(&format!("{name}.toml"), spec.as_bytes());
    let file = scratch(&format!("{name}.bin"), file);
    let out = text(&scratch_path(&format!("{name}.net")));
    let arguments = ["quantise", &file, &out, "--spec", &spec, "--json"];
    let found = output(&[&arguments[..], more].concat());
    let found = serde_json::from_str(&found).expect("it is JSON");
    (found, fs::read(&out).expect("was written"))
}

pub(crate) fn unchanged(_: &str, _: usize, number: f64) -> f64 {
    number
}

/// The entry of a list of that name.
pub(crate) fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let mut entries = list.as_array().expect("a list").iter();
    let found = entries.find(|entry| entry["name"] == name || entry["part"] == name);
    found.unwrap_or_else(|| panic!("no `{name}` in {list}"))
}

pub(crate) fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// The text of a spec with the changes that a proposal lists.
pub(crate) fn changed(spec: &str, proposal: &Value) -> String {
    let mut spec = spec.to_string();
    for change in proposal["changes"].as_array().expect("a list") {
        let string = |key: &str| change[key].as_str().expect("text");
        let (table, key, to) = (string("table"), string("key"), string("to"));
        let start = match table.strip_prefix("[[layer]] ") {
            Some(layer) => format!("name = \"{layer}\"\n"),
            None => format!("{table}\n"),
        };
        let start = spec.find(&start).expect("the table is there") + start.len();
        match change["from"].as_str() {
            None => spec.insert_str(start, &format!("{key} = {to}\n")),
            Some(from) => {
                let line = format!("{key} = {from}\n");
                let place = start + spec[start..].find(&line).expect("the key is there");
                spec.replace_range(place..place + line.len(), &format!("{key} = {to}\n"));
            }
        }
    }
    spec
}

pub(crate) fn change(table: &str, key: &str, from: Option<&str>, to: &str) -> Value {
    json!({ "table": table, "key": key, "from": from, "to": to })
}

/// As most engines have them.
pub(crate) const USUAL: Ones = Ones {
    transformer: 127,
    weights: "i8",
    weights_one: 64,
    shift: 6,
};
