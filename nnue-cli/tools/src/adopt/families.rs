//! The networks that trainers make, as specs that follow from a few parameters: bullet's examples,
//! and what young engines make of them.

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

    /// The keys of `[transformer]`.
    fn keys(self) -> &'static str {
        match self {
            Neurons::Screlu => "activation = \"screlu\"\n",
            Neurons::Crelu => "activation = \"crelu\"\n",
            Neurons::Product => {
                "activation = \"crelu\"\npooling = \"product\"\nproduct_shift = 9\n"
            }
            // It clips nothing.
            Neurons::Relu => "activation = \"relu\"\nlimit = 32767\n",
        }
    }

    /// How many values a perspective of this number of neurons gives to the layers.
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

    /// The width with which the tensors have this number of bytes, if networks have such a width.
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
        let (name, width) = (toml_string(name), self.width);
        let (inputs, neurons) = (self.inputs.keys(), self.neurons.keys());
        let order = if self.interleaved {
            "order = \"interleaved\"\n"
        } else {
            ""
        };
        let stacks = match self.outputs {
            1 => String::new(),
            outputs => format!(
                "\n[stacks]\ncount = {outputs}\nselect = {{ pieces = \"{}\" }}\n",
                select(outputs)
            ),
        };
        let (layers, file) = (self.layers(), self.file());
        format!(
            "name = {name}\n\n[[features]]\n{inputs}\n\
             [transformer]\nwidth = {width}\none = 255\n{neurons}{order}{stacks}{layers}\n\
             [file]\n{file}"
        )
    }

    /// The keys of `[file]`.
    fn file(&self) -> String {
        if self.layers == Layers::OneWithLongBias {
            let tail = match self.kind {
                Kind::Quantised(Tail::Bullet) => "tail = \"bullet\"\n",
                _ => "",
            };
            // It is not a file of bullet's.
            return format!(
                "format = \"tensors\"\n{tail}tensors = [\"transformer\", \"layers\"]\n"
            );
        }
        let transposed = if self.transposed {
            "transposed = true\n"
        } else {
            ""
        };
        let kind = match self.kind {
            Kind::Quantised(Tail::Bullet) => "",
            Kind::Quantised(Tail::Zeros) => "tail = \"zeros\"\n",
            Kind::Quantised(Tail::None) => "tail = \"none\"\n",
            Kind::Raw => "kind = \"raw\"\n",
        };
        format!("format = \"bullet\"\n{transposed}{kind}")
    }

    /// The layers and the output.
    fn layers(&self) -> String {
        let Layers::Three {
            first,
            second,
            words,
        } = self.layers
        else {
            let (divide, one) = match self.neurons {
                Neurons::Screlu => ("divide = 255\n", 255 * 64),
                Neurons::Crelu | Neurons::Relu => ("", 255 * 64),
                Neurons::Product => ("", 127 * 64),
            };
            return format!(
                r#"
[[layer]]
name = "l1"
op = "affine"
outputs = 1
weights = "i16"
weights_one = 64
{divide}
[output]
sum = "l1"
one = {one}
scale = 400
"#
            );
        };
        let element = if words { "i16" } else { "i8" };
        let scale = match self.neurons {
            Neurons::Screlu => "1 / (255 * 255 * 64)",
            Neurons::Crelu | Neurons::Relu => "1 / (255 * 64)",
            Neurons::Product => "512 / (255 * 255 * 64)",
        };
        format!(
            r#"
[[layer]]
name = "l1"
op = "affine"
outputs = {first}
weights = "{element}"
biases = "f32"
scale = "{scale}"

[[layer]]
name = "a1"
op = "screlu"

[[layer]]
name = "l2"
op = "affine"
outputs = {second}
weights = "f32"

[[layer]]
name = "a2"
op = "screlu"

[[layer]]
name = "l3"
op = "affine"
outputs = 1
weights = "f32"

[output]
sum = "l3"
scale = 400
"#
        )
    }
}

impl Inputs {
    /// The keys of `[[features]]`.
    fn keys(&self) -> String {
        let mirror = match self.mirror {
            Mirror::None => String::new(),
            mirror => format!("mirror = \"{mirror}\"\n"),
        };
        if self.buckets == 1 {
            return format!("set = \"A\"\n{mirror}");
        }
        let files = if self.mirror == Mirror::None { 8 } else { 4 };
        let ranks = self.table.chunks(files).map(|rank| {
            let rank: Vec<String> = rank.iter().map(|bucket| format!("{bucket:>2}")).collect();
            format!("    {},\n", rank.join(", "))
        });
        let ranks: String = ranks.collect();
        format!("set = \"KingBuckets\"\n{mirror}king_buckets = [\n{ranks}]\n")
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
