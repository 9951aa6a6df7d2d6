//! Tensors of loaded weights, by their names and with the numbers of the file.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use crate::placed::Bucket;
use crate::{Element, FileLayout, Loaded, Section, Stored, Tensor, coalesce, paired, store};

/// A tensor of loaded weights, to be read: buckets of rows of columns, whatever order file and
/// memory have them in.
///
/// For the weights of a layer, rows are outputs and columns are inputs. The transformer's weights
/// have a row for each feature and a column for each neuron. A bucket is a stack of layers; tensors
/// that are there once have a single bucket. Tensors that the network does not use are rows of
/// columns, or a single row.
///
/// All numbers are `f64`, which holds every number that a file may have: integers of 32 bits and
/// `f32`.
#[derive(Clone)]
pub struct TensorView<'a> {
    layout: &'a FileLayout,
    name: &'a str,
    /// The numbers of buckets, rows and columns in a stack.
    shape: [usize; 3],
    stored: Stored,
    /// The number of stacks in which the tensor is, and the number of bytes between two of them.
    stacks: usize,
    stride: usize,
    packed: &'a [usize],
    weights: &'a [u8],
    values: Values<'a>,
}

#[derive(Clone)]
enum Values<'a> {
    InMemory(&'a Tensor),
    /// The values as the file has them, stack by stack, where those in memory are sums or where
    /// memory has none.
    OfFile(Cow<'a, [u8]>),
}

/// All tensors of weights that were loaded for the level with the packed order `packed`, in the
/// order of the layout. Tensors that are repeated for every stack come once. `loaded` has those
/// that the network does not use.
///
/// # Panics
///
/// If `weights` is shorter than the layout says.
pub fn tensors<'a>(
    layout: &'a FileLayout,
    packed: &'a [usize],
    weights: &'a [u8],
    loaded: &'a Loaded,
) -> impl Iterator<Item = TensorView<'a>> {
    let places = places(layout).into_iter();
    places.filter_map(move |place| TensorView::new(layout, packed, weights, loaded, place))
}

/// The tensor of [`tensors`] that has a name.
///
/// # Panics
///
/// If `weights` is shorter than the layout says.
pub fn tensor<'a>(
    layout: &'a FileLayout,
    packed: &'a [usize],
    weights: &'a [u8],
    loaded: &'a Loaded,
    name: &str,
) -> Option<TensorView<'a>> {
    for place in places(layout) {
        if place.section.name() == name
            && let Some(view) = TensorView::new(layout, packed, weights, loaded, place)
        {
            return Some(view);
        }
    }
    None
}

/// A section, and where its values are.
struct InStacks<'a> {
    section: &'a Section,
    /// The number of stacks that have it, and the number of bytes from a stack to the next.
    stacks: usize,
    stride: usize,
    /// The offset in [`Loaded::skipped`] of values that the network does not use.
    skipped: usize,
}

fn places(layout: &FileLayout) -> Vec<InStacks<'_>> {
    let mut places = Vec::new();
    let mut skipped = 0;
    for section in layout.sections.iter() {
        places.push(InStacks {
            section,
            stacks: 1,
            stride: 0,
            skipped,
        });
        skipped += section.skipped_len();
    }
    for section in layout.stacks.groups.iter().flat_map(|group| group.iter()) {
        places.push(InStacks {
            section,
            stacks: layout.stacks.count,
            stride: layout.stacks.stride,
            skipped,
        });
    }
    places
}

impl<'a> TensorView<'a> {
    /// The view of a section; `None` if it is no tensor.
    fn new(
        layout: &'a FileLayout,
        packed: &'a [usize],
        weights: &'a [u8],
        loaded: &'a Loaded,
        place: InStacks<'a>,
    ) -> Option<TensorView<'a>> {
        let InStacks {
            section,
            stacks,
            stride,
            skipped,
        } = place;
        let (name, shape, stored, values) = match section {
            Section::Kept {
                name,
                element,
                shape: [rows, columns],
            } => {
                let stored = Stored::new(*element, [0, *columns, 1], rows * columns);
                let bytes = loaded.skipped.get(skipped..)?.get(..stored.raw_len())?;
                let values = Values::OfFile(Cow::Borrowed(bytes));
                (name, [1, *rows, *columns], stored, values)
            }
            Section::Tensor(tensor) => {
                let mut values = Values::InMemory(tensor);
                if coalesce::has_sums(layout, tensor) {
                    let weights = store::without_additions(layout, weights);
                    let mut bytes = Vec::new();
                    for base in (0..stacks).map(|stack| stack * stride) {
                        bytes.extend(store::of_file(layout, tensor, base, packed, &weights));
                    }
                    values = Values::OfFile(Cow::Owned(bytes));
                }
                (&tensor.name, tensor.shape, tensor.stored, values)
            }
            _ => return None,
        };
        Some(TensorView {
            layout,
            name,
            shape,
            stored,
            stacks,
            stride,
            packed,
            weights,
            values,
        })
    }

    /// The tensor's name, as in messages: `transformer.weights`.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The numbers of buckets, rows and columns.
    #[must_use]
    pub fn shape(&self) -> [usize; 3] {
        let [buckets, rows, columns] = self.shape;
        [self.stacks * buckets, rows, columns]
    }

    /// The type of the values in the file.
    #[must_use]
    pub fn element(&self) -> Element {
        self.stored.element
    }

    /// The number that the file has for a bucket, row and column; `None` if the tensor has no such
    /// place.
    ///
    /// Where the file has `f32` that became integers, and where it has weights that became signs,
    /// it is a number that becomes the same integer or sign: the number that is written to a file.
    #[must_use]
    pub fn get(&self, place: [usize; 3]) -> Option<f64> {
        let mut axes = place.iter().zip(self.shape());
        axes.all(|(index, len)| *index < len)
            .then(|| self.value(place))
    }

    /// All numbers: row by row, bucket by bucket.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        let [buckets, rows, columns] = self.shape();
        let rows = (0..buckets).flat_map(move |bucket| (0..rows).map(move |row| (bucket, row)));
        rows.flat_map(move |(bucket, row)| {
            (0..columns).map(move |column| self.value([bucket, row, column]))
        })
    }

    /// The number at a place that the tensor has.
    fn value(&self, [bucket, row, column]: [usize; 3]) -> f64 {
        let buckets = self.shape[0];
        let (stack, bucket) = (bucket / buckets, bucket % buckets);
        let tensor = match &self.values {
            Values::InMemory(tensor) => tensor,
            Values::OfFile(values) => {
                let (index, len) = (
                    self.stored.index([bucket, row, column]),
                    self.stored.raw_len(),
                );
                return self.stored.read(&values[stack * len..][..len], index);
            }
        };
        let (placed, base) = (&tensor.placed, stack * self.stride);
        let slot = placed.slot(column, self.packed);
        let place = base + bucket * placed.stride + placed.offset + placed.index(row, slot);
        let is_of_bytes = placed.element == Element::I8;
        let paired = is_of_bytes.then(|| paired::value(&self.layout.paired, self.weights, place));
        let value = match paired.flatten() {
            Some(value) => f64::from(value),
            None => Bucket::of(placed, self.weights, base, bucket).get(row, slot),
        };
        let stored = tensor.to_stored(value);
        // The type of the file may round it.
        tensor.stored.element.nearest(stored)[0]
    }
}

impl fmt::Debug for TensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorView")
            .field("name", &self.name())
            .field("shape", &self.shape())
            .field("element", &self.element())
            .finish_non_exhaustive()
    }
}
