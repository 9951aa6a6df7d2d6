//! A network with its weights as an ONNX model: a graph of operators whose results are the integers
//! of the network, bit by bit.

mod graph;
mod layers;
mod messages;
mod output;
mod transformer;

use nnue_compiler::network::{Network, Slice, Source};
use nnue_interpreter::Net;
use prost::Message;

use self::graph::{Builder, Value};
use self::messages::{
    DataType, Dimension, Model, OperatorSet, TensorShape, TensorType, ValueInfo, ValueType,
};

/// The input with the numbers of active rows: positions, perspectives, rows.
const ROWS: &str = "rows";

/// The input with the number of each position's stack.
const STACK: &str = "stack";

/// A graph under construction, and the tensors of the network that it has so far. Each tensor has
/// an axis of positions and an axis of values.
struct Export<'a> {
    net: &'a Net,
    builder: Builder,
    transformer: Value,
    unpooled: Option<Value>,
    psqt: Option<Value>,
    /// The outputs of the layers, in the order of the network.
    layers: Vec<Value>,
}

impl Export<'_> {
    fn network(&self) -> &Network {
        self.net.network()
    }

    /// The tensor with the values of a slice.
    fn slice(&mut self, slice: Slice) -> Value {
        let tensor = match slice.source {
            Source::Transformer => Some(&self.transformer),
            Source::Unpooled => self.unpooled.as_ref(),
            Source::Psqt => self.psqt.as_ref(),
            Source::Layer(index) => self.layers.get(index),
        };
        let tensor = tensor.cloned();
        let tensor = tensor.unwrap_or_else(|| unreachable!("layers read only what there is"));
        if slice.len == self.network().tensor(slice.source).len {
            tensor
        } else {
            self.builder.slice(&tensor, 2, slice.start, slice.len)
        }
    }

    /// The stack of each position; `None` if the network has a single stack.
    fn stack(&self) -> Option<Value> {
        (self.network().stacks.count > 1).then(|| Value(STACK.into()))
    }
}

/// The reason for which a network has no model, as words that follow "because".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(String);

impl From<String> for Unsupported {
    fn from(what: String) -> Unsupported {
        Unsupported(what)
    }
}

/// The bytes of a model.
///
/// All inputs are `i64`: `rows` has the axes positions, perspectives and active rows; `stack` has
/// an axis of positions, and is there if the network has several stacks. All outputs are `i32` with
/// a number for each position: `value`, `positional`, and `psqt` if there are PSQT values. Networks
/// with the heads win, draw and loss have `win.value` and the like, and further heads are
/// `heads.NAME`.
///
/// # Errors
///
/// [`Unsupported`] for networks with floating point, and for networks with separate weights for
/// white and black.
pub fn export(net: &Net) -> Result<Vec<u8>, Unsupported> {
    let network = net.network();
    let mut builder = Builder::default();
    let sums = transformer::sums(net, &mut builder)?;
    let mut export = Export {
        net,
        builder,
        transformer: sums.output,
        unpooled: sums.unpooled,
        psqt: sums.psqt_of_layers,
        layers: Vec::new(),
    };
    for index in 0..network.layers.len() {
        let layer = layers::compute(&mut export, index)?;
        export.layers.push(layer);
    }
    let outputs = output::heads(&mut export, sums.psqt)?;
    let mut graph = export.builder.graph;
    graph.name = Some(network.name.clone());
    graph.input = inputs(network);
    graph.output = outputs
        .into_iter()
        .map(|Value(name)| described(&name, DataType::I32, vec![positions()], None))
        .collect();
    let model = Model {
        ir_version: Some(messages::FORMAT),
        producer_name: Some("nnue".into()),
        producer_version: Some(env!("CARGO_PKG_VERSION").into()),
        doc_string: Some(format!("The NNUE network {}, in integers.", network.name)),
        graph: Some(graph),
        opset_import: vec![OperatorSet {
            domain: Some(String::new()),
            version: Some(messages::OPERATORS),
        }],
    };
    Ok(model.encode_to_vec())
}

fn inputs(network: &Network) -> Vec<ValueInfo> {
    let padding = network.feature_count();
    let rows = format!(
        "The active rows of each perspective, in the order in which the layers see them. Row \
         {padding} has only zeros and fills the axis up."
    );
    let perspectives = Dimension::known(network.transformer.perspectives.count as i64);
    let axes = vec![positions(), perspectives, Dimension::named("active")];
    let mut inputs = vec![described(ROWS, DataType::I64, axes, Some(rows))];
    if network.stacks.count > 1 {
        let last = network.stacks.count - 1;
        let stack = format!("The stack of layers that each position uses: 0 to {last}.");
        inputs.push(described(
            STACK,
            DataType::I64,
            vec![positions()],
            Some(stack),
        ));
    }
    inputs
}

fn positions() -> Dimension {
    Dimension::named("positions")
}

fn described(
    name: &str,
    element: DataType,
    axes: Vec<Dimension>,
    doc_string: Option<String>,
) -> ValueInfo {
    let shape = TensorShape { dim: axes };
    ValueInfo {
        name: Some(name.into()),
        r#type: Some(ValueType {
            tensor_type: Some(TensorType {
                elem_type: Some(element as i32),
                shape: Some(shape),
            }),
        }),
        doc_string,
    }
}

#[cfg(test)]
mod tests {
    use nnue_compiler::operation::test_operation;
    use nnue_test_support::net_file::random_net_file;

    use super::*;

    #[test]
    fn an_operation_that_is_not_known_is_refused_by_name() {
        let (_, network) = test_operation::network();
        let file = random_net_file(&network, 1);
        let net = Net::from_bytes(&network, &file).expect("it is a net file");
        let error = export(&net).expect_err("nobody translated it");
        let expected =
            "`ac_0` has the operation `test_operation`, which has no translation to ONNX";
        assert_eq!(error.to_string(), expected);
    }
}
