//! What is written for an engine: the spec with its guesses marked, and a Rust module with a test.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_compiler::schema::{URL, with_schema, without_schema};
use nnue_interpreter::{Evaluation, Net};
use nnue_runtime::Board;

use crate::adopt::ranking::{Guess, Question};

/// Keys whose values no file tells, and what they are.
const UNTOLD: [(&str, &str); 13] = [
    ("transformer.one", "what 1.0 is in the accumulator, QA"),
    ("one", "what 1.0 is"),
    ("weights_one", "what 1.0 is in weights, QB"),
    ("divide", "what sums are divided by"),
    ("shift", "how many bits are dropped"),
    ("product_shift", "how many bits of products are dropped"),
    ("limit", "where values are clipped"),
    ("output.scale", "the scale of the evaluation, SCALE"),
    ("scale", "the scale of the evaluation"),
    ("stacks.select", "which output bucket a position uses"),
    ("select", "which output bucket a position uses"),
    ("rounding", "how numbers are rounded"),
    ("overflow", "what happens to numbers that do not fit"),
];

/// What the `scale` of a layer is, a formula in quotes.
const SCALE_OF_SUMS: &str = "the factor of the sums, which has QA and QB";

/// The text of a guess's spec in which each line with a guess follows a comment that says so.
/// `questions` are those of the guess's ranking, and `file` is the name of the net file.
#[must_use]
pub fn marked_spec(guess: &Guess, questions: &[Question], file: &str) -> String {
    let is_short = guess.spec.contains("\nlike = ");
    let mut text = format!(
        "#:schema {URL}\n# Found for {file:?} by `nnue adopt`: {}.\n# A comment that begins with `guess` stands above \
         what the file does not tell.\n{}",
        guess.family,
        match is_short {
            true => "# `nnue check` prints all that `like` stands for.\n",
            false => "",
        }
    );
    for line in without_schema(&guess.spec).lines() {
        for comment in comments(line, questions) {
            let indent = &line[..line.len() - line.trim_start().len()];
            text.push_str(&format!("{indent}# guess: {comment}\n"));
        }
        text.push_str(line);
        text.push('\n');
    }
    let is_same = |network| network == guess.network;
    let marked = analyse(&SourceFile::new("marked", &*text));
    match marked.is_ok_and(is_same) {
        true => text,
        // A comment has no place there.
        false => with_schema(&guess.spec),
    }
}

/// What is guessed in a line of a spec.
fn comments(line: &str, questions: &[Question]) -> Vec<String> {
    let code = line.split('#').next().unwrap_or_default();
    // What follows a key, if the line has it: at its beginning, in braces, or behind one of `ends`.
    let after = |key: &str, ends: &[char]| {
        let mut places = code.match_indices(key).filter_map(|(at, _)| {
            let (before, after) = (&code[..at], code[at + key.len()..].trim_start());
            let is_whole =
                before.is_empty() || before.ends_with([' ', '{']) || before.ends_with(ends);
            after.strip_prefix('=').filter(|_| is_whole)
        });
        places.next()
    };
    let has = |key: &str| after(key, &['.']).is_some();
    let is_untold = |key: &str| UNTOLD.iter().any(|(untold, _)| *untold == key);
    let asked = questions.iter().filter(|question| {
        question.values.len() > 1 && has(question.key) && !is_untold(question.key)
    });
    let asked =
        asked.map(|question| format!("{}, for which the file has no evidence", question.fact));
    let buckets = questions
        .iter()
        .any(|question| question.key == "king_buckets" && question.values.len() == 1);
    let buckets =
        (buckets && has("king_buckets")).then(|| "the buckets of the king's squares".into());
    let untold = UNTOLD.iter().filter_map(|(key, what)| {
        let value = after(key, &[])?;
        let is_formula = *key == "scale" && value.trim_start().starts_with('"');
        Some(if is_formula { SCALE_OF_SUMS } else { *what }.to_string())
    });
    asked.chain(buckets).chain(untold).collect()
}

/// A Rust module for the network, with a test that moves change accumulators as they should. Both
/// paths are as the module shall have them: that of the spec from the folder of the engine's
/// manifest, that of the net from where its tests run.
///
/// `None` if the network has no single value for the pieces of a board: engines have to write such
/// a test themselves.
#[must_use]
pub fn module(network: &Network, spec: &str, net: &str, bytes: &[u8]) -> Option<String> {
    let value = start_value(network, bytes)?;
    Some(format!(
        "//! The network of `{net}`, whose spec is `{spec}`.

nnue_runtime::nnue_net!({spec:?});

#[cfg(test)]
mod tests {{
    use nnue_runtime::{{Board, Color, Delta, Piece, Role, Square}};

    use super::{{Evaluator, Network}};

    #[test]
    fn accumulators_follow_moves() {{
        let net = Network::open({net:?}).expect(\"the file fits the spec\");
        let mut board = Board::start();
        let value = Evaluator::new(&net, &board).evaluate().value;
        assert_eq!(
            value, {value},
            \"of the spec as `nnue adopt` wrote it; if you have changed it, `nnue eval` says its value\"
        );
        let mut evaluator = Evaluator::new(&net, &board);
        for (color, role, from, to) in [
            (Color::White, Role::Pawn, Square::E2, Square::E4),
            (Color::Black, Role::Pawn, Square::E7, Square::E5),
            (Color::White, Role::King, Square::E1, Square::E2),
            (Color::Black, Role::King, Square::E8, Square::E7),
            (Color::White, Role::King, Square::E2, Square::D3),
            (Color::Black, Role::Queen, Square::D8, Square::E8),
        ] {{
            let delta = Delta::quiet(Piece::new(color, role), from, to);
            evaluator.push(&delta);
            board.apply(&delta).expect(\"the piece is there\");
            let anew = Evaluator::new(&net, &board).evaluate().value;
            assert_eq!(evaluator.evaluate().value, anew, \"{{board}}\");
        }}
    }}
}}
"
    ))
}

/// The value of the start of a game, if the pieces tell it and it is all that the network says.
fn start_value(network: &Network, bytes: &[u8]) -> Option<i32> {
    let is_supplied = network.features.iter().any(|set| set.is_supplied());
    if is_supplied || !network.output.further.is_empty() {
        return None;
    }
    let net = Net::from_bytes(network, bytes).ok()?;
    match net.evaluate(&Board::start(), net.bucket(32)?) {
        Evaluation::Value(output) => Some(output.value),
        Evaluation::Wdl(_) => None,
    }
}
