//! The words that a spec uses.

use std::collections::BTreeSet;
use std::fmt::Display;

use nnue_compiler::diagnostics::Spanned;
use nnue_compiler::network::{self, Element, Elementwise, Layer, Network, Slice, Source, Units};
use nnue_compiler::operation::activation::Keys as Activations;
use nnue_compiler::spec::{
    Affine, Alignment, Bullet, Content, Entry, File, Op, Output, PairsKey, Part, PsqtKey, Scales,
    Select, Spec, Stockfish, TensorEntry, Tensors, Transformer, TransformerActivation, Transposed,
    Value, WeightType,
};
use toml::de::{DeTable, DeValue};

/// Keys, forms and values, as `transformer.pooling = max`.
#[derive(Default)]
pub(super) struct Words(pub(super) BTreeSet<String>);

impl Words {
    pub(super) fn add(&mut self, word: impl Into<String>) {
        self.0.insert(word.into());
    }

    pub(super) fn add_if(&mut self, is_said: bool, word: &str) {
        if is_said {
            self.add(word);
        }
    }

    fn value<T: Display>(&mut self, key: &str, said: Option<&Spanned<T>>) {
        if let Some(said) = said {
            self.add(format!("{key} = {}", said.value));
        }
    }

    /// Adds the words of a spec, whose network is `network`.
    pub(super) fn spec(&mut self, spec: &Spec, network: &Network) {
        self.add_if(spec.features.len() > 1, "features, several");
        self.transformer(&spec.transformer);
        let output = &network.transformer.output.element;
        if *output != Element::U8 {
            let activation = spec.transformer.activation.value;
            if spec.transformer.product_shift.is_some() {
                self.add(format!("transformer.product_shift, to {output}"));
            }
            let clipped = spec.transformer.limit.is_some();
            self.add_if(
                clipped && activation == TransformerActivation::Relu,
                "transformer.limit, of relu, to i16",
            );
        }
        self.stacks(spec);
        for head in &network.output.further {
            self.add(match head.units {
                Units::Integer(_) | Units::Wide(_) => "head, of integers",
                Units::Float { .. } => "head, of f32",
            });
        }
        self.add_if(network.output.further.len() > 1, "head, several");
        // Squares are a layer before those of the spec.
        let unnamed = network.layers.len() - spec.layers.len();
        for (layer, checked) in spec.layers.iter().zip(&network.layers[unnamed..]) {
            let references = layer.input.iter().flat_map(|input| &input.value);
            let parts = references
                .clone()
                .filter(|part| part.value.range != (None, None));
            for part in parts {
                self.add(match (part.value.name.as_str(), part.value.range) {
                    ("transformer", _) => "layer.input, a part of the transformer",
                    (_, (Some(start), Some(end))) if end == start + 1 => "layer.input, an element",
                    _ => "layer.input, a part of a layer",
                });
            }
            let unpooled = |slice: &Slice| slice.source == Source::Unpooled;
            let reads_sums = checked.inputs.iter().any(unpooled);
            self.add_if(reads_sums, "layer.input, unpooled");
            let mut sources = checked.inputs.iter().map(|slice| slice.source);
            self.add_if(
                sources.any(|source| source == Source::Psqt),
                "layer.input, psqt",
            );
            self.add_if(references.count() > 1, "layer.input, a list");
            let reads_products = checked
                .inputs
                .iter()
                .any(|input| is_narrow_product(input, network));
            self.add_if(
                reads_products && matches!(layer.op, Op::Activations(_)),
                "layer.op, of narrow products",
            );
            let reads =
                matches!(&layer.op, Op::Affine(affine) if affine.weights.value == WeightType::I8);
            self.add_if(
                reads_products && reads,
                "layer.weights = i8, reads products",
            );
            self.layer(&layer.op, checked, network);
        }
        self.output(&spec.output, network);
        self.file(&spec.file);
    }

    /// Adds the keys of a feature set of any family, and the names among their values, as they
    /// stand in the text.
    pub(super) fn features(&mut self, set: &DeTable<'_>) {
        for (key, value) in set {
            let name: &str = key.get_ref();
            let key = format!("features.{name}");
            match value.get_ref() {
                DeValue::String(_) if name == "king_buckets" => self.add(format!("{key}, a name")),
                DeValue::String(value) if name != "name" => self.add(format!("{key} = {value}")),
                DeValue::Integer(value) if ["planes", "queen_buckets"].contains(&name) => {
                    self.add(format!("{key} = {value}"));
                }
                DeValue::Array(_) if name == "targets" => self.add(format!("{key}, a table")),
                DeValue::Array(items) => match items.first().map(|first| first.get_ref()) {
                    Some(DeValue::Integer(_)) if name == "king_buckets" => {
                        self.add(format!("{key}, {} numbers", items.len()))
                    }
                    _ => {
                        for item in items.iter().map(|item| item.get_ref()) {
                            match item {
                                DeValue::String(value) => self.add(format!("{key} = {value}")),
                                DeValue::Table(keys) => self.features(keys),
                                _ => self.add(key.clone()),
                            }
                        }
                    }
                },
                _ => self.add(key),
            }
        }
    }

