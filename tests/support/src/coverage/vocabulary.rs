//! Every word of the language.

use std::fmt::Display;

use nnue_compiler::feature_set::piece_square::{
    BucketsName, FactorRounding, FirstSquare, Flip, Mirror, PieceName, PieceOrder, VirtualSet,
};
use nnue_compiler::feature_set::{names, threats};
use nnue_compiler::format::{self, Element};
use nnue_compiler::operation::integer::IntegerRounding;
use nnue_compiler::spec::{
    Align, Axis, BiasType, BulletKind, DivideOf, FieldType, Format, Gain, Named, OpName, Order,
    Pairs, Pooling, ProductRounding, PsqtPlace, ROW_ELEMENTS, Rounding, ScaleType, Sharing,
    SparseBy, Stockfish, Sums, TailName, TransformerActivation,
};

use super::words::Words;

/// The words besides names: keys that may be absent, and forms that values may have.
const FORMS: &[&str] = &[
    "like",
    "like = bullet",
    "features, several",
    "features.active",
    "features.blocks",
    "features.file_distance",
    "features.first",
    "features.from",
    "features.king_buckets, 32 numbers",
    "features.king_buckets, 64 numbers",
    "features.king_buckets, a name",
    "features.last",
    "features.name",
    "features.offset",
    "features.planes = 10",
    "features.planes = 11",
    "features.planes = 12",
    "features.planes = 14",
    "features.pushes",
    "features.queen_buckets = 2",
    "features.queen_buckets = 5",
    "features.queen_buckets = 6",
    "features.rows",
    "features.shift",
    "features.step",
    "features.targets, a table",
    "features.views",
    "transformer.limit, of crelu",
    "transformer.limit, of relu",
    "transformer.limit, of relu, to i16",
    "transformer.pairs, in blocks",
    "transformer.perspectives = 1",
    "transformer.perspectives = 2",
    "transformer.product_shift",
    "transformer.product_shift, to i16",
    "transformer.product_shift, to u16",
    "transformer.psqt = 0",
    "transformer.psqt, for each stack",
    "transformer.psqt, for all stacks",
    "transformer.psqt, of layers",
    "transformer.neuron_order",
    "transformer.shift",
    "transformer.unpooled",
    "stacks.select, by caller",
    "stacks.select, by pieces",
    "stacks.select, by table",
    "stacks, one",
    "stacks, more than 256",
    "layer.bits",
    "layer.density",
    "layer.divide",
    "layer.epsilon",
    "layer.error",
    "layer.factorised, of f32",
    "layer.factorised, of integers",
    "layer.input, a list",
    "layer.input, a part of a layer",
    "layer.input, a part of the transformer",
    "layer.input, an element",
    "layer.least",
    "layer.limit, for each function",
    "layer.limit, of integer",
    "layer.one, for each output",
    "layer.one, of an activation",
    "layer.one, of integer",
    "layer.one, of a product",
    "layer.one, of a sum",
    "layer.op = product, of f32",
    "layer.op, several of f32",
    "layer.op, several of integers",
    "layer.output_blocks",
    "layer.input, psqt",
    "layer.input, unpooled",
    "layer.op = float, of the transformer",
    "layer.op = product, of the transformer",
    "layer.op = product, to i16",
    "layer.op = product, to u8",
    "layer.op, of narrow products",
    "layer.scale, of a conversion",
    "layer.scale, of sums",
    "layer.scales, a table",
    "layer.scales, inputs = true",
    "layer.shards",
    "layer.shards, some inputs in common",
    "layer.shared",
    "layer.shared, of a normalisation",
    "layer.shift, for each function",
    "layer.shift, to the left",
    "layer.weights = i8, reads products",
    "layer.weights_one",
    "output.bits",
    "output.divide",
    "output.error",
    "output.multiply",
    "output.scale, of f32",
    "output.scale, of integers",
    "output.sum",
    "head, of f32",
    "head, of integers",
    "head, several",
    "output.win, draw and loss",
    "output, a term subtracted",
    "output.unread",
    "file.align",
    "file.axes",
    "file.axes, in blocks",
    "file.before_stacks",
    "file.bytes",
    "file.entries",
    "file.field = bytes",
    "file.field, free",
    "file.id, listed again",
    "file.kept",
    "file.one",
    "file.one, of integers",
    "file.pad",
    "file.stack",
    "file.stack, in groups",
    "file.stack_hash",
    "file.tensor, in an entry",
    "file.tensor, several",
    "file.times",
    "file.transformer_hash",
    "file.transposed = false",
    "file.transposed = true",
    "file.transposed, ids",
    "file.transposed, in an entry",
    "file.value",
];

