//! `[file]` of random networks, in every format and with every choice that it leaves.

use nnue_compiler::format::{Element, Encoding, Overflow, Rounding};
use nnue_compiler::network::file::Role;
use nnue_compiler::network::{Network, Scale, WeightType};
use nnue_compiler::spec::{
    Axis, AxisPart, BulletKind, FieldType, Format, Named, Part, PsqtPlace, TailName,
};

use super::dice::Dice;
use super::toml::{Toml, list};

/// A tensor that the file must have.
struct Known {
    name: String,
    /// Its name in bullet's examples, if it has one.
    id: Option<String>,
    axes: Vec<(Axis, usize)>,
    element: Element,
    is_sign: bool,
    /// Whether the network does not say what 1.0 is in it.
    needs_one: bool,
    /// Whether each stack has its own.
    is_of_stack: bool,
    /// Whether its values are summed with those of another tensor, which must then be converted in
    /// the same way.
    is_summed: bool,
}

impl Known {
    /// The layer that it belongs to, or `transformer`.
    fn owner(&self) -> &str {
        self.name.split('.').next().unwrap_or("")
    }

    /// What a stack has of it.
    fn of_a_stack(mut self) -> Known {
        self.axes.retain(|(axis, _)| *axis != Axis::Stack);
        self
    }

    fn quantises(&self) -> bool {
        self.element != Element::F32 && !self.is_sign
    }
}

/// Draws the whole table.
pub(super) fn draw(dice: &mut Dice, network: &Network) -> Toml {
    let mut toml = Toml::default();
    toml.table("[file]");
    let format = dice.name::<Format>();
    toml.name("format", format);
    let tensors = tensors(network);
    match format {
        "stockfish" => stockfish(dice, network, &mut toml),
        "bullet" => bullet(dice, network, tensors, &mut toml),
        _ => listed(dice, network, tensors, &mut toml),
    }
    toml
}

fn stockfish(dice: &mut Dice, network: &Network, toml: &mut Toml) {
    let version = if dice.once_in(3) {
        dice.word()
    } else {
        0x7AF3_2F20
    };
    toml.set("version", format_args!("{version:#X}"));
    if dice.once_in(2) {
        let encodings = [Encoding::Raw, Encoding::Leb128];
        toml.name("encoding", dice.pick(&encodings));
    }
    if dice.once_in(3) {
        toml.name("psqt", dice.name::<PsqtPlace>());
    }
    let is_known = network.features.iter().all(|set| set.hash.is_some());
    if !is_known || dice.once_in(3) {
        toml.set("transformer_hash", format_args!("{:#X}", dice.word()));
    }
    if dice.once_in(3) {
        toml.set("stack_hash", format_args!("{:#X}", dice.word()));
    }
    let mut aside = dice.aside_for("before_stacks");
    if aside.once_in(4) {
        let mut entries = vec![kept(&mut aside, "zoo.weights")];
        if aside.once_in(2) {
            entries.insert(0, field(&mut aside));
        }
        toml.rows("before_stacks", &entries, 1);
    }
}

/// Numbers that the network does not use.
fn kept(dice: &mut Dice, name: &str) -> String {
    let element = dice.name::<Element>();
    let shape = if dice.once_in(2) {
        dice.within(1..=40).to_string()
    } else {
        format!("[{}, {}]", dice.within(1..=9), dice.within(1..=40))
    };
    format!("{{ kept = \"{name}\", type = \"{element}\", shape = {shape} }}")
}

