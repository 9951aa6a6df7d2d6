#![doc = include_str!("../README.md")]

mod error;
mod mapping;
pub mod numa;
mod pages;
mod share;

pub use crate::error::ShareError;
pub use crate::mapping::Mapping;
pub use crate::pages::huge_bytes;
pub use crate::share::{Segment, share, share_in_folder};

/// 2 MiB, the size of a huge page on most processors: offsets that are mapped are multiples of it,
/// and maps of at least that size begin at such an address where the system allows.
pub const ALIGNMENT: usize = 2 << 20;

/// What segments are found by: a hash of all that decides their bytes.
pub type Key = [u8; 32];
