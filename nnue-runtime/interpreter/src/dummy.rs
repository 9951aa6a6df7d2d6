//! Net files for networks that nobody has trained.
//!
//! [`net_file`] writes the file of any spec with the weights that a caller wants, as tests do.
//! [`trained`] chooses weights with which a network is as fast as a trained network: as many
//! neurons are zero, so that layers skip as many inputs.

pub mod net_file;
pub mod trained;
