//! The speed of networks: each is compiled into a program of its own, and the programs evaluate the
//! searches of a trace in turns.

mod measure;
mod net;
mod package;
mod program;
mod rounds;
mod table;

pub(crate) use self::measure::{Measured, Row, measure};
pub(crate) use self::net::{density_of_trained, net_file};
pub(crate) use self::package::{PackageOptions, Packages, Spec};
pub(crate) use self::program::{Program, answers};
pub(crate) use self::rounds::steps;
pub(crate) use self::table::Table;
