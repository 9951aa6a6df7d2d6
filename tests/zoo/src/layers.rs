//! `[[layer]]` of random networks: affine layers, and the activations and sums between them.

mod activation;
mod affine;
mod product;
mod shards;
mod sum;

use std::fmt::Display;

use nnue_compiler::network::{
    Element, Gain, One, PSQT, TRANSFORMER, Tensor, Transformer, UNPOOLED,
};

use nnue_compiler::operation::integer::IntegerRounding;

use super::dice::Dice;
use super::toml::Toml;

/// A stack of layers while it is drawn.
pub(super) struct Graph<'d> {
    pub(super) dice: &'d mut Dice,
    pub(super) toml: Toml,
    /// What the transformer makes, and the outputs of all layers.
    values: Vec<Value>,
    /// How many values the transformer makes: its output, the sums that are not pooled, and those
    /// of PSQT values.
    sources: usize,
    /// Values of inner layers that are terms of the output.
    pub(super) skips: Vec<Part>,
    /// Whether there is nothing that stacks could share.
    pub(super) has_one_stack: bool,
    /// Whether the transformer's output can be divided into shards.
    has_whole_vectors: bool,
}

/// The output of a layer, or of the transformer.
struct Value {
    name: String,
    tensor: Tensor,
    /// Whether something reads each element.
    read: Vec<bool>,
}

/// A run of elements of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    value: usize,
    start: usize,
    pub(super) len: usize,
}

impl Part {
    /// One of its elements.
    pub(super) fn at(self, index: usize) -> Part {
        Part {
            start: self.start + index,
            len: 1,
            ..self
        }
    }
}

impl<'d> Graph<'d> {
    /// Draws all layers behind a transformer, and gives the outputs of the last one.
    pub(super) fn draw(
        dice: &'d mut Dice,
        transformer: Transformer,
        has_one_stack: bool,
    ) -> (Graph<'d>, Part) {
        let value = |name: &str, tensor: Tensor| Value {
            name: name.to_string(),
            read: vec![false; tensor.len],
            tensor,
        };
        let has_whole_vectors = shards::has_whole_vectors(&transformer);
        let mut values = vec![value(TRANSFORMER, transformer.output)];
        values.extend(transformer.unpooled.map(|sums| value(UNPOOLED, sums)));
        values.extend(transformer.psqt_sums.map(|sums| value(PSQT, sums)));
        let mut graph = Graph {
            dice,
            toml: Toml::default(),
            sources: values.len(),
            values,
            skips: Vec::new(),
            has_one_stack,
            has_whole_vectors,
        };
        let blocks = graph.dice.pick(&[1, 2, 2, 3, 3, 4, 5]);
        let mut front = vec![graph.whole(0)];
        let words = graph.values[0].tensor.element == Element::I16;
        if words && graph.dice.aside_for("float").once_in(4) {
            front = vec![graph.float(graph.whole(0))];
        } else if words && graph.dice.aside_for("squares").once_in(4) {
            front = vec![graph.squares(graph.whole(0))];
        }
        for block in 1..blocks {
            let inputs = graph.inputs(&front);
            let sums = graph.affine(&inputs, false);
            front = graph.behind(sums, block);
            graph.add_sums(&mut front);
        }
        let inputs = graph.inputs(&front);
        let last = graph.affine(&inputs, true);
        (graph, last)
    }

    /// Draws the inputs of the next affine layer: all values of `front` or parts of them, and
    /// sometimes earlier values.
    fn inputs(&mut self, front: &[Part]) -> Vec<Part> {
        let mut parts = front.to_vec();
        self.dice.shuffle(&mut parts);
        if self.dice.once_in(4) {
            if let [whole] = parts[..] {
                let pieces = self.dice.within(1..=3);
                parts = vec![whole; pieces];
            }
            parts = parts.into_iter().map(|part| self.cut(part)).collect();
        }
        if self.dice.once_in(3) {
            let group = |element| match element {
                Element::U8 | Element::I16 => Element::I16,
                other => other,
            };
            let wanted = group(self.element(parts[0]));
            let one = self.one(parts[0]).shared();
            let earlier: Vec<usize> = (0..self.values.len())
                .filter(|value| {
                    let tensor = &self.values[*value].tensor;
                    // Binary layers read signs alone.
                    let same_one = tensor.one.shared() == one || wanted == Element::I32;
                    group(tensor.element) == wanted && same_one && tensor.one.shared().is_some()
                })
                .collect();
            let value = self.dice.pick(&earlier);
            let mut part = self.whole(value);
            if self.dice.once_in(2) {
                part = self.cut(part);
            }
            let place = self.dice.within(0..=parts.len());
            parts.insert(place, part);
        }
        parts
    }