/// The types that affine layers can read, for each type of weights.
const READS: &[(&str, &[&str])] = &[
    ("i8", &["u8", "i16", "u16", "i32"]),
    ("i16", &["u8", "i16", "u16", "i32"]),
    ("i32", &["u8", "i16", "i32"]),
    ("f32", &["f32"]),
    ("binary", &["i16", "i32"]),
];

impl Words {
    fn names<T: Named + Display>(&mut self, key: &str) {
        for (_, value) in T::NAMES {
            self.add(format!("{key} = {value}"));
        }
    }

    /// A key that takes the name of one of these types.
    fn elements(&mut self, key: &str, elements: &[(&str, Element)]) {
        for (element, _) in elements {
            self.add(format!("{key} = {element}"));
        }
    }

    /// Adds every word of the language.
    pub(super) fn vocabulary(&mut self) {
        FORMS.iter().for_each(|form| self.add(*form));
        for set in names() {
            self.add(format!("features.set = {set}"));
        }
        self.names::<PieceOrder>("features.piece_order");
        self.names::<Flip>("features.flip");
        self.names::<FirstSquare>("features.squares");
        self.names::<Mirror>("features.mirror");
        self.names::<BucketsName>("features.buckets");
        self.names::<PieceName>("features.pieces");
        self.elements("features.element", ROW_ELEMENTS);
        self.names::<VirtualSet>("features.factorised");
        self.names::<FactorRounding>("features.rounding");
        for targets in format::ThreatTargets::ALL {
            self.add(format!("features.targets = {}", targets.name()));
        }
        self.names::<threats::Mutual>("features.mutual");
        self.names::<threats::Order>("features.order");
        self.names::<TransformerActivation>("transformer.activation");
        self.names::<Pooling>("transformer.pooling");
        self.names::<ProductRounding>("transformer.product_rounding");
        self.names::<ProductRounding>("transformer.rounding");
        self.names::<ProductRounding>("layer.rounding, of a product");
        self.names::<Pairs>("transformer.pairs");
        self.names::<Order>("transformer.order");
        self.names::<Sharing>("transformer.weights");
        self.names::<OpName>("layer.op");
        for (function, name) in OpName::NAMES {
            if name.has_floats() {
                self.add(format!("layer.op = {function}, of f32"));
            }
            if name.has_limit() {
                self.add(format!("layer.limit, of {function}"));
            }
            if name.has_rounding() {
                self.names::<ProductRounding>(&format!("layer.rounding, of {function}"));
            }
        }
        for (weights, elements) in READS {
            for element in *elements {
                self.add(format!("layer.weights = {weights}, reads {element}"));
            }
        }
        self.names::<BiasType>("layer.biases");
        self.names::<Gain>("layer.gain");
        self.names::<IntegerRounding>("layer.rounding, of integer");
        self.names::<ScaleType>("layer.scales");
        self.names::<SparseBy>("layer.sparse");
        self.names::<Sums>("layer.sums");
        self.names::<Rounding>("layer.rounding");
        self.names::<Align>("layer.align");
        self.names::<Align>("output.align");
        self.names::<DivideOf>("output.divide.of");
        self.names::<Rounding>("output.rounding");
        self.names::<Format>("file.format");
        for (name, _) in Stockfish::ENCODINGS {
            self.add(format!("file.encoding = {name}"));
        }
        for (name, _) in format::Encoding::NAMES {
            self.add(format!("file.encoding = {name}, in an entry"));
        }
        self.names::<PsqtPlace>("file.psqt");
        self.names::<BulletKind>("file.kind");
        self.names::<format::Rounding>("file.rounding");
        self.names::<format::Overflow>("file.overflow");
        self.names::<FieldType>("file.field");
        self.names::<TailName>("file.tail");
        self.names::<Element>("file.type");
        self.names::<Axis>("file.axes");
    }
}
