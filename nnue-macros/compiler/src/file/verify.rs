//! Checks a net file against a network while the user's crate compiles.
//!
//! The runtime's loader checks the same again when it decodes the file; here nothing is kept, the file is
//! only walked, so that a wrong one is an error of the build and never one of the program.

use super::tensors::Role;
use super::{Axis, FileElement, FileRounding, Format, Section, Tensor};
use crate::network::Network;
use crate::spec::Encoding;

/// What LEB128 blocks start with.
const MAGIC: &[u8] = b"COMPRESSED_LEB128";

/// The longest description that the loader takes.
const DESCRIPTION_LIMIT: usize = 64 * 1024;

/// Outputs that come together where an input reaches only some.
const RUN: usize = 16;

/// Confirms that `file` is a net file for `network`.
///
/// # Errors
///
/// What differs, and where: the version, a hash, the length of a block, the total length, a number that its
/// type cannot hold.
pub fn verify(network: &Network, file: &[u8]) -> Result<(), String> {
    let mut walk = Walk {
        network,
        file,
        offset: 0,
    };
    match network.file.format {
        Format::Stockfish(words) => {
            walk.word("version", words.version)?;
            walk.word("network hash", words.hash())?;
            let description = walk.length("description length")?;
            if description > DESCRIPTION_LIMIT {
                return Err(format!(
                    "description length at offset 8 is {description}, allowed are 0 to {DESCRIPTION_LIMIT}"
                ));
            }
            walk.skip("description", description)?;
            walk.sections()?;
        }
        Format::Sequence => walk.sections()?,
        Format::Named => walk.entries()?,
    }
    let tail: Vec<u8> = network.file.tail.bytes(walk.offset).collect();
    let start = walk.offset;
    let text = network.file.tail.text;
    // Where the text stands once more before it, a tensor is missing.
    let begins_earlier =
        network.file.tail.multiple > 1 && text.len() > 1 && file[..start].ends_with(text);
    let found = walk.skip("the padding at the end", tail.len())?;
    if walk.offset < file.len() {
        return Err(format!(
            "the file has {} bytes, expected the end after {}",
            file.len(),
            walk.offset
        ));
    }
    if found != tail || begins_earlier {
        return Err(format!(
            "the {} bytes at offset {start} that end the file are not those of `{}`",
            tail.len(),
            text.escape_ascii()
        ));
    }
    Ok(())
}

struct Walk<'a> {
    network: &'a Network,
    file: &'a [u8],
    offset: usize,
}

impl<'a> Walk<'a> {
    fn sections(&mut self) -> Result<(), String> {
        let network = self.network;
        for (stack, section) in network.file.all_sections(network.stacks.count) {
            let stack = stack.map_or(String::new(), |stack| format!("stack {stack} "));
            self.section(&stack, section)?;
        }
        Ok(())
    }

    /// Tensors in any order, each behind its id and its length.
    fn entries(&mut self) -> Result<(), String> {
        let tensors = self
            .network
            .file
            .sections
            .iter()
            .filter_map(Section::tensor);
        let tensors: Vec<&Tensor> = tensors.collect();
        let mut left = tensors.clone();
        while self.offset < self.file.len() {
            let (start, rest) = (self.offset, &self.file[self.offset..]);
            let found = left.iter().position(|tensor| {
                let id = tensor.id.as_bytes();
                rest.starts_with(id) && rest.get(id.len()) == Some(&b'\n')
            });
            let Some(found) = found else {
                let ids: Vec<&str> = left.iter().map(|tensor| tensor.id.as_str()).collect();
                return Err(format!(
                    "at offset {start} there is no name of a tensor, expected {} and a line feed",
                    if ids.is_empty() {
                        "the end".to_string()
                    } else {
                        ids.join(", ")
                    }
                ));
            };
            let tensor = left.remove(found);
            self.offset += tensor.id.len() + 1;
            let len = self.skip(&tensor.name, 8)?;
            let values = tensor.values() as u64;
            let len = len
                .iter()
                .rev()
                .fold(0, |len, byte| len << 8 | u64::from(*byte));
            if len != values {
                return Err(format!(
                    "{} at offset {start} has {len} values, expected {values}",
                    tensor.name
                ));
            }
            self.raw("", tensor)?;
        }
        match left.first() {
            Some(tensor) => Err(format!("the file does not have {}", tensor.name)),
            None => Ok(()),
        }
    }

