//! The structs of generated code that hold weights, and the places of their fields.

use super::units::ALIGNMENT;
use crate::network::Element;

/// A `repr(C)` struct without implicit padding.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// The fields in the order of memory.
    pub fields: Vec<Field>,
    /// The number of bytes, a multiple of [`ALIGNMENT`].
    pub size: usize,
}

/// An array in a [`Struct`], followed by padding up to the next multiple of [`ALIGNMENT`].
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name of the field in the generated struct.
    pub name: String,
    /// The type of the array's elements.
    pub element: FieldElement,
    /// The lengths of the array's axes, outermost first.
    pub shape: Vec<usize>,
    /// The number of bytes from the start of the struct.
    pub offset: usize,
    /// The number of bytes of the array.
    pub size: usize,
    /// The number of bytes of padding behind the array.
    pub padding: usize,
    /// The documentation of the field in the generated struct.
    pub doc: String,
}

/// The type of a field's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldElement {
    /// Numbers of this type.
    Numbers(Element),
    /// An accumulator of one perspective: [`Layout::half`](super::Layout::half).
    Half,
    /// The weights of one stack: [`Layout::stack`](super::Layout::stack).
    Stack,
}

impl From<Element> for FieldElement {
    fn from(element: Element) -> FieldElement {
        FieldElement::Numbers(element)
    }
}

/// Builds a struct by placing fields one after the other.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) fields: Vec<Field>,
    pub(super) offset: usize,
    /// The size of an accumulator.
    pub(super) half: usize,
    /// The size of a stack.
    pub(super) stack: usize,
}

impl Builder {
    /// Adds an array and returns where it lies.
    pub(super) fn field(
        &mut self,
        name: &str,
        element: impl Into<FieldElement>,
        shape: Vec<usize>,
        doc: &str,
    ) -> Field {
        let element = element.into();
        let bytes = match element {
            FieldElement::Numbers(element) => element.size(),
            FieldElement::Half => self.half,
            FieldElement::Stack => self.stack,
        };
        let size = shape.iter().product::<usize>() * bytes;
        let padding = size.next_multiple_of(ALIGNMENT) - size;
        let (name, doc, offset) = (name.to_string(), doc.to_string(), self.offset);
        let field = Field {
            name,
            element,
            shape,
            offset,
            size,
            padding,
            doc,
        };
        self.fields.push(field.clone());
        self.offset += size + padding;
        field
    }

    pub(super) fn finish(self) -> Struct {
        Struct {
            fields: self.fields,
            size: self.offset,
        }
    }
}
