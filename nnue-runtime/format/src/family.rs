//! Stockfish's networks from SFNNv1 to SFNNv9 in any size: what their files contain, and the spec that each needs.

use alloc::string::String;
use core::fmt::{self, Write};

use crate::Encoding;

/// The shape of a network that is built like one of SFNNv1 to SFNNv9, in whatever size: three affine layers behind the
/// transformer, the last with one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Family {
    /// The first word of the file.
    pub version: u32,
    /// The transformer's inputs.
    pub features: Features,
    /// Neurons of the transformer per perspective.
    pub width: u32,
    /// How the layers are connected.
    pub wiring: Wiring,
    /// The outputs of the first two affine layers, one that skips included.
    pub outputs: [u32; 2],
    /// How the file holds the transformer. The layers are always raw.
    pub encoding: Encoding,
}

/// A feature set. With it go PSQT and stacks: none and one for HalfKP, eight of each for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Features {
    /// 41024 features: pieces but kings, by the own king's square.
    HalfKP,
    /// 45056 features: all pieces, by the own king's square.
    HalfKAv2,
    /// 22528 features: all pieces, by the own king's square, mirrored.
    HalfKAv2Hm,
}

/// How the layers of a [`Family`] are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wiring {
    /// Layer after layer, as in SFNNv1 to SFNNv3.
    Plain,
    /// As in SFNNv4: pairwise products behind the transformer, and the last neuron of the first layer skips to the
    /// output.
    Skip,
    /// As in SFNNv5 to SFNNv9: like `Skip`, and the second layer reads the squares of the first one's neurons too.
    SkipAndSquares,
}

/// Rows of weights are padded in the file to a multiple of this.
pub(crate) const ROW_UNIT: u32 = 32;

/// The most outputs of a layer that a file is searched for.
const MAX_OUTPUTS: u32 = 1024;

/// What hashes begin with, and what layers add.
const SLICE_HASH: u32 = 0xEC42_E90D;
const AFFINE_HASH: u32 = 0xCC03_DAE4;
const CLIPPED_HASH: u32 = 0x538D_24C7;

