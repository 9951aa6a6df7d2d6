//! Files of floating point that become files of integers. Each has a network of its own, which
//! differs from the network of the integers only in its file.

use nnue_compiler::description::ones;
use nnue_compiler::format::{
    Element, Encoding, Format, Overflow, Quantise, Rounding, Section, Tail,
};
use nnue_compiler::network::Network;
use nnue_compiler::network::file::{Role, Tensor};

use super::channels;
use crate::nets::conversion::is_factorised;
use crate::nets::tensors::are_integers;
use crate::quantise::Error;

/// The network of a file of floating point. If the spec's file has floating point that becomes
/// integers, this is the file, and `to` has the file of integers. Otherwise the file has the
/// tensors of the spec's file as `f32`, in their order and with their padding, and nothing else. In
/// both cases, numbers that are too large become the nearest number that fits.
///
/// # Errors
///
/// There is no file of integers, or the integer for 1.0 in some tensor is not known.
pub(super) fn network(spec: &Network, to: Option<&Network>) -> Result<Network, Error> {
    let is_own = is_own(spec);
    let integers = match to {
        Some(to) => to,
        None if is_own => return Err(Error::NoIntegers("floating point")),
        None if is_factorised(spec) => {
            return Err(Error::NoIntegers(
                "virtual rows or weights that stacks share, which are added before sums are rounded",
            ));
        }
        None => spec,
    };
    let mut source = spec.clone();
    let change = |section: &mut Section<Tensor>| -> Result<(), Error> {
        if let Section::Tensor(tensor) = section {
            if is_own {
                clamp(tensor, integers)
            } else {
                make_float(tensor, spec, integers)?
            }
        }
        Ok(())
    };
    let file = &mut source.file;
    if !is_own {
        file.format = Format::Sequence;
        file.tail = Tail::NONE;
        let groups = file.stack_groups.iter_mut();
        for sections in groups.chain([&mut file.sections]) {
            sections.retain(|section| section.as_tensor().is_some());
        }
    }
    let groups = file.stack_groups.iter_mut();
    for section in groups.chain([&mut file.sections]).flatten() {
        change(section)?;
    }
    Ok(source)
}

/// Whether the spec's file has floating point that becomes integers while it is loaded.
pub(super) fn is_own(spec: &Network) -> bool {
    spec.file
        .tensors()
        .any(|tensor| tensor.stored.quantise.is_some())
}

/// Lets the tensor's finite numbers become the nearest integers that the file of integers can hold.
fn clamp(tensor: &mut Tensor, integers: &Network) {
    if let Some(quantise) = &mut tensor.stored.quantise {
        quantise.overflow = Overflow::Clamp;
        if let Some(element) = element_of(integers, tensor.role) {
            quantise.element = element;
        }
    }
}

/// Changes the tensor's type in the file to `f32`.
fn make_float(tensor: &mut Tensor, spec: &Network, integers: &Network) -> Result<(), Error> {
    if !tensor.stored.element.is_float() && are_integers(spec, tensor.role) {
        let in_units = || channels::ones(spec, tensor.role).map(|_| 1.0);
        let Some(factor) = ones::of_tensor(spec, tensor).or_else(in_units) else {
            return Err(Error::UnknownOne(tensor.name.to_string()));
        };
        tensor.stored.quantise = Some(Quantise {
            factor: factor / f64::from(tensor.stored.times),
            rounding: Rounding::Nearest,
            overflow: Overflow::Clamp,
            element: element_of(integers, tensor.role).unwrap_or(tensor.stored.element),
        });
    }
    tensor.stored.element = Element::F32;
    tensor.stored.encoding = Encoding::Raw;
    tensor.stored.divisor = None;
    Ok(())
}

/// The integer type of a tensor in a file, or of the tensor's first row.
fn element_of(network: &Network, role: Role) -> Option<Element> {
    let has_row =
        |tensor: &Tensor, first: usize, row: usize| (first..first + tensor.shape[1]).contains(&row);
    let tensor = network
        .file
        .tensors()
        .find(|tensor| match (tensor.role, role) {
            (Role::Weights(first), Role::Weights(row)) | (Role::Psqt(first), Role::Psqt(row)) => {
                has_row(tensor, first, row)
            }
            (own, role) => own == role,
        })?;
    (!tensor.stored.element.is_float()).then_some(tensor.stored.element)
}