    /// Adds the sums that are not pooled, and those of PSQT values, to the inputs of the next
    /// affine layer, if these are floating point.
    fn add_sums(&mut self, front: &mut Vec<Part>) {
        if self.element(front[0]) != Element::F32 {
            return;
        }
        for name in [UNPOOLED, PSQT] {
            let sums = self.values.iter().position(|value| value.name == name);
            if let Some(sums) = sums
                && self.dice.aside_for(name).once_in(2)
            {
                let sums = self.float(self.whole(sums));
                front.push(sums);
            }
        }
    }

    /// Draws the layers between the sums of an affine layer and the next affine one.
    fn behind(&mut self, sums: Part, block: usize) -> Vec<Part> {
        let mut sums = sums;
        if self.one(sums).shared().is_none() {
            sums = self.sum(&[sums], true);
        }
        if sums.len > 1 && self.dice.once_in(4) {
            let last = sums.start + sums.len - 1;
            self.skips.push(Part {
                start: last,
                len: 1,
                ..sums
            });
            sums.len -= 1;
        }
        if block > 1 && self.dice.once_in(2) {
            let residual = self.residual(sums);
            if !residual.is_empty() {
                let mut terms = vec![sums];
                terms.extend(residual);
                self.dice.shuffle(&mut terms);
                sums = self.sum(&terms, true);
            }
        }
        if block > 1 && self.dice.aside_for("product").once_in(4) {
            sums = self.gated(sums);
        }
        if self.element(sums) == Element::F32 {
            if self.dice.aside_for("rms_norm").once_in(5) {
                sums = self.normalised(sums);
            }
            let floats = self.float_activations(sums);
            let mut aside = self.dice.aside_for("integer");
            if !aside.once_in(4) {
                return floats;
            }
            // The next layer reads all of them, and its weights have the same one for each.
            let one = aside.pick(&[127, 64, 255, 1000]);
            let floats = floats.into_iter();
            return floats
                .map(|part| self.integer(part, one, &mut aside))
                .collect();
        }
        match self.dice.within(0..=11) {
            // Binary layers read sums.
            0 => vec![sums],
            1 | 2 => {
                let floats = self.float(sums);
                self.float_activations(floats)
            }
            choice => {
                let mut activated = self.integer_activations(sums);
                if choice > 3 {
                    if self.dice.aside_for("narrow").once_in(4) {
                        self.add_product(&mut activated);
                    }
                    return activated;
                }
                activated.into_iter().map(|part| self.float(part)).collect()
            }
        }
    }

    /// Earlier values, or parts of them, that can be added to these.
    fn residual(&mut self, sums: Part) -> Vec<Part> {
        let is_float = self.element(sums) == Element::F32;
        let fitting: Vec<usize> = (self.sources..self.values.len())
            .filter(|value| {
                let tensor = &self.values[*value].tensor;
                tensor.len >= sums.len && (tensor.element == Element::F32) == is_float
            })
            .collect();
        if fitting.is_empty() {
            return Vec::new();
        }
        let terms = self.dice.within(1..=2);
        (0..terms)
            .map(|_| {
                let value = self.dice.pick(&fitting);
                let room = self.values[value].tensor.len - sums.len;
                Part {
                    value,
                    start: self.dice.within(0..=room),
                    len: sums.len,
                }
            })
            .collect()
    }

    /// A normalisation of floating point.
    fn normalised(&mut self, of: Part) -> Part {
        self.layer("norm", &["rms_norm"]);
        self.read(&[of]);
        let mut aside = self.dice.aside_for("epsilon");
        if aside.once_in(2) {
            self.toml
                .set("epsilon", aside.pick(&["1e-5", "0.125", "3"]));
        }
        let mut aside = self.dice.aside_for("gain");
        if aside.once_in(3) {
            self.toml.name("gain", aside.name::<Gain>());
            if aside.once_in(2) {
                let shared = !aside.once_in(8) && !self.has_one_stack;
                self.toml.set("shared", shared);
            }
        }
        self.push(Tensor {
            len: of.len,
            element: Element::F32,
            one: One::Tensor(1),
            range: (0, 0),
        })
    }

    /// A conversion to floating point.
    pub(super) fn float(&mut self, of: Part) -> Part {
        let one = self.shared_one(of);
        self.layer("float", &["float"]);
        self.read(&[of]);
        if self.dice.once_in(3) {
            let scale = if self.dice.once_in(2) {
                format!("\"1 / {one}\"")
            } else {
                format!("{:e}", 1.5 / f64::from(one))
            };
            self.toml.set("scale", scale);
        }
        self.push(Tensor {
            len: of.len,
            element: Element::F32,
            one: One::Tensor(1),
            range: (0, 0),
        })
    }

