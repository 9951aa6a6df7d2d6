//! From bullet's order of the values of a parameter to the order of the net file.

use nnue_compiler::network::Network;
use nnue_compiler::network::file::{Axis, Part, Role, Tensor};

/// The order of a tensor's values in a file, by its axes there.
pub(super) struct Arrangement {
    /// The axes from the outermost to the innermost: the length of each, and the distance of its
    /// values in bullet's order.
    axes: Vec<(usize, usize)>,
    /// The number of values of a stack, if the file has the tensor stack by stack.
    of_stack: Option<usize>,
    /// The number of rows of bullet's matrix, if it has several columns.
    rows: Option<usize>,
    /// The length of the file's innermost axis, without its padding and with it.
    padding: [usize; 2],
}

impl Arrangement {
    pub(super) fn of(network: &Network, tensor: &Tensor, of_a_stack: bool) -> Arrangement {
        let of_file = tensor.axes();
        let axes = of_file.iter().map(|(axis, len)| {
            let step = step(network, tensor.role, axis.axis);
            match axis.part {
                Part::Blocks(places) => (*len, step * places),
                Part::Whole | Part::Places(_) => (*len, step),
            }
        });
        let mut axes: Vec<(usize, usize)> = axes.collect();
        merge(&mut axes);
        let [stacks, outputs] = outputs(network, tensor.role);
        let is_matrix = tensor.role.matrix().is_some() && tensor.shape[2] > 1;
        Arrangement {
            axes,
            of_stack: (of_a_stack && network.stacks.count > 1).then_some(outputs),
            rows: is_matrix.then_some(stacks * outputs),
            padding: [of_file.last().map_or(1, |(_, len)| *len), tensor.padded()],
        }
    }

    /// The number of values in the file; of a single stack if the file has the tensor stack by
    /// stack.
    pub(super) fn values(&self) -> usize {
        let values: usize = self.axes.iter().map(|(len, _)| len).product();
        let [len, padded] = self.padding;
        values / len * padded
    }

    /// The methods that bring bullet's values into this order.
    pub(super) fn calls(&self) -> Vec<String> {
        let order = match (&self.axes[..], self.of_stack) {
            ([(_, 1)] | [], None) => None,
            ([(_, 1), (_, rows)], None) if self.rows == Some(*rows) => Some(".transpose()".into()),
            (axes, None) => Some(format!(
                ".transform(|_, weights| arranged(&weights, &{axes:?}))"
            )),
            (axes, Some(outputs)) => {
                let first = match outputs {
                    1 => "stack".into(),
                    _ => format!("{outputs} * stack"),
                };
                Some(format!(
                    ".transform(move |_, weights| arranged(&weights[{first}..], &{axes:?}))"
                ))
            }
        };
        let [len, padded] = self.padding;
        let zeros = (padded > len)
            .then(|| format!(".transform(|_, weights| padded(weights, {len}, {padded}))"));
        order.into_iter().chain(zeros).collect()
    }
}

/// Merges neighbouring axes that are steps of the same length through the values.
fn merge(axes: &mut Vec<(usize, usize)>) {
    axes.retain(|(len, _)| *len > 1);
    let mut index = 1;
    while index < axes.len() {
        let ((outer, outer_step), (len, step)) = (axes[index - 1], axes[index]);
        if outer_step == len * step {
            axes[index - 1] = (outer * len, step);
            axes.remove(index);
        } else {
            index += 1;
        }
    }
}

/// The distance of two neighbouring values on an axis. bullet stores matrices column by column:
/// `[feature][neuron]`, and in layers `[input][stack][output]`.
fn step(network: &Network, role: Role, axis: Axis) -> usize {
    let [stacks, outputs] = outputs(network, role);
    match (role, axis) {
        (Role::Weights(_), Axis::Feature) => network.transformer.width,
        (Role::Psqt(_), Axis::Feature) => network.transformer.psqt,
        (Role::Weights(_) | Role::Biases(_) | Role::Psqt(_), _) => 1,
        (_, Axis::Input) => stacks * outputs,
        (_, Axis::Stack) => outputs,
        _ => 1,
    }
}

/// The number of stacks that a tensor of a layer has, and the number of outputs.
fn outputs(network: &Network, role: Role) -> [usize; 2] {
    let Some(layer) = role.layer().map(|layer| &network.layers[layer]) else {
        return [1, 1];
    };
    let is_shared = layer.shared || role.is_shared_summand();
    let stacks = if is_shared { 1 } else { network.stacks.count };
    [stacks, layer.output.len]
}
