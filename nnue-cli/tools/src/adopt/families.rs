//! The networks that trainers make, as specs that follow from a few parameters: bullet's examples,
//! and what young engines make of them.

use std::fmt::Write as _;

use nnue_compiler::feature_set::piece_square::Mirror;
use nnue_compiler::toml_string;

/// A network of bullet with one set of pieces and squares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) inputs: Inputs,
    pub(crate) width: usize,
    /// The number of output buckets.
    pub(crate) outputs: usize,
    pub(crate) neurons: Neurons,
    pub(crate) layers: Layers,
    /// Whether the values of both perspectives come in turn, and not one perspective after the other.
    pub(crate) interleaved: bool,
    /// Whether weights of layers are stored with `.transpose()`.
    pub(crate) transposed: bool,
    pub(crate) kind: Kind,
}

/// Which buckets the own king has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inputs {
    /// The number of buckets.
    pub(crate) buckets: usize,
    /// The files on which the king is seen.
    pub(crate) mirror: Mirror,
    /// The bucket of each square that is seen; empty for one bucket.
    pub(crate) table: Vec<usize>,
}

/// What becomes of the transformer's neurons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Neurons {
    Screlu,
    Crelu,
    /// The product of each two, whose sum of bits 9 are dropped.
    Product,
    /// Clipped at 0 alone.
    Relu,
}

/// The layers behind the transformer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layers {
    /// One layer of words.
    One,
    /// One layer of words with a bias of 32 bits, as older engines have it behind `relu`.
    OneWithLongBias,
    /// A layer of integers, and two of floating point.
    Three {
        first: usize,
        second: usize,
        /// Whether the weights of the first layer are words instead of bytes.
        words: bool,
    },
}

/// Which of bullet's files it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `quantised.bin`: integers.
    Quantised(Tail),
    /// `raw.bin`: floating point, which the loader makes integers of.
    Raw,
}

/// What follows the last tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    Bullet,
    Zeros,
    None,
}

impl Kind {
    /// The number of bytes of a weight of the transformer.
    pub(crate) fn weight_len(self) -> usize {
        match self {
            Kind::Quantised(_) => 2,
            Kind::Raw => 4,
        }
    }
}

impl Neurons {
    /// What becomes of neurons before these layers, the most usual first.
    pub(crate) fn before(layers: Layers) -> &'static [Neurons] {
        match layers {
            Layers::OneWithLongBias => &[Neurons::Relu],
            _ => &[Neurons::Screlu, Neurons::Crelu, Neurons::Product],
        }
    }

    /// How many values a perspective gives to the layers, of so many neurons.
    fn values(self, width: usize) -> usize {
        match self {
            Neurons::Product => width / 2,
            _ => width,
        }
    }
}

impl Layers {
    /// The layers that are tried, the most usual ones first.
    pub(crate) fn all() -> Vec<Layers> {
        let mut all = vec![Layers::One];
        for words in [false, true] {
            for first in [16, 8, 32] {
                for second in [32, 16, 64] {
                    all.push(Layers::Three {
                        first,
                        second,
                        words,
                    });
                }
            }
        }
        all.push(Layers::OneWithLongBias);
        all
    }
}

impl Shape {
    /// The bytes of all tensors for each two neurons, and the bytes that do not depend on their
    /// number.
    fn bytes(&self) -> [usize; 2] {
        let rows = 768 * self.inputs.buckets;
        let inputs = 2 * self.neurons.values(2);
        let word = self.kind.weight_len();
        let [by_input, fixed] = match self.layers {
            Layers::One => [word, word],
            Layers::OneWithLongBias => [word, 4],
            Layers::Three {
                first,
                second,
                words,
            } => {
                let weight = match self.kind {
                    Kind::Raw => word,
                    Kind::Quantised(_) if words => 2,
                    Kind::Quantised(_) => 1,
                };
                let numbers = first + first * second + second + second + 1;
                [weight * first, 4 * numbers]
            }
        };
        let by_two = 2 * (word * (rows + 1)) + self.outputs * inputs * by_input;
        [by_two, self.outputs * fixed]
    }

    /// The width with which the tensors have so many bytes, if there is one that networks have.
    pub(crate) fn width_of(&self, bytes: usize) -> Option<usize> {
        let [by_two, fixed] = self.bytes();
        let bytes = bytes.checked_sub(fixed)?;
        let width = 2 * (bytes / by_two);
        let is_usual = (4..=8192).contains(&width) && width % 4 == 0;
        (is_usual && bytes % by_two == 0).then_some(width)
    }

    /// What the family is called.
    pub(crate) fn family(&self) -> String {
        let layers = match self.layers {
            Layers::One if self.interleaved => "one layer, both perspectives in turn".into(),
            Layers::One => "one layer".into(),
            Layers::OneWithLongBias => "one layer with a bias of `i32`".into(),
            Layers::Three { first, second, .. } => {
                format!("layers of {first} and {second} neurons")
            }
        };
        match self.kind {
            Kind::Quantised(_) => format!("bullet, {layers}"),
            Kind::Raw => format!("bullet's raw.bin, {layers}"),
        }
    }

    /// The spec.
    pub(crate) fn spec(&self, name: &str) -> String {
        let mut text = String::new();
        // Writing to a string never fails.
        let _ = self.write(name, &mut text);
        text
    }

