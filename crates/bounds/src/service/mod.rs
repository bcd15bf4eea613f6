//! Service curves: how long page tasks in a row can take, and the longest delay of requests that queue.
//!
//! The device takes page tasks one after the other, in the order of their arrival, and rests only when none is pending. A page
//! write takes U(e_w) and the collection that goes with it, a page read U(e_r).
//!
//! # Writes in a row
//!
//! n writes take at most n · U(R), U(R) being the worst case of one. Schemes that collect a victim of c valid pages only after
//! its predecessor is erased, and only when the free pages have fallen to a level, take less ([`Collections`]): between two
//! victims the host must write what the first has gained, π − c pages. W(n), the longest time of n writes in a row, follows
//! from that alone. It holds for any order of addresses, with reads, trims and pauses in between, and from any state on.
//!
//! # Delay and backlog
//!
//! Let no window of Δ hold more than w(Δ) page writes and r(Δ) page reads ([`crate::arrivals::Arrivals`]), and let H(Δ) = W(w(Δ)) +
//! r(Δ) · U(e_r). The service curve is the inverse of W; the delay is the horizontal deviation of the arrivals from it, the
//! backlog the vertical one (R. L. Cruz, "A calculus for network delay, part I", IEEE Trans. Inf. Theory 37, 1991; J.-Y. Le
//! Boudec, P. Thiran, *Network Calculus*, Springer 2001, Theorems 1.4.1 and 1.4.2).
//!
//! > Every page task is complete within D = max (H(Δ) − Δ) of its arrival, over 0 ≤ Δ < L, where L is the least Δ > 0 with H(Δ) ≤ Δ.
//!
//! Proof. Let a task arrive Δ after the beginning t₀ of its busy period, the last instant at which no work was pending before
//! it. The tasks that end with it or before it in this busy period all arrived within the closed window from t₀ to its
//! arrival, and the device does nothing else from t₀ on. They take at most H(Δ): so it ends at most H(Δ) − Δ after its arrival. And
//! the busy period is no longer than L: what arrives within L takes at most H(L) ≤ L.
//!
//! Where no such L exists the queue may grow without limit, and there is no D.

mod collections;
mod delay;
#[cfg(test)]
mod tests;

pub use collections::{Collections, Service};
pub use delay::{Delay, MOST_STEPS, Unbounded, delay, delay_up_to};
