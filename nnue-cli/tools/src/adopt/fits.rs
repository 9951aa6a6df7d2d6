//! The guesses whose files have the size of a file.

use nnue_compiler::feature_set::piece_square::{KING_TABLES, Mirror};
use nnue_compiler::network::{Network, Op};
use nnue_interpreter::Net;

use crate::adopt::evidence::Evidence;
use crate::adopt::families::{Inputs, Kind, Layers, Neurons, Shape, Tail};
use crate::adopt::field;
use crate::adopt::king_rows::{KingRows, Rows};

/// A spec that fits a file.
pub(crate) struct Fit {
    /// The text of the spec.
    pub(crate) spec: String,
    /// The network that the spec describes.
    pub(crate) network: Network,
    /// What the rows of the file say about it.
    pub(crate) evidence: Evidence,
    /// Where the spec is from: a family of networks, or the name of an engine.
    pub(crate) family: String,
    /// Whether the file tells the buckets of the king's squares with certainty.
    pub(crate) kings_certain: bool,
}

/// Numbers of input buckets that are tried.
const MOST_BUCKETS: usize = 64;

/// Numbers of output buckets that are tried.
const OUTPUTS: [usize; 12] = [1, 8, 4, 2, 6, 7, 5, 3, 10, 16, 12, 32];

/// Bytes are padded to a multiple of this.
pub(crate) const PADDED_TO: usize = 64;

/// What bullet pads files with.
const PADDING: &[u8; 6] = b"bullet";

/// All specs that fit a file, the most usual ones first. All of them say that the network has this
/// name.
pub(crate) fn fits(bytes: &[u8], name: &str) -> Vec<Fit> {
    let mut fits: Vec<Fit> = Vec::new();
    let mut try_spec = |spec: String, family: String, kings_certain: bool| {
        let Some(network) = field::network(&spec) else {
            return;
        };
        let mut others = fits.iter_mut();
        if let Some(same) = others.find(|other| is_same(&other.network, &network)) {
            same.family = format!("{}, {family}", same.family);
        } else if let Some(net) = fitting(&network, bytes) {
            fits.push(Fit {
                spec,
                evidence: Evidence::of_rows(&net),
                network,
                family,
                kings_certain,
            });
        }
    };
    for (shape, kings_certain) in shapes(bytes) {
        try_spec(shape.spec(name), shape.family(), kings_certain);
    }
    for text in field::of_size(bytes) {
        if let Some(engine) = field::network(&text) {
            let spec = field::with_name(&text, name);
            try_spec(spec, format!("as {}", engine.name), false);
        }
    }
    fits
}

/// Whether two specs say the same, except for the name and for keys that change only the speed.
fn is_same(one: &Network, other: &Network) -> bool {
    let plain = |network: &Network| {
        let mut network = network.clone();
        network.name.clear();
        for layer in &mut network.layers {
            if let Op::Affine(affine) = &mut layer.op {
                affine.sparse = None;
            }
        }
        network
    };
    plain(one) == plain(other)
}

/// A network with its weights, if the bytes are a file of it.
fn fitting(network: &Network, bytes: &[u8]) -> Option<Net> {
    if network.features.iter().all(|set| set.is_supplied()) {
        return None; // nothing can be evaluated without the engine
    }
    Net::from_bytes(network, bytes).ok()
}

/// The shapes of bullet's families that have the size of the file, and whether the buckets of the
/// king's squares are certain.
fn shapes(bytes: &[u8]) -> Vec<(Shape, bool)> {
    let mut shapes = Vec::new();
    for (len, kind) in contents(bytes) {
        for shape in shapes_of(len, kind) {
            expand(bytes, shape, &mut shapes);
        }
    }
    shapes
}

/// The shapes of bullet's families whose tensors have this length.
fn shapes_of(len: usize, kind: Kind) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for layers in Layers::all() {
        for neurons in Neurons::before(layers).iter().copied() {
            for outputs in OUTPUTS {
                for buckets in 1..=MOST_BUCKETS {
                    let shape = Shape {
                        inputs: Inputs {
                            buckets,
                            mirror: Mirror::None,
                            table: Vec::new(),
                        },
                        width: 0,
                        outputs,
                        neurons,
                        layers,
                        interleaved: false,
                        transposed: false,
                        kind,
                    };
                    // Zeros behind a short bias would be half of a long one.
                    let is_known = matches!(kind, Kind::Quantised(Tail::Bullet | Tail::None))
                        && (buckets, outputs) == (1, 1);
                    let is_of_field = layers != Layers::OneWithLongBias || is_known;
                    if let Some(width) = shape.width_of(len).filter(|_| is_of_field) {
                        shapes.push(Shape { width, ..shape });
                    }
                }
            }
        }
    }
    shapes
}