fn bullet(dice: &mut Dice, network: &Network, mut tensors: Vec<Known>, toml: &mut Toml) {
    let kind = dice.pick(&[BulletKind::Quantised, BulletKind::Raw, BulletKind::Weights]);
    let quantised = kind == BulletKind::Quantised;
    if !quantised || dice.once_in(2) {
        toml.name("kind", kind);
    }
    rounding(dice, network, toml);
    if kind != BulletKind::Weights && dice.once_in(2) {
        toml.name("tail", dice.name::<TailName>());
    }
    let ids: Vec<String> = tensors
        .iter()
        .filter_map(|known| known.id.clone())
        .collect();
    if quantised {
        match dice.within(0..=3) {
            0 => toml.set("transposed", dice.once_in(2)),
            1 if !ids.is_empty() => toml.set("transposed", list(&[dice.pick(&ids)])),
            _ => {}
        }
    }
    let usual = |known: &Known| known.id.as_ref().is_some_and(|id| id != "l0f");
    if tensors.iter().all(usual) && dice.once_in(3) {
        return;
    }
    dice.shuffle(&mut tensors);
    let mut entries = Vec::new();
    for known in &tensors {
        let entry = bullet_entry(dice, known, kind);
        entries.push(entry.clone());
        // Trainers may list a tensor twice.
        if kind != BulletKind::Weights && dice.once_in(16) {
            entries.push(entry);
        }
    }
    if kind != BulletKind::Weights {
        insert_bytes(dice, &mut entries);
    }
    toml.rows("entries", &entries, 1);
}

fn bullet_entry(dice: &mut Dice, known: &Known, kind: BulletKind) -> String {
    let mut keys = Vec::new();
    match &known.id {
        Some(id) if !dice.once_in(8) => keys.push(format!("id = \"{id}\"")),
        _ => {
            keys.push(format!("id = \"{}\"", known.name.replace('.', "/")));
            keys.push(format!("tensor = \"{}\"", known.name));
        }
    }
    let quantised = kind == BulletKind::Quantised;
    let element = if quantised {
        element_key(dice, known, &mut keys)
    } else {
        Element::F32
    };
    if quantised && dice.once_in(6) {
        keys.push(format!("transposed = {}", dice.once_in(2)));
    }
    quantise_keys(dice, known, element, &mut keys);
    match keys.as_slice() {
        [_] if known.id.is_some() && !dice.once_in(4) => {
            format!("\"{}\"", known.id.as_deref().unwrap_or(""))
        }
        _ => format!("{{ {} }}", keys.join(", ")),
    }
}

fn listed(dice: &mut Dice, network: &Network, mut tensors: Vec<Known>, toml: &mut Toml) {
    if dice.once_in(2) {
        dice.shuffle(&mut tensors);
    }
    rounding(dice, network, toml);
    if dice.once_in(2) {
        toml.name("tail", dice.name::<TailName>());
    }
    let (of_stacks, once): (Vec<Known>, Vec<Known>) = if dice.once_in(3) {
        tensors.into_iter().partition(|known| known.is_of_stack)
    } else {
        (Vec::new(), tensors)
    };
    let entries = tensor_entries(dice, once);
    toml.rows("tensors", &entries, 1);
    if !of_stacks.is_empty() {
        let of_a_stack = of_stacks.into_iter().map(Known::of_a_stack).collect();
        let entries = tensor_entries(dice, of_a_stack);
        let mut aside = dice.aside_for("stack");
        if aside.once_in(2) {
            toml.rows("stack", &entries, 1)
        } else {
            let (first, second) = entries.split_at(aside.within(0..=entries.len()));
            let groups = [first, second].map(|group| format!("[{}]", group.join(", ")));
            toml.rows("stack", &groups, 1);
        }
    }
}

/// Tensors of a list: some in entries of their own, the others, of a layer or of all, in one.
fn tensor_entries(dice: &mut Dice, mut tensors: Vec<Known>) -> Vec<String> {
    let groups = [
        "transformer".to_string(),
        "layers".to_string(),
        tensors[0].owner().to_string(),
    ];
    let group = dice.pick(&groups);
    let is_in = |known: &Known| match group.as_str() {
        "layers" => known.is_of_stack,
        owner => known.owner() == owner,
    };
    let mut rest = Vec::new();
    if dice.once_in(2) {
        (rest, tensors) = tensors
            .into_iter()
            .partition(|known| is_in(known) && !dice.once_in(4));
    }
    let mut entries: Vec<String> = tensors
        .iter()
        .map(|known| tensor_entry(dice, known))
        .collect();
    if !rest.is_empty() {
        let entry = if dice.once_in(2) {
            format!("\"{group}\"")
        } else {
            format!(
                "{{ tensor = \"{group}\", align = {} }}",
                dice.pick(&[4, 64])
            )
        };
        let place = dice.within(0..=entries.len());
        entries.insert(place, entry);
    }
    insert_bytes(dice, &mut entries);
    entries
}

