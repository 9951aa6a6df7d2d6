//! The spec of a network that was recognised by its file.

use std::fmt::{self, Display, Write};

use nnue_format::{Encoding, Family, Wiring};

/// The column of comments, where specs that are written by hand have it.
const COMMENTS: usize = 32;

/// The text of the spec for a network of this shape, with that name: ready to be saved and
/// compiled.
///
/// Lines that say what no file tells are as in Stockfish's networks. Each of them carries a comment
/// that begins with `guessed` and names the alternatives.
pub fn spec_of(family: &Family, name: &str) -> String {
    let mut writer = Writer {
        text: String::new(),
    };
    // Writing to a string cannot fail.
    let _ = writer.spec(family, name);
    writer.text
}

/// A line that says what no file tells, and what other networks have, in words that follow "or".
type Guess = (&'static str, &'static str);

const ONE_OF_SUMS: Guess = (
    "one = 8128",
    "127 times what 1.0 is in the weights, if that is not 64",
);
const SHIFT: Guess = ("shift = 6", "what brings the layer's one to 127");
const ONE_OF_OUTPUT: Guess = (
    "one = 9600",
    "another scale of evaluations than 600 times `divide`",
);

struct Writer {
    text: String,
}

impl Writer {
    fn spec(&mut self, family: &Family, name: &str) -> fmt::Result {
        let Family {
            version,
            features,
            width,
            wiring,
            outputs: [first, second],
            encoding,
            ..
        } = *family;
        let buckets = features.buckets();
        let (skip, has_skip) = (first.saturating_sub(1), wiring != Wiring::Plain);
        let squares = wiring == Wiring::SkipAndSquares;

        self.line(format_args!("# {family}."))?;
        self.line(
            "# No net file says what is marked as guessed here: it is as in most of Stockfish's networks.",
        )?;
        self.line(format_args!("name = {}\n", string(name)))?;
        self.line(format_args!("[[features]]\nset = \"{features}\"\n"))?;

        self.line("[transformer]")?;
        self.commented(format_args!("width = {width}"), "neurons per perspective")?;
        self.guessed(("one = 127", "255, as trainers outside Stockfish have it"))?;
        if buckets > 1 {
            self.commented(
                format_args!("psqt = {buckets}"),
                "one PSQT value per bucket",
            )?;
        }
        self.guessed(("activation = \"crelu\"", "\"screlu\" with a `shift`"))?;
        if has_skip {
            self.guessed(("pooling = \"product\"", "\"average\" or \"max\""))?;
        }
        self.line("order = \"stm-first\"\n")?;

        if buckets > 1 {
            self.line(format_args!("[stacks]\ncount = {buckets}"))?;
            self.guessed((
                "select = { pieces = \"(n - 1) / 4\" }",
                "any other table of 1 to 32 pieces",
            ))?;
            self.line("")?;
        }

        self.layer("fc_0", "affine")?;
        let outputs = format_args!("outputs = {first}");
        match has_skip {
            false => self.line(outputs)?,
            true => self.commented(
                outputs,
                format_args!("{skip}, and one that skips to the output"),
            )?,
        }
        self.line("weights = \"i8\"")?;
        self.guessed(ONE_OF_SUMS)?;
        // Most inputs are zero; but layers of fewer outputs are not laid out for skipping them.
        if first >= 8 {
            self.line("sparse = true")?;
        }
        self.line("")?;

        let input = match has_skip {
            false => String::new(),
            true => format!("input = \"fc_0[..{skip}]\"\n"),
        };
        if squares {
            self.layer("ac_sqr_0", "sqr_crelu")?;
            self.text += &input;
            self.guessed((
                "shift = 19",
                "what brings the square of the layer's one to 127",
            ))?;
            self.line("")?;
        }
        self.layer("ac_0", "crelu")?;
        self.text += &input;
        self.guessed(SHIFT)?;
        self.line("")?;
        self.layer("fc_1", "affine")?;
        if squares {
            self.line("input = [\"ac_sqr_0\", \"ac_0\"]")?;
        }
        self.line(format_args!("outputs = {second}\nweights = \"i8\""))?;
        self.guessed(ONE_OF_SUMS)?;
        self.line("")?;
        self.layer("ac_1", "crelu")?;
        self.guessed(SHIFT)?;
        self.line("")?;
        self.layer("fc_2", "affine")?;
        self.line("outputs = 1\nweights = \"i8\"")?;
        self.guessed(ONE_OF_OUTPUT)?;

        self.line("\n[output]")?;
        match has_skip {
            false => self.line("sum = [\"fc_2\"]")?,
            true => {
                self.line(format_args!("sum = [\"fc_2\", \"fc_0[{skip}]\"]"))?;
                self.guessed(("align = \"exact\"", "\"shift\""))?;
            }
        }
        self.guessed(ONE_OF_OUTPUT)?;
        self.guessed((
            "divide = 16",
            "{ by = 16, of = \"each\" }, as in SFNNv9 and small128",
        ))?;

        self.line("\n[file]\nformat = \"stockfish\"")?;
        self.line(format_args!("version = {version:#010X}"))?;
        if encoding == Encoding::Leb128 {
            self.line("encoding = \"leb128\"")?;
        }
        Ok(())
    }

