//! Net files: reading and writing them, which key of a spec they contradict, what is proved of their
//! weights, and what they cost in memory. `tests/further/files` has all formats.

mod memory;
mod misfits;
mod report;
mod round_trips;
