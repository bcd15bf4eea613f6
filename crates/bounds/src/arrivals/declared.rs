//! Arrivals that are known from a trace, or declared.

use super::curve::{ArrivalCurve, TokenBucket};
use alloc::vec::Vec;
use flash::Ns;

/// How many page tasks of a kind at most arrive within any closed window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// As in a trace.
    Gathered(ArrivalCurve),
    /// No more than the burst and the rate of a bucket.
    Bucket(TokenBucket),
    /// Equal requests, at most one per period from their due times on, each at most `jitter_ns` after its due time.
    Periodic {
        /// Pages of a request.
        pages: u64,
        /// Distance of due times, at least 1.
        period_ns: Ns,
        /// Latest arrival after the due time.
        jitter_ns: Ns,
    },
    /// All of these; none if empty.
    Sum(Vec<Arrivals>),
}

impl Arrivals {
    /// No arrivals.
    pub const NONE: Self = Self::Sum(Vec::new());

    /// At most `pages` at once, and from then on at most one per `ns_per_page` (at least 1): a leaky bucket (σ, ρ).
    pub fn bucket(pages: u64, ns_per_page: Ns) -> Self {
        let ns_per_page = ns_per_page.max(1);
        Self::Bucket(TokenBucket { ns_per_page, burst_ns: pages.saturating_mul(ns_per_page) })
    }

    /// No more than these arrive within any closed window of this length. `u64::MAX`: so many, or more.
    pub fn most_within(&self, window_ns: Ns) -> u64 {
        match self {
            Self::Gathered(curve) => curve.most_within(window_ns),
            Self::Bucket(bucket) => match bucket.burst_ns.checked_add(window_ns) {
                Some(ns) if bucket.burst_ns < Ns::MAX => ns / bucket.ns_per_page.max(1),
                _ => u64::MAX,
            },
            Self::Periodic { pages, period_ns, jitter_ns } => {
                let later = window_ns.saturating_add(*jitter_ns) / (*period_ns).max(1);
                later.saturating_add(1).saturating_mul(*pages)
            }
            Self::Sum(parts) => {
                let all = parts.iter().map(|part| part.most_within(window_ns));
                all.fold(0, u64::saturating_add)
            }
        }
    }

    /// The first window longer than this one that may hold more; `Ns::MAX` if none does.
    pub fn next_after(&self, window_ns: Ns) -> Ns {
        let multiple = |of_ns: Ns, before_ns: Ns| {
            let now = window_ns.saturating_add(before_ns) / of_ns;
            let next = now.checked_add(1).and_then(|next| next.checked_mul(of_ns));
            next.map_or(Ns::MAX, |ns| ns - before_ns)
        };
        match self {
            Self::Gathered(curve) => curve.next_after(window_ns),
            Self::Bucket(bucket) => multiple(bucket.ns_per_page.max(1), bucket.burst_ns),
            Self::Periodic { period_ns, jitter_ns, .. } => {
                multiple((*period_ns).max(1), *jitter_ns)
            }
            Self::Sum(parts) => {
                parts.iter().map(|part| part.next_after(window_ns)).min().unwrap_or(Ns::MAX)
            }
        }
    }
}
