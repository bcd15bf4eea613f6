//! Requests of dies for their channel's bus, in order, so that none has to be looked for.

use super::arbiter::{Ask, Policy};
use crate::time::Ns;
use alloc::vec::Vec;

/// A die's request, its operation and its place among the channel's dies, in the order of requests: from the highest bit,
/// the time, the submission number, the place, and whether it is a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Placed(u128);

/// Bits of a place: there are at most 64 ways of 16 dies. 2^53 operations are not submitted in a hundred days.
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

/// Requests of all dies. Those of a channel lie side by side, in order of time, and of submission for equal times.
#[derive(Clone, Debug)]
pub(super) struct Asks {
    placed: Vec<Placed>,
    /// Dies per channel.
    dies: usize,
}

impl Asks {
    /// No die asks.
    pub(super) fn none(channels: usize, dies: usize) -> Self {
        let placed = (0..channels * dies).map(|at| Placed::new(Ask::NONE, at % dies));
        Self { placed: placed.collect(), dies }
    }

    #[inline(always)]
    fn of(&self, channel: usize) -> &[Placed] {
        &self.placed[channel * self.dies..][..self.dies]
    }

    /// The earliest time from which a die of the channel asks; [`Ns::MAX`] if none does.
    #[inline]
    pub(super) fn first_ns(&self, channel: usize) -> Ns {
        self.placed[channel * self.dies].since_ns()
    }

    /// Replaces a die's request.
    #[inline]
    pub(super) fn set(&mut self, channel: usize, slot: usize, ask: Ask) {
        self.change(channel, slot, |_| Placed::new(ask, slot));
    }

    /// Sets from when on a die asks; its operation is the same.
    #[inline]
    pub(super) fn set_since(&mut self, channel: usize, slot: usize, since_ns: Ns) {
        self.change(channel, slot, |Placed(bits)| {
            Placed(u128::from(since_ns) << 64 | bits & u128::from(u64::MAX))
        });
    }

    #[inline(always)]
    fn change(&mut self, channel: usize, slot: usize, change: impl FnOnce(Placed) -> Placed) {
        let asks = &mut self.placed[channel * self.dies..][..self.dies];
        let Some(mut at) = asks.iter().position(|ask| ask.slot() == slot) else { return };
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

    /// The die that is granted the bus at `now_ns`, and since when it has asked; as [`choose`](super::choose). `last`: the
    /// die granted before.
    #[inline]
    pub(super) fn choose(
        &self,
        policy: Policy,
        channel: usize,
        now_ns: Ns,
        last: usize,
    ) -> (usize, Ns) {
        let ask = match policy {
            Policy::Fifo => self.placed[channel * self.dies],
            Policy::RoundRobin | Policy::ReadFirst => {
                let asks = self.of(channel);
                let waiting = asks.iter().take_while(|ask| ask.since_ns() <= now_ns);
                let rank = |ask: &Placed| match policy {
                    // Dies after the last one come first.
                    Policy::RoundRobin => (ask.slot() <= last, ask.slot()),
                    _ => (!ask.is_read(), 0),
                };
                waiting.copied().min_by_key(rank).unwrap_or(asks[0])
            }
        };
        (ask.slot(), ask.since_ns())
    }
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
                let (mut asks, mut plain) = (Asks::none(3, dies), [Ask::NONE; 24]);
                let mut last = [dies - 1; 3];
                for serial in 0..3000 {
                    let channel = draw(3) as usize;
                    let slot = draw(dies as u64) as usize;
                    let ask = &mut plain[channel * dies + slot];
                    match draw(5) {
                        0 => (*ask, _) = (Ask::NONE, asks.set(channel, slot, Ask::NONE)),
                        1 if ask.since_ns != NEVER => {
                            ask.since_ns += draw(9);
                            asks.set_since(channel, slot, ask.since_ns);
                        }
                        _ => {
                            *ask = Ask { since_ns: draw(12), serial, read: draw(2) == 0 };
                            asks.set(channel, slot, *ask);
                        }
                    }
                    let plain = &plain[channel * dies..][..dies];
                    let first_ns = plain.iter().map(|ask| ask.since_ns).min().unwrap();
                    assert_eq!(asks.first_ns(channel), first_ns);
                    let now_ns = first_ns.saturating_add(draw(6));
                    if now_ns < NEVER {
                        let slot = choose(policy, plain, now_ns, last[channel]);
                        let found = asks.choose(policy, channel, now_ns, last[channel]);
                        assert_eq!(found, (slot, plain[slot].since_ns), "{policy:?} {plain:?}");
                        last[channel] = slot;
                    }
                }
            }
        }
    }
}
