//! What a network is, as a few facts with names, so that two guesses can be compared and what no
//! file tells can be asked for.

use nnue_compiler::feature_set::Family;
use nnue_compiler::feature_set::piece_square::{Parameters, SQUARES};
use nnue_compiler::network::file::Axis;
use nnue_compiler::network::{
    Network, Op, Pooling, ProductRounding, Transformer, TransformerActivation as Activation, Units,
};
use serde::Serialize;

/// A fact about a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What it is about, as a person would ask for it.
    pub name: &'static str,
    /// The key of the spec that says it.
    pub key: &'static str,
    /// What the guess says.
    pub value: String,
    /// Whether a file can tell it, through its size or its weights.
    #[serde(skip)]
    pub told: bool,
}

impl Fact {
    fn told(name: &'static str, key: &'static str, value: impl ToString) -> Fact {
        Fact {
            name,
            key,
            value: value.to_string(),
            told: true,
        }
    }

    fn untold(name: &'static str, key: &'static str, value: impl ToString) -> Fact {
        Fact {
            told: false,
            ..Fact::told(name, key, value)
        }
    }

    /// What the guess says, in lines: king buckets as a board, the eighth rank first.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let words: Vec<&str> = self.value.split(' ').collect();
        if self.key != "king_buckets" || words.len() != SQUARES {
            return vec![self.value.clone()];
        }
        let ranks = words.chunks(8).rev();
        let ranks = ranks.map(|rank| {
            let rank: Vec<String> = rank.iter().map(|bucket| format!("{bucket:>2}")).collect();
            rank.join(" ")
        });
        ranks.collect()
    }
}

/// The facts of a network. Those that cannot be told from any file come last.
#[must_use]
pub fn facts(network: &Network) -> Vec<Fact> {
    let mut facts = of_transformer(network);
    facts.extend(of_layers(network));
    facts.extend(untold(network));
    facts
}

fn of_transformer(network: &Network) -> Vec<Fact> {
    let transformer = &network.transformer;
    let sets = network.features.iter().map(|set| set.name.as_str());
    let sets: Vec<&str> = sets.collect();
    let mut facts = vec![
        Fact::told("the feature sets", "set", sets.join(" + ")),
        Fact::told("the number of neurons", "width", transformer.width),
    ];
    if let Some((_, parameters)) = piece_square(network) {
        let mirror = parameters.mirror;
        facts.push(Fact::told(
            "whether the board is mirrored",
            "mirror",
            mirror,
        ));
        if parameters.own_kings_buckets() > 1 {
            let buckets = buckets(parameters);
            let name = "the buckets of the king's squares";
            facts.push(Fact::told(name, "king_buckets", buckets));
        }
        let mut order = format!("{}, flip {}", parameters.piece_order, parameters.flip);
        if parameters.first_square != Parameters::unbucketed().first_square {
            order += &format!(", squares from {}", parameters.first_square);
        }
        let name = "the order of pieces and squares";
        facts.push(Fact::told(name, "piece_order", order));
    }
    let name = "what becomes of the transformer's neurons";
    facts.push(Fact::told(name, "activation", neurons(transformer)));
    let order = transformer.perspectives.order;
    facts.push(Fact::told("which perspective comes first", "order", order));
    facts
}

fn of_layers(network: &Network) -> Vec<Fact> {
    let layers = network.layers.iter().map(|layer| match &layer.op {
        Op::Affine(_) => layer.output.len.to_string(),
        Op::Elementwise(function) => function.words(),
    });
    // Files of floating point do not tell what becomes of it.
    let affine = network.layers.iter().filter_map(|layer| layer.affine());
    let types = affine.map(|affine| affine.weights.to_string());
    let types = types.collect::<Vec<_>>().join(", ");
    let order = "the order of the layers' weights in the file";
    vec![
        Fact::told("the layers", "layer", layers.collect::<Vec<_>>().join(", ")),
        Fact::told("the types of the layers' weights", "weights", types),
        Fact::told(
            "the number of output buckets",
            "count",
            network.stacks.count,
        ),
        Fact::told(order, "transposed", orders(network)),
    ]
}