    fn skip(&mut self, what: &str, len: usize) -> Result<&'a [u8], String> {
        let rest = &self.file[self.offset..];
        match rest.get(..len) {
            Some(bytes) => {
                self.offset += len;
                Ok(bytes)
            }
            None => Err(format!(
                "the file ends at offset {} inside {what}, which starts at offset {} and has {len} bytes",
                self.file.len(),
                self.offset
            )),
        }
    }

    fn length(&mut self, what: &str) -> Result<usize, String> {
        let bytes = self.skip(what, 4)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | usize::from(*byte)))
    }

    fn word(&mut self, what: &str, expected: u32) -> Result<(), String> {
        let offset = self.offset;
        let found = self.length(what)?;
        if found == expected as usize {
            return Ok(());
        }
        Err(format!(
            "{what} at offset {offset} is {found:#010x}, expected {expected:#010x}"
        ))
    }

    fn section(&mut self, stack: &str, section: &Section) -> Result<(), String> {
        match section {
            // In stacks there is but one hash.
            Section::Hash { name, value } if stack.is_empty() => {
                self.word(&format!("{name} hash"), *value)
            }
            Section::Hash { value, .. } => self.word(&format!("{stack}hash"), *value),
            Section::Bytes(expected) => {
                let start = self.offset;
                let found = self.skip("bytes", expected.len())?;
                if found == expected {
                    return Ok(());
                }
                Err(format!(
                    "the {} bytes at offset {start} are not those of the spec",
                    expected.len()
                ))
            }
            Section::Skipped(len) => self.skip("skipped bytes", *len).map(drop),
            Section::Align(to) => {
                let len = self.offset.next_multiple_of(*to) - self.offset;
                self.skip("alignment", len).map(drop)
            }
            Section::Tensor(tensor) => match tensor.encoding {
                Encoding::Raw => self.raw(stack, tensor),
                Encoding::Leb128 => self.leb128(
                    &tensor.name,
                    tensor.values(),
                    8 * tensor.element.size() as u32,
                ),
            },
        }
    }

    fn raw(&mut self, stack: &str, tensor: &Tensor) -> Result<(), String> {
        let start = self.offset;
        let what = format!("{stack}{}", tensor.name);
        // Before the length, and however short the tensor is: as the loader does.
        if self.file[start..].starts_with(MAGIC) {
            return Err(format!(
                "{what} at offset {start} is LEB128, expected raw integers"
            ));
        }
        let values = self.skip(&what, tensor.raw_len())?;
        if tensor.element == FileElement::F32 {
            for (index, value) in values.as_chunks().0.iter().enumerate() {
                float(tensor, f64::from(f32::from_le_bytes(*value)))
                    .map_err(|problem| format!("{what}[{index}] {problem}"))?;
            }
        }
        self.output_blocks(&what, tensor, values)
    }

    /// Whether no input reaches more runs of outputs than the layer has room for.
    fn output_blocks(&self, what: &str, tensor: &Tensor, values: &[u8]) -> Result<(), String> {
        let Role::LayerWeights(layer) = tensor.role else {
            return Ok(());
        };
        let affine = self.network.layers[layer].affine();
        let Some(allowed) = affine.and_then(|affine| affine.output_blocks) else {
            return Ok(());
        };
        let size = tensor.element.size();
        let is_zero = |index: usize| {
            let bytes = &values[index * size..][..size];
            match (tensor.element, bytes) {
                (FileElement::F32, &[a, b, c, d]) => {
                    let value = f64::from(f32::from_le_bytes([a, b, c, d]));
                    float(tensor, value) == Ok(0.0)
                }
                _ => bytes.iter().all(|byte| *byte == 0),
            }
        };
        let [stacks, outputs, inputs] = [Axis::Stack, Axis::Output, Axis::Input]
            .map(|axis| (tensor.len(axis), tensor.stride(axis)));
        for (stack, input) in (0..stacks.0).flat_map(|stack| (0..inputs.0).map(move |i| (stack, i)))
        {
            let first = stack * stacks.1 + input * inputs.1;
            let reached = (0..outputs.0 / RUN).filter(|run| {
                let mut run = run * RUN..(run + 1) * RUN;
                run.any(|output| !is_zero(first + output * outputs.1))
            });
            let found = reached.count();
            if found > allowed {
                return Err(format!(
                    "input {input} of {what} reaches {found} runs of {RUN} outputs, allowed are {allowed}"
                ));
            }
        }
        Ok(())
    }

    fn leb128(&mut self, name: &str, count: usize, bits: u32) -> Result<(), String> {
        let start = self.offset;
        if self.skip(name, MAGIC.len())? != MAGIC {
            return Err(format!(
                "{name} at offset {start} is not LEB128, expected a block that starts with `COMPRESSED_LEB128`"
            ));
        }
        let len = self.length(&format!("{name} byte count"))?;
        let start = self.offset;
        let block = self.skip(name, len)?;
        let mut integers = 0;
        let (mut value, mut shift) = (0i64, 0);
        for (index, byte) in block.iter().enumerate() {
            if shift > bits {
                return Err(format!(
                    "{name} has an integer longer than {bits} bits at offset {}",
                    start + index
                ));
            }
            value |= i64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 != 0 {
                continue;
            }
            let signed = value << (64 - shift) >> (64 - shift);
            if signed >> (bits - 1) != signed >> 63 {
                return Err(format!(
                    "{name}[{integers}] at offset {} is {signed}, which does not fit in {bits} bits",
                    start + index
                ));
            }
            // The shortest encoding: without its last byte the value would be another one.
            if shift > 7 && signed << (71 - shift) >> (71 - shift) == signed {
                return Err(format!(
                    "{name}[{integers}] at offset {} is {signed} in more bytes than it needs",
                    start + index
                ));
            }
            integers += 1;
            (value, shift) = (0, 0);
        }
        if shift != 0 {
            return Err(format!(
                "{name} ends inside an integer at offset {}",
                self.offset
            ));
        }
        if integers != count {
            return Err(format!(
                "{name} at offset {start} holds {integers} integers, expected {count}"
            ));
        }
        Ok(())
    }
}