/// The longest length without padding that files of bullet's families have, if the file is as long
/// with padding. What its last bytes are does not matter.
pub(crate) fn without_padding(bytes: &[u8]) -> Option<usize> {
    if !bytes.len().is_multiple_of(PADDED_TO) {
        return None;
    }
    let mut lens = (1..PADDED_TO).filter_map(|padding| bytes.len().checked_sub(padding));
    lens.find(|len| {
        let shapes = shapes_of(*len, Kind::Quantised(Tail::Bullet));
        // With many buckets, some width has nearly any length.
        let is_usual = |shape: &Shape| {
            let buckets = [shape.inputs.buckets, shape.outputs];
            shape.layers == Layers::One && matches!(buckets, [1, 1 | 8])
        };
        shapes.iter().any(is_usual)
    })
}

/// The lengths that the tensors of a file may have, with the kind of file that has them.
fn contents(bytes: &[u8]) -> Vec<(usize, Kind)> {
    let len = bytes.len();
    let quantised = |(len, tail)| (len, Kind::Quantised(tail));
    let padded = tensors_of_integers(bytes).into_iter().map(quantised);
    padded.chain([(len, Kind::Raw)]).collect()
}

/// The same for files of integers, with what follows the tensors.
fn tensors_of_integers(bytes: &[u8]) -> Vec<(usize, Tail)> {
    let len = bytes.len();
    if !len.is_multiple_of(PADDED_TO) {
        return vec![(len, Tail::None)];
    }
    // The longest one, for the last tensor hardly ends with the same bytes.
    let padding = (1..PADDED_TO.min(len)).rev().find(|padding| {
        let mut tail = bytes[len - padding..].iter().zip(PADDING.iter().cycle());
        tail.all(|(found, expected)| found == expected)
    });
    let padded = padding.map(|padding| (len - padding, Tail::Bullet));
    let mut contents: Vec<_> = padded.into_iter().collect();
    // It may end with one of them, though.
    contents.push((len, Tail::Bullet));
    let zeros = bytes.iter().rev().take_while(|byte| **byte == 0).count();
    // All numbers have two bytes or four, or there is an even number of them.
    let paddings = (2..=zeros.min(PADDED_TO - 1)).step_by(2);
    contents.extend(paddings.map(|padding| (len - padding, Tail::Zeros)));
    contents
}

/// The shapes that have the size of this one and differ in what a size does not tell.
fn expand(bytes: &[u8], shape: Shape, shapes: &mut Vec<(Shape, bool)>) {
    let orders = match (shape.kind, shape.outputs, shape.layers) {
        (Kind::Raw, ..) => vec![false],
        (_, 1, Layers::One | Layers::OneWithLongBias) => vec![true],
        _ => vec![true, false],
    };
    let turns: &[bool] = match (shape.kind, shape.layers, shape.neurons) {
        (Kind::Quantised(_), Layers::One, Neurons::Screlu | Neurons::Crelu) => &[false, true],
        _ => &[false],
    };
    for (inputs, found) in inputs(bytes, &shape) {
        for transposed in &orders {
            for interleaved in turns {
                let shape = Shape {
                    inputs: inputs.clone(),
                    interleaved: *interleaved,
                    transposed: *transposed,
                    ..shape.clone()
                };
                shapes.push((shape, found));
            }
        }
    }
}

