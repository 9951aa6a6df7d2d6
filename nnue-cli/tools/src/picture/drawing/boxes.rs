//! The parts of a drawing, and which part reads which.

use nnue_compiler::feature_set::custom::Parameters;
use nnue_compiler::feature_set::piece_square::{Mirror, Parameters as PieceSquare};
use nnue_compiler::feature_set::{Family, clock};
use nnue_compiler::network::{Head, Layer, Network, Order, Perspectives, Pooling, Source, Units};

use super::{Column, Kind, Part};

/// The parts of a network, in the order of computation.
pub(super) fn boxes(network: &Network) -> Vec<Part> {
    let mut boxes = Boxes {
        operations: nnue_compiler::operations(network).into_iter(),
        parts: vec![features(network)],
    };
    let transformer = &network.transformer;
    // Operations come in the order of the compiler's table.
    let views = views(&transformer.perspectives);
    let accumulators = boxes.add_views(&views, &[0, 0]);
    let psqt_sums = (transformer.psqt > 0).then(|| {
        let sums = boxes.add(Kind::Transformer, vec![0]);
        boxes.parts[sums].column = Column::Psqt;
        sums
    });
    let activated = match transformer.pooling {
        Pooling::None => accumulators.clone(),
        _ => boxes.add_views(&views, &accumulators),
    };
    let output = boxes.add(Kind::Transformer, activated);
    if transformer.perspectives.order == Order::Interleaved && views.len() > 1 {
        let line = "the values of both perspectives in turn".to_string();
        boxes.parts[output].lines.push(line);
    }
    let unpooled = transformer.unpooled.as_ref();
    let unpooled = unpooled.map(|_| boxes.add(Kind::Transformer, accumulators));
    let psqt_of_layers = transformer.psqt_sums.as_ref();
    let psqt_of_layers =
        psqt_of_layers.map(|_| boxes.add(Kind::Transformer, Vec::from_iter(psqt_sums)));

    let first_layer = boxes.parts.len();
    for layer in &network.layers {
        let sources = layer.inputs.iter().filter_map(|slice| match slice.source {
            Source::Transformer => Some(output),
            Source::Unpooled => unpooled,
            Source::Psqt => psqt_of_layers,
            Source::Layer(index) => Some(first_layer + index),
        });
        let is_affine = layer.affine().is_some();
        let part = boxes.add(Kind::Layer { is_affine }, sources.collect());
        if is_affine {
            boxes.show_shape(part, layer, network.stacks.count);
        }
    }

    let terms = |head: &Head| {
        let terms = head.terms.iter();
        terms.map(|term| first_layer + term.layer).collect()
    };
    let mut psqt = None;
    for (number, head) in network.output.heads.iter().enumerate() {
        if let Units::Float { .. } = network.output.units {
            boxes.add_value(terms(head));
            continue;
        }
        let positional = boxes.add(Kind::Output, terms(head));
        if number == 0 && transformer.psqt_of_output() > 0 {
            psqt = Some(boxes.add(Kind::Output, Vec::from_iter(psqt_sums)));
        }
        let summands = match network.output.units {
            // The part `positional` is a summand of the value.
            Units::Wide(_) => terms(head),
            _ => [Some(positional), psqt].into_iter().flatten().collect(),
        };
        boxes.add_value(summands);
    }
    for further in &network.output.further {
        boxes.add_value(terms(&further.head));
    }
    boxes.parts
}

struct Boxes<Operations> {
    operations: Operations,
    parts: Vec<Part>,
}

/// The players whose views the perspectives have, in the order in which layers read them. In a
/// network with a single perspective, the features name the player.
fn views(perspectives: &Perspectives) -> Vec<Option<&'static str>> {
    match (perspectives.count, perspectives.order) {
        (1, _) => vec![None],
        (_, Order::WhiteFirst) => vec![Some("white"), Some("black")],
        (_, Order::StmFirst | Order::Interleaved) => vec![Some("side to move"), Some("opponent")],
    }
}

