//! From the spec of a network to a net of known strength: an engine for the spec, games that it
//! plays against itself, training, verification and matches.
//!
//! Each stage is a command that can be run by hand. It is run again only if an input or a result
//! has changed.
//!
//! | module | has |
//! |---|---|
//! | `run_file` | the settings of a loop |
//! | `schema` | the JSON Schema of run files |
//! | `files` | the files of a loop, and checks that it writes over no other files |
//! | `run` | the stages, in their order |
//! | `stage` | a command with everything on which its result depends |
//! | `stages` | the folder with the results of finished stages |
//! | `record` | the inputs and the results of a finished stage |
//! | `guard` | the process that ends a command when the loop ends, on Unix |
//! | `training` | the trainer's report of its run |
//! | `page` | the results of a loop, on an HTML page |

mod error;
mod files;
#[cfg(unix)]
mod guard;
mod page;
mod record;
mod run;
mod run_file;
mod schema;
mod stage;
mod stages;
mod training;

pub use crate::loops::error::Error;
#[cfg(unix)]
pub use crate::loops::guard::Guard;
pub use crate::loops::page::{Page, warning};
pub use crate::loops::record::Finished;
pub use crate::loops::run::{Loop, NetMatch, Outcome};
pub use crate::loops::run_file::{Current, Engine, RunFile};
pub use crate::loops::schema::run_schema;
pub use crate::loops::stages::Event;
pub use crate::loops::training::Training;
