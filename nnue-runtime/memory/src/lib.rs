#![doc = include_str!("../README.md")]

mod mapping;
pub mod numa;
mod pages;
mod share;

pub use crate::mapping::Mapping;
pub use crate::pages::huge_bytes;
pub use crate::share::{Key, Segment, ShareError, share, share_in_folder};

/// 2 MiB, the size of a huge page on most processors: offsets that are mapped are multiples of it,
/// and maps of at least that size begin at one where the system allows.
pub const ALIGNMENT: usize = 2 << 20;
