//! Tensors of loaded weights, by their names and with the numbers of the file.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use crate::placed::Bucket;
use crate::{Element, FileLayout, Loaded, Section, Tensor, coalesce, paired, store};

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
    tensor: &'a Tensor,
    /// The number of stacks in which the tensor is, and the number of bytes between two of them.
    stacks: usize,
    stride: usize,
    packed: &'a [usize],
    weights: &'a [u8],
    /// The values as the file has them, stack by stack, where those in memory are sums or where
    /// memory has none.
    of_file: Option<Cow<'a, [u8]>>,
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
        if place.tensor.name == name {
            return TensorView::new(layout, packed, weights, loaded, place);
        }
    }
    None
}

/// A tensor, and where its values are.
struct InStacks<'a> {
    tensor: &'a Tensor,
    /// The number of stacks that have it, and the number of bytes from a stack to the next.
    stacks: usize,
    stride: usize,
    /// The offset in [`Loaded::skipped`] of values that the network does not use.
    kept: Option<usize>,
}

fn places(layout: &FileLayout) -> Vec<InStacks<'_>> {
    let stacks = &layout.stacks;
    let mut places = Vec::new();
    let mut skipped = 0;
    for section in layout.sections.iter() {
        let offset = skipped;
        skipped += section.skipped_len();
        let (tensor, kept) = match section {
            Section::Tensor(tensor) => (tensor, None),
            Section::Kept(tensor) => (tensor, Some(offset)),
            _ => continue,
        };
        places.push(InStacks {
            tensor,
            stacks: 1,
            stride: 0,
            kept,
        });
    }
    for group in stacks.groups.iter() {
        for section in group.iter() {
            if let Section::Tensor(tensor) = section {
                places.push(InStacks {
                    tensor,
                    stacks: stacks.count,
                    stride: stacks.stride,
                    kept: None,
                });
            }
        }
    }
    places
}

impl<'a> TensorView<'a> {
    fn new(
        layout: &'a FileLayout,
        packed: &'a [usize],
        weights: &'a [u8],
        loaded: &'a Loaded,
        place: InStacks<'a>,
    ) -> Option<TensorView<'a>> {
        let InStacks {
            tensor,
            stacks,
            stride,
            kept,
        } = place;
        let of_file = match kept {
            Some(offset) => {
                let bytes = loaded.skipped.get(offset..)?.get(..tensor.raw_len())?;
                Some(Cow::Borrowed(bytes))
            }
            None if coalesce::has_sums(layout, tensor) => {
                let weights = store::without_additions(layout, weights);
                let mut bytes = Vec::new();
                for stack in 0..stacks {
                    bytes.extend(store::of_file(
                        layout,
                        tensor,
                        stack * stride,
                        packed,
                        &weights,
                    ));
                }
                Some(Cow::Owned(bytes))
            }
            None => None,
        };
        Some(TensorView {
            layout,
            tensor,
            stacks,
            stride,
            packed,
            weights,
            of_file,
        })
    }

    /// The tensor's name, as in messages: `transformer.weights`.
    #[must_use]
    pub fn name(&self) -> &'a str {
        &self.tensor.name
    }

    /// The numbers of buckets, rows and columns.
    #[must_use]
    pub fn shape(&self) -> [usize; 3] {
        let [buckets, rows, columns] = self.tensor.shape;
        [self.stacks * buckets, rows, columns]
    }

    /// The type of the values in the file.
    #[must_use]
    pub fn element(&self) -> Element {
        self.tensor.stored.element
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
        let tensor = self.tensor;
        let buckets = tensor.shape[0];
        let (stack, bucket) = (bucket / buckets, bucket % buckets);
        if let Some(values) = &self.of_file {
            let index = tensor.stored_index([bucket, row, column]);
            let values = &values[stack * tensor.raw_len()..][..tensor.raw_len()];
            return tensor.stored.read(values, index);
        }
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