    fn line(&mut self, line: impl Display) -> fmt::Result {
        writeln!(self.text, "{line}")
    }

    fn commented(&mut self, line: impl Display, comment: impl Display) -> fmt::Result {
        let line = line.to_string();
        // A space at least.
        let column = COMMENTS.max(line.len() + 1);
        writeln!(self.text, "{line:column$}# {comment}")
    }

    fn layer(&mut self, name: &str, op: &str) -> fmt::Result {
        self.line(format_args!("[[layer]]\nname = \"{name}\"\nop = \"{op}\""))
    }

    fn guessed(&mut self, (line, alternatives): Guess) -> fmt::Result {
        self.commented(line, format_args!("guessed: or {alternatives}"))
    }
}

/// The value as a string of TOML, in quotes.
fn string(value: &str) -> String {
    let escaped = value.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use nnue_format::{Identity, identify};

    use super::*;
    use crate::analyse;
    use crate::diagnostics::SourceFile;

    /// The family of the net that the examples have.
    fn small128() -> Family {
        let net = include_bytes!("../../../examples/nets/nn-37f18f62d772.nnue");
        let identity = identify(net);
        assert_eq!(identity, Identity::Spec { name: "small128" });
        identity.family().unwrap()
    }

    #[test]
    fn specs_say_what_the_network_is() {
        let mut family = small128();
        family.width = 256;
        family.outputs = [8, 48];
        let spec = spec_of(&family, "mine");
        for line in [
            "# HalfKAv2_hm, 256 neurons, layers of 8, 48 and 1 neurons like SFNNv5, compressed.",
            "name = \"mine\"",
            "width = 256                     # neurons per perspective",
            "outputs = 8                     # 7, and one that skips to the output",
            "sparse = true",
            "input = \"fc_0[..7]\"",
            "sum = [\"fc_2\", \"fc_0[7]\"]",
            "divide = 16                     # guessed: or { by = 16, of = \"each\" }, as in SFNNv9 and small128",
            "version = 0x7AF32F20",
            "encoding = \"leb128\"",
        ] {
            assert!(spec.lines().any(|found| found == line), "{line}\n{spec}");
        }
        family.outputs = [4, 32];
        assert!(!spec_of(&family, "mine").contains("sparse"));
    }

    #[test]
    fn every_guess_is_marked() {
        for (wiring, guesses) in [
            (Wiring::Plain, 10),
            (Wiring::Skip, 12),
            (Wiring::SkipAndSquares, 13),
        ] {
            let mut family = small128();
            family.wiring = wiring;
            let spec = spec_of(&family, "mine");
            analyse(&SourceFile::new("mine.toml", &*spec))
                .unwrap_or_else(|errors| panic!("{errors}"));
            assert_eq!(spec.matches("# guessed: or ").count(), guesses, "{spec}");
        }
    }

    #[test]
    fn any_name_is_a_string() {
        assert_eq!(
            string("a \"b\" \\ \u{7F}\n\u{E9}"),
            "\"a \\\"b\\\" \\\\ \\u007F\\u000A\u{E9}\""
        );
    }

    #[test]
    fn no_numbers_are_too_bad() {
        for outputs in [[0, 0], [1, 0], [u32::MAX, 1]] {
            let mut family = small128();
            family.outputs = outputs;
            assert!(!spec_of(&family, "").is_empty());
        }
    }
}
