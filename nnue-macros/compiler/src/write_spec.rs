//! Writes a spec for a network that was recognised by its net file.

use std::fmt::{self, Display, Write};

use nnue_format::{Encoding, stockfish};

use crate::explain::{Family, Wiring};
use crate::schema::with_schema;

/// The column at which comments begin, as in specs that are written by hand.
const COMMENTS: usize = 32;

/// The text of the spec for a network of this shape and this name, ready to be saved and compiled.
///
/// Lines that say what the file cannot tell are as in Stockfish's networks. Each of them carries a
/// comment that begins with `guessed` and names the alternatives.
pub fn spec_of(family: &Family, name: &str) -> String {
    let mut writer = Writer {
        text: String::new(),
    };
    // Writing to a string cannot fail.
    let _ = writer.spec(family, name);
    with_schema(&writer.text)
}

/// A line that says what the file cannot tell, and the alternatives of other networks, in words
/// that follow "or".
type Guess = (&'static str, &'static str);

const ONE_OF_OUTPUT: Guess = (
    "one = 9600",
    "another scale of evaluations than 600 times `divide`",
);

/// The lines about layers that the file cannot tell: the `one` of sums, and the shifts that lead
/// from sums to activations.
struct ScaleGuesses {
    /// The `one` of each of the three affine layers.
    sums: [Guess; 3],
    /// The shifts of the first two layers' squares.
    squares: [Guess; 2],
    /// The shifts of the first two layers.
    shifts: [Guess; 2],
    /// The lines of an activation behind its shift.
    activation: &'static [Guess],
}

const UP_TO_127: ScaleGuesses = {
    const ONE: Guess = (
        "one = 8128",
        "127 times what 1.0 is in the weights, if that is not 64",
    );
    const SQUARES: Guess = (
        "shift = 19",
        "what brings the square of the layer's one to 127",
    );
    const SHIFT: Guess = ("shift = 6", "what brings the layer's one to 127");
    ScaleGuesses {
        sums: [ONE, ONE, ONE_OF_OUTPUT],
        squares: [SQUARES, SQUARES],
        shifts: [SHIFT, SHIFT],
        activation: &[],
    }
};

const POWERS_OF_TWO: ScaleGuesses = {
    const SQUARES: &str = "what brings the square of the layer's one to 128";
    const SHIFT: &str = "what brings the layer's one to 128";
    ScaleGuesses {
        sums: [
            (
                "one = 16384",
                "128 times what 1.0 is in the weights, if that is not 128",
            ),
            (
                "one = 8192",
                "128 times what 1.0 is in the weights, if that is not 64",
            ),
            (
                "one = 16384",
                "128 times what 1.0 is in the weights, if that is not 128",
            ),
        ],
        squares: [("shift = 21", SQUARES), ("shift = 19", SQUARES)],
        shifts: [("shift = 7", SHIFT), ("shift = 6", SHIFT)],
        activation: &[
            ("one = 128", "what the shift leaves of the layer's one"),
            ("limit = 127", "another one up to 255"),
        ],
    }
};

struct Writer {
    text: String,
}

impl Writer {
    fn spec(&mut self, family: &Family, name: &str) -> fmt::Result {
        self.line(format_args!("# {family}."))?;
        self.line(
            "# No net file says what is marked as guessed here: it is as in most of Stockfish's networks.",
        )?;
        self.line(format_args!("name = {}\n", toml_string(name)))?;
        self.features(family)?;
        self.transformer(family)?;
        self.layers(family)?;
        self.output(family)?;
        self.file(family)
    }

    fn features(&mut self, family: &Family) -> fmt::Result {
        if let Some(targets) = family.threats {
            self.line(format_args!(
                "[[features]]\nset = \"Threats\"\ntargets = \"{targets}\"\n"
            ))?;
        }
        if family.has_pawn_pairs() {
            self.line("[[features]]\nset = \"PawnPairs\"\n")?;
        }
        let features = family.features;
        self.line(format_args!("[[features]]\nset = \"{features}\"\n"))
    }

