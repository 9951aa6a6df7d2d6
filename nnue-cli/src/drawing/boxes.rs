//! What is drawn of a network, and what reads what.

use nnue_compiler::feature_set::Family;
use nnue_compiler::network::{Head, Network, Pooling, Source, Units};

use super::{Kind, Part};

/// The parts of a network, in the order of computation.
pub(crate) fn boxes(network: &Network) -> Vec<Part> {
    let mut boxes = Boxes {
        operations: nnue_compiler::operations(network).into_iter(),
        parts: vec![features(network)],
    };
    let transformer = &network.transformer;
    let mut add = |reads: Vec<usize>| boxes.add(Kind::Transformer, reads);
    // In the order of the compiler's table.
    let accumulator = add(vec![0]);
    let psqt_sums = (transformer.psqt > 0).then(|| add(vec![0]));
    let activated = match transformer.pooling {
        Pooling::None => accumulator,
        _ => add(vec![accumulator]),
    };
    let output = add(vec![activated]);
    let unpooled = (transformer.unpooled.as_ref()).map(|_| add(vec![accumulator]));
    let psqt_of_layers = (transformer.psqt_sums.as_ref()).map(|_| add(Vec::from_iter(psqt_sums)));

    let first_layer = boxes.parts.len();
    for layer in &network.layers {
        let sources = layer.inputs.iter().filter_map(|slice| match slice.source {
            Source::Transformer => Some(output),
            Source::Unpooled => unpooled,
            Source::Psqt => psqt_of_layers,
            Source::Layer(index) => Some(first_layer + index),
        });
        let is_affine = layer.affine().is_some();
        boxes.add(Kind::Layer { is_affine }, sources.collect());
    }

    let terms = |head: &Head| {
        let terms = head.terms.iter();
        terms.map(|term| first_layer + term.layer).collect()
    };
    let mut psqt = None;
    for (number, head) in network.output.heads.iter().enumerate() {
        if let Units::Float { .. } = network.output.units {
            boxes.add(Kind::Output, terms(head));
            continue;
        }
        let positional = boxes.add(Kind::Output, terms(head));
        if number == 0 && transformer.psqt_of_output() > 0 {
            psqt = Some(boxes.add(Kind::Output, Vec::from_iter(psqt_sums)));
        }
        let summands = match network.output.units {
            // `positional` is a part of the sum that becomes the value.
            Units::Wide(_) => terms(head),
            _ => [Some(positional), psqt].into_iter().flatten().collect(),
        };
        boxes.add(Kind::Output, summands);
    }
    for further in &network.output.further {
        boxes.add(Kind::Output, terms(&further.head));
    }
    boxes.parts
}

struct Boxes<Operations> {
    operations: Operations,
    parts: Vec<Part>,
}

impl<Operations: Iterator<Item = [String; 6]>> Boxes<Operations> {
    /// Draws the next operation, and gives the index of its part.
    fn add(&mut self, kind: Kind, mut reads: Vec<usize>) -> usize {
        let index = self.parts.len();
        let Some([name, shape, element, one, range, computed_as]) = self.operations.next() else {
            unreachable!("every tensor is a line of the compiler's table");
        };
        let range = match range.as_str() {
            "" => String::new(),
            range => format!(" from {}", range.replacen("..=", " to ", 1)),
        };
        reads.sort_unstable();
        reads.dedup();
        self.parts.push(Part {
            name,
            facts: format!("{shape} {element}{range}, 1.0 is {one}"),
            lines: vec![computed_as],
            kind,
            reads,
        });
        index
    }
}

fn features(network: &Network) -> Part {
    let lines = network.features.iter().map(|set| {
        let rule = match &set.family {
            Family::PieceSquare(_) => "by pieces",
            Family::Threats(_) => "by threats",
            Family::PawnPairs(_) => "by pairs of pawns",
            Family::Custom(_) => "told by the engine",
        };
        let (name, rows, element, most) = (&set.name, set.rows, set.element, set.max_active);
        format!("{name}: {rows} rows of {element}, at most {most} active, {rule}")
    });
    let views = match network.transformer.perspectives.count {
        1 => "one perspective",
        _ => "for each of 2 perspectives",
    };
    Part {
        name: "features".into(),
        facts: views.into(),
        lines: lines.collect(),
        kind: Kind::Features,
        reads: Vec::new(),
    }
}
