//! Net files for networks that nobody has trained.
//!
//! [`net_file`] writes the file of any spec with whatever weights a caller wants: tests do.
//! [`trained`] chooses weights with which a network takes as long as a trained one: neurons are as
//! active, so that layers find as many zeros to skip.

pub mod net_file;
pub mod trained;

/// The code of README.md, which doctests compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
