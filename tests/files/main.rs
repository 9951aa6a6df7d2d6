//! Net files: reading and writing them, their formats, which network they are for, what is proved
//! of their weights, and what they cost in memory.

mod formats;
mod identify;
mod memory;
mod report;
mod round_trips;
mod zstd;
