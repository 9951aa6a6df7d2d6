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

/// 2 MiB, the size of a huge page on most processors. Offsets of maps are multiples of it, and maps
/// of at least that size begin at a multiple of it where the system allows.
pub const ALIGNMENT: usize = 2 << 20;

/// Processes find a segment by this key: a hash of everything that decides its bytes.
pub type Key = [u8; 32];
