//! Net files of all formats: which network a file is for, tensors by name, numbers that a network
//! does not use, files that are compressed.

mod formats;
mod identify;
mod kept;
mod tensors;
mod zstd;