impl Family {
    /// The text of the spec for this network, with that name: ready to be saved and compiled.
    ///
    /// What no file tells is as in Stockfish: what 1.0 is, the shifts, the buckets, the final division.
    #[must_use]
    pub fn spec(&self, name: &str) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_spec(name, &mut text);
        text
    }

    /// The second word of the file.
    pub(crate) const fn hash(&self) -> u32 {
        self.transformer_hash() ^ self.stack_hash()
    }

    pub(crate) const fn transformer_hash(&self) -> u32 {
        self.features.hash() ^ (2 * self.width)
    }

    pub(crate) const fn stack_hash(&self) -> u32 {
        let first = affine_hash(SLICE_HASH ^ (2 * self.width), self.outputs[0]);
        let second = affine_hash(first.wrapping_add(CLIPPED_HASH), self.outputs[1]);
        affine_hash(second.wrapping_add(CLIPPED_HASH), 1)
    }

    /// The inputs of the three affine layers.
    pub(crate) const fn inputs(&self) -> [u32; 3] {
        let [first, second] = self.outputs;
        match self.wiring {
            Wiring::Plain => [2 * self.width, first, second],
            Wiring::Skip => [self.width, first.saturating_sub(1), second],
            Wiring::SkipAndSquares => [self.width, 2 * first.saturating_sub(1), second],
        }
    }

    /// The bytes of the transformer's tensors where they are raw, in file order.
    pub(crate) fn transformer_lens(&self) -> impl Iterator<Item = u64> {
        let (features, width) = (u64::from(self.features.count()), u64::from(self.width));
        let psqt = (self.features.buckets() > 1).then(|| 4 * features * self.features.buckets());
        [2 * width, 2 * features * width].into_iter().chain(psqt)
    }

    /// Where the second layer's weights begin in a stack, in bytes.
    pub(crate) fn second_weights(&self) -> u64 {
        let [first, second] = self.outputs.map(u64::from);
        4 + first * (4 + self.rows()[0]) + 4 * second
    }

    /// The bytes of a stack, its hash included.
    pub(crate) fn stack_len(&self) -> u64 {
        let [_, second, third] = self.rows();
        self.second_weights() + u64::from(self.outputs[1]) * second + 4 + third
    }

    /// The bytes of a row of weights in each layer.
    pub(crate) fn rows(&self) -> [u64; 3] {
        self.inputs()
            .map(|inputs| u64::from(inputs.next_multiple_of(ROW_UNIT)))
    }

    /// The outputs of the first two layers that lead to a stack hash. They leave little trace in it, so there are
    /// several: the size of a stack tells which it is.
    pub(crate) fn outputs_of_hash(width: u32, stack_hash: u32) -> impl Iterator<Item = [u32; 2]> {
        let second_hash = before_affine(stack_hash, 1).wrapping_sub(CLIPPED_HASH);
        let input = (SLICE_HASH ^ (2 * width)).rotate_right(1);
        (1..=MAX_OUTPUTS).filter_map(move |second| {
            let first_hash = before_affine(second_hash, second).wrapping_sub(CLIPPED_HASH);
            let first = (first_hash ^ input).wrapping_sub(AFFINE_HASH);
            (2..=MAX_OUTPUTS)
                .contains(&first)
                .then_some([first, second])
        })
    }

    fn write_spec(&self, name: &str, text: &mut String) -> fmt::Result {
        let Self {
            version,
            features,
            width,
            wiring,
            outputs: [first, second],
            encoding,
        } = *self;
        writeln!(text, "# {self}.")?;
        text.push_str("name = ");
        write_string(name, text)?;
        writeln!(text, "\n\n[[features]]\nset = \"{features}\"\n")?;

        writeln!(text, "[transformer]")?;
        commented(
            text,
            format_args!("width = {width}"),
            "neurons per perspective",
        )?;
        writeln!(text, "one = 127")?;
        if features.buckets() > 1 {
            let psqt = format_args!("psqt = {}", features.buckets());
            commented(text, psqt, "one PSQT value per bucket")?;
        }
        writeln!(text, "activation = \"crelu\"")?;
        if wiring != Wiring::Plain {
            let product = format_args!("a[j] * a[j + {}] >> 7", width / 2);
            commented(text, "pooling = \"product\"", product)?;
        }
        writeln!(text, "order = \"stm-first\"\n")?;

        if features.buckets() > 1 {
            writeln!(text, "[stacks]\ncount = {}", features.buckets())?;
            writeln!(text, "select = {{ pieces = \"(n - 1) / 4\" }}\n")?;
        }

        let skip = first.saturating_sub(1);
        layer(text, "fc_0", "affine")?;
        match wiring {
            Wiring::Plain => writeln!(text, "outputs = {first}")?,
            Wiring::Skip | Wiring::SkipAndSquares => commented(
                text,
                format_args!("outputs = {first}"),
                format_args!("{skip}, and one that skips to the output"),
            )?,
        }
        writeln!(text, "weights = \"i8\"")?;
        commented(text, "one = 8128", "127 * 64")?;
        // Most inputs are zero; but layers of fewer outputs are not laid out for skipping them.
        if first >= 8 {
            writeln!(text, "sparse = true")?;
        }
        text.push('\n');

        let input = match wiring {
            Wiring::Plain => String::new(),
            Wiring::Skip | Wiring::SkipAndSquares => {
                alloc::format!("input = \"fc_0[..{skip}]\"\n")
            }
        };
        if wiring == Wiring::SkipAndSquares {
            layer(text, "ac_sqr_0", "sqr_crelu")?;
            writeln!(text, "{input}shift = 19\n")?;
        }
        layer(text, "ac_0", "crelu")?;
        writeln!(text, "{input}shift = 6\n")?;
        layer(text, "fc_1", "affine")?;
        if wiring == Wiring::SkipAndSquares {
            writeln!(text, "input = [\"ac_sqr_0\", \"ac_0\"]")?;
        }
        writeln!(text, "outputs = {second}\nweights = \"i8\"\none = 8128\n")?;
        layer(text, "ac_1", "crelu")?;
        writeln!(text, "shift = 6\n")?;
        layer(text, "fc_2", "affine")?;
        writeln!(text, "outputs = 1\nweights = \"i8\"")?;
        commented(text, "one = 9600", "600 * 16")?;

        writeln!(text, "\n[output]")?;
        match wiring {
            Wiring::Plain => writeln!(text, "sum = [\"fc_2\"]")?,
            Wiring::Skip | Wiring::SkipAndSquares => {
                writeln!(text, "sum = [\"fc_2\", \"fc_0[{skip}]\"]")?;
                commented(text, "align = \"exact\"", "the skip's 8128 to 9600")?;
            }
        }
        writeln!(text, "one = 9600\ndivide = 16")?;

        writeln!(text, "\n[file]\nformat = \"stockfish\"")?;
        writeln!(text, "version = {version:#010X}")?;
        if encoding == Encoding::Leb128 {
            writeln!(text, "encoding = \"leb128\"")?;
        }
        Ok(())
    }
}

