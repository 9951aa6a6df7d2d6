//! The tensors of a net file as plain numbers.

use nnue_compiler::format::{Element, Form, Numbers, Tensor};

use crate::Failure;
use crate::net_file::NetFile;

/// A tensor of a file, those of all stacks together.
pub(crate) struct Values {
    /// Its name, as in `fc_0.weights`.
    pub(crate) name: String,
    /// The type of the numbers, as the network has them.
    pub(crate) element: Element,
    /// The numbers as the network has them: quantised, and divided where integers become floating
    /// point. Stack by stack, row by row, without padding.
    pub(crate) numbers: Vec<f64>,
}

/// All tensors, in the order of the file.
pub(crate) fn of_file(file: &NetFile) -> Result<Vec<Values>, Failure> {
    let parts = nnue_compiler::format::split(&file.layout, &file.bytes).map_err(Failure::work)?;
    let mut tensors: Vec<Values> = Vec::new();
    for numbers in parts.numbers().map_err(Failure::work)? {
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

/// The type that holds a tensor's numbers: that of memory, or of the file where memory has another
/// form.
fn element(tensor: &Tensor) -> Element {
    match (tensor.stored.quantise, tensor.placed.form) {
        (Some(quantise), _) => quantise.element,
        (None, Form::Bits) => tensor.stored.element,
        (None, _) => match tensor.stored.element.is_float() {
            true => Element::F32,
            false if tensor.placed.element.is_float() => Element::F32,
            false => tensor.stored.element,
        },
    }
}

/// The numbers of a tensor as the network has them.
fn of_tensor<'a>(numbers: &'a Numbers<'a>) -> impl Iterator<Item = f64> + 'a {
    let stored = numbers.tensor.stored;
    as_stored(numbers).map(move |number| match stored.quantise {
        None => number / stored.divisor,
        Some(quantise) => {
            let integer = quantise.apply(number);
            match quantise.element.limits() {
                Some((low, high)) => integer.clamp(low.into(), high.into()),
                None => integer,
            }
        }
    })
}

/// The numbers of a tensor as the file has them, row by row, without padding.
pub(crate) fn as_stored<'a>(numbers: &'a Numbers<'a>) -> impl Iterator<Item = f64> + 'a {
    let [buckets, rows, _] = numbers.tensor.shape;
    // All buckets read the same values of a tensor that they share.
    let is_shared = numbers.tensor.stored.strides[0] == 0;
    let buckets = if is_shared { 1 } else { buckets };
    let places = (0..buckets).flat_map(move |bucket| (0..rows).map(move |row| (bucket, row)));
    places.flat_map(|(bucket, row)| numbers.row(bucket, row))
}
