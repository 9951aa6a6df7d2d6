//! The function that builds the network's graph.

mod layers;
mod transformer;

use nnue_compiler::network::{Head, Network, PSQT, Slice, Source, TRANSFORMER, UNPOOLED};

use super::multiplier::{is_one, literal};
use super::parameters::Parameters;

pub(super) use layers::unknown_operation;

/// The beginning of each line in a function.
const INDENT: &str = "    ";

/// The statements of the function so far.
struct Graph<'n> {
    parameters: &'n Parameters<'n>,
    network: &'n Network,
    lines: Vec<String>,
}

/// The text of the function.
pub(super) fn function(parameters: &Parameters<'_>) -> String {
    let network = parameters.network;
    let mut graph = Graph {
        parameters,
        network,
        lines: Vec::new(),
    };
    let psqt = transformer::write(&mut graph);
    for (index, layer) in network.layers.iter().enumerate() {
        layers::write(&mut graph, index, layer);
    }
    graph.comment(
        "From the layers to the output, in which 1.0 is `EVAL_SCALE` of the engine's units.",
    );
    let output = graph.output(psqt);
    graph.lines.push(format!("{INDENT}{output}"));
    let nodes = [
        ("stm", true),
        ("ntm", network.transformer.perspectives.count == 2),
        ("stack", network.stacks.count > 1),
    ];
    let nodes = nodes.into_iter().filter(|(_, is_there)| *is_there);
    let nodes = nodes.map(|(name, _)| format!("{name}: ModelNode<'a>"));
    let arguments: Vec<String> = std::iter::once("builder: &'a ModelBuilder".to_string())
        .chain(nodes)
        .collect();
    let one_line = format!(
        "fn network<'a>({}) -> ModelNode<'a> {{",
        arguments.join(", ")
    );
    let signature = if one_line.len() <= 100 {
        one_line
    } else {
        format!(
            "fn network<'a>(\n{}) -> ModelNode<'a> {{",
            arguments
                .iter()
                .map(|argument| format!("{INDENT}{argument},\n"))
                .collect::<String>()
        )
    };
    format!("{signature}\n{}\n}}\n", graph.lines.join("\n"))
}

impl Graph<'_> {
    /// Adds an empty line, and a comment about the statements that follow.
    fn comment(&mut self, text: &str) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.lines.push(format!("{INDENT}// {text}"));
    }

    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(format!("{INDENT}{}", text.into()));
    }

    fn define(&mut self, name: &str, value: &str) {
        self.line(format!("let {name} = {value};"));
    }

    /// The expression for the values of a slice.
    fn slice(&self, slice: Slice) -> String {
        let name = match slice.source {
            Source::Transformer => TRANSFORMER.to_string(),
            Source::Unpooled => UNPOOLED.to_string(),
            Source::Psqt => PSQT.to_string(),
            Source::Layer(index) => local(&self.network.layers[index].name),
        };
        if slice.len == self.network.tensor(slice.source).len {
            name
        } else {
            format!(
                "{name}.slice_rows({}, {})",
                slice.start,
                slice.start + slice.len
            )
        }
    }

    /// Defines the parameters of an affine layer as a variable. Without biases they are a matrix.
    fn define_affine(
        &mut self,
        name: &str,
        [weights, biases]: [&str; 2],
        inputs: &str,
        outputs: &str,
        inputs_len: usize,
    ) {
        let stem = weights
            .strip_suffix('w')
            .filter(|stem| biases.strip_suffix('b') == Some(stem));
        if let Some(stem) = stem {
            let value = format!("builder.new_affine({stem:?}, {inputs}, {outputs})");
            return self.define(name, &value);
        }
        let stdev = literal((2.0 / inputs_len as f64).sqrt());
        let init = format!("InitSettings::Normal {{ mean: 0.0, stdev: {stdev} }}");
        let matrix = format!("builder.new_weights({weights:?}, ({outputs}, {inputs}), {init})");
        if biases.is_empty() {
            return self.define(name, &matrix);
        }
        self.line(format!("let {name} = Affine {{"));
        self.line(format!("{INDENT}weights: {matrix},"));
        let zeroed = "InitSettings::Zeroed";
        self.line(format!(
            "{INDENT}bias: builder.new_weights({biases:?}, ({outputs}, 1), {zeroed}),"
        ));
        self.line("};");
    }

    /// The output: a single number, or the numbers of loss, draw and win in bullet's order.
    fn output(&self, has_psqt: bool) -> String {
        let heads: Vec<String> = self
            .network
            .output
            .heads
            .iter()
            .map(|head| self.sum(head))
            .collect();
        let with_psqt = |sum: &String| {
            if has_psqt {
                format!("{sum} + psqt")
            } else {
                sum.clone()
            }
        };
        match &heads[..] {
            [win, draw, loss] => concatenated(&[loss, draw, win].map(with_psqt)),
            _ => heads.iter().map(with_psqt).collect(),
        }
    }

    fn sum(&self, head: &Head) -> String {
        let mut sum = String::new();
        for (number, term) in head.terms.iter().enumerate() {
            sum += match (number, term.negative) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            sum += &self.slice(Slice {
                source: Source::Layer(term.layer),
                start: term.index,
                len: 1,
            });
        }
        sum
    }
}

/// The name of the variable with a layer's output. Names of layers never end with `_`.
fn local(name: &str) -> String {
    let is_keyword = syn::parse_str::<syn::Ident>(name).is_err();
    if is_keyword || ["builder", "stack"].contains(&name) {
        format!("{name}_")
    } else {
        name.into()
    }
}

/// An expression in a form to which a method or a factor can be applied.
fn grouped(expression: &str) -> String {
    let mut depth = 0;
    let has_operator = expression.chars().any(|letter| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0 && "+-*".contains(letter)
    });
    if has_operator {
        format!("({expression})")
    } else {
        expression.into()
    }
}

/// The concatenation of several values.
fn concatenated(values: &[String]) -> String {
    match values {
        [] => String::new(),
        [only] => only.clone(),
        [first, rest @ ..] => {
            let rest: String = rest.iter().map(|next| format!(".concat({next})")).collect();
            format!("{}{rest}", grouped(first))
        }
    }
}

/// An expression times a factor. A factor that is too near to 1 to matter is left out.
fn times(factor: f64, expression: &str) -> String {
    if is_one(factor) {
        expression.into()
    } else {
        format!("{} * {}", literal(factor), grouped(expression))
    }
}

/// `clamp(x, 0, most)`. No activation of a trained network reaches 256 times its 1.0.
fn clamped(x: &str, most: f64) -> String {
    let x = grouped(x);
    match most {
        most if (most - 1.0).abs() < 1.0 / 4096.0 => format!("{x}.crelu()"),
        most if most >= 256.0 => format!("{x}.relu()"),
        most => format!("{x}.relu().min({})", literal(most)),
    }
}

/// The sigmoid made of two parabolas. `one` is 1.0 in its result.
fn quantmoid4(x: &str, one: f64) -> String {
    // `k (1 + x)^2` below zero and `2 k - k (1 - x)^2` above it. A single formula has both, because
    // each clipped square is 1 where the other parabola counts.
    let k = literal(127.0 * 127.0 / 256.0 / one);
    format!("{k} * (1.0 + ({x} + 1.0).screlu() - (1.0 - {x}).screlu())")
}