    fn transformer(&mut self, family: &Family) -> fmt::Result {
        let (width, buckets) = (family.width, family.features.buckets());
        self.line("[transformer]")?;
        self.commented(format_args!("width = {width}"), "neurons per perspective")?;
        self.guessed(if is_late(family) {
            ("one = 255", "127, as in Stockfish before SFNNv10")
        } else {
            ("one = 127", "255, as trainers outside Stockfish have it")
        })?;
        if family.psqt {
            self.commented(
                format_args!("psqt = {buckets}"),
                "one PSQT value per bucket",
            )?;
        }
        self.guessed(("activation = \"crelu\"", "\"screlu\" with a `shift`"))?;
        if family.wiring != Wiring::Plain {
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
        Ok(())
    }

    fn layers(&mut self, family: &Family) -> fmt::Result {
        let [first, second] = family.outputs;
        let skip = first.saturating_sub(1);
        let skips = match family.wiring {
            Wiring::Plain => None,
            Wiring::SquaresOfBoth => Some("the last two of them also skip to the output".into()),
            _ => Some(format!("{skip}, and one that skips to the output")),
        };
        let input = match family.wiring {
            Wiring::Plain => "",
            Wiring::SquaresOfBoth => "input = \"fc_0\"\n",
            _ => &format!("input = \"fc_0[..{skip}]\"\n"),
        };
        let scale = match family.wiring {
            Wiring::PowersOfTwo | Wiring::SquaresOfBoth => POWERS_OF_TWO,
            _ => UP_TO_127,
        };
        let has_squares = !matches!(family.wiring, Wiring::Plain | Wiring::Skip);
        let has_more_squares = family.wiring == Wiring::SquaresOfBoth;

        self.layer("fc_0", "affine")?;
        let outputs = format_args!("outputs = {first}");
        match skips {
            None => self.line(outputs)?,
            Some(skips) => self.commented(outputs, skips)?,
        }
        self.line("weights = \"i8\"")?;
        self.guessed(scale.sums[0])?;
        // Most inputs are zero; but layers of fewer outputs are not laid out for skipping them.
        if first >= 8 {
            self.line("sparse = true")?;
        }
        self.line("")?;
        if has_squares {
            self.activation("ac_sqr_0", "sqr_crelu", input, scale.squares[0], &scale)?;
        }
        self.activation("ac_0", "crelu", input, scale.shifts[0], &scale)?;

        self.layer("fc_1", "affine")?;
        if has_squares {
            self.line("input = [\"ac_sqr_0\", \"ac_0\"]")?;
        }
        self.line(format_args!("outputs = {second}\nweights = \"i8\""))?;
        self.guessed(scale.sums[1])?;
        self.line("")?;
        let input = if has_more_squares {
            "input = \"fc_1\"\n"
        } else {
            ""
        };
        if has_more_squares {
            self.activation("ac_sqr_1", "sqr_crelu", input, scale.squares[1], &scale)?;
        }
        self.activation("ac_1", "crelu", input, scale.shifts[1], &scale)?;

        self.layer("fc_2", "affine")?;
        if has_more_squares {
            self.line("input = [\"ac_sqr_0\", \"ac_0\", \"ac_sqr_1\", \"ac_1\"]")?;
        }
        self.line("outputs = 1\nweights = \"i8\"")?;
        self.guessed(scale.sums[2])
    }

    fn output(&mut self, family: &Family) -> fmt::Result {
        let skip = family.outputs[0].saturating_sub(1);
        self.line("\n[output]")?;
        match family.wiring {
            Wiring::Plain => self.line("sum = [\"fc_2\"]")?,
            Wiring::SquaresOfBoth => {
                let added = skip.saturating_sub(1);
                self.line(format_args!(
                    "sum = [\"fc_2\", \"fc_0[{added}]\", \"-fc_0[{skip}]\"]"
                ))?;
            }
            _ => self.line(format_args!("sum = [\"fc_2\", \"fc_0[{skip}]\"]"))?,
        }
        if family.wiring != Wiring::Plain {
            self.guessed(("align = \"exact\"", "\"shift\""))?;
        }
        self.guessed(ONE_OF_OUTPUT)?;
        self.guessed(if !family.psqt {
            ("divide = 16", "another number")
        } else if is_late(family) {
            (
                "divide = { by = 16, of = \"each\" }",
                "16, as before SFNNv9",
            )
        } else {
            (
                "divide = 16",
                "{ by = 16, of = \"each\" }, as in SFNNv9 and small128",
            )
        })
    }

    fn file(&mut self, family: &Family) -> fmt::Result {
        self.line("\n[file]\nformat = \"stockfish\"")?;
        self.line(format_args!("version = {:#010X}", family.version))?;
        if family.encoding == Encoding::Leb128 {
            self.line("encoding = \"leb128\"")?;
        }
        if family.has_psqt_after_each_set() {
            self.line("psqt = \"after-each-set\"")?;
        }
        if family.hash_counts_threats_only {
            let hash = family.transformer_hash();
            self.commented(
                format_args!("transformer_hash = {hash:#010X}"),
                "counts the threats only",
            )?;
        }
        Ok(())
    }

    fn line(&mut self, line: impl Display) -> fmt::Result {
        writeln!(self.text, "{line}")
    }

    fn commented(&mut self, line: impl Display, comment: impl Display) -> fmt::Result {
        let line = line.to_string();
        // At least one space stands before the comment.
        let column = COMMENTS.max(line.len() + 1);
        writeln!(self.text, "{line:column$}# {comment}")
    }

    fn layer(&mut self, name: &str, op: &str) -> fmt::Result {
        self.line(format_args!("[[layer]]\nname = \"{name}\"\nop = \"{op}\""))
    }

    /// Writes a layer without weights, and an empty line.
    fn activation(
        &mut self,
        name: &str,
        op: &str,
        input: &str,
        shift: Guess,
        scale: &ScaleGuesses,
    ) -> fmt::Result {
        self.layer(name, op)?;
        self.text += input;
        self.guessed(shift)?;
        for line in scale.activation {
            self.guessed(*line)?;
        }
        self.line("")
    }

    fn guessed(&mut self, (line, alternatives): Guess) -> fmt::Result {
        self.commented(line, format_args!("guessed: or {alternatives}"))
    }
}

/// Whether the network is built like SFNNv10 or a later generation.
fn is_late(family: &Family) -> bool {
    family.threats.is_some() || family.version == stockfish::THIRD_VERSION
}

/// The value as a string of TOML, in quotes. Rust's own way to quote has escapes that TOML lacks.
pub fn toml_string(value: &str) -> String {
    let escaped = value.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use nnue_format::ThreatTargets;

    use super::*;
    use crate::analyse;
    use crate::diagnostics::SourceFile;
    use crate::explain::{Identity, identify};

    /// The family of the net that the examples use.
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
        family.threats = Some(ThreatTargets::Sfnnv12);
        family.hash_counts_threats_only = true;
        let spec = spec_of(&family, "mine");
        for line in [
            "# Threats sfnnv12 and HalfKAv2_hm, 256 neurons, layers of 4, 32 and 1 neurons like SFNNv5, compressed.",
            "targets = \"sfnnv12\"",
            "one = 255                       # guessed: or 127, as in Stockfish before SFNNv10",
            "transformer_hash = 0x8F234EB8   # counts the threats only",
        ] {
            assert!(spec.lines().any(|found| found == line), "{line}\n{spec}");
        }
    }

