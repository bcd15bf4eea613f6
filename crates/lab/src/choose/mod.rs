//! Choice of part, scheme and logical share for a deadline.
//!
//! A [`Question`] is planned first ([`Question::plan`]): each combination gets its array, what is proved of it, and whether its
//! program times alone are too long. Then what is left is run ([`Search::run`]): from an empty array, from a full one, and as
//! the experiment preconditions it; the first run that misses ends the combination.

mod arriving;
mod choice;
mod deadlines;
#[cfg(feature = "html")]
mod page;
mod question;
mod search;
pub mod tables;

pub use choice::{Choice, Verdict};
pub use deadlines::Deadlines;
#[cfg(feature = "html")]
pub use page::page;
pub use question::{Checked, Question, named_parts, named_schemes};
pub use search::{Search, folder, write};