/// The facts that no file tells.
fn untold(network: &Network) -> Vec<Fact> {
    let mut facts = Vec::new();
    if network.stacks.count > 1 {
        let select = match network.stacks.by_pieces {
            Some(table) => {
                let buckets: Vec<String> = table.iter().map(u8::to_string).collect();
                format!("by the number of pieces: {}", buckets.join(" "))
            }
            None => "by the engine".into(),
        };
        let name = "which output bucket a position uses";
        facts.push(Fact::untold(name, "select", select));
    }
    let one = network.transformer.one;
    facts.push(Fact::untold(
        "QA: what 1.0 is in the accumulator",
        "one",
        one,
    ));
    let layers = network.layers.iter();
    let ones = layers.filter(|layer| layer.affine().is_some());
    let ones = ones.map(|layer| match layer.weights_one() {
        Some((of, by)) if of % by == 0 => (of / by).to_string(),
        Some((of, by)) => format!("{of} / {by}"),
        None => "1".into(),
    });
    let ones = ones.collect::<Vec<_>>().join(", ");
    let name = "QB: what 1.0 is in the layers' weights";
    facts.push(Fact::untold(name, "weights_one", ones));
    let units = match network.output.units {
        Units::Integer(ratio) | Units::Wide(ratio) => {
            format!("{} / {}", ratio.numerator, ratio.denominator)
        }
        Units::Float { factor } => factor.to_string(),
    };
    facts.push(Fact::untold("the scale of the evaluation", "scale", units));
    facts
}

/// The first set that has a row for each piece, behind the number of its first row.
pub(crate) fn piece_square(network: &Network) -> Option<(usize, &Parameters)> {
    let mut first = 0;
    for set in &network.features {
        if let Family::PieceSquare(parameters) = &set.family {
            return Some((first, &**parameters));
        }
        first += set.rows;
    }
    None
}

/// The activation and the pooling of the transformer.
fn neurons(transformer: &Transformer) -> String {
    let shifted = |name: &str, shift: u32| match shift {
        0 => name.to_string(),
        shift => format!("{name}, shift {shift}"),
    };
    let activation = match transformer.activation {
        Activation::None => "none".into(),
        Activation::Crelu { limit } if limit == transformer.one => "crelu".into(),
        Activation::Crelu { limit } => format!("crelu, limit {limit}"),
        Activation::Screlu { shift, rounding } => match rounding {
            ProductRounding::Floor => shifted("screlu", shift),
            ProductRounding::Nearest => format!("{}, rounded", shifted("screlu", shift)),
        },
        Activation::Relu { shift, limit } => format!("{}, limit {limit}", shifted("relu", shift)),
        Activation::Quantmoid4 => "quantmoid4".into(),
    };
    match transformer.pooling {
        Pooling::None => activation,
        Pooling::Product { shift, .. } => {
            format!("{activation}, pooling product, product_shift {shift}")
        }
        Pooling::Average => format!("{activation}, pooling average"),
        Pooling::Max => format!("{activation}, pooling max"),
    }
}

fn buckets(parameters: &Parameters) -> String {
    let buckets = parameters.king_buckets.iter().map(u8::to_string);
    buckets.collect::<Vec<String>>().join(" ")
}

/// The order of the axes of the layers' tensors of weights, and of the transformer's if they are not
/// row by row.
fn orders(network: &Network) -> String {
    let sections = network.file.all_sections(network.stacks.count);
    let orders = sections.filter_map(|(_, section)| {
        let tensor = section.as_tensor()?;
        let axes = tensor.axes();
        let is_usual = matches!(axes.first(), Some((part, _)) if part.axis == Axis::Feature);
        if tensor.role.layer().is_none() && (is_usual || axes.len() < 2) {
            return None;
        }
        let axes = axes.iter().filter(|(_, len)| *len > 1);
        let axes: Vec<String> = axes.map(|(part, _)| part.axis.to_string()).collect();
        (!axes.is_empty()).then(|| axes.join(" "))
    });
    orders.collect::<Vec<String>>().join(", ")
}