impl Features {
    pub(crate) const ALL: [Features; 3] =
        [Features::HalfKP, Features::HalfKAv2, Features::HalfKAv2Hm];

    pub(crate) const fn hash(self) -> u32 {
        match self {
            Features::HalfKP => 0x5D69_D5B8,
            Features::HalfKAv2 => 0x5F23_4CB8,
            Features::HalfKAv2Hm => 0x7F23_4CB8,
        }
    }

    /// The rows of the set.
    pub(crate) const fn count(self) -> u32 {
        match self {
            Features::HalfKP => 64 * 641,
            Features::HalfKAv2 => 64 * 704,
            Features::HalfKAv2Hm => 32 * 704,
        }
    }

    /// The number of stacks, and of PSQT values if there is more than one.
    pub(crate) const fn buckets(self) -> u64 {
        match self {
            Features::HalfKP => 1,
            Features::HalfKAv2 | Features::HalfKAv2Hm => 8,
        }
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Features::HalfKP => "HalfKP",
            Features::HalfKAv2 => "HalfKAv2",
            Features::HalfKAv2Hm => "HalfKAv2_hm",
        })
    }
}

impl fmt::Display for Wiring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wiring::Plain => "like SFNNv3",
            Wiring::Skip => "like SFNNv4",
            Wiring::SkipAndSquares => "like SFNNv5",
        })
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.outputs;
        let encoding = match self.encoding {
            Encoding::Raw => "raw",
            Encoding::Leb128 => "compressed",
        };
        write!(
            f,
            "{}, {} neurons, layers of {first}, {second} and 1 neurons {}, {encoding}",
            self.features, self.width, self.wiring
        )
    }
}

const fn affine_hash(before: u32, outputs: u32) -> u32 {
    AFFINE_HASH.wrapping_add(outputs) ^ before.rotate_right(1)
}

/// The inverse of [`affine_hash`].
const fn before_affine(hash: u32, outputs: u32) -> u32 {
    (hash ^ AFFINE_HASH.wrapping_add(outputs)).rotate_left(1)
}

fn layer(text: &mut String, name: &str, op: &str) -> fmt::Result {
    writeln!(text, "[[layer]]\nname = \"{name}\"\nop = \"{op}\"")
}

/// A line with a comment at the column where those of hand-written specs are.
fn commented(
    text: &mut String,
    line: impl fmt::Display,
    comment: impl fmt::Display,
) -> fmt::Result {
    const COLUMN: usize = 32;
    let start = text.len();
    write!(text, "{line}")?;
    let len = text.len() - start;
    writeln!(
        text,
        "{:1$}# {comment}",
        "",
        COLUMN.saturating_sub(len).max(1)
    )
}

/// A TOML string.
fn write_string(value: &str, text: &mut String) -> fmt::Result {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => write!(text, "\\{c}")?,
            c if c.is_control() => write!(text, "\\u{:04X}", u32::from(c))?,
            c => text.push(c),
        }
    }
    text.push('"');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::SPECS;

    #[test]
    fn specs_say_what_the_network_is() {
        let (_, small) = SPECS[SPECS.len() - 1];
        let spec = Family {
            width: 256,
            outputs: [8, 48],
            ..small
        }
        .spec("mine");
        for line in [
            "# HalfKAv2_hm, 256 neurons, layers of 8, 48 and 1 neurons like SFNNv5, compressed.",
            "name = \"mine\"",
            "pooling = \"product\"             # a[j] * a[j + 128] >> 7",
            "outputs = 8                     # 7, and one that skips to the output",
            "sparse = true",
            "input = \"fc_0[..7]\"",
            "sum = [\"fc_2\", \"fc_0[7]\"]",
            "version = 0x7AF32F20",
            "encoding = \"leb128\"",
        ] {
            assert!(spec.lines().any(|found| found == line), "{line}\n{spec}");
        }
        let narrow = Family {
            outputs: [4, 32],
            ..small
        };
        assert!(!narrow.spec("mine").contains("sparse"));
    }

    #[test]
    fn any_name_is_a_string() {
        let mut text = String::new();
        write_string("a \"b\" \\ \u{7F}\n\u{E9}", &mut text).unwrap();
        assert_eq!(text, "\"a \\\"b\\\" \\\\ \\u007F\\u000A\u{E9}\"");
    }

    #[test]
    fn no_numbers_are_too_bad() {
        let (_, small) = SPECS[SPECS.len() - 1];
        for outputs in [[0, 0], [1, 0], [u32::MAX, 1]] {
            let family = Family { outputs, ..small };
            assert!(!family.spec("").is_empty());
        }
    }
}
