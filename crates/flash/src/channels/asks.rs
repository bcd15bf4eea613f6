//! Requests of dies for their channel's bus, in order, so that none has to be looked for.

use super::arbiter::{Ask, Policy};
use crate::time::Ns;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// A die's request, its operation and its number among the channel's dies (slot), in the order of requests: from the highest
/// bit, the time, the submission number, the slot, and whether it is a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Placed(u128);

/// Bits of a slot: there are at most 64 ways of 16 dies. 2^53 operations are not submitted in a hundred days.
const SLOT_BITS: u32 = 10;

impl Placed {
    #[inline(always)]
    fn new(ask: Ask, slot: usize) -> Self {
        let low = ask.serial << (SLOT_BITS + 1) | (slot as u64) << 1 | u64::from(ask.read);
        Self(u128::from(ask.since_ns) << 64 | u128::from(low))
    }

    #[inline(always)]
    fn since_ns(self) -> Ns {
        (self.0 >> 64) as Ns
    }

    #[inline(always)]
    fn slot(self) -> usize {
        (self.0 as usize >> 1) & ((1 << SLOT_BITS) - 1)
    }

    #[inline(always)]
    fn is_read(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Requests of a channel's dies, in order of time, and of submission for equal times.
#[derive(Clone, Debug)]
pub(super) struct Asks {
    of: Vec<Placed>,
}

/// The request that is granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    /// Its place in the order, until any request of the channel changes.
    pub(super) place: usize,
    /// The die.
    pub(super) slot: usize,
    /// Since when the die has asked.
    pub(super) since_ns: Ns,
}

impl Asks {
    /// No die asks.
    pub(super) fn none(dies: usize) -> Self {
        Self { of: (0..dies).map(|slot| Placed::new(Ask::NONE, slot)).collect() }
    }

    /// The earliest time from which a die asks; [`Ns::MAX`] if none does.
    #[inline]
    pub(super) fn first_ns(&self) -> Ns {
        self.of[0].since_ns()
    }

    /// The die that has asked, or will ask, first.
    #[inline(always)]
    pub(super) fn first(&self) -> usize {
        self.of[0].slot()
    }

    /// Replaces a die's request.
    #[inline]
    pub(super) fn set(&mut self, slot: usize, ask: Ask) {
        if let Some(place) = self.place(slot) {
            self.renew(place, ask);
        }
    }

    /// Sets from when on a die asks; its operation is the same.
    #[inline]
    pub(super) fn set_since(&mut self, slot: usize, since_ns: Ns) {
        if let Some(place) = self.place(slot) {
            self.renew_since(place, since_ns);
        }
    }

    #[inline]
    fn place(&self, slot: usize) -> Option<usize> {
        self.of.iter().position(|ask| ask.slot() == slot)
    }

    /// Replaces the request at a place.
    #[inline(always)]
    pub(super) fn renew(&mut self, place: usize, ask: Ask) {
        change(&mut self.of, place, |before| Placed::new(ask, before.slot()));
    }

    /// Sets the time of the request at a place.
    #[inline(always)]
    pub(super) fn renew_since(&mut self, place: usize, since_ns: Ns) {
        change(&mut self.of, place, |Placed(bits)| {
            Placed(u128::from(since_ns) << 64 | bits & u128::from(u64::MAX))
        });
    }

    /// The request that is granted at `now_ns`; as [`choose`](super::choose). `last`: the die granted before.
    #[inline]
    pub(super) fn choose(&self, policy: Policy, now_ns: Ns, last: usize) -> Granted {
        let asks = &self.of[..];
        let waiting = || asks.iter().take_while(|ask| ask.since_ns() <= now_ns);
        let place = match policy {
            Policy::Fifo => 0,
            // Dies after the last one come first.
            Policy::RoundRobin => {
                let (mut first, mut least) = (0, usize::MAX);
                for (place, ask) in waiting().enumerate() {
                    let slot = ask.slot();
                    let turn = slot | usize::from(slot <= last) << SLOT_BITS;
                    let sooner = turn < least;
                    first = select_unpredictable(sooner, place, first);
                    least = select_unpredictable(sooner, turn, least);
                }
                first
            }
            Policy::ReadFirst => waiting().position(|ask| ask.is_read()).unwrap_or(0),
        };
        let ask = asks[place];
        Granted { place, slot: ask.slot(), since_ns: ask.since_ns() }
    }
}

/// Changes the request at a place of a channel's, and puts it where it belongs.
#[inline(always)]
fn change(asks: &mut [Placed], mut at: usize, change: impl FnOnce(Placed) -> Placed) {
    let (before, placed) = (asks[at], change(asks[at]));
    if placed > before {
        for next in at + 1..asks.len() {
            if asks[next] > placed {
                break;
            }
            asks[next - 1] = asks[next];
            at = next;
        }
    } else {
        while at > 0 && placed < asks[at - 1] {
            asks[at] = asks[at - 1];
            at -= 1;
        }
    }
    asks[at] = placed;
}

#[cfg(test)]
mod tests {
    use super::super::arbiter::{NEVER, choose};
    use super::*;

    #[test]
    fn requests_in_order_are_granted_as_those_that_are_looked_for() {
        let mut draw = crate::properties::draw();
        for policy in Policy::ALL {
            for dies in [1, 2, 5, 8] {
                let (mut asks, mut plain) = (alloc::vec![Asks::none(dies); 3], [Ask::NONE; 24]);
                let mut last = [dies - 1; 3];
                for serial in 0..3000 {
                    let channel = draw(3) as usize;
                    let slot = draw(dies as u64) as usize;
                    let ask = &mut plain[channel * dies + slot];
                    let asks = &mut asks[channel];
                    match draw(5) {
                        0 => (*ask, _) = (Ask::NONE, asks.set(slot, Ask::NONE)),
                        1 if ask.since_ns != NEVER => {
                            ask.since_ns += draw(9);
                            asks.set_since(slot, ask.since_ns);
                        }
                        _ => {
                            *ask = Ask { since_ns: draw(12), serial, read: draw(2) == 0 };
                            asks.set(slot, *ask);
                        }
                    }
                    let plain = &plain[channel * dies..][..dies];
                    let first_ns = plain.iter().map(|ask| ask.since_ns).min().unwrap();
                    assert_eq!(asks.first_ns(), first_ns);
                    let now_ns = first_ns.saturating_add(draw(6));
                    if now_ns < NEVER {
                        let slot = choose(policy, plain, now_ns, last[channel]);
                        let found = asks.choose(policy, now_ns, last[channel]);
                        let since_ns = plain[slot].since_ns;
                        let expected = Granted { place: found.place, slot, since_ns };
                        assert_eq!(found, expected, "{policy:?} {plain:?}");
                        assert_eq!(asks.place(slot), Some(found.place));
                        last[channel] = slot;
                    }
                }
            }
        }
    }
}
