//! The speed of networks: each network is compiled into a program of its own, and the programs take
//! turns at evaluating the searches of a trace.

mod comparison;
mod net;
mod package;
mod program;
mod rounds;
mod row;
mod together;

pub use self::comparison::{Comparison, Event, Report, Wrong};
pub use self::net::{density_of_trained, net_file};
pub use self::package::packages;
pub use self::program::answers;
pub use self::row::Row;
pub use self::together::{Together, TogetherReport, TogetherRow};