    fn transformer(&mut self, transformer: &Transformer) {
        self.value("transformer.activation", Some(&transformer.activation));
        self.value("transformer.pooling", transformer.pooling.as_ref());
        match &transformer.pairs {
            Some(PairsKey::Named(pairs)) => self.value("transformer.pairs", Some(pairs)),
            Some(PairsKey::Blocks(_)) => self.add("transformer.pairs, in blocks"),
            None => {}
        }
        self.value("transformer.order", transformer.order.as_ref());
        self.add_if(
            transformer.neuron_order.is_some(),
            "transformer.neuron_order",
        );
        self.value("transformer.weights", transformer.weights.as_ref());
        self.value(
            "transformer.perspectives",
            transformer.perspectives.as_ref(),
        );
        self.add_if(transformer.shift.is_some(), "transformer.shift");
        self.value("transformer.rounding", transformer.rounding.as_ref());
        self.add_if(transformer.unpooled.is_some(), "transformer.unpooled");
        let activation = transformer.activation.value;
        self.add_if(
            transformer.limit.is_some(),
            &format!("transformer.limit, of {activation}"),
        );
        self.add_if(
            transformer.product_shift.is_some(),
            "transformer.product_shift",
        );
        self.value(
            "transformer.product_rounding",
            transformer.product_rounding.as_ref(),
        );
    }

    fn stacks(&mut self, spec: &Spec) {
        let count = spec.stacks.as_ref().map(|stacks| stacks.count.value);
        match &spec.transformer.psqt {
            Some(PsqtKey::OfOutput(psqt)) => self.add(match psqt.value {
                0 => "transformer.psqt = 0",
                1 => "transformer.psqt, for all stacks",
                _ => "transformer.psqt, for each stack",
            }),
            Some(PsqtKey::OfLayers { .. }) => self.add("transformer.psqt, of layers"),
            None => {}
        }
        self.add_if(count == Some(1), "stacks, one");
        self.add_if(count > Some(256), "stacks, more than 256");
        match spec.stacks.as_ref().map(|stacks| &stacks.select) {
            Some(Select::Pieces(_)) => self.add("stacks.select, by pieces"),
            Some(Select::Table(_)) => self.add("stacks.select, by table"),
            Some(Select::Caller) => self.add("stacks.select, by caller"),
            Some(Select::Only) | None => {}
        }
    }

    fn layer(&mut self, op: &Op, checked: &Layer, network: &Network) {
        match op {
            Op::Affine(affine) => self.affine(affine, checked, network),
            Op::Activations(keys) => self.activations(keys, checked),
            Op::Sum(keys) => {
                self.operation("sum", checked);
                let one = keys.alignment.one.is_some();
                self.add_if(one, "layer.one, of a sum");
                self.alignment("layer", &keys.alignment);
            }
            Op::Product(keys) => {
                self.operation("product", checked);
                let is_gate = checked.output.element == Element::F32;
                self.add_if(is_gate, "layer.op = product, of f32");
                let element = checked.output.element;
                let is_narrow = matches!(element, Element::U8 | Element::I16);
                self.add_if(is_narrow, &format!("layer.op = product, to {element}"));
                self.add_if(keys.one.is_some(), "layer.one, of a product");
                self.value("layer.rounding, of a product", keys.rounding.as_ref());
            }
            Op::RmsNorm(keys) => {
                self.operation("rms_norm", checked);
                self.add_if(keys.epsilon.is_some(), "layer.epsilon");
                self.value("layer.gain", keys.gain.as_ref());
                self.add_if(checked.shared, "layer.shared, of a normalisation");
            }
            Op::Float(keys) => {
                self.operation("float", checked);
                self.add_if(keys.scale.is_some(), "layer.scale, of a conversion");
            }
            Op::Integer(keys) => {
                self.operation("integer", checked);
                self.add_if(keys.one.is_some(), "layer.one, of integer");
                self.add_if(keys.limit.is_some(), "layer.limit, of integer");
                self.add_if(keys.least.is_some(), "layer.least");
                self.value("layer.rounding, of integer", keys.rounding.as_ref());
            }
            other => panic!("the words of {other:?} are not known"),
        }
    }