    #[test]
    fn every_guess_is_marked() {
        for (wiring, threats, guesses) in [
            (Wiring::Plain, None, 10),
            (Wiring::Skip, None, 12),
            (Wiring::SkipAndSquares, None, 13),
            (Wiring::SkipAndSquares, Some(ThreatTargets::Sfnnv10), 13),
            (Wiring::PowersOfTwo, None, 19),
            (Wiring::SquaresOfBoth, Some(ThreatTargets::Sfnnv16), 22),
        ] {
            let mut family = small128();
            (family.wiring, family.threats) = (wiring, threats);
            let spec = spec_of(&family, "mine");
            analyse(&SourceFile::new("mine.toml", &*spec))
                .unwrap_or_else(|errors| panic!("{errors}"));
            assert_eq!(spec.matches("# guessed: or ").count(), guesses, "{spec}");
        }
    }

    #[test]
    fn any_name_is_a_string() {
        assert_eq!(
            toml_string("a \"b\" \\ \u{7F}\n\u{E9}"),
            "\"a \\\"b\\\" \\\\ \\u007F\\u000A\u{E9}\""
        );
    }

    #[test]
    fn no_numbers_are_too_bad() {
        for outputs in [[0, 0], [1, 0], [u32::MAX, 1]] {
            let mut family = small128();
            family.outputs = outputs;
            for wiring in [Wiring::Skip, Wiring::SquaresOfBoth] {
                family.wiring = wiring;
                assert!(!spec_of(&family, "").is_empty());
            }
        }
    }
}