    /// A conversion to integers.
    fn integer(&mut self, of: Part, one: u32, aside: &mut Dice) -> Part {
        self.layer("integer", &["integer"]);
        self.read(&[of]);
        if one != 127 || aside.once_in(2) {
            self.toml.set("one", one);
        }
        let mut limit = one;
        if aside.once_in(2) {
            limit = aside.pick(&[one, one - one / 64, 2 * one]);
            self.toml.set("limit", limit);
        }
        let mut least = 0;
        if aside.once_in(2) {
            least = aside.pick(&[0, -1, -128, -2000]);
            self.toml.set("least", least);
        }
        if aside.once_in(2) {
            self.toml.name("rounding", aside.name::<IntegerRounding>());
        }
        let range = (least, i64::from(limit));
        self.push(Tensor {
            len: of.len,
            element: match range {
                (0, ..=255) => Element::U8,
                _ => Element::I16,
            },
            one: One::Tensor(one),
            range,
        })
    }

    /// Begins a layer with a name of its own.
    fn layer(&mut self, name: &str, ops: &[impl Display]) {
        let taken = |name: &str| self.values.iter().any(|value| value.name == name);
        let free = (0..)
            .map(|number| format!("{name}_{number}"))
            .find(|name| !taken(name));
        let name = free.expect("there are numbers enough");
        self.toml.table("[[layer]]");
        self.toml.name("name", &name);
        self.toml.names("op", ops);
        self.values.push(Value {
            name,
            tensor: Tensor {
                len: 0,
                element: Element::F32,
                one: One::Tensor(1),
                range: (0, 0),
            },
            read: Vec::new(),
        });
    }

    /// Writes the inputs of the layer that was begun; the layer above need not be named.
    fn read(&mut self, inputs: &[Part]) {
        let above = match self.values.len() - 1 - self.sources {
            0 => 0,
            layer => self.sources + layer - 1,
        };
        for input in inputs {
            self.mark(*input);
        }
        if inputs == [self.whole(above)] && !self.dice.once_in(4) {
            return;
        }
        let names: Vec<String> = inputs.iter().map(|input| self.reference(*input)).collect();
        self.toml.names("input", &names);
    }

    /// Ends the layer that was begun.
    fn push(&mut self, tensor: Tensor) -> Part {
        let value = self.values.len() - 1;
        self.values[value].read = vec![false; tensor.len];
        self.values[value].tensor = tensor;
        self.whole(value)
    }

    /// Marks a part as read.
    pub(super) fn mark(&mut self, part: Part) {
        self.values[part.value].read[part.start..part.start + part.len].fill(true);
    }

    /// The layers that only the output can read.
    pub(super) fn ends(&self) -> Vec<Part> {
        let ends = (self.sources..self.values.len())
            .filter(|value| !self.values[*value].read.contains(&true));
        ends.map(|value| self.whole(value)).collect()
    }

    /// The parts that nothing reads.
    pub(super) fn unread(&self) -> Vec<Part> {
        let mut unread = Vec::new();
        for (value, Value { read, .. }) in self.values.iter().enumerate() {
            let mut start = 0;
            for run in read.chunk_by(|a, b| a == b) {
                let len = run.len();
                if !run[0] {
                    unread.push(Part { value, start, len });
                }
                start += len;
            }
        }
        unread
    }

    /// Part of a part.
    pub(super) fn cut(&mut self, part: Part) -> Part {
        let (start, end) = self.dice.part(part.len);
        Part {
            start: part.start + start,
            len: end - start,
            ..part
        }
    }

    /// One of its elements.
    pub(super) fn element_of(&mut self, part: Part) -> Part {
        let index = self.dice.within(0..=part.len - 1);
        part.at(index)
    }

    fn whole(&self, value: usize) -> Part {
        Part {
            value,
            start: 0,
            len: self.values[value].tensor.len,
        }
    }

    pub(super) fn element(&self, part: Part) -> Element {
        self.values[part.value].tensor.element
    }

    pub(super) fn one(&self, part: Part) -> One {
        self.values[part.value]
            .tensor
            .one
            .slice(part.start, part.len)
    }

    /// Its one, or that of its first element.
    fn shared_one(&self, part: Part) -> u32 {
        self.one(part).at(0)
    }

    /// As the spec names it.
    pub(super) fn reference(&self, part: Part) -> String {
        let Value { name, tensor, .. } = &self.values[part.value];
        let end = part.start + part.len;
        match (part.start, part.len) {
            (0, len) if len == tensor.len => name.clone(),
            (start, 1) => format!("{name}[{start}]"),
            (0, _) => format!("{name}[..{end}]"),
            (start, _) if end == tensor.len => format!("{name}[{start}..]"),
            (start, _) => format!("{name}[{start}..{end}]"),
        }
    }
}
