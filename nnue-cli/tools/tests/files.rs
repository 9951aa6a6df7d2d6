//! Files that are written as a whole, and folders that one program has.

mod lock;
mod output;