fn tensor_entry(dice: &mut Dice, known: &Known) -> String {
    if dice.once_in(8) {
        return format!("\"{}\"", known.name);
    }
    let mut keys = vec![format!("tensor = \"{}\"", known.name)];
    let element = element_key(dice, known, &mut keys);
    if dice.once_in(3) {
        let mut axes = known.axes.clone();
        if dice.once_in(2) {
            axes.retain(|(_, len)| *len > 1);
        }
        dice.shuffle(&mut axes);
        let parts = in_blocks(dice, &axes);
        keys.push(format!("axes = {}", list(&parts)));
    }
    if dice.once_in(4) {
        keys.push(format!("pad = {}", dice.pick(&[1, 3, 7, 16, 32])));
    }
    if dice.once_in(4) {
        keys.push(format!("align = {}", dice.pick(&[1, 4, 5, 64])));
    }
    if dice.once_in(6) {
        keys.push(format!("encoding = \"{}\"", dice.name::<Encoding>()));
    }
    quantise_keys(dice, known, element, &mut keys);
    format!("{{ {} }}", keys.join(", "))
}

/// Draws an axis that is in blocks, if one can be.
fn in_blocks(dice: &mut Dice, axes: &[(Axis, usize)]) -> Vec<AxisPart> {
    let mut parts: Vec<AxisPart> = axes.iter().map(|(axis, _)| (*axis).into()).collect();
    if axes.is_empty() {
        return parts;
    }
    let (axis, len) = dice.pick(axes);
    let lens: Vec<usize> = [2, 3, 4, 8]
        .into_iter()
        .filter(|block| len % block == 0)
        .collect();
    if lens.is_empty() || !dice.once_in(2) {
        return parts;
    }
    let block = dice.pick(&lens);
    parts.retain(|part| part.axis != axis);
    for part in [Part::Blocks(block), Part::Places(block)] {
        let place = dice.within(0..=parts.len());
        parts.insert(place, AxisPart { axis, part });
    }
    parts
}

/// Draws a `type` that fits in the type of the network.
fn element_key(dice: &mut Dice, known: &Known, keys: &mut Vec<String>) -> Element {
    if known.is_summed || !dice.once_in(4) {
        return known.element;
    }
    let elements = Element::NAMES.iter().map(|(_, element)| *element);
    let fits = |element: &Element| match known.element {
        _ if known.is_sign => true,
        Element::F32 => element.is_float() || element.fits_in(Element::I16),
        own => element.is_float() || element.fits_in(own),
    };
    let fitting: Vec<Element> = elements.filter(fits).collect();
    let element = dice.pick(&fitting);
    keys.push(format!("type = \"{element}\""));
    element
}

/// Draws how floating point becomes integers. A key is needed where its value does not follow from
/// the network.
fn quantise_keys(dice: &mut Dice, known: &Known, element: Element, keys: &mut Vec<String>) {
    if known.element == Element::F32 && !element.is_float() {
        keys.push(format!("one = {}", dice.pick(&["1", "64", "1024", "75.5"])));
        return;
    }
    if !element.is_float() && known.quantises() && !known.is_summed {
        let mut aside = dice.aside_for("times");
        if aside.once_in(6) {
            keys.push(format!("times = {}", aside.pick(&[2, 3, 128])));
        }
    }
    if !element.is_float() || !known.quantises() || known.is_summed {
        return;
    }
    if known.needs_one || dice.once_in(3) {
        keys.push(format!("one = {}", dice.pick(&["64", "127", "1", "75.5"])));
    }
    if dice.once_in(3) {
        keys.push(format!("rounding = \"{}\"", dice.name::<Rounding>()));
    }
    if dice.once_in(4) {
        keys.push(format!("overflow = \"{}\"", dice.name::<Overflow>()));
    }
}

