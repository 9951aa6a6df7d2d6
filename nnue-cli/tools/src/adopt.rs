//! Net files without a header: which specs fit, what the weights say about each of them, and what
//! only their author knows.
//!
//! Most engines in Rust have a net of bullet's, which says nothing about itself. [`Ranking::of`]
//! lists the networks of the field whose files have the size of a file, and tests each of them on
//! what is true of every trained network: rows of a piece on neighbouring squares are alike,
//! evaluations follow material, change their sign with the side to move, and change little from
//! move to move. Wrong guesses take weights for others, and fail.
//!
//! | module | has |
//! |---|---|
//! | `families`, `field` | the networks that are tried |
//! | `fits` | those whose files have the size |
//! | `king_rows` | the buckets of the king's squares, as the weights tell them |
//! | `evidence`, `positions` | what is tested, and on which positions |
//! | `facts`, `ranking` | the order of guesses, and what is to be asked |
//! | `doubt` | whether the weights speak against a spec that a user has given |
//! | `written` | the spec with its guesses marked, and a module with a test |

mod doubt;
mod evidence;
mod facts;
mod families;
mod field;
mod fits;
mod king_rows;
mod positions;
mod ranking;
mod written;

pub use crate::adopt::doubt::{Difference, Doubt};
pub use crate::adopt::evidence::Evidence;
pub use crate::adopt::facts::{Fact, facts};
pub use crate::adopt::field::with_width;
pub use crate::adopt::ranking::{Guess, LIKELY, Question, Ranking};
pub use crate::adopt::written::{marked_spec, module};