    fn write(&self, name: &str, text: &mut String) -> std::fmt::Result {
        writeln!(text, "name = {}\n\n[[features]]", toml_string(name))?;
        let Inputs {
            buckets,
            mirror,
            table,
        } = &self.inputs;
        let set = if *buckets == 1 { "A" } else { "KingBuckets" };
        writeln!(text, "set = \"{set}\"")?;
        if *mirror != Mirror::None {
            writeln!(text, "mirror = \"{mirror}\"")?;
        }
        if *buckets > 1 {
            writeln!(text, "king_buckets = [")?;
            let files = if *mirror == Mirror::None { 8 } else { 4 };
            for rank in table.chunks(files) {
                let rank: Vec<String> = rank.iter().map(|bucket| format!("{bucket:>2}")).collect();
                writeln!(text, "    {},", rank.join(", "))?;
            }
            writeln!(text, "]")?;
        }
        writeln!(text, "\n[transformer]\nwidth = {}\none = 255", self.width)?;
        match self.neurons {
            Neurons::Screlu => writeln!(text, "activation = \"screlu\"")?,
            Neurons::Crelu => writeln!(text, "activation = \"crelu\"")?,
            Neurons::Product => writeln!(
                text,
                "activation = \"crelu\"\npooling = \"product\"\nproduct_shift = 9"
            )?,
            // It clips nothing.
            Neurons::Relu => writeln!(text, "activation = \"relu\"\nlimit = 32767")?,
        }
        if self.interleaved {
            writeln!(text, "order = \"interleaved\"")?;
        }
        if self.outputs > 1 {
            writeln!(text, "\n[stacks]\ncount = {}", self.outputs)?;
            writeln!(text, "select = {{ pieces = \"{}\" }}", select(self.outputs))?;
        }
        match self.layers {
            Layers::One | Layers::OneWithLongBias => self.write_one(text)?,
            Layers::Three {
                first,
                second,
                words,
            } => self.write_three(text, [first, second], words)?,
        }
        if self.layers == Layers::OneWithLongBias {
            return self.write_list(text);
        }
        writeln!(text, "\n[file]\nformat = \"bullet\"")?;
        if self.transposed {
            writeln!(text, "transposed = true")?;
        }
        match self.kind {
            Kind::Quantised(Tail::Bullet) => Ok(()),
            Kind::Quantised(Tail::Zeros) => writeln!(text, "tail = \"zeros\""),
            Kind::Quantised(Tail::None) => writeln!(text, "tail = \"none\""),
            Kind::Raw => writeln!(text, "kind = \"raw\""),
        }
    }

    /// The tensors of a file that is none of bullet's.
    fn write_list(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "\n[file]\nformat = \"tensors\"")?;
        if self.kind == Kind::Quantised(Tail::Bullet) {
            writeln!(text, "tail = \"bullet\"")?;
        }
        writeln!(text, "tensors = [\"transformer\", \"layers\"]")
    }

    fn write_one(&self, text: &mut String) -> std::fmt::Result {
        writeln!(
            text,
            "\n[[layer]]\nname = \"l1\"\nop = \"affine\"\noutputs = 1\nweights = \"i16\"\nweights_one = 64"
        )?;
        let one = match self.neurons {
            Neurons::Screlu => {
                writeln!(text, "divide = 255")?;
                255 * 64
            }
            Neurons::Crelu | Neurons::Relu => 255 * 64,
            Neurons::Product => 127 * 64,
        };
        writeln!(text, "\n[output]\nsum = \"l1\"\none = {one}\nscale = 400")
    }

    fn write_three(
        &self,
        text: &mut String,
        [first, second]: [usize; 2],
        words: bool,
    ) -> std::fmt::Result {
        let element = if words { "i16" } else { "i8" };
        let scale = match self.neurons {
            Neurons::Screlu => "1 / (255 * 255 * 64)",
            Neurons::Crelu | Neurons::Relu => "1 / (255 * 64)",
            Neurons::Product => "512 / (255 * 255 * 64)",
        };
        writeln!(
            text,
            "\n[[layer]]\nname = \"l1\"\nop = \"affine\"\noutputs = {first}\nweights = \"{element}\"\nbiases = \"f32\"\nscale = \"{scale}\""
        )?;
        writeln!(text, "\n[[layer]]\nname = \"a1\"\nop = \"screlu\"")?;
        writeln!(
            text,
            "\n[[layer]]\nname = \"l2\"\nop = \"affine\"\noutputs = {second}\nweights = \"f32\""
        )?;
        writeln!(text, "\n[[layer]]\nname = \"a2\"\nop = \"screlu\"")?;
        writeln!(
            text,
            "\n[[layer]]\nname = \"l3\"\nop = \"affine\"\noutputs = 1\nweights = \"f32\""
        )?;
        writeln!(text, "\n[output]\nsum = \"l3\"\nscale = 400")
    }
}

/// bullet's `MaterialCount`: as many pieces for each bucket.
fn select(outputs: usize) -> String {
    match 32usize.div_ceil(outputs) {
        // A formula holds for a single piece too, which is no position.
        1 => "max(n - 2, 0)".into(),
        pieces => format!("(n - 2) / {pieces}"),
    }
}