    fn operation(&mut self, name: &str, checked: &Layer) {
        self.add(format!("layer.op = {name}"));
        let of_transformer = checked.inputs[0].source == Source::Transformer;
        self.add_if(
            of_transformer,
            &format!("layer.op = {name}, of the transformer"),
        );
    }

    fn activations(&mut self, keys: &Activations, checked: &Layer) {
        let is_float = checked.output.element == Element::F32;
        for function in &keys.functions {
            let function = function.value;
            self.operation(function.name(), checked);
            self.add_if(is_float, &format!("layer.op = {function}, of f32"));
            self.add_if(keys.limit.is_some(), &format!("layer.limit, of {function}"));
            if function.has_rounding() {
                let key = format!("layer.rounding, of {function}");
                self.value(&key, keys.rounding.as_ref());
            }
        }
        let shifts = keys.shift.iter().flat_map(|shift| &shift.value);
        let left = shifts.filter(|shift| shift.value < 0).count();
        self.add_if(left > 0, "layer.shift, to the left");
        let several = keys.functions.len() > 1;
        self.add_if(several && !is_float, "layer.op, several of integers");
        self.add_if(several && is_float, "layer.op, several of f32");
        let lists = [("shift", &keys.shift), ("limit", &keys.limit)];
        for (key, list) in lists {
            let entries = list.as_ref().map_or(0, |list| list.value.len());
            self.add_if(entries > 1, &format!("layer.{key}, for each function"));
        }
        self.add_if(keys.one.is_some(), "layer.one, of an activation");
    }

    fn affine(&mut self, affine: &Affine, checked: &Layer, network: &Network) {
        self.add("layer.op = affine");
        for input in &checked.inputs {
            let element = network.tensor(input.source).element;
            self.add(format!(
                "layer.weights = {}, reads {element}",
                affine.weights.value
            ));
        }
        self.value("layer.biases", affine.biases.as_ref());
        self.value("layer.sparse", affine.sparse.as_ref());
        self.value("layer.sums", affine.sums.as_ref());
        self.value("layer.rounding", affine.rounding.as_ref());
        self.add_if(affine.density.is_some(), "layer.density");
        self.add_if(checked.shared, "layer.shared");
        let numbers = match affine.weights.value {
            WeightType::F32 => "f32",
            _ => "integers",
        };
        let factorised = format!("layer.factorised, of {numbers}");
        self.add_if(checked.factorised, &factorised);
        self.add_if(affine.output_blocks.is_some(), "layer.output_blocks");
        if let Some(shards) = checked.affine().and_then(|affine| affine.shards) {
            self.add("layer.shards");
            self.add_if(shards.common > 0, "layer.shards, some inputs in common");
        }
        self.add_if(affine.divide.is_some(), "layer.divide");
        self.add_if(affine.scale.is_some(), "layer.scale, of sums");
        let ones = affine.one.as_ref().map_or(0, |ones| ones.value.len());
        self.add_if(ones > 1, "layer.one, for each output");
        self.add_if(affine.weights_one.is_some(), "layer.weights_one");
        match affine.scales.as_ref().map(|scales| &scales.value) {
            Some(Scales::Integers { inputs, .. }) => {
                self.add("layer.scales, a table");
                self.add_if(*inputs, "layer.scales, inputs = true");
            }
            Some(Scales::Floats(scales)) => self.add(format!("layer.scales = {scales}")),
            None => {}
        }
    }

    fn alignment(&mut self, owner: &str, alignment: &Alignment) {
        self.value(&format!("{owner}.align"), alignment.align.as_ref());
        self.add_if(alignment.bits.is_some(), &format!("{owner}.bits"));
        self.add_if(alignment.error.is_some(), &format!("{owner}.error"));
    }

    fn output(&mut self, output: &Output, network: &Network) {
        self.add(match output.heads.len() {
            1 => "output.sum",
            _ => "output.win, draw and loss",
        });
        let mut terms = output.heads.iter().flat_map(|head| &head.value);
        self.add_if(
            terms.any(|term| term.value.negative),
            "output, a term subtracted",
        );
        self.add_if(output.unread.is_some(), "output.unread");
        self.alignment("output", &output.scaling.alignment);
        self.value("output.rounding", output.scaling.rounding.as_ref());
        self.add_if(output.scaling.multiply.is_some(), "output.multiply");
        if let Some(divide) = &output.scaling.divide {
            self.add("output.divide");
            self.add(format!("output.divide.of = {}", divide.of));
        }
        let is_float = matches!(network.output.units, Units::Float { .. });
        if output.scaling.scale.is_some() {
            self.add(if is_float {
                "output.scale, of f32"
            } else {
                "output.scale, of integers"
            });
        }
    }

