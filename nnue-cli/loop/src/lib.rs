//! From the spec of a network to a net of known strength: an engine for the spec, games that it
//! plays against itself, training, verification and matches.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use nnue_loop::{Event, Loop, RunFile, Spec};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let path = Path::new("examples/loops/first-net.toml");
//! let run = RunFile::parse(path, std::fs::read_to_string(path)?)?;
//! let file = path.with_file_name(&run.spec);
//! let spec = Spec { text: std::fs::read_to_string(&file)?, file: Some(file) };
//! let first_net = Loop {
//!     run: &run,
//!     spec: &spec,
//!     current_spec: None,
//!     folder: "first-net.loop".as_ref(),
//!     engine: "examples/engine".as_ref(),
//!     nnue: "target/release/nnue".as_ref(),
//! };
//! let outcome = first_net.run(&mut |event| {
//!     if let Event::Finished { name, seconds, .. } = event {
//!         println!("{name}: {seconds:.1} s");
//!     }
//!     Ok(())
//! })?;
//! for found in &outcome.matches {
//!     println!("against {}: Elo {}", found.opponent, found.result.elo_text());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Each stage is a command that can be run by hand. It is run again only if an input or a result
//! has changed.
//!
//! | module | has |
//! |---|---|
//! | `run_file` | the settings of a loop |
//! | `files` | the files of a loop, and checks that it writes over no other files |
//! | `run` | the stages, in their order |
//! | `stage` | a command with everything on which its result depends |
//! | `stages` | the folder with the results of finished stages |
//! | `record` | the inputs and the results of a finished stage |
//! | `guard` | the process that ends a command when the loop ends, on Unix |
//! | `training` | the trainer's report of its run |

#![forbid(unsafe_code)]

mod error;
mod files;
#[cfg(unix)]
mod guard;
mod record;
mod run;
mod run_file;
mod stage;
mod stages;
mod training;

pub use crate::error::Error;
#[cfg(unix)]
pub use crate::guard::Guard;
pub use crate::record::Finished;
pub use crate::run::{Loop, NetMatch, Outcome, Spec};
pub use crate::run_file::{CurrentNet, Matches, RunFile, SelfPlay};
pub use crate::stages::Event;
pub use crate::training::{Cost, RoundingCost, Summary, Training};
