//! Files that are written as a whole, and folders that one program has.

mod inputs;
mod lock;
mod output;
