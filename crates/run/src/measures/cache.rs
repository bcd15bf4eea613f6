//! Direct-mapped counts of repeating values, in front of the histograms.

use super::distribution::Distribution;
use ftl::TaskKind;

/// Slots per table; a power of two. The 24-byte slots of all task kinds need only a few KiB of L1.
const SLOTS: usize = 32;
/// Odd multiplier (2^64 / golden ratio): the top bits of the product depend on every bit of the value.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn slot_of(value: u64) -> usize {
    (value.wrapping_mul(SPREAD) >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}

/// Page tasks of one kind with the same service and step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) kind: TaskKind,
    pub(super) service_ns: u64,
    pub(super) step_ns: u64,
    pub(super) count: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct PairSlot {
    service_ns: u64,
    step_ns: u64,
    count: u64,
}

/// Page tasks counted by (kind, service, step).
#[derive(Debug)]
pub(super) struct PairCounts([[PairSlot; SLOTS]; TaskKind::ALL.len()]);

impl PairCounts {
    pub(super) fn new() -> Self {
        Self([[PairSlot::default(); SLOTS]; TaskKind::ALL.len()])
    }

    /// Adds `count` tasks, and returns the count evicted for them, if any.
    #[inline]
    pub(super) fn add(
        &mut self,
        kind: TaskKind,
        service_ns: u64,
        step_ns: u64,
        count: u64,
    ) -> Option<Pair> {
        let at = slot_of(service_ns ^ step_ns.rotate_left(32));
        let slot = &mut self.0[kind as usize][at];
        if slot.service_ns == service_ns && slot.step_ns == step_ns {
            slot.count += count;
            return None;
        }
        let old = std::mem::replace(slot, PairSlot { service_ns, step_ns, count });
        (old.count > 0).then_some(Pair {
            kind,
            service_ns: old.service_ns,
            step_ns: old.step_ns,
            count: old.count,
        })
    }

    /// Sum of the responses, service + step, of the tasks counted here.
    pub(super) fn sum(&self) -> u128 {
        let of = |slot: &PairSlot| {
            (u128::from(slot.service_ns) + u128::from(slot.step_ns)) * u128::from(slot.count)
        };
        self.0.iter().flatten().map(of).sum()
    }

    /// Removes and returns all counts.
    pub(super) fn take(&mut self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for kind in TaskKind::ALL {
            for slot in &mut self.0[kind as usize] {
                let PairSlot { service_ns, step_ns, count } = std::mem::take(slot);
                if count > 0 {
                    pairs.push(Pair { kind, service_ns, step_ns, count });
                }
            }
        }
        pairs
    }
}

/// A distribution with a table of its repeating values in front.
#[derive(Debug)]
pub(super) struct ValueCounts {
    /// (value, count); count 0: empty slot.
    slots: [(u64, u64); SLOTS],
    behind: Distribution,
}

impl ValueCounts {
    pub(super) fn new() -> Self {
        Self { slots: [(0, 0); SLOTS], behind: Distribution::new() }
    }

    /// Counts one sample.
    #[inline]
    pub(super) fn add(&mut self, value: u64) {
        self.add_many(value, 1);
    }

    /// Counts `count` samples.
    #[inline]
    pub(super) fn add_many(&mut self, value: u64, count: u64) {
        let slot = &mut self.slots[slot_of(value)];
        if slot.0 == value {
            slot.1 += count;
        } else {
            let (old, before) = std::mem::replace(slot, (value, count));
            self.behind.record(old, before);
        }
    }

    /// Number and sum of the samples so far.
    pub(super) fn so_far(&self) -> (u64, u128) {
        self.slots.iter().fold((self.behind.count(), self.behind.sum()), |(n, sum), slot| {
            (n + slot.1, sum + u128::from(slot.0) * u128::from(slot.1))
        })
    }

    /// The whole distribution.
    pub(super) fn finish(mut self) -> Distribution {
        for (value, count) in self.slots {
            self.behind.record(value, count);
        }
        self.behind
    }
}