    fn file(&mut self, file: &File) {
        match file {
            File::Stockfish(file) => self.stockfish(file),
            File::Bullet(file) => self.bullet(file),
            File::Tensors(file) => self.tensors(file),
        }
    }

    fn stockfish(&mut self, file: &Stockfish) {
        self.add("file.format = stockfish");
        self.value("file.encoding", file.encoding.as_ref());
        self.value("file.psqt", file.psqt.as_ref());
        self.add_if(file.transformer_hash.is_some(), "file.transformer_hash");
        self.add_if(file.stack_hash.is_some(), "file.stack_hash");
        if let Some(before) = &file.before_stacks {
            self.add("file.before_stacks");
            self.entries(&before.value);
        }
    }

    fn bullet(&mut self, file: &Bullet) {
        self.add("file.format = bullet");
        self.value("file.kind", file.kind.as_ref());
        self.value("file.rounding", file.rounding.as_ref());
        self.value("file.overflow", file.overflow.as_ref());
        self.value("file.tail", file.tail.as_ref());
        match file.transposed.as_ref().map(|transposed| &transposed.value) {
            Some(Transposed::All(all)) => self.add(format!("file.transposed = {all}")),
            Some(Transposed::Ids(_)) => self.add("file.transposed, ids"),
            None => {}
        }
        let Some(entries) = &file.entries else {
            return;
        };
        self.add("file.entries");
        self.entries(&entries.value);
    }

    fn tensors(&mut self, file: &Tensors) {
        self.add("file.format = tensors");
        self.value("file.rounding", file.rounding.as_ref());
        self.value("file.overflow", file.overflow.as_ref());
        self.value("file.tail", file.tail.as_ref());
        self.entries(&file.tensors.value);
        if let Some(stack) = &file.stack {
            self.add("file.stack");
            self.add_if(stack.len() > 1, "file.stack, in groups");
            stack.iter().for_each(|group| self.entries(group));
        }
    }

    fn entries(&mut self, entries: &[Entry]) {
        let mut ids = Vec::new();
        for entry in entries {
            self.add_if(entry.align.is_some(), "file.align");
            match &entry.content {
                Content::Skipped(field) => self.add(match field.name {
                    Some(_) => "file.field, free",
                    None => "file.bytes",
                }),
                Content::Bytes(field) => match &field.content {
                    Value::Bytes(_) if field.name.is_some() => self.add("file.field = bytes"),
                    Value::Bytes(_) => self.add("file.value"),
                    Value::Text(_) => self.add("file.field = text"),
                    Value::Number(kind, _) => self.add(format!("file.field = {kind}")),
                },
                Content::Kept(_) => self.add("file.kept"),
                Content::Tensor(tensor) => {
                    let id = tensor.id.as_ref().map(|id| &id.value);
                    self.add_if(
                        id.is_some_and(|id| ids.contains(&id)),
                        "file.id, listed again",
                    );
                    ids.extend(id);
                    self.entry(tensor);
                }
            }
        }
    }

    fn entry(&mut self, entry: &TensorEntry) {
        self.add_if(
            entry.tensor.is_some() && entry.id.is_some(),
            "file.tensor, in an entry",
        );
        self.add_if(entry.transposed.is_some(), "file.transposed, in an entry");
        self.add_if(entry.pad.is_some(), "file.pad");
        self.add_if(entry.times.is_some(), "file.times");
        let is_integer = |element: &Spanned<Element>| !element.value.is_float();
        let divides = entry.element.as_ref().is_some_and(is_integer);
        self.add_if(entry.one.is_some() && !divides, "file.one");
        self.add_if(entry.one.is_some() && divides, "file.one, of integers");
        if let (Some(name), None) = (&entry.tensor, &entry.id) {
            self.add_if(!name.value.contains('.'), "file.tensor, several");
        }
        if let Some(encoding) = &entry.encoding {
            self.add(format!("file.encoding = {}, in an entry", encoding.value));
        }
        self.value("file.type", entry.element.as_ref());
        self.value("file.rounding", entry.rounding.as_ref());
        self.value("file.overflow", entry.overflow.as_ref());
        for axis in entry.axes.iter().flat_map(|axes| &axes.value) {
            self.add("file.axes");
            self.add(format!("file.axes = {}", axis.value.axis));
            self.add_if(axis.value.part != Part::Whole, "file.axes, in blocks");
        }
    }
}

/// Whether a slice has products of layers in fewer than 32 bits.
fn is_narrow_product(slice: &Slice, network: &Network) -> bool {
    let Source::Layer(index) = slice.source else {
        return false;
    };
    let layer = &network.layers[index];
    let is_narrow = matches!(layer.output.element, Element::U8 | Element::I16);
    is_narrow && matches!(layer.op, network::Op::Elementwise(Elementwise::Product(_)))
}
