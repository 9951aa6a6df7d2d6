//! The networks that trainers make, as specs that follow from a few parameters: bullet's examples,
//! and what young engines make of them.

use nnue_compiler::feature_set::piece_square::{KING_TABLES, KingTable, Mirror};
use nnue_compiler::{material_count, toml_string};

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

    /// The spec. What no file tells stands there too, so that it can be changed.
    pub(crate) fn spec(&self, name: &str) -> String {
        if self.layers == Layers::OneWithLongBias {
            return self.spec_with_long_bias(name);
        }
        let (name, width) = (toml_string(name), self.width);
        let mut spec = format!("name = {name}\nlike = \"bullet\"\n");
        spec += &self.inputs.line();
        spec += &format!("transformer.width = {width}\n");
        spec += match self.neurons {
            Neurons::Screlu => "transformer.activation = \"screlu\"\n",
            Neurons::Crelu | Neurons::Relu => "transformer.activation = \"crelu\"\n",
            Neurons::Product => {
                "transformer.activation = \"crelu\"\ntransformer.pooling = \"product\"\n"
            }
        };
        if self.interleaved {
            spec += "transformer.order = \"interleaved\"\n";
        }
        if self.outputs > 1 {
            spec += &format!("stacks.count = {}\n", self.outputs);
        }
        spec += "transformer.one = 255\n";
        spec += &self.layer_line();
        if self.outputs > 1 {
            let select = material_count(self.outputs as i64);
            spec += &format!("stacks.select = {{ pieces = \"{select}\" }}\n");
        }
        spec += "output.scale = 400\n";
        spec + &self.file_lines()
    }

    /// The line with what the layers have otherwise than bullet's, and with QB.
    fn layer_line(&self) -> String {
        let Layers::Three {
            first,
            second,
            words,
        } = self.layers
        else {
            return "layer = [{ name = \"l1\", weights_one = 64 }]\n".into();
        };
        let element = if words { "i16" } else { "i8" };
        format!(
            "layer = [\n    {{ name = \"l1\", outputs = {first}, weights = \"{element}\", weights_one = 64 }},\n    \
             {{ name = \"l2\", outputs = {second} }},\n]\n"
        )
    }

    /// The lines of what the file has otherwise than bullet's, if there is anything.
    fn file_lines(&self) -> String {
        let kind = match self.kind {
            Kind::Quantised(Tail::Bullet) => "",
            Kind::Quantised(Tail::Zeros) => "file.tail = \"zeros\"\n",
            Kind::Quantised(Tail::None) => "file.tail = \"none\"\n",
            Kind::Raw => "file.kind = \"raw\"\n",
        };
        let order = match self.transposed || self.kind == Kind::Raw {
            true => "",
            false => "file.transposed = false\n",
        };
        format!("{kind}{order}")
    }

    /// The spec of a network that bullet does not make.
    fn spec_with_long_bias(&self, name: &str) -> String {
        let (name, width) = (toml_string(name), self.width);
        let tail = match self.kind {
            Kind::Quantised(Tail::Bullet) => "tail = \"bullet\"\n",
            _ => "",
        };
        // The activation clips nothing at its upper end.
        format!(
            r#"name = {name}

[[features]]
set = "A"

[transformer]
width = {width}
one = 255
activation = "relu"
limit = 32767

[[layer]]
name = "l1"
op = "affine"
outputs = 1
weights = "i16"
weights_one = 64

[output]
sum = "l1"
one = 16320
scale = 400

[file]
format = "tensors"
{tail}tensors = ["transformer", "layers"]
"#
        )
    }
}

impl Inputs {
    /// The line of the features, unless they are bullet's simplest.
    fn line(&self) -> String {
        let mirror = match self.mirror {
            Mirror::None => String::new(),
            mirror => format!(", mirror = \"{mirror}\""),
        };
        match (self.buckets, self.mirror) {
            (1, Mirror::None) => String::new(),
            (1, _) => format!("features = [{{ set = \"A\"{mirror} }}]\n"),
            _ => {
                let table = self.king_buckets();
                format!(
                    "features = [{{ set = \"KingBuckets\"{mirror}, king_buckets = {table} }}]\n"
                )
            }
        }
    }

    /// The value of `king_buckets`: a name, or the number of each square that is seen.
    fn king_buckets(&self) -> String {
        let is_named = |table: &&KingTable| {
            let squares = table.squares();
            let of_half = || table.half.into_iter().map(usize::from);
            match self.mirror {
                Mirror::None => self.table.iter().copied().eq(squares.map(usize::from)),
                _ => self.table.iter().copied().eq(of_half()),
            }
        };
        if let Some(table) = KING_TABLES.iter().find(is_named) {
            return format!("\"{}\"", table.name);
        }
        let files = if self.mirror == Mirror::None { 8 } else { 4 };
        let ranks = self.table.chunks(files).map(|rank| {
            let rank: Vec<String> = rank.iter().map(|bucket| format!("{bucket:>2}")).collect();
            format!("    {},\n", rank.join(", "))
        });
        format!("[\n{}]", ranks.collect::<String>())
    }
}
