//! Arrival curves: how many pages at most arrive within any window of time (Cruz, "A calculus for network delay, part I", 1991; Le
//! Boudec and Thiran, *Network Calculus*, Definition 1.2.1).
//!
//! Windows are closed: the arrivals at both ends count. α(Δ) is the largest number of pages that arrive within any window of Δ ns, over
//! all windows of the stream. It is kept in two forms, both gathered in one pass with bounded memory:
//!
//! - the shortest window that holds n pages, exact for n up to 64 and for eight numbers per octave from there to 2^20. So α is known
//!   exactly where Δ is one of these windows, and to an eighth in between;
//! - token buckets: of each rate of a page per P ns, the burst b, which is the largest work of a server that takes P per page. No
//!   window of Δ holds more than (b + Δ) / P pages. The bursts are exact, so this is the upper concave hull of α at those rates, for
//!   windows of any length.

mod curve;
mod declared;
mod gather;

pub use curve::{ArrivalCurve, Span, TokenBucket};
pub use declared::Arrivals;
pub use gather::{Disorder, Gatherer};