/// The tables of king buckets that are tried: the one that the file tells, and unless that is
/// certain, those that are usual.
fn inputs(bytes: &[u8], shape: &Shape) -> Vec<(Inputs, bool)> {
    let (width, buckets) = (shape.width, shape.inputs.buckets);
    let of = |mirror, table: Vec<usize>| Inputs {
        buckets,
        mirror,
        table,
    };
    let len = shape.kind.weight_len();
    let weight = |index: usize| match bytes.get(len * index..len * (index + 1)) {
        Some(&[a, b]) => f64::from(i16::from_le_bytes([a, b])),
        Some(&[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => 0.0,
    };
    let rows = KingRows::of(&Rows { width, buckets }, weight);
    if buckets == 1 {
        return vec![
            (of(Mirror::None, Vec::new()), false),
            (of(Mirror::AToD, Vec::new()), false),
        ];
    }
    let mut tables: Vec<_> = usual_tables(buckets)
        .into_iter()
        .map(|table| of(Mirror::AToD, table))
        .collect();
    // Without mirroring, each rank has as many squares again.
    if let Some(Inputs { table, .. }) = tables.first() {
        let both = table.chunks(4).flat_map(|rank| {
            let right = rank.iter().rev();
            rank.iter().chain(right).copied().collect::<Vec<usize>>()
        });
        tables.push(of(Mirror::None, both.collect()));
    }
    if let Some(found) = rows.table(buckets) {
        let inputs = of(rows.mirror, found.buckets);
        if found.is_certain {
            return vec![(inputs, true)];
        }
        // A usual table is more probable than one that differs from it on squares that say little.
        if !(tables.iter()).any(|usual| rows.allow(usual.mirror, &usual.table)) {
            tables.insert(0, inputs);
        }
    }
    tables.into_iter().map(|inputs| (inputs, false)).collect()
}

/// The named tables with this number of buckets, for the squares of files a to d; without one, a
/// table that gives the first squares a bucket each.
fn usual_tables(buckets: usize) -> Vec<Vec<usize>> {
    let named = KING_TABLES
        .iter()
        .filter(|table| table.buckets() == buckets);
    let mut tables: Vec<Vec<usize>> = named
        .map(|table| table.half.map(usize::from).to_vec())
        .collect();
    if tables.is_empty() && buckets <= 32 {
        tables.push((0..32).map(|square| square.min(buckets - 1)).collect());
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_padding_tells_where_the_tensors_end() {
        let mut bytes = vec![7; 100];
        bytes.extend(PADDING.iter().cycle().take(28));
        let tensors = tensors_of_integers(&bytes);
        assert_eq!(tensors, [(100, Tail::Bullet), (128, Tail::Bullet)]);
        bytes.truncate(99);
        assert_eq!(tensors_of_integers(&bytes), [(99, Tail::None)]);
    }

    #[test]
    fn a_last_weight_that_looks_like_padding_hides_no_file_without_padding() {
        let mut bytes = vec![7; 127];
        bytes.push(b'b');
        assert!(tensors_of_integers(&bytes).contains(&(128, Tail::Bullet)));
    }

    /// bullet's simple network with this number of output buckets.
    fn simple(outputs: usize) -> Shape {
        Shape {
            inputs: Inputs {
                buckets: 1,
                mirror: Mirror::None,
                table: Vec::new(),
            },
            width: 16,
            outputs,
            neurons: Neurons::Screlu,
            layers: Layers::One,
            interleaved: false,
            transposed: true,
            kind: Kind::Quantised(Tail::Bullet),
        }
    }

    #[test]
    fn positions_use_output_buckets_that_are_there() {
        for outputs in OUTPUTS {
            let Some(network) = field::network(&simple(outputs).spec("Mine")) else {
                panic!("the spec for {outputs} output buckets is wrong");
            };
            let stacks = network.stacks.by_pieces.map(|stacks| stacks[2..].to_vec());
            let largest = stacks.and_then(|stacks| stacks.into_iter().max());
            assert!(largest.is_some_and(|largest| usize::from(largest) < outputs));
        }
    }

    /// Names are not quoted as in Rust, whose escapes TOML does not have.
    #[test]
    fn specs_have_the_name_that_is_asked_for() {
        for name in ["Mine", "Émile 2", "e\u{301}", "a\"b'\\c"] {
            let named = |text: &str| field::network(text).map(|network| network.name);
            assert_eq!(named(&simple(1).spec(name)).as_deref(), Some(name));
            for (engine, text) in field::FIELD {
                let found = named(&field::with_name(text, name));
                assert_eq!(found.as_deref(), Some(name), "{engine}");
            }
        }
    }

    #[test]
    fn specs_of_the_field_are_right() {
        for (name, text) in field::FIELD {
            let Some(network) = field::network(text) else {
                panic!("{name} is wrong");
            };
            assert!(!network.name.is_empty());
        }
    }
}