/// A number as the loader takes it, quantised where it becomes an integer.
fn float(tensor: &Tensor, value: f64) -> Result<f64, String> {
    if !value.is_finite() {
        return Err(format!("is {value}, expected a finite number"));
    }
    let Some(quantise) = &tensor.quantise else {
        return Ok(value);
    };
    let scaled = value * quantise.factor;
    let quantised = match quantise.rounding {
        FileRounding::Truncate => scaled.trunc(),
        FileRounding::Nearest => scaled.round(),
    };
    let limit = 2f64.powi(8 * quantise.element.size() as i32 - 1);
    if quantised < -limit || quantised >= limit {
        return Err(format!(
            "is {value}, times {} that is {scaled}, which is not an {}",
            quantise.factor, quantise.element
        ));
    }
    Ok(quantised)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse;
    use crate::diagnostics::SourceFile;

    /// Two stacks of 8 and 1 outputs over 64 neurons.
    const SPEC: &str = r#"
        name = "tiny"
        features = [{ set = "HalfKAv2_hm" }]
        transformer = { width = 64, one = 127, activation = "crelu", psqt = 2 }
        stacks = { count = 2, select = { pieces = "n / 17" } }
        layer = [
            { name = "fc_0", op = "affine", outputs = 8, weights = "i8", one = 8128 },
            { name = "ac_0", op = "crelu", shift = 6 },
            { name = "fc_1", op = "affine", outputs = 1, weights = "i8", one = 8128 },
        ]
        output = { sum = "fc_1", one = 8128 }

        [file]
        format = "stockfish"
        version = 0xAABBCCDD
        transformer_hash = 0x11111111
        stack_hash = 0x22222222
    "#;

    const DESCRIPTION: &[u8] = b"a tiny net";
    /// Where the transformer's hash is.
    const TRANSFORMER: usize = 12 + DESCRIPTION.len();
    /// The values of each tensor of the transformer, and the bytes that one takes when raw.
    const TENSORS: [(usize, usize); 3] = [(64, 2), (22528 * 64, 2), (22528 * 2, 4)];
    /// A hash, 8 biases, 8 rows of 128 weights, a bias, a row of 8 weights and as much padding as makes 32.
    const STACK: usize = 4 + 8 * 4 + 8 * 128 + 4 + 32;

    fn network(encoding: &str) -> Network {
        let text = format!("{SPEC}\nencoding = \"{encoding}\"\n");
        analyse(&SourceFile::new("tiny.toml", text)).unwrap_or_else(|errors| panic!("{errors}"))
    }

    /// A net file; in it, `tensor` writes a tensor of the transformer.
    fn file(mut tensor: impl FnMut(usize, &mut Vec<u8>)) -> Vec<u8> {
        let mut file = Vec::new();
        let word = |file: &mut Vec<u8>, word: u32| file.extend(word.to_le_bytes());
        word(&mut file, 0xAABB_CCDD);
        word(&mut file, 0x3333_3333);
        word(&mut file, DESCRIPTION.len() as u32);
        file.extend(DESCRIPTION);
        word(&mut file, 0x1111_1111);
        for index in 0..TENSORS.len() {
            tensor(index, &mut file);
        }
        for _ in 0..2 {
            word(&mut file, 0x2222_2222);
            file.resize(file.len() + STACK - 4, 7);
        }
        file
    }

    fn raw() -> Vec<u8> {
        file(|index, file| {
            let (count, bytes) = TENSORS[index];
            file.resize(file.len() + count * bytes, 1);
        })
    }

    /// A file whose tensor `changed` consists of `integers`, encoded, and enough zeros.
    fn leb128(changed: usize, integers: &[&[u8]]) -> Vec<u8> {
        file(|index, file| {
            let mut block = Vec::new();
            let mut zeros = TENSORS[index].0;
            if index == changed {
                block.extend(integers.concat());
                zeros -= integers.len();
            }
            block.resize(block.len() + zeros, 0);
            file.extend(MAGIC);
            file.extend((block.len() as u32).to_le_bytes());
            file.extend(block);
        })
    }

    fn refusal(network: &Network, file: &[u8]) -> String {
        verify(network, file).expect_err("the file is wrong")
    }

    #[test]
    fn files_of_the_network_are_accepted() {
        assert_eq!(verify(&network("raw"), &raw()), Ok(()));
        let extremes: &[&[u8]] = &[
            &[0x3F],
            &[0x40],
            &[0xC0, 0x00],
            &[0xFF, 0xFF, 0x01],
            &[0x80, 0x80, 0x7E],
        ];
        let network = network("leb128");
        assert_eq!(verify(&network, &leb128(1, extremes)), Ok(()));
        let wide: &[&[u8]] = &[
            &[0xFF, 0xFF, 0xFF, 0xFF, 0x07],
            &[0x80, 0x80, 0x80, 0x80, 0x78],
        ];
        assert_eq!(verify(&network, &leb128(2, wide)), Ok(()));
    }

    /// Layers of other sizes leave bytes over, and whatever then stands where the padding is looked for says nothing.
    #[test]
    fn the_length_is_looked_at_before_the_padding() {
        let text = r#"
            name = "tiny"
            features = [{ set = "A" }]
            transformer = { width = 8, one = 255, activation = "crelu" }
            layer = [{ name = "l1", op = "affine", outputs = 1, weights = "i8", one = 16320 }]
            output = { sum = "l1", one = 16320 }
            file = { format = "bullet" }
        "#;
        let network = analyse(&SourceFile::new("tiny.toml", text)).unwrap();
        let len = 768 * 8 * 2 + 8 * 2 + 16 + 4;
        let mut file = vec![1; len];
        file.extend(b"bullet".iter().cycle().take(28));
        assert_eq!(verify(&network, &file), Ok(()));
        file[len] = b'x';
        assert_eq!(
            refusal(&network, &file),
            "the 28 bytes at offset 12324 that end the file are not those of `bullet`"
        );
        file.resize(len + 28 + 64, 1);
        assert_eq!(
            refusal(&network, &file),
            "the file has 12416 bytes, expected the end after 12352"
        );
    }

    #[test]
    fn a_file_that_ends_early_is_refused_wherever_it_ends() {
        let network = network("raw");
        let file = raw();
        let stacks = file.len() - 2 * STACK;
        let tensors = TRANSFORMER + 4;
        for (len, inside) in [
            (0, "version, which starts at offset 0 and has 4 bytes"),
            (3, "version, which starts at offset 0 and has 4 bytes"),
            (5, "network hash, which starts at offset 4 and has 4 bytes"),
            (
                8,
                "description length, which starts at offset 8 and has 4 bytes",
            ),
            (
                21,
                "description, which starts at offset 12 and has 10 bytes",
            ),
            (
                TRANSFORMER,
                "transformer hash, which starts at offset 22 and has 4 bytes",
            ),
            (
                tensors + 9,
                "transformer.biases, which starts at offset 26 and has 128 bytes",
            ),
            (
                tensors + 128,
                "transformer.weights, which starts at offset 154 and has 2883584 bytes",
            ),
            (
                stacks - 1,
                "transformer.psqt, which starts at offset 2883738 and has 180224 bytes",
            ),
            (
                stacks,
                "stack 0 hash, which starts at offset 3063962 and has 4 bytes",
            ),
            (
                stacks + 4,
                "stack 0 fc_0.biases, which starts at offset 3063966 and has 32 bytes",
            ),
            (
                stacks + 36,
                "stack 0 fc_0.weights, which starts at offset 3063998 and has 1024 bytes",
            ),
            (
                stacks + STACK,
                "stack 1 hash, which starts at offset 3065058 and has 4 bytes",
            ),
            (
                file.len() - 33,
                "stack 1 fc_1.biases, which starts at offset 3066118 and has 4 bytes",
            ),
            (
                file.len() - 1,
                "stack 1 fc_1.weights, which starts at offset 3066122 and has 32 bytes",
            ),
        ] {
            assert_eq!(
                refusal(&network, &file[..len]),
                format!("the file ends at offset {len} inside {inside}")
            );
        }
    }

    #[test]
    fn words_that_differ_are_named() {
        let network = network("raw");
        let file = raw();
        let stacks = file.len() - 2 * STACK;
        for (offset, message) in [
            (0, "version at offset 0 is 0xaabbcc00, expected 0xaabbccdd"),
            (
                4,
                "network hash at offset 4 is 0x33333300, expected 0x33333333",
            ),
            (
                TRANSFORMER,
                "transformer hash at offset 22 is 0x11111100, expected 0x11111111",
            ),
            (
                stacks,
                "stack 0 hash at offset 3063962 is 0x22222200, expected 0x22222222",
            ),
            (
                stacks + STACK,
                "stack 1 hash at offset 3065058 is 0x22222200, expected 0x22222222",
            ),
        ] {
            let mut file = file.clone();
            file[offset] = 0;
            assert_eq!(refusal(&network, &file), message);
        }
    }

    #[test]
    fn lengths_are_not_believed() {
        let mut file = raw();
        file.push(0);
        let network = network("raw");
        assert_eq!(
            refusal(&network, &file),
            "the file has 3066155 bytes, expected the end after 3066154"
        );
        file[8..12].fill(0xFF);
        assert_eq!(
            refusal(&network, &file),
            "description length at offset 8 is 4294967295, allowed are 0 to 65536"
        );
        let mut file = leb128(0, &[]);
        let count = TRANSFORMER + 4 + MAGIC.len();
        file[count..count + 4].fill(0xFF);
        assert_eq!(
            refusal(&self::network("leb128"), &file),
            format!(
                "the file ends at offset {} inside transformer.biases, which starts at offset 47 and has 4294967295 bytes",
                file.len()
            )
        );
    }

    #[test]
    fn an_encoding_is_not_taken_for_the_other() {
        assert_eq!(
            refusal(&network("raw"), &leb128(0, &[])),
            "transformer.biases at offset 26 is LEB128, expected raw integers"
        );
        assert_eq!(
            refusal(&network("leb128"), &raw()),
            "transformer.biases at offset 26 is not LEB128, expected a block that starts with `COMPRESSED_LEB128`"
        );
    }

    #[test]
    fn a_block_is_seen_where_a_tensor_is_shorter_than_its_beginning() {
        let mut file = raw();
        let bias = file.len() - 36;
        file[bias..bias + MAGIC.len()].copy_from_slice(MAGIC);
        assert_eq!(
            refusal(&network("raw"), &file),
            "stack 1 fc_1.biases at offset 3066118 is LEB128, expected raw integers"
        );
    }

    #[test]
    fn leb128_must_be_what_an_encoder_writes() {
        let network = network("leb128");
        for (tensor, integers, message) in [
            (
                0,
                vec![&[0x80, 0x80, 0x02][..]],
                "transformer.biases[0] at offset 49 is 32768, which does not fit in 16 bits",
            ),
            (
                0,
                vec![&[0x05], &[0xFF, 0xFF, 0x7D]],
                "transformer.biases[1] at offset 50 is -32769, which does not fit in 16 bits",
            ),
            (
                0,
                vec![&[0x80, 0x00]],
                "transformer.biases[0] at offset 48 is 0 in more bytes than it needs",
            ),
            (
                0,
                vec![&[0xFF, 0x7F]],
                "transformer.biases[0] at offset 48 is -1 in more bytes than it needs",
            ),
            (
                0,
                vec![&[0x80, 0x80, 0x80, 0x80, 0x00]],
                "transformer.biases has an integer longer than 16 bits at offset 50",
            ),
            (
                2,
                vec![&[0x80, 0x80, 0x80, 0x80, 0x08]],
                "transformer.psqt[0] at offset 1441949 is 2147483648, which does not fit in 32 bits",
            ),
            (
                2,
                vec![&[0x80; 6]],
                "transformer.psqt has an integer longer than 32 bits at offset 1441950",
            ),
        ] {
            assert_eq!(refusal(&network, &leb128(tensor, &integers)), message);
        }
    }

    #[test]
    fn leb128_blocks_must_hold_as_many_integers_as_the_tensor() {
        let network = network("leb128");
        let more = leb128(0, &[&[0, 0]]);
        assert_eq!(
            refusal(&network, &more),
            "transformer.biases at offset 47 holds 65 integers, expected 64"
        );
        let fewer = leb128(0, &[&[]]);
        assert_eq!(
            refusal(&network, &fewer),
            "transformer.biases at offset 47 holds 63 integers, expected 64"
        );
        let mut unfinished = leb128(0, &[]);
        unfinished[47 + 63] = 0x80;
        assert_eq!(
            refusal(&network, &unfinished),
            "transformer.biases ends inside an integer at offset 111"
        );
    }
}
