//! The next grant of each bus, and the earliest of all.

use super::arbiter::NEVER;
use crate::time::Ns;
use alloc::vec::Vec;

/// A time and a channel as one number, in order of both, from the highest bit: a bit that is set, the time, the channel.
///
/// It is the bits of a positive floating-point number, and those are in the order of the numbers. The lesser of two such numbers
/// is one instruction that takes one of them from memory, half of what whole numbers cost. The bit makes them normal: a
/// processor may be set to take the smallest numbers for 0.
type Key = f64;

/// Bits of a channel's number in a [`Key`]: there are at most 256.
const CHANNEL_BITS: u32 = 8;
/// The bit that is always set.
const NORMAL: u64 = 1 << 62;
/// Later times of a channel (from 104 days on) share its key; what is first among them is then looked for. With this limit bit 61
/// is never set, so no key is [`NONE`], an infinity, or no number.
const LATE: Ns = (1 << 53) - 1;
/// Later than every key.
const NONE: Key = Key::MAX;

#[inline(always)]
fn key(ns: Ns, channel: usize) -> Key {
    Key::from_bits(NORMAL | ns.min(LATE) << CHANNEL_BITS | channel as u64)
}

/// Time and channel of a key; the time of [`NONE`] is [`LATE`] or more.
#[inline(always)]
fn parts(key: Key) -> (Ns, usize) {
    let bits = key.to_bits() & !NORMAL;
    (bits >> CHANNEL_BITS, bits as usize & ((1 << CHANNEL_BITS) - 1))
}

/// Not [`f64::min`], which also looks for what is no number.
#[inline(always)]
fn least(a: Key, b: Key) -> Key {
    if a < b { a } else { b }
}

/// Keys that are compared in a row, without a loop.
const IN_A_ROW: usize = 4;

/// Next grants of buses.
#[derive(Clone, Debug)]
pub(super) struct Grants {
    keys: Vec<[Key; IN_A_ROW]>,
    /// The earliest grant, and its channel; ties go to the lowest channel.
    first: (Ns, usize),
}

impl Grants {
    /// No bus has a next grant.
    pub(super) fn none(channels: usize) -> Self {
        let keys = alloc::vec![[NONE; IN_A_ROW]; channels.div_ceil(IN_A_ROW)];
        Self { keys, first: (NEVER, 0) }
    }

    /// The earliest grant, and its channel; ties go to the lowest channel. [`NEVER`] if there is none.
    #[inline(always)]
    pub(super) fn first(&self) -> (Ns, usize) {
        self.first
    }

    /// Sets the next grant of a bus. `late`: what [`Grants::first`] is then; it is asked if all are late.
    #[inline(always)]
    pub(super) fn set(&mut self, channel: usize, ns: Ns, late: impl FnOnce() -> (Ns, usize)) {
        let keys = &mut self.keys[..];
        keys[channel / IN_A_ROW][channel % IN_A_ROW] = key(ns, channel);
        // One after the other: in pairs, the compiler would load two keys at once, and the processor would wait until the one just
        // stored has reached the cache.
        let first = keys
            .iter()
            .fold(NONE, |first, [a, b, c, d]| least(least(least(least(first, *a), *b), *c), *d));
        let (ns, channel) = parts(first);
        self.first = if ns < LATE { (ns, channel) } else { late() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_order_of_time_and_channel() {
        let times = [0, 1, 2, 1 << 20, 1 << 44, (1 << 44) + 1, LATE - 1, LATE];
        let channels = [0, 1, 127, 255];
        let all: Vec<_> =
            times.iter().flat_map(|ns| channels.map(|channel| (*ns, channel))).collect();
        for (ns, channel) in &all {
            let made = key(*ns, *channel);
            assert_eq!(parts(made), (*ns, *channel));
            assert!(made.is_normal() && made < NONE);
            for other in &all {
                assert_eq!(made < key(other.0, other.1), (*ns, *channel) < *other);
            }
        }
        assert_eq!(key(LATE, 3), key(NEVER, 3));
        assert!(parts(NONE).0 >= LATE);
    }
}