impl<Operations: Iterator<Item = [String; 6]>> Boxes<Operations> {
    /// Adds a part for each perspective of the next operation. Each of them reads a single part.
    fn add_views(&mut self, views: &[Option<&'static str>], reads: &[usize]) -> Vec<usize> {
        let first = self.add(Kind::Transformer, vec![reads[0]]);
        let mut both = self.parts[first].clone();
        if views.len() > 1 {
            let of_one = both.facts.strip_prefix("2 x ").map(str::to_string);
            both.facts = of_one.unwrap_or(both.facts);
        }
        self.parts.truncate(first);
        for (view, read) in views.iter().zip(reads) {
            self.parts.push(Part {
                view: *view,
                reads: vec![*read],
                ..both.clone()
            });
        }
        (first..self.parts.len()).collect()
    }

    /// Shows the shape of an affine layer with its inputs and the number of its stacks.
    fn show_shape(&mut self, part: usize, layer: &Layer, stacks: usize) {
        let (inputs, outputs) = (layer.input_len(), layer.output.len);
        let facts = &mut self.parts[part].facts;
        let rest = facts.strip_prefix(&outputs.to_string()).unwrap_or(facts);
        let stacks = match stacks {
            1 => String::new(),
            _ if layer.shared => ", shared by all stacks,".into(),
            stacks => format!(", x {stacks},"),
        };
        *facts = format!("{inputs} -> {outputs}{stacks}{rest}");
    }

    /// Adds a part for the next operation, which is an output of the network.
    fn add_value(&mut self, reads: Vec<usize>) -> usize {
        let index = self.add(Kind::Output, reads);
        self.parts[index].column = Column::Values;
        index
    }

    /// Adds a part for the next operation, and returns its index.
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
        let are_of_psqt = |read: &usize| self.parts[*read].column == Column::Psqt;
        let column = if !reads.is_empty() && reads.iter().all(are_of_psqt) {
            Column::Psqt
        } else {
            Column::Main
        };
        self.parts.push(Part {
            name,
            view: None,
            column,
            facts: format!("{shape} {element}{range}, 1.0 is {one}"),
            lines: vec![computed_as],
            kind,
            reads,
        });
        index
    }
}

/// How pieces choose a row: `by pieces, 768 x 4 king buckets, mirrored a-d`.
fn by_pieces(parameters: &PieceSquare, rows: usize) -> String {
    let buckets = parameters.buckets();
    let kings = parameters.own_kings_buckets();
    let mut words = String::from("by pieces");
    if buckets > 1 {
        words += &format!(", {}", rows / buckets);
    }
    if kings > 1 {
        words += &format!(" x {kings} king buckets");
    }
    if buckets > kings {
        words += &format!(" x {} material buckets", buckets / kings);
    }
    match parameters.mirror {
        Mirror::None => {}
        mirror => words += &format!(", mirrored {mirror}"),
    }
    words
}

fn by_clock(parameters: &clock::Parameters) -> String {
    let clock::Parameters { first, step, .. } = parameters;
    let words = format!("by half moves from {first} in steps of {step}");
    match parameters.buckets() {
        1 => words,
        kings => format!("{words} x {kings} king buckets"),
    }
}

fn features(network: &Network) -> Part {
    let lines = network.features.iter().map(|set| {
        let rule = match &set.family {
            Family::PieceSquare(parameters) => by_pieces(parameters, set.rows),
            Family::Threats(_) => "by threats".to_string(),
            Family::PawnPairs(_) => "by pairs of pawns".to_string(),
            Family::Clock(parameters) => by_clock(parameters),
            Family::Custom(Parameters { views: 1, .. }) => "told by the engine".to_string(),
            Family::Custom(Parameters { views, blocks, .. }) if views == blocks => {
                format!("told by the engine, {views} views")
            }
            Family::Custom(Parameters { views, blocks, .. }) => {
                format!("told by the engine, {views} views of {blocks} blocks of rows")
            }
        };
        let (name, rows, element, most) = (&set.name, set.rows, set.element, set.max_active);
        format!("{name}: {rows} rows of {element}, at most {most} active, {rule}")
    });
    let perspectives = &network.transformer.perspectives;
    let views = match (perspectives.count, perspectives.order) {
        (1, Order::WhiteFirst) => "white's perspective only",
        (1, _) => "the side to move's perspective only",
        _ if perspectives.separate => "for each of 2 perspectives, which have weights of their own",
        _ => "for each of 2 perspectives",
    };
    Part {
        name: "features".into(),
        view: None,
        column: Column::Main,
        facts: views.into(),
        lines: lines.collect(),
        kind: Kind::Features,
        reads: Vec::new(),
    }
}
