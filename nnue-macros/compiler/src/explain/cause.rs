//! Why the length of a file may be wrong: which single difference would explain it.

use std::fmt;

use nnue_format::{Element, Extent, FileLayout, Format, Place, Role, Tail, Tensor};

/// A change of the spec or of the file that would explain the length of a file. `Display` writes
/// words that follow "as if".
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A tensor is missing.
    Missing(Place),
    /// The file has a tensor twice.
    Twice(Place),
    /// The values of a tensor have another size in bytes.
    OtherSize {
        /// The tensor with these values.
        place: Place,
        /// The size that would explain the length.
        found: usize,
        /// The size that the values should have.
        expected: usize,
    },
    /// The first layer reads another number of values.
    OtherInputs {
        /// The tensor of the layer's weights.
        place: Place,
        /// The number of values that would explain the length.
        found: usize,
        /// The number of values that the layer should read.
        expected: usize,
    },
    /// All values are `f32`, as in bullet's `raw.bin`.
    AllFloat,
    /// The network has another number of neurons, features or stacks.
    OtherExtent {
        /// The name of the number, as in `neurons`.
        name: &'static str,
        /// The number that would explain the length.
        found: usize,
        /// The number that the spec has.
        expected: usize,
    },
    /// All tensors are there, but the tail behind them is missing.
    NoTail,
    /// All tensors are there, and behind them is what files have whose specs have this `tail`.
    OtherTail(&'static str),
}

/// How many features a king bucket usually has: a number of features that it divides is one of
/// buckets.
const FEATURES_OF_A_BUCKET: usize = 768;

/// The differences that explain the length of a file exactly, and the end of the file. Usually a
/// single difference is the mistake, and the others fit by accident.
pub(super) fn causes(layout: &FileLayout, source: &[u8]) -> Vec<Cause> {
    if !layout.has_fixed_len() {
        return Vec::new();
    }
    let expected = layout.data_len();
    let explains = |data: usize| layout.tail.follows(source, data);
    let mut causes = Vec::new();
    if source.len() == expected && !explains(expected) {
        causes.push(Cause::NoTail);
    }
    causes.extend(other_tails(layout, source, expected).map(Cause::OtherTail));
    let tensors = layout.entries().filter_map(|entry| {
        let tensor = entry.section.as_tensor()?;
        Some((entry.place, tensor))
    });
    let mut float = expected;
    // What the first layer reads depends on keys of the transformer that leave its tensors alone.
    let mut weights = tensors.clone();
    let is_of_layer = |tensor: &Tensor| matches!(tensor.role, Role::LayerWeights(_));
    if let Some((place, tensor)) = weights.find(|(_, tensor)| is_of_layer(tensor)) {
        let [.., inputs] = tensor.shape;
        let len = tensor.stored.raw_len();
        let others = [
            (2 * inputs, expected + len),
            (inputs / 2, expected - len / 2),
        ];
        let fits = others.into_iter().filter(|(_, data)| explains(*data));
        causes.extend(fits.map(|(found, _)| Cause::OtherInputs {
            place: place.clone(),
            found,
            expected: inputs,
        }));
    }
    for (place, tensor) in tensors {
        let len = tensor.stored.raw_len();
        let size = tensor.stored.element.size();
        if explains(expected - len) {
            causes.push(Cause::Missing(place.clone()));
        }
        if explains(expected + len) {
            causes.push(Cause::Twice(place.clone()));
        }
        let others = [1, 2, 4].into_iter().filter(|other| *other != size);
        causes.extend(others.filter_map(|other| {
            let data = expected - len + len / size * other;
            explains(data).then(|| Cause::OtherSize {
                place: place.clone(),
                found: other,
                expected: size,
            })
        }));
        float += tensor.stored.values * Element::F32.size() - len;
    }
    if float != expected && explains(float) {
        causes.push(Cause::AllFloat);
    }
    let others = layout.extents.iter();
    let mut others =
        others.filter_map(|extent| other_extent(extent, expected, source, layout.tail));
    // Another shape explains many lengths, so it comes last, and the first cause is the likeliest;
    // but half the buckets are as long as half the bytes.
    if causes.is_empty() {
        causes.extend(others.next());
    } else {
        causes.extend(others.find(|cause| cause.king_buckets().is_some()));
    }
    causes
}

/// The names that specs have for the tails, other than the layout's, that can follow a last section
/// that ends at `offset`.
pub(super) fn other_tails(
    layout: &FileLayout,
    source: &[u8],
    offset: usize,
) -> impl Iterator<Item = &'static str> {
    // Only specs of these files have the key.
    let has_key = layout.format == Format::Sequence;
    let fits = has_key && layout.tail.follows(source, offset);
    let others = Tail::NAMED.into_iter();
    let others = others.filter(move |(_, tail)| has_key && !fits && tail.follows(source, offset));
    others.map(|(name, _)| name)
}

/// The number that explains the length of a file, if there is such a number and people would choose
/// it.
fn other_extent(extent: &Extent, expected: usize, source: &[u8], tail: Tail) -> Option<Cause> {
    let Extent {
        name,
        count,
        unit,
        bytes,
    } = *extent;
    let fixed = expected.checked_sub(count * bytes)?;
    let most = source.len().checked_sub(fixed)?.checked_div(bytes)?;
    let least = most.saturating_sub(tail.multiple / bytes).max(1);
    let found = (least..=most).find(|found| {
        *found != count && found.is_multiple_of(unit) && tail.follows(source, fixed + found * bytes)
    })?;
    Some(Cause::OtherExtent {
        name,
        found,
        expected: count,
    })
}

impl Cause {
    /// The numbers of king buckets that would explain the length and that the spec has, if it is
    /// they that differ.
    fn king_buckets(&self) -> Option<[usize; 2]> {
        match self {
            Cause::OtherExtent {
                name: "features",
                found,
                expected,
            } => {
                let numbers = [*found, *expected];
                let are_whole = numbers
                    .iter()
                    .all(|number| number.is_multiple_of(FEATURES_OF_A_BUCKET));
                are_whole.then(|| numbers.map(|number| number / FEATURES_OF_A_BUCKET))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Missing(place) => write!(f, "`{place}` were missing"),
            Cause::Twice(place) => write!(f, "`{place}` were there twice"),
            Cause::OtherSize {
                place,
                found,
                expected,
            } => write!(
                f,
                "the values of `{place}` had {found} bytes each instead of {expected}"
            ),
            Cause::OtherInputs {
                place,
                found,
                expected,
            } => {
                let other = if found > expected {
                    "without `pooling`, or of two perspectives"
                } else {
                    "with `pooling`, or of one perspective"
                };
                write!(
                    f,
                    "the layer of `{place}` read {found} values instead of {expected}, {other}"
                )
            }
            Cause::AllFloat => f.write_str("all values were f32, as in bullet's `raw.bin`"),
            Cause::OtherExtent {
                name,
                found,
                expected,
            } => {
                write!(f, "there were {found} {name} instead of {expected}")?;
                match self.king_buckets() {
                    Some([found, expected]) => {
                        write!(f, ", in {found} king buckets instead of {expected}")
                    }
                    None => Ok(()),
                }
            }
            Cause::NoTail => f.write_str("the padding after the last tensor were missing"),
            Cause::OtherTail(name) => write!(f, "the spec said `tail = \"{name}\"` in `[file]`"),
        }
    }
}
