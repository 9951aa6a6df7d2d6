//! The tensors of a net file as plain numbers.

use nnue_compiler::format::{Element, Form, Numbers, Tensor};
use nnue_compiler::network::file::{self, Role};
use nnue_compiler::network::{Network, WeightType};
use nnue_interpreter::NumberPlace;

use crate::nets::Error;
use crate::nets::net_file::NetFile;

/// The numbers of a file's tensor, for all stacks.
#[derive(Clone, Debug)]
pub struct Values {
    /// The name of the tensor, such as `fc_0.weights`.
    pub name: String,
    /// The type of the numbers in the network.
    pub element: Element,
    /// The numbers as the network has them: quantised, or divided if integers become floating
    /// point. Their order is by stack, row and column, without padding.
    pub numbers: Vec<f64>,
}

/// The values of all tensors, in the order of the file.
///
/// # Errors
///
/// [`Error::Load`] if weights cannot be loaded.
pub fn of_file(file: &NetFile) -> Result<Vec<Values>, Error> {
    let parts = nnue_compiler::format::split(&file.layout, &file.bytes)?;
    let mut tensors: Vec<Values> = Vec::new();
    for numbers in parts.numbers()? {
        let name = &numbers.tensor.name;
        let known = tensors.iter().position(|own| own.name == **name);
        let index = known.unwrap_or_else(|| {
            tensors.push(Values {
                name: name.to_string(),
                element: element(numbers.tensor),
                numbers: Vec::new(),
            });
            tensors.len() - 1
        });
        tensors[index].numbers.extend(of_tensor(&numbers));
    }
    Ok(tensors)
}

/// The type of a tensor's numbers: that in memory, or that in the file if memory has another form.
fn element(tensor: &Tensor) -> Element {
    match (tensor.stored.quantise, tensor.placed.form) {
        (Some(quantise), _) => quantise.element,
        (None, Form::Bits) => tensor.stored.element,
        (None, _) => match tensor.stored.element.is_float() {
            true => Element::F32,
            false if tensor.placed.element.is_float() => Element::F32,
            false if tensor.stored.times > 1 => tensor.placed.element,
            false => tensor.stored.element,
        },
    }
}

/// The numbers of a tensor, as the network has them.
fn of_tensor<'a>(numbers: &'a Numbers<'a>) -> impl Iterator<Item = f64> + 'a {
    let stored = numbers.tensor.stored;
    as_stored(numbers).map(move |number| {
        let of_file = match stored.quantise {
            None => number / stored.divisor.unwrap_or(1.0),
            Some(quantise) => {
                let integer = quantise.apply(number);
                match quantise.element.limits() {
                    Some((low, high)) => integer.clamp(low.into(), high.into()),
                    None => integer,
                }
            }
        };
        of_file * f64::from(stored.times)
    })
}

/// The numbers of a tensor, as the file has them: row by row, without padding.
pub fn as_stored<'a>(numbers: &'a Numbers<'a>) -> impl Iterator<Item = f64> + 'a {
    let [buckets, rows, _] = numbers.tensor.shape;
    // All stacks read the same numbers of a shared tensor.
    let is_shared = numbers.tensor.stored.strides[0] == 0;
    let buckets = if is_shared { 1 } else { buckets };
    let places = (0..buckets).flat_map(move |bucket| (0..rows).map(move |row| (bucket, row)));
    places.flat_map(|(bucket, row)| numbers.row(bucket, row))
}

/// Whether the network has a tensor as integers, not as floating point or signs.
pub fn are_integers(network: &Network, role: Role) -> bool {
    let Some(layer) = role.layer().map(|layer| &network.layers[layer]) else {
        return true;
    };
    let weights = layer.affine().map(|affine| affine.weights);
    match role {
        Role::LayerWeights(_) | Role::SharedWeights(_) => {
            !matches!(weights, Some(WeightType::F32 | WeightType::Binary))
        }
        Role::LayerFactors(_) => {
            let factors = layer.factors();
            factors.is_some_and(|(_, element)| !element.is_float())
        }
        _ => !layer.output.element.is_float(),
    }
}

/// The numbers of stacks, rows and columns of a tensor in the network. Rows are features or
/// outputs; columns are neurons, PSQT values or inputs. Biases and factors have a single row.
pub fn shape(network: &Network, tensor: &file::Tensor) -> [usize; 3] {
    let layer = tensor.role.layer().map(|layer| &network.layers[layer]);
    let stacks = match layer {
        Some(layer) if !layer.shared && !tensor.role.is_shared_summand() => network.stacks.count,
        _ => 1,
    };
    let [_, rows, columns] = tensor.shape;
    [stacks, rows, columns]
}

/// The places of a tensor's numbers: stack by stack, row by row.
pub fn places(
    network: &Network,
    tensor: &file::Tensor,
) -> impl Iterator<Item = NumberPlace> + use<> {
    let role = tensor.role;
    let of_all_stacks = file::Tensor {
        shape: shape(network, tensor),
        ..tensor.clone()
    };
    let places = of_all_stacks.places();
    places.map(move |[stack, row, column]| NumberPlace {
        role,
        stack,
        row,
        column,
    })
}
