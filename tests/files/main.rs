//! Net files: reading and writing them, their formats, which network they are for, which key of a
//! spec they contradict, their tensors, what is proved of their weights, and what they cost in memory.

mod formats;
mod identify;
mod kept;
mod memory;
mod misfits;
mod report;
mod round_trips;
mod tensors;
mod zstd;