/// Draws what becomes of fractions and of what does not fit. Where sums of rows are rounded, it is
/// always to the nearest: these sums are whole numbers in the tests' files, and a small error of
/// `f32` would make truncation lose a whole 1.
fn rounding(dice: &mut Dice, network: &Network, toml: &mut Toml) {
    let mut factors = network
        .features
        .iter()
        .filter_map(|set| set.factors.as_ref());
    let has_sums = network.layers.iter().any(|layer| layer.factorised);
    if has_sums || factors.any(|factors| !factors.round_each) {
        toml.name("rounding", Rounding::Nearest);
    } else if dice.once_in(2) {
        toml.name("rounding", dice.name::<Rounding>());
    }
    if dice.once_in(3) {
        toml.name("overflow", dice.name::<Overflow>());
    }
}

fn insert_bytes(dice: &mut Dice, entries: &mut Vec<String>) {
    for entry in [
        "{ value = \"4E 4E 55 45\" }".to_string(),
        format!("{{ bytes = {} }}", dice.within(1..=60)),
        format!("{{ field = \"name\", bytes = {} }}", dice.within(1..=60)),
        "{ field = \"magic\", value = \"5A 4F 4F\" }".to_string(),
    ] {
        if dice.once_in(4) {
            let place = dice.within(0..=entries.len());
            entries.insert(place, entry);
        }
    }
    if dice.once_in(4) {
        let count = dice.within(1..=8);
        let header = (0..count).map(|_| field(dice));
        entries.splice(0..0, header);
    }
}

fn field(dice: &mut Dice) -> String {
    let kind = dice.name::<FieldType>();
    let value = match kind {
        "text" => "\"a net of the zoo\"".to_string(),
        "u8" => dice.within(0..=255).to_string(),
        _ => dice.within(0..=65535).to_string(),
    };
    format!("{{ field = \"of type {kind}\", type = \"{kind}\", value = {value} }}")
}

/// The tensors of a network, taken from the file in Stockfish's format that every network can have.
fn tensors(network: &Network) -> Vec<Known> {
    let with_weights: Vec<usize> = (0..network.layers.len())
        .filter(|index| network.layers[*index].affine().is_some())
        .collect();
    let has_factors = network.features.iter().any(|set| set.factors.is_some());
    let known = network.file.tensors().map(|tensor| {
        let (letter, index) = match tensor.role {
            Role::LayerWeights(index) => ("w", Some(index)),
            Role::LayerBiases(index) => ("b", Some(index)),
            Role::LayerFactors(index) => ("a", Some(index)),
            Role::SharedWeights(index) | Role::SharedBiases(index) => ("", Some(index)),
            _ => ("", None),
        };
        let id = match index {
            Some(_) if letter.is_empty() => None,
            Some(index) => {
                let number = with_weights.iter().position(|own| *own == index);
                number.map(|number| format!("l{}{letter}", number + 1))
            }
            None => match &*tensor.name {
                "transformer.weights" => Some("l0w".to_string()),
                "transformer.biases" => Some("l0b".to_string()),
                "transformer.virtual_weights" => Some("l0f".to_string()),
                _ => None,
            },
        };
        let axes = tensor
            .axes()
            .into_iter()
            .map(|(part, len)| (part.axis, len));
        let mut axes: Vec<(Axis, usize)> = axes.collect();
        let layer = index.map(|index| &network.layers[index]);
        let is_of_stack = layer.is_some_and(|layer| !layer.shared) && !letter.is_empty();
        if is_of_stack {
            axes.insert(0, (Axis::Stack, network.stacks.count));
        }
        let affine = layer.and_then(|layer| layer.affine());
        let weights = affine.map(|affine| affine.weights);
        let to_float = affine.and_then(|affine| affine.to_float);
        Known {
            name: tensor.name.to_string(),
            id,
            axes,
            element: tensor.stored.element,
            is_sign: weights == Some(WeightType::Binary) && letter == "w",
            needs_one: letter == "a" || (letter == "w" && to_float == Some(Scale::OfFile)),
            is_of_stack,
            is_summed: match layer {
                Some(layer) => layer.factorised && letter != "a",
                None => has_factors && matches!(tensor.role, Role::Weights(_) | Role::Psqt(_)),
            },
        }
    });
    known.collect()
}
