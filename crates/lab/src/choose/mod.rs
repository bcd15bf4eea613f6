//! Choice of part, scheme and logical share for a deadline.

#[cfg(feature = "html")]
mod page;
mod question;
pub mod tables;

#[cfg(feature = "html")]
pub use page::page;
pub use question::{Choice, Question, Verdict, named_parts, named_schemes};
