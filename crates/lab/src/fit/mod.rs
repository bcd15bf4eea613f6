//! A drive from its measured points: which over-provisioning, block size, victim policy and placement explain them
//! best.
//!
//! Each candidate is an array with page mapping, `BLOCKS` blocks large; every point is run on it, and the errors of the
//! candidate's figures are what it is ranked by. Write amplification depends on shares and on the block size in pages, and
//! not on the capacity once the array has many blocks. So an array of some hundred blocks stands for a drive of any size.
//!
//! ```text
//! shares on a coarse grid × victim policies × placements × block sizes, all points
//! for each policy, placement and block size: shares beside the best one at half the step, until the step is below 0.001
//! ```

mod measured;
#[cfg(feature = "html")]
mod page;
mod search;

pub use measured::{Figure, Measured, read};
#[cfg(feature = "html")]
pub use page::page;
pub use search::{Candidate, Fit, Modelled, Options, fit};
