//! The speed of networks: each network is compiled into a program of its own, and the programs take
//! turns at evaluating the searches of a trace.

mod comparison;
mod measure;
mod net;
mod package;
mod program;
mod rounds;

pub use self::comparison::{Comparison, Event, Report, Wrong};
pub use self::measure::{Measured, Row, measure};
pub use self::net::{density_of_trained, net_file};
pub use self::package::{Packages, Spec, Turn};
pub use self::program::{Program, answers};
pub use self::rounds::steps;
