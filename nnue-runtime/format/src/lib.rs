//! Net files: their content, and how they are read, checked and written.
//!
//! There are three formats, all little-endian. Files of Stockfish's format have no index; the place
//! of a tensor follows from the sizes of all sections before it:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | version of the format |
//! | 4 | network hash: transformer hash ^ stack hash |
//! | 4 + n | length of the description, description (any bytes, at most [`DESCRIPTION_LIMIT`]) |
//! | 4 | transformer hash |
//! | ... | tensors of the transformer |
//! | 4 | stack hash, then the tensors of the stack; all this once per stack |
//!
//! A tensor is either raw or a LEB128 block: the 17 bytes `COMPRESSED_LEB128`, a `u32` number of
//! bytes, and that many bytes of LEB128 values. After the last stack the file ends.
//!
//! [`Format::Sequence`] has sections, one after the other, and padding at the end of the file:
//! bullet's `quantised.bin` and `raw.bin`, and all files that a list of tensors describes. Where no
//! tensor is compressed, only the length shows that a file is wrong. So the loader finds out what
//! would explain another length, and whether the values themselves contradict the order.
//! [`Format::Named`] is bullet's `weights.bin`: before each tensor are its name and the number of
//! its values.
//!
//! A [`FileLayout`] says what a file must contain and where each tensor goes in memory, which is
//! seen as plain bytes of the machine's own endianness. Types, orders of axes and padding may
//! differ between the two. Generated code holds its layout as a constant; the compiler makes the
//! same value at run time from a checked network.
//!
//! Reading has two steps, so that a wrong or hostile file costs no memory: [`split`] checks
//! everything except the values (version, hashes, block sizes, total length), and [`Parts::load`]
//! fills the weights. The loader trusts nothing in a file, and it loses no integer: either it
//! refuses a file, or [`store`] gives back each of its bytes. Only floating point that became
//! integers and weights that became signs come back as other numbers with the same meaning.
//!
//! The text of a spec may stand [behind](attached) a file of any format.
//!
//! A wrong file is refused with the tensor, the offset, what was found and what was expected. Which
//! network it holds instead, and which change of the spec would make it fit, is the work of
//! nnue-compiler's module `explain`, which engines do without.

#![no_std]
// docs.rs, which compiles with nightly, shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod attached;
mod coalesce;
mod coalesced;
mod convert;
mod element;
mod error;
mod factors;
mod fill;
mod foreign;
pub mod kept;
mod layout;
pub mod leb128;
pub mod levels;
mod list;
mod load;
mod loaded;
mod material;
mod message;
mod numbers;
mod order;
mod paired;
mod part;
mod piece_square;
#[cfg(feature = "std")]
mod pieces;
mod placed;
mod quantise;
#[cfg(feature = "std")]
mod read;
mod rearrange;
mod role;
mod split;
pub mod stockfish;
mod store;
#[cfg(feature = "std")]
mod stream;
mod targets;
mod tensor;
#[cfg(test)]
mod tests;
#[cfg(feature = "std")]
pub mod threads;
mod threats;
mod transposed;
mod view;
mod zstd;

pub use coalesced::{Coalesced, CoalescedSet};
pub use element::Element;
pub use error::{Facts, LoadError, ValueFault, WrongBytes, WrongWord};
pub use factors::{Factors, VirtualSet};
pub use fill::fill;
pub use foreign::{Foreign, foreign, is_hidden};
pub use layout::{
    DESCRIPTION_LIMIT, Entries, Entry, Extent, FieldForm, FileLayout, Format, MAX_LAYERS, Place,
    START_LEN, Section, Stacks, Tail, Tensors,
};
pub use list::{List, Text, list};
pub use load::check;
pub use loaded::{Ignored, Loaded};
pub use material::{Material, MaterialValue};
pub use numbers::Numbers;
pub use order::{OrderError, Outputs, Reader, Run};
pub use paired::{PAIRED_RUN, Paired, unpaired};
pub use piece_square::PieceSquare;
#[cfg(feature = "std")]
pub use pieces::read_at;
pub use placed::{Form, Placed, Segment};
pub use quantise::{Limits, Overflow, Quantise, Rounding};
#[cfg(feature = "std")]
pub use read::{Unread, open, read_all};
pub use rearrange::{relevel, reorder};
pub use role::{Axis, AxisPart, Part, Role};
pub use split::{Parts, offsets, split};
pub use store::store;
#[cfg(feature = "std")]
pub use stream::{Stream, stream};
pub use targets::ThreatTargets;
pub use tensor::{Block, Encoding, Stored, Tensor};
pub use threats::{ThreatRules, Threats};
pub use transposed::transposed;
pub use view::{TensorView, tensor, tensors};
pub use zstd::{Unpacked, is_packed, unpack};

/// The code of README.md, which doctests compile. It reads a path.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
